"""torch._foreach_*: operators on lists of tensors, one after the other.

Each is the operator of its last word on the tensors in turn, as the slow path of torch's own; what
it gives has nodes of the names that torch gives them, one for each tensor where torch has one for
all. Those of in-place functions are the operator's own.

As aten/src/ATen/native/ForeachOpsKernels.cpp.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from minitorch.core.base.fields import TensorBase
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import FormulaMode, RunningFormulas
from minitorch.core.declare.protocols.mode_stack import STACK
from minitorch.core.declare.protocols.torch_function import asked_for
from minitorch.core.declare.registry import FUNCTIONS
from minitorch.core.declare.wording.signatures import mismatch, signature
from minitorch.core.graph.node import Node
from minitorch.core.tensor.tensor import Tensor

_UNARY = """
abs acos asin atan ceil cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 neg
reciprocal round rsqrt sigmoid sign sin sinh sqrt tan tanh trunc
""".split()
_SELF = "tuple of Tensors self"
_ALPHA = ", *, Number alpha = 1"
# name -> overload -> its arguments after `self`, in the order in which torch lists them
_OVERLOADS: dict[str, dict[str, str]] = {
    "add": {
        "Scalar": "Number scalar",
        "ScalarList": "tuple of Scalars scalars",
        "Tensor": f"Tensor other{_ALPHA}",
        "List": f"tuple of Tensors other{_ALPHA}",
    },
    "sub": {
        "Scalar": "Number scalar",
        "ScalarList": "tuple of Scalars scalars",
        "List": f"tuple of Tensors other{_ALPHA}",
    },
    **{
        name: {
            "Scalar": "Number scalar",
            "ScalarList": "tuple of Scalars scalars",
            "Tensor": "Tensor other",
            "List": "tuple of Tensors other",
        }
        for name in ("mul", "div")
    },
    **{
        name: {
            "Scalar": "Number scalar",
            "ScalarList": "tuple of Scalars scalars",
            "List": "tuple of Tensors other",
        }
        for name in ("clamp_max", "clamp_min", "maximum", "minimum")
    },
    "pow": {
        "List": "tuple of Tensors exponent",
        "Scalar": "Number exponent",
        "ScalarList": "tuple of Scalars exponent",
    },
    **{
        name: {
            "Scalar": "tuple of Tensors tensor1, tuple of Tensors tensor2, Number value = 1",
            "ScalarList": "tuple of Tensors tensor1, tuple of Tensors tensor2, "
            "tuple of Scalars scalars",
            "Tensor": "tuple of Tensors tensor1, tuple of Tensors tensor2, Tensor scalars",
        }
        for name in ("addcmul", "addcdiv")
    },
    "lerp": {
        "List": "tuple of Tensors tensors1, tuple of Tensors weights",
        "Scalar": "tuple of Tensors tensors1, Number weight",
        "ScalarList": "tuple of Tensors tensors1, tuple of Scalars weight",
    },
    "norm": {"Scalar": "Number ord = 2, torch.dtype dtype = None"},
    "powsum": {"Scalar": "Number ord = 2, torch.dtype dtype = None"},
    "clone": {"": "*, torch.memory_format memory_format = None"},
    "copy": {"": "tuple of Tensors src, bool non_blocking = False"},
    "mm": {"": "tuple of Tensors mat2"},
    "max": {"": ""},
    "zero": {"": ""},
    **{name: {"": ""} for name in _UNARY},
}
# Numbers and endings of the names of nodes where they are not those of most operators.
_NODES = {
    "max": "1", "add.Scalar": "1Scalar", "add.ScalarList": "1ScalarList", "sub.Scalar": "1Scalar",
    "sub.ScalarList": "1ScalarList", "mul.Scalar": "1Scalar", "mul.ScalarList": "1ScalarList",
    "div.Scalar": "1Scalar", "div.ScalarList": "1ScalarList", "div.List": "0", "norm.Scalar": "0",
    "clamp_max.List": "1List", "clamp_min.List": "1List", "lerp.List": "1List",
    "maximum.Scalar": "0", "maximum.ScalarList": "1", "minimum.Scalar": "0",
    "minimum.ScalarList": "1", "pow.List": "0", "pow.ScalarList": "1", "pow.ScalarAndTensor": "2",
}  # fmt: skip
_ALONE = ("copy", "zero")  # only in place
_NEW = ("clone", "max", "mm", "norm", "powsum")  # never in place


def names() -> list[str]:
    """The names of all of them."""
    found = [f"_foreach_{name}" for name in _OVERLOADS if name not in _ALONE]
    return sorted(found + [f"_foreach_{name}_" for name in _OVERLOADS if name not in _NEW])


# ---- results of a call


def _check_count(first: Sequence[Any], *others: Any) -> None:
    """RuntimeError unless each list has as many items as the first, which is not empty."""
    if not first:
        raise RuntimeError("Tensor list must have at least one tensor.")
    for each in others:
        if not isinstance(each, (list, tuple)) or len(each) == len(first):
            continue
        if each and not isinstance(each[0], TensorBase):
            raise RuntimeError("Tensor list must have same number of elements as scalar list.")
        raise RuntimeError(
            f"Tensor lists must have the same number of tensors, got {len(first)} and {len(each)}"
        )


def _unpacked(scalars: Any, count: int) -> Any:
    """The numbers that a tensor of one dimension holds."""
    if scalars.dim() != 1:
        raise RuntimeError(
            f"Expected packed scalar Tensor to be of dimension 1. Got {scalars.dim()} instead."
        )
    if scalars.numel() != count:
        raise RuntimeError(
            f"Expected length of scalars to match input of length {count} but got "
            f"{scalars.numel()} instead."
        )
    return scalars.tolist()


def _check_scalar(other: Any) -> None:
    """RuntimeError for a tensor that stands for a number, and has dimensions."""
    if other.dim() != 0:
        raise RuntimeError(
            f"scalar tensor expected to be 0 dim but it has {other.dim()} dimensions and "
            f"{other.numel()} elements."
        )


def _arguments(name: str, overload: str, self: Any, given: dict[str, Any]) -> list[tuple[Any, ...]]:
    """The operator's arguments after each tensor: items of lists, other arguments each time."""
    if overload == "Tensor" and name in ("addcmul", "addcdiv"):
        _check_count(self, given["tensor1"], given["tensor2"])
        given["scalars"] = _unpacked(given["scalars"], len(self))
    elif overload == "Tensor":
        _check_count(self)
        _check_scalar(given["other"])
    elif name == "mm" and len(self) != len(given["mat2"]):
        raise RuntimeError("_foreach_mm: self and mat2 must have the same number of tensors")
    _check_count(self, *given.values())
    lists = [
        value if isinstance(value, (list, tuple)) else [value] * len(self)
        for value in given.values()
    ]
    return list(zip(*lists, strict=True)) if lists else [()] * len(self)


def _one(name: str, in_place: bool) -> Callable[..., Any]:
    """The operator on one tensor, the arguments by place."""
    if name in ("addcmul", "addcdiv"):
        return lambda x, a, b, value=1: getattr(x, name + "_" * in_place)(a, b, value=value)
    if name in ("maximum", "minimum"):
        return functools.partial(_extreme, name, in_place)
    if name == "norm":
        return lambda x, ord, dtype: OPS.linalg_vector_norm(x, ord, dtype=dtype)
    if name == "powsum":
        return lambda x, ord, dtype: OPS.linalg__powsum(x, ord, dtype=dtype)
    if name == "clone":
        return lambda x, memory_format: OPS.clone(x, memory_format=memory_format)
    if name == "max":
        return _maximum
    if name in ("add", "sub"):
        own = getattr(Tensor, name + "_" * in_place)
        return lambda x, other, alpha=1: own(x, other, alpha=alpha)
    return getattr(Tensor, name + "_" * in_place)  # type: ignore[no-any-return]


def _extreme(name: str, in_place: bool, x: Any, other: Any) -> Any:
    if not isinstance(other, TensorBase):
        x_or = "clamp_min" if name == "maximum" else "clamp_max"
        return getattr(x, x_or + "_" * in_place)(other)
    result = FUNCTIONS[name](x, other)
    return x.copy_(result) if in_place else result


def _maximum(x: Any) -> Any:
    if x.numel() == 0:
        raise RuntimeError(
            "_foreach_max cannot compute the maximum of an empty tensor; max over zero elements "
            "is undefined."
        )
    return x.max()


@functools.cache
def _renamed(kind: type, name: str) -> type:
    return type(name, (kind,), {"__slots__": (), "__module__": "builtins"})


def _entitle(result: Any, name: str, overload: str) -> None:
    """Gives the node of a result the name that it has in torch."""
    node = result._edge
    if isinstance(node, Node):
        ending = _NODES.get(f"{name}.{overload}".rstrip("."), f"0{overload}")
        words = "".join([word.capitalize() for word in name.split("_")])
        words = "Log1P" if name == "log1p" else words
        node.__class__ = _renamed(type(node), f"Foreach{words}Backward{ending}")


# (the name, the overload, its arguments by name, the function that makes the call) -> the result of
# a call as the modes of this thread see it; `utils._python_dispatch` puts it here.
SEEN: list[Callable[[str, str, dict[str, Any], Callable[..., Any]], Any]] = []


def compute(name: str, overload: str, self: Any, given: dict[str, Any], in_place: bool) -> Any:
    """The results of one call, or the tensors that it wrote."""
    if not STACK.get():
        return _computed(name, overload, self, given, in_place)

    def call() -> Any:
        result = _computed(name, overload, self, given, in_place)
        return None if in_place else result

    result = SEEN[0](f"_foreach_{name}{'_' * in_place}", overload, {"self": self, **given}, call)
    return self if in_place else tuple(result)


def _computed(name: str, overload: str, self: Any, given: dict[str, Any], in_place: bool) -> Any:
    if overload == "ScalarAndTensor":
        return _powers(self, given["exponent"])
    arguments = _arguments(name, overload, self, given)
    one = _one(name, in_place)
    pairs = list(zip(self, arguments, strict=True))
    if any([x.requires_grad for x in self]):
        with FormulaMode(True), RunningFormulas(True):  # numbers have overloads of their own
            results = [one(x, *more) for x, more in pairs]
    else:
        results = [one(x, *more) for x, more in pairs]
    if in_place:
        return self
    for each in results if name != "powsum" else ():
        _entitle(each, name, overload)
    return tuple(results)


# ---- the functions

# A tensor without dimensions is a number, too, and so are the items of a list of such.
_TRIED = ("Tensor", "List", "Scalar", "ScalarList", "ScalarAndTensor", "")


def _bound(text: str, args: Any, kwargs: Any) -> dict[str, Any]:
    """The arguments after `self` of a call that fits a signature, by name."""
    values: dict[str, Any] = {}
    parameters = signature(text).parameters[1:] if text else ()
    defaults = dict(
        [
            part.rpartition(" = ")[0].split(" ")[-1:] + [part.rpartition(" = ")[2]]
            for part in text.split(", ")
            if " = " in part
        ]
    )
    for place, each in enumerate(parameters):
        if place < len(args):
            values[each.name] = args[place]
        elif each.name in kwargs:
            values[each.name] = kwargs[each.name]
        else:
            values[each.name] = eval(defaults[each.name])
    return values


@functools.cache
def function(public: str) -> Callable[..., Any]:
    """The function of a name: torch._foreach_add_."""
    name = public.removeprefix("_foreach_").rstrip("_")
    in_place = public.endswith("_")
    texts = {
        overload: ", ".join([_SELF, *([rest] if rest else [])])
        for overload, rest in _OVERLOADS[name].items()
    }
    if public == "_foreach_pow":
        texts["ScalarAndTensor"] = "Number self, tuple of Tensors exponent"

    tried = sorted(texts, key=_TRIED.index)
    if name == "add":  # whose overload for a tensor has an argument more
        tried.sort(key=("Scalar", *_TRIED).index)

    def foreach(*args: Any, **kwargs: Any) -> Any:
        wrong = None
        for overload in tried:
            text = texts[overload]
            try:
                fits = mismatch(public, (text,), args, kwargs) is None
            except TypeError as error:  # of a list that holds something else
                wrong, fits = error, False
            if fits:
                self = args[0] if args else kwargs["self"]
                given = _bound(text, args[1:], kwargs)
                if isinstance(number := given.get("scalar"), TensorBase):
                    given["scalar"] = number.item()
                return compute(name, overload, self, given, in_place)
        raise wrong or mismatch(public, tuple(texts.values()), args, kwargs) or TypeError(public)

    foreach.__name__ = foreach.__qualname__ = public
    foreach.__module__ = "torch"
    asked_for("torch", {public: foreach})
    return foreach


def _powers(self: Any, exponent: Any) -> Any:
    """One number to the power of each tensor."""
    _check_count(exponent)
    results = tuple([FUNCTIONS["pow"](self, each) for each in exponent])
    for each in results:
        _entitle(each, "pow", "ScalarAndTensor")
    return results


def overloads_of(public: str) -> dict[str, tuple[Callable[..., Any], str]]:
    """The functions of a name and their schemas, by overload, as torch.ops.aten has them: they
    return lists."""
    name, in_place = public.removeprefix("_foreach_").rstrip("_"), public.endswith("_")

    def listed(overload: str) -> Callable[..., Any]:
        text = ", ".join([_SELF, _OVERLOADS[name][overload]]).rstrip(", ")

        def foreach(self: Any, *args: Any, **kwargs: Any) -> Any:
            given = _bound(text, args, kwargs)
            result = compute(name, overload, self, given, in_place)
            return None if in_place else list(result)

        return foreach

    return {
        overload or "default": (listed(overload), f"{public}{'.' * bool(overload)}{overload}(...)")
        for overload in _OVERLOADS[name]
    }


def __getattr__(name: str) -> Any:
    if name in names():
        return function(name)
    raise AttributeError(f"torch.{name} is not implemented by minitorch")

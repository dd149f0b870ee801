"""Calls that make tensors, as a __torch_dispatch__ sees them: factories, draws, and fills.

They have no rows, for nothing of them is differentiated. What torch's dispatcher is given for them
is told by their schemas: sizes as one list, and of the options those that the call names, besides
the device of what is made of nothing, and pin_memory.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from minitorch.core.base.fields import TensorBase
from minitorch.core.declare.protocols.mode_stack import calls_from_native
from minitorch.core.declare.schema import Argument, Schema
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes

_OPTIONS = "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None"
_TRIANGLE = _OPTIONS.replace("dtype=None", "dtype=long")
_LIKE = f"{_OPTIONS}, MemoryFormat? memory_format=None"
_DRAW = "Generator? generator=None"
_DRAWN = f"Generator? generator, {_OPTIONS}"
_WINDOWS = ("bartlett_window", "blackman_window", "hamming_window", "hann_window")
# Of each name, the overload that comes first is the one for which a call's arguments suffice.
_TEXTS = f"""
zeros(SymInt[] size, *, {_OPTIONS})
ones(SymInt[] size, *, {_OPTIONS})
empty.memory_format(SymInt[] size, *, {_LIKE})
full(SymInt[] size, Scalar fill_value, *, {_OPTIONS})
_efficientzerotensor(SymInt[] size, *, {_OPTIONS})
eye(SymInt n, *, {_OPTIONS})
eye.m(SymInt n, SymInt m, *, {_OPTIONS})
arange(Scalar end, *, {_OPTIONS})
arange.start(Scalar start, Scalar end, *, {_OPTIONS})
arange.start_step(Scalar start, Scalar end, Scalar step=1, *, {_OPTIONS})
linspace(Scalar start, Scalar end, int steps, *, {_OPTIONS})
logspace(Scalar start, Scalar end, int steps, float base=10.0, *, {_OPTIONS})
linspace.Tensor_Tensor(Tensor start, Tensor end, int steps, *, {_OPTIONS})
linspace.Tensor_Scalar(Tensor start, Scalar end, int steps, *, {_OPTIONS})
linspace.Scalar_Tensor(Scalar start, Tensor end, int steps, *, {_OPTIONS})
logspace.Tensor_Tensor(Tensor start, Tensor end, int steps, float base=10.0, *, {_OPTIONS})
logspace.Tensor_Scalar(Tensor start, Scalar end, int steps, float base=10.0, *, {_OPTIONS})
logspace.Scalar_Tensor(Scalar start, Tensor end, int steps, float base=10.0, *, {_OPTIONS})
empty_strided(SymInt[] size, SymInt[] stride, *, {_OPTIONS})
empty_permuted(SymInt[] size, int[] physical_layout, *, {_OPTIONS})
scalar_tensor(Scalar s, *, {_OPTIONS})
tril_indices(int row, int col, int offset=0, *, {_TRIANGLE})
triu_indices(int row, int col, int offset=0, *, {_TRIANGLE})
rand(SymInt[] size, *, {_OPTIONS})
rand.generator(SymInt[] size, *, {_DRAWN})
randn(SymInt[] size, *, {_OPTIONS})
randn.generator(SymInt[] size, *, {_DRAWN})
randint(SymInt high, SymInt[] size, *, {_OPTIONS})
randint.generator(SymInt high, SymInt[] size, *, {_DRAWN})
randint.low(SymInt low, SymInt high, SymInt[] size, *, {_OPTIONS})
randint.low_generator(SymInt low, SymInt high, SymInt[] size, *, {_DRAWN})
randperm(SymInt n, *, {_OPTIONS})
randperm.generator(SymInt n, *, {_DRAWN})
normal.float_float(float mean, float std, SymInt[] size, *, {_DRAW}, {_OPTIONS})
kaiser_window(int window_length, *, {_OPTIONS})
kaiser_window.periodic(int window_length, bool periodic, *, {_OPTIONS})
kaiser_window.beta(int window_length, bool periodic, float beta, *, {_OPTIONS})
zeros_like(Tensor self, *, {_LIKE})
ones_like(Tensor self, *, {_LIKE})
empty_like(Tensor self, *, {_LIKE})
full_like(Tensor self, Scalar fill_value, *, {_LIKE})
rand_like(Tensor self, *, {_LIKE})
randn_like(Tensor self, *, {_LIKE})
randint_like(Tensor self, SymInt high, *, {_LIKE})
randint_like.low_dtype(Tensor self, SymInt low, SymInt high, *, {_LIKE})
new_zeros(Tensor self, SymInt[] size, *, {_OPTIONS})
new_ones(Tensor self, SymInt[] size, *, {_OPTIONS})
new_empty(Tensor self, SymInt[] size, *, {_OPTIONS})
new_full(Tensor self, SymInt[] size, Scalar fill_value, *, {_OPTIONS})
new_empty_strided(Tensor self, SymInt[] size, SymInt[] stride, *, {_OPTIONS})
uniform_(Tensor(a!) self, float from=0, float to=1, *, {_DRAW})
normal_(Tensor(a!) self, float mean=0, float std=1, *, {_DRAW})
random_(Tensor(a!) self, *, {_DRAW})
random_.to(Tensor(a!) self, int to, *, {_DRAW})
random_.from(Tensor(a!) self, int from, int? to, *, {_DRAW})
bernoulli_.float(Tensor(a!) self, float p=0.5, *, {_DRAW})
bernoulli_.Tensor(Tensor(a!) self, Tensor p, *, {_DRAW})
exponential_(Tensor(a!) self, float lambd=1, *, {_DRAW})
cauchy_(Tensor(a!) self, float median=0, float sigma=1, *, {_DRAW})
geometric_(Tensor(a!) self, float p, *, {_DRAW})
log_normal_(Tensor(a!) self, float mean=1, float std=2, *, {_DRAW})
copy_(Tensor(a!) self, Tensor src, bool non_blocking=False)
is_same_size(Tensor self, Tensor other)
zero_(Tensor(a!) self)
fill_.Scalar(Tensor(a!) self, Scalar value)
fill_.Tensor(Tensor(a!) self, Tensor value)
equal(Tensor self, Tensor other)
bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False)
isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False,\
 bool invert=False)
nonzero_static(Tensor self, *, SymInt size, SymInt fill_value=-1)
allclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False)
resize_(Tensor(a!) self, SymInt[] size, *, MemoryFormat? memory_format=None)
resize_as_(Tensor(a!) self, Tensor the_template, *, MemoryFormat? memory_format=None)
detach(Tensor self)
lift_fresh(Tensor self)
lift_fresh_copy(Tensor self)
_local_scalar_dense(Tensor self)
_linalg_check_errors(Tensor info, str api_name, *, bool is_matrix)
_to_sparse(Tensor self, *, Layout? layout=None, SymInt[2]? blocksize=None, int? dense_dim=None)
_to_sparse.sparse_dim(Tensor self, int sparse_dim)
_to_dense(Tensor self)
""" + "".join(
    f"{name}(int window_length, *, {_OPTIONS})\n"
    f"{name}.periodic(int window_length, bool periodic, *, {_OPTIONS})\n"
    for name in _WINDOWS
)
# The methods of Tensor that ask, once a mode was there, and the operators that they call.
METHODS = {
    "detach": "detach",
    "to_sparse": "_to_sparse",
    **dict.fromkeys(
        ("item", "__bool__", "__float__", "__int__", "__index__"), "_local_scalar_dense"
    ),
}
# Factories of tensors from a program's own numbers: a mode sees their result.
LIFTED = frozenset("as_tensor asarray from_numpy new_tensor tensor".split())


@cache
def schemas() -> dict[str, list[Schema]]:
    """The schemas of the overloads of each name."""
    found: dict[str, list[Schema]] = {}
    for line in _TEXTS.split("\n"):
        if line:
            returns = "Tensor(a!)" if "(a!)" in line else "Tensor"
            schema = Schema.parse(f"{line} -> {returns}")
            found.setdefault(schema.name, []).append(schema)
    return found


def overloads(name: str, function: Callable[..., Any] | None) -> dict[str, tuple[Any, str]]:
    """The functions and schemas of the overloads of a name, as torch.ops shows them."""
    function = _UNNAMED.get(name, function)
    known = schemas().get(name, ()) if function is not None else ()
    return {each.overload or "default": (function, each.text) for each in known}


def _as_it_is(self: Any) -> Any:
    return self


def _element(self: Any) -> Any:
    return self.item()


# Operators that only torch.ops has names for.
_UNNAMED: dict[str, Callable[..., Any]] = {
    "lift_fresh": _as_it_is,
    "lift_fresh_copy": lambda self: self.clone(),
    "_local_scalar_dense": _element,
    "_to_sparse": lambda self, *args, **options: self.to_sparse(*args, **options),
    "_to_dense": lambda self: self.to_dense(),
}


def shown(name: str, args: Any, kwargs: Any) -> tuple[str, Any, Any] | None:
    """The overload of a call, and its arguments as a mode sees them; None if it fits no overload.

    kwargs: without requires_grad, which the dispatcher is not told.
    """
    for schema in schemas().get(name, ()):
        given = _given(schema, args, kwargs)
        if given is not None:
            return (schema.overload or "default", *_as_seen(schema, given))
    return None


def _given(schema: Schema, args: Any, kwargs: Any) -> dict[str, Any] | None:
    """A call's arguments by the names of a schema; None if they do not fit it."""
    rest, given = list(args), {}
    for each in schema.arguments:
        if each.keyword_only or not rest:
            break
        if each.type == "SymInt[]" and all([type(n) is int for n in rest]):
            given[each.name], rest = rest, []
        elif each.type == "SymInt[]" and not isinstance(rest[0], (list, tuple)):
            return None
        else:
            given[each.name] = rest.pop(0)
    known = {each.name: each for each in schema.arguments}
    if rest or kwargs.keys() & given.keys() or not kwargs.keys() <= known.keys():
        return None
    given |= {key: value for key, value in kwargs.items() if value is not None}
    for each in schema.arguments:
        required = each.default is None and not each.type.endswith("?")
        required = required or (each.name == "generator" and "generator" in schema.overload)
        if each.name not in given:
            if required:
                return None
        elif isinstance(given[each.name], TensorBase) != each.is_tensor:
            return None
    return given


def _as_seen(schema: Schema, given: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    by_place: list[Any] = []
    by_name: dict[str, Any] = {}
    wanted = 0
    of_nothing = not schema.arguments[0].is_tensor
    for each in schema.arguments:
        value: Any = given.get(each.name)
        if not each.keyword_only:
            if each.name not in given:
                continue
            if each.type.endswith("[]"):
                value = list(value)
            elif each.type == "float" and type(value) is int:
                value = float(value)
            by_place.append(value)
            if not _is_default(each, value):
                wanted = len(by_place)
        elif each.name == "pin_memory":
            # Python's binding tells it always, C++ that calls C++ does not.
            if not calls_from_native():
                by_name["pin_memory"] = bool(value)
        elif each.name == "device" and (of_nothing or value is not None):
            by_name["device"] = devices.device(value or devices.get_default_device())
        elif value is not None and not _is_default(each, value):
            by_name[each.name] = value
    return tuple(by_place[:wanted]), by_name


def _is_default(argument: Argument, value: Any) -> bool:
    """Whether a call leaves an argument at its default. A number of C++ that is written 1 is not
    one that is written 1.0."""
    if argument.default is None:
        return False
    default = eval(argument.default, {"long": dtypes.int64})
    same_kind = argument.type != "Scalar" or type(value) is type(default)
    return same_kind and bool(value == default)

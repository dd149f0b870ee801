"""Operators that a program defines: their schemas, kernels and gradients, and their calls."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Callable, Iterator
from typing import Any

from minitorch._C._dispatch import EXCLUDED
from minitorch._C._enumerations import Tag
from minitorch._ops import ops
from minitorch._public.schema_values import Misfit, converted, returned, shown_type
from minitorch._public.tensor_lists import TakesLists
from minitorch.amp.autocast_mode import autocast
from minitorch.amp.state import is_autocast_enabled
from minitorch.autograd import Function
from minitorch.autograd.grad_mode import no_grad
from minitorch.autograd.graph import increment_version
from minitorch.core.arrays.missing import is_numberless
from minitorch.core.base.modes import recording, transforms
from minitorch.core.declare.protocols.mode_stack import STACK
from minitorch.core.declare.protocols.torch_dispatch import (
    Call,
    bound_in_schema_order,
    wrapping,
)
from minitorch.core.declare.schema import Schema
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.tensor import Tensor
from minitorch.core.warning import warn

OPERATORS: dict[tuple[str, str], dict[str, Operator]] = {}  # (namespace, name) -> by overload
# Kernels for operators that are not defined yet: "mylib::foo" -> by dispatch key.
WAITING: dict[str, dict[str, Callable[..., Any]]] = {}
_NO_FORMULA = (
    ": an autograd kernel was not registered to the Autograd key(s) but we are trying to backprop "
    "through it. This may lead to silently incorrect behavior. This behavior is deprecated and "
    "will be removed in a future version of PyTorch. If your operator is differentiable, please "
    "ensure you have registered an autograd kernel to the correct Autograd key (e.g. "
    "DispatchKey::Autograd, DispatchKey::CompositeImplicitAutograd). If your operator is not "
    "differentiable, or to squash this warning and use the previous behavior, please register "
    "torch::CppFunction::makeFallthrough() to DispatchKey::Autograd."
)


class Operator:
    """An operator: its schema, and what a program registered for it.

    key: "mylib::foo" or "mylib::foo.overload". fresh: whether results must be no inputs.
    """

    def __init__(self, namespace: str, text: str, fresh: bool = False) -> None:
        self.schema = Schema.parse(re.sub(r"\(([a-z])\d*!\)", r"(\1!)", text))
        self.namespace, self.text, self.fresh = namespace, text, fresh
        dot = f".{self.schema.overload}" if self.schema.overload else ""
        self.title = f"{namespace}::{self.schema.name}"  # in errors
        self.key = f"{self.title}{dot}"
        self.place = ""  # where it was defined: file and line
        self.path = f"{namespace}.{self.schema.name}.{self.schema.overload or 'default'}"
        self.kernels: dict[str, Callable[..., Any]] = {}
        self.off: set[str] = set()
        self.backward: Callable[..., Any] | None = None
        self.setup: Callable[..., Any] | None = None
        self.fake: Callable[..., Any] | None = None
        self.vmap: Callable[..., Any] | None = None
        self.tags: tuple[Any, ...] = ()
        self.autocast: dict[str, Any] = {}  # the dtype by the kind of devices
        self.dispatch: dict[type, Callable[..., Any]] = {}  # by the class of a mode or tensors
        # The class of its nodes, less "Backward".
        self.gradient = f"GeneratedBackwardFor_{self.path.replace('.', '_')}"
        self._function: Any = None

    def put_kernel(self, key: str, kernel: Callable[..., Any]) -> None:
        """Has a kernel for a dispatch key; that for Meta computes shapes alone."""
        if key == "Meta":
            self.fake = kernel
        else:
            self.kernels[key] = kernel

    @property
    def declaration(self) -> str:
        """The schema with its namespace, numbers as C++ writes them."""
        return re.sub(r"=(-?\d+)\.0\b", r"=\1.", f"{self.namespace}::{self.text}")

    # ---- calls

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        values = self.bound(args, kwargs)
        if self.autocast and (kind := self._casting(values)) is not None:
            return self.call_cast(values, kind)
        if (above := self._above(values)) is not None:
            return self.call(above, values)
        kernel = self.kernel(values)
        if kernel is self.kernels.get("CompositeImplicitAutograd"):
            return self.call(kernel, values)
        lists = [x for each in values if isinstance(each, (list, tuple)) for x in each]
        wanted = [x for x in [*values, *lists] if isinstance(x, Tensor) and x.requires_grad]
        if transforms.get() or (recording() and wanted and (self.fresh or self.backward)):
            return self.function().apply(*values)
        if recording() and wanted:
            return self.without_formula(self.computed(kernel, values), wanted)
        with no_grad():
            return self.computed(kernel, values)

    def warn(self) -> None:
        """Warns in a backward that no gradient is registered."""
        warn(f"{self.key}{_NO_FORMULA}")

    def without_formula(self, result: Any, inputs: list[Any]) -> Any:
        """The result of a kernel without a registered gradient; a backward through it warns.
        The history that torch's functions within the kernel have made is kept."""
        made = []
        for each in result if isinstance(result, (list, tuple)) else (result,):
            if isinstance(each, Tensor) and each.is_floating_point() | each.is_complex():
                if each.requires_grad:
                    each.register_hook(lambda grad: self.warn())
                elif not any([each is x for x in inputs]):
                    each = CppFunction.apply(self, each.detach(), *inputs)
            made.append(each)
        return type(result)(made) if isinstance(result, (list, tuple)) else made[0]

    def _above(self, values: list[Any]) -> Callable[..., Any] | None:
        """The kernel that records, and calls the others below autograd; None without."""
        if EXCLUDED.get() or not any([each.startswith("Autograd") for each in self.kernels]):
            return None
        kinds = [x.device.type for x in values if isinstance(x, Tensor)]
        keys = [f"Autograd{kind.upper()}" for kind in kinds[:1]] + ["Autograd"] * bool(kinds)
        return next((self.kernels[key] for key in keys if key in self.kernels), None)

    def call_cast(self, values: list[Any], kind: str) -> Any:
        """A call with its arguments cast, and the autocast of a kind of devices off."""
        with autocast(kind, enabled=False):
            return self.call(self, [_cast(x, kind, self.autocast[kind]) for x in values])

    def _casting(self, values: list[Any]) -> str | None:
        """The kind of devices under whose autocast this call is; None without."""
        kinds = {x.device.type for x in values if isinstance(x, Tensor)}
        return next((k for k in self.autocast if k in kinds and is_autocast_enabled(k)), None)

    def bound(self, args: Any, kwargs: Any) -> list[Any]:
        """The arguments of a call in the order of the schema, each as its type wants it.
        RuntimeError in torch's words."""
        values = []
        named = dict(kwargs)
        given = list(args)
        if len(args) + len(kwargs) > len(self.schema.arguments):
            raise RuntimeError(
                f"{self.title}() expected at most {len(self.schema.arguments)} argument(s) but "
                f"received {len(args) + len(kwargs)} argument(s). Declaration: {self.declaration}"
            )
        for position, each in enumerate(self.schema.arguments):
            if given and not each.keyword_only:
                values.append(self._converted(each, position, given.pop(0)))
            elif each.name in named:
                values.append(self._converted(each, position, named.pop(each.name)))
            elif each.default is not None:
                value = eval(each.default)
                values.append(list(value) if isinstance(value, tuple) else value)
            else:
                raise RuntimeError(
                    f"{self.title}() is missing value for argument '{each.name}'. "
                    f"Declaration: {self.declaration}"
                )
        if given:
            placed = len(args) - len(given)
            raise RuntimeError(
                f"{self.title}() takes {placed} positional argument(s) but {len(args)} was/were "
                f"given.  Declaration: {self.declaration}"
            )
        if named:
            raise RuntimeError(
                f"Unknown keyword argument '{next(iter(named))}' for operator '{self.title}'. "
                f"Schema: {self.declaration}"
            )
        return values

    def _converted(self, argument: Any, position: int, value: Any) -> Any:
        try:
            return converted(argument.type, value)
        except Misfit as misfit:
            raise RuntimeError(
                f"{self.title}() Expected a value of type '{shown_type(argument.type)}' for "
                f"argument '{argument.name}' but instead found type '{type(value).__name__}'.\n"
                f"Position: {position}\nValue: {value!r}\nDeclaration: {self.declaration}\n{misfit}"
            ) from None

    def kernel(self, values: list[Any]) -> Callable[..., Any]:
        """The function that computes for the device of the tensors. NotImplementedError if there is
        none."""
        flat = [x for v in values for x in (v if isinstance(v, (list, tuple)) else [v])]
        tensors = [x for x in flat if isinstance(x, Tensor)]
        device = next((x.device.type for x in tensors), "cpu")
        shown = {"cpu": "CPU", "cuda": "CUDA"}.get(device, device)
        if any([is_numberless(x._array) for x in tensors]):
            if self.fake is not None:
                return self.fake
            if self.fresh:
                name = self.schema.name
                raise RuntimeError(
                    f"There was no fake impl registered for <CustomOpDef({self.namespace}::{name})>"
                    ". This is necessary for torch.compile/export/fx tracing to work. Please use "
                    f"`{name}.register_fake` to add an fake impl."
                )
        explicit = "CompositeExplicitAutograd"
        for key in (shown, explicit, "CompositeImplicitAutograd"):
            if key in self.kernels and key not in self.off:
                return self.kernels[key]
        raise NotImplementedError(
            f"Could not run '{self.key}' with arguments from the '{shown}' backend. This could be "
            "because the operator doesn't exist for this backend, or was omitted during the "
            f"selective/custom build process: no kernel of minitorch's is registered for {shown}."
        )

    def call(self, kernel: Callable[..., Any], values: list[Any]) -> Any:
        """The result of a kernel for arguments in the order of the schema."""
        pairs = list(zip(self.schema.arguments, values, strict=True))
        by_name = {a.name: v for a, v in pairs if a.keyword_only}
        result = kernel(*[v for a, v in pairs if not a.keyword_only], **by_name)
        return returned(self.key, self.schema.returns, result)

    def computed(self, kernel: Callable[..., Any], values: list[Any]) -> Any:
        """The result of a kernel, of this thread's innermost mode that sees operators, or of the
        classes of arguments that compute by themselves."""
        modes = STACK.get()
        composed = kernel is self.kernels.get("CompositeImplicitAutograd")
        types = () if composed else wrapping(values, {})
        if not modes and not types:
            return self._computed(kernel, values)
        by_name = {a.name: v for a, v in zip(self.schema.arguments, values, strict=True)}
        packet = getattr(getattr(ops, self.namespace), self.schema.name)
        op = getattr(packet, self.schema.overload or "default")
        args, kwargs = bound_in_schema_order(self.schema, by_name)
        rule = self.dispatch.get(type(modes[-1])) if modes else None
        if rule is not None:
            token = STACK.set(modes[:-1])
            try:
                return rule(modes[-1], op, (), args, kwargs)
            finally:
                STACK.reset(token)
        call = Call(op, None, lambda *_, **__: self._computed(kernel, values), args, kwargs)
        call.types = types
        return call.run(modes)

    def _computed(self, kernel: Callable[..., Any], values: list[Any]) -> Any:
        """The result of a kernel; writes are counted, and results that are inputs refused."""
        result = self.call(kernel, values)
        if self.fresh:
            for argument, value in zip(self.schema.arguments, values, strict=True):
                if "!" in argument.alias and isinstance(value, Tensor):
                    _count_write(value)
            self._check_result(result, values)
        return result

    def _check_result(self, result: Any, values: list[Any]) -> None:
        """RuntimeError for a result that is an input, or is none where the tags say that it is."""
        kernel = next(iter(self.kernels.values()), None)
        module = getattr(kernel, "__module__", "")
        where = f"{self.schema.name} (with implementation in {module}): "
        if Tag.inplace in self.tags:
            if result is not values[0]:
                raise RuntimeError(
                    f"{where}An operator tagged with torch.Tag.inplace must return its first "
                    "argument."
                )
        elif Tag.out in self.tags:
            pairs = zip(self.schema.arguments, values, strict=True)
            written = [x for a, x in pairs if "!" in a.alias and a.keyword_only]
            given = result if isinstance(result, tuple) else (result,)
            if len(given) != len(written) or any(
                [x is not y for x, y in zip(given, written, strict=False)]
            ):
                raise RuntimeError(
                    f"{where}An operator tagged with torch.Tag.out must return its mutable "
                    "keyword-only arguments."
                )
        else:
            self._check_fresh(result, values)

    def _check_fresh(self, result: Any, values: list[Any]) -> None:
        results = result if isinstance(result, (tuple, list)) else (result,)
        memory = [x.untyped_storage().data_ptr() for x in values if isinstance(x, Tensor)]
        for each in results:
            if isinstance(each, Tensor) and each.numel() and not is_numberless(each._array):
                place = each.untyped_storage().data_ptr()
                if place in memory:
                    kernel = self.kernels.get("CompositeExplicitAutograd")
                    raise RuntimeError(
                        f"{self.schema.name} (with implementation in "
                        f"{getattr(kernel, '__module__', '')}): The output of this custom operator "
                        "(1) must not also be an input to this custom operator and (2) may not "
                        "alias any inputs to this custom operator or other returns. The most "
                        "common way to trigger this error is if we have y = custom_op(x) and y and "
                        "x are the same Tensor. Please instead return a clone of the offending "
                        "output tensor(s) (e.g. return x.clone()) or refactor the custom operator "
                        "to not return y."
                    )
                memory.append(place)

    # ---- gradients

    def function(self) -> Any:
        """The autograd.Function of the operator."""
        if self._function is None:
            self._function = _function_of(self)
        return self._function


class CppFunction(Function):
    """The node of results of a kernel without a gradient; they have no history."""

    @staticmethod
    def forward(ctx: Any, operator: Operator, result: Any, *inputs: Any) -> Any:
        """The result."""
        ctx.operator = operator
        return result

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """No gradients, and a warning."""
        ctx.operator.warn()
        return (None,) * len(ctx.needs_input_grad)


def _cast(value: Any, kind: str, dtype: Any) -> Any:
    """An argument in the dtype of autocast, if it is of floating point, and not in double."""
    if isinstance(value, (list, tuple)):
        return type(value)([_cast(x, kind, dtype) for x in value])
    if (
        isinstance(value, Tensor)
        and value.is_floating_point()
        and value.device.type == kind
        and value.dtype is not dtypes.float64
    ):
        return value.to(dtype)
    return value


def _count_write(x: Tensor) -> None:
    increment_version(x)


def _function_of(operator: Operator) -> Any:
    keyword_only = [a.keyword_only for a in operator.schema.arguments]

    def forward(*values: Any) -> Any:
        return operator.computed(operator.kernel(list(values)), list(values))

    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        if operator.setup is None:
            return
        placed = tuple([x for x, only in zip(inputs, keyword_only, strict=True) if not only])
        if not any(keyword_only):
            operator.setup(ctx, placed, output)
            return
        names = [a.name for a in operator.schema.arguments if a.keyword_only]
        named = [x for x, only in zip(inputs, keyword_only, strict=True) if only]
        operator.setup(
            ctx=ctx,
            inputs=placed,
            keyword_only_inputs=dict(zip(names, named, strict=True)),
            output=output,
        )

    def backward(ctx: Any, *grads: Any) -> Any:
        if operator.backward is None:
            raise RuntimeError(
                f"Trying to backward through {operator.path} but no autograd formula was "
                "registered. Please use register_autograd to add one."
            )
        given = operator.backward(ctx, *grads)
        given = given if isinstance(given, tuple) else (given,)
        return (*given, *[None] * sum(keyword_only))

    def vmap(info: Any, in_dims: Any, *values: Any) -> Any:
        if operator.vmap is None:
            raise NotImplementedError(
                f"torch.library: no register_vmap was called for {operator.key}, and minitorch "
                "does not map operators of programs one by one"
            )
        placed = [x for x, only in zip(values, keyword_only, strict=True) if not only]
        names = [a.name for a in operator.schema.arguments if a.keyword_only]
        named = [x for x, only in zip(values, keyword_only, strict=True) if only]
        return operator.vmap(info, in_dims, *placed, **dict(zip(names, named, strict=True)))

    members = {
        "forward": staticmethod(forward),
        "setup_context": staticmethod(setup_context),
        "backward": staticmethod(backward),
        "vmap": staticmethod(vmap),
    }
    schema = operator.schema
    if "Tensor[]" in schema.returns or any([a.is_tensor_list for a in schema.arguments]):
        return TakesLists(operator.gradient, members)
    return type(operator.gradient, (Function,), members)


# ---- the registry


def define(operator: Operator) -> None:
    """Makes an operator known, with the kernels that wait for it. RuntimeError if there is one of
    the name."""
    schema = operator.schema
    known = OPERATORS.setdefault((operator.namespace, schema.name), {})
    overload = schema.overload or "default"
    if overload in known:
        raise RuntimeError(
            f"Tried to register an operator ({operator.declaration}) with the same name and "
            "overload name multiple times. Each overload's schema should only be registered with "
            f"a single call to def(). Duplicate registration: registered at {operator.place}. "
            f"Original registration: registered at {known[overload].place}"
        )
    known[overload] = operator
    for key, kernel in WAITING.pop(operator.key, {}).items():
        operator.put_kernel(key, kernel)
    _forget_packet(operator.namespace, schema.name)


def put_kernel(qualname: str, key: str, kernel: Callable[..., Any]) -> None:
    """Gives an operator a kernel for a dispatch key; one that is not defined yet will have it."""
    try:
        operator = found(qualname)
    except RuntimeError:
        WAITING.setdefault(qualname, {})[key] = kernel
    else:
        if isinstance(operator, Operator):
            operator.put_kernel(key, kernel)
        else:  # compiled
            operator.kernels[key] = kernel


def undefine(operator: Operator) -> None:
    """Forgets an operator."""
    known = OPERATORS.get((operator.namespace, operator.schema.name), {})
    known.pop(operator.schema.overload or "default", None)
    _forget_packet(operator.namespace, operator.schema.name)


def _forget_packet(namespace: str, name: str) -> None:
    getattr(ops, namespace).__dict__.pop(name, None)


def found(qualname: str) -> Any:
    """The operator of a name such as "mylib::foo". RuntimeError if there is none.

    One of a compiled library that could not be loaded can be told about, and refuses calls.
    """
    namespace, _, rest = qualname.partition("::")
    name, _, overload = rest.partition(".")
    known = OPERATORS.get((namespace, name), {})
    if (overload or "default") not in known:
        libraries = sys.modules.get("minitorch._public.compiled_libraries")
        operator = libraries.compiled(qualname) if libraries is not None else None
        if operator is not None:
            return operator
        raise RuntimeError(f"operator {qualname} does not exist")
    return known[overload or "default"]


@contextlib.contextmanager
def switched(operator: Operator, key: str, on: bool) -> Iterator[None]:
    """A block in which the kernel of a device is used, or is not."""
    before = key in operator.off
    (operator.off.discard if on else operator.off.add)(key)
    try:
        yield
    finally:
        (operator.off.add if before else operator.off.discard)(key)

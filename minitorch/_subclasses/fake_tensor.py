"""torch._subclasses.fake_tensor: tensors that know shape, dtype, strides and device alone.

A FakeTensor holds an array without numbers that stands for one on some device (`fake_arrays.py`).
Its mode sees the operators of a program: what they make of nothing becomes fake, and real tensors
are refused or converted.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any
from weakref import ref

from minitorch._ops import ops
from minitorch._public import outlines
from minitorch._subclasses.fake_arrays import BECOME, FakeArray, array_class, faked
from minitorch.core.arrays import layout
from minitorch.core.arrays.hollow import fresh
from minitorch.core.arrays.missing import NONZERO, MixedDevices
from minitorch.core.base.fields import LEAF, TensorBase, laid_out
from minitorch.core.declare.protocols.mode_stack import STACK
from minitorch.core.declare.protocols.torch_dispatch import WAITING
from minitorch.core.declare.protocols.torch_function import disabled
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.parameter import Parameter
from minitorch.core.tensor.tensor import Tensor
from minitorch.utils._python_dispatch import TorchDispatchMode

__all__ = [
    "DataDependentOutputException", "DynamicOutputShapeException", "FakeTensor",
    "FakeTensorConverter", "FakeTensorDeviceMismatchError", "FakeTensorMode",
    "UnsupportedFakeTensorException", "UnsupportedOperatorException", "is_fake",
    "maybe_get_fake_mode", "unset_fake_temporarily",
]  # fmt: skip


class _OfOperator(RuntimeError):
    """An error that an operator causes: `func`."""

    def __init__(self, func: Any) -> None:
        super().__init__(func)
        self.func = func


class DynamicOutputShapeException(_OfOperator):
    """The shape of an operator's result depends on numbers."""


class DataDependentOutputException(_OfOperator):
    """An operator's result is a Python number."""


class UnsupportedOperatorException(_OfOperator):
    """An operator that fake tensors cannot do."""


class UnsupportedFakeTensorException(RuntimeError):
    """A tensor that cannot be fake."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class FakeTensorDeviceMismatchError(RuntimeError):
    """Tensors of different devices met in one call."""


for _each in (
    DynamicOutputShapeException, DataDependentOutputException, UnsupportedOperatorException,
    UnsupportedFakeTensorException, FakeTensorDeviceMismatchError,
):  # fmt: skip
    _each.__module__ = "torch._subclasses.fake_tensor"


def _stands(self: Any) -> None:
    """Makes a tensor that was given a fake array a FakeTensor."""
    self.__class__ = FakeTensor


class FakeTensor(Tensor):
    """A tensor without numbers that stands for one on `fake_device`.

    fake_mode: the mode it belongs to. constant: the tensor it was made of, if a program wrote down
    its numbers, else None.
    """

    __module__ = "torch._subclasses.fake_tensor"
    constant: Any = None
    real_tensor: Any = None
    item_memo: Any = None
    _is_param = False

    def __new__(
        cls, fake_mode: Any, elem: Any, device: Any, constant: Any = None, **others: Any
    ) -> Any:
        """A fake tensor of the geometry of `elem`, a meta tensor."""
        if elem.device.type != "meta":
            raise AssertionError(f"elem.device.type must be 'meta', got {elem.device.type}")
        made = _of_geometry(elem, _place(device), fake_mode)
        made.requires_grad_(elem.requires_grad)
        made.constant = constant
        return made

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """All is done when it is made."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Makes a call in the mode of its fake tensors, unless that is active."""
        kwargs = kwargs or {}
        if getattr(func, "__name__", "") in ("__get__", "__set__", "__delete__"):
            return disabled(func, types, args, kwargs)
        mode = next((x.fake_mode for x in _tensors(args, kwargs) if is_fake(x)), None)
        inside = mode is None or any(each is mode for each in STACK.get()) or WAITING.get()
        try:
            with nullcontext() if inside else mode:
                return disabled(func, types, args, kwargs)
        except MixedDevices as error:
            raise FakeTensorDeviceMismatchError(str(error)) from None
        except (NotImplementedError, RuntimeError) as error:
            found = _depends_on_numbers(str(error), getattr(func, "__name__", ""))
            if found is None:
                raise
            raise found from None

    @staticmethod
    def from_tensor(t: Any, fake_mode: Any) -> Any:
        """The fake tensor for a real one."""
        return fake_mode.from_tensor(t)

    @property
    def fake_mode(self) -> Any:
        return self._array.mode

    @property
    def fake_device(self) -> Any:
        return self._array.place

    @property
    def device(self) -> Any:
        return self._array.place

    is_meta = property(lambda self: self._array.place.type == "meta")  # type: ignore[assignment]
    is_cuda = property(lambda self: self._array.place.type == "cuda")  # type: ignore[assignment]
    is_cpu = property(lambda self: self._array.place.type == "cpu")

    @property
    def names(self) -> Any:
        raise NotImplementedError("torch doesn't support named tensors yet")

    def item(self) -> Any:
        """The number that a program wrote down. DataDependentOutputException for any other."""
        if self.constant is None:
            raise DataDependentOutputException(ops.aten._local_scalar_dense.default)
        return self.constant.item()

    def __bool__(self) -> bool:
        return bool(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __index__(self) -> int:
        return int(self.item().__index__())

    def tolist(self) -> Any:
        """The numbers that a program wrote down. DataDependentOutputException for others."""
        if self.constant is None and self.numel():
            raise DataDependentOutputException(ops.aten._local_scalar_dense.default)
        return self.constant.tolist() if self.numel() else [[]] * min(self.dim() - 1, 1)

    def numpy(self, *, force: bool = False) -> Any:
        raise RuntimeError(".numpy() is not supported for tensor subclasses.")

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            made = _of_geometry(self, self.device, self.fake_mode)
            made.__dict__.update(self.__dict__)
            memo[id(self)] = made.requires_grad_(self.requires_grad)
        return memo[id(self)]

    def data_ptr(self) -> int:
        """0: there is no memory."""
        return 0

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        parts = ["..."]
        if self.device.type != "cpu":
            parts.append(f"device='{self.device}'")
        parts.append(f"size={tuple(self._array.shape)}")
        if self.dtype not in (dtypes.get_default_dtype(), dtypes.bool) or self.dtype is dtypes.bool:
            parts.append(f"dtype={self.dtype}")
        if self.grad_fn is not None:
            parts.append(f"grad_fn=<{type(self.grad_fn).__name__}>")
        elif self.requires_grad:
            parts.append("requires_grad=True")
        text = f"FakeTensor({', '.join(parts)})"
        return f"Parameter({text})" if self._is_param else text

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(repr(self), spec)


def _takes_device(func: Any) -> bool:
    return " device" in func._text


def _place(device: Any) -> Any:
    place = devices.device(device)
    if place.type in ("cuda", "xpu", "hpu", "mps") and place.index is None:
        return devices.device(place.type, 0)
    return place


def _of_geometry(x: Any, place: Any, mode: Any) -> Any:
    """A fake tensor of the shape, dtype and strides of a tensor, in memory of its own."""
    array = x._array
    strides = layout.strides_of(array)
    plain = array.flags.c_contiguous and layout.is_plain(array)
    return laid_out(
        faked(fresh(array.shape, array.dtype, None if plain else strides), array_class(place), mode)
    )


def _depends_on_numbers(text: str, called: str) -> Exception | None:
    """The error of fake tensors for that of meta tensors with this text."""
    if text == NONZERO:
        return DynamicOutputShapeException(ops.aten.nonzero.default)
    if text == "Tensor.item() cannot be called on meta tensors":
        name = called if called in ("allclose", "equal") else "_local_scalar_dense"
        return DataDependentOutputException(getattr(ops.aten, name).default)
    name, found, _ = text.partition(": attempted to run this operator with Meta tensors")
    if not found or not name.startswith("aten::"):
        return None
    packet, _, overload = name.removeprefix("aten::").partition(".")
    func = getattr(getattr(ops.aten, packet), overload or "default")
    if packet in ("equal", "allclose"):
        return DataDependentOutputException(func)
    return DynamicOutputShapeException(func)


def _tensors(args: Any, kwargs: Any) -> Iterator[Any]:
    for each in (*args, *kwargs.values()):
        if isinstance(each, TensorBase):
            yield each
        elif isinstance(each, (list, tuple)):
            yield from _tensors(each, {})


class FakeTensorConverter:
    """The fake tensors that stand for real ones, as long as those are there."""

    __module__ = "torch._subclasses.fake_tensor"

    def __init__(self, *, copy_data: bool = False, export: bool = False) -> None:
        self._made: dict[int, tuple[Any, Any]] = {}

    def from_real_tensor(self, fake_mode: Any, t: Any, **options: Any) -> Any:
        """The fake tensor for a real one: always the same one."""
        if t.layout is not devices.strided:
            raise UnsupportedFakeTensorException("sparse nyi in meta tensors")
        found = self._made.get(id(t))
        if found is not None and found[0]() is t:
            return found[1]
        with _without(FakeTensorMode):
            place = t.device if t.device.type != "cuda" else _place(t.device)
            made = _of_geometry(t, place, fake_mode)
            if t.requires_grad:
                made._edge = LEAF
            if isinstance(t, Parameter):
                made._is_param = True
        key = id(t)
        self._made[key] = ref(t, lambda _: self._made.pop(key, None)), made
        return made

    def from_meta_and_device(self, fake_mode: Any, t: Any, device: Any, **options: Any) -> Any:
        """A fake tensor on a device of the geometry of a meta tensor."""
        return FakeTensor(fake_mode, t, device)


class FakeTensorMode(TorchDispatchMode):
    """A context in which operators make fake tensors, whatever device they ask for.

    allow_non_fake_inputs: whether real tensors among the arguments become fake; else they are
        refused. allow_fallback_kernels, static_shapes, shape_env, export: as torch keeps them;
        shapes are always plain numbers, so that a shape_env is refused.
    """

    __module__ = "torch._subclasses.fake_tensor"

    def __init__(
        self, *, allow_fallback_kernels: bool = True, allow_non_fake_inputs: bool = False,
        shape_env: Any = None, static_shapes: bool | None = None, export: bool = False,
    ) -> None:  # fmt: skip
        super().__init__()
        if shape_env is not None and type(shape_env).__name__ != "ShapeEnv":
            raise NotImplementedError(
                "torch._subclasses.FakeTensorMode with a shape_env: sizes are plain numbers"
            )
        self.allow_fallback_kernels = allow_fallback_kernels
        self.allow_non_fake_inputs = allow_non_fake_inputs
        self.allow_meta = True
        self.shape_env = shape_env
        self.static_shapes = shape_env is None if static_shapes is None else static_shapes
        self.export = export
        self.in_kernel_invocation = False
        self.fake_tensor_converter = FakeTensorConverter(export=export)

    @classmethod
    def is_infra_mode(cls) -> bool:
        return True

    def from_tensor(self, tensor: Any, **options: Any) -> Any:
        """The fake tensor for a real one; a fake tensor of this mode itself."""
        if is_fake(tensor):
            if tensor.fake_mode is not self:
                raise AssertionError("Mixing fake modes NYI")
            return tensor
        return self.fake_tensor_converter.from_real_tensor(self, tensor, **options)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """An operator's result, fake: that of its row on arrays without numbers."""
        kwargs = dict(kwargs or {})
        given = list(_tensors(args, kwargs))
        if func is ops.aten.lift_fresh.default:
            return self._written_down(args[0])
        if func is ops.aten._local_scalar_dense.default:
            if not is_fake(args[0]):
                return func(*args)
            raise DataDependentOutputException(func)
        for each in given:
            if is_fake(each) and each.fake_mode is not self:
                raise AssertionError(
                    f"Mixing fake modes NYI x.fake_mode={each.fake_mode} vs self={self}"
                )
        if any(not is_fake(each) and each.dim() for each in given):
            shown = args
            args = self._converted(func, args, shown)
            kwargs = self._converted(func, kwargs, shown)
            given = list(_tensors(args, kwargs))
        place = kwargs.get("device")
        if given and func._opname.startswith("new_"):
            place = place or given[0].device
        if place is not None or (not given and _takes_device(func)):
            result = self._made_on(place, func, args, kwargs, given)
        else:
            result = func(*args, **kwargs)
        if given:
            self._written_on(func, args, kwargs, given, result)
        return result

    def _written_on(self, func: Any, args: Any, kwargs: Any, given: Any, result: Any) -> None:
        """Keeps the numbers that follow from those that a program wrote down."""
        writes = func._opname.endswith("_")
        given = [each for each in given if is_fake(each)]
        if given and all(each.constant is not None for each in given):
            constants = _constants(args), _constants(kwargs)
            with _without(FakeTensorMode):
                found = func(*constants[0], **constants[1])
            if is_fake(result) and isinstance(found, TensorBase) and found.numel() <= _CONSTANT:
                result.constant = found
        elif writes and is_fake(args[0]):
            args[0].constant = None

    def _made_on(self, place: Any, func: Any, args: Any, kwargs: Any, given: Any) -> Any:
        """The result of an operator that creates tensors, on the device that it is given."""
        place = _place(place or devices.get_default_device())
        if func is ops.aten._to_copy.default:
            rest = {name: value for name, value in kwargs.items() if name != "device"}
            if type(given[0]._array) is array_class(place):
                return func(*args, **rest)
            return laid_out(func(*args, **rest)._array.moved(place))
        kwargs["device"] = devices.device("meta")
        return _of_geometry(func(*args, **kwargs), place, self)

    def _written_down(self, made: Any) -> Any:
        """The fake tensor for one whose numbers a program wrote down."""
        if is_fake(made):
            return made
        found = _of_geometry(made, made.device, self)
        found.constant = made if made.numel() <= _CONSTANT else None
        return found

    def _converted(self, func: Any, value: Any, given: Any) -> Any:
        """Arguments whose real tensors are fake. AssertionError with torch's text if they are not
        allowed."""
        if isinstance(value, TensorBase) and not is_fake(value) and value.dim():
            if not self.allow_non_fake_inputs:
                with _without(FakeTensorMode):
                    raise AssertionError(
                        "Please convert all Tensors to FakeTensors first or instantiate "
                        f"FakeTensorMode with 'allow_non_fake_inputs'. Found in {func}"
                        f"({', '.join(map(_brief, given))})"
                    )
            return self.from_tensor(value)
        if isinstance(value, dict):
            return {name: self._converted(func, each, given) for name, each in value.items()}
        if type(value) in (list, tuple):
            return type(value)([self._converted(func, each, given) for each in value])
        return value


def _constants(value: Any) -> Any:
    """Arguments with the tensors that the fake ones were made from."""
    if is_fake(value):
        return value.constant
    if isinstance(value, dict):
        return {name: _constants(each) for name, each in value.items()}
    return type(value)(map(_constants, value)) if type(value) in (list, tuple) else value


def _brief(value: Any) -> str:
    """An argument as an error shows it."""
    if not isinstance(value, TensorBase) or is_fake(value):
        return repr(value)
    with _without(FakeTensorMode):
        content = repr(value)[7:-1] if not value.dim() else "[...]"
    return f"tensor({content}, size={tuple(value.shape)})"


_CONSTANT = 1 << 14  # elements of a tensor whose numbers are kept


BECOME.append(_stands)


@contextmanager
def _without(kind: Any) -> Iterator[Any]:
    modes = STACK.get()
    stack = STACK.set(tuple([each for each in modes if not isinstance(each, kind)]))
    try:
        yield next((each for each in reversed(modes) if isinstance(each, kind)), None)
    finally:
        STACK.reset(stack)


def unset_fake_temporarily() -> Any:
    """A block in which no FakeTensorMode is active; it gets the one that was."""
    return _without(FakeTensorMode)


def is_fake(x: Any) -> bool:
    """Whether `x` is a fake tensor."""
    return isinstance(x, TensorBase) and isinstance(x._array, FakeArray)


def maybe_get_fake_mode(t: Any) -> Any:
    """The mode of a fake tensor; None for anything else."""
    return t.fake_mode if is_fake(t) else None


__getattr__, __dir__ = outlines.rest_of("torch._subclasses.fake_tensor")

"""Between tensors and the rest of Python: NumPy, legacy types and constructors, storage, copies."""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.core.arrays import layout, namespace, on_device, on_numpy
from minitorch.core.arrays.from_data import array_from_data
from minitorch.core.arrays.lazy import bits_of, raw_of
from minitorch.core.arrays.missing import NO_DATA, is_numberless
from minitorch.core.base.fields import (
    LEAF,
    TensorBase,
    laid_out,
    plain,
    tensor,
    tensor_class,
)
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import recording
from minitorch.core.determinism import FILLING, fill
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.device import device
from minitorch.core.numbers.size import Size
from minitorch.core.warning import warn, warn_once

_DTYPES = {each.scalar_name: each.name for each in dtypes.DTYPES}


def wrap_dim(dim: int, rank: int) -> int:
    """`dim` counted from the front. IndexError with torch's text outside [-rank, rank - 1]."""
    if -rank <= dim < rank:
        return dim + rank if dim < 0 else dim
    low, high = (-1, 0) if rank == 0 else (-rank, rank - 1)
    if not low <= dim <= high:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{low}, {high}], but got {dim})"
        )
    return dim + max(rank, 1) if dim < 0 else dim


def entry_of(sizes: tuple[int, ...], dim: int) -> int:
    """The entry of `sizes`, or strides, for `dim`. IndexError with torch's text if it has none."""
    if not sizes:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return sizes[wrap_dim(dim, len(sizes))]


def type_name(self: Any) -> str:
    """The legacy type's name: 'torch.FloatTensor', 'torch.cuda.LongTensor'."""
    kind = self.device.type
    return f"torch.{'' if kind == 'cpu' else f'{kind}.'}{self.dtype.scalar_name}Tensor"


# Dtypes with a legacy type, from the time before dtypes.
_OLD = frozenset("float32 float64 float16 uint8 int8 int16 int32 int64".split())


def native_type_name(self: Any) -> str:
    """The type's name in errors of the C++ library: torch.FloatTensor, but CPUComplexFloatType and
    MetaFloatType."""
    kind = self.device.type
    if self.dtype.name in _OLD and kind != "meta":
        return type_name(self)
    return f"{kind.capitalize() if kind == 'meta' else kind.upper()}{self.dtype.scalar_name}Type"


def dtype_of_type(kind: Any) -> Any:
    """The dtype that a legacy type, its name, or a dtype stands for."""
    if type(kind) is dtypes.dtype:
        return kind
    if isinstance(kind, str):
        name = kind.removeprefix("torch.").removesuffix("Tensor")
        if name == "" and kind == "torch.Tensor":
            return dtypes.get_default_dtype()
        if kind.startswith("torch.") and name in _DTYPES:
            return dtypes.by_name(_DTYPES[name])
        raise ValueError(f"invalid type: '{kind}'")
    dtype = getattr(kind, "dtype", None)
    if type(dtype) is dtypes.dtype and isinstance(kind, type):
        return dtype
    if kind is tensor_class():
        return dtypes.get_default_dtype()
    if isinstance(kind, type):
        raise ValueError(f"invalid type: '{kind.__name__}'")
    raise TypeError("dtype must be a type, str, or dtype object")


def empty_tensor() -> Any:
    """A tensor of the default dtype with shape (0,)."""
    return plain(numpy.empty(0, dtypes.get_default_dtype().numpy))


# The errors of the constructors (True) and of x.new (False) for a tensor beside device=.
_TENSOR_AND_DEVICE = {
    True: "Legacy tensor constructor of the form torch.Tensor(tensor, device=device) is not "
    "supported.  Use torch.tensor(...) or torch.as_tensor(...) instead.",
    False: "Legacy tensor new of the form tensor.new(tensor, device=device) is not supported.  "
    "Use torch.as_tensor(...) instead.",
}


def legacy_constructor(dtype: Any, home: str | None, /, *args: Any, **kwargs: Any) -> Any:
    """The tensor of `torch.Tensor(...)`, `torch.FloatTensor(...)` or `x.new(...)`: sizes, or data.

    dtype: the dtype of the type; None for torch.Tensor, which takes a tensor of any dtype.
    home: the type of the device of `x` in `x.new(...)`; None for the constructors.
    As torch/csrc/utils/tensor_new.cpp.
    """
    kind = dtypes.get_default_dtype() if dtype is None else dtype
    asked = "device" in kwargs
    place = kwargs.pop("device", None)
    for name in kwargs:
        if args or len(kwargs) > 1 or name not in ("data", "size", "other", "storage"):
            raise TypeError(f"new() got an unexpected keyword argument '{name}'")
        args = (kwargs[name],)
    if asked and not (len(args) == 1 and isinstance(args[0], TensorBase)):
        _check_device(place, home or "cpu")
    if len(args) != 1 or type(args[0]) is int:
        return plain(_unwritten(_legacy_shape(args) if args else (0,), kind))
    data = args[0]
    if isinstance(data, TensorBase):
        if asked:
            raise RuntimeError(_TENSOR_AND_DEVICE[home is None])
        _check_type(dtype, data, home or "cpu")
        return OPS.alias(data)
    if type(data).__name__ in ("TypedStorage", "UntypedStorage") or hasattr(
        data, "_untyped_storage"
    ):
        return _of_storage(data, dtype, kind, home)
    if hasattr(type(data), "__torch_function__"):  # torch's parser accepts it for any argument
        raise RuntimeError(f"not a storage '{type(data).__name__}'")
    if type(data) is Size or "size" in kwargs:
        return plain(_unwritten(_legacy_shape(data), kind))
    if not isinstance(data, str) and not hasattr(data, "__len__"):
        raise TypeError(f"new(): data must be a sequence (got {type(data).__name__})")
    return plain(array_from_data(data, kind.numpy, kind.numpy))


def _check_device(asked: Any, home: str) -> None:
    """Raises RuntimeError for a device of another type than the constructor's."""
    if asked is not None and (wanted := device(asked).type) != home:
        raise RuntimeError(
            f"legacy constructor expects device type: {home} but device type: {wanted} was passed"
        )


def _check_type(dtype: Any, data: Any, home: str) -> None:
    """Raises TypeError for a tensor of another dtype or device than the constructor's."""
    if dtype is None:
        return
    place = data.device.type
    if data.dtype is not dtype or place != home:
        raise TypeError(f"expected {_options(dtype, home)} (got {_options(data.dtype, place)})")


def _of_storage(data: Any, dtype: Any, kind: Any, home: str | None) -> Any:
    """A tensor of all numbers of a storage. torch.Tensor, which has no dtype, takes any storage's
    dtype."""
    found = getattr(data, "dtype", None)
    if dtype is not None and found is not None and found is not dtype:
        raise RuntimeError(
            f"Expected a Storage of type {dtype.scalar_name} or an UntypedStorage, but got type "
            f"{found.scalar_name} for argument 1 'storage'"
        )
    empty = plain(on_device(home or "cpu").empty(0, kind.numpy))
    return empty.set_(getattr(data, "_untyped_storage", data))


def _unwritten(shape: tuple[int, ...], dtype: Any) -> Any:
    x = on_numpy.empty(shape, dtype.numpy)
    if FILLING:
        fill(x)
    return x


def _legacy_shape(sizes: Any) -> tuple[int, ...]:
    for i, size in enumerate(sizes):
        if not hasattr(size, "__index__"):
            raise TypeError(
                f"new(): argument 'size' failed to unpack the object at pos {i + 1} with error "
                f'"type must be tuple of ints,but got {type(size).__name__}"'
            )
        if size < 0:
            raise RuntimeError(
                f"Trying to create tensor with negative dimension {size}: {list(sizes)}"
            )
    return tuple([int(size) for size in sizes])


def _options(dtype: Any, place: str) -> str:
    return (
        f"TensorOptions(dtype={dtype.c_name}, device={place}, layout=Strided, requires_grad=false "
        "(default), pinned_memory=false (default), memory_format=(nullopt))"
    )


def to_numpy(self: Any, force: bool) -> Any:
    """A NumPy array over the memory of a tensor. RuntimeError or TypeError if torch refuses it.

    force: whether a tensor that requires grad, lies on a device or is a conjugate is converted, not
        refused.
    """
    x = self._array
    xp = namespace(x)
    if force:
        if is_numberless(x):
            raise NotImplementedError(NO_DATA)
        return xp.to_numpy(x).view()
    if xp.device_type != "cpu":
        place = "meta" if xp.device_type == "meta" else "cuda:0"
        raise TypeError(
            f"can't convert {place} device type tensor to numpy. Use Tensor.cpu() to copy the "
            "tensor to host memory first."
        )
    if recording() and self.requires_grad:
        raise RuntimeError(
            "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead."
        )
    check_storage(self)
    if x.dtype.kind == "V" and x.dtype.name == "bfloat16":  # the name takes 1.5 us
        raise TypeError("Got unsupported ScalarType BFloat16")
    if x.dtype.names:
        raise TypeError(f"Got unsupported ScalarType {dtypes.of(x).scalar_name}")
    for bit, name, part in zip(bits_of(x), ("conjugate", "negative"), ("conj", "neg"), strict=True):
        if bit:
            raise RuntimeError(
                f"Can't call numpy() on Tensor that has {name} bit set. Use "
                f"tensor.resolve_{part}().numpy() instead."
            )
    return on_numpy.as_array(x).view()  # its shape and flags can be set apart from this tensor's


def check_storage(self: Any) -> None:
    """Raises RuntimeError for the memory of a tensor of a function transform."""
    if self._level is not None:
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")


def refuse_storage(self: Any) -> None:
    """Raises NotImplementedError for the storage of a tensor of a function transform."""
    if self._level is not None:
        raise NotImplementedError(f"Cannot access storage of {self._level.wrapper}")


def transformed(call: str, also: str = "") -> RuntimeError:
    """The error for a call that a transformed function must not make."""
    return RuntimeError(
        f"You are attempting to call Tensor.{call}{also} inside of a function being transformed by "
        "a functorch transform. This is unsupported, please attempt to use the functorch "
        f"transforms (e.g. grad, vjp, jacrev, jacfwd, hessian) or call {call} outside of a "
        "function being transformed instead."
    )


def check_one_element(self: Any) -> None:
    """Raises ValueError for float(tensor) and the like unless there is one element."""
    if self._array.size != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")


def check_detached(self: Any) -> None:
    """Warns, once, if a number is made of a tensor that requires grad while calls are recorded."""
    if recording() and self.requires_grad:
        warn_once(
            "Converting a tensor with requires_grad=True to a scalar may lead to unexpected "
            "behavior.\nConsider using tensor.detach() first.",
        )


def real_element(self: Any, kind: str) -> Any:
    """The only element as a real number. RuntimeError with torch's text if it is not real.

    kind: the wanted type in C.
    """
    check_one_element(self)
    number = self.item()
    if not isinstance(number, complex):
        return number
    if number.imag:
        raise RuntimeError(f"value cannot be converted to type {kind} without overflow")
    return number.real


def warn_grad_of_non_leaf() -> None:
    """Warns when .grad of a tensor that keeps none is read."""
    warn(
        "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad "
        "attribute won't be populated during autograd.backward(). If you indeed want the .grad "
        "field to be populated for a non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. "
        "If you access the non-leaf Tensor by mistake, make sure you access the leaf Tensor "
        "instead. See github.com/pytorch/pytorch/pull/30531 for more information."
    )


def check_assigned_grad(self: Any, grad: Any) -> None:
    """Raises torch's RuntimeError or TypeError for a .grad that does not fit."""
    if grad is None:
        return
    if not isinstance(grad, TensorBase):
        raise TypeError(
            f"assigned grad expected to be a Tensor or None but got grad of type "
            f"{type(grad).__name__}"
        )
    if grad is self:
        raise RuntimeError("can't assign Variable as its own grad")
    if grad._array.dtype != self._array.dtype:
        raise RuntimeError(
            "attempting to assign a gradient with dtype "
            f"'{dtypes.of(grad._array).c_name}' to a tensor with grad_dtype "
            f"'{dtypes.of(self._array).scalar_name}'. The gradient must match the tensor's "
            "grad_dtype (defaults to the tensor's dtype). You can set the tensor's grad_dtype "
            "attribute with a specific dtype, or None to allow any dtype. Set grad_dtype with "
            "caution. Diverging the dtypes of a tensor and its gradient may break downstream "
            "systems that assume they "
            "match."
        )
    if type(grad._array) is not type(self._array):
        _check_kind_of_grad(self, grad)
    if grad._array.shape != self._array.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(grad._array.shape)}' to a tensor of "
            f"size '{list(self._array.shape)}'. Please ensure that the gradient and the tensor are "
            "the same size"
        )


def _check_kind_of_grad(self: Any, grad: Any) -> None:
    """Raises RuntimeError for a gradient on another device, or of another layout but sparse COO."""
    there, here = grad.device, self.device
    if there.type != here.type:
        raise RuntimeError(
            f"attempting to assign a gradient with device type '{there.type}' to a tensor with "
            f"device type '{here.type}'. Please ensure that the gradient and the tensor are on "
            "the same device"
        )
    if grad.layout is not self.layout and not grad.is_sparse:
        raise RuntimeError(
            "attempting to assign a gradient to a tensor that has data of a different type"
        )


def check_assigned_data(self: Any, other: Any) -> None:
    """Raises TypeError for a .data that is no tensor, RuntimeError for one that does not fit."""
    if not isinstance(other, TensorBase):
        raise TypeError(f"Variable data has to be a tensor, but got {type(other).__name__}")
    if type(self._array) is not type(other._array) and not has_memory_of_a_kind(self, other):
        raise RuntimeError(
            "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have "
            "incompatible tensor type."
        )
    if self._edge is not None and other._array.dtype.kind not in "fcV":
        raise RuntimeError(
            "data set to a tensor that requires gradients must be floating point or complex dtype"
        )


def has_memory_of_a_kind(input: Any, from_: Any) -> bool:
    """Whether the memory of one tensor can replace another's.

    True for dense tensors of all devices but meta, and for tensors of the same sparse or nested
    layout; all compressed layouts count as one. As TensorImpl::has_compatible_shallow_copy_type.
    """
    return _kind_of_memory(input) == _kind_of_memory(from_)


def _kind_of_memory(x: Any) -> tuple[bool, bool, str]:
    layout = repr(x.layout)
    if layout.startswith("torch.sparse") and layout != "torch.sparse_coo":
        layout = "compressed"
    return is_numberless(x._array), x.is_nested, layout


def check_copyable(self: Any) -> None:
    """Raises RuntimeError for a subclass that torch cannot copy."""
    kind = type(self)
    if kind._watched and type(self.new_empty([])) is not kind:
        raise RuntimeError(
            "The default implementation of __deepcopy__() for non-wrapper subclasses only works "
            "for subclass types that implement new_empty() and for which that function returns "
            "another instance of the same subclass. You should either properly implement "
            "new_empty() for your subclass or override __deepcopy__() if it is intended behavior "
            "for new_empty() to return an instance of a different type."
        )


def deepcopy(self: Any, memo: dict[int, Any]) -> Any:
    """A copy with its own memory; storages shared inside the copied object stay shared."""
    refuse_storage(self)
    if not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
            "protocol at the moment.  If you were attempting to deepcopy a module, this may be "
            "because of a torch.nn.utils.weight_norm usage, see "
            "https://github.com/pytorch/pytorch/pull/103001"
        )
    if id(self) in memo:
        return memo[id(self)]
    check_copyable(self)
    x = raw_of(self._array)
    xp = namespace(x)
    owner = xp.storage(x)
    key = id(owner.data.mem if xp.device_type == "cuda" else owner)
    copied = memo.get(key)
    if copied is None:
        copied = memo[key] = owner.copy(order="K")
        memo[id(copied)] = owner  # keeps the id of the original storage taken
    memory = copied if x.dtype == owner.dtype else copied.view(x.dtype)
    result = laid_out(xp.strided(memory, x.shape, x.strides, xp.pointer(x) - xp.pointer(owner)))
    result._cell = [1]  # torch makes an empty tensor and sets its storage
    conjugated, negated = bits_of(self._array)
    result = OPS.conj_physical(result) if conjugated else result
    result = OPS.neg(result) if negated else result
    if type(self) is not tensor_class():
        result = result._of_class(type(self))
    if self.requires_grad:
        result._edge = LEAF
    if self._grad is not None:
        result.grad = deepcopy(self._grad, memo)
    for name, value in self.__dict__.items():
        if not name.startswith("_"):
            import copy

            result.__dict__[name] = copy.deepcopy(value, memo)
    memo[id(self)] = result
    return result


def from_array(x: Any) -> Any:
    """A Tensor over the memory of a NumPy array, whose dtype becomes NumPy's own singleton."""
    dtype = dtypes.of(x).numpy
    if x.dtype is not dtype:
        x = x.view(dtype)
    if not x.size and x.ndim and not any(x.strides):
        x = on_numpy.strided(x, x.shape, layout.repeated((0,) * x.ndim))
    return tensor(x) if type(x) is numpy.ndarray else tensor(numpy.asarray(x))

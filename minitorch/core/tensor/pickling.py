"""Pickling and shallow copies of tensors: the parts of a tensor, and a tensor from its parts.

The memory is pickled as the NumPy array that owns it. A pickle holds it once for any number of
tensors: views in one pickle share memory again after loading.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch.core.arrays import cuda, layout, meta, namespace, on_numpy, retyped
from minitorch.core.arrays.missing import is_numberless
from minitorch.core.base.fields import LEAF, laid_out, tensor, version_of
from minitorch.core.graph.hooks import warn_if_has_hooks
from minitorch.core.numbers import dtype as dtypes

# The function that pickles tensors as torch's, once minitorch stands for torch: reduce_tensor of
# public_pickling.
PUBLIC: list[Callable[[Any], tuple[Any, ...]]] = []


def reduce_tensor(self: Any) -> tuple[Any, ...]:
    """The result of `Tensor.__reduce_ex__`: a function and its arguments that rebuild the tensor.

    The graph is not pickled: a tensor that required grad is loaded as a leaf that requires grad.
    The hooks and .grad are not pickled either, as in torch.
    """
    warn_if_has_hooks(self)
    if PUBLIC:
        return PUBLIC[0](self)
    x = self._array
    if is_numberless(x) and type(self).__module__ == "torch":
        strides = layout.strides_of(x)
        return rebuild_meta, (self.dtype, x.shape, strides, self.requires_grad)
    xp = namespace(x)
    edge = None if self._edge is None else self.requires_grad
    extra = {name: value for name, value in self.__dict__.items() if not name.startswith("_")}
    arguments = (*_memory(xp, x), dtypes.of(x), self.device, bool(edge))
    plainly = type(self).__module__ == "torch" and type(self).__name__ == "Tensor"
    if plainly and not extra:
        return rebuild_tensor, arguments
    return rebuild_subclass, (None if plainly else type(self), arguments, extra)


def _memory(xp: Any, x: Any) -> tuple[Any, tuple[int, ...], tuple[int, ...], int]:
    """The array that owns the memory of `x`, and the shape, strides and offset, in bytes, in it."""
    if xp is on_numpy:
        owner = xp.storage(x)
        if owner.flags.writeable:
            whole = owner if owner.flags.forc else layout.memory_of(owner)  # NumPy keeps that alone
            return whole, x.shape, x.strides, xp.pointer(x) - xp.pointer(owner)
    if xp.device_type == "cuda":
        whole = xp.storage(x)
        return xp.to_numpy(whole), x.shape, x.strides, xp.pointer(x) - xp.pointer(whole)
    # Memory that is borrowed: its numbers are pickled, laid out as a fresh tensor.
    copied = xp.to_numpy(x).copy(order="C")
    strides = tuple([stride * x.itemsize for stride in layout.contiguous_strides(x.shape)])
    return copied, x.shape, strides, 0


def rebuild_tensor(
    owner: Any,
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    offset: int,
    dtype: Any,
    device: Any,
    requires_grad: bool,
) -> Any:
    """The tensor with these strides and offset, in bytes, in the memory of the array `owner`."""
    x = owner
    if device.type == "cuda":
        xp, size = cuda(), dtype.itemsize
        memory = xp.asarray(layout.memory_of(owner).view("u1"))
        memory = retyped(memory[: memory.size // size * size], dtype.numpy)
        if memory.size:
            x = xp.strided(memory, shape, strides, offset)
        else:
            x = xp.empty_strided(shape, [step // size for step in strides], dtype.numpy)
    elif x.shape != shape or x.strides != strides or offset or x.dtype is not dtype.numpy:
        # As bytes in the order of memory, which can be read with any dtype and geometry.
        flat = layout.memory_of(owner).view("u1")
        x = on_numpy.ndarray(shape, dtype.numpy, flat, offset, strides)
    result = tensor(x, LEAF if requires_grad else None)
    version_of(result)[0] = 1  # torch makes an empty tensor and sets its storage
    return result


def rebuild_meta(
    dtype: Any, size: tuple[int, ...], stride: tuple[int, ...], requires_grad: bool
) -> Any:
    """The meta tensor of this dtype, shape and strides; a leaf if it requires grad."""
    x = meta().empty_strided(tuple(size), tuple(stride), dtype.numpy)
    return laid_out(x, LEAF if requires_grad else None)


def rebuild_subclass(kind: Any, arguments: tuple[Any, ...], extra: dict[str, Any]) -> Any:
    """The tensor of a pickled subclass (None: Tensor), with the attributes that a user set."""
    result = rebuild_tensor(*arguments)
    if kind is not None:
        result = result._of_class(kind)
        result.requires_grad_(arguments[-1])
    result.__dict__.update(extra)
    return result

"""Attributes of tensors that few programs use, and attributes of features that are missing."""

from __future__ import annotations

from typing import Any, NoReturn

from minitorch.core.base.modes import GradMode
from minitorch.core.declare.families import composite
from minitorch.core.declare.protocols.mode_stack import classes_off
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.tensor import Tensor

METHOD = ("method",)


def _grad_dtype(self: Any) -> Any:
    """The dtype that the gradient of a leaf has: the leaf's own."""
    if not self.is_leaf:
        raise RuntimeError("grad_dtype can only be accessed on leaf tensors.")
    return self.dtype


def _set_grad_dtype(self: Any, value: Any) -> None:
    if value is not None and not isinstance(value, dtypes.dtype):
        raise RuntimeError(
            f"grad_dtype must be a torch.dtype or None, but got {type(value).__name__}"
        )
    if not self.is_leaf:
        _ = self.grad  # which warns, as in torch
        raise RuntimeError("grad_dtype can only be set on leaf tensors.")
    if value is self.dtype:
        return
    if value is not None and self.grad is not None:
        raise RuntimeError(
            f"Cannot set grad_dtype to '{value.scalar_name}' because there is already a gradient "
            f"with dtype '{self.grad.dtype.c_name}'. Please clear the gradient (.grad = None) "
            "before changing grad_dtype, or ensure the new grad_dtype matches the existing "
            "gradient's dtype."
        )
    raise NotImplementedError("torch.Tensor.grad_dtype other than the dtype of the tensor")


def _cuda_array_interface(self: Any) -> Any:
    """The description of a GPU's memory for other libraries. AttributeError on the CPU."""
    if not self.is_cuda:
        raise AttributeError(
            f"Can't get __cuda_array_interface__ on non-CUDA tensor type: {self.type()} If CUDA "
            "data is required use tensor.cuda() to copy tensor to device memory."
        )
    return self._array.__cuda_array_interface__


def _cdata(self: Any) -> int:
    """A number that no other living tensor has. In torch the address of its C++ object."""
    return id(self)


def _grad_fn(self: Any) -> Any:
    """The node of the operator that made this tensor, which None replaces: it then is a leaf."""
    return self.grad_fn


def _set_grad_fn(self: Any, node: Any) -> None:
    if node is not None:
        raise RuntimeError("_grad_fn can be only set to None")
    self.detach_()


def _delete_grad_fn(self: Any) -> NoReturn:
    raise RuntimeError("Deletion of _grad_fn not allowed. Detach tensor instead!")


Tensor._grad_fn = property(_grad_fn, _set_grad_fn, _delete_grad_fn)
Tensor._cdata = property(_cdata)
Tensor.grad_dtype = property(_grad_dtype, _set_grad_dtype)
Tensor.__cuda_array_interface__ = property(_cuda_array_interface)


def _index(self: Any, positions: Any, dims: Any) -> NoReturn:
    """Refuses: it binds the dimensions of functorch.dim, which are objects of a C++ library."""
    raise NotImplementedError("torch.Tensor.index is not implemented by minitorch")


_index.__name__, _index.__qualname__ = "index", "Tensor.index"
Tensor.index = _index  # not an operator: torch.ops.aten.index is another thing


@composite("to_mkldnn", on=METHOD)
def to_mkldnn(self: Any, dtype: Any = None) -> NoReturn:
    """Refuses: only oneDNN reads the layout that it makes."""
    raise NotImplementedError("torch.Tensor.to_mkldnn is not implemented by minitorch")


def _setstate(self: Any, state: Any) -> None:
    """Takes over what older pickles of tensors say of them, four to five items, or three of its
    gradient: whether it is required, nothing, and the hooks. As Tensor.__setstate__."""
    if not self.is_leaf:
        raise RuntimeError("__setstate__ can be only called on leaf Tensors")
    if len(state) == 4:
        self.set_(*state)
        return
    if len(state) == 5:
        self.data = state[0]
        state = (state[3], state[4], state[2])
    self.requires_grad, _, self._backward_hooks = state


_setstate.__name__, _setstate.__qualname__ = "__setstate__", "Tensor.__setstate__"
Tensor.__setstate__ = _setstate


def _disabled_torch_dispatch_impl(*given: Any) -> Any:
    """The result of an operator as if no class took its calls over.

    given: the operator, the types, and if there are any, its arguments and those by name.
    """
    if not 2 <= len(given) <= 4:
        few = len(given) < 2
        bound = "at least 2" if few else "at most 4"
        raise TypeError(f"function takes {bound} arguments ({len(given)} given)")
    func, _, args, kwargs = (*given, *((), None)[len(given) - 2 :])
    token = classes_off.set(True)
    try:
        # torch leaves the layer of gradients out as well: it is above classes.
        with GradMode(False):
            return func(*args, **(kwargs or {}))
    finally:
        classes_off.reset(token)


# The method that a class inherits if it takes no calls over.
Tensor.__torch_dispatch__ = staticmethod(_disabled_torch_dispatch_impl)

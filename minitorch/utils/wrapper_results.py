"""Results of classes that compute by themselves: helpers of torch.utils._python_dispatch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol


class TensorWithFlatten(Protocol):
    """A tensor that holds others, and tells of them."""

    def __tensor_flatten__(self) -> tuple[Sequence[str], object]: ...

    @staticmethod
    def __tensor_unflatten__(
        inner_tensors: Any, flatten_spec: Any, outer_size: Any, outer_stride: Any
    ) -> Any: ...


def transform_subclass(
    t: Any,
    callback: Callable[[str, Any], Any],
    outer_size: Any = None,
    outer_stride: Any = None,
) -> Any:
    """A tensor like `t` that holds what `callback` makes of each tensor that `t` holds.

    callback: gets the attribute's name and the tensor. outer_size, outer_stride: the geometry of
    the result; that of `t` if None. AssertionError if __tensor_unflatten__ makes another.
    """
    size = t.size() if outer_size is None else outer_size
    stride = t.stride() if outer_stride is None else outer_stride
    names, context = t.__tensor_flatten__()
    held = {name: callback(name, getattr(t, name)) for name in names}
    made = type(t).__tensor_unflatten__(held, context, size, stride)
    for what, wanted, found in (
        ("shape", size, made.size()),
        ("strides", stride, made.stride()),
    ):
        if tuple(found) != tuple(wanted):
            raise AssertionError(
                f"Expected return value from {type(t)}__tensor_unflatten__() to have {what} equal "
                f"to {wanted}, but got: {found}"
            )
    return made


def return_and_correct_aliasing(func: Any, args: Any, kwargs: Any, out: Any) -> Any:
    """The result of a __torch_dispatch__ for an operator for which it computed `out`.

    For an operator that writes an argument, that argument. A view is `out`: instances of
    such classes have no memory of their own that could be shared.
    """
    name = func._opname
    if name.endswith("_") and not name.endswith("__"):
        return args[0] if args else kwargs["self"]
    return kwargs.get("out", out)

"""Copies of views, in memory of their own: permute_copy, select_copy and the like.

Each row is the view's, except that its forward copies.
"""

from __future__ import annotations

import functools
from typing import Any

from minitorch.aten.shape.slicing import start_of
from minitorch.core.arrays import layout, namespace
from minitorch.core.declare.families import composite, not_differentiable, operator
from minitorch.core.declare.out import BEFORE_DTYPE, EXACT, NEVER, SILENT, Out, exactly
from minitorch.core.declare.registry import ROWS
from minitorch.core.declare.row import LINEAR
from minitorch.core.declare.vmap import WARNS, VMap
from minitorch.core.tensor.conversion import wrap_dim

FUNCTION = ("function",)
# Views whose copies are not in torch's list of derivatives of complex results.
_OF_REAL_NUMBERS = ("select_int", "slice_Tensor", "view_as_complex")


# Autograd does not know the out= forms, which take the shape of the result before its dtype.
_COPY = Out(EXACT, shaped=BEFORE_DTYPE, autograd=False)


def _copying(forward: Any) -> Any:
    """The forward of a view, then a copy of its elements."""

    @functools.wraps(forward)
    def copied(*args: Any) -> Any:
        shown = forward(*args)
        return [_copy(x) for x in shown] if isinstance(shown, (list, tuple)) else _copy(shown)

    return copied


def _copy(self: Any) -> Any:
    return namespace(self).as_array(self.copy())


def _copy_of(
    key: str,
    on: tuple[str, ...] = FUNCTION,
    forward: Any = None,
    result: Any = None,
    out: Out = _COPY,
    vmap: VMap | None = None,
) -> Any:
    """Declares `name_copy` for the view with this key."""
    row = ROWS[key]
    schema = row.schema.text.replace("(a)", "").replace("(a -> *)", "")
    return operator(
        schema.replace(row.schema.name, f"{row.schema.name}_copy", 1),
        node=f"{row.node}_copy",
        forward=_copying(forward or row.forward),
        result=result or row.result,
        variants=("out",),
        on=on,
        real_gradients=key in _OF_REAL_NUMBERS,
        vmap=vmap,
        out=out,
        **row.formulas,
    )


for _key in "alias expand unfold".split():
    _copy_of(_key)
_copy_of("as_strided", vmap=VMap("as_strided"))
for _key in (
    "permute select_int slice_Tensor t transpose_int unsqueeze view_as_complex view_as_real"
).split():
    _copy_of(_key, vmap=WARNS)
_LIST = Out(EXACT, shaped=BEFORE_DTYPE, takes_grad=True)  # drops the history of its input
_copy_of(
    "split_Tensor",
    out=_LIST.but(list_name="split_copy_Tensor_out()", resize=NEVER),
)
_copy_of("split_with_sizes", out=_LIST.but(list_name="split_with_sizes_copy_out"))
_copy_of("unbind_int", out=Out(EXACT, list_name="unbind_copy_int_out", takes_history=True))


def _reshaped(self: Any, size: Any) -> Any:
    """The elements in order, in the shape of a view."""
    return self.reshape(layout.infer_size(size, self.size))


_view_copy = _copy_of(
    "view", ("F",), forward=_reshaped, result=lambda F, self_t, size: F.view(self_t, size)
)


@composite("view_copy", on=FUNCTION, out=_COPY)
def view_copy(input: Any, size: Any = None, *, dtype: Any = None) -> Any:
    """A copy of the numbers in another shape, or read as another dtype."""
    if dtype is not None and size is not None:
        raise TypeError  # worded by the signatures
    if dtype is not None or not hasattr(size, "__len__"):
        return input.view(size if dtype is None else dtype).clone()
    return _view_copy(input, tuple(size))


_squeeze_all, _squeeze_dim, _squeeze_dims = (
    _copy_of(key, ("F",)) for key in ("squeeze", "squeeze_dim", "squeeze_dims")
)


def _of_dims(input: Any, dim: Any = None) -> str:
    """The overload of squeeze_copy for some dimensions, one, or all of them."""
    return "" if dim is None else "dims" if isinstance(dim, (list, tuple)) else "dim"


@composite(
    "squeeze_copy",
    on=FUNCTION,
    out=_COPY,
    vmap=VMap("warned", overload=_of_dims),
)
def squeeze_copy(input: Any, dim: Any = None) -> Any:
    """A copy without dimensions of size 1: without all, one or several of them."""
    if dim is None:
        return _squeeze_all(input)
    return _squeeze_dim(input, dim) if isinstance(dim, int) else _squeeze_dims(input, dim)


detach_copy = operator(
    "detach_copy(Tensor self) -> Tensor",
    node="NotImplemented",
    forward=_copy,
    self=not_differentiable("detach_copy"),
    variants=("out",),
    on=FUNCTION,
    out=_COPY,
)


def _narrow_forward(self: Any, dim: int, start: int, length: int) -> Any:
    shape = self.shape
    if not shape:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if dim >= len(shape):
        raise RuntimeError(
            "Expected dim < static_cast<int64_t>(self_sizes.size()) to be true, but got false.  "
            "(Could this error message be improved?  If so, please report an enhancement request "
            "to PyTorch.)"
        )
    start = start_of(shape, dim, start, length)
    if length < 0:
        raise RuntimeError(
            f"start ({start}) + length ({length}) exceeds dimension size ({shape[dim]})."
        )
    at = (slice(None),) * wrap_dim(dim, len(shape))
    return _copy(self[(*at, slice(start, start + length))])


narrow_copy = operator(
    "narrow_copy(Tensor self, int dim, SymInt start, SymInt length) -> Tensor",
    node="NarrowCopyBackward0",
    forward=_narrow_forward,
    self=lambda F, grad, self_sym_sizes, dim, start, length: F.slice_backward(
        grad, self_sym_sizes, dim, start, start + length, 1
    ),
    result=LINEAR,
    variants=("out",),
    out=Out(
        exactly(
            "Expected self.dtype() == output.dtype() to be true, but got false.  (Could this error "
            "message be improved?  If so, please report an enhancement request to PyTorch.)"
        ),
        resize=SILENT,
    ),
)

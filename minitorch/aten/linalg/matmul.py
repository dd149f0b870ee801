"""matmul and linear: products of vectors, matrices and batches of them, by matrix.py's kernels."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from minitorch.aten.linalg.matrix import addmm, bmm, check_mv_out, dot, mm, mv
from minitorch.aten.shape.ordering import t
from minitorch.aten.shape.views import _unsafe_view, reshape, view_inner
from minitorch.core.arrays import layout
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.expose import watchable
from minitorch.core.declare.families import alias, composite
from minitorch.core.declare.general.fitting import fit, resize
from minitorch.core.declare.general.writing import deliver, gradients_wanted, put
from minitorch.core.declare.out import BEFORE_DTYPE, EXACT, NOT_ITSELF_FIRST, Out
from minitorch.core.declare.protocols.mode_stack import STACK
from minitorch.core.declare.registry import DUNDERS, FUNCTIONS
from minitorch.core.declare.vmap import VMap
from minitorch.core.declare.wording.errors import no_kernel
from minitorch.core.declare.wording.out_rules import check_out_dtype
from minitorch.core.declare.wording.signatures import described, type_name
from minitorch.core.tensor.tensor import Tensor


def matmul(input: Any, other: Any, *, out: Any = None) -> Any:
    """The matrix product of two tensors, leading dimensions broadcast.

    Args:
        input, other: (..., n, k) and (..., k, m); a vector is a row or a column, whose dimension
            the result lacks.

    RuntimeError for shapes that do not chain. As ATen/native/LinearAlgebra.cpp.
    """
    if out is not None:
        return matmul_into(out, input, other)
    try:
        rank1, rank2 = input._array.ndim, other._array.ndim
    except AttributeError:
        raise not_tensors(input, other) from None
    if rank1 == 2:
        if rank2 == 2:
            return mm(input, other)
        if rank2 == 1:
            return mv(input, other)
    elif rank1 == 1 and rank2 == 1:
        return dot(input, other)
    return matmul_batches(input, other, rank1, rank2)


def matmul_into(out: Any, input: Any, other: Any) -> Any:
    """`matmul` into `out`, which a vector by a matrix resizes to one row and back, as in torch."""
    rank1, rank2 = input.dim(), other.dim()
    if rank1 == 1 and rank2 == 2:
        return deliver("matmul", mm, out, ((OPS.unsqueeze(input, 0), other), {})).squeeze_(0)
    if rank2 == 1 and rank1 <= 2 and isinstance(out, TensorBase):  # which have their own words
        if rank1 == 1:
            return vectors_into(out, input, other)
        return deliver("matmul", matmul, out, ((input, other), {}), said=_OF_MATRIX_AND_VECTOR)
    said = _OF_BATCHES if rank1 > 2 or rank2 > 2 else None
    call = (input, other), {}
    return deliver("matmul", matmul, out, call, place=placing(input, other), said=said)


def shape_of_batches(input: Any, other: Any) -> Any:
    """The shape that out= gets before the matrices of two batches are looked at; None for what is
    refused before."""
    shape1, shape2 = input._array.shape, other._array.shape
    if not (shape1 and shape2):
        return None
    n, m = shape1[-2:-1], shape2[-1:] if len(shape2) > 1 else ()
    try:
        return (*layout.broadcast(shape1[:-2], shape2[:-2]), *n, *m)
    except RuntimeError:
        return None


_INTO = Out(EXACT, overlap=NOT_ITSELF_FIRST)
_OF_BATCHES = _INTO.but(shaped=BEFORE_DTYPE, sized=shape_of_batches)
_OF_MATRIX_AND_VECTOR = _INTO.but(given=check_mv_out)


def vectors_into(out: Any, input: Any, other: Any) -> Any:
    """The product of two vectors in `out`, which has no dimensions when that is computed."""
    if not gradients_wanted((input, other), (out,)):
        fit(out, ())
    check_out_dtype("dot", input.dtype, out.dtype)
    return deliver("matmul", dot, out, ((input, other), {}))


def placing(input: Any, other: Any) -> Callable[[Any, Any, Any], None]:
    """How the product of two tensors goes into out=."""
    if not folds(input.detach(), other.detach()):
        return put
    return put_rows if min(input.dim(), other.dim()) == 2 else put_flat


def put_rows(out: Any, result: Any, node: Any) -> None:
    """Writes a batch that was computed as one long matrix into `out`, which has to take it so: if
    its strides do not, ATen copies the long matrix itself, which broadcasts to it or does not fit.
    """
    shape = result._array.shape
    put_folded(out, result, node, (prod(shape[:-1]), shape[-1]))


def put_flat(out: Any, result: Any, node: Any) -> None:
    """put_folded() for a product that was computed as one long vector."""
    put_folded(out, result, node, (result._array.size,))


def put_folded(out: Any, result: Any, node: Any, shape: tuple[int, ...]) -> None:
    fit(out, result._array.shape)
    x = out._array
    if layout.view_strides(x.shape, layout.strides_of(x), shape) is None:
        out.copy_(reshape(result, shape))
    else:
        put(out, result, node)


def not_tensors(input: Any, other: Any) -> TypeError:
    at, name, value = (2, "other", other) if isinstance(input, TensorBase) else (1, "input", input)
    return TypeError(
        f"matmul(): argument '{name}' (position {at}) must be Tensor, not {type_name(value)}"
    )


def matmul_batches(input: Any, other: Any, rank1: int, rank2: int) -> Any:
    """The matrix product of two tensors of which one has neither one nor two dimensions, or the
    first has one and the second two."""
    if rank1 == 0 or rank2 == 0:
        raise RuntimeError(
            f"both arguments to matmul need to be at least 1D, but they are {rank1}D and {rank2}D"
        )
    if rank1 == 1 and rank2 == 2:
        return mm(OPS.unsqueeze(input, 0), other).squeeze_(0)
    if folds(input, other):
        return matmul_folded(input, other)
    shape1, shape2 = input._array.shape, other._array.shape
    if rank1 == rank2 == 3 and shape1[0] != shape2[0]:
        # A batch of one that wants a gradient is better folded than repeated.
        if shape1[0] == 1 and input.requires_grad:
            return matmul(OPS.squeeze_dim(input, 0), other)
        if shape2[0] == 1 and other.requires_grad:
            return matmul(input, OPS.squeeze_dim(other, 0))
    n, k = (shape1[-2] if rank1 > 1 else 1), shape1[-1]
    rows = shape2[-2:] if rank2 > 1 else shape2
    lead = layout.broadcast(shape1[:-2], shape2[:-2])
    batch = prod(lead)
    left = reshape(OPS.expand(input, (*lead, n, k)), (batch, n, k))
    right = reshape(OPS.expand(other, (*lead, *rows)), (batch, *rows))
    if rank2 == 1:
        product = OPS.squeeze_dim(bmm(left, OPS.unsqueeze(right, 2)), -1)
    else:
        product = bmm(left, right)
    ends = (*([n] if rank1 > 1 else []), *([rows[1]] if rank2 > 1 else []))
    return _unsafe_view(product, (*lead, *ends))


def folds(input: Any, other: Any) -> bool:
    """Whether the larger operand is better seen as one long matrix than as a batch.

    As should_fold of ATen/native/LinearAlgebra.cpp.
    """
    larger, smaller = (input, other) if input.dim() >= other.dim() else (other, input)
    if larger is other and larger is not input and STACK.get():
        OPS.transpose(other, -2, -1)  # which torch takes before it asks, and modes see
    if larger.dim() < 3 or smaller.dim() > 2:
        return False
    if smaller.requires_grad:
        return True  # or the backward would make a gradient for each matrix of the batch
    if input.dim() == 2:
        return False
    x = larger._array if larger is input else larger._array.swapaxes(-1, -2)
    if x.size == 0:
        return True
    return all(x.strides[i] == x.strides[i + 1] * x.shape[i + 1] for i in range(x.ndim - 2))


def matmul_folded(input: Any, other: Any) -> Any:
    """The product of a batch and a matrix or vector, the batch as one long matrix."""
    turned = other.dim() > input.dim()
    if turned:
        batch, rest = OPS.transpose(other, -2, -1), input
        if input.dim() == 2:
            rest = OPS.t(input)
    else:
        batch, rest = input, other
    *lead, k = batch._array.shape
    folded = reshape(batch, (prod(lead), k))
    if rest.dim() == 1:
        return _unsafe_view(mv(folded, rest), tuple(lead))
    output = _unsafe_view(mm(folded, rest), (*lead, rest._array.shape[1]))
    return OPS.transpose(output, -2, -1).contiguous() if turned else output


composite("matmul", own_out=_INTO)(matmul)


def _matmul_operator(self: Any, other: Any) -> Any:
    """self @ other; NotImplemented if `other` is no tensor."""
    try:
        if other._array.ndim == 2 == self._array.ndim:
            return mm(self, other)
    except AttributeError:
        return NotImplemented
    return matmul(self, other)


def _matmul_reflected(self: Any, other: Any) -> Any:
    both = isinstance(self, TensorBase) and isinstance(other, TensorBase)
    return FUNCTIONS["matmul"](other, self) if both else NotImplemented


_matmul_operator.__name__ = "matmul"
setattr(Tensor, "__matmul__", watchable("matmul", _matmul_operator))  # noqa: B010
DUNDERS["__matmul__"] = "matmul"
Tensor.__rmatmul__ = _matmul_reflected
_matmul_reflected.__name__ = "__rmatmul__"


def linear(input: Any, weight: Any, bias: Any = None, *, out: Any = None) -> Any:
    """input @ weight.T + bias.

    Args:
        input: (..., in), at least one dimension.
        weight: (out, in), or (in,) for a single output whose dimension the result lacks.
        bias: None or (out,); anything that broadcasts to the result.
        out: the tensor that the result is written into.

    Returns:
        (..., out), of the dtype of `input`.

    Raises:
        RuntimeError: for shapes that do not fit.

    A matrix is one addmm; other shapes are seen as a matrix.
    As ATen/native/Linear.cpp.
    """
    if out is not None:
        return linear_into(out, input, weight, bias)
    try:
        rank = input._array.ndim
        if rank == 2 and bias is not None:
            return addmm(bias, input, t(weight))
        return linear_of_rank(input, weight, bias, rank)
    except AttributeError:
        check_tensors(input, weight, bias)
        raise


def linear_into(out: Any, input: Any, weight: Any, bias: Any) -> Any:
    """`linear` into `out`, which a vector of results resizes to one row and back, as in torch."""
    if input.dim() == 0 or weight.dim() == 0:  # which is made of matmul
        linear_of_rank(input, weight, bias, input.dim(), "matmul")
    if input.dim() == weight.dim() == 1 and bias is None and isinstance(out, TensorBase):
        return vectors_into(out, input, weight)
    row = weight.dim() == 2 and input.dim() == 1 and isinstance(out, TensorBase)
    call = (OPS.unsqueeze(input, 0) if row else input, weight, bias)
    place = placing(call[0], t(weight)) if weight.dim() <= 2 else None
    deliver("linear", linear, out, (call, {}), place=place)
    if row:
        resize(out, out._array.shape[1:])
    return out


def linear_of_rank(input: Any, weight: Any, bias: Any, rank: int, called: str = "linear") -> Any:
    """`linear` for an input that is no matrix, or without bias."""
    if rank == 0 or weight.dim() == 0:
        raise RuntimeError(
            f"both arguments to {called} need to be at least 1D, but they are "
            f"{rank}D and {weight.dim()}D"
        )
    if bias is None:
        return matmul(input, t(weight))
    if bias.dim() == 1 and input._array.flags.c_contiguous and bias._array.flags.c_contiguous:
        *lead, k = input._array.shape
        flat = addmm(bias, view_inner(input, (prod(lead), k)), t(weight))
        return view_inner(flat, (*lead, flat.size(1)))
    out = matmul(input, t(weight))
    return out + bias if STACK.get() else out.add_(bias)  # modes may not allow a write


def check_tensors(input: Any, weight: Any, bias: Any) -> None:
    """TypeError unless all are tensors."""
    given = (("input", input), ("weight", weight), ("bias", bias))
    for i, (name, value) in enumerate(given):
        if not isinstance(value, TensorBase) and not (name == "bias" and value is None):
            raise TypeError(
                f"linear(): argument '{name}' (position {i + 1}) must be Tensor, "
                f"not {described(value)}"
            )


composite("linear", on=(), own_out=Out(EXACT), vmap=VMap(replaced="linear"))(linear)


# ---- with sparse matrices: those are in minitorch/aten/sparse/products.py


for _name in ("spmm", "dsmm"):
    alias(_name, mm, on=("function",), same=True)


@composite("hspmm", on=("function",), out=Out(autograd=False))
def hspmm(mat1: Any, mat2: Any) -> Any:
    """The product of a sparse matrix and a dense one, with dense rows."""
    raise no_kernel("hspmm")


@composite("smm")
def smm(input: Any, mat2: Any) -> Any:
    """The product of a sparse matrix and a dense one, sparse."""
    raise RuntimeError("tensor.sspaddmm(...) can only be called on sparse tensors")


@composite("sspaddmm", out=Out(autograd=False))
def sspaddmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * input + alpha * mat1 @ mat2, all sparse but for `mat2`."""
    return smm(mat1, mat2)


alias("hsmm", hspmm, on=("function",), same=True)
alias("saddmm", sspaddmm, on=("function",), same=True)

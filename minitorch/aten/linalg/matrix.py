"""Products of vectors, matrices and batches of matrices."""

from __future__ import annotations

from typing import Any

from minitorch.aten.creation.copies import laid_out
from minitorch.aten.elementwise.arithmetic import plus, times
from minitorch.aten.in_formulas import weighed_sum
from minitorch.aten.shape.views import expand_forward, reshape
from minitorch.core.arrays import layout, matrix, namespace
from minitorch.core.arrays.blas import SMALL, product
from minitorch.core.arrays.floating_point import cast
from minitorch.core.arrays.lazy import bits_of
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.formulas import OPS, RAW
from minitorch.core.declare.calls import READS_CONJUGATES
from minitorch.core.declare.families import EVERYWHERE, composite, operator
from minitorch.core.declare.general.elementwise import as_kind
from minitorch.core.declare.out import (
    ALONE,
    BEFORE_ARGUMENTS,
    BY_ELEMENT,
    EXACT,
    NOT_ITSELF_FIRST,
    ONCE,
    SILENT,
    InPlace,
    Out,
    exactly,
)
from minitorch.core.declare.vmap import VMap, made_of
from minitorch.core.declare.wording.out_rules import unmatched
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import BOOL, LATE_UNSIGNED, USUAL, refusing_others
from minitorch.core.numbers.promotion import promote_types
from minitorch.core.numbers.scalars import as_number
from minitorch.core.tensor.conversion import entry_of

_SINGLE, _DOUBLE = dtypes.float32.numpy, dtypes.float64.numpy

# ---- what the products refuse


def name_of(x: Any) -> str:
    """The dtype of an array as ATen's ScalarType: 'Float'."""
    return dtypes.of(x).scalar_name


# Raises what products and running sums say of the dtypes that they are not made for.
refuse_dtype = refusing_others(USUAL - BOOL)


def refuse_product(x: Any, y: Any, kernel: str, added: Any = None) -> None:
    """Refuses a product in another dtype where there is something to compute, or truths that it
    would be scaled and added to."""
    if x.size and y.size:
        if not (kernel == "addmm_impl_cpu_" and dtypes.of(x) in dtypes.FLOAT8):
            refuse_dtype(x, kernel)
    elif x.dtype.kind == "b" and added is not None and added.size:
        raise RuntimeError("result type Long can't be cast to the desired output type Bool")


def shapes_differ(mat1: Any, mat2: Any) -> RuntimeError:
    """The error for matrices that do not chain."""
    (n, k), (j, m) = mat1.shape, mat2.shape
    return RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({n}x{k} and {j}x{m})")


def dtypes_differ(mat1: Any, mat2: Any) -> RuntimeError:
    """The error for matrices of two dtypes."""
    return RuntimeError(
        "expected m1 and m2 to have the same dtype, but got: "
        f"{dtypes.of(mat1).c_name} != {dtypes.of(mat2).c_name}"
    )


def factors(x: Any, *numbers: Any, kind: str = "opmath_t") -> list[Any]:
    """Factors as numbers that go with a product's dtype: see `as_kind`."""
    common = dtypes.of(x)
    plain = [each.item() if isinstance(each, TensorBase) else as_number(each) for each in numbers]
    return [as_kind(each, common, kind) for each in plain]


def scaled(grad: Any, factor: Any) -> Any:
    """grad times the conjugate of a Python number; itself for 1."""
    return grad if factor == 1 else grad * factor.conjugate()


def fitted(xp: Any, self: Any, shape: tuple[int, ...]) -> Any:
    """The matrix that is added to a product, expanded to the product's shape."""
    return expand_forward(xp, self, shape) if self.shape != shape else self


# ---- two matrices


def mm_forward(self: Any, mat2: Any) -> Any:
    kind = self.dtype
    if kind is mat2.dtype and (kind is _SINGLE or kind is _DOUBLE) and self.ndim == 2 == mat2.ndim:
        try:
            return self.dot(mat2) if self.size < SMALL else product(self, mat2)
        except ValueError:
            raise shapes_differ(self, mat2) from None
    if self.ndim != 2:
        raise RuntimeError("self must be a matrix")
    if mat2.ndim != 2:
        raise RuntimeError("mat2 must be a matrix")
    if self.shape[1] != mat2.shape[0]:
        raise shapes_differ(self, mat2)
    if kind != mat2.dtype:
        raise dtypes_differ(self, mat2)
    refuse_product(self, mat2, "addmm_impl_cpu_")
    return matrix.mm(namespace(self), self, mat2)


def mm_of_formulas(self: Any, mat2: Any) -> Any:
    """mm of arrays that are known to fit: 0.3 us less than by way of `mm_forward`."""
    kind = self.dtype
    if (kind is _SINGLE or kind is _DOUBLE) and kind is mat2.dtype:
        return self.dot(mat2) if self.size < SMALL else product(self, mat2)
    return mm_forward(self, mat2)


def in_columns(sizes: Any, strides: Any) -> bool:
    """Whether a matrix lies column by column, as torch asks, also of an empty one."""
    if not any(strides) and 0 in sizes:  # as NumPy leaves fresh ones
        strides = layout.contiguous_strides(sizes)
    return bool(strides[0] == 1 and strides[1] == sizes[0])


def mm_self_formula(F: Any, grad: Any, mat2: Any, sizes: Any, strides: Any) -> Any:
    """The gradient of the first matrix of a product, in memory as that matrix lies."""
    if in_columns(sizes, strides):
        return F.t(F.mm(mat2.conj(), F.t(grad)))
    return F.mm(grad, F.t(mat2).conj())


def mm_mat2_formula(F: Any, grad: Any, self: Any, sizes: Any, strides: Any) -> Any:
    """The gradient of the second matrix of a product, in memory as that matrix lies."""
    if in_columns(sizes, strides):
        return F.t(F.mm(F.t(grad), self.conj()))
    return F.mm(F.t(self).conj(), grad)


def mm_self_of_arrays(grad: Any, mat2: Any, sizes: Any, strides: Any) -> Any:
    """`mm_self_formula` of arrays: 0.4 us less for the commonest ones."""
    kind = grad.dtype
    if strides[0] > 1 and kind is mat2.dtype and (kind is _SINGLE or kind is _DOUBLE):
        return grad.dot(mat2.T)
    return mm_self_formula(RAW, grad, mat2, sizes, strides)


def mm_mat2_of_arrays(grad: Any, self: Any, sizes: Any, strides: Any) -> Any:
    """`mm_mat2_formula` of arrays: 0.4 us less for the commonest, layers' weights among them."""
    kind = grad.dtype
    if kind is self.dtype and (kind is _SINGLE or kind is _DOUBLE):
        small = self.size < SMALL
        if strides[0] > 1:
            return self.T.dot(grad) if small else product(self.T, grad)
        if strides[0] == 1 and strides[1] == sizes[0] and sizes[1]:
            return (grad.T.dot(self) if small else product(grad.T, self)).T
    return mm_mat2_formula(RAW, grad, self, sizes, strides)


@composite("mm_self_backward", on=("F",), raw=mm_self_of_arrays)
def mm_self_backward(grad: Any, mat2: Any, sizes: Any, strides: Any) -> Any:
    return mm_self_formula(OPS, grad, mat2, sizes, strides)


@composite("mm_mat2_backward", on=("F",), raw=mm_mat2_of_arrays)
def mm_mat2_backward(grad: Any, self: Any, sizes: Any, strides: Any) -> Any:
    return mm_mat2_formula(OPS, grad, self, sizes, strides)


mm = operator(
    "mm(Tensor self, Tensor mat2) -> Tensor",
    node="MmBackward0",
    forward=mm_forward,
    self=lambda F, grad, mat2, self_sym_sizes, self_sym_strides: F.mm_self_backward(
        grad, mat2, self_sym_sizes, self_sym_strides
    ),
    mat2=lambda F, grad, self, mat2_sym_sizes, mat2_sym_strides: F.mm_mat2_backward(
        grad, self, mat2_sym_sizes, mat2_sym_strides
    ),
    result=lambda F, self_p, self_t, mat2_p, mat2_t: plus(
        F.mm(self_p, mat2_t), F.mm(self_t, mat2_p)
    ),
    variants=("out",),
    exact=True,
    raw=mm_of_formulas,
    out=Out(EXACT, overlap=NOT_ITSELF_FIRST),
    vmap=VMap("products"),
    calls=READS_CONJUGATES,
)


def addmm_forward(xp: Any, self: Any, mat1: Any, mat2: Any, beta: Any, alpha: Any) -> Any:
    kind = self.dtype
    if (
        mat1.ndim == 2 == mat2.ndim
        and kind is mat1.dtype
        and kind is mat2.dtype
        and (kind is _SINGLE or kind is _DOUBLE)
        and beta == 1 == alpha
    ):
        try:
            out = mat1.dot(mat2) if mat1.size < SMALL else product(mat1, mat2)
            return xp.add(out, self, out=out)
        except ValueError:
            pass
    for each, what in ((self, "self"), (mat1, "mat1")):
        if each.dtype != mat2.dtype:
            raise RuntimeError(
                f"{what} and mat2 must have the same dtype, but got "
                f"{name_of(each)} and {name_of(mat2)}"
            )
    for each, what in ((mat1, "mat1"), (mat2, "mat2")):
        if each.ndim != 2:
            raise RuntimeError(f"{what} must be a matrix, got {each.ndim}-D tensor")
    if mat1.shape[1] != mat2.shape[0]:
        raise shapes_differ(mat1, mat2)
    self = fitted(xp, self, (mat1.shape[0], mat2.shape[1]))
    refuse_product(mat1, mat2, "addmm_impl_cpu_", self)
    beta, alpha = factors(self, beta, alpha)
    return matrix.addmm(xp, self, mat1, mat2, beta, alpha)


addmm = operator(
    "addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    node="AddmmBackward0",
    forward=addmm_forward,
    self=lambda grad, beta: grad if beta == 1 else scaled(grad, beta),
    mat1=lambda F, grad, mat2, mat1_sym_sizes, mat1_sym_strides, alpha: scaled(
        F.mm_self_backward(grad, mat2, mat1_sym_sizes, mat1_sym_strides), alpha
    ),
    mat2=lambda F, grad, mat1, mat2_sym_sizes, mat2_sym_strides, alpha: scaled(
        F.mm_mat2_backward(grad, mat1, mat2_sym_sizes, mat2_sym_strides), alpha
    ),
    result=lambda F, self_t, mat1_p, mat1_t, mat2_p, mat2_t, beta, alpha: (
        times(self_t, beta)
        + times(F.mm(mat1_t, mat2_p), alpha)
        + times(F.mm(mat1_p, mat2_t), alpha)
    ),
    variants=("inplace", "out"),
    in_place=InPlace(falls_back=ALONE, shape_error=unmatched),
    out=Out(EXACT, overlap=BY_ELEMENT, resize=ONCE),
    vmap=made_of(
        lambda self, mat1, mat2, beta, alpha: OPS.add(
            OPS.mul_Scalar(self, beta), OPS.mm(mat1, mat2), alpha=alpha
        )
    ),
    calls=READS_CONJUGATES,
)

# ---- vectors


def check_dot(self: Any, other: Any, conjugating: bool = False) -> None:
    """RuntimeError unless both are vectors of one length and dtype.

    conjugating: the first of them. torch computes what is read as a conjugate by the other of dot
    and vdot, for which it exchanges the two where need be.
    """
    if self.dtype.kind == "c" and (bits_of(self)[0], bits_of(other)[0]) == (conjugating, True):
        self, other = other, self
    if self.ndim != 1 or other.ndim != 1:
        raise RuntimeError(f"1D tensors expected, but got {self.ndim}D and {other.ndim}D tensors")
    if self.dtype != other.dtype:
        raise RuntimeError(
            "dot : expected both vectors to have same dtype, but found "
            f"{name_of(self)} and {name_of(other)}"
        )
    if self.size != other.size:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{self.size}] and src [{other.size}] to "
            f"have the same number of elements, but got {self.size} and {other.size} elements "
            "respectively"
        )
    refuse_dtype(self, "dot")


def dot_forward(xp: Any, self: Any, tensor: Any) -> Any:
    kind = self.dtype
    if kind is not tensor.dtype or (kind is not _SINGLE and kind is not _DOUBLE):
        check_dot(self, tensor)
        return matrix.dot(xp, self, tensor)
    if self.ndim != 1 or tensor.ndim != 1 or self.size != tensor.size:
        check_dot(self, tensor)
    return xp.as_array(self.dot(tensor))


_OF_VECTORS = Out(
    exactly("result dtype {out.scalar_name} does not match input dtype {result.scalar_name}"),
    shaped=BEFORE_ARGUMENTS,
)

dot = operator(
    "dot(Tensor self, Tensor tensor) -> Tensor",
    node="DotBackward0",
    forward=dot_forward,
    self=lambda grad, tensor: grad * tensor.conj(),
    tensor=lambda grad, self: grad * self.conj(),
    result=lambda F, self_p, self_t, tensor_p, tensor_t: plus(
        F.dot(self_p, tensor_t), F.dot(self_t, tensor_p)
    ),
    variants=("out",),
    out=_OF_VECTORS,
    vmap=VMap("product_of_vectors"),
    calls=READS_CONJUGATES,
)


def vdot_forward(xp: Any, self: Any, other: Any) -> Any:
    check_dot(self, other, conjugating=True)
    return matrix.vdot(xp, self, other)


vdot = operator(
    "vdot(Tensor self, Tensor other) -> Tensor",
    node="VdotBackward0",
    forward=vdot_forward,
    self=lambda grad, other: grad.conj() * other,
    other=lambda grad, self: grad * self,
    result=lambda F, self_p, self_t, other_p, other_t: plus(
        F.vdot(self_p, other_t), F.vdot(self_t, other_p)
    ),
    variants=("out",),
    out=_OF_VECTORS,
    vmap=made_of(lambda self, other: OPS.dot(self.conj(), other)),
    calls=READS_CONJUGATES,
)


def check_mv(self: Any, mat: Any, vec: Any) -> None:
    """RuntimeError unless a matrix and a vector chain, and `self` can be added to their product."""
    rank = 1 if self is None else self.ndim
    if mat.ndim != 2 or vec.ndim != 1 or rank > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {rank}, {mat.ndim}, {vec.ndim}")
    rows, columns = mat.shape
    size = rows if self is None or rank == 0 else self.size
    if vec.size != columns or size not in (1, rows):
        if not rank:  # whose length torch would name
            raise IndexError("Dimension specified as 0 but tensor has no dimensions")
        raise RuntimeError(
            f"size mismatch, got input ({size}), mat ({rows}x{columns}), vec ({vec.size})"
        )
    first = vec if self is None else self
    if not first.dtype == mat.dtype == vec.dtype:
        raise RuntimeError(
            "addmv input tensors must have the same dtype, but got "
            f"{name_of(first)}, {name_of(mat)}, and {name_of(vec)}"
        )
    refuse_product(mat, vec, "addmv_impl_cpu")


def mv_forward(xp: Any, self: Any, vec: Any) -> Any:
    kind = self.dtype
    if kind is vec.dtype and (kind is _SINGLE or kind is _DOUBLE) and self.ndim == 2:
        try:
            if vec.ndim == 1:
                return self.dot(vec)
        except ValueError:
            pass
    if not self.ndim:  # torch reads the length of the result first
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    check_mv(None, self, vec)
    return matrix.mv(xp, self, vec)


def check_mv_out(out: Any, self: Any, vec: Any) -> None:
    """Checks a call of mv with out=, which mv passes to addmv as the summand, if it may fit."""
    x, mat = out._array, self._array
    if mat.ndim and x.ndim <= 1 and x.size in (1, mat.shape[0]):
        check_mv(x, mat, vec._array)


def as_column(F: Any, x: Any) -> Any:
    """A vector as a matrix of one column; for create_graph by `view`, as torch's `outer` has it."""
    return F.unsqueeze(x, 1) if F is RAW else F.view(x, (x.shape[0], 1))


mv = operator(
    "mv(Tensor self, Tensor vec) -> Tensor",
    node="MvBackward0",
    forward=mv_forward,
    self=lambda F, grad, vec: as_column(F, grad) * vec.conj(),
    vec=lambda F, grad, self: F.mv(F.t(self.conj()), grad),
    result=lambda F, self_p, self_t, vec_p, vec_t: plus(F.mv(self_p, vec_t), F.mv(self_t, vec_p)),
    variants=("out",),
    out=Out(EXACT, given=check_mv_out),
    vmap=VMap("product_with_vector"),
)


def check_addmv(self: Any, mat: Any, vec: Any, *factors: Any) -> None:
    """RuntimeError unless `self` has the shape of the product, which is not made fit."""
    check_mv(self._array, mat._array, vec._array)
    if self._array.shape != mat._array.shape[:1]:
        raise unmatched(self._array.shape, mat._array.shape[:1])


def addmv_forward(xp: Any, self: Any, mat: Any, vec: Any, beta: Any, alpha: Any) -> Any:
    check_mv(self, mat, vec)
    beta, alpha = factors(self, beta, alpha, kind="scalar_t")
    if not mat.size and beta:  # which torch does not expand
        return xp.asarray(self * self.dtype.type(beta))
    return matrix.addmm(xp, self, mat, vec, beta, alpha)


addmv = operator(
    "addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    node="AddmvBackward0",
    forward=addmv_forward,
    self=lambda grad, beta: scaled(grad, beta),
    mat=lambda F, grad, vec, alpha: scaled(as_column(F, grad) * vec.conj(), alpha),
    vec=lambda F, grad, mat, alpha: scaled(F.mv(F.t(mat).conj(), grad), alpha),
    result=lambda F, self_t, mat_p, mat_t, vec_p, vec_t, beta, alpha: (
        times(self_t, beta) + times(F.mv(mat_t, vec_p), alpha) + times(F.mv(mat_p, vec_t), alpha)
    ),
    variants=("inplace", "out"),
    inplace_on=EVERYWHERE,
    in_place=InPlace(falls_back=ALONE, overlaps=True, shape_error=unmatched, given=check_addmv),
    out=Out(EXACT),
    vmap=made_of(
        lambda self, mat, vec, beta, alpha: weighed_sum(self, OPS.mv(mat, vec), beta, alpha)
    ),
)


def check_vectors(vec1: Any, vec2: Any) -> None:
    """RuntimeError unless both have one dimension."""
    for each, what in ((vec1, "vec1"), (vec2, "vec2")):
        if each.ndim != 1:
            raise RuntimeError(f"addr: Expected 1-D argument {what}, but got {each.ndim}-D")


def check_addr_in_place(self: Any, vec1: Any, vec2: Any, *factors: Any) -> None:
    """RuntimeError unless `self` is a matrix of the shape of the product, which is not made fit."""
    check_vectors(vec1, vec2)
    if self.ndim != 2:
        raise RuntimeError(f"2D tensor expected, got {self.ndim}D tensor for input")
    if self.shape != (*vec1.shape, *vec2.shape):
        raise RuntimeError(
            f"size mismatch, input: {list(self.shape)}, v1: {list(vec1.shape)}, "
            f"v2: {list(vec2.shape)}"
        )


def addr_forward(xp: Any, self: Any, vec1: Any, vec2: Any, beta: Any, alpha: Any) -> Any:
    check_vectors(vec1, vec2)
    self = fitted(xp, self, (vec1.size, vec2.size))
    common = dtypes.of(self)
    for each in (vec1, vec2):
        common = promote_types(common, dtypes.of(each))
    beta, alpha = as_number(beta), as_number(alpha)
    for number, what in ((beta, "beta"), (alpha, "alpha")):
        if type(number) is bool and common is not dtypes.bool:
            raise RuntimeError(f"Boolean {what} only supported for Boolean results.")
        if isinstance(number, (float, complex)) and not (
            common.is_floating_point or common.is_complex
        ):
            raise RuntimeError(
                f"For integral input tensors, argument {what} must not be a floating point number."
            )
    if common in LATE_UNSIGNED or common is dtypes.complex32:
        raise dtypes.unknown_to("addr_cpu", common)
    forms = [(x.shape, layout.strides_of(x)) for x in (self, vec1[:, None], vec2)]
    self, vec1, vec2 = [cast(x, common.numpy) for x in (self, vec1, vec2)]
    beta, alpha = factors(self, beta, alpha, kind="scalar_t")
    number = common.numpy.type  # half types round after each step; for bools * is and, + is or
    out = (vec1 * number(alpha))[:, None] * vec2
    out = out + self * number(beta) if beta else out
    strides = layout.elementwise_strides(out.shape, forms)
    return laid_out(xp, out, strides)


addr = operator(
    "addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    node="AddrBackward0",
    forward=addr_forward,
    self=lambda grad, beta: scaled(grad, beta),
    vec1=lambda F, grad, vec2, alpha: scaled(F.mv(grad, vec2.conj()), alpha),
    vec2=lambda F, grad, vec1, alpha: scaled(F.mv(F.t(grad), vec1.conj()), alpha),
    result=lambda F, self_t, vec1_p, vec1_t, vec2_p, vec2_t, beta, alpha: (
        times(self_t, beta)
        + times(F.unsqueeze(vec1_t, 1) * vec2_p, alpha)
        + times(F.unsqueeze(vec1_p, 1) * vec2_t, alpha)
    ),
    variants=("inplace", "out"),
    in_place=InPlace(falls_back=ALONE, given=check_addr_in_place),
    vmap=made_of(
        lambda self, vec1, vec2, beta, alpha: weighed_sum(
            self, vec1.unsqueeze(-1) * vec2, beta, alpha
        )
    ),
)

# ---- batches


def check_ranks(batch1: Any, batch2: Any) -> None:
    """RuntimeError unless both are batches of matrices."""
    for each, what in ((batch1, "batch1"), (batch2, "batch2")):
        if each.ndim != 3:
            raise RuntimeError(f"{what} must be a 3D tensor")


def check_bmm(batch1: Any, batch2: Any, kernel: str, added: Any = None) -> None:
    """RuntimeError unless two batches of matrices chain and are of one dtype.

    kernel: what ATen calls the one for small matrices.  added: as refuse_product has it.
    """
    check_ranks(batch1, batch2)
    b, n, k = batch1.shape
    if batch2.shape[:2] != (b, k):
        raise RuntimeError(
            "Expected size for first two dimensions of batch2 tensor to be: "
            f"[{b}, {k}] but got: [{batch2.shape[0]}, {batch2.shape[1]}]."
        )
    small = n * k * batch2.shape[2] < 400
    if batch1.dtype != batch2.dtype:
        if small:
            refuse_dtype(batch1, kernel)
            wanted, found = batch1, batch2
        elif batch2.dtype.kind in "fc":  # BLAS, for the dtype of the second
            wanted, found = batch2, batch1
        else:
            raise dtypes_differ(batch1, batch2)
        raise RuntimeError(f"expected scalar type {name_of(wanted)} but found {name_of(found)}")
    refuse_product(batch1, batch2, kernel if small else "addmm_impl_cpu_", added)


def bmm_forward(xp: Any, self: Any, mat2: Any) -> Any:
    check_bmm(self, mat2, "bmm")
    return matrix.bmm(xp, self, mat2)


bmm = operator(
    "bmm(Tensor self, Tensor mat2) -> Tensor",
    node="BmmBackward0",
    forward=bmm_forward,
    self=lambda F, grad, mat2: F.bmm(grad, F.transpose(mat2, 1, 2).conj()),
    mat2=lambda F, grad, self: F.bmm(F.transpose(self, 1, 2).conj(), grad),
    result=lambda F, self_p, self_t, mat2_p, mat2_t: plus(
        F.bmm(self_p, mat2_t), F.bmm(self_t, mat2_p)
    ),
    variants=("out",),
    out=Out(EXACT),
    vmap=VMap("products"),
    calls=READS_CONJUGATES,
)


def baddbmm_forward(xp: Any, self: Any, batch1: Any, batch2: Any, beta: Any, alpha: Any) -> Any:
    size = (entry_of(batch1.shape, 0), entry_of(batch1.shape, 1), entry_of(batch2.shape, 2))
    self = fitted(xp, self, size)
    if self.dtype != batch1.dtype:
        raise RuntimeError(
            f"Input dtypes must be the same, got: input {dtypes.of(self).c_name}, batch1: "
            f"{dtypes.of(batch1).c_name}, batch2: {dtypes.of(batch2).c_name}"
        )
    check_bmm(batch1, batch2, "baddbmm", self)
    beta, alpha = factors(self, beta, alpha)
    return matrix.addmm(xp, self, batch1, batch2, beta, alpha)


baddbmm = operator(
    "baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1)"
    " -> Tensor",
    node="BaddbmmBackward0",
    forward=baddbmm_forward,
    self=lambda grad, beta: scaled(grad, beta),
    batch1=lambda F, grad, batch2, alpha: scaled(
        F.bmm(grad, F.transpose(batch2, 1, 2).conj()), alpha
    ),
    batch2=lambda F, grad, batch1, alpha: scaled(
        F.bmm(F.transpose(batch1, 1, 2).conj(), grad), alpha
    ),
    result=lambda F, self_t, batch1_p, batch1_t, batch2_p, batch2_t, beta, alpha: (
        times(self_t, beta)
        + times(F.bmm(batch1_t, batch2_p), alpha)
        + times(F.bmm(batch1_p, batch2_t), alpha)
    ),
    variants=("inplace", "out"),
    in_place=InPlace(falls_back=ALONE, overlaps=True, shape_error=unmatched),
    out=Out(EXACT),
    vmap=made_of(
        lambda self, batch1, batch2, beta, alpha: weighed_sum(
            self, OPS.bmm(batch1, batch2), beta, alpha
        )
    ),
    calls=READS_CONJUGATES,
)


def addbmm_forward(xp: Any, self: Any, batch1: Any, batch2: Any, beta: Any, alpha: Any) -> Any:
    self = fitted(xp, self, (entry_of(batch1.shape, 1), entry_of(batch2.shape, 2)))
    check_ranks(batch1, batch2)
    (b, n, k), (d, j, m) = batch1.shape, batch2.shape
    if b != d:
        raise RuntimeError(f"batch1 and batch2 must have same number of batches, got {b} and {d}")
    if k != j:
        raise RuntimeError(f"Incompatible matrix sizes for bmm ({n}x{k} and {j}x{m})")
    for what, each in (("self", self), ("mat1", batch1)):
        if each.dtype != batch2.dtype:
            raise RuntimeError(
                f"{what} and mat2 must have the same dtype, but got {name_of(each)} and "
                f"{name_of(batch2)}"
            )
    refuse_product(batch1, batch2, "addmm_impl_cpu_", self)
    beta, alpha = factors(self, beta, alpha)
    return matrix.addbmm(xp, self, batch1, batch2, beta, alpha)


def addbmm_batch1_backward(
    F: Any,
    grad: Any,
    batch1_sym_argsize_0: int,
    batch1_sym_argsize_1: int,
    batch2_sym_argsize_2: int,
    batch2: Any,
    alpha: Any,
) -> Any:
    """The gradient of the first batch: that of the sum is the gradient of every product."""
    shape = (batch1_sym_argsize_0, batch1_sym_argsize_1, batch2_sym_argsize_2)
    grads = F.expand(F.unsqueeze(grad, 0), shape)
    return scaled(F.bmm(grads, F.transpose(batch2, 1, 2).conj()), alpha)


def addbmm_batch2_backward(
    F: Any,
    grad: Any,
    batch1: Any,
    batch1_sym_argsize_0: int,
    batch1_sym_argsize_1: int,
    batch2_sym_argsize_2: int,
    alpha: Any,
) -> Any:
    """The gradient of the second batch."""
    shape = (batch1_sym_argsize_0, batch1_sym_argsize_1, batch2_sym_argsize_2)
    batch1 = F.transpose(batch1, 1, 2).conj()
    grads = F.expand(F.unsqueeze(grad, 0), shape)
    return scaled(F.bmm(batch1, grads), alpha)


addbmm = operator(
    "addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    node="AddbmmBackward0",
    forward=addbmm_forward,
    self=lambda grad, beta: scaled(grad, beta),
    batch1=addbmm_batch1_backward,
    batch2=addbmm_batch2_backward,
    result=lambda F, self_t, batch1_p, batch1_t, batch2_p, batch2_t, beta, alpha: (
        times(self_t, beta)
        + times(F.sum(F.bmm(batch1_t, batch2_p), 0), alpha)
        + times(F.sum(F.bmm(batch1_p, batch2_t), 0), alpha)
    ),
    variants=("inplace", "out"),
    in_place=InPlace(falls_back=ALONE, reshapes=True),
    out=Out(
        exactly(
            "self and mat2 must have the same dtype, but got {out.scalar_name} and "
            "{result.scalar_name}"
        ),
        copies_first=0,
        resize=SILENT,
    ),
    vmap=made_of(
        lambda self, batch1, batch2, beta, alpha: weighed_sum(
            self, OPS.bmm(batch1, batch2).sum(0), beta, alpha
        )
    ),
)

# ---- outer products and the trace


def _in_column(vectors: Any) -> list[Any]:
    """Two vectors as the product of each element by each one reads them."""
    first, second = [x.detach() for x in vectors]
    return [OPS.unsqueeze(first, 1) if first.dim() == 1 else first, second]


_OUTER = Out(error_name="mul", arguments_first=True, overlap=BY_ELEMENT, looked_at=_in_column)


@composite("outer", out=_OUTER)
def outer(input: Any, vec2: Any) -> Any:
    """(n,), (m,) -> (n, m): each element of `input` times each of `vec2`."""
    for each, what in ((input, "self"), (vec2, "vec2")):
        if each.dim() != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {what}, but got {each.dim()}-D")
    return OPS.mul(reshape(input, (input.size(0), 1)), vec2)


@composite("ger", out=_OUTER)
def ger(input: Any, vec2: Any) -> Any:
    """The older name of `outer`."""
    return outer(input, vec2)

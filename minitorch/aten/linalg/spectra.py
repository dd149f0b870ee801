"""Decompositions with orthogonal factors: qr, svd, eigh, eig, and pinv, which is made of them.

The formulas are those of torch/csrc/autograd/FunctionsManual.cpp.
"""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.aten.in_formulas import (
    fill,
    is_seen,
    is_transformed,
    multiply,
    overwrite,
)
from minitorch.aten.linalg.checks import (
    check_eig,
    check_floating,
    check_info,
    check_kernel,
    check_matrices,
    check_square,
    mH,
    on_host,
    on_host_as_is,
    with_empty_halves,
)
from minitorch.core.arrays import decompositions, eigenvectors, lapack, singular_vectors
from minitorch.core.arrays.floating_point import warn_of_halves
from minitorch.core.arrays.missing import is_true
from minitorch.core.arrays.questions import every
from minitorch.core.base.fields import is_wrapper
from minitorch.core.base.formulas import OPS, RAW, is_complex
from minitorch.core.base.modes import recording
from minitorch.core.declare.calls import READS_BITS
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.general.recording import wants_grad
from minitorch.core.declare.general.writing import check_outs, deliver
from minitorch.core.declare.out import APART, EXACT, ROWS_UNLESS_EMPTY, Out, safely_castable
from minitorch.core.declare.protocols.mode_stack import STACK
from minitorch.core.declare.wording.return_types import return_type
from minitorch.core.graph.forward import LEVELS
from minitorch.core.graph.views import check_writable, note_write, requires_grad
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import COMPLEX_HALF, EVERY, HALVES
from minitorch.core.warning import warn_once


def diagonal(F: Any, x: Any) -> Any:
    return F.diagonal(x, 0, -2, -1)


def apart(F: Any, x: Any, one: float = 1.0) -> Any:
    """x_k - x_j at row j and column k; `one` on the diagonal."""
    rows = F.unsqueeze(x, -1)
    differences = F.unsqueeze(x, -2) - rows
    fill(F, diagonal(F, differences), one)
    return differences


def off_diagonal(F: Any, x: Any) -> Any:
    return x - F.diag_embed(diagonal(F, x))


def identity(F: Any, x: Any) -> Any:
    """The identity among the matrices of the shape of `x`."""
    return F.diag_embed(F.ones_like(diagonal(F, x)))


def scaled(F: Any, x: Any, by_column: Any) -> Any:
    """The columns of `x` times numbers."""
    return x * F.unsqueeze(by_column, -2)


def check_phase(F: Any, x: Any, name: str, vectors: str, why: str) -> None:
    """RuntimeError if a loss depends on the phases of complex vectors, which are arbitrary.

    In a function transform, or where modes and classes are, it is not looked at, as in torch.
    """
    if is_transformed(x) or is_seen(F, x):
        return
    phases = F.imag(x)
    if not is_true((F.abs(phases) <= 1e-2).all(), True):
        raise RuntimeError(
            f"{name}: The {vectors} in the complex case are specified up to multiplication by "
            f"e^{{i phi}}. The specified loss function depends on this {why} ill-defined."
        )


# ---- qr


def qr_mode(mode: str) -> tuple[bool, bool]:
    """Whether Q is computed, and whether it is reduced."""
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(
            f"qr received unrecognized mode '{mode}' but expected one of 'reduced' (default), 'r', "
            "or 'complete'"
        )
    return mode != "r", mode != "complete"


def qr_forward(xp: Any, A: Any, mode: str) -> Any:
    check_matrices(A, "linalg.qr")
    check_floating(A, "linalg.qr")
    qr_mode(mode)
    check_kernel(A, "geqrf_cpu")

    def kernel(a: Any) -> Any:
        if mode == "r":
            r = decompositions.qr(a, "r")
            return numpy.empty(0, a.dtype), lapack.by_columns(r)
        return tuple(map(lapack.by_columns, decompositions.qr(a, mode)))

    return on_host(xp, kernel, A)


def sizes_of_qr(mode: str, Q: Any, R: Any) -> tuple[int, int]:
    """Rows and columns of the matrix; RuntimeError where its decomposition has no derivative."""
    with_q, reduced = qr_mode(mode)
    if not with_q:
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. "
            "Please use linalg.qr(A, mode='reduced') if you are going to differentiate "
            "through linalg.qr."
        )
    rows, columns = Q.shape[-2], R.shape[-1]
    if not reduced and rows > columns:
        raise RuntimeError(
            "The QR decomposition is not differentiable when mode='complete' and nrows > ncols."
        )
    return rows, columns


def diagonal_halved(F: Any, x: Any) -> Any:
    """`x`, which a formula has made, with half of its diagonal."""
    multiply(F, diagonal(F, x), 0.5)
    return x


def qr_backward(F: Any, grads: Any, Q: Any, R: Any, mode: str) -> Any:
    by_q, by_r = grads
    if by_q is None and by_r is None:
        return None
    rows, columns = sizes_of_qr(mode, Q, R)
    y = None if by_q is None else F.matmul(mH(F, Q), by_q)
    if by_r is None:
        x = -y
    else:
        x = F.matmul(by_r, mH(F, R))
        x = x if y is None else x - y
    if rows >= columns:
        x = F.triu(x)
        x = F.matmul(Q, diagonal_halved(F, x + mH(F, x)))
        x = x if by_q is None else x + by_q
        return F.linalg_solve_triangular(mH(F, R), x, upper=False, left=False)
    x = -x
    x = F.tril(x - mH(F, x))
    x = F.matmul(Q, diagonal_halved(F, x) if is_complex(x) else x)  # real numbers leave zeros there
    square = F.narrow(R, -1, 0, rows)
    x = F.linalg_solve_triangular(mH(F, square), x, upper=False, left=False)
    x = F.cat((x, F.new_zeros(x, (*x.shape[:-1], columns - rows))), -1)
    return x if by_r is None else x + F.matmul(Q, by_r)


def qr_tangents(F: Any, A_t: Any, Q: Any, R: Any, mode: str) -> Any:
    rows, columns = sizes_of_qr(mode, Q, R)
    if rows >= columns:
        x = F.linalg_solve_triangular(R, A_t, upper=True, left=False)
        y = F.matmul(mH(F, Q), x)
        y = F.triu(diagonal_halved(F, y + mH(F, y)))
        return x - F.matmul(Q, y), F.matmul(y, R)
    moved = F.matmul(mH(F, Q), A_t)
    square = F.narrow(R, -1, 0, rows)
    x = F.narrow(moved, -1, 0, rows)
    x = F.linalg_solve_triangular(square, x, upper=True, left=False)
    below = F.tril(x, -1)
    turned = below - mH(F, below)
    if is_complex(x):
        turned = turned + F.diag_embed(F.imag(diagonal(F, x)) * 1j)
    return F.matmul(Q, turned), moved - F.matmul(turned, R)


linalg_qr = operator(
    "linalg_qr(Tensor A, str mode='reduced') -> (Tensor Q, Tensor R)",
    node="LinalgQrBackward0",
    forward=qr_forward,
    A=qr_backward,
    result=qr_tangents,
    on=("F",),
    variants=("out",),
    out=Out(EXACT, overlap=APART),
)


_QR = """\
torch.qr is deprecated in favor of torch.linalg.qr and will be removed in a future PyTorch release.
The boolean parameter 'some' has been replaced with a string parameter 'mode'.
Q, R = torch.qr(A, some)
should be replaced with
Q, R = torch.linalg.qr(A, 'reduced' if some else 'complete')\
"""


@composite("qr", own_out=Out(EXACT, overlap=APART, error_name="linalg_qr"))
def qr(input: Any, some: bool = True, *, out: Any = None) -> Any:
    """(Q, R) of matrices; Q is square unless `some`. As torch.qr, which is deprecated."""
    warn_once(_QR)
    found = linalg_qr(input, "reduced" if some else "complete", out=out)
    return return_type("qr" if out is None else "qr_out", ("Q", "R"))(found)


# ---- svd


@with_empty_halves()
def svd_forward(xp: Any, A: Any, full_matrices: bool, compute_uv: bool, driver: Any) -> Any:
    check_matrices(A, "linalg.svd")
    check_floating(A, "linalg.svd")
    if driver is not None and A.size:
        raise RuntimeError(
            "torch.linalg.svd: keyword argument `driver=` is only supported on CUDA inputs with "
            "cuSOLVER backend."
        )
    check_kernel(A, "linalg_svd_cpu")

    *batch, rows, columns = A.shape
    if compute_uv and not (rows or columns):
        shape = (*batch, 0, 0)
        U, Vh = [xp.empty_strided(shape, lapack.strides_by_columns(shape), A.dtype) for _ in "UV"]
        return U, xp.empty((*batch, 0), A.real.dtype), Vh

    def kernel(a: Any) -> Any:
        try:
            if compute_uv:
                found = singular_vectors.svd(a, full_matrices)
            else:
                found = decompositions.svd(a, full_matrices, compute_uv)
        except numpy.linalg.LinAlgError:
            failed = "contained non-finite values."
            if every(numpy.isfinite(a)):
                failed = "is ill-conditioned or has too many repeated singular values."
            raise lapack._LinAlgError(
                "linalg.svd: The algorithm failed to converge because the input matrix " + failed
            ) from None
        if not compute_uv:
            return numpy.empty(0, a.dtype), found, numpy.empty(0, a.dtype)
        return lapack.by_columns(found[0]), found[1], lapack.by_columns(found[2])

    return (on_host_as_is if compute_uv else on_host)(xp, kernel, A)


def parts_of(F: Any, U: Any, S: Any, Vh: Any, full_matrices: bool) -> Any:
    """The singular vectors that belong to singular values."""
    least = S.shape[-1]
    if not full_matrices:
        return U, Vh
    Vh = None if Vh is None else F.narrow(Vh, -2, 0, least)
    return None if U is None else F.narrow(U, -1, 0, least), Vh


def svd_backward(
    F: Any,
    grads: Any,
    U: Any,
    S: Any,
    S_sym_argsize_minus_1: int,
    Vh: Any,
    full_matrices: bool,
) -> Any:
    by_u, by_s, by_v = grads
    if by_u is None and by_s is None and by_v is None:
        return None
    if len(U.shape) < 2:
        raise RuntimeError(
            "U.dim() >= 2 && Vh.dim() >= 2 INTERNAL ASSERT FAILED at "
            '"/__w/pytorch/pytorch/torch/csrc/autograd/FunctionsManual.cpp":3728, please report a '
            "bug to PyTorch. "
        )
    U, Vh = parts_of(F, U, S, Vh, full_matrices)
    by_u, by_v = parts_of(F, by_u, S, by_v, full_matrices)
    rows, columns, least = U.shape[-2], Vh.shape[-1], S_sym_argsize_minus_1
    if by_u is None and by_v is None:
        if rows >= columns:
            return F.matmul(U, F.unsqueeze(by_s, -1) * Vh)
        return F.matmul(scaled(F, U, by_s), Vh)
    x = y = None
    if by_u is not None:
        x = F.matmul(mH(F, U), by_u)
        x = x - mH(F, x)
    if by_v is not None:
        y = F.matmul(Vh, mH(F, by_v))
        y = y - mH(F, y)
    if is_complex(U):
        phases = [diagonal(F, each) for each in (x, y) if each is not None]
        check_phase(
            F,
            sum(phases[1:], phases[0]),
            "svd_backward",
            "singular vectors",
            "phase term, making it",
        )
    E = apart(F, S * S, 1)
    if y is None:
        inner = scaled(F, x / E, S)
    elif x is None:
        inner = F.unsqueeze(S, -1) * (y / E)
    else:
        beside = F.unsqueeze(S, -1) * y
        inner = (scaled(F, x, S) + beside) / E
    if by_s is not None:
        inner = inner + F.diag_embed(by_s)
    if is_complex(U) and x is not None and y is not None:
        inner = inner + F.diag_embed(diagonal(F, x) / (S * 2.0))
    if by_u is not None and rows > least:
        within = F.matmul(U, inner)
        beside = by_u / F.unsqueeze(S, -2)
        along = F.matmul(U, F.matmul(mH(F, U), beside))
        return F.matmul(within + beside - along, Vh)
    if by_v is not None and columns > least:
        within = F.matmul(inner, Vh)
        below = by_v / F.unsqueeze(S, -1)
        along = F.matmul(F.matmul(below, mH(F, Vh)), Vh)
        return F.matmul(U, within + below - along)
    if rows >= columns:
        return F.matmul(U, F.matmul(inner, Vh))
    return F.matmul(F.matmul(U, inner), Vh)


def svd_tangents(F: Any, A_t: Any, U: Any, S: Any, Vh: Any, full_matrices: bool) -> Any:
    wide, tall = Vh.shape[-2], U.shape[-1]
    U, Vh = parts_of(F, U, S, Vh, full_matrices)
    rows, columns, least = U.shape[-2], Vh.shape[-1], S.shape[-1]
    x = F.matmul(F.matmul(mH(F, U), A_t), mH(F, Vh))
    d = diagonal(F, x)
    E = apart(F, S * S)
    u, v = scaled(F, x, S), F.unsqueeze(S, -1) * x
    u, v = (off_diagonal(F, (each + mH(F, each)) / E) for each in (u, v))
    if is_complex(U):
        phase = F.diag_embed(F.imag(d) * 1j / (S * 2))
        u, v = u + phase, v - phase
    u, v = F.matmul(U, u), F.matmul(mH(F, Vh), v)
    if rows > least:
        beside = F.matmul(A_t, mH(F, Vh)) / F.unsqueeze(S, -2)
        u = u + beside - F.matmul(U, F.matmul(mH(F, U), beside))
    if columns > least:
        beside = F.matmul(mH(F, A_t), U) / F.unsqueeze(S, -2)
        v = v + beside - F.matmul(mH(F, Vh), F.matmul(Vh, beside))
    v = mH(F, v)
    if tall > least:
        u = F.constant_pad_nd(u, (0, tall - least))
    if wide > least:
        v = F.constant_pad_nd(v, (0, 0, 0, wide - least))
    return u, F.real(d), v


svd_row = operator(
    "_linalg_svd(Tensor A, bool full_matrices=False, bool compute_uv=True, *, str? driver=None)"
    " -> (Tensor U, Tensor S, Tensor Vh)",
    node="LinalgSvdBackward0",
    forward=svd_forward,
    A=svd_backward,
    result=svd_tangents,
    on=("function",),
    variants=("out",),
    out=Out(EXACT, overlap=APART),
)


@composite(
    "linalg_svd",
    on=("F",),
    out=Out(EXACT, overlap=APART, error_name="_linalg_svd", order=(0, 2, 1)),
    calls=READS_BITS,
)
def linalg_svd(A: Any, full_matrices: bool = True, *, driver: Any = None) -> Any:
    """(U, S, Vh) of A = U diag(S) Vh. As torch.linalg.svd."""
    found = svd_row(A, full_matrices, True, driver=driver)
    return return_type("linalg_svd", ("U", "S", "Vh"))(found)


def vectors_wanted(row: Any, A: Any) -> bool:
    """Whether a derivative of eigenvalues may be asked for, which needs the vectors too.

    Modes may ask for one, and so may classes that compute by themselves.
    """
    return bool(LEVELS or STACK.get()) or is_wrapper(A) or wants_grad(row, [A])


@composite("linalg_svdvals", on=("F",), out=Out(EXACT, overlap=APART, error_name="_linalg_svd"))
def linalg_svdvals(A: Any, *, driver: Any = None) -> Any:
    """The singular values, the largest first. As torch.linalg.svdvals."""
    return svd_row(A, False, vectors_wanted(svd_row.row, A), driver=driver)[1]


def shapes_of_svd(A: Any, some: bool = True, compute_uv: bool = True) -> Any:
    """The shapes that out= of svd gets before LAPACK is asked for; none without matrices."""
    if A.dim() < 2 or not compute_uv:
        return ()
    *batch, rows, columns = A.shape
    least = min(rows, columns)
    tall, wide = (least, least) if some else (rows, columns)
    return (*batch, rows, tall), (*batch, least), (*batch, wide, columns)


@composite("svd", own_out=Out(EXACT, overlap=APART, error_name="_linalg_svd", sized=shapes_of_svd))
def svd(input: Any, some: bool = True, compute_uv: bool = True, *, out: Any = None) -> Any:
    """(U, S, V) of A = U diag(S) V^H; U and V are zeros unless `compute_uv`."""
    if out is not None:
        check_outs("svd(): ", out, 3)
        turned = (
            out[2].dim() >= 2
        )  # torch transposes V in place, before and after, and conjugates it
        if turned:
            check_writable(out[2], recording() and out[2].requires_grad)
        found = deliver("svd", svd, out, ((input, some, compute_uv), {}))
        for _ in range(1 + turned + input.is_complex()):
            note_write(out[2], None)
        return found
    if input.dim() < 2:
        raise RuntimeError(
            "linalg.svd: input should have at least 2 dimensions, but has "
            f"{input.dim()} dimensions instead"
        )
    kind = return_type("svd", ("U", "S", "V"))
    if compute_uv:
        U, S, Vh = svd_row(input, not some)
        return kind((U, S, Vh.mH))
    S = linalg_svdvals(input)
    rows, columns = input.shape[-2:]
    batch = input.shape[:-2]
    U, V = (input.new_zeros((*batch, n, n)) for n in (rows, columns))
    return kind((U, S, V.mT))


# ---- eigh, eig


def eig_backward(F: Any, by_l: Any, by_v: Any, L: Any, V: Any, hermitian: bool) -> Any:
    if by_l is None and by_v is None:
        return None
    if by_v is None:
        if hermitian:
            adjoint = mH(F, V)
            return F.matmul(scaled(F, V, by_l), adjoint)
        adjoint = mH(F, V)
        scaled_rows = F.unsqueeze(by_l, -1) * adjoint
        return F.linalg_solve(mH(F, V), scaled_rows)
    x = F.matmul(mH(F, V), by_v)
    d = diagonal(F, x)
    if is_complex(V):
        name = "linalg_eigh_backward" if hermitian else "linalg_eig_backward"
        check_phase(F, d, name, "eigenvectors", "quantity, so it is")
    if hermitian:
        x = (x - mH(F, x)) * 0.5
    else:
        along = scaled(F, V, F.real(d))
        x = x - F.matmul(mH(F, V), along)
    differences = apart(F, L.conj())
    seen = is_seen(F, x)
    in_place = F is not RAW and not (is_transformed(x) or is_transformed(differences))
    x = x.div_(differences) if in_place else x / differences  # autocast sees which
    if by_l is not None:
        if seen:
            x = OPS.diagonal_scatter(x, by_l, 0, -2, -1)
        elif not is_transformed(by_l):
            overwrite(F, diagonal(F, x), by_l)
        else:
            if is_complex(x) and not is_complex(by_l):
                by_l = F.complex(by_l, F.zeros_like(by_l))
            x = off_diagonal(F, x) + F.unsqueeze(by_l, -1) * identity(F, x)
    x = F.matmul(x, mH(F, V))
    return F.matmul(V, x) if hermitian else F.linalg_solve(mH(F, V), x)


def eig_tangents(F: Any, A_t: Any, L: Any, V: Any, hermitian: bool) -> Any:
    if hermitian:
        x = F.matmul(F.matmul(mH(F, V), A_t), V)
    else:
        tangent = A_t if is_complex(A_t) else F.complex(A_t, F.zeros_like(A_t))
        x = F.linalg_solve(V, F.matmul(tangent, V))
    d = diagonal(F, x)
    by_l = F.real(d) if hermitian else d
    x = F.matmul(V, off_diagonal(F, x / apart(F, L)))
    if hermitian:
        return by_l, x
    inner = diagonal(F, F.matmul(mH(F, V), x))
    return by_l, x - scaled(F, V, F.real(inner))


@with_empty_halves()
def eigh_forward(xp: Any, A: Any, UPLO: str, compute_v: bool) -> Any:
    check_square(A, "linalg.eigh")
    if UPLO.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {UPLO}")
    check_kernel(A, "linalg_eigh_cpu")

    uplo = UPLO.upper()

    def kernel(a: Any) -> Any:
        values, vectors, info = lapack.eigh(a, uplo, compute_v)
        if compute_v and not info.any():
            vectors = eigenvectors.turned(a, values, vectors, uplo == "L")
        return values, vectors, info

    found = (on_host_as_is if compute_v else on_host)(xp, kernel, A)
    check_info(found[2], "linalg.eigh")
    return found[:2]


eigh_row = operator(
    '_linalg_eigh(Tensor A, str UPLO="L", bool compute_v=True)'
    " -> (Tensor eigenvalues, Tensor eigenvectors)",
    node="LinalgEighBackward0",
    forward=eigh_forward,
    A=lambda F, grads, eigenvalues, eigenvectors: eig_backward(
        F, *grads, eigenvalues, eigenvectors, True
    ),
    result=lambda F, A_t, eigenvalues, eigenvectors: eig_tangents(
        F, A_t, eigenvalues, eigenvectors, True
    ),
    on=("function",),
    variants=("out",),
    out=Out(EXACT, overlap=APART, order=(1, 0)),
)


def check_before_eigh(out: Any, A: Any, UPLO: str = "L") -> None:
    """Raises what is said of a pair of out= and of the shape of `A` before dtypes are looked at."""
    check_outs("linalg_eigh(): ", out, 2)
    check_square(A._array, "linalg.eigh")


@composite(
    "linalg_eigh",
    on=("F",),
    out=Out(
        EXACT,
        overlap=APART,
        error_name="_linalg_eigh",
        order=(1, 0),
        given=check_before_eigh,
        known=lambda A: (A.dtype.to_real() if A.dtype.is_complex else A.dtype, A.dtype),
    ),
)
def linalg_eigh(A: Any, UPLO: str = "L") -> Any:
    """The eigenvalues and eigenvectors of Hermitian matrices. As torch.linalg.eigh.

    UPLO: which triangle is read, "L" or "U".
    """
    found = eigh_row(A, UPLO)
    return return_type("linalg_eigh", ("eigenvalues", "eigenvectors"))(found)


@composite(
    "linalg_eigvalsh",
    on=("F",),
    out=Out(
        EXACT,
        overlap=APART,
        error_name="_linalg_eigh",
        memory_first=("linalg.eigh", "Expected UPLO"),
        sized=lambda A, UPLO="L": A.shape[:-1],
    ),
)
def linalg_eigvalsh(A: Any, UPLO: str = "L") -> Any:
    """The eigenvalues of Hermitian matrices in ascending order. As torch.linalg.eigvalsh."""
    return eigh_row(A, UPLO, vectors_wanted(eigh_row.row, A))[0]


def complex_of(A: Any) -> Any:
    """The dtype of eigenvalues of any matrices. RuntimeError with torch's text for integers."""
    if A.dtype.number_kind < dtypes.Kind.FLOATING:
        raise RuntimeError(f"Unknown Complex ScalarType for {A.dtype.scalar_name}")
    return A.dtype.to_complex()


def eig_forward(xp: Any, self: Any) -> Any:
    check_eig(self, "linalg.eig")

    def kernel(a: Any) -> Any:
        kind = dtypes.of(a).to_complex().numpy
        values, vectors = decompositions.eig(a)
        return values.astype(kind, copy=False), lapack.by_columns(vectors.astype(kind, copy=False))

    return on_host(xp, kernel, self)


def eig_gradient(F: Any, grads: Any, self_options: Any, eigenvalues: Any, eigenvectors: Any) -> Any:
    found = eig_backward(F, *grads, eigenvalues, eigenvectors, False)
    return found if found is None or self_options[0].is_complex else F.real(found)


linalg_eig = operator(
    "linalg_eig(Tensor self) -> (Tensor eigenvalues, Tensor eigenvectors)",
    node="LinalgEigBackward0",
    forward=eig_forward,
    kernel="linalg_eig_out_cpu",
    knows=EVERY - HALVES - COMPLEX_HALF,
    self=eig_gradient,
    result=lambda F, self_t, eigenvalues, eigenvectors: eig_tangents(
        F, self_t, eigenvalues, eigenvectors, False
    ),
    on=("F",),
    variants=("out",),
    out=Out(
        *safely_castable("torch.linalg.eig", "eigenvalues", "eigenvectors"),
        strides=ROWS_UNLESS_EMPTY,
        given=lambda out, A: check_square(A._array, "linalg.eig"),
        known=lambda A: (complex_of(A),) * 2,
    ),
)


@composite(
    "linalg_eigvals",
    on=("F",),
    out=Out(
        *safely_castable("torch.linalg.eigvals", "eigenvalues"),
        strides=ROWS_UNLESS_EMPTY,
        autograd=False,
        given=lambda out, A: check_square(A._array, "linalg.eigvals"),
        known=lambda A: (complex_of(A),),
    ),
)
def linalg_eigvals(input: Any) -> Any:
    """The eigenvalues of square matrices. As torch.linalg.eigvals."""
    # With a gradient torch computes vectors as well, and lets eig refuse.
    if input.dtype.number_kind >= dtypes.Kind.FLOATING and not (
        recording() and requires_grad(input)
    ):
        check_square(input._array, "linalg.eigvals")
    if input.dtype is dtypes.float16:  # whose one result torch makes first
        warn_of_halves()
        check_kernel(input._array, "linalg_eig_out_cpu")
    return linalg_eig(input)[0]

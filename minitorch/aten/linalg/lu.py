"""The factorization of a matrix into two triangles, in any order of its rows: lu."""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.aten.linalg.checks import (
    check_errors,
    check_floating,
    check_info,
    check_kernel,
    check_square,
    mH,
    on_host,
    swapped,
    with_empty_halves,
)
from minitorch.aten.linalg.triangles import check_equation
from minitorch.aten.shape.triangles import triangle
from minitorch.core.arrays import lapack, on_numpy
from minitorch.core.arrays.lazy import lazy
from minitorch.core.arrays.questions import largest_of, least_of
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.calls import IN_PYTHON
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.general.writing import check_outs
from minitorch.core.declare.out import APART, EXACT, Out
from minitorch.core.declare.registry import FUNCTIONS
from minitorch.core.declare.vmap import WARNS, VMap
from minitorch.core.declare.wording.return_types import return_type
from minitorch.core.declare.wording.signatures import refusal
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import EVERY, LATE_UNSIGNED
from minitorch.core.tensor.conversion import entry_of
from minitorch.core.warning import warn_once


def lu_backward(F: Any, grad_L: Any, grad_U: Any, P: Any, L: Any, U: Any) -> Any:
    """The gradient of A = P L U. As linalg_lu_backward of FunctionsManual.cpp, for any shape."""
    if grad_L is None and grad_U is None:
        return None
    least, rows, columns = L.shape[-1], L.shape[-2], U.shape[-1]

    def from_left(x: Any) -> Any:
        lower = F.narrow(L, -2, 0, least) if rows > columns else L
        return F.linalg_solve_triangular(mH(F, lower), x, upper=True, unitriangular=True)

    def from_right(x: Any) -> Any:
        upper = F.narrow(U, -1, 0, least) if rows < columns else U
        return F.linalg_solve_triangular(mH(F, upper), x, upper=False, left=False)

    # Elements that the triangles below leave out stay in the products, as in torch.
    by_l = by_u = None
    if grad_U is not None and rows > columns:
        by_u = F.matmul(grad_U, mH(F, U))
    if grad_L is not None:
        adjoint = mH(F, L)
        by_l = F.matmul(adjoint, F.tril(grad_L, -1) if rows > columns else grad_L)
        by_l = F.tril(by_l, -1) if rows == columns else by_l
    if grad_U is not None and rows <= columns:
        moved = F.triu(grad_U) if rows < columns else grad_U
        by_u = F.matmul(moved, mH(F, U))
    if rows == columns:
        parts = ([] if by_l is None else [by_l]) + ([] if by_u is None else [F.triu(by_u)])
        x = from_left(from_right(sum(parts[1:], parts[0])))
    elif rows < columns:
        x = F.tril((0 if by_l is None else by_l) - (0 if by_u is None else by_u), -1)
        x = from_right(x)
        rest = columns - rows
        if grad_U is None:
            zeros = F.zeros_like(F.narrow(U, -1, rows, rest))
            x = F.cat((from_left(x), zeros), -1)
        else:
            first = x + F.triu(F.narrow(grad_U, -1, 0, rows))
            x = from_left(F.cat((first, F.narrow(grad_U, -1, rows, rest)), -1))
    else:
        x = F.triu((0 if by_u is None else by_u) - (0 if by_l is None else by_l))
        x = from_left(x)
        rest = rows - columns
        if grad_L is None:
            zeros = F.zeros_like(F.narrow(L, -2, columns, rest))
            x = F.cat((from_right(x), zeros), -2)
        else:
            first = x + F.tril(F.narrow(grad_L, -2, 0, columns), -1)
            x = from_right(F.cat((first, F.narrow(grad_L, -2, columns, rest)), -2))
    return F.matmul(P, x)


def lu_tangents(F: Any, tangent: Any, P: Any, L: Any, U: Any) -> tuple[Any, Any]:
    """The tangents of L and U. As linalg_lu_jvp of FunctionsManual.cpp."""
    least, rows, columns = L.shape[-1], L.shape[-2], U.shape[-1]
    lower, upper = F.narrow(L, -2, 0, least), F.narrow(U, -1, 0, least)
    moved = F.matmul(F.transpose(P, -2, -1), tangent)
    square = F.narrow(F.narrow(moved, -2, 0, least), -1, 0, least)
    x = F.linalg_solve_triangular(upper, square, upper=True, left=False)
    x = F.linalg_solve_triangular(lower, x, upper=False, unitriangular=True)
    by_l, by_u = F.matmul(lower, F.tril(x, -1)), F.matmul(F.triu(x), upper)
    if rows > columns:
        rest = rows - columns
        below = F.narrow(moved, -2, columns, rest)
        below = below - F.matmul(F.narrow(L, -2, columns, rest), by_u)
        below = F.linalg_solve_triangular(upper, below, upper=True, left=False)
        by_l = F.cat((by_l, below), -2)
    elif rows < columns:
        rest = columns - rows
        beside = F.narrow(moved, -1, rows, rest)
        beside = beside - F.matmul(by_l, F.narrow(U, -1, rows, rest))
        beside = F.linalg_solve_triangular(lower, beside, upper=False, unitriangular=True)
        by_u = F.cat((by_u, beside), -1)
    return by_l, by_u


def padded(F: Any, x: Any, rows: int, columns: int) -> Any:
    """Matrices with zeros below or beside them."""
    *lead, height, width = x.shape
    if width < columns:
        return F.cat((x, F.new_zeros(x, (*lead, height, columns - width))), -1)
    return F.cat((x, F.new_zeros(x, (*lead, rows - height, width))), -2) if height < rows else x


def in_one(F: Any, by_l: Any, by_u: Any, rows: int, columns: int) -> Any:
    """One matrix of the parts by L, below the diagonal, and by U, as LU keeps the factors."""
    if by_l is None and by_u is None:
        return None
    if by_l is None or by_u is None:
        only = F.triu(by_u) if by_l is None else F.tril(by_l, -1)
        return padded(F, only, rows, columns)
    if rows == columns:
        triangle = F.triu(by_u)
        return F.tril(by_l, -1) + triangle
    dim, longer = (-1, by_u) if rows < columns else (-2, by_l)
    least, rest = min(rows, columns), abs(rows - columns)
    triangle = F.triu(by_u) if rows > columns else None
    square = F.narrow(longer, dim, 0, least)
    if rows < columns:
        triangle = F.triu(square)
        square = F.tril(by_l, -1) + triangle
    else:
        square = F.tril(square, -1) + triangle
    return F.cat((square, F.narrow(longer, dim, least, rest)), dim)


def check_factored(A: Any, pivot: bool, name: str) -> None:
    """Raises torch's errors for a matrix that LU factorizations refuse."""
    if A.ndim < 2:
        raise RuntimeError(
            f"{name}: Expected tensor with 2 or more dimensions. Got size: {list(A.shape)} instead"
        )
    if not A.size:
        return
    check_kernel(A, "lu_cpu")
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")


@with_empty_halves()
def lu_factor_ex_forward(xp: Any, A: Any, pivot: bool, check_errors: bool) -> Any:
    check_factored(A, pivot, "torch.lu_factor")
    found = on_host(xp, lapack.lu_factor, A)
    if check_errors:
        check_info(found[2], "torch.linalg.lu_factor_ex")
    return found


def lu_factor_ex_backward(F: Any, grad: Any, LU: Any, pivots: Any) -> Any:
    P, L, U = F.lu_unpack(LU, pivots)
    least = pivots.shape[-1]
    return lu_backward(F, F.narrow(grad, -1, 0, least), F.narrow(grad, -2, 0, least), P, L, U)


def lu_factor_ex_tangent(F: Any, A_t: Any, LU: Any, pivots: Any) -> Any:
    P, L, U = F.lu_unpack(LU, pivots)
    return in_one(F, *lu_tangents(F, A_t, P, L, U), *LU.shape[-2:])


lu_factor_ex = operator(
    "linalg_lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False)"
    " -> (Tensor LU, Tensor pivots, Tensor info)",
    node="LinalgLuFactorExBackward0",
    forward=lu_factor_ex_forward,
    A=lambda F, grad, LU, pivots, pivot: lu_factor_ex_backward(F, grad, LU, pivots),
    result=lu_factor_ex_tangent,
    differentiable=(True, False, False),
    on=("F",),
    variants=("out",),
    out=Out(EXACT, overlap=APART),
)


@composite(
    "linalg_lu_factor", on=("F",), out=Out(EXACT, overlap=APART, error_name="linalg_lu_factor_ex")
)
def lu_factor(A: Any, *, pivot: bool = True) -> Any:
    """(LU, pivots): the factors of A = P L U in one matrix, and which rows were swapped."""
    LU, pivots, info = lu_factor_ex(A, pivot=pivot)
    check_errors(info, "torch.linalg.lu_factor", is_matrix=A.dim() == 2)
    return return_type("linalg_lu_factor", ("LU", "pivots"))((LU, pivots))


def unpacked(lu: Any, pivots: Any, data: bool, order: bool) -> Any:
    """(P, L, U) of the factors in one matrix."""
    rows, columns = lu.shape[-2:]
    least = min(rows, columns)
    P = lapack.permutation(pivots, rows, lu.dtype) if order else numpy.empty(0, lu.dtype)
    if not data:
        return P, numpy.empty(0, lu.dtype), numpy.empty(0, lu.dtype)
    L = triangle(on_numpy, lu[..., :least], -1, "tril") + numpy.eye(rows, least, dtype=lu.dtype)
    U = triangle(on_numpy, lu[..., :least, :], 0, "triu")
    return tuple([x if x.flags.c_contiguous else x.copy() for x in (P, L, U)])


def lu_unpack_forward(
    xp: Any, LU_data: Any, LU_pivots: Any, unpack_data: bool, unpack_pivots: bool
) -> Any:
    if unpack_pivots and LU_pivots.dtype != numpy.int32:
        raise RuntimeError(
            "torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of torch.int32 "
            "dtype.\nNote: this function is intended to be used with the output produced by "
            "torch.linalg.lu_factor"
        )
    if unpack_pivots and (
        LU_pivots.size
        and bool(least_of(LU_pivots) < 1 or largest_of(LU_pivots) > LU_data.shape[-2])
    ):
        raise RuntimeError(
            "pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive."
            "Did you properly pass the result of lu_factor?"
        )
    return on_host(xp, unpacked, LU_data, LU_pivots, data=unpack_data, order=unpack_pivots)


lu_unpack = operator(
    "lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True)"
    " -> (Tensor P, Tensor L, Tensor U)",
    node="LuUnpackBackward0",
    forward=lu_unpack_forward,
    kernel="tril",
    knows=EVERY - LATE_UNSIGNED,
    LU_data=lambda F, grads, LU_data_sym_argsize_minus_2, LU_data_sym_argsize_minus_1: in_one(
        F, *grads, LU_data_sym_argsize_minus_2, LU_data_sym_argsize_minus_1
    ),
    result=(
        lambda F, LU_data_t: F.tril(F.narrow(LU_data_t, -1, 0, min(LU_data_t.shape[-2:])), -1),
        lambda F, LU_data_t: F.triu(F.narrow(LU_data_t, -2, 0, min(LU_data_t.shape[-2:]))),
    ),
    differentiable=(False, True, True),
    on=("function",),
    variants=("out",),
    out=Out(EXACT, overlap=APART),
)


@with_empty_halves()
def linalg_lu_forward(xp: Any, A: Any, pivot: bool) -> Any:
    check_factored(A, pivot, "linalg.lu")
    found = on_host(xp, lambda a: unpacked(*lapack.lu_factor(a)[:2], data=True, order=True), A)
    return found if pivot else (xp.empty(0, A.dtype), *found[1:])


linalg_lu = operator(
    "linalg_lu(Tensor A, *, bool pivot=True) -> (Tensor P, Tensor L, Tensor U)",
    node="LinalgLuBackward0",
    forward=linalg_lu_forward,
    A=lambda F, grads, P, L, U, pivot: lu_backward(F, *grads, P, L, U),
    result=lambda F, A_t, P, L, U: lu_tangents(F, A_t, P, L, U),
    differentiable=(False, True, True),
    on=("F",),
    variants=("out",),
    out=Out(EXACT, overlap=APART),
    vmap=WARNS,
)


@with_empty_halves(2)
def lu_solve_forward(xp: Any, LU: Any, pivots: Any, B: Any, left: bool, adjoint: bool) -> Any:
    name = "linalg.lu_solve"
    check_floating(LU, f"torch.{name}")
    if LU.dtype != B.dtype:
        raise RuntimeError(
            f"{name}: Expected LU and B to have the same dtype, but found LU of type "
            f"{dtypes.of(LU).scalar_name} and B of type {dtypes.of(B).scalar_name} instead"
        )
    if pivots.dtype != numpy.int32:
        raise RuntimeError(f"{name}: pivots should be a Tensor of scalar type torch.int32")
    check_square(LU, f"torch.{name}")
    check_equation(LU, B, left, name)
    if entry_of(pivots.shape, -1) != LU.shape[-1]:
        raise RuntimeError(
            f"{name}: Number of pivots per batch should be same as the dimension of the matrix"
        )
    if LU.shape[:-1] != pivots.shape:
        raise RuntimeError(
            f"{name}: Expected LU.shape[:-1] and pivots.shape to be the same, but got pivots with "
            f"shape {list(pivots.shape)} instead"
        )
    if B.size and pivots.size:
        low, high = least_of(pivots) < 1, largest_of(pivots) > LU.shape[-2]
        if low or high:
            raise RuntimeError(
                "Pivots given to lu_solve must all be "
                f"{'greater or equal to 1' if low else 'smaller or equal to LU.size(-2)'}. "
                "Did you properly pass the result of lu_factor?"
            )
    check_kernel(LU, "linalg.lu_solve_cpu")

    def kernel(lu: Any, swaps: Any, b: Any) -> Any:
        if left:
            return lapack.lu_solve(lu, swaps, b, adjoint)
        x = lapack.lu_solve(lu, swaps, swapped(b).conj(), not adjoint)
        return numpy.ascontiguousarray(swapped(x))

    found = on_host(xp, kernel, LU, pivots, B)
    # torch solves for the conjugate, and sets a bit of its result.
    return found if left else lazy(found, found.dtype.kind == "c" and found.size > 0, False)


def lu_solve_by_factors(
    F: Any, grad: Any, LU: Any, pivots: Any, result: Any, left: bool, adjoint: bool
) -> Any:
    """The gradient of the factors of A in op(A) X = B or X op(A) = B."""
    P, L, U = F.lu_unpack(LU, pivots, unpack_pivots=left == adjoint)
    if left != adjoint:
        grad, X = (grad, mH(F, result)) if left else (mH(F, grad), result)
        moved = -F.matmul(grad, X)
        by_u = F.linalg_solve_triangular(mH(F, U), moved, upper=False)
        by_l = F.matmul(by_u, mH(F, U))
        by_l = F.linalg_solve_triangular(mH(F, L), by_l, upper=True, unitriangular=True)
        return F.tril(by_l, -1) + F.triu(by_u)
    else:
        permuted = F.transpose(P, -2, -1)
        X = result if left else mH(F, result)
        moved = F.matmul(permuted, X)
        by_l = -F.matmul(F.matmul(moved, mH(F, grad) if left else grad), P)
        by_l = F.linalg_solve_triangular(mH(F, L), by_l, upper=True, left=False, unitriangular=True)
        by_u = F.matmul(mH(F, L), by_l)
        by_u = F.linalg_solve_triangular(mH(F, U), by_u, upper=False, left=False)
    triangle = F.triu(by_u)
    return F.tril(by_l, -1) + triangle


def lu_solve_tangent(
    F: Any,
    LU_p: Any,
    LU_t: Any,
    pivots: Any,
    B_t: Any,
    result: Any,
    left: bool,
    adjoint: bool,
) -> Any:
    P, L, U = F.lu_unpack(LU_p, pivots)
    moved = F.matmul(F.tril(LU_t, -1), U) + F.matmul(L, F.triu(LU_t))
    moved = F.matmul(P, moved)
    moved = mH(F, moved) if adjoint else moved
    rest = B_t - (F.matmul(moved, result) if left else F.matmul(result, moved))
    return F.linalg_lu_solve(LU_p, pivots, rest, left=left, adjoint=adjoint)


linalg_lu_solve = operator(
    "linalg_lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False)"
    " -> Tensor",
    node="LinalgLuSolveBackward0",
    forward=lu_solve_forward,
    LU=lu_solve_by_factors,
    B=lambda F, grad, LU, pivots, left, adjoint: F.linalg_lu_solve(
        LU, pivots, grad, left=left, adjoint=not adjoint
    ),
    result=lu_solve_tangent,
    constant=("pivots",),
    on=("F",),
    variants=("out",),
    out=Out(EXACT, overlap=APART),
)


@composite(
    "lu_solve",
    own_out=Out(EXACT, overlap=APART, error_name="linalg_lu_solve"),
    vmap=VMap("warned"),
)
def lu_solve(input: Any, LU_data: Any, LU_pivots: Any, *, out: Any = None) -> Any:
    """The solution X of A X = `input` by the factors of A."""
    warn_once(
        "torch.lu_solve is deprecated in favor of torch.linalg.lu_solveand will be removed in a "
        "future PyTorch release.\nNote that torch.linalg.lu_solve has its arguments reversed.\n"
        "X = torch.lu_solve(B, LU, pivots)\nshould be replaced with\n"
        "X = torch.linalg.lu_solve(LU, pivots, B)"
    )
    return OPS.linalg_lu_solve(LU_data, LU_pivots, input, out=out)


@composite("_lu_with_info", on=("function",))
def lu_with_info(input: Any, pivot: bool = True, check_errors: bool = True) -> Any:
    """(LU, pivots, info) of torch.lu, which is deprecated."""
    if not (isinstance(input, TensorBase) and type(pivot) is type(check_errors) is bool):
        given = {"pivot": pivot, "check_errors": check_errors}
        refused = refusal("torch._lu_with_info", (input,), given)
        if refused is not None:
            raise refused
    warn_once(
        "torch.lu is deprecated in favor of torch.linalg.lu_factor / torch.linalg.lu_factor_ex and "
        "will be removed in a future PyTorch release.\nLU, pivots = torch.lu(A, compute_pivots)\n"
        "should be replaced with\nLU, pivots = torch.linalg.lu_factor(A, compute_pivots)\nand\n"
        "LU, pivots, info = torch.lu(A, compute_pivots, get_infos=True)\nshould be replaced with\n"
        "LU, pivots, info = torch.linalg.lu_factor_ex(A, compute_pivots)"
    )
    found = lu_factor_ex(input, pivot=pivot)
    return return_type("_lu_with_info", ("LU", "pivots", "info"))(found)


@composite("lu", on=("function",), calls=IN_PYTHON)
def lu(A: Any, pivot: bool = True, get_infos: bool = False, out: Any = None) -> Any:
    """(LU, pivots), and where the factorization failed if `get_infos`."""
    found = FUNCTIONS["_lu_with_info"](A, pivot=pivot, check_errors=not get_infos)
    found = found if get_infos else tuple(found[:2])
    if out is None:
        return found
    check_outs("", out, len(found))
    for each, result in zip(out, found, strict=True):
        each.resize_as_(result).copy_(result)
    return out


@composite("lu", on=("method",))
def lu_method(self: Any, pivot: bool = True, get_infos: bool = False) -> Any:
    """As torch.lu."""
    factor, pivots, infos = FUNCTIONS["_lu_with_info"](
        self, pivot=pivot, check_errors=not get_infos
    )
    return (factor, pivots, infos) if get_infos else (factor, pivots)

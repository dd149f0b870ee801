"""Triangles: what is solved with them, and the factorization into one of them, cholesky."""

from __future__ import annotations

from typing import Any

from minitorch.aten.linalg.checks import (
    check_errors,
    check_floating,
    check_info,
    check_kernel,
    check_matrices,
    check_sides,
    check_square,
    mH,
    on_host,
    swapped,
    with_empty_halves,
)
from minitorch.core.arrays import lapack, layout
from minitorch.core.arrays.floating_point import cast
from minitorch.core.arrays.lazy import bits_of
from minitorch.core.base.formulas import is_complex
from minitorch.core.declare.calls import READS_BITS
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.general.fitting import resize
from minitorch.core.declare.general.writing import deliver, put
from minitorch.core.declare.out import (
    APART,
    APART_OR_INPUT,
    EXACT,
    ROWS,
    SCALAR,
    Out,
    safely_castable,
)
from minitorch.core.numbers.promotion import can_cast
from minitorch.core.warning import warn_once

# ---- solve_triangular


def check_equation(A: Any, B: Any, left: bool, name: str) -> None:
    """RuntimeError unless A X = B, or X A = B, can be solved by the shapes of the matrices."""
    check_square(A, name)
    check_matrices(B, name, "input tensor B")
    if A.shape[-2] != B.shape[-2 if left else -1]:
        sizes = ["x".join(map(str, x.shape[-2:])) for x in (A, B)]
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation "
            f"{'AX = B' if left else 'XA = B'} ({sizes[0]} and {sizes[1]})"
        )


def solve_triangular_forward(
    xp: Any, self: Any, B: Any, upper: bool, left: bool, unitriangular: bool
) -> Any:
    check_equation(self, B, left, "linalg.solve_triangular")
    check_kernel(self, "triangular_solve_cpu")
    if self.dtype != B.dtype:
        B = cast(B, self.dtype)
    conjugated = bits_of(self)[0]

    def kernel(a: Any, b: Any) -> Any:
        if left:
            x = lapack.solve_triangular(a, b, upper, unitriangular)
        else:
            x = lapack.solve_triangular(swapped(a), swapped(b), not upper, unitriangular)
            x = lapack.by_columns(swapped(x))
        if conjugated:  # torch conjugates the result in the end
            strides = layout.elementwise_strides(x.shape, [(x.shape, layout.strides_of(x))])
            *batch, row, column = layout.strides_of(self)
            whole = layout.is_contiguous(self.shape, (*batch, column, row))
            if whole and self.shape[:-2] == x.shape[:-2]:  # LAPACK takes it as it lies
                strides = layout.contiguous_strides(x.shape)
            x, found = xp.empty_strided(x.shape, strides, x.dtype), x
            x[...] = found
        return x

    return on_host(xp, kernel, self, B)


def triangle_of(F: Any, x: Any, upper: bool, unit: bool) -> Any:
    """The triangle of `x`, without its diagonal if that is known to be 1."""
    return F.triu(x, int(unit)) if upper else F.tril(x, -int(unit))


def solve_triangular_backward(
    F: Any,
    grad: Any,
    self: Any,
    result: Any,
    upper: bool,
    left: bool,
    unitriangular: bool,
    grad_input_mask: Any,
) -> tuple[Any, Any]:
    flipped = F.transpose(self, -2, -1)
    if is_complex(flipped):
        flipped = F._conj(flipped)
    by_b = F.linalg_solve_triangular(
        flipped, grad, upper=not upper, left=left, unitriangular=unitriangular
    )
    by_a = None
    if grad_input_mask[0]:
        other = mH(F, result)
        product = -F.matmul(by_b, other) if left else -F.matmul(other, by_b)
        by_a = triangle_of(F, product, upper, unitriangular)
    return by_a, by_b if grad_input_mask[1] else None


def solve_triangular_tangent(
    F: Any,
    self_p: Any,
    self_t: Any,
    B_t: Any,
    result: Any,
    upper: bool,
    left: bool,
    unitriangular: bool,
) -> Any:
    part = triangle_of(F, self_t, upper, unitriangular)
    moved = B_t - (F.matmul(part, result) if left else F.matmul(result, part))
    return F.linalg_solve_triangular(
        self_p, moved, upper=upper, left=left, unitriangular=unitriangular
    )


linalg_solve_triangular = operator(
    "linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True,"
    " bool unitriangular=False) -> Tensor",
    node="LinalgSolveTriangularBackward0",
    forward=solve_triangular_forward,
    inputs=solve_triangular_backward,
    result=solve_triangular_tangent,
    on=("F",),
    variants=("out",),
    out=Out(SCALAR, copies_first=1),
    calls=READS_BITS,
)


def say_deprecated() -> None:
    warn_once(
        "torch.triangular_solve is deprecated in favor of torch.linalg.solve_triangularand will be "
        "removed in a future PyTorch release.\ntorch.linalg.solve_triangular has its arguments "
        "reversed and does not return a copy of one of the inputs.\n"
        "X = torch.triangular_solve(B, A).solution\nshould be replaced with\n"
        "X = torch.linalg.solve_triangular(A, B)."
    )


def triangular_forward(
    xp: Any, self: Any, A: Any, upper: bool, transpose: bool, unitriangular: bool
) -> Any:
    for x, name in ((self, "b"), (A, "A")):
        if x.ndim < 2:
            raise RuntimeError(
                f"torch.triangular_solve: Expected {name} to have at least 2 dimensions, but it "
                f"has {x.ndim} dimensions instead"
            )
    check_sides(self, A, "triangular_solve")
    batch = layout.broadcast(self.shape[:-2], A.shape[:-2])
    if self.dtype.char not in "fdFD":
        say_deprecated()  # before the kernel is looked for; otherwise once it has computed
    check_kernel(self, "triangular_solve_cpu")

    def kernel(b: Any, a: Any) -> Any:
        flipped = swapped(a) if transpose else a
        x = lapack.solve_triangular(flipped, b, upper != transpose, unitriangular)
        return x, lapack.by_columns(lapack.spread(a, batch))

    return on_host(xp, kernel, self, A)


def triangular_backward(
    F: Any,
    grads: Any,
    self: Any,
    A: Any,
    solution: Any,
    upper: bool,
    transpose: bool,
    unitriangular: bool,
    grad_input_mask: Any,
) -> tuple[Any, Any]:
    grad, by_a = grads
    if grad is None:
        return None, by_a
    say_deprecated()  # each time that torch calls it
    by_b = F.triangular_solve(grad, A.conj(), upper, not transpose, unitriangular)[0]
    if grad_input_mask[1]:
        if transpose:
            product = -F.matmul(solution.conj(), F.transpose(by_b, -2, -1))
        else:
            product = -F.matmul(by_b, mH(F, solution))
        product = triangle_of(F, product, upper, unitriangular)
        by_a = product if by_a is None else product + by_a
    return by_b, by_a


def triangular_tangent(
    F: Any,
    self_t: Any,
    A_p: Any,
    A_t: Any,
    solution: Any,
    upper: bool,
    transpose: bool,
    unitriangular: bool,
) -> Any:
    say_deprecated()
    # As torch, which takes neither a triangle of the tangent nor its transpose.
    moved = self_t - F.matmul(A_t, solution)
    return F.triangular_solve(moved, A_p, upper, transpose, unitriangular)[0]


_triangular_solve = operator(
    "triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False,"
    " bool unitriangular=False) -> (Tensor solution, Tensor cloned_coefficient)",
    node="TriangularSolveBackward0",
    forward=triangular_forward,
    inputs=triangular_backward,
    result=(triangular_tangent, lambda F, A_t: A_t),
    on=("F",),
)


def place_columns(out: Any, result: Any, node: Any) -> None:
    """Puts a result into out=, which, if it is empty, is laid out by columns whatever it was."""
    x = result._array
    if not (x.size or out._array.size):
        resize(out, x.shape, layout.strides_of(x))
    put(out, result, node)


@composite("triangular_solve", own_out=Out(EXACT, overlap=APART))
def triangular_solve(
    input: Any,
    A: Any,
    upper: bool = True,
    transpose: bool = False,
    unitriangular: bool = False,
    *,
    out: Any = None,
) -> Any:
    """(X, A): the solution of A X = `input` by a triangle of A, and a copy of A."""
    given = (input, A, upper, transpose, unitriangular)
    if out is None:
        found = _triangular_solve(*given)
    else:
        call = (given, {})
        found = deliver("triangular_solve", _triangular_solve, out, call, place=place_columns)
    say_deprecated()
    return found


# ---- cholesky


def cholesky_backward(F: Any, grad: Any, upper: bool, L: Any) -> Any:
    if upper:
        L, grad = mH(F, L), mH(F, grad)
    x = F.tril(F.matmul(mH(F, L), grad))
    x = (x + mH(F, F.tril(x, -1))) * 0.5
    x = F.linalg_solve_triangular(mH(F, L), x, upper=True)
    return F.linalg_solve_triangular(L, x, upper=False, left=False)


def cholesky_tangent(F: Any, tangent: Any, L: Any, upper: bool) -> Any:
    if upper:
        L = mH(F, L)
    x = F.linalg_solve_triangular(L, tangent, upper=False)
    x = F.linalg_solve_triangular(mH(F, L), x, upper=True, left=False)
    x = F.matmul(L, (F.tril(x) + F.tril(x, -1)) * 0.5)
    return mH(F, x) if upper else x


@with_empty_halves()
def cholesky_ex_forward(xp: Any, self: Any, upper: bool, check_errors: bool) -> Any:
    check_square(self, "linalg.cholesky")
    check_floating(self, "linalg.cholesky")
    check_kernel(self, "cholesky_cpu")
    factor, info = on_host(xp, lapack.cholesky, self, upper=upper)
    if check_errors:
        check_info(info, "linalg.cholesky_ex")
    return factor, info


cholesky_ex = operator(
    "linalg_cholesky_ex(Tensor self, *, bool upper=False, bool check_errors=False)"
    " -> (Tensor L, Tensor info)",
    node="LinalgCholeskyExBackward0",
    forward=cholesky_ex_forward,
    self=lambda F, grad, upper, L: cholesky_backward(F, grad, upper, L),
    result=lambda F, self_t, L, upper: cholesky_tangent(F, self_t, L, upper),
    differentiable=(True, False),
    on=("F",),
    variants=("out",),
    out=Out(EXACT, overlap=APART),
)


@composite(
    "linalg_cholesky",
    on=("F",),
    out=Out(EXACT, overlap=APART_OR_INPUT, error_name="linalg_cholesky_ex"),
)
def linalg_cholesky(A: Any, *, upper: bool = False) -> Any:
    """L of A = L L^H, or U of A = U^H U, of positive-definite matrices; LinAlgError of others."""
    L, info = cholesky_ex(A, upper=upper)
    check_errors(info, "linalg.cholesky", is_matrix=A.dim() == 2)
    return L


def cholesky_forward(xp: Any, self: Any, upper: bool) -> Any:
    if not self.size:  # whatever its shape and dtype
        return xp.empty(self.shape, self.dtype)
    check_square(self, "cholesky")
    check_kernel(self, "cholesky_cpu")
    factor, info = on_host(xp, lapack.cholesky, self, upper=upper)
    check_info(info, "cholesky")
    return factor


_cholesky = operator(
    "cholesky(Tensor self, bool upper=False) -> Tensor",
    node="CholeskyBackward0",
    forward=cholesky_forward,
    self=lambda F, grad, upper, result: cholesky_backward(F, grad, upper, result),
    on=("F",),
)


_CHOLESKY = """\
torch.cholesky is deprecated in favor of torch.linalg.cholesky and will be removed in a future \
PyTorch release.
L = torch.cholesky(A)
should be replaced with
L = torch.linalg.cholesky(A)
and
U = torch.cholesky(A, upper=True)
should be replaced with
U = torch.linalg.cholesky(A).mH
This transform will produce equivalent results for all valid (symmetric positive definite) inputs.\
"""


@composite("cholesky", own_out=Out(*safely_castable("cholesky"), strides=ROWS))
def cholesky(input: Any, upper: bool = False, *, out: Any = None) -> Any:
    """L of A = L L^H, or U of A = U^H U, of positive-definite matrices."""

    def factored(input: Any, upper: bool) -> Any:
        again = out is not None and can_cast(input.dtype, out.dtype)
        for _ in range(1 + again):  # torch says it in out= as well as within
            warn_once(_CHOLESKY)
        return _cholesky(input, upper)

    if out is None:
        return factored(input, upper)
    return deliver("cholesky", factored, out, ((input, upper), {}))

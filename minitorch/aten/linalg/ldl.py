"""Factors L D L^H of symmetric and Hermitian matrices, D of blocks of 1 or 2, and their use."""

from __future__ import annotations

from typing import Any

import numpy

from minitorch.aten.linalg.checks import (
    check_errors,
    check_floating,
    check_info,
    check_kernel,
    check_sides,
    check_square,
    on_host,
    with_empty_halves,
)
from minitorch.aten.shape.triangles import triangle
from minitorch.core.arrays import lapack, on_numpy
from minitorch.core.arrays.questions import largest_of, least_of
from minitorch.core.declare.families import composite, not_differentiable, operator
from minitorch.core.declare.out import APART, EXACT, Out
from minitorch.core.declare.vmap import WARNS
from minitorch.core.declare.wording.return_types import return_type
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dtype import Kind


def routine(name: str, x: Any, hermitian: bool) -> Any:
    """LAPACK's routine for symmetric, or complex Hermitian, matrices."""
    return lapack.routine(("hetr" if hermitian and x.dtype.kind == "c" else "sytr") + name, x)


@with_empty_halves()
def factor_forward(xp: Any, self: Any, hermitian: bool, check_errors: bool) -> Any:
    name = "torch.linalg.ldl_factor_ex"
    check_square(self, name)
    check_floating(self, name)
    if self.size:
        check_kernel(self, "ldl_factor_kernel_cpu")

    def kernel(x: Any) -> Any:
        LD = triangle(on_numpy, x, 0, "tril")
        if lapack.is_alone(LD):
            LD, pivots, code = routine("f", x, hermitian)(LD, lower=True)
            return LD, pivots, numpy.array(code, numpy.int32)
        LD = lapack.by_columns(LD)
        pivots = numpy.zeros(x.shape[:-1], numpy.int32)
        info = numpy.zeros(x.shape[:-2], numpy.int32)
        if x.size:
            factored = routine("f", x, hermitian)
            for i in lapack.places(info.shape):
                LD[i], pivots[i], info[i] = factored(LD[i], lower=True)
        return LD, pivots, info

    found = on_host(xp, kernel, self)
    if check_errors:
        check_info(found[2], name)
    return found


ldl_factor_ex = operator(
    "linalg_ldl_factor_ex(Tensor self, *, bool hermitian=False, bool check_errors=False)"
    " -> (Tensor LD, Tensor pivots, Tensor info)",
    node="NotImplemented",
    forward=factor_forward,
    self=not_differentiable("linalg_ldl_factor_ex"),
    differentiable=(True, False, False),
    on=("F",),
    variants=("out",),
    out=Out(EXACT, overlap=APART),
)


@composite(
    "linalg_ldl_factor",
    on=("F",),
    out=Out(EXACT, overlap=APART, error_name="linalg_ldl_factor_ex", autograd=False),
)
def ldl_factor(A: Any, *, hermitian: bool = False) -> Any:
    """(LD, pivots): the factors in one matrix, and which rows were swapped."""
    LD, pivots, info = ldl_factor_ex(A, hermitian=hermitian)
    check_errors(info, "torch.linalg.ldl_factor", is_matrix=A.dim() == 2)
    return return_type("linalg_ldl_factor", ("LD", "pivots"))((LD, pivots))


@with_empty_halves()
def solve_forward(xp: Any, LD: Any, pivots: Any, B: Any, hermitian: bool) -> Any:
    name = "torch.linalg.ldl_solve"
    check_square(LD, name)
    check_floating(LD, name)
    check_sides(B, LD, name)
    if LD.shape[:-1] != pivots.shape:
        raise RuntimeError(
            f"{name}: Expected LD.shape[:-1] and pivots.shape to be the same, but got pivots with "
            f"shape {list(pivots.shape)} instead"
        )
    if dtypes.of(pivots).number_kind is not Kind.INTEGER:
        raise RuntimeError(
            f"{name}: Expected pivots to be integers. Got {dtypes.of(pivots).scalar_name}"
        )
    sizes = abs(pivots)
    for wrong, limit in (
        (pivots.size and least_of(sizes) < 1, ">= 1"),
        (pivots.size and largest_of(sizes) > LD.shape[-2], "<= LD.size(-2)"),
    ):
        if wrong:
            raise RuntimeError(
                f"Pivots given to ldl_solve must all satisfy |pivot| {limit}. "
                "Did you properly pass the result of ldl_factor?"
            )
    check_kernel(LD, "ldl_solve_kernel_cpu")
    if xp is on_numpy and not LD.size:  # 20,000 empty rows took 79 us to cast
        shape = (*lapack.batch_of(LD, B), *B.shape[-2:])
        return xp.empty_strided(shape, lapack.strides_by_columns(shape), B.dtype)

    def kernel(LD: Any, pivots: Any, b: Any) -> Any:
        if LD.ndim == 2 and lapack.is_alone(b):
            return routine("s", LD, hermitian)(LD, pivots, b, lower=True)[0]
        batch = lapack.batch_of(LD, b)
        x = lapack.by_columns(lapack.spread(b, batch))
        if x.size:
            solved = routine("s", LD, hermitian)
            LD = lapack.spread(LD, batch)
            pivots = lapack.spread(pivots, batch, 1)
            for i in lapack.places(batch):
                x[i] = solved(LD[i], pivots[i], x[i], lower=True)[0]
        return x

    return on_host(xp, kernel, LD, pivots, B)


ldl_solve = operator(
    "linalg_ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False) -> Tensor",
    node="NotImplemented",
    forward=solve_forward,
    LD=not_differentiable("linalg_ldl_solve"),
    B=not_differentiable("linalg_ldl_solve"),
    on=("F",),
    variants=("out",),
    out=Out(EXACT, overlap=APART),
    vmap=WARNS,
)

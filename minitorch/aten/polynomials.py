"""Orthogonal polynomials of a degree that is a tensor, too: torch has no derivatives of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch.aten.interpolation import alike
from minitorch.core.arrays import polynomials
from minitorch.core.declare.elementwise import unsupported
from minitorch.core.declare.families import binary
from minitorch.core.declare.out_rules import UNSEEN_BY_AUTOGRAD
from minitorch.core.numbers.dtype import Kind


def _declare(name: str, kernel: Callable[..., Any]) -> Any:
    UNSEEN_BY_AUTOGRAD.add(f"special_{name}")
    return binary(
        f"special_{name}(Tensor x, Tensor n) -> Tensor",
        forward=lambda xp, x, n: kernel(xp, *alike(xp, x, n)),
        dtype="float",
        number_first=True,
        signatures=(
            "Tensor x, Tensor n, *, Tensor out = None",
            "Number x, Tensor n, *, Tensor out = None",
            "Tensor x, Number n, *, Tensor out = None",
        ),
        check=unsupported(f"{name}_cpu", Kind.COMPLEX, halves=True),
        on=("F",),
        variants=("out",),
    )


for _name, _kernel in polynomials.KERNELS.items():
    _declare(_name, _kernel)

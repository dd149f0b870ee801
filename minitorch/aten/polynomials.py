"""Functions that torch has no derivatives of: Bessel's and Airy's, orthogonal polynomials."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch.aten.interpolation import alike
from minitorch.core.arrays.special import KERNELS
from minitorch.core.declare.elementwise import unsupported
from minitorch.core.declare.families import binary, unary
from minitorch.core.declare.out_rules import UNSEEN_BY_AUTOGRAD
from minitorch.core.declare.row import ufunc
from minitorch.core.numbers.dtype import Kind

# torch's names without special_, and the kernels' among elementary functions.
BESSEL = {
    "airy_ai": "airy_ai",
    **{f"bessel_{kind}": kind for kind in ("j0", "j1", "y0", "y1")},
    **{f"modified_bessel_{kind}": kind for kind in ("i0", "i1", "k0", "k1")},
    **{f"scaled_modified_bessel_{kind}": f"{kind}e" for kind in ("k0", "k1")},
    "spherical_bessel_j0": "spherical_j0",
}


def _declare(declare: Any, name: str, arguments: str, forward: Any, **fields: Any) -> Any:
    UNSEEN_BY_AUTOGRAD.add(f"special_{name}")
    return declare(
        f"special_{name}({arguments}) -> Tensor",
        forward=forward,
        dtype="float",
        check=unsupported(f"{name}_cpu", Kind.COMPLEX, halves=True),
        on=("F",),
        variants=("out",),
        **fields,
    )


def _polynomial(name: str, kernel: Callable[..., Any]) -> Any:
    return _declare(
        *(binary, name, "Tensor x, Tensor n", lambda xp, x, n: kernel(xp, *alike(xp, x, n))),
        number_first=True,
        signatures=(
            "Tensor x, Tensor n, *, Tensor out = None",
            "Number x, Tensor n, *, Tensor out = None",
            "Tensor x, Number n, *, Tensor out = None",
        ),
    )


for _name, _kernel in BESSEL.items():
    _first = "Tensor x" if _name == "airy_ai" else "Tensor self"
    _declare(unary, _name, _first, ufunc(f"elementary.{_kernel}"))
for _name in KERNELS:
    _polynomial(_name, KERNELS[_name])

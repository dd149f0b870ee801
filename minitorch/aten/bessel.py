"""The functions of Bessel and Airy, of one number: torch has no derivatives of them."""

from __future__ import annotations

from typing import Any

from minitorch.core.declare.elementwise import unsupported
from minitorch.core.declare.families import unary
from minitorch.core.declare.out_rules import UNSEEN_BY_AUTOGRAD
from minitorch.core.declare.row import ufunc
from minitorch.core.numbers.dtype import Kind

# torch's names without special_, and the kernels' among elementary functions.
KERNELS = {
    "airy_ai": "airy_ai",
    **{f"bessel_{kind}": kind for kind in ("j0", "j1", "y0", "y1")},
    **{f"modified_bessel_{kind}": kind for kind in ("i0", "i1", "k0", "k1")},
    **{f"scaled_modified_bessel_{kind}": f"{kind}e" for kind in ("k0", "k1")},
    "spherical_bessel_j0": "spherical_j0",
}


def _declare(name: str, kernel: str) -> Any:
    UNSEEN_BY_AUTOGRAD.add(f"special_{name}")
    return unary(
        f"special_{name}(Tensor {'x' if name[0] == 'a' else 'self'}) -> Tensor",
        forward=ufunc(f"elementary.{kernel}"),
        dtype="float",
        check=unsupported(f"{name}_cpu", Kind.COMPLEX, halves=True),
        on=("F",),
        variants=("out",),
    )


for _name, _kernel in KERNELS.items():
    _declare(_name, _kernel)

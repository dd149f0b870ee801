"""torch.special: special functions; many are functions of `torch` under another name."""

from __future__ import annotations

from typing import Any

from minitorch._public.later import names_of as _names_of
from minitorch.aten import function_named
from minitorch.aten.elementwise.special import BESSEL
from minitorch.aten.elementwise.special import special_xlog1py as xlog1py
from minitorch.aten.elementwise.special import special_zeta as zeta
from minitorch.core.arrays.special import KERNELS
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.expose import aliased as _aliased
from minitorch.core.declare.expose import shelled as _shelled
from minitorch.core.declare.protocols.torch_function import asked_for as _asked_for

__all__ = (
    "airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 chebyshev_polynomial_t "
    "chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w digamma entr erf erfc "
    "erfcx erfinv exp2 expit expm1 gammainc gammaincc gammaln hermite_polynomial_h "
    "hermite_polynomial_he i0 i0e i1 i1e laguerre_polynomial_l legendre_polynomial_p log1p "
    "log_ndtr log_softmax logit logsumexp modified_bessel_i0 modified_bessel_i1 "
    "modified_bessel_k0 modified_bessel_k1 multigammaln ndtr ndtri polygamma psi round "
    "scaled_modified_bessel_k0 scaled_modified_bessel_k1 shifted_chebyshev_polynomial_t "
    "shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v shifted_chebyshev_polynomial_w "
    "sinc softmax spherical_bessel_j0 xlog1py xlogy zeta"
).split()

# Name here -> name among the functions of `torch`.
NAMES = {
    **{
        name: name
        for name in (
            "digamma",
            "erf",
            "erfc",
            "erfinv",
            "exp2",
            "expm1",
            "i0",
            "log1p",
            "log_softmax",
            "logit",
            "logsumexp",
            "polygamma",
            "sinc",
            "softmax",
            "xlogy",
        )
    },
    "expit": "sigmoid",
    "gammainc": "igamma",
    "gammaincc": "igammac",
    "gammaln": "lgamma",
    "multigammaln": "mvlgamma",
    "psi": "digamma",
}

for _name in (
    *"entr erfcx i0e i1 i1e log_ndtr ndtr ndtri".split(),
    *BESSEL,
    *KERNELS,
):
    globals()[_name] = getattr(OPS, f"special_{_name}")

for _here, _there in NAMES.items():
    globals()[_here] = _made = _aliased(function_named(_there), _here, f"special.special_{_here}")
    _made.__module__, _made.__qualname__ = "minitorch.special", _here


def round(input: Any, *, decimals: int = 0, out: Any = None) -> Any:
    """`input` rounded, halves to even, to `decimals` digits after the point.

    As torch.special.round; unlike torch.round it takes no integers, even without decimals.
    """
    return function_named("round")(input, decimals=decimals, out=out)


round = _shelled("special.special_round", round)
_asked_for("torch.special", globals())


__getattr__ = _names_of("torch.special")

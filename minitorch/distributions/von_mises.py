"""torch.distributions.von_mises: angles."""

import math

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.distribution import Distribution
from minitorch.distributions.utils import (
    NO_SHAPE,
    Tensor,
    broadcast_all,
    lazy_property,
    quantity,
)

__all__ = ["VonMises"]

# Abramowitz and Stegun, 9.8.1 to 9.8.4: the modified Bessel functions of order 0 and 1.
_SMALL = (
    (1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.0360768, 0.0045813),
    (0.5, 0.87890594, 0.51498869, 0.15084934, 0.02658733, 0.00301532, 0.00032411),
)
_LARGE = (
    *(
        (0.39894228, 0.01328592, 0.00225319, -0.00157565, 0.00916281)
        + (-0.02057706, 0.02635537, -0.01647633, 0.00392377),
    ),
    *(
        (0.39894228, -0.03988024, -0.00362018, 0.00163801, -0.01031555)
        + (0.02282967, -0.02895312, 0.01787654, -0.00420059),
    ),
)


def _eval_poly(y, coefficients):
    *others, result = coefficients
    for each in reversed(others):
        result = each + y * result
    return result


def _log_modified_bessel_fn(x, order=0):
    """log I_order(x) of x > 0."""
    y = x / 3.75
    y = y * y
    small = _eval_poly(y, _SMALL[order])
    if order == 1:
        small = x.abs() * small
    large = x - 0.5 * x.log() + _eval_poly(3.75 / x, _LARGE[order]).log()
    return torch.where(x < 3.75, small.log(), large)


def _rejection_sample(loc, concentration, proposal_r, x):
    """Best and Fisher: Efficient simulation of the von Mises distribution, 1979."""
    done = torch.zeros(x.shape, dtype=torch.bool, device=loc.device)
    while not done.all():
        u = torch.rand((3, *x.shape), dtype=loc.dtype, device=loc.device)
        u1, u2, u3 = u.unbind()
        z = torch.cos(math.pi * u1)
        f = (1 + proposal_r * z) / (proposal_r + z)
        c = concentration * (proposal_r - f)
        accept = ((c * (2 - c) - u2) > 0) | ((c / u2).log() + 1 - c >= 0)
        if accept.any():
            x = torch.where(accept, (u3 - 0.5).sign() * f.acos(), x)
            done = done | accept
    return (x + math.pi + loc) % (2 * math.pi) - math.pi


class VonMises(Distribution):
    """Angles from -pi to pi with a density of exp(concentration * cos(x - loc)).

    Args:
        loc: the likeliest angle.
        concentration: how near to it the others lie.
    """

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False

    def __init__(
        self, loc: Tensor, concentration: Tensor, validate_args: bool | None = None
    ) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, torch.Size(), validate_args)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        log_prob = self.concentration * torch.cos(value - self.loc)
        return log_prob - math.log(2 * math.pi) - _log_modified_bessel_fn(self.concentration)

    # Drawn in double precision: in single precision the loop may never end.

    @lazy_property
    def _loc(self) -> Tensor:
        return self.loc.to(torch.double)

    @lazy_property
    def _concentration(self) -> Tensor:
        return self.concentration.to(torch.double)

    @lazy_property
    def _proposal_r(self) -> Tensor:
        kappa = self._concentration
        tau = 1 + (1 + 4 * kappa**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * kappa)
        r = (1 + rho**2) / (2 * rho)
        return torch.where(kappa < 1e-5, 1 / kappa + kappa, r)  # Taylor's, where r is 0 / 0

    @torch.no_grad()
    def sample(self, sample_shape=NO_SHAPE):
        """Draws angles, in double precision whatever the dtype."""
        shape = self._extended_shape(sample_shape)
        x = torch.empty(shape, dtype=self._loc.dtype, device=self.loc.device)
        drawn = _rejection_sample(self._loc, self._concentration, self._proposal_r, x)
        return drawn.to(self.loc.dtype)

    def expand(self, batch_shape, _instance=None):
        try:
            return super().expand(batch_shape)
        except NotImplementedError:
            parameters = self.loc.expand(batch_shape), self.concentration.expand(batch_shape)
            return type(self)(*parameters, validate_args=vars(self).get("_validate_args"))

    mean = mode = quantity(lambda self: self.loc)

    @lazy_property
    def variance(self) -> Tensor:
        """The circular variance."""
        of_one = _log_modified_bessel_fn(self.concentration, order=1)
        return 1 - (of_one - _log_modified_bessel_fn(self.concentration, order=0)).exp()

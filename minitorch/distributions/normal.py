"""torch.distributions.normal: normal numbers."""

import math

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.distribution import _size
from minitorch.distributions.exp_family import ExponentialFamily
from minitorch.distributions.utils import (
    NO_SHAPE,
    Tensor,
    _standard_normal,
    batch_shape_of,
    broadcast_all,
    quantity,
)

__all__ = ["Normal"]


class Normal(ExponentialFamily):
    """Normal numbers.

    Args:
        loc: the mean.
        scale: the standard deviation.
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(batch_shape_of(self.loc, loc, scale), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(Normal, batch_shape, _instance, "loc", "scale")

    mean = mode = quantity(lambda self: self.loc)
    stddev = quantity(lambda self: self.scale)
    variance = quantity(lambda self: self.stddev.pow(2))

    def sample(self, sample_shape=NO_SHAPE):
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            return torch.normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: _size = NO_SHAPE) -> Tensor:
        shape, loc = self._extended_shape(sample_shape), self.loc
        return loc + _standard_normal(shape, dtype=loc.dtype, device=loc.device) * self.scale

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        variance, log_scale = self.scale**2, self.scale.log()
        squares = -((value - self.loc) ** 2) / (2 * variance)
        return squares - log_scale - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        distance = (value - self.loc) * self.scale.reciprocal() / math.sqrt(2)
        return 0.5 * (1 + torch.erf(distance))

    def icdf(self, value):
        return self.loc + self.scale * torch.erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self):
        return 0.5 + 0.5 * math.log(2 * math.pi) + torch.log(self.scale)

    @property
    def _natural_params(self) -> tuple[Tensor, Tensor]:
        return self.loc / self.scale.pow(2), -0.5 * self.scale.pow(2).reciprocal()

    def _log_normalizer(self, x, y):
        return -0.25 * x.pow(2) / y + 0.5 * torch.log(-math.pi / y)

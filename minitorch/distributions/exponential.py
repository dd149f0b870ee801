"""torch.distributions.exponential: times between events that do not know of each other."""

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.distribution import _size
from minitorch.distributions.exp_family import ExponentialFamily
from minitorch.distributions.utils import (
    NO_SHAPE,
    Tensor,
    batch_shape_of,
    broadcast_all,
    quantity,
)

__all__ = ["Exponential"]


class Exponential(ExponentialFamily):
    """Numbers with a density of rate * exp(-rate * x).

    Args:
        rate: one over the mean.
    """

    arg_constraints = {"rate": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(self, rate: Tensor | float, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(batch_shape_of(self.rate, rate), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(Exponential, batch_shape, _instance, "rate")

    mean = stddev = quantity(lambda self: self.rate.reciprocal())
    mode = quantity(lambda self: torch.zeros_like(self.rate))
    variance = quantity(lambda self: self.rate.pow(-2))

    def rsample(self, sample_shape: _size = NO_SHAPE) -> Tensor:
        return self.rate.new(self._extended_shape(sample_shape)).exponential_() / self.rate

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return self.rate.log() - self.rate * value

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return 1 - torch.exp(-self.rate * value)

    def icdf(self, value):
        return -torch.log1p(-value) / self.rate

    def entropy(self):
        return 1.0 - torch.log(self.rate)

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (-self.rate,)

    def _log_normalizer(self, x):
        return -torch.log(-x)

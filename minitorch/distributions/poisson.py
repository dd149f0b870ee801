"""torch.distributions.poisson: counts of events that do not know of each other."""

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.exp_family import ExponentialFamily
from minitorch.distributions.utils import (
    NO_SHAPE,
    Number,
    Tensor,
    batch_shape_of,
    broadcast_all,
    quantity,
)

__all__ = ["Poisson"]


class Poisson(ExponentialFamily):
    """The number of events in a while.

    Args:
        rate: the mean.
    """

    arg_constraints = {"rate": constraints.nonnegative}
    support = constraints.nonnegative_integer

    def __init__(self, rate: Tensor | Number, validate_args: bool | None = None) -> None:
        (self.rate,) = broadcast_all(rate)
        super().__init__(batch_shape_of(self.rate, rate), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(Poisson, batch_shape, _instance, "rate")

    mean = variance = quantity(lambda self: self.rate)
    mode = quantity(lambda self: self.rate.floor())

    def sample(self, sample_shape=NO_SHAPE):
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            return torch.poisson(self.rate.expand(shape))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        rate, value = broadcast_all(self.rate, value)
        return value.xlogy(rate) - rate - (value + 1).lgamma()

    @property
    def _natural_params(self) -> tuple[Tensor]:
        return (torch.log(self.rate),)

    def _log_normalizer(self, x):
        return torch.exp(x)

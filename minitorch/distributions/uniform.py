"""torch.distributions.uniform: numbers of an interval."""

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.distribution import Distribution, _size
from minitorch.distributions.utils import (
    NO_SHAPE,
    Tensor,
    batch_shape_of,
    broadcast_all,
    quantity,
)

__all__ = ["Uniform"]


class Uniform(Distribution):
    """Numbers from `low` to below `high`, all as likely.

    Args:
        low, high: the ends.
    """

    has_rsample = True

    def __init__(
        self, low: Tensor | float, high: Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.low, self.high = broadcast_all(low, high)
        super().__init__(batch_shape_of(self.low, low, high), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(Uniform, batch_shape, _instance, "low", "high")

    @property
    def arg_constraints(self):
        """Each end beyond the other."""
        return {
            "low": constraints.less_than(self.high),
            "high": constraints.greater_than(self.low),
        }

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        """The interval."""
        return constraints.interval(self.low, self.high)

    mean = quantity(lambda self: (self.high + self.low) / 2)
    mode = quantity(lambda self: torch.nan * self.high)
    stddev = quantity(lambda self: (self.high - self.low) / 12**0.5)
    variance = quantity(lambda self: (self.high - self.low).pow(2) / 12)

    def rsample(self, sample_shape: _size = NO_SHAPE) -> Tensor:
        shape, low = self._extended_shape(sample_shape), self.low
        return low + torch.rand(shape, dtype=low.dtype, device=low.device) * (self.high - low)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        inside = self.low.le(value).type_as(self.low).mul(self.high.gt(value).type_as(self.low))
        return torch.log(inside) - torch.log(self.high - self.low)

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value):
        return value * (self.high - self.low) + self.low

    def entropy(self):
        return torch.log(self.high - self.low)

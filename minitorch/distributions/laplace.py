"""torch.distributions.laplace: differences of two exponential times."""

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

__all__ = ["Laplace"]


class Laplace(Distribution):
    """Numbers with a density of exp(-|x - loc| / scale).

    Args:
        loc: the mean.
        scale: how far the numbers spread.
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True

    def __init__(
        self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(batch_shape_of(self.loc, loc, scale), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(Laplace, batch_shape, _instance, "loc", "scale")

    mean = mode = quantity(lambda self: self.loc)
    variance = quantity(lambda self: 2 * self.scale.pow(2))
    stddev = quantity(lambda self: (2**0.5) * self.scale)

    def rsample(self, sample_shape: _size = NO_SHAPE) -> Tensor:
        shape = self._extended_shape(sample_shape)
        u = self.loc.new(shape).uniform_(torch.finfo(self.loc.dtype).eps - 1, 1)
        return self.loc - self.scale * u.sign() * torch.log1p(-u.abs())

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return -torch.log(2 * self.scale) - torch.abs(value - self.loc) / self.scale

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        away = value - self.loc
        return 0.5 - 0.5 * away.sign() * torch.expm1(-(value - self.loc).abs() / self.scale)

    def icdf(self, value):
        term = value - 0.5
        return self.loc - self.scale * term.sign() * torch.log1p(-2 * term.abs())

    def entropy(self):
        return 1 + torch.log(2 * self.scale)

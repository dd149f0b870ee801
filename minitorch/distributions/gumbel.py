"""torch.distributions.gumbel: the largest of many numbers."""

import math

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.transformed_distribution import TransformedDistribution
from minitorch.distributions.transforms import AffineTransform, ExpTransform
from minitorch.distributions.uniform import Uniform
from minitorch.distributions.utils import (
    NUMBERS,
    Tensor,
    broadcast_all,
    euler_constant,
    quantity,
)

__all__ = ["Gumbel"]


class Gumbel(TransformedDistribution):
    """Gumbel distributions: loc - scale * log(-log(u)) of uniform u.

    Args:
        loc: the likeliest number.
        scale: how far the numbers spread.
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real

    def __init__(
        self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        finfo = torch.finfo(self.loc.dtype)
        low, high = finfo.tiny, 1 - finfo.eps
        if not (isinstance(loc, NUMBERS) and isinstance(scale, NUMBERS)):
            low, high = torch.full_like(self.loc, low), torch.full_like(self.loc, high)
        transforms = [
            ExpTransform().inv,
            AffineTransform(loc=0, scale=-torch.ones_like(self.scale)),
            ExpTransform().inv,
            AffineTransform(loc=loc, scale=-self.scale),
        ]
        base = Uniform(low, high, validate_args=validate_args)
        super().__init__(base, transforms, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(Gumbel, _instance)
        new.loc, new.scale = self.loc.expand(batch_shape), self.scale.expand(batch_shape)
        return super().expand(batch_shape, _instance=new)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        y = (self.loc - value) / self.scale
        return y - y.exp() - self.scale.log()

    mean = quantity(lambda self: self.loc + self.scale * euler_constant)
    mode = quantity(lambda self: self.loc)
    stddev = quantity(lambda self: math.pi / math.sqrt(6) * self.scale)
    variance = quantity(lambda self: self.stddev.pow(2))

    def entropy(self):
        return self.scale.log() + (1 + euler_constant)

"""torch.distributions.half_normal: sizes of normal numbers."""

import math

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.normal import Normal
from minitorch.distributions.transformed_distribution import TransformedDistribution
from minitorch.distributions.transforms import AbsTransform
from minitorch.distributions.utils import Tensor, of_base, quantity

__all__ = ["HalfNormal"]


class HalfNormal(TransformedDistribution):
    """|x| of normal numbers x around zero.

    Args:
        scale: the standard deviation of x.
    """

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    base_dist: Normal

    def __init__(self, scale: Tensor | float, validate_args: bool | None = None) -> None:
        base = Normal(0, scale, validate_args=False)
        super().__init__(base, AbsTransform(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(HalfNormal, _instance)
        return super().expand(batch_shape, _instance=new)

    scale = of_base("scale")
    mean = quantity(lambda self: self.scale * math.sqrt(2 / math.pi))
    mode = quantity(lambda self: torch.zeros_like(self.scale))
    variance = quantity(lambda self: self.scale.pow(2) * (1 - 2 / math.pi))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        log_prob = self.base_dist.log_prob(value) + math.log(2)
        return torch.where(value >= 0, log_prob, -torch.inf)

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob):
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self):
        return self.base_dist.entropy() - math.log(2)

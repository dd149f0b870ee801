"""torch.distributions.half_cauchy: sizes of Cauchy numbers."""

import math

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.cauchy import Cauchy
from minitorch.distributions.transformed_distribution import TransformedDistribution
from minitorch.distributions.transforms import AbsTransform
from minitorch.distributions.utils import Tensor, of_base, quantity

__all__ = ["HalfCauchy"]


class HalfCauchy(TransformedDistribution):
    """|x| of Cauchy numbers x around zero.

    Args:
        scale: that of the Cauchy distribution.
    """

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    base_dist: Cauchy

    def __init__(self, scale: Tensor | float, validate_args: bool | None = None) -> None:
        base = Cauchy(0, scale, validate_args=False)
        super().__init__(base, AbsTransform(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(HalfCauchy, _instance)
        return super().expand(batch_shape, _instance=new)

    scale, variance = of_base("scale"), of_base("variance")
    mean = quantity(
        lambda self: torch.full(
            self._extended_shape(), math.inf, dtype=self.scale.dtype, device=self.scale.device
        )
    )
    mode = quantity(lambda self: torch.zeros_like(self.scale))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        value = torch.as_tensor(value, dtype=self.scale.dtype, device=self.scale.device)
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

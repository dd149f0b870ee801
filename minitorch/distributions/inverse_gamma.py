"""torch.distributions.inverse_gamma: reciprocals of gamma numbers."""

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.gamma import Gamma
from minitorch.distributions.transformed_distribution import TransformedDistribution
from minitorch.distributions.transforms import PowerTransform
from minitorch.distributions.utils import Tensor, of_base, quantity

__all__ = ["InverseGamma"]


class InverseGamma(TransformedDistribution):
    """1 / x of gamma numbers x.

    Args:
        concentration, rate: those of the gamma distribution.
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True
    base_dist: Gamma

    def __init__(
        self,
        concentration: Tensor | float,
        rate: Tensor | float,
        validate_args: bool | None = None,
    ) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        reciprocal = PowerTransform(-base.rate.new_ones(()))
        super().__init__(base, reciprocal, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(InverseGamma, _instance)
        return super().expand(batch_shape, _instance=new)

    concentration, rate = of_base("concentration"), of_base("rate")
    mode = quantity(lambda self: self.rate / (self.concentration + 1))

    @property
    def mean(self) -> Tensor:
        """Infinite where the concentration is 1 or less."""
        result = self.rate / (self.concentration - 1)
        return torch.where(self.concentration > 1, result, torch.inf)

    @property
    def variance(self) -> Tensor:
        """Infinite where the concentration is 2 or less."""
        result = self.rate.square() / ((self.concentration - 1).square() * (self.concentration - 2))
        return torch.where(self.concentration > 2, result, torch.inf)

    def entropy(self):
        return (
            self.concentration
            + self.rate.log()
            + self.concentration.lgamma()
            - (1 + self.concentration) * self.concentration.digamma()
        )

"""torch.distributions.weibull: times until the weakest part fails."""

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.exponential import Exponential
from minitorch.distributions.transformed_distribution import TransformedDistribution
from minitorch.distributions.transforms import AffineTransform, PowerTransform
from minitorch.distributions.utils import Tensor, broadcast_all, euler_constant, quantity

__all__ = ["Weibull"]


class Weibull(TransformedDistribution):
    """scale * x**(1 / concentration) of x of Exponential(1).

    Args:
        scale: how far the numbers spread.
        concentration: more than 1 where failures grow likelier with time.
    """

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive

    def __init__(
        self,
        scale: Tensor | float,
        concentration: Tensor | float,
        validate_args: bool | None = None,
    ) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(torch.ones_like(self.scale), validate_args=validate_args)
        super().__init__(base, self._steps(), validate_args=validate_args)

    def _steps(self):
        return [
            PowerTransform(exponent=self.concentration_reciprocal),
            AffineTransform(loc=0, scale=self.scale),
        ]

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(Weibull, _instance)
        new.scale = self.scale.expand(batch_shape)
        new.concentration = self.concentration.expand(batch_shape)
        new.concentration_reciprocal = new.concentration.reciprocal()
        base = self.base_dist.expand(batch_shape)
        super(Weibull, new).__init__(base, Weibull._steps(new), validate_args=False)
        new._validate_args = self._validate_args
        return new

    mean = quantity(
        lambda self: self.scale * torch.exp(torch.lgamma(1 + self.concentration_reciprocal))
    )

    @property
    def mode(self) -> Tensor:
        share = (self.concentration - 1) / self.concentration
        return self.scale * share ** self.concentration.reciprocal()

    @property
    def variance(self) -> Tensor:
        square = torch.exp(torch.lgamma(1 + 2 * self.concentration_reciprocal))
        of_mean = torch.exp(2 * torch.lgamma(1 + self.concentration_reciprocal))
        return self.scale.pow(2) * (square - of_mean)

    def entropy(self):
        return (
            euler_constant * (1 - self.concentration_reciprocal)
            + torch.log(self.scale * self.concentration_reciprocal)
            + 1
        )

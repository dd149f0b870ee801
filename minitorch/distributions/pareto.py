"""torch.distributions.pareto: sizes where few are very large."""

from typing import Optional

from minitorch.distributions import constraints
from minitorch.distributions.distribution import _size
from minitorch.distributions.exponential import Exponential
from minitorch.distributions.transformed_distribution import TransformedDistribution
from minitorch.distributions.transforms import AffineTransform, ExpTransform
from minitorch.distributions.utils import Tensor, broadcast_all, quantity

__all__ = ["Pareto"]


class Pareto(TransformedDistribution):
    """Numbers from `scale` on with a density of x**-(alpha + 1).

    Args:
        scale: the least number.
        alpha: how fast the tail falls.
    """

    arg_constraints = {"alpha": constraints.positive, "scale": constraints.positive}

    def __init__(
        self, scale: Tensor | float, alpha: Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.scale, self.alpha = broadcast_all(scale, alpha)
        base = Exponential(self.alpha, validate_args=validate_args)
        transforms = [ExpTransform(), AffineTransform(loc=0, scale=self.scale)]
        super().__init__(base, transforms, validate_args=validate_args)

    def expand(self, batch_shape: _size, _instance: Optional["Pareto"] = None) -> "Pareto":
        new = self._get_checked_instance(Pareto, _instance)
        new.scale, new.alpha = self.scale.expand(batch_shape), self.alpha.expand(batch_shape)
        return super().expand(batch_shape, _instance=new)

    @property
    def mean(self) -> Tensor:
        """Infinite where alpha is 1 or less."""
        a = self.alpha.clamp(min=1)
        return a * self.scale / (a - 1)

    mode = quantity(lambda self: self.scale)

    @property
    def variance(self) -> Tensor:
        """Infinite where alpha is 2 or less."""
        a = self.alpha.clamp(min=2)
        return self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2))

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> constraints.Constraint:
        """The interval of the values: from `scale` on."""
        return constraints.greater_than_eq(self.scale)

    def entropy(self) -> Tensor:
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())

"""torch.distributions.log_normal: exponentials of normal numbers."""

from minitorch.distributions import constraints
from minitorch.distributions.normal import Normal
from minitorch.distributions.transformed_distribution import TransformedDistribution
from minitorch.distributions.transforms import ExpTransform
from minitorch.distributions.utils import Tensor, of_base, quantity

__all__ = ["LogNormal"]


class LogNormal(TransformedDistribution):
    """exp(x) of normal numbers x.

    Args:
        loc: the mean of x.
        scale: the standard deviation of x.
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.positive
    has_rsample = True
    base_dist: Normal

    def __init__(
        self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None
    ) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(LogNormal, _instance)
        return super().expand(batch_shape, _instance=new)

    loc, scale = of_base("loc"), of_base("scale")
    mean = quantity(lambda self: (self.loc + self.scale.pow(2) / 2).exp())
    mode = quantity(lambda self: (self.loc - self.scale.square()).exp())

    @property
    def variance(self) -> Tensor:
        square = self.scale.pow(2)
        return square.expm1() * (2 * self.loc + square).exp()

    def entropy(self):
        return self.base_dist.entropy() + self.loc

"""torch.distributions.logistic_normal: chances from normal vectors."""

from minitorch.distributions import constraints
from minitorch.distributions.independent import Independent
from minitorch.distributions.normal import Normal
from minitorch.distributions.transformed_distribution import TransformedDistribution
from minitorch.distributions.transforms import StickBreakingTransform
from minitorch.distributions.utils import Tensor, quantity

__all__ = ["LogisticNormal"]


class LogisticNormal(TransformedDistribution):
    """Chances of K classes, by stick breaking of K - 1 normal numbers.

    Args:
        loc, scale: mean and standard deviation of the numbers, along the last dimension.
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True
    base_dist: Independent[Normal]

    def __init__(
        self, loc: Tensor | float, scale: Tensor | float, validate_args: bool | None = None
    ) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(LogisticNormal, _instance)
        return super().expand(batch_shape, _instance=new)

    loc = quantity(lambda self: self.base_dist.base_dist.loc)
    scale = quantity(lambda self: self.base_dist.base_dist.scale)

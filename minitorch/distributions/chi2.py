"""torch.distributions.chi2: sums of squares of normal numbers."""

from minitorch.distributions import constraints
from minitorch.distributions.gamma import Gamma
from minitorch.distributions.utils import Tensor, quantity

__all__ = ["Chi2"]


class Chi2(Gamma):
    """The sum of the squares of `df` standard normal numbers: Gamma(df / 2, 1 / 2).

    Args:
        df: the degrees of freedom.
    """

    arg_constraints = {"df": constraints.positive}

    def __init__(self, df: Tensor | float, validate_args: bool | None = None) -> None:
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(Chi2, _instance)
        return super().expand(batch_shape, new)

    df = quantity(lambda self: self.concentration * 2)

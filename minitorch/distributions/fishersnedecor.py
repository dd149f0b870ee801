"""torch.distributions.fishersnedecor: ratios of two variances."""

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.distribution import Distribution, _size
from minitorch.distributions.gamma import Gamma
from minitorch.distributions.utils import (
    NO_SHAPE,
    Tensor,
    batch_shape_of,
    broadcast_all,
)

__all__ = ["FisherSnedecor"]


class FisherSnedecor(Distribution):
    """The ratio of two Chi2 numbers, each over its degrees of freedom.

    Args:
        df1, df2: the degrees of freedom.
    """

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True

    def __init__(
        self, df1: Tensor | float, df2: Tensor | float, validate_args: bool | None = None
    ) -> None:
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._gamma1 = Gamma(self.df1 * 0.5, self.df1)
        self._gamma2 = Gamma(self.df2 * 0.5, self.df2)
        super().__init__(batch_shape_of(self.df1, df1, df2), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        names = ("df1", "df2", "_gamma1", "_gamma2")
        return self._expanded(FisherSnedecor, batch_shape, _instance, *names)

    @property
    def mean(self) -> Tensor:
        """NaN where df2 <= 2."""
        df2 = self._df2_over(2)
        return df2 / (df2 - 2)

    @property
    def mode(self) -> Tensor:
        """NaN where df1 <= 2."""
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        mode[self.df1 <= 2] = torch.nan
        return mode

    @property
    def variance(self) -> Tensor:
        """NaN where df2 <= 4."""
        df1, df2 = self.df1, self._df2_over(4)
        return 2 * df2.pow(2) * (df1 + df2 - 2) / (df1 * (df2 - 2).pow(2) * (df2 - 4))

    def _df2_over(self, least: int) -> Tensor:
        df2 = self.df2.clone(memory_format=torch.contiguous_format)
        df2[df2 <= least] = torch.nan
        return df2

    def rsample(self, sample_shape: _size = NO_SHAPE) -> Tensor:
        shape = self._extended_shape(sample_shape)
        above = self._gamma1.rsample(sample_shape).view(shape)
        below = self._gamma2.rsample(sample_shape).view(shape)
        tiny = torch.finfo(below.dtype).tiny
        below.clamp_(min=tiny)
        ratio = above / below
        ratio.clamp_(min=tiny)
        return ratio

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        half1, half2, ratio = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        normalizer = (half1 + half2).lgamma() - half1.lgamma() - half2.lgamma()
        power = half1 * ratio.log() + (half1 - 1) * torch.log(value)
        return normalizer + power - (half1 + half2) * torch.log1p(ratio * value)

"""torch.distributions.studentT: normal numbers of uncertain variance."""

import math

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.chi2 import Chi2
from minitorch.distributions.distribution import Distribution, _size
from minitorch.distributions.utils import (
    NO_SHAPE,
    Tensor,
    _standard_normal,
    broadcast_all,
    quantity,
)

__all__ = ["StudentT"]


class StudentT(Distribution):
    """loc + scale * x / sqrt(y / df) of standard normal x and y of Chi2(df).

    Args:
        df: the degrees of freedom.
        loc: the middle.
        scale: how far the numbers spread.
    """

    arg_constraints = {
        "df": constraints.positive,
        "loc": constraints.real,
        "scale": constraints.positive,
    }
    support = constraints.real
    has_rsample = True

    def __init__(
        self,
        df: Tensor | float,
        loc: Tensor | float = 0.0,
        scale: Tensor | float = 1.0,
        validate_args: bool | None = None,
    ) -> None:
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.size(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        names = ("df", "loc", "scale", "_chi2")
        return self._expanded(StudentT, batch_shape, _instance, *names)

    @property
    def mean(self) -> Tensor:
        """NaN where df is 1 or less."""
        mean = self.loc.clone(memory_format=torch.contiguous_format)
        mean[self.df <= 1] = torch.nan
        return mean

    mode = quantity(lambda self: self.loc)

    @property
    def variance(self) -> Tensor:
        """Infinite where df is 2 or less, NaN where it is 1 or less."""
        df = self.df
        variance = df.clone(memory_format=torch.contiguous_format)
        finite = df > 2
        variance[finite] = self.scale[finite].pow(2) * df[finite] / (df[finite] - 2)
        variance[(df <= 2) & (df > 1)] = torch.inf
        variance[df <= 1] = torch.nan
        return variance

    def rsample(self, sample_shape: _size = NO_SHAPE) -> Tensor:
        shape = self._extended_shape(sample_shape)
        normal = _standard_normal(shape, dtype=self.df.dtype, device=self.df.device)
        y = normal * torch.rsqrt(self._chi2.rsample(sample_shape) / self.df)
        return self.loc + self.scale * y

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        y = (value - self.loc) / self.scale
        normalizer = (
            self.scale.log()
            + 0.5 * self.df.log()
            + 0.5 * math.log(math.pi)
            + torch.lgamma(0.5 * self.df)
            - torch.lgamma(0.5 * (self.df + 1.0))
        )
        return -0.5 * (self.df + 1.0) * torch.log1p(y**2.0 / self.df) - normalizer

    def entropy(self):
        df = self.df
        log_beta = torch.lgamma(0.5 * df) + math.lgamma(0.5) - torch.lgamma(0.5 * (df + 1))
        slopes = torch.digamma(0.5 * (df + 1)) - torch.digamma(0.5 * df)
        return self.scale.log() + 0.5 * (df + 1) * slopes + 0.5 * df.log() + log_beta

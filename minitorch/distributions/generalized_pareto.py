"""torch.distributions.generalized_pareto: what lies beyond a high threshold."""

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.distribution import Distribution
from minitorch.distributions.utils import NO_SHAPE, batch_shape_of, broadcast_all, quantity

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Distribution):
    """The tail of another distribution; exponential where `concentration` is zero.

    Args:
        loc: the least number.
        scale: how far the numbers spread.
        concentration: how heavy the tail is; it ends where this is negative.
    """

    arg_constraints = {
        "loc": constraints.real,
        "scale": constraints.positive,
        "concentration": constraints.real,
    }
    has_rsample = True

    def __init__(self, loc, scale, concentration, validate_args=None):
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        shape = batch_shape_of(self.loc, loc, scale, concentration)
        super().__init__(shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        names = ("loc", "scale", "concentration")
        return self._expanded(GeneralizedPareto, batch_shape, _instance, *names)

    def rsample(self, sample_shape=NO_SHAPE):
        shape = self._extended_shape(sample_shape)
        return self.icdf(torch.rand(shape, dtype=self.loc.dtype, device=self.loc.device))

    def _cases(self, zero):
        """A mask of the places where the concentration is zero, and a divisor with ones there."""
        at_zero = torch.isclose(self.concentration, zero)
        ones = torch.ones_like(self.concentration)
        return at_zero, torch.where(at_zero, ones, self.concentration)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        z = self._z(value)
        at_zero, concentration = self._cases(torch.tensor(0.0))
        y = 1 / concentration + torch.ones_like(z)
        elsewhere = torch.where(y == 0, y, y * torch.log1p(concentration * z))
        return -self.scale.log() - torch.where(at_zero, z, elsewhere)

    def log_survival_function(self, value):
        """The logarithm of the chance of more than `value`."""
        if self._validate_args:
            self._validate_sample(value)
        z = self._z(value)
        at_zero, concentration = self._cases(torch.tensor(0.0))
        return torch.where(at_zero, -z, -torch.log1p(concentration * z) / concentration)

    def log_cdf(self, value):
        """The logarithm of cdf."""
        return torch.log1p(-torch.exp(self.log_survival_function(value)))

    def cdf(self, value):
        return torch.exp(self.log_cdf(value))

    def icdf(self, value):
        at_zero, concentration = self._cases(torch.zeros_like(self.concentration))
        logs = torch.log1p(-value)
        elsewhere = self.loc + self.scale / concentration * torch.expm1(-concentration * logs)
        return torch.where(at_zero, self.loc - self.scale * logs, elsewhere)

    def _z(self, x):
        return (x - self.loc) / self.scale

    @property
    def mean(self):
        """NaN where the concentration is 1 or more."""
        valid = self.concentration < 1
        concentration = torch.where(valid, self.concentration, 0.5)
        return torch.where(valid, self.loc + self.scale / (1 - concentration), torch.nan)

    @property
    def variance(self):
        """NaN where the concentration is 1/2 or more."""
        valid = self.concentration < 0.5
        concentration = torch.where(valid, self.concentration, 0.25)
        result = self.scale**2 / ((1 - concentration) ** 2 * (1 - 2 * concentration))
        return torch.where(valid, result, torch.nan)

    def entropy(self):
        entropy = torch.log(self.scale) + self.concentration + 1
        return torch.broadcast_to(entropy, self._batch_shape)

    mode = quantity(lambda self: self.loc)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        """The interval of the values: from `loc` to the end of the tail."""
        end = self.loc - self.scale / self.concentration
        return constraints.interval(self.loc, torch.where(self.concentration < 0, end, torch.inf))

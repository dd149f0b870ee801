"""torch.distributions.kumaraswamy: numbers between 0 and 1, as Beta's but easier to draw."""

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.transformed_distribution import TransformedDistribution
from minitorch.distributions.transforms import AffineTransform, PowerTransform
from minitorch.distributions.uniform import Uniform
from minitorch.distributions.utils import Tensor, broadcast_all, euler_constant, quantity

__all__ = ["Kumaraswamy"]


def _moments(a, b, n):
    arg = 1 + n / a
    return b * torch.exp(torch.lgamma(arg) + torch.lgamma(b) - torch.lgamma(arg + b))


class Kumaraswamy(TransformedDistribution):
    """(1 - u**(1 / concentration0))**(1 / concentration1) of uniform u.

    Args:
        concentration1, concentration0: two positive numbers.
    """

    arg_constraints = {
        "concentration1": constraints.positive,
        "concentration0": constraints.positive,
    }
    support = constraints.unit_interval
    has_rsample = True

    def __init__(
        self,
        concentration1: Tensor | float,
        concentration0: Tensor | float,
        validate_args: bool | None = None,
    ) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        base = Uniform(
            torch.full_like(self.concentration0, 0),
            torch.full_like(self.concentration0, 1),
            validate_args=validate_args,
        )
        transforms = [
            PowerTransform(exponent=self.concentration0.reciprocal()),
            AffineTransform(loc=1.0, scale=-1.0),
            PowerTransform(exponent=self.concentration1.reciprocal()),
        ]
        super().__init__(base, transforms, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(Kumaraswamy, _instance)
        new.concentration1 = self.concentration1.expand(batch_shape)
        new.concentration0 = self.concentration0.expand(batch_shape)
        return super().expand(batch_shape, _instance=new)

    mean = quantity(lambda self: _moments(self.concentration1, self.concentration0, 1))

    @property
    def mode(self) -> Tensor:
        """NaN where a concentration is less than 1."""
        a, b = self.concentration1, self.concentration0
        log_mode = b.reciprocal() * (-b).log1p() - (-b * a).log1p()
        log_mode[(b < 1) | (a < 1)] = torch.nan
        return log_mode.exp()

    @property
    def variance(self) -> Tensor:
        square = _moments(self.concentration1, self.concentration0, 2)
        return square - torch.pow(self.mean, 2)

    def entropy(self):
        t1 = 1 - self.concentration1.reciprocal()
        t0 = 1 - self.concentration0.reciprocal()
        harmonic = torch.digamma(self.concentration0 + 1) + euler_constant
        logs = torch.log(self.concentration1), torch.log(self.concentration0)
        return t0 + t1 * harmonic - logs[0] - logs[1]

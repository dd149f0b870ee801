"""torch.distributions.beta: chances of one of two."""

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.dirichlet import Dirichlet
from minitorch.distributions.distribution import _size
from minitorch.distributions.exp_family import ExponentialFamily
from minitorch.distributions.utils import NUMBERS, Tensor, broadcast_all, quantity

__all__ = ["Beta"]


class Beta(ExponentialFamily):
    """Numbers between 0 and 1 with a density of x**(concentration1 - 1) * (1 - x)**(... 0 - 1).

    Args:
        concentration1: the first exponent, more one.
        concentration0: the second exponent, more one.
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
        if isinstance(concentration1, NUMBERS) and isinstance(concentration0, NUMBERS):
            both = torch.tensor([float(concentration1), float(concentration0)])
        else:
            both = torch.stack(broadcast_all(concentration1, concentration0), -1)
        self._dirichlet = Dirichlet(both, validate_args=validate_args)
        super().__init__(self._dirichlet._batch_shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(Beta, batch_shape, _instance, "_dirichlet")

    concentration1 = quantity(lambda self: self._dirichlet.concentration[..., 0])
    concentration0 = quantity(lambda self: self._dirichlet.concentration[..., 1])
    mean = quantity(lambda self: self.concentration1 / (self.concentration1 + self.concentration0))
    mode = quantity(lambda self: self._dirichlet.mode[..., 0])

    @property
    def variance(self) -> Tensor:
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))

    def rsample(self, sample_shape: _size = ()) -> Tensor:
        return self._dirichlet.rsample(sample_shape).select(-1, 0)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return self._dirichlet.log_prob(torch.stack([value, 1.0 - value], -1))

    def entropy(self):
        return self._dirichlet.entropy()

    @property
    def _natural_params(self) -> tuple[Tensor, Tensor]:
        return self.concentration1, self.concentration0

    def _log_normalizer(self, x, y):
        return torch.lgamma(x) + torch.lgamma(y) - torch.lgamma(x + y)

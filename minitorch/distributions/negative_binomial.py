"""torch.distributions.negative_binomial: successes before so many failures."""

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.distribution import Distribution
from minitorch.distributions.gamma import Gamma
from minitorch.distributions.utils import (
    NO_SHAPE,
    Tensor,
    binary_logits,
    binary_probs,
    choose_with_count,
    lazy_property,
    new_like_param,
    param_shape,
    quantity,
)
from minitorch.nn.functional import logsigmoid

__all__ = ["NegativeBinomial"]


class NegativeBinomial(Distribution):
    """The number of successes before `total_count` failures.

    Args:
        total_count: the number of failures; need not be whole.
        probs: the chance of a success.
        logits: the logarithm of its odds; one of both is given.
    """

    arg_constraints = {
        "total_count": constraints.greater_than_eq(0),
        "probs": constraints.half_open_interval(0.0, 1.0),
        "logits": constraints.real,
    }
    support = constraints.nonnegative_integer

    def __init__(
        self,
        total_count: Tensor | float,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        choose_with_count(self, total_count, probs, logits)
        super().__init__(self._param.size(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        names = ("total_count", "probs", "logits")
        return self._expanded(NegativeBinomial, batch_shape, _instance, *names)

    logits, probs, param_shape, _new = binary_logits, binary_probs, param_shape, new_like_param
    mean = quantity(lambda self: self.total_count * torch.exp(self.logits))
    mode = quantity(
        lambda self: ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)
    )
    variance = quantity(lambda self: self.mean / torch.sigmoid(-self.logits))

    @lazy_property
    def _gamma(self) -> Gamma:
        rate = torch.exp(-self.logits)  # gamma_rate = (1 - probs) / probs
        return Gamma(concentration=self.total_count, rate=rate, validate_args=False)

    def sample(self, sample_shape=NO_SHAPE):
        with torch.no_grad():
            return torch.poisson(self._gamma.sample(sample_shape=sample_shape))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        n = self.total_count
        unnormalized = n * logsigmoid(-self.logits) + value * logsigmoid(self.logits)
        normalizer = -torch.lgamma(n + value) + torch.lgamma(1.0 + value) + torch.lgamma(n)
        normalizer = normalizer.masked_fill(n + value == 0.0, 0.0)
        return unnormalized - normalizer

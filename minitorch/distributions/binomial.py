"""torch.distributions.binomial: successes of many trials."""

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.distribution import Distribution
from minitorch.distributions.utils import (
    NO_SHAPE,
    Tensor,
    binary_logits,
    binary_probs,
    choose_with_count,
    new_like_param,
    param_shape,
    quantity,
)

__all__ = ["Binomial"]


def _clamp_by_zero(x):
    # clamp(min=0) whose gradient at 0 is a half
    return (x.clamp(min=0) + x - x.clamp(max=0)) / 2


class Binomial(Distribution):
    """The number of successes in `total_count` trials.

    Args:
        total_count: the number of trials.
        probs: the chance of a success.
        logits: the logarithm of its odds; one of both is given.
    """

    arg_constraints = {
        "total_count": constraints.nonnegative_integer,
        "probs": constraints.unit_interval,
        "logits": constraints.real,
    }
    has_enumerate_support = True

    def __init__(
        self,
        total_count: Tensor | int = 1,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        choose_with_count(self, total_count, probs, logits)
        super().__init__(self._param.size(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        names = ("total_count", "probs", "logits")
        return self._expanded(Binomial, batch_shape, _instance, *names)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        """0 to total_count."""
        return constraints.integer_interval(0, self.total_count)

    logits, probs, param_shape, _new = binary_logits, binary_probs, param_shape, new_like_param
    mean = quantity(lambda self: self.total_count * self.probs)
    variance = quantity(lambda self: self.total_count * self.probs * (1 - self.probs))
    mode = quantity(
        lambda self: ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)
    )

    def sample(self, sample_shape=NO_SHAPE):
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            return torch.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        n, logits = self.total_count, self.logits
        of_n, of_k = torch.lgamma(n + 1), torch.lgamma(value + 1)
        of_rest = torch.lgamma(n - value + 1)
        # n * log(1 + exp(logits)), for large logits too
        normalizer = (
            n * _clamp_by_zero(logits) + n * torch.log1p(torch.exp(-torch.abs(logits))) - of_n
        )
        return value * logits - of_k - of_rest - normalizer

    def entropy(self):
        self._count_for("entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(torch.exp(log_prob) * log_prob).sum(0)

    def enumerate_support(self, expand=True):
        count = self._count_for("enumerate_support")
        like = {"dtype": self._param.dtype, "device": self._param.device}
        return self._enumerated(torch.arange(1 + count, **like), expand)

    def _count_for(self, method: str) -> int:
        count = int(self.total_count.max())
        if not self.total_count.min() == count:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{method}`.")
        return count

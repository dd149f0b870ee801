"""torch.distributions.multinomial: how often each class was drawn."""

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.binomial import Binomial
from minitorch.distributions.categorical import Categorical
from minitorch.distributions.distribution import Distribution
from minitorch.distributions.utils import (
    NO_SHAPE,
    Tensor,
    broadcast_all,
    new_like_categorical,
    of_categorical,
    quantity,
)

__all__ = ["Multinomial"]


class Multinomial(Distribution):
    """How often each of K classes comes in `total_count` draws.

    Args:
        total_count: the number of draws, one for the whole batch.
        probs: chances along the last dimension, of any positive sum.
        logits: their logarithms; one of both is given.

    Raises:
        NotImplementedError: where total_count is no int.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    total_count: int

    def __init__(
        self,
        total_count: int = 1,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
        event_shape = self._categorical.param_shape[-1:]
        super().__init__(self._categorical.batch_shape, event_shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._expanded(Multinomial, batch_shape, _instance, "_categorical")
        new.total_count = self.total_count
        return new

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self):
        """Counts of a sum of total_count."""
        return constraints.multinomial(self.total_count)

    _new = new_like_categorical
    logits, probs = of_categorical("logits"), of_categorical("probs")
    param_shape = of_categorical("param_shape")
    mean = quantity(lambda self: self.probs * self.total_count)
    variance = quantity(lambda self: self.total_count * self.probs * (1 - self.probs))

    def sample(self, sample_shape=NO_SHAPE):
        sample_shape = torch.Size(sample_shape)
        drawn = self._categorical.sample(torch.Size((self.total_count,)) + sample_shape)
        drawn = drawn.permute(*range(1, drawn.dim()), 0)
        counts = drawn.new(self._extended_shape(sample_shape)).zero_()
        counts.scatter_add_(-1, drawn, torch.ones_like(drawn))
        return counts.type_as(self.probs)

    def entropy(self):
        n = torch.tensor(self.total_count)
        of_draws = n * self._categorical.entropy() - torch.lgamma(n + 1)
        counts = self._binomial.enumerate_support(expand=False)[1:]
        chances = torch.exp(self._binomial.log_prob(counts))
        return of_draws + (chances * torch.lgamma(counts + 1)).sum([0, -1])

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.clone(memory_format=torch.contiguous_format)
        of_n = torch.lgamma(value.sum(-1) + 1)
        of_counts = torch.lgamma(value + 1).sum(-1)
        logits[(value == 0) & (logits == -torch.inf)] = 0  # 0 * log(0) is 0 here
        return of_n - of_counts + (logits * value).sum(-1)

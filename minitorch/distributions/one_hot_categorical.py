"""torch.distributions.one_hot_categorical: one of several classes, as a vector."""

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.categorical import Categorical
from minitorch.distributions.distribution import Distribution, _size
from minitorch.distributions.utils import (
    NO_SHAPE,
    Tensor,
    new_like_categorical,
    of_categorical,
)
from minitorch.nn.functional import one_hot

__all__ = ["OneHotCategorical", "OneHotCategoricalStraightThrough"]


class OneHotCategorical(Distribution):
    """Vectors of zeros with a one at one of K classes.

    Args:
        probs: chances along the last dimension, of any positive sum.
        logits: their logarithms; one of both is given.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.one_hot
    has_enumerate_support = True

    def __init__(
        self,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._categorical = Categorical(probs, logits)
        event_shape = self._categorical.param_shape[-1:]
        super().__init__(self._categorical.batch_shape, event_shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        return self._expanded(OneHotCategorical, batch_shape, _instance, "_categorical")

    _new, _param = new_like_categorical, of_categorical("_param")
    probs, logits = of_categorical("probs"), of_categorical("logits")
    mean, param_shape = of_categorical("probs"), of_categorical("param_shape")

    @property
    def mode(self) -> Tensor:
        """The likeliest class."""
        probs = self._categorical.probs
        return one_hot(probs.argmax(dim=-1), num_classes=probs.shape[-1]).to(probs)

    @property
    def variance(self) -> Tensor:
        return self._categorical.probs * (1 - self._categorical.probs)

    def sample(self, sample_shape=NO_SHAPE):
        probs, count = self._categorical.probs, self._categorical._num_events
        return one_hot(self._categorical.sample(torch.Size(sample_shape)), count).to(probs)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self):
        return self._categorical.entropy()

    def enumerate_support(self, expand=True):
        n = self.event_shape[0]
        values = torch.eye(n, dtype=self._param.dtype, device=self._param.device)
        values = values.view((n,) + (1,) * len(self.batch_shape) + (n,))
        return values.expand((n,) + self.batch_shape + (n,)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """Such vectors with the gradients of `probs`: a biased estimate.

    As Bengio, Léonard, Courville: Estimating or propagating gradients through stochastic neurons
    for conditional computation, 2013.
    """

    has_rsample = True

    def rsample(self, sample_shape: _size = NO_SHAPE) -> Tensor:
        samples, probs = self.sample(sample_shape), self._categorical.probs
        return samples + (probs - probs.detach())

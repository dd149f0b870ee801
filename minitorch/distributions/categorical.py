"""torch.distributions.categorical: one of several classes."""

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.distribution import Distribution
from minitorch.distributions.utils import (
    NO_SHAPE,
    Tensor,
    check_one_of,
    lazy_property,
    logits_to_probs,
    new_like_param,
    param_shape,
    probs_to_logits,
    quantity,
)

__all__ = ["Categorical"]


class Categorical(Distribution):
    """The number of one of K classes.

    Args:
        probs: chances along the last dimension, of any positive sum.
        logits: their logarithms; one of both is given.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True

    def __init__(
        self,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        check_one_of(probs, logits)
        name, given = ("logits", logits) if probs is None else ("probs", probs)
        if given.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        if name == "probs":
            param = given / given.sum(-1, keepdim=True)
        else:
            param = given - given.logsumexp(dim=-1, keepdim=True)
        setattr(self, name, param)
        self._param = param
        self._num_events = self._param.size()[-1]
        super().__init__(self._param.size()[:-1], validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._expanded(Categorical, batch_shape, _instance, "probs", "logits")
        new._num_events = self._num_events
        return new

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        """0 to K - 1."""
        return constraints.integer_interval(0, self._num_events - 1)

    @lazy_property
    def logits(self) -> Tensor:
        """Logarithms of the chances."""
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self) -> Tensor:
        """The chances."""
        return logits_to_probs(self.logits)

    @property
    def mean(self) -> Tensor:
        """NaN: classes have no mean."""
        like = {"dtype": self.probs.dtype, "device": self.probs.device}
        return torch.full(self._extended_shape(), torch.nan, **like)

    variance = mean
    mode = quantity(lambda self: self.probs.argmax(dim=-1))
    param_shape, _new = param_shape, new_like_param

    def sample(self, sample_shape=NO_SHAPE):
        if not isinstance(sample_shape, torch.Size):
            sample_shape = torch.Size(sample_shape)
        rows = self.probs.reshape(-1, self._num_events)
        samples = torch.multinomial(rows, sample_shape.numel(), True).T
        return samples.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        value, chances = torch.broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return chances.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self):
        logits = torch.clamp(self.logits, min=torch.finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand=True):
        values = torch.arange(self._num_events, dtype=torch.long, device=self._param.device)
        return self._enumerated(values, expand)

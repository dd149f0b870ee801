"""torch.distributions.relaxed_categorical: nearly one of several classes, with gradients."""

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.categorical import Categorical
from minitorch.distributions.distribution import Distribution, _size
from minitorch.distributions.transformed_distribution import TransformedDistribution
from minitorch.distributions.transforms import ExpTransform
from minitorch.distributions.utils import (
    NO_SHAPE,
    Tensor,
    broadcast_all,
    clamp_probs,
    new_like_categorical,
    of_base,
    of_categorical,
)

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]


class ExpRelaxedCategorical(Distribution):
    """The logarithms of RelaxedOneHotCategorical.

    As Maddison, Mnih, Teh: The concrete distribution, 2017.

    Args:
        temperature: how far the vectors lie from the corners.
        probs: chances along the last dimension, of any positive sum.
        logits: their logarithms; one of both is given.
    """

    # The support is that of vectors whose exponentials add up to 1, which no constraint names.
    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        temperature: Tensor,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        event_shape = self._categorical.param_shape[-1:]
        super().__init__(self._categorical.batch_shape, event_shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._expanded(ExpRelaxedCategorical, batch_shape, _instance, "_categorical")
        new.temperature = self.temperature
        return new

    _new, param_shape = new_like_categorical, of_categorical("param_shape")
    logits, probs = of_categorical("logits"), of_categorical("probs")

    def rsample(self, sample_shape: _size = NO_SHAPE) -> Tensor:
        shape, logits = self._extended_shape(sample_shape), self.logits
        u = clamp_probs(torch.rand(shape, dtype=logits.dtype, device=logits.device))
        gumbels = -((-(u.log())).log())
        scores = (logits + gumbels) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value):
        count = self._categorical._num_events
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        log_scale = torch.full_like(
            self.temperature, float(count)
        ).lgamma() - self.temperature.log().mul(-(count - 1))
        score = logits - value.mul(self.temperature)
        score = (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1)
        return score + log_scale


class RelaxedOneHotCategorical(TransformedDistribution):
    """Chances of K classes, near to a corner where the temperature is low.

    Args:
        temperature: how far the vectors lie from the corners.
        probs: chances along the last dimension, of any positive sum.
        logits: their logarithms; one of both is given.
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex
    has_rsample = True
    base_dist: ExpRelaxedCategorical

    def __init__(
        self,
        temperature: Tensor,
        probs: Tensor | None = None,
        logits: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(RelaxedOneHotCategorical, _instance)
        return super().expand(batch_shape, _instance=new)

    temperature, logits, probs = of_base("temperature"), of_base("logits"), of_base("probs")

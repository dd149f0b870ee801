"""torch.distributions.relaxed_bernoulli: nearly zero or one, with gradients."""

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.distribution import Distribution, _size
from minitorch.distributions.transformed_distribution import TransformedDistribution
from minitorch.distributions.transforms import SigmoidTransform
from minitorch.distributions.utils import (
    NO_SHAPE,
    Number,
    Tensor,
    batch_shape_of,
    binary_logits,
    binary_probs,
    broadcast_all,
    choose_chances,
    clamp_probs,
    new_like_param,
    of_base,
    param_shape,
)

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]


class LogitRelaxedBernoulli(Distribution):
    """The logarithms of the odds of RelaxedBernoulli.

    As Maddison, Mnih, Teh: The concrete distribution, 2017.

    Args:
        temperature: how far the numbers lie from zero and one.
        probs: the chance of one.
        logits: the logarithm of its odds; one of both is given.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.real

    def __init__(
        self,
        temperature: Tensor,
        probs: Tensor | Number | None = None,
        logits: Tensor | Number | None = None,
        validate_args: bool | None = None,
    ) -> None:
        self.temperature = temperature
        given = choose_chances(self, probs, logits)
        super().__init__(batch_shape_of(self._param, given), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._expanded(LogitRelaxedBernoulli, batch_shape, _instance, "probs", "logits")
        new.temperature = self.temperature
        return new

    logits, probs, param_shape, _new = binary_logits, binary_probs, param_shape, new_like_param

    def rsample(self, sample_shape: _size = NO_SHAPE) -> Tensor:
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        u = clamp_probs(torch.rand(shape, dtype=probs.dtype, device=probs.device))
        odds = u.log() - (-u).log1p() + probs.log() - (-probs).log1p()
        return odds / self.temperature

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        difference = logits - value.mul(self.temperature)
        return self.temperature.log() + difference - 2 * difference.exp().log1p()


class RelaxedBernoulli(TransformedDistribution):
    """Numbers between zero and one, near to both where the temperature is low.

    Args:
        temperature: how far the numbers lie from zero and one.
        probs: the chance of one.
        logits: the logarithm of its odds; one of both is given.
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    base_dist: LogitRelaxedBernoulli

    def __init__(
        self,
        temperature: Tensor,
        probs: Tensor | Number | None = None,
        logits: Tensor | Number | None = None,
        validate_args: bool | None = None,
    ) -> None:
        base = LogitRelaxedBernoulli(temperature, probs, logits)
        super().__init__(base, SigmoidTransform(), validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        new = self._get_checked_instance(RelaxedBernoulli, _instance)
        return super().expand(batch_shape, _instance=new)

    temperature, logits, probs = of_base("temperature"), of_base("logits"), of_base("probs")

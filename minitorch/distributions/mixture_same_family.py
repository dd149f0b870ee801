"""torch.distributions.mixture_same_family: one of several distributions of a family."""

import minitorch as torch
from minitorch.distributions import constraints
from minitorch.distributions.categorical import Categorical
from minitorch.distributions.constraints import MixtureSameFamilyConstraint
from minitorch.distributions.distribution import Distribution
from minitorch.distributions.utils import NO_SHAPE, Tensor

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """Draws from one of K distributions of a family.

    Args:
        mixture_distribution: a Categorical that picks one.
        component_distribution: the K distributions, along the last dimension of its batch.

    Raises:
        ValueError: for other types, and where the batches do not fit each other.
    """

    arg_constraints: dict[str, constraints.Constraint] = {}
    has_rsample = False

    def __init__(
        self,
        mixture_distribution: Categorical,
        component_distribution: Distribution,
        validate_args: bool | None = None,
    ) -> None:
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(
                " The Mixture distribution needs to be an  instance of "
                "torch.distributions.Categorical"
            )
        if not isinstance(component_distribution, Distribution):
            raise ValueError(
                "The Component distribution needs to be an instance of "
                "torch.distributions.Distribution"
            )
        mixed, batch = mixture_distribution.batch_shape, component_distribution.batch_shape[:-1]
        if any(1 != i != j != 1 for i, j in zip(mixed[::-1], batch[::-1])):
            raise ValueError(
                f"`mixture_distribution.batch_shape` ({mixed}) is not compatible with "
                f"`component_distribution.batch_shape`({batch})"
            )
        km = mixture_distribution.logits.shape[-1]
        kc = component_distribution.batch_shape[-1]
        if km != kc:
            raise ValueError(
                f"`mixture_distribution component` ({km}) does not equal "
                f"`component_distribution.batch_shape[-1]` ({kc})"
            )
        self._num_component = km
        event_shape = component_distribution.event_shape
        self._event_ndims = len(event_shape)
        super().__init__(batch_shape=batch, event_shape=event_shape, validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        batch_shape = torch.Size(batch_shape)
        new = self._get_checked_instance(MixtureSameFamily, _instance)
        new._component_distribution = self._component_distribution.expand(
            batch_shape + (self._num_component,)
        )
        new._mixture_distribution = self._mixture_distribution.expand(batch_shape)
        new._num_component, new._event_ndims = self._num_component, self._event_ndims
        return self._finish(MixtureSameFamily, new, batch_shape)

    @constraints.dependent_property
    def support(self):
        """The support of every component."""
        return MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self) -> Categorical:
        """The distribution that picks a component."""
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Distribution:
        """The components."""
        return self._component_distribution

    @property
    def mean(self) -> Tensor:
        chances = self._pad_mixture_dimensions(self.mixture_distribution.probs)
        return self._average(chances, self.component_distribution.mean)

    @property
    def variance(self) -> Tensor:
        """The mean of the variances and the variance of the means."""
        chances = self._pad_mixture_dimensions(self.mixture_distribution.probs)
        within = self._average(chances, self.component_distribution.variance)
        away = self.component_distribution.mean - self._pad(self.mean)
        return within + self._average(chances, away.pow(2.0))

    def _average(self, chances: Tensor, values: Tensor) -> Tensor:
        return torch.sum(chances * values, dim=-1 - self._event_ndims)

    def cdf(self, x):
        chances = self.component_distribution.cdf(self._pad(x))
        return torch.sum(chances * self.mixture_distribution.probs, dim=-1)

    def log_prob(self, x):
        if self._validate_args:
            self._validate_sample(x)
        of_components = self.component_distribution.log_prob(self._pad(x))
        of_mixture = torch.log_softmax(self.mixture_distribution.logits, dim=-1)
        return torch.logsumexp(of_components + of_mixture, dim=-1)

    def sample(self, sample_shape=NO_SHAPE):
        with torch.no_grad():
            dim, event = len(sample_shape) + len(self.batch_shape), self.event_shape
            picked = self.mixture_distribution.sample(sample_shape)
            samples = self.component_distribution.sample(sample_shape)
            rank = picked.dim()
            picked = picked.reshape(picked.shape + (1,) * (len(event) + 1))
            picked = picked.repeat((1,) * (rank + 1) + event)
            return torch.gather(samples, dim, picked).squeeze(dim)

    def _pad(self, x):
        return x.unsqueeze(-1 - self._event_ndims)

    def _pad_mixture_dimensions(self, x):
        mixed = len(self.mixture_distribution.batch_shape)
        more = 0 if mixed == 1 else len(self.batch_shape) - mixed
        events = (1,) * self._event_ndims
        return x.reshape(x.shape[:-1] + (1,) * more + x.shape[-1:] + events)

    def __repr__(self):
        parts = f"\n  {self.mixture_distribution},\n  {self.component_distribution}"
        return f"MixtureSameFamily({parts})"

"""torch.distributions.exp_family: distributions of the exponential family."""

import minitorch as torch
from minitorch.distributions.distribution import Distribution
from minitorch.distributions.utils import Tensor

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """Distributions whose density is exp(<t(x), parameters> - log_normalizer + carrier(x)).

    Subclasses define `_natural_params`, `_log_normalizer` and `_mean_carrier_measure`; entropies
    and divergences follow from them (Nielsen, Nock: Entropies and cross-entropies of exponential
    families, 2010).
    """

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        raise NotImplementedError

    def _log_normalizer(self, *natural_params):
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> float:
        raise NotImplementedError

    def entropy(self):
        """The entropy by the Bregman divergence of the log normalizer."""
        result: Tensor | float = -self._mean_carrier_measure
        parameters = [p.detach().requires_grad_() for p in self._natural_params]
        normalizer = self._log_normalizer(*parameters)
        slopes = torch.autograd.grad(normalizer.sum(), parameters, create_graph=True)
        result += normalizer
        for parameter, slope in zip(parameters, slopes):
            result -= (parameter * slope).reshape((*self._batch_shape, -1)).sum(-1)
        return result

"""torch.distributions: what is drawn, and how likely it is.

As https://docs.pytorch.org/docs/stable/distributions.html.
"""

from typing import Any

from minitorch.distributions import constraints
from minitorch.distributions.distribution import Distribution
from minitorch.distributions.univariate import Bernoulli, Categorical, Normal, Uniform
from minitorch.namespace import missing

__all__ = ["Bernoulli", "Categorical", "Distribution", "Normal", "Uniform", "constraints"]


def __getattr__(name: str) -> Any:
    return missing("torch.distributions", name)

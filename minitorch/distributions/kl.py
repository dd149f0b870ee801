"""torch.distributions.kl: the Kullback-Leibler divergence of two distributions.

As https://docs.pytorch.org/docs/stable/distributions.html#module-torch.distributions.kl.
"""

from typing import Any

from minitorch.distributions import _kl_mixed, _kl_of_family
from minitorch.distributions._kl_dispatch import (
    _KL_MEMOIZE,  # noqa: F401
    _KL_REGISTRY,  # noqa: F401
    _dispatch_kl,
    kl_divergence,
    register_kl,
)

__all__ = ["kl_divergence", "register_kl"]

for _each in (kl_divergence, register_kl, _dispatch_kl):
    _each.__module__ = "torch.distributions.kl"


def __getattr__(name: str) -> Any:
    """The divergences by their own names, which packages import: _kl_normal_normal."""
    for family in (_kl_of_family, _kl_mixed):
        if name.startswith("_") and name in vars(family):
            return vars(family)[name]
    raise AttributeError(f"module 'torch.distributions.kl' has no attribute {name!r}")

"""Random numbers in torch's order, over NumPy alone: the CPU generator and its distributions.

Each distribution is a function `name(generator, out, ...)` that fills the array `out` in the order
of memory, for any strides, and leaves the generator in the state of torch's.
"""

from importlib import import_module
from typing import Any

from minitorch.core.sampling.mersenne_twister import DEFAULT_SEED, MersenneTwister

__all__ = [
    "DEFAULT_SEED",
    "MersenneTwister",
    "bernoulli",
    "bernoulli_each",
    "binomial",
    "check_binomial",
    "cauchy",
    "check_permutation_length",
    "dropout_mask",
    "exponential",
    "gammas",
    "geometric",
    "log_normal",
    "check_chances",
    "check_multinomial",
    "check_weights",
    "multinomial",
    "normal",
    "not_implemented",
    "permutation",
    "poisson",
    "random_full",
    "random_range",
    "standard_gamma",
    "uniform",
]

# The modules of the distributions are imported at their first draw: 1.2 ms of an import.
_DISTRIBUTIONS = {
    "continuous": "cauchy exponential geometric",
    "discrete": "bernoulli bernoulli_each check_chances check_multinomial check_weights "
    "dropout_mask multinomial",
    "filling": "not_implemented",
    "gaussian": "log_normal normal",
    "integers": "check_permutation_length permutation random_full random_range",
    "interval": "uniform",
    "rejection": "binomial check_binomial gammas poisson standard_gamma",
}
_PLACES = {name: module for module, names in _DISTRIBUTIONS.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)
    globals()[name] = value
    return value

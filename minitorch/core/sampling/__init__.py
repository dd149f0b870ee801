"""Random numbers in torch's order, over NumPy alone: the CPU generator and what is drawn from it.

Each distribution is a function `name(generator, out, ...)` that fills the array `out` in the order
of memory, whatever its strides, and leaves the generator in the state that torch's would be in.
"""

from .continuous import cauchy, exponential, geometric
from .discrete import bernoulli, bernoulli_each, dropout_mask, multinomial
from .filling import not_implemented
from .gaussian import log_normal, normal
from .integers import check_permutation_length, permutation, random_full, random_range
from .interval import uniform
from .mersenne_twister import DEFAULT_SEED, MersenneTwister
from .rejection import binomial, gammas, poisson, standard_gamma

__all__ = [
    "DEFAULT_SEED",
    "MersenneTwister",
    "bernoulli",
    "bernoulli_each",
    "binomial",
    "cauchy",
    "check_permutation_length",
    "dropout_mask",
    "exponential",
    "gammas",
    "geometric",
    "log_normal",
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

"""The registry of divergences, and how one is found for two distributions."""

import warnings
from collections.abc import Callable

from minitorch.distributions.distribution import Distribution
from minitorch.distributions.utils import Tensor

# The functions by the classes of both, and those that were found for subclasses.
_KL_REGISTRY: dict[tuple[type, type], Callable] = {}
_KL_MEMOIZE: dict[tuple[type, type], Callable] = {}


def register_kl(type_p, type_q):
    """A decorator that enters a function of two distributions of these classes.

    Args:
        type_p, type_q: subclasses of Distribution. The function serves their subclasses too,
            unless one is entered that fits better.

    Raises:
        TypeError: for an instance of a class.
    """
    for name, given in (("type_p", type_p), ("type_q", type_q)):
        if not isinstance(given, type) and issubclass(given, Distribution):
            raise TypeError(f"Expected {name} to be a Distribution subclass but got {given}")

    def decorator(fun):
        _KL_REGISTRY[type_p, type_q] = fun
        _KL_MEMOIZE.clear()
        return fun

    return decorator


def _first(matches: list[tuple[type, ...]]) -> tuple[type, ...]:
    """The narrowest of pairs of classes, where the first class decides before the second."""
    best = matches[0]
    for match in matches[1:]:
        if match != best and _is_narrower(match, best):
            best = match
    return best


def _is_narrower(one: tuple[type, ...], other: tuple[type, ...]) -> bool:
    for x, y in zip(one, other):
        if not issubclass(x, y):
            return False
        if x is not y:
            break
    return True


def _dispatch_kl(type_p, type_q):
    """The function of the narrowest registered classes of both; a warning where two are."""
    matches = [(p, q) for p, q in _KL_REGISTRY if issubclass(type_p, p) and issubclass(type_q, q)]
    if not matches:
        return NotImplemented
    left_p, left_q = _first(matches)
    right_q, right_p = _first([(q, p) for p, q in matches])
    left, right = _KL_REGISTRY[left_p, left_q], _KL_REGISTRY[right_p, right_q]
    if left is not right:
        warnings.warn(
            f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). Please "
            f"register_kl({left_p.__name__}, {right_q.__name__})",
            RuntimeWarning,
            stacklevel=2,
        )
    return left


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """The mean, over what `p` draws, of the logarithm of its likelihood ratio to `q`.

    Args:
        p, q: distributions whose batches broadcast.

    Returns:
        A tensor of the shape of the batch.

    Raises:
        NotImplementedError: where no formula is entered for their classes.
    """
    types = type(p), type(q)
    try:
        fun = _KL_MEMOIZE[types]
    except KeyError:
        fun = _KL_MEMOIZE[types] = _dispatch_kl(*types)
    if fun is NotImplemented:
        raise NotImplementedError(
            f"No KL(p || q) is implemented for p type {p.__class__.__name__} and q type "
            f"{q.__class__.__name__}"
        )
    return fun(p, q)

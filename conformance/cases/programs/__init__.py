"""Programs made by chance, of operators, views, in-place writes, hooks, modes and backwards."""

from collections.abc import Iterator
from functools import reduce
from random import Random

from conformance.cases.forward_mode import prepare_torch
from conformance.cases.programs.differentiating import FEATURES, INFERENCE, TRANSFORMS
from conformance.cases.programs.generate import by_chance
from conformance.cases.programs.program import Program
from conformance.examine import library
from conformance.options import Options
from conformance.oracle.device import is_host

UNIT = 250  # programs of one unit, which one process examines
EXAMPLES = {"quick": 1000, "full": 5000}


def keys(options: Options) -> list[str]:
    """Returns the numbers of the units."""
    prepare_torch()
    examples = EXAMPLES[options.profile] if options.examples is None else options.examples
    return [f"{number:03}" for number in range(-(-examples // UNIT))]


def cases(key: str, options: Options) -> Iterator[Program]:
    """Yields the programs of one unit."""
    examples = EXAMPLES[options.profile] if options.examples is None else options.examples
    number = int(key)
    count = min(UNIT, examples - number * UNIT)
    random = Random(f"{options.seed}/{number}")
    offered = features(options.impl)
    for case in range(count):
        if case in options.deadly:  # torch ended while it was written or run: others go on
            random = Random(f"{options.seed}/{number}/{case}")
            yield Program("pass\n")
            continue
        written, choices = by_chance(random, offered)
        yield Program(*written, choices, offered)


def features(impl: str) -> frozenset[str]:
    """Returns which of the rarer features the library has."""
    module = library(impl)
    # On a device autocast casts for other operators, and what the CPU's says to do is nothing.
    rarer = [*FEATURES, *TRANSFORMS, INFERENCE, *(["autocast"] if is_host() else [])]
    return frozenset([name for name in rarer if _has(module, name)])


def _has(module, name: str) -> bool:
    try:
        reduce(getattr, name.split("."), module)
    except AttributeError:
        return False
    return True

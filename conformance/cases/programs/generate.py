"""Writes programs: 3 to 30 statements of all kinds.

What is chosen is a list of whole numbers. A generator of random numbers makes it, for speed and for
programs that have nothing to do with one another; hypothesis shrinks it.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from random import Random
from typing import NamedTuple

import torch
from hypothesis import Phase, find, settings, strategies
from hypothesis.database import InMemoryExampleDatabase, choices_to_bytes
from hypothesis.errors import NoSuchExample

from conformance.cases.programs import computing, differentiating, viewing, writing
from conformance.cases.programs.author import Author, Unfit

FEWEST, MOST = 3, 30
ATTEMPTS = 3  # to find something to write about


def nothing(author: Author) -> None:
    """The simplest statement: hypothesis shrinks the others to it."""


KINDS = [
    nothing,
    *[computing.literal] * 4,
    *[computing.unary] * 10,
    *[viewing.view] * 10,
    *[writing.write_one] * 8,
    *[differentiating.backward] * 6,
    *[computing.binary] * 8,
    *[computing.reduction] * 4,
    *[writing.write_two] * 5,
    *[differentiating.grad] * 4,
    *[computing.product] * 3,
    *[differentiating.region] * 4,
    *[differentiating.hook] * 4,
    *[differentiating.custom] * 3,
    *[viewing.views] * 2,
    *[computing.gathering] * 2,
    computing.factory,
    computing.join,
    computing.question,
    *[viewing.complex_view] * 3,
    writing.write_gradient,
    writing.write_gradient,
    writing.move,
    writing.learn,
    differentiating.retain,
    differentiating.retain,
    differentiating.unhook,
    differentiating.mode,
    differentiating.backward_of_several,
    *[differentiating.feature] * 3,
    *[differentiating.transform] * 2,
    differentiating.autocast,
    differentiating.delete,
]


class Written(NamedTuple):
    """A program, and whether the tensors are looked at after every statement or only in the end.

    Looking makes a library bring things up to date that it may leave for later otherwise.
    """

    source: str
    watched: bool


def written(draw: Callable[[int], int], features: frozenset[str], add: Callable) -> Written:
    """Returns the program that comes of the choices of `draw`.

    add: calls its argument, which writes one statement.
    """
    author = Author(draw, features)
    watched = not author.rarely(4)
    count = FEWEST + author.integer(MOST - FEWEST)

    def one() -> None:
        for _ in range(ATTEMPTS):
            # Besides Unfit: a tensor taken by mistake has no such dimension, a view after a
            # forbidden write will not say whether it is a leaf.
            with suppress(Unfit, IndexError, RuntimeError):
                return author.choose(KINDS)(author)

    try:
        computing.literal(author)
        for _ in range(count - 1):
            add(one)
    finally:
        torch.set_grad_enabled(True)
    return Written(author.source, watched)


def by_chance(random: Random, features: frozenset[str]) -> tuple[Written, list[int]]:
    """Returns a program, and the choices that it came of."""
    choices: list[int] = []

    def draw(largest: int) -> int:
        choices.append(int(random.random() * (largest + 1)))
        return choices[-1]

    return written(draw, features, lambda one: one()), choices


@cache
def upto(largest: int) -> strategies.SearchStrategy[int]:
    """Returns the strategy of the whole numbers from 0."""
    return strategies.integers(0, largest)


@strategies.composite
def programs(draw: Callable, features: frozenset[str]) -> Written:
    """Returns the strategy of the same programs."""
    # A strategy of its own for each statement, so that hypothesis may shrink it as a whole.
    return written(lambda n: draw(upto(n)), features, lambda one: draw(strategies.builds(one)))


def simplify(
    choices: list[int], features: frozenset[str], differs: Callable[[Written], bool]
) -> None:
    """Has hypothesis ask `differs` of ever simpler programs, as long as it says yes."""
    database = InMemoryExampleDatabase()
    # The first key has results shrunk earlier, which hypothesis would not shrink again.
    database.save(b"found.secondary", choices_to_bytes(choices))
    given = settings(database=database, deadline=None, phases=[Phase.reuse, Phase.shrink])
    with suppress(NoSuchExample):
        find(programs(features), differs, settings=given, database_key=b"found")

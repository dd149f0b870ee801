"""Rounds: parts of a graph that repeat, such as the rounds of a loop or the blocks of a network.

The operations of a graph stand in the order of a backward; a loop's rounds are neighbours there.
Rounds are alike if their nodes have equal names and shapes and are joined in the same way inside.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import count

from minitorch.study.graphs.graph import Operation, shapes_of

LEAST_ROUNDS = 3
LEAST_FOLDED = 8  # nodes: fewer are sooner read than a line about them
TRIALS = 16  # how many lengths of a round are tried at each node
PASSES = 3  # loops within loops


@dataclass(slots=True, eq=False)
class Rounds:
    """The second and later rounds of something that repeats; the first one stands before them.

    first: the operations of the round before.
    operations: all operations that are folded.
    count: the rounds that are folded.
    """

    first: Sequence[Operation]
    operations: Sequence[Operation]
    count: int


Part = Operation | Rounds


@dataclass(slots=True)
class _Piece:
    """A part, the number that stands for all parts like it, and the operations that it covers."""

    part: Part
    symbol: int
    start: int
    end: int


def folded(operations: Sequence[Operation]) -> list[Part]:
    """The operations of a graph with rounds after the first one folded.

    Args:
        operations: all of a graph, in the order of a backward.
    """
    symbols: dict[Hashable, int] = {}
    pieces = [
        _Piece(each, symbols.setdefault(_form_of(each), len(symbols)), i, i + 1)
        for i, each in enumerate(operations)
    ]
    for _ in range(PASSES):
        before = len(pieces)
        pieces = _fold(pieces, operations, symbols)
        if len(pieces) == before:
            break
    return [piece.part for piece in pieces]


def _form_of(operation: Operation) -> Hashable:
    """The form of an operation, by which alike operations are folded."""
    kinds = [
        None if edge is None else type(edge.to) is Operation or tuple(edge.to.tensor.shape)
        for edge in operation.edges
    ]
    return operation.name, tuple(shapes_of(operation.node)), tuple(kinds)


def _fold(
    pieces: list[_Piece], operations: Sequence[Operation], symbols: dict[Hashable, int]
) -> list[_Piece]:
    """The pieces with repetitions of neighbours folded."""
    line = [piece.symbol for piece in pieces]
    following = _next_alike(line)
    result: list[_Piece] = []
    i = 0
    while i < len(pieces):
        period, rounds = _best_period(i, line, following, pieces, operations)
        if rounds == 1:
            result.append(pieces[i])
            i += 1
            continue
        first = pieces[i : i + period]
        rest = pieces[i + period : i + period * rounds]
        covered = operations[rest[0].start : rest[-1].end]
        round_before = operations[first[0].start : first[-1].end]
        key = ("rounds", rounds, tuple(line[i : i + period]))
        number = symbols.setdefault(key, len(symbols))
        folds = Rounds(round_before, covered, rounds - 1)
        result += [*first, _Piece(folds, number, rest[0].start, rest[-1].end)]
        i += period * rounds
    return result


def _next_alike(line: list[int]) -> list[int]:
    """For each place of a line the next one that holds the same; the length if there is none."""
    last: dict[int, int] = {}
    following = [len(line)] * len(line)
    for i in range(len(line) - 1, -1, -1):
        following[i] = last.get(line[i], len(line))
        last[line[i]] = i
    return following


def _best_period(
    i: int,
    line: list[int],
    following: list[int],
    pieces: list[_Piece],
    operations: Sequence[Operation],
) -> tuple[int, int]:
    """The length of a round that begins at `i` and the number of rounds that folds most; (1, 1) if
    nothing is worth it."""
    best = (1, 1)
    most = LEAST_FOLDED - 1
    j = following[i]
    for _ in range(TRIALS):
        period = j - i
        if j + period > len(line):
            break
        if (
            line[i + 1 : i + 2] != line[j + 1 : j + 2] and period > 1
        ):  # spares 0.2 s of 10,000 nodes
            j = following[j]
            continue
        rounds = 1
        for rounds in count(1):
            start = i + period * rounds
            alike = line[start : start + period] == line[i:j]
            if not alike or not _joined_alike(pieces, start - period, start, period, operations):
                break
        saved = pieces[i + period * rounds - 1].end - pieces[i + period - 1].end
        if rounds >= LEAST_ROUNDS and saved > most:
            best, most = (period, rounds), saved
        j = following[j]
    return best


def _joined_alike(
    pieces: list[_Piece], one: int, other: int, period: int, operations: Sequence[Operation]
) -> bool:
    """Whether two rounds are joined in the same way inside, and lead on to what runs after them."""
    first, second = pieces[one].start, pieces[other].start
    length = second - first
    if pieces[other + period - 1].end - second != length:
        return False
    for k in range(length):
        for a, b in zip(operations[first + k].edges, operations[second + k].edges):
            if a is None or type(a.to) is not Operation:
                continue
            to_a, to_b = a.to.number - 1 - first, b.to.number - 1 - second
            if to_a != to_b and min(to_a, to_b) < length:
                return False
    return True

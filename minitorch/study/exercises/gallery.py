"""Checkers for answers about a graph that is there: its numbers, its paths, its memory.

Graphs of minitorch and of real torch are taken alike.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from minitorch.study.graphs.graph import graph_of, storages_of
from minitorch.study.libraries.chosen import library_of
from minitorch.study.libraries.kinds import is_tensor
from minitorch.study.libraries.saved import saved_tensors, saved_values

from .nodes import is_close, is_leaf, local_derivatives, one_of
from .verdict import WrongAnswer, enumeration, number

PATHS = 10_000  # more paths than that are not listed


class Path(NamedTuple):
    """A way from the root of a graph to a leaf."""

    nodes: tuple[str, ...]
    factors: tuple[float, ...]


def check_gradients(answer: Mapping[str, Any], of: Any, wrt: Mapping[str, Any]) -> str:
    """Compares gradients that were worked out by hand with the library's.

    Args:
        answer: numbers, or nested lists of them, by name.
        of: the scalar tensor that is differentiated. Its graph is kept.
        wrt: the tensors by name.
    """
    gradient = library_of(of).module.autograd.grad
    for name in _named(answer, wrt):
        (right,) = gradient(of, wrt[name], retain_graph=True, allow_unused=True)
        _compare(f"the gradient of {name}", answer[name], right)
    return f"{_counted(len(answer), 'gradient')} as autograd finds."


def check_numbers(answer: Mapping[str, Any], right: Mapping[str, Any]) -> str:
    """Compares the reader's predictions with what the program made.

    Args:
        answer: numbers, texts, truth values or None, by name.
        right: tensors or plain values by name.
    """
    for name in _named(answer, right):
        _compare(name, answer[name], right[name])
    return "As the program says."


def _named(answer: Mapping[str, Any], right: Mapping[str, Any]) -> list[str]:
    """The names of the answers. Raises WrongAnswer unless they are those that were asked for."""
    for name in right:
        if name not in answer:
            raise WrongAnswer(f"{name} is missing from your answer.")
    for name in answer:
        if name not in right:
            raise WrongAnswer(f"{name} was not asked for; {enumeration(list(right))} were.")
    return list(answer)


def _compare(what: str, mine: Any, right: Any) -> None:
    """Raises WrongAnswer, without giving the number away, unless both are equal."""
    if hasattr(right, "detach"):
        right = right.detach().cpu().numpy()
    if right is None or isinstance(right, bool | str):
        if mine is not right and mine != right:
            raise WrongAnswer(f"{_capital(what)} is not {mine!r}.")
        return
    found = _array(mine)
    if found is None:
        raise WrongAnswer(f"{_capital(what)} is not {mine!r}: it is made of numbers.")
    right = np.asarray(right)
    if found.shape != right.shape:
        raise WrongAnswer(
            f"{_capital(what)} has the shape {right.shape}, and yours has {found.shape}."
        )
    wrong = ~np.isclose(found, right, rtol=1e-3, atol=1e-6, equal_nan=True)
    if wrong.any():
        place = [int(i) for i in np.argwhere(wrong)[0]]
        at = f" at {place}" if place else ""
        raise WrongAnswer(
            f"{_capital(what)} is not {number(found[tuple(place)])}{at}: it is "
            f"{_direction(found[tuple(place)], right[tuple(place)])}."
        )


def _array(value: Any) -> np.ndarray | None:
    if hasattr(value, "detach"):
        value = value.detach().cpu().numpy()
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        return None


def _direction(mine: float, right: float) -> str:
    """A hint that leaves the number to be found: "larger", "smaller", "its negative"."""
    if mine == -right:
        return "the negative of that"
    return "larger" if right > mine else "smaller"


def _counted(count: int, word: str) -> str:
    return f"{count} {word}{'' if count == 1 else 's'}"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:] if text.startswith("the ") else text


def paths_to(of: Any, wrt: Any) -> Iterator[Path]:
    """All paths from a scalar tensor to a leaf, with the local derivative of each edge."""
    one = one_of(of)
    locals_: dict[Any, list[float | None]] = {}
    ways = [(of.grad_fn, (), ())]
    count = 0
    while ways:
        node, nodes, factors = ways.pop()
        if is_leaf(node):
            if node.variable is wrt:
                yield Path(nodes, factors)
                count += 1
                if count == PATHS:
                    raise ValueError(f"there are more than {PATHS:,} paths: take a smaller graph")
            continue
        if node not in locals_:
            locals_[node] = local_derivatives(node, one)
        for (child, _), factor in zip(reversed(node.next_functions), reversed(locals_[node])):
            if child is not None and factor is not None:
                ways.append((child, (*nodes, node.name()), (*factors, factor)))


def check_paths(answer: Sequence[Any], of: Any, wrt: Any) -> str:
    """Compares the chain rule, path by path, with the library's graph.

    Args:
        answer: for each path from `of` to `wrt` the local derivatives along it, or their product.
        of: the scalar tensor that is differentiated.
        wrt: the leaf.
    """
    right = list(paths_to(of, wrt))
    mine = [math.prod(path) if isinstance(path, list | tuple) else float(path) for path in answer]
    left = Counter()
    for product in mine:
        left[product] += 1
    for path in right:
        product = math.prod(path.factors)
        match = next((key for key in left if left[key] and is_close(key, product)), None)
        if match is None:
            raise WrongAnswer(
                f"None of your products fits the path through {enumeration(list(path.nodes))}."
            )
        left[match] -= 1
    extra = [product for product in mine if left[product] > 0]
    if extra:
        raise WrongAnswer(
            f"The number of paths is {len(right)}, and you have {len(mine)}: "
            f"{number(extra[0])} is one too many."
        )
    sums = " + ".join(number(math.prod(path.factors)) for path in right)
    return f"{_counted(len(right), 'path')}: {sums} = {number(math.fsum(mine))}, the gradient."


def saved_bytes(of: Any) -> dict[str, int]:
    """The bytes that the nodes of a graph keep for backward, by name.

    A storage that several nodes keep counts once, at the node that runs first. Leaves that require
    grad do not count. Of what a hook packed, tensors count as they were packed.
    """
    seen: dict[int, Any] = {}  # owners, so that no key is given to another meanwhile
    found: dict[str, int] = {}
    for operation in graph_of([of]).operations:
        for saved in saved_tensors(saved_values(operation.node)):
            for tensor in _tensors_in(saved.value):
                for storage in storages_of(tensor):
                    if storage.key not in seen and not _is_parameter(tensor):
                        seen[storage.key] = storage.owner
                        found[operation.name] = found.get(operation.name, 0) + storage.bytes
    return found


def _tensors_in(value: Any) -> Iterator[Any]:
    """A tensor, or those in what a pack hook made of one."""
    if is_tensor(value):
        yield value
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _tensors_in(each)


def _is_parameter(tensor: Any) -> bool:
    base = tensor if tensor._base is None else tensor._base
    return base.is_leaf and base.requires_grad


def check_bytes(answer: int | Mapping[str, int], of: Any) -> str:
    """Compares bytes that the reader counted with what a graph keeps for backward.

    Args:
        answer: all bytes; or the bytes by node name. A storage counts once, at the node that
            runs first; leaves that require grad do not count, for they are there anyway.
        of: a tensor with a history that was not freed.
    """
    right = saved_bytes(of)
    total = sum(right.values())
    if isinstance(answer, Mapping):
        for name in [*right, *answer]:
            mine, found = answer.get(name, 0), right.get(name, 0)
            if mine != found:
                raise WrongAnswer(f"{name} keeps {found} bytes, and not {mine}.")
    elif answer != total:
        way = "more" if total > answer else "less"
        keeping = enumeration(list(right)) or "no node"
        raise WrongAnswer(f"It is {way} than {answer} bytes. Something is kept by: {keeping}.")
    return f"{total:,} bytes are kept for backward."

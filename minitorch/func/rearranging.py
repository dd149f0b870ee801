"""rearrange: dimensions by names. As functorch/einops."""

from __future__ import annotations

import keyword
import warnings
from typing import Any

from minitorch.core.base.fields import TensorBase
from minitorch.core.base.formulas import OPS

_DOTS = "…"  # stands for ...
Group = list[str] | str  # the names of one dimension, or _DOTS


def _parsed(expression: str) -> list[Group]:
    """The dimensions that one side of a pattern names. ValueError with torch's texts."""
    if "." in expression:
        if "..." not in expression:
            raise ValueError("Expression may contain dots only inside ellipsis (...)")
        if expression.count("...") != 1 or expression.count(".") != 3:
            raise ValueError(
                "Expression may contain dots only inside ellipsis (...); only one ellipsis for "
                "tensor "
            )
        expression = expression.replace("...", _DOTS)
    groups: list[Group] = []
    names: set[str] = set()
    within: list[str] | None = None
    for char in expression:
        if not (char in "() " or char.isalnum() or char in ("_", _DOTS)):
            raise ValueError(f"Unknown character '{char}'")
    for word in expression.replace("(", " ( ").replace(")", " ) ").split():
        if word == "(":
            if within is not None:
                raise ValueError(
                    "Axis composition is one-level (brackets inside brackets not allowed)"
                )
            within = []
        elif word == ")":
            if within is None:
                raise ValueError("Brackets are not balanced")
            groups.append(within)
            within = None
        else:
            if word in names:
                raise ValueError(f"Indexing expression contains duplicate dimension '{word}'")
            if word == "1":
                groups += [[]] if within is None else []
                continue
            _check_name(word)
            names.add(word)
            if within is not None:
                within.append(word)
            else:
                groups.append(word if word == _DOTS else [word])
    if within is not None:
        raise ValueError(f"Imbalanced parentheses in expression: '{expression}'")
    return groups


def _check_name(name: str) -> None:
    reason = ""
    if name != _DOTS and not name.isdecimal():
        if not name.isidentifier():
            reason = "not a valid python identifier"
        elif "_" in (name[0], name[-1]):
            reason = "axis name should should not start or end with underscore"
    if reason:
        raise ValueError(f"Invalid axis identifier: {name}\n{reason}")
    if keyword.iskeyword(name):
        warnings.warn(
            f"It is discouraged to use axes names that are keywords: {name}",
            RuntimeWarning,
            stacklevel=4,
        )
    if name == "axis":
        warnings.warn(
            "It is discouraged to use 'axis' as an axis name and will raise an error in future",
            FutureWarning,
            stacklevel=4,
        )


def _check(pattern: str, left: list[Group], right: list[Group], lengths: dict[str, int]) -> None:
    if _DOTS not in _flat(left) and _DOTS in _flat(right):
        raise ValueError(f"Ellipsis found in right side, but not left side of a pattern {pattern}")
    if _DOTS in _flat(left) and _DOTS not in left:
        raise ValueError(f"Ellipsis is parenthesis in the left side is not allowed: {pattern}")
    for length in lengths.values():
        if type(length) is not int:
            raise TypeError(f"rearrange axis lengths must be integers, got: {type(length)}")
    if any([name.isdecimal() for name in (*_flat(left), *_flat(right))]):
        raise ValueError("rearrange only supports unnamed axes of size 1")
    difference = set(_flat(left)) ^ set(_flat(right))
    if difference:
        raise ValueError(
            "Identifiers only on one side of rearrange expression (should be on both): "
            f"{difference}"
        )
    unmatched = lengths.keys() - set(_flat(left))
    if unmatched:
        raise ValueError(f"Identifiers not found in rearrange expression: {unmatched}")


def _flat(groups: list[Group]) -> list[str]:
    return [name for group in groups for name in group]


def rearrange(tensor: Any, pattern: str, **axes_lengths: int) -> Any:
    """`tensor` with its dimensions split, ordered and joined as the pattern says.

    rearrange(x, "b (h k) -> k b h", k=2) splits the second dimension, and puts its last part first.

    Args:
        tensor: a Tensor, or a sequence of them, which are stacked first.
        pattern: names of dimensions before and after '->', with '()' around joined ones and '...'.
        **axes_lengths: the sizes of names in brackets.

    Returns:
        A Tensor of the dtype of `tensor`; a view if possible.

    Raises:
        ValueError: for a pattern that contradicts itself, the lengths or the dimensions.

    As torch.func.rearrange.
    """
    x = tensor if isinstance(tensor, TensorBase) else OPS.stack(list(tensor), 0)
    sides = pattern.split("->")
    if len(sides) != 2:
        raise ValueError("Pattern must contain a single '->' separator")
    left, right = map(_parsed, sides)
    _check(pattern, left, right, axes_lengths)
    rank, wanted = x.dim(), len(left) - (_DOTS in left)
    if wanted > rank or (_DOTS not in left and wanted != rank):
        how = "less than or equal to the number of" if _DOTS in left else "equal to the number of"
        raise ValueError(
            f"Number of dimensions in pattern ({wanted}) must be {how} dimensions in the tensor "
            f"({rank})"
        )
    spread = [f"{_DOTS}{i}" for i in range(rank - wanted)]

    def expanded(groups: list[Group]) -> list[list[str]]:
        """The groups, with names for the dimensions that ... stands for."""
        result: list[list[str]] = []
        for group in groups:
            if group == _DOTS:
                result += [[name] for name in spread]
            else:
                result.append([n for g in group for n in (spread if g == _DOTS else [g])])
        return result

    sizes: dict[str, int] = {}
    for group, size in zip(expanded(left), x.shape, strict=True):
        known = 1
        for name in group:
            known *= axes_lengths.get(name, 1)
        for name in group:
            sizes[name] = axes_lengths.get(name, size // known)
    order = [name for group in expanded(left) for name in group]
    x = x.reshape([sizes[name] for name in order])
    x = x.permute([order.index(name) for group in expanded(right) for name in group])
    shape = []
    for group in expanded(right):
        shape.append(1)
        for name in group:
            shape[-1] *= sizes[name]
    return x.reshape(shape)

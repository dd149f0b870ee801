"""torch.fx.experimental.symbolic_shapes: questions about sizes, which are plain numbers here."""

from __future__ import annotations

from typing import Any

from minitorch._public import outlines
from minitorch._public.symbolic_int import SymInt


def is_concrete_int(a: Any) -> bool:
    """Whether `a` is an int."""
    return isinstance(a, int)


def is_concrete_float(a: Any) -> bool:
    """Whether `a` is a float."""
    return isinstance(a, float)


def is_concrete_bool(a: Any) -> bool:
    """Whether `a` is a bool."""
    return isinstance(a, bool)


def has_static_value(a: Any) -> bool:
    """Whether a number is known: True."""
    return isinstance(a, (bool, float, int))


def is_symbolic(val: Any) -> bool:
    """Whether a number is a symbol: False."""
    return False


def is_nested_int(s: Any) -> bool:
    """Whether a size is that of a ragged dimension of a nested tensor."""
    return isinstance(s, SymInt) and s.node.is_nested_int()


def has_symbolic_sizes_strides(elem: Any) -> bool:
    """Whether a tensor's sizes are symbols: False."""
    return False


def free_symbols(val: Any) -> set[Any]:
    """The symbols in sizes, tensors or trees of them: none."""
    return set()


free_unbacked_symbols = free_symbols


def has_free_symbols(val: Any) -> bool:
    """Whether there are symbols: False."""
    return False


has_free_unbacked_symbols = has_free_symbols


def guard_bool(a: Any) -> bool:
    """A truth as a bool."""
    return bool(a)


def guard_int(a: Any) -> int:
    """A size as an int."""
    return int(a)


def guard_float(a: Any) -> float:
    """A number as a float."""
    return float(a)


guard_or_false = guard_or_true = guard_size_oblivious = statically_known_true = guard_bool


def guard_scalar(a: Any) -> Any:
    """A number as it is. AssertionError for other things."""
    if not isinstance(a, (bool, float, int)):
        raise AssertionError(f"unrecognized scalar {a}")
    return a


def statically_known_false(x: Any) -> bool:
    """Whether a condition does not hold."""
    return not x


def expect_true(a: Any, skip: int = 0) -> bool:
    """A condition as a bool."""
    return bool(a)


def optimization_hint(a: Any, fallback: int | None = None) -> int:
    """A size as an int."""
    return int(a)


def sym_eq(x: Any, y: Any) -> Any:
    """Whether two numbers, or all of two lists of numbers, are equal. AssertionError for others."""
    if isinstance(x, (tuple, list)) and isinstance(y, (tuple, list)):
        return len(x) == len(y) and all([sym_eq(a, b) for a, b in zip(x, y, strict=True)])
    if isinstance(x, (int, float)) and isinstance(y, (int, float)):
        return x == y
    raise AssertionError(f"unexpected sym_eq between {type(x)} {type(y)}")


def sym_and(x: Any, *others: Any) -> Any:
    """Whether all conditions hold."""
    return all((x, *others)) if others else x


def sym_or(x: Any, *others: Any) -> Any:
    """Whether any condition holds."""
    return any((x, *others)) if others else x


__getattr__, __dir__ = outlines.rest_of("torch.fx.experimental.symbolic_shapes")

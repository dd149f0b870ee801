"""The node of the size of a ragged dimension: j1, 2*j1."""

from __future__ import annotations

from typing import Any

__all__ = ["NestedIntNode"]

_UNKNOWN = "ge: relation is indeterminate"


class _Constant:
    """The node of a number beside one of a ragged size."""

    def __init__(self, value: int) -> None:
        self.value = value

    def is_constant(self) -> bool:
        return True

    def constant_int(self) -> int:
        return self.value


def _is_same(one: Any, other: Any) -> bool:
    both = isinstance(one, NestedIntNode) and isinstance(other, NestedIntNode)
    return both and (one.t_id, one.coeff) == (other.t_id, other.coeff)


def _is_at_least(one: Any, other: Any) -> bool:
    """Whether one size is no smaller than another: a ragged one counts as 2 or more.

    ValueError if that cannot be told.
    """
    if isinstance(one, NestedIntNode):
        if isinstance(other, NestedIntNode):
            if one.t_id == other.t_id:
                return one.coeff >= other.coeff
        elif other.constant_int() <= 2:
            return True
    elif one.constant_int() < 2:
        return False
    raise ValueError(_UNKNOWN)


class NestedIntNode:
    """The size of a ragged dimension, times a number.

    t_id: which tensor of offsets or lengths says how ragged it is. coeff: the factor.
    As torch.nested._internal.nested_int.NestedIntNode.
    """

    __module__ = "torch.nested._internal.nested_int"

    def __init__(self, t_id: int, coeff: int) -> None:
        self.t_id, self.coeff = t_id, coeff

    def nested_int_coeff(self) -> int:
        """The factor."""
        return self.coeff

    def nested_int(self) -> int:
        """The number of the ragged structure."""
        return self.t_id

    def maybe_as_int(self) -> int | None:
        """The number that it is: None, since there is not one alone."""
        return None

    def is_int(self) -> bool:
        return True

    def is_float(self) -> bool:
        return False

    def is_bool(self) -> bool:
        return False

    def is_nested_int(self) -> bool:
        return True

    def is_symbolic(self) -> bool:
        return False

    def is_constant(self) -> bool:
        return False

    def clone(self) -> NestedIntNode:
        """This node, which never changes."""
        return self

    def wrap_int(self, num: int) -> Any:
        """The node of a plain number."""
        if type(num) is not int:
            raise AssertionError(f"Expected num to be int, but got {type(num).__name__}")
        return _Constant(num)

    def __str__(self) -> str:
        return f"j{self.t_id}" if self.coeff == 1 else f"{self.coeff}*j{self.t_id}"

    __repr__ = _str = _graph_repr = __str__

    def mul(self, other: Any) -> NestedIntNode:
        """This size times a plain number; ValueError for another ragged size."""
        if not other.is_constant():
            raise ValueError(f"unsupported: {type(other)}")
        return NestedIntNode(self.t_id, self.coeff * other.constant_int())

    def eq(self, other: Any) -> bool:
        return _is_same(self, other)

    def ne(self, other: Any) -> bool:
        return not _is_same(self, other)

    def gt(self, other: Any) -> bool:
        return not _is_at_least(other, self)

    def lt(self, other: Any) -> bool:
        return not _is_at_least(self, other)

    def le(self, other: Any) -> bool:
        return _is_at_least(other, self)

    def ge(self, other: Any) -> bool:
        return _is_at_least(self, other)

    str = _str

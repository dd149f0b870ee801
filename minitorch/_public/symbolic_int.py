"""torch.SymInt: a size that is known by its node alone, as that of a ragged dimension."""

from __future__ import annotations

from typing import Any


class SymInt:
    """A size that stands for a number: it is multiplied and compared by its node.

    node: an object like torch.nested._internal.nested_int.NestedIntNode.
    As torch/__init__.py.
    """

    __module__ = "torch"

    def __init__(self, node: Any) -> None:
        self.node = node

    def _operand(self, other: Any) -> Any:
        """The node of an operand; None if the operand is no whole number."""
        if isinstance(other, SymInt):
            return other.node
        return self.node.wrap_int(other) if type(other) is int else None

    def _computed(self, name: str, other: Any) -> Any:
        operand = self._operand(other)
        if operand is None:
            return NotImplemented
        return SymInt(getattr(self.node, name)(operand))

    def _compared(self, name: str, other: Any) -> Any:
        operand = self._operand(other)
        return NotImplemented if operand is None else getattr(self.node, name)(operand)

    def __mul__(self, other: Any) -> Any:
        return self._computed("mul", other)

    __rmul__ = __mul__

    def __add__(self, other: Any) -> Any:
        return self._computed("add", other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._computed("sub", other)

    def __mod__(self, other: Any) -> Any:
        return self._computed("mod", other)

    def __floordiv__(self, other: Any) -> Any:
        return self._computed("int_floordiv", other)

    def __truediv__(self, other: Any) -> Any:
        return self._computed("int_truediv", other)

    def __pow__(self, other: Any) -> Any:
        return self._computed("pow_by_natural", other)

    def __neg__(self) -> Any:
        return SymInt(self.node.neg())

    def __eq__(self, other: Any) -> Any:
        return self._compared("eq", other)

    def __ne__(self, other: Any) -> Any:
        return self._compared("ne", other)

    def __lt__(self, other: Any) -> Any:
        return self._compared("lt", other)

    def __le__(self, other: Any) -> Any:
        return self._compared("le", other)

    def __gt__(self, other: Any) -> Any:
        return self._compared("gt", other)

    def __ge__(self, other: Any) -> Any:
        return self._compared("ge", other)

    def __hash__(self) -> int:
        if self.node.is_nested_int():
            return hash(self.node.nested_int())
        raise TypeError("unhashable type: SymInt")

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __int__(self) -> int:
        return int(self.node.int_())

    __index__ = __int__

    def __float__(self) -> float:
        return float(int(self))

    def __repr__(self) -> str:
        return str(self.node._graph_repr())

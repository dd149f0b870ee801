"""torch.fx.tensor_type: types of tensors that say their sizes, where they are known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

__all__ = ["Dyn", "TensorType", "is_consistent", "is_more_precise"]


class TensorType:
    """The type of tensors of some sizes: TensorType((1, 3, Dyn)), or TensorType[1, 3, Dyn].

    Args:
        dim: the sizes; Dyn for one that is not known

    Source: torch.fx.tensor_type.TensorType.
    """

    def __init__(self, dim: Sequence[Any]) -> None:
        self.__origin__ = TensorType
        self.__args__ = dim

    @property
    def dims(self) -> Sequence[Any]:
        """The sizes."""
        return self.__args__

    def __repr__(self) -> str:
        return f"TensorType[{self.dims}]"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, self.__class__) and list(self.dims) == list(other.dims)

    __hash__ = None  # type: ignore[assignment]

    @staticmethod
    def __class_getitem__(*args: Any) -> TensorType:
        given = args[0] if len(args) == 1 and isinstance(args[0], tuple) else args
        return TensorType(tuple(given))


class _DynType:
    """The type of values whose type is not known."""

    def __init__(self) -> None:
        self.__name__ = "_DynType"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, self.__class__)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "Dyn"


Dyn = _DynType()


def _all_sizes(fit: Callable[[object, object], bool], t1: object, t2: object) -> bool:
    if not (isinstance(t1, TensorType) and isinstance(t2, TensorType)):
        return False
    same_rank = len(t1.dims) == len(t2.dims)
    return same_rank and all(fit(a, b) for a, b in zip(t1.dims, t2.dims))


def is_consistent(t1: object, t2: object) -> bool:
    """Whether two types differ only where one of them is Dyn.

    Source: torch.fx.tensor_type.is_consistent.
    """
    return t1 in (t2, Dyn) or t2 == Dyn or _all_sizes(is_consistent, t1, t2)


def is_more_precise(t1: object, t2: object) -> bool:
    """Whether `t2` is `t1`, or `t1` with Dyn in some places.

    Source: torch.fx.tensor_type.is_more_precise.
    """
    return t1 == t2 or isinstance(t2, _DynType) or _all_sizes(is_more_precise, t1, t2)

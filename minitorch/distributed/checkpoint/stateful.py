"""Stateful: what has a state that can be saved and loaded."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar, runtime_checkable

__all__ = ["Stateful", "StatefulT"]


@runtime_checkable
class Stateful(Protocol):
    """An object with a state. As torch.distributed.checkpoint.stateful.Stateful."""

    def state_dict(self) -> dict[str, Any]:
        """The state, which a checkpoint keeps, and is loaded into."""
        ...

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over a state."""
        ...


StatefulT = TypeVar("StatefulT", bound=Stateful)

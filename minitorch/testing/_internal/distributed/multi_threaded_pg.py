"""torch.testing._internal.distributed.multi_threaded_pg: ranks that are threads of one process.

_install_threaded_pg()
... threads call init_process_group("threaded", store=store, rank=rank, world_size=size)
_uninstall_threaded_pg()
"""

from __future__ import annotations

import threading
from typing import Any

from minitorch.distributed import threaded_steps
from minitorch.distributed.backends import BACKENDS
from minitorch.distributed.engine import ENGINE
from minitorch.distributed.reduce_op import Backend
from minitorch.distributed.world import _World, _world

BACKENDS["threaded"] = "minitorch.distributed.threaded_steps"
Backend.THREADED = "threaded"  # type: ignore[attr-defined]
if "threaded" not in Backend.backend_list:
    Backend.backend_list.append("threaded")

_ATTRIBUTES = tuple(vars(_World()))


class _Own(threading.local):
    """The groups of one thread."""

    def __init__(self) -> None:
        vars(self).update(vars(_World()))


_OWN = _Own()


def _of_thread(name: str) -> property:
    return property(
        lambda world: getattr(_OWN, name), lambda world, value: setattr(_OWN, name, value)
    )


# The groups of a process; each thread sees its own.
ThreadLocalWorld: Any = type(
    "ThreadLocalWorld", (_World,), {name: _of_thread(name) for name in _ATTRIBUTES}
)


class ProcessLocalGroup:
    """The state that the groups of all threads share."""

    @classmethod
    def reset(cls) -> None:
        """Forgets all groups, and the failure that ended their operations."""
        threaded_steps.forget()
        ENGINE.failure = None

    @classmethod
    def exception_handle(cls, exc: Any) -> None:
        """Ends the operations of all threads, as one of them has failed."""
        ENGINE.note_lost("a thread")


def _install_threaded_pg() -> Any:
    """Gives each thread groups of its own; what has them."""
    _world.__class__ = ThreadLocalWorld
    return _world


def _set_thread_isolation_mode(enable: bool) -> None:
    """Sets whether each thread has groups of its own."""
    _world.__class__ = ThreadLocalWorld if enable else _World


def _uninstall_threaded_pg() -> None:
    """Gives all threads the groups of the process again."""
    _world.__class__ = _World

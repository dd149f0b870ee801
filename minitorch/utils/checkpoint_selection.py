"""Selective checkpoints: of some operators the results are kept instead of computed again.

Both passes of a checkpoint watch calls (core/declare/general/observe.py), below what packs saved
tensors. Where the recomputation comes to a call whose result is there, the node alone is made.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from minitorch._ops import ops, overload_of
from minitorch.core.base.fields import TensorBase, laid_out
from minitorch.core.base.modes import watch
from minitorch.core.declare.general.observe import WATCHERS
from minitorch.core.declare.general.recording import record_outputs
from minitorch.core.declare.general.tangents import bind
from minitorch.core.declare.row import Row
from minitorch.utils.checkpoint_types import (
    SAC_IGNORED_OPS,
    CheckpointPolicy,
    SelectiveCheckpointContext,
)

# Those that are open on this thread, the innermost last.
_MODES: ContextVar[tuple[Any, ...]] = ContextVar("selective_checkpoints", default=())
_RECOMPUTE, _CONSUMED = object(), object()
_MISMATCH = (
    "This can happen if the operations in the checkpointed region are nondeterministic or depend "
    "on global state that changed between forward and backward."
)


def selecting(name: str, compute: Callable[..., Any]) -> Callable[..., Any]:
    """The function of an operator as those see it who are open: see WATCHERS."""
    modes, row = _MODES.get(), getattr(compute, "row", None)
    if modes and row is not None:
        op = getattr(getattr(ops.aten, name), overload_of(row))
        for mode in () if op in SAC_IGNORED_OPS else modes:
            compute = mode.around(op, row, compute)
    return compute


WATCHERS.insert(0, selecting)


class _Mode:
    """A context that sees calls. storage: operator -> number of the call -> its kept result."""

    def __init__(self, storage: dict[Any, dict[int, Any]]) -> None:
        self.storage = storage
        self.calls: dict[Any, int] = defaultdict(int)

    def __enter__(self) -> Any:
        _MODES.set((*_MODES.get(), self))
        watch(+1)
        return self

    def __exit__(self, *exception: object) -> None:
        watch(-1)
        _MODES.set(_MODES.get()[:-1])

    def counted(self, op: Any) -> int:
        """The number of earlier calls of `op`; counts this call."""
        self.calls[op] += 1
        return self.calls[op] - 1


class Keeping(_Mode):
    """Keeps, in the forward, the results that the policy says."""

    def __init__(self, policy: Callable[..., Any], storage: dict[Any, dict[int, Any]]) -> None:
        super().__init__(storage)
        self.policy = policy

    def around(self, op: Any, row: Row, compute: Callable[..., Any]) -> Callable[..., Any]:
        """`compute`, whose results are kept."""

        def keeping(*args: Any, **kwargs: Any) -> Any:
            result = compute(*args, **kwargs)
            number = self.counted(op)
            context = SelectiveCheckpointContext(is_recompute=False, op_output=result)
            named = {name: each for name, each in kwargs.items() if each is not None}
            chosen = self.policy(context, op, *args, **named)
            several = isinstance(result, (list, tuple))
            kept: Any = _RECOMPUTE
            if chosen is True or chosen in (
                CheckpointPolicy.MUST_SAVE,
                CheckpointPolicy.PREFER_SAVE,
            ):
                kept = [_Kept(each) for each in (result if several else (result,))]
            self.storage[op][number] = kept
            return result

        return keeping


class Taking(_Mode):
    """Uses the kept results in the recomputation."""

    def __init__(self, storage: dict[Any, dict[int, Any]], mutable: bool) -> None:
        super().__init__(storage)
        self.mutable = mutable

    def __enter__(self) -> Any:
        self.calls.clear()
        return super().__enter__()

    def around(self, op: Any, row: Row, compute: Callable[..., Any]) -> Callable[..., Any]:
        """`compute`, unless there is its result."""

        def taking(*args: Any, **kwargs: Any) -> Any:
            number = self.counted(op)
            if op not in self.storage:
                raise RuntimeError(
                    f"{op} encountered during backward but not found in storage. {_MISMATCH}"
                )
            kept = self.storage[op].get(number)
            if kept is None:
                raise RuntimeError(
                    f"{op} invocation index {number} encountered during backward but not found in "
                    f"storage. {_MISMATCH}"
                )
            if kept is _CONSUMED:
                raise RuntimeError(
                    "Trying to backward an extra time. You are only allowed to backward once on "
                    "any region computed under selective activation checkpoint."
                )
            if kept is _RECOMPUTE:
                return compute(*args, **kwargs)
            self.storage[op][number] = _CONSUMED
            values = [each.value(self.mutable) for each in kept]
            if row.schema.is_view or op._opname != row.name:  # there is nothing to be saved
                return compute(*args, **kwargs)
            outputs = [None if x is None else laid_out(x._array) for x in values]
            record_outputs(row, bind(row, args, kwargs), outputs)
            returned = row.schema.returns_list or len(outputs) > 1
            return tuple(outputs) if returned else outputs[0]

        return taking


class _Kept:
    """A result at the version that it had."""

    def __init__(self, result: Any) -> None:
        self.result = result.detach() if isinstance(result, TensorBase) else result
        self.version = getattr(result, "_version", None)

    def value(self, mutable: bool) -> Any:
        """The result. RuntimeError if it was written since, unless `mutable`."""
        if not mutable and getattr(self.result, "_version", None) != self.version:
            raise RuntimeError(
                "Tensor cached during selective activation checkpoint has been mutated"
            )
        return self.result

"""The log of a checkpoint with debug=True: shown when its recomputation differs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

from minitorch.core.base.fields import TensorBase
from minitorch.core.base.modes import watch
from minitorch.core.declare.general.observe import WATCHERS
from minitorch.core.graph.anomaly import frames
from minitorch.utils.checkpoint_types import CheckpointError

_RULE = "+" + "-" * 78 + "+\n"


def _heading(text: str) -> str:
    return "+" + "~" * 78 + "+\n|" + text.ljust(78) + "|\n" + _RULE


_TEMPLATE = (
    """\
 An error happened while unpacking tensors; dumping logs of latest computation
because you passed `debug=True` to `torch.utils.checkpoint.checkpoint()`.
Scroll all the way down for guidance on how to navigate these logs.

"""
    + _heading("        1. Stack traces of the operators that ran in the original forward")
    + "\n{}\n"
    + _heading("        2. Stack traces of the operators that ran during recomputation")
    + "\n{}\n"
    + _heading("       3. Log of operators in the original forward and recomputation")
    + """\
(Scroll up to correlate stack traces with each operation listed below. This
 helps identify their source in the code.)

IMPORTANT: Differences in "detach" calls between the original forward and the
           recomputation are expected. They are introduced by the checkpointing
           mechanism and can be ignored.

Operations executed during the original forward:

{}

Operations executed during recomputation:

{}

"""
    + _RULE
    + """\
 ERROR: Detected non-determinism while running activation checkpointing

 You are seeing this error because you passed `debug=True` to checkpoint and
 tensors to be saved during the original forward and differ between those saved
 during recomputation. This can happen if different operators were ran in the
 original forward and in the recomputation.

 To identify where the mismatch may be coming from, you can do the following:

 1) Compare the operators ran during original forward and recomputation to
    see where they differ. These operators are printed above in the order they
    were executed.

 2) Review the stack trace for each operator to locate its invocation source.
    Each operator's stack trace is printed in their execution order.

 Note that the logs can be quite long. Here's how they are structured:
 (Tip: you can Ctrl-f for these headers)

 1. Stack traces of the operators that ran in the original forward
 2. Stack traces of the operators that ran during recomputation
 3. Log of operators in the original forward and recomputation
 4. Error message                                             <--- You are here
--------------------------------------------------------------------------------
"""
)


class _Calls:
    """The operators called inside a block, those aside that call others, and from where."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.stacks: list[list[str]] = []
        self.numbers: dict[int, tuple[int, Any]] = {}  # id of a tensor -> its number, the tensor

    @contextlib.contextmanager
    def noted(self) -> Iterator[None]:
        """The block."""
        WATCHERS.insert(0, self.watcher)  # inside of what packs saved tensors, which may raise
        watch(+1)
        try:
            yield
        finally:
            watch(-1)
            WATCHERS.remove(self.watcher)

    def watcher(self, name: str, compute: Callable[..., Any]) -> Callable[..., Any]:
        def noting(*args: Any, **kwargs: Any) -> Any:
            known = len(self.lines)
            given = [self.shown(each) for each in args]
            named = {key: each for key, each in kwargs.items() if each is not None}
            given += [f"{key}={self.shown(each)}" for key, each in named.items()]
            result = compute(*args, **kwargs)
            if len(self.lines) == known:
                made = self.shown(result, with_type=True)
                self.lines.append(f"{made} = torch._ops.aten.{name}.default({', '.join(given)})")
                stack = [
                    f"{frame.f_code.co_filename}:{line}:{frame.f_code.co_name}\n"
                    for frame, line in frames()
                ]
                self.stacks.append(stack)
            return result

        return noting

    def shown(self, value: Any, with_type: bool = False) -> str:
        """A tensor by its number and type; other things as they print themselves."""
        if isinstance(value, (list, tuple)):
            return str([self.shown(each, with_type) for each in value])
        if not isinstance(value, TensorBase):
            return repr(value)
        number, _ = self.numbers.setdefault(id(value), (len(self.numbers), value))
        sizes = ", ".join(map(str, value._array.shape))
        return f"${number}" + (f": {value.dtype.abbr}[{sizes}]" if with_type else "")

    def traced(self, label: str) -> str:
        """The calls with their stacks, the innermost frame first."""
        return "".join(
            [
                f"{line}   ({i} of {len(self.lines)} in {label})\n\n{''.join(stack)}\n\n"
                for i, (line, stack) in enumerate(zip(self.lines, self.stacks, strict=True), 1)
            ]
        )


class Log:
    """The operators that ran in the forward of a checkpoint, and in its last recomputation."""

    def __init__(self) -> None:
        self.forward, self.again = _Calls(), _Calls()

    def contexts(self) -> tuple[Any, Any]:
        """Contexts for both; what context_fn is to a checkpoint."""
        return self.forward.noted(), self.again.noted()

    def explaining(self, unpack: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """`unpack`, whose CheckpointError shows the log."""

        def explained(holder: Any) -> Any:
            try:
                return unpack(holder)
            except CheckpointError as error:
                both = (self.forward, "original"), (self.again, "recompute")
                raise CheckpointError(
                    _TEMPLATE.format(
                        *[calls.traced(label) for calls, label in both],
                        *["\n".join(calls.lines) for calls, _ in both],
                    )
                ) from error

        return explained

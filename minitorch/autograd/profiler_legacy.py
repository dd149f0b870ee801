"""torch.autograd.profiler_legacy: the profile under its first name."""

from __future__ import annotations

import warnings
from typing import Any

from minitorch.autograd import profiler
from minitorch.autograd.profiler_util import EventList

__all__ = ["profile"]


class profile(profiler.profile):
    """As torch.autograd.profiler.profile, except that its results raise before it has ended."""

    __module__ = "torch.autograd.profiler_legacy"

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
    ) -> None:
        super().__init__(
            enabled,
            record_shapes=record_shapes,
            with_flops=with_flops,
            profile_memory=profile_memory,
            with_stack=with_stack,
            with_modules=with_modules,
        )
        self.use_cuda = False
        if enabled and use_cuda:
            warnings.warn("CUDA is not available, disabling CUDA profiling", stacklevel=2)

    def config(self) -> tuple[Any, ...]:
        """The switches of the profiler."""
        return super().config()[:-1]

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> Any:
        return super().__exit__(exc_type, exc_val, exc_tb)

    def __repr__(self) -> str:
        unfinished = self._function_events is None
        return "<unfinished profiler_legacy.profile>" if unfinished else super().__repr__()

    def __str__(self) -> str:
        unfinished = self._function_events is None
        return "<unfinished profile.profiler_legacy.profile>" if unfinished else super().__str__()

    @property
    def function_events(self) -> EventList:
        """The events, in the order in which they began. RuntimeError before the end."""
        if self._function_events is None:
            raise RuntimeError("Profiler didn't finish running")
        return self._function_events

    def export_chrome_trace(self, path: str) -> None:
        """Writes a file for chrome://tracing."""
        super().export_chrome_trace(path)

    def key_averages(
        self, group_by_input_shape: bool = False, group_by_stack_n: int = 0
    ) -> EventList:
        """The sums of events with the same name."""
        return super().key_averages(group_by_input_shape, group_by_stack_n)

"""torch.autograd.profiler: how long operators and nodes of the graph take.

While a profile is open every operator call is watched (core/declare/general/observe.py) and every
node of a backward observed; formulas run on Tensors then, so that their operators are seen as well.
"""

from __future__ import annotations

import threading
import uuid
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import ContextDecorator
from importlib import import_module
from math import prod
from time import perf_counter_ns
from typing import Any, NoReturn

from minitorch import cuda
from minitorch.autograd.profiler_util import DeviceType as DeviceType
from minitorch.autograd.profiler_util import (
    EventList,
    FunctionEvent,
    FunctionEventAvg,
)
from minitorch.autograd.profiler_util import Interval as Interval
from minitorch.autograd.profiler_util import Kernel as Kernel
from minitorch.autograd.profiler_util import MemRecordsAcc as MemRecordsAcc
from minitorch.core.base.above import from_above
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.modes import TENSOR_FORMULAS, WALK_CLASSES, watch
from minitorch.core.declare.general.observe import WATCHERS
from minitorch.core.declare.protocols.function_modes import active
from minitorch.core.declare.protocols.mode_stack import STACK
from minitorch.core.declare.protocols.torch_function import tensors_in
from minitorch.core.graph.anomaly import AnomalyWalk, frames
from minitorch.core.graph.hooks import ANY_HOOKS

__all__ = (
    "EnforceUnique EventList FunctionEvent KinetoStepTracker MemRecordsAcc emit_itt emit_nvtx "
    "load_nvprof parse_nvprof_trace profile record_function"
).split()

_OPERATOR, _NODE, _USER = 0, 1, 7  # the scopes of torch's RecordFunction that are used
# Parts of formulas that are not operators of torch.
_OF_FORMULAS = frozenset(("adjoint_mm", "mm_adjoint", "mm_mat2_backward", "mm_self_backward"))
_NAMES = {"pad_of_functional": "pad"}  # torch's names, if they differ
_OPEN: list[profile] = []


def kineto_available() -> bool:
    """Whether profiles can be taken."""
    return True


# ---- taking the time


class _Timed:
    """Adds an event for a block to all profiles that are open throughout.

    beside: whether the block runs beside the program, not within a call of it.
    results: the results of the block, for profiles that count memory.
    """

    def __init__(
        self, name: str, scope: int, args: Any = (), kwargs: Any = None, beside: bool = False
    ) -> None:
        self.event = name, scope, args, kwargs or {}
        self.beside = beside
        self.results: Any = ()

    def __enter__(self) -> _Timed:
        self.takers = list(_OPEN)
        self.start = perf_counter_ns()
        return self

    def __exit__(self, *exception: object) -> None:
        end = perf_counter_ns()
        for each in self.takers:
            if each in _OPEN:
                each._take(*self.event, self.start, end, self.results, self.beside)


def with_events(steps: Iterator[Any], events: Iterable[tuple[str, Any]]) -> Iterator[Any]:
    """The steps of an operation that runs beside the program, with its events in open profiles.

    Args:
        steps: the steps of the operation; the events end with the last.
        events: their names, each with the tensors whose shapes it shows.
    """
    if not _OPEN:
        return steps
    timings = [_Timed(name, _OPERATOR, args, beside=True).__enter__() for name, args in events]

    def timed() -> Iterator[Any]:
        try:
            yield from steps
        finally:
            for each in timings:
                each.__exit__()

    return timed()


def _timing(name: str, compute: Callable[..., Any]) -> Callable[..., Any]:
    """The function of an operator, timed: see WATCHERS. Indexing is made of operators."""
    if name in _OF_FORMULAS or name.startswith("__"):
        return compute

    def timed(*args: Any, **kwargs: Any) -> Any:
        with _Timed(f"aten::{_NAMES.get(name, name)}", _OPERATOR, args, kwargs) as timing:
            timing.results = compute(*args, **kwargs)
        return timing.results

    return timed


def _in_parts(node: Any) -> bool:
    """Whether the operators in a node's formulas are timed: not in half precision, where a kernel
    rounds less often than its parts, and so gives other results."""
    kinds = node.dtype if isinstance(node.dtype, tuple) else (node.dtype,)
    return all([kind is None or kind.itemsize > 2 for kind in kinds])


class _TimedWalk(AnomalyWalk):
    """A walk that measures the time of each node."""

    def evaluate(self, node: Any, step: Callable[..., None], *args: Any) -> None:
        name = node.name()
        with (
            _Timed(f"autograd::engine::evaluate_function: {name}", _NODE),
            _Timed(name, _NODE),
        ):
            super().evaluate(node, step, *args)


def _shapes(args: Any) -> list[Any]:
    """The shape of each tensor among arguments, [] for other things."""
    return [
        list(each._array.shape)
        if isinstance(each, TensorBase)
        else _shapes(each)
        if isinstance(each, (list, tuple)) and any(isinstance(e, TensorBase) for e in each)
        else []
        for each in args
    ]


def _flops(name: str, shapes: list[Any]) -> int:
    """The multiplications and additions of a product; of a sum or product, its elements."""
    matrices = [each for each in shapes if each]
    if name in ("aten::add", "aten::mul"):
        return max([prod(each) for each in matrices], default=0)
    if name in ("aten::mm", "aten::bmm", "aten::addmm", "aten::baddbmm"):
        first, second = matrices[-2:]
        return 2 * prod(first) * second[-1]
    return 0


class profile:
    """Measures the times of the operators and nodes that run inside.

    Args:
        enabled: False makes it do nothing.
        record_shapes, with_stack: whether to note the arguments' shapes and where the call stood.
        with_flops, profile_memory: whether to count operations, and the bytes of results.
        acc_events: whether events of earlier uses stay.

    As https://docs.pytorch.org/docs/stable/autograd.html#torch.autograd.profiler.profile.
    """

    def __init__(
        self,
        enabled: bool = True,
        *,
        use_cuda: bool = False,
        use_device: str | None = None,
        record_shapes: bool = False,
        with_flops: bool = False,
        profile_memory: bool = False,
        with_stack: bool = False,
        with_modules: bool = False,
        use_kineto: bool = False,
        use_cpu: bool = True,
        experimental_config: Any = None,
        acc_events: bool = False,
        custom_trace_id_callback: Callable[[], str] | None = None,
        post_processing_timeout_s: float | None = None,
        activity_filters: Any = None,
    ) -> None:
        self.enabled = enabled
        if not enabled:
            return
        self.use_cuda = use_cuda
        if use_cuda:
            warnings.warn(
                "The attribute `use_cuda` will be deprecated soon, please use ``use_device = "
                "'cuda'`` instead.",
                FutureWarning,
                stacklevel=2,
            )
            use_device = "cuda"
        if not use_cpu and not use_kineto:
            raise AssertionError("Device-only events supported only with Kineto (use_kineto=True)")
        self.use_device = self._checked(use_device)
        self.entered = False
        self.record_shapes = record_shapes or with_flops
        self.with_flops = with_flops
        self.profile_memory = profile_memory
        self.with_stack = with_stack
        self.with_modules = with_modules
        self.use_cpu = use_cpu
        self.acc_events = acc_events
        self.custom_trace_id_callback = custom_trace_id_callback
        self.trace_id = ""
        if post_processing_timeout_s is not None and post_processing_timeout_s < 0:
            raise ValueError("post_processing_timeout_s must be non-negative")
        self._function_events: EventList | None = None
        self._taken: list[FunctionEvent] = []
        self._memory: list[tuple[int, int, int]] = []  # (when, how many bytes, the array's id)
        self._threads: dict[int, int] = {}

    def _checked(self, device: str | None) -> str | None:
        """The device if it can be profiled; else None, and a warning."""
        if device is not None and device not in ("cuda", "xpu", "mtia", "hpu"):
            warnings.warn(f"The {device} is not a valid device option.", stacklevel=3)
            return None
        if device is not None and (device != "cuda" or not cuda.is_available()):
            name = device.upper()
            warnings.warn(f"{name} is not available, disabling {name} profiling", stacklevel=3)
            self.use_cuda = False
            return None
        return device

    def __enter__(self) -> Any:
        if not self.enabled:
            return None
        if self.entered:
            raise RuntimeError("Profiler context manager is not reentrant")
        self._prepare_trace()
        self._start_trace()
        return self

    def _prepare_trace(self) -> None:
        self.entered = True
        self.trace_id = self.create_trace_id()

    def default_trace_id(self) -> str:
        """A name for a trace that no other has."""
        return f"{uuid.uuid4().int:032X}"

    def create_trace_id(self) -> str:
        """A name for a trace, from the user's callback if there is one."""
        make = self.custom_trace_id_callback
        return make() if make else self.default_trace_id()

    def config(self, create_trace_id: bool = False) -> tuple[bool | str, ...]:
        """The switches of the profiler, and the trace's name, a new one if `create_trace_id`."""
        if create_trace_id:
            self.trace_id = self.create_trace_id()
        noted = self.record_shapes, self.profile_memory, self.with_stack, self.with_flops
        return *noted, self.with_modules, self.trace_id

    def _start_trace(self) -> None:
        self.entered = True
        self._zero = perf_counter_ns()
        if not self.use_cpu:
            return
        if not _OPEN:
            WATCHERS.append(_timing)
            WALK_CLASSES.append(_TimedWalk)
            ANY_HOOKS.hold(_TimedWalk)
            TENSOR_FORMULAS.append(_in_parts)
            watch(+1)
        _OPEN.append(self)

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> Any:
        if not self.enabled:
            return None
        if self in _OPEN:
            _OPEN.remove(self)
            if not _OPEN:
                watch(-1)
                TENSOR_FORMULAS.remove(_in_parts)
                WALK_CLASSES.remove(_TimedWalk)
                ANY_HOOKS.release(_TimedWalk)
                WATCHERS.remove(_timing)
        before = self._function_events if self.acc_events else None
        events = sorted(self._taken, key=lambda e: (e.time_range.start, -e.time_range.end))
        for when, nbytes, _ in self._memory:
            time = (when - self._zero) / 1000
            for event in events:
                if event.time_range.start <= time <= event.time_range.end:
                    event.cpu_memory_usage += nbytes
        for i, event in enumerate(events, 1):
            event.id = i
        made = EventList(
            events,
            use_device=self.use_device,
            profile_memory=self.profile_memory,
            with_flops=self.with_flops,
        )
        made._build_tree()
        made.extend(before or ())
        self._function_events = made
        self._taken, self._memory = [], []
        return False

    def _take(
        self,
        name: str,
        scope: int,
        args: Any,
        kwargs: Any,
        start: int,
        end: int,
        results: Any,
        beside: bool,
    ) -> None:
        """Notes an event."""
        thread = threading.get_ident()
        named = [each for key, each in kwargs.items() if key != "out"]
        shapes = _shapes([*args, *named]) if self.record_shapes and scope == _OPERATOR else []
        stack = []
        if self.with_stack:
            stack = [f"{f.f_code.co_filename}({line}): {f.f_code.co_name}" for f, line in frames()]
        self._taken.append(
            FunctionEvent(
                0,
                "ProfilerStep*" if name.startswith("ProfilerStep#") else name,
                self._threads.setdefault(thread, len(self._threads) + 1),
                (start - self._zero) / 1000,
                (end - self._zero) / 1000,
                overload_name="",
                trace_name=name,
                input_shapes=shapes,
                stack=stack,
                scope=scope,
                is_async=beside,
                use_device=self.use_device,
                flops=_flops(name, shapes) if self.with_flops else 0,
                is_user_annotation=beside or scope == _USER,
            )
        )
        if self.profile_memory:
            given = {id(each._array) for each in tensors_in(args, kwargs)}
            # Tensors made by a call inside this one are counted for that call.
            given.update([made for when, _, made in self._memory if when >= start])
            for each in tensors_in((results,), {}):
                x = each._array
                if x.base is None and id(x) not in given:
                    self._memory.append((end, x.nbytes, id(x)))

    def __repr__(self) -> str:
        events = getattr(self, "_function_events", None)
        return "<unfinished torch.autograd.profile>" if events is None else repr(events)

    def __str__(self) -> str:
        events = getattr(self, "_function_events", None)
        return "<unfinished torch.autograd.profile>" if events is None else str(events)

    @property
    def function_events(self) -> EventList:
        """The events, in the order in which they began."""
        return EventList() if self._function_events is None else self._function_events

    def _ended(self) -> EventList:
        events = self.function_events
        events._tree_built = True
        return events

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int = 75,
        max_name_column_width: int = 55,
        max_shapes_column_width: int = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
    ) -> str:
        """The events as a table."""
        return self.function_events.table(
            sort_by,
            row_limit,
            max_src_column_width,
            max_name_column_width,
            max_shapes_column_width,
            header,
            top_level_events_only,
        )

    def export_chrome_trace(
        self, path: str, metadata: Any = None, use_python_export: bool = False
    ) -> None:
        """Writes a file for chrome://tracing and https://ui.perfetto.dev."""
        self.function_events.export_chrome_trace(path)

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        """Writes the stacks of the events with a time each, for flame graphs."""
        if not self.with_stack:
            raise AssertionError("export_stacks() requires with_stack=True")
        self.function_events.export_stacks(path, metric)

    def toggle_collection_dynamic(self, enabled: bool, activities: Iterable[Any]) -> None:
        """Pauses or resumes measuring."""
        if not enabled and self in _OPEN:
            _OPEN.remove(self)
        elif enabled and self not in _OPEN:
            _OPEN.append(self)

    def key_averages(
        self,
        group_by_input_shape: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> EventList:
        """The sums of events with the same name."""
        return self._ended().key_averages(
            group_by_input_shape, group_by_stack_n, group_by_overload_name
        )

    def total_average(self) -> FunctionEventAvg:
        """The sum of all events."""
        return self.function_events.total_average()

    @property
    def self_cpu_time_total(self) -> float:
        """The time of all events, in microseconds."""
        return self.function_events.self_cpu_time_total


def timed_block(name: str) -> _Timed:
    """A block of the program that has a name in profiles, not entered yet."""
    return _Timed(name, _USER)


def _operators() -> Any:
    """torch.ops.profiler."""
    from_above("_public.profiler_operators")
    return from_above("_ops:ops").profiler


class record_function(ContextDecorator):
    """Gives the time of a block, or of a function, a name in profiles."""

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name = name
        self.args = args
        self.open: list[Any] = []  # several if the function calls itself

    def __enter__(self) -> record_function:
        if STACK.get() or active():  # modes see the operators
            enter = _operators()._record_function_enter_new
            self.open.append(enter(self.name, self.args))
        else:
            self.open.append(timed_block(self.name).__enter__())
        return self

    def __exit__(self, *exception: Any) -> None:
        block = self.open.pop()
        if isinstance(block, _Timed):
            block.__exit__(*exception)
        else:
            _operators()._record_function_exit._RecordFunction(block)

    def _call_end_callbacks_on_future(self, fut: Any) -> NoReturn:
        raise NotImplementedError(
            "torch.autograd.profiler.record_function._call_end_callbacks_on_future"
        )


# ---- marks for other tools


class _Emitter:
    """Marks ranges for a tool that does not exist here."""

    tool: str

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled = enabled
        self.entered = False
        self.record_shapes = record_shapes

    def __enter__(self) -> Any:
        if self.enabled:
            self.check()
            raise NotImplementedError(
                f"torch.autograd.profiler.{type(self).__name__}: no operator is marked for "
                f"{self.tool} here; use torch.profiler.profile"
            )

    def __exit__(self, *exception: Any) -> Any:
        return None

    def check(self) -> None:
        """Raises torch's error for a call before the first range."""


class emit_nvtx(_Emitter):
    """Ranges for NVIDIA's tools: there are none here."""

    tool = "NVTX"

    def check(self) -> None:
        """Waits for the device: AssertionError if there is none."""
        import_module("minitorch.cuda").synchronize()  # start-up: 6 ms


class emit_itt(_Emitter):
    """Ranges for Intel's tools: there are none here."""

    tool = "ITT"


def load_nvprof(path: str) -> EventList:
    """The events of a file that nvprof wrote."""
    return EventList(parse_nvprof_trace(path))


def parse_nvprof_trace(path: str) -> NoReturn:
    """The events of a file that nvprof wrote: nothing here makes ranges that it could show."""
    raise NotImplementedError("torch.autograd.profiler.parse_nvprof_trace")


class EnforceUnique:
    """Raises RuntimeError if a key is seen twice."""

    def __init__(self) -> None:
        self.seen: set[Any] = set()

    def see(self, *key: Any) -> None:
        """Notes a key."""
        if key in self.seen:
            raise RuntimeError("duplicate key: " + str(key))
        self.seen.add(key)


class KinetoStepTracker:
    """The number of the step, agreed on by all requesters that count steps."""

    _current_step = 0
    _step_dict: dict[str, int] = defaultdict(int)

    @classmethod
    def init_step_count(cls, requester: str) -> None:
        """Lets a requester count from the current step."""
        cls._step_dict[requester] = cls._current_step

    @classmethod
    def erase_step_count(cls, requester: str) -> bool:
        """Forgets a requester; returns whether it counted."""
        return cls._step_dict.pop(requester, None) is not None

    @classmethod
    def increment_step(cls, requester: str) -> int:
        """Counts a step."""
        cls._step_dict.setdefault(requester, cls._current_step)
        cls._step_dict[requester] += 1
        cls._current_step = max(cls._current_step, *cls._step_dict.values())
        return cls._current_step

    @classmethod
    def current_step(cls) -> int:
        """The number."""
        return cls._current_step


for _each in (profile, record_function, emit_nvtx, emit_itt, EnforceUnique, KinetoStepTracker):
    _each.__module__ = "torch.autograd.profiler"

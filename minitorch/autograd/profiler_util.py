"""The parts of a profile: events, their averages, and the table that shows them."""

from __future__ import annotations

import enum
import itertools
import json
import math
import os
import socket
import warnings
from collections import defaultdict, namedtuple
from collections.abc import Callable, Iterator
from operator import attrgetter
from typing import Any

__all__ = (
    "EventList EventMetadata FormattedTimesMixin FunctionEvent FunctionEventAvg Interval Kernel "
    "MemRecordsAcc StringTable"
).split()

_DEVICES = (
    "CPU CUDA MKLDNN OPENGL OPENCL IDEEP HIP FPGA MAIA XLA Vulkan Metal XPU MPS Meta HPU VE Lazy "
    "IPU MTIA PrivateUse1"
).split()
_SHOWN = sorted(_DEVICES, key=lambda name: 13.5 if name == "MTIA" else _DEVICES.index(name))


class _Listed(enum.Enum):
    """An enumeration like torch's C++ ones: its members convert to numbers in Python."""

    name = property(attrgetter("_name_"))
    value = property(attrgetter("_value_"))

    def __int__(self) -> int:
        return self._value_

    __index__ = __int__


DeviceType = _Listed(
    "DeviceType", [(name, _DEVICES.index(name)) for name in _SHOWN], module="torch.autograd"
)


class ProfilerActivity(_Listed):
    """The kinds of processors that are profiled."""

    CPU = 0
    XPU = 1
    MTIA = 4
    CUDA = 2
    HPU = 3
    PrivateUse1 = 5


_METRICS = [f"self_{device}_time_total" for device in ("cpu", "cuda", "xpu", "privateuse1")]


def _format_time(time_us: float) -> str:
    if time_us >= 1e6:
        return f"{time_us / 1e6:.3f}s"
    return f"{time_us / 1e3:.3f}ms" if time_us >= 1e3 else f"{time_us:.3f}us"


def _format_share(time_us: float, total_us: float) -> str:
    return f"{time_us * 100.0 / total_us:.2f}%" if total_us else "NaN"


def _format_memory(nbytes: int) -> str:
    for unit, size in (("GB", 1 << 30), ("MB", 1 << 20), ("KB", 1 << 10)):
        if abs(nbytes) >= size:
            return f"{nbytes / size:.2f} {unit}"
    return f"{nbytes} B"


def _formatted(name: str) -> Any:
    return property(lambda self: _format_time(getattr(self, name)))


def _renamed(old: str, new: str, kept: str = "") -> Any:
    """The property `new`, or `kept` instead of it, under its deprecated name."""

    def get(self: Any) -> Any:
        warnings.warn(
            f"`{old}` is deprecated{', please use' if old == 'cuda_time' else '. Use'}"
            f" `{new}` instead.",
            FutureWarning,
            stacklevel=2,
        )
        return getattr(self, kept or new)

    return property(get)


class FormattedTimesMixin:
    """Times per call, and times as text."""

    count: int
    cpu_time_total: float
    device_time_total: float

    cpu_time_str = _formatted("cpu_time")
    device_time_str = _formatted("device_time")
    cpu_time_total_str = _formatted("cpu_time_total")
    device_time_total_str = _formatted("device_time_total")
    self_cpu_time_total_str = _formatted("self_cpu_time_total")
    self_device_time_total_str = _formatted("self_device_time_total")

    @property
    def cpu_time(self) -> float:
        """The time of one call, in microseconds."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def device_time(self) -> float:
        """The time of one call on the device."""
        return self.device_time_total / self.count if self.count else 0.0

    cuda_time = _renamed("cuda_time", "device_time")


class Interval:
    """A span of time, in microseconds."""

    def __init__(self, start: float, end: float) -> None:
        self.start = start
        self.end = end

    def elapsed_us(self) -> float:
        """Its length."""
        return self.end - self.start


Kernel = namedtuple("Kernel", ["name", "device", "duration"])
EventMetadata = namedtuple(  # of a kernel on a device
    "EventMetadata",
    "registers_per_thread shared_memory grid block priority blocks_per_sm warps_per_sm occupancy "
    "est_occupancy_pct queued graph_id graph_node_id stream context channel channel_type bytes "
    "bandwidth_gb_s collective_name dtype in_msg_nelems out_msg_nelems in_split_size "
    "out_split_size global_rank_start global_rank_stride group_size process_group_name "
    "process_group_desc group_ranks rank src_rank dst_rank seq is_async",
)


class FunctionEvent(FormattedTimesMixin):
    """One call of an operator, a node or a named block."""

    def __init__(
        self,
        id: int,
        name: str,
        thread: int,
        start_us: float,
        end_us: float,
        overload_name: str | None = None,
        fwd_thread: int | None = None,
        input_shapes: Any = None,
        stack: list[str] | None = None,
        scope: int = 0,
        use_device: str | None = None,
        cpu_memory_usage: int = 0,
        device_memory_usage: int = 0,
        is_async: bool = False,
        is_remote: bool = False,
        sequence_nr: int = -1,
        node_id: int = -1,
        device_type: Any = DeviceType.CPU,
        device_index: int = 0,
        device_resource_id: int | None = None,
        is_legacy: bool = False,
        flops: int | None = None,
        trace_name: str | None = None,
        concrete_inputs: Any = None,
        kwinputs: Any = None,
        is_user_annotation: bool = False,
        is_python_function: bool = False,
        activity_type: str | None = None,
        metadata_json: str | None = None,
        flow_id: int | None = None,
        flow_type: int | None = None,
        flow_start: bool | None = None,
        external_id: int = 0,
        linked_correlation_id: int = 0,
        extra_meta: Any = None,
        structured_input_shapes: Any = None,
        structured_input_strides: Any = None,
        input_dtypes: Any = None,
        python_id: int = -1,
        python_parent_id: int = -1,
        python_module_id: int = -1,
    ) -> None:
        given = dict(locals())
        for name_ in ("self", "start_us", "end_us", "metadata_json", "extra_meta"):
            del given[name_]
        given.pop("__class__", None)
        self.__dict__.update(given)
        self.time_range = Interval(start_us, end_us)
        self.device_resource_id = thread if device_resource_id is None else device_resource_id
        self.kernels: list[Any] = []
        self.count = 1
        self.cpu_children: list[FunctionEvent] = []
        self.cpu_parent: FunctionEvent | None = None
        self.self_cpu_percent: Any = -1
        self.total_cpu_percent: Any = -1
        self.total_device_percent: Any = -1
        self.event_metadata = None
        self._metadata_json = metadata_json

    def __getattr__(self, attribute: str) -> Any:  # an argument of __init__
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{attribute}'")

    metadata_json = _renamed("metadata_json", "event_metadata", "_metadata_json")

    def append_kernel(self, name: str, device: int, duration: float) -> None:
        """Adds a kernel that ran on the device."""
        self.kernels.append(Kernel(name, device, duration))

    def append_cpu_child(self, child: FunctionEvent) -> None:
        """Adds an event inside this one."""
        self.cpu_children.append(child)

    def set_cpu_parent(self, parent: FunctionEvent) -> None:
        """Sets the event around this one."""
        self.cpu_parent = parent

    @property
    def key(self) -> str:
        """The name by which events are grouped."""
        return self.name

    @property
    def cpu_time_total(self) -> float:
        """How long it took, in microseconds."""
        return self.time_range.elapsed_us()

    @property
    def self_cpu_time_total(self) -> float:
        """How long it took without the events inside, in microseconds."""
        return self.cpu_time_total - sum([each.cpu_time_total for each in self.cpu_children])

    @property
    def device_time_total(self) -> float:
        """How long it kept the device busy."""
        if not self.use_device:
            return 0
        inside = sum([each.device_time_total for each in self.cpu_children])
        return sum([each.duration for each in self.kernels]) + inside

    @property
    def self_device_time_total(self) -> float:
        """How long it kept the device busy, without the events inside."""
        return self.device_time_total - sum([each.device_time_total for each in self.cpu_children])

    @property
    def self_cpu_memory_usage(self) -> int:
        """The bytes it allocated, without the events inside."""
        inside = sum([each.cpu_memory_usage for each in self.cpu_children])
        return self.cpu_memory_usage - inside

    @property
    def self_device_memory_usage(self) -> int:
        """The bytes of the device it allocated, without the events inside."""
        inside = sum([each.device_memory_usage for each in self.cpu_children])
        return self.device_memory_usage - inside

    cuda_time_total = _renamed("cuda_time_total", "device_time_total")
    self_cuda_time_total = _renamed("self_cuda_time_total", "self_device_time_total")
    self_cuda_memory_usage = _renamed("self_cuda_memory_usage", "self_device_memory_usage")

    def __repr__(self) -> str:
        device = self.use_device
        children = [child.id for child in self.cpu_children]
        return (
            f"<FunctionEvent id={self.id} name={self.name} overload_name={self.overload_name} "
            f"device_type={self.device_type} node_id={self.node_id} cpu_time={self.cpu_time_str} "
            f"start_us={self.time_range.start} end_us={self.time_range.end} "
            f"cpu_children={children} {device}_time={self.device_time_str} name={self.name} "
            f"thread={self.thread} input_shapes={self.input_shapes} "
            f"cpu_memory_usage={self.cpu_memory_usage} "
            f"{device}_memory_usage={self.device_memory_usage} is_async={self.is_async} "
            f"is_remote={self.is_remote} seq_nr={self.sequence_nr} is_legacy={self.is_legacy}>"
        )


_SUMMED = (
    "cpu_time_total",
    "device_time_total",
    "self_cpu_time_total",
    "self_device_time_total",
    "cpu_memory_usage",
    "device_memory_usage",
    "self_cpu_memory_usage",
    "self_device_memory_usage",
    "count",
)
_TAKEN = (
    "key",
    "node_id",
    "is_async",
    "is_remote",
    "cpu_parent",
    "cpu_children",
    "overload_name",
    "input_shapes",
    "stack",
    "scope",
    "device_type",
    "is_legacy",
    "use_device",
    "is_user_annotation",
)


class FunctionEventAvg(FormattedTimesMixin):
    """The sum of events of one key."""

    def __init__(self) -> None:
        for name in _SUMMED:
            setattr(self, name, 0)
        self.key: str | None = None
        self.node_id = 0
        self.is_async = self.is_remote = self.is_legacy = False
        self.use_device: str | None = None
        self.input_shapes: Any = None
        self.overload_name: str | None = None
        self.stack: Any = None
        self.scope: int | None = None
        self.cpu_children: Any = None
        self.cpu_parent: Any = None
        self.device_type = DeviceType.CPU
        self.flops = 0

    def add(self, other: Any) -> FunctionEventAvg:
        """Adds an event, or another sum."""
        if self.key is None:
            for name in _TAKEN:
                setattr(self, name, getattr(other, name))
        if other.key != self.key:
            raise AssertionError(f"Expected keys to match, but got {other.key} vs {self.key}")
        for name in _SUMMED:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.flops += other.flops or 0
        return self

    __iadd__ = add

    def __repr__(self) -> str:
        device = self.use_device or "cuda"
        return (
            f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} "
            f"cpu_time={self.cpu_time_str}  self_{device}_time={self.self_device_time_total_str} "
            f"{device}_time={self.device_time_str} input_shapes={self.input_shapes} "
            f"cpu_memory_usage={self.cpu_memory_usage} "
            f"{device}_memory_usage={self.device_memory_usage}>"
        )


class StringTable(defaultdict[str, str]):
    """Names by their mangled forms; here both are the same."""

    def __missing__(self, key: str) -> str:
        self[key] = key
        return key


class MemRecordsAcc:
    """Records of memory, found by time."""

    def __init__(self, mem_records: list[Any]) -> None:
        self._mem_records = mem_records

    def in_interval(self, start_ns: int, end_ns: int) -> Iterator[Any]:
        """The records of a span of time."""
        return iter([r for r in self._mem_records if start_ns <= r[0].start_ns() <= end_ns])


class EventList(list[Any]):
    """Events, or averages of them."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._use_device = kwargs.pop("use_device", None)
        self._profile_memory = kwargs.pop("profile_memory", False)
        self._with_flops = kwargs.pop("with_flops", False)
        self._tree_built = False
        super().__init__(*args, **kwargs)

    def _like(self, events: Any) -> EventList:
        return EventList(
            events,
            use_device=self._use_device,
            profile_memory=self._profile_memory,
            with_flops=self._with_flops,
        )

    def _build_tree(self) -> None:
        """Finds for each event the event around it."""
        by_thread = attrgetter("thread")
        calls = [each for each in self if not each.is_async]
        for _, events in itertools.groupby(sorted(calls, key=by_thread), key=by_thread):
            around: list[FunctionEvent] = []
            for event in sorted(events, key=lambda e: (e.time_range.start, -e.time_range.end)):
                while around and event.time_range.end > around[-1].time_range.end:
                    around.pop()
                if around:
                    around[-1].append_cpu_child(event)
                    event.set_cpu_parent(around[-1])
                around.append(event)
        self._remove_dup_nodes()
        self._tree_built = True

    def _remove_dup_nodes(self) -> None:
        """Removes the events that only call another event of the same name."""
        kept = []
        for event in self:
            parent = event.cpu_parent
            if parent is not None and parent.name == event.name and len(parent.cpu_children) == 1:
                parent.cpu_children, parent.kernels = event.cpu_children, event.kernels
                for child in event.cpu_children:
                    child.cpu_parent = parent
            else:
                kept.append(event)
        self[:] = kept

    def __str__(self) -> str:
        return self.table()

    @property
    def self_cpu_time_total(self) -> float:
        """The time of all events, in microseconds."""
        return sum([event.self_cpu_time_total for event in self])

    def table(
        self,
        sort_by: str | None = None,
        row_limit: int = 100,
        max_src_column_width: int = 75,
        max_name_column_width: int = 55,
        max_shapes_column_width: int = 80,
        header: str | None = None,
        top_level_events_only: bool = False,
        time_unit: str | None = None,
    ) -> str:
        """The events as a table, sorted by one of their times, the longest first."""
        if not self:
            return ""
        events = self
        if sort_by is not None:
            metric = sort_by.replace("cuda", "device").replace("xpu", "device")
            metric = metric.replace("privateuse1", "device")
            events = self._like(sorted(self, key=attrgetter(metric), reverse=True))
        table = _Table(events, time_unit, max_name_column_width)
        table.add_columns(max_src_column_width, max_shapes_column_width)
        return table.text(header, row_limit, top_level_events_only)

    def export_chrome_trace(self, path: str) -> None:
        """Writes a file for chrome://tracing and https://ui.perfetto.dev."""
        trace = [
            {
                "ph": "X",
                "cat": "user_annotation" if event.is_user_annotation else "cpu_op",
                "name": event.trace_name,
                "pid": os.getpid(),
                "tid": event.thread,
                "ts": event.time_range.start,
                "dur": event.time_range.elapsed_us(),
                "args": {"Input Dims": event.input_shapes} if event.input_shapes else {},
            }
            for event in self
        ]
        whole = {
            "schemaVersion": 1,
            "deviceProperties": [],
            "host_name": socket.gethostname(),
            "displayTimeUnit": "ms",
            "traceEvents": trace,
            "traceName": path,
        }
        with open(path, "w", encoding="utf-8") as file:
            json.dump(whole, file, indent=1)

    def supported_export_stacks_metrics(self) -> list[str]:
        """The names of the metrics that export_stacks takes."""
        return _METRICS

    def export_stacks(self, path: str, metric: str) -> None:
        """Writes the stacks of the events with a time each, for flame graphs."""
        if metric not in _METRICS:
            raise ValueError("metric should be one of: " + str(_METRICS))
        name = metric if "cpu" in metric else "self_device_time_total"
        unspaced = str.maketrans(" ;\t\n", "____")
        with open(path, "w", encoding="utf-8") as file:
            for event in self:
                if event.stack and int(getattr(event, name)) > 0:
                    stack = ";".join([each.translate(unspaced) for each in reversed(event.stack)])
                    file.write(f"{stack} {int(getattr(event, name))}\n")

    def key_averages(
        self,
        group_by_input_shapes: bool = False,
        group_by_stack_n: int = 0,
        group_by_overload_name: bool = False,
    ) -> EventList:
        """The sums of events with the same name, and the same shapes and stack if requested."""
        if not self._tree_built:
            raise AssertionError("Expected tree to be built before calling key_averages")
        sums: dict[Any, FunctionEventAvg] = defaultdict(FunctionEventAvg)
        for event in self:
            key = [event.key, event.is_user_annotation]
            key += [str(event.input_shapes)] if group_by_input_shapes else []
            key += event.stack[:group_by_stack_n]
            sums[tuple(key)].add(event)
        for each in sums.values():
            each.stack = each.stack[:group_by_stack_n]
            if not group_by_input_shapes:
                each.input_shapes = ""
            if not group_by_overload_name:
                each.overload_name = ""
        return self._like(sums.values())

    def total_average(self) -> FunctionEventAvg:
        """The sum of all events."""
        total = FunctionEventAvg()
        for event in self:
            total += event
            total.key = None
        total.key = "Total"
        return total


class _Table:
    """A table that is built column by column.

    columns: (heading, width, alignment, event -> text of the cell).
    """

    def __init__(self, events: EventList, time_unit: str | None, name_width: int | None) -> None:
        self.events = events
        self.unit = time_unit
        self.total = sum([event.self_cpu_time_total for event in events])
        self.columns: list[tuple[str, int, str, Callable[[Any], Any]]] = []
        width = max([len(event.key) for event in events]) + 4
        width = width if name_width is None else min(width, name_width)

        def shortened(event: Any) -> str:
            name = str(event.key)
            long = name_width is not None and len(name) >= name_width - 3
            return name[: name_width - 3] + "..." if long else name

        self.columns.append(("Name", width, ">", shortened))

    def time(self, time_us: float) -> str:
        """A time as text."""
        scale = {"s": 1e6, "ms": 1e3, "us": 1.0}.get(self.unit or "")
        return _format_time(time_us) if scale is None else f"{time_us / scale:.3f}{self.unit}"

    def add_columns(self, source_width: int | None, shapes_width: int | None) -> None:
        """Adds all columns that have data."""
        events = self.events

        def add(
            heading: str, show: Callable[[Any], Any], width: int = 12, align: str = ">"
        ) -> None:
            self.columns.append((heading, width, align, show))

        add("Self CPU %", lambda e: _format_share(e.self_cpu_time_total, self.total))
        add("Self CPU", lambda e: self.time(e.self_cpu_time_total))
        add("CPU total %", lambda e: _format_share(e.cpu_time_total, self.total))
        add("CPU total", lambda e: self.time(e.cpu_time_total))
        add("CPU time avg", lambda e: self.time(e.cpu_time))
        if events._profile_memory:
            add("CPU Mem", lambda e: _format_memory(e.cpu_memory_usage))
            add("Self CPU Mem", lambda e: _format_memory(e.self_cpu_memory_usage))
        add("# of Calls", lambda e: e.count)
        if any([event.input_shapes for event in events]):
            width = max([len(str(event.input_shapes)) for event in events]) + 4
            width = width if shapes_width is None else min(width, shapes_width)
            add("Input Shapes", lambda e: str(e.input_shapes)[:width], width)
        stacks = [event.stack for event in events if event.stack]
        if stacks:
            wide = max([len(entry) for stack in stacks for entry in stack]) + 4
            wide = wide if source_width is None else min(wide, source_width)
            self.source_width = wide
            add("Source Location", lambda e: self.source(e.stack[:1]), wide, "<")
        counted = [event.flops for event in events if event.flops]
        if events._with_flops and counted:
            power = int(max(0, min(math.log10(min(counted)) / 3, 5)))
            add(
                f"Total {' KMGTP'[power].strip()}FLOPs",
                lambda e: f"{e.flops * 1000.0**-power:8.3f}" if e.flops else "--",
            )
            if stacks:  # torch swaps the cells of these two columns
                (*first, place), (*last, number) = self.columns[-2:]
                self.columns[-2:] = (*first, number), (*last, place)

    def source(self, entries: list[str]) -> str:
        """The first line of a stack, its end if it is long."""
        entry, width = entries[0] if entries else "", self.source_width
        return entry if len(entry) <= width else "..." + entry[len(entry) - width + 3 :]

    def text(self, header: str | None, row_limit: int, top_level: bool) -> str:
        """The table."""
        row = "".join(["{: " + align + str(width) + "}  " for _, width, align, _ in self.columns])
        rule = "".join(["-" * width + "  " for _, width, _, _ in self.columns])
        double = "=" * (len(rule) - 2)
        lines = [] if header is None else [double, header]
        if top_level:
            lines += [double, "This report only display top-level ops statistics"]
        lines += [rule, row.format(*[heading for heading, *_ in self.columns]), rule]
        shown = [e for e in self.events if not (top_level and e.cpu_parent is not None)]
        for event in shown[:row_limit] if row_limit >= 0 else shown:
            lines.append(row.format(*[show(event) for *_, show in self.columns]))
            if hasattr(self, "source_width"):
                blank = [""] * (len(self.columns) - 1)
                for entry in [*event.stack[1:], ""]:
                    lines.append(row.format(*blank, self.source([entry])))
        lines += [rule, f"Self CPU time total: {self.time(self.total)}"]
        return "\n".join(lines) + "\n"


for _each in (EventList, FunctionEvent, FunctionEventAvg, FormattedTimesMixin, Interval):
    _each.__module__ = "torch.autograd.profiler_util"

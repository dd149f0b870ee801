"""record(): a block of a program whose operators, backwards, updates and prints are written down.

Nothing is attached while no recording is open. What is attached reaches the recorder through a weak
reference alone, so that one that is dropped takes everything back; and the recorder holds tensors
and nodes weakly, so that none of them lives longer than it would. Its failures never reach the
program: it warns once and leaves the event out.
"""

from __future__ import annotations

import os
import platform
import sys
import threading
import time
import weakref
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from types import FrameType, TracebackType
from typing import Any, NamedTuple

from minitorch.core.warning import warn
from minitorch.study.libraries.chosen import library_named
from minitorch.study.libraries.library import Library
from minitorch.study.tape.naming import Names
from minitorch.study.tape.places import Places, Step, remove_markers
from minitorch.study.tape.recording import (
    Accumulation,
    Backward,
    BackwardEnd,
    Change,
    Edge,
    End,
    Event,
    Failure,
    NodeRun,
    Operator,
    Output,
    Recording,
    Stopped,
    Update,
    Visit,
    Zero,
)
from minitorch.study.tape.surroundings import Surroundings
from minitorch.study.tape.tables import Tables, tensors_in
from minitorch.study.tape.values import Values

LIMIT = 200_000  # events of a recording;
VALUES_LIMIT = 150_000  # after so many only what happens is noted, without numbers

# They return no tensor, and autograd cannot follow a program through them.
LEAVING = frozenset(("item", "tolist", "numpy", "__array__", "__float__"))
# Operators that minitorch's functional functions end in -> the public names, which real torch
# shows, and how many outputs these give.
ALIASES = {
    "cross_entropy_loss": ("cross_entropy", 1),
    "nll_loss_nd": ("nll_loss", 1),
    "max_pool1d_with_indices": ("max_pool1d", 1),
    "max_pool2d_with_indices": ("max_pool2d", 1),
    "max_pool3d_with_indices": ("max_pool3d", 1),
}

_open: Callable[[], Recorder | None] = lambda: None  # the one that is open, if any


class _Thread(threading.local):
    """The state of a thread.

    busy: whether an operator is being computed, or an optimizer clears gradients.
    number: the thread's own, from 0; None as long as it has done nothing.
    skipping: the number of open backwards that are not noted.
    received: leaf's node -> the value of the gradient that arrives there.
    """

    def __init__(self) -> None:
        self.busy = False
        self.number: int | None = None
        self.skipping = 0
        self.received: dict[int, int | None] = {}
        self.modules: list[tuple[int, str]] = []
        self.before_step: dict[int, list[tuple[Any, int | None]]] = {}


class _Both:
    """Two blocks as one; 1 us less than contextlib.ExitStack."""

    __slots__ = ("inner", "outer")

    def __init__(
        self, outer: AbstractContextManager[Any], inner: AbstractContextManager[Any]
    ) -> None:
        self.outer, self.inner = outer, inner

    def __enter__(self) -> None:
        self.outer.__enter__()
        self.inner.__enter__()

    def __exit__(self, *exception: Any) -> None:
        self.inner.__exit__(*exception)
        self.outer.__exit__(*exception)


class Before(NamedTuple):
    """The facts about a call before it is computed: its place, tensors and their versions."""

    steps: list[Step]
    given: list[Any]
    versions: list[int]


class Recorder:
    """Writes a Recording while it is open."""

    def __init__(
        self, library: Library, recording: Recording, values: str, lines: Collection[int] | None
    ) -> None:
        self.library = library
        self.recording = recording
        self.places = Places(recording)
        self.values = Values(recording.values, values)
        self.tables = Tables(library, recording)
        self.names = Names(recording, self.places)
        self.lines = lines
        self.lines_file = ""
        self.opened_at = ""
        self.failure: BaseException | None = None
        self.is_closed = False
        self._printed: list[str] = []
        self._threads = 0  # how many have done something
        self._thread = _Thread()
        self._lock = threading.RLock()
        self._is_quiet = type(library).quiet is Library.quiet  # there is nothing to enter
        self._start = time.perf_counter()
        self._undo: list[Callable[[], None]] = []
        self._release: Any = None

    # ---- opening and closing

    def open(self, frame: FrameType) -> None:
        """Attaches to the library. RuntimeError if another recording is open."""
        global _open
        other = _open()
        if other is not None and not other.is_closed:
            raise RuntimeError(
                f"a recording is open already, since {other.opened_at}: its block has to end first"
            )
        steps = self.places.stack(frame) or []
        if steps:
            here = self.recording.places[self.places.place(steps[-1].code, steps[-1].offset)]
            self.opened_at = f"{self.recording.files[here.file].name}:{here.line}"
            self.lines_file = steps[-1].code.co_filename
        _open = weakref.ref(self)
        self._number_of_thread()
        self._release = weakref.finalize(self, _undo_all, self._undo)
        self._release.atexit = False
        try:
            self._undo.append(self.library.attach(weakref.ref(self)))
            self._undo.append(Surroundings(self.library.module, weakref.ref(self)).undo)
        except BaseException:
            self._release()
            raise

    def close(self, frame: FrameType | None) -> None:
        """Detaches from the library. What happens from now on is not noted."""
        self.is_closed = True
        self._release()
        remove_markers(frame)
        self.tables.forget()

    def end(self, kind: type[BaseException] | None, error: Any, trace: Any) -> None:
        """Notes how the block ended, and closes."""
        frame = sys._getframe(2)
        try:
            if not self.is_closed:
                self._note_end(kind, error, trace)
        except Exception as failure:
            self._failed(failure)
        finally:
            self.close(frame)

    def _note_end(self, kind: Any, error: Any, trace: TracebackType | None) -> None:
        if kind is None or issubclass(kind, (SystemExit, GeneratorExit)):
            self._append(End(t=self._now(), out=self._printed_since()))
            return
        text = f"{kind.__name__}: {error}" if str(error) else kind.__name__
        steps = self.places.stack_of_error(trace)
        self._append(Failure(t=self._now(), text=text, **self._context(steps)))

    def _looking(self) -> AbstractContextManager[Any]:
        """A block of one thread at a time, in which tensors are looked at without being seen."""
        return self._lock if self._is_quiet else _Both(self._lock, self.library.quiet())

    # ---- events

    def _now(self) -> int:
        return round((time.perf_counter() - self._start) * 1e6)

    def _printed_since(self) -> str | None:
        if not self._printed:
            return None
        text = "".join(self._printed)
        self._printed.clear()
        return text

    def _context(self, steps: list[Step] | None) -> dict[str, Any]:
        """The place of an event: the fields that all events have."""
        at: list[Visit] | None = self.places.visits(steps) if steps else None
        modules = self._thread.modules
        return {
            "at": at,
            "module": [label for _, label in modules] if modules else None,
            "out": self._printed_since() if self._printed else None,
            "thread": self._number_of_thread(),
        }

    def _append(self, event: Event) -> None:
        events = self.recording.events
        events.append(event)
        if len(events) == VALUES_LIMIT:
            self.values.kept = "none"
            self._warn(f"it has {VALUES_LIMIT:,} events: no more values are kept")
        elif len(events) == LIMIT:
            text = f"it has {LIMIT:,} events: nothing more is recorded"
            self._warn(text)
            events.append(Stopped(t=self._now(), text=text, at=event.at))
            self.is_closed = True
            self._release()

    def _value(self, tensor: Any) -> int | None:
        """The number of the value of a tensor, None of None."""
        if tensor is None or self.values.kept == "none":
            return None
        return self.values.add(self.library.array(tensor))

    def _failed(self, error: BaseException) -> None:
        """Warns, once, that an event is left out."""
        if self.failure is None:
            self.failure = error
            self._warn(f"an event is left out: {type(error).__name__}: {error}")

    def _warn(self, text: str) -> None:
        where = f" of {self.opened_at}" if self.opened_at else ""
        message = f"minitorch.study, the recording{where}: {text}"
        try:
            warn(message, RuntimeWarning)
        except RuntimeWarning:  # an error by the program's filters
            print(message, file=sys.stderr)

    def is_busy(self) -> bool:
        """Whether an operator of this thread is being computed, inside which nothing is noted."""
        return self._thread.busy or self.is_closed

    def printed(self, text: str) -> None:
        """Notes what the program prints."""
        self._printed.append(text)

    # ---- operators

    def call(self, name: str, compute: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Computes an operator, and notes the call."""
        thread = self._thread
        if thread.busy or self.is_closed:
            return compute(*args, **kwargs)
        thread.busy = True
        try:
            before = self._look(sys._getframe(1), args, kwargs)
            started = time.perf_counter()
            result = compute(*args, **kwargs)
            seconds = time.perf_counter() - started
            if before is not None:
                self._note(name, before, (args, kwargs), result, seconds)
            return result
        finally:
            thread.busy = False

    def call_function(self, kind: type, compute: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Calls a program's own Function, inside which operators are noted as well."""
        if self.is_busy():
            return compute(*args, **kwargs)
        before = self._look(sys._getframe(1), args, kwargs)
        started = time.perf_counter()
        result = compute(*args, **kwargs)
        seconds = time.perf_counter() - started
        if before is not None:
            self._note(kind.__name__, before, (args, kwargs), result, seconds)
        return result

    def call_transform(self, name: str, compute: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Calls a function transform, inside which nothing is noted."""
        thread = self._thread
        thread.busy = True
        try:
            before = self._look(sys._getframe(1), args, kwargs, may_hide=False)
            started = time.perf_counter()
            result = compute(*args, **kwargs)
            seconds = time.perf_counter() - started
            if before is not None and before.steps:
                self._note(name, before, ((), {}), result, seconds)
            return result
        finally:
            thread.busy = False

    def _look(
        self, frame: FrameType, args: Any, kwargs: Any, may_hide: bool = True
    ) -> Before | None:
        """The facts about a call before it is computed; None if the call is not to be noted."""
        try:
            with self._looking():
                steps = self.places.stack(frame, may_hide)
                if steps is None or not (self.lines is None or self._is_wanted(steps)):
                    return None
                library = self.library
                given = tensors_in(library.Tensor, (args, kwargs))
                if any(map(library.is_transformed, given)):
                    return None
                return Before(steps, given, list(map(library.version, given)))
        except Exception as error:
            self._failed(error)
            return None

    def _is_wanted(self, steps: list[Step]) -> bool:
        """Whether an event is in the lines that are asked for."""
        if self.lines is None:
            return True
        for each in steps:
            if each.code.co_filename == self.lines_file:
                place = self.recording.places[self.places.place(each.code, each.offset)]
                if place.line in self.lines:
                    return True
        return False

    def _note(self, name: str, before: Before, call: Any, result: Any, seconds: float) -> None:
        """Notes a call that was computed."""
        try:
            with self._looking():
                if not self.is_closed:
                    self._note_operator(name, before, call, result, seconds)
        except Exception as error:
            self._failed(error)

    def _note_operator(
        self, name: str, before: Before, call: Any, result: Any, seconds: float
    ) -> None:
        library, tables = self.library, self.tables
        made = tensors_in(library.Tensor, result)
        written = [
            each
            for each, version in zip(before.given, before.versions, strict=True)
            if library.version(each) != version
        ]
        outs = made or written
        if not (outs or name in LEAVING) or any(map(library.is_transformed, outs)):
            return
        if name in ALIASES:
            name, count = ALIASES[name]
            outs = result = outs[:count]
        number, tensors = len(self.recording.events), len(self.recording.tensors)
        ins = [tables.tensor(each) for each in before.given]
        if len(self.recording.tensors) > tensors:
            self._note_unseen(before.given, written)
        event = Operator(
            t=self._now(),
            name=name,
            ins=ins,
            outs=[Output(tables.tensor(each), self._value(each)) for each in outs],
            fn=[self._edge(each, number) for each in outs],
            requires_grad=[bool(each.requires_grad) for each in outs],
            grad_mode=library.is_grad_enabled(),
            s=round(seconds * 1e6, 1),
            scalars=scalars(*call),
            writes=[tables.tensor(each) for each in written] or None,
            **self._context(before.steps),
        )
        for each in made if name == "detach_" else written:
            tables.refresh(each)
        self.names.note(event, before.steps, call[0], result, tables)
        self._append(event)

    def _note_unseen(self, given: list[Any], written: list[Any]) -> None:
        """Notes the graphs of tensors that no event made, which the next one would get."""
        for each in given:
            if each.grad_fn is not None and not any([each is other for other in written]):
                self.tables.node(each.grad_fn, None)

    def _edge(self, tensor: Any, event: int, before: int | None = None) -> Edge | None:
        node = tensor.grad_fn
        if node is None:
            return None
        return Edge(self.tables.node(node, event, before), tensor.output_nr)

    # ---- backward

    def begin_backward(self, name: str, roots: list[Any], keep: bool, create: bool) -> None:
        """Notes that a backward starts at the nodes `roots`."""
        thread = self._thread
        if thread.busy or self.is_closed:
            thread.skipping += 1
            return
        try:
            with self._looking():
                steps = self.places.stack(sys._getframe(1)) or []
                if not self._is_wanted(steps):
                    thread.skipping += 1
                    return
                tables = self.tables
                numbers = [None if each is None else tables.node(each, None) for each in roots]
                where = self._context(steps)
                event = Backward(
                    t=self._now(), name=name, roots=numbers, keep=keep, create=create, **where
                )
                self._append(event)
        except Exception as error:
            thread.skipping += 1
            self._failed(error)

    def end_backward(self, results: Sequence[Any] = ()) -> None:
        """Notes that a backward ended, and the gradients that an autograd.grad returns."""
        thread = self._thread
        if thread.skipping:
            thread.skipping -= 1
            return
        try:
            with self._looking():
                if not self.is_closed:
                    steps = self.places.stack(sys._getframe(1)) or []
                    event = BackwardEnd(t=self._now(), **self._context(steps))
                    if results:
                        self._note_results(event, results)
                        self.names.note_results(event, steps)
                    self._append(event)
        except Exception as error:
            self._failed(error)

    def _note_results(self, event: BackwardEnd, results: Sequence[Any]) -> None:
        tables, number = self.tables, len(self.recording.events)
        known, before = self.library.is_transformed, tables.youngest()
        given = [None if each is None or known(each) else each for each in results]
        event.outs = [
            None if each is None else Output(tables.tensor(each), self._value(each))
            for each in given
        ]
        event.fn = [None if each is None else self._edge(each, number, before) for each in given]

    def number_of_node(self, node: Any) -> int:
        """The number of a node; -1 if that fails."""
        try:
            with self._looking():
                return self.tables.node(node, None)
        except Exception as error:
            self._failed(error)
            return -1

    def run_node(self, number: int, grads_in: Any, grads_out: Any) -> None:
        """Notes the gradients of a node's inputs, and of its outputs."""
        if self._thread.skipping or number < 0 or self.is_busy():
            return
        try:
            with self._looking():
                event = NodeRun(
                    t=self._now(),
                    node=number,
                    into=[self._value(each) for each in grads_out],
                    out_of=[self._value(each) for each in grads_in],
                    out=self._printed_since(),
                    thread=self._number_of_thread(),
                )
                index, before = len(self.recording.events), self.tables.youngest()
                for each in grads_in:
                    if each is not None and each.grad_fn is not None:  # under create_graph
                        self.tables.node(each.grad_fn, index, before)
                self._append(event)
        except Exception as error:
            self._failed(error)

    def _number_of_thread(self) -> int | None:
        """The number of this thread; None for the one that opened the recording."""
        thread = self._thread
        if thread.number is None:  # the system gives the number of a dead thread to another one
            thread.number = self._threads
            self._threads += 1
        return thread.number or None

    def receive(self, number: int, gradient: Any) -> None:
        """Notes the gradient that comes to a leaf, before it is added."""
        if self._thread.skipping or number < 0 or self.is_busy():
            return
        try:
            with self._looking():
                self._thread.received[number] = self._value(gradient)
        except Exception as error:
            self._failed(error)

    def accumulate(self, number: int, leaf: Any) -> None:
        """Notes that a gradient was added to the leaf's .grad."""
        thread = self._thread
        if thread.skipping or self.is_closed or number not in thread.received:
            return
        try:
            with self._looking():
                tables, grad = self.tables, leaf.grad
                event = Accumulation(
                    t=self._now(),
                    node=number,
                    leaf=tables.tensor(leaf),
                    into=[thread.received.pop(number)],
                    total=self._value(grad),
                    gs=None if grad is None else tables.storage(grad),
                    out=self._printed_since(),
                    thread=self._number_of_thread(),
                )
                self._append(event)
        except Exception as error:
            self._failed(error)

    # ---- gradients that are cleared, updates, modules

    def assign_grad(self, tensor: Any, grad: Any, assign: Callable[[], None]) -> None:
        """Assigns to a .grad, and notes if that clears it."""
        with self.library.quiet():
            clears = not self.is_busy() and grad is None and tensor.grad is not None
        assign()
        if clears:
            self._note_zero(sys._getframe(1), [tensor])

    def clear(self, parameters: list[Any], clear: Callable[[], Any]) -> Any:
        """Calls a zero_grad(), and notes whose gradients it cleared."""
        thread = self._thread
        if thread.busy or self.is_closed:
            return clear()
        with self.library.quiet():
            held = [each for each in parameters if each.grad is not None]
        thread.busy = True
        try:
            result = clear()
        finally:
            thread.busy = False
        if held:
            self._note_zero(sys._getframe(1), held)
        return result

    def _note_zero(self, frame: FrameType, tensors: list[Any]) -> None:
        try:
            with self._looking():
                steps = self.places.stack(frame) or []
                if self.is_closed or not self._is_wanted(steps):
                    return
                to = "none" if tensors[0].grad is None else "zeros"
                numbers = [self.tables.tensor(each) for each in tensors]
                event = Zero(t=self._now(), tensors=numbers, to=to, **self._context(steps))
                self._append(event)
        except Exception as error:
            self._failed(error)

    def begin_step(self, optimizer: Any) -> None:
        """Notes the parameters before a step of an optimizer."""
        if self.is_busy():
            return
        try:
            with self._looking():
                groups = optimizer.param_groups
                parameters = [each for group in groups for each in group["params"]]
                before = [(each, self._value(each)) for each in parameters]
                self._thread.before_step[id(optimizer)] = before
        except Exception as error:
            self._failed(error)

    def end_step(self, optimizer: Any) -> None:
        """Notes what a step of an optimizer changed."""
        before = self._thread.before_step.pop(id(optimizer), None)
        if before is None or self.is_busy():
            return
        try:
            with self._looking():
                steps = self.places.stack(sys._getframe(1)) or []
                if not self._is_wanted(steps):
                    return
                changes = [
                    Change(self.tables.tensor(each), value, self._value(each))
                    for each, value in before
                ]
                name = type(optimizer).__name__
                self._append(
                    Update(t=self._now(), name=name, params=changes, **self._context(steps))
                )
        except Exception as error:
            self._failed(error)

    def enter_module(self, module: Any, args: Any) -> None:
        """Notes that a module is called."""
        if self.is_busy():  # in a transform: its parameters are none of the program's
            return
        try:
            with self._looking():
                modules = self._thread.modules
                label = self.names.label(module, outermost=not modules, tables=self.tables)
                if not modules:
                    steps = self.places.stack(sys._getframe(1)) or []
                    self.names.note_call(steps, args, self.tables)
                modules.append((id(module), label))
        except Exception as error:
            self._failed(error)

    def leave_module(self, module: Any) -> None:
        """Notes that a module gave its output, or raised."""
        modules = self._thread.modules
        numbers = [number for number, _ in modules]
        if id(module) in numbers:  # what an exception left above it goes as well
            last = len(numbers) - 1 - numbers[::-1].index(id(module))
            del modules[last:]


class record:
    """A block whose steps are written down: `with study.record() as tape: ...`.

    `tape` is a Recording, which fills while the block runs: tape.save("train.html") writes a page,
    tape.show() opens it, and the last line of a notebook's cell shows it.

    Args:
        library: "minitorch" or "torch"; None takes real torch if the program has imported it, else
            minitorch.
        values: "all" keeps small tensors whole, and of large ones statistics and a picture;
            "small" keeps small tensors alone; "none" keeps no numbers.
        title: a name for the recording; None takes the file's.
        lines: the lines of the calling file whose steps are noted, a range(10, 20) for example;
            None takes all.

    Raises:
        ValueError: if `library` or `values` is none of these.
        RuntimeError: on entering, if another recording is open; it says since which line.
    """

    def __init__(
        self,
        library: str | None = None,
        values: str = "all",
        title: str | None = None,
        lines: Collection[int] | None = None,
    ) -> None:
        if values not in ("all", "small", "none"):
            raise ValueError(f"values is 'all', 'small' or 'none', not {values!r}")
        self._library = library_named(library)
        self._options = values, lines
        self._title = title
        self._recorder: Recorder | None = None

    def __enter__(self) -> Recording:
        if self._recorder is not None:
            raise RuntimeError("this recording was entered before: call record() again")
        frame = sys._getframe(1)
        title = self._title
        if title is None:
            title = os.path.basename(frame.f_code.co_filename)
        recording = Recording(self._library.version_text, platform.python_version(), title)
        recorder = Recorder(self._library, recording, *self._options)
        recorder.open(frame)
        self._recorder = recorder
        return recording

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: Any
    ) -> None:
        if self._recorder is not None:
            self._recorder.end(kind, error, trace)


def _undo_all(steps: list[Callable[[], None]]) -> None:
    """Detaches everything that was attached, the last first, each once."""
    while steps:
        steps.pop()()


_SCALARS = (bool, int, float, complex, str)


def scalars(args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """The arguments of a call that are no tensors, as text: "2, dim=1"; None if there are none."""
    parts = [repr(each)[:24] for each in args if _is_scalar(each)]
    parts += [f"{name}={each!r}"[:32] for name, each in kwargs.items() if _is_scalar(each)]
    return ", ".join(parts) or None


def _is_scalar(value: Any) -> bool:
    if isinstance(value, (tuple, list)):
        return bool(value) and all([isinstance(each, int) for each in value])
    return isinstance(value, _SCALARS)

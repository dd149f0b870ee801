"""Calls everything that is public so that it fails, and reads all frames of each failure.

    python failing_calls.py STATE

test_frames.py runs it, in a process of its own: where a function's code and its closure do not fit
together, whatever looks at the locals of a frame ends the process.
"""

import contextlib
import functools
import inspect
import io
import itertools
import pdb  # noqa: T100 - tests that it can look at our frames
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any

import minitorch as torch
from minitorch.nn import functional

EVERY = 25  # of so many failures one is shown to the debugger
OWNERS = {
    "torch": torch,
    "torch.Tensor": torch.Tensor,
    "torch.nn.functional": functional,
    "torch.linalg": torch.linalg,
    "torch.fft": torch.fft,
    "torch.special": torch.special,
}
# What changes how tensors are printed or drawn, and what has all calls watched when it is imported.
LEFT_OUT = (
    *("set_", "seed", "manual_seed", "initial_seed", "use_"),
    *("overrides", "func", "vmap", "masked", "_nested", "_subclasses"),
)


def functions() -> dict[str, FunctionType]:
    """The functions and methods that are public, each once."""
    found: dict[str, FunctionType] = {}
    for path, owner in OWNERS.items():
        for name in dir(owner):
            function = None if name.startswith(LEFT_OUT) else getattr(owner, name, None)
            if isinstance(function, FunctionType):
                found[f"{path}.{name}"] = function
    return found


def calls(function: Callable[..., Any], x: Any) -> Iterator[Callable[[], Any]]:
    """Calls of a function that few functions take."""
    wrong = object()
    yield lambda: function(wrong)
    yield lambda: function(x, wrong, wrong, no_such=0)
    yield lambda: function((2, 2), device="nonsense")


class Reader:
    """Reads the frames of failures as the tools do that look at them."""

    def __init__(self) -> None:
        self.failures = 0

    def make(self, call: Callable[[], Any]) -> None:
        """Makes a call, and reads the frames of its failure if it fails."""
        try:
            call()
        except Exception as error:
            self.failures += 1
            chain: Any = error
            known = True
            while chain is not None:
                for frame, _ in traceback.walk_tb(chain.__traceback__):
                    read(frame)
                    known &= is_known(frame, "shown")
                chain = chain.__cause__ or chain.__context__
            if not known:
                show(error)
            if self.failures % EVERY == 0:
                debug(error.__traceback__)


def show(error: Exception) -> None:
    """Formats a traceback with all locals, and asks for the line of each frame."""
    shown = traceback.TracebackException.from_exception(error, capture_locals=True)
    "".join(shown.format())
    for each in shown.stack:
        assert each.line or "minitorch" not in each.filename, each


def read(frame: Any) -> dict[str, Any]:
    """A frame's locals."""
    return dict(frame.f_locals)


def debug(trace: Any) -> None:
    """Lets pdb look at every frame of a traceback, and inspect give their lines."""
    inspect.getinnerframes(trace)
    commands = "args\nlocals()\nwhere\nup\n" * len(list(traceback.walk_tb(trace))) + "quit\n"
    shown = io.StringIO()
    debugger = pdb.Pdb(stdin=io.StringIO(commands), stdout=shown, nosigint=True, readrc=False)
    debugger.reset()
    debugger.interaction(None, trace)
    assert "-> " in shown.getvalue()


def look_at(function: FunctionType) -> None:
    """Asks the inspect module for all that it says of a function."""
    inspect.signature(function)
    inspect.getclosurevars(function)
    inspect.getsource(function)
    inspect.unwrap(function)
    assert len(function.__code__.co_freevars) == len(function.__closure__ or ())


# ---- under observation

misplaced: list[Any] = []  # frames that are on a line which their code does not have
SOME = 2  # frames of each code that are followed or shown; all of them took six times as long
followed: Counter[tuple[str, CodeType]] = Counter()


def is_known(frame: Any, observer: str) -> bool:
    """Whether an observer has followed enough frames of this one's code."""
    followed[observer, frame.f_code] += 1
    return followed[observer, frame.f_code] > SOME


def by_line(frame: Any, event: str, argument: Any) -> Any:
    """A trace function that reads each frame at every event, as debuggers may."""
    if event == "call" and is_known(frame, "lines"):
        return None
    read(frame)
    return by_line


def by_instruction(frame: Any, event: str, argument: Any) -> Any:
    """A trace function that notes lines and is told of each instruction, as coverage tools are."""
    if event == "call" and is_known(frame, "instructions"):
        return None
    frame.f_trace_opcodes = True
    if frame.f_lineno not in lines_of(frame.f_code):
        misplaced.append(frame)
    return by_instruction


@functools.cache
def lines_of(code: CodeType) -> frozenset[int | None]:
    """The lines that a code's table names."""
    return frozenset([line for _, _, line in code.co_lines()])


def by_call(frame: Any, event: str, argument: Any) -> None:
    """A profile function that reads each frame as it is called, calls and returns."""
    if not is_known(frame, event):
        read(frame)


@contextlib.contextmanager
def observed(install: Callable[[Any], None], observer: Any) -> Iterator[None]:
    """Observes what happens within it."""
    install(observer)
    try:
        yield
    finally:
        install(None)


@contextlib.contextmanager
def monitored() -> Iterator[None]:
    """Has each line told of once, as coverage tools do from Python 3.12 on."""
    monitoring = getattr(sys, "monitoring", None)
    if monitoring is None:
        yield
        return
    events = monitoring.events.LINE | monitoring.events.PY_START | monitoring.events.PY_RETURN
    for event in (monitoring.events.LINE, monitoring.events.PY_START, monitoring.events.PY_RETURN):
        monitoring.register_callback(
            monitoring.COVERAGE_ID, event, lambda *_: sys.monitoring.DISABLE
        )
    monitoring.use_tool_id(monitoring.COVERAGE_ID, "failing calls")
    monitoring.set_events(monitoring.COVERAGE_ID, events)
    try:
        yield
    finally:
        monitoring.set_events(monitoring.COVERAGE_ID, 0)
        monitoring.free_tool_id(monitoring.COVERAGE_ID)


OBSERVERS: tuple[Callable[[], Any], ...] = (
    lambda: observed(sys.settrace, by_line),
    lambda: observed(sys.settrace, by_instruction),
    lambda: observed(sys.setprofile, by_call),
    monitored,
)


# ---- states


def all_fail(x: Any, step: int = 1, observers: int = 1) -> None:
    """Lets calls fail, given the tensor `x` where they take one, and says how many did.

    step: of so many functions one is called.
    observers: so many observe each function, in turn.
    """
    reader = Reader()
    every = dict(list(functions().items())[::step])
    turn = itertools.cycle(OBSERVERS)
    for function in every.values():
        for call in calls(function, x):
            reader.make(call)
        for observation in itertools.islice(turn, observers):
            with contextlib.suppress(Exception), observation():
                next(calls(function, x))()
    assert misplaced == []
    print(len(every), reader.failures)


def unwatched() -> None:
    all_fail(torch.ones(3), observers=len(OBSERVERS))
    for function in functions().values():
        look_at(function)
    assert "_to" not in (torch.mean.__kwdefaults__ or {})  # nor did any of the calls watch


def subclass() -> None:
    class Mine(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            for frame, _ in traceback.walk_stack(None):
                if not is_known(frame, "stack"):
                    read(frame)
            return super().__torch_function__(func, types, args, kwargs or {})

    all_fail(torch.ones(3).as_subclass(Mine))


# What watches operators has the same code called in each of these states, that for subclasses too.
FEW = 3


def inference() -> None:
    with torch.inference_mode():
        all_fail(torch.ones(3), FEW)


def vmap() -> None:
    torch.func.vmap(lambda x: (all_fail(x, FEW), x)[1])(torch.ones(2, 3))


def autocast() -> None:
    with torch.autocast("cpu"):
        all_fail(torch.ones(3), FEW)


STATES = {each.__name__: each for each in (unwatched, subclass, inference, vmap, autocast)}

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    STATES[sys.argv[1]]()

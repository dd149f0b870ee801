"""The cost of minitorch.study: recordings while open and afterwards, pictures, texts, pages."""

import multiprocessing
import statistics
from collections.abc import Callable, Iterator
from typing import Any

from minitorch.study import explain, make_dot, page, record

from . import training
from .measure import Sampler, Timing, clock

STEPS = 50  # of a sample
WARM = 20
PAIRS = 25  # of times before and after, each of
SAMPLES = 10
ROUNDS = 2_500  # of four nodes


def _library_name(torch: Any) -> str:
    return "torch" if torch.__name__ == "torch" else "minitorch"


def _step(sampler: Sampler, samples: int) -> Timing:
    """The time of a step."""
    sampler(WARM)
    found = [sampler(STEPS) / STEPS for _ in range(samples)]
    return Timing(min(found), statistics.median(found))


def afterwards(torch: Any, use: Callable[[Any, Sampler], None]) -> Timing:
    """The time of a step after something was used once, over that before: the median of ratios.

    Each ratio is measured in a process of its own, where nothing was used before: a machine that
    gets slower or faster between its two halves changes that ratio, and hardly the median.
    """
    processes = multiprocessing.get_context("fork")
    ratios = processes.SimpleQueue()

    def measure() -> None:
        sampler = training.tiny_mlp(torch, "SGD")
        before = _step(sampler, SAMPLES)
        use(torch, sampler)
        after = _step(sampler, SAMPLES)
        ratios.put((after.best / before.best, after.median / before.median))

    found = []
    for _ in range(PAIRS):
        process = processes.Process(target=measure)
        process.start()
        process.join()
        if process.exitcode:
            raise RuntimeError(f"a measurement ended with {process.exitcode}")
        found.append(ratios.get())
    best, median = zip(*found, strict=True)
    return Timing(statistics.median(best), statistics.median(median))


def a_recording(torch: Any, sampler: Sampler) -> None:
    """Records three steps."""
    with record(_library_name(torch)):
        sampler(3)


def a_hook(torch: Any, sampler: Sampler) -> None:
    """Takes three steps with a hook on all modules and one on a gradient, and removes both."""
    calls = torch.nn.modules.module.register_module_forward_hook(lambda *_: None)
    leaf = torch.ones(3, requires_grad=True)
    gradients = leaf.register_hook(lambda grad: None)
    leaf.sum().backward()
    sampler(3)
    calls.remove()
    gradients.remove()


def event(torch: Any, samples: int, values: str) -> Timing:
    """The time that a recording takes for an event of a training step."""
    sampler = training.tiny_mlp(torch, "SGD")
    plain = _step(sampler, samples)
    found = []
    for _ in range(max(samples // 8, 3)):
        with record(_library_name(torch), values=values) as tape:
            sampler(3)
            events, seconds = len(tape.events), sampler(STEPS)
        found.append((seconds - STEPS * plain.best) / (len(tape.events) - 1 - events))
    return Timing(min(found), statistics.median(found))


def loss_of(torch: Any) -> Any:
    """A loss behind which there are 10,000 nodes: 2,500 steps of a small recurrent network."""
    weight = torch.eye(8).requires_grad_()
    bias = torch.zeros(8, requires_grad=True)
    state = torch.zeros(4, 8)
    for _ in range(ROUNDS):
        state = (torch.tanh(state @ weight) + bias) * 0.5
    return state.sum()


def once(work: Callable[[], Any], samples: int) -> Timing:
    """The time of some work that takes long."""
    found = []
    for _ in range(max(samples // 50, 2)):
        start = clock()
        work()
        found.append(clock() - start)
    return Timing(min(found), statistics.median(found))


def reports(torch: Any, samples: int) -> Iterator[Timing]:
    """The times of a picture, of a text and of a page of 10,000 nodes."""
    loss = loss_of(torch)
    yield once(lambda: make_dot(loss).source, samples)
    yield once(lambda: make_dot(loss).svg, samples)
    yield once(lambda: str(explain(loss)), samples)
    with record(_library_name(torch)) as tape:
        loss_of(torch).backward()
    yield once(lambda: page.html(tape), samples)


def rows(libraries: list[Any], samples: int) -> Iterator[tuple[str, list[Timing], str]]:
    """Yields the name, the timings of the libraries and the unit of each row."""
    for name, use in (("a recording", a_recording), ("a hook was removed", a_hook)):
        off = [afterwards(each, use) for each in libraries]
        yield f"study: a step after {name}, against before", off, "x"
    for name, values in (("without values", "none"), ("with values", "all")):
        found = [event(each, samples, values) for each in libraries]
        yield f"study: an event, {name}", found, "s"
    names = ("make_dot", "make_dot, as SVG", "explain", "page")
    for name, found in zip(names, zip(*[reports(each, samples) for each in libraries])):
        yield f"study: {name}, 10,000 nodes", list(found), "s"

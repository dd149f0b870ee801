"""The samplers of a call, forward and backward, and a race that ends when it is clear."""

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

from benchmarks.measure import Sampler, clock, repetitions_for, using
from benchmarks.sweep.samples import Call, carried, mapped
from conformance.cases.reach import reach

KINDS = ("forward", "grad", "backward")
CLEAR = 0.03  # how wide the interval of the median ratio may be, as a share of it
LEAST, MOST = 11, 201  # pairs of samples
SAMPLE = 2e-4  # seconds
_GROUP = 16


def sampler(library: Any, call: Call, kind: str) -> Sampler | None:
    """A sampler of a call in a library; None if there is nothing to differentiate."""
    args, kwargs = mapped((call.args, call.kwargs), lambda value: carried(library, value))
    function = reach(library, call.function)
    if kind == "forward":
        args, kwargs = mapped(
            (args, kwargs), lambda x: x.detach() if isinstance(x, library.Tensor) else x
        )
        return without_grad(library, repeated(lambda: function(*args, **kwargs)))
    if not call.differentiable:
        return None

    def leaf(value: Any) -> Any:
        # The result of an operator, as most operands are.
        wanted = isinstance(value, library.Tensor) and value.requires_grad
        return value.detach().clone().requires_grad_() * 1 if wanted else value

    args, kwargs = mapped((args, kwargs), leaf)
    library.manual_seed(0)
    outputs = differentiable(library, function(*args, **kwargs))
    if not outputs:
        return None
    if kind == "grad":
        return repeated(lambda: function(*args, **kwargs))
    gradients = [library.ones_like(each) for each in outputs]

    def build() -> Any:
        fresh = mapped((args, kwargs), leaf)
        return differentiable(library, function(*fresh[0], **fresh[1]))

    return a_few_at_a_time(using(build, lambda found: library.autograd.backward(found, gradients)))


def differentiable(library: Any, result: Any) -> list[Any]:
    """The outputs of a call that have a history."""
    parts = result if isinstance(result, (list, tuple)) else (result,)
    return [each for each in parts if isinstance(each, library.Tensor) and each.grad_fn is not None]


def repeated(call: Callable[[], Any]) -> Sampler:
    def sample(repetitions: int) -> float:
        start = clock()
        for _ in range(repetitions):
            call()
        return clock() - start

    return sample


def without_grad(library: Any, sampler: Sampler) -> Sampler:
    def sample(repetitions: int) -> float:
        with library.no_grad():
            return sampler(repetitions)

    return sample


def a_few_at_a_time(sampler: Sampler) -> Sampler:
    """Takes the repetitions in small groups, so that large graphs that they build do not
    fill the memory."""

    def sample(repetitions: int) -> float:
        starts = range(0, repetitions, _GROUP)
        return sum([sampler(min(_GROUP, repetitions - start)) for start in starts])

    return sample


def race(samplers: Sequence[Sampler], limit: float) -> tuple[float, float, float]:
    """The seconds that two contestants take at best, and how wide the interval of the median of
    their ratios still was: pairs are taken until it is narrow, or `limit` seconds have passed."""
    repetitions = [repetitions_for(each, SAMPLE) for each in samplers]
    end = time.perf_counter() + limit
    pairs: list[list[float]] = []
    width = float("inf")
    while len(pairs) < MOST and (time.perf_counter() < end or len(pairs) < 3):
        pairs.append([each(n) / n for each, n in zip(samplers, repetitions, strict=True)])
        if len(pairs) >= LEAST and len(pairs) % 5 == 1:
            width = interval(sorted([ours / theirs for ours, theirs in pairs]))
            if width < CLEAR:
                break
    ours, theirs = (min(each) for each in zip(*pairs, strict=True))
    return ours, theirs, width


def interval(ratios: list[float]) -> float:
    """The width of the interval that has the median in 95 of 100 cases, as a share of it."""
    count = len(ratios)
    away = int(0.98 * count**0.5) + 1  # by the binomial distribution of ranks
    low, high = max(count // 2 - away, 0), min(count // 2 + away, count - 1)
    return (ratios[high] - ratios[low]) / statistics.median(ratios)

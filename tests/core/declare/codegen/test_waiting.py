"""Composite operators before, while and after somebody watches."""

import subprocess
import sys

START = """
import collections, sys
import minitorch as torch
import minitorch.nn.functional as F
from minitorch.core.declare import expose
from minitorch.core.declare.codegen import waiting
from minitorch.core.base import modes

x = torch.ones(2, 3)


def called(compute):
    "How often each Python function is called by compute()."
    calls = collections.Counter()

    def count(frame, event, _):
        if event == "call":
            calls[frame.f_code.co_qualname] += 1

    compute()  # functions become what they are when they are first called
    sys.setprofile(count)
    compute()
    sys.setprofile(None)
    return calls


def look(function):
    return function.__code__, function.__defaults__, function.__kwdefaults__, vars(function).copy()

"""


def run(program: str) -> None:
    """Runs a program in a process of its own, where nothing has watched yet."""
    subprocess.run([sys.executable, "-c", START + program], check=True)


def test_functions_are_what_they_were_once_operators_rest():
    run(
        """
before = [(function, look(function)) for _, function in expose._composites]
modes.watch(+1)
asking = sum(function.__code__ is not was[0] for function, was in before)
modes.watch(-1)
modes.rest()
assert asking > 200, asking
different = [f for f, was in before if look(f)[:2] != was[:2] or look(f)[3] != was[3]]
assert different == [], different
assert F.linear(x, x).tolist() == [[3.0, 3.0], [3.0, 3.0]]
"""
    )


def test_functions_that_wait_for_their_first_call_become_themselves_after_a_rest():
    run(
        """
unfinished = [f for _, f in expose._composites if "_become" in (f.__kwdefaults__ or {})]
assert unfinished
modes.watch(+1)
modes.watch(-1)
modes.rest()
assert all(f.__kwdefaults__["_become"][1] is f for f in unfinished)
"""
    )


def test_operators_that_rest_are_watched_again():
    run(
        """
for _ in range(2):
    with torch.inference_mode():
        y = F.linear(x, x)
    assert y.is_inference()
    modes.rest()
    assert modes.ON_FIRST_WATCH

class Mine(torch.Tensor):
    pass

assert type(F.linear(x.as_subclass(Mine), x)) is Mine
"""
    )


def test_operators_do_not_rest_while_somebody_watches():
    run(
        """
modes.watch(+1)
modes.rest()
assert modes.ON_FIRST_WATCH == [] and len(waiting.WATCHED) > 200
"""
    )


def test_a_step_after_a_recording_calls_what_it_called_before():
    run(
        """
import minitorch.nn as nn
from minitorch import study

net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.LayerNorm(4), nn.Linear(4, 2))
optimizer = torch.optim.Adam(net.parameters())


def step():
    optimizer.zero_grad()
    loss = F.cross_entropy(net(x), torch.tensor([0, 1])) + F.mse_loss(net(x), torch.ones(2, 2))
    loss.backward()
    optimizer.step()


before = called(step)
with study.record():
    step()
assert called(step) == before, called(step) - before
"""
    )


def test_functions_that_ask_their_arguments_are_watched_and_rest_all_the_same():
    run("""
from minitorch.autograd import profiler

asked = []


def seen():
    with profiler.profile() as profile:
        torch.square(torch.atleast_1d(x))
    return {event.name for event in profile.function_events}


names = seen()
modes.watch(+1)


class Asked(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        asked.append(func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})


modes.watch(-1)
for _ in range(2):
    modes.rest()
    assert seen() == names
    torch.square(x.as_subclass(Asked))
assert asked == ["square", "square"], asked
""")

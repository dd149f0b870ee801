"""Watched calls: operators that others are made of are seen too, and nothing is left behind."""

import contextlib
import subprocess
import sys

import pytest

import minitorch as torch
from minitorch.autograd import forward_ad
from minitorch.core.base.modes import ASSEMBLED_GLOBALS, watch
from minitorch.core.declare.general.observe import WATCHERS
from minitorch.nn import functional as F

pytestmark = pytest.mark.usefixtures("no_garbage")


@contextlib.contextmanager
def watching():
    """Inside, the names of the operators that are called go into the list."""
    names = []

    def watcher(name, compute):
        def called(*args, **kwargs):
            names.append(name)
            return compute(*args, **kwargs)

        return called

    before = ASSEMBLED_GLOBALS["WATCHED"]
    WATCHERS.append(watcher)
    watch(+1)
    try:
        yield names
    finally:
        watch(-1)
        WATCHERS.remove(watcher)
        assert before == ASSEMBLED_GLOBALS["WATCHED"]


def test_operators_are_seen_inside_of_those_that_they_make_up():
    x = torch.ones(3, 3)
    with watching() as names:
        F.linear(x, x, x[0])
        x @ x
        torch.clamp(x, 0, 1)
    assert names == [
        "__getitem__", "select", "linear", "t", "addmm", "matmul", "mm", "clamp", "clamp",
    ]  # fmt: skip


def test_writes_are_seen_under_their_own_names():
    x = torch.ones(3, 3)
    with watching() as names:
        x.add_(1).fill_(2).addmm_(x, x)
        x[0] = 1.0
    assert names == ["add_", "fill_", "addmm_", "addmm", "__setitem__", "select", "fill_"]


def test_what_was_bound_before_is_watched_in_its_parts():
    matmul = torch.matmul
    x = torch.ones(3, 3)
    with watching() as names:
        matmul(x, x)
    assert names[-1] == "mm"


def test_the_last_watcher_is_the_outermost_and_may_give_something_else():
    x = torch.ones(2)

    def doubling(name, compute):
        return (lambda *args, **kwargs: compute(*args, **kwargs) * 2) if name == "exp" else compute

    with watching() as names:
        WATCHERS.append(doubling)
        try:
            y = x.exp()
        finally:
            WATCHERS.remove(doubling)
    assert names == ["exp", "mul"]
    assert torch.equal(y, x.exp() * 2)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda x: x @ x, "matmul"),
        (lambda x: F.linear(x, x), "linear"),
        (lambda x: x.softmax(0), "softmax"),
        (lambda x: F.cross_entropy(x, torch.tensor([0, 1])), "cross_entropy"),
        (lambda x: torch.einsum("ij,jk", x, x), "einsum"),
        (lambda x: x[0], "__getitem__"),
        (lambda x: x.addmm_(x, x), "addmm_"),
    ],
)
def test_subclasses_are_asked_for_the_whole_and_not_for_its_parts(call, name):
    seen = []

    class Logged(torch.Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            seen.append(func.__name__)
            return super().__torch_function__(func, types, args, kwargs or {})

    result = call(torch.ones(2, 2).as_subclass(Logged))
    assert seen == [name]
    assert type(result) is Logged


@pytest.mark.parametrize("off", [torch.DisableTorchFunction, torch._C.DisableTorchFunctionSubclass])
def test_subclasses_are_tensors_while_they_are_not_asked(off):
    class Mine(torch.Tensor):
        pass

    x = torch.ones(2).as_subclass(Mine)
    with off():
        with off():
            assert type(x + 1) is torch.Tensor
        assert type(x.sum()) is torch.Tensor
    assert type(x + 1) is Mine
    assert off.__module__ == "torch._C"


_WATCHED_BEFORE_NAMED = """
import minitorch as torch
from minitorch.utils._python_dispatch import TorchDispatchMode
class Mode(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))
x = torch.ones(2, 2)
with Mode():
    x + 1
try:
    torch.linalg.matmul(x, input=x)
except TypeError as error:
    print(error)
"""


def test_names_are_given_to_functions_that_are_watched_already():
    command = [sys.executable, "-c", _WATCHED_BEFORE_NAMED]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.startswith("linalg_matmul() got multiple values for argument")


@pytest.mark.parametrize(("name", "expected"), [("add", 3), ("sub", -1), ("mul", 2)])
def test_functions_of_two_numbers_are_watched_as_well(name, expected):
    with forward_ad.dual_level():
        assert getattr(torch, name)(1, 2).item() == expected


def test_a_watched_method_refuses_to_be_called_on_a_number():
    with watching(), pytest.raises(TypeError, match=r"descriptor 'add' .* to a 'int' object"):
        torch.Tensor.add(3, 4)
    with watching():
        assert torch.add(3, 4).item() == 7

"""torch.futures: values that come later, callbacks, exceptions; torch.fork."""

import threading

import pytest

import minitorch as torch
from minitorch.futures import Future, collect_all, wait_all


def test_a_future_is_completed_once_and_calls_back():
    future, seen = Future(), []
    assert not future.done()
    after = future.then(lambda f: f.value() + 1)
    future.add_done_callback(lambda f: seen.append(f.wait()))
    future.set_result(5)
    assert (after.wait(), seen, future.done()) == (6, [5], True)
    assert future.then(lambda f: 3).wait() == 3
    with pytest.raises(RuntimeError, match="mark a completed Future as complete again"):
        future.set_result(6)
    assert isinstance(future, torch.Future)


def test_exceptions_are_raised_by_whoever_waits():
    future = Future()
    future.set_exception(ValueError("foo"))
    with pytest.raises(ValueError, match="foo"):
        future.wait()
    with pytest.raises(RuntimeError, match="when running the callback: ValueError: foo"):
        future.then(lambda f: f.wait()).wait()
    with pytest.raises(ValueError, match="foo"):
        wait_all([future])
    with pytest.raises(AssertionError, match="not an Exception"):
        Future().set_exception(3)


def test_one_waits_for_several_from_another_thread():
    first, second = Future(), Future()
    both = collect_all([first, second])
    first.set_result(1)
    assert not both.done()
    thread = threading.Thread(target=second.set_result, args=(torch.ones(2),))
    thread.start()
    assert both.wait()[0].wait() == 1
    thread.join()
    assert second.value().tolist() == [1, 1]
    assert wait_all([]) == []


def test_fork_calls_at_once():
    forked = torch.fork(lambda x, y=1: x + y, torch.ones(2), y=2)
    assert torch.wait(forked).tolist() == [3, 3]
    with pytest.warns(DeprecationWarning, match="is deprecated"):
        assert torch.jit.wait(torch.jit.fork(lambda: 3)) == 3
    with pytest.raises(TypeError):
        torch.wait(3)

"""Kernels in parts: every part once, the same bits, and the caller's world in every thread."""

import _thread
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import minitorch as torch
from minitorch.core.arrays import blas, elementary, threads


@pytest.fixture(params=[1, 2, 3])
def count(request):
    before = blas.threads()
    blas.use_threads(request.param)
    yield request.param
    blas.use_threads(before)


@pytest.fixture
def two():
    before = blas.threads()
    blas.use_threads(2)
    yield
    blas.use_threads(before)


def test_every_part_is_computed_once(count):
    done = np.zeros(100, int)

    def work(part):
        done[part] += 1

    threads.run(work, range(100))
    assert (done == 1).all()


@pytest.mark.parametrize("size", [threads.MANY - 1, threads.MANY, threads.MANY + threads.PART + 5])
def test_the_bits_do_not_depend_on_the_number_of_threads(size):
    x = np.random.default_rng(0).standard_normal(size, dtype=np.float32)
    found = []
    before = blas.threads()
    for number in (1, 2, 3):
        blas.use_threads(number)
        y = x.copy()
        parts = [elementary.exp(x), elementary.arctan2(x, y), elementary.tanh(y, out=y)]
        found.append([each.tobytes() for each in parts])
    blas.use_threads(before)
    assert found[0] == found[1] == found[2]


def test_two_threads_work_at_once(two):
    together = threading.Barrier(2, timeout=30)
    threads.run(lambda part: together.wait(), range(2))


def test_transposed_and_broadcast_arrays_are_computed_as_a_whole(two):
    x = np.random.default_rng(0).standard_normal((300, 500), dtype=np.float32)
    np.testing.assert_array_equal(elementary.exp(x.T), elementary.exp(x).T)
    row = x[:1]
    expected = elementary.arctan2(x, np.repeat(row, 300, 0))
    np.testing.assert_array_equal(elementary.arctan2(x, row), expected)


def test_few_elements_start_no_thread(two):
    before = _thread._count()
    elementary.exp(np.ones(threads.MANY - 1, np.float32))
    assert _thread._count() == before


def test_an_error_in_a_part_is_raised_and_the_next_call_works(two):
    def work(part):
        if part == 3:
            raise ValueError("part 3")

    for _ in range(3):
        with pytest.raises(ValueError, match="part 3"):
            threads.run(work, range(8))
    done = []
    threads.run(done.append, range(8))
    assert sorted(done) == [*range(8)]


def test_every_part_has_the_callers_error_state(two):
    states = []
    together = threading.Barrier(2, timeout=30)

    def work(part):
        together.wait()
        states.append(np.geterr()["over"])

    with np.errstate(over="raise"):
        threads.run(work, range(2))
    assert states == ["raise", "raise"]
    with np.errstate(over="raise"), pytest.raises(FloatingPointError):
        elementary.exp(np.full(threads.MANY, 1000, np.float32))


def test_a_part_starts_no_threads_of_its_own(two):
    inner = []

    def work(part):
        mine = threading.get_ident()
        threads.run(lambda each: inner.append(threading.get_ident() == mine), range(4))

    threads.run(work, range(2))
    assert inner == [True] * 8


def test_several_callers_share_the_helpers(two):
    x = np.random.default_rng(0).standard_normal(4 * threads.PART, dtype=np.float32)
    expected = elementary.exp(x)
    equal = []

    def call():
        equal.extend([np.array_equal(elementary.exp(x), expected) for _ in range(5)])

    callers = [threading.Thread(target=call) for _ in range(4)]
    for each in callers:
        each.start()
    for each in callers:
        each.join()
    assert equal == [True] * 20
    assert len(threads._helpers) <= 2


FORK = """
import os
import numpy
import minitorch as torch
from minitorch.core.arrays import blas, elementary, threads

blas.use_threads(2)
x = numpy.ones(4 * threads.PART, numpy.float32)
expected = elementary.exp(x)
assert len(threads._helpers) == 1
child = os.fork()
if not child:
    assert not threads._helpers
    os._exit(0 if numpy.array_equal(elementary.exp(x), expected) else 1)
assert numpy.array_equal(elementary.exp(x), expected)
assert os.waitpid(child, 0)[1] == 0
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_has_helpers_of_its_own():
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORK]
    subprocess.run(command, check=True, timeout=60)


def test_rows_come_once_on_blocks_of_them(count):
    done = np.zeros((300, 1000), int)

    def work(part):
        done[part] += 1

    threads.over_rows(work, 300, done.size)
    threads.over_rows(work, 300, 1000)
    assert (done == 2).all()


def test_sorts_casts_and_copies_have_the_same_bits_on_threads(count):
    x = np.random.default_rng(0).standard_normal((300, 1000), np.float32)

    def results():
        t = torch.from_numpy(x)
        half = t.half()
        found = [half, half.float(), t.t().contiguous(), *t.sort(1), *t.median(1)]
        found += [*t.sort(dim=0, stable=True), t[:1].half()]
        return [each.numpy().tobytes() for each in found]

    together = results()
    blas.use_threads(1)
    assert results() == together

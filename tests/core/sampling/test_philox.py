"""The generator of CUDA devices: its state between kernels."""

import numpy
import pytest

from minitorch.core.sampling.philox import Philox


def test_offset_grows_by_multiples_of_4():
    machine = Philox(7)
    assert [machine.take(4), machine.take(5), machine.take(1)] == [0, 4, 12]
    assert machine.offset == 16


def test_state_is_seed_and_offset_in_16_bytes():
    machine = Philox(5, 8)
    state = machine.state()
    assert state.tolist() == [5, *[0] * 7, 8, *[0] * 7]
    other = Philox()
    other.set_state(state)
    assert (other.initial_seed, other.offset) == (5, 8)
    other.set_state(state[:8])
    assert (other.initial_seed, other.offset) == (5, 0)
    with pytest.raises(RuntimeError, match="RNG state is wrong size"):
        other.set_state(numpy.zeros(5056, numpy.uint8))


def test_offset_must_be_a_multiple_of_4():
    with pytest.raises(RuntimeError, match="offset must be a multiple of 4"):
        Philox().set_offset(3)


def test_machines_of_the_host_differ_from_draw_to_draw():
    machine = Philox(5)
    assert machine.host().initial_seed != machine.host().initial_seed
    assert machine.offset == 8

"""Rows on arrays that are not NumPy's: forwards and formulas use only `xp` and array methods."""

import numpy
import pytest

from minitorch.core.arrays import layout
from minitorch.core.arrays.floating_point import legible
from minitorch.core.base.fields import tensor
from minitorch.core.declare.registry import ROWS
from minitorch.core.graph.accumulate import plus
from tests.aten.samples import has_samples, samples
from tests.aten.samples.calling import (
    differentiable,
    gradients,
    is_random,
    recorded,
    refuses_dtype,
    run,
    weights_for,
    with_leaves,
)
from tests.strict_array import StrictArray, registered

# Random numbers come from the host's generator, and the lengths of sequences must lie there; all
# other rows stay on the device. The last one takes nothing that requires grad.
KEYS = sorted(
    key
    for key in filter(has_samples, ROWS)
    if not is_random(key) and key not in ("_pack_padded_sequence", "view_as_complex_copy")
)


@pytest.fixture(autouse=True)
def foreign():
    """Lets tensors hold StrictArrays."""
    with registered():
        yield


TOLERANCE = {"float64": 1e-12, "float32": 2e-5, "float16": 1e-2}


def assert_same(found, expected, dtype):
    """Both are None, or hold the same numbers; sums may add up in another order."""
    assert (found is None) == (expected is None)
    if found is None:
        return
    a, b = found._array, expected._array
    assert type(a) is StrictArray
    assert (a.dtype, a.shape) == (b.dtype, b.shape)
    assert layout.strides_of(a) == layout.strides_of(b)
    held, b = legible(a._held), legible(b)
    numpy.testing.assert_allclose(held, b, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


def makers(dtype):
    """Functions that make Tensors of arrays, floats of that dtype: of NumPy's and of the others."""

    def cast(x):
        return x.astype(dtype if x.dtype == "float64" else x.dtype, order="K")

    return lambda x: tensor(cast(x)), lambda x: tensor(StrictArray(cast(x)))


@pytest.mark.parametrize("dtype", list(TOLERANCE))
@pytest.mark.parametrize("key", KEYS)
def test_rows_compute_on_foreign_arrays_what_they_compute_on_those_of_numpy(key, dtype):
    ours, foreign = makers(dtype)
    for sample in samples(key):
        weights = expected = None
        try:
            call, leaves = with_leaves(key, sample, ours)
            outputs = run(key, call)
            if differentiable(key):
                weights = weights_for(recorded(outputs))
                expected = gradients(recorded(outputs), leaves, weights)
        except (NotImplementedError, RuntimeError) as refusal:
            if dtype != "float16" or not refuses_dtype(refusal, "Half"):
                raise
            continue
        device_call, device_leaves = with_leaves(key, sample, foreign)
        device_outputs = run(key, device_call)
        for a, b in zip(device_outputs, outputs, strict=True):
            assert_same(a, b, dtype)
        if expected is None:
            continue
        on_device = [tensor(StrictArray(each._array)) for each in weights]
        found = gradients(recorded(device_outputs), device_leaves, on_device)
        for a, b in zip(found, expected, strict=True):
            assert_same(a, b, dtype)


def test_the_sum_of_two_gradients_lies_in_memory_as_the_first_does():
    rows, columns = numpy.ones((2, 3)), numpy.ones((3, 2)).T
    for first, second in ((columns, rows), (rows, columns)):
        mine, foreign = plus(first, second), plus(StrictArray(first), StrictArray(second))
        assert type(foreign) is StrictArray
        assert foreign.strides == mine.strides == first.strides

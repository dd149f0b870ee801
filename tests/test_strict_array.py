"""The stand-in for a CUDA array refuses what a CUDA array refuses."""

import numpy
import pytest

import minitorch as torch
from minitorch.core.base.fields import tensor
from tests.strict_array import StrictArray, registered, strict
from tests.strict_cupy import modules

cupy = modules()["cupy"]


def array():
    return StrictArray(numpy.array([[1.0, 2.0], [3.0, 4.0]]))


@pytest.mark.parametrize(
    "convert",
    [
        numpy.asarray,
        numpy.exp,
        lambda x: numpy.add(numpy.ones(2), x),
        lambda x: numpy.ones(2) + x,
        lambda x: x + numpy.ones(2),
        lambda x: x * numpy.array(2.0),
        lambda x: x[numpy.array([0])],
        lambda x: x.__setitem__(0, numpy.ones(2)),
        lambda x: strict.add(x, numpy.ones(2)),
        lambda x: strict.add(x, [1.0, 2.0]),
        lambda x: strict.concatenate([x, numpy.ones((1, 2))]),
        lambda x: numpy.concatenate([x, numpy.ones((1, 2))]),
    ],
)
def test_no_way_leads_to_numpy_by_accident(convert):
    with pytest.raises(TypeError):
        convert(array())


BFLOAT16 = StrictArray(numpy.ones(2, torch.bfloat16.numpy))


@pytest.mark.parametrize(
    "call",
    [
        lambda: cupy.add(array(), array(), order="C"),
        lambda: cupy.exp(array(), out=...),
        lambda: cupy.max(array(), initial=0),
        lambda: array().sum(where=True),
        lambda: cupy.logical_not(array().astype("complex64")),
        lambda: cupy.left_shift(array(), array()),
        lambda: cupy.multiply.at(array(), array() > 1, 2.0),
        lambda: cupy.maximum.at(array(), array() > 1, 2.0),
        lambda: cupy.sort(BFLOAT16),
        lambda: BFLOAT16.argsort(),
        lambda: cupy.float_power.reduce(array()),
    ],
)
def test_what_cupy_does_not_take_is_refused(call):
    with pytest.raises((TypeError, NotImplementedError, AttributeError)):
        call()


def test_results_have_the_dtypes_and_the_layout_of_cupy():
    small = StrictArray(numpy.ones((2, 3), "int8"))
    assert cupy.divide(small, small).dtype == "float64"  # float16 in NumPy
    assert cupy.where(BFLOAT16 > 0, BFLOAT16, BFLOAT16).dtype == "float32"
    assert (BFLOAT16 + 2.0).dtype == "float32"
    assert (BFLOAT16 + BFLOAT16).dtype == BFLOAT16.dtype
    for result in (small.T + small.T, cupy.negative(small.T), small[None].T.sum(2)):
        assert result.flags.c_contiguous


def test_it_computes_as_an_array_and_stays_one():
    x = array()
    for result in (x + 1, 2.0 - x, x.T, x[0], x[0, 0], x.sum(), strict.add.reduce(x, 0), -x):
        assert type(result) is StrictArray
    assert (x @ x)._held.tolist() == [[7.0, 10.0], [15.0, 22.0]]
    x += 1
    x[0] = 0
    assert x._held.tolist() == [[0.0, 0.0], [4.0, 5.0]]
    assert strict.to_numpy(x) is x._held


def test_tensors_hold_it_while_it_is_registered():
    with registered():
        t = tensor(array())
        assert str(t.device) == "cuda:0"
        assert type((t * 2)._array) is StrictArray
        with pytest.raises(RuntimeError, match="two devices, cuda:0 and cpu!"):
            t + torch.ones(2)
        assert t.cpu().tolist() == [[1.0, 2.0], [3.0, 4.0]]
    with pytest.raises(KeyError):
        t * 2

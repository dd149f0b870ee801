"""The namespace over CuPy gives what NumPy's gives; here over the stand-in for CuPy."""

import ml_dtypes
import numpy
import pytest

import minitorch as torch
from minitorch.core.base.fields import tensor
from tests.strict_array import StrictArray, registered
from tests.strict_array import strict as xp

BFLOAT16 = numpy.dtype(ml_dtypes.bfloat16)
DTYPES = [*map(numpy.dtype, "?bBhHiIqQefdFD"), BFLOAT16]


def random(shape, dtype="float64"):
    """Small whole numbers, for which no sum is rounded."""
    drawn = numpy.random.default_rng(0).integers(0, 4, shape)
    return drawn.astype(dtype)


def assert_same(found, expected):
    """Numbers, dtype and strides are those of the other array."""
    assert type(found) is StrictArray
    assert (found.dtype, found.strides) == (expected.dtype, expected.strides)
    numpy.testing.assert_array_equal(found._held, expected)


@pytest.mark.parametrize("shapes", [((4, 3), (4, 3)), ((4, 3), (3,)), ((2, 4, 3), (4, 3))])
def test_results_lie_in_memory_as_the_operands_do(shapes):
    a, b = random(shapes[0]), random(shapes[1])
    for x, y in ((a.T, b.T), (a, b), (a.T, b.T[..., ::-1])):
        if x.shape[-1] == y.shape[-1]:
            assert_same(xp.add(StrictArray(x), StrictArray(y)), numpy.add(x, y))
    assert_same(xp.negative(StrictArray(a.T)), numpy.negative(a.T))
    quotient, rest = xp.divmod(StrictArray(a.T), 2.0)
    assert_same(quotient, a.T // 2)
    assert_same(rest, a.T % 2)


def test_order_c_lays_out_results_row_by_row():
    x = random((4, 3)).T
    assert_same(xp.subtract(StrictArray(x), 1.0, order="C"), numpy.subtract(x, 1, order="C"))


def test_logical_functions_take_complex_numbers():
    x = random(5, "complex64") * 1j
    assert_same(xp.logical_not(StrictArray(x)), numpy.logical_not(x))
    assert_same(xp.logical_and(StrictArray(x), StrictArray(x)), numpy.logical_and(x, x))


@pytest.mark.parametrize("name", ["maximum", "minimum", "logical_and", "bitwise_xor"])
@pytest.mark.parametrize("axis", [0, 1])
def test_running_reductions_are_those_of_numpy(name, axis):
    x = random((5, 7), "int64")
    assert_same(getattr(xp, name).accumulate(StrictArray(x), axis),
                getattr(numpy, name).accumulate(x, axis))  # fmt: skip


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("axis", [0, 1, (0, 1), None])
def test_reductions_that_cupy_lacks_go_by_halves(axis, keepdims):
    x = random((5, 7), "int64")
    found = xp.bitwise_xor.reduce(StrictArray(x), axis, keepdims=keepdims)
    numpy.testing.assert_array_equal(
        found._held, numpy.bitwise_xor.reduce(x, axis, keepdims=keepdims)
    )


def test_reductions_begin_with_a_number():
    x = random((5, 7)) - 3
    assert_same(
        xp.maximum.reduce(StrictArray(x), 1, initial=-1.0), numpy.maximum.reduce(x, 1, initial=-1.0)
    )


@pytest.mark.parametrize("name", ["add", "subtract", "multiply", "maximum", "minimum"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_writes_at_repeated_places_are_those_of_numpy(name, dtype):
    if (name == "subtract" and dtype.kind == "b") or (name[0] == "m" and dtype.kind == "c"):
        pytest.skip("NumPy has none")
    x, values = random(6, dtype) + dtype.type(3), random(5, dtype)
    places = numpy.array([0, 0, 2, -1, 2])
    mine = StrictArray(x.copy())
    getattr(xp, name).at(mine, StrictArray(places), StrictArray(values))
    getattr(numpy, name).at(x, places, values)
    assert_same(mine, x)


def test_where_and_zeroed_keep_bfloat16():
    x = random(4, BFLOAT16)
    mine, mask = StrictArray(x), StrictArray(x > 1)
    assert_same(xp.where(mask, mine, 0.0), numpy.where(x > 1, x, BFLOAT16.type(0)))
    assert_same(xp.zeroed(mine, mask), numpy.where(x > 1, BFLOAT16.type(0), x))


def test_sorts_take_bfloat16():
    x = random(9, BFLOAT16)
    values, places = xp.unique(StrictArray(x), return_inverse=True)
    assert values.dtype == BFLOAT16
    numpy.testing.assert_array_equal(values._held[places._held], x)
    assert_same(xp.isin(StrictArray(x), StrictArray(x[:2])), numpy.isin(x, x[:2]))


def test_uploads_keep_the_order_of_axes():
    x = random((2, 3, 4)).transpose(1, 0, 2)
    assert_same(xp.asarray(x), x)


A, B = torch.ones(3, 3), tensor(StrictArray(numpy.ones((3, 3), "float32")))


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: torch.mm(A, B), r"got mat2 is on cuda:0, .* on cpu .* method wrapper_CUDA_mm"),
        (lambda: torch.addmm(B, A, B), "got mat1 is on cpu, different from other .* on cuda:0"),
        (lambda: torch.cat([A, B]), "got tensors is on cuda:0, .* wrapper_CUDA_cat"),
        (lambda: torch.nn.Linear(3, 3)(B), "got mat1 is on cuda:0, .* wrapper_CUDA_addmm"),
        (lambda: torch.where(A > 0, B, B), "found at least two devices, cuda:0 and cpu!"),
        (lambda: A + B, "found at least two devices, cuda:0 and cpu!"),
    ],
)
def test_tensors_on_two_devices_are_refused_in_the_words_of_torch(call, text):
    with registered(), pytest.raises(RuntimeError, match="on the same device, but " + text):
        call()


def test_arrays_of_no_axes_join_only_where_all_are_flattened():
    x, y = StrictArray(random(())), StrictArray(random((2, 2)))
    assert xp.concatenate([x, y], None).shape == (5,)
    with pytest.raises(ValueError, match="zero-dimensional arrays cannot be concatenated"):
        xp.concatenate([x, x])


def test_the_stand_in_sorts_no_part_of_an_array_in_place():
    x = xp.asarray(numpy.arange(6.0).reshape(2, 3))
    x.sort()
    with pytest.raises(NotImplementedError, match="Sorting non-contiguous array"):
        x[:, 1:].sort()

"""Blocks and choices by bits have the results of whole arrays."""

import numpy
import pytest

from minitorch.core.arrays import blocks, on_numpy
from minitorch.core.arrays.blocks import MANY, beside_number, chosen, in_blocks


def numbers(n: int, dtype: str = "float32") -> numpy.ndarray:
    x = (100 * numpy.random.default_rng(0).standard_normal(n)).astype(dtype)
    if x.dtype.kind == "f":
        x[:4] = numpy.nan, numpy.inf, -0.0, 0.0
    return x


def bits(x: numpy.ndarray) -> list[int]:
    return x.view(f"int{8 * x.itemsize}").tolist()


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("n", [100, 40_000])
def test_choices_have_the_bits_of_where(n: int, dtype: str) -> None:
    x, y = numbers(n, dtype), numbers(n, dtype)[::-1].copy()
    mask = numpy.random.default_rng(1).random(n) < 0.5
    for a, b in ((x, y), (x, 0), (0, y), (x, 2.5), (x, y[:1].reshape(())), (1, y)):
        expected = numpy.where(mask, a, b)
        found = chosen(mask, a, b)
        assert found.dtype == expected.dtype
        assert bits(found) == bits(expected)


def test_choices_of_other_shapes_are_left_to_where() -> None:
    mask = numpy.arange(10_000).reshape(100, 100) % 3 == 0
    x = numbers(100)
    for each in (mask, mask.T):
        assert numpy.array_equal(chosen(each, x, 1.0), numpy.where(each, x, 1.0), equal_nan=True)


def test_a_number_is_a_bound_whatever_the_size() -> None:
    bound = numpy.asarray(0.5, "float32")
    for n in (5, 8192, 20_000):
        for function in (numpy.maximum, numpy.minimum):
            x = numbers(n)
            assert bits(beside_number(on_numpy, function, bound, x)) == bits(function(bound, x))


def test_blocks_give_what_the_whole_gives() -> None:
    sizes = []

    @in_blocks
    def kernel(xp: object, x: numpy.ndarray, y: numpy.ndarray, scale: float) -> numpy.ndarray:
        sizes.append(x.size)
        return x * scale > y

    x, y = numbers(MANY + 7), numbers(MANY + 7)[::-1].copy()
    found = kernel(on_numpy, x.reshape(1, -1), y.reshape(1, -1), 2.0)
    assert numpy.array_equal(found[0], x * 2 > y)
    assert sizes == [blocks.BLOCK, blocks.BLOCK, 7]
    kernel(on_numpy, x, numpy.asarray(1.0), 2.0)
    kernel(on_numpy, x[::2], y[::2], 2.0)
    assert sizes[3:6] == [blocks.BLOCK, blocks.BLOCK, 7]
    assert sizes[6:] == [MANY // 2 + 4]


@pytest.mark.parametrize("shape", [(9000, 2, 4), (8193, 5, 1), (3, 2, 4), (100, 3, 64)])
def test_values_of_channels_meet_each_image(shape):
    x = numpy.random.default_rng(0).standard_normal(shape, numpy.float32)
    values = numpy.arange(shape[1], dtype=numpy.float32)
    expected = (x * values[:, None]).tobytes()
    assert blocks.per_channel(numpy.multiply, x, values).tobytes() == expected
    blocks.per_channel(numpy.multiply, x, values, x)
    assert x.tobytes() == expected


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.parametrize(("low", "high"), [(-20, 30), (0, 6), (-6, 0), (5, -5)])
@pytest.mark.parametrize("negative_zero", [False, True])
def test_many_numbers_are_kept_between_bounds(dtype, low, high, negative_zero):
    x = numbers(20_000, dtype)
    if not negative_zero:
        x[x == 0] = 1
    low, high = numpy.asarray(low, dtype), numpy.asarray(high, dtype)
    for each in (x, x.reshape(2, -1)[:, 1:]):
        expected = numpy.minimum(high, numpy.maximum(low, each))
        assert blocks.between(on_numpy, each, low, high).tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "complex64"])
@pytest.mark.parametrize("value", [0, 3, -2])
def test_write_where_writes_as_copyto_by_any_mask(dtype, value):
    random = numpy.random.RandomState(0)
    x = (random.standard_normal((70, 700)) * 9).astype(dtype)
    for mask in (random.rand(70, 700) < 0.5, numpy.tri(70, 700) > 0, random.rand(700) < 0.5):
        written, expected = x.copy(), x.copy()
        blocks.write_where(numpy, written, value, mask)
        numpy.copyto(expected, value, where=mask)
        assert written.tobytes() == expected.tobytes()


def test_write_where_writes_the_bits_of_nan_and_of_minus_zero():
    x = numpy.full(9000, numpy.inf, "float32")
    mask = numpy.arange(9000) % 2 == 0
    for value in (-0.0, numpy.float32("nan"), -numpy.inf):
        written = x.copy()
        blocks.write_where(numpy, written, value, mask)
        expected = numpy.where(mask, numpy.float32(value), x)
        assert written.tobytes() == expected.tobytes()

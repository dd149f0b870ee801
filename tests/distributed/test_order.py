"""gloo's order of additions, against a ring that is played step by step."""

import numpy
import pytest

from minitorch.distributed.order import FOLDS, bounds, folded, sum_of_part


def played_ring(arrays, fold):
    """The arrays of the ranks after gloo's ring: sums go round once, then their results do."""
    ranks, at = len(arrays), bounds(arrays[0].size, arrays[0].itemsize, len(arrays))
    own = [array.copy() for array in arrays]
    for step in range(1, ranks):
        sent = []
        for rank in range(ranks):
            k = (rank + step) % ranks
            sent.append((k, own[rank][at[k] : at[k + 1]].copy()))
        for rank in range(ranks):
            k, chunk = sent[(rank + 1) % ranks]
            mine = own[rank][at[k] : at[k + 1]]
            fold(mine, chunk, out=mine)
    return numpy.concatenate([own[k][at[k] : at[k + 1]] for k in range(ranks)])


@pytest.mark.parametrize("ranks", range(2, 10))
@pytest.mark.parametrize("count", [1, 7, 1001, 300_000])
def test_each_chunk_is_added_in_the_order_of_the_ring(ranks, count):
    random = numpy.random.default_rng(ranks)
    arrays = [random.standard_normal(count).astype(numpy.float32) for _ in range(ranks)]
    at = bounds(count, 4, ranks)
    assert (at[0], at[-1]) == (0, count)
    ours = sum_of_part(arrays, 0, at, FOLDS["SUM"])
    assert ours.tobytes() == played_ring(arrays, numpy.add).tobytes()


def test_a_stretch_of_a_tensor_is_added_as_within_the_whole():
    random = numpy.random.default_rng(0)
    arrays = [random.standard_normal(1000).astype(numpy.float16) for _ in range(3)]
    at = bounds(1000, 2, 3)
    whole = sum_of_part(arrays, 0, at, FOLDS["SUM"])
    part = sum_of_part([array[200:700] for array in arrays], 200, at, FOLDS["SUM"])
    assert part.tobytes() == whole[200:700].tobytes()


def test_maximum_keeps_a_first_nan():
    nan = float("nan")
    parts = [numpy.array([nan, 1.0]), numpy.array([1.0, nan])]
    largest = folded(parts, 0, FOLDS["MAX"])  # from rank 1 to rank 0
    assert numpy.isnan(largest[0])
    assert largest[1] == 1.0


def test_sums_that_overflow_are_infinite_without_a_word():
    parts = [numpy.full(3, 60_000, numpy.float16)] * 2
    with numpy.errstate(all="raise"):
        total = folded(parts, 0, FOLDS["SUM"])
    assert numpy.isinf(total).all()

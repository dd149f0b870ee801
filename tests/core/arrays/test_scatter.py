"""Reading and writing at positions, against loops over single elements."""

import numpy as np
import pytest

from minitorch.core.arrays import on_numpy as xp
from minitorch.core.arrays import scatter

DTYPES = ["float32", "float64", "int64", "complex64"]
SHAPES = [((4,), (6,), 0), ((3, 4), (2, 5), 1), ((3, 4), (7, 2), 0), ((2, 3, 4), (2, 5, 3), 1)]


def draw(dtype, *shape):
    return np.random.default_rng(sum(shape)).integers(-9, 10, shape).astype(dtype)


def positions(index, axis):
    """(where in index, where it points) one after another."""
    for at in np.ndindex(index.shape):
        yield at, (*at[:axis], index[at], *at[axis + 1 :])


def draw_index(shape, n):
    return np.random.default_rng(1).integers(0, n, shape)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("shape", "index_shape", "axis"), SHAPES)
def test_gather_reads_and_scatter_writes_element_by_element(dtype, shape, index_shape, axis):
    x, source = draw(dtype, *shape), draw(dtype, *index_shape)
    larger = np.pad(source, 1)[(slice(1, None),) * source.ndim]  # only its corner is used
    index = draw_index(index_shape, shape[axis])
    before = x.copy()
    read, written, added = np.empty(index_shape, dtype), x.copy(), x.copy()
    for at, there in positions(index, axis):
        read[at] = x[there]
        written[there] = source[at]
        added[there] += source[at]
    np.testing.assert_array_equal(scatter.gather(xp, x, axis, index), read)
    np.testing.assert_array_equal(scatter.scatter(xp, x, axis, index, larger), written)
    np.testing.assert_array_equal(scatter.scatter_add(xp, x, axis, index, larger), added)
    turned = np.asfortranarray(x)
    np.testing.assert_array_equal(scatter.scatter_add(xp, turned, axis, index, source), added)
    np.testing.assert_array_equal(x, before)


def test_scatter_stores_a_number_everywhere():
    out = scatter.scatter(xp, np.zeros((2, 3)), 1, np.array([[0], [2]]), 7)
    assert out.tolist() == [[7, 0, 0], [0, 0, 7]]


@pytest.mark.parametrize(
    ("reduce", "with_self", "without"),
    [
        ("sum", [10, 4, 5], [8, 4, 3]),
        ("prod", [24, 4, 6], [12, 4, 3]),
        ("mean", [3, 4, 2], [4, 4, 3]),
        ("amax", [6, 4, 3], [6, 4, 3]),
        ("amin", [2, 4, 2], [2, 4, 3]),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_scatter_reduce_with_and_without_what_was_there(reduce, with_self, without, dtype):
    x, source = np.array([2, 4, 2], dtype), np.array([2, 6, 3], dtype)
    index = np.array([0, 0, 2])
    out = scatter.scatter_reduce(xp, x, 0, index, source, reduce)
    expected = np.array(with_self, "float64")
    if reduce == "mean":
        expected = np.array([10 / 3, 4, 2.5])
        expected = np.floor(expected) if dtype == "int64" else expected
    np.testing.assert_allclose(out, expected, rtol=1e-6)
    out = scatter.scatter_reduce(xp, x, 0, index, source, reduce, include_self=False)
    np.testing.assert_array_equal(out, without)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_index_add_adds_slices_also_twice(dtype, axis):
    x = draw(dtype, 3, 3, 3)
    index = np.array([2, 0, 2, 2])
    source = np.moveaxis(draw(dtype, 4, 3, 3), 0, axis)
    expected = np.moveaxis(x, axis, 0).copy()
    for i, place in enumerate(index):
        expected[place] += 3 * np.moveaxis(source, axis, 0)[i]
    out = scatter.index_add(xp, x, axis, index, source, 3)
    np.testing.assert_array_equal(out, np.moveaxis(expected, 0, axis))


@pytest.mark.parametrize(
    "indices",
    [
        (np.array([0, 2, 0]),),
        (np.array([[-1], [1]]), np.array([0, -4, 0])),
        (np.array([1, 1]), np.array([2, 2]), np.array([0, -1])),
        (None, np.array([3, 3])),
        (np.array([0, 0]), None, np.array([1, 1])),
        (np.array([True, False, True]),),
        (np.array([[True] * 4, [False] * 4, [True] * 4]), np.array([1])),
    ],
)
@pytest.mark.parametrize("whole", [False, True])
def test_positions_are_those_that_indices_select(indices, whole):
    x = draw("float64", 3, 4, 2)
    key = tuple(slice(None) if i is None else i for i in indices)
    shape = x[key].shape
    values = draw("float64", *(shape if whole else shape[-1:]))
    expected = x.copy()
    np.add.at(expected, key, values)
    places = scatter.positions(xp, x.shape, indices)
    out = x.copy(order="C")
    np.add.at(out.reshape(-1), places.reshape(-1), np.broadcast_to(values, shape).reshape(-1))
    np.testing.assert_array_equal(out, expected)


def test_masked_scatter_fills_in_turn():
    mask = np.array([[True, False], [True, True]])
    out = scatter.masked_scatter(xp, np.zeros((1, 2)), mask, np.array([1.0, 2, 3, 4]))
    assert out.tolist() == [[1, 0], [2, 3]]
    with pytest.raises(RuntimeError, match="Number of elements of source < number of ones"):
        scatter.masked_scatter(xp, np.zeros((2, 2)), mask, np.array([1.0, 2]))


def test_take_and_put_see_a_vector():
    x = np.arange(6.0).reshape(2, 3).T
    index = np.array([[0, -1], [1, 1]])
    assert scatter.take(xp, x, index).tolist() == [[0, 5], [3, 3]]
    source = np.array([[1.0, 1], [1, 1]])
    assert scatter.put(xp, x, index, source, True).ravel().tolist() == [1, 5, 1, 4, 2, 6]
    assert scatter.put(xp, x, index, source).ravel().tolist() == [1, 1, 1, 4, 2, 1]


def test_embedding_gradients_add_up_by_row():
    grad = np.array([[[1.0, 2], [3, 4]], [[5, 6], [7, 8]]], "float32")
    indices = np.array([[0, 2], [0, 1]])
    out = scatter.embedding_backward(xp, grad, indices, 4)
    assert out.tolist() == [[6, 8], [7, 8], [3, 4], [0, 0]]
    out = scatter.embedding_backward(xp, grad, indices, 4, padding_idx=0)
    assert out.tolist() == [[0, 0], [7, 8], [3, 4], [0, 0]]
    out = scatter.embedding_backward(xp, grad, indices, 4, scale_grad_by_freq=True)
    assert out.tolist() == [[3, 4], [7, 8], [3, 4], [0, 0]]


def test_half_types_add_up_in_float32():
    x, source = np.zeros(1, np.float16), np.ones(3000, np.float16)
    assert scatter.scatter_add(xp, x, 0, np.zeros(3000, int), source) == 3000
    out = scatter.index_add(xp, x[:, None], 0, np.zeros(3000, int), source[:, None])
    assert out == 3000


@pytest.mark.parametrize(("shape", "axis"), [((3, 4), 1), ((3, 4), 0), ((2, 3, 4), 1)])
@pytest.mark.parametrize("repeated", [True, False])
def test_gather_reads_by_an_expanded_vector_as_by_its_copies(shape, axis, repeated):
    x = draw("float32", *shape)
    vector = draw_index(6, shape[axis]).reshape([6 if i == axis else 1 for i in range(len(shape))])
    wide = [6 if i == axis else n - (not repeated) for i, n in enumerate(shape)]
    index = np.broadcast_to(vector, wide)
    read = np.array([x[there] for _, there in positions(index, axis)]).reshape(wide)
    for each in (x, np.asfortranarray(x)):
        np.testing.assert_array_equal(scatter.gather(xp, each, axis, index), read)
    with pytest.raises(RuntimeError, match="index 9 is out of bounds for dimension"):
        scatter.gather(xp, x, axis, np.broadcast_to(vector + 9 - vector[(0,) * x.ndim], wide))


@pytest.mark.parametrize("wrong", [3, -1])
def test_positions_outside_are_refused(wrong):
    x, index = np.zeros((3, 3)), np.array([[0, wrong]])
    text = f"index {wrong} is out of bounds for dimension 0 with size 3"
    with pytest.raises(RuntimeError, match=text):
        scatter.gather(xp, x, 0, index)
    with pytest.raises(RuntimeError, match=text):
        scatter.scatter_add(xp, x, 0, index, np.ones((1, 2)))
    with pytest.raises(RuntimeError, match=text):
        scatter.index_add(xp, x, 0, index[0], np.ones((2, 3)))
    with pytest.raises(IndexError, match="tried to access index 9 on a tensor of 9 elements"):
        scatter.take(xp, x, np.array([9]))


def test_empty_indices_change_nothing():
    x = np.ones((2, 3))
    index = np.empty((0, 3), int)
    assert scatter.gather(xp, x, 0, index).shape == (0, 3)
    assert scatter.scatter_add(xp, x, 0, index, np.empty((0, 3))).tolist() == x.tolist()
    assert scatter.index_add(xp, x, 0, np.empty(0, int), np.empty((0, 3))).tolist() == x.tolist()


def test_numbers_are_arrays_too():
    x, index = np.array(3.0), np.array(0)
    for out in (scatter.gather(xp, x, 0, index), scatter.take(xp, np.array([3.0]), index)):
        assert isinstance(out, np.ndarray)
        assert out.shape == ()
    assert scatter.scatter_add(xp, x, 0, index, np.array(4.0)) == 7
    assert scatter.index_add(xp, x, 0, index, np.array(4.0)) == 7


@pytest.mark.parametrize("size", [4, 20000])
def test_looked_at_finds_positions_that_are_out_of_range(size):
    index = np.arange(size) % 3
    assert scatter.looked_at(xp, index, 3)[1] is None
    index[1], index[2] = -1, 3
    assert scatter.looked_at(xp, index, 3)[1].tolist() == [-1, 3]
    assert scatter.looked_at(xp, index, 3, -3)[1].tolist() == [3]
    assert scatter.looked_at(xp, index, 4, -4)[1] is None


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("many", [2, 90])
def test_wide_slices_are_added_turn_by_turn(axis, many):
    shape = (3, 100, 40)
    x, source = (np.random.default_rng(i).standard_normal(shape, np.float32) for i in (0, 1))
    index = np.random.default_rng(2).integers(0, 100 // many + 1, shape[axis]) % shape[axis]
    expected = x.copy()
    for place, at in enumerate(index):
        before = (slice(None),) * axis
        expected[(*before, at)] += source[(*before, place)]
    found = scatter.index_add(xp, x, axis, index, source)
    assert found.tobytes() == expected.tobytes()


def test_turns_of_positions_come_in_order():
    turns = scatter._turns(np.array([3, 1, 3, 3, 0, 1]))
    assert [each.tolist() for each in turns] == [[4, 1, 0], [5, 2], [3]]


def test_nothing_is_added_at_no_positions():
    x = np.ones((3, 4))
    none = np.zeros(0, np.int64)
    scatter.add_at(xp, x, (none, none), np.zeros(0))
    scatter.add_at(xp, x, (none,), np.zeros((0, 4)))
    assert (x == 1).all()

"""x[...] and x[...] = value: views, nodes, masks, positions, errors."""

from typing import Any

import numpy
import pytest

import minitorch as torch


def leaf() -> Any:
    """A (2, 3, 4) leaf of counted numbers."""
    return torch.arange(24.0).reshape(2, 3, 4).clone().requires_grad_()


def chain(x: Any) -> list[str]:
    """The names of the nodes from `x` back to the leaf, along the first edges."""
    names, node = [], x.grad_fn
    while node is not None:
        names.append(type(node).__name__.removesuffix("Backward0"))
        node = node.next_functions[0][0] if node.next_functions else None
    return names[:-1]


VIEWS = [
    (0, ["Select"], (3, 4), (4, 1), 0),
    (-1, ["Select"], (3, 4), (4, 1), 12),
    (numpy.int64(1), ["Select"], (3, 4), (4, 1), 12),
    (slice(0, 1), ["Slice"], (1, 3, 4), (12, 4, 1), 0),
    (slice(None), ["Slice"], (2, 3, 4), (12, 4, 1), 0),
    (slice(3, None), ["Slice"], (0, 3, 4), (12, 4, 1), 24),
    (..., ["Alias"], (2, 3, 4), (12, 4, 1), 0),
    ((), ["Alias"], (2, 3, 4), (12, 4, 1), 0),
    ((slice(None), slice(None)), ["Alias"], (2, 3, 4), (12, 4, 1), 0),
    (None, ["Unsqueeze"], (1, 2, 3, 4), (24, 12, 4, 1), 0),
    ((0, 1), ["Select", "Select"], (4,), (1,), 4),
    ((slice(0, 5), 1), ["Select"], (2, 4), (12, 1), 4),
    ((..., 0), ["Select"], (2, 3), (12, 4), 0),
    ((None, ..., None, 1), ["Select", "Unsqueeze", "Unsqueeze"], (1, 2, 3, 1), (24, 12, 4, 4), 1),
    ((slice(1, None), ..., slice(None, None, 2)), ["Slice", "Slice"], (1, 3, 2), (12, 4, 2), 12),
]


@pytest.mark.parametrize(("index", "nodes", "shape", "stride", "offset"), VIEWS)
@pytest.mark.parametrize("with_grad", [True, False])
def test_ints_slices_none_and_ellipsis_give_views(
    index: Any, nodes: list[str], shape: Any, stride: Any, offset: int, with_grad: bool
) -> None:
    x = leaf() if with_grad else leaf().detach()
    y = x[index]
    assert (tuple(y.shape), y.stride(), y.storage_offset()) == (shape, stride, offset)
    assert y._base is x
    if with_grad:
        assert chain(y) == nodes
    assert y.tolist() == x.detach().numpy()[index].tolist()


def test_a_full_slice_in_front_leaves_no_node() -> None:
    assert chain(leaf()[0:2, :, 1:]) == ["Slice"]


SELECTIONS = [
    ([0, 1], (2, 3, 4)),
    ([], (0, 3, 4)),
    (range(2), (2, 3, 4)),
    (numpy.array([True, False]), (1, 3, 4)),
    (([0, 1], [1, 2]), (2, 4)),
    ((slice(None), [0, 1]), (2, 2, 4)),
    ((slice(None), [0, 1], [1, 2]), (2, 2)),
    (([0, 1], slice(None), [1, 2]), (2, 3)),
    ((0, slice(None), [0, 1]), (3, 2)),
    ((slice(None), None, [0, 1]), (2, 1, 2, 4)),
    (True, (1, 2, 3, 4)),
    (False, (0, 2, 3, 4)),
    ((0, True), (1, 3, 4)),
    (((0, 1), (1, 0)), (2, 4)),
]


@pytest.mark.parametrize(("index", "shape"), SELECTIONS)
def test_lists_arrays_and_bools_select_copies(index: Any, shape: Any) -> None:
    y = leaf()[index]
    assert tuple(y.shape) == shape
    assert type(y.grad_fn).__name__ == "IndexBackward0"
    assert not y._is_view()


def test_a_list_selects_where_a_tuple_goes_deeper() -> None:
    x = leaf()
    assert x[[0, 1]].shape == (2, 3, 4)
    assert x[(0, 1)].shape == (4,)


def test_a_list_of_lists_stands_for_a_tuple_and_warns() -> None:
    x = leaf()
    with pytest.warns(UserWarning, match="non-tuple sequence for multidimensional indexing"):
        y = x[[[0, 1], [1, 0]]]
    assert torch.equal(y, x[(0, 1), (1, 0)])


def test_the_node_of_positions_saves_them_with_none_between() -> None:
    node = leaf()[[0, 1], :, [1, 2]].grad_fn
    assert [None if i is None else i.tolist() for i in node._saved_indices] == [
        [0, 1],
        None,
        [1, 2],
    ]
    assert node._saved_self_sym_sizes == (2, 3, 4)


def test_a_mask_counts_for_all_its_dimensions() -> None:
    x = leaf()
    mask = torch.ones(2, 3, dtype=torch.bool)
    y = x[mask, 0]
    assert y.shape == (6,)
    assert chain(y) == ["Index", "Select"]
    assert y.grad_fn.next_functions[0][0]._saved_dim == 2


def test_a_tensor_without_dimensions_selects_by_number_or_truth() -> None:
    x = leaf()
    assert chain(x[torch.tensor(1)]) == ["Select"]
    assert chain(x[torch.tensor(True)]) == ["Index", "Unsqueeze"]
    assert x[torch.tensor(False)].shape == (0, 2, 3, 4)


def test_gradients_of_repeated_positions_add_up() -> None:
    x = torch.zeros(3, requires_grad=True)
    x[[0, 0, 2]].sum().backward()
    assert x.grad.tolist() == [2.0, 0.0, 1.0]


def test_a_selection_of_a_transposed_tensor_lies_as_torch_lays_it() -> None:
    x = leaf().detach()
    assert x.transpose(0, 2)[:, [0, 1]].stride() == (1, 4, 8)
    assert x.transpose(0, 1)[:, :, [0, 1]].stride() == (2, 6, 1)
    assert x[torch.tensor([[0, 1, 1], [1, 0, 1]]).t()].stride() == (12, 36, 4, 1)


ERRORS = [
    (2, IndexError, "index 2 is out of bounds for dimension 0 with size 2"),
    ((0, -9), IndexError, "index -9 is out of bounds for dimension 1 with size 3"),
    ((None, None, 5), IndexError, "index 5 is out of bounds for dimension 2 with size 2"),
    ((0, 0, 0, 0), IndexError, "too many indices for tensor of dimension 3"),
    ([0, 5], IndexError, "index 5 is out of bounds for dimension 0 with size 2"),
    (slice(None, None, -1), ValueError, "step must be greater than zero"),
    (slice(None, None, 0), ValueError, "slice step cannot be zero"),
    (slice(1.5, None), TypeError, "slice indices must be integers or None or have an __index__"),
    (1.5, IndexError, "None and long or byte Variables are valid indices (got float)"),
    ({}, IndexError, "None and long or byte Variables are valid indices (got dict)"),
    (10**20, ValueError, "Overflow when unpacking long long"),
    ([True, False, True], IndexError, "The shape of the mask [3] at index 0 does not match the"),
    (([0, 1], [0, 1, 2]), IndexError, "could not be broadcast together with shapes [2], [3]"),
]


@pytest.mark.parametrize(("index", "error", "text"), ERRORS)
def test_what_is_no_index_is_refused_in_torchs_words(
    index: Any, error: type[Exception], text: str
) -> None:
    for x in (leaf(), leaf().detach()):
        with pytest.raises(error) as caught:
            x[index]
        assert text in str(caught.value)
        with pytest.raises(error):
            x.detach()[index] = 1


def test_a_scalar_takes_no_position() -> None:
    with pytest.raises(IndexError, match="invalid index of a 0-dim tensor"):
        torch.tensor(1.0)[0]
    with pytest.raises(IndexError, match=r"slice\(\) cannot be applied to a 0-dim tensor"):
        torch.tensor(1.0)[:]


ASSIGNMENTS = [
    (0, 5),
    ((0, 1, 2), 7.5),
    (slice(None), 0),
    (..., 1),
    (None, 2),
    (slice(1, None), torch.ones(3, 4)),
    (0, torch.ones(1, 1, 3, 4)),
    ([0, 1], torch.ones(4)),
    (([0, 1], [1, 2]), torch.ones(1, 2, 4)),
    ((slice(None), 0, [0, 1]), 3),
    (True, 3),
    (torch.tensor(1), True),
    (numpy.array([False, True]), 4),
]


@pytest.mark.parametrize(("index", "value"), ASSIGNMENTS)
def test_assignment_writes_what_numpy_writes(index: Any, value: Any) -> None:
    x, y = leaf().detach(), leaf().detach().numpy().copy()
    x[index] = value
    place = index.item() if isinstance(index, torch.Tensor) else index
    given = value.numpy() if isinstance(value, torch.Tensor) else value
    while numpy.ndim(given) > y[place].ndim:
        given = given[0]
    y[place] = given
    assert x.tolist() == y.tolist()
    assert x._version == 1


def test_assigning_false_writes_nothing() -> None:
    x = leaf().detach()
    x[False] = 9
    assert x._version == 0
    assert x.max() == 23


def test_the_history_of_an_assignment_is_torchs() -> None:
    w = torch.ones(4, requires_grad=True)
    for index, value, node, second in (
        (0, w, "CopySlices", "ExpandBackward0"),
        (0, w.sum(), "CopySlices", "SumBackward0"),
        (slice(None), 0, "FillBackward3", None),
        ([0, 0], w, "IndexPutBackward0", "AccumulateGrad"),
    ):
        x = leaf() * 1
        x[index] = value
        assert type(x.grad_fn).__name__ == node
        into = x.grad_fn.next_functions[1][0]
        assert (None if into is None else type(into).__name__) == second


def test_gradients_go_round_what_was_overwritten() -> None:
    x, w = torch.ones(3, requires_grad=True), torch.tensor(2.0, requires_grad=True)
    y = x * 1
    y[[0, 2]] = w
    (y * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
    assert x.grad.tolist() == [0.0, 10.0, 0.0]
    assert w.grad == 101


def test_a_leaf_that_requires_grad_is_not_written() -> None:
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad"):
        leaf()[0] = 1
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        leaf()[[0]] = 1


VALUE_ERRORS = [
    (0, [1.0], TypeError, "can't assign a list to a torch.FloatTensor"),
    (0, numpy.ones(4), TypeError, "can't assign a numpy.ndarray to a torch.FloatTensor"),
    (0, None, TypeError, "can't assign a NoneType to a torch.FloatTensor"),
    (0, 1j, RuntimeError, "value cannot be converted to type float without overflow"),
    (0, torch.ones(5), RuntimeError, "The expanded size of the tensor (4) must match"),
    ([0], torch.ones(4).double(), RuntimeError, "got Float for the destination and Double for"),
    ([0, 1], torch.ones(3, 3, 4), RuntimeError, "cannot be broadcast to indexing result of shape"),
]


@pytest.mark.parametrize(("index", "value", "error", "text"), VALUE_ERRORS)
def test_a_value_that_does_not_fit_leaves_the_tensor_as_it_was(
    index: Any, value: Any, error: type[Exception], text: str
) -> None:
    x = leaf().detach()
    with pytest.raises(error) as caught:
        x[index] = value
    assert text in str(caught.value)
    assert torch.equal(x, leaf().detach())


def test_unpacking_and_iteration_go_through_unbind() -> None:
    a, b = leaf()
    assert type(a.grad_fn).__name__ == type(b.grad_fn).__name__ == "UnbindBackward0"
    assert 23 in leaf().detach()
    assert 24 not in leaf().detach()


def test_adding_in_place_at_positions() -> None:
    x = torch.zeros(3)
    x[[0, 0]] += 1
    x[x > 0] *= 5
    assert x.tolist() == [5.0, 0.0, 0.0]
    assert torch.zeros(3).index_put((torch.tensor([0, 0]),), torch.tensor(1.0), True)[0] == 2


def test_writes_before_a_position_out_of_range_are_done():
    x = torch.zeros(3, 2)
    with pytest.raises(IndexError, match="index 9 is out of bounds for dimension 0 with size 3"):
        x[torch.tensor([0, 1, 9, 2])] = torch.arange(8.0).reshape(4, 2)
    assert x.tolist() == [[0, 1], [2, 3], [0, 0]]
    x = torch.zeros(2, 3)
    with pytest.raises(IndexError):  # values decide which dimension is gone through first
        x[:, torch.tensor([0, 9, 2])] = torch.arange(6.0).reshape(3, 2).t()
    assert x.tolist() == [[0, 0, 0], [1, 0, 0]]
    x = torch.zeros(3)
    with pytest.raises(IndexError):
        x.index_put_((torch.tensor([0, 0, 1, -5, 2]),), torch.arange(1.0, 6), accumulate=True)
    assert x.tolist() == [3, 3, 0]


def test_a_mask_decides_where_an_index_is_read_and_written() -> None:
    x = torch.arange(12.0).reshape(3, 4).requires_grad_()
    where = [torch.tensor([0, 1, 9]), torch.tensor([0, 7, 2])]
    mask = torch.tensor([True, False, True])
    found = torch._unsafe_masked_index(x, mask, where, 2.5)
    assert found.tolist() == [0, 2.5, 10]
    found.sum().backward()
    assert x.grad.nonzero().tolist() == [[0, 0], [2, 2]]
    put = torch._unsafe_masked_index_put_accumulate(x.detach(), mask, where, torch.ones(3))
    assert (put - x.detach()).nonzero().tolist() == [[0, 0], [2, 2]]
    assert torch._unsafe_masked_index(x[:0], mask, where, 1.0).tolist() == [1, 1, 1]
    with pytest.raises(RuntimeError, match="found unexpected index type Bool"):
        torch._unsafe_masked_index(x, mask, [mask], 1.0)


def test_a_complex_number_does_not_fit_into_real_ones_where_a_mask_is_true():
    x = torch.ones(2)
    with pytest.raises(RuntimeError, match="value cannot be converted to type float"):
        x[x > 0] = torch.tensor(1j)
    x[x > 0] = torch.tensor(2 + 0j)
    assert x.tolist() == [2, 2]


def test_an_index_in_a_list_is_no_float_of_numpy():
    with pytest.raises(TypeError, match=r"'numpy\.float32' object cannot be interpreted as an int"):
        torch.ones(2)[[0, numpy.float32(1)]]

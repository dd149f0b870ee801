"""Jagged nested tensors: their parts, operators on them, gradients and errors."""

import pickle
from typing import Any

import pytest

import minitorch as torch
from minitorch.nested._internal import nested_tensor as inner


@pytest.fixture
def rows() -> Any:
    inner._nt_view_dummy()
    inner._tensor_id_counter = 1
    tensors = [torch.arange(4.0).view(2, 2), torch.ones(3, 2)]
    return torch.nested.nested_tensor(tensors, layout=torch.jagged, requires_grad=True)


def test_a_nested_tensor_prints_its_ragged_size(rows: Any) -> None:
    assert repr(rows.detach()) == (
        "NestedTensor(size=(2, j1, 2), offsets=tensor([0, 2, 5]), contiguous=True)"
    )
    assert str(rows.shape) == "torch.Size([2, j1, 2])"
    assert str(rows.stride()) == "(2*j1, 2, 1)"
    assert (rows.numel(), rows.is_nested, rows.layout) == (10, True, torch.jagged)


def test_ragged_sizes_are_equal_only_to_themselves(rows: Any) -> None:
    size = rows.shape[1]
    assert type(size) is torch.SymInt
    assert size == rows.shape[1]
    assert size != 3
    assert size * 2 == 2 * size
    with pytest.raises(ValueError, match="relation is indeterminate"):
        size < 5  # noqa: B015


def test_gradients_of_a_chain_reach_the_values_of_a_leaf(rows: Any) -> None:
    result = (rows * 3).sin()
    assert result.grad_fn.name() == "SinBackward0"
    result.values().sum().backward()
    expected = 3 * torch.cos(3 * rows.detach().values())
    assert torch.equal(rows.grad.values(), expected)


def test_unbind_gives_views_with_histories(rows: Any) -> None:
    first, second = rows.unbind()
    assert first.grad_fn.name() == "UnbindBackwardAutogradNestedTensor0"
    second.sum().backward()
    assert rows.grad.values().tolist() == [[0.0, 0.0]] * 2 + [[1.0, 1.0]] * 3


def test_linear_of_a_nested_tensor_gives_the_gradients_of_a_dense_one(rows: Any) -> None:
    layer = torch.nn.Linear(2, 3)
    layer(rows).values().sum().backward()
    found = layer.weight.grad.clone()
    layer.zero_grad()
    layer(rows.detach().values()).sum().backward()
    assert torch.equal(found, layer.weight.grad)


def test_a_sum_over_the_ragged_dimension_is_dense(rows: Any) -> None:
    assert rows.detach().sum(1).tolist() == [[2.0, 4.0], [3.0, 3.0]]
    assert rows.detach().mean(1).tolist() == [[1.0, 2.0], [1.0, 1.0]]


def test_padding_reaches_as_far_as_the_longest(rows: Any) -> None:
    padded = rows.to_padded_tensor(-1.0)
    assert padded.shape == (2, 3, 2)
    assert padded[0, 2].tolist() == [-1.0, -1.0]
    padded.sum().backward()
    assert rows.grad.values().tolist() == [[1.0, 1.0]] * 5


def test_operands_of_other_raggedness_are_refused(rows: Any) -> None:
    other = torch.nested.nested_tensor([torch.ones(2, 2), torch.ones(3, 2)], layout=torch.jagged)
    with pytest.raises(RuntimeError, match="cannot call binary pointwise function add"):
        rows + other


def test_what_has_no_kernel_is_refused_by_its_name(rows: Any) -> None:
    with pytest.raises(NotImplementedError, match=r"aten\.cumsum\.default"):
        rows.cumsum(-1)
    with pytest.raises(RuntimeError, match="not supported for NestedTensor on ragged dim"):
        rows.split(1, 1)


def test_a_pickled_nested_tensor_has_the_same_parts(rows: Any) -> None:
    again = pickle.loads(pickle.dumps(rows))
    assert torch.equal(again.values(), rows.values())
    assert again.requires_grad
    assert again.offsets().tolist() == [0, 2, 5]


def test_holes_between_rows_are_skipped() -> None:
    values, offsets = torch.arange(6.0), torch.tensor([0, 3, 6])
    holed = torch.nested.nested_tensor_from_jagged(values, offsets, torch.tensor([1, 2]))
    assert [part.tolist() for part in holed.unbind()] == [[0.0], [3.0, 4.0]]
    assert not holed.is_contiguous()
    assert holed.numel() == 3


def test_masked_select_keeps_the_rows() -> None:
    mask = torch.tensor([[True, False, True], [False, False, True]])
    chosen = torch.nested.masked_select(torch.arange(6.0).view(2, 3), mask)
    assert [part.tolist() for part in chosen.unbind()] == [[0.0, 2.0], [5.0]]


def test_is_nested_int_tells_ragged_sizes(rows: Any) -> None:
    from minitorch.fx.experimental.symbolic_shapes import is_nested_int

    assert [is_nested_int(size) for size in rows.shape] == [False, True, False]

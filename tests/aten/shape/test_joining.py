"""Joining and repeating: dtypes, memory formats, empty vectors, gradients of every part."""

from typing import NamedTuple

import pytest

import minitorch as torch


def test_cat_promotes_and_passes_over_empty_vectors() -> None:
    joined = torch.cat([torch.ones(0), torch.ones(1, 2, dtype=torch.int64), torch.ones(1, 2)], 1)
    assert joined.dtype is torch.float32
    assert joined.shape == (1, 4)


def test_cat_keeps_a_memory_format_that_all_share() -> None:
    x = torch.ones(2, 3, 4, 5).contiguous(memory_format=torch.channels_last)
    assert torch.cat([x, x]).is_contiguous(memory_format=torch.channels_last)
    assert torch.cat([x, torch.ones(2, 3, 4, 5)]).is_contiguous()


def test_cat_cuts_its_gradient_into_the_parts() -> None:
    a = torch.ones(2, requires_grad=True)
    b = torch.ones(1, requires_grad=True)
    (torch.cat([a, b]) * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert a.grad.tolist() == [1, 2]
    assert b.grad.tolist() == [3]


def test_only_the_parts_that_were_used_give_a_gradient_to_split() -> None:
    x = torch.ones(5, requires_grad=True)
    (x.split(2)[1] * 3).sum().backward()
    assert x.grad.tolist() == [0, 0, 3, 3, 0]


@pytest.mark.parametrize(
    ("tensors", "error", "text"),
    [
        ([], ValueError, r"torch.cat\(\): expected a non-empty list of Tensors"),
        ([torch.tensor(1.0)], RuntimeError, r"zero-dimensional tensor \(at position 0\) cannot be"),
        ([torch.ones(2, 3), torch.ones(2, 4)], RuntimeError, "Expected size 3 but got size 4 for"),
        ([torch.ones(2), torch.ones(2, 2)], RuntimeError, "same number of dimensions: got 1 and 2"),
        ([torch.ones(2), 3], TypeError, "expected Tensor as element 1 in argument 0, but got int"),
        ([torch.ones(2), None], TypeError, "as element 1 in argument 0, but got NoneType"),
    ],
)
def test_cat_refuses_what_does_not_fit(tensors, error, text: str) -> None:
    with pytest.raises(error, match=text):
        torch.cat(tensors)


def test_repeat_sums_the_gradients_of_all_repetitions() -> None:
    x = torch.ones(2, requires_grad=True)
    x.repeat(3, 2).sum().backward()
    assert x.grad.tolist() == [6, 6]


def test_meshgrid_exchanges_the_first_two_dimensions_for_xy() -> None:
    x, y, z = torch.arange(2.0), torch.arange(3.0), torch.arange(4.0)
    grids = torch.meshgrid(x, y, z, indexing="xy")
    assert [grid.shape for grid in grids] == [(3, 2, 4)] * 3
    assert [grid.stride() for grid in grids] == [(0, 1, 0), (1, 0, 0), (0, 0, 1)]


def test_a_cast_of_a_gradient_to_real_numbers_takes_the_real_part() -> None:
    x = torch.ones(2, requires_grad=True)
    x.to(torch.complex64).backward(torch.tensor([1 + 2j, 3 + 4j]))
    assert x.grad.tolist() == [1, 3]


def test_cat_is_not_written_into_its_own_parts_or_over_itself() -> None:
    out = torch.arange(4.0)
    for call in (
        lambda: torch.cat([out[:2], torch.ones(2)], out=out),
        lambda: torch.cat([torch.ones(2), torch.ones(2)], out=torch.zeros(1).expand(4)),
    ):
        with pytest.raises(RuntimeError, match=r"unsupported operation: .* single memory"):
            call()
    assert out.tolist() == [0, 1, 2, 3]


def test_cat_wants_a_tuple_of_tensors() -> None:
    with pytest.raises(TypeError, match=r"argument 'tensors' .* must be tuple of Tensors"):
        torch.cat(torch.ones(2), 0)


def test_new_dimensions_of_a_repetition_are_summed_one_after_another() -> None:
    x = torch.ones(2, requires_grad=True)
    grad = torch.ones(3, 2, 4, requires_grad=True)
    (first,) = torch.autograd.grad(x.repeat(3, 2, 2), x, grad, create_graph=True)
    node, names = first.grad_fn, []
    while node is not None:
        names.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    sums = ["SumBackward1", "ViewBackward0", "SumBackward1", "SumBackward1"]
    assert names == [*sums, "torch::autograd::AccumulateGrad"]


def test_chunks_are_padded_and_put_side_by_side():
    found = torch._chunk_cat([torch.ones(3), torch.full((2,), 2.0)], 0, 2)
    assert found.tolist() == [[1, 1, 2], [1, 0, 2]]
    with pytest.raises(RuntimeError, match="positive num_chunks"):
        torch._chunk_cat([torch.ones(3)], 0, 0)


def test_nothing_along_the_diagonal_is_a_matrix():
    assert torch.block_diag().shape == (1, 0)


def test_cat_and_stack_take_classes_derived_from_list_and_tuple():
    class Numbers(list):
        pass

    class Pair(NamedTuple):
        first: torch.Tensor
        second: torch.Tensor

    x = torch.ones(2, 3, requires_grad=True)
    assert torch.cat(Numbers([x, x]), dim=1).shape == (2, 6)
    assert torch.stack(Pair(x, x)).shape == (2, 2, 3)
    torch.cat(Pair(x, x * 2)).sum().backward()
    assert x.grad.tolist() == [[3.0] * 3] * 2

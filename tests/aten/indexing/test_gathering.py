"""Reading at positions and by masks, and looking rows up."""

from typing import Any

import pytest

import minitorch as torch
import minitorch.nn.functional as F

X = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
ZEROS = torch.zeros(2, 3, dtype=torch.int64)
LONG = torch.tensor([0, 1])


def test_gather_reads_along_a_dimension() -> None:
    assert X.gather(1, torch.tensor([[2, 0], [1, 1]])).tolist() == [[3.0, 1.0], [5.0, 5.0]]
    assert torch.tensor(5.0).gather(0, torch.tensor([0, 0])).tolist() == [5.0, 5.0]


def test_take_along_dim_broadcasts_and_wraps() -> None:
    assert X.take_along_dim(torch.tensor([[-1]]), 1).tolist() == [[3.0], [6.0]]
    assert X.take_along_dim(torch.tensor([4])).tolist() == [5.0]


def test_where_promotes_tensors_and_numbers_together() -> None:
    mask = X > 3
    assert torch.where(mask, X, 0).tolist() == [[0.0, 0.0, 0.0], [4.0, 5.0, 6.0]]
    assert torch.where(mask, 1, 2).dtype == torch.int64
    assert torch.where(mask, X.int(), 2.5).dtype == torch.float32
    assert torch.where(mask, X.half(), 2.5).dtype == torch.float16
    assert [each.tolist() for each in torch.where(mask)] == [[1, 1, 1], [0, 1, 2]]


def test_gradients_of_where_go_to_the_branch_that_was_taken() -> None:
    a, b = X.clone().requires_grad_(), torch.zeros(3, requires_grad=True)
    torch.where(X > 3, a, b).sum().backward()
    assert a.grad.tolist() == [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]
    assert b.grad.tolist() == [1.0, 1.0, 1.0]


def test_nonzero_lies_column_by_column() -> None:
    places = torch.nonzero(X > 3)
    assert places.tolist() == [[1, 0], [1, 1], [1, 2]]
    assert places.stride() == (1, 3)
    assert [p.tolist() for p in torch.nonzero(torch.tensor(3.0), as_tuple=True)] == [[0]]


def test_count_nonzero_counts_along_dimensions() -> None:
    x = torch.tensor([[0.0, 1.0], [0.0, float("nan")]])
    assert torch.count_nonzero(x) == 2
    assert torch.count_nonzero(x, 0).tolist() == [0, 2]


def test_one_hot_marks_classes() -> None:
    assert F.one_hot(torch.tensor([2, 0])).tolist() == [[0, 0, 1], [1, 0, 0]]
    assert F.one_hot(torch.tensor(1), 3).tolist() == [0, 1, 0]


def test_the_gradient_of_an_embedding_adds_up_and_skips_padding() -> None:
    weight = torch.ones(3, 2, requires_grad=True)
    F.embedding(torch.tensor([0, 0, 2]), weight, padding_idx=2).sum().backward()
    assert weight.grad.tolist() == [[2.0, 2.0], [0.0, 0.0], [0.0, 0.0]]
    weight.grad = None
    F.embedding(torch.tensor([0, 0, 2]), weight, scale_grad_by_freq=True).sum().backward()
    assert weight.grad.tolist() == [[1.0, 1.0], [0.0, 0.0], [1.0, 1.0]]


def test_embedding_scales_long_rows_in_place() -> None:
    weight = torch.tensor([[3.0, 4.0], [3.0, 4.0]])
    F.embedding(torch.tensor([0]), weight, max_norm=1.0)
    assert weight[1].tolist() == [3.0, 4.0]
    assert abs(float(weight[0].pow(2).sum()) - 1) < 1e-6


ERRORS = [
    (lambda: X.gather(1, ZEROS.float()), RuntimeError, "Expected dtype int32/int64 for index"),
    (lambda: X.gather(1, LONG), RuntimeError, "Index tensor must have the same number of dimen"),
    (lambda: X.gather(1, torch.tensor([[5]])), RuntimeError, "index 5 is out of bounds for dimen"),
    (lambda: X.index_select(0, torch.tensor([5])), IndexError, "index out of range in self"),
    (lambda: X.index_select(0, ZEROS), IndexError, "Index is supposed to be a vector"),
    (lambda: X.take(torch.tensor([7])), IndexError, "tried to access index 7 on a tensor of 6"),
    (lambda: X.masked_select(ZEROS), RuntimeError, "expected BoolTensor for mask"),
    (lambda: torch.where(ZEROS, X, X), RuntimeError, "where expected condition to be a boolean"),
    (lambda: F.embedding(torch.tensor([5]), X), IndexError, "index out of range in self"),
    (lambda: F.embedding(torch.tensor([1.0]), X), RuntimeError, "but got torch.FloatTensor inst"),
    (lambda: F.embedding(LONG, X, padding_idx=2), AssertionError, "Padding_idx must be within"),
    (lambda: F.one_hot(LONG, 1), RuntimeError, "Class values must be smaller than num_classes."),
    (lambda: F.one_hot(X), RuntimeError, "one_hot is only applicable to index tensor of type"),
    (
        lambda: torch.gather(X, 1, ZEROS, out=torch.empty(0).double()),
        RuntimeError,
        "Expected out tensor to have dtype float, but got double instead",
    ),
]


@pytest.mark.parametrize(("call", "error", "text"), ERRORS)
def test_bad_positions_are_refused_in_torchs_words(
    call: Any, error: type[Exception], text: str
) -> None:
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


def test_the_nodes_save_under_torchs_names() -> None:
    x = X.clone().requires_grad_()
    assert x.index_select(0, LONG).grad_fn._saved_self_sym_sizes == (2, 3)
    assert torch.equal(x.gather(1, ZEROS).grad_fn._saved_self, x)
    node = F.embedding(LONG, x).grad_fn
    assert (node._saved_weight_sym_argsize_0, node._saved_padding_idx) == (2, 2**64 - 1)


def test_counts_are_contiguous_and_the_gradient_of_take_lies_as_its_input():
    x = torch.ones(5, 3, 2).permute(2, 1, 0)
    assert torch.count_nonzero(x, 0).stride() == (5, 1)
    x = torch.zeros(2)[::2].requires_grad_()
    assert torch.autograd.grad(x.take(torch.tensor([0])), x)[0].stride() == (2,)


def test_the_gradient_of_masked_select_lies_as_its_input() -> None:
    x = torch.zeros(3, 2).t().requires_grad_()
    (grad,) = torch.autograd.grad(x.masked_select(torch.ones(2, 3) > 0).sum(), x)
    assert grad.stride() == (1, 2)


@pytest.mark.parametrize(
    ("weight", "indices", "error", "text"),
    [
        (
            torch.ones(3),
            torch.tensor([0]),
            RuntimeError,
            "Expected 2-dimensional tensor, but got 1",
        ),
        (torch.ones(3, 2), torch.ones(1).bool(), RuntimeError, "#2 .* Int; but got CPUBoolType"),
        (torch.ones(3, 2), torch.tensor([9]), IndexError, "select\\(\\): index 9 out of range"),
        (
            torch.ones(3, 2).long(),
            torch.tensor([0]),
            RuntimeError,
            "norm\\(\\): input dtype should",
        ),
    ],
)
def test_renormalising_an_embedding_refuses(weight, indices, error, text):
    with pytest.raises(error, match=text):
        torch.nn.functional.embedding(indices, weight, max_norm=1.0)


def test_take_along_dim_refuses_indices_on_another_device():
    with pytest.raises(RuntimeError, match=r"^Expected tensor to have cpu Device, "):
        torch.take_along_dim(X, ZEROS.to("meta"), 0)

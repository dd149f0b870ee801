"""Triangles and diagonals: which side is kept, batches, gradients, matrices from diagonals."""

import pytest

import minitorch as torch


@pytest.mark.parametrize(
    ("diagonal", "lower", "upper"),
    [
        (0, [[1, 0, 0], [4, 5, 0]], [[1, 2, 3], [0, 5, 6]]),
        (1, [[1, 2, 0], [4, 5, 6]], [[0, 2, 3], [0, 0, 6]]),
        (-1, [[0, 0, 0], [4, 0, 0]], [[1, 2, 3], [4, 5, 6]]),
        (5, [[1, 2, 3], [4, 5, 6]], [[0, 0, 0], [0, 0, 0]]),
    ],
)
def test_the_diagonal_belongs_to_both_triangles(diagonal: int, lower: list, upper: list) -> None:
    x = torch.tensor([[1, 2, 3], [4, 5, 6]])
    assert torch.tril(x, diagonal).tolist() == lower
    assert torch.triu(x, diagonal).tolist() == upper


def test_each_matrix_of_a_batch_has_its_triangle() -> None:
    x = torch.ones(2, 1, 2, 2)
    assert torch.tril(x).tolist() == [[[[1, 0], [1, 1]]]] * 2
    assert torch.triu(torch.ones(0, 2, 2)).shape == (0, 2, 2)


def test_what_is_cut_off_is_0_even_where_it_is_not_a_number() -> None:
    x = torch.full((2, 2), float("nan"))
    assert torch.triu(x, 1).nan_to_num(nan=1.0).tolist() == [[0, 1], [0, 0]]


def test_the_gradient_is_cut_as_the_matrix_was() -> None:
    x = torch.ones(2, 3, requires_grad=True)
    torch.tril(x, 1).backward(torch.arange(6.0).reshape(2, 3))
    assert x.grad.tolist() == [[0, 1, 0], [3, 4, 5]]


def test_a_triangle_is_written_in_place_and_out() -> None:
    x = torch.ones(2, 2)
    assert x.triu_() is x
    assert x.tolist() == [[1, 1], [0, 1]]
    out = torch.empty(0)
    assert torch.tril(torch.ones(2, 2), out=out) is out
    assert out.tolist() == [[1, 0], [1, 1]]


def test_a_vector_has_no_triangle() -> None:
    with pytest.raises(RuntimeError, match="tril: input tensor must have at least 2 dimensions"):
        torch.tril(torch.ones(3))


def test_diag_makes_a_matrix_of_a_vector_and_a_vector_of_a_matrix() -> None:
    matrix = torch.diag(torch.tensor([1, 2]), 1)
    assert matrix.tolist() == [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
    assert torch.diag(matrix, 1).tolist() == [1, 2]
    with pytest.raises(RuntimeError, match=r"diag\(\): Supports 1D or 2D tensors. Got 3D"):
        torch.diag(torch.ones(1, 1, 1))


def test_a_diagonal_can_lie_between_any_two_dimensions() -> None:
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    embedded = torch.diag_embed(x, dim1=0, dim2=2)
    assert embedded[:, 1, :].tolist() == [[3, 0], [0, 4]]
    embedded.backward(torch.arange(8.0).reshape(2, 2, 2))
    assert x.grad.tolist() == [[0, 5], [2, 7]]
    with pytest.raises(RuntimeError, match="diagonal dimensions cannot be identical 1, 1"):
        torch.diag_embed(x, dim1=1, dim2=1)


def test_diagflat_takes_the_elements_of_any_shape() -> None:
    assert torch.diagflat(torch.tensor([[1], [2]])).tolist() == [[1, 0], [0, 2]]


def test_zeros_are_written_into_memory_that_elements_share():
    x = torch.tensor([1.0, 2.0]).expand(2, 2)
    assert x.tril_().tolist() == [[1, 0], [1, 0]]
    y = torch.arange(1.0, 9).reshape(2, 1, 2, 2).expand(2, 3, 2, 2)
    with pytest.raises(RuntimeError, match="refers to a single memory location"):
        y.triu_()
    z = torch.arange(1.0, 5).reshape(1, 1, 2, 2).expand(2, 1, 2, 2)
    assert z.tril_()[1].tolist() == [[[1, 0], [3, 4]]]


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64, torch.float16])
def test_triangles_of_many_matrices_are_those_of_each(dtype: torch.dtype) -> None:
    x = torch.arange(60 * 9 * 10).reshape(60, 9, 10).to(dtype)
    if dtype.is_floating_point:
        x[:, 5, 1] = float("nan")  # goes away above the diagonal
    for diagonal in (-3, 0, 2, 20):
        for name in ("triu", "tril"):
            whole = getattr(x, name)(diagonal)
            for i in (0, 7, 59):
                each = getattr(x[i].clone(), name)(diagonal)
                assert torch.equal(whole[i].nan_to_num(-1), each.nan_to_num(-1))

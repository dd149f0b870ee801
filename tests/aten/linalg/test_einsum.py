"""einsum and its kin: equations, refusals, graphs."""

from __future__ import annotations

import pytest

import minitorch as torch

A = torch.arange(6.0).reshape(2, 3)
B = torch.arange(12.0).reshape(3, 4)


def test_an_equation_names_a_matrix_product() -> None:
    assert torch.equal(torch.einsum("ij,jk->ik", A, B), A @ B)
    assert torch.equal(torch.einsum("ij , jk", A, B), A @ B)
    assert torch.equal(torch.einsum(A, [0, 1], B, [1, 2], [0, 2]), A @ B)
    assert torch.equal(torch.einsum("ij,jk->ki", [A, B]), (A @ B).t())


def test_an_equation_sums_transposes_and_takes_diagonals() -> None:
    square = B[:, :3]
    assert torch.einsum("ii", square).item() == square.trace().item()
    assert torch.equal(torch.einsum("ii->i", square), square.diagonal())
    assert torch.equal(torch.einsum("ij->j", A), A.sum(0))
    assert torch.equal(torch.einsum("i...->...", A), A.sum(0))


def test_an_ellipsis_broadcasts() -> None:
    x, y = torch.ones(5, 1, 2, 3), torch.ones(4, 3, 2)
    assert torch.einsum("...ij,...jk->...ik", x, y).shape == (5, 4, 2, 2)


def test_three_operands_are_contracted_from_left_to_right() -> None:
    u, v = torch.ones(2), torch.ones(3)
    assert torch.einsum("i,ij,j->", u, A, v).item() == A.sum().item()


def test_gradients_flow_through_an_equation() -> None:
    a, b = A.clone().requires_grad_(), B.clone().requires_grad_()
    torch.einsum("ij,jk->ik", a, b).sum().backward()
    assert torch.equal(a.grad, torch.ones(2, 4) @ B.t())
    assert torch.equal(b.grad, A.t() @ torch.ones(2, 4))


@pytest.mark.parametrize(
    ("equation", "text"),
    [
        ("ij,kk->ik", "subscript k is repeated for operand 1 but the sizes don't match, 4 != 3"),
        ("ij,jk->il", "output subscript l does not appear in the equation"),
        ("ij,jk->ii", "output subscript i appears more than once"),
        ("ij", "more operands were provided than specified"),
        ("ij,jk,kl", "fewer operands were provided than specified"),
        ("i1,jk", "invalid subscript given at index 1"),
        ("i.,jk", "found '.' for operand 0 that is not part of any ellipsis"),
        ("ijk,jk", r"the number of subscripts in the equation \(3\) does not match"),
        ("ji,jk", "subscript j has size 3 for operand 1 which does not broadcast"),
    ],
)
def test_equations_that_do_not_fit_are_refused(equation, text):
    with pytest.raises(RuntimeError, match=text):
        torch.einsum(equation, A, B)


def test_tensordot_sums_over_named_dimensions() -> None:
    assert torch.equal(torch.tensordot(A, B, 1), A @ B)
    assert torch.equal(torch.tensordot(A, B, ([1], [0])), A @ B)
    assert torch.tensordot(A, A, 2).item() == (A * A).sum().item()
    with pytest.raises(RuntimeError, match="contracted dimensions need to match"):
        torch.tensordot(A, B, ([0], [0]))


def test_inner_sums_over_the_last_dimension() -> None:
    assert torch.equal(torch.inner(A, A), A @ A.t())
    assert torch.equal(torch.inner(torch.tensor(2.0), A), A * 2)


def test_kron_sets_blocks_side_by_side() -> None:
    out = torch.kron(torch.tensor([1.0, 2.0]), torch.tensor([[1.0], [3.0]]))
    assert out.tolist() == [[1.0, 2.0], [3.0, 6.0]]


def test_an_ellipsis_that_an_operand_lacks_becomes_its_last_new_dimension() -> None:
    a, b = torch.ones(1, 2, 3, requires_grad=True), torch.ones(3, requires_grad=True)
    product = torch.einsum("...ik,...j->ij", a, b).grad_fn.next_functions[0][0]
    names = [node.name() for node, _ in product.next_functions]
    assert names == ["SumBackward1", "PermuteBackward0"]
    assert product.next_functions[1][0]._saved_dims == (1, 0, 2, 3)


def test_gradients_flow_into_the_out_of_a_contraction() -> None:
    leaf = torch.ones(2, 3, requires_grad=True)
    out = torch.inner(leaf, torch.ones(3), out=torch.zeros(2))
    assert type(out.grad_fn).__name__ == "CopyBackwards"
    with pytest.raises(RuntimeError, match="tensordot: Expected the output tensor to have dtype"):
        torch.inner(leaf, torch.ones(3), out=torch.zeros(2, dtype=torch.float64))
    with pytest.raises(RuntimeError, match=r"mul\(\): functions with out=... arguments"):
        torch.inner(leaf, torch.tensor(2.0), out=torch.zeros(2, 3))


def test_tensordot_is_copied_into_out_which_autograd_records() -> None:
    x = torch.ones(2, 2, requires_grad=True)
    out = torch.zeros(2, 2)
    torch.tensordot(x, torch.ones(2, 2), 1, out=out)
    assert out.grad_fn.name() == "torch::autograd::CopyBackwards"
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used"):
        torch.tensordot(
            torch.ones(2, 2), torch.ones(2, 2), 1, out=torch.zeros(2, 2).requires_grad_()
        )


def test_kron_multiplies_into_a_view_of_out() -> None:
    out = torch.zeros(0)
    assert torch.kron(torch.tensor([1.0, 2.0]), torch.ones(2), out=out) is out
    assert out.tolist() == [1.0, 1.0, 2.0, 2.0]
    assert out._version == 0


def test_tensordot_takes_one_number_in_a_tensor():
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert torch.tensordot(x, x, dims=torch.tensor([1])).tolist() == (x @ x).tolist()
    assert torch.tensordot(x, x, dims=([torch.tensor(1)], [0])).tolist() == (x @ x).tolist()


def test_tensordot_refuses_dimensions_that_are_no_integers():
    x = torch.ones(2, 2)
    with pytest.raises(TypeError, match=r"argument 'dims_self' .* found element of type Tensor"):
        torch.tensordot(x, x, dims=([torch.tensor(0.0)], [1]))

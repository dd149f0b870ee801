"""Matrix products: which nodes, which strides of gradients, which refusals."""

from __future__ import annotations

import pytest

import minitorch as torch


def graph(node) -> str:
    """A graph as text: Mm(T(.), .), with a dot for a leaf."""
    if node is None:
        return "None"
    name = type(node).__name__
    if name == "AccumulateGrad":
        return "."
    parts = ", ".join([graph(each) for each, _ in node.next_functions])
    return f"{name.removesuffix('0').removesuffix('Backward')}({parts})"


def leaf(*shape):
    return torch.ones(*shape, requires_grad=True)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ((3,), (3,), "Dot(., .)"),
        ((2, 3), (3,), "Mv(., .)"),
        ((2, 3), (3, 4), "Mm(., .)"),
        ((3,), (3, 4), "SqueezeBackward4(Mm(Unsqueeze(.), .))"),
        ((2, 2, 3), (3,), "UnsafeView(Mv(View(.), .))"),
        ((2, 2, 3), (3, 4), "UnsafeView(Mm(View(.), .))"),
        ((2, 2, 3), (2, 3, 4), "UnsafeView(Bmm(View(Expand(.)), View(Expand(.))))"),
        (
            (2, 3),
            (2, 3, 4),
            "Clone(Transpose(UnsafeView(Mm(UnsafeView(Clone(Transpose(.))), T(.)))))",
        ),
    ],
)
def test_matmul_is_made_of_the_products_that_fit_its_shapes(left, right, expected):
    out = leaf(*left) @ leaf(*right)
    assert graph(out.grad_fn) == expected
    assert torch.equal(out, torch.full(tuple(out.shape), float(left[-1])))


def test_matmul_broadcasts_leading_dimensions() -> None:
    out = torch.ones(5, 1, 2, 3) @ torch.ones(4, 3, 2)
    assert out.shape == (5, 4, 2, 2)


def test_matmul_leaves_other_operands_to_python() -> None:
    with pytest.raises(TypeError, match="unsupported operand type"):
        torch.ones(3) @ 3
    with pytest.raises(TypeError, match="unsupported operand type"):
        torch.ones(3, 3) @ [1.0]


@pytest.mark.parametrize(
    ("left", "right", "text"),
    [
        ((2, 3), (2, 3), r"mat1 and mat2 shapes cannot be multiplied \(2x3 and 2x3\)"),
        ((2, 3), (4,), r"size mismatch, got input \(2\), mat \(2x3\), vec \(4\)"),
        ((3,), (4,), r"inconsistent tensor size, expected tensor \[3\] and src \[4\]"),
        ((2, 3, 4), (2, 5, 4), r"to be: \[2, 4\] but got: \[2, 5\]\."),
        ((), (3,), "both arguments to matmul need to be at least 1D, but they are 0D and 1D"),
    ],
)
def test_shapes_that_do_not_chain_are_refused(left, right, text):
    with pytest.raises(RuntimeError, match=text):
        torch.ones(left) @ torch.ones(right)


def test_operands_of_two_dtypes_are_refused() -> None:
    with pytest.raises(RuntimeError, match="same dtype, but got: float != double"):
        torch.ones(2, 2) @ torch.ones(2, 2, dtype=torch.float64)
    with pytest.raises(NotImplementedError, match="not implemented for 'Bool'"):
        torch.ones(2, 2, dtype=torch.bool) @ torch.ones(2, 2, dtype=torch.bool)


def test_gradients_lie_in_memory_as_their_matrices_do() -> None:
    a = torch.ones(3, 2).t().requires_grad_()
    b = leaf(3, 4)
    grad_a, grad_b = torch.autograd.grad((a @ b).sum(), (a, b))
    assert grad_a.stride() == (1, 2)
    assert grad_b.stride() == (4, 1)


def test_mm_saves_a_matrix_only_for_the_gradient_of_the_other() -> None:
    node = (leaf(2, 3) @ torch.ones(3, 4)).grad_fn
    assert node._saved_self is None
    assert node._saved_mat2.shape == (3, 4)
    assert node._saved_self_sym_strides == (3, 1)
    assert node._saved_mat2_sym_strides == ()


def test_addmm_scales_both_parts() -> None:
    c, a, b = leaf(3), leaf(2, 4), leaf(4, 3)
    out = torch.addmm(c, a, b, beta=2, alpha=3)
    assert out.tolist() == [[14.0] * 3] * 2
    out.sum().backward()
    assert c.grad.tolist() == [4.0] * 3
    assert a.grad.tolist() == [[9.0] * 4] * 2
    assert b.grad.tolist() == [[6.0] * 3] * 4


def test_complex_factors_are_conjugated_in_gradients() -> None:
    c, a, b = [torch.ones(1, 1, dtype=torch.complex64, requires_grad=True) for _ in range(3)]
    torch.addmm(c, a, b, beta=2j, alpha=3j).real.sum().backward()
    assert [x.grad.item() for x in (c, a, b)] == [-2j, -3j, -3j]


def test_an_added_matrix_must_expand_to_the_product() -> None:
    with pytest.raises(RuntimeError, match=r"expanded size of the tensor \(3\) must match"):
        torch.addmm(torch.ones(5), torch.ones(2, 4), torch.ones(4, 3))
    with pytest.raises(RuntimeError, match="Bad in-place call"):
        torch.ones(3).addmm_(torch.ones(2, 4), torch.ones(4, 3))


def test_half_products_are_rounded_once() -> None:
    a = torch.full((1, 4), 2049.0).half()
    assert (a @ torch.ones(4, 1).half()).item() == 8192.0


def test_addr_promotes_and_keeps_bools() -> None:
    u = torch.ones(2, dtype=torch.float64)
    assert torch.addr(torch.ones(2, 3), u, torch.ones(3)).dtype is torch.float64
    truths = torch.ones(2, dtype=torch.bool)
    assert torch.addr(torch.zeros(2, 2, dtype=torch.bool), truths, truths).all()


def test_batches_are_summed_in_addbmm() -> None:
    c, a, b = leaf(2, 2), leaf(3, 2, 4), leaf(3, 4, 2)
    out = torch.addbmm(c, a, b)
    assert out.tolist() == [[13.0, 13.0]] * 2
    out.sum().backward()
    assert a.grad.tolist() == [[[2.0] * 4] * 2] * 3


def test_the_gradient_of_a_trace_is_its_diagonal() -> None:
    x = leaf(2, 3)
    x.trace().backward()
    assert x.grad.tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]


def test_products_can_be_differentiated_twice() -> None:
    a, b = leaf(2, 3), leaf(3, 2)
    (grad,) = torch.autograd.grad((a @ b).pow(2).sum(), a, create_graph=True)
    grad.sum().backward()
    assert b.grad.shape == (3, 2)
    assert b.grad[0, 0].item() == 24.0


def test_the_product_with_a_vector_has_its_own_words_for_the_dtype_of_out() -> None:
    v, m = torch.ones(3), torch.ones(2, 3)
    with pytest.raises(RuntimeError, match="result dtype Double does not match input dtype Float"):
        torch.matmul(v, v, out=torch.zeros((), dtype=torch.float64))
    with pytest.raises(RuntimeError, match="addmv input tensors must have the same dtype"):
        torch.matmul(m, v, out=torch.zeros(2, dtype=torch.float64))


def test_addbmm_in_place_takes_the_shape_of_the_result() -> None:
    leaf = torch.ones(1, requires_grad=True)
    x = leaf * 1
    assert x.addbmm_(torch.ones(3, 2, 4), torch.ones(3, 4, 5)) is x
    assert x.shape == (2, 5)
    assert x._version == 1
    x.sum().backward()
    assert leaf.grad.tolist() == [10.0]


def test_an_outer_product_of_bools_lies_as_what_it_is_added_to() -> None:
    truths = torch.ones(3, 2, dtype=torch.bool).t()
    assert torch.addr(truths, truths[:, 0], truths[0]).stride() == (1, 2)


@pytest.mark.parametrize("shapes", [((1, 5, 5), (5, 5, 5)), ((5, 5, 5), (1, 5, 5))])
def test_a_batch_of_one_that_wants_a_gradient_is_folded(shapes):
    a, b = [torch.randn(*shape).requires_grad_() for shape in shapes]
    torch.ones(1).squeeze()  # the overload without a dimension is another operator
    assert torch.matmul(a, b).shape == (5, 5, 5)


def test_a_vector_by_a_matrix_resizes_out_to_one_row_and_back() -> None:
    out = torch.zeros(3)
    with pytest.warns(UserWarning, match=r"required output shape \[1, 3\]"):
        torch.matmul(torch.ones(2), torch.ones(2, 3), out=out)
    assert (out.tolist(), out._version) == ([2.0] * 3, 2)


def test_a_folded_product_wants_an_out_that_folds() -> None:
    a, b = torch.ones(2, 3, 5), torch.ones(5, 4)
    with pytest.raises(RuntimeError, match=r"tensor a \(3\) must match .* tensor b \(6\)"):
        torch.matmul(a, b, out=torch.zeros(2, 4, 3).mT)
    out = torch.zeros(2, 3, 4, 2)[..., 0]
    assert torch.matmul(a, b, out=out) is out
    assert out.eq(5.0).all()


def test_an_empty_matrix_may_lie_column_by_column():
    a = torch.zeros(1, 0, requires_grad=True)
    x = a * 1
    (grad,) = torch.autograd.grad(x.mm(torch.zeros(0, 2)), x, torch.ones(1, 2), create_graph=True)
    assert grad._base is not None
    assert grad.stride() == (1, 1)


def test_addbmm_and_baddbmm_ask_for_the_sizes_of_the_first_batch_first():
    with pytest.raises(IndexError, match=r"range of \[-1, 0\], but got 1\)"):
        torch.addbmm(torch.ones(3), torch.ones(3), torch.ones(3))
    with pytest.raises(IndexError, match=r"^Dimension specified as 0 but tensor has no dimensions"):
        torch.baddbmm(torch.ones(3), torch.tensor(1.0), torch.ones(3))

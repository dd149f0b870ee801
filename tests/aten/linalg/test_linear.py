"""The affine map: its graphs and shapes."""

from __future__ import annotations

import pytest

import minitorch as torch
from minitorch.aten.linalg.matmul import linear


def names(node) -> list[str]:
    return [type(node).__name__, *[type(each).__name__ for each, _ in node.next_functions]]


def leaf(*shape):
    return torch.ones(*shape, requires_grad=True)


def test_a_matrix_with_bias_is_one_addmm() -> None:
    x, w, b = leaf(2, 3), leaf(4, 3), leaf(4)
    out = linear(x, w, b)
    assert names(out.grad_fn) == ["AddmmBackward0", *["AccumulateGrad"] * 2, "TBackward0"]
    out.sum().backward()
    assert b.grad.tolist() == [2.0] * 4
    assert w.grad.tolist() == [[2.0] * 3] * 4
    assert w.grad.stride() == (3, 1)
    assert x.grad.tolist() == [[4.0] * 3] * 2


@pytest.mark.parametrize(
    ("shape", "bias", "node"),
    [
        ((2, 3), False, "MmBackward0"),
        ((3,), False, "SqueezeBackward4"),
        ((3,), True, "ViewBackward0"),
        ((5, 2, 3), True, "ViewBackward0"),
        ((5, 2, 3), False, "UnsafeViewBackward0"),
    ],
)
def test_other_shapes_are_seen_as_a_matrix(shape, bias, node):
    out = linear(leaf(*shape), leaf(4, 3), leaf(4) if bias else None)
    assert out.shape == (*shape[:-1], 4)
    assert type(out.grad_fn).__name__ == node
    assert torch.equal(out, torch.full_like(out, 4.0 if bias else 3.0))


def test_a_strided_batch_adds_its_bias_afterwards() -> None:
    x = torch.ones(3, 2, 5).permute(2, 1, 0).requires_grad_()
    assert type(linear(x, leaf(4, 3), leaf(4)).grad_fn).__name__ == "AddBackward0"


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(RuntimeError, match=r"cannot be multiplied \(2x5 and 3x4\)"):
        linear(torch.ones(2, 5), torch.ones(4, 3), torch.ones(4))
    with pytest.raises(RuntimeError, match="mat1 and mat2 must have the same dtype"):
        linear(torch.ones(2, 3, dtype=torch.int64), torch.ones(4, 3), torch.ones(4))
    with pytest.raises(
        TypeError, match=r"argument 'weight' \(position 2\) must be Tensor, not int"
    ):
        linear(torch.ones(2, 3), 3)


def test_a_vector_of_results_resizes_out_to_one_row_and_back() -> None:
    out = torch.zeros(7).as_strided((4,), (2,))
    with pytest.warns(UserWarning, match=r"required output shape \[1, 4\]"):
        assert linear(torch.ones(3), torch.ones(4, 3), torch.ones(4), out=out) is out
    assert out.tolist() == [4.0] * 4
    assert out.stride() == (1,)

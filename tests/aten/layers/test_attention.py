"""Scaled dot-product attention: the fused way and the way in steps."""

import pytest

import minitorch as torch
import minitorch.nn.functional as F


def leaves(*shape):
    return [torch.randn(*shape, dtype=torch.float64, requires_grad=True) for _ in range(3)]


@pytest.mark.parametrize("options", [{}, {"is_causal": True}, {"scale": 0.3}])
def test_the_fused_kernel_agrees_with_the_steps(options):
    fused = leaves(2, 3, 4, 5)
    steps = [x.detach()[0].requires_grad_() for x in fused]  # three dimensions: no fused kernel
    a = F.scaled_dot_product_attention(*fused, **options)
    b = F.scaled_dot_product_attention(*steps, **options)
    assert type(a.grad_fn).__name__ == "ScaledDotProductFlashAttentionForCpuBackward0"
    assert type(b.grad_fn).__name__ == "UnsafeViewBackward0"
    assert (a[0] - b).abs().max().item() < 1e-12
    (a * a)[0].sum().backward()
    (b * b).sum().backward()
    for x, y in zip(fused, steps, strict=True):
        assert (x.grad[0] - y.grad).abs().max().item() < 1e-12


def test_a_row_that_attends_to_nothing_is_zero():
    q, k, v = leaves(1, 1, 2, 3)
    mask = torch.tensor([[True, True], [False, False]])
    out = F.scaled_dot_product_attention(q, k, v, mask)
    assert out[0, 0, 1].tolist() == [0.0, 0.0, 0.0]


def test_dtypes_must_agree():
    q = torch.ones(1, 1, 2, 2)
    with pytest.raises(RuntimeError, match="to have the same dtype, but got"):
        F.scaled_dot_product_attention(q.double(), q, q)


def test_weights_of_halves_are_rounded_before_they_weigh() -> None:
    scores, value = torch.tensor([0.0, -1.0]), torch.tensor([1.0, 2.0])
    query = torch.tensor([[[[1.0]]]]).bfloat16()
    key, values = [x.reshape(1, 1, 2, 1).bfloat16() for x in (scores, value)]
    weights = scores.exp()
    rounded = weights.bfloat16().float()
    expected = ((rounded * value).sum() / weights.sum()).bfloat16()
    assert F.scaled_dot_product_attention(query, key, values).item() == expected.item()


def test_the_fused_kernel_refuses():
    x = torch.ones(1, 2, 3, 4)
    with pytest.raises(RuntimeError, match="Currently do not support dropout > 0"):
        F.scaled_dot_product_attention(x, x, x, dropout_p=-1.0)
    with pytest.raises(IndexError, match="Dimension out of range"):
        F.scaled_dot_product_attention(x, x, x, torch.ones(3))


def test_a_mask_is_added_in_place():
    x, mask = torch.ones(2, 3, 4), torch.ones(1, 1, 3, 3)
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape \\[1, 2, 3, 3\\]"):
        F.scaled_dot_product_attention(x, x, x, mask)


def test_heads_of_keys_are_shared_by_several_of_the_queries():
    q, k, v = (torch.arange(n * 6.0).reshape(1, n, 3, 2).cos() for n in (4, 2, 2))
    shared = F.scaled_dot_product_attention(q, k, v, enable_gqa=True)
    wide = [x.repeat_interleave(2, 1) for x in (k, v)]
    assert shared.tolist() == F.scaled_dot_product_attention(q, *wide).tolist()
    with pytest.raises(RuntimeError, match="must divide the number of heads"):
        F.scaled_dot_product_attention(q, k, torch.ones(1, 3, 3, 2), enable_gqa=True)


@pytest.mark.parametrize("dtype", [torch.int16, torch.int64])
def test_attention_of_integers_is_refused_where_weights_meet_values(dtype):
    x = torch.ones(1, 1, 2, 2, dtype=dtype)
    with pytest.raises(RuntimeError, match="expected scalar type Float but found"):
        F.scaled_dot_product_attention(x, x, x)
    with pytest.raises(RuntimeError, match="dropout probability has to be between 0 and 1"):
        F.scaled_dot_product_attention(x, x, x, dropout_p=5.0)

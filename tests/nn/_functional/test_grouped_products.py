"""Products of groups of matrices, masks by name, and helpers that other libraries import."""

from functools import partial

import pytest

import minitorch as torch
import minitorch.nn.functional as F
from minitorch import nn
from minitorch.core.base.modes import ASSEMBLED_GLOBALS
from minitorch.nn.attention.bias import causal_lower_right, causal_upper_left
from minitorch.nn.modules.utils import _pair, consume_prefix_in_state_dict_if_present

ENDS = torch.tensor([4, 4, 12], dtype=torch.int32)


def parts(x, dim):
    return torch.tensor_split(x, (4, 4), dim)


@pytest.mark.parametrize(
    ("first", "second", "whole"),
    [
        ((12, 8), (3, 8, 4), lambda a, b: torch.cat([x @ y for x, y in zip(parts(a, 0), b)])),
        ((3, 4, 8), (8, 12), lambda a, b: torch.cat([x @ y for x, y in zip(a, parts(b, 1))], 1)),
        ((4, 12), (12, 8), lambda a, b: torch.stack([*map(torch.mm, parts(a, 1), parts(b, 0))])),
        ((3, 4, 8), (3, 8, 4), torch.bmm),
    ],
)
def test_groups_are_products_of_their_parts(first, second, whole):
    a, b = torch.randn(first, requires_grad=True), torch.randn(second, requires_grad=True)
    found = F.grouped_mm(a, b, offs=None if len(first) == len(second) == 3 else ENDS)
    known = whole(a, b)
    assert torch.allclose(found, known, atol=1e-6)
    grad = torch.randn(known.shape)
    for x, y in zip(*(torch.autograd.grad(each, (a, b), grad) for each in (found, known))):
        assert torch.allclose(x, y, atol=1e-5)


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("Float32, BFloat16", partial(F.grouped_mm, torch.ones(3, 4, 8).double(), ENDS)),
        ("2 or 3d", partial(F.grouped_mm, torch.ones(8), torch.ones(3, 8, 4))),
        ("must match", partial(F.grouped_mm, torch.ones(3, 4, 8), torch.ones(3, 4, 4))),
        ("provide offsets", partial(F.grouped_mm, torch.ones(4, 8), torch.ones(3, 8, 4))),
        ("16 bytes", partial(F.grouped_mm, torch.ones(3, 4, 7), torch.ones(3, 7, 4))),
        ("batched dim", partial(F.grouped_mm, torch.ones(3, 4, 8), torch.ones(2, 8, 4))),
    ],
)
def test_groups_are_checked(text, call):
    with pytest.raises(RuntimeError, match=text):
        call()


def test_scaled_products_want_numbers_of_8_bits():
    one, kind = torch.ones(()), F.ScalingType.TensorWise
    with pytest.raises(ValueError, match="Invalid scaling configuration"):
        F.scaled_mm(torch.ones(4, 2), torch.ones(2, 4), one, kind, one, kind)
    assert int(F.SwizzleType.SWIZZLE_32_4_4) == 1
    with pytest.raises(NotImplementedError, match="_scaled_grouped_mm_v2"):
        F.scaled_grouped_mm(torch.ones(4, 2), torch.ones(2, 4), one, kind, one, kind)


@pytest.mark.parametrize(("make", "diagonal"), [(causal_upper_left, 0), (causal_lower_right, 2)])
def test_masks_by_name(make, diagonal, monkeypatch):
    monkeypatch.setitem(ASSEMBLED_GLOBALS, "WATCHED", 1)
    q, k = torch.randn(2, 4, 8), torch.randn(2, 6, 8)
    mask = torch.ones(4, 6, dtype=torch.bool).tril(diagonal)
    found = F.scaled_dot_product_attention(q, k, k, make(4, 6))
    assert torch.allclose(found, F.scaled_dot_product_attention(q, k, k, mask), atol=1e-6)
    assert repr(make(4, 6)) == repr(mask)


def test_masks_of_heads_add_up():
    layer = nn.MultiheadAttention(4, 2)
    merged, kind = layer.merge_masks(torch.eye(3), torch.ones(2, 3), torch.ones(2, 3, 4))
    assert (merged.shape, kind) == ((2, 2, 3, 3), 2)
    assert merged[1, 0].tolist() == (torch.eye(3) + 1).tolist()
    assert layer.merge_masks(None, None, torch.ones(2, 3, 4)) == (None, None)


def test_names_lose_the_prefix_of_a_module_around():
    state = nn.Linear(2, 1).state_dict(prefix="module.")
    consume_prefix_in_state_dict_if_present(state, "module.")
    assert [*state] == ["weight", "bias"]
    assert [*state._metadata] == [""]
    assert _pair(3) == (3, 3)
    assert _pair([1, 2]) == (1, 2)

"""flex_attention and its masks: values against plain attention, blocks, pictures and refusals."""

import math

import pytest

import minitorch as mt
from minitorch.nn.attention import flex_attention as flex
from minitorch.nn.functional import scaled_dot_product_attention


def causal(b, h, q, kv):
    return q >= kv


def near(b, h, q, kv):
    return (q - kv).abs() <= 2


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    monkeypatch.setattr(flex, "_FLEX_ATTENTION_DISABLE_COMPILE_DEBUG", True)


@pytest.fixture
def inputs():
    mt.manual_seed(0)
    return mt.randn(2, 4, 6, 8), mt.randn(2, 4, 6, 8), mt.randn(2, 4, 6, 3)


def test_without_functions_it_is_plain_attention(inputs):
    expected = scaled_dot_product_attention(*inputs)
    assert mt.allclose(flex.flex_attention(*inputs), expected, atol=1e-6)


def test_a_causal_mask_gives_causal_attention(inputs):
    mask = flex.create_block_mask(causal, None, None, 6, 6)
    expected = scaled_dot_product_attention(*inputs, is_causal=True)
    assert mt.allclose(flex.flex_attention(*inputs, block_mask=mask), expected, atol=1e-6)


def test_scores_are_modified_at_each_place(inputs):
    table = mt.arange(6.0)

    def by_place(score, b, h, q, kv):
        return score + table[q] * (kv + h)

    bias = mt.stack([table[:, None] * (mt.arange(6) + h) for h in range(4)])
    expected = scaled_dot_product_attention(*inputs, attn_mask=bias)
    assert mt.allclose(flex.flex_attention(*inputs, score_mod=by_place), expected, atol=1e-6)


def test_rows_that_are_masked_whole_are_zero(inputs):
    mask = flex.create_block_mask(lambda b, h, q, kv: q > 99, 1, 1, 6, 6)
    out, aux = flex.flex_attention(*inputs, block_mask=mask, return_aux=flex.AuxRequest(lse=True))
    assert not out.any()
    assert mt.equal(aux.lse, mt.full((2, 4, 6), -math.inf))
    assert aux.max_scores is None


def test_heads_of_queries_share_heads_of_keys(inputs):
    q, k, v = inputs
    shared = flex.flex_attention(q, k[:, :2], v[:, :2], enable_gqa=True)
    expected = scaled_dot_product_attention(q, k[:, :2], v[:, :2], enable_gqa=True)
    assert mt.allclose(shared, expected, atol=1e-6)


def test_results_have_the_dtype_of_the_queries(inputs):
    assert flex.flex_attention(*[x.half() for x in inputs]).dtype is mt.float16


def test_a_mask_is_kept_as_lists_of_blocks():
    mask = flex.create_block_mask(causal, 1, 1, 6, 6, BLOCK_SIZE=2)
    assert mask.kv_num_blocks.tolist() == [[[1, 1, 1]]]
    assert mask.full_kv_num_blocks.tolist() == [[[0, 1, 2]]]
    assert mask.to_dense().tolist() == [[[[1, 0, 0], [1, 1, 0], [1, 1, 1]]]]
    assert mask.q_num_blocks.tolist() == [[[1, 1, 1]]]
    assert mask.shape == (1, 1, 6, 6)


def test_pictures_show_which_blocks_are_masked():
    mask = flex.create_block_mask(flex.and_masks(causal, near), 1, 1, 8, 8, BLOCK_SIZE=2)
    assert mask.to_string() == "(0, 0)\n██      \n████    \n  ████  \n    ████\n"
    assert mask.to_string(grid_size=2) == "(0, 0)\n░░  \n░░░░\n"
    assert str(mask).startswith("BlockMask(shape=(1, 1, 8, 8), sparsity=")
    assert repr(mask).endswith("mask_mod=and_mask\n)")


def test_a_part_of_a_mask_has_to_get_its_function_again(inputs):
    mask = flex.create_block_mask(flex.or_masks(causal, near), 2, 4, 6, 6, BLOCK_SIZE=2)
    part = mask[0, -1]
    assert part.shape == (1, 1, 6, 6)
    with pytest.raises(RuntimeError, match="Cannot use mask_mod from a sliced BlockMask"):
        flex.flex_attention(*inputs, block_mask=part)
    with pytest.raises(RuntimeError, match="Use base_mask!"):
        part.mask_mod(0, 0, 0, 0)


def test_a_mask_is_cut_to_shorter_sequences():
    mask = flex.create_block_mask(causal, 1, 1, 8, 8, BLOCK_SIZE=2)._adjust(4, 4)
    assert mask.shape == (1, 1, 4, 4)
    assert mask.to_dense().tolist() == [[[[1, 0], [1, 1]]]]


def test_the_order_of_gradients_counts_blocks_of_a_row():
    given = {"BLOCK_SIZE": 2, "compute_dq_write_order": True}
    rising = flex.create_block_mask(causal, 1, 1, 6, 6, **given, dq_kv_order=False)
    falling = flex.create_block_mask(causal, 1, 1, 6, 6, **given, dq_kv_order=True)
    assert rising.dq_write_order[0, 0, :, 0].tolist() == [0, 1, 2]
    assert falling.dq_write_order[0, 0, :, 0].tolist() == [0, 0, 0]


def test_functions_of_scores_make_masks_too():
    def minus(score, b, h, q, kv):
        return mt.where(q >= kv, score, -math.inf)

    assert mt.equal(flex.create_mask(minus, 1, 1, 3, 3), flex.create_mask(causal, None, None, 3, 3))


def test_private_names_are_in_the_module_as_in_torch():
    assert flex._DEFAULT_SPARSE_BLOCK_SIZE == 128
    assert flex._round_up_to_multiple(5, 4) == 8


def test_gradients_on_the_cpu_are_refused(inputs):
    q, k, v = inputs
    with pytest.raises(NotImplementedError, match="does not support backward on CPU"):
        flex.flex_attention(q.requires_grad_(), k, v)


def refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_inputs_that_do_not_fit_are_refused(inputs):
    q, k, v = inputs
    attend = flex.flex_attention
    mask = flex.create_block_mask(causal, 1, 1, 6, 6)
    refused(lambda: attend(q[0], k[0], v[0]), NotImplementedError, "must be 4D tensors")
    refused(lambda: attend(q, k[:, :2], v[:, :2]), ValueError, "same number of heads")
    refused(lambda: attend(q, k[..., :3], v), ValueError, "same embedding dimension")
    refused(lambda: attend(q, k[:1], v[:1]), ValueError, "non-none block_mask")
    refused(lambda: attend(q[:, :, :3], k, v, block_mask=mask), ValueError, "larger length")
    aux = flex.AuxRequest(max_scores=True)
    refused(lambda: attend(q, k, v, return_aux=aux), NotImplementedError, "max scores")
    options = {"BACKEND": "x"}
    refused(lambda: attend(q, k, v, kernel_options=options), ValueError, "Invalid BACKEND value")


def test_functions_with_other_arguments_are_refused():
    refused(lambda: flex.create_block_mask(len, 1, 1, 4, 4), AssertionError, "4 or 5 positional")
    refused(lambda: flex.or_masks(causal, 3), RuntimeError, "should be callable mask_mods")

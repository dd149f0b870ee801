"""torch.backends: answers and switches."""

import pytest

import minitorch as torch
from minitorch.backends import cuda, mps


def test_no_kernel_of_cuda_can_compute_an_attention():
    q = torch.ones(1, 1, 2, 2)
    params = cuda.SDPAParams(q, q, q, None, 0.5, True, False)
    assert (params.query is q, params.dropout, params.is_causal) == (True, 0.5, True)
    assert not cuda.can_use_flash_attention(params)
    assert not cuda.can_use_efficient_attention(params, True)
    assert not cuda.can_use_cudnn_attention(params)
    assert not cuda.is_ck_sdpa_available()


def test_sdp_kernel_allows_ways_of_attention_for_a_block_and_warns():
    with pytest.warns(FutureWarning, match=r"`torch.backends.cuda.sdp_kernel\(\)` is deprecated"):
        block = cuda.sdp_kernel(enable_flash=False, enable_math=False)
    with block as given:
        assert given == {}
        assert (cuda.flash_sdp_enabled(), cuda.math_sdp_enabled()) == (False, False)
        assert cuda.mem_efficient_sdp_enabled()
    assert cuda.flash_sdp_enabled()
    assert cuda.math_sdp_enabled()


def test_switches_of_products_are_those_of_torch():
    assert cuda.matmul.fp32_precision == torch.backends.fp32_precision == "none"
    for access in (lambda: cuda.matmul.zzz, lambda: setattr(cuda.matmul, "zzz", 1)):
        with pytest.raises(AttributeError, match="Unknown attribute zzz"):
            access()
    cuda.allow_fp16_bf16_reduction_math_sdp(True)
    assert cuda.fp16_bf16_reduction_math_sdp_allowed()
    cuda.allow_fp16_bf16_reduction_math_sdp(False)


def test_mps_cannot_tell_the_version_of_macos():
    with pytest.raises(RuntimeError, match="without MPS backend"):
        mps.is_macos_or_newer(13, 0)
    with pytest.raises(RuntimeError, match="without MPS backend"):
        mps.is_macos13_or_newer()

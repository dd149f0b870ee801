"""torch.backends.cuda: whether CUDA can be used, and the precision of its matrix products."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from minitorch.aten.layers.attention import ENABLED as _sdp
from minitorch.backends.cuda_libraries import (
    blas_workspace_size,
    cublas_workspace_size,
    cublaslt_workspace_size,
    cuBLASModule,
    cuFFTPlanCache,
    cuFFTPlanCacheAttrContextProp,
    cuFFTPlanCacheManager,
    preferred_blas_library,
    preferred_linalg_library,
    preferred_rocm_fa_library,
)
from minitorch.core.arrays import cuda
from minitorch.core.warning import deprecated

__all__ = [
    "SDPAParams",
    "allow_fp16_bf16_reduction_math_sdp",
    "blas_workspace_size",
    "can_use_cudnn_attention",
    "can_use_efficient_attention",
    "can_use_flash_attention",
    "cuBLASModule",
    "cuFFTPlanCache",
    "cuFFTPlanCacheAttrContextProp",
    "cuFFTPlanCacheManager",
    "cublas_workspace_size",
    "cublaslt_workspace_size",
    "cudnn_sdp_enabled",
    "cufft_plan_cache",
    "enable_cudnn_sdp",
    "enable_flash_sdp",
    "enable_math_sdp",
    "enable_mem_efficient_sdp",
    "flash_sdp_enabled",
    "fp16_bf16_reduction_math_sdp_allowed",
    "is_built",
    "is_ck_sdpa_available",
    "is_flash_attention_available",
    "math_sdp_enabled",
    "matmul",
    "mem_efficient_sdp_enabled",
    "preferred_blas_library",
    "preferred_linalg_library",
    "preferred_rocm_fa_library",
    "sdp_kernel",
]

matmul = cuBLASModule()
cufft_plan_cache = cuFFTPlanCacheManager()


def is_built() -> bool:
    """Whether CuPy is installed."""
    try:
        cuda()
    except AssertionError:
        return False
    return True


def flash_sdp_enabled() -> bool:
    """Whether attention may be computed in one step."""
    return _sdp["flash"]


def _checked(enabled: bool, name: str, unused: str = "") -> bool:
    """A value for a switch. RuntimeError if it is no bool, in torch's words, one of them spoilt."""
    if not isinstance(enabled, bool):
        got = f"{unused}{type(enabled).__name__}"
        raise RuntimeError(f"set_sdp_use_{name} expects a bool, but got {got}")
    return enabled


def enable_flash_sdp(enabled: bool) -> None:
    """Allows it or not."""
    _sdp["flash"] = _checked(enabled, "math", "")


def mem_efficient_sdp_enabled() -> bool:
    """Whether attention may be computed in the way that saves memory."""
    return _sdp["mem_efficient"]


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Allows it or not."""
    _sdp["mem_efficient"] = _checked(enabled, "math", "")


def math_sdp_enabled() -> bool:
    """Whether attention may be computed as it is written."""
    return _sdp["math"]


def enable_math_sdp(enabled: bool) -> None:
    """Allows it or not."""
    _sdp["math"] = _checked(enabled, "math", "")


def cudnn_sdp_enabled() -> bool:
    """Whether attention may be computed by cuDNN."""
    return _sdp["cudnn"]


def enable_cudnn_sdp(enabled: bool) -> None:
    """Allows it or not."""
    _sdp["cudnn"] = _checked(enabled, "cudnn", "%s")


def is_flash_attention_available() -> bool:
    """Whether there is a kernel of its own for it: no."""
    return False


def is_ck_sdpa_available() -> bool:
    """Whether AMD's kernels for attention are there: no."""
    return False


_REDUCED_MATH = [False]


def fp16_bf16_reduction_math_sdp_allowed() -> bool:
    """Whether attention as it is written may add half-precision numbers in half precision."""
    return _REDUCED_MATH[0]


def allow_fp16_bf16_reduction_math_sdp(enabled: bool) -> None:
    """Allows it or not: sums stay exact whatever it says."""
    _REDUCED_MATH[0] = _checked(enabled, "math")


class SDPAParams:
    """The arguments of an attention, for questions which kernel could compute it."""

    __module__ = "torch.backends.cuda"

    def __init__(
        self,
        query: Any,
        key: Any,
        value: Any,
        attn_mask: Any,
        dropout: float,
        is_causal: bool,
        enable_gqa: bool,
    ) -> None:
        self.query, self.key, self.value, self.attn_mask = query, key, value, attn_mask
        self.dropout, self.is_causal, self.enable_gqa = dropout, is_causal, enable_gqa


def can_use_flash_attention(params: SDPAParams, debug: bool = False) -> bool:
    """Whether CUDA's flash kernel could compute an attention: there is none."""
    return False


def can_use_efficient_attention(params: SDPAParams, debug: bool = False) -> bool:
    """Whether CUDA's kernel that saves memory could compute an attention: there is none."""
    return False


def can_use_cudnn_attention(params: SDPAParams, debug: bool = False) -> bool:
    """Whether cuDNN could compute an attention: no."""
    return False


@deprecated(
    "`torch.backends.cuda.sdp_kernel()` is deprecated. In the future, this context manager will be "
    "removed. Please see `torch.nn.attention.sdpa_kernel()` for the new context manager, with "
    "updated signature."
)
@contextmanager
def sdp_kernel(
    enable_flash: bool = True,
    enable_math: bool = True,
    enable_mem_efficient: bool = True,
    enable_cudnn: bool = True,
) -> Iterator[dict[str, Any]]:
    """A block in which attention may be computed in these ways alone; yields an empty dict."""
    before = dict(_sdp)
    _sdp.update(
        flash=enable_flash, math=enable_math, mem_efficient=enable_mem_efficient, cudnn=enable_cudnn
    )
    try:
        yield {}
    finally:
        _sdp.update(before)

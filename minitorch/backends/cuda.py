"""torch.backends.cuda: whether CUDA can be used, and the precision of its matrix products."""

from __future__ import annotations

from minitorch.aten.attention import ENABLED as _sdp


class _Matmul:
    """Switches of matrix products, which stay exact whatever they say."""

    allow_tf32 = False
    allow_fp16_reduced_precision_reduction = True
    allow_bf16_reduced_precision_reduction = True


matmul = _Matmul()


def is_built() -> bool:
    """Whether CuPy is installed."""
    from minitorch.core.arrays import cuda

    try:
        cuda()
    except AssertionError:
        return False
    return True


def flash_sdp_enabled() -> bool:
    """Whether attention may be computed in one step."""
    return _sdp["flash"]


def enable_flash_sdp(enabled: bool) -> None:
    """Allows it or not."""
    _sdp["flash"] = bool(enabled)


def mem_efficient_sdp_enabled() -> bool:
    """Whether attention may be computed in the way that saves memory."""
    return _sdp["mem_efficient"]


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Allows it or not."""
    _sdp["mem_efficient"] = bool(enabled)


def math_sdp_enabled() -> bool:
    """Whether attention may be computed as it is written."""
    return _sdp["math"]


def enable_math_sdp(enabled: bool) -> None:
    """Allows it or not."""
    _sdp["math"] = bool(enabled)


def cudnn_sdp_enabled() -> bool:
    """Whether attention may be computed by cuDNN."""
    return _sdp["cudnn"]


def enable_cudnn_sdp(enabled: bool) -> None:
    """Allows it or not."""
    _sdp["cudnn"] = bool(enabled)


def is_flash_attention_available() -> bool:
    """Whether there is a kernel of its own for it: no."""
    return False

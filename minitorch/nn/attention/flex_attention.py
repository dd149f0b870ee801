"""torch.nn.attention.flex_attention: attention whose scores a function of indices modifies."""

from __future__ import annotations

import math
import warnings
from typing import Any, Literal, NamedTuple, TypedDict, get_args

import minitorch as torch
from minitorch.core.tensor.tensor import Tensor
from minitorch.nn.attention import block_mask as _masks
from minitorch.nn.attention.block_mask import (
    BlockMask,
    and_masks,
    create_block_mask,
    create_mask,
    noop_mask,
    or_masks,
)

__all__ = [
    "AuxOutput",
    "AuxRequest",
    "BlockMask",
    "FlexKernelOptions",
    "and_masks",
    "create_block_mask",
    "create_mask",
    "flex_attention",
    "noop_mask",
    "or_masks",
]

# Programs set this to see the numbers within their functions; here they always can.
_FLEX_ATTENTION_DISABLE_COMPILE_DEBUG = False

_Backend = Literal["AUTO", "TRITON", "FLASH", "TRITON_DECODE"]
_WARNINGS_SHOWN: set[str] = set()


def __getattr__(name: str) -> Any:
    if name.startswith("_") and name in vars(_masks):  # torch has them all in this module
        return getattr(_masks, name)
    raise AttributeError(f"module 'torch.nn.attention.flex_attention' has no attribute {name!r}")


class FlexKernelOptions(TypedDict, total=False):
    """Options of the kernels that torch compiles for CUDA; they change no result."""

    num_warps: int
    num_stages: int
    BLOCK_M: int
    BLOCK_N: int
    BLOCK_M1: int
    BLOCK_N1: int
    BLOCK_M2: int
    BLOCK_N2: int
    PRESCALE_QK: bool
    ROWS_GUARANTEED_SAFE: bool
    BLOCKS_ARE_CONTIGUOUS: bool
    WRITE_DQ: bool
    FORCE_USE_FLEX_ATTENTION: bool
    USE_TMA: bool
    kpack: int
    matrix_instr_nonkdim: int
    waves_per_eu: int
    BACKEND: _Backend


class AuxRequest(NamedTuple):
    """The outputs that flex_attention is to return besides its result."""

    lse: bool = False
    max_scores: bool = False


class AuxOutput(NamedTuple):
    """The outputs that flex_attention returns besides its result; None for those not requested."""

    lse: Tensor | None = None
    max_scores: Tensor | None = None


def flex_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    score_mod: Any = None,
    block_mask: BlockMask | None = None,
    scale: float | None = None,
    enable_gqa: bool = False,
    return_lse: bool = False,
    kernel_options: FlexKernelOptions | None = None,
    *,
    return_aux: AuxRequest | None = None,
) -> Any:
    """Attention with scores that `score_mod` modifies and `block_mask` masks.

    Args:
        query: (B, Hq, L, E). key: (B, Hkv, S, E). value: (B, Hkv, S, Ev).
        score_mod: a function of a score and its batch, head, place of the query and of the key.
        block_mask: as `create_block_mask` makes it; its `mask_mod` is asked about each element.
        scale: of the scores; by default 1 / sqrt(E).
        enable_gqa: whether heads of queries share heads of keys.
        return_lse: whether log-sum-exp of the scores is returned too; deprecated.
        kernel_options: for kernels of CUDA; checked, and otherwise without effect.
        return_aux: which further results are wanted.

    Returns:
        (B, Hq, L, Ev); with `return_lse`, a pair with (B, Hq, L); with `return_aux`, a pair with
        an AuxOutput.

    Raises:
        NotImplementedError: for inputs that require gradients, as torch on the CPU.
        ValueError: for shapes that do not fit.

    As torch.nn.attention.flex_attention.flex_attention without a compiler.
    """
    _check_inputs(query, key, value, enable_gqa, block_mask)
    mask = _masks._create_empty_block_mask(query, key) if block_mask is None else block_mask
    _check_mask(query, key, mask)
    if return_lse and return_aux is not None:
        raise ValueError(
            "Cannot specify both return_lse and return_aux. return_lse is deprecated, please use "
            "return_aux=AuxRequest(lse=True) instead."
        )
    if return_lse:
        _warn_once(
            "deprecated_return_lse",
            "return_lse is deprecated and will be removed in v2.10. "
            "Please use return_aux=AuxRequest(lse=True) instead.",
            FutureWarning,
        )
    _check_options(kernel_options, return_aux)
    if not _FLEX_ATTENTION_DISABLE_COMPILE_DEBUG:
        _warn_once("flex_attention_performance", _UNFUSED, UserWarning)
    factor = 1.0 / math.sqrt(query.size(-1)) if scale is None else scale
    modify = _masks._identity if score_mod is None else score_mod
    out, lse = _attend(query, key, value, modify, mask.mask_mod, factor)
    if return_aux is not None:
        return out, AuxOutput(lse=lse if return_aux.lse else None)
    return (out, lse) if return_lse else out


_UNFUSED = (
    "flex_attention called without torch.compile() - this will use an unfused implementation that "
    "materializes the full scores matrix instead of generating a fused kernel.\n\n"
    "SOLUTION: Use torch.compile(flex_attention)(...)\n\n"
    "If you want to debug your score_mod/mask_mod, you can set:\n"
    "torch.nn.attention.flex_attention._FLEX_ATTENTION_DISABLE_COMPILE_DEBUG = True\n\n"
    "This will allow you to use print statements or breakpoints. Note: This doesn't work with the "
    "backwards pass and may produce incorrect results."
)


def _warn_once(warning_id: str, message: str, category: type[Warning] = UserWarning) -> None:
    if warning_id not in _WARNINGS_SHOWN:
        warnings.warn(message, category, stacklevel=3)
        _WARNINGS_SHOWN.add(warning_id)


def _attend(
    query: Tensor, key: Tensor, value: Tensor, score_mod: Any, mask_mod: Any, scale: float
) -> tuple[Tensor, Tensor]:
    """The result and the log-sum-exp of the scores, (B, H, L), at least in float32."""
    groups = query.size(1) // key.size(1)
    key, value = (torch.repeat_interleave(x, groups, dim=1) for x in (key, value))
    if query.size(0) != key.size(0) and key.size(0) != 1:
        raise RuntimeError(
            f"Bq and Bkv must broadcast. Got Bq={query.size(0)} and Bkv={key.size(0)}"
        )
    key, value = (x.expand((query.size(0), *x.size()[1:])) for x in (key, value))
    working = torch.float64 if query.dtype == torch.float64 else torch.float32
    scores = query.to(working) @ key.to(working).transpose(-2, -1)
    indices = [torch.arange(0, n, device=scores.device) for n in scores.shape]
    scores = torch.where(
        _masks._vmap_for_bhqkv(mask_mod, prefix=())(*indices),
        _masks._vmap_for_bhqkv(score_mod, prefix=(0,))((scores * scale).to(working), *indices),
        torch.tensor(-math.inf, dtype=working, device=scores.device),
    )
    masked_rows = torch.all(scores == -math.inf, dim=-1)
    lse = torch.where(masked_rows, -math.inf, scores.logsumexp(dim=-1))
    weights = torch._safe_softmax(scores, dim=-1).to(query.dtype)
    # Torch's kernels work in powers of two: it divides by log(2), then multiplies.
    return weights @ value.to(query.dtype), lse / math.log(2) * math.log(2.0)


# ---- refusals


def _check_inputs(query: Any, key: Any, value: Any, enable_gqa: bool, block_mask: Any) -> None:
    if query.device != key.device or query.device != value.device:
        raise ValueError(
            "Expected query, key, and value to have the same device type, but got query.device: "
            f"{query.device}, key.device: {key.device}, and value.device: {value.device} instead."
        )
    if query.dim() < 2 or key.dim() < 2 or value.dim() < 2:
        raise ValueError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{query.dim()}, key.dim: {key.dim()} and value.dim: {value.dim()} instead."
        )
    if query.size(-1) != key.size(-1):
        raise ValueError(
            "Expect query and key/value to have the same embedding dimension but got "
            f"E={query.size(-1)} and E={key.size(-1)}."
        )
    if query.device.type == "cpu" and any([x.requires_grad for x in (query, key, value)]):
        raise NotImplementedError(
            "FlexAttention does not support backward on CPU. Please set the input requires_grad "
            "to False or use another device."
        )
    if query.device.type not in ("cuda", "cpu"):
        raise ValueError(
            "FlexAttention is only supported on CUDA, CPU, HPU, or MPS devices. "
            f"Found input tensors on {query.device.type} device."
        )
    if query.dim() != 4 or key.dim() != 4 or value.dim() != 4:
        raise NotImplementedError("NYI: query, key, and value must be 4D tensors")
    _check_heads(query.size(1), key.size(1), enable_gqa)
    _check_batches(query.size(0), key.size(0), block_mask)


def _check_heads(of_query: int, of_key: int, enable_gqa: bool) -> None:
    if not enable_gqa and of_query != of_key:
        raise ValueError(
            "Expect query and key/value to have the same number of heads but got "
            f"Hq={of_query} and Hkv={of_key}. Try setting enable_gqa=True for GQA."
        )
    if enable_gqa and of_query % of_key:
        raise ValueError(
            "Expect number of query heads to be a multiple of kv heads for GQA but got "
            f"Hq={of_query} and Hkv={of_key}."
        )


def _check_batches(of_query: int, of_key: int, block_mask: BlockMask | None) -> None:
    if of_query == of_key:
        return
    if block_mask is None:
        raise ValueError(
            "Expect query and key/value to have the same batch size, or non-none block_mask, "
            f"but got block_mask=None, Bq={of_query}, and Bkv={of_key}."
        )
    if block_mask.kv_num_blocks.size(0) != of_query:
        raise ValueError(
            "Expect query and key/value to have the same batch size, or block_mask and query to "
            f"have the same batch size, but got Bq={of_query}, Bkv={of_key}, "
            f"B_block_mask={block_mask.kv_num_blocks.size(0)}."
        )


def _check_mask(query: Tensor, key: Tensor, mask: BlockMask) -> None:
    if mask.mask_mod is _masks._sliced_mask_mod_error:
        raise RuntimeError("Cannot use mask_mod from a sliced BlockMask")
    if set(mask.BLOCK_SIZE) != {_masks._LARGE_SPARSE_BLOCK_SIZE}:
        lengths, of_mask = (query.size(-2), key.size(-2)), mask.shape[-2:]
        got = (
            f"block_mask was created for block_mask.shape={mask.shape} but got "
            f"q_len={lengths[0]} and kv_len={lengths[1]}. "
        )
        if lengths[0] > of_mask[0] or lengths[1] > of_mask[1]:
            raise ValueError(
                f"{got}As the block mask was created for a smaller length than you're using it "
                "for, you likely need to create a new block mask."
            )
        if lengths != of_mask:
            raise ValueError(
                f"{got}As the block mask was created for a larger length than you're using it "
                "for, you can either 1. create a new block mask with the correct length, or 2. "
                "'adjust' the existing block mask to the correct length by calling "
                "block_mask._adjust(q_len, kv_len). This essentially 'crops' the block mask to "
                "the upper left corner, which does not work for all mask_mods!"
            )
    if query.device != mask.kv_num_blocks.device:
        raise RuntimeError(
            "Expect q/k/v and block_mask to be on the same device but got "
            f"{query.device} and {mask.kv_num_blocks.device}."
        )


def _check_options(options: Any, aux: AuxRequest | None) -> None:
    given = {} if options is None else dict(options)
    if "BACKEND" in given and given.get("FORCE_USE_FLEX_ATTENTION", False):
        raise RuntimeError(
            "BACKEND cannot be combined with legacy FORCE_USE_FLEX_ATTENTION. BACKEND supersedes "
            "the legacy knob; please drop FORCE_USE_FLEX_ATTENTION and only specify the desired "
            "BACKEND."
        )
    if given.get("BACKEND", "AUTO") not in get_args(_Backend):
        raise ValueError(
            f"Invalid BACKEND value '{given['BACKEND']}'. Must be one of {get_args(_Backend)}"
        )
    for name in ("OUTPUT_LOGSUMEXP", "OUTPUT_MAX"):
        if name in given:
            raise AssertionError(f"{name} must not be in kernel_options")
    if aux is not None and aux.max_scores:
        raise NotImplementedError("Returning max scores is not supported on CPU/MPS.")

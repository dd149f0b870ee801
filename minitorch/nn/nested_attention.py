"""MultiheadAttention of nested tensors: torch has a fast path for them alone."""

from __future__ import annotations

from typing import Any

from minitorch.core.base.modes import recording
from minitorch.core.declare.protocols.torch_function import is_taken_over

_BOTH_MASKS = (
    "supplying both src_key_padding_mask and src_mask at the same time "
    "                                is not supported with NestedTensor input"
)
_RECORDED = (
    "grad is enabled and at least one of query or the input/output projection weights or biases "
    "requires_grad"
)


def refuse_nested(module: Any, query: Any, key: Any, value: Any, *masks: Any) -> None:
    """AssertionError with torch's text, which says why its fast path is not taken.

    NotImplementedError where torch takes it.
    """
    why = _why_not(module, query, key, value, masks)
    if not why:
        raise NotImplementedError("torch.nn.MultiheadAttention of nested tensors")
    raise AssertionError(
        "MultiheadAttention does not support NestedTensor outside of its fast path. The fast path "
        f"was not hit because {why}"
    )


def _why_not(module: Any, query: Any, key: Any, value: Any, masks: Any) -> str:
    bias, weight = module.in_proj_bias, module.in_proj_weight
    parameters = [weight, bias, module.out_proj.weight, module.out_proj.bias]
    tensors = [x for x in (query, key, value, *parameters) if x is not None]
    other = getattr(bias, "dtype", None)
    reasons = (
        (query.dim() != 3, f"input not batched; expected query.dim() of 3 but got {query.dim()}"),
        (
            query is not key or key is not value,
            "non-self attention was used (query, key, and value are not the same Tensor)",
        ),
        (
            bias is not None and query.dtype != bias.dtype,
            f"dtypes of query ({query.dtype}) and self.in_proj_bias ({other}) don't match",
        ),
        (weight is None, "in_proj_weight was None"),
        (module.training, "training is enabled"),
        (module.num_heads % 2 != 0, "self.num_heads is not even"),
        (not module.batch_first, "batch_first was not True"),
        (module.bias_k is not None, "self.bias_k was not None"),
        (module.bias_v is not None, "self.bias_v was not None"),
        (module.add_zero_attn, "add_zero_attn was enabled"),
        (
            any(mask is not None for mask in masks),
            _BOTH_MASKS,
        ),
        (is_taken_over(tensors), "some Tensor argument has_torch_function"),
        (
            recording() and any(x.requires_grad for x in tensors),
            _RECORDED,
        ),
    )
    return next((text for holds, text in reasons if holds), "")

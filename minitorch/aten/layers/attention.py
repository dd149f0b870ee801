"""Attention: weighted means of values, by the likeness of queries and keys."""

from __future__ import annotations

import math
from typing import Any

from minitorch.aten.in_formulas import options_of, scalar
from minitorch.aten.layers.softmax import _safe_softmax
from minitorch.aten.shape.joining import repeat_interleave
from minitorch.core.arrays import attention as kernels
from minitorch.core.arrays import namespace
from minitorch.core.base.fields import tensor
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import FormulaMode, recording
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.protocols.mode_stack import STACK
from minitorch.core.declare.vmap import WARNS
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.dispatch import FLOATING, HALVES
from minitorch.core.numbers.dtype import Kind

# Which ways to compute it torch.backends.cuda and torch.nn.attention allow; there are two here, in
# one step ("flash") and in several ("math").
ENABLED = dict.fromkeys(("flash", "mem_efficient", "math", "cudnn"), True)


_KNOWN = FLOATING | HALVES


def flash_forward(
    xp: Any,
    query: Any,
    key: Any,
    value: Any,
    is_causal: bool,
    attn_mask: Any,
    scale: Any,
) -> Any:
    kind = dtypes.of(query)
    if kind not in _KNOWN:
        raise RuntimeError(
            "scaled_dot_product_attention_flash_attention: Expected data type in FP32, FP64, BF16, "
            f"FP16, but got {kind.scalar_name} instead."
        )
    return kernels.attention(xp, query, key, value, is_causal, attn_mask, scale)


def flash_gradient(
    F: Any,
    grad: Any,
    query: Any,
    key: Any,
    value: Any,
    output: Any,
    logsumexp: Any,
    dropout_p: float,
    is_causal: bool,
    attn_mask: Any,
    scale: Any,
) -> Any:
    grads = F._scaled_dot_product_flash_attention_for_cpu_backward(
        grad,
        query,
        key,
        value,
        output,
        logsumexp,
        dropout_p,
        is_causal,
        attn_mask=attn_mask,
        scale=scale,
    )
    return grads


_scaled_dot_product_flash_attention_for_cpu = operator(
    "_scaled_dot_product_flash_attention_for_cpu(Tensor query, Tensor key, Tensor value,"
    " float dropout_p=0.0, bool is_causal=False, *, Tensor? attn_mask=None, float? scale=None)"
    " -> (Tensor output, Tensor logsumexp)",
    node="ScaledDotProductFlashAttentionForCpuBackward0",
    forward=flash_forward,
    differentiable=(True, False),
    inputs=flash_gradient,
    joint=("query", "key", "value"),
    on=("function",),
    vmap=WARNS,
)


def flash_double_backward(grads: Any) -> Any:
    raise RuntimeError(
        "derivative for aten::_scaled_dot_product_flash_attention_for_cpu_backward is not "
        "implemented"
    )


_scaled_dot_product_flash_attention_for_cpu_backward = operator(
    "_scaled_dot_product_flash_attention_for_cpu_backward(Tensor grad_out, Tensor query,"
    " Tensor key, Tensor value, Tensor out, Tensor logsumexp, float dropout_p, bool is_causal, *,"
    " Tensor? attn_mask=None, float? scale=None)"
    " -> (Tensor grad_query, Tensor grad_key, Tensor grad_value)",
    node="NotImplemented",
    forward=lambda xp, grad_out, query, key, value, out, logsumexp, is_causal, attn_mask, scale: (
        kernels.attention_backward(
            xp, grad_out, query, key, value, out, logsumexp, is_causal, attn_mask, scale
        )
    ),
    kernel="flash_attention_backward",
    knows=FLOATING | HALVES,
    inputs=flash_double_backward,
    on=("F",),
    vmap=WARNS,
)


def check(query: Any, key: Any, value: Any, attn_mask: Any) -> None:
    """The checks of ATen/native/transformers/attention.cpp (validate_sdpa_input)."""
    kinds = [x.dtype for x in (query, key, value)]
    if len(set(kinds)) > 1:
        q, k, v = [kind.c_name for kind in kinds]
        raise RuntimeError(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{q} key.dtype: {k} and value.dtype: {v} instead."
        )
    ranks = [x.dim() for x in (query, key, value)]
    if min(ranks) < 2:
        raise RuntimeError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
            f"{ranks[0]} key.dim: {ranks[1]} and value.dim: {ranks[2]} instead."
        )
    if attn_mask is not None and attn_mask.dtype not in (dtypes.bool, dtypes.float32, kinds[0]):
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got "
            f"attn_mask.dtype: {attn_mask.dtype.c_name} and  query.dtype: {kinds[0].c_name} "
            "instead."
        )


def is_fused(query: Any, key: Any, value: Any, attn_mask: Any, dropout_p: float, gqa: bool) -> bool:
    """Whether torch takes its fused CPU kernel. As transformers/sdp_utils_cpp.cpp."""
    q, k, v = [x._array.shape for x in (query, key, value)]
    if not len(q) == len(k) == len(v) == 4 or dropout_p > 0 or 0 in (*q, *k, *v):
        return False
    if not query.dtype.is_floating_point:
        return False
    if q[0] != k[0] or q[0] != v[0] or not q[-1] == k[-1] == v[-1] or k[2] != v[2]:
        return False
    if k[1] != v[1] or (q[1] != k[1] and not (gqa and q[1] % k[1] == 0)):
        return False
    if attn_mask is not None:
        shape = attn_mask._array.shape
        whole = (q[0], q[1], q[2], k[2])
        if recording() and attn_mask.requires_grad:
            return False
        attn_mask.size(-2)  # IndexError where there is none
        if len(shape) not in (2, 4):
            return False
        if any(n not in (1, m) for n, m in zip(shape[::-1], whole[::-1], strict=False)):
            return False
    return all(
        x._array.strides[-1] == x._array.itemsize or x._array.shape[-1] == 1
        for x in (query, key, value)
    )


def additive(attn_mask: Any, dtype: Any) -> Any:
    """A mask of truths as one to be added: 0 where true, else minus infinity."""
    if attn_mask is None or attn_mask.dtype is not dtypes.bool:
        return attn_mask
    if STACK.get():
        device = attn_mask.device
        least = scalar(-math.inf, dtype, device, layout=None)
        return OPS.where(attn_mask, scalar(0.0, dtype, device), least)
    zeros = OPS.zeros_like(attn_mask, dtype=dtype)
    return zeros.masked_fill_(~attn_mask, -math.inf)


@composite("scaled_dot_product_attention", on=("F",))
def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Any:
    """softmax(query @ key.T * scale + mask) @ value.

    Args:
        query: (..., L, E).
        key: (..., S, E).
        value: (..., S, Ev).
        attn_mask: broadcasts to (..., L, S): True where to attend, or a number to add.
        dropout_p: the chance of a weight to become zero; the caller gives 0 outside training.
        is_causal: attends to no later position; without `attn_mask`.
        scale: 1 / sqrt(E) if None.
        enable_gqa: heads of key and value serve several heads of the query.

    Returns:
        (..., L, Ev), of the dtype of `query`.

    Raises:
        RuntimeError: for shapes that do not go together, fewer than two dimensions, different
            dtypes, integers, and a mask beside `is_causal`.

    Vaswani et al., Attention Is All You Need, https://arxiv.org/abs/1706.03762.
    As ATen/native/transformers/attention.cpp.
    """
    check(query, key, value, attn_mask)
    if not (query.size(-2) and value.numel()):
        return of_nothing(query, key, value)
    flash = ENABLED["flash"]
    if flash and is_fused(query, key, value, attn_mask, dropout_p, enable_gqa):
        if dropout_p:
            raise RuntimeError(
                "scaled_dot_product_attention_flash_attention: Currently do not support dropout > 0"
            )
        return _scaled_dot_product_flash_attention_for_cpu(
            query,
            key,
            value,
            dropout_p,
            is_causal,
            attn_mask=additive(attn_mask, query.dtype),
            scale=scale,
        )[0]
    if not ENABLED["math"]:
        raise RuntimeError(
            "No available kernel.  Aborting execution."
            if flash
            else "No viable backend for scaled_dot_product_attention was found. This is likely due "
            "to turning off both the math kernel and the fused kernels."
        )
    return in_steps(query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa)


def of_nothing(query: Any, key: Any, value: Any) -> Any:
    """Zeros for no queries or no values, with a history that reaches all three."""
    zeros = OPS.zeros(
        (*query.shape[:-1], value.size(-1)),
        dtype=query.dtype,
        layout=query.layout,
        device=query.device,
    )
    by_value = value.sum()  # in torch's order, which modes see
    by_key = key.sum()
    return zeros + OPS.mul_Scalar(query.sum() + by_key + by_value, 0)


def in_steps(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any,
    dropout_p: float,
    is_causal: bool,
    scale: Any,
    gqa: bool,
) -> Any:
    """Attention by matmul, softmax and dropout, as _scaled_dot_product_attention_math of ATen."""
    dtype = query.dtype
    if dtype.itemsize == 2 and dtype.is_floating_point:
        query, key, value = query.float(), key.float(), value.float()
    early = is_causal or not STACK.get()  # torch scales the query before, which modes see
    attn_mask = additive(attn_mask, query.dtype) if early else attn_mask
    root = scale if scale is not None else 1 / math.sqrt(max(query.size(-1), 1))
    root = math.copysign(math.sqrt(abs(root)), root)
    if is_causal:
        if attn_mask is not None:
            raise RuntimeError(
                "_scaled_dot_product_attention: Explicit attn_mask should not be set when "
                "is_causal=True"
            )
        length, source = query.size(-2), key.size(-2)
        if STACK.get():
            query = OPS.mul_Scalar(query, abs(root))
            options = options_of(query, dtypes.bool)
            with FormulaMode(True):
                attn_mask = OPS.tril(OPS.ones((length, source), **options))
        else:
            attn_mask = causal_mask(query, length, source)
        whole = query.dtype.number_kind < Kind.FLOATING  # scaled in torch, and floating, by now
        attn_mask = additive(attn_mask, dtypes.get_default_dtype() if whole else query.dtype)
    if gqa:
        heads = query.size(-3)
        for x in (key, value):
            if heads % x.size(-3):
                raise RuntimeError(
                    "Number of heads in key and value must divide the number of heads in "
                )
        key = repeat_interleave(key, heads // key.size(-3), -3)
        value = repeat_interleave(value, heads // value.size(-3), -3)
    if not (is_causal and STACK.get()):
        query = OPS.mul_Scalar(query, abs(root))
    if not early:
        attn_mask = additive(attn_mask, query.dtype)
    weights = OPS.matmul(query, OPS.mul_Scalar(OPS.transpose(key, -2, -1), root))
    if attn_mask is not None:
        weights = weights + attn_mask if STACK.get() else weights.add_(attn_mask)
    weights = _safe_softmax(weights, -1)
    if dropout_p > 0:
        weights = OPS.dropout(weights, dropout_p, True)
    return OPS.matmul(weights, value).to(dtype)


def causal_mask(like: Any, length: int, source: int) -> Any:
    """(length, source) truths: whether the column's position is not after the row's."""
    return tensor(namespace(like._array).tri(length, source, dtype=bool))

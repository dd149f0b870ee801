"""multi_head_attention_forward: attention of several heads, as torch.nn.functional has it."""

from __future__ import annotations

import inspect
import math
import warnings
from typing import Any

from minitorch.core.base.fields import TensorBase
from minitorch.core.base.formulas import OPS
from minitorch.core.numbers import dtype as dtypes
from minitorch.nn.functional import dropout, linear, pad, scaled_dot_product_attention, softmax


def _mha_shape_check(
    query: Any, key: Any, value: Any, key_padding_mask: Any, attn_mask: Any, num_heads: int
) -> bool:
    """Whether the query is a batch. AssertionError for ranks that do not go together."""
    rank = query.dim()
    if rank not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {rank}-D query tensor"
        )
    what = f"For {'batched' if rank == 3 else 'unbatched'} ({rank}-D) `query`, expected"
    if key.dim() != rank or value.dim() != rank:
        raise AssertionError(
            f"{what} `key` and `value` to be {rank}-D but found {key.dim()}-D and {value.dim()}-D "
            "tensors respectively"
        )
    if key_padding_mask is not None and key_padding_mask.dim() != rank - 1:
        raise AssertionError(
            f"{what} `key_padding_mask` to be `None` or {rank - 1}-D but found "
            f"{key_padding_mask.dim()}-D tensor instead"
        )
    if attn_mask is not None and attn_mask.dim() not in (2, 3):
        raise AssertionError(
            f"{what} `attn_mask` to be `None`, 2-D or 3-D but found {attn_mask.dim()}-D tensor "
            "instead"
        )
    if rank == 2 and attn_mask is not None and attn_mask.dim() == 3:
        expected = (num_heads, query.shape[0], key.shape[0])
        if attn_mask.shape != expected:
            raise AssertionError(
                f"Expected `attn_mask` shape to be {expected} but got {attn_mask.shape}"
            )
    return rank == 3


def _none_or_dtype(input: Any) -> Any:
    """The dtype of a tensor that may be None. RuntimeError for anything else."""
    if input is None or isinstance(input, TensorBase):
        return None if input is None else input.dtype
    raise RuntimeError("input to _none_or_dtype() must be None or torch.Tensor")


def _canonical_mask(
    mask: Any,
    mask_name: str,
    other_type: Any,
    other_name: str,
    target_type: Any,
    check_other: bool = True,
) -> Any:
    """A mask as numbers to add: -inf where a bool one is True."""
    if mask is None:
        return None
    if mask.dtype is not dtypes.bool and not mask.is_floating_point():
        raise AssertionError(f"only bool and floating types of {mask_name} are supported")
    if check_other and other_type is not None and mask.dtype != other_type:
        warnings.warn(
            f"Support for mismatched {mask_name} and {other_name} is deprecated. Use same type for "
            "both instead.",
            stacklevel=3,
        )
    if mask.is_floating_point():
        return mask
    return OPS.zeros_like(mask, dtype=target_type).masked_fill_(mask, float("-inf"))


def _in_projection_packed(q: Any, k: Any, v: Any, w: Any, b: Any = None) -> tuple[Any, ...]:
    """Query, key and value times the three parts of one weight."""
    size = q.size(-1)
    if k is not v:
        w_q, w_k, w_v = w.chunk(3)
        b_q, b_k, b_v = (None,) * 3 if b is None else b.chunk(3)
        return linear(q, w_q, b_q), linear(k, w_k, b_k), linear(v, w_v, b_v)

    def together(x: Any, weight: Any, bias: Any, n: int) -> Any:
        x = linear(x, weight, bias).unflatten(-1, (n, size)).unsqueeze(0)
        return x.transpose(0, -2).squeeze(-2).contiguous()

    if q is k:
        three = together(q, w, b, 3)
        return three[0], three[1], three[2]
    w_q, w_kv = w.split([size, size * 2])
    b_q, b_kv = (None, None) if b is None else b.split([size, size * 2])
    q = linear(q, w_q, b_q)
    two = together(k, w_kv, b_kv, 2)
    return q, two[0], two[1]


def _in_projection(inputs: Any, weights: Any, biases: Any) -> tuple[Any, ...]:
    """Query, key and value times weights of their own."""
    size = inputs[0].size(-1)
    names = ("query", "key", "value")
    for name, x, w in zip(names, inputs, weights, strict=True):
        expected = (size, x.size(-1))
        if w.shape != expected:
            raise AssertionError(f"expecting {name} weights shape of {expected}, but got {w.shape}")
    for name, b in zip(names, biases, strict=True):
        if b is not None and b.shape != (size,):
            raise AssertionError(f"expecting {name} bias shape of {(size,)}, but got {b.shape}")
    return tuple(linear(*each) for each in zip(inputs, weights, biases, strict=True))


def multi_head_attention_forward(
    query: Any,
    key: Any,
    value: Any,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Any,
    in_proj_bias: Any,
    bias_k: Any,
    bias_v: Any,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Any,
    out_proj_bias: Any,
    training: bool = True,
    key_padding_mask: Any = None,
    need_weights: bool = True,
    attn_mask: Any = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Any = None,
    k_proj_weight: Any = None,
    v_proj_weight: Any = None,
    static_k: Any = None,
    static_v: Any = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Any, Any]:
    """The attention of (L, N, E) or (L, E) queries to keys and values, and its weights or None.

    Args:
        query: (L, N, E) or (L, E), floating: L positions of N sequences.
        key, value: (S, N, E) or (S, E); with weights of their own, of other last sizes.
        embed_dim_to_check: E.
        num_heads: a divisor of E.
        in_proj_weight: (3 * E, E), those of query, key and value below one another; None with
            weights of their own.
        in_proj_bias: (3 * E,), or None.
        bias_k, bias_v: (1, 1, E), a key and a value more; or None.
        add_zero_attn: whether to add a key and a value of zeros.
        dropout_p: the chance of a weight to become zero.
        out_proj_weight, out_proj_bias: (E, E) and (E,), of the last linear map; the bias may be
            None.
        training: whether `dropout_p` counts.
        key_padding_mask: (N, S) or (S,), True, or minus infinity to add, where a key does not
            count.
        need_weights: whether to return the weights of attention.
        attn_mask: (L, S) or (N * num_heads, L, S), True where a query does not see a key, or what
            is added to scores.
        use_separate_proj_weight: whether query, key and value have weights of their own.
        q_proj_weight, k_proj_weight, v_proj_weight: these weights, (E, size of their input).
        static_k, static_v: (N * num_heads, S, E / num_heads) in place of projected keys and values;
            or None.
        average_attn_weights: whether the weights returned are the mean over heads.
        is_causal: a hint that `attn_mask` hides the future; it needs the mask all the same.

    Returns:
        The attention, of the shape of `query`, and its weights, (N, L, S) or (N, num_heads, L, S),
            without N for one sequence; None unless `need_weights`.

    Raises:
        AssertionError: for shapes that do not go together, and masks of integers.
        RuntimeError: for a mask of another shape, and if `is_causal` comes without a mask.

    As torch.nn.functional.multi_head_attention_forward. Vaswani et al.,
    https://arxiv.org/abs/1706.03762.
    """
    batched = _mha_shape_check(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        query, key, value = (x.unsqueeze(1) for x in (query, key, value))
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    length, batch, size = query.shape
    key_padding_mask = _canonical_mask(
        key_padding_mask, "key_padding_mask", _none_or_dtype(attn_mask), "attn_mask", query.dtype
    )
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module "
            "method `generate_square_subsequent_mask` to create this mask."
        )
    if is_causal and key_padding_mask is None and not need_weights:
        attn_mask = None
    else:
        attn_mask = _canonical_mask(attn_mask, "attn_mask", None, "", query.dtype, False)
        if key_padding_mask is not None:
            is_causal = False
    if size != embed_dim_to_check:
        raise AssertionError(
            f"was expecting embedding dimension of {embed_dim_to_check}, but got {size}"
        )
    head = size // num_heads
    if head * num_heads != size:
        raise AssertionError(f"embed_dim {size} not divisible by num_heads {num_heads}")
    if use_separate_proj_weight:
        weights = (q_proj_weight, k_proj_weight, v_proj_weight)
        q, k, v = _separately_projected(query, key, value, weights, in_proj_bias)
    else:
        if key.shape != value.shape:
            raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")
        if in_proj_weight is None:
            raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
        q, k, v = _in_projection_packed(query, key, value, in_proj_weight, in_proj_bias)
    if attn_mask is not None:
        attn_mask = _checked_mask(attn_mask, (length, key.shape[0]), batch * num_heads)

    if bias_k is not None or bias_v is not None:
        _check_bias(bias_k, bias_v, static_k, static_v)
        k = OPS.cat([k, bias_k.repeat(1, batch, 1)])
        v = OPS.cat([v, bias_v.repeat(1, batch, 1)])
        attn_mask, key_padding_mask = _longer(attn_mask), _longer(key_padding_mask)
    heads = batch * num_heads
    q = q.view(length, heads, head).transpose(0, 1)
    k = _by_head(k, static_k, "k", heads, head)
    v = _by_head(v, static_v, "v", heads, head)
    if add_zero_attn:
        zeros = (heads, 1, head)
        k = OPS.cat([k, OPS.zeros(zeros, dtype=k.dtype, device=k.device)], dim=1)
        v = OPS.cat([v, OPS.zeros(zeros, dtype=v.dtype, device=v.device)], dim=1)
        attn_mask, key_padding_mask = _longer(attn_mask), _longer(key_padding_mask)
    if key_padding_mask is not None:
        padded = _padding_to_add(key_padding_mask, batch, num_heads, k.size(1))
        attn_mask = padded if attn_mask is None else attn_mask + padded
    if not training:
        dropout_p = 0.0
    shares = None
    if need_weights:
        if is_causal and attn_mask is None:
            raise AssertionError("FIXME: is_causal not implemented for need_weights")
        shares = _shares(q * math.sqrt(1.0 / float(head)), k, attn_mask, dropout_p)
        out = OPS.bmm(shares, v).transpose(0, 1).reshape(length * batch, size)
    else:
        out = _attended(q, k, v, (batch, num_heads), attn_mask, dropout_p, is_causal)
        out = out.permute(2, 0, 1, 3).reshape(batch * length, size)
    out = linear(out, out_proj_weight, out_proj_bias)
    out = out.view(length, batch, out.size(1))
    if shares is not None:
        shares = shares.view(batch, num_heads, length, k.size(1))
        if average_attn_weights:
            shares = shares.mean(dim=1)
    if batched:
        return out, shares
    return out.squeeze(1), None if shares is None else shares.squeeze(0)


def _separately_projected(query: Any, key: Any, value: Any, weights: Any, bias: Any) -> Any:
    """Query, key and value times `weights`, one for each. AssertionError if one is missing."""
    if key.shape[:2] != value.shape[:2]:
        raise AssertionError(
            f"key's sequence and batch dims {key.shape[:2]} do not match value's {value.shape[:2]}"
        )
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    for name, weight in zip("qkv", weights, strict=True):
        if weight is None:
            raise AssertionError(f"use_separate_proj_weight is True but {name}_proj_weight is None")
    return _in_projection((query, key, value), weights, biases)


def _check_bias(bias_k: Any, bias_v: Any, static_k: Any, static_v: Any) -> None:
    """AssertionError unless both biases are there, and no static tensor in the place of one."""
    if bias_k is None or bias_v is None:
        names = ("bias_v", "bias_k") if bias_k is None else ("bias_k", "bias_v")
        raise AssertionError("{} is set but {} is None".format(*names))
    if static_k is not None:
        raise AssertionError("bias cannot be added to static key.")
    if static_v is not None:
        raise AssertionError("bias cannot be added to static value.")


def _longer(mask: Any) -> Any:
    """A mask with one key more, which counts."""
    return None if mask is None else pad(mask, (0, 1))


def _by_head(x: Any, static: Any, name: str, heads: int, size: int) -> Any:
    """Keys or values as (heads, S, size): those of `x`, (S, N, E), unless `static` is given."""
    if static is None:
        return x.view(x.shape[0], heads, size).transpose(0, 1)
    for dim, expected in ((0, heads), (2, size)):
        if static.size(dim) != expected:
            raise AssertionError(
                f"expecting static_{name}.size({dim}) of {expected}, but got {static.size(dim)}"
            )
    return static


def _padding_to_add(mask: Any, batch: int, num_heads: int, source: int) -> Any:
    """A mask of keys, (N, S), as numbers to add to the scores of all heads, (N * heads, 1, S)."""
    for dim, expected in enumerate((batch, source)):
        if mask.shape[dim] != expected:
            raise AssertionError(
                f"Expected key_padded_mask.shape[{dim}] to be {expected}, but got {mask.shape[dim]}"
            )
    mask = mask.view(batch, 1, 1, source).expand(-1, num_heads, -1, -1)
    return mask.reshape(batch * num_heads, 1, source)


def _shares(scaled: Any, k: Any, mask: Any, dropout_p: float) -> Any:
    """The weights of attention, (heads, L, S), of queries that are scaled already."""
    if mask is not None:
        shares = OPS.baddbmm(mask, scaled, k.transpose(-2, -1))
    else:
        shares = OPS.bmm(scaled, k.transpose(-2, -1))
    shares = softmax(shares, dim=-1)
    return dropout(shares, p=dropout_p) if dropout_p > 0.0 else shares


def _attended(
    q: Any,
    k: Any,
    v: Any,
    outer: tuple[int, int],
    mask: Any,
    dropout_p: float,
    is_causal: bool,
) -> Any:
    """The attention of all heads by one operator, (N, num_heads, L, size), without its weights.

    outer: N and num_heads.
    """
    q, k, v = [x.view(*outer, x.size(1), x.size(2)) for x in (q, k, v)]
    if mask is not None:
        if mask.size(0) == 1 and mask.dim() == 3:
            mask = mask.unsqueeze(0)
        else:
            mask = mask.view(*outer, -1, k.size(2))
    return scaled_dot_product_attention(q, k, v, mask, dropout_p, is_causal)


def _checked_mask(mask: Any, flat: tuple[int, int], heads: int) -> Any:
    """A mask of three dimensions. RuntimeError for other shapes than those of the scores."""
    rank = mask.dim()
    if rank not in (2, 3):
        raise RuntimeError(f"attn_mask's dimension {rank} is not supported")
    expected = flat if rank == 2 else (heads, *flat)
    if mask.shape != expected:
        raise RuntimeError(
            f"The shape of the {rank}D attn_mask is {mask.shape}, but should be {expected}."
        )
    return mask.unsqueeze(0) if rank == 2 else mask


class _ToldSignature(inspect.Signature):
    """The signature of multi_head_attention_forward, whose calls are told with is_causal after
    attn_mask: in that order torch hands the options on to what takes a call over."""

    __slots__ = ()

    def bind(self, /, *args: Any, **kwargs: Any) -> inspect.BoundArguments:
        """The arguments of a call, in the order in which they are told."""
        bound = super().bind(*args, **kwargs)
        told = dict(self.parameters)
        moved = told.pop("is_causal")
        ordered = list(told.values())
        ordered.insert([*told].index("attn_mask") + 1, moved)
        return inspect.BoundArguments(inspect.Signature(ordered), bound.arguments)


multi_head_attention_forward.__signature__ = _ToldSignature(  # type: ignore[attr-defined]
    inspect.signature(multi_head_attention_forward).parameters.values()
)

"""MultiheadAttention, which torch has among the activation functions."""

from __future__ import annotations

from typing import Any

from minitorch._public.namespace import is_floating_point
from minitorch.core.base.formulas import OPS
from minitorch.core.tensor.parameter import Parameter
from minitorch.nn import functional as F
from minitorch.nn import init as initial
from minitorch.nn.modules.linear import NonDynamicallyQuantizableLinear
from minitorch.nn.modules.module import Module
from minitorch.nn.nested_attention import refuse_nested

__all__ = ["MultiheadAttention"]


class MultiheadAttention(Module):
    """Attention of several heads. Vaswani et al., https://arxiv.org/abs/1706.03762.

    Each head projects queries, keys and values to E / num_heads numbers and gives
    softmax(q @ k.T / sqrt(E / num_heads)) @ v; the heads side by side go through `out_proj`.

    Args:
        embed_dim: E, the size of queries and of the output; a multiple of `num_heads`.
        num_heads: the number of heads.
        dropout: the chance with which an attention weight is dropped while training.
        bias: whether the projections have biases.
        add_bias_kv: whether a learned row is appended to keys and values.
        add_zero_attn: whether a row of zeros is appended to keys and values.
        kdim, vdim: the sizes of keys and values; None for `embed_dim`.
        batch_first: whether the batch is dimension 0 of inputs and output, instead of 1.
        device, dtype: of the parameters.

    Shape:
        query: (L, N, E); (N, L, E) if `batch_first`; (L, E) without a batch.
        key, value: (S, N, kdim) and (S, N, vdim); likewise.
        key_padding_mask: (N, S), or (S) without a batch.
        attn_mask: (L, S) or (N * num_heads, L, S). In both masks True hides a key; floating-point
            numbers are added to the scores.
        Output: a pair. The first has the query's shape. The second holds the attention weights:
            (N, L, S), the mean over heads; (N, num_heads, L, S) unless `average_attn_weights`;
            None unless `need_weights`.

    Attributes:
        in_proj_weight: (3 * E, E), the projections of queries, keys and values. If `kdim` or `vdim`
            is not E, there are q_proj_weight (E, E), k_proj_weight (E, kdim) and v_proj_weight
            (E, vdim) instead. All are drawn by `xavier_uniform_`.
        in_proj_bias: (3 * E), zeros.
        out_proj: a Linear from E to E, whose bias starts as zeros.
        bias_k, bias_v: (1, 1, E), the appended rows, drawn by `xavier_normal_`; None unless
            `add_bias_kv`.

    Raises:
        ValueError: if `embed_dim` or `num_heads` is not positive.
        AssertionError: if `num_heads` does not divide `embed_dim`; at the call, for a rank or size
            that does not fit.
        RuntimeError: at the call, if `is_causal` comes without an `attn_mask`.

    As torch.nn.MultiheadAttention.
    """

    __module__ = "torch.nn.modules.activation"
    __constants__ = ["batch_first"]

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                "embed_dim and num_heads must be greater than 0, got "
                f"embed_dim={embed_dim} and num_heads={num_heads} instead"
            )
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = kdim if kdim is not None else embed_dim
        self.vdim = vdim if vdim is not None else embed_dim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != self.embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")
        options = {"device": device, "dtype": dtype}
        if self._qkv_same_embed_dim:
            self.in_proj_weight = Parameter(OPS.empty((3 * embed_dim, embed_dim), **options))
            for name in "qkv":
                self.register_parameter(f"{name}_proj_weight", None)
        else:
            self.q_proj_weight = Parameter(OPS.empty((embed_dim, embed_dim), **options))
            self.k_proj_weight = Parameter(OPS.empty((embed_dim, self.kdim), **options))
            self.v_proj_weight = Parameter(OPS.empty((embed_dim, self.vdim), **options))
            self.register_parameter("in_proj_weight", None)
        if bias:
            self.in_proj_bias = Parameter(OPS.empty(3 * embed_dim, **options))
        else:
            self.register_parameter("in_proj_bias", None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, **options)
        if add_bias_kv:
            self.bias_k = Parameter(OPS.empty((1, 1, embed_dim), **options))
            self.bias_v = Parameter(OPS.empty((1, 1, embed_dim), **options))
        else:
            self.bias_k = self.bias_v = None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        if self._qkv_same_embed_dim:
            initial.xavier_uniform_(self.in_proj_weight)
        else:
            for weight in (self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
                initial.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            initial.constant_(self.in_proj_bias, 0.0)
            initial.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                initial.xavier_normal_(bias)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({"_qkv_same_embed_dim": True, **state})

    def forward(
        self,
        query: Any,
        key: Any,
        value: Any,
        key_padding_mask: Any = None,
        need_weights: bool = True,
        attn_mask: Any = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Any, Any]:
        turned = query.dim() == 3 and self.batch_first
        if query.is_nested is True or key.is_nested is True or value.is_nested is True:
            refuse_nested(self, query, key, value, key_padding_mask, attn_mask)
        for mask in (attn_mask, key_padding_mask):
            if mask is not None and is_floating_point(mask):  # traced masks end here, as in torch
                break
        other = F._none_or_dtype(attn_mask)
        key_padding_mask = F._canonical_mask(
            key_padding_mask, "key_padding_mask", other, "attn_mask", query.dtype
        )
        attn_mask = F._canonical_mask(attn_mask, "attn_mask", None, "", query.dtype, False)
        if turned and query is key is value:
            query = key = value = query.transpose(1, 0)
        elif turned and key is value:
            query, key = query.transpose(1, 0), key.transpose(1, 0)
            value = key
        elif turned:
            query, key, value = (x.transpose(1, 0) for x in (query, key, value))
        out, weights = F.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return (out.transpose(1, 0) if turned else out), weights

    def merge_masks(
        self, attn_mask: Any, key_padding_mask: Any, query: Any
    ) -> tuple[Any, int | None]:
        """The sum of both masks for each head, and the kind of the sum: 0, 1 or 2.

        Args:
            attn_mask: (L, L), or (N * num_heads, L, L); None for no such mask.
            key_padding_mask: (N, L); None for no such mask.
            query: (N, L, E), whose sizes count.

        Returns:
            The mask and its kind: `key_padding_mask` as it is and 1 without an `attn_mask`, else
            (N, num_heads, L, L) and 2. None and None without masks.
        """
        if attn_mask is None:
            return key_padding_mask, None if key_padding_mask is None else 1
        size, length, _ = query.shape
        if attn_mask.dim() == 3:
            merged = attn_mask.view(size, -1, length, length)
        else:
            merged = attn_mask.view(1, 1, length, length).expand(size, self.num_heads, -1, -1)
        if key_padding_mask is not None:
            padding = key_padding_mask.view(size, 1, 1, length)
            merged = merged + padding.expand(-1, self.num_heads, -1, -1)
        return merged, 2

"""torch.ao.nn.quantizable.modules.activation: attention of layers that observers can see."""

from __future__ import annotations

import warnings
from typing import Any

import minitorch as torch
from minitorch import nn
from minitorch.ao.nn.quantized.modules.functional_modules import FloatFunctional
from minitorch.nn import functional as F

__all__ = ["MultiheadAttention"]


class MultiheadAttention(nn.MultiheadAttention):
    """nn.MultiheadAttention whose projections are layers of their own.

    Args:
        embed_dim: the size of queries and outputs.
        num_heads: the number of heads.
        dropout: the probability that a weight is dropped.
        bias: whether projections add biases.
        add_bias_kv: whether a learned key and a learned value are added.
        add_zero_attn: whether a key and a value of zeros are added.
        kdim, vdim: the sizes of keys and values; embed_dim for None.
        batch_first: whether inputs are (batch, time, size), not (time, batch, size).
        device, dtype: of the parameters.

    As torch.ao.nn.quantizable.MultiheadAttention.
    """

    _FLOAT_MODULE: Any = nn.MultiheadAttention
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
        options = {"device": device, "dtype": dtype}
        super().__init__(
            embed_dim,
            num_heads,
            dropout,
            bias,
            add_bias_kv,
            add_zero_attn,
            kdim,
            vdim,
            batch_first,
            **options,
        )
        self.linear_Q = nn.Linear(self.embed_dim, self.embed_dim, bias=bias, **options)
        self.linear_K = nn.Linear(self.kdim, self.embed_dim, bias=bias, **options)
        self.linear_V = nn.Linear(self.vdim, self.embed_dim, bias=bias, **options)
        # A plain Linear, which can be exchanged.
        self.out_proj = nn.Linear(self.embed_dim, self.embed_dim, bias=bias, **options)
        self.q_scaling_product = FloatFunctional()
        stubs = torch.ao.quantization
        self.quant_attn_output = stubs.QuantStub()
        self.quant_attn_output_weights = stubs.QuantStub()
        self.dequant_q = stubs.DeQuantStub()
        self.dequant_k = stubs.DeQuantStub()
        self.dequant_v = stubs.DeQuantStub()

    def _get_name(self) -> str:
        return "QuantizableMultiheadAttention"

    @classmethod
    def from_float(cls, other: Any) -> Any:
        """A layer with the parameters of an nn.MultiheadAttention, prepared for calibration.

        Args:
            other: the plain layer, which has a QConfig.
        """
        if type(other) is not cls._FLOAT_MODULE:
            raise AssertionError(f"Expected type {cls._FLOAT_MODULE}, got {type(other)}")
        if not hasattr(other, "qconfig"):
            raise AssertionError("The float module must have 'qconfig'")
        observed = cls(
            other.embed_dim,
            other.num_heads,
            other.dropout,
            other.in_proj_bias is not None,
            other.bias_k is not None,
            other.add_zero_attn,
            other.kdim,
            other.vdim,
            other.batch_first,
        )
        observed.bias_k = other.bias_k
        observed.bias_v = other.bias_v
        observed.qconfig = other.qconfig
        observed.out_proj.weight = other.out_proj.weight
        observed.out_proj.bias = other.out_proj.bias
        if other._qkv_same_embed_dim:
            weights = other.in_proj_weight.split(other.embed_dim)
        else:
            weights = other.q_proj_weight, other.k_proj_weight, other.v_proj_weight
        biases: Any = (None, None, None)
        if other.in_proj_bias is not None:
            biases = other.in_proj_bias.split(other.embed_dim)
        layers = observed.linear_Q, observed.linear_K, observed.linear_V
        for layer, weight, bias in zip(layers, weights, biases):
            layer.weight = nn.Parameter(weight, weight.requires_grad)
            layer.bias = None if bias is None else nn.Parameter(bias, bias.requires_grad)
        observed.eval()
        return torch.ao.quantization.prepare(observed, inplace=True)

    def dequantize(self) -> Any:
        """Refuses: there are no layers of integers to make plain ones of."""
        raise NotImplementedError(
            "torch.ao.nn.quantizable.MultiheadAttention.dequantize is not implemented by minitorch"
        )

    @classmethod
    def from_observed(cls, other: Any) -> Any:
        """Raises a NotImplementedError, as torch: convert makes another class.

        Args:
            other: an observed layer.
        """
        raise NotImplementedError(
            "It looks like you are trying to prepare an MHA module. Please, see the examples on "
            "quantizable MHAs."
        )

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
        """The outputs of attention, and its weights.

        Args:
            query, key, value: (time, batch, size), or (batch, time, size) with batch_first.
            key_padding_mask: (batch, time of keys), true for keys that are left out.
            need_weights: whether the weights are returned, too.
            attn_mask: true where weights are 0; or floats that are added before softmax.
            average_attn_weights: whether the weights are the mean of all heads.
            is_causal: False.
        """
        return self._forward_impl(
            query,
            key,
            value,
            key_padding_mask,
            need_weights,
            attn_mask,
            average_attn_weights,
            is_causal,
        )

    def _forward_impl(
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
        if attn_mask is not None and is_causal:
            raise AssertionError("Only allow causal mask or attn_mask")
        if is_causal:
            raise AssertionError("causal mask not supported by AO MHA module")
        if self.batch_first:
            query, key, value = (x.transpose(0, 1) for x in (query, key, value))
        length, batch, size = query.size()
        self._check_sizes(size, key, value)
        width = self.embed_dim // self.num_heads
        q, k, v = self.linear_Q(query), self.linear_K(key), self.linear_V(value)
        q = self.q_scaling_product.mul_scalar(q, float(width) ** -0.5)
        attn_mask = _checked_mask(attn_mask, batch * self.num_heads, query, key)
        key_padding_mask = _as_bool("key_padding_mask", key_padding_mask)
        masks = [attn_mask, key_padding_mask]
        if self.bias_k is not None and self.bias_v is not None:
            k = torch.cat([k, self.bias_k.repeat(1, batch, 1)])
            v = torch.cat([v, self.bias_v.repeat(1, batch, 1)])
            masks = [_longer(mask) for mask in masks]
        elif self.bias_k is not None or self.bias_v is not None:
            one, other = ("k", "v") if self.bias_k is not None else ("v", "k")
            raise AssertionError(f"self.bias_{one} must be None when self.bias_{other} is None")
        heads = batch * self.num_heads
        q = q.contiguous().view(length, heads, width).transpose(0, 1)
        k, v = (x.contiguous().view(-1, heads, width).transpose(0, 1) for x in (k, v))
        if masks[1] is not None:
            _check_padding(masks[1], batch, k.size(1))
        if self.add_zero_attn:
            zeros = torch.zeros((k.size(0), 1) + k.size()[2:])
            k, v = torch.cat([k, zeros], dim=1), torch.cat([v, zeros], dim=1)
            masks = [_longer(mask) for mask in masks]
        q, k, v = self.dequant_q(q), self.dequant_k(k), self.dequant_v(v)
        weights = self._weights(torch.bmm(q, k.transpose(1, 2)), *masks)
        out = torch.bmm(weights, v)
        if self.batch_first:
            out = out.view(batch, length, self.embed_dim)
        else:
            out = out.transpose(0, 1).contiguous().view(length, batch, self.embed_dim)
        out = self.out_proj(self.quant_attn_output(out))
        weights = self.quant_attn_output_weights(weights)
        if not need_weights:
            return out, None
        weights = weights.view(batch, self.num_heads, length, k.size(1))
        return out, weights.mean(dim=1) if average_attn_weights else weights

    def _check_sizes(self, size: int, key: Any, value: Any) -> None:
        if self.embed_dim != size:
            raise AssertionError(f"embed_dim mismatch: {self.embed_dim} != {size}")
        if key.size(0) != value.size(0) or key.size(1) != value.size(1):
            raise AssertionError(
                f"key and value size mismatch: key.size()={key.size()}, value.size()={value.size()}"
            )
        if self.embed_dim // self.num_heads * self.num_heads != self.embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")

    def _weights(self, scores: Any, attn_mask: Any, key_padding_mask: Any) -> Any:
        """The weights of attention for scores of (batch * heads, queries, keys)."""
        if attn_mask is not None:
            if attn_mask.dtype == torch.bool:
                scores.masked_fill_(attn_mask, float("-inf"))
            else:
                scores += attn_mask
        if key_padding_mask is not None:
            heads, length, keys = scores.size()
            scores = scores.view(heads // self.num_heads, self.num_heads, length, keys)
            padded = key_padding_mask.unsqueeze(1).unsqueeze(2)
            scores = scores.masked_fill(padded, float("-inf")).view(heads, length, keys)
        scores = F.softmax(scores, dim=-1)
        return F.dropout(scores, p=self.dropout, training=self.training)


def _as_bool(name: str, mask: Any) -> Any:
    """A mask of bytes as one of bools, with a warning; any other as it is."""
    if mask is None or mask.dtype != torch.uint8:
        return mask
    warnings.warn(
        f"Byte tensor for `{name}` in `nn.MultiheadAttention` is deprecated. Use bool tensor "
        "instead.",
        stacklevel=4,
    )
    return mask.to(torch.bool)


def _checked_mask(mask: Any, heads: int, query: Any, key: Any) -> Any:
    """A mask of weights with three dimensions. Raises for another dtype or size."""
    mask = _as_bool("attn_mask", mask)
    if mask is None:
        return None
    if not mask.is_floating_point() and mask.dtype != torch.bool:
        raise AssertionError(
            f"Only float and bool types are supported for attn_mask, not {mask.dtype}"
        )
    sizes = [query.size(0), key.size(0)]
    if mask.dim() == 2:
        mask = mask.unsqueeze(0)
        if list(mask.size()) != [1, *sizes]:
            raise RuntimeError("The size of the 2D attn_mask is not correct.")
    elif mask.dim() == 3:
        if list(mask.size()) != [heads, *sizes]:
            raise RuntimeError("The size of the 3D attn_mask is not correct.")
    else:
        raise RuntimeError(f"attn_mask's dimension {mask.dim()} is not supported")
    return mask


def _check_padding(mask: Any, batch: int, keys: int) -> None:
    for dim, size in enumerate((batch, keys)):
        if mask.size(dim) != size:
            raise AssertionError(
                f"key_padding_mask.size({dim}) must be {size}, got {mask.size(dim)}"
            )


def _longer(mask: Any) -> Any:
    """A mask that lets one more key pass."""
    return None if mask is None else F.pad(mask, (0, 1))

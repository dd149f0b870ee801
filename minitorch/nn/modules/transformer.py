"""Transformers. Vaswani and others, https://arxiv.org/abs/1706.03762."""

from __future__ import annotations

import copy
import functools
import warnings
from collections.abc import Callable
from typing import Any

from minitorch import is_grad_enabled
from minitorch.core.base.formulas import OPS
from minitorch.core.base.naming import named_by_subclasses
from minitorch.core.declare.protocols.torch_function import is_taken_over
from minitorch.nested.prototype import warn_prototype
from minitorch.nn import functional as F
from minitorch.nn.init import xavier_uniform_
from minitorch.nn.modules.activation import GELU, ReLU
from minitorch.nn.modules.container import ModuleList
from minitorch.nn.modules.dropout import Dropout
from minitorch.nn.modules.linear import Linear
from minitorch.nn.modules.module import Module
from minitorch.nn.modules.multihead_attention import MultiheadAttention
from minitorch.nn.modules.normalization import LayerNorm

__all__ = (
    "Transformer TransformerDecoder TransformerDecoderLayer TransformerEncoder "
    "TransformerEncoderLayer"
).split()

_ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu}


def _causal_mask(size: int, device: Any = None, dtype: Any = None) -> Any:
    return OPS.triu(OPS.full((size, size), float("-inf"), dtype=dtype, device=device), diagonal=1)


def _detect_is_causal_mask(mask: Any, is_causal: bool | None, x: Any, batch_first: bool) -> bool:
    """Whether a mask hides what comes later, and that alone; where `is_causal` does not say."""
    if is_causal is not None or mask is None:
        return is_causal is True
    size = x.size(1 if batch_first and x.dim() != 2 else 0)
    causal = _causal_mask(size, mask.device, mask.dtype)
    return mask.size() == causal.size() and bool((mask == causal).all())


def _get_activation_fn(activation: Any) -> Callable[[Any], Any]:
    if not isinstance(activation, str):
        return activation
    if activation not in _ACTIVATIONS:
        raise RuntimeError(f"activation should be relu/gelu, not {activation}")
    return _ACTIVATIONS[activation]


def _get_clones(module: Module, count: int) -> ModuleList:
    return ModuleList([copy.deepcopy(module) for _ in range(count)])


@named_by_subclasses("__init__")
class _Layer(Module):
    """The base of encoder and decoder layers: attentions and a feed-forward block, each with a norm
    and a dropout."""

    _attention_names: tuple[str, ...]

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        options = {"bias": bias, "device": device, "dtype": dtype}
        for name in self._attention_names:
            attention = MultiheadAttention(
                d_model, nhead, dropout=dropout, batch_first=batch_first, **options
            )
            setattr(self, name, attention)
        self.linear1 = Linear(d_model, dim_feedforward, **options)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **options)
        self.norm_first = norm_first
        blocks = range(1, len(self._attention_names) + 2)
        for i in blocks:
            setattr(self, f"norm{i}", LayerNorm(d_model, eps=layer_norm_eps, **options))
        for i in blocks:
            setattr(self, f"dropout{i}", Dropout(dropout))
        called = _get_activation_fn(activation)
        self._note_activation(called)
        self.activation = called

    def _note_activation(self, activation: Any) -> None:
        """Notes what a layer keeps of its activation besides."""

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({"activation": F.relu, **state})

    def _feed_block(self, x: Any) -> Any:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))

    def _sa_block(
        self, x: Any, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False
    ) -> Any:
        attended = self._attention_block(
            self.self_attn, x, x, attn_mask, key_padding_mask, is_causal
        )
        return self.dropout1(attended)

    @staticmethod
    def _attention_block(
        module: Any, x: Any, memory: Any, mask: Any, padding: Any, causal: bool
    ) -> Any:
        return module(
            x,
            memory,
            memory,
            attn_mask=mask,
            key_padding_mask=padding,
            need_weights=False,
            is_causal=causal,
        )[0]


class TransformerEncoderLayer(_Layer):
    """Self-attention and a feed-forward network, each added to its input.

    Args:
        d_model: E, the size of input and output; a multiple of `nhead`.
        nhead: the number of heads of each attention.
        dim_feedforward: the size between the two Linears.
        dropout: the chance with which numbers are dropped while training, in every part.
        activation: what stands between the Linears: 'relu', 'gelu', or a function of a Tensor.
        layer_norm_eps: what the norms add to the variance.
        batch_first: whether the batch is dimension 0 of inputs and output, instead of 1.
        norm_first: whether a norm stands before each part, instead of after the sum.
        bias: whether Linears, projections and norms have biases.
        device, dtype: of the parameters.

    Shape:
        src and output: (S, N, E); (N, S, E) if `batch_first`; (S, E) without a batch.
        src_mask: (S, S) or (N * nhead, S, S). src_key_padding_mask: (N, S) or (S). True hides a
            key; a floating-point mask is added to the scores.

    Attributes:
        self_attn: a MultiheadAttention.
        linear1, linear2: Linears from E to dim_feedforward and back.
        norm1, norm2: LayerNorms of E.
        dropout, dropout1, dropout2: Dropouts.

    Raises:
        AssertionError: if `nhead` does not divide `d_model`.
        RuntimeError: for an `activation` of another name.

    As torch.nn.TransformerEncoderLayer. Vaswani et al., https://arxiv.org/abs/1706.03762.
    """

    __constants__ = ["norm_first"]

    _attention_names = ("self_attn",)

    @functools.wraps(_Layer.__init__)
    def _note_activation(self, activation: Any) -> None:
        known = ((1, F.relu, ReLU), (2, F.gelu, GELU))
        self.activation_relu_or_gelu = next(
            (n for n, f, cls in known if activation is f or isinstance(activation, cls)),
            0,
        )

    def forward(
        self,
        src: Any,
        src_mask: Any = None,
        src_key_padding_mask: Any = None,
        is_causal: bool = False,
    ) -> Any:
        padding = F._canonical_mask(
            src_key_padding_mask,
            "src_key_padding_mask",
            F._none_or_dtype(src_mask),
            "src_mask",
            src.dtype,
        )
        mask = F._canonical_mask(src_mask, "src_mask", None, "", src.dtype, False)
        x = src
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), mask, padding, is_causal)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(x + self._sa_block(x, mask, padding, is_causal))
        return self.norm2(x + self._ff_block(x))

    def _ff_block(self, x: Any) -> Any:
        return self.dropout2(self._feed_block(x))


class TransformerDecoderLayer(_Layer):
    """Self-attention, attention to a memory, and a network that is fed forward.

    Args:
        d_model: E, the size of input and output; a multiple of `nhead`.
        nhead: the number of heads of each attention.
        dim_feedforward: the size between the two Linears.
        dropout: the chance with which numbers are dropped while training, in every part.
        activation: what stands between the Linears: 'relu', 'gelu', or a function of a Tensor.
        layer_norm_eps: what the norms add to the variance.
        batch_first: whether the batch is dimension 0 of inputs and output, instead of 1.
        norm_first: whether a norm stands before each part, instead of after the sum.
        bias: whether Linears, projections and norms have biases.
        device, dtype: of the parameters.

    Shape:
        tgt and output: (T, N, E); (N, T, E) if `batch_first`; (T, E) without a batch. memory:
            likewise, with S for T.
        tgt_mask: (T, T) or (N * nhead, T, T). memory_mask: (T, S) or (N * nhead, T, S).
        tgt_key_padding_mask: (N, T) or (T). memory_key_padding_mask: (N, S) or (S). True hides a
            key; a floating-point mask is added to the scores.

    Attributes:
        self_attn, multihead_attn: MultiheadAttentions, to the input and to the memory.
        linear1, linear2: Linears from E to dim_feedforward and back.
        norm1, norm2, norm3: LayerNorms of E.
        dropout, dropout1, dropout2, dropout3: Dropouts.

    Raises:
        AssertionError: if `nhead` does not divide `d_model`.
        RuntimeError: for an `activation` of another name.

    As torch.nn.TransformerDecoderLayer. Vaswani et al., https://arxiv.org/abs/1706.03762.
    """

    __constants__ = ["norm_first"]

    _attention_names = ("self_attn", "multihead_attn")

    def forward(
        self,
        tgt: Any,
        memory: Any,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Any:
        own = (tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        other = (memory_mask, memory_key_padding_mask, memory_is_causal)
        x = tgt
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), *own)
            x = x + self._mha_block(self.norm2(x), memory, *other)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(x + self._sa_block(x, *own))
        x = self.norm2(x + self._mha_block(x, memory, *other))
        return self.norm3(x + self._ff_block(x))

    def _mha_block(
        self, x: Any, mem: Any, attn_mask: Any, key_padding_mask: Any, is_causal: bool = False
    ) -> Any:
        attention = self.multihead_attn
        return self.dropout2(
            self._attention_block(attention, x, mem, attn_mask, key_padding_mask, is_causal)
        )

    def _ff_block(self, x: Any) -> Any:
        return self.dropout3(self._feed_block(x))


class TransformerEncoder(Module):
    """Layers of an encoder, one after another, and a norm at the end if there is one.

    Args:
        encoder_layer: a TransformerEncoderLayer, of which each layer is a copy, with its numbers.
        num_layers: the number of copies.
        norm: a module for the output; None for none.
        enable_nested_tensor: whether padding is left out in evaluation without gradients: it
            becomes zeros in the output then. Warns if the layer is not one that torch has a fast
            path for.
        mask_check: whether that is done only for masks that hide ends of sequences.

    Shape:
        As of the layer: src and output (S, N, E), mask (S, S), src_key_padding_mask (N, S).

    Attributes:
        layers: a ModuleList of the copies.

    As torch.nn.TransformerEncoder.
    """

    __constants__ = ["norm"]

    def __init__(
        self,
        encoder_layer: Any,
        num_layers: int,
        norm: Any = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__()
        self.layers = _get_clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.use_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        why = _why_no_fast_path(encoder_layer)
        if enable_nested_tensor and why:
            warnings.warn(
                "enable_nested_tensor is True, but self.use_nested_tensor is False because "
                f"encoder_layer{why}",
                stacklevel=2,
            )
            self.use_nested_tensor = False

    def forward(
        self,
        src: Any,
        mask: Any = None,
        src_key_padding_mask: Any = None,
        is_causal: bool | None = None,
    ) -> Any:
        padding = F._canonical_mask(
            src_key_padding_mask,
            "src_key_padding_mask",
            F._none_or_dtype(mask),
            "mask",
            src.dtype,
        )
        mask = F._canonical_mask(mask, "mask", None, "", src.dtype, False)
        x = src
        causal = _detect_is_causal_mask(mask, is_causal, src, self.layers[0].self_attn.batch_first)
        for layer in self.layers:
            x = layer(x, src_mask=mask, is_causal=causal, src_key_padding_mask=padding)
        if mask is None and padding is not None:
            hidden = padding != 0
            if self._drops_padding(src, hidden):
                warn_prototype()  # torch computes nested tensors
                x = x.masked_fill(hidden.unsqueeze(-1), 0.0)
        return x if self.norm is None else self.norm(x)

    def _drops_padding(self, src: Any, hidden: Any) -> bool:
        """Whether torch skips padding here, and returns zeros in its place."""
        first = self.layers[0]
        if not self.use_nested_tensor or first.training or src.dim() != 3:
            return False
        aligned = bool((hidden[:, 1:] >= hidden[:, :-1]).all())
        if getattr(self, "mask_check", True) and not aligned:
            return False
        tensors = (src, *first.parameters())
        if is_taken_over(tensors):
            return False
        return not (is_grad_enabled() and any(each.requires_grad for each in tensors))


def _why_no_fast_path(layer: Any) -> str:
    """Why torch has no fast path for an encoder of such layers; nothing where it has one."""
    if not isinstance(layer, TransformerEncoderLayer):
        return " was not TransformerEncoderLayer"
    attention = layer.self_attn
    if layer.norm_first:
        return ".norm_first was True"
    if not attention.batch_first:
        return (
            ".self_attn.batch_first was not True(use batch_first for better inference performance)"
        )
    if not attention._qkv_same_embed_dim:
        return ".self_attn._qkv_same_embed_dim was not True"
    if attention.in_proj_bias is None:
        return ".self_attn was passed bias=False"
    if not layer.activation_relu_or_gelu:
        return ".activation_relu_or_gelu was not True"
    if layer.norm1.eps != layer.norm2.eps:
        return ".norm1.eps was not equal to encoder_layer.norm2.eps"
    return ".self_attn.num_heads is odd" if attention.num_heads % 2 == 1 else ""


class TransformerDecoder(Module):
    """Layers of a decoder, one after another, and a norm at the end if there is one.

    Args:
        decoder_layer: a TransformerDecoderLayer, of which each layer is a copy, with its numbers.
        num_layers: the number of copies.
        norm: a module for the output; None for none.

    Shape:
        As of the layer: tgt and output (T, N, E), memory (S, N, E), and the masks.

    Attributes:
        layers: a ModuleList of the copies.

    As torch.nn.TransformerDecoder.
    """

    __constants__ = ["norm"]

    def __init__(self, decoder_layer: Any, num_layers: int, norm: Any = None) -> None:
        super().__init__()
        self.layers = _get_clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(
        self,
        tgt: Any,
        memory: Any,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Any:
        x = tgt
        causal = _detect_is_causal_mask(
            tgt_mask, tgt_is_causal, tgt, self.layers[0].self_attn.batch_first
        )
        for layer in self.layers:
            x = layer(
                x,
                memory,
                tgt_mask=tgt_mask,
                memory_mask=memory_mask,
                tgt_key_padding_mask=tgt_key_padding_mask,
                memory_key_padding_mask=memory_key_padding_mask,
                tgt_is_causal=causal,
                memory_is_causal=memory_is_causal,
            )
        return x if self.norm is None else self.norm(x)


class Transformer(Module):
    """An encoder, and a decoder that attends to the encoder's output.

    Args:
        d_model: E, the size of inputs and output; a multiple of `nhead`.
        nhead: the number of heads of each attention.
        num_encoder_layers, num_decoder_layers: the numbers of layers.
        dim_feedforward: the size between the two Linears of a layer.
        dropout: the chance with which numbers are dropped while training, in every part.
        activation: what stands between the Linears: 'relu', 'gelu', or a function of a Tensor.
        custom_encoder, custom_decoder: modules in the place of the usual ones; None for those.
        layer_norm_eps: what the norms add to the variance.
        batch_first: whether the batch is dimension 0 of inputs and output, instead of 1.
        norm_first: whether a norm stands before each part of a layer, instead of after the sum.
        bias: whether Linears, projections and norms have biases.
        device, dtype: of the parameters.

    Shape:
        src: (S, N, E). tgt and output: (T, N, E). With the batch first if `batch_first`, or without
            it.
        src_mask: (S, S). tgt_mask: (T, T). memory_mask: (T, S). Each may have N * nhead before.
        src_key_padding_mask, memory_key_padding_mask: (N, S). tgt_key_padding_mask: (N, T). True
            hides a key; a floating-point mask is added to the scores.

    Attributes:
        encoder: a TransformerEncoder with a LayerNorm at the end.
        decoder: a TransformerDecoder with a LayerNorm at the end.
        Parameters of more than one dimension are drawn by `xavier_uniform_`.

    Raises:
        AssertionError: if `nhead` does not divide `d_model`.
        RuntimeError: for an `activation` of another name; at the call, if src and tgt have batches
            of other sizes, or another size than E.

    As torch.nn.Transformer. Vaswani et al., https://arxiv.org/abs/1706.03762.
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: Any = F.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        options = {"bias": bias, "device": device, "dtype": dtype}
        shape = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps)
        order = (batch_first, norm_first)
        self.encoder = custom_encoder
        if custom_encoder is None:
            layer = TransformerEncoderLayer(*shape, *order, **options)
            norm = LayerNorm(d_model, eps=layer_norm_eps, **options)
            self.encoder = TransformerEncoder(layer, num_encoder_layers, norm)
        self.decoder = custom_decoder
        if custom_decoder is None:
            layer = TransformerDecoderLayer(*shape, *order, **options)
            norm = LayerNorm(d_model, eps=layer_norm_eps, **options)
            self.decoder = TransformerDecoder(layer, num_decoder_layers, norm)
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def forward(
        self,
        src: Any,
        tgt: Any,
        src_mask: Any = None,
        tgt_mask: Any = None,
        memory_mask: Any = None,
        src_key_padding_mask: Any = None,
        tgt_key_padding_mask: Any = None,
        memory_key_padding_mask: Any = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Any:
        at = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(at) != tgt.size(at):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(
            src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal
        )
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Any:
        """A mask that hides what comes later: -inf above the diagonal, 0 elsewhere.

        Args:
            sz: the length T of the sequence; the mask is (T, T).
            device, dtype: of the mask.
        """
        return _causal_mask(sz, device, dtype)

    def _reset_parameters(self) -> None:
        for param in self.parameters():
            if param.dim() > 1:
                xavier_uniform_(param)

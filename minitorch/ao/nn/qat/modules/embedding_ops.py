"""torch.ao.nn.qat.modules.embedding_ops: tables of vectors that are rounded in training."""

from __future__ import annotations

from typing import Any

import minitorch as torch
from minitorch import nn
from minitorch.ao.nn.qat.modules._qconfigs import check_float, check_given, check_table
from minitorch.nn import functional as F

__all__ = ["Embedding", "EmbeddingBag"]


def _check_class(cls: Any, mod: Any, name: str) -> None:
    if type(mod) is not cls._FLOAT_MODULE:
        raise AssertionError(
            f" qat.{cls.__name__}.from_float only works for {cls._FLOAT_MODULE.__name__}"
        )
    check_float(mod)
    check_table(mod.qconfig, name)


class Embedding(nn.Embedding):
    """nn.Embedding whose vectors are rounded to grids of their own at each call.

    Args:
        num_embeddings, embedding_dim: the number of vectors, and their size.
        padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse, _weight: as of nn.Embedding.
        device, dtype: of the table.
        qconfig: the QConfig that rounds it.

    Raises:
        AssertionError: without a QConfig, or for another scheme than one with zeros of float.

    As torch.ao.nn.qat.Embedding.
    """

    _FLOAT_MODULE: Any = nn.Embedding

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: Any = None,
        max_norm: Any = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Any = None,
        device: Any = None,
        dtype: Any = None,
        qconfig: Any = None,
    ) -> None:
        factory_kwargs = {"device": device, "dtype": dtype}
        super().__init__(
            num_embeddings,
            embedding_dim,
            padding_idx,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            sparse,
            _weight,
            **factory_kwargs,
        )
        check_given(qconfig)
        check_table(qconfig, "Embedding")
        self.qconfig = qconfig
        self.weight_fake_quant = qconfig.weight(factory_kwargs=factory_kwargs)

    def forward(self, input: Any) -> Any:
        """The rounded vectors of the entries of `input`."""
        return F.embedding(
            input,
            self.weight_fake_quant(self.weight),
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.sparse,
        )

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """A layer with the table of a plain one, which has a QConfig.

        Args:
            mod: the plain layer.
            use_precomputed_fake_quant: not used.
        """
        _check_class(cls, mod, "Embedding")
        return cls(
            mod.num_embeddings,
            mod.embedding_dim,
            mod.padding_idx,
            mod.max_norm,
            mod.norm_type,
            mod.scale_grad_by_freq,
            mod.sparse,
            mod.weight,
            qconfig=mod.qconfig,
        )

    def to_float(self) -> Any:
        """A plain layer with the numbers of this one."""
        plain = torch.nn.Embedding(
            self.num_embeddings,
            self.embedding_dim,
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.sparse,
            None,
        )
        plain.weight = torch.nn.Parameter(self.weight.detach())
        plain.train(self.training)
        return plain


class EmbeddingBag(nn.EmbeddingBag):
    """nn.EmbeddingBag whose vectors are rounded to grids of their own at each call.

    Args:
        num_embeddings, embedding_dim: the number of vectors, and their size.
        max_norm, norm_type, scale_grad_by_freq, mode, sparse, _weight, include_last_offset,
            padding_idx: as of nn.EmbeddingBag.
        qconfig: the QConfig that rounds the table.
        device, dtype: of the table.

    Raises:
        AssertionError: without a QConfig, or for another scheme than one with zeros of float.

    As torch.ao.nn.qat.EmbeddingBag.
    """

    _FLOAT_MODULE: Any = nn.EmbeddingBag

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: Any = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Any = None,
        include_last_offset: bool = False,
        padding_idx: Any = None,
        qconfig: Any = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        factory_kwargs = {"device": device, "dtype": dtype}
        super().__init__(
            num_embeddings,
            embedding_dim,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            mode,
            sparse,
            _weight,
            include_last_offset,
            padding_idx,
            **factory_kwargs,
        )
        check_given(qconfig)
        check_table(qconfig, "Embedding Bag")
        self.qconfig = qconfig
        self.weight_fake_quant = qconfig.weight(factory_kwargs=factory_kwargs)

    def forward(self, input: Any, offsets: Any = None, per_sample_weights: Any = None) -> Any:
        """The sums, means or largest entries of the rounded vectors of each bag."""
        return F.embedding_bag(
            input,
            self.weight_fake_quant(self.weight),
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """A layer with the table of a plain one, which has a QConfig.

        Args:
            mod: the plain layer.
            use_precomputed_fake_quant: not used.
        """
        _check_class(cls, mod, "Embedding Bag")
        return cls(
            mod.num_embeddings,
            mod.embedding_dim,
            mod.max_norm,
            mod.norm_type,
            mod.scale_grad_by_freq,
            mod.mode,
            mod.sparse,
            mod.weight,
            mod.include_last_offset,
            mod.padding_idx,
            qconfig=mod.qconfig,
        )

    def to_float(self) -> Any:
        """A plain layer with the numbers of this one."""
        plain = torch.nn.EmbeddingBag(
            self.num_embeddings,
            self.embedding_dim,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            None,
            self.include_last_offset,
            self.padding_idx,
        )
        plain.weight = torch.nn.Parameter(self.weight.detach())
        plain.train(self.training)
        return plain

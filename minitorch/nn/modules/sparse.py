"""Embedding: rows of a table by index; EmbeddingBag: their sums, means and maxima."""

from __future__ import annotations

from typing import Any

from minitorch.autograd.grad_mode import no_grad
from minitorch.core.base.formulas import OPS
from minitorch.core.tensor.parameter import Parameter
from minitorch.nn import functional as F
from minitorch.nn import init
from minitorch.nn.modules.module import Module

__all__ = ["Embedding", "EmbeddingBag"]


class Embedding(Module):
    """weight[input], where `input` holds indices of any shape.

    Args:
        num_embeddings: the number of rows.
        embedding_dim: the size of a row.
        padding_idx: a row that starts as zeros and gets no gradient; None for no such row.
        max_norm: rows longer than that are scaled down, in the weight itself, when they are looked
            up; None for not.
        norm_type: the exponent p of the norm of `max_norm`.
        scale_grad_by_freq: whether a row's gradient is divided by how often it is looked up in a
            call.
        sparse: whether the weight's gradient is a sparse Tensor.
        device, dtype: of the weight.

    Shape:
        Input: (*), int64 or int32. Output: (*, embedding_dim).

    Attributes:
        weight: (num_embeddings, embedding_dim), standard normal; zeros in the row `padding_idx`.

    Raises:
        AssertionError: if `padding_idx` is none of the rows.
        IndexError: at the call, for an index that is none of the rows.
        RuntimeError: at the call, for indices of another dtype.

    As torch.nn.Embedding.
    """

    __constants__ = [
        "num_embeddings",
        "embedding_dim",
        "padding_idx",
        "max_norm",
        "norm_type",
        "scale_grad_by_freq",
        "sparse",
    ]

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Any = None,
        _freeze: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        if padding_idx is not None:
            if padding_idx > 0 and padding_idx >= num_embeddings:
                raise AssertionError("Padding_idx must be within num_embeddings")
            if padding_idx < 0:
                if padding_idx < -num_embeddings:
                    raise AssertionError("Padding_idx must be within num_embeddings")
                padding_idx += num_embeddings
        self.padding_idx = padding_idx
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        if _weight is None:
            weight = OPS.empty((num_embeddings, embedding_dim), device=device, dtype=dtype)
            self.weight = Parameter(weight, requires_grad=not _freeze)
            self.reset_parameters()
        else:
            if list(_weight.shape) != [num_embeddings, embedding_dim]:
                raise AssertionError(
                    "Shape of weight does not match num_embeddings and embedding_dim"
                )
            self.weight = Parameter(_weight, requires_grad=not _freeze)
        self.sparse = sparse

    def reset_parameters(self) -> None:
        """Draws the table anew."""
        init.normal_(self.weight)
        self._fill_padding_idx_with_zero()

    def _fill_padding_idx_with_zero(self) -> None:
        if self.padding_idx is not None:
            with no_grad():
                self.weight[self.padding_idx].fill_(0)

    def forward(self, input: Any) -> Any:
        return F.embedding(
            input,
            self.weight,
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.sparse,
        )

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.padding_idx is not None:
            text += f", padding_idx={self.padding_idx}"
        if self.max_norm is not None:
            text += f", max_norm={self.max_norm}"
        if self.norm_type != 2:
            text += f", norm_type={self.norm_type}"
        if self.scale_grad_by_freq is not False:
            text += f", scale_grad_by_freq={self.scale_grad_by_freq}"
        if self.sparse is not False:
            text += ", sparse=True"
        return text

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Any,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> Embedding:
        """An Embedding of the rows of `embeddings`, not trained if freeze.

        Args:
            embeddings: (num_embeddings, embedding_dim), which becomes the weight without a copy.
            freeze: whether the weight requires no gradient.
            padding_idx, max_norm, norm_type, scale_grad_by_freq, sparse: as of the class. The row
                `padding_idx` keeps its numbers.

        Raises:
            AssertionError: if `embeddings` has not two dimensions.
        """
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        return cls(
            rows,
            columns,
            padding_idx,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            sparse,
            _weight=embeddings,
            _freeze=freeze,
        )


class EmbeddingBag(Module):
    """The sum, mean or maximum of the rows of `weight` in each bag of indices.

    Called with `per_sample_weights`, of the input's shape, it multiplies each row by its weight;
    with the mode 'sum' alone.

    Args:
        num_embeddings: the number of rows.
        embedding_dim: the size of a row.
        max_norm: rows longer than that are scaled down, in the weight itself, when they are looked
            up; None for not.
        norm_type: the exponent p of the norm of `max_norm`.
        scale_grad_by_freq: whether a row's gradient is divided by how often it is looked up in a
            call. Not with 'max'.
        mode: 'sum', 'mean' or 'max'.
        sparse: whether the weight's gradient is a sparse Tensor. Not with 'max'.
        include_last_offset: whether `offsets` has one entry more, the end of the last bag.
        padding_idx: a row that starts as zeros, and counts for nothing; None for no such row.
        device, dtype: of the weight.

    Shape:
        Input: (B, n), B bags of n indices; or (n) with `offsets`, (B), where bags begin.
        Output: (B, embedding_dim). An empty bag gives zeros.

    Attributes:
        weight: (num_embeddings, embedding_dim), standard normal; zeros in the row `padding_idx`.

    Raises:
        AssertionError: if `padding_idx` is none of the rows.
        ValueError: at the call, for an unknown mode, what 'max' does not take, or `offsets` with
            two dimensions of input, or none with one.
        RuntimeError: at the call, for an index that is none of the rows.
        NotImplementedError: at the call, for `per_sample_weights` in another mode than 'sum'.

    As torch.nn.EmbeddingBag.
    """

    __constants__ = [
        "num_embeddings",
        "embedding_dim",
        "max_norm",
        "norm_type",
        "scale_grad_by_freq",
        "mode",
        "sparse",
        "include_last_offset",
        "padding_idx",
    ]

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Any = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        if padding_idx is not None:
            if not -num_embeddings <= padding_idx < max(num_embeddings, 1):
                raise AssertionError("padding_idx must be within num_embeddings")
            padding_idx += num_embeddings if padding_idx < 0 else 0
        self.padding_idx = padding_idx
        if _weight is None:
            weight = OPS.empty((num_embeddings, embedding_dim), device=device, dtype=dtype)
            self.weight = Parameter(weight)
            self.reset_parameters()
        else:
            if list(_weight.shape) != [num_embeddings, embedding_dim]:
                raise AssertionError(
                    "Shape of weight does not match num_embeddings and embedding_dim"
                )
            self.weight = Parameter(_weight)
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset

    reset_parameters = Embedding.reset_parameters
    _fill_padding_idx_with_zero = Embedding._fill_padding_idx_with_zero

    def forward(self, input: Any, offsets: Any = None, per_sample_weights: Any = None) -> Any:
        return F.embedding_bag(
            input,
            self.weight,
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

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        if self.max_norm is not None:
            text += f", max_norm={self.max_norm!r}"
        if self.norm_type != 2:
            text += f", norm_type={self.norm_type!r}"
        if self.scale_grad_by_freq is not False:
            text += f", scale_grad_by_freq={self.scale_grad_by_freq!r}"
        text += f", mode={self.mode!r}"
        if self.padding_idx is not None:
            text += f", padding_idx={self.padding_idx!r}"
        return text

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Any,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> EmbeddingBag:
        """An EmbeddingBag of the rows of `embeddings`, not trained if freeze.

        Args:
            embeddings: (num_embeddings, embedding_dim), which becomes the weight without a copy.
            freeze: whether the weight requires no gradient.
            max_norm, norm_type, scale_grad_by_freq, mode, sparse, include_last_offset, padding_idx:
                as of the class. The row `padding_idx` keeps its numbers.

        Raises:
            AssertionError: if `embeddings` has not two dimensions.
        """
        if embeddings.dim() != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        made = cls(
            *embeddings.shape,
            max_norm,
            norm_type,
            scale_grad_by_freq,
            mode,
            sparse,
            embeddings,
            include_last_offset,
            padding_idx,
        )
        made.weight.requires_grad = not freeze
        return made

"""torch.ao.pruning.sparsifier.weight_norm_sparsifier: zeros in the blocks of the least norms."""

from __future__ import annotations

import math
from typing import Any

import minitorch as torch
from minitorch.ao.pruning.sparsifier.base_sparsifier import BaseSparsifier
from minitorch.nn import functional as F

__all__ = ["WeightNormSparsifier"]


def _flat_idx_to_2d(idx: Any, shape: Any) -> tuple[Any, Any]:
    return idx // shape[1], idx % shape[1]


class WeightNormSparsifier(BaseSparsifier):
    """Makes the blocks of a matrix zero whose elements have the least norms.

    Args:
        sparsity_level: the share of blocks in which there are zeros.
        sparse_block_shape: rows and columns of a block.
        zeros_per_block: how many elements of such a block are zero; None for all.
        norm: 1, 2, or a function of a tensor that returns one of the same shape; None for 2.

    Raises:
        NotImplementedError: for another norm.

    As torch.ao.pruning.WeightNormSparsifier.
    """

    def __init__(
        self,
        sparsity_level: float = 0.5,
        sparse_block_shape: tuple[int, int] = (1, 4),
        zeros_per_block: int | None = None,
        norm: Any = None,
    ) -> None:
        if zeros_per_block is None:
            zeros_per_block = math.prod(sparse_block_shape)
        if callable(norm):
            self.norm_fn = norm
        elif norm == 1:
            self.norm_fn = lambda T: T.abs()
        elif norm is None or norm == 2:
            self.norm_fn = lambda T: T * T
        else:
            raise NotImplementedError(f"L-{norm} is not yet implemented.")
        super().__init__(
            defaults={
                "sparsity_level": sparsity_level,
                "sparse_block_shape": sparse_block_shape,
                "zeros_per_block": zeros_per_block,
            }
        )

    def _scatter_fold_block_mask(
        self,
        output_shape: Any,
        dim: int,
        indices: Any,
        block_shape: Any,
        mask: Any = None,
        input_shape: Any = None,
        device: Any = None,
    ) -> Any:
        """A mask with zeros at places in columns of blocks, put together as a matrix."""
        if mask is None:
            if input_shape is None:
                raise AssertionError("input_shape must be provided when mask is None")
            mask = torch.ones(input_shape, device=device)
        mask.scatter_(dim=dim, index=indices, value=0)
        mask.data = F.fold(
            mask, output_size=output_shape, kernel_size=block_shape, stride=block_shape
        )
        return mask

    def _make_tensor_mask(
        self,
        data: Any,
        input_shape: Any,
        sparsity_level: float,
        sparse_block_shape: tuple[int, int],
        mask: Any = None,
    ) -> Any:
        """The mask with zeros in the share of blocks that have the least means."""
        height, width, full = _padded(data, sparse_block_shape)
        if mask is None:
            mask = torch.ones(full, device=data.device)
        if sparsity_level >= 1.0:
            mask.data = torch.zeros_like(mask)
            return mask
        if sparsity_level <= 0.0:
            mask.data = torch.ones_like(mask)
            return mask
        count = math.prod(sparse_block_shape)
        if count > 1:  # the means of blocks
            data = F.avg_pool2d(
                data[None, None, :],
                kernel_size=sparse_block_shape,
                stride=sparse_block_shape,
                ceil_mode=True,
            )
        data = data.flatten()
        blocks = len(data)
        data = data.repeat(1, count, 1)
        chosen = max(0, min(blocks - 1, round(sparsity_level * blocks)))
        _, places = torch.topk(data, k=chosen, dim=2, largest=False)
        columns = mask.reshape(data.shape)
        self._scatter_fold_block_mask(
            dim=2,
            output_shape=full,
            indices=places,
            block_shape=sparse_block_shape,
            mask=columns,
        )
        whole = columns.squeeze().reshape(mask.shape)
        mask.data = whole[:height, :width].contiguous()
        return mask

    def _make_block_mask(
        self,
        data: Any,
        sparse_block_shape: tuple[int, int],
        zeros_per_block: int,
        mask: Any = None,
    ) -> Any:
        """The mask with zeros at the least elements of each block."""
        height, width, full = _padded(data, sparse_block_shape)
        if mask is None:
            mask = torch.ones(full, device=data.device)
        if math.prod(sparse_block_shape) == zeros_per_block:
            mask.data = torch.zeros_like(mask)
            return mask
        padded = torch.ones(*full, dtype=data.dtype, device=data.device)
        padded.fill_(torch.nan)  # which is larger than every number
        padded[:height, :width] = data
        blocks = F.unfold(
            padded[None, None, :], kernel_size=sparse_block_shape, stride=sparse_block_shape
        )
        columns = mask.reshape(blocks.shape)
        _, places = torch.topk(blocks, k=zeros_per_block, dim=1, largest=False)
        self._scatter_fold_block_mask(
            dim=1,
            indices=places,
            output_shape=padded.shape,
            block_shape=sparse_block_shape,
            mask=columns,
        )
        mask.data = columns.squeeze().reshape(mask.shape).contiguous()
        return mask

    def update_mask(  # type: ignore[override]
        self,
        module: Any,
        tensor_name: str,
        sparsity_level: float,
        sparse_block_shape: tuple[int, int],
        zeros_per_block: int,
        **kwargs: Any,
    ) -> None:
        """Masks the blocks of a tensor that have the least norms.

        Args:
            module: the module that has it.
            tensor_name: its name.
            sparsity_level: the share of blocks in which there are zeros.
            sparse_block_shape: rows and columns of a block.
            zeros_per_block: how many elements of such a block are zero.

        Raises:
            ValueError: for more zeros than a block has elements, or a negative number of them.
        """
        count = math.prod(sparse_block_shape)
        if zeros_per_block > count:
            raise ValueError(
                "Number of zeros per block cannot be more than the total number of elements in "
                "that block."
            )
        if zeros_per_block < 0:
            raise ValueError("Number of zeros per block should be positive.")
        mask = getattr(module.parametrizations, tensor_name)[0].mask
        if sparsity_level <= 0 or zeros_per_block == 0:
            mask.data = torch.ones_like(mask)
        elif sparsity_level >= 1.0 and zeros_per_block == count:
            mask.data = torch.zeros_like(mask)
        else:
            norms = self.norm_fn(getattr(module, tensor_name))
            found = self._make_tensor_mask(norms, norms.shape, sparsity_level, sparse_block_shape)
            if count != zeros_per_block:
                inner = self._make_block_mask(norms, sparse_block_shape, zeros_per_block)
                found = torch.logical_or(found, inner)
            mask.data = found


def _padded(data: Any, block: tuple[int, int]) -> tuple[int, int, tuple[int, int]]:
    """The rows and columns of a matrix, and both for whole blocks."""
    height, width = data.shape[-2:]
    full = -(-height // block[0]) * block[0], -(-width // block[1]) * block[1]
    return height, width, full

"""torch.ao.pruning.sparsifier.nearly_diagonal_sparsifier: zeros away from the diagonal."""

from __future__ import annotations

from typing import Any

import minitorch as torch
from minitorch.ao.pruning.sparsifier import base_sparsifier


class NearlyDiagonalSparsifier(base_sparsifier.BaseSparsifier):
    """Keeps the elements of matrices on the diagonal and near it.

    Args:
        nearliness: how many diagonals are kept: an odd number.

    As torch.ao.pruning.NearlyDiagonalSparsifier.
    """

    def __init__(self, nearliness: int = 1) -> None:
        super().__init__(defaults={"nearliness": nearliness})

    def update_mask(  # type: ignore[override]
        self, module: Any, tensor_name: str, nearliness: int, **kwargs: Any
    ) -> None:
        """Masks a tensor but for its diagonals.

        Args:
            module: the module that has it.
            tensor_name: its name.
            nearliness: how many diagonals are kept.

        Raises:
            ValueError: for an even number, or one that is larger than the tensor.
        """
        mask = getattr(module.parametrizations, tensor_name)[0].mask
        mask.data = torch.zeros_like(mask)
        if nearliness <= 0:
            return
        height, width = getattr(module, tensor_name).shape
        if nearliness % 2 == 0:
            raise ValueError("nearliness can only be an odd number")
        reach = nearliness // 2
        if reach >= min(height, width):
            raise ValueError("nearliness cannot be larger than the dimensions of tensor.")
        for row in range(height):
            mask[row, max(0, row - reach) : min(width, row + reach + 1)].fill_(1)

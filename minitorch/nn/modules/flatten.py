"""Flatten and Unflatten."""

from __future__ import annotations

from typing import Any

from minitorch.nn.modules.module import Module

__all__ = ["Flatten", "Unflatten"]


class Flatten(Module):
    """The dimensions from start_dim to end_dim made one; by default all but the batch.

    Args:
        start_dim, end_dim: the first and the last of the dimensions.

    Shape:
        Input: (*, n_1, ..., n_k, *). Output: (*, n_1 * ... * n_k, *).

    Raises:
        IndexError: at the call, if the input has not these dimensions.
        RuntimeError: at the call, if `start_dim` comes after `end_dim`.

    As torch.nn.Flatten.
    """

    __constants__ = ["start_dim", "end_dim"]

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        super().__init__()
        self.start_dim = start_dim
        self.end_dim = end_dim

    def forward(self, input: Any) -> Any:
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """The dimension `dim` made several, of sizes `unflattened_size`.

    Args:
        dim: the dimension.
        unflattened_size: a tuple or list of ints, of which one may be -1: the size that is left.

    Shape:
        Input: (*, n, *). Output: (*, *unflattened_size, *), whose product is n.

    Raises:
        TypeError: if `unflattened_size` is no tuple or list of ints.
        RuntimeError: at the call, if the sizes do not multiply up to n.

    As torch.nn.Unflatten.
    """

    __constants__ = ["dim", "unflattened_size"]

    def __init__(self, dim: int, unflattened_size: Any) -> None:
        super().__init__()
        if not isinstance(unflattened_size, (tuple, list)):
            raise TypeError(
                "unflattened_size must be a tuple of ints, but found type "
                f"{type(unflattened_size).__name__}"
            )
        self._require_tuple_int(unflattened_size)
        self.dim = dim
        self.unflattened_size = unflattened_size

    def _require_tuple_int(self, input: Any) -> None:
        for i, size in enumerate(input):
            if not isinstance(size, int):
                raise TypeError(
                    "unflattened_size must be tuple of ints, but found element of type "
                    f"{type(size).__name__} at pos {i}"
                )

    def forward(self, input: Any) -> Any:
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"

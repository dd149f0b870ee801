"""Layouts as torch's errors write them, and which conversions between them torch refuses.

As _to_sparse_check_arguments of ATen/native/TensorConversions.cpp.
"""

from __future__ import annotations

from typing import Any

from minitorch.core.numbers import device as devices
from minitorch.core.numbers.device import title_of as title_of
from minitorch.core.tensor.conversion import entry_of

BLOCKS = (devices.sparse_bsr, devices.sparse_bsc)
LINES = (devices.sparse_csr, devices.sparse_csc)


def layout_name(self: Any) -> str:
    """The layout of a tensor as torch's errors write it: Strided, Sparse, SparseCsr."""
    return title_of(self.layout)


def name_of(own: Any, layout: Any) -> str:
    """The conversion that takes a layout as its argument, as torch's errors name it."""
    if own is layout:
        return "to_sparse"
    names = {devices.strided: "dense_to_sparse", devices.sparse_coo: "sparse_coo_to_sparse"}
    return names.get(own, "sparse_compressed_to_sparse")


def pair_of(block: Any) -> tuple[int, ...] | None:
    """The sizes of a block, of which one number stands for both; None if there is no block."""
    if block is None:
        return None
    return (int(block),) * 2 if hasattr(block, "__index__") else tuple(map(int, block))


def check_conversion(
    self: Any, layout: Any, block: Any = None, dense_dim: int | None = None, name: str = ""
) -> None:
    """RuntimeError with torch's text for a conversion that torch does not have.

    Args:
        self: a tensor of any layout.
        layout: the one to convert to.
        block: the sizes of blocks as pair_of gives them.
        dense_dim: how many of the last dimensions are to lie in each element.
        name: of the conversion in the errors.
    """
    own = self.layout
    name = name or name_of(own, layout)
    if layout is devices._mkldnn:
        raise RuntimeError(f"{name}: unexpected source layout {title_of(own)}")
    between = f"{name}: conversion from {title_of(own)} to {title_of(layout)}"
    if own is devices.sparse_coo is not layout and self.sparse_dim() != 2:
        raise RuntimeError(f"{between} for input tensors with sparse_dim()!=2 is not supported")
    if own in LINES and layout in BLOCKS and self.dim() - self.dense_dim() > 2:
        raise RuntimeError(f"{between} for batched inputs is not supported")
    if block is not None:
        _check_block(self, layout, block, dense_dim, name, between)
    elif layout in BLOCKS:
        raise RuntimeError(f"{between} without blocksize argument given is not supported")
    if dense_dim is None:
        return
    if own is not devices.strided:
        raise RuntimeError(f"{between} with dense_dim argument given is not supported")
    to_coordinates = layout is devices.sparse_coo
    most = self.dim() if to_coordinates else self.dim() - 2
    if not 0 <= dense_dim <= most:
        raise RuntimeError(
            f"{name}: dense_dim argument must be in [0,{most}] range, but {dense_dim} is given"
        )
    if to_coordinates and self.dim() and dense_dim == self.dim():
        raise RuntimeError(f"{name}: dense_dim argument must be !=self.dim() when self.dim()>0")


def _check_block(
    self: Any, layout: Any, block: Any, dense_dim: int | None, name: str, between: str
) -> None:
    if len(block) != 2:
        raise RuntimeError(f"{name}: blocksize needs to be a tuple of size 2, but got {len(block)}")
    if min(block) <= 0:
        raise RuntimeError(f"{name}: blocksize needs to be positive, but got {list(block)}")
    if layout not in BLOCKS:
        raise RuntimeError(f"{between} with blocksize argument given is not supported")
    if self.layout in BLOCKS:
        if self._array.block != block:
            raise RuntimeError(
                f"{between} with blocksize changed from {list(self._array.block)} to "
                f"{list(block)} is not supported"
            )
        return
    dense = (dense_dim or 0) if self.layout is devices.strided else self.dense_dim()
    sizes = entry_of(self.shape, -2 - dense), entry_of(self.shape, -1 - dense)
    if sizes[0] % block[0] or sizes[1] % block[1]:
        raise RuntimeError(
            f"{name}: tensor sparse size ({sizes[0]},{sizes[1]}) must be divisible by given "
            f"blocksize ({block[0]},{block[1]})"
        )

"""Masks of attention, given by functions of indices and kept by blocks, for flex_attention."""

from __future__ import annotations

import inspect
import itertools
import math
import warnings
from collections.abc import Callable
from enum import Enum
from typing import Any, NoReturn

import minitorch as torch
from minitorch.core.tensor.tensor import Tensor

__all__ = ["BlockMask", "and_masks", "create_block_mask", "create_mask", "noop_mask", "or_masks"]

_mask_mod_signature = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]
_score_mod_signature = Callable[[Tensor, Tensor, Tensor, Tensor, Tensor], Tensor]

_DEFAULT_SPARSE_BLOCK_SIZE = 128
_LARGE_SPARSE_BLOCK_SIZE = 1 << 30


# ---- functions of indices


class _ModificationType(Enum):
    """The kind of a function of indices: it takes a score and four indices, or indices alone."""

    SCORE_MOD = 1
    MASK_MOD = 2
    UNKNOWN = 3


def _get_mod_type(fn: Any) -> _ModificationType:
    """The kind of a function of indices, by the number of its arguments without defaults."""
    if hasattr(fn, "__code__"):
        count = fn.__code__.co_argcount - len(getattr(fn, "__defaults__", None) or ())
    else:
        parameters = inspect.signature(fn).parameters.values()
        count = sum([each.default is inspect.Parameter.empty for each in parameters])
    if count not in (4, 5):
        raise AssertionError(f"Expected 4 or 5 positional args, got {count}")
    return _ModificationType.SCORE_MOD if count == 5 else _ModificationType.MASK_MOD


def _vmap_for_bhqkv(
    fn: Callable[..., Any],
    prefix: tuple[int | None, ...],
    suffix: tuple[int | None, ...] = (),
    out_dims: Any = 0,
    group_dim: bool = False,
) -> Callable[..., Any]:
    """Maps a function of (b, h, q, kv) over all indices; the result's dimensions are in this order.

    prefix: the mapped dimensions of the arguments before the indices; suffix: of those after them.
    group_dim: whether heads come in groups, as a dimension of their own.
    """
    for place in (3, 2, 1, 1, 0) if group_dim else (3, 2, 1, 0):
        mapped = tuple(0 if each == place else None for each in range(4))
        fn = torch.vmap(fn, in_dims=prefix + mapped + suffix, out_dims=out_dims)
    return fn


def _identity(
    score: Tensor, batch: Tensor, head: Tensor, token_q: Tensor, token_kv: Tensor
) -> Tensor:
    return score


def noop_mask(batch: Tensor, head: Tensor, token_q: Tensor, token_kv: Tensor) -> Tensor:
    """True at all indices: a mask function that masks nothing."""
    return batch.new_ones(size=(), dtype=torch.bool, device=batch.device)


def _sliced_mask_mod_error(
    batch: Tensor, head: Tensor, token_q: Tensor, token_kv: Tensor
) -> NoReturn:
    """Stands for the mask function of a BlockMask that was sliced, whose indices are others."""
    raise RuntimeError(
        "Cannot use mask_mod from a sliced BlockMask. When you slice a BlockMask using [], the "
        "mask_mod attribute is reset. You must set it from the original BlockMask's mask_mod.\n\n"
        "Incorrect usage:\n"
        "  base_mask = create_block_mask(my_mask_fn, ...)\n"
        "  sliced_mask = base_mask[:, :, block_idx]\n"
        "  sliced_mask.mask_mod = apply_offset(sliced_mask.mask_mod, offset)  # WRONG!\n\n"
        "Correct usage:\n"
        "  base_mask = create_block_mask(my_mask_fn, ...)\n"
        "  sliced_mask = base_mask[:, :, block_idx]\n"
        "  sliced_mask.mask_mod = apply_offset(base_mask.mask_mod, offset)  # Use base_mask!"
    )


def _check_callable(mask_mods: tuple[Any, ...]) -> None:
    if not all(map(callable, mask_mods)):
        raise RuntimeError(f"All inputs should be callable mask_mods: {mask_mods}")


def or_masks(*mask_mods: Any) -> Callable[..., Tensor]:
    """The mask function that is true where any of those given is. RuntimeError for others."""
    _check_callable(mask_mods)

    def or_mask(b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
        result = b.new_zeros((), dtype=torch.bool)
        for mask in mask_mods:
            result = result | mask(b, h, q_idx, kv_idx)
        return result

    return or_mask


def and_masks(*mask_mods: Any) -> Callable[..., Tensor]:
    """The mask function that is true where all of those given are. RuntimeError for others."""
    _check_callable(mask_mods)

    def and_mask(b: Tensor, h: Tensor, q_idx: Tensor, kv_idx: Tensor) -> Tensor:
        result = b.new_ones((), dtype=torch.bool)
        for mask in mask_mods:
            result = result & mask(b, h, q_idx, kv_idx)
        return result

    return and_mask


# ---- lists of blocks


def _ordered_to_dense(num_blocks_in_row: Tensor, col_indices: Tensor, num_cols: int) -> Tensor:
    """A matrix of int32, one where a row's list names the column.

    num_blocks_in_row: (..., rows), how much of each list counts. col_indices: (..., rows, length).
    """
    length = col_indices.shape[-1]
    listed = torch.arange(length, device=col_indices.device) < num_blocks_in_row.unsqueeze(-1)
    columns = torch.where(listed, col_indices, num_cols).long()
    dense = col_indices.new_zeros((*col_indices.shape[:-1], num_cols + 1), dtype=torch.int32)
    return dense.scatter_(-1, columns, 1)[..., :num_cols].contiguous()


def _dense_to_ordered(dense_mask: Tensor) -> tuple[Tensor, Tensor]:
    """How many columns of each row are one, and the columns, those first, as int32."""
    dense = dense_mask.to(dtype=torch.int32)
    order = torch.argsort(dense, dim=-1, descending=True, stable=True)
    kept: Any = {"memory_format": torch.contiguous_format}
    return dense.sum(dim=-1).to(torch.int32, **kept), order.to(torch.int32, **kept)


def _transpose_ordered(num_blocks_in_row: Tensor, col_indices: Tensor) -> tuple[Tensor, Tensor]:
    """The lists of the columns, from those of the rows."""
    dense = _ordered_to_dense(num_blocks_in_row, col_indices, col_indices.shape[-1])
    return _dense_to_ordered(dense.transpose(-2, -1))


def _adjust_num_blocks_and_indices(
    num_blocks: Tensor, indices: Tensor, new_num_rows: int, new_num_cols: int
) -> tuple[Tensor, Tensor]:
    indices = indices[:, :, :new_num_rows, :new_num_cols]
    num_blocks = num_blocks[:, :, :new_num_rows]
    num_blocks = torch.where(num_blocks < new_num_cols, num_blocks, new_num_cols)
    num_blocks = torch.sum(indices < num_blocks[:, :, :, None], dim=-1).to(torch.int32)
    return num_blocks, indices


class BlockMask:
    """A mask of attention by blocks: for each row of blocks, the columns that are not masked.

    kv_num_blocks, kv_indices: (B, H, rows) and (B, H, rows, columns), int32: the number of blocks
        in each row that `mask_mod` still has to be asked about, and their columns.
    full_kv_num_blocks, full_kv_indices: likewise blocks without a masked element, or None.
    q_num_blocks, q_indices, full_q_num_blocks, full_q_indices: the same blocks by columns.
    BLOCK_SIZE: rows and columns of a block. seq_lengths: of queries and of keys.
    mask_mod: the function of (b, h, q_idx, kv_idx) that says what is not masked.
    dq_write_order, dq_write_order_full, dq_kv_order, dq_kv_order_spt: the order in which a kernel
        for CUDA adds up gradients; kept for it.

    As torch/nn/attention/flex_attention.py.
    """

    __module__ = "torch.nn.attention.flex_attention"

    _TENSOR_ATTRS = (
        "kv_num_blocks kv_indices full_kv_num_blocks full_kv_indices q_num_blocks q_indices "
        "full_q_num_blocks full_q_indices dq_write_order dq_write_order_full dq_kv_order"
    ).split()
    _CONTEXT_ATTRS = ["seq_lengths", "BLOCK_SIZE", "mask_mod", "dq_kv_order_spt"]

    def __init__(
        self,
        seq_lengths: tuple[int, int],
        kv_num_blocks: Tensor,
        kv_indices: Tensor,
        full_kv_num_blocks: Tensor | None,
        full_kv_indices: Tensor | None,
        q_num_blocks: Tensor | None,
        q_indices: Tensor | None,
        full_q_num_blocks: Tensor | None,
        full_q_indices: Tensor | None,
        BLOCK_SIZE: tuple[int, int] = (_DEFAULT_SPARSE_BLOCK_SIZE, _DEFAULT_SPARSE_BLOCK_SIZE),
        mask_mod: Any = noop_mask,
        *,
        dq_write_order: Tensor | None = None,
        dq_write_order_full: Tensor | None = None,
        dq_kv_order: Tensor | None = None,
        dq_kv_order_spt: bool | None = None,
    ) -> None:
        _check_lists(kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices)
        if (full_q_num_blocks is None) != (full_q_indices is None):
            raise AssertionError(
                "full_q_num_blocks and full_q_indices must be both provided or omitted"
            )
        if dq_write_order_full is not None and dq_write_order is None:
            raise ValueError("dq_write_order_full requires dq_write_order")
        self.seq_lengths, self.BLOCK_SIZE, self.mask_mod = seq_lengths, BLOCK_SIZE, mask_mod
        self.kv_num_blocks, self.kv_indices = kv_num_blocks, kv_indices
        self.full_kv_num_blocks, self.full_kv_indices = full_kv_num_blocks, full_kv_indices
        self.q_num_blocks, self.q_indices = q_num_blocks, q_indices
        self.full_q_num_blocks, self.full_q_indices = full_q_num_blocks, full_q_indices
        self.dq_write_order, self.dq_write_order_full = dq_write_order, dq_write_order_full
        self.dq_kv_order, self.dq_kv_order_spt = dq_kv_order, dq_kv_order_spt

    @classmethod
    def from_kv_blocks(
        cls,
        kv_num_blocks: Tensor,
        kv_indices: Tensor,
        full_kv_num_blocks: Tensor | None = None,
        full_kv_indices: Tensor | None = None,
        BLOCK_SIZE: int | tuple[int, int] = _DEFAULT_SPARSE_BLOCK_SIZE,
        mask_mod: Any = None,
        seq_lengths: tuple[int, int] | None = None,
        compute_q_blocks: bool = True,
        *,
        dq_write_order: Tensor | None = None,
        dq_write_order_full: Tensor | None = None,
        dq_kv_order: Tensor | bool | None = None,
    ) -> BlockMask:
        """A mask from the lists of its rows; those of the columns are found from them.

        Args:
            seq_lengths: of queries and keys; without it, whole blocks.
            compute_q_blocks: whether the lists of the columns are wanted.

        Raises:
            RuntimeError: for lists of fewer than two dimensions.
            AssertionError: for half of the lists of full blocks.
        """
        _check_lists(kv_num_blocks, kv_indices, full_kv_num_blocks, full_kv_indices)
        if dq_kv_order is not None and not isinstance(dq_kv_order, (bool, Tensor)):
            raise ValueError("dq_kv_order must be a bool, Tensor, or None")
        by_q: list[Any] = [None] * 4
        if compute_q_blocks:
            by_q[:2] = _transpose_ordered(kv_num_blocks, kv_indices)
            if full_kv_num_blocks is not None and full_kv_indices is not None:
                by_q[2:] = _transpose_ordered(full_kv_num_blocks, full_kv_indices)
        size = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else BLOCK_SIZE
        rows, columns = kv_indices.shape[-2:]
        return cls(
            seq_lengths or (rows * size[0], columns * size[1]),
            kv_num_blocks,
            kv_indices,
            full_kv_num_blocks,
            full_kv_indices,
            *by_q,
            BLOCK_SIZE=size,
            mask_mod=noop_mask if mask_mod is None else mask_mod,
            dq_write_order=dq_write_order,
            dq_write_order_full=dq_write_order_full,
            dq_kv_order=dq_kv_order if isinstance(dq_kv_order, Tensor) else None,
            dq_kv_order_spt=dq_kv_order if isinstance(dq_kv_order, bool) else None,
        )

    def as_tuple(self, flatten: bool = True) -> tuple[Any, ...]:
        """All of its parts; lengths and block size as numbers, or as pairs unless `flatten`."""
        lengths = self.seq_lengths if flatten else (self.seq_lengths,)
        size = self.BLOCK_SIZE if flatten else (self.BLOCK_SIZE,)
        tensors = [getattr(self, name) for name in self._TENSOR_ATTRS]
        return (*lengths, *tensors, self.dq_kv_order_spt, *size, self.mask_mod)

    @property
    def shape(self) -> tuple[int, ...]:
        """(B, H, queries, keys)."""
        return (*self.kv_indices.shape[:-2], *self.seq_lengths)

    def __getitem__(self, index: Any) -> BlockMask:
        """The mask of some batches, heads and rows of blocks; its `mask_mod` has to be set anew."""
        if self.dq_kv_order is not None:
            raise NotImplementedError(
                "Slicing BlockMask with tensor dq_kv_order is not supported yet. Construct a new "
                "BlockMask with matching precomputed dq_write_order metadata."
            )
        given = index if isinstance(index, tuple) else (index,)
        padded = (*given, slice(None), slice(None), slice(None))[:3]
        sizes = self.kv_num_blocks.shape[:3]
        kept = tuple([_kept_dimension(i, n) for i, n in zip(padded, sizes, strict=True)])
        return self._of_lists(
            *[x if x is None else x[kept] for x in self._lists()],
            mask_mod=_sliced_mask_mod_error,
            seq_lengths=self.seq_lengths,
        )

    def _adjust(self, new_q_len: int, new_kv_len: int) -> BlockMask:
        """The upper left part of the mask, for sequences of other lengths."""
        if self.dq_kv_order is not None:
            raise NotImplementedError(
                "Adjusting BlockMask with tensor dq_kv_order is not supported yet. Construct a new "
                "BlockMask with matching precomputed dq_write_order metadata."
            )
        rows = -(-new_q_len // self.BLOCK_SIZE[0])
        columns = -(-new_kv_len // self.BLOCK_SIZE[1])
        lists = self._lists()
        found: list[Any] = [None] * 4
        for k in (0, 2):
            if lists[k] is not None:
                found[k : k + 2] = _adjust_num_blocks_and_indices(*lists[k : k + 2], rows, columns)
        return self._of_lists(*found, mask_mod=self.mask_mod, seq_lengths=(new_q_len, new_kv_len))

    def _lists(self) -> tuple[Any, ...]:
        return (
            self.kv_num_blocks,
            self.kv_indices,
            self.full_kv_num_blocks,
            self.full_kv_indices,
        )

    def _of_lists(self, *lists: Any, **others: Any) -> BlockMask:
        """A mask of other lists, otherwise like this one."""
        made = self.from_kv_blocks(
            *lists,
            BLOCK_SIZE=self.BLOCK_SIZE,
            compute_q_blocks=self.q_indices is not None,
            **others,
        )
        made.dq_kv_order_spt = self.dq_kv_order_spt
        if self.dq_write_order is not None:
            made.dq_write_order, made.dq_write_order_full = _compute_dq_write_order_from_block_mask(
                made, self.dq_kv_order_spt
            )
        return made

    def numel(self) -> int:
        """How many elements the mask stands for."""
        return math.prod(self.shape)

    def sparsity(self) -> float:
        """The share of elements in blocks that are masked whole, in percent."""
        blocks = self.kv_num_blocks.sum()
        if self.full_kv_num_blocks is not None:
            blocks += self.full_kv_num_blocks.sum()
        computed = blocks.item() * self.BLOCK_SIZE[0] * self.BLOCK_SIZE[1]
        return 100 * (1 - computed / self.numel())

    def to_dense(self) -> Tensor:
        """A matrix of int32 over the blocks: one where a block is not masked whole."""
        columns = self.kv_indices.shape[-1]
        dense = _ordered_to_dense(self.kv_num_blocks, self.kv_indices, columns)
        if self.full_kv_num_blocks is None or self.full_kv_indices is None:
            return dense
        columns = self.full_kv_indices.shape[-1]
        return dense | _ordered_to_dense(self.full_kv_num_blocks, self.full_kv_indices, columns)

    def to(self, device: Any) -> BlockMask:
        """The mask with its tensors on a device."""
        tensors = {name: getattr(self, name) for name in self._TENSOR_ATTRS}
        moved = {name: x if x is None else x.to(device) for name, x in tensors.items()}
        return BlockMask(
            seq_lengths=self.seq_lengths,
            BLOCK_SIZE=self.BLOCK_SIZE,
            mask_mod=self.mask_mod,
            dq_kv_order_spt=self.dq_kv_order_spt,
            **moved,
        )

    def to_string(self, grid_size: int | tuple[int, int] = (20, 20), limit: int = 4) -> str:
        """A picture of each batch and head in letters, of at most `grid_size`; `limit` pictures."""
        dense = self.to_dense()
        most = (grid_size, grid_size) if isinstance(grid_size, int) else grid_size
        shown = []
        for count, place in enumerate(itertools.product(*map(range, dense.shape[:-2]))):
            if count == limit:
                shown += [
                    "...",
                    "To print out more, set BlockMask.to_string(limit=N)",
                    _HOW_TO_CHOOSE,
                ]
                break
            shown.append(f"{place}\n{_picture(dense[place], most)}")
        return "\n".join(shown)

    def __str__(self) -> str:
        return (
            f"BlockMask(shape={self.shape}, sparsity={self.sparsity():.2f}%, \n"
            f"{self.to_string().strip()}\n)"
        )

    def __repr__(self) -> str:
        shapes = [
            f"    {name}={'None' if x is None else x.shape},\n"
            for name in self._TENSOR_ATTRS[:8]
            for x in [getattr(self, name)]
        ]
        function = getattr(self.mask_mod, "__name__", self.mask_mod)
        return (
            f"BlockMask(\n{''.join(shapes)}    BLOCK_SIZE={self.BLOCK_SIZE},\n"
            f"    shape={self.shape},\n    sparsity={self.sparsity():.2f}%,\n"
            f"    mask_mod={function}\n)"
        )


_HOW_TO_CHOOSE = "You can also index (BlockMask[batch, head]) to choose a specific batch or head"


def _check_lists(num: Any, indices: Any, full_num: Any, full_indices: Any) -> None:
    if indices.dim() < 2:
        raise RuntimeError("BlockMask must have at least 2 dimensions")
    if num is None:
        raise AssertionError("kv_num_blocks must be provided")
    if (full_num is None) != (full_indices is None):
        raise AssertionError(
            "full_kv_num_blocks and full_kv_indices must be both provided or omitted"
        )


def _kept_dimension(index: Any, size: int) -> Any:
    """An index that keeps its dimension: a number as a slice of one."""
    if not isinstance(index, int):
        return index
    start = index + size if -size <= index < 0 else index
    return slice(start, start + 1)


def _picture(dense: Tensor, most: tuple[int, int]) -> str:
    """Two letters for each group of blocks: all, some or none of them are masked."""
    rows, columns = dense.shape
    down, right = (max(1, -(-n // m)) for n, m in zip((rows, columns), most, strict=True))
    text = ""
    for r in range(0, rows, down):
        for c in range(0, columns, right):
            share = dense[r : r + down, c : c + right].float().mean().item()
            text += 2 * ("█" if share == 1 else " " if share == 0 else "░")
        text += "\n"
    return text


def _compute_dq_write_order_from_block_mask(
    block_mask: BlockMask, dq_kv_order: bool | None = False
) -> tuple[Tensor, Tensor | None]:
    """For each block by columns, which of its row it is: counted from the last if `dq_kv_order`."""
    q_indices, full_q_indices = block_mask.q_indices, block_mask.full_q_indices
    if block_mask.q_num_blocks is None or q_indices is None:
        raise ValueError("BlockMask must have q_num_blocks and q_indices to compute dq_write_order")
    num, indices, full_num, full_indices = block_mask._lists()
    columns = q_indices.shape[-2]
    dense = _ordered_to_dense(num, indices, columns)
    if full_indices is not None:
        dense = (dense + _ordered_to_dense(full_num, full_indices, columns)).clamp(max=1)
    counted = dense.cumsum(dim=-1)
    ranks = counted - dense
    if dq_kv_order:
        ranks = counted[..., -1:] - 1 - ranks
    by_column = ranks.to(torch.int32).transpose(-2, -1)

    def gathered(rows: Tensor | None) -> Tensor | None:
        if rows is None:
            return None
        inside = rows.long().clamp(0, indices.shape[-2] - 1)
        batches = torch.broadcast_shapes(by_column.shape[:2], inside.shape[:2])
        table = by_column.expand(*batches, *by_column.shape[2:])
        return table.gather(-1, inside.expand(*batches, *inside.shape[2:]))

    order = gathered(q_indices)
    assert order is not None
    return order, gathered(full_q_indices) if full_indices is not None else None


# ---- masks from functions


def _broadcast_to_dim(x: Tensor, dim: int) -> Tensor:
    while x.dim() < dim:
        x = x.unsqueeze(0)
    return x


def _round_up_to_multiple(x: int, multiple: int) -> int:
    return (x + multiple - 1) // multiple * multiple


def _convert_mask_to_block_mask(
    mask: Tensor,
    Q_BLOCK_SIZE: int = _DEFAULT_SPARSE_BLOCK_SIZE,
    KV_BLOCK_SIZE: int = _DEFAULT_SPARSE_BLOCK_SIZE,
    separate_full_blocks: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """For each block of a mask, whether it is partly true, and whether fully; None if not asked."""
    if mask.dtype != torch.bool:
        raise AssertionError(f"mask.dtype must be torch.bool, got {mask.dtype}")
    mask = _broadcast_to_dim(mask, 4)
    q, kv = mask.shape[-2:]
    missing = (
        _round_up_to_multiple(kv, KV_BLOCK_SIZE) - kv,
        _round_up_to_multiple(q, Q_BLOCK_SIZE) - q,
    )
    mask = torch.nn.functional.pad(mask, (0, missing[0], 0, missing[1]))
    rows, columns = mask.shape[-2] // Q_BLOCK_SIZE, mask.shape[-1] // KV_BLOCK_SIZE
    blocks = mask.view(*mask.shape[:2], rows, Q_BLOCK_SIZE, columns, KV_BLOCK_SIZE)
    count = blocks.permute(0, 1, 2, 4, 3, 5).sum(dim=[-2, -1])
    if not separate_full_blocks:
        return (count > 0).to(dtype=torch.int8), None
    whole = Q_BLOCK_SIZE * KV_BLOCK_SIZE
    partial = (count > 0) & (count < whole)
    return partial.to(dtype=torch.int8), (count == whole).to(dtype=torch.int8)


def _convert_block_mask_to_mask(
    block_mask: Tensor,
    KV_BLOCK_SIZE: int = _DEFAULT_SPARSE_BLOCK_SIZE,
    Q_BLOCK_SIZE: int = _DEFAULT_SPARSE_BLOCK_SIZE,
) -> Tensor:
    """A matrix over the blocks, (B, H, rows, columns), as one over the elements."""
    if block_mask.dim() != 4:
        raise AssertionError(f"block_mask.dim() must be 4, got {block_mask.dim()}")
    b, h, rows, columns = block_mask.shape
    repeated = block_mask.expand(Q_BLOCK_SIZE, KV_BLOCK_SIZE, *block_mask.shape)
    return repeated.permute(2, 3, 4, 0, 5, 1).reshape(
        b, h, rows * Q_BLOCK_SIZE, columns * KV_BLOCK_SIZE
    )


def _create_sparse_block_from_block_mask(
    block_mask: tuple[Tensor, Tensor | None],
    mask_mod: Any,
    seq_lengths: tuple[int, int],
    Q_BLOCK_SIZE: int = _DEFAULT_SPARSE_BLOCK_SIZE,
    KV_BLOCK_SIZE: int = _DEFAULT_SPARSE_BLOCK_SIZE,
) -> BlockMask:
    """A BlockMask from matrices over the blocks: those true in part, those true in full."""
    partial, full = block_mask
    full_lists: Any = (None, None) if full is None else _dense_to_ordered(full)
    return BlockMask.from_kv_blocks(
        *_dense_to_ordered(partial),
        *full_lists,
        BLOCK_SIZE=(Q_BLOCK_SIZE, KV_BLOCK_SIZE),
        mask_mod=mask_mod,
        seq_lengths=seq_lengths,
    )


def _create_empty_block_mask(query: Tensor, key: Tensor) -> BlockMask:
    """A mask of one block that masks nothing."""
    return BlockMask.from_kv_blocks(
        torch.ones([1, 1, 1], dtype=torch.int32, device=query.device),
        torch.zeros([1, 1, 1, 1], dtype=torch.int32, device=query.device),
        BLOCK_SIZE=_LARGE_SPARSE_BLOCK_SIZE,
        seq_lengths=(1, 1),
    )


def create_mask(
    mod_fn: Any, B: int | None, H: int | None, Q_LEN: int, KV_LEN: int, device: Any = None
) -> Tensor:
    """A mask of bool, (B, H, Q_LEN, KV_LEN), true where attention goes.

    Args:
        mod_fn: a function of (b, h, q_idx, kv_idx) that gives bool, or of a score and these, which
            is -inf where it masks.
        B, H: numbers of batches and heads; None is one.
        Q_LEN, KV_LEN: lengths of queries and keys.
    """
    if device is None:
        device = torch.accelerator.current_accelerator() or "cpu"
    indices = [torch.arange(0, n, device=device) for n in (B or 1, H or 1, Q_LEN, KV_LEN)]
    if _get_mod_type(mod_fn) is _ModificationType.MASK_MOD:
        return _vmap_for_bhqkv(mod_fn, prefix=())(*indices)
    zeros = torch.zeros(B or 1, H or 1, Q_LEN, KV_LEN, device=device)
    scores = _vmap_for_bhqkv(mod_fn, prefix=(0,))(zeros, *indices)
    return torch.where(torch.isneginf(scores), False, True)


def create_block_mask(
    mask_mod: Any,
    B: int | None,
    H: int | None,
    Q_LEN: int,
    KV_LEN: int,
    device: Any = None,
    BLOCK_SIZE: int | tuple[int, int] = _DEFAULT_SPARSE_BLOCK_SIZE,
    _compile: bool = False,
    separate_full_blocks: bool = True,
    compute_dq_write_order: bool = False,
    dq_kv_order: bool = True,
) -> BlockMask:
    """The BlockMask of a function of (b, h, q_idx, kv_idx) that gives bool.

    Args:
        B, H: numbers of batches and heads; None for a mask that is the same for all.
        Q_LEN, KV_LEN: lengths of queries and keys.
        BLOCK_SIZE: elements of a block, or its rows and columns.
        separate_full_blocks: whether blocks without a masked element are listed apart.
        compute_dq_write_order, dq_kv_order: whether the order of a kernel for CUDA is found, and
            whether that is from the last block.

    Raises:
        AssertionError: for a function with other arguments.

    As torch.nn.attention.flex_attention.create_block_mask.
    """
    if _get_mod_type(mask_mod) is not _ModificationType.MASK_MOD:
        raise AssertionError(f"create-block_mask requires a mask_mod function! Got {mask_mod}")
    if _compile:
        warnings.warn(
            "_compile flag on create_block_mask was originally added to work around a "
            "torch.compile limitation. That limitation has since been addressed. So, to compile "
            "create_block_mask, we suggest doing torch.compile(create_block_mask). This still "
            "works for now, but will be removed in the future.",
            DeprecationWarning,
            stacklevel=2,
        )
    if not isinstance(dq_kv_order, bool):
        raise ValueError("dq_kv_order must be a bool when using create_block_mask")
    size = (BLOCK_SIZE, BLOCK_SIZE) if isinstance(BLOCK_SIZE, int) else BLOCK_SIZE
    mask = create_mask(mask_mod, B, H, Q_LEN, KV_LEN, device)
    blocks = _convert_mask_to_block_mask(mask, *size, separate_full_blocks=separate_full_blocks)
    made = _create_sparse_block_from_block_mask(blocks, mask_mod, (Q_LEN, KV_LEN), *size)
    if compute_dq_write_order:
        made.dq_write_order, made.dq_write_order_full = _compute_dq_write_order_from_block_mask(
            made, dq_kv_order
        )
        made.dq_kv_order_spt = dq_kv_order
    return made

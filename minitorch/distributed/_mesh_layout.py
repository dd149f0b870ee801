"""Layouts of meshes: where the ranks along each dimension lie in a list of ranks.

A dimension is a sequence of sizes and strides, merged where one continues another, so that two
layouts of the same places are equal. As torch/distributed/_mesh_layout.py, without its algebra.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

from minitorch._public import outlines


def _flat(value: Any) -> list[int]:
    if isinstance(value, (tuple, list)):
        return [number for each in value for number in _flat(each)]
    return [value]


def _suffix_product(sizes: Sequence[int]) -> list[int]:
    """The strides of a tensor of these sizes without gaps."""
    return [math.prod(sizes[i + 1 :]) for i in range(len(sizes))]


@dataclass(frozen=True, init=False)
class _FlatLayout:
    """The places along one dimension of a mesh: sums of multiples of strides.

    Args:
        shape, stride: sizes and strides, the last changes fastest.
    """

    shape: tuple[int, ...]
    stride: tuple[int, ...]

    def __init__(self, shape: Any, stride: Any = None) -> None:
        sizes = _flat(shape)
        strides = _suffix_product(sizes) if stride is None else _flat(stride)
        if len(sizes) != len(strides):
            raise ValueError(f"sizes {shape} and strides {stride} don't match")
        merged: list[tuple[int, int]] = []
        for size, step in zip(sizes, strides):
            if size == 1:
                continue
            if merged and merged[-1][1] == size * step:
                merged[-1] = merged[-1][0] * size, step
            else:
                merged.append((size, step))
        object.__setattr__(self, "shape", tuple(size for size, _ in merged))
        object.__setattr__(self, "stride", tuple(step for _, step in merged))

    @classmethod
    def of(cls, places: Sequence[int]) -> _FlatLayout:
        """The layout of these places; the first is 0."""
        sizes, strides = [], []
        while len(places) > 1:
            step, length = places[1], 1
            while length < len(places) and places[length] == length * step:
                length += 1
            sizes.insert(0, length)
            strides.insert(0, step)
            places = places[::length]
        return cls(tuple(sizes), tuple(strides))

    def numel(self) -> int:
        """The number of places."""
        return math.prod(self.shape)

    def all_ranks_from_zero(self) -> list[int]:
        """The places, beginning with 0."""
        return [
            sum(i * step for i, step in zip(at, self.stride))
            for at in product(*(range(size) for size in self.shape))
        ]

    def complement(self, world_size: int) -> _FlatLayout:
        """The first places of the copies of this layout that fill a world of so many ranks."""
        own, taken, starts = self.all_ranks_from_zero(), set[int](), []
        for start in range(world_size):
            if start not in taken:
                starts.append(start)
                taken.update(start + place for place in own)
        return _FlatLayout.of(starts)

    def global_ranks(self, world_size: int) -> list[list[int]]:
        """The copies of this layout that share out so many places."""
        return [
            [start + place for place in self.all_ranks_from_zero()]
            for start in self.complement(world_size).all_ranks_from_zero()
        ]

    def composition(self, layout: _MeshLayout) -> _MeshLayout:
        """This dimension, cut into those of another layout."""
        places = self.all_ranks_from_zero()
        return _MeshLayout(
            [_FlatLayout.of([places[i] for i in axis.all_ranks_from_zero()]) for axis in layout]
        )

    def check_sorted(self) -> bool:
        """Whether the first dimension has the largest stride, and so on."""
        return tuple(sorted(self.stride, reverse=True)) == self.stride

    def check_orthogonal(self) -> bool:
        """Whether no place is there twice."""
        pairs = sorted(zip(self.stride, self.shape), reverse=True)
        return all(outer % (inner * size) == 0 for (outer, _), (inner, size) in pairwise(pairs))

    @property
    def sizes_and_strides(self) -> Iterator[tuple[int, int]]:
        """Pairs of a size and a stride."""
        return zip(self.shape, self.stride)


@dataclass(frozen=True, init=False)
class _MeshLayout(Sequence[_FlatLayout]):
    """The dimensions of a mesh."""

    axes: tuple[_FlatLayout, ...]

    def __init__(self, axes: Sequence[_FlatLayout]) -> None:
        object.__setattr__(self, "axes", tuple(axes))

    @classmethod
    def from_sizes_strides(
        cls, sizes: tuple[int, ...], strides: tuple[int, ...] | None = None
    ) -> _MeshLayout:
        """A layout with a dimension for each size. ValueError if there are not as many strides."""
        steps = _suffix_product(sizes) if strides is None else strides
        if len(sizes) != len(steps):
            raise ValueError(
                f"sizes and strides must have the same length, got {len(sizes)} and {len(steps)}"
            )
        return cls([_FlatLayout((size,), (step,)) for size, step in zip(sizes, steps)])

    def __len__(self) -> int:
        return len(self.axes)

    def __getitem__(self, i: Any) -> Any:
        return _MeshLayout(self.axes[i]) if isinstance(i, slice) else self.axes[i]

    @property
    def top_level_sizes(self) -> tuple[int, ...]:
        """The size of each dimension."""
        return tuple(axis.numel() for axis in self.axes)

    def numel(self) -> int:
        """The number of places."""
        return math.prod(self.top_level_sizes)

    def cosize(self) -> int:
        """One more than the last place."""
        return 1 + max(self.collapse().all_ranks_from_zero())

    def collapse(self) -> _FlatLayout:
        """All dimensions as one."""
        return _FlatLayout(
            tuple(axis.shape for axis in self.axes), tuple(axis.stride for axis in self.axes)
        )

    def splice(self, start: int, end: int, layout: _MeshLayout) -> _MeshLayout:
        """A layout with others in the place of some dimensions."""
        return _MeshLayout([*self.axes[:start], *layout.axes, *self.axes[end:]])

    def remap_to_tensor(self, rank_map: Any) -> Any:
        """The ranks at the places of this layout and of its copies, one after another."""
        places = self.collapse().global_ranks(rank_map.numel())
        ranks = rank_map.tolist()
        return rank_map.new_tensor([[ranks[i] for i in row] for row in places]).reshape(
            -1, *self.top_level_sizes
        )


__getattr__, __dir__ = outlines.rest_of("torch.distributed._mesh_layout")

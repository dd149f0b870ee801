"""DistributedSampler: the share of a dataset that one of several processes takes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from minitorch.core.base.formulas import OPS
from minitorch.core.tensor.generator import Generator
from minitorch.distributed import availability, world
from minitorch.utils.data.sampler import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler[int]):
    """Every num_replicas-th item from `rank` on, of all items at random.

    Args:
        dataset: what has a length.
        num_replicas, rank: how many processes there are, and which this one is; else the group of
            torch.distributed tells.
        shuffle: whether in random order, one that `set_epoch` changes.
        seed: of that order; the same number in all processes.
        drop_last: leaves items out to share them equally, where else some are taken twice.

    Raises:
        ValueError: if there is no such rank, or no group that tells.

    As torch.utils.data.DistributedSampler.
    """

    def __init__(
        self,
        dataset: Any,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if (num_replicas is None or rank is None) and not (
            availability.is_available() or world.is_initialized()
        ):
            raise RuntimeError("Requires distributed package to be available")
        num_replicas = world.get_world_size() if num_replicas is None else num_replicas
        rank = world.get_rank() if rank is None else rank
        if not 0 <= rank < num_replicas:
            raise ValueError(
                f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]"
            )
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.drop_last = drop_last
        size = len(dataset)
        if drop_last and size % num_replicas != 0:
            size -= num_replicas
        self.num_samples = math.ceil(size / num_replicas)
        self.total_size = self.num_samples * num_replicas
        self.shuffle = shuffle
        self.seed = seed

    def __iter__(self) -> Iterator[int]:
        size = len(self.dataset)
        if self.shuffle:
            generator = Generator()
            generator.manual_seed(self.seed + self.epoch)
            indices = OPS.randperm(size, generator=generator).tolist()
        else:
            indices = list(range(size))
        if not self.drop_last:
            missing = self.total_size - len(indices)
            indices += (indices * math.ceil(missing / max(len(indices), 1)))[:missing]
        return iter(indices[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Takes another order from now on: that of seed + epoch."""
        self.epoch = epoch


DistributedSampler.__module__ = "torch.utils.data.distributed"

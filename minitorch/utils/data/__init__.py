"""torch.utils.data: datasets, samplers and loaders of batches."""

from typing import Any as _Any

from minitorch.utils.data.collate import default_collate, default_convert
from minitorch.utils.data.dataloader import DataLoader, _DatasetKind
from minitorch.utils.data.dataset import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from minitorch.utils.data.sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)
from minitorch.utils.data.worker import get_worker_info


def __getattr__(name: str) -> _Any:
    from minitorch.namespace import missing

    return missing("torch.utils.data", name)

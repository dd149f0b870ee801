"""torch.utils.data: datasets, samplers and loaders of batches."""

from minitorch._public.later import names_of as _names_of
from minitorch.utils.data._utils.collate import default_collate, default_convert
from minitorch.utils.data._utils.fetch import _DatasetKind as _DatasetKind
from minitorch.utils.data._utils.worker import get_worker_info
from minitorch.utils.data.dataloader import DataLoader
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

__all__ = (
    "BatchSampler ChainDataset ConcatDataset DFIterDataPipe DataChunk DataLoader Dataset "
    "DistributedSampler IterDataPipe IterableDataset MapDataPipe RandomSampler Sampler "
    "SequentialSampler StackDataset Subset SubsetRandomSampler TensorDataset "
    "WeightedRandomSampler _DatasetKind argument_validation default_collate default_convert "
    "functional_datapipe get_worker_info guaranteed_datapipes_determinism non_deterministic "
    "random_split runtime_validation runtime_validation_disabled"
).split()

# Names that few programs use, and the modules that are imported with the first of them.
_ELSEWHERE = {"DistributedSampler": "distributed"} | dict.fromkeys(
    (
        "DFIterDataPipe",
        "DataChunk",
        "IterDataPipe",
        "MapDataPipe",
        "argument_validation",
        "functional_datapipe",
        "guaranteed_datapipes_determinism",
        "non_deterministic",
        "runtime_validation",
        "runtime_validation_disabled",
    ),
    "datapipes",
)

__getattr__ = _names_of("torch.utils.data", _ELSEWHERE)

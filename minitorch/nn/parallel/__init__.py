"""torch.nn.parallel: what of it there is without several devices."""

from minitorch._public.later import names_of as _names_of
from minitorch.nn.parallel.data_parallel import DataParallel as DataParallel
from minitorch.nn.parallel.data_parallel import data_parallel as data_parallel

__all__ = (
    "DataParallel DistributedDataParallel data_parallel gather parallel_apply replicate scatter"
).split()

# Names by the module that has them, which is imported when one is asked for.
_ELSEWHERE = {
    "DistributedDataParallel": "distributed",
    "gather": "scatter_gather",
    "scatter": "scatter_gather",
    "parallel_apply": "parallel_apply",
    "replicate": "replicate",
}

__getattr__ = _names_of("torch.nn.parallel", _ELSEWHERE, ("comm", "distributed", "scatter_gather"))

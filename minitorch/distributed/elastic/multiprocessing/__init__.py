"""torch.distributed.elastic.multiprocessing: the errors of processes; the rest is names alone."""

from minitorch._public import outlines
from minitorch.distributed.elastic.multiprocessing.errors import ProcessFailure, record

__getattr__, __dir__ = outlines.rest_of("torch.distributed.elastic.multiprocessing")

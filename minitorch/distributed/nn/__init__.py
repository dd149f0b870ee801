"""torch.distributed.nn: collectives that autograd goes through."""

from minitorch._public import outlines
from minitorch.distributed.nn.functional import (
    all_gather,
    all_reduce,
    all_to_all,
    all_to_all_single,
    broadcast,
    gather,
    reduce,
    reduce_scatter,
    scatter,
)

__getattr__, __dir__ = outlines.rest_of("torch.distributed.nn")

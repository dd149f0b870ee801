"""torch.distributed.optim: optimizers whose ranks work together."""

from minitorch._public import outlines
from minitorch.distributed.optim.post_localSGD_optimizer import (
    PostLocalSGDOptimizer as PostLocalSGDOptimizer,
)
from minitorch.distributed.optim.zero_redundancy_optimizer import (
    ZeroRedundancyOptimizer as ZeroRedundancyOptimizer,
)

__getattr__, __dir__ = outlines.rest_of("torch.distributed.optim")

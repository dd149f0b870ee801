"""torch.distributed.algorithms: what ranks agree on beside gradients."""

from minitorch._public import outlines
from minitorch.distributed.algorithms.join import Join as Join
from minitorch.distributed.algorithms.join import Joinable as Joinable
from minitorch.distributed.algorithms.join import JoinHook as JoinHook

__getattr__, __dir__ = outlines.rest_of("torch.distributed.algorithms")

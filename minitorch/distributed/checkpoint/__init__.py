"""torch.distributed.checkpoint: of its modules, state_dict has code; the others are names alone."""

from minitorch._public import outlines

__getattr__, __dir__ = outlines.rest_of("torch.distributed.checkpoint")

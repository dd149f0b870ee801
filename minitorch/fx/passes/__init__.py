"""torch.fx.passes: changes of graphs, and facts about their values."""

from minitorch._public import outlines

__getattr__, __dir__ = outlines.rest_of("torch.fx.passes")

"""torch._functorch: where torch keeps what torch.func is made of; here, minitorch.func has it."""

from minitorch._public import outlines

__getattr__, __dir__ = outlines.rest_of("torch._functorch")

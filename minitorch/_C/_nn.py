"""torch._C._nn: what torch.nn.functional has that torch writes in C++."""

from functools import partial

from minitorch._C._prefixed import function

__getattr__ = partial(function, "nn")

"""torch._C._special: what torch.special has that torch writes in C++."""

from functools import partial

from minitorch._C._prefixed import function

__getattr__ = partial(function, "special")

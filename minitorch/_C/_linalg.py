"""torch._C._linalg: what torch.linalg has that torch writes in C++."""

from functools import partial

from minitorch._C._prefixed import function

__getattr__ = partial(function, "linalg")

"""torch._C._fft: what torch.fft has that torch writes in C++."""

from functools import partial

from minitorch._C._prefixed import function

__getattr__ = partial(function, "fft")

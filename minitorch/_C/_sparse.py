"""torch._C._sparse: what torch.sparse has that torch writes in C++."""

from functools import partial

from minitorch._C._prefixed import function

__getattr__ = partial(function, "sparse")

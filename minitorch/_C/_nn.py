"""torch._C._nn: what torch.nn.functional has that torch writes in C++."""

from functools import partial
from typing import Any

from minitorch._C._prefixed import function
from minitorch.aten.creation.copies import parsed_module_to

__getattr__ = partial(function, "nn")


def _parse_to(*args: Any, **kwargs: Any) -> tuple[Any, Any, bool, Any]:
    """The (device, dtype, non_blocking, memory_format) that the arguments of Module.to ask for.

    Raises:
        RuntimeError: they ask for a copy, or for a device that is not there.
        TypeError: they are not those of Module.to.
    """
    return parsed_module_to(args, kwargs)

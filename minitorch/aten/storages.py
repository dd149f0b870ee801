"""The memory behind a tensor: as a storage, as what other processes see, as a file."""

from __future__ import annotations

from typing import Any

from minitorch.aten.creation.factories import finished
from minitorch.core.declare.calls import IN_PYTHON
from minitorch.core.declare.families import composite
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor import storage
from minitorch.core.tensor.storage_sources import borrowed_file

METHOD = ("method",)

composite("storage", on=METHOD, calls=IN_PYTHON)(storage.storage)
composite("_typed_storage", on=METHOD)(storage.typed_storage)
composite("storage_type", on=METHOD, calls=IN_PYTHON)(storage.storage_type)
composite("is_set_to", on=METHOD)(storage.is_set_to)


@composite("is_shared", on=METHOD, calls=IN_PYTHON)
def is_shared(self: Any) -> bool:
    """Whether other processes see the memory: where it was shared, and on a CUDA device."""
    return bool(self.is_cuda) or self._typed_storage()._is_shared()


@composite("share_memory_", on=METHOD, calls=IN_PYTHON)
def share_memory_(self: Any) -> Any:
    """Moves the memory, with all tensors over it, to where other processes can see it."""
    self._typed_storage()._share_memory_()
    return self


@composite("from_file", on=("function",))
def from_file(
    filename: str,
    shared: bool | None = None,
    size: int = 0,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
) -> Any:
    """A 1-dimensional tensor over a file, which is written too if it is `shared`."""
    if not isinstance(filename, str):
        raise TypeError(
            "from_file(): argument 'filename' (position 1) must be str, not "
            f"{type(filename).__name__}"
        )
    kind = dtypes.get_default_dtype() if dtype is None else dtype
    wanted = size * kind.itemsize
    memory = borrowed_file(filename, bool(shared), wanted)
    x = memory.view(kind.numpy)
    return finished(x, requires_grad)

"""torch.storage: the memory behind tensors."""

from minitorch.core.tensor.storage import (
    TypedStorage,
    UntypedStorage,
    _reset_warn_typed_storage_removal,  # noqa: F401
)

__all__ = ["TypedStorage", "UntypedStorage"]

"""torch.storage: the memory behind tensors."""

from minitorch.core.tensor.storage import TypedStorage, UntypedStorage

__all__ = ["TypedStorage", "UntypedStorage"]

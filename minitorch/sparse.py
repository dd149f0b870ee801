"""torch.sparse: tensors kept as the coordinates of some elements, and their values.

Here they serve as gradients of embeddings, and what optimizers do with these.
"""

from typing import Any

from minitorch.aten.sparse_gradients import sparse_coo_tensor as sparse_coo_tensor
from minitorch.namespace import missing


def __getattr__(name: str) -> Any:
    return missing("torch.sparse", name)

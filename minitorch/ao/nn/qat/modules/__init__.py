"""torch.ao.nn.qat.modules: layers whose weights are rounded in training."""

from minitorch.ao.nn.qat.modules.conv import Conv1d, Conv2d, Conv3d
from minitorch.ao.nn.qat.modules.embedding_ops import Embedding, EmbeddingBag
from minitorch.ao.nn.qat.modules.linear import Linear

__all__ = ["Linear", "Conv1d", "Conv2d", "Conv3d", "Embedding", "EmbeddingBag"]

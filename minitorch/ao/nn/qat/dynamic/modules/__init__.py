"""torch.ao.nn.qat.dynamic.modules: layers whose inputs are later rounded at each call."""

from minitorch.ao.nn.qat.dynamic.modules.linear import Linear

__all__ = ["Linear"]

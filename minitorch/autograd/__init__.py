"""torch.autograd: backward, grad, and the modes that switch recording on and off."""

from minitorch.autograd import grad_mode
from minitorch.autograd.grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled
from minitorch.core.graph.backward import backward, grad
from minitorch.core.tensor.tensor import Tensor as Variable

__all__ = [
    "Variable",
    "backward",
    "enable_grad",
    "grad",
    "grad_mode",
    "inference_mode",
    "no_grad",
    "set_grad_enabled",
]

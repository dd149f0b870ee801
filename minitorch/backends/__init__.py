"""torch.backends: which libraries do the work, and the switches that scripts set on them."""

from minitorch.backends import answers as _answers
from minitorch.backends import cuda, cudnn, mps, switches
from minitorch.backends.switches import disable_global_flags, flags_frozen

__all__ = [
    "cuda",
    "cudnn",
    "disable_global_flags",
    "flags_frozen",
    "mps",
    *_answers.MODULES,
    "python_native",
]

fp32_precision = "none"  # a switch: products stay exact whatever it says


globals().update(_answers.MODULES)
switches.guard(__name__, fp32_precision="")

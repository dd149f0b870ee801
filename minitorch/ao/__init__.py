"""torch.ao: quantization-aware training, and the observers that calibrate numbers of few bits."""

from minitorch._public import outlines

__getattr__, __dir__ = outlines.rest_of("torch.ao")

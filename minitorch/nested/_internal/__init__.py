"""torch.nested._internal: the class of jagged tensors, and the operators that it has."""

from minitorch.nested._internal import ops as ops

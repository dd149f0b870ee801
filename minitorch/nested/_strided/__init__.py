"""Nested tensors of layout torch.strided: a buffer, and of each of the batch its size, strides and
place in it."""

from minitorch.nested._strided import operators as operators

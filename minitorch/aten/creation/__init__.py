"""Tensors that are made: of sizes, of data, as copies, and by random draws."""

from minitorch.aten.chapter import families

__getattr__ = families(__name__)

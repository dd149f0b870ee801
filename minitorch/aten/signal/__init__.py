"""Fourier transforms, of whole signals and of their frames."""

from minitorch.aten.chapter import families

__getattr__ = families(__name__)

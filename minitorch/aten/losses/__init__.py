"""Losses: of values, of classes, of margins, of sequences, of distances."""

from minitorch.aten.chapter import families

__getattr__ = families(__name__)

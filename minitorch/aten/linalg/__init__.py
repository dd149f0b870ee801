"""Linear algebra: products, solutions, decompositions."""

from minitorch.aten.chapter import families

__getattr__ = families(__name__)

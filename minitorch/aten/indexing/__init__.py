"""Reading and writing at positions: x[...], gather, scatter, masks, tables looked up."""

from minitorch.aten.chapter import families

__getattr__ = families(__name__)

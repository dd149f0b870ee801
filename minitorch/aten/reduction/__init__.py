"""Many elements made one, or put in order: sums, extremes, norms, scans, sorts, searches."""

from minitorch.aten.chapter import families

__getattr__ = families(__name__)

"""Element by element: arithmetic, comparisons, elementary functions, activations."""

from minitorch.aten.chapter import families

__getattr__ = families(__name__)

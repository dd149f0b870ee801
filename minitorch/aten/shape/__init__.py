"""Views and rearrangements: other shapes, parts, orders of dimensions, and several made one."""

from minitorch.aten.chapter import families

__getattr__ = families(__name__)

"""The building blocks of networks: convolutions, pools, normalisation, attention, cells."""

from minitorch.aten.chapter import families

__getattr__ = families(__name__)

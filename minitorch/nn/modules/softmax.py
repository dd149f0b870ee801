"""Softmax and its relatives, which torch has among the activation functions."""

from __future__ import annotations

from typing import Any

from minitorch.core.base.naming import named_by_subclasses
from minitorch.nn import functional as F
from minitorch.nn.modules.module import Module

__all__ = ["LogSoftmax", "Softmax", "Softmax2d", "Softmin"]


@named_by_subclasses("__init__")
class _Along(Module):
    """A function along one dimension."""

    _is_template = True

    dim: int | None

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def __setstate__(self, fields: dict[str, Any]) -> None:
        super().__setstate__(fields)
        self.__dict__.setdefault("dim", None)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax(_Along):
    """exp(x) / sum(exp(x)) along `dim`.

    Args:
        dim: the dimension along which the output sums to 1. None is deprecated and warns: then it
            is 0 for inputs of 0, 1 or 3 dimensions, else 1.

    Shape:
        Input and output: (*), any shape.

    As torch.nn.Softmax.
    """

    __module__ = "torch.nn.modules.activation"
    __constants__ = ["dim"]

    def forward(self, input: Any) -> Any:
        return F.softmax(input, self.dim, _stacklevel=4)


class Softmin(_Along):
    """softmax(-x) along `dim`.

    Args:
        dim: the dimension along which the output sums to 1. None is deprecated and warns: then it
            is 0 for inputs of 0, 1 or 3 dimensions, else 1.

    Shape:
        Input and output: (*), any shape.

    As torch.nn.Softmin.
    """

    __module__ = "torch.nn.modules.activation"
    __constants__ = ["dim"]

    def forward(self, input: Any) -> Any:
        return F.softmin(input, self.dim, _stacklevel=4)


class LogSoftmax(_Along):
    """log(softmax(x)) along `dim`.

    Args:
        dim: the dimension along which the exponentials of the output sum to 1. None is deprecated
            and warns: then it is 0 for inputs of 0, 1 or 3 dimensions, else 1.

    Shape:
        Input and output: (*), any shape.

    As torch.nn.LogSoftmax.
    """

    __module__ = "torch.nn.modules.activation"
    __constants__ = ["dim"]

    def forward(self, input: Any) -> Any:
        return F.log_softmax(input, self.dim, _stacklevel=4)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Softmax2d(Module):
    """Softmax over the channels of images.

    Shape:
        Input and output: (N, C, H, W) or (C, H, W).

    Raises:
        ValueError: at the call, for an input of another rank.

    As torch.nn.Softmax2d.
    """

    __module__ = "torch.nn.modules.activation"

    def forward(self, input: Any) -> Any:
        if input.dim() not in (3, 4):
            raise ValueError(
                f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead"
            )
        return F.softmax(input, -3, _stacklevel=4)

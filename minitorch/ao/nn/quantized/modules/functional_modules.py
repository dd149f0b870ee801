"""torch.ao.nn.quantized.modules.functional_modules: operators as modules, to be observed."""

from __future__ import annotations

from typing import Any, NoReturn

import minitorch as torch
from minitorch._public import outlines

__all__ = ["FloatFunctional", "FXFloatFunctional", "QFunctional"]

__getattr__, __dir__ = outlines.rest_of("torch.ao.nn.quantized.modules.functional_modules")


def _refuse() -> NoReturn:
    raise RuntimeError(
        "FloatFunctional is not intended to use the 'forward'. Please use the underlying operation"
    )


class FloatFunctional(torch.nn.Module):
    """Operators whose results an observer sees: in a model, `self.sum.add(x, y)` for `x + y`.

    As torch.ao.nn.quantized.FloatFunctional.
    """

    def __init__(self) -> None:
        super().__init__()
        self.activation_post_process = torch.nn.Identity()

    def forward(self, x: Any) -> Any:
        """Raises a RuntimeError: the operators are methods."""
        _refuse()

    def add(self, x: Any, y: Any) -> Any:
        """torch.add(x, y), observed.

        Args:
            x, y: tensors.
        """
        return self.activation_post_process(torch.add(x, y))

    def add_scalar(self, x: Any, y: float) -> Any:
        """torch.add(x, y).

        Args:
            x: a tensor.
            y: a number.
        """
        return torch.add(x, y)

    def mul(self, x: Any, y: Any) -> Any:
        """torch.mul(x, y), observed.

        Args:
            x, y: tensors.
        """
        return self.activation_post_process(torch.mul(x, y))

    def mul_scalar(self, x: Any, y: float) -> Any:
        """torch.mul(x, y).

        Args:
            x: a tensor.
            y: a number.
        """
        return torch.mul(x, y)

    def cat(self, x: Any, dim: int = 0) -> Any:
        """torch.cat(x, dim), observed.

        Args:
            x: a list of tensors.
            dim: the dimension in which they are joined.
        """
        return self.activation_post_process(torch.cat(x, dim=dim))

    def add_relu(self, x: Any, y: Any) -> Any:
        """The positive part of torch.add(x, y), observed.

        Args:
            x, y: tensors.
        """
        return self.activation_post_process(torch.nn.functional.relu(torch.add(x, y)))

    def matmul(self, x: Any, y: Any) -> Any:
        """torch.matmul(x, y), observed.

        Args:
            x, y: tensors.
        """
        return self.activation_post_process(torch.matmul(x, y))


class FXFloatFunctional(torch.nn.Module):
    """FloatFunctional without an observer, which a graph has instead.

    As torch.ao.nn.quantized.FXFloatFunctional.
    """

    def forward(self, x: Any) -> Any:
        """Raises a RuntimeError: the operators are methods."""
        _refuse()

    def add(self, x: Any, y: Any) -> Any:
        """torch.add(x, y)."""
        return torch.add(x, y)

    def add_scalar(self, x: Any, y: float) -> Any:
        """torch.add(x, y)."""
        return torch.add(x, y)

    def mul(self, x: Any, y: Any) -> Any:
        """torch.mul(x, y)."""
        return torch.mul(x, y)

    def mul_scalar(self, x: Any, y: float) -> Any:
        """torch.mul(x, y)."""
        return torch.mul(x, y)

    def cat(self, x: Any, dim: int = 0) -> Any:
        """torch.cat(x, dim)."""
        return torch.cat(x, dim=dim)

    def add_relu(self, x: Any, y: Any) -> Any:
        """The positive part of torch.add(x, y)."""
        return torch.nn.functional.relu(torch.add(x, y))

    def matmul(self, x: Any, y: Any) -> Any:
        """torch.matmul(x, y)."""
        return torch.matmul(x, y)

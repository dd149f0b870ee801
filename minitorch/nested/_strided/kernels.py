"""Tables of the kernels of strided nested tensors, by overload, which decorators fill."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Function = Callable[..., Any]
Kernels = dict[str, Function]


def filling(table: Kernels) -> Callable[..., Callable[[Function], Function]]:
    """The decorator kernel(*names), which puts a function into a table under names of overloads."""

    def kernel(*names: str) -> Callable[[Function], Function]:
        def put(function: Function) -> Function:
            table.update(dict.fromkeys(names, function))
            return function

        return put

    return kernel

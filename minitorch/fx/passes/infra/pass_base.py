"""torch.fx.passes.infra.pass_base: what a pass is, and what it returns."""

from __future__ import annotations

import abc
from typing import Any, NamedTuple

__all__ = ["PassResult", "PassBase"]


class PassResult(NamedTuple):
    """The result of a pass: the module, and whether it was modified."""

    graph_module: Any
    modified: bool


class PassBase(abc.ABC):
    """A pass: what changes a GraphModule, with checks before and after it.

    Source: torch.fx.passes.infra.pass_base.PassBase.
    """

    def __call__(self, graph_module: Any) -> PassResult | None:
        """The result of `call`, between the checks `requires` and `ensures`."""
        self.requires(graph_module)
        result = self.call(graph_module)
        self.ensures(graph_module)
        return result

    @abc.abstractmethod
    def call(self, graph_module: Any) -> PassResult | None:
        """The pass itself."""

    def requires(self, graph_module: Any) -> None:  # noqa: B027  (subclasses may check something)
        """Checks a module before the pass."""

    def ensures(self, graph_module: Any) -> None:  # noqa: B027
        """Checks a module after the pass."""

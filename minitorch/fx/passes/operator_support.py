"""torch.fx.passes.operator_support: which nodes of a graph an accelerator can run."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from minitorch.core.numbers.dtype import dtype
from minitorch.fx.node import Node
from minitorch.fx.passes.shape_prop import TensorMetadata
from minitorch.fx.passes.tools_common import CALLABLE_NODE_OPS, get_node_target
from minitorch.nn.modules.module import Module

__all__ = [
    "OperatorSupportBase",
    "OperatorSupport",
    "create_op_support",
    "chain",
    "OpSupports",
    "any_chain",
]

TargetTypeName = str
SupportedArgumentDTypes = tuple[Sequence[Sequence[dtype]], dict[str, Sequence[dtype]]] | None
SupportDict = Mapping[TargetTypeName, SupportedArgumentDTypes]
IsNodeSupported = Callable[[Mapping[str, Module], Node], bool]


class OperatorSupportBase(abc.ABC):
    """Says which nodes can run."""

    @abc.abstractmethod
    def is_node_supported(self, submodules: Mapping[str, Module], node: Node) -> bool:
        """Whether a node can run, given all modules by their paths."""
        raise NotImplementedError


class OperatorSupport(OperatorSupportBase):
    """Finds nodes in a table.

    Args:
        support_dict: what is called -> the dtypes of its arguments, by position and by name, each
            None for any; or None

    Source: torch.fx.passes.operator_support.OperatorSupport.
    """

    _support_dict: SupportDict

    def __init__(self, support_dict: SupportDict | None = None) -> None:
        self._support_dict = support_dict or {}

    def is_node_supported(self, submodules: Mapping[str, Module], node: Node) -> bool:
        """Whether the table has a node's function, with its dtypes; true for nodes without one."""
        if node.op not in CALLABLE_NODE_OPS:
            return True
        target = get_node_target(submodules, node)
        if target not in self._support_dict:
            return False
        entry = self._support_dict[target]
        if entry is None:
            return True
        given: list[tuple[Any, Any]] = list(zip(node.args, entry[0]))
        given = [(arg, dtypes) for arg, dtypes in given if dtypes is not None]
        given += [(node.kwargs[k], each) for k, each in entry[1].items() if k in node.kwargs]
        return all(_get_arg_dtype(a) in dtypes for a, dtypes in given if isinstance(a, Node))


def create_op_support(is_node_supported: IsNodeSupported) -> OperatorSupportBase:
    """An OperatorSupportBase that asks a function whether a node is supported."""

    class FunctionalOperatorSupport(OperatorSupportBase):
        def is_node_supported(self, submodules: Mapping[str, Module], node: Node) -> bool:
            return is_node_supported(submodules, node)

    return FunctionalOperatorSupport()


def _joined(
    join: Callable[[Iterable[bool]], bool], parts: tuple[OperatorSupportBase, ...]
) -> OperatorSupportBase:
    return create_op_support(
        lambda modules, node: join(each.is_node_supported(modules, node) for each in parts)
    )


def chain(*op_support: OperatorSupportBase) -> OperatorSupportBase:
    """Supports what all of the given ones do."""
    return _joined(all, op_support)


def any_chain(*op_support: OperatorSupportBase) -> OperatorSupportBase:
    """Supports what any of the given ones does."""
    return _joined(any, op_support)


class OpSupports:
    """Makes OperatorSupportBases that decline something."""

    @classmethod
    def decline_if_input_dtype(cls, dtype: dtype) -> OperatorSupportBase:
        """Declines nodes with an input of this dtype."""
        return create_op_support(
            lambda _, node: all(_get_arg_dtype(each) != dtype for each in node.all_input_nodes)
        )

    @classmethod
    def decline_if_node_in_names(cls, disallow_set: set[str]) -> OperatorSupportBase:
        """Declines nodes of these names."""
        return create_op_support(lambda _, node: node.name not in disallow_set)


def _get_arg_dtype(arg: Node) -> Any:
    """The dtype of a node's tensor, or the type of its value, as ShapeProp saw it."""
    if not isinstance(arg, Node):
        raise AssertionError(f"Expected torch.fx.Node, got {type(arg)}")
    meta = arg.meta.get("tensor_meta")
    return meta.dtype if isinstance(meta, TensorMetadata) else arg.meta["type"]

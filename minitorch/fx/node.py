"""torch.fx.node: a Node of a Graph, and functions over what its arguments hold."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from minitorch._C import _set_grad_enabled
from minitorch._ops import OpOverload, OpOverloadPacket
from minitorch._public.checks import _assert
from minitorch.amp.autocast_mode import _enter_autocast, _exit_autocast
from minitorch.core.numbers.device import device, layout, memory_format
from minitorch.core.numbers.dtype import dtype
from minitorch.core.tensor.tensor import Tensor
from minitorch.core.tensor.type_names import typename
from minitorch.fx._naming import (  # noqa: F401  (programs take them from here)
    _find_module_of_method,
    _get_qualified_name,
    _type_repr,
    module_name,
)
from minitorch.fx.immutable_collections import immutable_dict, immutable_list
from minitorch.utils._dtype_abbrs import dtype_abbrs

if TYPE_CHECKING:
    from minitorch.fx.graph import Graph

__all__ = ["Node", "has_side_effect", "map_aggregate", "map_arg"]

Target = Callable[..., Any] | str
Argument = Any
base_types = (str, int, float, bool, complex, dtype, Tensor, device, memory_format, layout)
base_types += (OpOverload,)

_legal_ops = dict.fromkeys(
    ["placeholder", "call_method", "call_module", "call_function", "get_attr", "output", "root"]
)
_side_effectful_functions: set[Callable[..., Any]] = {
    *(_assert, operator.setitem, _set_grad_enabled, _enter_autocast, _exit_autocast)
}


def has_side_effect(fn: Callable[..., Any]) -> Callable[..., Any]:
    """`fn`, whose calls stay in a graph from now on though no node uses their results.

    Source: torch/fx/node.py.
    """
    _side_effectful_functions.add(fn)
    return fn


def map_aggregate(a: Argument, fn: Callable[[Argument], Argument]) -> Argument:
    """A tree of arguments with fn(leaf) for each leaf; its lists and dicts are immutable ones.

    Args:
        a: tuples, lists, dicts and slices of anything
        fn: takes a leaf and gives what takes its place

    Source: torch.fx.node.map_aggregate.
    """
    if isinstance(a, tuple):
        mapped = [map_aggregate(each, fn) for each in a]
        return type(a)(*mapped) if hasattr(a, "_fields") else tuple(mapped)
    if isinstance(a, list):
        return immutable_list([map_aggregate(each, fn) for each in a])
    if isinstance(a, dict):
        return immutable_dict({key: map_aggregate(each, fn) for key, each in a.items()})
    if isinstance(a, slice):
        return slice(*[map_aggregate(each, fn) for each in (a.start, a.stop, a.step)])
    return fn(a)


def map_arg(a: Argument, fn: Callable[[Node], Argument]) -> Argument:
    """A tree of arguments with fn(node) for each Node in it; else as `map_aggregate`.

    Source: torch.fx.node.map_arg.
    """
    if not callable(fn):
        raise AssertionError("torch.fx.map_arg(a, fn): fn must be a callable")
    return map_aggregate(a, lambda each: fn(each) if isinstance(each, Node) else each)


def _format_arg(arg: Any, max_list_len: float = float("inf")) -> str:
    """An argument as `str(graph)` shows it: %x for a Node."""
    if hasattr(arg, "_custom_fx_repr_fn"):
        return arg._custom_fx_repr_fn()
    if isinstance(arg, (list, tuple)):
        shown = [_format_arg(each) for i, each in enumerate(arg) if i < max_list_len]
        rest = f", ...[total_len={len(arg)}]" if len(arg) >= max_list_len + 1 else ""
        if isinstance(arg, list):
            return f"[{', '.join(shown)}{rest}]"
        return f"({', '.join(shown)}{',' if len(arg) == 1 else ''}{rest})"
    if isinstance(arg, dict):
        return "{" + ", ".join([f"{key}: {_format_arg(each)}" for key, each in arg.items()]) + "}"
    return f"%{arg}" if isinstance(arg, Node) else str(arg)


class Node:
    """A step of a Graph: an input, a call, an attribute that is read, or the output.

    Args:
        graph: the graph that it belongs to
        name: of its value
        op: 'placeholder', 'get_attr', 'call_function', 'call_module', 'call_method' or 'output'
        target: the function that is called, or the name of the input, attribute, module, method
        args, kwargs: of the call; Nodes stand for their values
        return_type: the annotation of its value, None without one

    Raises: ValueError for a target that does not fit the op.

    Source: torch/fx/node.py.
    """

    _repr_fn: Callable[[Node], str] | None = None
    _erased = False
    _args: tuple[Any, ...] = ()
    _kwargs: dict[str, Any] = immutable_dict()

    def __init__(
        self,
        graph: Graph,
        name: str,
        op: str,
        target: Target,
        args: tuple[Argument, ...],
        kwargs: dict[str, Argument],
        return_type: Any = None,
    ) -> None:
        if op not in _legal_ops:
            raise AssertionError(f"op '{op}' is not in _legal_ops")
        function = op == "call_function"
        if not (callable(target) if function else isinstance(target, str)):
            raise ValueError(
                f"Node [graph = {graph}, name = '{name}'] target {target} has type "
                f"{typename(target)} but a {'Callable' if function else 'str'} is expected"
            )
        put = self.__dict__.update
        put(graph=graph, name=name, op=op, target=target, type=return_type, meta={}, users={})
        put(_prev=self, _next=self, _input_nodes={}, _sort_key=())
        self._update_args_kwargs(args, kwargs)

    # ---- the list of a graph's nodes

    @property
    def next(self) -> Node:
        """The node behind this one in its graph; the graph's root behind the last."""
        return self._next

    @property
    def prev(self) -> Node:
        """The node before this one in its graph; the graph's root before the first."""
        return self._prev

    def prepend(self, x: Node) -> None:
        """Puts another node of the same graph before this one, taking it from where it was."""
        if x.graph is not self.graph:
            raise AssertionError("Attempting to move a Node into a different Graph")
        if x is self:
            return
        x._remove_from_list()
        before = self._prev
        links = {"_prev": before, "_next": self, "_sort_key": _between(before, self)}
        x.__dict__.update(links)
        before.__dict__["_next"] = self.__dict__["_prev"] = x

    _prepend = prepend

    def append(self, x: Node) -> None:
        """Puts another node of the same graph behind this one, taking it from where it was."""
        self._next.prepend(x)

    def _remove_from_list(self) -> None:
        self._prev.__dict__["_next"] = self._next
        self._next.__dict__["_prev"] = self._prev

    def __lt__(self, other: Node) -> bool:
        return self._sort_key < other._sort_key

    def __gt__(self, other: Node) -> bool:
        return self._sort_key > other._sort_key

    def __le__(self, other: Node) -> bool:
        return self is other or self._sort_key <= other._sort_key

    def __ge__(self, other: Node) -> bool:
        return self is other or self._sort_key >= other._sort_key

    # ---- arguments

    @property
    def args(self) -> tuple[Argument, ...]:
        """The arguments by position. Assigning others changes whose user this node is."""
        return self._args

    @args.setter
    def args(self, a: tuple[Argument, ...]) -> None:
        self._update_args_kwargs(a, self._kwargs)

    @property
    def kwargs(self) -> dict[str, Argument]:
        """The arguments by name. Assigning others changes whose user this node is."""
        return self._kwargs

    @kwargs.setter
    def kwargs(self, k: dict[str, Argument]) -> None:
        self._update_args_kwargs(self._args, k)

    @property
    def all_input_nodes(self) -> list[Node]:
        """The nodes whose values are arguments of this one, each once."""
        return list(self._input_nodes)

    def _update_args_kwargs(self, args: Any, kwargs: Any) -> None:
        for old in self._input_nodes:
            old.users.pop(self, None)
        inputs: dict[Node, None] = {}

        def note(node: Node) -> Node:
            inputs.setdefault(node)
            return node

        own = self.__dict__
        own["_args"], own["_kwargs"] = map_arg(tuple(args), note), map_arg(dict(kwargs), note)
        own["_input_nodes"] = inputs
        for new in inputs:
            new.users.setdefault(self)

    def update_arg(self, idx: int, arg: Argument) -> None:
        """Replaces the argument at a position."""
        args = list(self.args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx: int, arg: Argument) -> None:
        """Inserts an argument before the one at a position."""
        if not 0 <= idx <= len(self.args):
            text = f"insert_args index must be between 0 and len(self.args), got {idx}"
            raise AssertionError(text)
        self.args = self.args[:idx] + (arg,) + self.args[idx:]

    def update_kwarg(self, key: str, arg: Argument) -> None:
        """Replaces or adds an argument by name."""
        self.kwargs = {**self.kwargs, key: arg}

    def replace_input_with(self, old_input: Node, new_input: Node) -> None:
        """Lets another node's value be the argument wherever `old_input`'s was."""
        for hook in getattr(self.graph.owning_module, "_replace_hooks", None) or ():
            hook(old=old_input, new=new_input.name, user=self)
        self._replace_input_with(old_input, new_input)

    def _replace_input_with(self, old: Node, new: Argument) -> None:
        def swap(node: Node) -> Argument:
            return new if node is old else node

        self._update_args_kwargs(map_arg(self._args, swap), map_arg(self._kwargs, swap))

    def replace_all_uses_with(
        self,
        replace_with: Node,
        delete_user_cb: Callable[[Node], bool] | None = None,
        *,
        propagate_meta: bool = False,
    ) -> list[Node]:
        """Lets another node's value be the argument wherever this one's was.

        Args:
            replace_with: the other node
            delete_user_cb: takes a user; whether it is changed
            propagate_meta: whether the other node gets this one's `meta`; it must have none

        Returns: the nodes that were changed.
        """
        if propagate_meta:
            if replace_with.meta:
                raise AssertionError(
                    "Called node.replace_all_uses_with(replace_with, propagate_meta=True), but "
                    "replace_with already has .meta keys"
                )
            replace_with.meta.update(self.meta)
        hooks = getattr(self.graph.owning_module, "_replace_hooks", None) or ()
        changed = []
        for user in list(self.users):
            if delete_user_cb is not None and not delete_user_cb(user):
                continue
            changed.append(user)
            for hook in hooks:
                hook(old=self, new=replace_with.name, user=user)
            user._replace_input_with(self, replace_with)
        return changed

    # ---- questions

    @property
    def stack_trace(self) -> str | None:
        """The lines of the program that made this node, if the tracer noted them."""
        return self.meta.get("stack_trace")

    @stack_trace.setter
    def stack_trace(self, trace: str | None) -> None:
        self.meta["stack_trace"] = trace

    def is_impure(self, impure_random: bool = True) -> bool:
        """Whether this node does something besides giving a value."""
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_module":
            owner = self.graph.owning_module
            if owner is None:
                raise AssertionError("self.graph.owning_module not set for purity check")
            return getattr(owner.get_submodule(self.target), "_is_impure", False)
        return self.op == "call_function" and is_impure_call(
            self.target, self.kwargs, impure_random
        )

    def normalized_arguments(
        self,
        root: Any,
        arg_types: tuple[Any] | None = None,
        kwarg_types: dict[str, Any] | None = None,
        normalize_to_only_use_kwargs: bool = False,
    ) -> Any:
        """The arguments by the names that the called function or module has for them, or None."""
        # The two modules need each other: operator_schemas looks at the arguments of nodes.
        from minitorch.fx.operator_schemas import normalize_function, normalize_module

        only = normalize_to_only_use_kwargs
        if self.op == "call_function":
            return normalize_function(
                self.target, self.args, self.kwargs, arg_types, kwarg_types, only
            )
        if self.op == "call_module":
            return normalize_module(root, self.target, self.args, self.kwargs, only)
        return None

    # ---- text

    def __repr__(self) -> str:
        return self.name if self._repr_fn is None else self._repr_fn(self)

    @staticmethod
    def _pretty_print_target(target: Any) -> str:
        if isinstance(target, str):
            return target
        name, module = getattr(target, "__name__", None), getattr(target, "__module__", None)
        if name is not None and module == "builtins":
            return f"builtins.{name}"
        if name is not None and module == "_operator":
            return f"operator.{name}"
        return _get_qualified_name(target)

    def format_node(
        self,
        placeholder_names: list[str] | None = None,
        maybe_return_typename: list[str] | None = None,
        *,
        include_tensor_metadata: bool = False,
    ) -> str | None:
        """This node as `str(graph)` shows it.

        Args:
            placeholder_names: gets the text of an input, which then has no line of its own: None
            maybe_return_typename: its first element gets the text of an output's type
            include_tensor_metadata: whether dtype, shape, strides and device are shown where known
        """
        kind = f"{_type_repr(self.type)} " if self.type is not None else ""
        users = f"[num_users={len(self.users)}]"
        target = self._pretty_print_target(self.target)
        if self.op == "placeholder":
            kind = kind if self.type else ""
            if placeholder_names:
                shown = self.target + f"{self.target}: {_type_repr(self.type)}" * bool(self.type)
                placeholder_names.append(shown)
                return None
            default = f"(default={self.args[0]})" if self.args else ""
            return f"%{self.name} : {kind}{users} = {self.op}[target={self.target}]{default}"
        if self.op == "get_attr":
            return f"%{self.name} : {kind}{users} = {self.op}[target={target}]"
        if self.op == "output":
            if self.type and maybe_return_typename:
                maybe_return_typename[0] = f" -> {_type_repr(self.type)}"
            return f"return {self.args[0]}"
        if include_tensor_metadata:
            kind = _tensor_kind(self.meta) or kind
        return (
            f"%{self.name} : {kind}{users} = {self.op}[target={target}]"
            f"(args = {_format_arg(self.args)}, kwargs = {_format_arg(self.kwargs)})"
        )

    # ---- names, copies

    def _rename(self, candidate: str) -> None:
        if candidate != self.name:
            names = self.graph._graph_namespace
            self.name = names.create_name(candidate, None)
            names._rename_object(self, self.name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "name":
            for hook in getattr(self.graph.owning_module, "_replace_hooks", None) or ():
                for user in self.users:
                    hook(old=self, new=value, user=user)
        if name not in ("op", "target", "graph"):
            object.__setattr__(self, name, value)
            return
        table = getattr(self.graph, "_find_nodes_lookup_table", ())
        if self in table:
            table.remove(self)
            object.__setattr__(self, name, value)
            table.insert(self)
        else:
            object.__setattr__(self, name, value)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


def _between(before: Node, behind: Node) -> tuple[int, ...]:
    """A key that sorts between those of two neighbours; the root, at both ends, has ()."""
    low, high = before._sort_key, behind._sort_key
    if len(low) > len(high):
        at = len(high)
        return (*low[:at], low[at] + 1)
    if len(low) < len(high):
        at = len(low)
        return (*high[:at], high[at] - 1)
    return (*low, 0)


def _tensor_kind(meta: dict[str, Any]) -> str:
    value = meta.get("val", meta.get("tensor_meta", meta.get("example_value")))
    if not isinstance(value, Tensor):
        return ""
    shape, strides = [
        "[" + ", ".join(map(str, each)) + "]" for each in (value.shape, value.stride())
    ]
    return f'Tensor "{dtype_abbrs[value.dtype]}{shape}{strides}{value.device}"'


_RANDOM = frozenset(
    """
    bernoulli multinomial normal poisson rand rand_like randint randint_like randn randn_like
    randperm
    """.split()
)


def is_impure_call(target: Any, kwargs: dict[str, Any], impure_random: bool = True) -> bool:
    """Whether calling `target` does more than return a value: it writes, asserts, or draws numbers.

    Source: torch._library.utils.is_impure.
    """
    if isinstance(target, (OpOverload, OpOverloadPacket)):
        name = target.__name__.partition(".")[0]
        return name.endswith("_") and not name.endswith("__")
    if target in _side_effectful_functions:
        return True
    name = getattr(target, "__name__", "")
    return impure_random and module_name(target) == "torch" and name in _RANDOM

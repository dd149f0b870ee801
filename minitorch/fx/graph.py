"""torch.fx.graph: a Graph, the list of the steps of a program."""

from __future__ import annotations

import copy
import inspect
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from minitorch.core.tensor.type_names import typename
from minitorch.fx._naming import _Namespace, _snake_case
from minitorch.fx.graph_code import (  # noqa: F401  (programs take them from here)
    CodeGen,
    PythonCode,
    TransformCodeFunc,
    _BoxedCodeGen,
    _custom_builtins,
    _CustomBuiltin,
    _format_target,
    _PyTreeCodeGen,
    _PyTreeInfo,
    _register_custom_builtin,
    inplace_methods,
    magic_methods,
    reflectable_magic_methods,
)
from minitorch.fx.immutable_collections import immutable_dict
from minitorch.fx.node import Argument, Node, Target, map_arg
from minitorch.nn.modules.module import Module
from minitorch.nn.parameter import Parameter

__all__ = ["CodeGen", "Graph", "PythonCode"]

_legal_ops = dict.fromkeys(
    ["call_function", "call_method", "get_attr", "call_module", "placeholder", "output"]
)


class _node_list:
    """The nodes of a graph, in order; the reverse goes backwards."""

    def __init__(self, graph: Graph, direction: str = "_next") -> None:
        self.graph, self.direction = graph, direction

    def __len__(self) -> int:
        return self.graph._len

    def __iter__(self) -> Iterator[Node]:
        return self._walk(self.direction)

    def __reversed__(self) -> Iterator[Node]:
        return self._walk("_prev" if self.direction == "_next" else "_next")

    def _walk(self, direction: str) -> Iterator[Node]:
        root = self.graph._root
        current = getattr(root, direction)
        while current is not root:
            if not current._erased:
                yield current
            current = getattr(current, direction)


class _InsertPoint:
    """While this lasts, new nodes come where it says."""

    def __init__(self, graph: Graph, new_insert: Callable[[Node], None]) -> None:
        self.graph = graph
        self.orig_insert, graph._insert = graph._insert, new_insert

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: Any) -> None:
        self.graph._insert = self.orig_insert


class _FindNodesLookupTable:
    """The nodes of a graph by operation and target."""

    def __init__(self) -> None:
        self.table: dict[tuple[str, Any], dict[Node, None]] = {}

    def _of(self, node: Node) -> dict[Node, None]:
        key = node.op, node.target if node.op == "call_function" else None
        return self.table.setdefault(key, {})

    def __contains__(self, node: Node) -> bool:
        return node in self._of(node)

    def insert(self, node: Node) -> None:
        """Adds a node."""
        self._of(node)[node] = None

    def remove(self, node: Node) -> None:
        """Takes a node out."""
        self._of(node).pop(node)

    def find_nodes(self, *, op: str, target: Target | None = None) -> list[Node]:
        """The nodes of an op, or those with a target as well."""
        if op == "call_function":
            if target is None:
                raise AssertionError("target must not be None for call_function op")
            return list(self.table.get((op, target), ()))
        found = self.table.get((op, None), {})
        return [node for node in found if target is None or node.target == target]


class Graph:
    """The steps of a program: its inputs, calls and output, each a Node.

    Args:
        owning_module: the GraphModule that has it
        tracer_cls: the class of the tracer that made it
        tracer_extras: what that one needs to trace again

    Source: torch/fx/graph.py.
    """

    def __init__(
        self,
        owning_module: Any = None,
        tracer_cls: type[Any] | None = None,
        tracer_extras: dict[str, Any] | None = None,
    ) -> None:
        self._root = Node(self, "", "root", "", (), {})
        self._insert: Callable[[Node], None] = self._root.prepend
        self._used_names: dict[str, int] = {}
        self._len = 0
        self._graph_namespace = _Namespace()
        self._owning_module = owning_module
        self._tracer_cls = tracer_cls
        self._tracer_extras = tracer_extras
        self._codegen = CodeGen()
        self._co_fields: dict[str, Any] = {}
        self._find_nodes_lookup_table = _FindNodesLookupTable()

    @property
    def owning_module(self) -> Any:
        """The GraphModule that has this graph, or None."""
        return self._owning_module

    @owning_module.setter
    def owning_module(self, mod: Any) -> None:
        self._owning_module = mod

    @property
    def nodes(self) -> _node_list:
        """The nodes in the order in which they run."""
        return _node_list(self)

    def output_node(self) -> Node:
        """The last node, which is the output."""
        last = next(iter(reversed(self.nodes)))
        if last.op != "output":
            raise AssertionError(f"Expected output node, got op={last.op}")
        return last

    def find_nodes(self, *, op: str, target: Target | None = None, sort: bool = True) -> list[Node]:
        """The nodes of an op and with a target; in the graph's order unless sort=False."""
        found = self._find_nodes_lookup_table.find_nodes(op=op, target=target)
        return sorted(found) if sort else found

    # ---- copies

    def graph_copy(
        self, g: Graph, val_map: dict[Node, Node], return_output_node: bool = False
    ) -> Any:
        """Copies all nodes of another graph to the point of insertion.

        Args:
            g: the other graph
            val_map: its nodes -> those of this one; gets the copies
            return_output_node: whether the other's output node comes back, too

        Returns: the value of the other's output in this graph, None if it has no output.
        """
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                value = map_arg(node.args[0], lambda n: val_map[n])
                return (value, node) if return_output_node else value
            val_map[node] = self.node_copy(node, lambda n: val_map[n])
        return None

    def __deepcopy__(self, memo: dict[Any, Any] | None = None) -> Graph:
        made = Graph(tracer_cls=self._tracer_cls)
        output = made.graph_copy(self, val_map=memo or {}, return_output_node=True)
        made._codegen = copy.deepcopy(self._codegen)
        if output is not None:
            value, old = output
            made.output(value, type_expr=getattr(old, "type", None)).meta = copy.copy(old.meta)
        return made

    def node_copy(
        self, node: Node, arg_transform: Callable[[Node], Argument] = lambda x: x
    ) -> Node:
        """A copy in this graph of another one's node.

        Args:
            node: the other graph's
            arg_transform: takes a Node among its arguments and gives what it is here
        """
        args, kwargs = map_arg(node.args, arg_transform), map_arg(node.kwargs, arg_transform)
        made = self.create_node(node.op, node.target, args, kwargs, node.name, node.type)
        made.meta = copy.copy(node.meta)
        return made

    # ---- nodes come and go

    def create_node(
        self,
        op: str,
        target: Target,
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """A new node at the point of insertion.

        Args:
            op, target, args, kwargs: as Node takes them
            name: the wanted name of its value; by default the target's
            type_expr: the annotation of its value
        """
        if args and not isinstance(args, tuple):
            raise AssertionError(f"args must be a tuple, got {type(args)}")
        if kwargs and not isinstance(kwargs, dict):
            raise AssertionError(f"kwargs must be a dict, got {type(kwargs)}")
        candidate = name if name is not None else self._target_to_str(target)
        name = self._graph_namespace.create_name(candidate, None)
        node = Node(self, name, op, target, args or (), kwargs or immutable_dict(), type_expr)
        for hook in getattr(self.owning_module, "_create_node_hooks", None) or ():
            hook(node)
        self._graph_namespace.associate_name_with_obj(name, node)
        self._insert(node)
        self._find_nodes_lookup_table.insert(node)
        self._len += 1
        return node

    def erase_node(self, to_erase: Node) -> None:
        """Takes a node out. RuntimeError if its value is used, or if it is another graph's."""
        if to_erase.users:
            raise RuntimeError(
                f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in "
                f"the graph: {to_erase.users}!"
            )
        if to_erase.graph != self:
            raise RuntimeError(f"Attempting to remove {to_erase} from wrong graph!")
        if to_erase._erased:
            warnings.warn(f"erase_node({to_erase}) on an already erased node", stacklevel=2)
            return
        for hook in getattr(self.owning_module, "_erase_node_hooks", None) or ():
            hook(to_erase)
        self._find_nodes_lookup_table.remove(to_erase)
        to_erase._remove_from_list()
        to_erase._erased = True
        self._len -= 1
        args, kwargs = to_erase._args, to_erase._kwargs
        nothing = lambda node: None
        to_erase._update_args_kwargs(map_arg(args, nothing), map_arg(kwargs, nothing))

    def inserting_before(self, n: Node | None = None) -> _InsertPoint:
        """A context in which new nodes come before `n`: at the graph's start without one."""
        if n is None:
            return self.inserting_after(self._root)
        if n.graph != self:
            raise AssertionError("Node to insert before is not in graph.")
        return _InsertPoint(self, n.prepend)

    def inserting_after(self, n: Node | None = None) -> _InsertPoint:
        """A context in which new nodes come behind `n`: at the graph's end without one."""
        if n is None:
            return self.inserting_before(self._root)
        if n.graph != self:
            raise AssertionError("Node to insert after is not in graph.")
        return _InsertPoint(self, n.append)

    def placeholder(
        self, name: str, type_expr: Any = None, default_value: Any = inspect.Signature.empty
    ) -> Node:
        """A new input of the graph, with a default if one is given."""
        args = () if default_value is inspect.Signature.empty else (default_value,)
        return self.create_node("placeholder", name, args=args, type_expr=type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        """A new node that reads a parameter, buffer or module; warns if the owner has it not."""
        owner = self.owning_module
        if owner is not None and not _is_attribute(owner, qualified_name):
            warnings.warn(
                "Attempted to insert a get_attr Node with no underlying reference in the owning "
                "GraphModule! Call GraphModule.add_submodule to add the necessary submodule, "
                "GraphModule.add_parameter to add the necessary Parameter, or "
                "nn.Module.register_buffer to add the necessary buffer",
                stacklevel=2,
            )
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_module(
        self,
        module_name: str,
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        type_expr: Any = None,
    ) -> Node:
        """A new node that calls a module of the owner. AttributeError if that has it not."""
        if self.owning_module is not None:
            self.owning_module.get_submodule(module_name)
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def call_method(
        self,
        method_name: str,
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        type_expr: Any = None,
    ) -> Node:
        """A new node that calls a method of its first argument."""
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(
        self,
        the_function: Callable[..., Any],
        args: tuple[Argument, ...] | None = None,
        kwargs: dict[str, Argument] | None = None,
        type_expr: Any = None,
        name: str | None = None,
    ) -> Node:
        """A new node that calls a function."""
        return self.create_node(
            "call_function", the_function, args, kwargs, name=name, type_expr=type_expr
        )

    def output(self, result: Argument, type_expr: Any = None) -> Node:
        """A new node for the graph's result."""
        return self.create_node("output", "output", args=(result,), type_expr=type_expr)

    def _target_to_str(self, target: Any) -> str:
        name = target.__name__ if callable(target) else target
        if not callable(target) and name.startswith("__") and name.endswith("__"):
            name = name[2:-2]
        return _snake_case(name)

    # ---- running, code, text

    def process_inputs(self, *args: Any) -> Any:
        """A call's arguments as the placeholders take them."""
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out: Any) -> Any:
        """The output as a call returns it."""
        return self._codegen.process_outputs(out)

    def python_code(self, root_module: str, **options: Any) -> PythonCode:
        """The code of a function that does what the graph says.

        Args:
            root_module: the name of the variable that has the modules, usually 'self'
            verbose, include_stride, include_device, colored, expanded_def, record_func,
            additional_meta: as GraphModule.print_readable takes them
        """
        namespace = _Namespace()
        nodes = list(self.nodes)
        before = [node._repr_fn for node in nodes]
        for node in nodes:
            node._repr_fn = lambda n: namespace.create_name(n.name, n)
        try:
            return self._python_code(root_module, namespace, **options)
        finally:
            for node, shown in zip(nodes, before):
                node._repr_fn = shown

    def _python_code(self, root_module: str, namespace: _Namespace, **options: Any) -> PythonCode:
        return self._codegen._gen_python_code(self.nodes, root_module, namespace, **options)

    def set_codegen(self, codegen: CodeGen) -> None:
        """Lets another object write the code."""
        self._codegen = codegen

    def on_generate_code(
        self, make_transformer: Callable[[TransformCodeFunc | None], TransformCodeFunc]
    ) -> Any:
        """Lets a function change the lines of the code before they are put together.

        Args:
            make_transformer: takes the function that did so before, or None; gives the new one

        Returns: a context manager that takes it back at its end.
        """
        codegen, before = self._codegen, self._codegen._body_transformer
        codegen._body_transformer = make_transformer(before)

        @contextmanager
        def until_end() -> Iterator[None]:
            try:
                yield
            finally:
                codegen._body_transformer = before

        return until_end()

    def __str__(self) -> str:
        names: list[str] = []
        lines = [node.format_node(names) for node in self.nodes]
        return "\n    ".join([f"graph({', '.join(names)}):", *filter(None, lines)])

    def print_tabular(self) -> None:
        """Prints the nodes as a table. ImportError without the package `tabulate`."""
        try:
            from tabulate import tabulate
        except ImportError:
            print(
                "`print_tabular` relies on the library `tabulate`, which could not be found on "
                "this machine. Run `pip install tabulate` to install the library."
            )
            raise
        rows = [[node.op, node.name, node.target, node.args, node.kwargs] for node in self.nodes]
        print(tabulate(rows, headers=["opcode", "name", "target", "args", "kwargs"]))

    # ---- checks

    def lint(self) -> None:
        """Checks the graph. RuntimeError for nodes out of order, names that repeat, attributes
        that the owner lacks; ValueError for targets of the wrong type."""
        names: set[str] = set()
        seen: set[Node] = set()
        for node in self.nodes:
            if node.op not in _legal_ops:
                raise RuntimeError(f"Node {node} had unknown opcode {node.op}!")
            if node.graph is not self:
                raise RuntimeError(f"Node '{node}' does not belong to this Graph!")
            if node not in self._find_nodes_lookup_table:
                raise RuntimeError(f"Node '{node}' is not added to the side table")
            for used in node._input_nodes:
                self._check_input(used, node, seen)
            seen.add(node)
            if node.name in names:
                raise RuntimeError(f"Node redefined name {node.name}!")
            names.add(node.name)
        if self.owning_module:
            for node in self.nodes:
                self._check_target(node)

    def _check_input(self, used: Node, node: Node, seen: set[Node]) -> None:
        where = f"Argument '{used}' of Node '{node}' "
        if used.graph is not self:
            raise RuntimeError(
                f"{where}does not belong to this Graph, but was used as an argument! If you are "
                "copying nodes from another graph, make sure to use ``arg_transform`` on "
                f"node_copy() to remap values\n{self}"
            )
        if used not in seen:
            raise RuntimeError(
                f"{where}was used before it has been defined! Please check that Nodes in the "
                f"graph are topologically ordered\n{self}"
            )

    def _check_target(self, node: Node) -> None:
        target = node.target
        wanted = "Callable" if node.op == "call_function" else "str"
        if not (callable(target) if wanted == "Callable" else isinstance(target, str)):
            raise ValueError(
                f"Node {node} target {target} has type {typename(target)} but a {wanted} is "
                "expected"
            )
        if node.op not in ("get_attr", "call_module"):
            return
        names = target.split(".")  # type: ignore[union-attr]
        reached = self.owning_module
        for i, name in enumerate(names):
            below = getattr(reached, name, None)
            where, path = f"Node {node} target {target}", ".".join(names[:i])
            if below is None:
                text = f"{where} references nonexistent attribute {name} of {path}"
                raise RuntimeError(text)
            if node.op == "call_module" and not isinstance(below, Module):
                raise RuntimeError(f"{where} {name} of {path} does not reference an nn.Module")
            reached = below

    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Takes out the nodes whose values no other node uses, and says whether there were any.

        Args:
            is_impure_node: takes a node, says whether it stays in any case; by default those stay
                that do more than give a value (Node.is_impure)
        """
        self.lint()
        stays = is_impure_node or Node.is_impure
        changed = False
        for node in reversed(self.nodes):
            if not node.users and not stays(node):
                self.erase_node(node)
                changed = True
        if self.owning_module is not None:
            used = {node.target for node in self.find_nodes(op="get_attr")}
            for name, child in self.owning_module.named_children():
                if name in used and isinstance(getattr(child, "graph", None), Graph):
                    changed |= child.graph.eliminate_dead_code()
                    child.recompile()
        return changed

    def _clear_nodes(self) -> None:
        for node in reversed(self.nodes):
            node.meta.clear()
            self.erase_node(node)


def _is_attribute(owner: Any, path: str) -> bool:
    """Whether a module has a parameter, buffer or module of that name."""
    above, _, name = path.rpartition(".")
    try:
        module = owner.get_submodule(above)
    except AttributeError:
        warnings.warn(f"Failed to fetch module {above}!", stacklevel=3)
        return False
    found = getattr(module, name, None)
    return isinstance(found, (Module, Parameter)) or name in module._buffers

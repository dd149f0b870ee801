"""torch.fx.proxy: a Proxy stands for a value during tracing, and notes its operations."""

from __future__ import annotations

import collections
import copy
import dis
import enum
import functools
import operator
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from minitorch.core.declare.protocols.torch_function import ask_everywhere
from minitorch.fx import traceback as fx_traceback
from minitorch.fx.graph import Graph
from minitorch.fx.graph_code import magic_methods, reflectable_magic_methods
from minitorch.fx.node import Argument, Node, Target, base_types, map_arg
from minitorch.fx.operator_schemas import check_for_mutable_operation
from minitorch.nn.parameter import Parameter
from minitorch.utils._pytree import tree_leaves

__all__ = (
    "Attribute GraphAppendingTracer MetaProxy ParameterProxy Proxy Scope ScopeContextManager "
    "TraceError TracerBase"
).split()

# Of the node that runs, new nodes get these entries of `meta`.
_COPY_META_FIELDS = [
    "nn_module_stack",
    "torch_fn",
    "source_fn_stack",
    "original_aten",
    "recompute",
    "ac_graph_id",
    "has_backward_hook",
    "from_node",
    "quantization_tag",
    "_numeric_debug_handle",
    "custom",
    "partitioner_tag",
]


@functools.cache
def own_files() -> frozenset[str]:
    """The files that trace, whose frames are none of the program's."""
    here = Path(__file__).parent
    names = ("proxy.py", "_symbolic_trace.py", "_patching.py", "graph.py")
    return frozenset(
        [str(here / name) for name in names]
        + [str(here.parent / "core" / "declare" / "protocols" / "torch_function.py")]
        + [str(here.parent / "nn" / "modules" / name) for name in ("module.py", "calling.py")]
    )


class Scope:
    """The module whose forward runs: its path and its class."""

    def __init__(self, module_path: str, module_type: Any) -> None:
        self.module_path, self.module_type = module_path, module_type


class ScopeContextManager:
    """While this lasts, a scope says what another one says."""

    def __init__(self, scope: Scope, current_scope: Scope) -> None:
        self._prev_scope = copy.copy(scope)
        scope.__dict__.update(current_scope.__dict__)
        self._scope = scope

    def __enter__(self) -> Scope:
        return self._scope

    def __exit__(self, *_: Any) -> None:
        self._scope.__dict__.update(self._prev_scope.__dict__)


class TraceError(ValueError):
    """A program does with a Proxy what needs its value."""

    __module__ = "torch.fx.proxy"


class TracerBase:
    """The base of tracers: makes nodes for the calls that Proxies note.

    Source: torch.fx.proxy.TracerBase.
    """

    graph: Graph
    record_stack_traces = False
    _record_forward_stack_traces_only = False
    check_mutable_operations = False
    trace_asserts = False
    proxy_buffer_attributes = False
    traced_func_name = "forward"
    scope: Scope
    module_stack: collections.OrderedDict[str, tuple[str, Any]]
    node_name_to_scope: dict[str, tuple[str, type]]

    def create_node(
        self,
        kind: str,
        target: Target,
        args: tuple[Argument, ...],
        kwargs: dict[str, Argument],
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """A new node of the graph. RuntimeError for one that writes, if those are refused."""
        if kind == "call_function" and self.check_mutable_operations:
            check_for_mutable_operation(target, args, kwargs)  # type: ignore[arg-type]
        node = self.graph.create_node(kind, target, args, kwargs, name, type_expr)
        self.node_name_to_scope[node.name] = (self.scope.module_path, self.scope.module_type)
        if fx_traceback.has_preserved_node_meta():
            now = fx_traceback.get_current_meta()
            if now.get("stack_trace"):
                node.stack_trace = now["stack_trace"]
            for field in _COPY_META_FIELDS:
                if field in now:
                    node.meta[field] = copy.copy(now[field])
        elif self.module_stack:
            node.meta["nn_module_stack"] = copy.copy(self.module_stack)
        if self.record_stack_traces and not node.stack_trace:
            node.stack_trace = self._user_stack() or node.stack_trace
        return node

    def _user_stack(self) -> str:
        """The frames of the program from its first `forward` on."""
        import traceback  # start-up: few tracers note it

        frames = [each for each in traceback.extract_stack() if each.filename not in own_files()]
        names = [each.name for each in frames]
        start = names.index("forward") if "forward" in names else len(names)
        return "".join(traceback.StackSummary.from_list(frames[start:]).format()).strip()

    def proxy(self, node: Node) -> Proxy:
        """A Proxy for a node's value."""
        return Proxy(node, self)

    def create_proxy(
        self,
        kind: str,
        target: Target,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        name: str | None = None,
        type_expr: Any = None,
        proxy_factory_fn: Callable[[Node], Proxy] | None = None,
    ) -> Proxy:
        """A Proxy for the value of a new node, whose arguments may hold Proxies.

        Args:
            kind, target, args, kwargs, name, type_expr: as Graph.create_node takes them
            proxy_factory_fn: takes the node and gives the Proxy; by default self.proxy
        """
        made, named = self.create_arg(args), self.create_arg(kwargs)
        node = self.create_node(kind, target, made, named, name, type_expr)
        return (proxy_factory_fn or self.proxy)(node)

    def create_arg(self, a: Any) -> Argument:
        """An argument of the program as nodes have it: Nodes for Proxies.

        NotImplementedError for a type that cannot be an argument of a node.
        """
        if isinstance(a, Proxy):
            return a.node
        if hasattr(a, "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, tuple):
            made = [self.create_arg(each) for each in a]
            return type(a)(*made) if hasattr(a, "_fields") else type(a)(made)
        if isinstance(a, list):
            return [self.create_arg(each) for each in a]
        if isinstance(a, dict):
            return {self._key(key): self.create_arg(each) for key, each in a.items()}
        if isinstance(a, (slice, range)):
            parts = [self.create_arg(each) for each in (a.start, a.stop, a.step)]
            return type(a)(*parts)
        if isinstance(a, base_types):
            return a
        if is_dataclass(a):
            given = {each.name: self.create_arg(getattr(a, each.name)) for each in fields(a)}
            return self.create_node("call_function", type(a), (), given)
        if isinstance(a, enum.Enum) or a is None or a is ...:
            return a
        raise NotImplementedError(f"argument of type: {type(a)}")

    def _key(self, key: Any) -> Any:
        if isinstance(key, str):
            return key
        made = self.create_arg(key)
        found: list[Node] = []
        map_arg(made, found.append)
        if found:
            raise RuntimeError(
                "Keys for dictionaries used as an argument cannot contain a Node. Got key: "
                f"{found[0]}"
            )
        return made

    def to_bool(self, obj: Proxy) -> bool:
        """Whether a Proxy is true. TraceError: that is not known while tracing."""
        raise TraceError("symbolically traced variables cannot be used as inputs to control flow")

    def iter(self, obj: Proxy) -> Iterator[Any]:
        """The elements of a Proxy. TraceError: their number is not known while tracing."""
        raise TraceError(
            "Proxy object cannot be iterated. This can be attempted when the Proxy is used in a "
            "loop or as a *args or **kwargs function argument. See the torch.fx docs on "
            "pytorch.org for a more detailed explanation of what types of control flow can be "
            "traced, and check out the Proxy docstring for help troubleshooting Proxy iteration "
            "errors"
        )

    def keys(self, obj: Proxy) -> Any:
        """The keys of a Proxy: a Proxy."""
        return Attribute(obj, "keys")()


class GraphAppendingTracer(TracerBase):
    """Adds nodes to a graph that is there already."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.scope = Scope("", None)
        self.module_stack = collections.OrderedDict()
        self.node_name_to_scope = {}


def assert_fn(x: object) -> None:
    """AssertionError unless x is true: what an assert statement becomes in a graph."""
    if not x:
        raise AssertionError("Assertion failed")


class Proxy:
    """Stands for a value while a program is traced: each operation on it becomes a node.

    Args:
        node: whose value it is
        tracer: makes the nodes; by default one that adds to the node's graph

    Source: torch.fx.proxy.Proxy.
    """

    __module__ = "torch.fx.proxy"

    _watched = True  # read by the code that asks for __torch_function__: makes no node

    def __init__(self, node: Node, tracer: TracerBase | None = None) -> None:
        ask_everywhere()  # the functions of torch ask for Proxies from now on
        self.tracer = GraphAppendingTracer(node.graph) if tracer is None else tracer
        self.node = node

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"

    def __getattr__(self, k: str) -> Attribute:
        # Methods of the instance that Python looks for are none of the value's.
        return Attribute(self, k)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__

    def __setstate__(self, d: dict[str, Any]) -> None:
        self.__dict__ = d

    def __deepcopy__(self, memo: dict[int, Any]) -> Proxy:
        own = {}
        for key, value in self.__dict__.items():
            try:
                own[key] = copy.deepcopy(value, memo)
            except Exception:
                own[key] = copy.copy(value)
        made = Proxy(own["node"], own["tracer"])
        made.__dict__.update(own)
        return made

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator[Proxy]:
        frame = sys._getframe(1)
        instructions, at = _running(frame)
        if instructions[at].opname == "UNPACK_SEQUENCE":
            return (self[i] for i in range(instructions[at].argval))  # type: ignore[index]
        return self.tracer.iter(self)

    def __abs__(self) -> Proxy:
        return self.tracer.create_proxy("call_function", operator.abs, (self,), {})

    def __bool__(self) -> bool:
        if self.tracer.trace_asserts and _in_assert(sys._getframe(1)):
            self.tracer.create_proxy("call_function", assert_fn, (self,), {})
            return True
        return self.tracer.to_bool(self)

    def keys(self) -> Any:
        """The keys of the value."""
        return self.tracer.keys(self)

    def __len__(self) -> int:
        raise RuntimeError(
            "'len' is not supported in symbolic tracing by default. If you want this call to be "
            "recorded, please call torch.fx.wrap('len') at module scope"
        )

    @classmethod
    def __torch_function__(
        cls, orig_method: Any, types: Any, args: Any = None, kwargs: Any = None
    ) -> Proxy:
        # All functions ask once this module is there, which importing fx is no reason for.
        from minitorch.overrides import is_tensor_method_or_property

        args, kwargs = args or (), kwargs or {}
        tracers: dict[TracerBase, None] = {}
        for each in tree_leaves((args, kwargs)):
            if isinstance(each, cls):
                tracers[each.tracer] = None
        if len(tracers) > 1:
            raise RuntimeError(
                f"Found multiple different tracers {list(tracers)} while trying to trace "
                f"operations {orig_method}"
            )
        tracer = next(iter(tracers))
        name = orig_method.__name__
        if is_tensor_method_or_property(orig_method):
            return tracer.create_proxy("call_method", name, args, kwargs)
        wanted = tracer.graph._target_to_str(name)
        return tracer.create_proxy("call_function", orig_method, args, kwargs, name=wanted)


def _running(frame: FrameType) -> tuple[list[dis.Instruction], int]:
    """The instructions of a frame, and which of them runs."""
    found = list(dis.get_instructions(frame.f_code))
    return found, bisect_left(found, frame.f_lasti, key=lambda each: each.offset)


def _in_assert(frame: FrameType) -> bool:
    """Whether a frame asks for the truth of an asserted value."""
    found, at = _running(frame)
    if found[at].opname != "POP_JUMP_IF_TRUE":  # as torch: not that of Python 3.11
        return False
    return any(
        each.opname == "LOAD_ASSERTION_ERROR"
        or (each.opname == "LOAD_COMMON_CONSTANT" and each.argval is AssertionError)
        for each in found[at + 1 : at + 3]
    )


class Attribute(Proxy):
    """An attribute of a Proxy; a node only if it is used otherwise than called."""

    def __init__(self, root: Proxy, attr: str) -> None:
        self.root, self.attr = root, attr
        self.tracer = root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:  # type: ignore[override]
        """The node that reads the attribute, made when it is first needed."""
        if self._node is None:
            given = (self.root, self.attr)
            self._node = self.tracer.create_proxy("call_function", getattr, given, {}).node
        return self._node

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


class ParameterProxy(Proxy):
    """A Proxy for a parameter, whose shape the program may know while it is traced."""

    def __init__(self, tracer: TracerBase, node: Node, name: str, param: Any) -> None:
        super().__init__(node, tracer)
        if not isinstance(param, Parameter):
            raise AssertionError(f"Expected Parameter, got {type(param)}")
        self.param, self.name = param, name

    def __repr__(self) -> str:
        return f"ParameterProxy({self.name})"

    @property
    def shape(self) -> Any:
        """The parameter's shape."""
        return self.param.shape

    @property
    def ndim(self) -> int:
        """The number of dimensions of the parameter."""
        return self.param.ndim

    def size(self) -> Any:
        """The parameter's shape."""
        return self.param.size()

    def dim(self) -> int:
        """The number of dimensions of the parameter."""
        return self.param.dim()

    def numel(self) -> int:
        """The number of elements of the parameter."""
        return self.param.numel()

    def nelement(self) -> int:
        """The number of elements of the parameter."""
        return self.param.nelement()


def _operator(name: str, reflected: bool) -> Callable[..., Proxy]:
    """The method of Proxy for a Python operator."""

    def plain(self: Proxy, *args: Any, **kwargs: Any) -> Proxy:
        target = getattr(operator, name)
        return self.tracer.create_proxy("call_function", target, (self, *args), kwargs)

    def turned(self: Proxy, rhs: Any) -> Proxy:
        target = getattr(operator, name)
        return self.tracer.create_proxy("call_function", target, (rhs, self), {})

    made = turned if reflected else plain
    made.__name__ = made.__qualname__ = f"__{'r' * reflected}{name.strip('_')}__"
    return made


for _name in magic_methods:
    setattr(Proxy, f"__{_name.strip('_')}__", _operator(_name, reflected=False))
for _name in reflectable_magic_methods:
    setattr(Proxy, f"__r{_name.strip('_')}__", _operator(_name, reflected=True))

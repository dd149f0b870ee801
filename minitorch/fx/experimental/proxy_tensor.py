"""torch.fx.experimental.proxy_tensor: graphs of the operators below autograd that a function calls.

`make_fx(f)(*args)` runs `f` on the very arguments, within a mode that sees each operator and adds a
node for it: `torch.ops.aten.addmm.default` for a linear layer, the operators of a backward too.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from minitorch._ops import ops
from minitorch._public import outlines
from minitorch.core.base.modes import GRADIENT_KINDS
from minitorch.core.declare.protocols.mode_stack import STACK
from minitorch.core.tensor.tensor import Tensor
from minitorch.fx import traceback as fx_traceback
from minitorch.fx._symbolic_trace import PH, Tracer
from minitorch.fx.experimental._tracking import (
    TensorTracker,
    _ProxyTensor,
    extract_val,
    get_proxy_slot,
    has_proxy_slot,
    set_meta,
    set_proxy_slot,
    track_tensor,
    track_tensor_tree,
)
from minitorch.fx.graph import Graph
from minitorch.fx.graph_module import GraphModule
from minitorch.fx.interpreter import Interpreter
from minitorch.fx.node import Node
from minitorch.fx.proxy import GraphAppendingTracer, Proxy
from minitorch.nn.modules.module import Module
from minitorch.nn.parameter import Parameter
from minitorch.utils import _pytree as pytree
from minitorch.utils._python_dispatch import TorchDispatchMode, _pop_mode, _push_mode

__all__ = [
    "DecompositionInterpreter",
    "ProxyTorchDispatchMode",
    "PythonKeyTracer",
    "decompose",
    "dispatch_trace",
    "extract_val",
    "get_innermost_proxy_mode",
    "get_isolated_graphmodule",
    "get_proxy_mode",
    "get_proxy_slot",
    "get_torch_dispatch_modes",
    "has_proxy_slot",
    "is_sym_node",
    "make_fx",
    "maybe_handle_decomp",
    "py_sym_types",
    "set_meta",
    "set_proxy_slot",
    "track_tensor",
    "track_tensor_tree",
]

# Numbers that a tracer would follow: there are none.
py_sym_types: tuple[type, ...] = ()
# A tensor that the program wrote down keeps its value, if it has no more elements than this.
CONSTANT_NUMEL_LIMIT = 1
# Operators whose result is a number that the graph could not know.
_GIVING_NUMBERS = ("_local_scalar_dense", "allclose", "equal", "item")
_NO_DECOMPOSITION: Mapping[Any, Callable[..., Any]] = {}


def _fetch_proxies(arguments: list[Any], tracer: Any) -> list[Any]:
    """The traced values of tensors among the arguments, in their places."""
    return [get_proxy_slot(x, tracer, x) if isinstance(x, Tensor) else x for x in arguments]


def _error_of_number(func: Any) -> RuntimeError:
    return RuntimeError(
        "It appears that you're trying to get value out of a tracing tensor with "
        f"{func} - erroring out! It's likely that this is caused by data-dependent control flow or "
        "similar.  It may be possible to trace this with dynamic shapes; try setting "
        "tracing_mode='symbolic' in your make_fx call."
    )


def proxy_call(
    proxy_mode: ProxyTorchDispatchMode, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The result of an operator, with a node for it in the graph of a mode."""
    decomposed = maybe_handle_decomp(proxy_mode, func, args, kwargs)
    if decomposed is not NotImplemented:
        return decomposed
    tracer = proxy_mode.tracer
    flat, spec = pytree.tree_flatten((args, kwargs))
    traced = _fetch_proxies(flat, tracer)
    known = [each for each in traced if isinstance(each, _ProxyTensor)]
    all_constant = all([each.constant is not None for each in known])
    constants = [each.constant if isinstance(each, _ProxyTensor) else each for each in traced]
    if func._opname in _GIVING_NUMBERS and func.namespace == "aten":
        if all_constant:
            given, named = pytree.tree_unflatten(constants, spec)
            return func(*given, **named)
        if proxy_mode._error_on_data_dependent_ops:
            raise _error_of_number(func)
    proxies = [each.proxy if isinstance(each, _ProxyTensor) else each for each in traced]
    given, named = pytree.tree_unflatten(proxies, spec)
    target = func
    if func is ops.aten.lift_fresh.default:  # what a program wrote down is copied by each run
        target = ops.aten.lift_fresh_copy.default
    name = tracer.graph._target_to_str(target.overloadpacket.__name__)
    proxy = tracer.create_proxy("call_function", target, given, named, name=name)
    out = func(*args, **kwargs)
    constant = None
    if target is not func:
        constant = args[0].clone() if out.numel() <= CONSTANT_NUMEL_LIMIT else None
    elif known and all_constant and _is_small(out) and not _draws(func):
        given, named = pytree.tree_unflatten(constants, spec)
        constant = func(*given, **named)
    track_tensor_tree(out, proxy, constant=constant, tracer=tracer)
    return out


def _is_small(out: Any) -> bool:
    leaves = pytree.tree_leaves(out)
    return all([isinstance(x, Tensor) and x.numel() <= CONSTANT_NUMEL_LIMIT for x in leaves])


_DRAWING = frozenset(
    """
    alpha_dropout bernoulli bernoulli_ cauchy cauchy_ dropout exponential exponential_ geometric
    geometric_ log_normal log_normal_ multinomial native_dropout normal normal_ poisson rand
    rand_like randint randint_like randn randn_like randperm rrelu_with_noise uniform uniform_
    """.split()
)


def _draws(func: Any) -> bool:
    """Whether an operator draws random numbers."""
    return func._opname in _DRAWING


# ---- the mode


class ProxyTorchDispatchMode(TorchDispatchMode):
    """Adds a node to a tracer's graph for each operator.

    Args:
        tracer: makes the nodes
        tracing_mode: "real": operators compute what they are asked
        pre_dispatch: False
        _error_on_data_dependent_ops: whether asking a tensor for its number is refused
        decomposition_table: functions that stand for operators, which are traced instead

    Source: torch.fx.experimental.proxy_tensor.ProxyTorchDispatchMode.
    """

    __module__ = "torch.fx.experimental.proxy_tensor"
    enable_tracing = True

    def __init__(
        self,
        tracer: Any,
        tracing_mode: str,
        pre_dispatch: bool = False,
        _allow_fake_constant: bool = False,
        _error_on_data_dependent_ops: bool = True,
        decomposition_table: Mapping[Any, Callable[..., Any]] | None = None,
    ) -> None:
        super().__init__()
        self.tracer, self.tracing_mode, self.pre_dispatch = tracer, tracing_mode, pre_dispatch
        self._allow_fake_constant = _allow_fake_constant
        self._error_on_data_dependent_ops = _error_on_data_dependent_ops
        self.decomposition_table = decomposition_table or {}
        self.decomp_layers = 0
        self.enter_stack: list[Any] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        with set_original_aten_op(func):
            return proxy_call(self, func, args, kwargs or {})

    def __enter__(self) -> Any:
        self.enter_stack.append(_without_proxy_mode())
        return super().__enter__()

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> None:
        super().__exit__(exc_type, exc_val, exc_tb)
        before = self.enter_stack.pop()
        if before is not None:
            _push_mode(before)

    @classmethod
    def is_infra_mode(cls) -> bool:
        """Whether torch itself is written with this mode: yes."""
        return True

    @contextmanager
    def enable_decompositions(self, decomposition_table: Any) -> Iterator[Any]:
        """A block in which other functions stand for operators."""
        before, self.decomposition_table = self.decomposition_table, decomposition_table or {}
        try:
            yield self.decomposition_table
        finally:
            self.decomposition_table = before


def _without_proxy_mode() -> ProxyTorchDispatchMode | None:
    """Takes the mode that traces off this thread's stack, and returns it; None if there is none."""
    modes = STACK.get()
    found = next((each for each in modes if isinstance(each, ProxyTorchDispatchMode)), None)
    if found is None:
        return None
    above: list[Any] = []
    while (mode := _pop_mode()) is not found:
        above.append(mode)
    for each in reversed(above):
        _push_mode(each)
    return found


@contextmanager
def disable_proxy_modes_tracing() -> Iterator[ProxyTorchDispatchMode | None]:
    """A block in which nothing is traced; it gets the mode that traces otherwise."""
    mode = _without_proxy_mode()
    try:
        yield mode
    finally:
        if mode is not None:
            _push_mode(mode)


def get_torch_dispatch_modes() -> list[Any]:
    """The modes of this thread, the outermost first."""
    return list(STACK.get())


def get_proxy_mode() -> ProxyTorchDispatchMode | None:
    """The mode that traces; None if none does."""
    modes = (each for each in reversed(STACK.get()) if isinstance(each, ProxyTorchDispatchMode))
    return next(modes, None)


get_innermost_proxy_mode = get_proxy_mode


def maybe_handle_decomp(proxy_mode: Any, op: Any, args: Any, kwargs: Any) -> Any:
    """The result of an operator's decomposition; NotImplemented if it has none."""
    if op not in proxy_mode.decomposition_table:
        return NotImplemented
    with proxy_mode:
        proxy_mode.decomp_layers += 1
        out = proxy_mode.decomposition_table[op](*args, **kwargs)
        proxy_mode.decomp_layers -= 1
    return out


@contextmanager
def decompose(decomposition_table: Any) -> Iterator[Any]:
    """A block in which functions stand for operators, while something is traced."""
    mode = get_proxy_mode()
    if mode is None:
        raise AssertionError("Expected proxy mode to be set")
    with mode.enable_decompositions(decomposition_table) as table:
        yield table


@contextmanager
def set_original_aten_op(func: Any) -> Iterator[None]:
    """A block whose nodes note the operator that they come from, if nodes keep such notes."""
    known = fx_traceback.current_meta
    if known.get("original_aten") is None and fx_traceback.has_preserved_node_meta():
        known["original_aten"] = func
        try:
            yield
        finally:
            known["original_aten"] = None
    else:
        yield


class _Traced:
    """Has a backward run on Tensors while it is traced: one of GRADIENT_KINDS."""

    @staticmethod
    def meets(roots: Any) -> bool:
        """Whether the backward that begins is traced."""
        return get_proxy_mode() is not None

    @staticmethod
    def accumulated(leaf: Any, gradient: Any, recorded: bool) -> bool:
        """Whether a gradient was added to a leaf's otherwise than usual: never."""
        return False


GRADIENT_KINDS.append(_Traced)


# ---- tracers


class PythonKeyTracer(Tracer):
    """Traces through all modules; their tensors are constants of the graph.

    Source: torch.fx.experimental.proxy_tensor.PythonKeyTracer.
    """

    __module__ = "torch.fx.experimental.proxy_tensor"

    def __init__(self) -> None:
        super().__init__(autowrap_modules=())
        self.tensor_tracker = TensorTracker()

    def call_module(self, m: Any, forward: Any, args: Any, kwargs: Any) -> Any:
        """The result of the module's forward: no module is a leaf."""
        return forward(*args, **kwargs)

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: Any) -> Any:
        """The attribute itself."""
        return attr_val

    def create_arg(self, a: Any) -> Any:
        """An argument as nodes have it; parameters become attributes of the traced module."""
        if isinstance(a, Parameter):
            for name, each in self.root.named_parameters():
                if each is a:
                    return self.create_node("get_attr", name, (), {})
            name = self.get_fresh_qualname("_param_constant")
            setattr(self.root, name, a)
            return self.create_node("get_attr", name, (), {})
        return super().create_arg(a)

    def unwrap_proxy(self, e: Any) -> Any:
        """The Proxy that a tensor stands for; anything else as it is."""
        if isinstance(e, Tensor):
            return get_proxy_slot(e, self, e, lambda each: each.proxy)
        return e

    def create_node(
        self,
        kind: str,
        target: Any,
        args: Any,
        kwargs: Any,
        name: str | None = None,
        type_expr: Any = None,
    ) -> Node:
        """A node of the graph; one that reads a tensor notes its dtype, shape and strides."""
        node = super().create_node(kind, target, args, kwargs, name, type_expr)
        if node.op in ("placeholder", "output"):
            node.meta.pop("stack_trace", None)
        if kind == "get_attr":
            value = functools.reduce(getattr, target.split("."), self.root)
            if isinstance(value, Tensor):
                with disable_proxy_modes_tracing():
                    node.meta["val"] = extract_val(value)
        return node


class _ModuleStackTracer(PythonKeyTracer):
    """Notes at each node in which modules its operator was called."""

    def __init__(self, scope_root: Any) -> None:
        super().__init__()
        self.scope_root = scope_root

    def path_of_module(self, mod: Any) -> str:
        """The name of a module in the module that is traced."""
        for name, each in self.scope_root.named_modules():
            if each is mod:
                return name
        raise NameError("module is not installed as a submodule")

    def call_module(self, m: Any, forward: Any, args: Any, kwargs: Any) -> Any:
        """The result of the module's forward, called within its scope."""
        try:
            self.path_of_module(m)
        except NameError:
            return forward(*args, **kwargs)
        return Tracer.call_module(self, m, forward, args, kwargs)

    def is_leaf_module(self, m: Any, module_qualified_name: str) -> bool:
        """Whether a module is called as it is: none is."""
        return False

    def create_node(self, *args: Any, **kwargs: Any) -> Node:
        """A node of the graph, with the stack of modules that run."""
        node = super().create_node(*args, **kwargs)
        if node.op not in ("placeholder", "output"):
            stack = node.meta.get("nn_module_stack") or self.module_stack
            node.meta["nn_module_stack"] = {
                key: (
                    path,
                    f"{kind.__module__}.{kind.__qualname__}" if isinstance(kind, type) else kind,
                )
                for key, (path, kind) in stack.items()
            }
        return node


def dispatch_trace(root: Any, tracer: Tracer, concrete_args: Any = None) -> GraphModule:
    """The GraphModule that a tracer makes of a function, without nodes that have no effect."""
    graph = tracer.trace(root, concrete_args)
    graph.eliminate_dead_code(_is_impure)
    name = type(root).__name__ if isinstance(root, Module) else root.__name__
    return GraphModule(tracer.root, graph, name)


def _is_impure(node: Node) -> bool:
    """Whether a node stays though nothing uses it: all that compute anything do."""
    return node.is_impure() or True


def wrap_key(f: Callable[..., Any], tensors: Any, tracer: Any, pre_dispatch: bool) -> Any:
    """A function of Proxies that runs `f` on tensors which stand for their values."""
    flat_tensors = pytree.tree_leaves(tensors)

    @functools.wraps(f)
    def wrapped(*proxies: Any, **_unused: Any) -> Any:
        flat_proxies = pytree.tree_leaves(proxies)
        if len(flat_proxies) != len(flat_tensors):
            raise AssertionError(
                f"Expected same length: {len(flat_proxies)} vs {len(flat_tensors)}"
            )
        with disable_proxy_modes_tracing():
            track_tensor_tree(flat_tensors, flat_proxies, constant=None, tracer=tracer)
        return pytree.tree_map(tracer.unwrap_proxy, f(*tensors))

    return wrapped


def fake_signature(fn: Callable[..., Any], nargs: int) -> Callable[..., Any]:
    """A function of so many arguments that hands them on: what *args hide from a tracer."""
    names = ",".join([f"arg{i}" for i in range(nargs)])
    return eval(f"lambda {names}: fn({names})", {"fn": fn})


# ---- tracing functions


def make_fx(
    f: Callable[..., Any],
    decomposition_table: Mapping[Any, Callable[..., Any]] | None = None,
    tracing_mode: str = "real",
    _allow_non_fake_inputs: bool = False,
    *,
    pre_dispatch: bool = False,
    record_module_stack: bool = False,
    _allow_fake_constant: bool = False,
    _error_on_data_dependent_ops: bool = True,
    record_stack_traces: bool = False,
    proxy_module_inputs: bool = False,
    _disable_torch_fn_metadata_mode: bool = False,
) -> Callable[..., GraphModule]:
    """A function that runs `f` on its arguments and returns the graph of the operators called.

    Args:
        f: a function of tensors, or of lists and dicts of them
        decomposition_table: operators -> the functions that are traced in place of them
        tracing_mode: "real" or "fake"; "symbolic" is not implemented
        pre_dispatch: whether operators above autograd are seen: not implemented
        record_module_stack: whether nodes note the modules that called their operators
        record_stack_traces: whether nodes note the lines of code that did

    Raises: RuntimeError where the program asks a traced tensor for its number.

    Source: torch.fx.experimental.proxy_tensor.make_fx.
    """
    if tracing_mode not in ("real", "fake", "symbolic"):
        raise AssertionError(f"tracing_mode must be real/fake/symbolic, got {tracing_mode}")
    if tracing_mode == "symbolic":
        raise NotImplementedError(
            "torch.fx.experimental.proxy_tensor.make_fx with tracing_mode='symbolic' is not "
            "implemented by minitorch, whose sizes are numbers"
        )
    if pre_dispatch:
        raise NotImplementedError(
            "torch.fx.experimental.proxy_tensor.make_fx with pre_dispatch=True is not implemented "
            "by minitorch, whose modes see operators below autograd"
        )

    @functools.wraps(f)
    def wrapped(*args: Any) -> GraphModule:
        if record_module_stack and hasattr(f, "_orig_mod"):
            tracer: PythonKeyTracer = _ModuleStackTracer(f._orig_mod)
        else:
            tracer = PythonKeyTracer()
        tracer.record_stack_traces = record_stack_traces
        placeholders = pytree.tree_map(lambda _: PH, args)
        code = getattr(inspect.unwrap(f), "__code__", None)
        func = f
        if code is None or code.co_flags & inspect.CO_VARARGS:
            func = fake_signature(f, len(placeholders))
        mode = ProxyTorchDispatchMode(
            tracer,
            tracing_mode,
            pre_dispatch,
            _allow_fake_constant,
            _error_on_data_dependent_ops,
            decomposition_table,
        )
        with mode:
            traced = wrap_key(func, args, tracer, pre_dispatch)
            return dispatch_trace(traced, tracer, tuple(placeholders))

    return wrapped


def wrapper_and_args_for_make_fx(
    func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[Callable[[list[Any]], Any], list[Any]]:
    """A function of one list of leaves that calls `func`, and that list."""
    flat, spec = pytree.tree_flatten((args, kwargs))

    def wrapped(flat_args: list[Any]) -> Any:
        given, named = pytree.tree_unflatten(flat_args, spec)
        return func(*given, **named)

    return wrapped, flat


def get_isolated_graphmodule(
    func: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    tracing_mode: str = "real",
    decomposition_table: Mapping[Any, Callable[..., Any]] | None = None,
) -> GraphModule:
    """The graph of a call, recorded so that an outer trace does not see it."""
    wrapped, flat = wrapper_and_args_for_make_fx(func, args, kwargs)
    with disable_proxy_modes_tracing():
        return make_fx(wrapped, decomposition_table, tracing_mode)(flat)


class _GraphAppendingTracerEx(GraphAppendingTracer):
    """Adds nodes to a graph, and knows what tensors stand for."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self.tensor_tracker = TensorTracker()


class DecompositionInterpreter(Interpreter):
    """Runs a graph and writes another, with functions in place of some operators.

    Args:
        module: the graph's module
        new_graph: is written
        decomposition_table: operators -> functions

    Source: torch.fx.experimental.proxy_tensor.DecompositionInterpreter.
    """

    __module__ = "torch.fx.experimental.proxy_tensor"

    def __init__(
        self,
        module: GraphModule,
        new_graph: Graph,
        decomposition_table: Mapping[Any, Callable[..., Any]] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(module, **kwargs)
        self.new_graph, self.tracer = new_graph, _GraphAppendingTracerEx(new_graph)
        self.decomposition_table = decomposition_table or {}
        self.mode = ProxyTorchDispatchMode(
            self.tracer, tracing_mode="real", decomposition_table=self.decomposition_table
        )

    def placeholder(self, target: Any, args: Any, kwargs: Any) -> Any:
        """An input, for which the new graph has one."""
        out = super().placeholder(target, args, kwargs)
        return self._tracked(out, self.new_graph.placeholder(target))

    def _tracked(self, out: Any, node: Node) -> Any:
        track_tensor_tree(out, Proxy(node, self.tracer), constant=None, tracer=self.tracer)
        for each in pytree.tree_leaves(out):
            if isinstance(each, Tensor):  # torch's own note of its form, which the mode sees
                options = {"dtype": each.dtype, "device": each.device, "pin_memory": False}
                form = list(each.shape), list(each.stride())
                target = ops.aten.empty_strided.default
                self.new_graph.call_function(target, form, options, name="empty_strided")
        return out

    def get_attr(self, target: Any, args: Any, kwargs: Any) -> Any:
        """An attribute, for which the new graph has one."""
        out = super().get_attr(target, args, kwargs)
        return self._tracked(out, self.new_graph.get_attr(target))

    def output(self, target: Any, args: Any, kwargs: Any) -> Any:
        """The result, which the new graph returns as well."""
        out = super().output(target, args, kwargs)

        def node_of(e: Any) -> Any:
            if not isinstance(e, Tensor):
                return e
            return get_proxy_slot(e, self.tracer, e, lambda each: each.proxy.node)

        self.new_graph.output(pytree.tree_map(node_of, out))
        return out

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """The graph's outputs for these arguments."""
        with self.mode:
            return super().run(*args, **kwargs)


def is_sym_node(node: Any) -> bool:
    """Whether a node of a graph stands for a number: none does."""
    if not hasattr(node, "meta"):
        raise AssertionError("All nodes traced with proxy_tensor should have meta")
    return False


__getattr__, __dir__ = outlines.rest_of("torch.fx.experimental.proxy_tensor")

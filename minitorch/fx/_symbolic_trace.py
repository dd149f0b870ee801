"""torch.fx._symbolic_trace: a Tracer runs a program with Proxies and returns its Graph."""

from __future__ import annotations

import collections
import copy
import functools
import inspect
import math
import warnings
from collections.abc import Callable, Iterable
from itertools import chain
from types import FunctionType, ModuleType
from typing import Any

from minitorch._public.checks import _assert
from minitorch.core.tensor.tensor import Tensor
from minitorch.fx._annotations import annotations_of
from minitorch.fx._patching import (  # noqa: F401  (programs take them from here)
    _autowrap_check,
    _find_proxy,
    _maybe_revert_all_patches,
    _new_patcher,
    _patch_wrapped_functions,
    _Patcher,
    _wrapped_fns_to_patch,
    _wrapped_methods_to_patch,
    wrap,
)
from minitorch.fx.graph import Graph, _PyTreeCodeGen, _PyTreeInfo
from minitorch.fx.graph_module import TRACERS, GraphModule
from minitorch.fx.node import Argument, base_types, map_aggregate  # noqa: F401
from minitorch.fx.operator_schemas import built_in_kind
from minitorch.fx.proxy import ParameterProxy, Proxy, Scope, ScopeContextManager, TracerBase
from minitorch.nn.modules.container import Sequential
from minitorch.nn.modules.module import Module
from minitorch.nn.parameter import Parameter
from minitorch.utils import _pytree as pytree

HAS_VARSTUFF = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
_CONSTANTS = (Tensor, pytree.TreeSpec)
_proxyable_classes: dict[type, None] = {}
_is_fx_tracing_flag = False
# Before any trace replaces them; tracers of other packages take them from here as well.
_orig_module_call: Callable[..., Any] = Module.__call__
_orig_module_getattr: Callable[..., Any] = Module.__getattr__


def is_fx_tracing() -> bool:
    """Whether a program is traced now."""
    return _is_fx_tracing_flag


is_fx_symbolic_tracing = is_fx_tracing


class ProxyableClassMeta(type):
    """The metaclass of classes whose making becomes a node if a Proxy is among the arguments.

    Source: torch.fx.ProxyableClassMeta.
    """

    def __init__(cls, name: str, bases: tuple[type, ...], attrs: dict[str, Any]) -> None:
        _proxyable_classes.setdefault(cls)
        super().__init__(name, bases, attrs)

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        proxy = _find_proxy(args, kwargs) if is_fx_tracing() else None
        if proxy is not None:
            return proxy.tracer.create_proxy("call_function", cls, args, kwargs)
        return super().__call__(*args, **kwargs)


class PHBase:
    """Stands in concrete_args for an input that stays one."""

    def __repr__(self) -> str:
        return "PH"


PH = PHBase()


class PHWithMeta(PHBase):
    """A PH whose attributes the input's node gets."""

    def __init__(self, ph_key: str | None = None) -> None:
        self.ph_key = ph_key


def _transfer_attrs(fr: Any, to: Any) -> None:
    for name in dir(fr):
        value = getattr(fr, name)
        if not callable(value) and not name.startswith("__") and not hasattr(to, name):
            setattr(to, name, value)


def _patch_function(fn: FunctionType, nargs: int) -> FunctionType:
    """A function whose *args and **kwargs are plain arguments, behind the others."""
    code = fn.__code__.replace(
        co_argcount=nargs,
        co_posonlyargcount=0,
        co_kwonlyargcount=0,
        co_flags=fn.__code__.co_flags & ~HAS_VARSTUFF,
    )
    return FunctionType(code, fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__)


class Tracer(TracerBase):
    """Runs a function or a module with Proxies for its inputs; returns the graph of its calls.

    Args:
        autowrap_modules: Python modules of whose functions calls with Proxies are nodes
        autowrap_functions: more such functions
        param_shapes_constant: whether programs may ask parameters for their shape

    Subclasses say with `is_leaf_module` which modules are called as they are.

    Source: torch.fx.Tracer.
    """

    def __init__(
        self,
        autowrap_modules: tuple[ModuleType, ...] = (math,),
        autowrap_functions: tuple[Callable[..., Any], ...] = (),
        param_shapes_constant: bool = False,
    ) -> None:
        named = chain.from_iterable(vars(each).items() for each in autowrap_modules)
        functions = [each for name, each in named if not name.startswith("_") and callable(each)]
        self._autowrap_function_ids = {id(each) for each in (*functions, *autowrap_functions)}
        self._autowrap_search = list(autowrap_modules)
        self.param_shapes_constant = param_shapes_constant
        self.submodule_paths: dict[Module, str] | None = None
        self.root_module_name = ""
        self.scope = Scope("", None)
        self.module_stack = collections.OrderedDict()
        self.num_calls: dict[str, int] = {}
        self.node_name_to_scope = {}

    # ---- what programs may change

    def is_leaf_module(self, m: Any, module_qualified_name: str) -> bool:
        """Whether a module is called as it is: those of torch.nn are, but Sequential."""
        known = m.__module__.startswith(("torch.nn", "torch.ao.nn"))
        return known and not isinstance(m, Sequential)

    def path_of_module(self, mod: Any) -> str:
        """The name of a module in the traced one. NameError if it is none of its modules."""
        if self.submodule_paths:
            path = self.submodule_paths.get(mod)
        else:
            path = next((name for name, each in self.root.named_modules() if each is mod), None)
        if path is None:
            raise NameError("module is not installed as a submodule")
        return path

    def call_module(
        self, m: Any, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Any:
        """A call of a module: a node for a leaf, else the result of its forward."""
        path = self.path_of_module(m)
        with ScopeContextManager(self.scope, Scope(path, type(m))) as scope:
            count = self.num_calls.get(path, 0)
            key = f"{scope.module_path}@{count}" if count else scope.module_path
            self.module_stack[key] = (path, scope.module_type)
            self.num_calls[path] = count + 1
            if self.is_leaf_module(m, path):
                result = self.create_proxy("call_module", path, args, kwargs)
            else:
                result = forward(*args, **kwargs)
            self.module_stack.popitem(last=True)
        return result

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Any]) -> Any:
        """An attribute that a module's code reads: a Proxy for a parameter."""

        def found_among(named: Iterable[tuple[str, Any]]) -> Any:
            for name, each in named:
                if each is attr_val:
                    if name not in parameter_proxy_cache:
                        parameter_proxy_cache[name] = self._attribute_proxy(name, attr_val)
                    return parameter_proxy_cache[name]
            return None

        found = None
        if isinstance(attr_val, Parameter):
            found = found_among(self.root.named_parameters())
        if found is None and self.proxy_buffer_attributes and isinstance(attr_val, Tensor):
            found = found_among(self.root.named_buffers())
        return attr_val if found is None else found

    def _attribute_proxy(self, name: str, value: Any) -> Proxy:
        options: dict[str, Any] = {}
        if "proxy_factory_fn" in inspect.signature(self.create_proxy).parameters:
            shaped = lambda node: ParameterProxy(self, node, name, value)
            options["proxy_factory_fn"] = shaped if self.param_shapes_constant else None
        return self.create_proxy("get_attr", name, (), {}, **options)

    def create_arg(self, a: Any) -> Argument:
        """An argument as nodes have it; tensors and modules are read from the traced module.

        NameError for a parameter that is none of its own.
        """
        if isinstance(a, Parameter):
            named: Any = self.root.named_parameters()
        elif isinstance(a, Tensor):
            named = self.root.named_buffers()
        else:
            named = self.root.named_modules() if isinstance(a, Module) else ()
        for name, each in named:
            if each is a:
                return self.create_node("get_attr", name, (), {})
        if isinstance(a, Parameter):
            raise NameError("parameter is not a member of this module")
        if isinstance(a, tuple) and hasattr(a, "_fields"):
            inner = tuple([self.create_arg(each) for each in a])
            return self.create_node("call_function", type(a), inner, {})
        if isinstance(a, _CONSTANTS):
            name = self.tensor_attrs.get(a)
            if not name:
                tensor = isinstance(a, Tensor)
                name = self.get_fresh_qualname(
                    "_tensor_constant" if tensor else "_tree_spec_constant"
                )
                self.tensor_attrs[a] = name
                setattr(self.root, name, a)
            return self.create_node("get_attr", name, (), {})
        if type(a) in _proxyable_classes:
            name = self.get_fresh_qualname(f"_{type(a).__name__}_constant_")
            setattr(self.root, name, a)
            return self.create_node("get_attr", name, (), {})
        return super().create_arg(a)

    def get_fresh_qualname(self, prefix: str) -> str:
        """A name that the traced module has not: the prefix with a number."""
        number = 0
        while hasattr(self.root, f"{prefix}{number}"):
            number += 1
        return f"{prefix}{number}"

    # ---- tracing

    def trace(self, root: Any, concrete_args: Any = None) -> Graph:
        """The graph of the calls of a function or a module.

        Args:
            root: a function or a module
            concrete_args: values of some of its parameters by name, which the graph keeps; a tree
                with PH in it where leaves stay inputs

        Raises: TraceError where its control flow depends on a value.
        """
        global _is_fx_tracing_flag
        before, _is_fx_tracing_flag = _is_fx_tracing_flag, True
        try:
            return self._traced(root, concrete_args)
        finally:
            _is_fx_tracing_flag = before
            self.submodule_paths = None

    def _traced(self, root: Any, concrete_args: Any) -> Graph:
        is_module = isinstance(root, Module)
        if is_module:
            self.root = root
            if not hasattr(type(root), self.traced_func_name):
                raise AssertionError(
                    f"traced_func_name={self.traced_func_name} doesn't exist in "
                    f"{type(root).__name__}"
                )
            fn = getattr(type(root), self.traced_func_name)
            self.root_module_name = root._get_name()
            self.submodule_paths = {module: name for name, module in root.named_modules()}
        else:
            self.root, fn = Module(), root
        self.graph = Graph(tracer_cls=type(self))
        if hasattr(fn, "__code__"):
            code = fn.__code__
            fields = ("co_name", "co_filename", "co_firstlineno")
            self.graph._co_fields = {field: getattr(code, field) for field in fields}
        self.tensor_attrs: dict[Any, str] = {}
        self._collect_constants(self.root, "")
        kind = built_in_kind(fn)
        if kind is not None or not isinstance(fn, FunctionType):
            raise AssertionError(f"Expected FunctionType, got {kind or type(fn)}")
        names = fn.__globals__
        returned = annotations_of(inspect.unwrap(fn), root).get("return")
        plain = fn
        fn, args = self.create_args_for_root(fn, is_module, concrete_args)
        if fn is not plain:  # one that takes other arguments, and has no annotations
            returned = None
        with _new_patcher() as patcher:
            self._patch_modules(patcher)
            _patch_wrapped_functions(patcher)
            for each in (names, *map(vars, self._autowrap_search)):
                _autowrap_check(patcher, each, self._autowrap_function_ids)
            output = (self.create_arg(fn(*args)),)
            self.create_node("output", "output", output, {}, type_expr=returned)
        return self.graph

    def _collect_constants(self, module: Any, prefix: str) -> None:
        for name, value in vars(module).items():
            if isinstance(value, _CONSTANTS):
                self.tensor_attrs[value] = prefix + name
        for name, child in module.named_children():
            self._collect_constants(child, f"{prefix}{name}.")

    def _patch_modules(self, patcher: _Patcher) -> None:
        """Lets calls of modules, and what their code reads of them, come by this tracer."""
        cache: dict[str, Proxy] = {}

        @functools.wraps(_orig_module_getattr)
        def read(mod: Any, attr: str) -> Any:
            return self.getattr(attr, _orig_module_getattr(mod, attr), cache)

        @functools.wraps(_orig_module_call)
        def call(mod: Any, *args: Any, **kwargs: Any) -> Any:
            def forward(*args: Any, **kwargs: Any) -> Any:
                return _orig_module_call(mod, *args, **kwargs)

            names = getattr(getattr(mod, "forward", mod), "__globals__", {})
            _autowrap_check(patcher, names, self._autowrap_function_ids)
            return self.call_module(mod, forward, args, kwargs)

        patcher.patch_method(Module, "__getattr__", read, deduplicate=False)
        patcher.patch_method(Module, "__call__", call, deduplicate=False)

    def create_args_for_root(
        self, root_fn: Any, is_module: bool, concrete_args: Any = None
    ) -> tuple[Any, list[Any]]:
        """The function to run and its arguments: Proxies for its parameters.

        RuntimeError for a method whose self is in *args, or for too few concrete arguments.
        """
        function = inspect.unwrap(root_fn)
        code = function.__code__
        total = code.co_argcount + code.co_kwonlyargcount
        names = list(code.co_varnames)
        args: list[Any] = []
        if is_module:
            if total == 0:
                raise RuntimeError("``self`` argument cannot be part of *args expansion!")
            args.append(self.root)
        signature = inspect.signature(function)
        varied = bool(code.co_flags & HAS_VARSTUFF)
        if isinstance(concrete_args, tuple) and concrete_args and varied and total == 1:
            return root_fn, args + [
                self._numbered_input(i, each) for i, each in enumerate(concrete_args)
            ]
        wanted = names[len(args) : total]
        if isinstance(concrete_args, tuple):
            if len(wanted) != len(concrete_args):
                raise RuntimeError(
                    f"Tracing expected {len(wanted)} arguments but got {len(concrete_args)} "
                    "concrete arguments"
                )
            concrete_args = dict(zip(wanted, concrete_args))
        place = lambda name: self._proxy_placeholder(name, concrete_args, signature, function)
        args += [place(name) for name in wanted]
        if code.co_kwonlyargcount > 0 or varied:
            rest = iter(names[total:])
            if code.co_flags & inspect.CO_VARARGS:
                args.append(place("*" + next(rest)))
            if code.co_flags & inspect.CO_VARKEYWORDS:
                args.append(place("**" + next(rest)))
            root_fn = _patch_function(root_fn, len(args))
        flat, spec = pytree.tree_flatten(tuple(args))
        if all(child.is_leaf() for child in spec.children()):
            return root_fn, args
        self.graph._codegen = _PyTreeCodeGen(_PyTreeInfo(names[:total], spec, None))

        def flatten_fn(*leaves: Any) -> Any:
            result = root_fn(*pytree.tree_unflatten(list(leaves), spec))
            out, out_spec = pytree.tree_flatten(result)
            codegen: Any = self.graph._codegen
            codegen.pytree_info = codegen.pytree_info._replace(out_spec=out_spec)
            return out

        return flatten_fn, flat

    def _numbered_input(self, number: int, concrete: Any) -> Proxy:
        made = self.create_proxy("placeholder", f"input_{number}", (), {})
        if isinstance(concrete, PHBase) and concrete is not PH:
            _transfer_attrs(fr=concrete, to=made.node)
        return made

    def _proxy_placeholder(
        self, name: str, concrete_args: Any, sig: inspect.Signature, fn_for_analysis: Any
    ) -> Any:
        """The Proxy for a parameter, or its concrete value, whose leaves are checked by nodes."""
        default: tuple[Any, ...] = ()
        if name[0] != "*" and sig.parameters[name].default is not inspect.Parameter.empty:
            default = (sig.parameters[name].default,)
        if concrete_args is None or name not in concrete_args:
            kind = annotations_of(fn_for_analysis, self.root).get(name)
            return self.create_proxy("placeholder", name, default, {}, type_expr=kind)
        count = 0

        def replace(concrete: Any) -> Any:
            nonlocal count
            count += 1
            made = self.create_proxy("placeholder", f"{name}_{count}", default, {})
            if isinstance(concrete, PHBase):
                if concrete is not PH:
                    _transfer_attrs(fr=concrete, to=made.node)
                return made
            text = f"{name} has been specialized to have value {concrete} but got another value"
            if concrete is None:
                self.create_proxy("call_function", _assert_is_none, (made, text), {})
            elif type(concrete) in base_types and type(concrete) is not Tensor:
                _assert(made == concrete, text)
            else:
                warnings.warn(
                    "Was not able to add assertion to guarantee correct input "
                    f"{name} to specialized function. It is up to the user to make sure that your "
                    "inputs match the inputs you specialized the function with.",
                    stacklevel=2,
                )
            return concrete

        return pytree.tree_map(replace, concrete_args[name])

    def __deepcopy__(self, memo: dict[int, Any]) -> Tracer:
        made = Tracer.__new__(Tracer)
        for key, value in self.__dict__.items():
            plain = key == "_autowrap_search"
            made.__dict__[key] = copy.copy(value) if plain else copy.deepcopy(value, memo)
        return made


def _assert_is_none(value: object, msg: str) -> None:
    if value is not None:
        raise AssertionError(msg)


wrap("_assert_is_none")


def symbolic_trace(root: Any, concrete_args: Any = None) -> GraphModule:
    """A module that does what a function or a module does, with the graph of it.

    Args:
        root: a function or a module; see Tracer.trace
        concrete_args: values that some parameters keep

    Raises: TraceError where its control flow depends on a value.

    Source: torch.fx.symbolic_trace.
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, Module) else root.__name__
    return GraphModule(tracer.root, graph, name)


TRACERS[:] = [Tracer]

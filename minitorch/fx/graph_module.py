"""torch.fx.graph_module: a module whose forward is the code of a graph."""

from __future__ import annotations

import contextlib
import copy
import itertools
import linecache
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import Any

from minitorch import aten, core
from minitorch.core.tensor.tensor import Tensor
from minitorch.fx._folder import write_folder
from minitorch.fx._naming import module_name
from minitorch.fx.graph import Graph
from minitorch.fx.graph_code import (
    PythonCode,
    _BoxedCodeGen,
    _custom_builtins,
    _PyTreeCodeGen,
)
from minitorch.nn.modules.module import Module
from minitorch.nn.parameter import Parameter

__all__ = ["GraphModule", "reduce_graph_module", "reduce_package_graph_module"]

_OPERATORS = tuple([os.path.dirname(each.__file__) + os.sep for each in (aten, core)])
_PLACE = (
    "Call using an FX-traced Module, line {} of the traced Module's generated forward function:"
)
_USER_PRESERVED_ATTRIBUTES_KEY = "_user_preserved_attributes"
_HOOKS = ("_replace_hooks", "_create_node_hooks", "_erase_node_hooks", "_deepcopy_hooks")


class _Sources:
    """The generated sources, so that tracebacks can show them."""

    def __init__(self) -> None:
        self.eval_cache: dict[str, str] = {}
        self.next_id = 0

    def cache(self, src: str, names: dict[str, Any], co_fields: dict[str, Any] | None) -> str:
        """Keeps a source and returns the name of its file."""
        key = f"<eval_with_key>.{self.next_id}"
        self.next_id += 1
        if co_fields and "co_filename" in co_fields:
            if "co_firstlineno" in co_fields and "co_name" in co_fields:
                where = f"{co_fields['co_filename']}:{co_fields['co_firstlineno']}"
                key += f" from {where} in {co_fields['co_name']}"
            else:
                key = co_fields["co_filename"]
        self.eval_cache[key] = src
        linecache.lazycache(key, {**names, "__file__": key, "__name__": key, "__loader__": self})
        return key

    def get_source(self, module_name: str) -> str | None:
        """The source of a file, as linecache asks for it."""
        return self.eval_cache.get(module_name)


_loader = _Sources()


def _exec_with_source(
    src: str, globals: dict[str, Any], co_fields: dict[str, Any] | None = None
) -> None:
    key = _loader.cache(src, globals, co_fields)
    exec(compile(src, key, "exec", dont_inherit=True), globals)


def _method_from_src(
    method_name: str, src: str, globals: dict[str, Any], co_fields: Any = None
) -> Callable[..., Any]:
    """The function of that name which a source defines."""
    names = globals.copy()
    _exec_with_source(src, names, co_fields)
    return names.pop(method_name)


def _forward_from_src(
    src: str, globals: dict[str, Any], co_fields: Any = None
) -> Callable[..., Any]:
    return _method_from_src("forward", src, globals, co_fields)


# ---- pickles


def _format_import_block(globals: dict[str, Any]) -> str:
    """The import statements for the names that a graph's code needs."""
    return "\n".join(sorted({_import_of(name, obj) for name, obj in globals.items()}))


def _import_of(name: str, obj: Any) -> str:
    if name in _custom_builtins:
        return _custom_builtins[name].import_str
    return f"from {module_name(obj)} import {obj.__qualname__} as {name}"


def reduce_graph_module(body: dict[str, Any], import_block: str) -> Module:
    """The GraphModule that a pickle or a copy describes.

    Args:
        body: the attributes of the module, the code among them
        import_block: the import statements that the code needs

    Source: torch.fx.graph_module.reduce_graph_module.
    """
    names = {name: known.obj for name, known in _custom_builtins.items()}
    known = {known.import_str for known in _custom_builtins.values()}
    missing = [line for line in import_block.split("\n") if line not in known]
    source = "\n".join(missing) + (body.get("_code") or body["code"])
    return _deserialize_graph_module(_forward_from_src(source, names), body)


class _CodeOnlyModule(Module):
    """The attributes and the forward of a GraphModule, to be traced for its graph."""

    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__()
        self.__dict__ = body


# The class Tracer, once it is there: it makes GraphModules, and unpickled ones are traced again.
TRACERS: list[Any] = []


def _deserialize_graph_module(
    forward: Callable[..., Any], body: dict[str, Any], graph_module_cls: Any = None
) -> Module:
    (usual,) = TRACERS
    tracer_cls = body.get("_tracer_cls") or usual
    kept = type("KeepModules", (tracer_cls,), {"is_leaf_module": lambda self, module, name: True})
    source = type("_CodeOnlyModule", (_CodeOnlyModule,), {"forward": forward})(body)
    graph = kept().trace(source, **body.get("_tracer_extras", {}))
    for name, trace in (body.pop("_graphmodule_graph_node_meta_stack_trace", None) or {}).items():
        for node in graph.nodes:
            if node.name == name:
                node.stack_trace = trace
    graph._tracer_cls = tracer_cls
    name = body.get("_graphmodule_cls_name", "GraphModule")
    made = (graph_module_cls or GraphModule)(source, graph, class_name=name)
    for key, value in body.items():
        if not hasattr(made, key):
            setattr(made, key, value)
    return made


# ---- attributes by path


def _copy_attr(from_module: Module, to_module: Module, target: str) -> None:
    """Lets a module have what another one has under a path."""
    *path, name = target.split(".")
    for each in path:
        source, made = getattr(from_module, each), getattr(to_module, each, None)
        if source is made:  # the whole module is there already
            return
        if made is None:
            made = Module()
            setattr(to_module, each, made)
        from_module, to_module = source, made
    _set(to_module, name, getattr(from_module, name))


def _assign_attr(from_obj: Any, to_module: Module, target: str) -> None:
    """Lets a module have an object under a path."""
    *path, name = target.split(".")
    for each in path:
        inner = getattr(to_module, each, None)
        if inner is None:
            inner = Module()
            setattr(to_module, each, inner)
        to_module = inner
    _set(to_module, name, from_obj)


def _set(module: Module, name: str, value: Any) -> None:
    if isinstance(value, Tensor) and not isinstance(value, Parameter):
        module.register_buffer(name, value)
    else:
        setattr(module, name, value)


def _get_attr(model: Module, attr_name: str) -> Any:
    """The attribute of a module at a dotted path."""
    found: Any = model
    *path, name = attr_name.split(".")
    for each in path:
        found = getattr(found, each, None)
        if found is None:
            raise AssertionError(f"Attribute '{each}' not found in model")
    return getattr(found, name)


def _has_attr(model: Module, attr_name: str) -> bool:
    """Whether a module has anything under a path."""
    found: Any = model
    for each in attr_name.split("."):
        if not hasattr(found, each):
            return False
        found = getattr(found, each)
    return True


# ---- calls


class _WrappedCall:
    """Calls a GraphModule; an error in its generated code is shown with the lines around it."""

    def __init__(self, cls: Any, cls_call: Callable[..., Any] | None) -> None:
        self.cls, self.cls_call = cls, cls_call

    def __call__(self, obj: Any, *args: Any, **kwargs: Any) -> Any:
        try:
            if self.cls_call is not None:
                return self.cls_call(obj, *args, **kwargs)
            return super(self.cls, obj).__call__(*args, **kwargs)
        except Exception as error:
            frames = traceback.StackSummary.extract(traceback.walk_tb(error.__traceback__))
            last = next((each for each in reversed(frames) if not _is_operator(each)), frames[0])
            if "eval_with_key" not in last.filename:
                raise
            print(self._generate_error_message(last), file=sys.stderr)
            raise error.with_traceback(None) from None

    @staticmethod
    def _generate_error_message(frame_summary: traceback.FrameSummary) -> str:
        at = frame_summary.lineno or 0
        lines = linecache.getlines(frame_summary.filename)
        return "\n".join(
            [
                traceback.format_exc(),
                _PLACE.format(at),
                "".join(lines[at - 2 : at]),
                "~" * len(frame_summary.line or "") + "~~~ <--- HERE",
                "\n".join(lines[at : at + 2]),
            ]
        )


def _is_operator(frame: traceback.FrameSummary) -> bool:
    """Whether a frame is one of an operator: torch has none, since it is C++."""
    return frame.filename.startswith(("<minitorch", *_OPERATORS))


class GraphModule(Module):
    """A module whose forward is the code of a graph; assign another graph, or `recompile`.

    Each instance has a class of its own, for its code.

    Args:
        root: a module that has what the graph calls and reads, or a dict of it by path
        graph: the graph
        class_name: the name of the class

    Raises: RuntimeError for another root, or for a dict that lacks a target of the graph.

    Source: torch.fx.GraphModule.
    """

    __jit_unused_properties__ = ["graph", "_boxed_call"]
    _graph: Graph

    def __new__(cls, *args: Any, **kwargs: Any) -> GraphModule:
        base = next(
            each for each in cls.__mro__ if each.__qualname__.split(".")[-1] != "GraphModuleImpl"
        )

        class GraphModuleImpl(base):  # type: ignore[misc, valid-type]
            pass

        GraphModuleImpl.__module__ = "torch.fx.graph_module"
        return object.__new__(GraphModuleImpl)

    def __init__(
        self, root: Module | dict[str, Any], graph: Graph, class_name: str = "GraphModule"
    ) -> None:
        super().__init__()
        type(self).__name__ = class_name
        targets = [n.target for n in graph.nodes if n.op in ("get_attr", "call_module")]
        if isinstance(root, Module):
            if hasattr(root, "training"):
                self.training = root.training
            if isinstance(root, _CodeOnlyModule):
                named = (root.named_children(), root.named_buffers(), root.named_parameters())
                targets = [name for name, _ in itertools.chain(*named)] + targets
            for target in targets:
                _copy_attr(root, self, target)
        elif isinstance(root, dict):
            for node in graph.nodes:
                if node.op in ("get_attr", "call_module") and node.target not in root:
                    raise RuntimeError(
                        f"Node {node} referenced target {node.target} but that target was not "
                        "provided in ``root``!"
                    )
            for target in sorted(targets, key=lambda path: path.count(".")):
                _assign_attr(root[target], self, target)
        else:
            raise RuntimeError(f"Unsupported type {root} passed for root!")
        self.graph = graph
        tracer_cls = graph._tracer_cls
        known = tracer_cls and "<locals>" not in tracer_cls.__qualname__
        self._tracer_cls = tracer_cls if known else None
        self._tracer_extras = graph._tracer_extras or {}
        self.meta: dict[str, Any] = {}
        for hooks in _HOOKS:
            setattr(self, hooks, [])
        self.shape_env = None

    @property
    def graph(self) -> Graph:
        """The graph. Assigning another one writes the code anew."""
        return self._graph

    @graph.setter
    def graph(self, g: Graph) -> None:
        if not isinstance(g, Graph):
            raise AssertionError(f"Expected a Graph instance, but got {type(g)}")
        self._graph = g
        g.owning_module = self
        self.recompile()

    @property
    def _boxed_call(self) -> bool:
        return isinstance(self._graph._codegen, _BoxedCodeGen)

    @property
    def code(self) -> str:
        """The source of forward."""
        if not hasattr(self, "_code"):
            raise RuntimeError("Code has not been generated! Please report a bug to PyTorch")
        return self._code

    def recompile(self) -> PythonCode:
        """Writes the code of the graph and makes it this module's forward; returns it."""
        graph = self._graph
        if isinstance(graph._codegen, _PyTreeCodeGen):
            self._in_spec = graph._codegen.pytree_info.in_spec
            self._out_spec = graph._codegen.pytree_info.out_spec
        made = graph.python_code(root_module="self")
        self._code = made.src
        self._lineno_map, self._prologue_start = made._lineno_map, made._prologue_start
        cls: Any = type(self)
        cls.forward = _forward_from_src(self._code, made.globals, graph._co_fields)
        # Remembered from before the first time, when a subclass may have one of its own.
        own_call = cls.__call__ if "__call__" in vars(cls) else None
        if "_wrapped_call" not in vars(cls):
            cls._wrapped_call = _WrappedCall(cls, own_call)
        for _, child in self.named_children():
            if isinstance(child, GraphModule):
                child.recompile()

        def call_wrapped(self: Any, *args: Any, **kwargs: Any) -> Any:
            return self._wrapped_call(self, *args, **kwargs)

        cls.__call__ = call_wrapped
        return made

    # ---- submodules

    def add_submodule(self, target: str, m: Module) -> bool:
        """Adds a module under a path, with modules on the way; False if something is in the way."""
        *path, name = target.split(".")
        module: Module = self
        for each in path:
            below = getattr(module, each, None)
            if below is None:
                below = Module()
                setattr(module, each, below)
            if not isinstance(below, Module):
                return False
            module = below
        module.add_module(name, m)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Deletes the module under a path; False if there is none."""
        *path, name = target.split(".")
        module: Any = self
        for each in path:
            module = getattr(module, each, None)
            if not isinstance(module, Module):
                return False
        if not isinstance(getattr(module, name, None), Module):
            return False
        delattr(module, name)
        return True

    def delete_all_unused_submodules(self) -> None:
        """Deletes the modules that no node of the graph calls or reads."""
        used = {""}
        for node in self.graph.nodes:
            if node.op not in ("call_module", "get_attr"):
                continue
            used.update(itertools.accumulate(node.target.split("."), "{}.{}".format))
            if node.op == "call_module":
                with contextlib.suppress(AttributeError):
                    below = self.get_submodule(node.target).named_modules()
                    used.update([f"{node.target}.{name}" for name, _ in below if name])
        for name in [name for name, _ in self.named_modules() if name not in used]:
            self.delete_submodule(name)

    # ---- copies and files

    def __reduce__(self) -> Any:
        body = self.__dict__.copy()
        imports = _format_import_block(self.recompile().globals)
        body.update(_code=self._code)
        del body["_graph"]
        return reduce_graph_module, (body, imports)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.__reduce__()

    def _deepcopy_init(self) -> Callable[..., None]:
        return GraphModule.__init__

    def __deepcopy__(self, memo: dict[int, Any]) -> GraphModule:
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        source = _CodeOnlyModule(copy.deepcopy(self.__dict__, memo))
        self._deepcopy_init()(made, source, source.__dict__["_graph"])
        hooks = ("_state_dict_hooks", "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks")
        for name in (*hooks, *_HOOKS):
            if name in self.__dict__:
                setattr(made, name, copy.deepcopy(self.__dict__[name], memo))
        made.meta = copy.deepcopy(getattr(self, "meta", {}), memo)
        for name, value in made.meta.get(_USER_PRESERVED_ATTRIBUTES_KEY, {}).items():
            setattr(made, name, value)
        for hook in getattr(self, "_deepcopy_hooks", ()):
            hook(made)
        return made

    def __copy__(self) -> GraphModule:
        made = GraphModule(self, self.graph)
        made.meta = getattr(self, "meta", {})
        return made

    def to_folder(self, folder: Any, module_name: str = "FxModule") -> None:
        """Writes the code and the state into a folder, as a package that has this module.

        Args:
            folder: the path of the folder, which is made
            module_name: the name of the class in it
        """
        write_folder(self, folder, module_name)

    # ---- text

    def print_readable(
        self,
        print_output: bool = True,
        include_stride: bool = False,
        include_device: bool = False,
        colored: bool = False,
        *,
        fast_sympy_print: bool = False,
        expanded_def: bool = False,
        additional_meta: list[str] | None = None,
    ) -> str:
        """The code as that of a class, with shapes and places where they are known.

        Args:
            print_output: whether it is printed
            include_stride, include_device: whether strides and devices are shown
            colored: whether terminals show it in colors
            fast_sympy_print: nothing here: no size is a symbol
            expanded_def: whether each parameter has a line of its own
            additional_meta: entries of the nodes' meta that are shown, too
        """
        options = {
            "include_stride": include_stride,
            "include_device": include_device,
            "colored": colored,
            "additional_meta": additional_meta,
        }
        text = _readable(self, self._get_name(), {**options, "expanded_def": expanded_def}, options)
        if print_output:
            print(text)
        return text

    def __str__(self) -> str:
        reminder = "# To see more debug info, please use `graph_module.print_readable()`"
        return "\n".join([super().__str__(), self._code, reminder])

    def _replicate_for_data_parallel(self) -> GraphModule:
        made = self.__copy__()
        object.__setattr__(made, "_is_replica", True)
        return made

    # ---- hooks

    @contextlib.contextmanager
    def _set_replace_hook(self, f: Callable[..., Any]) -> Iterator[None]:
        if not callable(f):
            raise AssertionError("Replace hook must be a callable.")
        self._register_replace_node_hook(f)
        try:
            yield
        finally:
            self._unregister_replace_node_hook(f)


def _hook_methods(name: str, hooks: str) -> None:
    """Gives GraphModule the methods that add and remove hooks of a kind."""

    def register(self: Any, f: Callable[..., Any]) -> None:
        if not callable(f):
            kind = "deepcopy" if name == "deepcopy" else "create_node"
            raise AssertionError(f"{kind} hook must be a callable.")
        getattr(self, hooks).append(f)

    def unregister(self: Any, f: Callable[..., Any]) -> None:
        getattr(self, hooks).remove(f)

    setattr(GraphModule, f"_register_{name}_hook", register)
    setattr(GraphModule, f"_unregister_{name}_hook", unregister)


for _name, _hooks in zip(("replace_node", "create_node", "erase_node", "deepcopy"), _HOOKS):
    _hook_methods(_name, _hooks)


def indented(text: str) -> str:
    first, *rest = text.split("\n")
    return "\n".join([first, *[f"    {line}" if line.strip() else "" for line in rest]])


def _readable(module: GraphModule, name: str, own: dict[str, Any], inner: dict[str, Any]) -> str:
    code = module.graph.python_code(root_module="self", verbose=True, **own).src.lstrip("\n")
    text = indented(f"class {name}(torch.nn.Module):\n{code}")
    children = [
        _readable(child, child_name, inner, inner)
        for child_name, child in module.named_children()
        if isinstance(child, GraphModule)
    ]
    return text + indented("\n".join(["", *children]))

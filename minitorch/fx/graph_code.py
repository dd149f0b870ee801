"""The Python code of a graph: a statement for each node, which deletes values used no more."""

from __future__ import annotations

import enum
import inspect
import math
import re
import types
import typing
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import minitorch
from minitorch._ops import OpOverload
from minitorch.core.numbers.device import device
from minitorch.core.tensor.tensor import Tensor
from minitorch.fx import _pytree as fx_pytree
from minitorch.fx._naming import (
    _get_qualified_name,
    _illegal_names,
    _Namespace,
    _type_repr,
    is_from_torch,
)
from minitorch.fx._readable import Comments
from minitorch.fx.node import Argument, Node
from minitorch.utils import _pytree as pytree

TransformCodeFunc = Callable[[list[str]], list[str]]

reflectable_magic_methods = {
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": "{} * {}",
    "floordiv": "{} // {}",
    "truediv": "{} / {}",
    "div": "{} / {}",
    "mod": "{} % {}",
    "pow": "{} ** {}",
    "lshift": "{} << {}",
    "rshift": "{} >> {}",
    "and_": "{} & {}",
    "or_": "{} | {}",
    "xor": "{} ^ {}",
    "getitem": "{}[{}]",
    "matmul": "{} @ {}",
}
magic_methods = {
    "eq": "{} == {}",
    "ne": "{} != {}",
    "lt": "{} < {}",
    "gt": "{} > {}",
    "le": "{} <= {}",
    "ge": "{} >= {}",
    "pos": "+{}",
    "neg": "-{}",
    "invert": "~{}",
    **reflectable_magic_methods,
}
inplace_methods = {
    f"i{name}": f"{{}} {sign}= {{}}"
    for name, sign in {
        "add": "+", "and": "&", "floordiv": "//", "lshift": "<<", "mod": "%", "mul": "*",
        "matmul": "@", "or": "|", "pow": "**", "rshift": ">>", "sub": "-", "truediv": "/",
        "xor": "^",
    }.items()
}  # fmt: skip
inplace_methods["setitem"] = "{}[{}] = {}"


class _CustomBuiltin(NamedTuple):
    import_str: str
    obj: Any


_custom_builtins: dict[str, _CustomBuiltin] = {}


def _register_custom_builtin(name: str, import_str: str, obj: Any) -> None:
    """Makes a name known to the code of every graph."""
    _custom_builtins[name] = _CustomBuiltin(import_str, obj)
    _illegal_names[name] = obj


_register_custom_builtin("inf", "from math import inf", math.inf)
_register_custom_builtin("nan", "from math import nan", math.nan)
_register_custom_builtin("NoneType", "NoneType = type(None)", type(None))
_register_custom_builtin("torch", "import torch", minitorch)
_register_custom_builtin("device", "from torch import device", device)
_register_custom_builtin("fx_pytree", "import torch.fx._pytree as fx_pytree", fx_pytree)
_register_custom_builtin("pytree", "import torch.utils._pytree as pytree", pytree)

_COUNTER = re.compile(r"# COUNTER: (\d+)")
_ORIGINS = {
    list: typing.List,  # noqa: UP006  (as annotations of generated code spell it)
    dict: typing.Dict,  # noqa: UP006
    set: typing.Set,  # noqa: UP006
    frozenset: typing.FrozenSet,  # noqa: UP006
    tuple: typing.Tuple,  # noqa: UP006
}


@dataclass
class PythonCode:
    """The source of a graph's function, and the names that it needs.

    Source: torch.fx.graph.PythonCode.
    """

    src: str
    globals: dict[str, Any]
    _lineno_map: dict[int, int | None] | None
    _prologue_start: int = 0


class CodeGen:
    """Writes the code of a graph. Subclasses write another signature or another return.

    Source: torch.fx.graph.CodeGen.
    """

    _sym_repr: Callable[[Any], str] = lambda x: repr(x)

    def __init__(self) -> None:
        self._body_transformer: TransformCodeFunc | None = None
        self._func_name = "forward"

    def gen_fn_def(
        self, free_vars: list[str], maybe_return_annotation: str, *, expanded_def: bool = False
    ) -> str:
        """The line with `def`.

        Args:
            free_vars: the parameters as they are written; gets `self` in front
            maybe_return_annotation: ' -> ...' or ''
            expanded_def: whether each parameter has a line of its own
        """
        if not free_vars or free_vars[0] != "self":
            free_vars.insert(0, "self")
        if not expanded_def:
            return f"def {self._func_name}({', '.join(free_vars)}){maybe_return_annotation}:"
        lines = []
        for each in free_vars:
            code, mark, comment = each.partition("#")
            lines.append(
                f"    {code.rstrip()},  # {comment.lstrip()}\n" if mark else f"    {each},\n"
            )
        return f"def {self._func_name}(\n{''.join(lines)}){maybe_return_annotation}:"

    def generate_output(
        self,
        output_args: Argument,
        *,
        descs: Sequence[str] | None = None,
        repr_fn: Callable[[Any], str] | None = None,
    ) -> str:
        """The line with `return`."""
        return f"return {(repr_fn or repr)(output_args)}"

    def process_inputs(self, *args: Any) -> Any:
        """A call's arguments as the graph's placeholders take them."""
        return args

    def process_outputs(self, outputs: Any) -> Any:
        """The graph's output as a call returns it."""
        return outputs

    def additional_globals(self) -> list[tuple[str, Any]]:
        """More names that the code needs, with their values."""
        return []

    def _gen_python_code(
        self,
        nodes: Iterable[Node],
        root_module: str,
        namespace: _Namespace,
        *,
        verbose: bool = False,
        include_stride: bool = False,
        include_device: bool = False,
        colored: bool = False,
        expanded_def: bool = False,
        record_func: bool = False,
        additional_meta: list[str] | None = None,
    ) -> PythonCode:
        writer = _Writer(self, root_module, namespace)
        if verbose:
            writer.comments = Comments(include_stride, include_device, colored, additional_meta)
        writer.expanded = expanded_def
        return writer.write(list(nodes))


class _Writer:
    """The state of writing one graph's code."""

    def __init__(self, codegen: CodeGen, root_module: str, namespace: _Namespace) -> None:
        self.codegen, self.root, self.namespace = codegen, root_module, namespace
        self.free_vars: list[str] = []
        self.body: list[str] = []
        self.globals: dict[str, Any] = {}
        self.wrapped: dict[str, None] = {}
        self.returns = ""
        self.comments: Any = None
        self.expanded = False
        for name, (_, obj) in _custom_builtins.items():
            self.add_global(name, obj)

    def write(self, nodes: list[Node]) -> PythonCode:
        """The code of all nodes."""
        deleted = _last_uses(nodes)
        for i, node in enumerate(nodes):
            if self.comments is not None:
                self.body += self.comments.before(node)
            self.body.append(f"# COUNTER: {i}\n")
            getattr(self, f"_{node.op}")(node, self._annotation(node))
            if node.op == "output":
                self.body.append("\n")
            elif node.op != "placeholder":
                self._delete(deleted.get(node, []) + [node] * (not node.users))
        if not self.body:
            self.body.append("pass\n")
        wraps = ""
        if self.wrapped:
            wrap = self.add_global("wrap", minitorch.fx.wrap)
            wraps = "\n".join([f'{wrap}("{name}")' for name in self.wrapped])
        if self.codegen._body_transformer:
            self.body = self.codegen._body_transformer(self.body)
        for name, value in self.codegen.additional_globals():
            self.add_global(name, value)
        prologue = _call_known(
            self.codegen.gen_fn_def, self.free_vars, self.returns, expanded_def=self.expanded
        )
        return self._assembled(wraps, prologue)

    def _assembled(self, wraps: str, prologue: str) -> PythonCode:
        head = prologue.count("\n") + 1
        lines: list[str] = []
        node_of_line: dict[int, int | None] = {}
        current = None
        for line in "".join(self.body).split("\n"):
            if (counter := _COUNTER.search(line)) is not None:
                current = int(counter.group(1))
            else:
                node_of_line[len(lines) + head] = current
                lines.append(line)
        code = "\n".join(lines).lstrip("\n")
        code = "\n".join([f"    {line}" for line in code.split("\n")])
        return PythonCode(
            f"\n{wraps}\n\n{prologue}\n{code}",
            self.globals,
            _lineno_map=node_of_line,
            _prologue_start=wraps.count("\n") + 4,
        )

    def _delete(self, unused: list[Node]) -> None:
        if not unused:
            self.body.append("\n")
            return
        text = " = ".join([*map(repr, unused), "None"])
        self.body.append(f";  {text if self.comments is None else self.comments.dim(text)}\n")

    # ---- a node's statement

    def _placeholder(self, node: Node, kind: str) -> None:
        default = f" = {self.value(node.args[0])}" if node.args else ""
        described = self.expanded and node.meta.get("desc") is not None
        comment = f"  # {node.meta['desc']}" if described else ""
        self.free_vars.append(f"{node.target}{kind}{default}{comment}")
        parameter = node.target.replace("*", "")
        if parameter != repr(node):
            self.body.append(f"{node!r} = {parameter}\n")

    def _get_attr(self, node: Node, kind: str) -> None:
        self.body.append(f"{node!r}{kind} = {_format_target(self.root, node.target)}")

    def _call_module(self, node: Node, kind: str) -> None:
        called = _format_target(self.root, node.target)
        self.body.append(f"{node!r}{kind} = {called}({self.arguments(node.args, node.kwargs)})")

    def _call_method(self, node: Node, kind: str) -> None:
        called = _format_target(self.value(node.args[0]), node.target)
        self.body.append(f"{node!r}{kind} = {called}({self.arguments(node.args[1:], node.kwargs)})")

    def _call_function(self, node: Node, kind: str) -> None:
        target, args = node.target, node.args
        if getattr(target, "__module__", "") == "_operator":
            if target.__name__ in magic_methods:
                shown = magic_methods[target.__name__].format(*map(self.value, args))
                self.body.append(f"{node!r}{kind} = {shown}")
                return
            if target.__name__ in inplace_methods:
                shown = inplace_methods[target.__name__].format(*map(self.value, args))
                self.body.append(f"{shown};  {node!r}{kind} = {self.value(args[0])}")
                return
        name = self.add_global(_get_qualified_name(target), target)
        attribute = args[1] if name == "getattr" and len(args) == 2 else None
        if isinstance(attribute, str) and attribute.isidentifier():
            self.body.append(f"{node!r}{kind} = {_format_target(self.value(args[0]), attribute)}")
            return
        self.body.append(f"{node!r}{kind} = {name}({self.arguments(args, node.kwargs)})")
        if node.meta.get("is_wrapped", False):
            self.wrapped.setdefault(name)

    def _output(self, node: Node, kind: str) -> None:
        if node.type is not None:
            self.returns = f" -> {self.type_text(node.type)}"
        descs = node.meta.get("desc") if self.expanded else None
        self.body.append(
            _call_known(self.codegen.generate_output, node.args[0], descs=descs, repr_fn=self.value)
        )

    def _annotation(self, node: Node) -> str:
        kind = "" if node.type is None else f" : {self.type_text(node.type)}"
        return kind if self.comments is None else self.comments.kind(node) or kind

    # ---- values and types

    def add_global(self, hint: str, obj: Any) -> str:
        """The name by which the code reaches an object."""
        if is_from_torch(obj) and obj is not device:
            return _get_qualified_name(obj)
        name = self.namespace.create_name(hint, obj)
        if self.globals.setdefault(name, obj) is not obj and self.globals[name] != obj:
            raise AssertionError(f"Global name {name} already assigned to different object")
        return name

    def arguments(self, args: Iterable[Any], kwargs: dict[str, Any]) -> str:
        """The arguments of a call, as they are written."""
        named = [f"{key} = {self.value(each)}" for key, each in kwargs.items()]
        return ", ".join([*map(self.value, args), *named])

    def value(self, arg: Any) -> str:
        """An argument as it is written."""
        if isinstance(arg, Node):
            return repr(arg)
        if isinstance(arg, tuple):
            if hasattr(arg, "_fields"):
                kind = type(arg)
                return f"{self.add_global(_get_qualified_name(kind), kind)}{tuple(arg)!r}"
            inner = [self.value(each) for each in arg]
            return f"({inner[0]},)" if len(inner) == 1 else f"({', '.join(inner)})"
        if isinstance(arg, OpOverload):
            return self.add_global(_get_qualified_name(arg), arg)
        if isinstance(arg, enum.Enum):
            return f"{self.add_global(type(arg).__name__, type(arg))}.{arg.name}"
        if isinstance(arg, Tensor):
            return f"torch.Tensor(size={list(arg.size())}, dtype={str(arg.dtype).split('.')[-1]})"
        if isinstance(arg, list):
            return f"[{', '.join(map(self.value, arg))}]"
        if isinstance(arg, slice):
            parts = (arg.start, arg.stop, arg.step)
            return f"slice({', '.join(map(self.value, parts))})"
        return repr(arg) if self.comments is None else self.comments.blue(repr(arg))

    def type_text(self, kind: Any) -> str:
        """An annotation as it is written."""
        if kind == ():
            return "()"
        name = _type_repr(kind)
        if isinstance(kind, types.UnionType) and "|" in name:
            return "|".join(map(self.type_text, typing.get_args(kind)))
        origin = getattr(kind, "__origin__", None)
        if not origin:
            return self.add_global(name, kind)
        if isinstance(kind, typing._GenericAlias):  # type: ignore[attr-defined]
            origin = _ORIGINS.get(origin, origin)
        shown = self.add_global(_type_repr(origin), origin)
        inner = getattr(kind, "dims", None) or typing.get_args(kind)
        return f"{shown}[{','.join(map(self.type_text, inner))}]" if inner else shown


def _last_uses(nodes: list[Node]) -> dict[Node, list[Node]]:
    """The values that are used for the last time by each node."""
    seen: set[Node] = set()
    last: dict[Node, list[Node]] = {}
    for node in reversed(nodes):
        for used in node._input_nodes:
            if used not in seen:
                seen.add(used)
                last.setdefault(node, []).append(used)
    return last


def _format_target(base: str, target: str) -> str:
    for name in target.split("."):
        base = f"{base}.{name}" if name.isidentifier() else f'getattr({base}, "{name}")'
    return base


def _call_known(method: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """method(...) with those keyword arguments that it takes: subclasses may know fewer."""
    known = inspect.signature(method).parameters
    return method(*args, **{key: each for key, each in kwargs.items() if key in known})


# ---- containers as arguments


class _PyTreeInfo(NamedTuple):
    """The parameters of a function that takes containers, and how they are built."""

    orig_args: list[str]
    in_spec: Any
    out_spec: Any


class _PyTreeCodeGen(CodeGen):
    """Writes code that takes containers apart, and puts the results into such again."""

    def __init__(self, pytree_info: _PyTreeInfo) -> None:
        super().__init__()
        self.pytree_info = pytree_info

    def process_inputs(self, *inputs: Any) -> Any:
        """The leaves of the arguments."""
        return pytree.tree_leaves(inputs)

    def process_outputs(self, out: Any) -> Any:
        """The leaves that the graph returns, in their containers."""
        if self.pytree_info is None or self.pytree_info.out_spec is None:
            return out
        leaves = out if isinstance(out, (list, tuple)) else [out]
        return pytree.tree_unflatten(leaves, self.pytree_info.out_spec)

    def gen_fn_def(
        self, free_vars: list[str], maybe_return_annotation: str, *, expanded_def: bool = False
    ) -> str:
        """The line with `def`, and one that takes the containers apart."""
        if self.pytree_info is None:
            return super().gen_fn_def(free_vars, maybe_return_annotation, expanded_def=expanded_def)
        names = self.pytree_info.orig_args
        if names and names[0] == "self":
            free_vars.insert(0, "self")
        text = super().gen_fn_def(names[:], maybe_return_annotation, expanded_def=expanded_def)
        return text + self.gen_var_bindings(names, free_vars, expanded_def) if free_vars else text

    def gen_var_bindings(self, fn_args: list[str], free_vars: list[str], expanded_def: bool) -> str:
        """The lines that bind the placeholders' names to the leaves."""
        spec, names = self.pytree_info.in_spec, self.pytree_info.orig_args
        source = f"[{', '.join(fn_args)}], self._in_spec"
        children = spec.children()
        if spec.type is tuple and [each.type for each in children] == [tuple, dict]:
            count = children[0].num_children
            named = [f"'{key}':{each}" for key, each in zip(children[1].context, names[count:])]
            inner = f"[{', '.join(names[:count])}], {{{', '.join(named)}}}"
            source = f"({inner}), self._in_spec"
        annotated = [each for each in free_vars if ":" in each]
        lines = ""
        if annotated and expanded_def:
            lines = "\n    " + "\n    ".join(annotated)
        elif annotated:
            lines = "\n    " + "".join([f"{each}; " for each in annotated]) + "\n"
        plain = [each.split(":")[0].split("#")[0] for each in free_vars]
        return lines + f"\n    {', '.join(plain)}, = fx_pytree.tree_flatten_spec({source})"

    def generate_output(
        self,
        output_args: Argument,
        *,
        descs: Sequence[str] | None = None,
        repr_fn: Callable[[Any], str] | None = None,
    ) -> str:
        """The line with `return`, which puts the leaves into containers."""
        if self.pytree_info and self.pytree_info.out_spec:
            shown = (repr_fn or repr)(output_args)
            return f"return pytree.tree_unflatten({shown}, self._out_spec)"
        return super().generate_output(output_args, descs=descs, repr_fn=repr_fn)


class _BoxedCodeGen(CodeGen):
    """Writes code that takes one list of arguments, which it empties."""

    def gen_fn_def(
        self, free_vars: list[str], maybe_return_annotation: str, *, expanded_def: bool = False
    ) -> str:
        """The line with `def`, and those that take the arguments out of the list."""
        text = f"def {self._func_name}(self, args_list){maybe_return_annotation}:"
        names = [each.split(":")[0].split("=")[0].strip() for each in free_vars if each != "self"]
        if names:
            text += "\n    args_iter = iter(args_list)"
            text += "".join([f"\n    {name} = next(args_iter)" for name in names])
            text += "\n    args_list.clear()"
        return text

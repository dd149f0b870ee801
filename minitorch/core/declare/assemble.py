"""Turns a row into its running parts: one public function and one node class.

Both are written out as Python text and compiled when the operator is first used, so that a call
pays for what its own row needs and for nothing else. The text is registered with linecache:
tracebacks and debuggers show it, and `python -m minitorch.core.declare add` prints it. All
assembled code shares one dictionary of globals (core/graph/modes.py), in which names of one row
begin with its key.

node_text.py writes the nodes, elementwise_text.py and operator_text.py the functions, out of the
pieces in text.py.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from typing import Any

from minitorch.core.declare.elementwise_text import (
    binary_body,
    binary_source,
    inplace_source,
    pointwise_source,
    unary_source,
)
from minitorch.core.declare.errors import signatures_of
from minitorch.core.declare.node_text import node_source
from minitorch.core.declare.operator_text import operator_source
from minitorch.core.declare.public import MISSING, Public
from minitorch.core.declare.registry import FUNCTIONS, function_of_row
from minitorch.core.declare.returns import return_type
from minitorch.core.declare.row import Row, entitle, parameters, ufunc
from minitorch.core.declare.signatures import SPACES, is_listed, of_method
from minitorch.core.declare.text import (
    call_text,
    parameters_of,
    python_name,
    refusing,
    signature,
)
from minitorch.core.graph.modes import ASSEMBLED

SOURCES: dict[str, str] = {}  # key -> assembled text


def assemble(row: Row, method: bool = False, alias: str = "") -> Callable[..., Any]:
    """The public function of a row, or the method, which counts its arguments from `self`.

    alias: the path under which programs know it, if it is another than that of its name.
    """
    name = prepare(row)
    path = alias or path_of(row.name, method)
    if not method and not alias:
        node = [node_source(row)] if row.node else []
        define(row.key, "\n\n".join([*node, function_source(row, name, path)]))
        return ASSEMBLED[name]
    if row.node:
        node_class(row)
    name = f"{row.key}_as_{path.replace('.', '_')}" if alias else f"{row.key}_method"
    define(f"{row.key} {path if alias else 'method'}", function_source(row, name, path))
    return ASSEMBLED[name]


def prepare(row: Row) -> str:
    """Puts what the row's text refers to into the shared globals; returns the function's name."""
    key = row.key
    ASSEMBLED[f"{key}_row"] = row
    if callable(row.forward):
        entitle(row.forward, f"{key}.forward")
        ASSEMBLED[f"{key}_forward"] = row.forward
    for argument, formula in row.formulas.items():
        entitle(formula, f"{row.node}.{argument}")
        ASSEMBLED[f"{key}_d_{argument}"] = formula
    if len(row.schema.outputs) > 1:
        named = row.schema.names_outputs
        ASSEMBLED[f"{key}_returns"] = return_type(row.name, row.schema.outputs) if named else tuple
    return f"{key}_call"


def define(key: str, text: str, names: dict[str, Any] = ASSEMBLED) -> None:
    """Runs assembled text, by default in the shared globals, and makes it visible to debuggers."""
    filename = f"<minitorch {key}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    SOURCES[key] = text
    exec(compile(text, filename, "exec"), names)


def assemble_operator(row: Row, dunder: str) -> Callable[..., Any]:
    """The Python operator (`x + y`) of a binary row: the public function without its keywords, and
    NotImplemented for operands that are neither tensors nor numbers."""
    prepare(row)
    node_class(row) if row.node else None
    name = f"{row.key}{dunder}"
    first, second = [python_name(a) for a in row.schema.tensors]
    extra = [a for a in row.schema.arguments if not a.is_tensor]
    keywords = "".join([f", {a.name}={a.default}" for a in extra])
    head = [
        f"def {name}({first}, {second}):",
        f"    if WATCHED: return observed_operator({row.key}_row, {dunder!r}, {first}, {second})",
        *[f"    {a.name} = {a.default}" for a in extra if a.name in row.saved],
    ]
    slow = f"operate({row.key}_row, {dunder!r}, {first}, {second}{keywords})"
    define(f"{row.key} {dunder}", "\n".join(head + binary_body(row, slow)) + "\n")
    ASSEMBLED[name].__name__ = row.name
    return ASSEMBLED[name]


def assemble_inplace(row: Row, operator: bool = False, path: str = "") -> Callable[..., Any]:
    """The in-place variant of a row: the function or method at `path`, or the Python operator
    (`x += y`)."""
    name = f"{row.key}_inplace{'_operator' if operator else '_' + path.replace('.', '_')}"
    if row.family == "operator":
        ASSEMBLED[f"{row.key}_function"] = function_of_row(row)
        rest = call_text(row).removeprefix("input, ").removeprefix("input")
        given = f"{row.written!r}, {row.key}_function, input, call_of({rest})"
        lines = [
            f"def {name}({signature(row, out=False)}):",
            f"    if WATCHED: return observed_store({given})",
            f"    return store({given})",
        ]
    else:
        lines = inplace_source(row, name, operator)
    lines = lines if operator else refusing_row(row, name, path, lines, out=False)
    prepare(row)
    define(name, "\n".join(lines) + "\n")
    return ASSEMBLED[name]


def assemble_raw(row: Row) -> Callable[..., Any]:
    """The row's forward on bare arrays, with the arguments of the schema: what formulas call."""
    prepare(row)
    name = f"{row.key}_raw"
    parts = [a.name if a.default is None else f"{a.name}={a.default}" for a in row.schema.arguments]
    first = row.schema.tensors[0]
    space = f"NAMESPACES[type({first.name}{'[0]' if first.is_tensor_list else ''})]"
    if isinstance(row.forward, ufunc):
        operands = ", ".join([a.name for a in row.schema.tensors])
        body = f"{space}.{row.forward}({operands}, out=...)"
    else:
        wanted = parameters(row.forward)
        whole = wanted == tuple([a.name for a in row.schema.arguments])
        if whole and "=" not in "".join(parts) and not row.schema.is_view:
            return row.forward
        special = {"xp": space}
        if all(a.name != "dtype" for a in row.schema.arguments):
            special["dtype"] = f"{first.name}.dtype"
        given = ", ".join([special.get(p, p) for p in wanted])
        body = f"{row.key}_forward({given})"
    arguments = ", ".join([a.name for a in row.schema.arguments])
    lines = [f"def {name}({', '.join(parts)}):"]
    if row.schema.is_view:
        lines += [
            "    if not self.size:",
            "        self = settled(NAMESPACES[type(self)], self)",
            f"        return unsettled(NAMESPACES[type(self)], {body})",
        ]
    lines += [
        f"    try: return {body}",
        f"    except KeyError: return on_scalars({name}, {arguments})",
    ]
    define(f"{row.key} raw", "\n".join(lines) + "\n")
    return ASSEMBLED[name]


def node_class(row: Row) -> type:
    """The node class of a row, assembled on first need."""
    if row.node is None:
        raise TypeError(f"{row.name} has no backward")
    name = f"{row.key}_{row.node}"
    if name not in ASSEMBLED:
        prepare(row)
        define(f"{row.key} node", node_source(row))
    return ASSEMBLED[name]


def path_of(name: str, method: bool = False) -> str:
    """What torch's parser knows a function or a method as: 'torch.sum', 'linalg.linalg_norm'."""
    space = "Tensor" if method else name.partition("_")[0]
    if space in ("Tensor", *SPACES):
        return f"{space}.{name}"
    paths = [f"{space}.{name}" for space in ("torch", "nn", "_nn")]
    return next((path for path in paths if is_listed(path)), paths[0])


def is_inner(row: Row) -> bool:
    """Whether a row is called by the public function of its name, and not itself that function."""
    public = FUNCTIONS.get(row.name)
    own = [getattr(public, name, None) for name in ("row", "written_row")]
    return public is not None and row not in own


def refusing_row(row: Row, name: str, path: str, lines: list[str], out: bool = True) -> list[str]:
    """The text of a row's function, refusing what torch's parser refuses at `path`."""
    if is_inner(row):
        return lines
    parameters = parameters_of(row, out)
    defaults = [
        {key: eval(text) if text else MISSING for key, text in names.items()}
        for names in (parameters.positional, parameters.named)
    ]

    def texts() -> tuple[str, ...]:
        found = signatures_of(row)
        return tuple(map(of_method, found)) if path.startswith("Tensor.") else found

    def again(*args: Any, **kwargs: Any) -> Any:
        return ASSEMBLED[name](*args, **kwargs)

    ASSEMBLED[f"{name}_public"] = Public(path, again, *defaults, texts)
    return refusing(name, parameters, lines[1:], row.varargs)


def function_source(row: Row, name: str, path: str) -> str:
    """The text of the public function, or of the method."""
    return "\n".join(refusing_row(row, name, path, plain_source(row, name, path))) + "\n"


def plain_source(row: Row, name: str, path: str = "Tensor.") -> list[str]:
    """The text of a function that fails as Python does."""
    if row.family == "operator":
        return operator_source(row, name, path.startswith("Tensor.") or is_inner(row))
    writers = {
        "unary": unary_source,
        "binary": binary_source,
        "pointwise": pointwise_source,
    }
    return writers[row.family](row, name)

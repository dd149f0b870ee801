"""Turns a row into its running parts: one public function and one node class.

Both are written as Python text and compiled when the operator is first used, so that a call pays
only for what its own row needs. The text is registered with linecache: tracebacks and debuggers
show it, and `python -m minitorch.core.declare add` prints it. All assembled code shares one
dictionary of globals (core/base/modes.py), in which names of one row begin with its key.

node.py writes the nodes, elementwise.py and operator.py the functions. They use the pieces in
common.py; folding.py folds the lines.
"""

from __future__ import annotations

import linecache
from collections.abc import Callable
from functools import cache
from typing import Any

from minitorch.core.arrays import cuda
from minitorch.core.base.modes import ASSEMBLED_GLOBALS
from minitorch.core.declare.codegen.common import (
    call_parts,
    definition,
    opening,
    parameters_of,
    python_name,
    refusing,
)
from minitorch.core.declare.codegen.elementwise import (
    METHOD,
    binary_body,
    binary_core,
    device_body,
    inplace_body,
    pointwise_body,
    unary_body,
)
from minitorch.core.declare.codegen.folding import call, fold, fold_clause, fold_when
from minitorch.core.declare.codegen.node import node_source
from minitorch.core.declare.codegen.operator import operator_body
from minitorch.core.declare.registry import FUNCTIONS, function_of_row
from minitorch.core.declare.row import Row, entitle, parameters, ufunc
from minitorch.core.declare.wording.errors import signatures_of
from minitorch.core.declare.wording.public import MISSING, Public
from minitorch.core.declare.wording.return_types import return_type
from minitorch.core.declare.wording.signatures import SPACES, is_listed, of_method
from minitorch.core.graph.on_device import device_class

SOURCES: dict[str, str] = {}  # key -> assembled text


def assemble(row: Row, method: bool = False, alias: str = "") -> Callable[..., Any]:
    """The public function of a row, or the method, which counts its arguments from `self`.

    alias: the path under which programs call it, if it differs from the row's name.
    """
    path = alias or path_of(row.name, method)
    name, key = prepare(row), row.key
    node = []
    if row.node and not (alias or method) and f"{row.key}_node" not in ASSEMBLED_GLOBALS:
        node.append(node_source(row))
    elif row.node:
        node_class(row)
    if alias:
        name, key = f"{row.key}_as_{path.replace('.', '_')}", f"{row.key} {path}"
    elif method:
        name, key = f"{row.key}_method", f"{row.key} method"
    define(key, "\n\n".join([*node, function_source(row, name, path)]))
    if node:
        ASSEMBLED_GLOBALS[f"{row.key}_node"].__name__ = row.node
    return ASSEMBLED_GLOBALS[name]


def prepare(row: Row) -> str:
    """Puts the names in the row's text into the shared globals; returns the function's name."""
    key = row.key
    before = ASSEMBLED_GLOBALS.get(f"{key}_row")
    if before is row:
        return f"{key}_call"
    if before is not None:  # which was taken away
        ASSEMBLED_GLOBALS.pop(f"{key}_node", None)
    if callable(row.forward):
        entitle(row.forward, f"{key}.forward")
        ASSEMBLED_GLOBALS[f"{key}_forward"] = row.forward
    for argument, formula in row.formulas.items():
        entitle(formula, f"{row.node}.{argument}")
        ASSEMBLED_GLOBALS[f"{key}_d_{argument}"] = formula
    if len(row.schema.outputs) > 1 and row.schema.names_outputs:
        ASSEMBLED_GLOBALS[f"{key}_returns"] = return_type(row.name, row.schema.outputs)
    ASSEMBLED_GLOBALS[f"{key}_row"] = row  # last: another thread may prepare it, too
    return f"{key}_call"


def define(key: str, text: str, names: dict[str, Any] = ASSEMBLED_GLOBALS) -> None:
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
    this, operands = f"{row.key}_row", [python_name(a) for a in row.schema.tensors]
    extra = [a for a in row.schema.arguments if not a.is_tensor]
    keywords = [f"{a.name}={a.default}" for a in extra]
    watched = call("return observed_operator(", [this, repr(dunder), *operands])
    slow = call("return operate(", [this, repr(dunder), *operands, *keywords])
    lines = [
        *fold("", call(f"def {name}(", operands), ":"),
        *fold_when("    ", "WATCHED", watched),
        *[f"    {a.name} = {a.default}" for a in extra if a.name in row.saved],
        *binary_core(row, slow),
    ]
    define(f"{row.key} {dunder}", "\n".join(lines) + "\n")
    ASSEMBLED_GLOBALS[name].__name__ = row.name
    return ASSEMBLED_GLOBALS[name]


def assemble_on_device(row: Row) -> Callable[..., Any] | None:
    """The function of an element-wise row for plain tensors on a device, with attributes by name;
    None for a row of another family, without a kernel, or whose tensors do not come first."""
    xp = cuda()
    leading = row.schema.arguments[: len(row.schema.tensors)]
    if row.family not in ("unary", "binary") or not all([a.is_tensor for a in leading]):
        return None
    prepare(row)
    if isinstance(row.forward, ufunc):
        kernel = getattr(row.forward.of(xp), "plain", None)
        if kernel is None:
            return None
        ASSEMBLED_GLOBALS[f"{row.key}_kernel_on_device"] = kernel
    if row.node:
        ASSEMBLED_GLOBALS[f"{row.key}_node_on_device"] = device_class(node_class(row))
    ASSEMBLED_GLOBALS["ON_DEVICE"] = xp
    name = f"{row.key}_on_device"
    lines = [*definition(row, name, out=False), *device_body(row)]
    define(f"{row.key} on device", "\n".join(lines) + "\n")
    function: Callable[..., Any] = ASSEMBLED_GLOBALS[name]
    return function


def assemble_inner(row: Row) -> Callable[..., Any]:
    """The function of a row of the family "operator" for composites: it takes all arguments by
    place, in the schema's order, already checked."""
    node_class(row) if row.node else prepare(row)
    name = f"{row.key}_inner"
    arguments = row.schema.arguments
    parts = [python_name(a) + (f"={a.default}" if a.default else "") for a in arguments]
    watched = call("return observed(", [f"{row.key}_row", call("call_of(", call_parts(row))])
    lines = fold("", call(f"def {name}(", parts), ":")
    lines += [*fold_when("    ", "WATCHED", watched), *operator_body(row)]
    define(f"{row.key} inner", "\n".join(lines) + "\n")
    function: Callable[..., Any] = ASSEMBLED_GLOBALS[name]
    return function


def assemble_inplace(row: Row, operator: bool = False, path: str = "") -> Callable[..., Any]:
    """The in-place variant of a row: the function or method at `path`, or the Python operator
    (`x += y`)."""
    name = f"{row.key}_inplace{'_operator' if operator else '_' + path.replace('.', '_')}"
    if row.family == "operator":
        ASSEMBLED_GLOBALS[f"{row.key}_function"] = function_of_row(row)
        given = call("call_of(", call_parts(row)[1:])
        held = [repr(row.inplace_name), f"{row.key}_function", "input", given]
        body = [
            *fold_when("    ", "WATCHED", call("return observed_store(", held)),
            *fold("    ", call("return store(", held)),
        ]
    else:
        body = inplace_body(row, operator)
    if operator:
        lines = [*definition(row, name, out=False), *body]
    else:
        lines = refusing_row(row, name, path, body, out=False)
    prepare(row)
    define(name, "\n".join(lines) + "\n")
    return ASSEMBLED_GLOBALS[name]


def assemble_raw(row: Row) -> Callable[..., Any]:
    """The row's forward on bare arrays, with the arguments of the schema, for formulas."""
    prepare(row)
    name = f"{row.key}_raw"
    parts = [a.name if a.default is None else f"{a.name}={a.default}" for a in row.schema.arguments]
    first = row.schema.tensors[0]
    space = f"NAMESPACES[type({first.name}{'[0]' if first.is_tensor_list else ''})]"
    if isinstance(row.forward, ufunc):
        operands = [a.name for a in row.schema.tensors]
        head, given = f"{space}.{row.forward}(", [*operands, "out=..."]
    else:
        wanted = parameters(row.forward)
        whole = wanted == tuple([a.name for a in row.schema.arguments])
        if whole and "=" not in "".join(parts) and not row.schema.is_view:
            return row.forward
        special = {"xp": space}
        if all(a.name != "dtype" for a in row.schema.arguments):
            special["dtype"] = f"{first.name}.dtype"
        head, given = f"{row.key}_forward(", [special.get(p, p) for p in wanted]
    lines = fold("", call(f"def {name}(", parts), ":")
    if row.schema.is_view:
        lines += [
            "    # views of nothing have strides of their own",
            "    if not self.size:",
            "        self = with_default_strides(NAMESPACES[type(self)], self)",
            *fold(
                "        ",
                call("return with_zero_strides(", ["NAMESPACES[type(self)]", call(head, given)]),
            ),
        ]
    arguments = [a.name for a in row.schema.arguments]
    lines += [
        *fold_clause("    ", "try:", call(f"return {head}", given)),
        *fold_clause("    ", "except KeyError:", call("return on_scalars(", [name, *arguments])),
    ]
    define(f"{row.key} raw", "\n".join(lines) + "\n")
    return ASSEMBLED_GLOBALS[name]


def node_class(row: Row) -> type:
    """The node class of a row, assembled on first need."""
    if row.node is None:
        raise TypeError(f"{row.name} has no backward")
    name = f"{row.key}_node"
    if name not in ASSEMBLED_GLOBALS:
        prepare(row)
        define(f"{row.key} node", node_source(row))
        ASSEMBLED_GLOBALS[name].__name__ = row.node
    kind: type = ASSEMBLED_GLOBALS[name]
    return kind


def path_of(name: str, method: bool = False) -> str:
    """The path of a function in torch's parser: 'torch.sum', 'linalg.linalg_norm'."""
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


def refusing_row(row: Row, name: str, path: str, body: list[str], out: bool = True) -> list[str]:
    """The text of a row's function that raises for calls that torch's parser refuses at `path`."""
    if is_inner(row):
        return [*definition(row, name, out), *body]
    parameters = parameters_of(row, out)
    defaults = [
        {key: _default(text) if text else MISSING for key, text in names.items()}
        for names in (parameters.positional, parameters.named)
    ]

    def texts() -> tuple[str, ...]:
        found = signatures_of(row)
        return tuple(map(of_method, found)) if path.startswith("Tensor.") else found

    def again(*args: Any, **kwargs: Any) -> Any:
        return ASSEMBLED_GLOBALS[name](*args, **kwargs)

    ASSEMBLED_GLOBALS[f"{name}_public"] = Public(path, again, *defaults, texts)
    return refusing(name, parameters, body, row.varargs)


_default = cache(eval)


def function_source(row: Row, name: str, path: str) -> str:
    """The text of the public function, or of the method."""
    return "\n".join(refusing_row(row, name, path, body_of(row, path))) + "\n"


def unwatched_source(row: Row, name: str) -> str:
    """The text of a function that does not check for watchers, and fails as Python does."""
    return "\n".join([*definition(row, name), *body_of(row, "Tensor.", asks=False)]) + "\n"


def body_of(row: Row, path: str, asks: bool = True) -> list[str]:
    """The body of the public function, or of the method.

    asks: whether it checks for watchers.
    """
    spreads = row.family == "operator" and (path.startswith("Tensor.") or is_inner(row))
    writers = {
        "unary": unary_body,
        "binary": binary_body,
        "pointwise": pointwise_body,
        "operator": operator_body,
    }
    # The function that does not check for watchers stands for the method and for torch.add alike.
    if row.family == "binary" and row.number_first and path.startswith("Tensor.") and asks:
        return [*opening(row, spreads, asks, "observed_of_self"), *binary_body(row, METHOD)]
    return [*opening(row, spreads, asks), *writers[row.family](row)]

"""Turns a row into its running parts: one public function and one node class.

Both are written out as Python text and compiled when the operator is first used, so that a call
pays for what its own row needs and for nothing else. The text is registered with linecache:
tracebacks and debuggers show it, and `python -m minitorch.core.declare add` prints it. All
assembled code shares one dictionary of globals (core/graph/modes.py), in which names of one row
begin with its key.
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable
from operator import itemgetter
from typing import Any

from minitorch.core.declare.returns import return_type
from minitorch.core.declare.row import DERIVED, Row, derived, entitle, parameters, ufunc
from minitorch.core.declare.schema import Argument
from minitorch.core.graph.modes import ASSEMBLED

SOURCES: dict[str, str] = {}  # key -> assembled text


def assemble(row: Row) -> Callable[..., Any]:
    """The public function of a row."""
    name = prepare(row)
    text = "\n\n".join([*([node_source(row)] if row.node else []), function_source(row, name)])
    define(row.key, text)
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


def define(key: str, text: str) -> None:
    """Compiles assembled text into the shared globals, and makes it visible to debuggers."""
    filename = f"<minitorch {key}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(True), filename)
    SOURCES[key] = text
    exec(compile(text, filename, "exec"), ASSEMBLED)


def assemble_operator(row: Row, dunder: str) -> Callable[..., Any]:
    """The Python operator (`x + y`) of a binary row: the public function without its keywords, and
    NotImplemented for operands that are neither tensors nor numbers."""
    prepare(row)
    node_class(row) if row.node else None
    name = f"{row.key}{dunder}"
    first, second = [_python_name(a) for a in row.schema.tensors]
    extra = [a for a in row.schema.arguments if not a.is_tensor]
    keywords = "".join([f", {a.name}={a.default}" for a in extra])
    head = [
        f"def {name}({first}, {second}):",
        f"    if WATCHED: return observed_operator({row.key}_row, {first}, {second})",
        *[f"    {a.name} = {a.default}" for a in extra if a.name in row.saved],
    ]
    slow = f"operate({row.key}_row, {dunder!r}, {first}, {second}{keywords})"
    define(f"{row.key} {dunder}", "\n".join(head + _binary_body(row, slow)) + "\n")
    ASSEMBLED[name].__name__ = row.name
    return ASSEMBLED[name]


def assemble_inplace(row: Row) -> Callable[..., Any]:
    """The in-place variant of a row."""
    from minitorch.core.declare.install import function_of_row

    name = f"{row.key}_inplace"
    if row.family == "operator":
        ASSEMBLED[f"{row.key}_function"] = function_of_row(row)
        rest = call_text(row).removeprefix("input, ").removeprefix("input")
        lines = [
            f"def {name}({signature(row, out=False)}):",
            f"    return store({row.name + '_'!r}, {row.key}_function, input, call_of({rest}))",
        ]
    else:
        lines = _inplace_source(row, name)
    prepare(row)
    define(f"{row.key} in place", "\n".join(lines) + "\n")
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
        if wanted == tuple([a.name for a in row.schema.arguments]) and "=" not in "".join(parts):
            return row.forward
        special = {"xp": space}
        if all(a.name != "dtype" for a in row.schema.arguments):
            special["dtype"] = f"{first.name}.dtype"
        given = ", ".join([special.get(p, p) for p in wanted])
        body = f"{row.key}_forward({given})"
    arguments = ", ".join([a.name for a in row.schema.arguments])
    lines = [
        f"def {name}({', '.join(parts)}):",
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


# ---- the node -----------------------------------------------------------------------------------


def node_source(row: Row) -> str:
    """The text of the node class."""
    slots = ", ".join([f'"saved_{name}"' for name in row.saved])
    outputs = len(row.differentiable_outputs)
    bases = "MultiNode" if row.schema.returns_list or outputs > 1 else "Node"
    bases = "Undifferentiable" if row.node == "NotImplemented" else bases
    name = f"{row.key}_{row.node}"
    lines = [
        f"class {name}({bases}):",
        f'    """The gradient of {row.schema.text}"""',
        f"    __slots__ = ({slots}{',' if slots else ''})",
        f"    saved = {row.shown!r}",
        f"    unsigned = {_unsigned(row)!r}",
    ]
    if outputs > 1 and not row.schema.returns_list:
        lines.append(f"    outputs = {outputs}")
    for method, language, tensors in (("apply", "RAW", False), ("apply_graph", "OPS", True)):
        lines += ["", *_apply_source(row, method, language, tensors)]
    lines += ["", "", f"{name}.__name__ = {name}.__qualname__ = {row.node!r}"]
    return "\n".join(lines) + "\n"


def _unsigned(row: Row) -> tuple[str, ...]:
    return tuple([a.name for a in row.schema.arguments if a.is_integer and a.name in row.saved])


def _holds_memory(row: Row, name: str) -> bool:
    return name in row.schema.outputs or any(a.name == name for a in row.schema.tensors)


_IDENTITY = (lambda grad: grad).__code__.co_code


def _apply_source(row: Row, method: str, language: str, tensors: bool) -> list[str]:
    """The text of `apply` or `apply_graph`: the formulas of the inputs that want a gradient."""
    several = row.schema.returns_list or len(row.differentiable_outputs) > 1
    lines = [f"    def {method}(node, {'grads' if several else 'grad'}, keep):"]
    if several and any("grad" in parameters(f) for f in row.formulas.values()):
        lines.append("        grad = grads[0]")

    def call(name: str) -> str:
        formula = row.formulas[name]
        if formula.__code__.co_code == _IDENTITY and parameters(formula) == ("grad",):
            return "grad"
        given = ", ".join([_given(row, p, language, tensors) for p in parameters(formula)])
        return f"{row.key}_d_{name}({given})"

    if "inputs" in row.formulas:
        result = call("inputs")
    elif len(row.inputs) == 1:
        kind = next(a for a in row.schema.tensors if a.name == row.inputs[0])
        only = call(row.inputs[0])
        result = f"tuple({only})" if kind.is_tensor_list else f"({only},)"
    else:
        lines.append(f"        {', '.join([f'e{i}' for i in range(len(row.inputs))])} = node.edges")
        # In the order of their names, as torch runs them: under create_graph it is the nodes' age.
        for i, name in sorted(enumerate(row.inputs), key=itemgetter(1)):
            lines.append(f"        g{i} = {call(name)} if e{i} is not None else None")
        result = f"({', '.join([f'g{i}' for i in range(len(row.inputs))])})"
    held = [f"node.saved_{n}" for n in row.saved if _holds_memory(row, n)]
    if not held:
        return [*lines, f"        return {result}"]
    return [
        *lines,
        f"        result = {result}",
        f"        if not keep: {' = '.join(held)} = FREED",
        "        return result",
    ]


def _given(row: Row, name: str, language: str, tensors: bool) -> str:
    """The text that a formula's parameter is given."""
    if name == "F":
        return language
    if name in ("grad", "grads"):
        return name
    if name == "grad_input_mask":
        return "tuple([edge is not None for edge in node.edges])"
    saved = f"node.saved_{name}"
    if name in row.schema.outputs:
        if tensors:
            return f"unpack_output_tensor({saved}, node)"
        return f"(s[0] if (s := {saved})[1][0] == s[2] else unpack_output(s, node))"
    if name.endswith("_sym_strides"):
        return f"STRIDES[{saved}]"
    argument = next((a for a in row.schema.tensors if a.name == name), None)
    if argument is None:
        return saved
    if argument.is_tensor_list:
        return f"unpack_list{'_tensor' if tensors else ''}({saved})"
    if row.family == "binary":
        if tensors:
            return f"unpack_operand_tensor({saved}, node)"
        return (
            f"(s._array if type(s := {saved}) is Tensor and s._cell is None"
            " else unpack_operand(s, node))"
        )
    if tensors:
        return f"unpack_tensor({saved})"
    return f"(s._array if type(s := {saved}) is Tensor and s._cell is None else unpack(s))"


# ---- the function -------------------------------------------------------------------------------


def function_source(row: Row, name: str) -> str:
    """The text of the public function."""
    writers = {
        "unary": _unary_source,
        "binary": _binary_source,
        "pointwise": _pointwise_source,
        "operator": _operator_source,
    }
    return "\n".join(writers[row.family](row, name)) + "\n"


def signature(row: Row, out: bool = True) -> str:
    """The parameters of the public function, as Python text."""
    parts, starred = [], False
    for argument in row.schema.arguments:
        if argument.keyword_only and not starred:
            parts.append("*")
            starred = True
        if argument.name == row.varargs:
            parts += ["*numbers", f"{argument.name}=None"]
            starred = True
        else:
            parts.append(argument.python)
    if out and "out" in row.variants:
        parts += [*([] if starred else ["*"]), "out=None"]
    return ", ".join(parts)


def _python_name(argument: Argument) -> str:
    return "input" if argument.name == "self" else argument.name


def call_text(row: Row) -> str:
    """The arguments of a call with the function's own parameters."""
    return ", ".join(
        [
            f"{_python_name(a)}={_python_name(a)}"
            if a.keyword_only or a.name == row.varargs
            else _python_name(a)
            for a in row.schema.arguments
        ]
    )


def _prologue(row: Row, name: str) -> list[str]:
    arguments = call_text(row)
    watched = f"{arguments}, out=out" if "out" in row.variants else arguments
    lines = [
        f"def {name}({signature(row)}):",
        *_varargs(row),
        f"    if WATCHED: return observed({row.key}_row, call_of({watched}))",
    ]
    if "out" in row.variants:
        lines.append(
            f"    if out is not None: return into({row.key}_row, out, call_of({arguments}))"
        )
    return lines


def _varargs(row: Row) -> list[str]:
    """The lines that gather an argument that was written out."""
    if row.varargs is None:
        return []
    return [
        f"    if {row.varargs} is None:",
        f"        {row.varargs} = numbers",
        "        if not numbers or type(numbers[0]) is not int:",
        *(
            [
                "            kind = type(numbers[0]) if numbers else None",
                f"            if kind in {row.key}_row.overloads:",
                f"                return {row.key}_row.overloads[kind](input, *numbers)",
            ]
            if row.overloads
            else []
        ),
        f"            if not numbers: raise missing_argument({row.name!r}, {row.varargs!r})",
        f"            {row.varargs} = ints_of(numbers)",
    ]


_PLAIN = [
    "result = new(Tensor)",
    "result._array = x",
    "result._edge = {edge}",
    "result._grad = result._cell = result._view = None",
]


def _plain(edge: str, indent: int) -> list[str]:
    return [" " * indent + line.format(edge=edge) for line in _PLAIN]


def _unary_source(row: Row, name: str) -> list[str]:
    extra = [a for a in row.schema.arguments if not a.is_tensor]
    keywords = "".join([f", {a.name}={_python_name(a)}" for a in extra])
    operand, name_in_schema = _python_name(row.schema.tensors[0]), row.schema.tensors[0].name
    given = {name_in_schema: "a"}
    slow = f"elementwise({row.key}_row, ({operand},){keywords})"
    lines = [
        *_prologue(row, name),
        "    try:",
        f"        if {operand}._view is not None and irregular({operand}): return {slow}",
        f"        a = {operand}._array",
    ]
    lines += [
        *_guards(row, slow),
        f"        x = {_call(row, ('a',))}",
        f"    except Exception: return {slow}",
    ]
    if row.node is None:
        return [*lines, *_plain("None", 4), "    return result"]
    lines += [
        f"    e0 = {operand}._edge",
        "    if e0 is None or not recording():",
        *_plain("None", 8),
        "        return result",
        f"    node = {row.key}_{row.node}()",
        f"    node.edges = ({operand} if e0 is LEAF else e0,)",
        *_birth("x"),
        *_saving(row, given, before=True),
        *_plain("node", 4),
        *_saving(row, given, before=False),
        "    return result",
    ]
    return lines


def _pointwise_source(row: Row, name: str) -> list[str]:
    operands = ", ".join([_python_name(a) for a in row.schema.tensors])
    extra = [a for a in row.schema.arguments if not a.is_tensor]
    keywords = "".join([f", {a.name}={_python_name(a)}" for a in extra])
    return [*_prologue(row, name), f"    return elementwise({row.key}_row, ({operands}){keywords})"]


def _call(row: Row, operands: tuple[str, ...]) -> str:
    """The text of the call of an element-wise row's kernel on CPU arrays."""
    if isinstance(row.forward, ufunc):
        return f"{_kernel(row)}({', '.join(operands)}, out=...)"
    names = [a.name for a in row.schema.tensors]
    given = dict(zip(names, operands, strict=True), xp="on_numpy", dtype="a.dtype")
    names = [given.get(p, "input" if p == "self" else p) for p in parameters(row.forward)]
    return f"{row.key}_forward({', '.join(names)})"


def _guards(row: Row, slow: str) -> list[str]:
    """The lines that leave all but plain dtypes and numbers to the general way."""
    spelled = ["input" if name == "self" else name for name in row.numbers]
    lines = [
        f"        if type({name}) not in PLAIN_NUMBERS: return {slow}"
        for name in spelled
        if row.dtype != "same"
    ]
    if row.dtype != "float" and isinstance(row.forward, ufunc) and row.check is None:
        return lines
    integers = "" if row.dtype == "float" or callable(row.forward) else " and kind is not int64"
    return [
        *lines,
        "        kind = a.dtype",
        f"        if kind is not float32 and kind is not float64{integers}: return {slow}",
    ]


def _binary_source(row: Row, name: str) -> list[str]:
    first, second = [_python_name(a) for a in row.schema.tensors]
    extra = [a for a in row.schema.arguments if not a.is_tensor]
    keywords = "".join([f", {a.name}={a.name}" for a in extra])
    slow = f"elementwise({row.key}_row, ({first}, {second}){keywords})"
    lines = _prologue(row, name)
    for a in extra:
        lines.append(f"    if {a.name} != {a.default}: return {slow}")
    return lines + _binary_body(row, slow)


def _binary_body(row: Row, slow: str) -> list[str]:
    first, second = [_python_name(a) for a in row.schema.tensors]
    number = f"return {slow}" if row.tensors_only else f"b = NUMBERS[kind][a.dtype, {second}]"
    lines = [
        "    try:",
        f"        a = {first}._array",
        f"        kind = type({second})",
        "        if kind is Tensor or kind is Parameter:",
        f"            b = {second}._array",
        "            if (",
        "                a.dtype is not b.dtype",
        f"                or ({first}._view is not None and irregular({first}))",
        f"                or ({second}._view is not None and irregular({second}))",
        f"            ): return {slow}",
        f"            e1 = {second}._edge",
        f"            if e1 is LEAF: e1 = {second}",
        "        else:",
        f"            if {first}._view is not None and irregular({first}): return {slow}",
        f"            {number}",
        "            e1 = None",
    ]
    lines += [
        *_guards(row, slow),
        f"        x = {_call(row, ('a', 'b'))}",
        f"    except Exception: return {slow}",
    ]
    if row.node is None:
        return [*lines, *_plain("None", 4), "    return result"]
    given = {"self": "a", "other": "b"}
    lines += [
        f"    e0 = {first}._edge",
        "    if (e0 is None and e1 is None) or not recording():",
        *_plain("None", 8),
        "        return result",
        f"    node = {row.key}_{row.node}()",
        f"    node.edges = ({first} if e0 is LEAF else e0, e1)",
        *_birth("x"),
        *_saving(row, given, before=True),
        *_plain("node", 4),
        *_saving(row, given, before=False),
        "    return result",
    ]
    return lines


def _inplace_source(row: Row, name: str) -> list[str]:
    """In place: plain tensors of one dtype without grad here, the rest in `write`."""
    operands = [_python_name(a) for a in row.schema.tensors]
    extra = [a for a in row.schema.arguments if not a.is_tensor]
    keywords = "".join([f", {a.name}={a.name}" for a in extra])
    slow = f"write({row.key}_row, ({', '.join(operands)},){keywords})"
    lines = [
        f"def {name}({signature(row, out=False)}):",
        f"    if WATCHED: return observed_write({row.key}_row, call_of({call_text(row)}))",
        f"    if input._view is not None or input._edge is not None: return {slow}",
        *[f"    if {a.name} != {a.default}: return {slow}" for a in extra],
        "    a = input._array",
    ]
    if row.dtype == "bool" or row.dtype == "float" or not isinstance(row.forward, ufunc):
        return [*lines[:2], f"    return {slow}"]
    if row.check is not None:
        lines.append(f"    if a.dtype is not float32 and a.dtype is not float64: return {slow}")
    if row.family == "unary":
        lines.append("    b = ()")
    else:
        second = operands[1]
        lines += [
            f"    kind = type({second})",
            "    if kind is Tensor or kind is Parameter:",
            f"        b = ({second}._array,)",
            f"        if {second}._edge is not None or {second}._view is not None: return {slow}",
            f"        if b[0].dtype is not a.dtype or b[0].ndim > a.ndim: return {slow}",
            "    else:",
            f"        try: b = (NUMBERS[kind][a.dtype, {second}],)",
            f"        except (KeyError, TypeError): return {slow}",
        ]
    return [
        *lines,
        f"    try: {_kernel(row)}(a, *b, out=a)",
        "    except FLOATING_POINT: pass  # raised after everything was written",
        f"    except Exception: return {slow}",
        "    cell = input._cell",
        "    if cell is None: input._cell = [1]",
        "    else: cell[0] += 1",
        "    return input",
    ]


def _kernel(row: Row) -> str:
    """The name, in the shared globals, of the NumPy kernel of an element-wise row."""
    from minitorch.core.arrays import on_numpy

    name = f"{row.key}_kernel"
    forward = row.forward
    ASSEMBLED[name] = forward.of(on_numpy)
    return name


def _birth(x: str) -> list[str]:
    return [
        "    node.order = next_order()",
        f"    node.shape = {x}.shape",
        f"    node.dtype = {x}.dtype",
    ]


def _saving(row: Row, arrays: dict[str, str], before: bool) -> list[str]:
    """The lines that put on the node what the formulas ask for: inputs before the result exists,
    outputs after it."""
    lines = []
    for name in row.saved:
        if (name in row.schema.outputs) == before:
            continue
        if row.schema.outputs == (name,) and not row.schema.is_view:  # keep_output, written out
            lines += ["    result._cell = cell = [0]", f"    node.saved_{name} = (x, cell, 0, 0)"]
            continue
        lines.append(f"    node.saved_{name} = {_saved_value(row, name, arrays)}")
    return lines


def _saved_value(row: Row, name: str, arrays: dict[str, str]) -> str:
    outputs = row.schema.outputs
    if name in outputs:
        if len(outputs) == 1:
            return "keep_output(result)"
        i, chosen = outputs.index(name), row.differentiable_outputs
        return f"keep_output(result{i}, {chosen.index(i) if i in chosen else None})"
    part = derived(row, name)
    if part is not None:
        text = re.sub(r"\bx\b", arrays[part[0]], DERIVED[part[1]])
        if part[1] == "_sym_strides" and len(row.inputs) > 1:
            wanted = " or ".join([f"e{i} is not None" for i in row.wanted_by(name)])
            return f"{text} if {wanted} else ()"
        return text
    argument = next(a for a in row.schema.arguments if a.name == name)
    value = _python_name(argument)
    if not (argument.is_tensor or argument.is_tensor_list):
        return value
    if argument.is_tensor_list:
        return f"[keep(each) for each in {value}]"
    second = row.family == "binary" and value == _python_name(row.schema.tensors[1])
    if second or argument.type == "Tensor?":
        kept = f"keep({value})"
    else:
        kept = f"{value} if {value}._cell is None else keep({value})"
    if len(row.inputs) == 1:
        return kept
    wanted = " or ".join([f"e{i} is not None" for i in row.wanted_by(name)])
    if len(row.wanted_by(name)) == len(row.inputs):
        return kept
    return f"({kept}) if {wanted} else None"


def _operator_source(row: Row, name: str) -> list[str]:
    schema = row.schema
    lines = _prologue(row, name)
    arrays = {a.name: f"a_{a.name}" for a in schema.tensors}
    lines.append("    try:")
    for a in schema.tensors:
        value = _python_name(a)
        if a.is_tensor_list:
            lines.append(f"        a_{a.name} = arrays_of({value})")
        elif a.type == "Tensor?":
            lines.append(f"        a_{a.name} = None if {value} is None else {value}._array")
        else:
            lines.append(f"        a_{a.name} = {value}._array")
    lines.append(
        f"    except AttributeError: raise wrong_arguments({row.key}_row, "
        f"call_of({call_text(row)})) from None"
    )
    if schema.is_view:
        lines.append("    if not a_self.size: a_self = settled(NAMESPACES[type(a_self)], a_self)")
    given = [
        arrays.get(p, "input" if p == "self" else p) for p in parameters(row.forward) if p != "xp"
    ]
    first = schema.tensors[0]
    space = f"a_{first.name}[0]" if first.is_tensor_list else f"a_{first.name}"
    takes_xp = "xp" in parameters(row.forward)
    arguments = ", ".join([*([f"NAMESPACES[type({space})]"] if takes_xp else []), *given])
    lines += [
        "    try:",
        f"        x = {row.key}_forward({arguments})",
        "    except FLOATING_POINT:",
        f"        x = quietly({row.key}_forward, {arguments})",
    ]
    if row.node is None:
        return [*lines, *_results(row, "None")]
    names = row.inputs
    edges, conditions = [], []
    for i, input_name in enumerate(names):
        argument = next(a for a in schema.tensors if a.name == input_name)
        value = _python_name(argument)
        if argument.is_tensor_list:
            lines.append(f"    edges = recorded_edges({value})")
            conditions.append("edges is None")
            continue
        text = f"{value}._edge if {value}._view is None else edge_of({value})"
        if argument.type == "Tensor?":
            text = f"None if {value} is None else ({text})"
        lines.append(f"    e{i} = {text}")
        edges.append(f"{value} if e{i} is LEAF else e{i}")
        conditions.append(f"e{i} is None")
    unrecorded = f"({' and '.join(conditions)}) or not recording()"
    if any(a.name == "dtype" for a in schema.arguments):  # it may ask for integers
        unrecorded += ' or x.dtype.kind in "iub"'
    lines += [
        f"    if {unrecorded}:",
        *["    " + line for line in _results(row, "None")],
        f"    node = {row.key}_{row.node}()",
        f"    node.edges = {'edges' if not edges else '(' + ', '.join(edges) + ',)'}",
        "    node.order = next_order()",
    ]
    several = schema.returns_list or len(row.differentiable_outputs) > 1
    if schema.returns_list:
        outputs = "x"
        lines.append("    node.outputs = len(x)")
    elif several:
        outputs = "[" + ", ".join([f"x[{i}]" for i in row.differentiable_outputs]) + "]"
    if several:
        lines += [
            f"    node.shape = tuple([getattr(each, 'shape', None) for each in {outputs}])",
            f"    node.dtype = tuple([getattr(each, 'dtype', None) for each in {outputs}])",
        ]
    else:
        only = "x" if len(schema.outputs) == 1 else f"x[{row.differentiable_outputs[0]}]"
        lines += [f"    node.shape = {only}.shape", f"    node.dtype = {only}.dtype"]
    lines += _saving(row, arrays, before=True)
    results = _results(row, "node")
    return [*lines, *results[:-1], *_saving(row, arrays, before=False), results[-1]]


def _results(row: Row, node: str) -> list[str]:
    """The lines that wrap the forward's arrays and return them."""
    schema = row.schema
    if schema.returns_list:
        make = "view_of(input, each, {}, MULTIPLE)" if schema.is_view else "tensor(each, {})"
        edge = "None" if node == "None" else "(node, i)"
        return [f"    return tuple([{make.format(edge)} for i, each in enumerate(x)])"]
    if len(schema.outputs) == 1:
        if schema.is_view:
            return [f"    result = view_of(input, x, {node})", "    return result"]
        # The body of `tensor`, written out: 60 ns less than the call.
        return [
            "    result = new(Tensor)",
            "    result._array = x",
            f"    result._edge = {node}",
            "    result._grad = result._cell = None",
            "    result._view = None if x.flags.c_contiguous and type(x) is ndarray else STRIDED",
            "    return result",
        ]
    lines = []
    chosen = row.differentiable_outputs
    for i in range(len(schema.outputs)):
        edge = "None"
        if node != "None" and i in chosen:
            edge = f"(node, {chosen.index(i)})" if len(chosen) > 1 else "node"
        lines.append(f"    result{i} = None if x[{i}] is None else tensor(x[{i}], {edge})")
    results = ", ".join([f"result{i}" for i in range(len(schema.outputs))])
    return [*lines, f"    return {row.key}_returns(({results}))"]

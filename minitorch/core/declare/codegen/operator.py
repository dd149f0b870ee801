"""The text of all other functions: arrays of the arguments, the forward, the node, the results."""

from __future__ import annotations

from itertools import chain
from typing import Any

from minitorch.core.base.modes import ASSEMBLED_GLOBALS
from minitorch.core.declare.codegen.common import (
    RECORDED,
    UNRECORDED,
    call_parts,
    python_name,
    saving,
    tensor_of,
)
from minitorch.core.declare.codegen.folding import (
    STEP,
    all_of,
    any_of,
    call,
    flat,
    fold,
    fold_choice,
    fold_clause,
    fold_if,
    fold_when,
)
from minitorch.core.declare.row import Row, parameters
from minitorch.core.numbers.dispatch import in_numpy

_INTEGRAL = 'x.dtype.kind in "iub"'


def operator_body(row: Row) -> list[str]:
    """The body of the function of a row, after its opening."""
    arrays = {a.name: f"a_{a.name}" for a in row.schema.tensors}
    lines = [*_taking_arrays(row), *_refusing_constants(row)]
    if row.schema.is_view:
        lines += [
            "    empty = not a_self.size",
            "    if empty: a_self = with_default_strides(NAMESPACES[type(a_self)], a_self)",
        ]
    forward = [*_calling(row, arrays), *_laying_out(row, arrays)]
    if row.node is None:
        return [*lines, *forward, *chain(*_results(row, "None"))]
    edges, without_edges = _edges(row)
    # torch checks histories before it computes or warns, unless they depend on the result.
    lines += [*edges, *forward] if _looks_first(row) else [*forward, *edges]
    return [*lines, *_unrecorded(row, without_edges), *_recorded(row, arrays)]


def _takes_dtype(row: Row) -> bool:
    """Whether a call may request a result of integers."""
    return any(a.name == "dtype" for a in row.schema.arguments)


def _looks_first(row: Row) -> bool:
    return not (_takes_dtype(row) or any(a.is_tensor_list for a in row.schema.tensors))


def _taking_arrays(row: Row) -> list[str]:
    """The lines that take the arrays of the tensors, and refuse other arguments."""
    lines = ["    # the arrays of its tensors", "    try:"]
    for a in row.schema.tensors:
        value = python_name(a)
        if a.is_tensor_list:
            lines.append(f"        a_{a.name} = arrays_of({value})")
        elif a.type == "Tensor?":
            lines.append(f"        a_{a.name} = None if {value} is None else {value}._array")
        else:
            lines.append(f"        a_{a.name} = {value}._array")
    given = call("call_of(", call_parts(row))
    refusal = call("raise wrong_arguments(", [f"{row.key}_row", given])
    return [*lines, *fold_clause("    ", "except AttributeError:", refusal, " from None")]


def _refusing_constants(row: Row) -> list[str]:
    lines = []
    for name in row.constants:
        recorded = all_of([f"{name} is not None", "recording()", f"{name}.requires_grad"])
        refusal = call("raise constant_argument(", [repr(row.name), repr(name)])
        lines += fold_when("    ", recorded, refusal)
    return lines


def _calling(row: Row, arrays: dict[str, str]) -> list[str]:
    """The lines that call the forward."""
    forward, wanted = f"{row.key}_forward", parameters(row.forward)
    given = [arrays.get(p, "input" if p == "self" else p) for p in wanted if p != "xp"]
    if "xp" in wanted:
        first = row.schema.tensors[0]
        space = f"a_{first.name}[0]" if first.is_tensor_list else f"a_{first.name}"
        given.insert(0, f"NAMESPACES[type({space})]")
    lines = [
        "    try:",
        *fold("        ", call(f"x = {forward}(", given)),
        "    except FLOATING_POINT:",
        *fold("        ", call("x = quietly(", [forward, *given])),
    ]
    tensors = call("(", [python_name(a) for a in row.schema.tensors])
    lines += [
        "    except Exception:",
        *fold("        ", call("check_inputs(", [f"{row.key}_row", tensors])),
        "        raise",
    ]
    checked = _checking_dtype(row)
    return [*checked, *lines] if row.schema.arguments[0].alias == "a!" else [*lines, *checked]


def _checking_dtype(row: Row) -> list[str]:
    """The lines that raise for a dtype which torch's kernel does not know. They stand after the
    forward, which raises torch's earlier errors, unless the forward writes."""
    if not row.kernel:
        return []
    ASSEMBLED_GLOBALS[f"{row.key}_knows"] = in_numpy(row.knows)
    first, asked = row.schema.tensors[0], []
    of = f"a_{first.name}[0]" if first.is_tensor_list else f"a_{first.name}"
    if _takes_dtype(row):  # and computes in it
        of, asked = "x", ["dtype is not None"]
    unknown = [*asked, f"{of}.dtype is not float32", f"{of}.dtype not in {row.key}_knows"]
    result = "x" if len(row.schema.outputs) == 1 else "x[0]"
    if row.schema.arguments[0].alias == "a!":
        result = of
    checked = call("check_dtype(", [f"{row.key}_row", of, result])
    return fold_when("    ", all_of(unknown), checked)


def _laying_out(row: Row, arrays: dict[str, str]) -> list[str]:
    """The lines that lay the result out as torch does, if the forward does not."""
    if row.elementwise and row.preserves:
        viewed = any_of([f"{python_name(a)}._view is not None" for a in row.schema.tensors])
        inputs = list(arrays.values())
        operands = call("(", inputs[::-1] if row.backwards else inputs)
        in_torch_layout = call("x = in_torch_layout(", ["NAMESPACES[type(x)]", "x", operands])
        return fold_when("    ", viewed, in_torch_layout)
    if row.schema.is_view:
        return ["    if empty: x = with_zero_strides(NAMESPACES[type(a_self)], x)"]
    return []


def _edges(row: Row) -> tuple[list[str], list[str]]:
    """The lines that take the edges of the inputs, and the conditions that there are none."""
    lines: list[str] = []
    conditions = []
    for i, name in enumerate(row.inputs):
        argument = tensor_of(row, name)
        value = python_name(argument)
        if argument.is_tensor_list:
            lines.append(f"    edges = recorded_edges({value})")
            conditions.append("edges is None")
            continue
        plain = f"{value}._view is None"
        if _takes_dtype(row):  # torch does not check the history of integers
            plain += f" or {_INTEGRAL}"
        if argument.type == "Tensor?":
            lines += [
                f"    if {value} is None: e{i} = None",
                f"    elif {plain}: e{i} = {value}._edge",
                f"    else: e{i} = input_edge({value})",
            ]
        else:
            lines += fold_choice("    ", plain, f"e{i}", f"{value}._edge", f"input_edge({value})")
        conditions.append(f"e{i} is None")
    return lines, conditions


def _unrecorded(row: Row, without_edges: list[str]) -> list[str]:
    """The lines that return results without a history, and raise if a history is not allowed."""
    integers = _takes_dtype(row)
    unrecorded: list[Any] = [all_of(without_edges), "not recording()"]
    if integers and row.sheds_history:
        unrecorded.append(_INTEGRAL)
    lines = [
        UNRECORDED,
        *fold_if("    ", any_of(unrecorded)),
        *chain(*_results(row, "None", STEP * 2)),
    ]
    if integers and not row.sheds_history:
        lines.append(f"    if {_INTEGRAL}: refuse_integers(x)")
    if row.real_gradients:
        one = "x" if len(row.schema.outputs) == 1 else "x[0]"
        lines.append(f"    if {one}.dtype.kind == 'c': refuse_complex({row.key}_row)")
    return lines


def _recorded(row: Row, arrays: dict[str, str]) -> list[str]:
    """The lines that make the node and return the results with this node as their history."""
    results, returning = _results(row, "node")
    return [
        RECORDED,
        *_making_node(row, arrays),
        *_setting_edges(row),
        "    node.order = next_order()",
        *_describing_outputs(row),
        *saving(row, arrays, before=True),
        *results,
        *saving(row, arrays, before=False),
        *returning,
    ]


def _making_node(row: Row, arrays: dict[str, str]) -> list[str]:
    """The lines that make the node. If the row is element-wise and an operand has a layout that
    gradients must have, the node's class has formulas on Tensors."""
    plain = f"{row.key}_node"
    if not row.elementwise:
        return [f"    node = {plain}()"]
    conditions: list[Any] = []
    for name, x in arrays.items():
        contiguous = [f"{x}.flags.c_contiguous", f"is_plain({x})"]
        if tensor_of(row, name).type == "Tensor?":
            conditions.append(("or", f"{x} is None", all_of(contiguous)))
        else:
            conditions += contiguous
    return [
        *fold_when("    ", all_of(conditions), f"node = {plain}()"),
        f"    else: node = mixed_class({plain})()",
    ]


def _setting_edges(row: Row) -> list[str]:
    tensors = [tensor_of(row, name) for name in row.inputs]
    edges = [
        f"{python_name(a)} if e{i} is LEAF else e{i}"
        for i, a in enumerate(tensors)
        if not a.is_tensor_list
    ]
    return fold("    ", call("node.edges = (", edges)) if edges else ["    node.edges = edges"]


def _describing_outputs(row: Row) -> list[str]:
    """The lines that set the node's shapes and dtypes of outputs."""
    chosen = row.differentiable_outputs
    if not (row.schema.returns_list or len(chosen) > 1):
        only = "x" if len(row.schema.outputs) == 1 else f"x[{chosen[0]}]"
        return [f"    node.shape = {only}.shape", f"    node.dtype = {only}.dtype"]
    lines = ["    node.outputs = len(x)"] if row.schema.returns_list else []
    outputs = "x" if row.schema.returns_list else flat(call("[", [f"x[{i}]" for i in chosen]))
    return [
        *lines,
        f"    node.shape = tuple([getattr(each, 'shape', None) for each in {outputs}])",
        f"    node.dtype = tuple([getattr(each, 'dtype', None) for each in {outputs}])",
    ]


def _results(row: Row, node: str, step: str = STEP) -> tuple[list[str], list[str]]:
    """The lines that wrap the forward's arrays, and the lines that return them."""
    schema = row.schema
    if schema.returns_list:
        if schema.is_view and node == "None":
            return [], [f"{step}return unrecorded_views_of(input, x)"]
        make = "view_of(input, each, {}, MULTIPLE)" if schema.is_view else "tensor(each, {})"
        edge = "None" if node == "None" else "(node, i)"
        each = make.format(edge)
        return [], [f"{step}return tuple([{each} for i, each in enumerate(x)])"]
    if len(schema.outputs) == 1:
        lines = _view(row, node) if schema.is_view else _result(row, node)
        return [step + line for line in lines], [f"{step}return result"]
    lines = []
    make = "laid_out" if row.preserves else "tensor"
    chosen = row.differentiable_outputs
    for i in range(len(schema.outputs)):
        edge = "None"
        if node != "None" and i in chosen:
            edge = f"(node, {chosen.index(i)})" if len(chosen) > 1 else "node"
        lines.append(f"{step}result{i} = None if x[{i}] is None else {make}(x[{i}], {edge})")
    parts = [f"result{i}" for i in range(len(schema.outputs))]
    if not schema.names_outputs:
        return lines, fold(step, call("return (", parts))
    # The number of them is correct: without the class's check, 0.2 us less.
    return lines, fold(step, call("return new_tuple(", [f"{row.key}_returns", call("(", parts)]))


def _view(row: Row, node: str) -> list[str]:
    """The lines that make a view: `view_of` for a plain input written out, 0.2 us less."""
    origin, lines = "None", []
    if node == "None":  # a view may be made without recording
        origin = "origin"
        lines = [  # in inference mode calls are watched
            "    if recording(): origin = None",
            "    else: origin = unrecorded_origin() if WATCHED else NO_GRAD",
        ]
    return [
        "if input._view is None:",
        "    result = new(Tensor)",
        "    result._array = x",
        f"    result._edge = {node}",
        "    result._grad = None",
        "    cell = input._cell",
        "    if cell is None: cell = input._cell = [0]",
        "    result._cell = cell",
        *lines,
        f"    result._view = (input, cell[0], {origin})",
        f"else: result = view_of(input, x, {node})",
        *([f"note_view_step(input, result, OPS.{row.schema.name})"] if row.retypes else []),
    ]


def _result(row: Row, node: str) -> list[str]:
    """The lines that make a tensor: `tensor` written out, 60 ns less than the call."""
    plain = "is_plain(x)" if row.preserves else "(x.size or is_plain(x))"
    return [
        "result = new(Tensor)",
        "result._array = x",
        f"result._edge = {node}",
        "result._grad = result._cell = None",
        f"if x.flags.c_contiguous and type(x) is ndarray and {plain}:",
        "    result._view = None",
        "else:",
        "    result._view = STRIDED if type(x) is ndarray else strided_view(result, x)",
    ]

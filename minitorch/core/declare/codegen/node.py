"""The text of node classes: their slots, and `apply` on arrays and on Tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from operator import itemgetter
from types import CodeType
from typing import Any

from minitorch.core.declare.codegen.common import tensor_of
from minitorch.core.declare.codegen.folding import (
    STEP,
    WIDTH,
    call,
    flat,
    fold,
    fold_choice,
    fold_when,
)
from minitorch.core.declare.row import Row, parameters
from minitorch.core.declare.struct import Struct

_PRODUCT = "{} * {}.conj()"  # a form of formulas
_PRODUCTS = (_PRODUCT, "{} * {}.conjugate()")
# Local variables of `apply` have the names of the saved values, except for these.
_TAKEN = frozenset("node grad grads retain gradients multiply type tuple".split())


def node_source(row: Row) -> str:
    """The text of the node class."""
    outputs = len(row.differentiable_outputs)
    bases = "MultiNode" if row.schema.returns_list or outputs > 1 else "Node"
    bases = "Undifferentiable" if row.node == "NotImplemented" else bases
    names = {a.name for a in row.schema.tensors}.union(row.schema.outputs)
    held = [name for name in row.saved if name in names]  # the saved tensors
    shown = [name for name in row.public_saved if name in names]
    unsigned = [a.name for a in row.schema.arguments if a.is_integer and a.name in row.saved]
    kept_for = {a.name: row.kept_for(a.name) for a in row.schema.tensors if a.name in row.saved}
    lines = [
        f"class {row.key}_node({bases}):",
        *_docstring(row),
        f"    __qualname__ = {row.node!r}",
        "    __module__ = 'builtins'",  # as torch's C++ nodes
        *fold("    ", call("__slots__ = (", [f"'{slot}'" for slot in _slots(row)])),
        *_EDGES[edge_slots(row)],
        *_names("saved", row.public_saved),
        *_names("unsigned", unsigned),
        # Inputs, then outputs, each by name: torch's order of saving.
        *_names("tensors", sorted(shown, key=row.schema.outputs.__contains__)),
    ]
    if kept_for:
        given = [f"{name!r}: {numbers!r}" for name, numbers in kept_for.items()]
        lines += fold("    ", call("kept_for = {", given))
    if row.fits:
        lines.append("    fits = True")
    if any(a.is_tensor_list for a in row.schema.arguments):
        lines.append("    all_or_none = True")
    if row.complex_only:
        lines.append("    complex_only = True")
    if row.elementwise or row.family != "operator":
        lines.append("    elementwise = True")
    if outputs > 1 and not row.schema.returns_list:
        lines.append(f"    outputs = {outputs}")
    refusals = [
        f"({i}, {row.key}_d_{each})"
        for i, each in sorted(enumerate(row.inputs), key=itemgetter(1))
        if hasattr(row.formulas.get(each), "refuses")
    ]
    if refusals:
        lines += fold("    ", call("refusals = [", refusals))
    asked = _asked_anyway(row, kept_for)
    lines += ["", "    # on arrays", *_apply_source(row, False, held, asked)]
    lines += ["", "    # on Tensors, under create_graph", *_apply_source(row, True, held, asked)]
    return "\n".join(lines) + "\n"


_EDGES: tuple[list[str], ...] = (
    [],
    ["    edges = ONE_EDGE"],
    ["    edges = TWO_EDGES"],
)  # by how many slots


def edge_slots(row: Row) -> int:
    """The number of edges that the nodes of a row keep in single slots; 0 if in a tuple."""
    count = {"unary": 1, "binary": 2}.get(row.family, 0)
    return count if len(row.inputs) == count else 0


def _slots(row: Row) -> list[str]:
    edges = [f"edge{i}" for i in range(edge_slots(row))]
    return edges + [f"saved_{name}" for name in row.saved]


def _names(field: str, names: Sequence[str]) -> list[str]:
    """The lines of a field that is a tuple of names; none if it is empty, as in Node."""
    return fold("    ", call(f"{field} = (", list(map(repr, names)))) if names else []


def _docstring(row: Row) -> list[str]:
    opened = '    """The gradient of '
    line = f'{opened}{row.schema.text}"""'
    if len(line) <= WIDTH:
        return [line]
    name, _, rest = row.schema.text.partition("(")
    given, _, returned = rest.rpartition(") -> ")
    signature = call(f"{opened.lstrip()}{name}(", given.split(", "))
    return [*fold("    ", signature, f" -> {returned}"), '    """']


@cache
def _form(code: CodeType, names: tuple[str, ...]) -> str | None:
    """The form of a formula; None if it has none of `_forms`. A formula has no text at run time, so
    each form is compiled with the same number of parameters, and compared."""
    if code.co_freevars:
        return None
    wanted = (code.co_code, code.co_consts)
    for form in _forms(code, names):
        template = form if not code.co_names else form.replace(code.co_names[0], "called", 1)
        if _compiled(template, len(names)) == wanted:
            return form
    return None


@cache
def _compiled(form: str, count: int) -> tuple[bytes, tuple[Any, ...]]:
    """The code and constants of a formula of a form that uses all its parameters."""
    names = [f"x{i}" for i in range(count)]
    code = eval(f"lambda {', '.join(names)}: {form.format(*names)}", {}).__code__
    return code.co_code, code.co_consts


def _forms(code: CodeType, names: tuple[str, ...]) -> Iterator[str]:
    """The forms that a formula may have, judging by its parameters and the names it uses."""
    if names == ("grad",) and not code.co_names:
        yield from ("{}", "-{}")
    elif names[:1] == ("grad",) and len(names) == 2:
        form = f"{{}} * {{}}.{'.'.join(code.co_names)}()"
        if form in _PRODUCTS:
            yield form
    elif names[:1] == ("F",) and len(code.co_names) == 1:
        numbers = [each for each in code.co_consts if type(each) in (int, float, bool)]
        given = ["{}"] * (len(names) - 1) + [repr(number) for number in numbers]
        yield f"{{}}.{code.co_names[0]}({', '.join(given)})"


def _apply_source(row: Row, tensors: bool, held: list[str], asked: set[int]) -> list[str]:
    """The text of `apply`, or with `tensors` of `apply_graph`: the formulas of the inputs that want
    a gradient, with the saved values in local variables.

    held: the saved tensors.
    asked: the inputs whose saved values are checked even if their formulas do not run.
    """
    several = row.schema.returns_list or len(row.differentiable_outputs) > 1
    method = "apply_graph" if tensors else "apply"
    lines = [f"    def {method}(node, {'grads' if several else 'grad'}, retain):"]
    if several and any("grad" in parameters(f) for f in row.formulas.values()):
        lines.append("        grad = grads[0]")
    step = STEP * (3 if len(held) > 1 else 2)
    computing = _taking_outputs(row, step) if tensors else []
    result: Any
    if "inputs" in row.formulas or len(row.inputs) == 1:
        found, result = _only_gradient(row, tensors, step, bool(held))
        computing += found
    else:
        result = ", ".join([f"g{i}" for i in range(len(row.inputs))])
        edges = "node.edge0, node.edge1" if edge_slots(row) == 2 else "node.edges"
        lines.append(f"        {result.replace('g', 'e')} = {edges}")
        computing += _each_gradient(row, tensors, step, asked)
    if not held:
        return [*lines, *computing, *_returning(result)]
    if len(held) > 1:  # a single one checks itself
        computing = [
            "        try:",
            *computing,
            "        except RuntimeError:  # which names what was freed first",
            "            check_kept(node)",
            "            raise",
        ]
    if row.complex_only:
        computing.append(f"        gradients = {result}")
        result = "gradients"
    return [*lines, *computing, *_freeing(row, held, tensors), *_returning(result)]


def _returning(result: Any) -> list[str]:
    if type(result) is str:
        return [f"        return {result}"]
    return fold("        ", call(f"return {result[0]}", result[1]))


def _only_gradient(row: Row, tensors: bool, step: str, named: bool) -> tuple[list[str], Any]:
    """The lines of one formula, for one input or for all, and the expression to return.

    named: whether a variable has to hold the result.
    """
    joint = "inputs" in row.formulas
    lines, value = _evaluated(row, "inputs" if joint else row.inputs[0], tensors, step)
    if not joint and tensor_of(row, row.inputs[0]).is_tensor_list:
        joint, value = True, call("tuple(", [value])
    variable = "gradients" if joint else "g0"
    if named or type(value) is _Choice:
        lines += _assigned(step, variable, value)
        value = variable
    return lines, value if joint else call("(", [value])


def _each_gradient(row: Row, tensors: bool, step: str, asked: set[int]) -> list[str]:
    """The lines of the formulas of several inputs, in the order of their names, as torch runs them:
    under create_graph it is the nodes' age."""
    lines: list[str] = []
    for i, name in sorted(enumerate(row.inputs), key=itemgetter(1)):
        otherwise = "None"
        if i in asked:
            otherwise = f"check_kept(node{', outputs=False' if tensors else ''})"
        leads = f"e{i} is not None"
        if row.family != "binary" and row.saved:  # nothing was kept for an edge NOWHERE
            leads += f" and e{i} is not NOWHERE"
        taking, value = _evaluated(row, name, tensors, step + STEP)
        if not taking:
            line = f"{step}g{i} = {flat(value)} if {leads} else {otherwise}"
            if len(line) <= WIDTH:
                lines.append(line)
                continue
        lines += [
            f"{step}if {leads}:",
            *taking,
            *_assigned(step + STEP, f"g{i}", value),
            f"{step}else: g{i} = {otherwise}",
        ]
    return lines


def _evaluated(row: Row, name: str, tensors: bool, step: str) -> tuple[list[str], Any]:
    """The lines that load the values that a formula needs; and the formula as a text, a call, or
    a choice of two, for `_assigned`."""
    formula = row.formulas[name]
    lines: list[str] = []
    given = {}
    for each in parameters(formula):
        taking, given[each] = _given(row, each, tensors, step)
        lines += taking
    form = _form(getattr(formula, "__wrapped__", formula).__code__, tuple(given))
    if form is None:  # a call costs a node 50 ns more than the formula written out
        return lines, call(f"{row.key}_d_{name}(", list(given.values()))
    if form == _PRODUCT and not tensors:
        grad, other = given
        conjugating, value = _product(step, given[grad], given[other], other)
        return lines + conjugating, value
    head, opened, rest = form.partition("(")
    if opened and form.startswith("{}."):
        language, *values = given.values()
        numbers = rest.removesuffix(")").split(", ")[len(values) :]
        return lines, call(f"{language}{head[2:]}(", [*values, *filter(None, numbers)])
    return lines, form.format(*given.values())


def _product(step: str, grad: str, other: str, name: str) -> tuple[list[str], Any]:
    """The lines and the text of `grad * other.conj()` on arrays, faster by two spellings."""
    lines = []
    if not other.isidentifier():
        lines.append(f"{step}{_local(name)} = {other}")
        other = _local(name)
    # 26 ns less than NumPy's conjugate of real numbers.
    lines += fold_when(step, f"{other}.dtype is not float32", f"{other} = {other}.conj()")
    # So 0-d arrays give an array: 0.2 us less than a scalar.
    product = f"multiply({grad}, {other}, out=...)"
    return lines, _Choice(f"type({grad}) is ndarray", product, f"{grad} * {other}")


class _Choice(Struct):
    """A value that depends on a condition."""

    condition: str
    first: str
    second: str


def _assigned(step: str, variable: str, value: Any) -> list[str]:
    """The lines that assign the result of a formula to a variable."""
    if type(value) is _Choice:
        return fold_choice(step, value.condition, variable, value.first, value.second)
    if type(value) is str:
        return [f"{step}{variable} = {value}"]
    return fold(step, call(f"{variable} = {value[0]}", value[1]))


def _freeing(row: Row, held: list[str], tensors: bool) -> list[str]:
    """The lines that free the saved values, unless they are retained."""
    lines = []
    if row.complex_only:  # a node that refuses its gradients frees nothing
        some = "is_complex(grad)" if tensors else "grad.dtype.kind == 'c'"
        lines.append(f"            if {some}: gradients = fit_gradients(gradients, node)")
    optional = [a.name for a in row.schema.tensors if a.type == "Tensor?" and a.name in held]
    chain = "            "
    for name in held:
        if name in optional:
            continue
        if len(chain) + len(name) + 23 > WIDTH:
            lines.append(f"{chain}FREED")
            chain = "            "
        chain += f"node.saved_{name} = "
    if chain.strip():
        lines.append(f"{chain}FREED")
    for name in optional:  # an omitted argument stays None
        slot = f"node.saved_{name}"
        lines.append(f"            if {slot} is not None: {slot} = FREED")
    return ["        # what was saved is freed", "        if not retain:", *lines]


def _taking_outputs(row: Row, step: str) -> list[str]:
    """The lines that load the saved outputs before any formula, in torch's order, so that watchers
    of a backward see each of them once, whether or not a formula uses it."""
    return [
        f"{step}{_local(name)} = load_saved_output_tensor(node.saved_{name}, node)"
        for name in sorted(row.schema.outputs)
        if name in row.saved
    ]


def _local(name: str) -> str:
    """The variable of `apply` for the value saved under a name: the same name, if it is free."""
    taken = name in _TAKEN or (name[0] in "eg" and name[1:].isdigit())
    return f"{name}_" if taken else name


def _asked_anyway(row: Row, kept_for: dict[str, list[int]]) -> set[int]:
    """The inputs whose formulas need a saved value that not all formulas need: torch checks that
    value even if these formulas do not run."""
    if "inputs" in row.formulas or len(row.inputs) == 1:
        return set()
    names = [name for name, inputs in kept_for.items() if len(inputs) > 1]
    asking = [row.wanted_by(name) for name in [*names, *row.schema.outputs]]
    return {i for each in asking if len(each) < len(row.inputs) for i in each}


def _given(row: Row, name: str, tensors: bool, step: str) -> tuple[list[str], str]:
    """The lines that load the value of a formula's parameter, and the text for it."""
    if name == "F":
        return [], "OPS" if tensors else "RAW"
    if name in ("grad", "grads"):
        return [], name
    if name == "grad_input_mask":
        return [], "tuple([edge is not None for edge in node.edges])"
    saved, local = f"node.saved_{name}", _local(name)
    if name in row.schema.outputs:
        if tensors:
            return [], local
        unwritten = f"{local}[1][0] == {local}[2]"
        return _taking(step, local, saved, unwritten, f"{local}[0]", "load_saved_output"), local
    if name.endswith("_sym_strides"):
        return [], f"STRIDES[{saved}]"
    argument = next((a for a in row.schema.tensors if a.name == name), None)
    if argument is None:
        return [], saved
    if argument.is_tensor_list:
        load = "load_saved_list_tensor" if tensors else "load_saved_list"
        return [f"{step}{local} = {load}({saved}, node)"], local
    load = "load_saved_operand" if row.family == "binary" else "load_saved"
    if tensors:
        return [f"{step}{local} = {load}_tensor({saved}, node)"], local
    plain = f"type({local}) is Tensor and {local}._cell is None"
    return _taking(step, local, saved, plain, f"{local}._array", load), local


def _taking(step: str, local: str, saved: str, plain: Any, array: str, load: str) -> list[str]:
    """The lines that load a saved array; `load` is not called for a plain one."""
    return [
        f"{step}{local} = {saved}",
        *fold_when(step, plain, f"{local} = {array}"),
        f"{step}else: {local} = {load}({local}, node)",
    ]

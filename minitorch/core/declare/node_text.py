"""The text of node classes: what they keep, and `apply` on arrays and on Tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from operator import itemgetter
from types import CodeType
from typing import Any

from minitorch.core.declare.row import Row, parameters


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
        "    __module__ = 'builtins'",  # as those that torch writes in C++
        f"    __slots__ = ({slots}{',' if slots else ''})",
        f"    saved = {row.shown!r}",
        f"    unsigned = {_unsigned(row)!r}",
        f"    tensors = {_tensors(row)!r}",
        f"    kept_for = {_kept_for(row)!r}",
        f"    fits = {row.fits}",
    ]
    if any(a.is_tensor_list for a in row.schema.arguments):
        lines.append("    together = True")
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
        lines.append(f"    refusals = [{', '.join(refusals)}]")
    for method, language, tensors in (("apply", "RAW", False), ("apply_graph", "OPS", True)):
        lines += ["", *_apply_source(row, method, language, tensors)]
    lines += ["", "", f"{name}.__name__ = {name}.__qualname__ = {row.node!r}"]
    return "\n".join(lines) + "\n"


def _unsigned(row: Row) -> tuple[str, ...]:
    return tuple([a.name for a in row.schema.arguments if a.is_integer and a.name in row.saved])


def _tensors(row: Row) -> tuple[str, ...]:
    """What of the saved is tensors: inputs, then outputs, each by name; torch's order of saving."""
    held = [name for name in row.shown if _holds_memory(row, name)]
    return tuple(sorted(held, key=lambda name: name in row.schema.outputs))


def _kept_for(row: Row) -> dict[str, list[int]]:
    """The tensors among the inputs that are saved, and the inputs for whose gradients."""
    return {a.name: row.kept_for(a.name) for a in row.schema.tensors if a.name in row.saved}


def _holds_memory(row: Row, name: str) -> bool:
    return name in row.schema.outputs or any(a.name == name for a in row.schema.tensors)


def inlined(formula: Callable[..., Any], given: dict[str, str], tensors: bool) -> str | None:
    """The text of a formula of the commonest forms, with its parameters replaced by what they are
    given; None for others, which are called. A call would cost a node 50 ns more.
    """
    form = _form(getattr(formula, "__wrapped__", formula).__code__, tuple(given))
    if form is None:
        return None
    if not tensors:  # 26 ns less than to have NumPy conjugate real numbers
        form = form.replace("{}.conj()", "(x if (x := {}).dtype is float32 else x.conj())")
        if form.startswith("{} * ("):  # so 0-d arrays give an array: 0.2 us less than a scalar
            x = form.removeprefix("{} * ").replace("{}", "{1}")
            form = f"(multiply({{0}}, {x}, out=...) if type({{0}}) is ndarray else {{0}} * {x})"
    return form.format(*given.values())


@cache
def _form(code: CodeType, names: tuple[str, ...]) -> str | None:
    """Which form a formula has. There is no text to read at run time: each is compiled for it."""
    if code.co_freevars:
        return None
    wanted = (code.co_code, code.co_consts, code.co_names)
    for form in _forms(code, names):
        made = eval(f"lambda {', '.join(names)}: {form.format(*names)}", {}).__code__
        if (made.co_code, made.co_consts, made.co_names) == wanted:
            return form
    return None


def _forms(code: CodeType, names: tuple[str, ...]) -> Iterator[str]:
    """What a formula may look like, judging by its parameters and the names it uses."""
    if names == ("grad",):
        yield from ("{}", "-{}")
    elif names[:1] == ("grad",) and len(names) == 2:
        yield "{} * {}.conj()"
        yield "{} * {}.conjugate()"
    elif names[:1] == ("F",) and len(code.co_names) == 1:
        numbers = [each for each in code.co_consts if type(each) in (int, float, bool)]
        given = ["{}"] * (len(names) - 1) + [repr(number) for number in numbers]
        yield f"{{}}.{code.co_names[0]}({', '.join(given)})"


def _apply_source(row: Row, method: str, language: str, tensors: bool) -> list[str]:
    """The text of `apply` or `apply_graph`: the formulas of the inputs that want a gradient."""
    several = row.schema.returns_list or len(row.differentiable_outputs) > 1
    lines = [f"    def {method}(node, {'grads' if several else 'grad'}, keep):"]
    if several and any("grad" in parameters(f) for f in row.formulas.values()):
        lines.append("        grad = grads[0]")

    def call(name: str) -> str:
        formula = row.formulas[name]
        given = {p: _given(row, p, language, tensors) for p in parameters(formula)}
        text = inlined(formula, given, tensors)
        return f"{row.key}_d_{name}({', '.join(given.values())})" if text is None else text

    held = [f"node.saved_{n}" for n in row.saved if _holds_memory(row, n)]
    computing = _unpacked_outputs(row) if tensors else []
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
            otherwise = "None"
            if _keeps_anyway(row, i):
                otherwise = f"check_kept(node{', outputs=False' if tensors else ''})"
            leads = f"e{i} is not None"
            if row.family != "binary" and row.saved:  # of one that leads nowhere nothing was kept
                leads += f" and e{i} is not NOWHERE"
            computing.append(f"        g{i} = {call(name)} if {leads} else {otherwise}")
        result = f"({', '.join([f'g{i}' for i in range(len(row.inputs))])})"
    if not held:
        return [*lines, *computing, f"        return {result}"]
    computing.append(f"        result = {result}")
    if len(held) > 1:
        computing = [
            "        try:",
            *["    " + line for line in computing],
            "        except RuntimeError:",
            "            check_kept(node)",
            "            raise",
        ]
    optional = {f"node.saved_{a.name}" for a in row.schema.tensors if a.type == "Tensor?"}
    given = [each for each in held if each not in optional]
    freed = [f"{' = '.join(given)} = FREED"] if given else []
    # What was not given stays None.
    freed += [f"{each} = None if {each} is None else FREED" for each in held if each in optional]
    if row.complex_only:  # what refuses its gradients frees nothing
        some = "is_complex(grad)" if tensors else "grad.dtype.kind == 'c'"
        freed.insert(0, f"result = conform_all(result, node) if {some} else result")
    return [
        *lines,
        *computing,
        f"        if not keep: {'; '.join(freed)}",
        "        return result",
    ]


def _unpacked_outputs(row: Row) -> list[str]:
    """The lines that take up what is saved of outputs, before any formula, in torch's order: those
    that watch a backward see each of them once, whether or not a formula uses it."""
    return [
        f"        {_local(name)} = unpack_output_tensor(node.saved_{name}, node)"
        for name in sorted(row.schema.outputs)
        if name in row.saved
    ]


def _local(name: str) -> str:
    """The variable of a saved output, which no name of the generated code hides."""
    return f"kept_{name}"


def _keeps_anyway(row: Row, i: int) -> bool:
    """Whether what the formula of an input asks for, though not those of all, is kept where it will
    not run: torch looks at it all the same."""
    names = [a.name for a in row.schema.tensors if len(row.kept_for(a.name)) > 1]
    asking = [row.wanted_by(name) for name in [*names, *row.schema.outputs]]
    return any(i in each and len(each) < len(row.inputs) for each in asking)


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
            return _local(name)
        return f"(s[0] if (s := {saved})[1][0] == s[2] else unpack_output(s, node))"
    if name.endswith("_sym_strides"):
        return f"STRIDES[{saved}]"
    argument = next((a for a in row.schema.tensors if a.name == name), None)
    if argument is None:
        return saved
    if argument.is_tensor_list:
        return f"unpack_list{'_tensor' if tensors else ''}({saved}, node)"
    if row.family == "binary":
        if tensors:
            return f"unpack_operand_tensor({saved}, node)"
        return (
            f"(s._array if type(s := {saved}) is Tensor and s._cell is None"
            " else unpack_operand(s, node))"
        )
    if tensors:
        return f"unpack_tensor({saved}, node)"
    return f"(s._array if type(s := {saved}) is Tensor and s._cell is None else unpack(s, node))"

"""The text of element-wise functions, and of their in-place variants.

Plain CPU tensors of one dtype, or one and a Python number, are handled in the text itself; all
else is left to core/declare/elementwise.py.
"""

from __future__ import annotations

from minitorch.core.arrays import elementary
from minitorch.core.declare.row import Row, parameters, ufunc
from minitorch.core.declare.schema import Argument
from minitorch.core.declare.text import (
    birth,
    call_text,
    fresh,
    opening,
    python_name,
    saving,
    signature,
)
from minitorch.core.graph.formulas import OPS
from minitorch.core.graph.modes import ASSEMBLED


def unary_source(row: Row, name: str) -> list[str]:
    extra = [a for a in row.schema.arguments if not a.is_tensor]
    keywords = "".join([f", {a.name}={python_name(a)}" for a in extra])
    operand, name_in_schema = python_name(row.schema.tensors[0]), row.schema.tensors[0].name
    given = {name_in_schema: "a"}
    slow = f"elementwise({row.key}_row, ({operand},){keywords})"
    lines = [
        *opening(row, name),
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
        return [*lines, *fresh("None", 4), "    return result"]
    lines += [
        f"    e0 = {operand}._edge",
        "    if e0 is None or not recording():",
        *fresh("None", 8),
        "        return result",
        f"    node = {row.key}_{row.node}()",
        f"    node.edges = ({operand} if e0 is LEAF else e0,)",
        *birth("x"),
        *saving(row, given, before=True),
        *fresh("node", 4),
        *saving(row, given, before=False),
        "    return result",
    ]
    return lines


def pointwise_source(row: Row, name: str) -> list[str]:
    operands = ", ".join([python_name(a) for a in row.schema.tensors])
    extra = [a for a in row.schema.arguments if not a.is_tensor]
    keywords = "".join([f", {a.name}={python_name(a)}" for a in extra])
    return [*opening(row, name), f"    return elementwise({row.key}_row, ({operands}){keywords})"]


def _call(row: Row, operands: tuple[str, ...]) -> str:
    """The text of the call of an element-wise row's kernel on CPU arrays."""
    if isinstance(row.forward, ufunc):
        kernel = _kernel(row)
        call = f"{kernel}({', '.join(operands)}, out=...)"
        function = getattr(ASSEMBLED[kernel], "in_double", None)
        if function is None or row.dtype != "float":
            return call
        ASSEMBLED[f"{row.key}_in_double"] = function  # written out: 0.1 us less than the call
        return (
            f"{row.key}_in_double(y := a.astype(float64), y).astype(float32) "
            f"if kind is float32 and a.ndim and a.size < {elementary.LARGE} else {call}"
        )
    names = [a.name for a in row.schema.tensors]
    given = dict(zip(names, operands, strict=True), xp="on_numpy", dtype="a.dtype")
    names = [given.get(p, "input" if p == "self" else p) for p in parameters(row.forward)]
    return f"{row.key}_forward({', '.join(names)})"


def _guards(row: Row, slow: str) -> list[str]:
    """The lines that leave all but plain dtypes and numbers to the general way."""
    lines = []
    for argument in row.schema.arguments:
        if argument.name in row.numbers:
            name = "input" if argument.name == "self" else argument.name
            given = f"{name} is not None and " if argument.type.endswith("?") else ""
            strange = f"type({name}) not in PLAIN_NUMBERS"
            if row.converts.get(argument.name) != "power_t":  # whose kernel asks
                # Within these bounds every type holds it but the small ones, which are not plain.
                strange = f"({strange} or not -LARGEST <= {name} <= LARGEST)"
            if argument.default not in (None, "None"):  # which fits: that is asked for first
                ASSEMBLED[f"{row.key}_{argument.name}"] = eval(argument.default)
                given = f"{name} is not {row.key}_{argument.name} and "
            lines.append(f"        if {given}{strange}: return {slow}")
    if row.dtype != "float" and isinstance(row.forward, ufunc) and row.check is None:
        return lines
    integers = "" if row.dtype == "float" or callable(row.forward) else " and kind is not int64"
    return [
        *lines,
        "        kind = a.dtype",
        f"        if kind is not float32 and kind is not float64{integers}: return {slow}",
    ]


def binary_source(row: Row, name: str) -> list[str]:
    first, second = [python_name(a) for a in row.schema.tensors]
    extra = [a for a in row.schema.arguments if not a.is_tensor]
    keywords = "".join([f", {a.name}={a.name}" for a in extra])
    slow = f"elementwise({row.key}_row, ({first}, {second}){keywords})"
    return [*opening(row, name), *_defaults(row, extra, slow), *binary_body(row, slow)]


def _defaults(row: Row, extra: list[Argument], slow: str) -> list[str]:
    """The lines that leave all but the default of each attribute itself, 1 but not 1.0 or True, to
    the general way."""
    lines = []
    for a in extra:
        ASSEMBLED[f"{row.key}_{a.name}"] = a.default and eval(a.default)
        lines.append(f"    if {a.name} is not {row.key}_{a.name}: return {slow}")
    return lines


def binary_body(row: Row, slow: str) -> list[str]:
    first, second = [python_name(a) for a in row.schema.tensors]
    number = f"return {slow}" if row.tensors_only else f"b = NUMBERS[kind][a.dtype, {second}]"
    by_number = f"OPS.{row.name}_Scalar({first}, {second})"
    twin = [f"            if FORMULAS and in_formula(): return {by_number}"]
    twin = twin if f"{row.name}_Scalar" in OPS.__dict__ and row.key == f"{row.name}_Tensor" else []
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
        *twin,
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
        return [*lines, *fresh("None", 4), "    return result"]
    given = {"self": "a", "other": "b"}
    lines += [
        f"    e0 = {first}._edge",
        "    if (e0 is None and e1 is None) or not recording():",
        *fresh("None", 8),
        "        return result",
        f"    node = {row.key}_{row.node}()",
        f"    node.edges = ({first} if e0 is LEAF else e0, e1)",
        *birth("x"),
        *saving(row, given, before=True),
        *fresh("node", 4),
        *saving(row, given, before=False),
        "    return result",
    ]
    return lines


def inplace_source(row: Row, name: str, operator: bool) -> list[str]:
    """In place: plain tensors of one dtype without grad here, the rest in `write`.

    operator: whether it is `x += y`, which may return NotImplemented, and takes no keywords.
    """
    operands = [python_name(a) for a in row.schema.tensors]
    extra = [a for a in row.schema.arguments if not a.is_tensor]
    keywords = "".join([f", {a.name}={a.name}" for a in extra])
    slow = f"write({row.key}_row, ({', '.join(operands)},){keywords})"
    watched = f"observed_write({row.key}_row, call_of({call_text(row)}))"
    if operator:
        slow = f"operate_in_place({row.key}_row, {', '.join(operands)}{keywords})"
        watched = f"observed_operator_in_place({row.key}_row, {', '.join(operands)})"
    lines = [
        f"def {name}({signature(row, out=False)}):",
        f"    if WATCHED: return {watched}",
        f"    if input._view is not None or input._edge is not None: return {slow}",
        *_defaults(row, extra, slow),
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
            f"        if b[0].dtype is not a.dtype or a.base is b[0]: return {slow}",
            "        base = b[0].base  # they may share memory, and not fully",
            f"        if base is not None and (base is a or base is a.base): return {slow}",
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
    kernel = row.forward.of(on_numpy)
    ASSEMBLED[name] = getattr(kernel, "of_reals", kernel) if row.check is not None else kernel
    return name

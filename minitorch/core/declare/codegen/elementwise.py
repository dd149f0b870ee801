"""The text of element-wise functions, and of their in-place variants.

The text itself handles plain CPU tensors of one dtype, or one such tensor and a Python number; all
other calls go to core/declare/general/elementwise.py. That uses the same text, with other names in
it, for plain tensors on a device.
"""

from __future__ import annotations

from typing import Any

from minitorch.core.arrays import elementary, on_numpy
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import ASSEMBLED_GLOBALS
from minitorch.core.declare.codegen.common import (
    RECORDED,
    UNRECORDED,
    birth,
    call_parts,
    fresh,
    python_name,
    saving,
    tensor_of,
)
from minitorch.core.declare.codegen.folding import (
    all_of,
    any_of,
    call,
    fold,
    fold_clause,
    fold_if,
    fold_when,
)
from minitorch.core.declare.codegen.node import edge_slots
from minitorch.core.declare.row import Row, parameters, ufunc
from minitorch.core.declare.schema import Argument
from minitorch.core.declare.struct import Struct
from minitorch.core.numbers.dtype import LATE_UNSIGNED


class Place(Struct):
    """The place of a text's plain tensors, CPU or device, and the names that depend on it.

    words: for comments. irregular: the condition that a tensor, {0}, is not plain. numbers, space:
    the arrays for numbers; the namespace. kernel, node: the suffixes of the names of a row's
    kernel and of its node class. view: the `_view` of a result. general: the function for all
    other calls.
    """

    words: str
    irregular: tuple[str, ...]
    numbers: str
    space: str
    kernel: str
    node: str
    view: str
    general: str


HOST = Place(
    "on the CPU",
    ("{0}._view is not None", "irregular({0})"),
    "NUMBERS",
    "on_numpy",
    "_kernel",
    "_node",
    "None",
    "elementwise",
)
METHOD = HOST.but(general="elementwise_of_self")  # of a row that also takes a number first
DEVICE = Place(
    "on a device",
    ("irregular_on_device({0})",),
    "NUMBERS_ON_DEVICE",
    "ON_DEVICE",
    "_kernel_on_device",
    "_node_on_device",
    "STRIDED",
    "elementwise_in_general",
)


def device_body(row: Row) -> list[str]:
    """The body of a function of one or two plain tensors on a device, with all its arguments."""
    if row.family == "unary":
        return unary_body(row, DEVICE)
    return binary_body(row, DEVICE)


def unary_body(row: Row, place: Place = HOST) -> list[str]:
    """The body of a function of one tensor, after its opening."""
    operand = python_name(row.schema.tensors[0])
    slow = _general(row, place)
    lines = [
        f"    # a plain tensor {place.words}",
        "    try:",
        *fold_when("        ", _irregular(operand, place), slow),
        f"        a = {operand}._array",
        *_guards(row, slow, place),
        *_calling(row, ("a",), place),
        *fold_clause("    ", "except Exception:", slow),
    ]
    if row.node is None:
        return [*lines, *fresh("None", 4, place.view), "    return result"]
    given = {row.schema.tensors[0].name: "a"}
    return [
        *lines,
        UNRECORDED,
        f"    e0 = {operand}._edge",
        "    if e0 is None or not recording():",
        *fresh("None", 8, place.view),
        "        return result",
        *_recorded(row, [f"{operand} if e0 is LEAF else e0"], given, place),
    ]


def _general(row: Row, place: Place = HOST) -> Any:
    """The call of the general way, as in folding.py."""
    operands = [python_name(a) for a in row.schema.tensors]
    keywords = [f"{a.name}={python_name(a)}" for a in row.schema.arguments if not a.is_tensor]
    return call(f"return {place.general}(", [f"{row.key}_row", call("(", operands), *keywords])


def _irregular(operand: str, place: Place) -> Any:
    return all_of([each.format(operand) for each in place.irregular])


def _recorded(row: Row, edges: list[Any], given: dict[str, str], place: Place) -> list[str]:
    """The lines that make the node, and the result with this node as its history."""
    if edge_slots(row) == len(edges):
        setting = [f"    node.edge{i} = {edge}" for i, edge in enumerate(edges)]
    else:
        setting = fold("    ", call("node.edges = (", edges))
    return [
        RECORDED,
        f"    node = {row.key}{place.node}()",
        *setting,
        *birth("x"),
        *saving(row, given, before=True),
        *fresh("node", 4, place.view),
        *saving(row, given, before=False),
        "    return result",
    ]


def pointwise_body(row: Row) -> list[str]:
    """The body of a function of several tensors, after its opening."""
    operands = [python_name(a) for a in row.schema.tensors]
    arrays = {a.name: f"a_{a.name}" for a in row.schema.tensors}
    first, *others = arrays.values()
    slow = _general(row)
    unlike: list[Any] = [f"{each}.dtype is not {first}.dtype" for each in others]
    unlike += [f"{each}._view is not None" for each in operands]
    inputs = [python_name(tensor_of(row, name)) for name in row.inputs]
    ends = [f"{name} if e{i} is LEAF else e{i}" for i, name in enumerate(inputs)]
    without: list[Any] = [f"e{i} is None" for i in range(len(inputs))]
    return [
        "    # plain tensors on the CPU, of one dtype",
        "    try:",
        *[f"        a_{a.name} = {python_name(a)}._array" for a in row.schema.tensors],
        *fold_when("        ", any_of(unlike), slow),
        f"        a = {first}",
        *_guards(row, slow, HOST),
        *_calling(row, tuple(arrays.values()), HOST),
        *fold_clause("    ", "except Exception:", slow),
        UNRECORDED,
        *[f"    e{i} = {name}._edge" for i, name in enumerate(inputs)],
        *fold_if("    ", any_of([all_of(without), "not recording()"])),
        *fresh("None", 8),
        "        return result",
        *_recorded(row, ends, arrays, HOST),
    ]


def _calling(row: Row, operands: tuple[str, ...], place: Place) -> list[str]:
    """The lines that call an element-wise row's kernel on plain arrays."""
    if isinstance(row.forward, ufunc):
        kernel = f"{row.key}{place.kernel}" if place is DEVICE else _kernel(row)
        computed = f"x = {kernel}({', '.join(operands)}, out=...)"
        function = getattr(ASSEMBLED_GLOBALS[kernel], "in_double", None)
        if function is None or row.dtype != "float":
            return [f"        {computed}"]
        ASSEMBLED_GLOBALS[f"{row.key}_in_double"] = function
        return [
            f"        if kind is float32 and a.ndim and a.size < {elementary.LARGE}:",
            "            y = a.astype(float64)  # written out: 0.1 us less than the call",
            f"            x = {row.key}_in_double(y, y).astype(float32)",
            f"        else: {computed}",
        ]
    names = [a.name for a in row.schema.tensors]
    given = dict(zip(names, operands, strict=True), xp=place.space, dtype="a.dtype")
    names = [given.get(p, "input" if p == "self" else p) for p in parameters(row.forward)]
    return fold("        ", call(f"x = {row.key}_forward(", names))


def _guards(row: Row, slow: Any, place: Place) -> list[str]:
    """The lines that leave all but plain dtypes and numbers to the general way. Dtypes for which
    the general way found that the kernel can be called directly are plain as well (plans.py)."""
    lines = []
    for argument in row.schema.arguments:
        converted = row.family == "pointwise" and argument.name in row.converts
        if converted or argument.name in row.numbers:
            name = python_name(argument)
            asked = [f"{name} is not None"] if argument.type.endswith("?") else []
            strange: Any = f"type({name}) not in PLAIN_NUMBERS"
            if row.converts.get(argument.name) != "power_t":  # whose kernel checks
                # Within these bounds every type holds it except small ones, which are not plain.
                strange = ("or", strange, f"not -LARGEST <= {name} <= LARGEST")
            if argument.default not in (None, "None"):  # the default fits, and is tested first
                ASSEMBLED_GLOBALS[f"{row.key}_{argument.name}"] = eval(argument.default)
                asked = [f"{name} is not {row.key}_{argument.name}"]
            lines += fold_when("        ", all_of([*asked, strange]), slow)
    own = "dtype" if row.family == "binary" else "a.dtype"
    if row.dtype != "float" and isinstance(row.forward, ufunc) and row.check is None:
        leaving = _leaving_dtypes(row, "kind" if own == "a.dtype" else own, "        ", slow)
        taken = ["        kind = a.dtype"] if own == "a.dtype" and leaving else []
        return [*lines, *taken, *leaving]
    strange = ["kind is not float32", "kind is not float64"]
    if row.dtype != "float" and not callable(row.forward):
        strange.append("kind is not int64")
    if row.dtype != "float" and not (row.numbers or row.converts) and place is not DEVICE:
        ASSEMBLED_GLOBALS.setdefault(f"{row.key}_known", set())
        strange.append(f"kind not in {row.key}_known")
    return [
        *lines,
        f"        kind = {own}",
        *fold_when("        ", all_of(strange), slow),
    ]


def _leaving_dtypes(row: Row, own: str, step: str, slow: Any) -> list[str]:
    """The lines that leave dtypes which NumPy's kernel computes, but torch refuses, to the general
    way. They take 10 to 20 ns, since they test for the usual dtype first."""
    if row.knows >= LATE_UNSIGNED:
        return []
    late = ("or", *[f"{own} is {name}" for name in ("uint16", "uint32", "uint64")])
    usual = ["float32", "truth"] if row.dtype == "bool" else ["float32"]
    refused = all_of([*[f"{own} is not {name}" for name in usual], late])
    return fold_when(step, refused, slow)


def binary_body(row: Row, place: Place = HOST) -> list[str]:
    """The body of a function of two operands, after its opening."""
    slow = _general(row, place)
    extra = [a for a in row.schema.arguments if not a.is_tensor]
    return [*_defaults(row, extra, slow), *binary_core(row, slow, place)]


def _defaults(row: Row, extra: list[Argument], slow: Any) -> list[str]:
    """The lines that leave all but the default of each attribute itself, 1 but not 1.0 or True, to
    the general way."""
    lines = []
    for a in extra:
        ASSEMBLED_GLOBALS[f"{row.key}_{a.name}"] = a.default and eval(a.default)
        lines += fold_when("    ", f"{a.name} is not {row.key}_{a.name}", slow)
    return lines


def binary_core(row: Row, slow: Any, place: Place = HOST) -> list[str]:
    """The lines that compute for two plain operands, and record the call.

    slow: the call of the general way, as in folding.py.
    """
    first, second = [python_name(a) for a in row.schema.tensors]
    asked = [" and ".join(place.irregular).format(each) for each in (first, second)]
    asked = [f"({each})" if " and " in each else each for each in asked]
    lines = [
        f"    # plain tensors {place.words}, of one dtype, or one and a number",
        "    try:",
        f"        a = {first}._array",
        "        dtype = a.dtype",
        f"        kind = type({second})",
        "        if kind is Tensor or kind is Parameter:",
        f"            b = {second}._array",
        "            if (",
        "                dtype is not b.dtype",
        f"                or {asked[0]}",
        f"                or {asked[1]}",
        "            ):",
        *fold("                ", slow),
        f"            e1 = {second}._edge",
        f"            if e1 is LEAF: e1 = {second}",
        "        else:",
        *_with_number(row, first, second, slow, place),
        *_guards(row, slow, place),
        *_calling(row, ("a", "b"), place),
        *fold_clause("    ", "except Exception:", slow),
    ]
    if row.node is None:
        return [*lines, *fresh("None", 4, place.view), "    return result"]
    edges = [f"{first} if e0 is LEAF else e0", "e1"]
    return [
        *lines,
        UNRECORDED,
        f"    e0 = {first}._edge",
        "    if (e0 is None and e1 is None) or not recording():",
        *fresh("None", 8, place.view),
        "        return result",
        *_recorded(row, edges, {"self": "a", "other": "b"}, place),
    ]


def _with_number(row: Row, first: str, second: str, slow: Any, place: Place) -> list[str]:
    """The lines for a second operand that is no tensor."""
    lines = []
    if f"{row.name}_Scalar" in OPS.__dict__ and row.key == f"{row.name}_Tensor":
        by_number = f"return OPS.{row.name}_Scalar({first}, {second})"
        lines += fold_when("            ", "FORMULAS_RUNNING and in_formula()", by_number)
    lines += fold_when("            ", _irregular(first, place), slow)
    if row.tensors_only:
        lines += fold("            ", slow)
    else:
        lines.append(f"            b = {place.numbers}[kind][dtype, {second}]")
    return [*lines, "            e1 = None"]


def inplace_body(row: Row, operator: bool) -> list[str]:
    """In place: plain tensors of one dtype without grad here, the rest in `write`.

    operator: whether it is `x += y`, which may return NotImplemented, and takes no keywords.
    """
    operands = [python_name(a) for a in row.schema.tensors]
    extra = [a for a in row.schema.arguments if not a.is_tensor]
    keywords = [f"{a.name}={a.name}" for a in extra]
    this = f"{row.key}_row"
    if operator:
        watched = call("return observed_operator_in_place(", [this, *operands])
        slow = call("return operate_in_place(", [this, *operands, *keywords])
    else:
        watched = call("return observed_write(", [this, call("call_of(", call_parts(row))])
        slow = call("return write(", [this, call("(", operands), *keywords])
    lines = fold_when("    ", "WATCHED", watched)
    if row.dtype in ("bool", "float") or not isinstance(row.forward, ufunc):
        return [*lines, *fold("    ", slow)]
    history = ("or", "input._view is not None", "input._edge is not None")
    lines += [
        "    # plain CPU tensors of one dtype, without a history",
        *fold_when("    ", history, slow),
        *_defaults(row, extra, slow),
        "    a = input._array",
        "    dtype = a.dtype",
    ]
    if row.check is not None:
        integral = ("and", "dtype is not float32", "dtype is not float64")
        lines += fold_when("    ", integral, slow)
    else:
        lines += _leaving_dtypes(row, "dtype", "    ", slow)
    lines += ["    b = ()"] if row.family == "unary" else _second_operand(operands[1], slow)
    return [
        *lines,
        f"    try: {_kernel(row)}(a, *b, out=a)",
        "    except FLOATING_POINT: pass  # raised after everything was written",
        *fold_clause("    ", "except Exception:", slow),
        "    # another version",
        "    cell = input._cell",
        "    if cell is None: input._cell = [1]",
        "    else: cell[0] += 1",
        "    return input",
    ]


def _second_operand(second: str, slow: Any) -> list[str]:
    """The lines that prepare the second operand of an in-place variant, in a tuple."""
    history = ("or", f"{second}._edge is not None", f"{second}._view is not None")
    unlike = ("or", "b[0].dtype is not dtype", "a.base is b[0]")
    shared = ("and", "base is not None", ("or", "base is a", "base is a.base"))
    return [
        f"    kind = type({second})",
        "    if kind is Tensor or kind is Parameter:",
        f"        b = ({second}._array,)",
        *fold_when("        ", history, slow),
        *fold_when("        ", unlike, slow),
        "        base = b[0].base  # they may share memory, and not fully",
        *fold_when("        ", shared, slow),
        "    else:",
        f"        try: b = (NUMBERS[kind][dtype, {second}],)",
        *fold_clause("        ", "except (KeyError, TypeError):", slow),
    ]


def _kernel(row: Row) -> str:
    """The name, in the shared globals, of the NumPy kernel of an element-wise row."""
    name = f"{row.key}_kernel"
    kernel = row.forward.of(on_numpy)
    if row.check is not None:
        kernel = getattr(kernel, "of_reals", kernel)
    ASSEMBLED_GLOBALS[name] = kernel
    return name

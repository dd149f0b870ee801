"""Faults in the rows: a field of a declaration is another, or one of its functions is wrapped."""

import functools
from collections.abc import Callable, Iterator, Sequence
from types import FunctionType
from typing import Any

import numpy

from conformance.mutants.fault import ROOT, Fault, source
from minitorch.core.base.fields import tensor
from minitorch.core.declare.registry import ROWS
from minitorch.core.declare.row import Row, parameters
from minitorch.core.declare.schema import Schema
from minitorch.core.numbers import dtype as dtypes

_PROMOTIONS = {
    "promote": "float",
    "float": "promote",
    "bool": "promote",
    "same": "float",
    "real": "promote",
}
_ELEMENTWISE = ("unary", "binary", "pointwise")


def set_field(row: Row, name: str, value: Any) -> None:
    """Changes a row, which is frozen, and forgets everything computed from it."""
    object.__setattr__(row, name, value)
    for each in ("inputs", "saved", "shown", "differentiable_outputs", "numbers"):
        row.__dict__.pop(each, None)


def faults() -> Iterator[Fault]:
    """Yields every fault of these kinds that can be made of the rows."""
    for row in ROWS.values():
        for kind, make in CHANGES.items():
            for before, after, plant, *idle in make(row):
                file, line = place(row)
                covers = {("row", row.key), ("declaration", row.schema.text.partition("(")[0])}
                if kind in BACKWARD:
                    covers |= {("backward", row.key)}
                yield Fault(kind, file, line, before, after, frozenset(covers), plant, *idle)


Change = tuple[Any, ...]  # before, after, and what a fault ends with


def wrong_node(row: Row) -> Iterator[Change]:
    """MulBackward0 -> MulBackward7."""
    if row.node and row.node[-1].isdigit():
        yield _field(row, "node", row.node[:-1] + "7")


def lost_edge(row: Row) -> Iterator[Change]:
    """The derivative for one of the inputs is not there."""
    for name in _derivatives(row):
        if name == "inputs" or (len(row.formulas) == 1 and row.node is None):
            continue
        left = {other: formula for other, formula in row.formulas.items() if other != name}

        def plant(left: dict = left) -> bool:
            set_field(row, "formulas", left)
            if not left:
                set_field(row, "node", None)
            return True

        yield f"{row.key}: {name}=...", "no formula", plant


def _derivatives(row: Row) -> dict[str, Any]:
    """The formulas of a row, without those that only say that there is no derivative."""
    return {n: f for n, f in row.formulas.items() if not hasattr(f, "refuses")}


def wrong_saved(row: Row) -> Iterator[Change]:
    """A formula is given another tensor than it asks for."""
    known = [a.name for a in row.schema.arguments if a.type == "Tensor"]
    known += [name for name in row.schema.outputs if len(row.schema.outputs) == 1]
    for name, formula in _derivatives(row).items():
        if not isinstance(formula, FunctionType):
            continue
        wanted = parameters(formula)
        for asked in wanted:
            other = next((each for each in known if each not in wanted), None)
            if asked in known and other is not None:
                yield _renamed(row, name, {asked: other})


def exchanged(row: Row) -> Iterator[Change]:
    """A formula is given two tensors in each other's place."""
    known = [a.name for a in row.schema.arguments if a.type == "Tensor"]
    for name, formula in _derivatives(row).items():
        asked = [each for each in parameters(formula) if each in known]
        if isinstance(formula, FunctionType) and len(asked) >= 2:
            yield _renamed(row, name, {asked[0]: asked[1], asked[1]: asked[0]})


def negative(row: Row) -> Iterator[Change]:
    """A formula gives its gradient with the wrong sign, if it is not always zero."""
    for name, formula in _derivatives(row).items():
        met: list[bool] = []

        def change(result: Any, met: list[bool] = met) -> Any:
            if isinstance(result, (tuple, list)):
                return tuple(change(each) for each in result)
            if result is None:
                return None
            met.append(_has_sign(result))
            return -result

        def plant(name: str = name, formula: Any = formula, change: Any = change) -> bool:
            set_field(row, "formulas", {**row.formulas, name: _after(formula, change)})
            return True

        yield f"{row.key}: {name}=formula", "-formula", plant, _idle(met)


def _has_sign(x: Any) -> bool:
    try:
        return bool((x != 0).any())
    except (AttributeError, RuntimeError, TypeError, ValueError):  # as inside a transform
        return True


def _idle(met: list[bool]) -> Callable[[], bool]:
    """Returns what says whether a change met results, and none that it changes."""
    return lambda: bool(met) and not any(met)


def wrong_promotion(row: Row) -> Iterator[Change]:
    """An element-wise operator computes in another dtype; most rules differ for integers alone."""
    told_apart = row.dtype in ("bool", "real") or _takes_integers(row)
    if row.family in _ELEMENTWISE and row.dtype in _PROMOTIONS and told_apart:
        yield _field(row, "dtype", _PROMOTIONS[row.dtype])


def _takes_integers(row: Row) -> bool:
    operands = tuple(tensor(numpy.ones(1, numpy.int64)) for _ in row.schema.tensors)
    others = {a.name: 1 for a in row.schema.arguments if a not in row.schema.tensors}
    try:
        if row.check is not None:
            row.check(row, dtypes.int64, operands, **others)
    except (NotImplementedError, RuntimeError):
        return False
    return True


def copying_view(row: Row) -> Iterator[Change]:
    """A view that copies."""
    if row.schema.is_view:

        def change(result: Any) -> Any:
            if isinstance(result, (tuple, list)):
                return type(result)(change(each) for each in result)
            return result.copy()

        yield _wrapped(row, change, "a copy")


def viewing_copy(row: Row) -> Iterator[Change]:
    """A copy that counts as a view."""
    schema = row.schema
    plain = len(schema.outputs) == 1 and not schema.returns_list and "a!" not in schema.text
    if row.family == "operator" and plain and not schema.is_view:
        head, first, rest = schema.text.partition("(Tensor self")
        if first:
            text = f"{head}(Tensor(a) self{rest}".removesuffix("-> Tensor") + "-> Tensor(a)"

            def plant() -> bool:
                set_field(row, "schema", Schema.parse(text))
                return True

            yield schema.text, text, plant


def wrong_layout(row: Row) -> Iterator[Change]:
    """A result lies in memory with gaps, if it has dimensions."""
    met: list[bool] = []

    def change(result: Any) -> Any:
        met.append(isinstance(result, numpy.ndarray) and result.ndim > 0)
        if not met[-1]:
            return result
        wide = numpy.empty((*result.shape, 2), result.dtype)
        wide[..., 0] = result
        return wide[..., 0]

    schema = row.schema
    plain = len(schema.outputs) == 1 and not schema.returns_list and "a!" not in schema.text
    computed = row.family == "operator" and plain and not schema.is_view
    if computed and isinstance(row.forward, FunctionType):
        yield (*_wrapped(row, change, "with gaps in memory"), _idle(met))


def _wrapped(row: Row, change: Callable[[Any], Any], what: str) -> Change:
    def plant() -> bool:
        set_field(row, "forward", _after(row.forward, change))
        return True

    return f"{row.key}: forward=...", f"the same, {what}", plant


def _after(function: Any, change: Callable[[Any], Any]) -> Any:
    """Returns a function with the same parameters, for rows ask by their names."""
    return calling(function, parameters(function), change)


def calling(function: Any, names: Sequence[str], change: Callable[[Any], Any]) -> Any:
    """Returns a function with parameters of these names, in the places of the given one's.

    It is compiled: names put into another function's code may be those of its cells.
    """
    count = getattr(function, "__wrapped__", function).__code__.co_argcount
    pairs = enumerate(zip(parameters(function), names, strict=True))
    given = [name if n < count else f"{own}={name}" for n, (own, name) in pairs]
    text = f"lambda {', '.join(names)}: change(function({', '.join(given)}))"
    return eval(text, {"change": change, "function": function})


def _field(row: Row, name: str, value: Any) -> Change:
    def plant() -> bool:
        set_field(row, name, value)
        return True

    return f"{row.key}: {name}={getattr(row, name)!r}", f"{name}={value!r}", plant


def _renamed(row: Row, name: str, names: dict[str, str]) -> Change:
    formula = row.formulas[name]
    given = parameters(formula)
    renamed = [names.get(each, each) for each in given]

    def plant() -> bool:
        changed = calling(formula, renamed, lambda result: result)
        set_field(row, "formulas", {**row.formulas, name: changed})
        return True

    was, now = ", ".join(given), ", ".join(renamed)
    return f"{row.key}: {name}=lambda {was}", f"{name}=lambda {now}", plant


CHANGES: dict[str, Callable[[Row], Iterator[Change]]] = {
    "wrong node name": wrong_node,
    "lost edge": lost_edge,
    "saved the wrong tensor": wrong_saved,
    "swapped inputs": exchanged,
    "flipped sign": negative,
    "wrong promotion": wrong_promotion,
    "view that copies": copying_view,
    "copy that views": viewing_copy,
    "wrong memory format": wrong_layout,
}
BACKWARD = ("lost edge", "saved the wrong tensor", "swapped inputs", "flipped sign")


def place(row: Row) -> tuple[str, int]:
    """Returns the file and line of a row: where its schema is, or else its forward or a formula."""
    for opening in (f'"{row.schema.text[:60]}', f'"{row.schema.text.partition("(")[0]}('):
        for file, text in _texts():
            if (at := text.find(opening)) >= 0:
                return file, text.count("\n", 0, at) + 1
    for function in (row.forward, *row.formulas.values()):
        code = getattr(function, "__code__", None)
        if code is not None and code.co_filename.startswith(str(ROOT)):
            return code.co_filename.removeprefix(f"{ROOT}/"), code.co_firstlineno
    return "aten", 0


@functools.cache
def _texts() -> list[tuple[str, str]]:
    files = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "aten").rglob("*.py"))
    return [(file, source(file)) for file in files]

"""The pieces of text that assembled functions share: signatures, openings, what nodes save."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

from minitorch.core.declare.codegen.folding import (
    all_of,
    any_of,
    call,
    fold,
    fold_choice,
    fold_if,
    fold_when,
)
from minitorch.core.declare.row import DERIVED, Row, derived
from minitorch.core.declare.schema import Argument
from minitorch.core.declare.struct import Struct


class Parameters(Struct):
    """The parameters of a public function, as Python text: names -> defaults.

    numbers: the parameter that gathers a list of ints that is written out.
    required: required parameters, whose absence raises no Python error.
    kinds: parameters that must have a type, one of KINDS, though Python would accept others.
    takes_others: whether the body handles unknown keywords.
    """

    positional: dict[str, str]
    named: dict[str, str]
    numbers: str | None = None
    required: tuple[str, ...] = ()
    kinds: dict[str, str] = {}
    takes_others: bool = False

    @property
    def parts(self) -> list[str]:
        """The parameters of the function, as they are written between its parentheses."""
        both = [*self.positional.items(), *self.named.items()]
        shown = [name if default == "" else f"{name}={default}" for name, default in both]
        if self.numbers or self.named:
            shown.insert(len(self.positional), f"*{self.numbers or ''}")
        return shown


def parameters_of(row: Row, out: bool = True) -> Parameters:
    """The parameters of a row's function; required ones have no default."""
    positional: dict[str, str] = {}
    named: dict[str, str] = {}
    for argument in row.schema.arguments:
        if argument.name == row.varargs:
            named[argument.name] = "None"
            named |= dict.fromkeys(instead(row), "None")
        elif argument.keyword_only or row.varargs in named:
            named[python_name(argument)] = argument.default or ""
        else:
            positional[python_name(argument)] = argument.default or ""
    if out and "out" in row.variants:
        named["out"] = "None"
    rest = [a for a in row.schema.arguments if not (a.is_tensor or a.is_tensor_list)]
    operator = row.family == "operator"  # the other families check numbers themselves
    kinds = {
        python_name(a): kind
        for a in rest
        if (kind := _KINDS.get(re.sub(r"\d+\]", "n]", a.type.rstrip("?"))))
        and (kind != "Number" or operator)
        and a.name != row.varargs
    }
    needed = [python_name(a) for a in rest if a.default is None and a.name != row.varargs]
    required = [each for each in needed if kinds.get(each, "Number") == "Number"]
    return Parameters(positional, named, "numbers" if row.varargs else None, tuple(required), kinds)


_LISTED = (
    "or",
    "type({0}) not in LISTS",
    ("and", "{0}", ("or", "type({0}[0]) is not int", "type({0}[-1]) is not int")),
)
# A kind in torch's words -> the condition that a value, {0}, is not, or may not be, of that kind;
# as in folding.py.
KINDS: dict[str, Any] = {
    "bool": "type({0}) is not bool",
    "int": "type({0}) is not int",
    "float": ("and", "type({0}) is not float", "type({0}) is not int"),
    "tuple of ints": ("and", "type({0}) is not int", _LISTED),
    "list of ints": _LISTED,  # a single int is not one
    "Tensor": ("and", "type({0}) is not Tensor", "type({0}) is not Parameter"),
    "tuple of Tensors": ("and", "type({0}) is not list", "type({0}) is not tuple"),
    "Number": "type({0}) is Tensor",  # others compute as they are
    "torch.dtype": "type({0}) is not DTYPE",
    "torch.layout": "type({0}) is not LAYOUT",
    "torch.memory_format": "type({0}) is not MEMORY_FORMAT",
    "torch.Generator": "type({0}) is not Generator",
}
_TYPES = {  # the types of a kind's values, if a parameter may have several kinds
    "bool": ("bool",),
    "int": ("int",),
    "float": ("float", "int"),
    "Number": ("float", "int", "bool", "complex"),
    "str": ("str",),
    "tuple of Tensors": ("tuple", "list"),
    "torch.dtype": ("DTYPE",),
    "Tensor": ("Tensor",),
    "tuple of ints": (),
    "list of ints": (),
}


_OFTEN = ("Tensor", "int", "float", "tuple", "list", "bool", "str", "complex", "DTYPE")  # first


def union_of(kinds: set[str]) -> str | None:
    """One kind for a parameter that may have several, as `unlike` reads it; None if no type
    identifies one of them."""
    return "|".join(sorted(kinds)) if kinds <= _TYPES.keys() else None


@cache
def unlike(kind: str) -> Any:
    """The condition that a value, {0}, has, or may have, none of the kinds in 'int|Tensor'.

    Only the ends of a list of ints are checked, which costs 0.1 us; checking all of it would cost
    as much as a small operator.
    """
    if kind in KINDS:
        return KINDS[kind]
    kinds = kind.split("|")
    types = {each for one in kinds for each in _TYPES[one]}
    parts: list[Any] = [f"type({{0}}) is not {each}" for each in _OFTEN if each in types]
    if "Tensor" in kinds:  # subclasses are tested last
        parts.append("not isinstance({0}, TensorBase)")
    for each in kinds:
        if not _TYPES[each]:
            parts += _together(KINDS[each])
    return all_of(parts)


def _together(condition: Any) -> list[Any]:
    """The conditions, joined so that all must hold."""
    return list(condition[1:]) if condition[0] == "and" else [condition]


def _asked_of(condition: Any, name: str) -> Any:
    """A condition on a value, {0}, as one on the parameter of this name."""
    if type(condition) is str:
        return condition.format(name)
    word, *joined = condition
    return (word, *[_asked_of(each, name) for each in joined])


_KINDS = {
    "bool": "bool",
    "int": "int",
    "SymInt": "int",
    "int[]": "list of ints",
    "SymInt[]": "list of ints",
    "int[n]": "tuple of ints",
    "SymInt[n]": "tuple of ints",
    "float": "float",
    "Scalar": "Number",
    "ScalarType": "torch.dtype",
    "Layout": "torch.layout",
    "MemoryFormat": "torch.memory_format",
    "Generator": "torch.Generator",
}


_CONSTANTS = ("True", "False", "None", "PRESERVE", "UNSET")


def definition(row: Row, name: str, out: bool = True) -> list[str]:
    """The first lines of a row's function."""
    return fold("", call(f"def {name}(", parameters_of(row, out).parts), ":")


def refusing(
    name: str, parameters: Parameters, body: list[str], gathered: str | None = None
) -> list[str]:
    """The text of a public function, which checks a call only after it has failed.

    gathered: the parameter that gets the numbers of a call that writes them out.

    A parameter without a default holds MISSING: that costs nothing, and allows torch's error for a
    missing argument. torch's errors for too many arguments and for keywords differ from Python's.
    """
    rest = parameters.numbers or "rest"
    given = [f"{each}={default or 'MISSING'}" for each, default in parameters.positional.items()]
    named = [f"{each}={default or 'MISSING'}" for each, default in parameters.named.items()]
    conditions = [] if parameters.numbers else ["rest"]
    conditions += [] if parameters.takes_others else ["others"]
    conditions += [f"{each} is MISSING" for each in parameters.required]
    defaults = {**parameters.positional, **parameters.named}
    odd = [_oddity(each, kind, defaults[each]) for each, kind in parameters.kinds.items()]
    held = [
        f"{name}_public",
        call("(", list(parameters.positional)),
        rest,
        call("(", list(parameters.named)),
        "others",
    ]
    lines = fold("", call(f"def {name}(", [*given, f"*{rest}", *named, "**others"]), ":")
    if odd:
        lines += [
            *fold_if("    ", any_of(odd)),
            *fold("        ", call("again = refuse(", held)),
            "        if again is not None: return again()",
        ]
    lines.append("    try:")
    if conditions:
        lines += fold_when("        ", any_of(conditions), "raise Misfit")
    lines += ["    " + line for line in body]
    lines.append("    except Exception as error:")
    if gathered is not None:
        lines += [
            "        # what was gathered was not given, unless both were: a Misfit",
            f"        if numbers and type(error) is not Misfit: {gathered} = None",
        ]
    return [
        *lines,
        *fold("        ", call("again = failed(", held)),
        "        if again is None: raise",
        "    return again()",
    ]


@cache
def _oddity(name: str, kind: str, default: str) -> Any:
    """The condition that a parameter may not have the required kind."""
    joined = _together(_asked_of(unlike(kind.rstrip("?")), name))
    if default in _CONSTANTS:
        joined.insert(0, f"{name} is not {default}")
    if kind.endswith("?"):  # sum(dim=None) is another overload than sum(), and correct
        joined.append(f"{name} is not None")
    return all_of(joined)


def instead(row: Row) -> list[str]:
    """The keywords that may replace the argument that is written out."""
    return [kind for kind in row.overloads if isinstance(kind, str)]


def python_name(argument: Argument) -> str:
    return "input" if argument.name == "self" else argument.name


def tensor_of(row: Row, name: str) -> Argument:
    """The tensor of this name among the arguments."""
    return next(a for a in row.schema.tensors if a.name == name)


def call_parts(row: Row) -> list[str]:
    """The arguments of a call with the function's own parameters."""
    return [
        f"{python_name(a)}={python_name(a)}"
        if a.keyword_only or a.name == row.varargs
        else python_name(a)
        for a in row.schema.arguments
    ]


def opening(
    row: Row, spreads: bool = False, asks: bool = True, watched_by: str = "observed"
) -> list[str]:
    """The first lines of a function's body: the cases that other code computes.

    spreads: as for `_varargs`.
    asks: whether it checks for watchers.
    watched_by: the function that makes the call on their behalf.
    """
    given = call_parts(row)
    takes_out = "out" in row.variants
    lines = _varargs(row, spreads)
    if asks:
        watched = call("call_of(", [*given, "out=out"] if takes_out else given)
        action = call(f"return {watched_by}(", [f"{row.key}_row", watched])
        lines += fold_when("    ", "WATCHED", action)
    if takes_out:
        action = call("return into(", [f"{row.key}_row", "out", call("call_of(", given)])
        lines += fold_when("    ", "out is not None", action)
    return lines


def _varargs(row: Row, spreads: bool) -> list[str]:
    """The lines that gather an argument that was written out.

    spreads: whether ints may be written out: torch takes them in a method, as in `x.flip(0, 1)`.
    """
    if row.varargs is None:
        return []
    return [
        *(
            f"    if {name} is not None: return {row.key}_row.overloads[{name!r}](input, {name})"
            for name in instead(row)
        ),
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
        *([] if spreads else ["        else: raise Misfit"]),
        f"    elif numbers or type({row.varargs}) is int: raise Misfit",
    ]


UNRECORDED, RECORDED = "    # nothing to record", "    # recorded"
_FRESH = [
    "result = new(Tensor)",
    "result._array = x",
    "result._edge = {edge}",
    "result._grad = result._cell = result._view = None",
]


def fresh(edge: str, indent: int, view: str = "None") -> list[str]:
    """The lines that make a result; `_view` is given as text."""
    lines = _FRESH
    if view != "None":
        lines = [*_FRESH[:-1], "result._grad = result._cell = None", f"result._view = {view}"]
    return [" " * indent + line.format(edge=edge) for line in lines]


def birth(x: str) -> list[str]:
    """The lines that give a new node its age, and the shape and dtype of the result `x`."""
    return [
        "    node.order = next_order()",
        f"    node.shape = {x}.shape",
        f"    node.dtype = {x}.dtype",
    ]


def saving(row: Row, arrays: dict[str, str], before: bool) -> list[str]:
    """The lines that save on the node the values that formulas need: inputs before the result
    exists, outputs after it."""
    lines = []
    for name in row.saved:
        if (name in row.schema.outputs) != before:
            lines += _saving(row, name, arrays)
    return lines


def _saving(row: Row, name: str, arrays: dict[str, str]) -> list[str]:
    """The lines that put one value on the node."""
    slot, outputs = f"node.saved_{name}", row.schema.outputs
    if name in outputs:
        if len(outputs) == 1 and row.schema.is_view:
            return [f"    {slot} = save_output(result)"]
        if len(outputs) == 1:  # save_output, written out
            return ["    result._cell = cell = [0]", f"    {slot} = (x, cell, 0, 0)"]
        i, chosen = outputs.index(name), row.differentiable_outputs
        number = chosen.index(i) if i in chosen else None
        return [f"    {slot} = save_output(result{i}, {number})"]
    part = derived(row, name)
    if part is not None:
        x = arrays[part[0]] if part[0] in arrays else f"x[{outputs.index(part[0])}]"
        text = re.sub(r"\bx\b", x, DERIVED[part[1]])
        if part[1] == "_sym_strides" and len(row.inputs) > 1:
            wanted = [f"e{i} is not None" for i in row.wanted_by(name)]
            return fold_choice("    ", any_of(wanted), slot, text, "()")
        return [f"    {slot} = {text}"]
    argument = next(a for a in row.schema.arguments if a.name == name)
    value = python_name(argument)
    if argument.is_tensor_list:
        return [f"    {slot} = [save_input(each) for each in {value}]"]
    if not argument.is_tensor:
        return [f"    {slot} = {value}"]
    return _keeping(row, argument, value)


def _keeping(row: Row, argument: Argument, value: str) -> list[str]:
    """The lines that put a tensor on the node, with its version."""
    slot = f"node.saved_{argument.name}"
    kept_for = row.kept_for(argument.name)
    wanted: Any = None
    if len(kept_for) < len(row.inputs):
        # The other families leave tensors with the edge NOWHERE to elementwise.py.
        leads = "e{0} is not None"
        if row.family == "operator":
            leads += " and e{0} is not NOWHERE"
            leads = f"({leads})" if kept_for[1:] else leads
        wanted = any_of([leads.format(i) for i in kept_for])
    second = row.family == "binary" and value == python_name(row.schema.tensors[1])
    if second or argument.type == "Tensor?":
        if wanted is None:
            return [f"    {slot} = save_input({value})"]
        return fold_choice("    ", wanted, slot, f"save_input({value})", "None")
    if wanted is None:
        return _with_version("    ", slot, value)
    return [
        *fold_if("    ", wanted),
        *_with_version("        ", slot, value),
        "    else:",
        f"        {slot} = None",
    ]


def _with_version(step: str, slot: str, value: str) -> list[str]:
    """save_input(), written out for a Tensor."""
    versioned = f"({value}, {value}._cell[0])"
    return fold_choice(step, f"{value}._cell is None", slot, value, versioned)

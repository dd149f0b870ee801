"""The pieces of text that assembled functions share: signatures, openings, what nodes save."""

from __future__ import annotations

import re

from minitorch.core.declare.record import Record
from minitorch.core.declare.row import DERIVED, Row, derived
from minitorch.core.declare.schema import Argument


class Parameters(Record):
    """The parameters of a public function, as Python text: names -> defaults.

    numbers: that which gathers a list of ints that is written out.
    required: those that a call cannot do without, and that may be missing without an error.
    kinds: those that must be of a type, one of KINDS, in which Python would take others.
    takes_others: whether keywords that it does not know are the body's business.
    """

    positional: dict[str, str]
    named: dict[str, str]
    numbers: str | None = None
    required: tuple[str, ...] = ()
    kinds: dict[str, str] = {}
    takes_others: bool = False

    @property
    def text(self) -> str:
        """What stands in the parentheses of the function."""
        parts = [*self.positional.items(), *self.named.items()]
        shown = [name if default == "" else f"{name}={default}" for name, default in parts]
        star = f"*{self.numbers or ''}" if self.numbers or self.named else ""
        shown.insert(len(self.positional), star)
        return ", ".join(filter(None, shown))


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
    operator = row.family == "operator"  # the other families look at numbers themselves
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


_LISTED = "type({0}) not in LISTS or {0} and (type({0}[0]) is not int or type({0}[-1]) is not int)"
KINDS = {  # in torch's words -> what a value is that is none, or may be none
    "bool": "type({0}) is not bool",
    "int": "type({0}) is not int",
    "float": "type({0}) is not float and type({0}) is not int",
    "tuple of ints": f"type({{0}}) is not int and ({_LISTED})",
    "list of ints": f"({_LISTED})",  # of which one int alone stands for none
    "Tensor": "type({0}) is not Tensor and type({0}) is not Parameter",
    "tuple of Tensors": "type({0}) is not list and type({0}) is not tuple",
    "Number": "type({0}) is Tensor",  # others compute as they are
    "torch.dtype": "type({0}) is not DTYPE",
    "torch.layout": "type({0}) is not LAYOUT",
    "torch.memory_format": "type({0}) is not MEMORY_FORMAT",
    "torch.Generator": "type({0}) is not Generator",
}
_TYPES = {  # of which a value of a kind is, where a parameter may be of several
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
    """One kind for a parameter that may be of several, as `unlike` reads it; None if there is one
    among them that no type tells."""
    return "|".join(sorted(kinds)) if kinds <= _TYPES.keys() else None


def unlike(kind: str) -> str:
    """The condition that a value, {0}, is of none of the kinds in 'int|Tensor', or may be of none.

    A list of ints is looked at from both ends, which costs 0.1 us; all of it would cost as much
    as a small operator.
    """
    if kind in KINDS:
        return KINDS[kind]
    kinds = kind.split("|")
    types = {each for one in kinds for each in _TYPES[one]}
    parts = [f"type({{0}}) is not {each}" for each in _OFTEN if each in types]
    if "Tensor" in kinds:  # subclasses are asked last
        parts.append("not isinstance({0}, TensorBase)")
    parts += [KINDS[each] for each in kinds if not _TYPES[each]]
    return " and ".join(parts)


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


def signature(row: Row, out: bool = True) -> str:
    """The parameters of a row's function, as Python text."""
    return parameters_of(row, out).text


def refusing(
    name: str, parameters: Parameters, body: list[str], gathered: str | None = None
) -> list[str]:
    """The text of a public function, which looks at a call when it has failed.

    gathered: the parameter that gets the numbers of a call that writes them out.

    A parameter without a default holds MISSING: that costs nothing, and torch's words can be found
    for what is missing. Of too many arguments and of keywords, torch knows more than Python does.
    """
    optional = {
        each: {key: default or "MISSING" for key, default in names.items()}
        for each, names in (("positional", parameters.positional), ("named", parameters.named))
    }
    opened = parameters.but(**optional, numbers=parameters.numbers or "rest")
    conditions = [] if parameters.numbers else ["rest"]
    conditions += [] if parameters.takes_others else ["others"]
    conditions += [f"{each} is MISSING" for each in parameters.required]
    defaults = {**parameters.positional, **parameters.named}
    odd = [
        f"{each} is not {defaults[each]} and " * (defaults[each] in _CONSTANTS)
        + unlike(kind.rstrip("?")).format(each)
        # sum(dim=None) is another overload than sum(), and no misfit
        + f" and {each} is not None" * kind.endswith("?")
        for each, kind in parameters.kinds.items()
    ]
    place = "".join([f"{each}, " for each in parameters.positional])
    by_name = "".join([f"{each}, " for each in parameters.named])
    held = f"({place.strip()}), {opened.numbers}, ({by_name.strip()}), others"
    written = [] if gathered is None else [gathered]
    unplain = [
        f"    if {' or '.join(odd)}:",
        f"        again = refuse({name}_public, {held})",
        "        if again is not None: return again()",
    ]
    return [
        f"def {name}({opened.text}, **others):",
        *(unplain if odd else []),
        "    try:",
        *([f"        if {' or '.join(conditions)}: raise Misfit"] if conditions else []),
        *["    " + line for line in "\n".join(body).split("\n")],
        "    except Exception as error:",
        # What was gathered was not given, unless both were, which is a Misfit.
        *[f"        if numbers and type(error) is not Misfit: {each} = None" for each in written],
        f"        again = failed({name}_public, {held})",
        "        if again is None: raise",
        "    return again()",
    ]


def instead(row: Row) -> list[str]:
    """The keywords that may stand for the argument that is written out."""
    return [kind for kind in row.overloads if isinstance(kind, str)]


def python_name(argument: Argument) -> str:
    return "input" if argument.name == "self" else argument.name


def call_text(row: Row) -> str:
    """The arguments of a call with the function's own parameters."""
    return ", ".join(
        [
            f"{python_name(a)}={python_name(a)}"
            if a.keyword_only or a.name == row.varargs
            else python_name(a)
            for a in row.schema.arguments
        ]
    )


def opening(row: Row, name: str, spreads: bool = False) -> list[str]:
    arguments = call_text(row)
    watched = f"{arguments}, out=out" if "out" in row.variants else arguments
    lines = [
        f"def {name}({signature(row)}):",
        *_varargs(row, spreads),
        f"    if WATCHED: return observed({row.key}_row, call_of({watched}))",
    ]
    if "out" in row.variants:
        lines.append(
            f"    if out is not None: return into({row.key}_row, out, call_of({arguments}))"
        )
    return lines


def _varargs(row: Row, spreads: bool) -> list[str]:
    """The lines that gather an argument that was written out.

    spreads: whether ints may be: torch takes them as a method's only argument, `x.flip(0, 1)`.
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


_FRESH = [
    "result = new(Tensor)",
    "result._array = x",
    "result._edge = {edge}",
    "result._grad = result._cell = result._view = None",
]


def fresh(edge: str, indent: int) -> list[str]:
    return [" " * indent + line.format(edge=edge) for line in _FRESH]


def birth(x: str) -> list[str]:
    return [
        "    node.order = next_order()",
        f"    node.shape = {x}.shape",
        f"    node.dtype = {x}.dtype",
    ]


def saving(row: Row, arrays: dict[str, str], before: bool) -> list[str]:
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
        x = arrays[part[0]] if part[0] in arrays else f"x[{outputs.index(part[0])}]"
        text = re.sub(r"\bx\b", x, DERIVED[part[1]])
        if part[1] == "_sym_strides" and len(row.inputs) > 1:
            wanted = " or ".join([f"e{i} is not None" for i in row.wanted_by(name)])
            return f"{text} if {wanted} else ()"
        return text
    argument = next(a for a in row.schema.arguments if a.name == name)
    value = python_name(argument)
    if not (argument.is_tensor or argument.is_tensor_list):
        return value
    if argument.is_tensor_list:
        return f"[keep(each) for each in {value}]"
    second = row.family == "binary" and value == python_name(row.schema.tensors[1])
    if second or argument.type == "Tensor?":
        kept = f"keep({value})"
    else:
        kept = f"{value} if {value}._cell is None else ({value}, {value}._cell[0])"
    if len(row.inputs) == 1:
        return kept
    kept_for = row.kept_for(name)
    if len(kept_for) == len(row.inputs):
        return kept
    leads = "e{0} is not None"
    if row.family == "operator":  # the other families leave such tensors to elementwise.py
        leads += " and e{0} is not NOWHERE"
    return f"({kept}) if {' or '.join([leads.format(i) for i in kept_for])} else None"

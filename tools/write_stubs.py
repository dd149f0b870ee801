"""Type stubs, written from the declarations: what editors and type checkers know of the operators.

    python -m tools.write_stubs            writes minitorch/__init__.pyi and _tensor.pyi, and the
                                           index of waiting names, minitorch/aten/index.py
    python -m tools.write_stubs --check    says by its status if they are up to date

The operators are assembled while a program runs, so no tool could find them in the source.
"""

from __future__ import annotations

import ast
import inspect
import keyword
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from minitorch.core.declare.registry import FUNCTIONS, ROWS, load_families
from minitorch.core.declare.row import Row
from minitorch.core.declare.schema import Argument
from minitorch.core.declare.wording.signatures import signature
from minitorch.core.tensor.legacy import NAMES
from minitorch.core.tensor.tensor import Tensor
from tools.write_index import index

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "minitorch"
WIDTH = 100

_TYPES = {
    "Tensor": "Tensor",
    "Scalar": "Number",
    "Number": "Number",
    "bool": "_bool",
    "int": "_int",
    "SymInt": "_int",
    "float": "_float",
    "str": "str",
    "ScalarType": "_dtype",
    "torch.dtype": "_dtype",
    "Layout": "_layout",
    "torch.layout": "_layout",
    "Device": "Device",
    "torch.device": "Device",
    "MemoryFormat": "memory_format",
    "torch.memory_format": "memory_format",
    "Generator": "Generator",
    "torch.Generator": "Generator",
    "torch.Storage": "TypedStorage | UntypedStorage",
    "tuple of ints": "Sequence[_int]",
    "tuple of floats": "Sequence[_float]",
    "tuple of Scalars": "Sequence[Number]",
    "tuple of Tensors": "Sequence[Tensor]",
    "object": "Any",
}

_HEADER = """\
# Written by `python -m tools.write_stubs`; a test keeps it up to date.
# ruff: noqa
{what}
import builtins
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias, overload

"""

_ALIASES = """
_bool: TypeAlias = builtins.bool
_int: TypeAlias = builtins.int
_float: TypeAlias = builtins.float
Number: TypeAlias = builtins.int | builtins.float | builtins.complex | builtins.bool
_dtype: TypeAlias = dtype
_device: TypeAlias = device
_layout: TypeAlias = layout
Device: TypeAlias = device | str | builtins.int | None

"""


def main() -> None:
    """Writes stubs and index; with --check, exits with status 1 if one is not up to date."""
    load_families()
    for path, text in {**stubs(), PACKAGE / "aten/index.py": index()}.items():
        if "--check" in sys.argv[1:]:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                raise SystemExit(f"{path.name} is not up to date: run python -m {__spec__.name}")
            continue
        path.write_text(text, encoding="utf-8")
        print(f"{path.relative_to(PACKAGE.parent)}: {text.count(chr(10))} lines")


def stubs() -> dict[Path, str]:
    """The text of each stub file."""
    return {PACKAGE / "__init__.pyi": package_stub(), PACKAGE / "_tensor.pyi": tensor_stub()}


def package_stub() -> str:
    """The stub of the package: its imports, names found on demand, public functions."""
    lines = [_HEADER.format(what="")]
    lines += re_exports(PACKAGE / "__init__.py")
    lines += elsewhere()
    lines.append(_ALIASES)
    for name, function in sorted(FUNCTIONS.items()):
        if name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("_"):
            lines += definitions(name, function, method=False)
    return "".join(lines)


def tensor_stub() -> str:
    """The stub of the class Tensor, in a module of its own that exists for type checkers alone."""
    lines = [
        _HEADER.format(what="# There is no such module when a program runs."),
        "from minitorch import Generator, Size, TypedStorage, UntypedStorage\n",
        "from minitorch import device, dtype, layout, memory_format\n",
        _ALIASES,
        "class Tensor:\n",
        "    def __new__(cls, *args: Any, **kwargs: Any) -> Tensor: ...\n",
    ]
    own = {**object.__dict__, "__new__": None, "__module__": None, "__init_subclass__": None}
    for name, value in sorted(Tensor.__dict__.items()):
        if name in own and name not in ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"):
            continue
        if isinstance(value, property):
            lines.append(f"    @property\n    def {name}(self) -> {_property_type(name)}: ...\n")
            if value.fset is not None and not hasattr(value.fset, "refuses"):
                lines.append(f"    @{name}.setter\n    def {name}(self, value: Any) -> None: ...\n")
        elif inspect.isfunction(value):
            lines += ["    " + line for line in definitions(name, value, method=True)]
            if name in ("__eq__", "__ne__"):  # object's give a bool
                lines[-1] = lines[-1].replace("...\n", "...  # type: ignore[override]\n")
    return "".join(lines)


_PROPERTIES = {
    "shape": "Size",
    "dtype": "_dtype",
    "device": "_device",
    "layout": "_layout",
    "ndim": "_int",
    "itemsize": "_int",
    "nbytes": "_int",
    "output_nr": "_int",
    "_version": "_int",
    "requires_grad": "_bool",
    "is_leaf": "_bool",
    "grad": "Tensor | None",
    "data": "Tensor",
}


def _property_type(name: str) -> str:
    return _PROPERTIES.get(name, "_bool" if name.startswith("is_") else "Any")


def re_exports(source: Path) -> Iterator[str]:
    """The public names that a module imports, imported under themselves."""
    statements = ast.parse(source.read_text(encoding="utf-8")).body
    for node in [
        each
        for statement in statements
        for each in (statement.body if isinstance(statement, ast.With) else [statement])
    ]:
        if not isinstance(node, ast.ImportFrom) or node.module == "__future__":
            continue
        names = [each.name for each in node.names if not (each.asname or "").startswith("_")]
        if names == ["*"]:
            names = sys.modules[node.module or ""].__all__
        for name in sorted(names):
            where = "minitorch._tensor" if name == "Tensor" else node.module
            yield f"from {where} import {name} as {name}\n"


def elsewhere() -> Iterator[str]:
    """The names that the package finds only when a program asks for them."""
    namespace = sys.modules["minitorch._public.namespace"]
    for name in namespace.LAZY:
        if (PACKAGE / f"{name}.py").exists() or (PACKAGE / name).is_dir():
            yield f"from minitorch import {name} as {name}\n"
    by_module: dict[str, list[str]] = {}
    for name, module in namespace.ELSEWHERE.items():
        by_module.setdefault(module, []).append(f"{name} as {name}")
    for module, names in by_module.items():
        yield f"from minitorch.{module} import {', '.join(names)}\n"
    yield "\n"
    for name in NAMES:
        yield f"{name}: type[Tensor]\n"


_ARITHMETIC = re.compile(
    r"__[ri]?(add|sub|mul|truediv|floordiv|mod|pow|matmul|and|or|xor|lshift|rshift)__"
    r"|__(eq|ne|lt|le|gt|ge|neg|pos|abs|invert|getitem|reversed)__"
)


# ---- one function -------------------------------------------------------------------------------


def definitions(name: str, function: Callable[..., Any], method: bool) -> list[str]:
    """The lines that define a function or method: one, or one with @overload per signature."""
    texts = getattr(function, "signatures", None)
    if texts and method and _ARITHMETIC.fullmatch(name):  # a type checker wants as much of a += b
        return [f"def {name}(self, other: Any) -> Tensor: ...\n"]  # as of a + b
    if texts:
        if method:  # of pow(Number self, Tensor exponent) there is none
            bare = [text.removesuffix(", *, Tensor out = None") for text in texts]
            texts = [text for text in bare if not text.startswith("Number self")]
        defined = [_of_signature(text, method) for text in texts]
        result = _returned(name, function)
        kinds = [f"def {name}({parameters}) -> {result}: ...\n" for parameters in defined]
        kinds = list(dict.fromkeys(kinds))
        return [
            line for kind in kinds for line in (["@overload\n", kind] if len(kinds) > 1 else [kind])
        ]
    row = getattr(function, "row", None) or _in_place(name, method)
    if row is not None:
        return [f"def {name}({_of_row(row, method)}) -> {_result(row)}: ...\n"]
    return [f"def {name}({_of_function(function, method)}) -> {_returned(name, function)}: ...\n"]


def _in_place(name: str, method: bool) -> Row | None:
    """The row whose in-place variant is called so."""
    if method and name.endswith("_") and not name.endswith("__"):
        for row in ROWS.values():
            if row.inplace_name == name and "inplace" in row.variants:
                return row
    return None


def _of_signature(text: str, method: bool) -> str:
    parts = ["self"] if method else []
    starred = False
    spread = signature(text).spread
    for i, each in enumerate(signature(text).parameters):
        if each.keyword_only and not starred:
            starred = True
            if not (spread and parts[-1:] == ["*size: Any"]):
                parts.append("*")
        if method and i == 0 and each.name == "input":
            continue
        if spread and i == 0:
            parts.append("*size: Any")
            continue
        kind = _TYPES[each.type] + (" | None" if each.nullable else "")
        name = f"{each.name}_" if keyword.iskeyword(each.name) else each.name
        parts.append(f"{name}: {kind}" + (" = ..." if each.optional else ""))
    return ", ".join(parts)


def _of_row(row: Row, method: bool) -> str:
    parts, starred = [], False
    for i, argument in enumerate(row.schema.arguments):
        name = "input" if argument.name == "self" else argument.name
        if argument.keyword_only and not starred:
            parts.append("*")
            starred = True
        if i == 0 and method:
            parts.append("self")
        elif argument.name == row.varargs:
            parts += ["*numbers: Any", f"{name}: Sequence[_int] | None = ..."]
            starred = True
        else:
            default = "" if argument.default is None else " = ..."
            parts.append(f"{name}: {_argument_type(argument)}{default}")
    if "out" in row.variants and not method:
        parts += [*([] if starred else ["*"]), "out: Any = ..."]
    return ", ".join(parts)


def _argument_type(argument: Argument) -> str:
    kind, optional = argument.type.removesuffix("?"), argument.type.endswith("?")
    listed = re.fullmatch(r"(\w+)\??\[\d*\]", kind)
    if listed:
        text = f"Sequence[{_TYPES.get(listed[1], 'Any')}]"
        text = f"_int | {text}" if re.search(r"\[\d+\]", kind) else text
    else:
        text = _TYPES.get(kind, "Any")
        if argument.name == "other":
            text = "Tensor | Number"
    return f"{text} | None" if optional else text


def _result(row: Row) -> str:
    if row.schema.returns_list:
        return "tuple[Tensor, ...]"
    count = len(row.schema.outputs)
    return "Tensor" if count == 1 else f"tuple[{', '.join(['Tensor'] * count)}]"


def _of_function(function: Callable[..., Any], method: bool) -> str:
    given = inspect.signature(function)
    parts, starred = [], False
    for i, each in enumerate(given.parameters.values()):
        if each.name == "_become":  # of a function that waits for its first call
            continue
        if each.kind is each.KEYWORD_ONLY and not starred:
            parts.append("*")
            starred = True
        prefix = "*" if each.kind is each.VAR_POSITIONAL else ""
        prefix = "**" if each.kind is each.VAR_KEYWORD else prefix
        starred = starred or prefix == "*"
        if i == 0 and method and not prefix:
            parts.append("self")
            continue
        default = "" if each.default is each.empty else " = ..."
        parts.append(f"{prefix}{each.name}: {_annotation(each.annotation)}{default}")
    return ", ".join(parts)


def _annotation(annotation: Any) -> str:
    """An annotation in words that the stub knows; Any for others."""
    if not isinstance(annotation, str):
        return "Any"
    text = re.sub(r"\b(int|float|bool)\b", r"_\1", annotation)
    known = set(re.findall(r"[A-Za-z_]\w*", text))
    allowed = {"Any", "None", "_int", "_float", "_bool", "str", "tuple", "list", "dict", "Tensor"}
    return text if known <= allowed and "[" not in text else "Any"


def _returned(name: str, function: Callable[..., Any]) -> str:
    """The type of the result: the annotation, or the type that nearly all operators return."""
    text = _annotation(getattr(inspect.unwrap(function), "__annotations__", {}).get("return"))
    if _ARITHMETIC.fullmatch(name):
        return "Tensor"
    family = inspect.unwrap(function).__globals__.get("__name__", "")
    return "Tensor" if text == "Any" and family.startswith("minitorch.aten") else text


if __name__ == "__main__":
    main()

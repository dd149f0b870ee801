"""A row is whole: all facts about an operator stand in its row, and no table names it."""

import ast
import functools
import re
import subprocess
import sys
from collections.abc import Iterator

from tests.test_house import PACKAGE, ROOT

# Namespaces themselves, whose functions have the names that array libraries give them: "add".
BELOW_OPERATORS = ("core/arrays/", "core/sampling/")
# Literals that are no names of operators, though operators have these names as well.
OTHER_THINGS = {
    "core/declare/codegen/runtime.py": {"new": "object.__new__, among the names of written code"},
    "core/graph/views.py": {"view": "an attribute of an error: the view that it speaks of"},
    "core/tensor/conversion.py": {
        "conj": "a part of resolve_conj, which an error advises",
        "neg": "a part of resolve_neg, which an error advises",
    },
    "core/tensor/printing.py": {"full": "a profile of set_printoptions"},
    "core/tensor/storage.py": {"is_pinned": "a method of storages"},
}
# Whose literals are the methods of storages, which are no tensors.
OF_STORAGES = "core/tensor/storage_words.py"
NAME = re.compile(r"(?:aten::|torch\.|Tensor\.)?([A-Za-z_]\w*)(?:\.\w*)?")
ASKING_FOR_ATTRIBUTES = ("attrgetter", "getattr", "hasattr", "setattr")


DECLARED = """
import builtins, minitorch
from minitorch.core.declare.expose import _composites
from minitorch.core.declare.registry import ROWS, load_families

load_families()
rows = ROWS.values()
written = [row.inplace_name for row in rows if "inplace" in row.variants]
print(*{name for name, _ in _composites}, *ROWS, *[row.name for row in rows], *written)
arguments = [each.name for row in rows for each in row.schema.arguments]
outputs = [str(each) for row in rows for each in row.schema.outputs]
dtypes = [name for name, each in vars(minitorch).items() if isinstance(each, minitorch.dtype)]
types = [name for name, each in vars(builtins).items() if isinstance(each, type)]
print(*arguments, *outputs, *dtypes, *types)
"""


@functools.cache
def declared() -> tuple[set[str], set[str]]:
    """The names of all rows, by key too, of their in-place variants, and of all composites; and the
    names of arguments, dtypes, devices and types, which are also those of other things.

    In a process of its own: other tests declare operators.
    """
    script = [sys.executable, "-c", DECLARED]
    lines = subprocess.run(script, check=True, capture_output=True, text=True, cwd=ROOT).stdout
    names, others = (set(line.split()) for line in lines.splitlines())
    more = {"cpu", "cuda", "byte", "chalf", "char", "imag", "real", "storage", "tensor", "to"}
    return {name for name in names if not name.startswith("__")}, others | more


def names_in(source: str) -> Iterator[tuple[int, str]]:
    """Line and text of the literals that may be names, and the keywords of dict() and update().

    Not of docstrings, of parts of f-strings, of errors, or of attributes that are asked for.
    """
    tree = ast.parse(source)
    skipped: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(body := getattr(node, "body", None), list):
            skipped |= {id(each.value) for each in body if isinstance(each, ast.Expr)}
        if isinstance(node, (ast.JoinedStr, ast.Raise)):
            skipped |= set(map(id, ast.walk(node)))
        if isinstance(node, ast.Call):
            called = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if called in ASKING_FOR_ATTRIBUTES:
                skipped |= set(map(id, node.args))
            if called in ("dict", "update"):
                yield from ((node.lineno, each.arg) for each in node.keywords if each.arg)
    for node in ast.walk(tree):
        text = getattr(node, "value", None)
        if isinstance(node, ast.Constant) and isinstance(text, str) and id(node) not in skipped:
            yield node.lineno, text


def named(text: str, names: set[str], others: set[str]) -> list[str]:
    """The operators that a literal names: alone, or as most of the words of a list."""
    words = [word for word in text.split() if not word.startswith("__")]
    matches = [match[1] for word in words if (match := NAME.fullmatch(word))]
    found = [word for word in matches if word in names]
    if len(words) == 1:
        return [word for word in found if word not in others]
    lists = 2 * len(found) > len(words) and any(word not in others for word in found)
    return found if lists else []


def operators_named_in(folder: str) -> dict[str, list[str]]:
    """'file:line' -> the operators that it names, for those that are no other things."""
    names, others = declared()
    found = {}
    for path in sorted((PACKAGE / folder).rglob("*.py")):
        file = path.relative_to(PACKAGE).as_posix()
        if file.startswith(BELOW_OPERATORS) or file == OF_STORAGES:
            continue
        allowed = OTHER_THINGS.get(file, {})
        for line, text in names_in(path.read_text(encoding="utf-8")):
            listed = [each for each in named(text, names, others) if each not in allowed]
            if listed:
                found[f"{file}:{line}"] = listed
    return found


def test_core_names_no_operator():
    assert operators_named_in("core") == {}


def test_func_names_no_operator():
    assert operators_named_in("func") == {}


def test_a_table_of_operators_is_found_however_it_is_written():
    names, others = declared()
    tables = [
        'A = frozenset("addmm addmv".split())',
        'B = {"index_copy_": 1}',
        'def f(name):\n    if name == "mvlgamma": pass',
        'C.update(linear=1)',
        'D = ["aten::softmax", "mean.dtype_out"]',
    ]  # fmt: skip
    for table in tables:
        assert [x for _, text in names_in(table) for x in named(text, names, others)], table
    words = ['"""addmm"""', 'raise E("softmax")', 'getattr(x, "softmax")', 'f"softmax{x}"']
    words += ['"index"', '"float"', '"it takes addmm as well"', '"__add__"']
    for word in words:
        assert not [x for _, text in names_in(word) for x in named(text, names, others)], word


def test_every_other_thing_is_still_there():
    for file, words in OTHER_THINGS.items():
        texts = " ".join(text for _, text in names_in((PACKAGE / file).read_text(encoding="utf-8")))
        assert [word for word in words if word not in texts.split()] == [], file

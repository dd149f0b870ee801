"""The directive `public`: the public names of a module or a class, from their docstrings.

    ```{public} minitorch.nn
    ```

The page gets an entry for each function and class: its signature (for an operator the schema of its
row), its docstring, the node it records, and the file it is written in. Docstrings are plain text
with `Args:`; they are not read as markup, so that none can break the page.
"""

import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).resolve().parents[2]
OWN = {"minitorch.drop_in", "minitorch.study"}  # what torch has not
_ABSENT = "Cannot be made"  # how docstrings of names begin that are there by name alone
_SECTION = re.compile(r"^(Args|Returns|Raises|Shapes?|Yields|Attributes):$")


class Entry(NamedTuple):
    """What a page says of one name."""

    name: str
    signature: str
    text: str
    notes: list[str]
    is_class: bool


def entries(path: str) -> Iterator[Entry]:
    """The entries of the public functions and classes of a module or a class, in torch's names."""
    holder = _found(path)
    shown = path if path in OWN else path.replace("minitorch", "torch", 1)
    names = getattr(holder, "__all__", None) or sorted(vars(holder).keys() | set(dir(holder)))
    for name in dict.fromkeys(names):
        if name.startswith("_"):
            continue
        try:
            value = getattr(holder, name)
        except Exception:  # refused, with the reason, when it is asked for
            continue
        if not callable(value) or inspect.ismodule(value):
            continue
        home = getattr(value, "__module__", None) or path
        if home.partition(".")[0] not in ("minitorch", "torch"):  # typing.Any, and its like
            continue
        if path == "minitorch.drop_in" and home != path:
            continue
        entry = _entry(f"{shown}.{name}", name, value)
        if (entry.text or entry.notes) and not entry.text.startswith(_ABSENT):
            yield entry


def _found(path: str) -> Any:
    """The module or the class at a dotted path."""
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError:
        module, _, name = path.rpartition(".")
        return getattr(_found(module), name)


def _entry(full: str, name: str, value: Any) -> Entry:
    rows = _rows_of(name) if full in (f"torch.{name}", f"torch.Tensor.{name}") else []
    text = inspect.cleandoc(value.__doc__ or "") if type(value) is not property else ""
    if rows and "(" in text.partition(" ")[0]:  # the schema, which the notes show of all overloads
        text = ""
    notes = [f"{row.schema.text}" + (f"    records {row.node}" if row.node else "") for row in rows]
    if file := _file_of(value, rows):
        notes.append(f"In {file}")
    return Entry(full, "" if rows else _signature(value), text, notes, inspect.isclass(value))


def _rows_of(name: str) -> list[Any]:
    from minitorch.core.declare.registry import ROWS  # needs minitorch, which is imported by now

    if not _BY_NAME:
        for row in ROWS.values():
            _BY_NAME.setdefault(row.name, []).append(row)
    return _BY_NAME.get(name, [])


_BY_NAME: dict[str, list[Any]] = {}


def _file_of(value: Any, rows: list[Any]) -> str:
    """The file that a name is written in, from the root; of a row that of its formulas."""
    codes = [formula for row in rows for formula in row.formulas.values()]
    codes += [row.forward for row in rows if inspect.isfunction(getattr(row, "forward", None))]
    for each in [*codes, value]:
        try:
            file = Path(inspect.getsourcefile(inspect.unwrap(each)) or "").resolve()
        except (TypeError, OSError):
            continue
        if ROOT in file.parents and "declare" not in file.parts:
            return file.relative_to(ROOT).as_posix()
    return ""


def _signature(value: Any) -> str:
    """The arguments of a function or a class as they are called, without types that say Any."""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return "(...)"
    arguments = [
        each.replace(annotation=inspect.Parameter.empty)
        for each in signature.parameters.values()
        if not each.name.startswith("_")
    ]
    plain = signature.replace(parameters=arguments, return_annotation=inspect.Signature.empty)
    return re.sub(r"<[^<>]*>", "...", str(plain))


def body(text: str) -> list[nodes.Node]:
    """A docstring as paragraphs, and its sections as lists of what they define."""
    made: list[nodes.Node] = []
    section: list[str] | None = None
    paragraph: list[str] = []

    def end_paragraph() -> None:
        if paragraph:
            made.append(nodes.paragraph("", " ".join(paragraph)))
            paragraph.clear()

    for line in [*text.splitlines(), ""]:
        if section is not None and (line.startswith(" ") or not line):
            section.append(line)
            continue
        if section is not None:
            made.append(nodes.literal_block("", _shown(section)))
            section = None
        if _SECTION.match(line):
            end_paragraph()
            section = [line]
        elif line.strip():
            paragraph.append(line.strip())
        else:
            end_paragraph()
    if section is not None:
        made.append(nodes.literal_block("", _shown(section)))
    for each in made:
        if isinstance(each, nodes.literal_block):
            each["language"] = "text"
    return made


def _shown(section: list[str]) -> str:
    return textwrap.dedent("\n".join(section)).strip()


class Public(SphinxDirective):
    """Lists the public names of the module or the class that it is given."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        importlib.import_module("minitorch.core.declare.registry").load_families()
        found = sorted(entries(self.arguments[0]), key=lambda each: (each.is_class, each.name))
        if not found:
            raise self.error(f"{self.arguments[0]} has no public names with docstrings")
        return [self._described(entry) for entry in found]

    def _described(self, entry: Entry) -> nodes.Node:
        kind = "class" if entry.is_class else "function"
        owner, _, name = entry.name.rpartition(".")
        signature = addnodes.desc_signature("", "", ids=[entry.name])
        if entry.is_class:
            signature += addnodes.desc_annotation("", "class ")
        signature += addnodes.desc_addname("", f"{owner}.")
        signature += addnodes.desc_name("", name)
        signature += nodes.inline("", entry.signature)
        content = addnodes.desc_content("", *body(entry.text))
        for note in entry.notes:
            content += nodes.paragraph("", "", nodes.literal("", note))
        python = self.env.domains.python_domain
        python.note_object(entry.name, kind, entry.name, location=signature)
        self.state.document.note_explicit_target(signature)
        return addnodes.desc("", signature, content, domain="py", objtype=kind, desctype=kind)


def setup(app: Any) -> dict[str, bool]:
    """Called by Sphinx."""
    app.add_directive("public", Public)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

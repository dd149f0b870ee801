"""Nested tensors: programs over both layouts, put together of makers and expressions.

Each case makes the tensors that an expression names, computes it, and if that has a gradient sends
one back to each; all that can be seen of what is left is printed, the names of the graph's nodes
included.
"""

import logging
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from conformance.cases.case import Case, Outcome
from conformance.cases.nested_words import HEADER, MAKERS
from conformance.cases.pieces import families, pieces
from conformance.cases.snippet import LOOKED_AT
from conformance.cases.sparse import Program
from conformance.options import Options

FOLDER = Path(__file__).parent / "snippets" / "nested"
# One expression a line, in files of a layout and a subject.
EXPRESSIONS = Path(__file__).parent / "nested_expressions"

PROPERTIES = LOOKED_AT - {"warnings"}
PROGRAM = """\
def program():
{makers}
    y = {expression}
    show(y)


program()
"""
GRADIENTS = """\
def program():
{makers}
{leaves}
    y = {expression}
    show(y)
    loss = total(y)
    show_graph(loss)
    loss.backward()
    for each in ({tensors},):
        show(each.grad)


program()
"""


class Numbered(Program):
    """A program whose ragged sizes are counted from j1 on. Of warnings nothing is compared: torch
    warns of its prototype for each strided tensor that it makes, inside of operators too."""

    def run(self, torch: ModuleType) -> Outcome:
        """Runs it, after the count has begun anew."""
        start_anew(torch)
        outcome = super().run(torch)
        error = outcome.get("error")
        if error is not None and error.text.startswith("/"):  # the place in torch's own build
            outcome["error"] = replace(error, text=error.text.partition(": ")[2])
        return outcome


def start_anew(torch: ModuleType) -> None:
    """Lets the next ragged size be j1, and torch choose kernels of attention without a word."""
    logging.getLogger("torch.nested._internal.sdpa").setLevel(logging.ERROR)
    inner = getattr(getattr(torch.nested, "_internal", None), "nested_tensor", None)
    if inner is not None:
        inner._nt_view_dummy()
        inner._tensor_id_counter = 1


def keys(options: Options) -> list[str]:
    """Returns the families of pieces, and those of expressions for each layout."""
    return [*families(FOLDER), *families(EXPRESSIONS)]


def cases(key: str, options: Options) -> Iterator[Case]:
    """Yields the programs of one family with one layout, or the pieces of one file."""
    kind, _, family = key.partition("-")
    if kind not in MAKERS:
        for piece in pieces(FOLDER / f"{key}.py"):
            yield Numbered(piece.source, piece.label, PROPERTIES)
        return
    made = MAKERS[kind]
    for expression in (EXPRESSIONS / f"{key}.txt").read_text().splitlines():
        used = names_in(expression, made)
        makers = "\n".join(f"    {name} = {made[name]}" for name in with_sources(used, made))
        text = HEADER + PROGRAM.format(makers=makers, expression=expression)
        yield Numbered(text, f"{kind}: {expression}", PROPERTIES)
        leaves = [name for name in used if is_differentiable(made[name])]
        if family in ("construction", "parts", "errors", "writes") or not leaves:
            continue
        lines = "\n".join(f"    {name} = {name}.detach().requires_grad_()" for name in leaves)
        text = HEADER + GRADIENTS.format(
            makers=makers, leaves=lines, expression=expression, tensors=", ".join(leaves)
        )
        yield Numbered(text, f"{kind}, gradients: {expression}", PROPERTIES)


def names_in(text: str, made: dict[str, str]) -> list[str]:
    """Returns the makers that a text names."""
    words = "".join([c if c.isalnum() or c == "_" else " " for c in text]).split()
    return [name for name in made if name in words]


def with_sources(used: list[str], made: dict[str, str]) -> list[str]:
    """Returns these makers and those that they name themselves, in order."""
    needed = set(used)
    for name in reversed(made):
        if name in needed:
            needed.update(names_in(made[name], made))
    return [name for name in made if name in needed]


def is_differentiable(text: str) -> bool:
    """Returns whether a maker's tensor has a gradient: whether it makes no bools or integers."""
    return not any(word in text for word in ("bool", "int64", " > ", "tensor([[True"))

"""Sparse tensors: programs over all layouts, put together of makers and expressions.

Each case makes tensors of one kind, computes an expression of them, and if that has a gradient
sends one back to each; what is left is looked at, and printed.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from types import ModuleType

from conformance.cases.case import Outcome
from conformance.cases.snippet import Snippet
from conformance.cases.sparse_makers import COMPRESSED, MAKERS
from conformance.cases.sparse_words import EXPRESSIONS, HEADER, UNWRITTEN
from conformance.options import Options

PROGRAM = """\
{makers}
y = {expression}
print(y)
"""
GRADIENTS = """\
{makers}
{leaves}
y = {expression}
out = y if isinstance(y, (tuple, list)) else [y]
out = [each for each in out if isinstance(each, torch.Tensor)]
out = [each for each in out if each.requires_grad and each.grad_fn is not None]
names = [each.grad_fn.name() for each in out]
total = sum([(each.to_dense() if each.layout is not torch.strided else each).sum() for each in out])
total.backward()
print(*[each.grad for each in ({tensors},)], sep="\\n")
"""


QUICK = 9  # one program of so many under the quick profile


class Program(Snippet):
    """A program of which torch may say that no kernel is registered: where others are, is its own
    affair, so that the first sentence is compared alone. A warning counts
    once: where all are given, torch warns of each tensor of a layout in beta state that it makes on
    the way."""

    def run(self, torch: ModuleType) -> Outcome:
        """Runs it, and cuts the text of such an error."""
        outcome = super().run(torch)
        error = outcome.get("error")
        if error is not None and error.text.startswith("Could not run"):
            outcome["error"] = replace(error, text=error.text.partition(". This could be")[0])
        return outcome

    def perform(self, torch: ModuleType) -> Outcome:
        """Runs it, and keeps each warning once."""
        outcome = super().perform(torch)
        if isinstance(outcome.get("warnings"), list):
            outcome["warnings"] = list(dict.fromkeys(outcome["warnings"]))
        return outcome


def keys(options: Options) -> list[str]:
    """Returns the families of expressions, for each kind of tensors of coordinates."""
    return families([kind for kind in MAKERS if kind not in COMPRESSED])


def families(kinds: list[str]) -> list[str]:
    """Returns the families of expressions, for each of these kinds that they are for."""
    return [f"{kind}-{family}" for kind in kinds for family in EXPRESSIONS if _has(kind, family)]


def _has(kind: str, family: str) -> bool:
    return kind in EXPRESSIONS[family].kinds


def cases(key: str, options: Options) -> Iterator[Program]:
    """Yields the programs of one family with one kind of tensor; of the quick profile, a part."""
    part = 1 if options.profile == "full" else QUICK
    yield from islice(programs(key), (options.seed + len(key)) % part, None, part)


def programs(key: str) -> Iterator[Program]:
    """Yields all programs of one family with one kind of tensor."""
    kind, _, family = key.partition("-")
    made = MAKERS[kind]
    makers = HEADER + "\n".join(f"{name} = {text}" for name, text in made.items())
    absent = [name for name in ("d", "e", "m", "s", "t", "u", "v", "w") if name not in made]
    for expression in EXPRESSIONS[family].texts:
        if kind in COMPRESSED and expression in UNWRITTEN:
            continue
        if any(_uses(expression.replace(".t()", ""), name) for name in absent):
            continue
        yield Program(PROGRAM.format(makers=makers, expression=expression), f"{kind}: {expression}")
        if not EXPRESSIONS[family].differentiable or kind in ("integers", "bools"):
            continue
        used = [name for name in made if _uses(expression, name)]
        leaves = "\n".join(f"{name} = {name}.detach().requires_grad_()" for name in used)
        text = GRADIENTS.format(
            makers=makers, expression=expression, leaves=leaves, tensors=", ".join(used)
        )
        yield Program(text, f"{kind}, gradients: {expression}")


def _uses(expression: str, name: str) -> bool:
    words = "".join([c if c.isalnum() or c == "_" else " " for c in expression]).split()
    return name in words

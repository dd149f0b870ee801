"""minitorch.study on graphs of real torch: as torchviz has them, and as on minitorch's own."""

import difflib
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils.checkpoint import checkpoint

import minitorch
from minitorch.study.graphs.animation import animate
from minitorch.study.graphs.explanation import explain
from minitorch.study.graphs.graph import graph_of
from minitorch.study.graphs.line_notes import line_of, lines
from minitorch.study.graphs.picture import make_dot
from minitorch.study.libraries.saved import KEPT, saved_values
from tests.docs.pages import Block, blocks_of, output_of
from tests.study.graphs.test_graph import assert_steps_are_in_order

PAGES = Path(__file__).parents[2] / "tests" / "study"
EXPLAINED = blocks_of(PAGES / "graphs" / "explained.md")
DRAWN = blocks_of(PAGES / "graphs" / "drawn.md")
OPTIONS = [
    {},
    {"show_attrs": True},
    {"show_saved": True},
    {"show_attrs": True, "show_saved": True, "max_attr_chars": 10},
]


def line_number(block: Block) -> str:
    """The name of a test of a block."""
    return f"line {block.line}"


def variables(library: Any) -> dict[str, Any]:
    """The variables that a program starts with."""
    library.manual_seed(0)
    other = minitorch.utils.checkpoint.checkpoint
    return {
        "torch": library,
        "nn": library.nn,
        "explain": explain,
        "lines": lines,
        "checkpoint": checkpoint if library is torch else other,
    }


def drawn(block: Block, library: Any = torch) -> tuple[Any, Any]:
    """The tensor that a program leaves to be drawn, and the names."""
    found = variables(library)
    output_of(block.code, found)
    return found["var"], found["params"]


def renumbered(source: str) -> str:
    """DOT text with nodes named by numbers in the order of their first mention."""
    numbers: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        return str(numbers.setdefault(match[0], len(numbers) + 1))

    def renamed(line: str) -> str:
        if re.match(r"\t\d+ -> \d+", line):
            head, between, tail = line.partition(" -> ")
            return re.sub(r"\d+", number, head) + between + re.sub(r"^\d+", number, tail)
        return re.sub(r"(?<=^\t)\d+(?= \[label)", number, line)

    return "\n".join(map(renamed, source.split("\n")))


def edges_of(outputs: Any) -> list[tuple[str, str]]:
    """All edges of a graph of torch's by the names of their nodes: found by recursion."""
    seen: set[Any] = set()
    found: list[tuple[str, str]] = []

    def walk(node: Any) -> None:
        if node in seen:
            return
        seen.add(node)
        for following, _ in node.next_functions:
            if following is not None:
                found.append((type(following).__name__, type(node).__name__))
                walk(following)

    for each in outputs if isinstance(outputs, tuple) else (outputs,):
        if each.grad_fn is not None:
            walk(each.grad_fn)
    return sorted(found)


def edges_in(source: str) -> list[tuple[str, str]]:
    """The edges between nodes of the graph in a DOT text, by the names of the nodes."""
    labels = dict(re.findall(r"^\t(\d+) \[label=(\w+)\]$", source, re.MULTILINE))
    pairs = re.findall(r"^\t(\d+) -> (\d+)$", source, re.MULTILINE)
    return sorted([(labels[a], labels[b]) for a, b in pairs if a in labels and b in labels])


@pytest.mark.parametrize("block", DRAWN, ids=line_number)
def test_make_dot_has_the_nodes_and_edges_of_torch(block: Block):
    var, params = drawn(block)
    assert edges_in(make_dot(var, params).source) == edges_of(var)


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: " ".join(options) or "plain")
@pytest.mark.parametrize("block", DRAWN, ids=line_number)
def test_make_dot_writes_what_torchviz_writes(block: Block, options: dict[str, Any]):
    var, params = drawn(block)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it uses distutils
        torchviz = pytest.importorskip("torchviz")
        theirs = renumbered(torchviz.make_dot(var, params, **options).source).split("\n")
    ours = make_dot(var, params, **options).source.split("\n")
    assert "\n".join(difflib.unified_diff(theirs, ours, lineterm="")) == ""


@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: " ".join(options) or "plain")
@pytest.mark.parametrize("block", DRAWN, ids=line_number)
def test_make_dot_draws_both_libraries_alike(block: Block, options: dict[str, Any]):
    one, other = [make_dot(*drawn(block, library), **options) for library in (torch, minitorch)]
    assert one.source == other.source
    assert one.svg == other.svg


@pytest.mark.parametrize("block", EXPLAINED, ids=line_number)
def test_explain_says_of_torch_what_it_says_of_minitorch(block: Block):
    assert output_of(block.code, variables(torch)) == block.printed


def test_steps_are_in_the_order_in_which_torch_runs_them():
    assert_steps_are_in_order(*[torch.rand(3, 3, requires_grad=True) for _ in range(2)])


def training(library: Any) -> Any:
    """A loss of a program that uses results in different ways."""

    class Cube(library.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return 3 * ctx.saved_tensors[0] ** 2 * grad

    layer = library.nn.Linear(4, 4)
    x = library.ones(2, 4, requires_grad=True)
    with lines():
        y = layer(x).tanh() + x[0]
        z = Cube.apply(y) * 2
        z[0] = y[1].clone()
        parts = library.split(z, 2, dim=1)
        return (parts[0] - parts[1]).abs_().mean()


def test_lines_notes_the_same_places_in_both_libraries():
    found = []
    for library in (torch, minitorch):
        operations = graph_of([training(library)]).operations
        found.append([(each.name, line_of(each.node)) for each in operations])
    assert found[0] == found[1]
    assert None not in [line for _, line in found[0]]


def test_lines_leaves_torch_as_it_was():
    before = vars(torch.autograd.Function)["apply"]
    with lines():
        assert vars(torch.autograd.Function)["apply"] is not before
    assert vars(torch.autograd.Function)["apply"] is before
    assert torch.overrides._get_current_function_mode() is None


@pytest.mark.parametrize("make", [lambda a, b: (a + b) * (b + 1), lambda a, b: (a * b).exp() / b])
def test_animate_shows_the_same_of_both_libraries(make: Callable[[Any, Any], Any]):
    shown = []
    for library in (torch, minitorch):
        a, b = [library.tensor(value, requires_grad=True) for value in (2.0, 3.0)]
        shown.append(animate(make(a, b), names={"a": a, "b": b}).svg)
        assert a.grad is None
    assert shown[0] == shown[1]


def test_sparse_tensors_and_those_without_memory_are_explained():
    m = torch.eye(3).to_sparse()
    x = torch.ones(3, 1, requires_grad=True)
    y = torch.sparse.mm(m, x)
    assert "keeps mat1 = m 60 B (yours)" in explain(y, {"m": m, "x": x}, fold=False)
    on_meta = torch.ones(3, requires_grad=True, device="meta")
    assert "ExpBackward0 #1  (3,)" in explain(on_meta.exp(), {})


@pytest.mark.parametrize("library", [torch, minitorch], ids=lambda library: library.__name__)
def test_lists_of_saved_tensors_are_said_to_be_freed(library: Any):
    x = library.ones(5, requires_grad=True)
    y = x[library.tensor([1, 2])].sum()
    y.backward()
    assert "IndexBackward0 #2  (2,)  freed" in str(explain(y))


@pytest.mark.parametrize("library", [torch, minitorch], ids=lambda library: library.__name__)
def test_an_output_that_a_function_keeps_is_shown_as_kept(library: Any):
    class Exp(library.autograd.Function):  # type: ignore[misc, name-defined]
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx: Any, grad: Any) -> Any:
            return grad * ctx.saved_tensors[0]

    y = Exp.apply(library.ones(2, requires_grad=True))
    (saved,) = saved_values(y.grad_fn)
    assert (saved.name, saved.state) == ("saved_tensors[0]", KEPT)
    assert saved.value.grad_fn is y.grad_fn

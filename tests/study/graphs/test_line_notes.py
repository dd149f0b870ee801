"""lines(): which expression made a node, and that all is as before afterwards."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import minitorch
from minitorch.core.base.modes import ASSEMBLED_GLOBALS
from minitorch.core.graph.anomaly import NotedOrder
from minitorch.study.graphs.graph import graph_of
from minitorch.study.graphs.line_notes import Line, line_of, lines
from tests.docs.pages import output_of


def noted(code: str) -> list[tuple[str, int, str]]:
    """Names and lines of the nodes that lead to `y` in a program, in the order of a backward."""
    variables: dict[str, Any] = {"torch": minitorch, "lines": lines}
    output_of(code, variables)
    found = []
    for each in graph_of([variables["y"]]).operations:
        line = line_of(each.node) or Line("", 0, "")
        found.append((each.name, line.number, line.text))
    return found


START = "x = torch.ones(2, requires_grad=True)\n"


def test_each_operator_of_a_line_has_its_own_expression():
    assert noted(START + "with lines():\n    y = torch.exp(x * 2 + 1)\n") == [
        ("ExpBackward0", 3, "torch.exp(x * 2 + 1)"),
        ("AddBackward0", 3, "x * 2 + 1"),
        ("MulBackward0", 3, "x * 2"),
    ]


def test_expressions_of_several_lines_are_joined():
    code = START + "with lines():\n    y = (\n        x\n        * 2\n    )\n"
    assert noted(code) == [("MulBackward0", 4, "x * 2")]


def test_columns_count_characters():
    code = START + "with lines():\n    äöü = x; y = äöü * 2\n"
    assert noted(code) == [("MulBackward0", 3, "äöü * 2")]


def test_nodes_inside_modules_have_the_line_of_the_reader():
    code = "layer = torch.nn.Linear(2, 2)\nwith lines():\n    y = layer(torch.ones(1, 2))\n"
    assert noted(code) == [
        ("AddmmBackward0", 3, "layer(torch.ones(1, 2))"),
        ("TBackward0", 3, "layer(torch.ones(1, 2))"),
    ]


def test_functions_have_the_line_of_their_call():
    code = START + (
        "class Double(torch.autograd.Function):\n"
        "    @staticmethod\n"
        "    def forward(ctx, x):\n"
        "        return x * 2\n"
        "with lines():\n"
        "    y = Double.apply(x)\n"
    )
    assert noted(code) == [("DoubleBackward", 7, "Double.apply(x)")]


def test_nodes_made_outside_have_no_line():
    assert noted(START + "y = x * 2\nwith lines():\n    y = y + 1\n") == [
        ("AddBackward0", 4, "y + 1"),
        ("MulBackward0", 0, ""),
    ]


def test_lines_of_anomaly_mode_are_taken_where_there_are_no_notes():
    code = START + "with torch.autograd.detect_anomaly(check_nan=False):\n    y = x * 2\n"
    code = "import warnings\nwarnings.simplefilter('ignore')\n" + code
    assert noted(code) == [("MulBackward0", 5, "y = x * 2")]


def test_notes_go_together_with_anomaly_mode():
    x = minitorch.ones(2, requires_grad=True)
    minitorch.autograd.set_detect_anomaly(True)
    try:
        with lines():
            y = x * 2
    finally:
        minitorch.autograd.set_detect_anomaly(False)
    assert "traceback_" in y.grad_fn.metadata
    assert line_of(y.grad_fn).text == "x * 2"


def test_all_is_as_before_afterwards():
    before = ASSEMBLED_GLOBALS["next_order"], vars(minitorch.autograd.Function)["apply"]
    try:
        with lines(), lines():
            assert ASSEMBLED_GLOBALS["next_order"] is not before[0]
            raise KeyError
    except KeyError:
        pass
    assert ASSEMBLED_GLOBALS["next_order"] is before[0]
    assert vars(minitorch.autograd.Function)["apply"] is before[1]
    assert type((minitorch.ones(1, requires_grad=True) * 2).grad_fn.order) is int


def test_notes_keep_the_order_of_nodes():
    x = minitorch.ones(2, requires_grad=True)
    y = x * 2
    with lines():
        z = y + 1
    w = z.exp()
    assert isinstance(z.grad_fn.order, NotedOrder)
    numbers = [each.grad_fn._sequence_nr() for each in (y, z, w)]
    assert numbers == sorted(numbers)
    w.sum().backward()
    assert x.grad is not None


def test_a_program_without_source_has_line_numbers_only():
    code = (
        "import minitorch as torch\n"
        "from minitorch.study import explain, lines\n"
        "x = torch.ones(2, requires_grad=True)\n"
        "with lines():\n"
        "    y = x * 2\n"
        "print(explain(y, {}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(minitorch.__file__).parents[1],
    )
    assert "<string>:5" in done.stdout

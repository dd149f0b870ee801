"""The names of tensors: by the reader's targets, operands and parameters."""

from collections.abc import Callable

import pytest

from minitorch.study.tape.recording import BackwardEnd, Operator, Recording

Record = Callable[..., Recording]
_BEFORE = (
    "x = torch.ones(2, requires_grad=True)\nw = torch.ones(2, requires_grad=True)\n"
    "y, z = (x * w).sum(), torch.zeros(2, requires_grad=True)\n"
)


def names_of_results(tape: Recording) -> list[str | None]:
    """The names of operators' results, in their order."""
    events = [event for event in tape.events if isinstance(event, Operator)]
    return [tape.tensors[out.tensor].name for event in events for out in event.outs]


def results(tape: Recording) -> list[str | None]:
    """The names of the results of the last autograd.grad."""
    end = [event for event in tape.events if isinstance(event, BackwardEnd)][-1]
    assert end.outs is not None
    return [None if each is None else tape.tensors[each.tensor].name for each in end.outs]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("g, = torch.autograd.grad(y, x)\n", ["g"]),
        ("(g,) = torch.autograd.grad(y, x)\n", ["g"]),
        ("[g] = torch.autograd.grad(y, x)\n", ["g"]),
        ("a, b = torch.autograd.grad(y, [x, w])\n", ["a", "b"]),
        ("g = torch.autograd.grad(y, x)[0]\n", ["g"]),
        ("g = torch.autograd.grad(\n    y,\n    [x, w],\n)[1]\n", [None, "g"]),
        ("grads = torch.autograd.grad(y, [x, w])\n", ["grads[0]", "grads[1]"]),
        ("x.grad = torch.autograd.grad(y, x)[0]\n", ["x.grad"]),
        ("a, b = torch.autograd.grad(y, [x, z], allow_unused=True)\n", ["a", None]),
        ("def slope(y, x):\n    return torch.autograd.grad(y, x)[0]\ng = slope(y, x)\n", ["g"]),
        ("torch.autograd.grad(y, x)\n", [None]),
    ],
)  # fmt: skip
def test_gradients_that_are_returned_have_the_names_of_the_source(
    recorded: Record, text: str, names: list[str | None]
) -> None:
    assert results(recorded(_BEFORE + text)) == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        # Inside of a function only the last operator gives its result.
        ("def f(v):\n    return (v * v).sum()\nx = torch.ones(2)\ny = f(x)\n", ["x", None, "y"]),
        (
            "def f(v):\n    h = v * 2\n    return h + 1\nx = torch.ones(2)\ny = f(x)\n",
            ["x", "h", "y"],
        ),
        (
            "g = lambda u: (u * 2).exp()\nf = lambda v: g(v + 1)\nx = torch.ones(2)\ny = f(x)\n",
            ["x", "u", None, "y"],
        ),
        # Functions that return several tensors: no operator gives all of them, their use tells.
        (
            "def f(v):\n    return v * 2, v + 1\nx = torch.ones(2)\na, b = f(x)\n",
            ["x", None, None],
        ),
        (
            "def f(v):\n    return v * 2, v + 1\nx = torch.ones(2)\na, b = f(x)\nc = b - a\n",
            ["x", "a", "b", "c"],
        ),
        (
            "def f(v):\n    return v.unbind(0)\nx = torch.ones(2, 2)\na, b = f(x)\n",
            ["x", "a", "b"],
        ),
        ("x = torch.ones(3, 2)\na, *rest = x.unbind(0)\n", ["x", "a", None, None]),
        # Each call of a function gives a name of its own.
        (
            "def f(v):\n    h = v * 2\n    return h\nx = torch.ones(2)\ny = [f(x) for _ in '12']\n",
            ["x", "h", "h"],
        ),
    ],
)
def test_results_of_functions_have_the_name_of_the_last_operator(
    recorded: Record, text: str, names: list[str | None]
) -> None:
    assert names_of_results(recorded(text)) == names


def test_the_states_of_a_handwritten_cell_have_their_names_in_each_round(recorded: Record) -> None:
    tape = recorded(
        "w, u = torch.ones(2, 2), torch.ones(2, 2)\nh = torch.zeros(1, 2)\n"
        "xs = torch.ones(2, 1, 2)\n"
        "def cell(x, h):\n    return torch.tanh(x @ w + h @ u)\n"
        "for t in range(2):\n    h = cell(xs[t], h)\n"
    )
    step = [None, None, None, "h"]
    assert names_of_results(tape) == ["w", "u", "h", "xs", *["x", *step], *["x", *step]]


def test_the_gates_and_states_of_a_handwritten_lstm_have_their_names(recorded: Record) -> None:
    tape = recorded(
        "w = torch.ones(2, 8)\nh = c = torch.zeros(1, 2)\n"
        "class Cell(torch.nn.Module):\n    def forward(self, x, state):\n"
        "        h, c = state\n        i, f, g, o = ((x + h) @ w).chunk(4, 1)\n"
        "        c = f.sigmoid() * c + i.sigmoid() * g.tanh()\n"
        "        h = o.sigmoid() * c.tanh()\n        return h, c\n"
        "x, cell = torch.ones(1, 2), Cell()\n"
        "for t in range(2):\n    h, c = cell(x, (h, c))\n"
    )
    step = [None, None, "i", "f", "g", "o", *[None] * 5, "c", None, None, "h"]
    assert names_of_results(tape)[3:] == [*step, *step]

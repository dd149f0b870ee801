"""The cost of one operator on a tensor of nine numbers, and of its node in backward."""

from typing import Any

import numpy as np

from .measure import Case, Sampler, statement, using

LINKS = 100  # nodes of a chain


def operator(name: str, source: str, floor: str) -> list[Case]:
    """An operator on (3,3), without and with grad, beside the same by NumPy."""

    def build(torch: Any, requires_grad: bool) -> Sampler:
        torch.manual_seed(0)
        # Results of operators, as most operands are; a leaf alone would show what it costs torch
        # to make its AccumulateGrad node anew each time.
        x = torch.randn(3, 3, requires_grad=requires_grad) * 1
        y = torch.randn(3, 3, requires_grad=requires_grad) * 1
        return statement(source, x=x, y=y)

    def by_hand() -> Sampler:
        x, y = np.random.default_rng(0).standard_normal((2, 3, 3), dtype=np.float32)
        return statement(floor, x=x, y=y, np=np, add=np.add, multiply=np.multiply)

    return [
        Case(name, lambda torch: build(torch, False), floor=by_hand),
        Case(name, lambda torch: build(torch, True), floor=by_hand),
    ]


OPERATORS = [
    operator("add", "x + y", "np.add(x, y)"),
    operator("mul", "x * y", "np.multiply(x, y)"),
    operator("mul by a number", "x * 2.0", "x * 2.0"),
    operator("matmul", "x @ y", "x.dot(y)"),
    operator("exp", "x.exp()", "np.exp(x)"),
    operator("relu", "x.relu()", "np.maximum(x, 0)"),
    operator("sum", "x.sum()", "x.sum()"),
    operator("view", "x.view(9)", "x.reshape(9)"),
    operator("x[0]", "x[0]", "x[0]"),
]
FORWARD = [without for without, _ in OPERATORS]
FORWARD_WITH_GRAD = [with_grad for _, with_grad in OPERATORS]


def chain(name: str, link: Any, nodes: int = 1, factor: float = 1 / 3) -> Case:
    """Backward through LINKS nodes made by repeating `link(y, c)`, per node."""

    def build(torch: Any) -> Sampler:
        x = torch.full((3, 3), 0.5, requires_grad=True)
        c = torch.full((3, 3), factor)  # by default rows that add up to 1: products keep their size
        gradient = torch.ones(3, 3)

        def forward() -> Any:
            y = x
            for _ in range(LINKS // nodes):
                y = link(y, c)
            return y

        return using(forward, lambda y: y.backward(gradient))

    return Case(name, build, per=LINKS)


BACKWARD = [
    chain("add", lambda y, c: y + c),
    chain("mul", lambda y, c: y * c, factor=0.99),  # 1/3 would end in denormal numbers
    chain("matmul", lambda y, c: y @ c),
    chain("exp and neg", lambda y, c: (-y).exp(), nodes=2),
    chain("relu", lambda y, c: y.relu()),
    chain("view", lambda y, c: y.view(9).view(3, 3), nodes=2),
]


def scalar_graph(torch: Any) -> Sampler:
    """Forward and backward through 1000 operators on 250 scalar parameters."""
    torch.manual_seed(0)
    weights = [torch.randn((), requires_grad=True) for _ in range(125)]
    biases = [torch.randn((), requires_grad=True) for _ in range(125)]
    x = torch.tensor(0.5)

    def run() -> None:
        for leaf in weights + biases:
            leaf.grad = None
        y = x
        for _ in range(2):
            for w, b in zip(weights, biases):
                y = (y * w + b).tanh() + x
        y.backward()

    return statement("run()", run=run)


GRAPH = Case("scalar graph of 1000 operators", scalar_graph)

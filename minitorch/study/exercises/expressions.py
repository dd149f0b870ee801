"""Random expressions, and the values and gradients that the library finds for them.

An expression is a short program: leaves, then one operation a line. It runs with the reader's class
and with tensors alike, so that both can be compared line by line.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import minitorch

Operand = str | float
"""The name of an earlier value, or a number."""

NUMBERS = (-3.0, -2.5, -2.0, -1.5, -0.75, -0.5, 0.5, 0.75, 1.25, 1.5, 2.0, 2.5, 3.0)
NAMES = "abcdefghijklmnopqrstuvw"


class Leaf(NamedTuple):
    """A value that the program begins with."""

    name: str
    data: Any  # a number, or a nested list of numbers
    requires_grad: bool = True


class Step(NamedTuple):
    """An operation and the name of its result."""

    name: str
    operation: str  # a key of OPERATIONS
    operands: tuple[Operand, ...]

    def __str__(self) -> str:
        return f"{self.name} = {FORMATS[self.operation].format(*self.operands)}"


class Use(NamedTuple):
    """One of the places where a step takes a value."""

    step: Step
    position: int


OPERATIONS: dict[str, Callable[..., Any]] = {
    "+": lambda left, right: left + right,
    "*": lambda left, right: left * right,
    "**": lambda base, exponent: base**exponent,
    "sum": lambda value: value.sum(),
}
FORMATS = {"+": "{} + {}", "*": "{} * {}", "**": "{} ** {}", "sum": "{}.sum()"}


class RaisedError(Exception):
    """An exception of the reader's class, and the line of the expression that met it."""

    def __init__(self, line: str, cause: Exception) -> None:
        super().__init__(line)
        self.line = line
        self.cause = cause


class Expression(NamedTuple):
    """A program of leaves and steps; the last step is its root."""

    leaves: tuple[Leaf, ...]
    steps: tuple[Step, ...]

    @property
    def root(self) -> str:
        """The name of the result."""
        return self.steps[-1].name

    def source(self) -> str:
        """The program as the reader would write it."""
        return "\n".join([*map(leaf_line, self.leaves), *map(str, self.steps)])

    def uses(self, name: str) -> list[Use]:
        """The places where a value is taken, first ones first."""
        return [
            Use(step, position)
            for step in self.steps
            for position, operand in enumerate(step.operands)
            if operand == name
        ]

    def run(self, make: Callable[[Any, bool], Any], leaves: dict[str, Any] | None = None) -> dict:
        """Runs the program.

        Args:
            make: makes a leaf out of its numbers and whether it requires grad.
            leaves: leaves that were made before, by name; these are taken as they are.

        Returns:
            All values by name.

        Raises:
            RaisedError: `make` or an operation raised an exception.
        """
        values = dict(leaves or {})
        for leaf in self.leaves:
            if leaf.name not in values:
                with _naming(leaf_line(leaf)):
                    values[leaf.name] = make(leaf.data, leaf.requires_grad)
        for step in self.steps:
            with _naming(str(step)):
                values[step.name] = applied(step, values)
        return values


class _naming:
    """A context that raises exceptions again with the line of the expression."""

    def __init__(self, line: str) -> None:
        self.line = line

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        if isinstance(error, Exception):
            raise RaisedError(self.line, error) from error


def leaf_line(leaf: Leaf) -> str:
    """A leaf as the reader would write it."""
    data = f"numpy.array({leaf.data})" if isinstance(leaf.data, list) else leaf.data
    return f"{leaf.name} = Value({data}{', requires_grad=True' if leaf.requires_grad else ''})"


def applied(step: Step, values: dict[str, Any]) -> Any:
    """The result of one step."""
    operands = [values[x] if isinstance(x, str) else x for x in step.operands]
    return OPERATIONS[step.operation](*operands)


class Truth(NamedTuple):
    """The library's results for an expression. Arrays are float64."""

    values: dict[str, np.ndarray]
    requires_grad: dict[str, bool]
    gradients: dict[str, np.ndarray | None]
    """By name; None where no gradient arrives."""
    parts: dict[Use, np.ndarray]
    """The gradient that each use contributes."""


def truth_of(expression: Expression) -> Truth:
    """Runs an expression and its backward in the library."""
    tensors = expression.run(_leaf_tensor)
    for tensor in tensors.values():
        if tensor.requires_grad:
            tensor.retain_grad()
    root = tensors[expression.root]
    if root.requires_grad:
        root.backward()
    gradients = {name: _array(tensor.grad) for name, tensor in tensors.items()}
    parts = {}
    for step in expression.steps:
        gradient = gradients[step.name]
        if gradient is not None:
            parts.update(_parts(step, tensors, gradient))
    return Truth(
        {name: _array(tensor) for name, tensor in tensors.items()},
        {name: tensor.requires_grad for name, tensor in tensors.items()},
        gradients,
        parts,
    )


def local_derivatives(step: Step, tensors: dict[str, Any]) -> dict[Use, np.ndarray]:
    """The derivatives of one step's result with respect to each of the values that it takes."""
    return _parts(step, tensors, np.ones_like(_array(applied(step, tensors))))


def tensors_of(expression: Expression) -> dict[str, Any]:
    """The library's tensors for an expression, by name."""
    return expression.run(_leaf_tensor)


def _leaf_tensor(data: Any, requires_grad: bool) -> Any:
    return minitorch.tensor(data, dtype=minitorch.float64, requires_grad=requires_grad)


def _array(tensor: Any) -> Any:
    return None if tensor is None else tensor.detach().numpy().copy()


def _parts(step: Step, tensors: dict[str, Any], gradient: np.ndarray) -> dict[Use, np.ndarray]:
    """The contribution of each use in a step: each operand becomes a leaf of its own."""
    alone = [
        tensors[x].detach().clone().requires_grad_() if isinstance(x, str) else x
        for x in step.operands
    ]
    OPERATIONS[step.operation](*alone).backward(minitorch.tensor(gradient))
    return {
        Use(step, position): _array(alone[position].grad)
        for position, operand in enumerate(step.operands)
        if isinstance(operand, str) and tensors[operand].requires_grad
    }


class Stage(NamedTuple):
    """Expressions that ask for one thing more than those of the stage before."""

    name: str
    expressions: tuple[Expression, ...]


def program(text: str, **leaves: Any) -> Expression:
    """An expression from lines such as "c = a + b", over leaves that require grad.

    A leaf whose name ends in an underscore does not require grad.
    """
    made = tuple(Leaf(name, data, not name.endswith("_")) for name, data in leaves.items())
    return Expression(made, tuple(_step(line) for line in text.split("\n")))


def _step(line: str) -> Step:
    name, _, right = line.strip().partition(" = ")
    if right.endswith(".sum()"):
        return Step(name, "sum", (right.removesuffix(".sum()"),))
    left, operation, other = right.split()
    return Step(name, operation, (_operand(left), _operand(other)))


def _operand(text: str) -> Operand:
    return text if text[0].isalpha() else float(text)


def scalar_stages(seed: int) -> Iterator[Stage]:
    """Expressions of numbers, from single operations to random graphs; the same for each seed."""
    draw = random.Random(seed)
    a, b, c = draw.sample([x for x in NUMBERS if abs(x) != 2.0], 3)
    two, one = {"a": a, "b": b}, {"a": a}
    yield Stage(
        "one operation",
        (
            program("c = a + b", **two),
            program("c = a * b", **two),
            program("c = a ** 3", **one),
            program("c = a + 1.5", **one),
            program("c = 1.5 + a", **one),
            program("c = a * 2.5", **one),
            program("c = 2.5 * a", **one),
            program("c = a * b_", a=a, b_=b),
        ),
    )
    yield Stage(
        "a chain",
        (
            program("d = a * b\ne = d + c\nf = e ** 2", **two, c=c),
            program("c = a ** 3\nd = c * 2.5\ne = d ** 2", **one),
        ),
    )
    yield Stage(
        "a leaf with two uses",
        (
            program("c = a + b\nd = b + 1.0\ne = c * d", **two),
            program("c = a * a", **one),
            program("c = a + a", **one),
            program("c = a ** 2\nd = a ** 3\ne = c + d", **one),
        ),
    )
    yield Stage(
        "an inner value with two uses",
        (
            program("c = a * b\nd = c ** 2\ne = c + d", **two),
            program("c = a * b\nd = c ** 2\ne = d + c", **two),
            program("c = a ** 2\nd = c * c\ne = d * c\nf = e + c", **one),
            program("c = a * b\nd = c + 1.0\ne = d * c\nf = e * d\ng = c + f", **two),
        ),
    )
    yield Stage("a random graph", tuple(random_expression(draw, 3 + n // 4) for n in range(24)))


def random_expression(draw: random.Random, length: int) -> Expression:
    """A random expression of numbers, all of whose values lead to its root.

    Args:
        draw: the source of random numbers.
        length: the number of steps before the loose ends are added up.
    """
    count = draw.randint(2, 3)
    numbers = draw.sample(NUMBERS, count)
    leaves = [Leaf(NAMES[i], numbers[i], i == 0 or draw.random() < 0.8) for i in range(count)]
    names = [leaf.name for leaf in leaves]
    steps: list[Step] = []

    def append(operation: str, *operands: Operand) -> None:
        steps.append(Step(NAMES[count + len(steps)], operation, operands))
        names.append(steps[-1].name)

    for _ in range(length):
        operation = draw.choice(("+", "+", "*", "*", "**"))
        first = draw.choice(names[-4:])
        if operation == "**":
            append(operation, first, draw.choice((2.0, 3.0)))
        elif draw.random() < 0.2:
            append(operation, *draw.sample([first, draw.choice(NUMBERS)], 2))
        else:
            append(operation, first, draw.choice(names[-4:]))
    used = {operand for step in steps for operand in step.operands}
    for loose in [name for name in names if name not in used][:-1]:
        append("+", names[-1], loose)
    return Expression(tuple(leaves), tuple(steps))


def array_stages(seed: int) -> Iterator[Stage]:
    """Expressions of arrays: equal shapes, broadcasting, shared values; the same for each seed."""
    draw = random.Random(seed)

    def array(*shape: int) -> Any:
        if not shape:
            return draw.choice(NUMBERS)
        return [array(*shape[1:]) for _ in range(shape[0])]

    def pair(operation: str, left: tuple[int, ...], right: tuple[int, ...]) -> Expression:
        text = f"c = a {operation} b\nd = c * c\ne = d.sum()"
        return program(text, a=array(*left), b=array(*right))

    yield Stage(
        "equal shapes",
        (
            program("b = a.sum()", a=array(3)),
            pair("+", (3,), (3,)),
            pair("*", (2, 3), (2, 3)),
            program("c = a ** 2\nd = c.sum()", a=array(4)),
        ),
    )
    shapes = [((2, 3), (3,)), ((2, 3), (2, 1)), ((2, 1), (3,)), ((2, 3), ()), ((), (3,))]
    yield Stage(
        "broadcasting",
        tuple(pair(operation, *shape) for shape in shapes for operation in "+*")
        + (pair("+", (1, 3), (2, 3)), pair("*", (2, 1, 3), (4, 1)), pair("+", (1, 1), (1,))),
    )
    shared = [
        "c = a * 3.0\nd = a + b\ne = d + c\nf = e.sum()",
        "d = a + b\nc = a * 3.0\ne = c + d\nf = e.sum()",
        "c = a + b\nd = c + a\ne = c * d\nf = e.sum()",
        "c = a + b\nd = c + b\ne = c + d\nf = e * e\ng = f.sum()",
        "c = a + a\nd = c + c\ne = d * c\nf = e.sum()",
    ]
    yield Stage(
        "values with two uses",
        tuple(program(text, a=array(2, 3), b=array(2, 3)) for text in shared[:4])
        + (program(shared[4], a=array(3)),),
    )
    yield Stage(
        "broadcast values with two uses",
        tuple(
            program(text, a=array(2, 3), b=array(*shape))
            for text in shared[:4]
            for shape in ((3,), (2, 1), ())
        ),
    )

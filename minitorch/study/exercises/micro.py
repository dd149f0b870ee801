"""Micro autograd in five steps: what the reader is asked for, and a checker for each.

Every checker runs the reader's class on random expressions and compares it with the library value
by value. It stops at the first wrong one, of the shortest expression, and says what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import expressions
from .expressions import Expression, RaisedError, Step, Truth, Use, truth_of
from .gradient_mistakes import gradient_mistake
from .verdict import WrongAnswer, enumeration, number

SEED = 2
LONG = 5_000  # values in a chain: more than Python's stack has frames
PATIENCE = 50  # looks at a node's inputs, before a walk counts as one of every path

STATEMENTS = {
    "value and graph": """\
Write a class `Value(data, requires_grad=False)` that remembers how it was made.
`data` is a number. `a + b`, `a * b` and `a ** 3` make a new Value with
  .data           the result,
  .inputs         a tuple of the Values it was made from, in order, `()` for a leaf,
  .operation      "+", "*" or "**", and "" for a leaf,
  .requires_grad  True if any of its inputs requires grad,
  .grad           None, for now.
Numbers may stand on either side of + and *: they become Values. The exponent stays a number.""",
    "local derivatives": """\
Give each Value `.local`: a tuple of numbers, the derivative of its data with respect to the data
of each of its inputs, in the order of `.inputs`. `()` for a leaf. It is worked out when the Value
is made.""",
    "order of the walk": """\
Write `order(root)`: a list of `root` and all that it was made from. Each value is in it once, and
after all the values that use it, for only then its gradient is complete. Values have `.inputs`, as
before. A chain of 5,000 values has to work too.""",
    "accumulation": """\
Give Value `backward()`. It sets `.grad` of every value that requires grad and that the walk
reaches, the root's to 1.0. A value passes its gradient times `.local` on to its inputs; what
arrives from several uses is added up. A second backward adds to the `.grad` of leaves. Inner values
begin each walk with none.""",
    "broadcasting": """\
Let `data` be a NumPy array too, of float64. `+` and `*` broadcast as NumPy does, and `.sum()`
(operation "sum") makes a single number, from which backward starts. A `.grad` has the shape of its
`.data`: where a dimension was repeated, the gradient is summed over it.""",
}

SKELETONS = {
    "value and graph": """\
class Value:
    def __init__(self, data, requires_grad=False, inputs=(), operation=""):
        self.data = data
        self.requires_grad = requires_grad
        self.inputs = inputs
        self.operation = operation
        self.grad = None

    def __add__(self, other):
        ...  # a Value

    def __mul__(self, other):
        ...

    def __pow__(self, exponent):
        ...

    def __radd__(self, other):  # 1.5 + a
        ...

    def __rmul__(self, other):  # 2.5 * a
        ...""",
    "local derivatives": """\
# In Value.__init__, one more argument: local=(). Then, as in
    def __add__(self, other):
        ...  # Value(..., local=(1.0, 1.0))""",
    "order of the walk": """\
def order(root):
    ...  # a list""",
    "accumulation": """\
# In Value:
    def backward(self):
        for value in order(self):
            ...""",
    "broadcasting": """\
def summed_to(gradient, shape):
    ...  # the gradient, summed over each dimension in which `shape` was repeated

# In Value:
    def sum(self):
        ...""",
}


class Run(NamedTuple):
    """An expression, what the library finds for it, and the reader's values."""

    stage: str
    expression: Expression
    truth: Truth
    values: dict[str, Any]


def check_value(value_class: Callable[..., Any]) -> str:
    """Step 1: values, their inputs and whether they require grad."""
    count = 0
    for run in _runs(value_class, expressions.scalar_stages(SEED)):
        _, expression, truth, values = run
        for leaf in expression.leaves:
            _compare_node(expression, truth, values, leaf.name, "", ())
        for step in expression.steps:
            _compare_node(expression, truth, values, step.name, step.operation, step.operands)
        count += len(values)
    return f"{count} values are as the library's, and so are their inputs."


def _compare_node(
    expression: Expression,
    truth: Truth,
    values: dict[str, Any],
    name: str,
    operation: str,
    operands: Sequence[expressions.Operand],
) -> None:
    """Compares one value of step 1 with the library's."""

    def wrong(text: str) -> WrongAnswer:
        return WrongAnswer(text, expression.source(), name)

    value = values[name]
    for attribute in ("data", "inputs", "operation", "requires_grad", "grad"):
        if not hasattr(value, attribute):
            raise wrong(f"{name} has no attribute .{attribute}: it is a {type(value).__name__}.")
    right = truth.values[name]
    if not is_close(value.data, right):
        raise wrong(f"{name}.data is {number(value.data)}, and {number(right)} is right.")
    if value.operation != operation:
        raise wrong(f"{name}.operation is {value.operation!r}, and {operation!r} is right.")
    if bool(value.requires_grad) != truth.requires_grad[name]:
        rule = "a result requires grad if any of its inputs does"
        raise wrong(
            f"{name}.requires_grad is {value.requires_grad}: "
            + (rule if operands else "a leaf has what it was made with")
            + "."
        )
    if value.grad is not None:
        raise wrong(f"{name}.grad is {number(value.grad)} before any backward; it has to be None.")
    expected = operands[:1] if operation == "**" else operands
    inputs = value.inputs
    if not isinstance(inputs, tuple) or len(inputs) != len(expected):
        raise wrong(
            f"{name}.inputs has to be a tuple of {len(expected)}, one for each time that a value "
            f"is used; yours is {_size(inputs)}."
        )
    pairs = list(zip(inputs, expected))
    if operands and not isinstance(operands[0], str):  # 1.5 + a may be a + 1.5
        pairs.sort(key=lambda pair: pair[0] is not values[operands[1]])
        pairs = list(zip([pair[0] for pair in pairs], [operands[1], operands[0]]))
    for place, (found, operand) in enumerate(pairs):
        if isinstance(operand, str):
            if found is not values[operand]:
                raise wrong(f"{name}.inputs[{place}] is not {operand} itself.")
        elif not is_close(getattr(found, "data", None), operand):
            raise wrong(f"{name}.inputs holds no Value of the number {number(operand)}.")


def _size(inputs: Any) -> str:
    kind = type(inputs).__name__
    return f"a {kind} of {len(inputs)}" if hasattr(inputs, "__len__") else f"a {kind}"


def check_local(value_class: Callable[..., Any]) -> str:
    """Step 2: the derivative of each operation with respect to each of its inputs."""
    count = 0
    for run in _runs(value_class, expressions.scalar_stages(SEED)):
        _, expression, truth, values = run
        tensors = expressions.tensors_of(expression)
        for step in expression.steps:
            right = expressions.local_derivatives(step, tensors)
            _compare_local(expression, truth, values, step, right)
            count += len(right)
    return f"{count} local derivatives are as the library's."


def _compare_local(
    expression: Expression,
    truth: Truth,
    values: dict[str, Any],
    step: Step,
    right: dict[Use, np.ndarray],
) -> None:
    value = values[step.name]
    local, inputs = getattr(value, "local", None), value.inputs
    if not isinstance(local, tuple) or len(local) != len(inputs):
        raise WrongAnswer(
            f"{step.name}.local has to be a tuple of {len(inputs)}, as {step.name}.inputs is; "
            f"yours is {local!r}.",
            expression.source(),
            step.name,
        )
    for use, derivative in right.items():
        operand = step.operands[use.position]
        place = _input_place(inputs, values[operand], use.position)
        if place is None or not is_close(local[place], derivative):
            mine = "missing" if place is None else number(local[place])
            at = enumeration(
                [f"{x} = {number(truth.values[x])}" for x in dict.fromkeys(step.operands)
                 if isinstance(x, str)]
            )  # fmt: skip
            raise WrongAnswer(
                f"The derivative of {step} with respect to {operand} is {mine}, and "
                f"{number(derivative)} is right, with {at}.",
                expression.source(),
                step.name,
            )


def _input_place(inputs: Sequence[Any], value: Any, position: int) -> int | None:
    """The reader's position of an operand: its own, or another after 1.5 + a; None if nowhere."""
    if position < len(inputs) and inputs[position] is value:
        return position
    return next((i for i, found in enumerate(inputs) if found is value), None)


class Node:
    """A value of step 3: a name and inputs. Counts how often its inputs were looked at."""

    def __init__(self, name: str, inputs: tuple[Node, ...] = ()) -> None:
        self.name = name
        self.looks = 0
        self._inputs = inputs

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The nodes that this one was made from."""
        self.looks += 1
        if self.looks > PATIENCE:
            raise WrongAnswer(
                f"The inputs of {self.name} were looked at {self.looks} times: your walk follows "
                "every path, and their number doubles with each value. Go into each value once.",
            )
        return self._inputs

    def __repr__(self) -> str:
        return self.name


class Walk(NamedTuple):
    """A graph for step 3: its nodes by name, its root and its program."""

    nodes: dict[str, Node]
    root: Node
    source: str


def walks() -> Iterator[Walk]:
    """The graphs of step 3: the expressions' own, many paths, and a long chain."""
    for stage in expressions.scalar_stages(SEED):
        for expression in stage.expressions:
            nodes = {leaf.name: Node(leaf.name) for leaf in expression.leaves}
            for step in expression.steps:
                inputs = tuple(nodes[x] for x in step.operands if isinstance(x, str))
                nodes[step.name] = Node(step.name, inputs)
            yield Walk(nodes, nodes[expression.root], expression.source())
    yield _chain("a{} = a{} + a{}", 60, 2)
    yield _chain("a{} = a{} * 2", LONG, 1)


def _chain(line: str, length: int, uses: int) -> Walk:
    nodes = [Node("a0")]
    for number_ in range(1, length):
        nodes.append(Node(f"a{number_}", (nodes[-1],) * uses))
    few = [line.format(n, n - 1, n - 1) for n in (1, 2)]
    source = "\n".join(["a0 = Value(1.0)", *few, f"...  # up to a{length - 1}"])
    return Walk({node.name: node for node in nodes}, nodes[-1], source)


def check_order(order: Callable[[Any], Any]) -> str:
    """Step 3: each value once, and after all that use it."""
    count = 0
    for walk in walks():
        try:
            found = list(order(walk.root))
        except RecursionError:
            raise WrongAnswer(
                f"order(root) raised RecursionError on a graph of {len(walk.nodes):,} values: "
                "a function that calls itself goes as deep as the graph. Keep a list of your own.",
                walk.source,
            ) from None
        except WrongAnswer as error:
            raise WrongAnswer(error.text, walk.source) from None
        except Exception as error:
            raise WrongAnswer(f"order(root) raised {_sentence(error)}", walk.source) from error
        _compare_order(walk, found)
        count += 1
    return f"{count} graphs are walked in a right order."


def _compare_order(walk: Walk, found: list[Any]) -> None:
    def wrong(text: str, name: str = "") -> WrongAnswer:
        has_line = "..." not in walk.source  # of a long chain only the first lines are shown
        return WrongAnswer(text, walk.source, name if has_line else "")

    users: dict[str, list[Node]] = {name: [] for name in walk.nodes}
    for node in walk.nodes.values():
        for used in node._inputs:
            users[used.name].append(node)
    seen: set[str] = set()
    for node in found:
        if not isinstance(node, Node) or walk.nodes.get(node.name) is not node:
            raise wrong(f"The list holds {node!r}, which is no value of this graph.")
        if node.name in seen:
            raise wrong(
                f"{node.name} is in the list twice; it may pass its gradient on once.", node.name
            )
        early = [user.name for user in users[node.name] if user.name not in seen]
        if early:
            raise wrong(
                f"{node.name} is in the list before {early[0]}, which uses it: its gradient is "
                "not complete yet.",
                node.name,
            )
        seen.add(node.name)
    missing = [name for name in walk.nodes if name not in seen]
    if missing:
        raise wrong(f"{missing[-1]} is missing from the list.", missing[-1])


def check_backward(value_class: Callable[..., Any]) -> str:
    """Step 4: gradients of numbers, added up over uses and over backwards."""
    return _check_gradients(value_class, expressions.scalar_stages(SEED))


def check_broadcasting(value_class: Callable[..., Any]) -> str:
    """Step 5: gradients of arrays, summed where they were broadcast."""

    def make(data: Any, requires_grad: bool) -> Any:
        return value_class(np.array(data), requires_grad=requires_grad)

    return _check_gradients(make, expressions.array_stages(SEED))


def _check_gradients(make: Callable[..., Any], stages: Iterator[expressions.Stage]) -> str:
    """Compares the gradients of all values after one backward, then those of leaves after more."""
    runs = [run for run in _runs(make, stages) if run.truth.requires_grad[run.expression.root]]
    for run in runs:
        _compare_values(run)
        _go_backward(run.values[run.expression.root], run.expression)
        _compare_gradients(run)
        _compare_data(run)
    for run in runs:
        _compare_more_backwards(make, run)
    count = sum(len(run.values) for run in runs)
    return f"{count} gradients are as the library's, after one backward and after three."


def _go_backward(root: Any, expression: Expression, line: str = "") -> None:
    line = line or f"{expression.root}.backward()"
    try:
        root.backward()
    except Exception as error:
        text = f"{line} raised {_sentence(error)}"
        lines = f"{expression.source()}\n{line}"
        raise WrongAnswer(text, lines, expression.root) from error


def _compare_gradients(run: Run) -> None:
    """Looks at gradients as the walk does, from the root on: the first wrong one has the cause."""
    stage, expression, truth, values = run
    names = [step.name for step in reversed(expression.steps)]
    names += [leaf.name for leaf in expression.leaves]
    mine = {name: getattr(values[name], "grad", None) for name in names}
    for name in names:
        if not is_equal(mine[name], truth.gradients[name], _size_of_parts(expression, truth, name)):
            text = gradient_mistake(name, mine, stage, expression, truth)
            lines = f"{expression.source()}\n{expression.root}.backward()"
            raise WrongAnswer(text, lines, name)


def _compare_values(run: Run) -> None:
    _, expression, truth, values = run
    for name, right in truth.values.items():
        data = getattr(values[name], "data", None)
        if not is_equal(data, right):
            raise WrongAnswer(
                f"{name}.data is {number(data)}, and {number(right)} is right.",
                expression.source(),
                name,
            )


def _compare_data(run: Run) -> None:
    _, expression, truth, values = run
    for name, right in truth.values.items():
        if not is_equal(values[name].data, right):
            raise WrongAnswer(
                f"backward() wrote into {name}.data, for a gradient shares its memory: "
                f"it was {number(right)}.",
                f"{expression.source()}\n{expression.root}.backward()",
                name,
            )


def _compare_more_backwards(make: Callable[..., Any], run: Run) -> None:
    """Goes backward a second time through the graph, then through a new one of the same leaves."""
    _, expression, truth, values = run
    leaves = {leaf.name: values[leaf.name] for leaf in expression.leaves}
    lines = f"{expression.source()}\n{expression.root}.backward()"
    _go_backward(values[expression.root], expression, f"{expression.root}.backward()")
    lines += f"\n{expression.root}.backward()"
    _compare_leaves(leaves, truth, 2, lines, "the same graph")
    again = expression.run(make, leaves)
    _go_backward(again[expression.root], expression)
    new = "\n".join(map(str, expression.steps))
    lines += f"\n{new}\n{expression.root}.backward()"
    _compare_leaves(leaves, truth, 3, lines, "a new graph of the same leaves")


def _compare_leaves(
    leaves: dict[str, Any], truth: Truth, times: int, lines: str, graph: str
) -> None:
    for name, leaf in leaves.items():
        right = truth.gradients[name]
        if right is None or is_equal(leaf.grad, times * right):
            continue
        before, after = number((times - 1) * right), number(times * right)
        if is_equal(leaf.grad, right):
            cause = "A backward has to add to what is there."
        elif graph == "the same graph":
            cause = "Did inner values begin the second walk with the gradients of the first?"
        else:
            cause = "Did the first backward leave an array that is now written into?"
        raise WrongAnswer(
            f"{name}.grad was {before}; after another backward, through {graph}, it is "
            f"{number(leaf.grad)}, and {after} is right. {cause}",
            lines,
            name,
        )


def _size_of_parts(expression: Expression, truth: Truth, name: str) -> float:
    """The size of the parts of a gradient: rounding is judged against them, not their sum."""
    parts = [truth.parts[use] for use in expression.uses(name) if use in truth.parts]
    return max((float(np.max(np.abs(part))) for part in parts), default=0.0)


def is_close(mine: Any, right: Any) -> bool:
    """Whether a number equals the library's but for rounding."""
    return isinstance(mine, int | float | np.ndarray | np.number) and is_equal(mine, right)


def is_equal(mine: Any, right: Any, size: float = 0.0) -> bool:
    """Whether two arrays have one shape and equal numbers but for rounding; None equals None."""
    if mine is None or right is None:
        return mine is None and right is None
    try:
        mine = np.asarray(mine, dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return mine.shape == np.shape(right) and np.allclose(mine, right, 1e-9, 1e-9 * (size + 1e-3))


def _sentence(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error).rstrip('.')}."


def _values(make: Callable[..., Any], expression: Expression) -> dict[str, Any]:
    """The reader's values. Raises WrongAnswer where the class raises an exception."""
    try:
        return expression.run(make)
    except RaisedError as error:
        text = f"{error.line} raised {_sentence(error.cause)}"
        value = error.line.partition(" = ")[0]
        raise WrongAnswer(text, expression.source(), value) from error


def _runs(make: Callable[..., Any], stages: Iterator[expressions.Stage]) -> Iterator[Run]:
    """Each expression with what the library finds and with the reader's values."""
    for stage in stages:
        for expression in stage.expressions:
            yield Run(stage.name, expression, truth_of(expression), _values(make, expression))

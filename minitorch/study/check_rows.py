"""Twenty-one things that readers are shown: for each a small program, and checks of its results.

A program is recorded in either library. Its check looks at the recording, at the variables that the
program leaves behind, and at what the tools say about both.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from minitorch import study
from minitorch.study import page
from minitorch.study.exercises import check as check_answer
from minitorch.study.tape.recording import Accumulation, NodeRun, Operator, Recording


class Failed(Exception):
    """Raised by a check, with the value that it expects and the value that it finds."""


class Run(NamedTuple):
    """A program that ran.

    library: the top module of the library.
    tape: its recording.
    names: its variables.
    folder: where a check may write files.
    """

    library: Any
    tape: Recording
    names: dict[str, Any]
    folder: Path

    def tensor(self, name: str) -> int:
        """The number of the tensor of that name; the last one if there are several."""
        found = [i for i, each in enumerate(self.tape.tensors) if each.name == name]
        expect(found, f"a tensor called {name}")
        return found[-1]

    def events(self, kind: type) -> list[Any]:
        """The events of a kind, in order."""
        return [event for event in self.tape.events if type(event) is kind]

    def numbers(self, value: int | None) -> Any:
        """The numbers of a value as nested lists."""
        expect(value is not None, "a value")
        return self.tape.values[value].array.tolist()

    def node_name(self, number: int) -> str:
        """The name of a node."""
        return self.tape.nodes[number].name


class Row(NamedTuple):
    """One thing that is shown."""

    title: str
    program: str
    check: Callable[[Run], None]


ROWS: list[Row] = []


def shows(title: str, program: str) -> Callable[[Callable[[Run], None]], Callable[[Run], None]]:
    """Adds a row: the function below checks the program's results."""

    def add(check: Callable[[Run], None]) -> Callable[[Run], None]:
        ROWS.append(Row(title, program, check))
        return check

    return add


def expect(condition: Any, what: str) -> None:
    """Raises Failed unless the condition holds."""
    if not condition:
        raise Failed(f"expected {what}")


def expect_equal(found: Any, right: Any, what: str) -> None:
    """Raises Failed unless both are equal."""
    if found != right:
        raise Failed(f"{what}: {found!r}, expected {right!r}")


def expect_text(text: Any, *pieces: str) -> None:
    """Raises Failed unless each piece stands in the text."""
    for piece in pieces:
        if piece not in str(text):
            raise Failed(f"expected {piece!r} in {str(text)!r:.300}")


TWO_STEPS = """
tensor1 = torch.tensor([3.0], requires_grad=True)
tensor2 = torch.tensor([4.0], requires_grad=True)
tensor3 = tensor1 + tensor2
tensor4 = tensor3 * 2
tensor4.backward(retain_graph=True)
"""


@shows("tensors: value, gradient, grad_fn, leaf", TWO_STEPS)
def _tensors(run: Run) -> None:
    made = {run.tape.name_of(e.outs[0].tensor): e for e in run.events(Operator) if e.fn[0]}
    for name, number, node in (("tensor3", 7.0, "AddBackward0"), ("tensor4", 14.0, "MulBackward0")):
        expect_equal(run.numbers(made[name].outs[0].value), [number], f"the value of {name}")
        expect_equal(run.node_name(made[name].fn[0].node), node, f"the grad_fn of {name}")
    about = {name: run.tape.tensors[run.tensor(name)].leaf for name in ("tensor1", "tensor3")}
    expect_equal(about, {"tensor1": True, "tensor3": False}, "leaves")
    expect_text(study.why("tensor3", tape=run.tape), "tensor3.grad is None", "leaf")


@shows("the backward as an animation, from 1.0 at the root to the leaves", TWO_STEPS)
def _animation(run: Run) -> None:
    steps = [
        (run.node_name(e.node), run.numbers(e.into[0]), run.numbers(e.out_of[0]))
        for e in run.events(NodeRun)
    ]
    right = [("MulBackward0", [1.0], [2.0]), ("AddBackward0", [2.0], [2.0])]
    expect_equal(steps, right, "the steps of the backward")
    totals = [run.numbers(e.total) for e in run.events(Accumulation)]
    expect_equal(totals, [[2.0], [2.0]], "the gradients of the leaves")
    path = run.folder / "backward.svg"
    study.animate(run.names["tensor4"], path, names=run.names)
    picture = path.read_text(encoding="utf-8")
    expect_text(picture, "@keyframes", "MulBackward0", "tensor1")
    expect("<script" not in picture, "a picture without scripts")


TWO_SUMS = """
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a + b
d = b + 1
y = c * d
y.backward(retain_graph=True)
"""


@shows("grad_fn and next_functions, as a tree", TWO_SUMS)
def _tree(run: Run) -> None:
    text = str(study.explain(run.names["y"], names=run.names))
    names = re.findall(r"(\w+Backward0) #(\d)", text)
    right = [("MulBackward0", "1"), ("AddBackward0", "3"), ("AddBackward0", "2")]
    expect_equal(names, right, "the nodes")
    expect_text(text, "a ()", "b ()", "3 nodes, 2 leaves")


SHARED = """
x = torch.tensor(2.0, requires_grad=True)
w = torch.tensor(3.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)
z = w * x
y = z + b
loss = y**2 + x * z
loss.backward(retain_graph=True)
"""


@shows("a value with several uses: sums over paths", SHARED)
def _paths(run: Run) -> None:
    x, loss = run.names["x"], run.names["loss"]
    verdict = check_answer("paths", [[1, 14, 1, 3], [1, 6], [1, 2, 3]], of=loss, wrt=x)
    expect_text(verdict, "42 + 6 + 6 = 54")
    uses = [e for e in run.events(Operator) if run.tensor("x") in e.ins]
    expect_equal(len(uses), 2, "the uses of x")
    (added,) = [e for e in run.events(Accumulation) if e.leaf == run.tensor("x")]
    expect_equal(run.numbers(added.total), 54.0, "the gradient of x")


@shows(
    "models: the nodes of a Linear, and a picture of them",
    """
model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
output = model(torch.tensor([[0.5, 0.3]]))
""",
)
def _models(run: Run) -> None:
    model, output = run.names["model"], run.names["output"]
    names = {
        "output": ("AddmmBackward0", ["b2", "r", "t2"]),
        "t2": ("TBackward0", ["w2"]),
        "r": ("ReluBackward0", ["h"]),
        "h": ("AddmmBackward0", ["b1", "t1"]),
        "t1": ("TBackward0", ["w1"]),
    }
    expect_text(check_answer("graph", names, of=output), "right")
    picture = study.make_dot(output, params=dict(model.named_parameters()))
    expect_text(picture.source, "digraph", "AddmmBackward0", "TBackward0", "0.weight")
    expect_text(picture.svg, "<svg", "Addmm")
    modules = [e.module[-1] for e in run.events(Operator) if e.module]
    expect_equal(modules, ["0:Linear", "1:ReLU", "2:Linear"], "modules")


@shows(
    "dynamic graphs: another branch, another graph",
    """
a = torch.tensor(2.0, requires_grad=True)
for squared in (True, False):
    result = a * a if squared else a + a
    result.backward()
""",
)
def _dynamic(run: Run) -> None:
    graphs = run.tape.graphs()
    names = [[run.node_name(node) for node in graph.nodes] for graph in graphs]
    expect_equal(names, [["MulBackward0"], ["AddBackward0"]], "the graphs")
    rounds = [run.tape.rounds_of(graph.first)[-1][1] for graph in graphs]
    expect_equal(rounds, [0, 1], "the rounds of the loop")


@shows(
    "detach, no_grad, and how requires_grad spreads",
    """
x = torch.tensor([2.0, 3.0])
first = torch.tensor([1.0, 2.0], requires_grad=True)
second = torch.tensor([1.0, 2.0], requires_grad=True)
third = torch.tensor([1.0, 2.0], requires_grad=True)
cut = (first * x).detach()
with torch.no_grad():
    unseen = second * x
result = cut + unseen + third
result.sum().backward()
""",
)
def _ends(run: Run) -> None:
    expect_text(study.why("first", tape=run.tape), "None", "detach", "line 6")
    expect_text(study.why("second", tape=run.tape), "None", "no_grad", "line 8")
    made = {run.tape.name_of(e.outs[0].tensor): e for e in run.events(Operator)}
    spread = {name: made[name].requires_grad[0] for name in ("cut", "unseen", "result")}
    expect_equal(spread, {"cut": False, "unseen": False, "result": True}, "requires_grad")
    expect_equal(made["unseen"].grad_mode, False, "grad mode")


@shows(
    "retain_graph: what a backward lets go of, and the error of a second",
    """
x = torch.tensor(2.0, requires_grad=True)
y = x.exp()
y.backward(retain_graph=True)
y.backward()
error = None
try:
    y.backward()
except RuntimeError as caught:
    error = caught
""",
)
def _second_backward(run: Run) -> None:
    kept = [e.keep for e in run.tape.events if e.kind == "backward"]
    expect_equal(kept[:2], [True, False], "whether the graph is kept")
    expect_text(study.why(run.names["error"], tape=run.tape), "line 5", "retain_graph=True")
    expect_text(study.explain(run.names["y"], names=run.names), "freed")


@shows(
    "the training loop: zero_grad, backward, step",
    """
torch.manual_seed(0)
model = torch.nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x, target = torch.randn(10, 2), torch.randn(10, 1)
for epoch in range(3):
    loss = torch.nn.functional.mse_loss(model(x), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"Epoch {epoch + 1}")
""",
)
def _training(run: Run) -> None:
    kinds = [e.kind for e in run.tape.events if e.kind in ("zero", "backward", "update")]
    right = ["zero", "backward", "update"] * 3
    expect_equal(kinds, right[1:], "the steps of training")  # the first zero_grad finds nothing
    update = next(e for e in run.tape.events if e.kind == "update")
    expect_equal((update.name, len(update.params)), ("SGD", 2), "the update")
    change = update.params[0]
    expect(run.numbers(change.before) != run.numbers(change.after), "a parameter that moved")
    printed = "".join(e.out or "" for e in run.tape.events)
    expect_equal(printed, "Epoch 1\nEpoch 2\nEpoch 3\n", "what was printed")


@shows(
    "memory that is let go layer by layer",
    """
w = torch.ones(16, 16, requires_grad=True)
h = torch.ones(8, 16)
for layer in range(3):
    h = torch.tanh(h @ w)
loss = h.sum()
del h
loss.backward()
""",
)
def _memory(run: Run) -> None:
    events = run.tape.events
    backward = next(i for i, e in enumerate(events) if e.kind == "backward")
    tanhs = [n for n in run.tape.nodes if n.name == "TanhBackward0"]
    expect_equal(len(tanhs), 3, "TanhBackward0 nodes")
    deaths = [run.tape.storages[n.saved[0].storage].died for n in reversed(tanhs)]
    expect(all(death is not None and death > backward for death in deaths), "deaths in backward")
    expect_equal(deaths, sorted(deaths), "the order in which results are freed")
    expect_equal(len(set(deaths)), 3, "different times of their deaths")
    report = study.memory(run.tape)
    expect_equal(report.kept, 3 * 8 * 16 * 4, "bytes kept")
    expect(report.peak and report.peak.bytes > report.kept, "a peak above what is kept")


@shows(
    "Functions of the reader's own, and what they save",
    """
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x * grad_output


x = torch.tensor([1.0, -2.0], requires_grad=True)
y = Square.apply(x)
y.sum().backward()
""",
)
def _functions(run: Run) -> None:
    (node,) = [n for n in run.tape.nodes if n.name == "SquareBackward"]
    expect_equal([s.tensor for s in node.saved], [run.tensor("x")], "what the Function keeps")
    lines = {run.tape.place_of(i).line for i, e in enumerate(run.tape.events) if e.kind == "op"}
    expect(11 in lines, "the line of its backward")
    (added,) = run.events(Accumulation)
    expect_equal(run.numbers(added.total), [2.0, -4.0], "the gradient of x")


TAPE = """
x = torch.tensor(2.0, requires_grad=True)
w = torch.tensor(3.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)
t1 = x * w
t2 = t1 + b
y = t2**2
y.backward()
"""


@shows("the tape: line, operation, inputs, output", TAPE)
def _tape(run: Run) -> None:
    name_of = run.tape.name_of
    tape = [
        (
            run.tape.place_of(i).expression,
            [name_of(each) for each in e.ins],
            name_of(e.outs[0].tensor),
            run.numbers(e.outs[0].value),
        )
        for i, e in enumerate(run.tape.events)
        if e.kind == "op" and e.fn[0] is not None
    ]
    right = [
        ("x * w", ["x", "w"], "t1", 6.0),
        ("t1 + b", ["t1", "b"], "t2", 7.0),
        ("t2**2", ["t2"], "y", 49.0),
    ]
    expect_equal(tape, right, "the tape")


@shows("stepping: every step of forward and backward on one page", TAPE)
def _stepping(run: Run) -> None:
    path = run.folder / "page.html"
    run.tape.save(path)
    text = path.read_text(encoding="utf-8")
    expect_text(text, "<html", "Content-Security-Policy", "<noscript")
    expect_equal(study.load(path).to_json(), run.tape.to_json(), "the recording in the page")
    kinds = [e.kind for e in run.tape.events]
    expect_equal(kinds.count("node"), 3, "steps of the backward")
    expect_equal(kinds.count("accumulate"), 3, "leaves that are reached")


@shows(
    "the chain rule in a chain, over paths, through a layer",
    """
x = torch.tensor(0.5, requires_grad=True)
chain = torch.sin(x**2)
chain.backward(retain_graph=True)
v = torch.tensor(2.0, requires_grad=True)
paths = v**2 + v**3
w = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
layer = torch.relu(torch.tensor([[1.0, -1.0]]) @ w).sum()
""",
)
def _chain(run: Run) -> None:
    names = run.names
    factors = [run.numbers(e.out_of[0]) for e in run.events(NodeRun)]
    expect_text(
        check_answer("numbers", {"factors": factors}, right={"factors": [0.968912, 0.968912]}),
        "right",
    )
    verdict = check_answer("paths", [[1, 4], [1, 12]], of=names["paths"], wrt=names["v"])
    expect_text(verdict, "4 + 12 = 16")
    zeros = check_answer(
        "gradients", {"w": [[0, 0], [0, 0]]}, of=names["layer"], wrt={"w": names["w"]}
    )
    expect_text(zeros, "right")


@shows(
    "gates: who distributes, swaps, routes, accumulates, gates",
    """
x = torch.tensor(3.0, requires_grad=True)
y = torch.tensor(-4.0, requires_grad=True)
added = x + y
multiplied = x * y
largest = torch.maximum(x, y)
rectified = torch.relu(x)
gradients = torch.autograd.grad(largest, (x, y))
""",
)
def _gates(run: Run) -> None:
    tags = {
        name: study.rule_of(run.names[name].grad_fn).tag
        for name in ("added", "multiplied", "largest", "rectified")
    }
    right = {
        "added": "distributes",
        "multiplied": "swaps",
        "largest": "routes",
        "rectified": "gates",
    }
    expect_equal(tags, right, "the tags")
    expect_equal(study.rule_of("AccumulateGrad").tag, "accumulates", "the tag of a leaf")
    expect_equal([g.item() for g in run.names["gradients"]], [1.0, 0.0], "what maximum routes")


@shows(
    "dead ReLU",
    """
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(3, 6), torch.nn.ReLU(), torch.nn.Linear(6, 1))
with torch.no_grad():
    model[0].bias.fill_(2.0)[2] = -50.0
loss = model(torch.randn(16, 3)).mean()
loss.backward()
""",
)
def _dead(run: Run) -> None:
    report = study.gradients(run.tape)
    expect_equal([each.text for each in report.dead], ["1 of 6 units dead"], "dead units")
    expect_text(report, "1 of 6 units dead")


@shows(
    "accumulation over backwards: 6 + 27 = 33",
    """
x = torch.tensor(3.0, requires_grad=True)
(x**2).backward()
(x**3).backward()
x.grad.zero_()
(x**2).backward()
""",
)
def _accumulation(run: Run) -> None:
    steps = [(run.numbers(e.into[0]), run.numbers(e.total)) for e in run.events(Accumulation)]
    expect_equal(steps, [(6.0, 6.0), (27.0, 33.0), (6.0, 6.0)], "what arrives, and the sum")


@shows("annotated code, and questions before the answers", TAPE)
def _annotations(run: Run) -> None:
    lines = {run.tape.place_of(i).line for i, e in enumerate(run.tape.events) if e.kind == "op"}
    expect(lines >= {5, 6, 7}, "a place for each line")
    expect_text("".join(file.text or "" for file in run.tape.files), "t1 = x * w")
    expect_text(page.html(run.tape), "predict")
    verdict = check_answer("quiz", "a", question="when")
    expect_equal(verdict.right, False, "a wrong answer")
    expect_text(check_answer("quiz", "b", question="when"), "right")


LOCAL = """
x = torch.tensor([0.5, 1.5, 2.0], requires_grad=True)
y = torch.tensor([2.0, -1.0, 0.25], requires_grad=True)
results = {
    "add": x + y,
    "sub": x - y,
    "mul": x * y,
    "div": x / y,
    "pow": x**3,
    "exp": x.exp(),
    "log": x.log(),
    "sigmoid": x.sigmoid(),
    "tanh": x.tanh(),
    "relu": y.relu(),
    "softmax": x.softmax(0),
    "mm": x.unsqueeze(0) @ y.unsqueeze(1),
}
"""


@shows("local gradients of the operations", LOCAL)
def _local_gradients(run: Run) -> None:
    x, y = run.names["x"], run.names["y"]
    for name, result in run.names["results"].items():
        rule = study.rule_of(result.grad_fn)
        expect(rule.formulas, f"a rule for {name}")
        values = {"grad": run.library.ones_like(result), "result": result, "alpha": 1}
        source = y if name == "relu" else x
        values = {"self": source, "other": y, "exponent": 3, "dim": 0, **values}
        if name == "mm":
            values |= {"self": x.unsqueeze(0), "mat2": y.unsqueeze(1)}
        found = rule.gradients(values, run.library, ["self"])["self"].reshape(-1)
        (right,) = run.library.autograd.grad(result.sum(), source, retain_graph=True)
        expect(run.library.allclose(found, right, atol=1e-6), f"the rule of {name} to be right")


@shows(
    "memory against computation: checkpoints, 16 bits, packing, no_grad",
    """
torch.manual_seed(0)
block = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Tanh(), torch.nn.Tanh())
x = torch.randn(16, 8)
plain = block(x)
saving = torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False)
with torch.autocast("cpu", dtype=torch.bfloat16):
    mixed = block(x)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.bfloat16(), lambda t: t.float()):
    packed = block(x)
with torch.no_grad():
    unseen = block(x)
block(x).sum().backward()
""",
)
def _trade_offs(run: Run) -> None:
    kept = 16 * 8 * 4  # bytes of a result
    right = {"plain": 3 * kept, "saving": 0, "mixed": 3 * kept // 2}
    for name, size in right.items():
        expect_text(check_answer("bytes", size, of=run.names[name]), "right")
    verdict = check_answer("bytes", 3 * kept, of=run.names["packed"])
    expect_text(verdict, "less")
    expect_equal(run.names["unseen"].grad_fn, None, "the grad_fn under no_grad")
    choices = study.memory(run.tape).checkpoints
    expect(any(each.bytes > 0 for each in choices), "a checkpoint that would save bytes")
    measures = study.compare(run.tape, run.tape).measures
    expect(measures, "figures of two recordings")
    expect(all(each.first == each.second for each in measures), "a recording equal to itself")


@shows(
    "exercises that check themselves",
    """
w = torch.tensor(3.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)
L = torch.log(torch.sigmoid(w * torch.tensor(2.0) + b))
x = torch.tensor(2.0, requires_grad=True)
y = 3 * x**2 + 2 * x + 1


class Value:
    def __init__(self, data, requires_grad=False):
        self.data, self.requires_grad, self.grad = data, requires_grad, None
        self.inputs, self.operation = (), ""

    def __add__(self, other):
        return Value(self.data - other.data)
""",
)
def _exercises(run: Run) -> None:
    names = run.names
    drawn = {
        "L": ("Log", ["s"]),
        "s": ("Sigmoid", ["y"]),
        "y": ("Add", ["z", "b"]),
        "z": ("Mul", ["w"]),
    }
    leaves = {"w": names["w"], "b": names["b"]}
    expect_text(check_answer("graph", drawn, of=names["L"], names=leaves), "right")
    drawn["s"] = ("Tanh", ["y"])
    verdict = check_answer("graph", drawn, of=names["L"], names=leaves)
    expect_text(verdict, "s is SigmoidBackward0, and not Tanh")
    expect_text(check_answer("gradients", {"x": 14}, of=names["y"], wrt={"x": names["x"]}), "right")
    verdict = check_answer("value and graph", names["Value"])
    expect_text(verdict, "c.data is", "c = a + b")

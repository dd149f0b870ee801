"""Why an exception was raised: an example of each case, with the whole answer."""

from pathlib import Path
from typing import NamedTuple

import pytest

from minitorch import study
from minitorch.study.reports import reasons
from minitorch.study.reports.case_table import CASES, ERROR
from minitorch.study.reports.history import History
from minitorch.study.tape.recording import Recording
from tests.study.recorded_programs import recorded


class Example(NamedTuple):
    """A program that raises, and the case and the answer that its exception has to get."""

    case: str
    program: str
    answer: str


EXAMPLES = [
    Example(
        "conflict",
        """
w = torch.ones(2, 3, requires_grad=True)
h = torch.sigmoid(w)
h[0] = 0
h.sum().backward()
""",
        "SigmoidBackward0, made by torch.sigmoid(w) in line 3, kept h. h[0] = 0 in line"
        " 4 wrote into it after that: write into h.clone().",
    ),
    Example(
        "through_view",
        """
w = torch.ones(2, 3, requires_grad=True)
h = torch.sigmoid(w)
loss = h.sum()
h[0].zero_()
loss.backward()
""",
        "SigmoidBackward0, made by torch.sigmoid(w) in line 3, kept h. h[0].zero_() in "
        "line 5 wrote into the same memory through h[0]: write into a clone().",
    ),
    Example(
        "updated",
        """
model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loss = model(torch.ones(4, 2)).sum()
loss.backward(retain_graph=True)
optimizer.step()
loss.backward()
""",
        "AddmmBackward0, made by model(torch.ones(4, 2)) in line 4, kept 1.weightᵀ. "
        "optimizer.step() in line 6 changed it after that: compute the result anew "
        "before the next backward.",
    ),
    Example(
        "leaf",
        """
w = torch.ones(3, requires_grad=True)
w += 1
""",
        "w += 1 in line 3 writes into a leaf that requires grad. Write inside of "
        "torch.no_grad(), or into a clone().",
    ),
    Example(
        "view_of_leaf",
        """
w = torch.ones(3, requires_grad=True)
w[0] = 1
""",
        "w[0] = 1 in line 3 writes into a view of a leaf that requires grad. Write "
        "inside of torch.no_grad(), or into a clone().",
    ),
    Example(
        "one_of_many_views",
        """
w = torch.ones(3, requires_grad=True)
a, b, c = (w * 2).unbind()
a.zero_()
""",
        "a.zero_() in line 4 writes into one of several views that one operator gave, "
        "whose histories would no longer fit together. Write into a clone().",
    ),
    Example(
        "second_backward",
        """
w = torch.ones(3, requires_grad=True)
loss = (w * w).sum()
loss.backward()
loss.backward()
""",
        "The backward in line 4 let go of what the graph kept, and that in line 5 "
        "needed it again. Pass retain_graph=True to the first, or compute the result "
        "anew.",
    ),
    Example(
        "no_history",
        """
x = torch.ones(3)
loss = (x * 2).sum()
loss.backward()
""",
        "loss.backward() in line 4 starts a backward at a tensor that does not require "
        "grad. loss requires no grad because none of the operands of (x * 2).sum() in "
        "line 3 does: x.",
    ),
    Example(
        "not_scalar",
        """
w = torch.ones(3, requires_grad=True)
loss = w * 2
loss.backward()
""",
        "loss.backward() in line 4 starts at a tensor of several elements, which have "
        "no single derivative. Call .sum() or .mean() first, or pass gradient=.",
    ),
    Example(
        "unused",
        """
w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
loss = (w * 2).sum()
torch.autograd.grad(loss, v)
""",
        "torch.autograd.grad(loss, v) in line 5 asks for the gradient of a tensor that "
        "the result was not made of. Pass allow_unused=True to get None for it.",
    ),
    Example(
        "to_numpy",
        """
w = torch.ones(3, requires_grad=True)
w.numpy()
""",
        "w.numpy() in line 3 would leave autograd unnoticed. Write .detach().numpy().",
    ),
    Example(
        "shapes",
        """
x = torch.ones(2, 3)
y = torch.ones(2, 3)
x @ y
""",
        "x @ y in line 4 got operands whose sizes do not fit: mat1 and mat2 shapes "
        "cannot be multiplied (2x3 and 2x3).",
    ),
    Example(
        "integers",
        """
n = torch.arange(3, requires_grad=True)
""",
        "torch.arange(3, requires_grad=True) in line 2 asks for gradients of whole "
        "numbers or truth values, which have none. Make the tensor of a floating-point "
        "dtype.",
    ),
    Example(
        "elsewhere",
        """
x = torch.ones(3)
x.view(2, 2)
""",
        "x.view(2, 2) in line 3 raised it: shape '[2, 2]' is invalid for input of size 3.",
    ),
    Example(
        "no_history",
        """
w = torch.randn(3, 2, requires_grad=True)
for i in range(2):
    loss = (torch.ones(4, 3) @ w).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        w = w - 0.1 * w.grad
""",
        "loss.backward() in line 5 starts a backward at a tensor that does not require "
        "grad. loss requires no grad because it was made of the result of w - 0.1 * "
        "w.grad in line 7, where grad mode was off (with torch.no_grad(), line 6).",
    ),
    Example(
        "overlap",
        """
x = torch.zeros(1, 3, requires_grad=True)
y = (x * 2).expand(2, 3)
y += 1
y.sum().backward()
""",
        "y += 1 in line 4 writes into a tensor of which several elements are one place in"
        " memory, as after expand(). Write into a clone().",
    ),
    Example(
        "builds_on_released",
        """
w = torch.randn(3, requires_grad=True)
total = 0
h = torch.zeros(3)
for step in range(3):
    h = torch.tanh(h + w)
    loss = h.sum()
    loss.backward()
""",
        "h + w in line 6 builds on the graph that the backward in line 8 let go of. Take "
        "h.detach() there, or pass retain_graph=True to that backward.",
    ),
    Example(
        "number",
        """
w = torch.randn(3, requires_grad=True)
loss = w.sum().item()
loss.backward()
""",
        "loss.backward in line 4 asks a Python number for a backward. Start at the "
        "tensor: item() and float() leave autograd.",
    ),
    Example(
        "no_history",
        """
x = torch.randn(4, 3)
net = torch.nn.Linear(3, 2)
net.requires_grad_(False)
loss = net(x).sum()
loss.backward()
""",
        "loss.backward() in line 6 starts a backward at a tensor that does not require "
        "grad. loss requires no grad because none of the operands of net(x).sum() in line"
        " 5 does: x, weight and bias.",
    ),
    Example(
        "no_history",
        """
w = torch.tensor([1.5, 2.5], requires_grad=True)
pred = (torch.sigmoid(w) > 0.5)
correct = pred.float().mean()
correct.backward()
""",
        "correct.backward() in line 5 starts a backward at a tensor that does not require"
        " grad. correct requires no grad because it was made of the result of "
        "torch.sigmoid(w) > 0.5 in line 3, which gives truth values.",
    ),
    Example(
        "updated",
        """
lin = torch.nn.Linear(2, 2)
opt = torch.optim.SGD(lin.parameters(), lr=0.1)
lin2 = torch.nn.Linear(2, 2)
x = torch.ones(1, 2)
out = lin2(lin(x))
loss1 = out.sum()
loss1.backward(retain_graph=True)
with torch.no_grad():
    lin2.weight -= 0.1 * lin2.weight.grad
out.pow(2).sum().backward()
""",
        "AddmmBackward0, made by lin2(lin(x)) in line 6, kept weight. lin2.weight -= 0.1 "
        "* lin2.weight.grad in line 10 changed it after that: compute the result anew "
        "before the next backward.",
    ),
    Example(
        "builds_on_released",
        """
w = torch.ones(3, requires_grad=True)
buf = torch.zeros(3)
for i in range(3):
    buf[i] = w[i] * 2
    (buf ** 2).sum().backward()
""",
        "buf[i] = w[i] * 2 in line 5 builds on the graph that the backward in line 6 let "
        "go of. Take buf.detach() there, or pass retain_graph=True to that backward.",
    ),
]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: each.case)
def test_why_finds_the_case_and_the_line_of_an_error(example: Example, tmp_path: Path) -> None:
    run = recorded(tmp_path, example.program)
    reason = study.why(run.error, tape=run.tape)
    assert (reason.case, str(reason)) == (example.case, example.answer)


def test_every_case_of_an_error_but_the_last_has_an_example() -> None:
    cases = [each.key for each in CASES if each.question == ERROR]
    assert set(cases[:-1]) == {example.case for example in EXAMPLES}


def test_why_repeats_an_error_that_has_no_line() -> None:
    reason = reasons.recorded_error_reason(History(Recording("", "", "")), "no luck.")
    assert str(reason) == "Where this was raised is not known: no luck."


def test_why_finds_the_line_of_an_error_without_a_recording() -> None:
    try:
        raise ValueError("no luck")
    except ValueError as error:
        reason = study.why(error)
    assert str(reason).startswith('raise ValueError("no luck") in line ')
    assert str(reason).endswith(" raised it: no luck.")

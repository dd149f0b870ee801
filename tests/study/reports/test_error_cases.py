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
        "line 5 wrote into the same memory through __getitem__(…): write into a "
        "clone().",
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
        "line 3 does: mul(…).",
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

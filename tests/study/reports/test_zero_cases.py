"""Why .grad is 0 everywhere, or not finite: an example of each case, with the whole answer."""

from pathlib import Path

import pytest

from minitorch import study
from minitorch.study.reports import zero_cases
from minitorch.study.reports.case_table import CASES
from tests.study.recorded_programs import Example, recorded

ZERO = """
{lines}
h.sum().backward()
"""
# Lines that make h of w, through which no gradient passes, and what why() says of them.
ZEROS = [
    (
        "dead_relu",
        "w = torch.full((3,), -1.0, requires_grad=True)\nh = torch.relu(w)",
        (
            "torch.relu(w) in line 3 passes a gradient only where its result is above 0, and "
            "it was above 0 nowhere."
        ),
    ),
    (
        "saturated",
        "w = torch.full((3,), 200.0, requires_grad=True)\nh = torch.sigmoid(w)",
        (
            "torch.sigmoid(w) in line 3 is saturated. Its result is 1 everywhere, where the "
            "slope rounds to 0."
        ),
    ),
    (
        "clamped",
        "w = torch.full((3,), 5.0, requires_grad=True)\nh = w.clamp(0, 1)",
        (
            "the input of w.clamp(0, 1) in line 3 lies outside of its bounds, where no "
            "gradient passes."
        ),
    ),
    (
        "times_zero",
        "w = torch.ones(3, requires_grad=True)\nmask = torch.zeros(3)\nh = w * mask",
        "w * mask in line 4 multiplies by mask, which is 0 everywhere.",
    ),
    (
        "times_zero",
        "w = torch.ones(3, requires_grad=True)\nh = w * 0",
        "w * 0 in line 3 multiplies by 0, which is 0 everywhere.",
    ),
    (
        "steps",
        "w = torch.ones(3, requires_grad=True)\nh = torch.round(w)",
        "torch.round(w) in line 3 goes in steps, and is flat between them.",
    ),
    (
        "not_chosen",
        "v, w = torch.ones(3), torch.ones(3, requires_grad=True)\nh = torch.where(v > 0, v, w)",
        (
            "torch.where(v > 0, v, w) in line 3 chose other elements, and a gradient goes "
            "only to what was chosen."
        ),
    ),
    (
        "zeroed",
        "w = torch.zeros(3, requires_grad=True)\nh = w**2",
        (
            "PowBackward0, made by w**2 in line 3, gave 0 although the gradient that came to "
            "it was not 0."
        ),
    ),
]
EXAMPLES = [
    *[
        Example(case, "w", ZERO.format(lines=lines), f"w.grad is 0 everywhere: {answer}")
        for case, lines, answer in ZEROS
    ],
    Example(
        "zero_root",
        "w",
        """
w = torch.ones(3, requires_grad=True)
h = w * 2
h.backward(torch.zeros(3))
""",
        "w.grad is 0 everywhere because the backward in line 4 began with a gradient of 0.",
    ),
    Example(
        "dead_relu",
        "1.weight",
        """
nn = torch.nn
net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 1))
net[1].bias.data.fill_(-100.0)
loss = net(torch.ones(4, 2)).mean()
loss.backward()
""",
        "1.weight.grad is 0 everywhere: 2 ReLU of net(torch.ones(4, 2)) in line 5 passes "
        "a gradient only where its result is above 0, and it was above 0 nowhere.",
    ),
    Example(
        "saturated",
        "logits",
        """
logits = torch.tensor([[200.0, -200.0]], requires_grad=True)
loss = torch.nn.functional.cross_entropy(logits, torch.tensor([0]))
loss.backward()
""",
        "logits.grad is 0 everywhere: torch.nn.functional.cross_entropy(logits, "
        "torch.tensor([0])) in line 3 is saturated. Its result is 0 everywhere, where the"
        " slope rounds to 0.",
    ),
    Example(
        "hooked",
        "w",
        """
w = torch.ones(3, requires_grad=True)
h = w * 2
h.register_hook(lambda grad: torch.zeros_like(grad))
h.sum().backward()
""",
        "w.grad is 0 everywhere: a hook set the gradient of w * 2 in line 3 to 0.",
    ),
    Example(
        "not_finite",
        "x",
        """
x = torch.tensor([0.0, 1.0], requires_grad=True)
y = torch.where(x > 0, x.sqrt(), torch.zeros(2))
y.sum().backward()
""",
        "x.grad is not finite: SqrtBackward0, made by x.sqrt() in line 3, gave the first "
        "gradient that is not finite: where 0 came to it, 0 times infinity gives NaN.",
    ),
    Example(
        "zeroed",
        "w",
        """
w = torch.ones(3, requires_grad=True)
y = torch.nn.functional.dropout(w, p=1.0)
y.sum().backward()
""",
        "w.grad is 0 everywhere: MulBackward0, made by torch.nn.functional.dropout(w, "
        "p=1.0) in line 3, gave 0 although the gradient that came to it was not 0.",
    ),
    Example(
        "overwritten",
        "w",
        """
w = torch.ones(3, requires_grad=True)
y = w.clone()
y[0] = 5.0
y[1] = 5.0
y[2] = 5.0
y.sum().backward()
""",
        "w.grad is 0 everywhere: y[0] = 5.0 in line 4 wrote over what was made of w.",
    ),
    Example(
        "corner",
        "w",
        """
w = torch.ones(3, requires_grad=True)
loss = (w - w.detach()).abs().sum()
loss.backward()
""",
        "w.grad is 0 everywhere: (w - w.detach()).abs() in line 3 has a corner at 0, "
        "where its slope counts as 0, and its input was 0 everywhere.",
    ),
    Example(
        "adds_up_to_one",
        "w",
        """
w = torch.tensor([[1.0, 5.0]], requires_grad=True)
s = w.softmax(1).sum()
s.backward()
""",
        "w.grad is 0 everywhere: the result of w.softmax(1) in line 3 adds up to 1 "
        "whatever w is, and all of it got the same gradient.",
    ),
    Example(
        "hooked",
        "w",
        """
w = torch.ones(3, requires_grad=True)
hook = w.register_hook(lambda g: g * 0)
(w * 3).sum().backward()
""",
        "w.grad is 0 everywhere: a hook set the gradient of w to 0.",
    ),
    Example(
        "cancelled",
        "w",
        """
w = torch.ones(3, requires_grad=True)
(w - w).sum().backward()
""",
        "w.grad is 0 everywhere: the gradients that came to w on 2 ways add up to 0.",
    ),
    Example(
        "zeroed",
        "0.bias",
        """
net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2))
net(torch.ones(4, 2)).sum().backward()
""",
        "0.bias.grad is 0 everywhere: NativeBatchNormBackward0, made by 1 BatchNorm1d of "
        "net(torch.ones(4, 2)) in line 3, gave 0 although the gradient that came to it "
        "was not 0.",
    ),
    Example(
        "not_finite",
        "w",
        """
w = torch.tensor([0.0, 1.0], requires_grad=True)
torch.log(w).sum().backward()
""",
        "w.grad is not finite: LogBackward0, made by torch.log(w) in line 3, gave the "
        "first gradient that is not finite.",
    ),
]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: each.case)
def test_why_finds_the_node_that_gave_a_gradient_of_zeros(example: Example, tmp_path: Path) -> None:
    reason = study.why(example.name, "grad", recorded(tmp_path, example.program).tape)
    assert (reason.case, str(reason)) == (example.case, example.answer)


def test_every_case_of_a_gradient_of_zeros_has_an_example() -> None:
    cases = {each.key for each in CASES if each.words.__module__ == zero_cases.__name__}
    assert cases == {example.case for example in EXAMPLES}

"""Why .grad is None, or there: an example of each case, with the whole answer."""

from pathlib import Path

import pytest

from minitorch import study
from minitorch.study.reports import gradient_cases
from minitorch.study.reports.case_table import CASES
from tests.study.recorded_programs import Example, recorded

CUT = """
w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
{lines}
(h * v).sum().backward()
"""
# Lines that cut w off from h, and what why() says of them.
CUTS = [
    (
        "detached",
        "h = (w * 2).detach()",
        "(w * 2).detach() in line 4 cut it off: detach() gives a tensor without a history.",
    ),
    (
        "no_grad",
        "with torch.no_grad():\n    h = w * 2",
        "w * 2 in line 5 used it where grad mode was off (with torch.no_grad(), line 4).",
    ),
    (
        "data",
        "h = w.data * 2",
        "w.data in line 4 cut it off: .data gives a tensor without a history.",
    ),
    (
        "integer_result",
        "h = w.argmax()",
        "w.argmax() in line 4 gives int64, which has no gradient.",
    ),
    ("comparison", "h = w > 0", "w > 0 in line 4 gives truth values, which have no gradient."),
    (
        "detached",
        "h = torch.from_numpy(w.detach().numpy() * 2)",
        "w.detach() in line 4 cut it off: detach() gives a tensor without a history.",
    ),
]
EXAMPLES = [
    *[
        Example(
            case,
            "w",
            CUT.format(lines=lines),
            f"w.grad is None: 1 backward ran, and no graph led to w. {answer}",
        )
        for case, lines, answer in CUTS
    ],
    Example(
        "never_used",
        "w",
        """
w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
v.sum().backward()
""",
        "w.grad is None because no operator used w, which was made in line 2.",
    ),
    Example(
        "left_for_python",
        "w",
        """
w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
numbers = w.tolist()
(torch.tensor(numbers) * v).sum().backward()
""",
        "w.grad is None: 1 backward ran, and no graph led to w. w.tolist() in line 4 left"
        " autograd: tolist() gives numbers, not a tensor with a history.",
    ),
    Example(
        "left_for_python",
        "w",
        """
w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
scale = w.sum().item()
(scale * v).sum().backward()
""",
        "w.grad is None: 1 backward ran, and no graph led to w. w.sum().item() in line 4 "
        "left autograd: item() gives numbers, not a tensor with a history.",
    ),
    Example(
        "non_leaf",
        "h",
        """
w = torch.ones(3, requires_grad=True)
h = torch.relu(w)
h.sum().backward()
""",
        "h.grad is None because h is no leaf but the result of torch.relu(w) in line 3: a"
        " backward fills .grad of leaves only. Call h.retain_grad() before the backward.",
    ),
    Example(
        "retained",
        "h",
        """
w = torch.ones(3, requires_grad=True)
h = torch.relu(w)
h.retain_grad()
h.sum().backward()
""",
        "h.grad is there: h.retain_grad() in line 4 asked for it, and the backward in "
        "line 5 came to h.",
    ),
    Example(
        "no_backward",
        "w",
        """
w = torch.ones(3, requires_grad=True)
loss = (w * 2).sum()
""",
        "w.grad is None because no backward ran after w * 2 in line 3 used w.",
    ),
    Example(
        "other_graph",
        "w",
        """
w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
loss = (w * 2).sum()
other = (v * 2).sum()
other.backward()
""",
        "w.grad is None: 1 backward ran, but none from the graph of (w * 2).sum() in line"
        " 4, which w led to.",
    ),
    Example(
        "cleared",
        "w",
        """
w = torch.nn.Parameter(torch.ones(3))
optimizer = torch.optim.SGD([w], lr=0.1)
loss = (w * 2).sum()
loss.backward()
optimizer.step()
optimizer.zero_grad()
""",
        "w.grad is None because optimizer.zero_grad() in line 7 cleared it, after the "
        "backward in line 5 had filled it.",
    ),
    Example(
        "cleared_to_zeros",
        "w",
        """
w = torch.nn.Parameter(torch.ones(3))
optimizer = torch.optim.SGD([w], lr=0.1)
(w * 2).sum().backward()
optimizer.step()
optimizer.zero_grad(set_to_none=False)
""",
        "w.grad is 0 everywhere because optimizer.zero_grad(set_to_none=False) in line 6 "
        "cleared it, after the backward in line 4 had filled it.",
    ),
    Example(
        "cleared_to_zeros",
        "w",
        """
w = torch.ones(3, requires_grad=True)
(w * 2).sum().backward()
w.grad.zero_()
""",
        "w.grad is 0 everywhere because w.grad.zero_() in line 4 cleared it, after the "
        "backward in line 3 had filled it.",
    ),
    Example(
        "only_written",
        "w",
        """
w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
with torch.no_grad():
    w.mul_(0.9).add_(v, alpha=0.1)
(v * 2).sum().backward()
""",
        "w.grad is None because the program only wrote into w, last by "
        "w.mul_(0.9).add_(v, alpha=0.1) in line 5, and made nothing of it that a backward"
        " could start at.",
    ),
    Example(
        "no_graph",
        "w",
        """
print(w.tolist())
v = torch.ones(3, requires_grad=True)
(v * 2).sum().backward()
""",
        "w.grad is None: 1 backward ran, and no graph led to w.",
        before="w = torch.ones(3, requires_grad=True)\n",
    ),
    Example(
        "returned",
        "w",
        """
w = torch.ones(3, requires_grad=True)
loss = (w * 2).sum()
(g,) = torch.autograd.grad(loss, w)
""",
        "w.grad is None because autograd.grad in line 4 returns gradients and puts none "
        "into .grad.",
    ),
    Example(
        "left_out",
        "w",
        """
w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
loss = (w * v).sum()
loss.backward(inputs=[v])
""",
        "w.grad is None because the backward in line 5 was given inputs=, without w among them.",
    ),
    Example(
        "does_not_require",
        "x",
        """
x = torch.ones(3)
w = torch.ones(3, requires_grad=True)
(x * w).sum().backward()
""",
        "x.grad is None because x does not require grad. Call x.requires_grad_() before x"
        " is used, or make it with requires_grad=True.",
    ),
    Example(
        "late",
        "w",
        """
w = torch.ones(3)
v = torch.ones(3, requires_grad=True)
loss = (w * v).sum()
w.requires_grad_()
loss.backward()
""",
        "w.grad is None: w * v in line 4 used w before requires_grad_() was called in "
        "line 5, so no graph leads to it.",
    ),
    Example(
        "integers",
        "n",
        """
n = torch.arange(3)
w = torch.ones(3, requires_grad=True)
(n * w).sum().backward()
""",
        "n.grad is None: n holds int64, and only floating-point and complex tensors have "
        "gradients.",
    ),
    Example(
        "copied",
        "w",
        """
import warnings
warnings.simplefilter("ignore")
w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
h = torch.tensor(w)
(h * v).sum().backward()
""",
        "w.grad is None: 1 backward ran, and no graph led to w. torch.tensor(w) in line 6"
        " copied the numbers into a new tensor without a history.",
    ),
    Example(
        "failed",
        "w",
        """
w = torch.ones(3, requires_grad=True)
h = torch.exp(w)
h += 1
h.sum().backward()
""",
        "w.grad is None because the backward in line 5 failed before it came to w.",
    ),
    Example(
        "there",
        "w",
        """
w = torch.ones(3, requires_grad=True)
(w * 2).sum().backward()
(w * 3).sum().backward()
""",
        "w.grad is there: 2 backwards added to it, the last in line 4.",
    ),
    Example(
        "no_derivative",
        "w",
        """
w = torch.ones(3, requires_grad=True)
v = torch.ones(3, requires_grad=True)
(torch.zeros_like(w) + v).sum().backward()
""",
        "w.grad is None: 1 backward ran, and no graph led to w. The result of "
        "torch.zeros_like(w) in line 4 does not require grad.",
    ),
    Example(
        "replaced",
        "w",
        """
w = torch.randn(3, 2, requires_grad=True)
lr = 0.1
for i in range(2):
    loss = (torch.ones(4, 3) @ w).pow(2).mean()
    loss.backward()
    w = w - lr * w.grad
""",
        "w.grad is None because w = w - lr * w.grad in line 7 put a result in the place "
        "of the leaf w. Write into the leaf inside of torch.no_grad(), as in w -= …",
    ),
    Example(
        "made_without",
        "w",
        """
w = torch.randn(3, 2, requires_grad=True)
for i in range(2):
    loss = (torch.ones(4, 3) @ w).pow(2).mean()
    loss.backward()
    with torch.no_grad():
        w = w - 0.1 * w.grad
""",
        "w.grad is None because w does not require grad: it is the result of w - 0.1 * "
        "w.grad in line 7, where grad mode was off (with torch.no_grad(), line 6).",
    ),
    Example(
        "copied",
        "w",
        """
import warnings
warnings.simplefilter("ignore")
w = torch.randn(3, requires_grad=True)
loss = torch.tensor([(w ** 2).sum(), w.sum()], requires_grad=True).mean()
loss.backward()
""",
        "w.grad is None: 1 backward ran, and no graph led to w. torch.tensor([(w ** "
        "2).sum(), w.sum()], requires_grad=True) in line 5 copied the numbers into a new "
        "tensor without a history.",
    ),
    Example(
        "integer_result",
        "w",
        """
w = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
values, indices = torch.sort(w)
target = torch.tensor([2.0, 0.0, 1.0], requires_grad=True)
(indices - target).pow(2).sum().backward()
""",
        "w.grad is None: 1 backward ran, and no graph led to w. torch.sort(w) in line 3 "
        "gives int64, which has no gradient.",
    ),
    Example(
        "of_unnamed_leaf",
        "w",
        """
w = torch.randn(3, requires_grad=True).double()
w.sum().backward()
""",
        "w.grad is None because w is no leaf but the result of torch.randn(3, "
        "requires_grad=True).double() in line 2. The leaf has no name: ask for gradients "
        "last, as in w = torch.randn(3).double().requires_grad_().",
    ),
    Example(
        "no_grad",
        "w",
        """
w = torch.ones(3, requires_grad=True)
torch.set_grad_enabled(False)
y = w * 2
torch.set_grad_enabled(True)
v = torch.ones(3, requires_grad=True)
(y * v).sum().backward()
""",
        "w.grad is None: 1 backward ran, and no graph led to w. w * 2 in line 4 used it "
        "where grad mode was off (torch.set_grad_enabled(False), line 3).",
    ),
    Example(
        "left_for_python",
        "w",
        """
w = torch.randn(3, requires_grad=True)
w.grad = None
out = float(w.sum()) + torch.ones(1, requires_grad=True)
out.backward()
""",
        "w.grad is None: 1 backward ran, and no graph led to w. float(w.sum()) in line 4 "
        "left autograd: float() gives numbers, not a tensor with a history.",
    ),
    Example(
        "other_graph",
        "w",
        """
w = torch.randn(2, 3, requires_grad=True)
buffer = torch.zeros(2, 3)
buffer.data.copy_(w)
head = torch.randn(3, requires_grad=True)
(buffer @ head).sum().backward()
""",
        "w.grad is None: 1 backward ran, but none from the graph of buffer.data.copy_(w) "
        "in line 4, which w led to.",
    ),
    Example(
        "none_given",
        "w",
        """
class Round(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.round()
    @staticmethod
    def backward(ctx, g):
        return None
w = torch.ones(2, requires_grad=True)
v = torch.ones(2, requires_grad=True)
(Round.apply(w) * v).sum().backward()
""",
        "w.grad is None: RoundBackward, made by Round.apply(w) in line 11, gave no "
        "gradient for its input, which led to w.",
    ),
    Example(
        "made_without",
        "w",
        """
w = torch.ones(3, requires_grad=True)
w = w.data
v = torch.ones(3, requires_grad=True)
(w * v).sum().backward()
""",
        "w.grad is None because w does not require grad: it is the result of w.data in "
        "line 3, which takes it out of its history.",
    ),
    Example(
        "no_grad",
        "log_std",
        """
log_std = torch.zeros(2, requires_grad=True)
mean = torch.zeros(2, requires_grad=True)
action = torch.distributions.Normal(mean, log_std.exp()).sample()
action.sum().requires_grad_().backward()
""",
        "log_std.grad is None: 1 backward ran, and no graph led to log_std. "
        "torch.distributions.Normal(mean, log_std.exp()).sample() in line 4 used it where"
        " grad mode was off.",
    ),
    Example(
        "detached",
        "w",
        """
w = torch.ones(3, requires_grad=True)
y = (w * 2).detach_()
v = torch.ones(3, requires_grad=True)
(y * v).sum().backward()
""",
        "w.grad is None: 1 backward ran, and no graph led to w. (w * 2).detach_() in line"
        " 3 cut it off: detach() gives a tensor without a history.",
    ),
    Example(
        "cleared_by_hook",
        "w",
        """
w = torch.ones(3, requires_grad=True)
w.register_post_accumulate_grad_hook(lambda p: setattr(p, "grad", None))
w.sum().backward()
""",
        "w.grad is None: the backward in line 4 came to w, and a hook of it cleared .grad.",
    ),
    Example(
        "detached",
        "w",
        """
C = torch.utils.checkpoint
w = torch.ones(3, requires_grad=True)
def f(x):
    return (x * w.detach()).sum()
C.checkpoint(f, torch.ones(3, requires_grad=True), use_reentrant=False).backward()
""",
        "w.grad is None: 1 backward ran, and no graph led to w. w.detach() in line 5 cut "
        "it off: detach() gives a tensor without a history.",
    ),
]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda each: each.case)
def test_why_finds_the_case_and_the_line_of_a_gradient(example: Example, tmp_path: Path) -> None:
    tape = recorded(tmp_path, example.program, example.before).tape
    reason = study.why(example.name, "grad", tape)
    assert (reason.case, str(reason)) == (example.case, example.answer)


def test_every_case_of_a_gradient_has_an_example() -> None:
    cases = {each.key for each in CASES if each.words.__module__ == gradient_cases.__name__}
    assert cases == {example.case for example in EXAMPLES}


def test_why_names_the_places_that_its_sentence_names(tmp_path: Path) -> None:
    example = next(each for each in EXAMPLES if each.case == "no_grad")
    reason = study.why(example.name, "grad", recorded(tmp_path, example.program).tape)
    assert [(place.line, place.expression) for place in reason.places] == [(5, "w * 2")]

"""Why a tensor requires grad, is a view, was written, and how a node stands: examples."""

from pathlib import Path

import pytest

from minitorch import study
from minitorch.study.reports import reasons
from minitorch.study.reports.case_table import CASES, NODE, REQUIRES_GRAD, VERSION, VIEW
from minitorch.study.reports.history import History
from minitorch.study.tape.recording import NodeInfo, Recording
from tests.study.recorded_programs import Example, recorded

EXAMPLES = [
    Example(
        "asked",
        "w",
        """
w = torch.ones(3, requires_grad=True)
""",
        "w requires grad because torch.ones(3, requires_grad=True) in line 2 made it with"
        " requires_grad=True.",
        question=REQUIRES_GRAD,
    ),
    Example(
        "parameter",
        "w",
        """
w = torch.nn.Parameter(torch.ones(3))
h = w * 2
""",
        "w requires grad because it is an nn.Parameter, and those do unless told otherwise.",
        question=REQUIRES_GRAD,
    ),
    Example(
        "spread",
        "h",
        """
x = torch.ones(3)
w = torch.ones(3, requires_grad=True)
h = x * w
""",
        "h requires grad because w, an operand of x * w in line 4, does.",
        question=REQUIRES_GRAD,
    ),
    Example(
        "asked_later",
        "w",
        """
w = torch.ones(3)
w.requires_grad_()
""",
        "w requires grad because of w.requires_grad_() in line 3.",
        question=REQUIRES_GRAD,
    ),
    Example(
        "frozen",
        "w",
        """
w = torch.ones(3, requires_grad=True)
w.requires_grad_(False)
h = w * 2
""",
        "w requires no grad because of w.requires_grad_(False) in line 3.",
        question=REQUIRES_GRAD,
    ),
    Example(
        "frozen_parameter",
        "weight",
        """
y = model(torch.ones(3, 2))
""",
        "weight requires no grad though it is an nn.Parameter: the program froze it, as "
        "with requires_grad_(False).",
        before="\nmodel = torch.nn.Linear(2, 1)\nmodel.requires_grad_(False)\n",
        question=REQUIRES_GRAD,
    ),
    Example(
        "asked_at_some_time",
        "w",
        """
w = torch.ones(3)
for each in [w]:
    each.requires_grad_()
loss = w.sum()
""",
        "w requires grad because the program asked it to, after torch.ones(3) in line 2 "
        "had made it without.",
        question=REQUIRES_GRAD,
    ),
    Example(
        "no_grad",
        "h",
        """
w = torch.ones(3, requires_grad=True)
with torch.no_grad():
    h = w * 2
""",
        "h requires no grad although w does: grad mode was off for w * 2 in line 4 (with "
        "torch.no_grad(), line 3).",
        question=REQUIRES_GRAD,
    ),
    Example(
        "no_grad",
        "h",
        """
w = torch.ones(3, requires_grad=True)
@torch.no_grad()
def doubled(w):
    h = w * 2
    return h
doubled(w)
""",
        "h requires no grad although w does: grad mode was off for w * 2 in line 5 "
        "(@torch.no_grad(), line 3).",
        question=REQUIRES_GRAD,
    ),
    Example(
        "integers",
        "best",
        """
w = torch.ones(3, requires_grad=True)
best = w.argmax()
""",
        "best requires no grad because w.argmax() in line 3 gives int64, and only "
        "floating-point and complex tensors can.",
        question=REQUIRES_GRAD,
    ),
    Example(
        "detached",
        "h",
        """
w = torch.ones(3, requires_grad=True)
h = w.detach()
""",
        "h requires no grad because w.detach() in line 3 takes it out of the history of w.",
        question=REQUIRES_GRAD,
    ),
    Example(
        "operands",
        "h",
        """
x = torch.ones(3)
y = torch.ones(3)
h = x * y
""",
        "h requires no grad because none of the operands of x * y in line 4 does: x and y.",
        question=REQUIRES_GRAD,
    ),
    Example(
        "not_asked",
        "x",
        """
x = torch.ones(3)
""",
        "x requires no grad because torch.ones(3) in line 2 made it without requires_grad=True.",
        question=REQUIRES_GRAD,
    ),
    Example(
        "brought_along",
        "w",
        """
h = w * 2
""",
        "w requires grad, and was made before the recording began.",
        before="\nw = torch.ones(3, requires_grad=True)\n",
        question=REQUIRES_GRAD,
    ),
    Example(
        "not_seen",
        "x",
        """
h = x * 2
""",
        "x requires no grad, and was made before the recording.",
        before="\nx = torch.ones(3)\n",
        question=REQUIRES_GRAD,
    ),
    Example(
        "copied",
        "c",
        """
import warnings
warnings.simplefilter("ignore")
w = torch.ones(3, requires_grad=True)
c = torch.tensor(w)
""",
        "c requires no grad because torch.tensor(w) in line 5 copied numbers into a new tensor.",
        question=REQUIRES_GRAD,
    ),
    Example(
        "view",
        "v",
        """
x = torch.ones(2, 3)
v = x[0]
""",
        "v is a view of x: x[0] in line 3 shares its memory, and a write into one is seen in both.",
        question=VIEW,
    ),
    Example(
        "detached",
        "d",
        """
x = torch.ones(2, 3, requires_grad=True)
d = x.detach()
""",
        "d is no view for autograd, but x.detach() in line 3 shares the memory of x: a "
        "write into one is seen in both.",
        question=VIEW,
    ),
    Example(
        "had_to_copy",
        "r",
        """
x = torch.ones(2, 3)
r = x.t().reshape(6)
""",
        "r is no view: x.t().reshape(6) in line 3 had to copy, because the elements of xᵀ"
        " do not lie in that order.",
        question=VIEW,
    ),
    Example(
        "new_memory",
        "c",
        """
x = torch.ones(2, 3)
c = x.clone()
""",
        "c is no view: x.clone() in line 3 gave it memory of its own.",
        question=VIEW,
    ),
    Example(
        "view",
        "t",
        """
x = torch.ones(2, 3)
t = x[0].unsqueeze(0)
""",
        "t is a view of x: x[0].unsqueeze(0) in line 3 shares its memory, and a write "
        "into one is seen in both.",
        question=VIEW,
    ),
    Example(
        "not_seen",
        "x",
        """
h = x * 2
""",
        "x is no view; it was made before the recording.",
        before="\nx = torch.ones(3)\n",
        question=VIEW,
    ),
    Example(
        "conflict",
        "h",
        """
w = torch.ones(2, 3, requires_grad=True)
h = torch.sigmoid(w)
h[0] = 0
loss = h.sum()
""",
        "SigmoidBackward0, made by torch.sigmoid(w) in line 3, kept h. h[0] = 0 in line 4"
        " wrote into it after that: write into h.clone().",
        question=VERSION,
    ),
    Example(
        "through_view",
        "h",
        """
w = torch.ones(2, 3, requires_grad=True)
h = torch.sigmoid(w)
row = h[0]
row.zero_()
loss = h.sum()
""",
        "SigmoidBackward0, made by torch.sigmoid(w) in line 3, kept h. row.zero_() in "
        "line 5 wrote into the same memory through row: write into a clone().",
        question=VERSION,
    ),
    Example(
        "updated",
        "w",
        """
w = torch.nn.Parameter(torch.ones(3))
optimizer = torch.optim.SGD([w], lr=0.1)
loss = (w * w).sum()
loss.backward(retain_graph=True)
optimizer.step()
""",
        "MulBackward0, made by w * w in line 4, kept w. optimizer.step() in line 6 "
        "changed it after that: compute the result anew before the next backward.",
        question=VERSION,
    ),
    Example(
        "unseen",
        "w",
        """
w = torch.ones(3, requires_grad=True)
loss = (w * w).sum()
w.data.zero_()
loss.backward()
""",
        "w.data.zero_() in line 4 wrote into w through .data, which autograd does not "
        "notice: MulBackward0, made by w * w in line 3, will use the new numbers.",
        question=VERSION,
    ),
    Example(
        "never_written",
        "w",
        """
w = torch.ones(3, requires_grad=True)
h = w * 2
""",
        "w was never written in place.",
        question=VERSION,
    ),
    Example(
        "let_go",
        "h",
        """
w = torch.ones(3, requires_grad=True)
h = torch.sigmoid(w)
h.sum().backward()
with torch.no_grad():
    h.zero_()
""",
        "h.zero_() in line 6 wrote into h when the backward in line 4 had let go of it, "
        "so no gradient suffers.",
        question=VERSION,
    ),
    Example(
        "kept_later",
        "h",
        """
w = torch.ones(3, requires_grad=True)
h = w * 2
h += 1
loss = (h * h).sum()
""",
        "h += 1 in line 4 wrote into h before MulBackward0 of h * h in line 5 kept it, so"
        " no gradient suffers.",
        question=VERSION,
    ),
    Example(
        "not_kept",
        "x",
        """
x = torch.ones(3)
y = x + 1
x.add_(1)
x.mul_(2)
""",
        "x was written in place 2 times, the last by x.mul_(2) in line 5; no node keeps it.",
        question=VERSION,
    ),
    Example(
        "waits",
        "ReluBackward0",
        """
w = torch.ones(3, requires_grad=True)
h = torch.relu(w)
""",
        "ReluBackward0 was made by torch.relu(w) in line 3; no backward came to it.",
        question=NODE,
    ),
    Example(
        "ran_and_let_go",
        "ReluBackward0",
        """
w = torch.ones(3, requires_grad=True)
h = torch.relu(w)
h.sum().backward()
""",
        "ReluBackward0 was made by torch.relu(w) in line 3, ran in the backward of line "
        "4, and let go of what it kept.",
        question=NODE,
    ),
    Example(
        "ran_and_keeps",
        "ReluBackward0",
        """
w = torch.ones(3, requires_grad=True)
h = torch.relu(w)
h.sum().backward(retain_graph=True)
""",
        "ReluBackward0 was made by torch.relu(w) in line 3 and ran in the backward of "
        "line 4, which kept the graph.",
        question=NODE,
    ),
    Example(
        "leaf",
        "AccumulateGrad",
        """
w = torch.ones(3, requires_grad=True)
loss = w.sum()
""",
        "AccumulateGrad adds what comes to it to .grad of w.",
        question=NODE,
    ),
    Example(
        "view",
        "v",
        """
x = torch.arange(6.0).reshape(2, 3)
v = x.t()
v[0, 0] = 7
""",
        "v is a view of x: x.t() in line 3 shares its memory, and a write into one is "
        "seen in both.",
        question=VIEW,
    ),
    Example(
        "had_to_copy",
        "f",
        """
x = torch.arange(12.0).reshape(3, 4)
v = x[1:, ::2]
f = x[:, 1].contiguous()
""",
        "f is no view: x[:, 1].contiguous() in line 4 had to copy, because the elements "
        "of x[:, 1] do not lie in that order.",
        question=VIEW,
    ),
    Example(
        "made_of_cut",
        "mask",
        """
w = torch.tensor([1.5, 2.5], requires_grad=True)
mask = (w > 2).float()
loss = (mask - 1.0).pow(2).sum()
loss.requires_grad_(True)
loss.backward()
""",
        "mask requires no grad because it was made of the result of w > 2 in line 3, "
        "which gives truth values.",
        question=REQUIRES_GRAD,
    ),
    Example(
        "detached_in_place",
        "y",
        """
w = torch.ones(3, requires_grad=True)
y = (w * 2).detach_()
v = torch.ones(3, requires_grad=True)
(y * v).sum().backward()
""",
        "y requires no grad because (w * 2).detach_() in line 3 took its history away.",
        question=REQUIRES_GRAD,
    ),
]
TENSORS = [example for example in EXAMPLES if example.question != NODE]
NODES = [example for example in EXAMPLES if example.question == NODE]


def named(example: Example) -> str:
    return f"{example.question}-{example.case}"


@pytest.mark.parametrize("example", TENSORS, ids=named)
def test_why_finds_the_case_and_the_line_of_a_tensor(example: Example, tmp_path: Path) -> None:
    tape = recorded(tmp_path, example.program, example.before).tape
    reason = study.why(example.name, example.question, tape)
    assert (reason.case, str(reason)) == (example.case, example.answer)


@pytest.mark.parametrize("example", NODES, ids=named)
def test_why_finds_the_case_and_the_line_of_a_node(example: Example, tmp_path: Path) -> None:
    tape = recorded(tmp_path, example.program, example.before).tape
    number = [node.name for node in tape.nodes].index(example.name)
    reason = reasons.node_reason(History(tape), number)
    assert (reason.case, str(reason)) == (example.case, example.answer)


def test_why_says_that_a_node_is_older_than_the_recording() -> None:
    tape = Recording("minitorch", "", "", nodes=[NodeInfo("ReluBackward0", 0, [], [])])
    reason = reasons.node_reason(History(tape), 0)
    assert str(reason) == "ReluBackward0 was made before the recording."


@pytest.mark.parametrize("question", [REQUIRES_GRAD, VIEW, VERSION])
def test_every_case_of_a_question_has_an_example(question: str) -> None:
    cases = {each.key for each in CASES if each.question == question}
    assert cases == {each.case for each in EXAMPLES if each.question == question}

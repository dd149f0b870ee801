"""findings(): problems found, their places, and above all programs without any."""

from pathlib import Path

import pytest

from minitorch.study.reports.findings import Finding, findings
from tests.study.recorded_programs import recorded


def found_in(folder: Path, program: str) -> list[Finding]:
    return findings(recorded(folder, program).tape)


TRAINING = """
model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.ones(4, 3)
for step in range(3):
    loss = model(x).square().mean()
    {zero}
    loss.backward()
    optimizer.step()
"""


def test_a_training_loop_that_clears_its_gradients_has_no_findings(tmp_path: Path) -> None:
    assert found_in(tmp_path, TRAINING.format(zero="optimizer.zero_grad()")) == []


def test_a_training_loop_that_clears_to_zeros_has_no_findings(tmp_path: Path) -> None:
    assert found_in(tmp_path, TRAINING.format(zero="model.zero_grad(set_to_none=False)")) == []


def test_a_training_loop_without_zero_grad_adds_up(tmp_path: Path) -> None:
    found = found_in(tmp_path, TRAINING.format(zero="pass"))
    assert {each.kind for each in found} == {"added up"}
    assert found[0].places[0].line == 8


def test_gradients_of_several_backwards_before_a_step_may_add_up(tmp_path: Path) -> None:
    program = """
w = torch.ones(3, requires_grad=True)
for part in range(2):
    (w * 2).sum().backward()
"""
    assert found_in(tmp_path, program) == []


def test_infinities_that_a_program_asks_for_are_no_finding(tmp_path: Path) -> None:
    program = """
w = torch.ones(3, 3, requires_grad=True)
mask = torch.full((3, 3), float("-inf")).triu(1)
loss = ((w + mask).softmax(-1) * w).sum()
loss.backward()
"""
    assert found_in(tmp_path, program) == []


def test_a_write_after_the_backward_is_no_finding(tmp_path: Path) -> None:
    program = """
w = torch.ones(3, requires_grad=True)
h = torch.sigmoid(w)
h.sum().backward()
with torch.no_grad():
    h.zero_()
"""
    assert found_in(tmp_path, program) == []


def test_a_write_through_data_is_found_though_nothing_raises(tmp_path: Path) -> None:
    program = """
w = torch.ones(3, requires_grad=True)
h = torch.sigmoid(w)
h.data.zero_()
h.sum().backward()
"""
    (found, *_) = found_in(tmp_path, program)
    assert found.kind == "written after saving"
    assert found.text.endswith(
        "Autograd does not notice writes through .data: the gradient is wrong."
    )
    assert [place.line for place in found.places] == [4, 3]


@pytest.mark.parametrize("activation", ["relu", "relu6"])
def test_dead_units_are_those_that_no_example_reaches(activation: str, tmp_path: Path) -> None:
    program = f"""
w = torch.tensor([[1.0, -1.0, 1.0]], requires_grad=True)
h = torch.nn.functional.{activation}(torch.tensor([[1.0], [2.0]]) @ w)
h.sum().backward()
"""
    (found,) = found_in(tmp_path, program)
    assert (found.kind, found.places[0].line) == ("dead units", 3)
    assert found.text.startswith("1 of 3 units of torch.nn.functional.")


def test_graphs_without_a_backward_are_counted_with_what_they_kept(tmp_path: Path) -> None:
    program = """
w = torch.ones(4, 4, requires_grad=True)
(w * w).sum().backward()
for round in range(3):
    value = w.exp().sum()
"""
    (found,) = found_in(tmp_path, program)
    assert (found.kind, found.places[0].line) == ("no backward", 5)
    assert found.text == (
        "No backward came to 3 graphs. The one that begins in line 5 kept 64 B. Under "
        "torch.no_grad() no graph is made."
    )


def test_a_step_after_its_gradients_were_cleared_moved_nothing(tmp_path: Path) -> None:
    program = TRAINING.format(zero="pass").replace(
        "    optimizer.step()", "    optimizer.zero_grad()\n    optimizer.step()"
    )
    (found,) = found_in(tmp_path, program)
    assert (found.kind, [place.line for place in found.places]) == ("no effect", [10, 9])
    assert found.text == (
        "The step of SGD in line 10 moved no parameter: optimizer.zero_grad() in line 9 had "
        "cleared the gradients. Clear them before the backward, or after the step."
    )


def test_steps_of_an_optimizer_that_holds_other_parameters_moved_nothing(tmp_path: Path) -> None:
    program = """
optimizer = torch.optim.Adam(torch.nn.Linear(3, 1).parameters())
w = torch.ones(3, requires_grad=True)
w.square().sum().backward()
optimizer.step()
"""
    (found,) = [each for each in found_in(tmp_path, program) if each.kind == "no effect"]
    assert found.text == (
        "The step of Adam in line 5 moved no parameter: no backward had given one of them a "
        "gradient."
    )


def test_steps_that_are_lost_to_rounding_moved_nothing(tmp_path: Path) -> None:
    program = TRAINING.format(zero="optimizer.zero_grad()").replace("lr=0.1", "lr=1e-30")
    (found,) = found_in(tmp_path, program)
    assert (found.kind, found.places[0].line) == ("no effect", 9)
    assert "the learning rate is 0, or too small for their dtype" in found.text


@pytest.mark.parametrize("elements", [4, 300])  # a recording keeps all of 4, and statistics of 300
def test_a_step_that_moved_one_element_is_no_finding(elements: int, tmp_path: Path) -> None:
    program = f"""
w = torch.zeros({elements}, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
w[1].backward()
optimizer.step()
"""
    assert found_in(tmp_path, program) == []


def test_the_end_of_a_recording_that_is_too_long_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("minitorch.study.tape.recorder.LIMIT", 4)
    with pytest.warns(RuntimeWarning, match="it has 4 events: nothing more is recorded"):
        found = found_in(tmp_path, "x = torch.ones(3)\nfor i in range(9):\n    x = x + 1")
    (found,) = found
    assert (found.kind, found.places[0].line) == ("recording stopped", 4)
    assert found.text == "The recording stops early: it has 4 events: nothing more is recorded"


NETWORK = """
model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Tanh(), torch.nn.Linear(3, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.ones(4, 3)
"""
SOUND = {
    "gradients of several parts add up before a step": """
for step in range(2):
    optimizer.zero_grad()
    for part in range(2):
        (model(x).square().mean() / 2).backward()
    optimizer.step()
""",
    "an evaluation under no_grad": """
for step in range(2):
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()
    model.eval()
    with torch.no_grad():
        print(model(x).square().mean().item())
    model.train()
""",
    "an evaluation alone": """
with torch.inference_mode():
    print(model(x).sum().item())
""",
    "two adversaries, each with its optimizer": """
other = torch.nn.Linear(1, 1)
second = torch.optim.Adam(other.parameters(), lr=0.1)
for step in range(2):
    made = model(x)
    second.zero_grad()
    other(made.detach()).square().mean().backward()
    second.step()
    optimizer.zero_grad()
    other(made).square().mean().backward()
    optimizer.step()
""",
    "clipped gradients, logged losses and norms": """
total = 0.0
for step in range(2):
    optimizer.zero_grad()
    out = model(x)
    loss = out.square().mean()
    error = (out - 1).abs().mean()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    total += loss.item()
    print(error.item(), model[0].weight.norm().item())
""",
    "a layer that was frozen": """
for parameter in model[0].parameters():
    parameter.requires_grad_(False)
for step in range(2):
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()
""",
    "a teacher under no_grad, and a running mean of weights": """
teacher, mean = torch.nn.Linear(3, 1), torch.nn.Linear(3, 3)
for step in range(2):
    with torch.no_grad():
        target = teacher(x)
    optimizer.zero_grad()
    (model(x) - target).square().mean().backward()
    optimizer.step()
    with torch.no_grad():
        for old, new in zip(mean.parameters(), model[0].parameters()):
            old.mul_(0.9).add_(new, alpha=0.1)
""",
    "a learning rate that warms up from 0": """
warming = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: step / 2)
for step in range(3):
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()
    warming.step()
""",
    "a minimum, where gradients are 0": """
w = torch.zeros(3, requires_grad=True)
still = torch.optim.SGD([w], lr=0.1)
w.square().sum().backward()
still.step()
""",
    "updates by hand, with gradients that are filled with zeros": """
w = torch.ones(3, requires_grad=True)
for step in range(3):
    w.square().sum().backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad.zero_()
    w.square().sum().backward()
    w.data -= 0.1 * w.grad
    w.grad.data.fill_(0)
""",
    "gradients of a function that autograd.grad returns": """
point = torch.ones(1, 3, requires_grad=True)
(slope,) = torch.autograd.grad(model(point).sum(), point, create_graph=True)
((slope.norm() - 1) ** 2).backward(inputs=list(model.parameters()))
optimizer.step()
""",
    "gradients that are given by hand": """
gradients = torch.autograd.grad(model(x).sum(), list(model.parameters()))
for parameter, gradient in zip(model.parameters(), gradients):
    parameter.grad = gradient
optimizer.step()
""",
    "a closure that the optimizer calls": """
def closure():
    optimizer.zero_grad()
    loss = model(x).square().mean()
    loss.backward()
    return loss

for step in range(2):
    optimizer.step(closure)
""",
}


@pytest.mark.parametrize("program", SOUND.values(), ids=SOUND)
def test_a_sound_program_has_no_findings(program: str, tmp_path: Path) -> None:
    assert found_in(tmp_path, NETWORK + program) == []

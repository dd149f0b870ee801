"""findings(): what is found, where, and above all what is not."""

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

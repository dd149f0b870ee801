"""gradients(): by leaf and layer, dead units, and what fades or grows along the depth."""

from pathlib import Path

import pytest

import minitorch
from minitorch import nn, study
from tests.study.recorded_programs import recorded

DEEP = """
from minitorch import nn
model = nn.Sequential()
for _ in range(6):
    model.append(nn.Linear(8, 8))
    nn.init.constant_(model[-1].weight, {weight})
x = torch.ones(4, 8)
model(x).sum().backward()
"""


@pytest.mark.parametrize(("weight", "trend"), [(0.125, ""), (0.01, "vanish"), (1.0, "explode")])
def test_the_trend_along_the_depth_is_named(weight: float, trend: str, tmp_path: Path) -> None:
    report = study.gradients(recorded(tmp_path, DEEP.format(weight=weight)).tape)
    assert report.trend == trend
    assert [layer.name for layer in report.layers] == [f"{at} Linear" for at in range(6)]
    assert (f"Gradients {trend} on the way back" in str(report)) == bool(trend)


def test_norms_and_ratios_are_those_of_the_tensors(tmp_path: Path) -> None:
    program = """
w = torch.tensor([3.0, 4.0], requires_grad=True)
(w * torch.tensor([0.0, 2.0])).sum().backward()
"""
    (leaf,) = study.gradients(recorded(tmp_path, program).tape).parameters
    assert (leaf.name, leaf.norm, leaf.ratio, leaf.zeros) == ("w", 2.0, 0.4, 0.5)


def test_leaves_without_a_gradient_for_one_reason_share_a_sentence(tmp_path: Path) -> None:
    program = """
from minitorch import nn
a, b = nn.Linear(2, 2), nn.Linear(2, 2)
x = torch.ones(1, 2)
h = a(x).detach()
b(h).sum().backward()
"""
    report = study.gradients(recorded(tmp_path, program).tape)
    reasons = [leaf.reason for leaf in report.parameters]
    assert reasons[0] == reasons[1] != ""
    assert reasons[2:] == ["", ""]
    assert str(report).count("cut it off") == 1
    assert "It is so for bias too." in str(report)


def test_gradients_of_a_model_are_those_of_its_parameters() -> None:
    model = nn.Linear(2, 1)
    model.weight.data[:] = minitorch.tensor([[3.0, 4.0]])
    model(minitorch.tensor([[0.0, 10.0]])).sum().backward()
    weight, bias = study.gradients(model).parameters
    assert (weight.norm, weight.ratio, weight.zeros) == (10.0, 2.0, 0.5)
    assert (bias.name, bias.norm) == ("bias", 1.0)


def test_gradients_of_a_model_say_why_there_are_none() -> None:
    (weight, _) = study.gradients(nn.Linear(2, 1)).parameters
    assert weight.norm is None
    assert "no backward came to it" in weight.reason


def test_gradients_takes_recordings_and_models_only() -> None:
    with pytest.raises(TypeError, match="gradients takes a recording or a model, not int"):
        study.gradients(3)


def test_a_program_without_parameters_says_so(tmp_path: Path) -> None:
    tape = recorded(tmp_path, "x = torch.ones(3)\ny = x + 1").tape
    assert str(study.gradients(tape)) == "No parameters: nothing requires grad."

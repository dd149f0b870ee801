"""memory(): by line, by node, the peak, and checkpoints' predicted saving against the real one."""

from pathlib import Path
from typing import Any

import pytest

import minitorch
from minitorch import nn, study
from minitorch.study.tape.recording import Recording
from tests.study.recorded_programs import recorded

BLOCKS = """
from minitorch import nn
from minitorch.utils.checkpoint import checkpoint

class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.up = nn.Linear(d, 4 * d)
        self.down = nn.Linear(4 * d, d)

    def forward(self, x):
        return {body}

def called(f, *args):
    return f(*args)

def checkpointed(f, *args):
    return checkpoint(f, *args, use_reentrant=False)

torch.manual_seed(0)
blocks = nn.ModuleList([Block(16) for _ in range(4)])
x = torch.randn(32, 16)
for block in blocks:
    x = {call}(block, x)
loss = x.square().mean()
loss.backward()
"""


def alive_before_backward(tape: Recording) -> int:
    """Returns the bytes of the storages that live when the backward begins."""
    now = next(number for number, event in enumerate(tape.events) if event.kind == "backward")
    return sum(
        storage.bytes
        for storage in tape.storages
        if storage.born <= now and (storage.died is None or storage.died > now)
    )


@pytest.mark.parametrize(
    "body",
    [
        "x + self.down(torch.relu(self.up(x)))",
        "self.down(torch.tanh(self.up(torch.relu(x))))",
        "torch.relu(self.down(self.up(x).sigmoid() * 2))",
        "(x + self.down(self.up(x).exp().log1p())).sigmoid().square()",
    ],
)
def test_a_checkpoint_saves_the_bytes_that_were_predicted(body: str, tmp_path: Path) -> None:
    plain = recorded(tmp_path, BLOCKS.format(body=body, call="called")).tape
    spared = recorded(tmp_path, BLOCKS.format(body=body, call="checkpointed")).tape
    choice = next(each for each in study.memory(plain).checkpoints if each.name == "each Block")
    assert choice.bytes == alive_before_backward(plain) - alive_before_backward(spared)
    assert choice.bytes > 0
    assert choice.calls == 4


def test_a_checkpoint_costs_the_time_of_the_operators_inside(tmp_path: Path) -> None:
    body = "x + self.down(torch.relu(self.up(x)))"
    tape = recorded(tmp_path, BLOCKS.format(body=body, call="called")).tape
    choice = next(each for each in study.memory(tape).checkpoints if each.name == "each Block")
    events = [tape.events[number] for number in choice.events]
    assert [event.name for event in events] == ["linear", "relu", "linear", "add"] * 4
    assert choice.microseconds == pytest.approx(sum(event.s for event in events))


LAYERS = """
torch.manual_seed(0)
w = torch.randn(16, 16, requires_grad=True)

def layer(x):
    return torch.tanh(torch.sigmoid(x @ w) * 2)

def checkpointed(x):
    return torch.utils.checkpoint.checkpoint(layer, x, use_reentrant=False)

x = torch.randn(32, 16)
for t in range(5):
    x = {function}(x)
x.sum().backward()
"""


def test_a_checkpoint_of_rounds_saves_the_bytes_that_were_predicted(tmp_path: Path) -> None:
    plain = recorded(tmp_path, LAYERS.format(function="layer")).tape
    spared = recorded(tmp_path, LAYERS.format(function="checkpointed")).tape
    saved = alive_before_backward(plain) - alive_before_backward(spared)
    choice = study.memory(plain).checkpoints[0]
    assert (choice.bytes, choice.calls) == (saved, 5)


def test_a_checkpoint_saves_nothing_that_the_program_holds_itself(tmp_path: Path) -> None:
    program = """
w = torch.randn(64, 64, requires_grad=True)
h = torch.sigmoid(w)
loss = h.sum()
loss.backward()
"""
    assert study.memory(recorded(tmp_path, program).tape).checkpoints == []


def test_the_peak_names_its_line_and_its_parts(tmp_path: Path) -> None:
    program = """
w = torch.ones(1000, requires_grad=True)
loss = (w * w).exp().sum()
loss.backward()
"""
    peak = study.memory(recorded(tmp_path, program).tape).peak
    assert peak is not None
    assert peak.spot == "line 3"
    assert peak.parts["parameters"] == 4000
    assert sum(peak.parts.values()) == peak.bytes >= 12_000


def test_a_line_in_a_loop_counts_for_what_it_keeps_at_one_time(tmp_path: Path) -> None:
    program = """
w = torch.ones(100, requires_grad=True)
for epoch in range(3):
    loss = (w * w).exp().sum()
    loss.backward()
"""
    lines = study.memory(recorded(tmp_path, program).tape).lines
    assert [(line.spot, line.bytes) for line in lines] == [("line 4", 400)]


def test_memory_of_a_loss_counts_each_storage_of_its_graph_once() -> None:
    model = nn.Sequential(nn.Linear(2, 6), nn.ReLU(), nn.Linear(6, 2))
    x = minitorch.randn(8, 2)
    report = study.memory(model(x).square().sum())
    assert (report.kept, report.storages) == (64 + 192 + 64, 3)
    assert report.peak is None
    assert {node.name: node.own for node in report.nodes}["PowBackward0"] == 64


def test_memory_of_a_loss_names_the_lines_that_were_noted(tmp_path: Path) -> None:
    program = """
import minitorch as torch
from minitorch import study

w, x = torch.ones(4, 4, requires_grad=True), torch.ones(2, 4)
with study.lines():
    h = x @ w
    loss = (h * h).exp().sum()
late = loss.exp()
"""
    path = tmp_path / "train.py"
    path.write_text(program.lstrip())
    names: dict[str, Any] = {}
    exec(compile(program.lstrip(), path, "exec"), names)
    report = eval("study.memory(late)", names)
    assert [(line.spot, line.bytes, line.what) for line in report.lines] == [
        ("line 7", 64, ["h (made in line 6)", "result of ExpBackward0"]),
        ("line 6", 32, ["x"]),
        ("not noted", 4, ["late"]),
    ]
    spots = {(node.name, node.bytes): (node.spot, node.what) for node in report.nodes}
    assert spots["MmBackward0", 32] == ("line 6", ["self = x"])
    assert spots["ExpBackward0", 4] == ("", ["result = late"])


def test_memory_of_a_loss_without_notes_has_no_lines() -> None:
    h = minitorch.ones(3, requires_grad=True).exp()
    report = study.memory(h)
    assert report.lines == []
    assert [(node.spot, node.what) for node in report.nodes] == [("", ["result = h"])]


def test_memory_of_a_freed_graph_says_what_was_freed() -> None:
    loss = minitorch.ones(3, requires_grad=True).exp().sum()
    loss.backward()
    assert [node.what for node in study.memory(loss).nodes] == [["result freed"]]


def test_memory_of_a_model_says_to_call_it_first() -> None:
    with pytest.raises(TypeError, match=r"call the model first: memory\(model\(x\)\)"):
        study.memory(nn.Linear(1, 1))


def test_memory_of_a_recording_without_events_is_empty() -> None:
    report = study.memory(Recording("minitorch", "", ""))
    assert (report.kept, report.lines, report.nodes, report.checkpoints) == (0, [], [], [])

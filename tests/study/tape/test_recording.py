"""A recording as data: saving, loading, and the questions it answers."""

import json
import pickle
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import minitorch as torch
from minitorch import study
from minitorch.study.tape.recording import FORMAT, Recording, page_data

Record = Callable[..., Recording]
TEXT = """
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(3, 30), torch.nn.ReLU(), torch.nn.Linear(30, 2))
for epoch in range(2):
    loss = model(torch.randn(12, 3)).square().sum()
    model.zero_grad()
    loss.backward()
print("done", loss.shape)
"""


@pytest.fixture
def tape(recorded: Record) -> Recording:
    """The recording of a small training."""
    return recorded(TEXT)


def data_of(tape: Recording) -> Any:
    return json.loads(json.dumps(tape.to_json()))


def test_a_recording_is_the_same_after_saving_and_loading(tape: Recording, tmp_path: Path) -> None:
    tape.save(tmp_path / "a.json")
    again = study.load(tmp_path / "a.json")
    assert data_of(again) == data_of(tape)
    assert again.events == tape.events
    assert again.nodes == tape.nodes
    assert again.tensors == tape.tensors
    assert again.places == tape.places


def test_the_data_are_plain_json_with_the_keys_of_the_format(tape: Recording) -> None:
    data = data_of(tape)
    assert data["format"] == FORMAT
    operator = data["events"][0]
    assert {"kind", "t", "at", "name", "ins", "outs", "fn", "requires_grad"} <= set(operator)
    assert len(operator["outs"]) == len(operator["fn"]) == len(operator["requires_grad"])
    assert all(None not in event.values() for event in data["events"])


def test_large_values_keep_their_statistics(tape: Recording, tmp_path: Path) -> None:
    tape.save(tmp_path / "a.json")
    again = study.load(tmp_path / "a.json")
    large = [each for each in again.values if not each.is_whole]
    assert large
    assert large[0].statistics["n"] == 360
    assert large[0].array.shape == (large[0].rows, large[0].columns)


def test_a_page_is_read_like_the_data_that_it_carries(tape: Recording, tmp_path: Path) -> None:
    data, numbers = page_data(tape)
    path = tmp_path / "a.html"
    path.write_text(
        f'<!doctype html><script id="data">{data}</script><script id="numbers">{numbers}</script>'
    )
    assert data_of(study.load(path)) == data_of(tape)


@pytest.mark.parametrize("kept", [0.1, 0.5, 0.9])
def test_a_truncated_file_is_refused(tape: Recording, tmp_path: Path, kept: float) -> None:
    tape.save(tmp_path / "a.json")
    text = (tmp_path / "a.json").read_text()
    (tmp_path / "a.json").write_text(text[: int(len(text) * kept)])
    with pytest.raises(ValueError, match=r"a\.json"):
        study.load(tmp_path / "a.json")


def test_a_truncated_page_is_refused(tape: Recording, tmp_path: Path) -> None:
    data, _ = page_data(tape)
    (tmp_path / "a.html").write_text(f'<!doctype html><script id="data">{data[:50]}')
    with pytest.raises(ValueError, match="truncated"):
        study.load(tmp_path / "a.html")


def test_another_format_is_refused_with_both_numbers(tape: Recording) -> None:
    with pytest.raises(ValueError, match="format 2; this version reads format 1"):
        Recording.from_json({**tape.to_json(), "format": 2})


@pytest.mark.parametrize("damage", ["events", "numbers", "library"])
def test_damaged_data_are_refused(tape: Recording, damage: str) -> None:
    data = data_of(tape)
    if damage == "numbers":
        data["values"][0][1] = 10**9
    else:
        del data[damage]
    with pytest.raises(ValueError, match="damaged or incomplete"):
        Recording.from_json(data)


@pytest.mark.parametrize("data", [None, [], {}, {"a": 1}, "text"])
def test_what_is_no_recording_is_refused(data: Any) -> None:
    with pytest.raises(ValueError, match="no recording"):
        Recording.from_json(data)


def test_other_endings_of_a_file_are_refused(tape: Recording, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"saved as \.json or \.html"):
        tape.save(tmp_path / "a.pickle")


def test_each_round_of_a_training_is_a_graph(tape: Recording) -> None:
    graphs = tape.graphs()
    assert len(graphs) == 2
    assert [len(graph.nodes) for graph in graphs] == [7, 7]
    assert graphs[0].first is not None
    assert graphs[1].first is not None
    assert graphs[0].first < graphs[1].first


def test_names_fall_back_to_the_call_that_made_a_tensor(tape: Recording) -> None:
    makers = tape.makers()
    named = {tape.name_of(number, makers) for number in range(len(tape.tensors))}
    assert {"loss", "0.weight", "relu(…)", "pow(…)"} & named >= {"loss", "0.weight", "relu(…)"}


def test_an_event_says_where_and_in_which_round_it_was(tape: Recording) -> None:
    number = next(i for i, each in enumerate(tape.events) if each.kind == "zero")
    assert tape.where(number) == "script.py:6"
    assert tape.rounds_of(number) == [("for epoch in range(2)", 1)]
    node = next(i for i, each in enumerate(tape.events) if each.kind == "node")
    assert (tape.where(node), tape.place_of(None)) == ("", None)


def test_a_tensor_that_is_held_has_its_number_during_and_after_a_recording() -> None:
    before = torch.ones(2)
    with study.record("minitorch") as tape:
        h = before * 2
        y = h + 1
        assert tape.number_of(h) == 1
    assert [tape.number_of(each) for each in (before, h, y)] == [0, 1, 2]
    assert [tape.number_of(each) for each in (torch.ones(2), None, 3)] == [None] * 3


def test_the_number_of_a_tensor_that_died_is_not_given_to_another(uncollected: None) -> None:
    with study.record("minitorch") as tape:
        h = torch.ones(2)
    died = weakref.ref(h)
    del h
    assert died() is None
    assert all(tape.number_of(each) is None for each in [torch.ones(2) for _ in range(100)])


def test_a_recording_that_was_copied_or_loaded_knows_no_tensor(tmp_path: Path) -> None:
    with study.record("minitorch") as tape:
        h = torch.ones(2)
    tape.save(tmp_path / "a.json")
    for again in (study.load(tmp_path / "a.json"), pickle.loads(pickle.dumps(tape))):
        assert again.tensors == tape.tensors
        assert again.number_of(h) is None


def test_an_empty_recording_is_saved_and_loaded(recorded: Record, tmp_path: Path) -> None:
    tape = recorded("pass\n")
    tape.save(tmp_path / "a.json")
    again = study.load(tmp_path / "a.json")
    assert [each.kind for each in again.events] == ["end"]
    assert (again.graphs(), again.values) == ([], [])


def test_a_notebook_shows_the_page_in_a_frame(tape: Recording) -> None:
    shown = tape._repr_html_()
    assert 'srcdoc="&lt;!doctype html&gt;\n&lt;html lang=&quot;en&quot;&gt;' in shown
    assert 'sandbox="allow-scripts"' in shown


def test_a_recording_says_what_it_holds(tape: Recording) -> None:
    assert repr(tape).startswith("<recording 'script.py' of minitorch")

"""The page of a mistake: what the library does for the expression, and the wrong value in it."""

import json
import re

import pytest

from minitorch.study.exercises import check
from minitorch.study.exercises.mistake import mark_of, recording_of
from minitorch.study.tape.recording import Accumulation, NodeRun, Operator

PROGRAM = """\
a = Value(-3.0, requires_grad=True)
b = Value(2.0)
c = a * b
d = c + a"""


def test_a_leaf_is_marked_where_its_gradient_arrives():
    tape = recording_of(f"{PROGRAM}\nd.backward()")
    mark = mark_of(tape, "a", "why")
    event = tape.events[mark.event]
    assert isinstance(event, Accumulation)
    assert tape.values[event.total].array == 3.0
    assert (tape.tensors[mark.tensor].name, mark.text) == ("a", "why")


def test_an_inner_value_is_marked_where_its_gradient_is_complete():
    tape = recording_of(f"{PROGRAM}\nd.backward()")
    event = tape.events[mark_of(tape, "c", "").event]
    assert isinstance(event, NodeRun)
    assert tape.nodes[event.node].name == "MulBackward0"


@pytest.mark.parametrize("name", ["a", "b", "c", "d"])
def test_a_value_without_backward_is_marked_where_it_is_made(name):
    tape = recording_of(PROGRAM)
    event = tape.events[mark_of(tape, name, "").event]
    assert isinstance(event, Operator)
    assert tape.tensors[event.outs[0].tensor].name == name


def test_a_second_backward_through_one_graph_is_recorded():
    tape = recording_of(f"{PROGRAM}\nd.backward()\nd.backward()")
    assert tape.values[tape.events[mark_of(tape, "a", "").event].total].array == 6.0


def test_an_array_of_numpy_is_a_leaf():
    tape = recording_of("a = Value(numpy.array([1.0, 2.0]), requires_grad=True)\nb = a.sum()")
    assert [tensor.shape for tensor in tape.tensors if tensor.name == "a"] == [[2]]


def test_a_value_that_the_expression_lacks_is_refused():
    with pytest.raises(ValueError, match="the expression has no value 'z'"):
        mark_of(recording_of(PROGRAM), "z", "")


class Added:
    """Adds, and forgets who requires grad."""

    def __init__(self, data, requires_grad=False, inputs=(), operation=""):
        self.data, self.inputs, self.operation, self.grad = data, inputs, operation, None
        self.requires_grad = requires_grad

    def __add__(self, other):
        return Added(self.data + other.data, False, (self, other), "+")


def test_a_wrong_verdict_is_saved_as_a_page(tmp_path):
    verdict = check("value and graph", Added)
    assert verdict.value == "c"
    verdict.save(tmp_path / "wrong.html")
    text = (tmp_path / "wrong.html").read_text(encoding="utf-8")
    reports = json.loads(re.search(r'id="reports">(.*?)</script>', text)[1])
    assert reports["mark"]["text"] == verdict.text
    with pytest.raises(ValueError, match=r"a verdict is saved as \.html, not as 'wrong\.json'"):
        verdict.save("wrong.json")


def test_a_notebook_shows_a_wrong_verdict_with_its_page():
    shown = check("value and graph", Added)._repr_html_()
    assert shown.startswith("<pre>value and graph: not yet. c.requires_grad is False")
    assert "<iframe sandbox" in shown


def test_a_verdict_without_a_wrong_value_has_no_page(tmp_path):
    for verdict in (check("numbers", {"a": 1}, right={"a": 1}), check("quiz", ..., question="add")):
        assert verdict._repr_html_() is None
        with pytest.raises(ValueError, match="this verdict has no value to show"):
            verdict.save(tmp_path / "right.html")

"""The owner, place and round of code that runs, in a recording."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import minitorch
from minitorch.study import record
from minitorch.study.tape.places import Activation, remove_markers
from minitorch.study.tape.recording import Operator, Recording

Record = Callable[..., Recording]


def expressions(tape: Recording) -> list[str]:
    """The innermost expressions of the operators."""
    events = [i for i, event in enumerate(tape.events) if isinstance(event, Operator)]
    return [tape.place_of(i).expression for i in events]


def lines(tape: Recording) -> list[list[int]]:
    """The lines of all frames of each operator."""
    return [
        [tape.places[visit.place].line for visit in event.at]
        for event in tape.events
        if isinstance(event, Operator)
    ]


def rounds(tape: Recording, name: str) -> list[list[int]]:
    """The rounds in which an operator was called."""
    found = [i for i, each in enumerate(tape.events) if getattr(each, "name", None) == name]
    return [[number for _, number in tape.rounds_of(i)] for i in found]


X = "x = torch.ones(2, 2)\n"


def test_the_expression_is_the_part_of_the_line_that_called(recorded: Record) -> None:
    tape = recorded(X + "y = torch.relu(x @ x + 1)\n")
    assert expressions(tape)[1:] == ["x @ x", "x @ x + 1", "torch.relu(x @ x + 1)"]


def test_columns_count_characters_after_letters_of_two_bytes(recorded: Record) -> None:
    tape = recorded(X + "größe, y = 'ü', x + x\n")
    place = tape.place_of(1)
    assert place.expression == "x + x"
    assert (place.column, place.end_column) == (16, 21)


def test_a_call_of_several_lines_has_all_of_them(recorded: Record) -> None:
    tape = recorded(X + "y = torch.add(\n    x,\n    x,\n)\n")
    place = tape.place_of(1)
    assert (place.line, place.end_line, place.expression) == (2, 5, "torch.add( …")


def test_a_line_that_begins_with_a_tab_has_its_expression(recorded: Record) -> None:
    assert expressions(recorded(X + "if True:\n\ty = x * 2\n"))[1] == "x * 2"


@pytest.mark.parametrize(
    "text",
    [
        "(y := x + 1)",
        "f = lambda v: v + 1\nf(x)",
        "ys = [x + 1 for _ in range(1)]",
        "def f(v):\n    return v + 1\nf(x)",
        "def g():\n    yield x + 1\nlist(g())",
        "class C:\n    y = x + 1",
        "def d(f):\n    return f\n@d\ndef f(v=x + 1):\n    pass",
    ],
)
def test_the_line_is_found_in_all_kinds_of_code(recorded: Record, text: str) -> None:
    assert expressions(recorded(X + text + "\n"))[1] in ("x + 1", "v + 1")


def test_frames_come_outermost_first(recorded: Record) -> None:
    text = "def inner(v):\n    return v + 1\ndef outer(v):\n    return inner(v)\nouter(x)\n"
    assert lines(recorded(X + text))[1] == [6, 5, 3]


def test_library_frames_are_none_of_the_readers(recorded: Record) -> None:
    tape = recorded("m = torch.nn.Sequential(torch.nn.Linear(2, 2))\ny = m(torch.ones(1, 2))\n")
    assert lines(tape)[-1] == [2]


def test_nested_loops_count_their_rounds_apart(recorded: Record) -> None:
    text = "for i in range(2):\n    for j in range(3):\n        y = x * i\n    z = x + 1\n"
    tape = recorded(X + text)
    assert rounds(tape, "mul") == [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]
    assert rounds(tape, "add") == [[0], [1]]


def test_a_body_of_one_operator_counts_its_rounds(recorded: Record) -> None:
    tape = recorded(X + "for i in range(3): y = x * i\n")
    assert rounds(tape, "mul") == [[0], [1], [2]]


def test_a_while_whose_test_computes_counts_its_rounds(recorded: Record) -> None:
    text = "k = 0\nwhile x.sum() > 0 and k < 3:\n    y = x * 2\n    k += 1\n"
    tape = recorded(X + text)
    assert rounds(tape, "mul") == [[0], [1], [2]]


def test_break_and_continue_leave_the_count_right(recorded: Record) -> None:
    text = (
        "for i in range(4):\n    a = x + i\n    if i == 1:\n        continue\n"
        "    for j in range(3):\n        if j == 1:\n            break\n        b = x * i\n"
    )
    tape = recorded(X + text)
    assert rounds(tape, "add") == [[0], [1], [2], [3]]
    assert rounds(tape, "mul") == [[0, 0], [2, 0], [3, 0]]


def test_two_calls_of_a_function_in_one_round_are_in_that_round(recorded: Record) -> None:
    text = "def f(v):\n    return v * 2\nfor i in range(2):\n    y = f(x)\n    z = f(f(y))\n"
    tape = recorded(X + text)
    assert rounds(tape, "mul") == [[0], [0], [0], [1], [1], [1]]


def test_a_loop_in_a_function_starts_anew_with_each_call(recorded: Record) -> None:
    text = "def f(v):\n    for i in range(2):\n        v = v * 2\n    return v\nf(f(x))\n"
    assert rounds(recorded(X + text), "mul") == [[0], [1], [0], [1]]


def test_recursion_keeps_the_rounds_of_each_call(recorded: Record) -> None:
    text = (
        "def f(v, n):\n    for i in range(2):\n        if n:\n            v = f(v, n - 1)\n"
        "        v = v * 2\n    return v\nf(x, 1)\n"
    )
    tape = recorded(X + text)
    assert rounds(tape, "mul") == [[0, 0], [0, 1], [0], [1, 0], [1, 1], [1]]


def test_a_generator_counts_the_rounds_of_its_own_loop(recorded: Record) -> None:
    text = "def g():\n    for i in range(3):\n        yield x * i\nfor v in g():\n    y = v + 1\n"
    tape = recorded(X + text)
    assert [each[-1] for each in rounds(tape, "mul")] == [0, 1, 2]
    assert rounds(tape, "add") == [[0], [1], [2]]


def test_several_operators_of_one_call_are_in_one_round(recorded: Record) -> None:
    text = (
        "m = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())\n"
        "for i in range(2):\n    y = m(x)\n"
    )
    tape = recorded(X + text)
    assert rounds(tape, "linear") == rounds(tape, "relu") == [[0], [1]]


def test_rounds_are_told_while_something_traces(recorded: Record) -> None:
    before = sys.gettrace()
    sys.settrace(lambda *_: None)
    try:
        tape = recorded(X + "for i in range(3):\n    y = x * i\n    z = y + 1\n")
    finally:
        sys.settrace(before)
    assert rounds(tape, "mul") == [[0], [1], [2]]


def test_markers_are_removed_from_frames() -> None:
    frame = sys._getframe()
    frame.f_trace = Activation()
    remove_markers(frame)
    assert frame.f_trace is None


def test_code_without_a_source_has_lines_and_no_text(recorded: Record) -> None:
    tape = recorded(X + "exec(compile('\\n\\ny = x + 1', '<here>', 'exec'))\n")
    place = tape.place_of(1)
    assert (place.line, place.expression) == (3, "")
    assert tape.files[place.file].text == ""


def test_equal_functions_of_two_files_have_places_of_their_own(tmp_path: Path) -> None:
    names: dict[str, Any] = {"torch": minitorch}
    text = "def f(x):\n    return x * 2\n"
    with record("minitorch") as tape:
        x = minitorch.ones(2)
        for file in ("one.py", "other.py"):
            (tmp_path / file).write_text(text)
            exec(compile(text, str(tmp_path / file), "exec"), names)
            names["f"](x)
    assert [tape.where(number) for number in (1, 2)] == ["one.py:2", "other.py:2"]

"""Loops, assignment targets and operands, as the source of a file says."""

from pathlib import Path

import pytest

from minitorch.study.tape.sources import Operands, Position, Source


@pytest.fixture
def source(tmp_path: Path):
    """A function that makes a Source of a text."""

    def make(text: str) -> Source:
        path = tmp_path / "script.py"
        path.write_text(text, encoding="utf-8")
        return Source(str(path))

    return make


def targets_of(source: Source) -> list[list[str]]:
    return [source.targets[key] for key in sorted(source.targets)]


def test_loops_are_listed_by_their_first_line_with_their_heads(source) -> None:
    found = source(
        "for i in a:\n    while b:\n        c()\n    else:\n        d()\nfor k in e: f()\n"
    )
    assert [tuple(loop) for loop in found.loops] == [
        (1, 5, "for i in a"),
        (2, 3, "while b"),
        (6, 6, "for k in e"),
    ]


def test_a_body_is_in_its_loops_and_the_head_of_a_for_is_not(source) -> None:
    found = source("for i in a:\n    b()\n    while c:\n        d()\ne()\n")
    assert found.loops_at(Position(1, 9, 1, 10)) == ()
    assert found.loops_at(Position(1, 9, 1, 10), iterates=True) == (0,)
    assert found.loops_at(Position(2, 4, 2, 7)) == (0,)
    assert found.loops_at(Position(3, 10, 3, 11)) == (0, 1)
    assert found.loops_at(Position(4, 8, 4, 11)) == (0, 1)
    assert found.loops_at(Position(5, 0, 5, 3)) == ()


def test_the_else_of_a_loop_is_no_part_of_its_rounds(source) -> None:
    found = source("for i in a:\n    b()\nelse:\n    c()\n")
    assert found.loops_at(Position(4, 4, 4, 7)) == ()


def test_assignments_of_all_kinds_name_their_values(source) -> None:
    found = source("a = f()\nb: int = g()\nc += h()\nif (d := k()): pass\ne = x = m()\n")
    assert targets_of(found) == [["a"], ["b"], ["c"], ["d"], ["e"]]


def test_tuples_are_named_part_by_part(source) -> None:
    found = source("a, b = f(), g()\nc, (d, e) = h()\nself.x = k()\n")
    assert targets_of(found) == [["a"], ["b"], ["c", "d", "e"], ["self.x"]]


def test_the_argument_of_parameter_is_named_after_the_parameter(source) -> None:
    found = source("w = nn.Parameter(torch.zeros(3))\n")
    assert list(found.wrapped.values()) == [["w"]]


def test_operands_are_names_and_attributes_of_names(source) -> None:
    found = source("import torch\ntorch.mm(a, self.w)\nx.mm(b)\nc @ f()\n")
    operands = [found.operands[key] for key in sorted(found.operands) if key.line > 1]
    assert Operands("mm", ("a", "self.w")) in operands
    assert Operands("mm", ("x", "b")) in operands
    assert Operands(None, ("c", None)) in operands


def test_columns_count_characters_not_bytes(source) -> None:
    found = source("größe = f(ä)  # ü\n")
    assert found.characters(1, len("größe = ".encode())) == 8
    assert found.expression(Position(1, 10, 1, 15)) == "f(ä)"


def test_a_tab_is_one_column(source) -> None:
    found = source("if a:\n\tb = f(a)\n")
    assert found.expression(Position(2, 5, 2, 9)) == "f(a)"


def test_an_expression_of_several_lines_is_shown_by_its_first(source) -> None:
    found = source("a = f(\n    b,\n)\n")
    assert found.expression(Position(1, 4, 3, 1)) == "f( …"


def test_a_whole_expression_joins_its_lines(source) -> None:
    found = source("größe = f(\n    ä,\n    b)  # more\n")
    assert found.whole_expression(Position(1, 10, 3, 6)) == "f( ä, b)"
    assert found.whole_expression(Position(9, 0, 9, 1)) == ""


def test_a_source_that_is_not_to_be_had_is_empty() -> None:
    found = Source("<stdin>")
    assert (found.text, found.loops, found.expression(Position(1, 0, 1, 3))) == ("", [], "")


def test_a_file_that_is_no_python_has_a_text_and_nothing_else(source) -> None:
    found = source("this is no python\n")
    assert found.text == "this is no python\n"
    assert not found.loops
    assert not found.targets


def test_the_whole_line_is_its_text_without_blanks(source) -> None:
    found = source("if ä:\n    größe = 1  \n")
    line = found.whole_line(2)
    assert found.expression(line) == "größe = 1"

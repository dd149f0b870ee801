"""python -m minitorch.study.check: every row passes, and one that fails is told."""

import pytest

from minitorch.study import check, check_rows
from minitorch.study.check_rows import ROWS, Failed, Row, expect, expect_equal, expect_text


@pytest.mark.parametrize("number", range(1, len(ROWS) + 1), ids=lambda n: ROWS[n - 1].title)
def test_what_readers_are_shown_is_seen(number):
    assert check.result_of(number, "minitorch").problem == ""


def test_there_are_21_rows_with_titles_of_their_own():
    assert len({row.title for row in ROWS}) == 21


def row_of(title, program, verdict):
    def examine(run):
        verdict(run)

    return Row(title, program, examine)


@pytest.fixture
def few_rows(monkeypatch):
    rows = [
        row_of("good", "\nx = torch.ones(2)\n", lambda run: expect(len(run.names["x"]) == 2, "")),
        row_of("bad", "\nx = torch.ones(2)\n", lambda run: expect_equal(2, 3, "the size")),
        row_of("raises", "\nx = 1 / 0\n", lambda run: None),
        row_of("lacks", "\n", lambda run: run.tensor("y")),
    ]
    monkeypatch.setattr(check, "ROWS", rows)


def test_rows_that_fail_or_raise_are_told_and_the_others_go_on(few_rows, capsys):
    assert check.main(["--minitorch"]) == 1
    printed = capsys.readouterr().out
    assert "  1 good" in printed
    assert "2 under minitorch: the size: 2, expected 3" in printed
    assert "3 under minitorch: ZeroDivisionError: division by zero" in printed
    assert "4 under minitorch: expected a tensor called y" in printed
    assert "1 of 4 passed" in printed


def test_the_status_is_0_when_all_pass(few_rows, monkeypatch, capsys):
    monkeypatch.setattr(check, "ROWS", check.ROWS[:1])
    assert check.main(["--minitorch"]) == 0
    assert "1 of 1 passed" in capsys.readouterr().out


def test_wrong_arguments_get_the_usage(capsys):
    assert check.main(["--numpy"]) == 2
    assert check.USAGE in capsys.readouterr().err


def test_expectations_fail_with_what_is_there():
    for fails, text in [
        (lambda: expect(0, "a number"), "expected a number"),
        (lambda: expect_text("some text", "text", "word"), "expected 'word' in 'some text'"),
    ]:
        with pytest.raises(Failed, match=text):
            fails()
    assert check_rows.expect_text("some text", "some", "text") is None

"""Gaps, totals, reproducers and the command line."""

import json
import sys

import pytest

from conformance.__main__ import main
from conformance.cases import opinfo
from conformance.cases.sources import Unit
from conformance.differ import gaps
from conformance.differ.compare import Grade
from conformance.differ.gaps import Gap
from conformance.examine import Found, Verdict
from conformance.report.board import summary
from conformance.report.verdicts import Ledger

GAP = Gap("mul*", "stride", "noise", "https://example.org")


def verdict(key, **grades):
    return Verdict(
        Unit("opinfo", key), {name: Found(cases=1, grade=grade) for name, grade in grades.items()}
    )


def test_a_listed_difference_passes_and_another_does_not():
    ledger = Ledger(("value", "stride"), [GAP])
    ledger.verdicts = [verdict("mul", value=Grade.SAME, stride=Grade.WRONG)]
    assert ledger.clean
    ledger.verdicts = [verdict("mul", value=Grade.WRONG, stride=Grade.WRONG)]
    assert not ledger.clean
    ledger.verdicts = [verdict("add", value=Grade.SAME, stride=Grade.WRONG)]
    assert not ledger.clean


def test_a_gap_that_no_longer_differs_fails():
    ledger = Ledger(("value", "stride"), [GAP])
    ledger.verdicts = [verdict("mul", value=Grade.SAME, stride=Grade.SAME)]
    assert ledger.stale == [GAP]
    assert not ledger.clean


def test_a_gap_that_was_not_looked_at_is_not_stale():
    ledger = Ledger(("value",), [GAP], [verdict("add", value=Grade.SAME)])
    assert ledger.clean


def test_a_crash_is_not_clean():
    assert not Ledger(("value",), [], [Verdict(Unit("opinfo", "mul"), trouble="crashed")]).clean


def test_the_last_line_counts_passing_of_applicable():
    ledger = Ledger(("value", "grad"))
    ledger.verdicts = [
        verdict("a", value=Grade.ULPS, grad=Grade.WRONG),
        verdict("b", value=Grade.SAME),
    ]
    assert summary(ledger)[-1] == "value 2 of 2; grad 0 of 1"


def test_the_list_of_gaps_is_complete_and_short():
    entries = gaps.read()
    assert len(entries) <= 10
    assert all(gap.reason and gap.link for gap in entries)


@pytest.mark.parametrize("key", ["add", "__getitem__", "sort", "nn.functional.conv2d", "where"])
def test_every_reproducer_runs(key, capsys):
    kinds = set()
    for trial in opinfo.trials(key, opinfo.PROFILES["quick"], 0):
        if trial.experiment in kinds or trial.experiment in ("error", "out"):
            continue
        kinds.add(trial.experiment)
        exec(compile(trial.script("minitorch"), "reproducer", "exec"), {})
    assert capsys.readouterr().out


def test_the_command_line_writes_json_and_says_clean(tmp_path, capsys):
    file = tmp_path / "verdict.json"
    arguments = ["--impl", "torch", "--op", "abs", "--op", "t", "--limit", "2", "--json", str(file)]
    assert main(arguments) == 0
    content = json.loads(file.read_text())
    assert content["clean"]
    assert set(content["units"]) == {"abs", "t"}
    assert content["totals"]["all"]["value"]["applicable"] == 2
    assert "clean: 2 of 2" in capsys.readouterr().out


def test_the_command_line_fails_for_a_difference(monkeypatch, capsys):
    from conformance.tests import faulty

    monkeypatch.setitem(sys.modules, "torch_with_a_fault", faulty.module("another node"))
    assert main(["--impl", "torch_with_a_fault", "--op", "square", "--limit", "1"]) == 1
    assert main(["--impl", "torch_with_a_fault", "--explain", "square", "--limit", "1"]) == 1
    assert "PowBackward0" in capsys.readouterr().out


def test_an_unknown_operator_is_refused(capsys):
    assert main(["--impl", "torch", "--op", "no such"]) == 2

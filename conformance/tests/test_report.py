"""Gaps, totals, reproducers and the command line."""

import json
import os
import signal
import sys
import time
from dataclasses import replace
from fnmatch import fnmatchcase

import pytest

from conformance import examine as examiner
from conformance import pool
from conformance.__main__ import main
from conformance.cases import distributed, opinfo
from conformance.cases.programs.program import Program
from conformance.cases.sources import SOURCES, Unit, units
from conformance.differ import gaps
from conformance.differ.compare import Grade
from conformance.differ.gaps import Gap
from conformance.examine import Found, Verdict, examine
from conformance.options import Options
from conformance.oracle import choices
from conformance.report.board import summary
from conformance.report.verdicts import Ledger

GAP = Gap("mul*", "stride", "noise", "https://example.org")


def verdict(key, **grades):
    return Verdict(
        Unit("opinfo", key),
        {name: Found(cases=1, grades={(grade, "")}) for name, grade in grades.items()},
    )


def test_a_listed_difference_passes_and_another_does_not():
    ledger = Ledger(("value", "stride"), [GAP])
    ledger.verdicts = [verdict("mul", value=Grade.SAME, stride=Grade.WRONG)]
    assert ledger.clean
    ledger.verdicts = [verdict("mul", value=Grade.WRONG, stride=Grade.WRONG)]
    assert not ledger.clean
    ledger.verdicts = [verdict("add", value=Grade.SAME, stride=Grade.WRONG)]
    assert not ledger.clean


def test_a_gap_accepts_no_exception_and_nothing_missing_unless_it_says_so():
    ledger = Ledger(("stride",), [GAP], [verdict("mul", stride=Grade.RAISES)])
    assert ledger.wrong(ledger.verdicts[0])
    assert Ledger(("stride",), [replace(GAP, grades=("RAISES",))], ledger.verdicts).clean
    ledger.verdicts[0].found["stride"].grades = {(Grade.WRONG, ""), (Grade.MISSING, "")}
    assert ledger.missing(ledger.verdicts[0])
    assert not ledger.wrong(ledger.verdicts[0])


def test_a_gap_may_accept_a_part_of_a_property():
    found = verdict("mul", stride=Grade.WRONG)
    found.found["stride"].grades = {(Grade.WRONG, "values")}
    assert Ledger(("stride",), [replace(GAP, part="values")], [found]).clean
    assert not Ledger(("stride",), [replace(GAP, part="stride")], [found]).clean


def test_noise_needs_no_gap():
    assert Ledger(("grad",), [], [verdict("mul", grad=Grade.NOISE)]).clean


def test_a_gap_may_speak_of_one_of_torchs_choices(tmp_path, monkeypatch):
    file = tmp_path / "gaps.toml"
    entry = '[[gap]]\npattern = "a"\nproperty = "grad"\nreason = "r"\nlink = "l"\n'
    file.write_text(entry + 'when = "oneDNN takes bfloat16"\n')
    for answer in (True, False):
        monkeypatch.setitem(choices.CHOICES, "oneDNN takes bfloat16", lambda answer=answer: answer)
        assert len(gaps.read(file)) == answer
    file.write_text(entry + 'when = "it rains"\n')
    with pytest.raises(LookupError, match="it rains"):
        gaps.read(file)


def test_a_gap_that_no_longer_differs_fails():
    ledger = Ledger(("value", "stride"), [GAP])
    ledger.verdicts = [verdict("mul", value=Grade.SAME, stride=Grade.SAME)]
    assert ledger.stale == [GAP]
    assert not ledger.clean


def test_a_gap_for_one_of_torchs_choices_need_not_differ():
    same = verdict("mul", stride=Grade.SAME)
    gap = replace(GAP, when="oneDNN takes float16")  # its text may depend on more than that
    assert Ledger(("stride",), [gap], [same]).clean


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
    core = [key for key, tier in opinfo.tiers().items() if tier == "core"]
    assert sum(fnmatchcase(key, gap.pattern) for gap in entries for key in core) <= 10
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
    assert "PowBackward0" in capsys.readouterr().out  # the first differences are told unasked
    assert main(["--impl", "torch_with_a_fault", "--explain", "square", "--limit", "1"]) == 1
    assert "PowBackward0" in capsys.readouterr().out


def test_an_unknown_operator_is_refused(capsys):
    assert main(["--impl", "torch", "--op", "no such"]) == 2


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_keeps_what_it_found(sign, monkeypatch, tmp_path, capsys):
    def verdicts(units, options, jobs):
        yield examine(units[0], options)
        os.kill(os.getpid(), sign)
        time.sleep(60)  # on a busy machine the signal takes its time
        yield examine(units[1], options)

    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    # A shell that starts the tests in the background lets them ignore the first of these.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr("conformance.__main__.verdicts", verdicts)
    files = [f"{kind}={tmp_path / 'verdict'}.{kind[2:]}" for kind in ("--json", "--html")]
    try:
        assert main(["--impl", "torch", "--op", "t", "--op", "abs", "--limit", "1", *files]) == 1
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
    assert "interrupted after 1 of 2 units" in capsys.readouterr().out
    content = json.loads((tmp_path / "verdict.json").read_text())
    assert set(content["units"]) == {"t"}
    assert not content["complete"]
    assert '"key":"t"' in (tmp_path / "verdict.html").read_text()


def test_the_pool_outlives_a_worker_that_dies(monkeypatch):
    def dies(unit, options):
        if unit.key == "abs":
            os._exit(3)
        return examine(unit, options)

    monkeypatch.setattr("conformance.pool.examine", dies)
    units = [Unit("opinfo", key) for key in ("abs", "t")]
    found = {v.name: v for v in pool.verdicts(units, Options(impl="torch", limit=1), 1)}
    assert found["abs"].trouble == "crashed: exit code 3"
    assert found["t"].passes


def test_a_process_that_begins_anew_as_on_cuda_comes_to_the_same_verdict(monkeypatch):
    monkeypatch.setattr(pool, "start_method", lambda device: "spawn")
    (found,) = pool.verdicts([Unit("opinfo", "t")], Options(impl="torch", limit=1), 1)
    assert found.passes
    assert found.found["value"].cases


@pytest.mark.parametrize("whose", ["torch", "library"])
def test_a_program_that_torch_does_not_survive_is_left_out(monkeypatch, whose):
    def dies(self, module):
        at, done = examiner.PLACE
        if at == 3 and self.source != "pass\n" and done == (whose == "library"):
            os._exit(3)
        return perform(self, module)

    perform = Program.perform
    monkeypatch.setattr(Program, "perform", dies)
    options = Options(impl="torch", examples=6)
    (found,) = pool.verdicts([Unit("programs", "000")], options, 1)
    assert found.deadly == ((3,) if whose == "torch" else ())
    assert found.passes == (whose == "torch")
    assert not found.passes or found.found["value"].cases == 6


@pytest.mark.parametrize(("names", "stale"), [(("mul",), [GAP]), (("mul", "mul_other"), [])])
def test_a_gap_is_stale_only_where_all_that_it_speaks_of_was_looked_at(names, stale):
    looked_at = [verdict("mul", value=Grade.SAME, stride=Grade.SAME)]
    ledger = Ledger(("value", "stride"), [GAP], looked_at, frozenset(names))
    assert ledger.stale == stale
    ledger.strict = False
    assert ledger.stale == []


def test_every_gap_speaks_of_something():
    every = {
        profile: [unit.name for unit in units(list(SOURCES), Options(profile=profile))]
        for profile in ("quick", "full")
    }
    for gap in gaps.read():
        names = every[gap.profile or "quick"]
        assert any(gap.covers(name, gap.property) for name in names), gap.pattern


def test_what_is_missing_fails_in_the_core_tier_alone():
    missing = {"value": Found(cases=1, grades={(Grade.MISSING, "")})}
    for key, clean in (("add", False), ("special.airy_ai", True)):
        assert Ledger(("value",), [], [Verdict(Unit("opinfo", key), missing)]).clean is clean


def test_a_gap_may_speak_of_one_profile(tmp_path):
    file = tmp_path / "gaps.toml"
    keys = 'pattern = "a"\nproperty = "value"\nreason = "r"\nlink = "l"\n'
    file.write_text(f'[[gap]]\n{keys}[[gap]]\n{keys}profile = "full"\n')
    assert [len(gaps.read(file, profile=name)) for name in ("quick", "full")] == [1, 2]


def test_a_gap_may_speak_of_several_devices(tmp_path):
    file = tmp_path / "gaps.toml"
    keys = 'pattern = "a"\nproperty = "value"\nreason = "r"\nlink = "l"\n'
    file.write_text(f'[[gap]]\n{keys}[[gap]]\n{keys}device = "cpu,stand-in"\n')
    assert [len(gaps.read(file, device=name)) for name in ("cpu", "stand-in", "cuda")] == [2, 1, 0]


def test_a_source_without_units_says_why(monkeypatch):
    monkeypatch.setattr(distributed, "find_spec", lambda name: None)
    lines = summary(Ledger(("value",), without_units=["distributed", "opinfo"]))
    assert lines[0].startswith("distributed: skipped, since mpi4py is not installed")

"""The processes in which units are examined: which units share one."""

import os

from conformance import pool
from conformance.cases.sources import Unit
from conformance.examine import Verdict
from conformance.options import Options

OPERATOR = Unit("rows", "0-499")
PROGRAM = Unit("errors", "calls")


def test_programs_have_processes_of_their_own_and_operators_share_one(monkeypatch):
    monkeypatch.setattr(pool, "examine", lambda unit, _: Verdict(unit, trouble=str(os.getpid())))
    given = [OPERATOR, OPERATOR, PROGRAM, PROGRAM, OPERATOR, OPERATOR]
    first, again, program, other, after, last = [
        verdict.trouble for verdict in pool.verdicts(given, Options(), jobs=1)
    ]
    assert first == again
    assert after == last
    assert len({first, program, other, after}) == 4


def test_files_of_written_programs_are_programs_and_samples_of_operators_are_not():
    assert PROGRAM.is_program
    assert not OPERATOR.is_program
    assert not Unit("modes", "backward/add").is_program

"""Processor time is limited, not time by the clock: load decides no verdict."""

import sys
import threading
import time

import pytest

from conformance import examine as examiner
from conformance import limits, pool
from conformance.cases.sources import Unit
from conformance.examine import Verdict, examine
from conformance.limits import TimeLimit, time_limit
from conformance.mutants.processes import Lost, each_in_a_process
from conformance.options import Options

BUSY = "import time\nwhile time.process_time() < {}: pass"


@pytest.fixture
def patient(monkeypatch):
    """Ends no unit by the clock, however busy the machine is."""
    monkeypatch.setattr(limits, "WAITING", 10_000)


@pytest.fixture
def impatient(monkeypatch):
    """Ends units that take longer than their limit by the clock, after one second."""
    monkeypatch.setattr(limits, "WAITING", 1)


def burn(*_):
    while True:
        pass


def block(*_):
    threading.Event().wait()


def python(program):
    return limits.run([sys.executable, "-c", program])


def test_what_sleeps_longer_than_its_limit_is_not_stopped(patient):
    with time_limit(0.2):
        time.sleep(0.5)


def test_what_computes_longer_than_its_limit_is_stopped(patient):
    with pytest.raises(TimeLimit, match="stopped after 1 s of processor time"), time_limit(1):
        burn()


def test_what_waits_for_ever_is_stopped_by_the_clock(impatient):
    with pytest.raises(TimeLimit, match="stopped after 1 s, most of them spent"), time_limit(1):
        block()


def test_no_limit_is_left_behind(patient):
    with time_limit(0.05):
        pass
    end = time.process_time() + 0.2
    while time.process_time() < end:
        pass


def test_a_command_that_sleeps_is_not_stopped(patient):
    with time_limit(0.9):
        assert python("import time; time.sleep(1); print('awake')").stdout == "awake\n"


def test_a_command_that_computes_for_ever_is_stopped(patient):
    with pytest.raises(TimeLimit, match="processor time"), time_limit(0.5):
        python("while True: pass")


def test_the_time_of_a_command_counts_for_who_runs_it(patient):
    with pytest.raises(TimeLimit, match="processor time"), time_limit(0.5):
        python(BUSY.format(0.6))


def test_a_command_that_waits_for_ever_is_stopped_by_the_clock(impatient):
    with pytest.raises(TimeLimit, match="waiting"), time_limit(0.5):
        python("import threading; threading.Event().wait()")


def test_a_command_without_a_limit_runs_to_its_end():
    assert python("print('done')").stdout == "done\n"


@pytest.mark.parametrize("what", [burn, block])
def test_a_unit_beyond_its_limit_is_stopped_and_says_so(what, monkeypatch):
    monkeypatch.setattr(limits, "WAITING", 10_000 if what is burn else 1)
    monkeypatch.setattr(examiner, "cases", what)
    found = examine(Unit("opinfo", "mul"), Options(impl="torch", seconds=1))
    why = "1 s of processor time" if what is burn else "1 s, most of them spent waiting"
    assert found.trouble == f"stopped after {why}"


def test_a_unit_says_how_much_processor_time_it_used(monkeypatch):
    def cases(unit, options):
        end = time.process_time() + 0.2
        while time.process_time() < end:
            pass
        python(BUSY.format(0.3))
        return []

    monkeypatch.setattr(examiner, "cases", cases)
    assert examine(Unit("opinfo", "mul"), Options(impl="torch")).seconds >= 0.5


@pytest.mark.parametrize("what", [burn, block])
def test_a_worker_that_does_not_stop_is_killed(what, monkeypatch):
    def examined(unit, options):
        return Verdict(unit) if unit.key == "abs" else what()

    monkeypatch.setattr(limits, "WAITING", 10_000 if what is burn else 1)
    monkeypatch.setattr(pool, "GRACE", 0)
    monkeypatch.setattr(pool, "examine", examined)
    units = [Unit("opinfo", key) for key in ("mul", "abs")]
    found = {v.name: v.trouble for v in pool.verdicts(units, Options(impl="torch", seconds=1), 1)}
    assert found.pop("abs") == ""
    assert found["mul"].startswith("killed after ")
    assert ("processor time" in found["mul"]) == (what is burn)


def test_a_fault_that_never_ends_is_lost_after_its_processor_time(patient):
    ((_, result),) = each_in_a_process(burn, [None], 1, seconds=1)
    assert result == Lost("no answer within 1 s of processor time")


def test_a_fault_that_sleeps_longer_than_its_limit_is_not_lost(patient):
    ((_, result),) = each_in_a_process(lambda _: time.sleep(1.1), [None], 1, seconds=1)
    assert result is None

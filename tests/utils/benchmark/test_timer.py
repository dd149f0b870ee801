"""torch.utils.benchmark: measurements and their printed text."""

import pytest

from minitorch.utils.benchmark import (
    Measurement,
    TaskSpec,
    Timer,
    ordered_unique,
    select_unit,
    trim_sigfig,
    unit_to_english,
)

# A timer sets the number of threads.
pytestmark = pytest.mark.filterwarnings("ignore:torch.set_num_threads. install threadpoolctl")


def test_a_timer_runs_a_statement_as_often_as_told():
    seen = []
    timer = Timer("seen.append(n)", "n = 3", globals={"seen": seen})
    measured = timer.timeit(20)
    assert seen == [3] * 22
    assert measured.number_per_run == 20
    assert measured.median == measured.mean == measured.times[0] > 0


def test_blocks_last_for_the_time_that_is_asked_for():
    timer = Timer("x + x", "x = torch.ones(2)", label="sums", sub_label="of two", num_threads=1)
    calls = []
    measured = timer.blocked_autorange(lambda *call: calls.append(call), min_run_time=0.002)
    assert sum(measured.raw_times) >= 0.002
    assert [time for _, time in calls] == measured.raw_times
    assert (measured.title, measured.as_row_name, measured.stmt) == (
        "sums: of two",
        "of two",
        "x + x",
    )


def test_a_measurement_says_its_quartiles():
    task = TaskSpec("f(x)", "x = 1\ny = 2", description="some")
    lines = repr(Measurement(10, [1e-5, 2e-5, 3e-5, 4e-5, 5e-5], task)).splitlines()[1:]
    assert lines[:6] == ["f(x)", "some", "setup:", "  x = 1", "  y = 2", ""]
    assert lines[6:] == [
        "  Median: 3.00 us",
        "  IQR:    2.00 us (2.00 to 4.00)",
        "  5 measurements, 10 runs per measurement, 1 thread",
        "  WARNING: Interquartile range is 66.7% of the median measurement.",
        "           This suggests significant environmental influence.",
    ]


def test_what_a_timer_refuses():
    with pytest.raises(ValueError, match="only a `str` stmt"):
        Timer(print)
    with pytest.raises(NotImplementedError, match="language"):
        Timer("1", language="c++")
    with pytest.raises(ValueError, match="Invalid language `fortran`"):
        Timer("1", language="fortran")
    with pytest.raises(ValueError, match="global_setup is C"):
        Timer("1", global_setup="#include <vector>")
    with pytest.raises(NotImplementedError, match="blocked_autorange"):
        Timer("1").autorange()


def test_blocks_go_on_until_their_times_agree():
    calls = []
    timer = Timer("x + x", "x = torch.ones(2)")
    measured = timer.adaptive_autorange(
        0.0, min_run_time=0.001, max_run_time=0.02, callback=lambda *call: calls.append(call)
    )
    assert len(calls) == len(measured.raw_times)
    assert sum(measured.raw_times) > 0.02
    assert len(timer.adaptive_autorange(1e9, min_run_time=1e-9).raw_times) == 4


def test_counting_instructions_asks_for_valgrind(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(OSError, match="Missing: valgrind, callgrind_control, callgrind_annotate"):
        Timer("1").collect_callgrind()
    with pytest.raises(ValueError, match="`repeats` must be >= 1"):
        Timer("1").collect_callgrind(repeats=0)


def test_measurements_of_one_task_are_merged():
    task, other = TaskSpec("f(x)", "pass"), TaskSpec("g(x)", "pass")
    found = Measurement.merge(
        [Measurement(10, [20.0], task), Measurement(1, [5.0], other), Measurement(2, [2.0], task)]
    )
    assert [each.task_spec for each in found] == [task, other]
    assert [each.raw_times for each in found] == [[2.0, 1.0], [5.0]]


def test_units_and_figures_of_times():
    assert [select_unit(t) for t in (2e-8, 2e-5, 2e-3, 20.0)] == [
        ("ns", 1e-9),
        ("us", 1e-6),
        ("ms", 1e-3),
        ("s", 1),
    ]
    assert unit_to_english("us") == "microsecond"
    assert trim_sigfig(3.14159, 2) == pytest.approx(3.1)
    with pytest.raises(AssertionError, match="must be an integer"):
        trim_sigfig(1.0, 1.5)
    assert ordered_unique([3, 1, 3, 2]) == [3, 1, 2]

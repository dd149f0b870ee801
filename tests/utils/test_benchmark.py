"""torch.utils.benchmark: measurements and what is printed of them."""

import pytest

import minitorch as torch
from minitorch.utils.benchmark import Measurement, TaskSpec, Timer

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
    with pytest.raises(AttributeError, match=r"torch.utils.benchmark.Compare"):
        _ = torch.utils.benchmark.Compare

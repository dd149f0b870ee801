"""Counts of instructions: how they print, and what can be computed with them."""

import pytest

import minitorch as torch
from minitorch.utils.benchmark import (
    CallgrindStats,
    CopyIfCallgrind,
    FunctionCount,
    FunctionCounts,
    TaskSpec,
)

NOISE = FunctionCount(5, "u/Objects/dictobject.c:lookdict_unicode")
SMALL = FunctionCounts((FunctionCount(70, "/q/Python/x.c:g [libx.so]"), NOISE), inclusive=False)


def _lines(counts):
    first, *lines = repr(counts).splitlines()
    assert first.startswith("<torch.utils.benchmark.utils.valgrind_wrapper.timer_interface.")
    return lines


def test_counts_print_their_sum_unless_they_are_inclusive():
    assert _lines(SMALL) == [
        "  70  /q/Python/x.c:g [libx.so]",
        "   5  u/Objects/dictobject.c:lookdict_unicode",
        "",
        "Total: 75",
    ]
    assert _lines(FunctionCounts((NOISE,), inclusive=True)) == [
        "  5  u/Objects/dictobject.c:lookdict_unicode"
    ]


def test_the_middle_of_many_rows_and_of_long_names_is_left_out():
    names = [FunctionCount(1, "f" * 100 + str(i)) for i in range(30)]
    lines = _lines(FunctionCounts(tuple(names), True))
    assert len(lines) == 19
    assert lines[9] == "..."
    assert lines[0] == "  1  " + "f" * 35 + " ... " + "f" * 34 + "0"
    assert len(_lines(FunctionCounts(tuple(names), True)[:25])) == 25


def test_counts_are_added_subtracted_and_scaled():
    assert list(SMALL - SMALL) == []
    assert list((SMALL + SMALL) * 0.5) == list(SMALL)
    assert [count for count, _ in SMALL.transform(lambda name: "all")] == [75]
    assert list(SMALL.denoise()) == [SMALL._data[0]]
    with pytest.raises(AssertionError, match="Cannot merge inclusive and exclusive counts"):
        _ = SMALL + FunctionCounts((), inclusive=True)


def test_statistics_print_their_totals_and_drop_what_differs_from_build_to_build():
    task = TaskSpec("f(x)", "pass", num_threads=2)
    stats = CallgrindStats(task, 100, True, SMALL, SMALL, SMALL, SMALL, "file")
    assert _lines(stats) == [
        "f(x)",
        "                           All          Noisy symbols removed",
        "    Instructions:           75                         70",
        "    Baseline:               75                         70",
        "100 runs per measurement, 2 threads",
    ]
    standard = stats.as_standardized()
    assert [name for _, name in standard.stats()] == [
        "Python/x.c:g",
        "Objects/dictobject.c:lookdict_unicode",
    ]
    assert standard.stmt_callgrind_out is None
    assert stats.delta(standard).sum() == 0
    assert stats.counts(denoise=True) == 70


def test_only_some_globals_can_be_copied_to_another_process():
    module = torch.nn.Linear(1, 1)
    assert CopyIfCallgrind(module, setup="import x").serialization.name == "TORCH"
    assert CopyIfCallgrind.unwrap_all({"m": CopyIfCallgrind(module), "n": 3}) == {
        "m": module,
        "n": 3,
    }
    with pytest.raises(ValueError, match=r"Unsupported type: <class 'object'>\n`collect_"):
        CopyIfCallgrind(object())

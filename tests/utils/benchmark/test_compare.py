"""torch.utils.benchmark.Compare: tables as torch prints them."""

import pytest

from minitorch.utils.benchmark import Compare, Measurement, TaskSpec


def _task(sub_label, description, threads=1, env=None, label="sums"):
    return TaskSpec("x + x", "pass", "", label, sub_label, description, env, threads)


MEASURED = [
    Measurement(100, [1e-4, 1.02e-4, 1.04e-4, 1.01e-4], _task("small", "torch")),
    Measurement(10, [1e-4, 3e-4, 2e-4, 2e-4], _task("small", "numpy")),
    Measurement(1, [2.5e-4], _task("large", "torch")),
    Measurement(1, [1.2e-4], _task("small", "torch", 4)),
]


def _lines(compare):
    return str(compare).splitlines()


def test_a_table_has_a_row_for_what_runs_and_a_column_for_how():
    assert _lines(Compare(MEASURED)) == [
        "[------------ sums -----------]",
        "             |  torch  |  numpy",
        "1 threads: --------------------",
        "      small  |    1.0  |   20.0",
        "      large  |  250.0  |       ",
        "4 threads: --------------------",
        "      small  |  120.0  |       ",
        "",
        "Times are in microseconds (us).",
    ]


def test_figures_that_say_nothing_are_left_out_and_spreads_are_told():
    compare = Compare(MEASURED)
    compare.trim_significant_figures()
    compare.highlight_warnings()
    assert _lines(compare) == [
        "[-------------- sums --------------]",
        "             |  torch  |    numpy   ",
        "1 threads: -------------------------",
        "      small  |     1   |  20 (! 25%)",
        "      large  |   250   |            ",
        "4 threads: -------------------------",
        "      small  |   120   |            ",
        "",
        "Times are in microseconds (us).",
        "(! XX%) Measurement has high variance, where XX is the IQR / median * 100.",
    ]


def test_significant_figures_follow_the_spread():
    assert [each.significant_figures for each in MEASURED] == [1, 2, 4, 3]


@pytest.mark.parametrize("rowwise", [False, True])
def test_times_are_coloured_by_the_best_of_their_column_or_row(rowwise):
    compare = Compare(MEASURED)
    compare.colorize(rowwise=rowwise)
    small, large = _lines(compare)[3:5]
    best, worst = "\x1b[92m\x1b[1m", "\x1b[31m\x1b[1m"
    assert small == (
        f"      small  |  {best}  1.0\x1b[0m\x1b[0m  |  "
        f"{worst if rowwise else best} 20.0\x1b[0m\x1b[0m"
    )
    assert large == f"      large  |  {best if rowwise else worst}250.0\x1b[0m\x1b[0m  |       "


def test_environments_stand_in_front_and_labels_have_tables_of_their_own(capsys):
    measured = [
        Measurement(1, [0.5], _task("a", "torch", env="main")),
        Measurement(1, [0.25], _task("a", "torch", env="new branch")),
        Measurement(1, [0.25], _task("b", "torch", env="new branch")),
        Measurement(1, [3.0], _task(None, "torch", env="main", label=None)),
    ]
    Compare(measured).print()
    lines = capsys.readouterr().out.splitlines()
    assert lines[:6] == [
        "[---------- sums ---------]",
        "                   |  torch",
        "1 threads: ----------------",
        "  (main)        a  |  500.0",
        "  (new branch)  a  |  250.0",
        "                b  |  250.0",
    ]
    assert lines[9:] == [
        "[---------  --------]",
        "             |  torch",
        "1 threads: ----------",
        "      x + x  |   3.0 ",
        "",
        "Times are in seconds (s).",
        "",
    ]


def test_only_measurements_can_be_compared():
    with pytest.raises(ValueError, match="Expected an instance of `Measurement`, got <class 'int'"):
        Compare([1])

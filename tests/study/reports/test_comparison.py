"""compare(): what two recordings cost, and where their values part."""

from pathlib import Path

import pytest

from minitorch import study
from tests.study.recorded_programs import recorded

PROGRAM = """
torch.manual_seed(0)
w = torch.randn(4, 4, requires_grad=True)
x = torch.randn(8, 4)
h = {line}
loss = h.square().mean()
loss.backward()
"""


def recording_with(folder: Path, line: str) -> study.Recording:
    return recorded(folder, PROGRAM.format(line=line)).tape


def figures(report: object, name: str) -> tuple[float, float]:
    found = next(each for each in report.measures if each.name == name)  # type: ignore[attr-defined]
    return found.first, found.second


def test_a_recording_equals_itself_to_the_bit(tmp_path: Path) -> None:
    tape = recording_with(tmp_path, "torch.relu(x @ w)")
    report = study.compare(tape, tape)
    assert report.equal == report.compared == 7
    assert "7 of 7 values are equal to the bit." in str(report)
    assert all(each.first == each.second for each in report.measures)


def test_a_checkpoint_keeps_less_and_computes_again(tmp_path: Path) -> None:
    inside = "torch.sigmoid(torch.exp(x @ w))"
    plain = recording_with(tmp_path, inside)
    spared = recording_with(
        tmp_path,
        f"torch.utils.checkpoint.checkpoint(lambda: {inside}, use_reentrant=False)",
    )
    report = study.compare(plain, spared)
    assert figures(report, "operators in backward") == (0, 2)
    kept = figures(report, "kept for backward")
    assert kept[0] - kept[1] == 128
    assert report.equal == report.compared


def test_autocast_shows_its_dtypes_and_the_first_value_beyond_rounding(tmp_path: Path) -> None:
    plain = recording_with(tmp_path, "torch.relu(x @ w)")
    program = PROGRAM.format(line="torch.relu(x @ w)").replace(
        "h = ", "with torch.autocast('cpu'):\n    h = "
    )
    report = study.compare(plain, recorded(tmp_path, program).tape)
    assert set(report.dtypes[1]) == {"float32", "bfloat16"}
    assert report.notable is not None
    assert report.notable.name == "x @ w"
    assert 1e-4 < report.notable.relative < 1e-2
    assert "The first that differs is x @ w, line 5 and line 6, by" in str(report)


def test_differences_within_rounding_are_told_from_others(tmp_path: Path) -> None:
    first = recording_with(tmp_path, "torch.relu(x @ w)")
    second = recording_with(tmp_path, "torch.relu(x @ w * 1.0000001)")
    report = study.compare(first, second)
    assert report.first is not None
    assert report.notable is None
    assert report.only == ([], ["x @ w * 1.0000001"])
    assert "All are within rounding." in str(report)


def test_compare_names_recordings_by_what_tells_them_apart(tmp_path: Path) -> None:
    first = recording_with(tmp_path, "x @ w")
    second = recording_with(tmp_path, "x @ w")
    assert study.compare(first, second).titles == ("first", "second")
    second.title = "other.py"
    assert study.compare(first, second).titles == ("train.py", "other.py")


def test_compare_takes_recordings_only(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="compare takes two recordings, not int"):
        study.compare(recording_with(tmp_path, "x @ w"), 3)  # type: ignore[arg-type]

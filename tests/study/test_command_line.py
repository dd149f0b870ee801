"""python -m minitorch.study, in processes of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

from minitorch import study
from minitorch.study.command_line import options_of, text_of


def run(folder: Path, text: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Records a script."""
    (folder / "script.py").write_text(text)
    root = str(Path(study.__file__).parents[2])
    command = [sys.executable, "-m", "minitorch.study", "-o", "out.json", *arguments]
    return subprocess.run(
        [*command, "script.py", "one", "two"],
        cwd=folder,
        env={"PYTHONPATH": root, "PATH": ""},
        capture_output=True,
        text=True,
    )


def test_a_script_is_recorded_and_one_line_is_said(tmp_path: Path) -> None:
    ended = run(tmp_path, "import sys, torch\nx = torch.ones(2) * 2\nprint(sys.argv, __name__)\n")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "['script.py', 'one', 'two'] __main__\n"
    size = (tmp_path / "out.json").stat().st_size
    assert ended.stderr == f"out.json: 3 steps, 0 nodes, {size:,} bytes\n"
    tape = study.load(tmp_path / "out.json")
    assert [file.name for file in tape.files] == ["script.py"]
    assert (tape.title, [event.kind for event in tape.events]) == (
        "script.py",
        ["op", "op", "end"],
    )


def test_a_script_that_raises_ends_with_its_traceback_and_status(tmp_path: Path) -> None:
    ended = run(tmp_path, "import torch\nx = torch.ones(2)\n1 / 0\n", "--text")
    assert ended.returncode == 1
    assert 'script.py", line 3' in ended.stderr
    assert "ZeroDivisionError" in ended.stderr
    assert "command_line" not in ended.stderr
    assert "torch.ones(2)" in ended.stdout
    assert study.load(tmp_path / "out.json").events[-1].kind == "error"


def test_the_exit_status_is_the_scripts(tmp_path: Path) -> None:
    assert run(tmp_path, "raise SystemExit(7)\n").returncode == 7


def test_a_syntax_error_is_the_scripts_error(tmp_path: Path) -> None:
    ended = run(tmp_path, "x = = 2\n")
    assert ended.returncode == 1
    assert "SyntaxError" in ended.stderr


def test_lines_are_found_where_python_keeps_no_columns(tmp_path: Path) -> None:
    text = "import torch\nfor i in range(2):\n    x = torch.ones(2) * i  # \n"
    (tmp_path / "script.py").write_text(text)
    command = [sys.executable, "-X", "no_debug_ranges", "-m", "minitorch.study"]
    ended = subprocess.run(
        [*command, "-o", "out.json", "script.py"],
        cwd=tmp_path,
        env={"PYTHONPATH": str(Path(study.__file__).parents[2]), "PATH": ""},
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 0, ended.stderr
    tape = study.load(tmp_path / "out.json")
    places = [tape.place_of(i) for i in range(4)]
    assert [(place.line, place.expression) for place in places] == [
        (3, "x = torch.ones(2) * i  #")
    ] * 4
    assert [tape.rounds_of(i)[0][1] for i in range(4)] == [0, 0, 1, 1]


def test_options_say_where_to_write_and_what_to_run() -> None:
    options = options_of(["--torch", "--text", "a/b.py", "-o", "x"])
    assert (options.script, options.arguments, options.output) == ("a/b.py", ["-o", "x"], "b.html")
    assert (options.torch, options.text, options.opens) == (True, True, False)


def test_the_output_may_be_named_behind_the_script() -> None:
    options = options_of(["a/b.py", "-o", "x.html", "-o", "y.html"])
    assert (options.output, options.arguments) == ("x.html", ["-o", "y.html"])
    options = options_of(["a/b.py", "--", "-o", "x.html"])
    assert (options.output, options.arguments) == ("b.html", ["-o", "x.html"])


@pytest.mark.parametrize("arguments", [[], ["--other", "a.py"], ["-o"], ["-o", "x.txt", "a.py"]])
def test_wrong_options_end_with_status_2(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        options_of(arguments)
    assert ended.value.code == 2
    assert capsys.readouterr().err


def test_the_steps_as_text_have_a_line_each(recorded) -> None:
    lines = text_of(recorded("for i in range(2):\n    x = torch.ones(i)\n"))
    assert [line.split() for line in lines] == [
        *[
            ["0", "script.py:2", "op", "ones", "x", "(0,)", "torch.ones(i)", "for", "i", "in"]
            + ["range(2),", "round", "1"]
        ],
        ["1", "script.py:2", "op", "ones", "x", "(1,)", "torch.ones(i)", "for", "i", "in"]
        + ["range(2),", "round", "2"],
        ["2", "end"],
    ]


def test_the_text_names_the_leaves_that_gradients_are_added_to(recorded) -> None:
    lines = text_of(recorded("w = torch.ones(2, requires_grad=True)\n(w * 2).sum().backward()\n"))
    assert any(line.split()[-3:] == ["AccumulateGrad", "w", "(2,)"] for line in lines)

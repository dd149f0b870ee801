"""The type stubs are what the declarations say."""

import os
import subprocess
import sys

from minitorch.core.declare.registry import FUNCTIONS
from tools import write_stubs


def test_the_stubs_are_up_to_date():
    # In a process of its own: functions assembled while tests run have other signatures.
    done = subprocess.run(
        [sys.executable, "-m", "tools.write_stubs", "--check"],
        env={**os.environ, "PYTHONPATH": str(write_stubs.PACKAGE.parent)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_stubs_are_python_and_not_too_long():
    for path, text in write_stubs.stubs().items():
        compile(text, str(path), "exec")
        assert text.count("\n") < 1000


def test_every_public_operator_is_in_the_stubs():
    text = write_stubs.package_stub()
    public = [name for name in FUNCTIONS if name.isidentifier() and not name.startswith("_")]
    assert [name for name in public if f"def {name}(" not in text] == []


def test_a_row_is_typed_by_its_schema():
    (line,) = write_stubs.definitions("add", FUNCTIONS["add"], method=False)
    assert line.startswith("def add(input: Tensor, other: Tensor | Number, *, alpha: Number = ...")
    assert line.endswith("-> Tensor: ...\n")


def test_overloads_are_typed_one_by_one():
    lines = write_stubs.definitions("eye", FUNCTIONS["eye"], method=False)
    assert lines[0] == lines[2] == "@overload\n"
    assert lines[1].startswith("def eye(n: _int, *, ")
    assert lines[3].startswith("def eye(n: _int, m: _int, *, ")

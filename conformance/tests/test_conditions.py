"""The conditions that both libraries compute under are set before they are loaded."""

import json
import subprocess
import sys

import pytest
import torch
from rich.console import Console

from conformance import conditions, matrix

SHOWN = """
import sys, conformance
assert not {"numpy", "torch", "minitorch"} & set(sys.modules)
import json, os
print(json.dumps(dict(os.environ)))
"""


def environment(*arguments: str) -> dict[str, str]:
    """Returns the environment of a fresh process that has imported the suite."""
    command = [sys.executable, "-c", SHOWN, *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env=conditions.unset()
    )
    return json.loads(done.stdout)


needs_x86 = pytest.mark.skipif(not conditions.is_x86(), reason="the settings are for x86-64")


@needs_x86
@pytest.mark.parametrize(
    ("arguments", "setting"),
    [
        ((), "pinned"),
        (("--op", "add", "--isa", "avx512"), "avx512"),
        (("--isa=threads-2",), "threads-2"),
    ],
)
def test_the_environment_is_set_before_the_libraries_are_loaded(arguments, setting):
    seen = environment(*arguments)
    expected = {**conditions.COMMON, **conditions.SETTINGS[setting].variables}
    assert {name: seen.get(name) for name in expected} == expected


def test_the_native_setting_leaves_the_instruction_sets_alone():
    seen = environment("--isa", "native")
    assert not {"ATEN_CPU_CAPABILITY", "MKL_CBWR", "OPENBLAS_CORETYPE"} & seen.keys()


@needs_x86
def test_torch_and_numpy_take_what_is_pinned():
    script = (
        "import conformance, numpy, torch\n"
        "from numpy._core._multiarray_umath import __cpu_features__ as features\n"
        "print(torch.backends.cpu.get_cpu_capability(), features['X86_V4'],"
        " torch.ops.mkldnn._is_mkldnn_bf16_supported())"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env=conditions.unset()
    )
    if conditions.lacking("pinned"):
        pytest.skip("this processor has no AVX2")
    assert done.stdout.split() == ["AVX2", "False", "False"]


def test_the_matrix_has_a_row_for_each_setting(monkeypatch, capsys):
    asked = []

    def under(setting, arguments):
        asked.append((setting, tuple(arguments)))
        return matrix.Row(setting, units=1, wrong=("add",) if setting == "native" else ())

    monkeypatch.setattr(matrix, "_under", under)
    monkeypatch.setattr(conditions, "lacking", lambda name: [])
    assert matrix.run(["--isa", "matrix", "--op", "add"], Console()) == 1
    assert asked == [(setting, ("--op", "add")) for setting in conditions.SETTINGS]
    assert "native: 1 units, 1 wrong add" in capsys.readouterr().out


def test_a_setting_that_the_processor_lacks_is_said_and_does_not_fail(monkeypatch, capsys):
    monkeypatch.setattr(matrix, "_under", lambda setting, arguments: matrix.Row(setting, units=1))
    monkeypatch.setattr(conditions, "lacking", lambda name: ["amx"] * (name == "avx512"))
    assert matrix.run(["--isa=matrix"], Console()) == 0
    assert "avx512: not run: this processor has no amx" in capsys.readouterr().out


def test_the_matrix_writes_its_rows_down_as_they_come(monkeypatch, tmp_path):
    file = tmp_path / "matrix.json"
    seen = []

    def under(setting, arguments):
        seen.append(len(json.loads(file.read_text())["settings"]) if file.exists() else 0)
        return matrix.Row(setting, units=2, wrong=("add",))

    monkeypatch.setattr(matrix, "_under", under)
    monkeypatch.setattr(conditions, "lacking", lambda name: [])
    matrix.run(["--isa", "matrix"], Console(), str(file))
    assert seen == list(range(len(conditions.SETTINGS)))
    found = json.loads(file.read_text())
    assert found["complete"]
    assert found["settings"][0]["wrong"] == ["add"]


def test_a_run_that_ends_without_a_verdict_is_not_clean(monkeypatch):
    monkeypatch.setattr(conditions, "SETTINGS", {"native": conditions.Setting({})})
    assert matrix.run(["--isa", "matrix", "--op", "no_such_operator"], Console()) == 1


@needs_x86
def test_these_tests_run_under_the_pinned_setting():
    if conditions.lacking("pinned"):
        pytest.skip("this processor has no AVX2")
    assert torch.backends.cpu.get_cpu_capability() == "AVX2"

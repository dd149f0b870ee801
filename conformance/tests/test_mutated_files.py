"""Mutated checkpoint files: the mutations, and the signs of a library that trusts them."""

import io
import pickle
import random
import sys
from pathlib import Path
from types import ModuleType

from conformance import mutated_files
from conformance.cases import checkpoints
from conformance.cases.sources import Unit
from conformance.examine import examine
from conformance.options import Options

BASE = b"PK\x03\x04" + b"\x80\x02}q\x00(X\x01\x00\x00\x00aK\x01u." * 4


class Bomb:
    def __reduce__(self):
        return exec, ("import os; os.system('true')",)


def test_mutations_change_a_file_and_repeat():
    first = [mutated_files.mutated(BASE, random.Random(seed)) for seed in range(50)]
    assert first == [mutated_files.mutated(BASE, random.Random(seed)) for seed in range(50)]
    assert sum(data != BASE for data in first) > 45


def test_what_a_trusting_library_runs_is_noticed(monkeypatch, capsys):
    trusting = ModuleType("trusting")
    trusting.load = lambda file: pickle.load(file)
    monkeypatch.setitem(sys.modules, "trusting", trusting)
    monkeypatch.setattr(mutated_files, "originals", lambda torch: [pickle.dumps(Bomb())])
    monkeypatch.setattr(mutated_files, "mutated", lambda data, chance: data)
    monkeypatch.setattr(mutated_files.resource, "setrlimit", lambda *_: None)
    reports = []
    results = type("Results", (), {"put": lambda self, report: reports.append(report)})()
    mutated_files.attempt("trusting", 0, 2, results)
    ends, _ = reports[0]
    assert ends["BAD os.system"] == 2


def test_files_of_both_formats_are_mutated():
    import minitorch

    files = mutated_files.originals(minitorch)
    assert {data[:2] for data in files} == {b"PK", b"\x80\x02"}
    assert all(minitorch.load(io.BytesIO(data)) is not None for data in files)


TRUSTING = """
import os
from torch import Tensor, arange, as_strided, bfloat16, complex64, from_numpy, manual_seed, nn
from torch import ones, optim, randn, save


def load(file):
    os.system("true")
"""


def test_what_a_library_does_is_its_verdict(tmp_path, monkeypatch):
    tmp_path.joinpath("trusting_library.py").write_text(TRUSTING)
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{Path.cwd()}")
    monkeypatch.syspath_prepend(tmp_path)
    unit = Unit("checkpoints", "mutated 0-2")
    found = examine(unit, Options(impl="trusting_library")).found["effects"]
    assert not found.passes
    assert "3 BAD os.system" in found.differences[0].other


def test_mutated_files_are_units_of_every_profile():
    counted = {}
    for profile in ("quick", "full"):
        keys = checkpoints.keys(Options(profile=profile))
        seconds = {key: 1.0 for key in keys if key.startswith("mutated")}
        counted[profile] = " ".join(checkpoints.remarks(seconds)).split(",")[0]
    assert counted["quick"] == "500 mutated files: 2000 us a file"
    assert counted["full"] == "100000 mutated files: 500 us a file"
    assert not any("mutated" in key for key in checkpoints.keys(Options(impl="torch")))

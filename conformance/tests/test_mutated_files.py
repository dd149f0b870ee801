"""Mutated checkpoint files: what is mutated, and what is noticed of a library that trusts them."""

import io
import pickle
import random
import sys
from types import ModuleType

from conformance import mutated_files

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

"""Names alone are missing unless they are listed, whatever else this process has done before."""

import importlib
import subprocess
import sys

import pytest

from conformance.cases import outlined

VERDICTS = """
import sys

import minitorch
{before}
from conformance.cases.sources import Unit, source
from conformance.examine import examine
from conformance.options import Options

for key in source("namespace").keys(Options()):
    found = examine(Unit("namespace", key), Options()).found
    print(key, {{name: (each.grade.name, each.differing) for name, each in found.items()}})
"""
STANDS = """
from minitorch.drop_in import installed_as_torch

with installed_as_torch():
    import torch
    from torch.backends.cuda import cufft_plan_cache
    from torch.utils import collect_env
"""


def _verdicts(before):
    command = [sys.executable, "-W", "ignore", "-c", VERDICTS.format(before=before)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    return ran.stdout.splitlines()


def test_the_verdict_on_names_is_the_same_where_minitorch_has_stood_for_torch():
    alone, after = _verdicts(""), _verdicts(STANDS)
    assert alone == after
    assert len(alone) > 100


@pytest.mark.parametrize("entry", outlined.accepted(), ids=lambda entry: entry.owner)
def test_every_listed_name_is_a_name_alone(entry):
    owner = importlib.import_module(f"mini{entry.owner}")
    own = [name for name in sorted(entry.names) if not outlined.is_outlined(owner, name)]
    assert own == []
    assert len(entry.reason) > 20


def test_a_name_is_a_name_alone_until_a_module_writes_it():
    cuda = importlib.import_module("minitorch.cuda")
    assert outlined.is_outlined(cuda, "jiterator")
    assert not outlined.is_outlined(cuda, "is_available")
    assert not outlined.is_outlined(cuda, "nothing_of_the_kind")


def test_an_unlisted_name_alone_counts_as_missing(monkeypatch):
    cuda = importlib.import_module("minitorch.cuda")
    assert not outlined.counts_as_missing(cuda, "jiterator")
    monkeypatch.setattr(outlined, "accepted", lambda: ())
    assert outlined.counts_as_missing(cuda, "jiterator")

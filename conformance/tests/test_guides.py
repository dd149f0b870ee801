"""The guides run by real torch: code that says torch and no more prints what the page says."""

from pathlib import Path

import pytest
import torch

from tests.docs.pages import GUIDES, faults_of, is_for_either

FOR_EITHER = [page for page in GUIDES if is_for_either(page)]


@pytest.mark.parametrize("page", FOR_EITHER, ids=lambda page: page.stem)
def test_a_guide_says_what_torch_prints(page: Path, monkeypatch, tmp_path):
    assert torch.__version__.partition("+")[0] == "2.13.0"
    monkeypatch.chdir(tmp_path)
    assert faults_of(page) == []


def test_most_guides_run_with_either_library():
    names = {page.stem for page in FOR_EITHER}
    assert {"add-a-module", "add-an-optimizer", "questions", "tour-for-users", "traps"} <= names

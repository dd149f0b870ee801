"""The pages on semantics run by real torch: they show the text that torch prints.

python -m conformance.tests.test_semantics writes what torch prints into the pages.
"""

from pathlib import Path
from typing import Any

import pytest
import torch

from tests.docs.pages import QUESTIONS, faults_of, rewrite


@pytest.mark.parametrize("page", QUESTIONS, ids=lambda page: page.stem)
def test_a_page_on_semantics_says_what_torch_prints(page: Path):
    assert torch.__version__.partition("+")[0] == "2.13.0"
    assert faults_of(page) == []


if __name__ == "__main__":
    for each in QUESTIONS:
        variables: dict[str, Any] = {"__name__": "page"}
        rewrite(each, lambda block, variables=variables: variables)

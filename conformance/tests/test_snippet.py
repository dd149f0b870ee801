"""conformance/cases/snippet.py: pieces of source code as cases."""

import pytest
import torch

import minitorch
from conformance.cases.case import EVERY
from conformance.cases.snippet import Snippet


def test_a_piece_that_uses_a_name_it_never_makes_differs():
    piece = Snippet("x = torch.ones(2)\nprint(nowhere)", "broken")
    with pytest.raises(RuntimeError, match="broken: name 'nowhere' is not defined"):
        piece.run(torch)
    assert piece.perform(torch)[EVERY] != piece.perform(minitorch)["error"]


def test_a_piece_that_ends_with_an_error_of_torch_is_compared():
    piece = Snippet("torch.ones(2) @ torch.ones(3)")
    assert piece.perform(torch)["error"] == piece.perform(minitorch)["error"]

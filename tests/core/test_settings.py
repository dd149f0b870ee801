"""Settings of torch as a whole."""

import pytest

import minitorch as torch
from minitorch._public import settings


def test_interop_threads_are_said_once(monkeypatch):
    monkeypatch.setattr(settings, "_state", dict(settings._state))
    assert torch.get_num_interop_threads() > 0
    for wrong, text in ((0, "expects a positive integer"), (True, "an int, but got bool")):
        with pytest.raises(RuntimeError, match=text):
            torch.set_num_interop_threads(wrong)
    torch.set_num_interop_threads(3)
    assert torch.get_num_interop_threads() == 3
    with pytest.raises(RuntimeError, match=r"^Error: cannot set number of interop threads"):
        torch.set_num_interop_threads(3)

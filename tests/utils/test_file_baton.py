"""A lock that processes share as a file, and two switches of old warnings."""

import threading

import pytest

from minitorch.utils import backcompat
from minitorch.utils.file_baton import FileBaton


def test_a_baton_belongs_to_the_first_that_takes_it(tmp_path):
    path = str(tmp_path / "lock")
    first, second = FileBaton(path), FileBaton(path, wait_seconds=0.01)
    assert first.try_acquire()
    assert not second.try_acquire()
    threading.Timer(0.05, first.release).start()
    second.wait()
    assert second.try_acquire()
    second.release()


def test_backcompat_switches_take_bools_alone():
    backcompat.broadcast_warning.enabled = True
    assert backcompat.broadcast_warning.enabled
    backcompat.broadcast_warning.enabled = False
    with pytest.raises(RuntimeError, match="set_backcompat_keepdim_warn expects a bool"):
        backcompat.keepdim_warning.enabled = 3

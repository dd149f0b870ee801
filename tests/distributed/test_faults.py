"""The ends of ranks that are killed or stuck: how soon other ranks know, and what stays behind."""

import contextlib
import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parent / "scripts"
SHARED = Path("/dev/shm")
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None, reason="worlds of several ranks need mpi4py"
)


def started(script, *words, ranks=3):
    return [
        subprocess.Popen(
            [sys.executable, "-m", "minitorch", SCRIPTS / script, *words, str(rank)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        for rank in range(ranks)
    ]


def left_behind():
    """The names of MPI's files in shared memory that no process uses.

    Worlds of other tests come and go meanwhile: theirs are mapped by some process.
    """
    names = {each.name for each in SHARED.glob("mpich*")} if SHARED.is_dir() else set()
    for maps in Path("/proc").glob("[0-9]*/maps") if names else ():
        with contextlib.suppress(OSError):  # the process has ended, or is another user's
            mapped = maps.read_text()
            names = {each for each in names if each not in mapped}
    return names


def left_after(before, seconds=5):
    """The files left behind that were not there before, as soon as there are none."""
    end = time.monotonic() + seconds  # a segment exists before its process has mapped it
    while (left := left_behind() - before) and time.monotonic() < end:
        time.sleep(0.1)
    return left


@pytest.mark.parametrize(("count", "victim"), [(1, 0), (25_000_000, 2)])
def test_ranks_fail_soon_after_a_kill_and_leave_nothing(count, victim, tmp_path):
    before = left_behind()
    processes = started("killed.py", str(count), str(tmp_path / "store"))
    try:
        for each in processes:
            assert each.stdout.readline() == "begun\n", each.stderr.read()
        processes[victim].kill()
        killed = time.monotonic()
        others = [each for each in processes if each is not processes[victim]]
        for each in others:
            each.wait(120)
        seconds = time.monotonic() - killed
        told = [each.communicate()[1] for each in others]
    finally:
        for each in processes:
            each.kill()
            each.communicate()
    assert [each.returncode for each in others] == [1, 1]
    assert all("Connection closed by peer: rank" in text for text in told), told
    # Of half an hour, the time limit: less than 2 s on an idle machine, 26 s with a load of 20.
    assert seconds < 100
    assert not left_after(before)


def test_a_time_limit_tells_where_each_rank_is(tmp_path):
    processes = started("stuck.py", "here", str(tmp_path / "store"))
    (first, _), *_ = [each.communicate(timeout=200) for each in processes]
    lines = first.splitlines()
    assert lines[0] == "[MPI] Timed out waiting 1000ms for all_reduce operation to complete"
    assert lines[1].startswith("rank 0 waits for all_reduce at stuck.py:")
    assert lines[2].startswith("rank 1 is at stuck.py:")
    assert lines[2].endswith("in stuck")
    assert lines[3].startswith("rank 2 waits for all_reduce, recv at stuck.py:")

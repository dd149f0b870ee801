"""The launchers: what processes are told, and what becomes of all when one fails."""

import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from minitorch.distributed import run

SCRIPTS = Path(__file__).parent / "scripts"
needs_mpi = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None, reason="worlds of several ranks need mpi4py"
)


def launched(*words, module="minitorch.distributed.run"):
    own = [sys.executable, "-m", *module.split()]
    environment = {k: v for k, v in os.environ.items() if k != "OMP_NUM_THREADS"}
    command = [*own, "--standalone", "--nproc-per-node", "2", *words]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)


def test_processes_are_told_their_ranks():
    done = launched(SCRIPTS / "environment.py", "a")
    assert done.returncode == 0
    assert sorted(done.stdout.splitlines()) == [
        "0 0 2 2 0 localhost 1 a",
        "1 1 2 2 0 localhost 1 a",
    ]
    assert "Setting OMP_NUM_THREADS environment variable" in done.stderr


def test_a_process_that_fails_ends_the_others():
    done = launched(SCRIPTS / "environment.py", "fail")
    assert done.returncode == 1
    lines = [line.strip() for line in done.stderr.splitlines()]
    start = lines.index("Root Cause (first observed failure):")
    assert lines[start + 4] == "rank      : 1 (local_rank: 1)"
    assert lines[start + 5].startswith("exitcode  : 3 (pid: ")
    assert any("(SIGTERM)" in line for line in lines[:start])


@needs_mpi
def test_torchrun_and_the_drop_in_make_a_world():
    done = launched(SCRIPTS / "launched.py", module="minitorch -m torch.distributed.run")
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["sum 3.0 True"] * 2


@needs_mpi
def test_all_processes_are_started_anew_where_one_fails():
    done = launched("--max-restarts", "2", SCRIPTS / "restarted.py")
    assert done.returncode == 0, done.stderr
    assert sorted(done.stdout.splitlines()) == ["attempt 2 of 2 rank 0", "attempt 2 of 2 rank 1"]
    done = launched("--max-restarts", "1", SCRIPTS / "restarted.py")
    assert done.returncode == 1
    assert "restarted.py FAILED" in done.stderr


@needs_mpi
def test_spawn_makes_a_world(tmp_path):
    command = [sys.executable, "-m", "minitorch", SCRIPTS / "spawned.py", tmp_path / "store"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.returncode) == ("well\n", 0), done.stderr


def test_options_that_are_not_there_are_refused():
    args = run.parse_args(["--tee", "3", "--nnodes", "1:2", "x.py"])
    with pytest.raises(NotImplementedError, match=r"tee, nnodes MIN:MAX"):
        run.run(args)
    with pytest.raises(ValueError, match="Unsupported nproc_per_node value: x"):
        run.run(run.parse_args(["--nproc-per-node", "x", "x.py"]))


@needs_mpi
def test_a_recorded_exception_is_shown_in_the_table_at_once():
    start = time.monotonic()
    done = launched(SCRIPTS / "recorded.py", module="minitorch -m torch.distributed.run")
    assert done.returncode == 1
    root = done.stderr.partition("Root Cause (first observed failure):")[2]
    assert "rank      : 1 (local_rank: 1)" in root
    assert "attempt_0/1/error.json\n  traceback : Traceback (most recent call last):" in root
    assert "\n  ValueError: bad luck\n" in root
    # The other rank sleeps for 30 s: less than 3 s on an idle machine.
    assert time.monotonic() - start < 25

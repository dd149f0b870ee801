"""Worlds of two processes, and what one is told when the other fails."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parent / "scripts"
pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None, reason="worlds of several ranks need mpi4py"
)


def run_two(script, *words):
    """The output of both ranks of a script, their error texts, and exit codes."""
    before, after = words[:1], words[1:]
    if script == "faults.py":
        before, after = words, ()
    ranks = [
        subprocess.Popen(
            [sys.executable, "-m", "minitorch", SCRIPTS / script, *before, str(rank), *after],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        for rank in range(2)
    ]
    try:
        ended = [each.communicate(timeout=60) for each in ranks]
    finally:
        for each in ranks:
            each.kill()
    return [(out, err, each.returncode) for (out, err), each in zip(ended, ranks)]


def test_two_ranks_work_together(tmp_path):
    ended = run_two("ranks.py", str(tmp_path / "store"))
    assert [code for _, _, code in ended] == [0, 0], ended
    assert "".join(sorted(out for out, _, _ in ended)) == "well 0\nwell 1\n"


def test_messages_of_a_rank_that_has_left_arrive(tmp_path):
    ended = run_two("left.py", str(tmp_path / "store"))
    assert [code for _, _, code in ended] == [0, 0], ended


def test_groups_by_mpi_connect_ranks_whose_world_does_not(tmp_path):
    ended = run_two("connected_later.py", str(tmp_path / "store"))
    assert [code for _, _, code in ended] == [0, 0], ended


def test_two_ranks_train_a_module_together(tmp_path):
    ended = run_two("parallel.py", str(tmp_path / "store"))
    assert [code for _, _, code in ended] == [0, 0], ended


def test_options_of_ddp_give_what_the_plain_one_does(tmp_path):
    ended = run_two("parallel_options.py", str(tmp_path / "store"))
    assert [code for _, _, code in ended] == [0, 0], ended


@pytest.mark.parametrize(
    "script", ["by_mpi.py", "differentiable.py", "meshes.py", "shares.py", "sparse_sums.py"]
)
def test_what_a_script_says_of_two_ranks_holds(script, tmp_path):
    ended = run_two(script, str(tmp_path / "store"))
    assert [code for _, _, code in ended] == [0, 0], ended


@pytest.mark.parametrize("how", ["as usual", "strict"])
def test_operations_that_differ_are_found_by_both_ranks(how, tmp_path):
    ended = run_two("mismatch.py", str(tmp_path / "store"), how)
    assert [code for _, _, code in ended] == [0, 0], ended


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("killed", "[MPI] Connection closed by peer: rank 1 was lost"),
        ("raises", "[MPI] Connection closed by peer: rank 1 has left"),
        ("hangs", "[MPI] Timed out waiting 1000ms for all_reduce operation to complete"),
    ],
)
def test_the_other_rank_is_told_of_a_fault(how, told, tmp_path):
    (out, _, code), (_, err, _) = run_two("faults.py", how, str(tmp_path / "store"))
    assert out.splitlines()[0] == told
    assert code == 0
    assert "ValueError: mine" in err or how != "raises"

"""Operations of NCCL that fail or take too long: who notices, and what is said."""

import datetime
import os

import pytest

import minitorch as torch
import minitorch.distributed as dist
from minitorch.distributed import nccl_watch
from tests.distributed.nccl_ranks import nccl_there


@pytest.fixture
def world(monkeypatch):
    """A world of one rank by NCCL, without the thread that watches; its operations."""
    monkeypatch.setenv("TORCH_NCCL_ASYNC_ERROR_HANDLING", "0")
    with nccl_there() as nccl:
        dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1)
        monkeypatch.setenv("TORCH_NCCL_ASYNC_ERROR_HANDLING", "2")
        operations = dist.group.WORLD.operations.of("cuda")
        # Else the first operation starts the thread.
        operations._watch.thread = "none"
        yield nccl, operations
        dist.destroy_process_group()


def started(done=True):
    work = dist.all_reduce(torch.ones(3, device="cuda"), async_op=True)
    work.done.done = done
    return work


def test_tensors_are_kept_until_the_device_is_done_with_them(world):
    _, operations = world
    work, watch = started(done=False), operations._watch
    watch.look()
    assert (watch.pending, work.is_completed(), work.is_success()) == ([work], False, False)
    assert [each.numel() for each in work.keep if each is not None] == [3, 3, 3]
    work.done.done = True
    watch.look()
    assert (watch.pending, work.is_success(), work.exception()) == ([], True, None)
    work.wait()
    assert work.keep is None


def test_an_operation_that_takes_too_long_ends_the_communicators(world, capsys):
    nccl, operations = world
    work = started(done=False).limited(datetime.timedelta(milliseconds=1))
    work.began -= 1
    operations._watch.look()
    text = (
        "[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, "
        "OpType=ALLREDUCE, NumelIn=3, NumelOut=3, Timeout(ms)=1) ran for "
    )
    assert text in capsys.readouterr().err
    assert nccl.log["MainThread"][-1] == ("abort",)
    for call in (work.wait, started):
        with pytest.raises(dist.DistBackendError, match=r"^\[Rank 0\] Watchdog caught"):
            call()


def test_an_error_that_comes_later_reaches_all_that_follows(world, capsys):
    nccl, operations = world
    work, nccl.failure = started(done=False), 2
    operations._watch.look()
    for call in (work.wait, started):
        with pytest.raises(dist.DistBackendError, match=r"_SYSTEM_ERROR.*version 2\.27\.3"):
            call()
    nccl.failure = None


def test_the_process_ends_unless_the_environment_says_otherwise(world, monkeypatch, capsys):
    _, operations = world
    ended = []
    monkeypatch.setattr(os, "abort", lambda: ended.append(True))
    monkeypatch.delenv("TORCH_NCCL_ASYNC_ERROR_HANDLING")
    started(done=False).began -= 1e6
    operations._watch.look()
    assert ended == [True]
    assert "we are taking the entire process down" in capsys.readouterr().err


def test_a_thread_looks_unless_it_is_switched_off(monkeypatch):
    monkeypatch.setattr(nccl_watch, "_REST", 0.001)
    with nccl_there():
        dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1)
        started()
        thread = dist.group.WORLD.operations.of("cuda")._watch.thread
        assert thread.is_alive()
        dist.destroy_process_group()
        thread.join(10)
        assert not thread.is_alive()


def test_a_host_that_blocks_has_a_time_limit(world, monkeypatch):
    monkeypatch.setenv("TORCH_NCCL_BLOCKING_WAIT", "1")
    assert started().wait()
    work = started(done=False).limited(datetime.timedelta(milliseconds=5))
    with pytest.raises(dist.DistBackendError, match=r"\(ms\)=5\) timed out in blocking wait"):
        work.wait()
    monkeypatch.delenv("TORCH_NCCL_BLOCKING_WAIT")
    assert work.wait()  # the stream waits
    with pytest.raises(dist.DistBackendError, match="timed out in blocking wait"):
        work.wait(datetime.timedelta(milliseconds=1))

"""MPI: started once a process, by mpi4py; communicators of groups of ranks.

Nothing here is imported before a world of several ranks is made.
"""

from __future__ import annotations

import atexit
import contextlib
import ctypes
import importlib
import os
import socket
import sys
import threading
import time
import zlib
from typing import Any, NamedTuple

from minitorch.distributed import pmi, post_mortem
from minitorch.distributed.engine import ENGINE

_MULTIPLE = 3  # MPI_THREAD_MULTIPLE: groups are made while operations go on
# Seconds that this process waits for the others at exit: only MPI_Finalize is sure to send the last
# messages to other machines; on one machine they lie in shared memory, where others read them.
_PATIENCE, _PATIENCE_OF_ONE_MACHINE = 10.0, 0.5
_LAUNCHED = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK")  # by mpiexec or srun


class Communicator(NamedTuple):
    """The communicators of MPI that one group uses.

    comm: for collectives and for callers' own messages.
    inner: for the messages within collectives.
    byte: MPI's type of a byte.
    """

    comm: Any
    inner: Any
    byte: Any


class _State:
    """MPI in this process."""

    def __init__(self) -> None:
        self.mpi: Any = None
        self.watch: socket.socket | None = None
        self.leaving = self.on_one_machine = False
        self.gone: dict[int, bool] = {}  # ranks that left, and whether they can end MPI
        self.lost = threading.Event()
        self.worlds = 0  # made in this process: their keys in the store differ by it


_STATE = _State()


def _address(store: Any) -> str:
    """The address at which other ranks reach this process: the store's host, or this machine's."""
    while hasattr(store, "underlying_store"):
        store = store.underlying_store
    if hasattr(store, "host"):
        return store.host
    try:
        return socket.gethostbyname(socket.gethostname())
    except OSError:
        return "127.0.0.1"


def _served(store: Any, size: int) -> str:
    """Starts the PMI server; where it is."""
    host = _address(store)
    try:
        listening = socket.create_server((host, 0), backlog=2048)
    except OSError:  # the host's name is not one of this machine's
        listening = socket.create_server(("", 0), backlog=2048)
    pmi.Server(size, listening).start()
    return f"{host}:{listening.getsockname()[1]}"


def communicator(store: Any, rank: int, size: int, limit: float) -> Communicator:
    """The communicator of a new world; starts MPI where it does not run yet.

    Args:
        store: by which the ranks find one another.
        limit: how many seconds that may take.

    Raises:
        RuntimeError: mpi4py runs already and knows other processes than those of this world.
    """
    _STATE.worlds += 1
    key = f"minitorch/{_STATE.worlds}"
    if _STATE.mpi is None:
        _start(store, key, rank, size, limit)
        world = _STATE.mpi.COMM_WORLD
        store.set(f"{key}/{rank}", b"new")
        return _pair(world, list(range(size)), key, limit)
    store.set(f"{key}/{rank}", str(_STATE.mpi.COMM_WORLD.rank))
    known = [store.get(f"{key}/{each}") for each in range(size)]
    if b"new" in known:
        raise RuntimeError(
            "torch.distributed.init_process_group got a process that was not in the first world of "
            "the others: minitorch's MPI knows the processes of that one alone"
        )
    return _pair(_STATE.mpi.COMM_WORLD, [int(each) for each in known], key, limit)


def _start(store: Any, key: str, rank: int, size: int, limit: float) -> None:
    launched = any(name in os.environ for name in _LAUNCHED)
    if not launched:
        if rank == 0:
            store.set(f"{key}/pmi", _served(store, size))
        host, _, port = store.get(f"{key}/pmi").decode().rpartition(":")
        _STATE.watch = pmi.join(rank, size, host, int(port), limit)
        threading.Thread(target=_listen, args=(_STATE.watch,), daemon=True).start()
        ENGINE.survey = post_mortem.Survey(_STATE.watch, rank, size).text
    settings = importlib.import_module("mpi4py").rc
    settings.initialize = settings.finalize = False
    mpi = importlib.import_module("mpi4py.MPI")
    if mpi.Is_initialized() and not launched:
        raise RuntimeError(
            "torch.distributed.init_process_group must come before mpi4py.MPI is imported, or the "
            "processes be started by mpiexec: MPI runs in this process and knows no other"
        )
    if not mpi.Is_initialized():
        # By ctypes, which lets go of the GIL: rank 0 answers MPI's questions in a thread.
        provided = ctypes.c_int()
        library = ctypes.CDLL(mpi.__file__)
        library.MPI_Init_thread(None, None, _MULTIPLE, ctypes.byref(provided))
    world = mpi.COMM_WORLD
    world.Set_errhandler(mpi.ERRORS_RETURN)
    if (world.rank, world.size) != (rank, size):
        raise RuntimeError(
            f"torch.distributed.init_process_group got rank {rank} of {size}, and MPI says "
            f"{world.rank} of {world.size}"
        )
    world.Barrier()
    near = world.Split_type(mpi.COMM_TYPE_SHARED)
    _STATE.on_one_machine = near.size == size
    near.Free()
    _unlink_shared_memory()
    _STATE.mpi = mpi
    atexit.register(_leave, rank)


def _unlink_shared_memory() -> None:
    """Unlinks the segments that all ranks have attached: a killed job leaves nothing behind."""
    try:
        with open("/proc/self/maps") as maps:
            lines = [line for line in maps if "/dev/shm/mpich" in line]
    except OSError:
        return  # no Linux
    for name in {line.split()[-1] for line in lines}:
        with contextlib.suppress(FileNotFoundError):  # another rank was quicker
            os.unlink(name)


def _listen(watch: socket.socket) -> None:
    """Receives news of lost or leaving ranks, "lost 2", "bye 2 1", and questions, "ask 2"."""
    news = watch.makefile("r")
    while True:
        try:
            how, *words = news.readline().split() or ["lost"]
        except OSError:
            how, words = "lost", []
        if how == "ask":
            post_mortem.answer(watch, int(words[0]))
            continue
        if how == "say":
            post_mortem.note(int(words[0]), words[1])
            continue
        if how == "bye":
            _STATE.gone[int(words[0])] = words[1] == "1"
            ENGINE.note_left(int(words[0]))
            continue
        _STATE.lost.set()
        served_until_it_left = not words and 0 in _STATE.gone  # what it sent may be there
        if not _STATE.leaving and not served_until_it_left:
            who = f"rank {words[0]}" if words else "rank 0, which served the others,"
            ENGINE.note_lost(who)
        if not words:
            return


def _pair(world: Any, ranks: list[int], name: str, limit: float) -> Communicator:
    """The communicator of some ranks of the world; all of them make it.

    Raises:
        RuntimeError: one of them does not within `limit` seconds.
    """
    made: list[Any] = []

    def make() -> None:
        comm = world.Create_group(world.group.Incl(ranks), zlib.crc32(name.encode()) % 30_000)
        comm.Set_errhandler(_STATE.mpi.ERRORS_RETURN)
        inner = comm.Dup()
        inner.Set_errhandler(_STATE.mpi.ERRORS_RETURN)
        made.extend([comm, inner])

    thread = threading.Thread(target=make, daemon=True)
    thread.start()
    thread.join(limit)
    if not made:
        raise RuntimeError(
            f"[MPI] Timed out waiting {round(limit * 1000)}ms for all ranks to make a process group"
        )
    return Communicator(*made, _STATE.mpi.BYTE)


def subgroup(of: Communicator, ranks: list[int], name: str, limit: float) -> Communicator:
    """The communicator of some ranks of another one; all of them make it."""
    return _pair(of.comm, ranks, name, limit)


def _leave(rank: int) -> None:
    """At exit: waits a little for the others, so that no last message is lost."""
    _STATE.leaving = True
    raised = getattr(sys, "last_value", None) is not None  # which ends this process
    well = ENGINE.failure is None and not ENGINE.active and not raised
    if _STATE.watch is not None:
        _say_goodbye(rank, well)
        if well and not _all_leave_well():
            well = False
            _say_goodbye(rank, well)  # else the others would wait for this rank in MPI_Finalize
    if well:
        finalize = ctypes.CDLL(_STATE.mpi.__file__).MPI_Finalize
        thread = threading.Thread(target=finalize, daemon=True)
        thread.start()
        thread.join(_PATIENCE)
    ENGINE.lock.acquire(timeout=1)  # for good: nothing looks at requests from here on
    if _STATE.watch is not None:
        pmi.answer_goodbye()


def _say_goodbye(rank: int, well: bool) -> None:
    """Tells the others that this rank leaves, and whether it can end MPI."""
    with contextlib.suppress(OSError):  # the server is gone
        assert _STATE.watch is not None
        _STATE.watch.sendall(f"cmd=bye rank={rank} well={int(well)}\n".encode())


def _all_leave_well() -> bool:
    """Whether all other ranks leave, too, and can end MPI: it cannot be ended without one."""
    limit = _PATIENCE_OF_ONE_MACHINE if _STATE.on_one_machine else _PATIENCE
    end, others = time.monotonic() + limit, _STATE.mpi.COMM_WORLD.size - 1
    while len(_STATE.gone) < others and not _STATE.lost.is_set() and time.monotonic() < end:
        if not all(_STATE.gone.values()):
            return False
        time.sleep(0.001)
    return len(_STATE.gone) == others and all(_STATE.gone.values())

"""The engine, over requests that complete when a test says so."""

import threading
import time

import pytest

from minitorch.distributed.engine import Engine, Operation


class Request:
    """Completes after a number of looks; None for never."""

    def __init__(self, looks, error=None):
        self.looks, self.error = looks, error

    def Test(self):
        if self.error:
            raise self.error
        if self.looks is None:
            return False
        self.looks -= 1
        return self.looks < 0


def operation(*requests, end=None):
    def steps():
        yield from requests
        if end:
            end()

    return Operation(steps(), None, "test", 5.0)


def test_an_operation_runs_through_its_requests():
    engine, ended = Engine(), []
    work = engine.submit(operation(Request(0), Request(3), end=lambda: ended.append(1)))
    engine.drive(work, 5)
    assert ended == [1]
    assert work.done
    assert work.error is None


def test_whoever_waits_drives_all_operations():
    engine = Engine()
    first = engine.submit(operation(Request(2)))
    second = engine.submit(operation(Request(20)))
    engine.drive(second, 5)
    assert first.done


def test_operations_go_on_while_nobody_waits():
    engine, done = Engine(), threading.Event()
    engine.submit(operation(Request(5), end=done.set))
    engine.leave_alone()
    assert done.wait(5)


def test_an_error_of_mpi_tells_of_the_rank_that_is_lost_as_soon_as_that_is_known():
    engine = Engine()
    engine.survey = lambda: ""
    work = engine.submit(operation(Request(0, OSError("process_vm_readv failed"))))
    threading.Timer(0.05, engine.note_lost, ["rank 2"]).start()
    engine.drive(work, 5)
    assert str(work.error) == "[MPI] Connection closed by peer: rank 2 was lost"


def test_an_error_of_mpi_is_told_where_no_rank_is_lost():
    engine = Engine()
    work = engine.submit(operation(Request(0, OSError("no memory"))))
    engine.drive(work, 5)
    assert str(work.error) == "test: no memory"


def test_a_time_limit_ends_all_operations_and_later_ones():
    engine = Engine()
    work = engine.submit(operation(Request(None)))
    other = engine.submit(operation(Request(None)))
    engine.drive(work, 0.05)
    assert "Timed out waiting 50ms for test operation" in str(work.error)
    assert other.done
    with pytest.raises(RuntimeError, match="Timed out waiting 50ms"):
        engine.submit(operation(Request(0)))


def test_a_lost_rank_ends_operations_at_once():
    engine = Engine()
    work = engine.submit(operation(Request(None)))
    threading.Timer(0.05, engine.note_lost, ("rank 2",)).start()
    start = time.monotonic()
    engine.drive(work, 60)
    assert time.monotonic() - start < 5
    assert str(work.error) == "[MPI] Connection closed by peer: rank 2 was lost"


def test_a_message_that_is_too_long_is_an_error():
    engine = Engine()
    error = Exception("MPI_ERR_TRUNCATE: Message truncated")
    work = engine.submit(operation(Request(0, error)))
    engine.drive(work, 5)
    assert "test: Message truncated" in str(work.error)

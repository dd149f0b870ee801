"""torch.utils.data._utils: the parts of a loader, which others build loaders of."""

import gc
import multiprocessing.queues
import os
import queue
import signal
import threading
import weakref

import numpy
import pytest

import minitorch as torch
from minitorch.core.arrays import blas
from minitorch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset, _utils
from minitorch.utils.data import dataloader as loaders
from minitorch.utils.data._utils import signal_handling

COLLATE = _utils.collate.default_collate


class Killed(Dataset):
    def __init__(self, end):
        self.end = end

    def __getitem__(self, i):
        self.end()

    def __len__(self):
        return 1


class Odd(IterableDataset):
    def __iter__(self):
        return iter(range(3))


class Threads(Dataset):
    def __getitem__(self, i):
        return torch.get_num_threads()

    def __len__(self):
        return 2


def terminate():
    os.kill(os.getpid(), signal.SIGKILL)


def quit_with_3():
    os._exit(3)


@pytest.mark.parametrize(
    ("end", "text"),
    [
        (terminate, r"DataLoader worker \(pid \d+\) is killed by signal: Killed\. $"),
        (quit_with_3, r"DataLoader worker \(pid \d+\) exited unexpectedly with exit code 3\."),
    ],
)
def test_the_end_of_a_worker_is_the_cause_of_the_error(end, text):
    with pytest.raises(RuntimeError, match="exited unexpectedly") as caught:
        list(DataLoader(Killed(end), num_workers=1))
    with pytest.raises(RuntimeError, match=text):
        raise caught.value.__cause__


def test_workers_are_registered_once_and_forgotten():
    signal_handling._set_worker_pids(-1, (os.getpid(),))
    signal_handling._error_if_any_worker_fails()
    with pytest.raises(ValueError, match="should be called only once"):
        signal_handling._set_worker_pids(-1, ())
    signal_handling._remove_worker_pids(-1)
    with pytest.raises(ValueError, match=r"Cannot find worker information .* with id -1"):
        signal_handling._remove_worker_pids(-1)
    with pytest.raises(TypeError, match="expects a tuple for child_pids, but got list"):
        signal_handling._set_worker_pids(-1, [3])


def test_a_worker_has_one_thread_whatever_its_parent_has():
    before = blas.threads()
    blas.use_threads(3)
    found = [each.tolist() for each in DataLoader(Threads(), num_workers=1)]
    assert blas.threads() == 3
    blas.use_threads(before)
    assert found == [[1], [1]]


def test_fetchers_give_batches():
    x = torch.arange(6.0).reshape(3, 2)
    create = loaders._DatasetKind.create_fetcher
    by_number = create(0, TensorDataset(x), True, COLLATE, False)
    assert by_number.fetch([0, 2])[0].tolist() == [[0, 1], [4, 5]]
    assert isinstance(by_number, _utils.fetch._MapDatasetFetcher)
    assert _utils.fetch._MapDatasetFetcher([5, 6], False, str, False).fetch(1) == "6"
    in_turn = create(1, Odd(), True, COLLATE, True)
    assert in_turn.fetch([None] * 2).tolist() == [0, 1]
    with pytest.raises(StopIteration):
        in_turn.fetch([None] * 2)
    assert in_turn.ended
    with pytest.raises(NotImplementedError):
        _utils.fetch._BaseDatasetFetcher([], True, COLLATE, False).fetch([0])


def test_words_that_seed_numpy_in_a_worker():
    assert _utils.worker._generate_state(2**40 + 7, 3) == [
        *(400740237, 3779043709, 3128233089, 477537302),
    ]


def test_batches_of_sparse_tensors_are_refused():
    rows = [torch.eye(2).to_sparse()] * 2
    with pytest.raises(RuntimeError, match="Batches of sparse tensors are not currently supported"):
        COLLATE(rows)


def test_a_function_for_a_type_joins_those_that_collate():
    kinds = {**_utils.collate.default_collate_fn_map, complex: lambda batch, **_: sum(batch)}
    collated = _utils.collate.collate([{"a": 1j, "b": 1.0}] * 2, collate_fn_map=kinds)
    assert collated["a"] == 2j
    assert collated["b"].dtype is torch.float64
    names = numpy.array(["a"])
    with pytest.raises(TypeError, match=r"must contain tensors, numpy arrays, .*; found <U1"):
        COLLATE([names])


def test_pinning_goes_through_containers():
    class Pinned:
        def pin_memory(self):
            return "pinned"

    pin = _utils.pin_memory.pin_memory
    assert pin({"a": [Pinned(), "b"], "c": (1, Pinned())}) == {
        "a": ["pinned", "b"],
        "c": (1, "pinned"),
    }
    with pytest.raises(
        RuntimeError, match="Cannot access accelerator device when none is available"
    ):
        pin([torch.ones(1)])


def test_the_pinning_thread_hands_results_and_errors_on():
    given, taken, done = queue.Queue(), queue.Queue(), threading.Event()
    arguments = (given, taken, 0, done, "cuda")
    thread = threading.Thread(target=_utils.pin_memory._pin_memory_loop, args=arguments)
    thread.start()
    given.put((0, "text"))
    given.put((1, torch.ones(1)))
    assert taken.get() == (0, "text")
    with pytest.raises(RuntimeError, match="Caught RuntimeError in pin memory thread for device 0"):
        taken.get()[1].reraise()
    done.set()
    given.put((2, "late"))
    thread.join()


def test_passes_have_the_fields_that_derived_classes_read():
    loader = DataLoader(range(5), batch_size=2)
    one = loader._get_iterator()
    assert isinstance(one, loaders._SingleProcessDataLoaderIter)
    assert isinstance(one, loaders._BaseDataLoaderIter)
    assert next(one).tolist() == [0, 1]
    assert (one._num_yielded, one._num_workers, one._dataset) == (1, 0, range(5))
    assert one._next_index() == [2, 3]
    one._reset(loader)
    assert next(one).tolist() == [0, 1]
    many = iter(DataLoader(range(5), batch_size=2, num_workers=1))
    assert isinstance(many, loaders._MultiProcessingDataLoaderIter)
    assert [batch.tolist() for batch in many] == [[0, 1], [2, 3], [4]]
    assert many._shutdown
    assert (many._send_idx, many._rcvd_idx, many._tasks_outstanding) == (3, 3, 0)


def test_a_pinned_device_is_named_deprecated():
    with (
        pytest.warns(UserWarning, match="pin_memory_device is deprecated"),
        pytest.warns(UserWarning, match="no accelerator is found"),
    ):
        iter(DataLoader(range(2), pin_memory=True, pin_memory_device="cuda"))


@pytest.mark.filterwarnings("ignore:This DataLoader will create:UserWarning")
def test_a_pass_in_a_cycle_of_garbage_ends_before_its_pipes_are_closed(monkeypatch):
    failed = []
    failing = multiprocessing.queues.Queue
    monkeypatch.setattr(
        failing, "_on_queue_feeder_error", staticmethod(lambda error, _: failed.append(error))
    )
    loader = DataLoader([1], num_workers=2, multiprocessing_context="fork")
    gc.collect()
    cycle = [iter(loader)]  # its second worker gets no task, so that its queue has no thread yet
    cycle.append(cycle)
    workers = cycle[0]._workers
    del cycle
    gc.collect()
    assert not any(worker.is_alive() for worker in workers)
    assert failed == []


def test_an_error_of_a_worker_keeps_no_pass_alive():
    loader = DataLoader([1, "x"], batch_size=2, num_workers=1, multiprocessing_context="fork")
    gc.collect()
    gc.disable()
    try:
        batches = iter(loader)
        ended = weakref.ref(batches)
        with pytest.raises(TypeError):
            next(batches)
        del batches
        assert ended() is None
    finally:
        gc.enable()

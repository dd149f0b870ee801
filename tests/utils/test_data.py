"""torch.utils.data: items of datasets, samplers and loaders, here and from workers."""

import collections
import os
import subprocess
import sys

import numpy
import pytest

import minitorch as torch
from minitorch.utils.data import (
    BatchSampler,
    ChainDataset,
    ConcatDataset,
    DataLoader,
    Dataset,
    DistributedSampler,
    IterableDataset,
    RandomSampler,
    StackDataset,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
    WeightedRandomSampler,
    default_collate,
    default_convert,
    get_worker_info,
    random_split,
)

# On one processor two workers are more than suggested.
pytestmark = pytest.mark.filterwarnings("ignore:This DataLoader will create:UserWarning")

X, Y = torch.arange(20.0).reshape(10, 2), torch.arange(10)
ROWS = TensorDataset(X, Y)
# By torch 2.13.0 after manual_seed(3).
SHUFFLED = [[6, 2, 0, 1], [8, 3, 5, 4], [7, 9]]


class Squares(Dataset):
    def __getitem__(self, i):
        if i >= 7:
            raise IndexError(i)
        return i * i

    def __len__(self):
        return 7


class Draws(Squares):
    def __getitem__(self, i):
        return torch.rand(())


class Faulty(Squares):
    def __getitem__(self, i):
        if i == 5:
            raise KeyError("five")
        return i


class Quitting(Squares):
    def __getitem__(self, i):
        os._exit(3)


class Counting(IterableDataset):
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        worker = get_worker_info()
        if worker is None:
            return iter(range(self.n))
        return iter(range(worker.id, self.n, worker.num_workers))


def lists(loader):
    return [batch.tolist() for batch in loader]


def test_shuffled_batches_are_those_of_torch():
    torch.manual_seed(3)
    batches = [y.tolist() for _, y in DataLoader(ROWS, batch_size=4, shuffle=True)]
    assert batches == SHUFFLED


def test_rows_of_tensors_are_batched_as_their_items_are():
    for x, y in DataLoader(ROWS, batch_size=4):
        items = default_collate([ROWS[i] for i in y.tolist()])
        assert type(items) is list
        assert torch.equal(x, items[0])
        assert x.is_contiguous()


def test_gradients_flow_to_the_tensors_of_a_dataset():
    x = torch.ones(3, 2, requires_grad=True)
    for (batch,) in DataLoader(TensorDataset(x), batch_size=3):
        batch.sum().backward()
    assert x.grad.tolist() == [[1, 1]] * 3


@pytest.mark.parametrize("workers", [0, 1, 2])
def test_batches_come_in_order(workers):
    loader = DataLoader(Squares(), batch_size=3, num_workers=workers)
    assert lists(loader) == [[0, 1, 4], [9, 16, 25], [36]]
    assert len(loader) == 3
    dropped = DataLoader(Squares(), batch_size=3, num_workers=workers, drop_last=True)
    assert lists(dropped) == [[0, 1, 4], [9, 16, 25]]


def test_workers_share_an_iterable_dataset():
    loader = DataLoader(Counting(9), batch_size=2, num_workers=2)
    assert lists(loader) == [[0, 2], [1, 3], [4, 6], [5, 7], [8]]


def test_workers_that_stay_begin_anew():
    loader = DataLoader(Squares(), batch_size=4, num_workers=2, persistent_workers=True)
    first = loader.__iter__()
    pids = [worker.pid for worker in first._workers]
    assert lists(loader) == lists(loader) == [[0, 1, 4, 9], [16, 25, 36]]
    assert [worker.pid for worker in loader.__iter__()._workers] == pids


def test_workers_have_seeds_of_their_own():
    torch.manual_seed(0)
    loader = DataLoader(Draws(), batch_size=7, num_workers=2)
    one = lists(loader)
    torch.manual_seed(0)
    assert lists(loader) == one
    assert len(set(one[0])) == 7


def test_an_error_of_a_worker_is_shown_with_its_traceback():
    loader = DataLoader(Faulty(), batch_size=2, num_workers=1)
    with pytest.raises(KeyError) as caught:
        lists(loader)
    assert str(caught.value).startswith("Caught KeyError in DataLoader worker process 0.\nOriginal")
    assert 'raise KeyError("five")' in str(caught.value)


def test_a_worker_that_dies_is_noticed(monkeypatch):
    monkeypatch.setattr("minitorch.utils.data._utils.MP_STATUS_CHECK_INTERVAL", 0.5)
    with pytest.raises(RuntimeError, match=r"worker \(pid\(s\) \d+\) exited unexpectedly"):
        lists(DataLoader(Quitting(), num_workers=1))


def test_samplers_draw_from_their_generators():
    def drawn(sampler):
        return list(sampler)

    def generator():
        return torch.Generator().manual_seed(1)

    assert (
        drawn(RandomSampler(Y, generator=generator()))
        == torch.randperm(10, generator=generator()).tolist()
    )
    assert len(drawn(RandomSampler(Y, True, 40))) == 40
    assert len(drawn(RandomSampler(Y, num_samples=25))) == 25
    assert sorted(drawn(SubsetRandomSampler([3, 5, 7]))) == [3, 5, 7]
    assert set(drawn(WeightedRandomSampler([0.0, 1.0], 5))) == {1}
    assert drawn(BatchSampler(range(5), 2, drop_last=False)) == [[0, 1], [2, 3], [4]]
    assert drawn(BatchSampler(range(5), 2, drop_last=True)) == [[0, 1], [2, 3]]


def test_splits_have_no_item_in_common():
    parts = random_split(ROWS, [0.7, 0.3])
    assert [len(part) for part in parts] == [7, 3]
    assert sorted(parts[0].indices + parts[1].indices) == list(range(10))
    with pytest.raises(ValueError, match="Sum of input lengths"):
        random_split(ROWS, [3, 3])


def test_datasets_are_put_together():
    assert (Squares() + Squares())[8] == 1
    assert ConcatDataset([Squares(), Squares()])[-1] == 36
    assert list(ChainDataset([Counting(2), Counting(3)])) == [0, 1, 0, 1, 2]
    assert StackDataset(a=Squares(), b=Squares())[2] == {"a": 4, "b": 4}
    assert StackDataset(Squares(), Squares()).__getitems__([1, 2]) == [(1, 1), (4, 4)]
    assert Subset(Squares(), [2, 4]).__getitems__([1]) == [16]


def test_items_are_collated_by_their_kind():
    Pair = collections.namedtuple("Pair", "a b")
    both = default_collate([Pair(1, 2.0), Pair(3, 4.0)])
    assert type(both) is Pair
    assert both.a.dtype is torch.int64
    assert both.b.dtype is torch.float64
    found = default_collate([{"x": numpy.ones(2), "s": "text"}] * 2)
    assert found["x"].shape == (2, 2)
    assert found["s"] == ["text", "text"]
    with pytest.raises(RuntimeError, match="should be of equal size"):
        default_collate([[1], [1, 2]])
    with pytest.raises(TypeError, match="batch must contain tensors"):
        default_collate([object()])
    assert default_convert([numpy.ones(1), 3, "t"])[1:] == [3, "t"]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"num_workers": -1}, "num_workers option should be non-negative"),
        ({"sampler": [1], "shuffle": True}, "sampler option is mutually exclusive with shuffle"),
        ({"batch_size": None, "drop_last": True}, "batch_size=None option disables"),
        ({"batch_size": 0}, "batch_size should be a positive integer value"),
        ({"prefetch_factor": 2}, "prefetch_factor option could only be specified"),
        ({"persistent_workers": True}, "persistent_workers option needs num_workers > 0"),
        ({"multiprocessing_context": "fork"}, "can only be used with multi-process loading"),
    ],
)
def test_options_that_exclude_one_another_are_refused(options, text):
    with pytest.raises(ValueError, match=text):
        DataLoader(ROWS, **options)


def test_what_a_loader_goes_by_cannot_be_set_later():
    with pytest.raises(ValueError, match="batch_size attribute should not be set after"):
        DataLoader(ROWS).batch_size = 3


def test_processes_share_a_dataset():
    shares = [list(DistributedSampler(range(10), 3, rank, seed=1)) for rank in range(3)]
    assert [len(share) for share in shares] == [4, 4, 4]
    assert sorted({i for share in shares for i in share}) == list(range(10))
    sampler = DistributedSampler(range(10), 3, 0, drop_last=True)
    assert len(sampler) == len(list(sampler)) == 3
    before = list(sampler)
    sampler.set_epoch(1)
    assert list(sampler) != before
    with pytest.raises(ValueError, match="Invalid rank 3"):
        DistributedSampler(range(10), 3, 3)
    told = "Requires distributed package to be available|Default process group has not been"
    with pytest.raises((RuntimeError, ValueError), match=told):
        DistributedSampler(range(10))


class Numbers(torch.utils.data.IterDataPipe):
    """Counts up to a limit."""

    def __init__(self, limit):
        self.limit = limit

    def __iter__(self):
        yield from range(self.limit)


def test_data_pipes_of_ones_own_become_methods_of_all_pipes():
    @torch.utils.data.functional_datapipe("squared")
    class Squared(torch.utils.data.IterDataPipe):
        def __init__(self, source):
            self.source = source

        def __iter__(self):
            return iter([item**2 for item in self.source])

    try:
        pipe = Numbers(4).squared()
        assert isinstance(pipe, Squared)
        assert str(pipe).endswith("Squared")
        assert list(pipe) == list(pipe) == [0, 1, 4, 9]
        assert [batch.tolist() for batch in DataLoader(pipe, batch_size=3)] == [[0, 1, 4], [9]]
        assert "squared" in dir(pipe)
        with pytest.raises(Exception, match="name squared as it is already taken"):
            torch.utils.data.functional_datapipe("squared")(Squared)
    finally:
        del torch.utils.data.IterDataPipe.functions["squared"]


def test_a_new_iterator_over_a_data_pipe_makes_the_last_invalid():
    pipe = Numbers(3)
    first = iter(pipe)
    assert next(first) == 0
    assert list(pipe) == [0, 1, 2]
    with pytest.raises(RuntimeError, match=r"from the same IterDataPipe: Numbers\(limit=3\)"):
        next(first)


def test_errors_of_a_data_pipe_name_it():
    with pytest.raises(TypeError, match=r"thrown by __iter__ of Numbers\(limit=None\)"):
        list(Numbers(None))


def test_torchs_own_data_pipes_say_that_they_are_not_there():
    with pytest.raises(NotImplementedError, match=r"torch\.utils\.data\.IterDataPipe\.map"):
        Numbers(2).map(str)
    with pytest.raises(AttributeError, match="'Numbers' object has no attribute 'counted"):
        Numbers(2).counted()
    with pytest.raises(NotImplementedError, match=r"torch\.utils\.data\.runtime_validation"):
        torch.utils.data.runtime_validation(str)


def test_data_pipes_without_an_order_are_refused_where_one_is_needed():
    unordered = torch.utils.data.non_deterministic(Numbers)
    assert list(unordered(2)) == [0, 1]
    with (
        torch.utils.data.guaranteed_datapipes_determinism(),
        pytest.raises(TypeError, match="Numbers is non-deterministic, but you set"),
    ):
        unordered(2)
    assert list(unordered(2)) == [0, 1]


def test_an_IterableDataset_without_iter_is_abstract():
    class Without(torch.utils.data.IterableDataset):
        pass

    with pytest.raises(TypeError, match=r"abstract method '?__iter__"):
        Without()


def test_workers_that_stay_end_in_silence_with_the_program():
    program = (
        "from minitorch.utils.data import DataLoader\n"
        "import warnings; warnings.simplefilter('ignore')\n"
        "loader = DataLoader(range(4), 2, num_workers=2, persistent_workers=True)\n"
        "print([x.tolist() for x in loader])"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (run.stdout, run.stderr, run.returncode) == ("[[0, 1], [2, 3]]\n", "", 0)

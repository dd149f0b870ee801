"""Worlds in one process: ranks that are threads, and a rank that says nothing to others."""

import threading

import pytest

import minitorch as torch
import minitorch.distributed as dist
from minitorch.distributed import fake_steps, mpi_steps, steps, threaded_steps
from minitorch.distributed.backends import BACKENDS
from minitorch.distributed.order import FOLDS, bounds, folded
from minitorch.testing._internal.distributed import multi_threaded_pg as threads
from minitorch.testing._internal.distributed.fake_pg import FakeStore


@pytest.fixture
def together():
    """Runs a function of a rank on several threads; what each returns or raises."""
    added = BACKENDS["threaded"] = "minitorch.distributed.threaded_steps"
    threads._install_threaded_pg()

    def run(function, size=3):
        store, ended = dist.HashStore(), [None] * size

        def work(rank):
            dist.init_process_group("threaded", store=store, rank=rank, world_size=size)
            try:
                ended[rank] = function(rank)
            except Exception as error:
                ended[rank] = error
            dist.destroy_process_group()

        started = [threading.Thread(target=work, args=(rank,)) for rank in range(size)]
        for each in started:
            each.start()
        for each in started:
            each.join(30)
        return ended

    yield run
    threads._uninstall_threaded_pg()
    threads.ProcessLocalGroup.reset()
    assert BACKENDS.pop("threaded") == added


def test_threads_add_in_the_order_of_the_ring(together):
    given = torch.randn(4, 1000)

    def add(rank):
        x = given[rank].clone()
        dist.all_reduce(x)
        return x

    at, parts = bounds(1000, 4, 4), [row.numpy() for row in given]
    expected = [
        value
        for k in range(4)
        for value in folded([part[at[k] : at[k + 1]] for part in parts], k, FOLDS["SUM"]).tolist()
    ]
    assert [each.tolist() for each in together(add, 4)] == [expected] * 4


def test_threads_move_data_between_ranks(together):
    def move(rank):
        x = torch.tensor([rank, 10 * rank])
        rows = [torch.zeros(2, dtype=torch.int64) for _ in range(3)]
        dist.all_gather(rows, x)
        part = torch.zeros(2, dtype=torch.int64)
        dist.scatter(part, [x + k for k in range(3)] if rank == 1 else None, 1)
        swapped = [torch.zeros(1, dtype=torch.int64) for _ in range(3)]
        dist.all_to_all(swapped, [torch.tensor([10 * rank + k]) for k in range(3)])
        summed = torch.zeros(1, dtype=torch.int64)
        dist.reduce_scatter_single(summed, torch.arange(3) * (rank + 1))
        if rank == 0:
            dist.send(x + 7, 2, tag=3)
        source = dist.recv(x, tag=3) if rank == 2 else None
        return [each.tolist() for each in (*rows, part, *swapped, summed, x)], source

    rows = [[0, 0], [1, 10], [2, 20]]
    for rank, (seen, source) in enumerate(together(move)):
        swapped = [[10 * k + rank] for k in range(3)]
        own = [7, 7] if rank == 2 else rows[rank]
        assert seen == [*rows, [1 + rank, 10 + rank], *swapped, [6 * rank], own]
        assert source == (0 if rank == 2 else None)


def test_threads_that_run_different_operations_are_told_so(together):
    def differ(rank):
        x = torch.ones(2)
        dist.all_reduce(x) if rank else dist.broadcast(x, 0)

    texts = [str(each) for each in together(differ)]
    assert "Rank 0 is running collective" in texts[0]
    assert all("Detected mismatch between collectives on ranks" in text for text in texts)


def test_threads_train_a_module_in_a_mesh(together):
    def train(rank):
        mesh = dist.init_device_mesh("cpu", (2, 2), mesh_dim_names=("a", "b"))
        module = torch.nn.Linear(2, 1, bias=False)
        model = torch.nn.parallel.DistributedDataParallel(module, device_mesh=mesh["b"])
        model(torch.full((1, 2), float(rank))).sum().backward()
        return module.weight.grad.tolist()

    assert together(train, 4) == [[[0.5, 0.5]]] * 2 + [[[2.5, 2.5]]] * 2


def test_a_fake_world_makes_results_of_its_own_data():
    dist.init_process_group("fake", store=FakeStore(), rank=1, world_size=3)
    try:
        x, rows = torch.ones(2), [torch.zeros(2) for _ in range(3)]
        dist.all_reduce(x)
        dist.all_gather(rows, x)
        assert [each.tolist() for each in (x, *rows)] == [[1, 1]] * 4
        assert dist.get_backend() == "fake"
        assert dist.get_world_size(dist.new_group([1, 2])) == 2
    finally:
        dist.destroy_process_group()


def test_a_SyncBatchNorm_refuses_to_train_with_processes_on_the_CPU():
    module, x = torch.nn.SyncBatchNorm(3), torch.rand(4, 3)
    module(x)
    dist.init_process_group("fake", store=FakeStore(), rank=1, world_size=3)
    try:
        with pytest.raises(ValueError, match="expected input tensor to be on GPU or XPU"):
            module(x)
        assert module.num_batches_tracked == 2
        assert module.eval()(x).shape == (4, 3)
    finally:
        dist.destroy_process_group()
    module.train()(x)


@pytest.mark.parametrize("module", [fake_steps, mpi_steps, steps, threaded_steps])
def test_each_backend_has_all_operations(module):
    internal = {"checked", "joined"}
    assert [name for name in steps.__all__ if not hasattr(module, name)] in ([], sorted(internal))

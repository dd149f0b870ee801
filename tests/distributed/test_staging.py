"""Tensors of CUDA under gloo and mpi cross through the memory of the host, as torch sends them."""

import threading

import pytest

import minitorch as torch
import minitorch.distributed as dist
from minitorch.distributed.backends import BACKENDS
from minitorch.nn.parallel import DistributedDataParallel
from minitorch.testing._internal.distributed import multi_threaded_pg as threads
from tests.strict_array import StrictArray, registered


@pytest.fixture(params=["cpu", "cuda"])
def together(request):
    """Runs a function of rank and device on threads, of gloo's checks and order of additions."""
    added = BACKENDS["threaded"] = "minitorch.distributed.threaded_steps"
    threads._install_threaded_pg()

    def run(function, size=3):
        store, ended = dist.HashStore(), [None] * size

        def work(rank):
            dist.init_process_group("threaded", store=store, rank=rank, world_size=size)
            try:
                ended[rank] = function(rank, request.param)
            except Exception as error:
                ended[rank] = error
            dist.destroy_process_group()

        started = [threading.Thread(target=work, args=(rank,)) for rank in range(size)]
        for each in started:
            each.start()
        for each in started:
            each.join(30)
        return ended

    with registered():
        yield run
    threads._uninstall_threaded_pg()
    threads.ProcessLocalGroup.reset()
    assert BACKENDS.pop("threaded") == added


def values(*tensors):
    return [each.tolist() for each in tensors]


def reductions(rank, device):
    x = torch.arange(4.0, device=device) + rank
    y = torch.ones(2, 3, device=device).t() * rank  # which has no memory row by row
    half = torch.full((3,), 1.5 + rank, dtype=torch.bfloat16, device=device)
    z = torch.full((2,), complex(rank, 1), dtype=torch.complex64, device=device)
    root = x.clone()
    for each in (x, y, half, z):
        dist.all_reduce(each)
    dist.reduce(root, 1, op=dist.ReduceOp.MAX)
    parts = torch.arange(6.0, device=device).reshape(3, 2) * (rank + 1)
    out, other = torch.zeros(2, device=device), torch.zeros(1, 2, device=device)
    dist.reduce_scatter(out, list(parts))
    dist.reduce_scatter_single(other, parts, op=dist.ReduceOp.AVG)
    return values(x, y, half, z, out, other, parts, *([root] if rank == 1 else []))


def moves(rank, device):
    def zeros(*shape):
        return torch.zeros(shape, dtype=torch.int64, device=device)

    x = torch.tensor([rank, 10 * rank], device=device)
    given = x.clone()
    dist.broadcast(given, 2)
    rows, whole = [zeros(2) for _ in range(3)], zeros(6)
    dist.all_gather(rows, x)
    dist.all_gather_single(whole, x)
    gathered = [zeros(2) for _ in range(3)] if rank == 1 else None
    dist.gather(x, gathered, 1)
    part, swapped, wide = zeros(2), [zeros(1) for _ in range(3)], zeros(3)
    dist.scatter(part, [x + k for k in range(3)] if rank == 0 else None, 0)
    dist.all_to_all(swapped, [x[:1] + 10 * k for k in range(3)])
    dist.all_to_all_single(wide, x[0] + torch.arange(3, device=device))
    late = zeros(2)
    if rank == 0:
        dist.send(x + 7, 2, tag=3)
    if rank == 2:
        dist.recv(late, 0, tag=3)
    return values(given, *rows, whole, *(gathered or []), part, *swapped, wide, late, x)


EXPECTED = {}


@pytest.mark.parametrize("function", [reductions, moves])
def test_collectives_of_cuda_tensors_give_the_numbers_of_the_cpu(together, function):
    seen = together(function)
    assert all(type(each) is list for each in seen), seen
    assert EXPECTED.setdefault(function, seen) == seen


def test_results_lie_in_the_memory_of_the_tensors_that_were_given(together):
    def add(rank, device):
        whole = torch.zeros(4, device=device)
        memory = whole._array
        work = dist.all_reduce(whole[1:3].add_(rank), async_op=True)
        work.wait()
        assert whole._array is memory
        assert (type(memory) is StrictArray) == (device == "cuda")
        return whole.tolist(), work.result()[0].device.type == device

    assert together(add) == [([0.0, 3.0, 3.0, 0.0], True)] * 3


def test_allreduce_coalesced_of_cuda_is_refused_in_gloos_words():
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        with registered():
            x = torch.ones(2, device="cuda")
            with pytest.raises(
                RuntimeError, match=r"^ProcessGroupGloo::allreduce_coalesced: unsup"
            ):
                dist.group.WORLD.operations.allreduce_coalesced([x])
            with pytest.raises(RuntimeError, match=r"tensor type at index 0 .*got.*device=cuda:0"):
                dist.all_gather([x], torch.ones(2))
            with pytest.raises(RuntimeError, match=r"^Invalid scalar type$"):
                dist.broadcast(torch.ones(2, dtype=torch.int16, device="cuda"), 0)
    finally:
        dist.destroy_process_group()


def test_objects_cross_in_bytes_on_the_device_that_is_named(together):
    def cross(rank, device):
        objects = [{"rank": rank}, None]
        dist.broadcast_object_list(objects, 1, device=torch.device(device))
        if rank == 0:
            dist.send_object_list(["hello", 2], 2, device=torch.device(device))
        late = [None, None]
        if rank == 2:
            dist.recv_object_list(late, 0, device=torch.device(device))
        everywhere = [None] * 3
        dist.all_gather_object(everywhere, rank)
        return objects, late, everywhere

    seen = together(cross)
    assert [each[0] for each in seen] == [[{"rank": 1}, None]] * 3
    assert seen[2][1] == ["hello", 2]
    assert [each[2] for each in seen] == [[0, 1, 2]] * 3


@pytest.mark.parametrize("as_view", [False, True])
def test_parallel_modules_average_gradients_on_their_device(together, as_view):
    torch.manual_seed(0)
    weights, data = torch.randn(2, 3), torch.randn(2, 4, 3)

    def train(rank, device):
        model = torch.nn.Linear(3, 2)
        model.spare = torch.nn.Parameter(torch.ones(2))  # which no forward uses
        with torch.no_grad():
            model.weight.copy_(weights * (rank + 1))
            model.bias.zero_()
        model.to(device)
        ddp = DistributedDataParallel(
            model, gradient_as_bucket_view=as_view, find_unused_parameters=True
        )
        for _ in range(2):
            model.zero_grad()
            (ddp(data[rank].to(device)) ** 2).sum().backward()
        assert model.spare.grad is None
        assert {each.grad.device.type for each in (model.weight, model.bias)} == {device}
        return values(model.weight.grad, model.bias.grad)

    one, other = together(train, 2)
    assert one == other, (one, other)
    model = torch.nn.Linear(3, 2)
    with torch.no_grad():
        model.weight.copy_(weights)
        model.bias.zero_()
    (model(data.reshape(8, 3)) ** 2).sum().div(2).backward()
    for each, grad in zip(model.parameters(), one):
        assert torch.allclose(each.grad, torch.tensor(grad), atol=1e-5)

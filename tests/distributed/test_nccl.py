"""Whether NCCL is there, how its ranks meet, and the choice of backends by device."""

import datetime

import pytest

import minitorch as torch
import minitorch.distributed as dist
from minitorch.distributed import nccl as calls
from minitorch.nn.parallel import DistributedDataParallel
from tests.distributed.nccl_ranks import nccl_there, ranks
from tests.strict_array import registered


def test_nccl_is_there_where_cupy_its_module_and_a_device_are(monkeypatch):
    assert not dist.is_nccl_available()
    assert not dist.is_backend_available("nccl")
    with nccl_there() as nccl:
        assert dist.is_nccl_available()
        assert dist.is_backend_available("cpu:gloo,cuda:nccl") == dist.is_gloo_available()
        assert torch.cuda.nccl.version() == (2, 27, 3)
        assert len(torch.cuda.nccl.unique_id()) == 128
        nccl.get_version = lambda: 2708
        assert torch.cuda.nccl.version() == (2, 7, 8)
        nccl.available = False
        assert not dist.is_nccl_available()
        with pytest.raises(RuntimeError, match="Distributed package doesn't have NCCL built in"):
            dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1)
    with pytest.raises(AttributeError, match=r"module 'torch._C' has no attribute '_nccl_version'"):
        torch.cuda.nccl.version()
    with pytest.warns(UserWarning, match="not compiled with NCCL"):
        assert torch.cuda.nccl.is_available([torch.ones(1)]) is False


def test_without_a_device_nccl_says_that_it_finds_none(monkeypatch):
    with nccl_there():
        monkeypatch.setattr("minitorch.cuda.nccl.is_usable", lambda: False)
        with pytest.raises(ValueError, match="is only supported with GPUs, no GPUs found!"):
            dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=1)


def test_a_rank_that_gets_no_id_names_the_key(monkeypatch):
    with nccl_there():
        store = dist.HashStore()
        store.set_timeout(datetime.timedelta(milliseconds=10))
        with pytest.raises(dist.DistBackendError) as error:
            calls.Communicators(store, 1, 2).of_all()
    assert str(error.value).startswith(
        "[1] is setting up NCCL communicator and retrieving ncclUniqueId from [0] via c10d "
        "key-value store by key '0', but store->get('0') got error: "
    )


def test_errors_of_nccl_are_those_of_the_backend():
    with nccl_there() as nccl:

        def fail():
            raise nccl.NcclError(5)

        nccl.get_unique_id = fail
        with pytest.raises(dist.DistBackendError, match=r"UniqueId, NCCL_ERROR_INVALID_USAGE"):
            calls.Communicators(dist.HashStore(), 0, 1).of_all()


@pytest.fixture
def world():
    """Starts a world of one rank by the backend that it is called with."""

    def start(*args, **options):
        dist.init_process_group(*args, store=dist.HashStore(), rank=0, world_size=1, **options)
        return dist.group.WORLD

    with nccl_there():
        yield start
        if dist.is_initialized():
            dist.destroy_process_group()


def kinds(pg):
    return [each.type for each in pg._device_types]


def test_tensors_choose_among_the_backends_of_a_group(world):
    pg = world("cpu:gloo,cuda:nccl")
    assert (kinds(pg), dist.get_backend_config()) == (["cuda", "cpu"], "cpu:gloo,cuda:nccl")
    assert (pg.name(), pg.operations.of("cpu").name()) == ("nccl", "gloo")
    for device in ("cpu", "cuda"):
        x = torch.ones(2, device=device)
        work = dist.all_reduce(x, async_op=True)
        assert work.wait()
        assert type(work).__name__ == {"cpu": "Work", "cuda": "NcclWork"}[device]
    dist.barrier()  # by gloo, as objects cross
    with pytest.raises(RuntimeError, match=r"^No backend type associated with device type meta$"):
        dist.all_reduce(torch.ones(2, device="meta"))


def test_no_backend_stands_for_that_of_the_accelerator(world):
    pg = world()
    assert (dist.get_backend(), dist.get_backend_config()) == ("undefined", "cuda:nccl")
    assert (kinds(pg), pg.name()) == (["cuda"], "nccl")
    with pytest.raises(RuntimeError, match=r"^No backend type associated with device type cpu$"):
        dist.all_reduce(torch.ones(2))


def test_gloo_takes_both_kinds_of_tensors(world):
    pg = world("gloo")
    assert (kinds(pg), type(pg.operations).__name__) == (["cuda", "cpu"], "Operations")
    with pytest.raises(RuntimeError, match="Backend gloo does not implement startCoalescing"):
        pg._start_coalescing(torch.device("cuda"))


@pytest.mark.parametrize(
    ("backend", "device", "kind", "text"),
    [
        ("gloo", torch.device("cuda:3"), ValueError, "device_id cuda:3 is out of range."),
        ("gloo", torch.device("cuda"), ValueError, "Please use a device_id with index."),
        ("gloo", torch.device("cpu"), ValueError, "init_process_group device_id parameter must"),
        ("cpu:gloo,cuda", None, ValueError, "Invalid device:backend pairing:"),
        ("cpu:gloo,cpu:mpi", None, ValueError, "Duplicate device type cpu"),
        ("cuda:some", None, AssertionError, "Unknown c10d backend type SOME"),
    ],
)
def test_devices_and_names_that_are_none_are_refused(world, backend, device, kind, text):
    with pytest.raises(kind, match=f"^{text}"):
        world(backend, device_id=device)


def test_without_a_device_a_number_of_one_is_refused():
    with pytest.raises(ValueError, match="device_id is an int, but no accelerator support"):
        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1, device_id=0)


def test_parallel_modules_average_their_gradients_while_backward_goes_on():
    torch.manual_seed(0)
    layers = [torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2)]
    state, data = torch.nn.Sequential(*layers).state_dict(), torch.randn(2, 5, 3)

    def model():
        made = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 2))
        made.load_state_dict(state)
        return made

    def train(rank):
        ddp = DistributedDataParallel(model().to("cuda"), device_ids=[0], bucket_cap_mb=1e-5)
        assert (ddp.device_ids, ddp.output_device) == ([0], 0)
        optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            ddp(data[rank]).square().sum().backward()  # which moves its inputs
            optimizer.step()
        return [each.detach().cpu() for each in ddp.parameters()]

    with nccl_there() as nccl, ranks() as run:
        one, other = run(train)
        sums = [call for call in nccl.log["rank 0"] if call[0] == "allReduce"]
    alone = model()
    optimizer = torch.optim.SGD(alone.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        (alone(data.reshape(10, 3)).square().sum() / 2).backward()
        optimizer.step()
    for mine, theirs, expected in zip(one, other, alone.parameters(), strict=True):
        assert torch.equal(mine, theirs)
        assert torch.allclose(mine, expected, atol=1e-5)
    # One sum in the first step, then one for each of the small buckets: all on one stream.
    assert [call[1] for call in sums] == [26] + [10, 4, 12] * 2
    assert len({call[-1] for call in sums}) == 1


def test_hooks_of_communication_average_by_nccl():
    from minitorch.distributed.algorithms.ddp_comm_hooks import default_hooks

    def train(rank):
        layer = torch.nn.Linear(2, 1, bias=False).to("cuda")
        with torch.no_grad():
            layer.weight.fill_(1.0)
        ddp = DistributedDataParallel(layer)
        ddp.register_comm_hook(None, default_hooks.fp16_compress_hook)
        ddp(torch.tensor([[1.0, 2.0 * rank]], device="cuda")).sum().backward()
        return layer.weight.grad.tolist()

    with nccl_there() as nccl, ranks() as run:
        assert run(train) == [[[1.0, 1.0]]] * 2
        assert [call[:4] for call in nccl.log["rank 0"] if call[0] == "allReduce"] == [
            ("allReduce", 2, nccl.NCCL_FLOAT16, nccl.NCCL_SUM)
        ]


def test_functional_operators_give_new_tensors_on_the_device():
    import minitorch.distributed._functional_collectives  # noqa: F401 - defines the operators

    def add(rank):
        operators, name = torch.ops._c10d_functional, dist.group.WORLD.group_name
        x = torch.ones(2, 2, device="cuda") * (rank + 1)
        total = operators.all_reduce(x, "sum", name)
        rows = operators.all_gather_into_tensor(x[:1].clone(), 2, name)
        return x.tolist(), operators.wait_tensor(total).view(4).tolist(), rows.tolist()

    with nccl_there(), ranks() as run:
        seen = run(add)
    assert seen[1] == ([[2.0] * 2] * 2, [3.0] * 4, [[1.0] * 2, [2.0] * 2])


def test_new_groups_may_have_another_backend_than_the_world(world):
    world("nccl")
    pair = dist.new_group([0], backend="gloo")
    x = torch.ones(2)
    dist.all_reduce(x, group=pair)
    assert (dist.get_backend(pair), x.tolist()) == ("gloo", [1.0, 1.0])
    own, everyone = dist.new_subgroups()  # of as many ranks as there are devices
    assert (dist.get_world_size(own), len(everyone)) == (1, 1)


def test_a_device_alone_makes_no_backend():
    with registered():
        assert not dist.is_nccl_available()

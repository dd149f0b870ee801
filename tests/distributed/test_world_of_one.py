"""A world of one rank, which needs no MPI; and calls that are refused without a world."""

import datetime

import pytest

import minitorch
from minitorch import distributed as dist


@pytest.fixture
def world(tmp_path):
    dist.init_process_group("gloo", init_method=f"file://{tmp_path}/store", rank=0, world_size=1)
    yield dist
    dist.destroy_process_group()


def test_ranks_and_names_of_a_world(world):
    assert (dist.get_rank(), dist.get_world_size(), dist.get_backend()) == (0, 1, "gloo")
    assert dist.get_backend_config() == "cpu:gloo,cuda:gloo"
    pg = dist.group.WORLD
    assert (pg.name(), pg.group_name, pg.group_desc) == ("gloo", "0", "default_pg")
    with pytest.raises(ValueError, match="process group twice"):
        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)


def test_collectives_of_one_rank_give_its_own(world):
    x = minitorch.tensor([1.0, 2.0])
    dist.all_reduce(x)
    dist.all_reduce(x, op=dist.ReduceOp.AVG)
    dist.broadcast(x, 0)
    dist.reduce(x, 0)
    out, (row,) = minitorch.zeros(2), [minitorch.zeros(2)]
    dist.all_gather_single(out, x)
    dist.all_gather([row], x)
    assert x.tolist() == out.tolist() == row.tolist() == [1.0, 2.0]
    for function in (dist.reduce_scatter_single, dist.all_to_all_single):
        out = minitorch.zeros(2)
        function(out, x)
        assert out.tolist() == [1.0, 2.0]
    dist.scatter(out, [x + 1], 0)
    dist.gather(out, [row], 0)
    assert row.tolist() == [2.0, 3.0]
    dist.barrier()
    dist.monitored_barrier()


def test_objects_cross_as_pickles(world):
    objects = [None]
    dist.all_gather_object(objects, {"a": 1})
    assert objects == [{"a": 1}]
    dist.scatter_object_list(objects, ["x"])
    assert objects == ["x"]


def test_work_says_what_became_of_an_operation(world):
    x = minitorch.ones(2)
    work = dist.all_reduce(x, async_op=True)
    assert work.wait() is True
    assert (work.is_completed(), work.is_success(), work.exception()) == (True, True, None)
    assert work.result()[0] is x
    assert work.get_future().then(lambda future: future.value()[0].sum()).wait() == 2
    with pytest.raises(RuntimeError, match="sourceRank"):
        work.source_rank()


def test_dtypes_and_reductions_that_gloo_lacks_are_refused(world):
    with pytest.raises(RuntimeError, match=r"^Invalid scalar type$"):
        dist.all_reduce(minitorch.ones(2, dtype=minitorch.int16))
    with pytest.raises(RuntimeError, match="BAND with non-integral dtype"):
        dist.all_reduce(minitorch.ones(2), op=dist.ReduceOp.BAND)
    with pytest.raises(RuntimeError, match="Float can't be cast to the desired output type Long"):
        dist.all_reduce(minitorch.ones(2, dtype=minitorch.int64), op=dist.ReduceOp.AVG)
    with pytest.raises(ValueError, match=r"does not support RedOpType\.MAX on complex"):
        dist.all_reduce(minitorch.ones(2, dtype=minitorch.complex64), op=dist.ReduceOp.MAX)


def test_wrong_arguments_are_refused_in_torchs_words(world):
    x = minitorch.ones(2)
    with pytest.raises(TypeError, match=r"parameter `tensor` of type torch\.Tensor"):
        dist.all_reduce([x])
    with pytest.raises(ValueError, match="Must specify global_rank or group_rank"):
        dist.broadcast(x)
    with pytest.raises(RuntimeError, match=r"broadcast: invalid root rank: 5"):
        dist.broadcast(x, 5)
    with pytest.raises(RuntimeError, match=r"expected length 1, got 2"):
        dist.all_gather([x, x], x)
    with pytest.raises(ValueError, match="Invalid destination rank: 7"):
        dist.isend(x, 7)
    with pytest.raises(ValueError, match=r"Rank 5 is out of range\. Valid ranks are 0 to 0"):
        dist.new_group([5])
    with pytest.raises(TypeError, match=r"datetime\.timedelta, got 5"):
        dist.new_group([0], timeout=5)


def test_backends_that_are_not_there_are_refused():
    made = dict(store=dist.HashStore(), rank=0, world_size=1)
    with pytest.raises(RuntimeError, match="doesn't have NCCL built in"):
        dist.init_process_group("nccl", **made)
    with pytest.raises(AssertionError, match="Unknown backend type foo"):
        dist.init_process_group("foo", **made)
    with pytest.raises(AssertionError, match="Unknown backend type threaded"):
        dist.init_process_group("threaded", **made)


def test_without_a_world_functions_say_so():
    for call in (dist.get_rank, dist.barrier, lambda: dist.all_reduce(minitorch.ones(1))):
        with pytest.raises(ValueError, match="Default process group has not been initialized"):
            call()
    with pytest.raises(ValueError, match="environment variable RANK expected, but not set"):
        dist.init_process_group("gloo")


def test_several_ranks_without_mpi4py_name_what_to_install(monkeypatch):
    monkeypatch.setattr("minitorch.distributed.availability.find_spec", lambda name: None)
    assert not dist.is_available()
    limit = datetime.timedelta(seconds=1)
    with pytest.raises(RuntimeError, match=r"pip install minitorch-eager\[distributed\]"):
        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=2, timeout=limit)


def test_coalesced_operations_are_started_together(world):
    tensors = [minitorch.ones(2), minitorch.ones(3)]
    with dist._coalescing_manager():
        for each in tensors:
            dist.all_reduce(each)
    assert [each.sum().item() for each in tensors] == [2, 3]


def test_ddp_leaves_out_a_bucket_without_a_used_parameter(world):
    module = minitorch.nn.Linear(8, 8, bias=False)
    module.unused = minitorch.nn.Parameter(minitorch.ones(8, 8))
    counts = []
    for skip in (False, True):
        parallel = minitorch.nn.parallel.DistributedDataParallel(
            module,
            find_unused_parameters=True,
            bucket_cap_mb=1e-5,
            skip_all_reduce_unused_params=skip,
        )
        for _ in range(2):
            parallel(minitorch.ones(1, 8)).sum().backward()
        parallel(minitorch.ones(1, 8))
        counts.append(parallel._get_ddp_logging_data()["num_buckets_reduced"])
    assert counts == [2, 1]
    assert module.unused.grad is None


def test_ddp_names_the_parameters_of_a_module_and_refuses_one_without(world):
    module = minitorch.nn.Linear(1, 1)
    ddp = minitorch.nn.parallel.DistributedDataParallel
    with pytest.raises(RuntimeError, match="doesn't have any parameter that requires a gradient"):
        ddp(minitorch.nn.ReLU())
    assert [name for name, _ in ddp(module).named_parameters()] == ["module.weight", "module.bias"]

"""Methods of process groups as torch's bindings take them, and backends written in Python."""

import datetime

import pytest

import minitorch
from minitorch import distributed as dist
from minitorch.distributed.reduce_op import Backend


@pytest.fixture
def group():
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    yield dist.group.WORLD
    dist.destroy_process_group()


def test_a_method_takes_lists_and_options_or_a_tensor_and_values(group):
    x = minitorch.ones(2)
    greatest = dist.AllreduceOptions()
    greatest.reduceOp = dist.ReduceOp.MAX
    for arguments in (
        ([x],),
        ([x], greatest),
        ([x], dist.ReduceOp.MIN),
        (x,),
        (x, greatest.reduceOp),
    ):
        assert group.allreduce(*arguments).wait()
    row = minitorch.zeros(2)
    assert group.allgather([[row]], [x]).wait()
    assert group.allgather([row], x).wait()
    assert row.tolist() == [1.0, 1.0]
    assert group._get_sequence_number_for_group() == 7


def test_other_arguments_are_refused_with_the_signatures(group):
    with pytest.raises(
        TypeError, match=r"allreduce\(\): incompatible function arguments"
    ) as refused:
        group.allreduce([minitorch.ones(1)], dist.BroadcastOptions())
    assert "tensors: collections.abc.Sequence[torch.Tensor], op: " in str(refused.value)


def test_options_have_attributes_of_their_kinds():
    options = dist.ReduceOptions()
    assert (options.rootRank, options.asyncOp, options.reduceOp == dist.ReduceOp.SUM) == (
        0,
        True,
        True,
    )
    with pytest.raises(AttributeError, match="ReduceOptions' object has no attribute 'root'"):
        options.root = 1
    with pytest.raises(TypeError, match=r"arg0: torch\._C\._distributed_c10d\.ReduceOp"):
        options.reduceOp = "SUM"
    options.timeout = 1.5
    assert options.timeout == datetime.timedelta(seconds=1.5)


def test_a_limit_of_options_is_that_of_the_operation(group):
    limited = dist.AllreduceOptions()
    limited.timeout = datetime.timedelta(seconds=3)
    assert group.allreduce([minitorch.ones(1)], limited)._operation.limit == 3
    group.set_timeout(datetime.timedelta(seconds=5))
    assert group.allreduce([minitorch.ones(1)])._operation.limit == 5


class Doubling(dist.ProcessGroup):
    """A backend whose sum is twice the tensor."""

    def allreduce(self, tensors, opts):
        tensors[0].mul_(2)
        return minitorch.distributed.Work()


@pytest.fixture
def doubling():
    known = list(Backend.backend_list)
    dist.Backend.register_backend(
        "doubling", lambda store, rank, size, limit: Doubling(rank, size), devices=["cpu"]
    )
    dist.init_process_group("doubling", store=dist.HashStore(), rank=0, world_size=1)
    yield
    dist.destroy_process_group()
    del Backend.DOUBLING, Backend._plugins["DOUBLING"], Backend.backend_capability["doubling"]
    del Backend.backend_type_map["doubling"]
    Backend.backend_list[:] = known


def test_a_backend_in_python_does_the_operations_that_it_overrides(doubling):
    x = minitorch.ones(2)
    assert type(dist.all_reduce(x, async_op=True)) is dist.Work
    assert (x.tolist(), dist.get_backend()) == ([2.0, 2.0], "doubling")
    with pytest.raises(RuntimeError, match="No backend type associated with device type cpu"):
        dist.broadcast(x, 0)
    assert isinstance(dist.new_group([0]), Doubling)


def test_a_backend_that_takes_options_is_refused(doubling):
    dist.Backend.register_backend("doubling", Doubling, extended_api=True, devices=["cpu"])
    with pytest.raises(NotImplementedError, match="register_backend: a backend that takes options"):
        dist.new_group([0])

# ranks: 2 3
"""Methods of process groups as torch's bindings take them, and backends written in Python."""

import datetime

import torch
import torch.distributed as dist
from meeting import RANK, SIZE, meet

meet()
group = dist.group.WORLD


def attempt(title, function):
    try:
        print(title, function())
    except Exception as error:
        print(title, type(error).__name__, str(error).split("\nInvoked with")[0][:200])


def own():
    return torch.arange(float(SIZE)) + RANK


def after(method, *args, **kwargs):
    """The first argument of a method of the group, after it was called and waited for."""
    getattr(group, method)(*args, **kwargs).wait()
    return [*args, *kwargs.values()][0]


greatest = dist.AllreduceOptions()
greatest.reduceOp = dist.ReduceOp.MAX
greatest.timeout = datetime.timedelta(seconds=20)
print("list", after("allreduce", [own()]), after("allreduce", [own()], greatest))
print("opts", after("allreduce", tensors=[own()], opts=greatest))
print("one", after("allreduce", own()), after("allreduce", own(), op=dist.ReduceOp.MIN))
print("limit", after("allreduce", own(), dist.ReduceOp.SUM, datetime.timedelta(seconds=9)))
first = dist.BroadcastOptions()
first.rootRank = 1
print("broadcast", after("broadcast", [own()], first), after("broadcast", own(), 0))
several = [torch.zeros(SIZE) for _ in range(SIZE)]
print("allgather", after("allgather", [several], [own()]), after("allgather", several, own() + 1))
print("reduce", after("reduce", own(), 0)[:0], after("reduce", [own()])[0][:0])
gathered = several if RANK == 0 else []
print("gather", after("gather", gathered, own() * 2, 0))
print("gather", after("gather", [gathered] if RANK == 0 else [], [own()], dist.GatherOptions()))
given = [own() + i for i in range(SIZE)]
print("scatter", after("scatter", torch.zeros(SIZE), given if RANK == 0 else [], 0))
print("scatter", after("scatter", [torch.zeros(SIZE)], [given] if RANK == 0 else []))
print(group._get_sequence_number_for_group(), group.name(), group._get_backend_name())
print("reduce_scatter", after("reduce_scatter", torch.zeros(SIZE), given))
print("reduce_scatter", after("reduce_scatter", [torch.zeros(SIZE)], [given]))
print("alltoall", after("alltoall", several, given))
print("alltoall_base", after("alltoall_base", torch.zeros(SIZE), own(), [], []))
print("base", after("_allgather_base", torch.zeros(SIZE * SIZE), own()))
print("base", after("_reduce_scatter_base", torch.zeros(1), own()))
print("coalesced", after("allreduce_coalesced", [own(), own() + 1]))
print(group.barrier().wait(), group.barrier(datetime.timedelta(seconds=9)).wait())
for title, function in {
    "nothing": lambda: group.allreduce(),
    "number": lambda: group.allreduce(3),
    "reduction": lambda: group.allreduce([own()], op=3),
    "options": lambda: group.allreduce([own()], dist.BroadcastOptions()),
    "tag": lambda: group.send([own()], 0),
    "of options": lambda: setattr(greatest, "reduceOp", 3),
    "no such option": lambda: setattr(greatest, "roots", 3),
    "time of a limit": lambda: group.set_timeout(datetime.timedelta(seconds=30)),
    "duration": lambda: group.barrier()._get_duration(),
    "result of a future": lambda: group.barrier().get_future_result(),
}.items():
    attempt(title, function)
dist.destroy_process_group()


class Done(dist.Work):
    def __init__(self, result):
        super().__init__()
        self.future = torch.futures.Future()
        self.future.set_result(result)

    def wait(self, timeout=None):
        return True

    def get_future(self):
        return self.future


class Alone(dist.ProcessGroup):
    """Each operation tells of its arguments."""

    def getBackendName(self):
        return "alone"

    def allreduce(self, tensors, opts):
        print("allreduce", tensors, opts.reduceOp == dist.ReduceOp.MAX, opts.timeout)
        tensors[0].add_(1)
        return Done(tensors)

    def broadcast(self, tensors, opts):
        print("broadcast", tensors, opts.rootRank, opts.rootTensor)
        return Done(tensors)

    def allgather(self, outputs, inputs, opts):
        print("allgather", outputs, inputs)
        return Done(outputs)

    def barrier(self, opts):
        print("barrier", opts.device_ids, opts.device)
        return Done([])

    def reduce_scatter(self, outputs, inputs, opts):
        print("reduce_scatter", outputs, inputs)
        return Done(outputs)

    def recv(self, tensors, source, tag):
        print("recv", tensors, source, tag)
        return Done(tensors)


def make(store, rank, size, timeout):
    print("make", type(store).__name__, rank, size, timeout)
    return Alone(rank, size)


dist.Backend.register_backend("alone", make, devices=["cpu"])
print(dist.Backend.ALONE, "alone" in dist.Backend.backend_list, dist.Backend.backend_capability)
dist.init_process_group("alone", store=dist.HashStore(), rank=0, world_size=1)
x = torch.ones(2)
print(dist.get_backend(), dist.get_rank(), dist.get_world_size(), type(dist.group.WORLD).__name__)
for title, function in {
    "all_reduce": lambda: dist.all_reduce(x, dist.ReduceOp.MAX),
    "async": lambda: type(dist.all_reduce(x, async_op=True)).__name__,
    "broadcast": lambda: dist.broadcast(x, 0),
    "all_gather": lambda: dist.all_gather([torch.zeros(2)], x),
    "barrier": lambda: dist.barrier(),
    "reduce_scatter": lambda: dist.reduce_scatter(x, [torch.ones(2)]),
    "recv": lambda: dist.recv(x, 0),
    "new group": lambda: type(dist.new_group([0])).__name__,
    "monitored": lambda: dist.monitored_barrier(),
    "not overridden": lambda: dist.scatter(x, [x]),
}.items():
    attempt(title, function)

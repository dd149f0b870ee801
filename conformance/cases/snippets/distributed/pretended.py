# ranks: 1
"""Backends without processes: fake, which says nothing to others, and threaded."""

import threading

import torch
import torch.distributed as dist
from meeting import show
from torch.distributed.device_mesh import init_device_mesh
from torch.testing._internal.distributed import multi_threaded_pg as threads
from torch.testing._internal.distributed.fake_pg import FakeStore

X = torch.arange(6.0) + 1
rows = lambda n=6: [torch.zeros(n) for _ in range(3)]


def result(function, *tensors, **options):
    function(*tensors, **options)
    return tensors


FAKE = {
    "asked": lambda: (dist.get_backend(), dist.get_rank(), dist.get_world_size()),
    "config": dist.get_backend_config,
    "all_reduce": lambda: result(dist.all_reduce, X.clone()),
    "broadcast": lambda: result(dist.broadcast, X.clone(), 0),
    "reduce": lambda: result(dist.reduce, X.clone(), 0),
    "all_gather": lambda: result(dist.all_gather, rows(), X),
    "all_gather_single": lambda: result(dist.all_gather_single, torch.zeros(18), X),
    "gather": lambda: result(dist.gather, X, rows(), 1),
    "scatter": lambda: result(dist.scatter, torch.zeros(6), [X, X + 1, X + 2], 1),
    "scatter of another": lambda: result(dist.scatter, torch.zeros(6), None, 0),
    "reduce_scatter": lambda: result(dist.reduce_scatter, torch.zeros(6), [X, X + 1, X + 2]),
    "reduce_scatter_single": lambda: result(dist.reduce_scatter_single, torch.zeros(2), X),
    "all_to_all": lambda: result(dist.all_to_all, rows(), [X, X + 1, X + 2]),
    "all_to_all_single": lambda: result(dist.all_to_all_single, torch.zeros(6), X),
    "splits": lambda: result(dist.all_to_all_single, torch.zeros(9), X, [4, 3, 2], [1, 2, 3]),
    "barrier": dist.barrier,
    "send": lambda: dist.send(X, 0),
    "recv": lambda: dist.recv(X.clone(), 0),
    "objects": lambda: result(dist.all_gather_object, [None] * 3, "a"),
    "group": lambda: dist.get_rank(dist.new_group([1, 2])),
    "other group": lambda: dist.get_rank(dist.new_group([0, 2])),
    "mesh": lambda: init_device_mesh("cpu", (3,)),
    "monitored": dist.monitored_barrier,
}
dist.init_process_group("fake", store=FakeStore(), rank=1, world_size=3)
for label, function in FAKE.items():
    show(f"fake {label}", function)
dist.destroy_process_group()
dist.init_process_group("fake", rank=0, world_size=2)
show("fake, no store", dist.get_world_size)
dist.destroy_process_group()


def worked(rank):
    """What one of four threads sees."""
    one = torch.full((3,), float(rank))
    seen = [dist.get_backend(), dist.get_rank(), dist.get_world_size()]
    for function in (dist.all_reduce, lambda x: dist.broadcast(x, 2)):
        seen += result(function, one.clone())
    for op in (dist.ReduceOp.MAX, dist.ReduceOp.PRODUCT, dist.ReduceOp.AVG):
        seen += result(dist.all_reduce, one.clone() + 1, op=op)
    seen += result(dist.all_gather, [torch.zeros(3) for _ in range(4)], one)
    seen += result(dist.all_gather_single, torch.zeros(12), one)
    seen += result(dist.reduce_scatter, torch.zeros(3), [one + k for k in range(4)])
    seen += result(dist.reduce_scatter_single, torch.zeros(1), torch.arange(4.0) * rank)
    seen += result(
        dist.scatter, torch.zeros(3), [one + k for k in range(4)] if rank == 1 else None, 1
    )
    out = [torch.zeros(3) for _ in range(4)] if rank == 3 else None
    seen += result(dist.gather, one, out, 3)
    seen += result(dist.all_to_all, [torch.zeros(3) for _ in range(4)], [one + k for k in range(4)])
    group = dist.new_group([1, 3])
    if rank in (1, 3):
        seen += result(dist.all_reduce, one.clone(), group=group)
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("a", "b"))
    seen += result(dist.all_reduce, one.clone(), group=mesh.get_group("b"))
    objects = [None] * 4
    dist.all_gather_object(objects, rank)
    dist.barrier()
    return seen, objects


def run(rank, store, results):
    dist.init_process_group("threaded", store=store, rank=rank, world_size=4)
    try:
        results[rank] = worked(rank)
    finally:
        dist.destroy_process_group()


torch._C._distributed_c10d._set_thread_isolation_mode(True)
threads._install_threaded_pg()
store, results = dist.HashStore(), {}
started = [threading.Thread(target=run, args=(rank, store, results)) for rank in range(4)]
for each in started:
    each.start()
for each in started:
    each.join()
threads._uninstall_threaded_pg()
for rank in range(4):
    print("thread", rank, results[rank])

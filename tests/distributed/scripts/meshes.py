"""Two ranks make meshes, and run functional collectives along their dimensions."""

import sys

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as F
from torch.distributed._mesh_layout import _FlatLayout, _MeshLayout
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh

rank, path = int(sys.argv[2]), f"file://{sys.argv[1]}"
dist.init_process_group("gloo", init_method=path, rank=rank, world_size=2)

mesh = init_device_mesh("cpu", (1, 2), mesh_dim_names=("a", "b"))
assert repr(mesh) == "DeviceMesh((a=1, b=2), 'cpu', stride=((), 1))"
assert mesh.get_coordinate() == (0, rank)
assert mesh["b"].get_group() is mesh.get_group("b") is dist.group.WORLD
assert dist.get_process_group_ranks(mesh.get_group("a")) == [rank]
assert mesh["a"].mesh.tolist() == [rank]
assert mesh._flatten().mesh.tolist() == [0, 1]
assert mesh["b"]._unflatten(0, (2, 1), ("x", "y")).shape == (2, 1)
turned = DeviceMesh("cpu", [[1], [0]])
assert turned.get_coordinate() == (1 - rank, 0)

# Places that two strides make, and the rest of eight places.
layout = _FlatLayout((2, 2), (4, 1))
assert layout.all_ranks_from_zero() == [0, 1, 4, 5]
assert layout.complement(8) == _FlatLayout(2, 2)
assert _FlatLayout((2, 3), (3, 1)) == _FlatLayout(6)
assert not _FlatLayout((2, 3), (2, 1)).check_orthogonal()
pair = layout.composition(_MeshLayout.from_sizes_strides((2, 2)))
assert pair.axes == (_FlatLayout(2, 4), _FlatLayout(2, 1))

x = F.all_reduce(torch.full((3,), float(rank)), "sum", (mesh, 1))
assert isinstance(x, F.AsyncCollectiveTensor)
view = x.view(3, 1)
assert isinstance(view, F.AsyncCollectiveTensor)
assert not x.completed
total = x + view.sum()
assert x.completed
assert type(total) is torch.Tensor
assert total.tolist() == [4, 4, 4]

x = torch.tensor([1.0, 2.0], requires_grad=True)
rows = F.all_gather_single(x, 0, mesh["b"])
(rows * torch.tensor([1.0, 2.0, 3.0, 4.0]) * (rank + 1)).sum().backward()
assert x.grad.tolist() == ([3, 6] if rank == 0 else [9, 12])
x.grad = None
part = F.reduce_scatter_single(x, "sum", 0, dist.group.WORLD)
(part * (rank + 1)).sum().backward()
assert part.tolist() == [2.0 * (rank + 1)]
assert x.grad.tolist() == [1, 2]
swapped = F.all_to_all_single(x.detach() + 10 * rank, None, None, dist.group.WORLD)
assert swapped.tolist() == [1 + rank, 11 + rank]
assert F.permute_tensor(torch.tensor([rank]), [1, 0], dist.group.WORLD).tolist() == [1 - rank]
x.grad = None
own, twice = F.all_reduce_coalesced([x, x * 2], "sum", dist.group.WORLD)
(own + twice).sum().backward()
assert x.grad.tolist() == [6, 6]
dist.barrier()

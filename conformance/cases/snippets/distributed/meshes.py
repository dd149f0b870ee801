# ranks: 2 4
"""DeviceMesh: shapes, groups along dimensions, parts, refusals."""

import copy

import torch
import torch.distributed as dist
from meeting import RANK, SIZE, meet, show
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh

meet()
TWO = (2, SIZE // 2)
two = init_device_mesh("cpu", TWO, mesh_dim_names=("outer", "inner"))
three = init_device_mesh("cpu", (2, 1, SIZE // 2), mesh_dim_names=("a", "b", "c"))
turned = DeviceMesh("cpu", torch.arange(SIZE).reshape(2, -1).t())
plain = init_device_mesh("cpu", (SIZE,))


def told(mesh):
    """What a mesh says of itself, and the sums along its dimensions."""
    sums = []
    for group in mesh.get_all_groups():
        x = torch.tensor([10 ** dist.get_rank()])
        dist.all_reduce(x, group=group)
        sums.append((x.item(), dist.get_process_group_ranks(group), group.group_desc))
    return (
        repr(mesh),
        mesh.mesh.tolist(),
        mesh.shape,
        mesh.ndim,
        mesh.size(),
        mesh.get_coordinate(),
        [mesh.get_local_rank(i) for i in range(mesh.ndim)],
        sums,
    )


def block():
    from torch.distributed.device_mesh import _mesh_resources

    with plain as mesh:
        inside = _mesh_resources.get_current_mesh() is mesh
    return inside, _mesh_resources.get_current_mesh()


def overridden():
    mesh = init_device_mesh(
        "cpu", TWO, mesh_dim_names=("x", "y"), backend_override={"x": "gloo", 1: "gloo"}
    )
    return [dist.get_backend(each) for each in mesh.get_all_groups()]


make = lambda shape, **options: init_device_mesh("cpu", shape, **options)
world = dist.group.WORLD
CASES = {
    "two": lambda: told(two),
    "three": lambda: told(three),
    "turned": lambda: told(turned),
    "plain": lambda: told(plain),
    "outer": lambda: told(two["outer"]),
    "inner": lambda: told(two["inner"]),
    "a pair": lambda: told(three["a", "c"]),
    "all": lambda: two["outer", "inner"] is two,
    "flat": lambda: told(two._flatten()),
    "flat again": lambda: two._flatten() is two._flatten("outer_inner"),
    "flat pair": lambda: told(three["a", "c"]._flatten("ac")),
    "flat one": lambda: three["a"]._flatten("a"),
    "flat name": lambda: three["a"]._flatten("b"),
    "flat others": lambda: three["c"]._flatten("ac"),
    "from flat": lambda: three["ac"],
    "unflat": lambda: told(plain_named._unflatten("r", TWO, ("u", "v"))),
    "unflat, far": lambda: plain_named._unflatten(3, TWO, ("u", "v")),
    "unflat, name": lambda: plain_named._unflatten("q", TWO, ("u", "v")),
    "unflat, sizes": lambda: plain_named._unflatten(0, (3, 5), ("u", "v")),
    "unflat, names": lambda: plain_named._unflatten(0, TWO, ("u",)),
    "together": lambda: told(DeviceMesh._concatenate([two["outer"], two["inner"]])),
    "overlapping": lambda: DeviceMesh._concatenate([two["outer"], two]),
    "submeshes": lambda: [
        (repr(each), each.mesh.tolist()) for each in two._get_all_submeshes("inner")
    ],
    "equal": lambda: (
        two == init_device_mesh("cpu", TWO, mesh_dim_names=("outer", "inner")),
        two == plain,
        two != three,
        hash(two) == hash(copy.copy(two)),
        plain == 3,
    ),
    "of a group": lambda: told(DeviceMesh.from_group(world, "cpu")),
    "of groups": lambda: told(
        DeviceMesh.from_group(
            two.get_all_groups(), "cpu", two.mesh, mesh_dim_names=("outer", "inner")
        )
    ),
    "of no group": lambda: DeviceMesh.from_group([], "cpu"),
    "no mesh": lambda: DeviceMesh.from_group([world], "cpu"),
    "no names": lambda: DeviceMesh.from_group([world], "cpu", [0]),
    "other mesh": lambda: DeviceMesh.from_group(world, "cpu", [0]),
    "few groups": lambda: DeviceMesh.from_group([world], "cpu", [[0]], mesh_dim_names=("a",)),
    "block": block,
    "overridden": overridden,
    "override twice": lambda: make(
        (SIZE,), mesh_dim_names=("x",), backend_override={"x": "gloo", 0: "gloo"}
    ),
    "override other": lambda: make((SIZE,), mesh_dim_names=("x",), backend_override={"q": "gloo"}),
    "no such name": lambda: two["q"],
    "disorder": lambda: two["inner", "outer"],
    "no names to slice": lambda: plain["x"],
    "which": lambda: two.get_group(),
    "which rank": lambda: two.get_local_rank(),
    "by name": lambda: dist.get_process_group_ranks(two.get_group("inner")),
    "by other": lambda: two.get_group("q"),
    "large": lambda: make((SIZE + 1,)),
    "same names": lambda: make(TWO, mesh_dim_names=("a", "a")),
    "few names": lambda: make(TWO, mesh_dim_names=("a",)),
    "index": lambda: init_device_mesh("cpu:0", (SIZE,)),
    "nothing": lambda: DeviceMesh("cpu"),
    "twice": lambda: DeviceMesh("cpu", [0, 0]),
    "sizes": lambda: (two.size(0), two.size(1), two.mesh_dim_names, plain.mesh_dim_names),
    "no group": lambda: DeviceMesh("cpu", [0], _init_backend=False).get_group(),
}
plain_named = init_device_mesh("cpu", (SIZE,), mesh_dim_names=("r",))
for label, function in CASES.items():
    show(label, function)
    dist.barrier()

"""DeviceMesh: the ranks as an array of several dimensions, with a group along each of them."""

from __future__ import annotations

import os
import threading
import warnings
from itertools import zip_longest
from typing import Any

import minitorch
from minitorch._public import outlines
from minitorch.distributed import world
from minitorch.distributed._mesh_layout import _FlatLayout, _MeshLayout
from minitorch.distributed.group_names import _resolve_process_group
from minitorch.distributed.process_group import ProcessGroup

__all__ = ["init_device_mesh", "DeviceMesh"]

Tensor = Any
_NO_OVERRIDE = (None, None)
_MANY = "Optional kwarg `mesh_dim` needs to be specified when device_mesh.ndim > 1."
_OVERLAPS = "Please use a non-overlapping layout when creating a DeviceMesh."


class _MeshEnv(threading.local):
    """The meshes whose blocks this thread is in."""

    def __init__(self) -> None:
        self.mesh_stack: list[DeviceMesh] = []

    def get_current_mesh(self) -> DeviceMesh:
        """The innermost one. RuntimeError if there is none."""
        if not self.mesh_stack:
            raise RuntimeError("No device mesh is currently active!")
        return self.mesh_stack[-1]


_mesh_resources = _MeshEnv()


def _get_device_handle(device_type: str = "cuda") -> Any:
    """The module of a kind of device, such as torch.cuda; None if there is none."""
    return getattr(minitorch, device_type, None)


def _integers(mesh: Any) -> Tensor:
    if isinstance(mesh, minitorch.Tensor):
        return mesh.detach().to(device="cpu", dtype=minitorch.int).contiguous()
    return minitorch.tensor(mesh, device="cpu", dtype=minitorch.int)


class DeviceMesh:
    """The ranks of a world as an array; each dimension has a group of the ranks along it.

    Args:
        device_type: of the tensors that they work with.
        mesh: an array of ranks of the world.
        mesh_dim_names: names of its dimensions.
        backend_override: for each dimension, the backend of its groups and their options.

    As torch.distributed.device_mesh.DeviceMesh.
    """

    __module__ = "torch.distributed.device_mesh"

    def __init__(
        self,
        device_type: str,
        mesh: Any = None,
        *,
        mesh_dim_names: tuple[str, ...] | None = None,
        backend_override: Any = None,
        _init_backend: bool = True,
        _rank: int | None = None,
        _layout: _MeshLayout | None = None,
        _rank_map: Tensor | None = None,
        _root_mesh: DeviceMesh | None = None,
    ) -> None:
        if mesh is not None:
            if _layout is not None or _rank_map is not None:
                raise TypeError("Cannot provide _layout and/or _rank_map if passing explicit mesh")
            ranks = _integers(mesh)
            _layout = _MeshLayout.from_sizes_strides(tuple(ranks.size()), tuple(ranks.stride()))
            _rank_map = ranks.flatten()
        elif _layout is None or _rank_map is None:
            raise TypeError("The mesh argument is required except for PRIVATE USAGE ONLY!")
        if not _layout.collapse().check_orthogonal():
            raise AssertionError(_OVERLAPS)
        if _rank_map.numel() < _layout.cosize():
            raise AssertionError(
                f"The rank map contains {_rank_map.numel()} element, which isn't large enough for "
                f"layout {_layout}"
            )
        self._device_type, self._layout, self._rank_map = device_type, _layout, _rank_map
        self._mesh_dim_names = tuple(mesh_dim_names) if mesh_dim_names else None
        self._root_mesh = _root_mesh
        if backend_override is None:
            backend_override = [_NO_OVERRIDE] * len(_layout)
        elif len(backend_override) != len(_layout):
            raise ValueError(
                "backend_override should have the same length as the number of mesh dimensions, "
                f"but got {len(backend_override)} and {len(_layout)}."
            )
        self._flatten_rank_map = tuple(_rank_map.tolist())
        self._thread_id: int | None = None
        self._flatten_mapping: dict[str, DeviceMesh] = {}
        self._pg_registry: dict[str, Any] = {}
        if _init_backend:
            self._set_up_world()
            self._dim_group_names = self._make_groups(
                _layout, self._mesh_dim_names, backend_override
            )
        if world.is_initialized() and world.get_backend() == "threaded":
            self._thread_id = threading.get_ident()
        self._rank = world.get_rank() if _rank is None else _rank
        self._coordinate_on_dim = self._coordinate()

    # ---- making one

    def _set_up_world(self) -> None:
        if not world.is_initialized():
            world.init_process_group()
        size = world.get_world_size()
        if self._layout.numel() > size:
            raise RuntimeError(
                f"Mesh should not be bigger than default world size {size}, but found "
                f"{self._layout.numel()} ranks!"
            )

    def _make_groups(
        self, layout: _MeshLayout, names: tuple[str, ...] | None, overrides: Any
    ) -> list[str]:
        """The names of the groups that this rank is in, one for each dimension; none outside."""
        made = [
            self._make_group(axis, names[i] if names else f"dim_{i}", overrides[i])
            for i, axis in enumerate(layout)
        ]
        found = [each for each in made if each is not None]
        if found and len(found) != len(made):
            raise AssertionError
        root = self._get_root_mesh()
        for name in found:
            root._pg_registry[name] = _resolve_process_group(name)
        return found

    def _make_group(self, axis: _FlatLayout, name: str, override: Any) -> str | None:
        backend, options = override
        if axis.numel() == world.get_world_size() and override == _NO_OVERRIDE:
            return world._get_default_group().group_name
        own = None
        for row in _MeshLayout([axis]).remap_to_tensor(self._rank_map).tolist():
            made = world.new_group(
                row, backend=backend, pg_options=options, group_desc=f"mesh_{name}"
            )
            if world.get_rank() in row:
                own = made.group_name
        return own

    def _coordinate(self) -> tuple[int, ...] | None:
        """The position of this rank in the mesh. AssertionError if it has two."""
        found = (self.mesh == self._rank).nonzero()
        if len(found) > 1:
            raise AssertionError(f"rank_coords.size(0) must be 0 or 1, got {len(found)}")
        return tuple(found[0].tolist()) if len(found) else None

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_pg_registry"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._pg_registry = {}

    @staticmethod
    def from_group(
        group: Any,
        device_type: str,
        mesh: Any = None,
        *,
        mesh_dim_names: tuple[str, ...] | None = None,
    ) -> DeviceMesh:
        """A mesh of a group that there is, or of one for each dimension.

        Args:
            group: a ProcessGroup, or a list of them.
            mesh: the array of ranks; with several groups it must be given.

        Raises:
            ValueError: groups and array do not fit.
        """
        if isinstance(group, ProcessGroup):
            ranks = world.get_process_group_ranks(group)
            given = mesh.tolist() if isinstance(mesh, minitorch.Tensor) else mesh
            if given is not None and given != ranks:
                raise ValueError(f"Invalid mesh {mesh} for ProcessGroup with ranks {ranks}")
            groups, mesh = [group], ranks
        else:
            groups = list(group)
            if not groups:
                raise ValueError("Expects at least one ProcessGroup to be passed")
            for what, value in (("mesh", mesh), ("mesh_dim_names", mesh_dim_names)):
                if value is None:
                    raise ValueError(f"Must pass {what} if passing multiple ProcessGroups")
            mesh = _integers(mesh)
            if mesh.ndim != len(groups):
                raise ValueError(
                    "Expects mesh with ndim equal to number of ProcessGroups but got mesh "
                    f"{mesh.tolist()} and {len(groups)} ProcessGroups"
                )
        made = DeviceMesh(device_type, mesh, mesh_dim_names=mesh_dim_names, _init_backend=False)
        made._dim_group_names = [each.group_name for each in groups]
        made._pg_registry = {each.group_name: each for each in groups}
        return made

    # ---- properties

    @property
    def device_type(self) -> str:
        """The kind of device of the tensors."""
        return self._device_type

    @property
    def mesh(self) -> Tensor:
        """The ranks as an array: of the copies of a sub-mesh, the one that this rank is in.

        Raises:
            RuntimeError: it is in none of several.
        """
        copies = self._layout.remap_to_tensor(self._rank_map)
        if len(copies) == 1:
            return copies[0]
        found = (copies == world.get_rank()).nonzero()
        if len(found):
            return copies[int(found[0, 0])]
        raise RuntimeError(
            "In order to get the mesh Tensor of a DeviceMesh it needs to either have all its "
            "original dimensions (e.g., no slicing) or it needs to contain the local rank"
        )

    @property
    def mesh_dim_names(self) -> tuple[str, ...] | None:
        """The names of the dimensions."""
        return self._mesh_dim_names

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self._layout)

    @property
    def shape(self) -> tuple[int, ...]:
        """The size of each dimension."""
        return self._layout.top_level_sizes

    def size(self, mesh_dim: int | None = None) -> int:
        """The number of ranks, or their number along a dimension."""
        return self._layout.numel() if mesh_dim is None else self._layout[mesh_dim].numel()

    def get_rank(self) -> int:
        """The rank of this process in the world."""
        return world.get_rank()

    def get_coordinate(self) -> tuple[int, ...] | None:
        """The position of this rank in the mesh; None if it is not in it."""
        return self._coordinate_on_dim

    def _is_current_rank_part_of_mesh(self) -> bool:
        return self._coordinate_on_dim is not None

    def _get_root_mesh(self) -> DeviceMesh:
        return self._root_mesh or self

    def _hash_key(self) -> tuple[Any, ...]:
        kind = self._device_type, self._mesh_dim_names, self._thread_id
        return self._flatten_rank_map, self._layout, *kind

    def __hash__(self) -> int:
        return hash(self._hash_key())

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, DeviceMesh) and self._hash_key() == other._hash_key()

    def __repr__(self) -> str:
        shown = f"{self.shape}"
        if self._mesh_dim_names:
            pairs = zip(self._mesh_dim_names, self.shape)
            shown = f"({', '.join(f'{name}={size}' for name, size in pairs)})"
        strides = tuple(
            axis.stride[0] if len(axis.stride) == 1 else axis.stride for axis in self._layout
        )
        more = ""
        if os.environ.get("TORCH_DISTRIBUTED_DEBUG", "") == "DETAIL":
            more = f", Mesh: {self.mesh.tolist()}"
        return f"DeviceMesh({shown}, '{self.device_type}', stride={strides}{more})"

    def __enter__(self) -> DeviceMesh:
        _mesh_resources.mesh_stack.append(self)
        return self

    def __exit__(self, *error: Any) -> None:
        _mesh_resources.mesh_stack.pop()

    # ---- groups

    def _group(self, name: str) -> Any:
        found = self._get_root_mesh()._pg_registry.get(name)
        return _resolve_process_group(name) if found is None else found

    def get_group(self, mesh_dim: int | str | None = None) -> Any:
        """The group of the ranks along a dimension, by number or name.

        Raises:
            RuntimeError: no dimension is given, and there are several; or there are no groups.
        """
        if not hasattr(self, "_dim_group_names"):
            raise RuntimeError("DeviceMesh process groups not initialized!")
        if mesh_dim is None:
            if self.ndim > 1:
                raise RuntimeError(
                    f"Found the DeviceMesh have {self.ndim} dimensions",
                    _MANY,
                    "If you want to get the list of all the ProcessGroups in the DeviceMesh,please "
                    "use `get_all_groups()` instead.",
                )
            return self._group(self._dim_group_names[0])
        flattened = self._get_root_mesh()._flatten_mapping
        if mesh_dim in flattened:
            return self._group(flattened[mesh_dim]._dim_group_names[0])  # type: ignore[index]
        at = self._get_mesh_dim_by_name(mesh_dim) if isinstance(mesh_dim, str) else mesh_dim
        if not isinstance(at, int):
            raise AssertionError(f"mesh_dim must be an int, got {type(at)}")
        return self._group(self._dim_group_names[at])

    def get_all_groups(self) -> list[Any]:
        """The groups of all dimensions."""
        return [self.get_group(i) for i in range(self.ndim)]

    def get_local_rank(self, mesh_dim: int | str | None = None) -> int:
        """The rank of this process along a dimension. RuntimeError as get_group."""
        if self.ndim > 1 and mesh_dim is None:
            raise RuntimeError(f"Found the DeviceMesh have {self.ndim} dimensions", _MANY)
        return world.get_rank(self.get_group(0 if mesh_dim is None else mesh_dim))

    # ---- parts

    def _get_mesh_dim_by_name(self, mesh_dim_name: str) -> int:
        if not self._mesh_dim_names:
            raise KeyError("No `mesh_dim_names` found.")
        if mesh_dim_name not in self._mesh_dim_names:
            raise KeyError(
                f"Mesh dimension '{mesh_dim_name}' does not exist.",
                f"Available mesh dimensions are: mesh_dim_names={self._mesh_dim_names}",
            )
        return self._mesh_dim_names.index(mesh_dim_name)

    def __getitem__(self, mesh_dim_names: str | tuple[str, ...]) -> DeviceMesh:
        if not self._mesh_dim_names:
            raise RuntimeError("Cannot slice a DeviceMesh without mesh_dim_names!")
        given = (mesh_dim_names,) if isinstance(mesh_dim_names, str) else mesh_dim_names
        if given == self._mesh_dim_names:
            return self
        return self._derived(self._get_slice_mesh_layout(given), given, self._names_of(given))

    def _derived(
        self, layout: _MeshLayout, names: tuple[str, ...], groups: list[str] | None
    ) -> DeviceMesh:
        """A mesh of the same ranks, in another layout, with groups that there are."""
        root = self._get_root_mesh()
        made = DeviceMesh(
            self._device_type,
            _layout=layout,
            _rank_map=root._rank_map,
            mesh_dim_names=names,
            _root_mesh=root,
            _init_backend=False,
        )
        if groups is not None:
            made._dim_group_names = groups
        return made

    def _names_of(self, dims: tuple[str, ...]) -> list[str]:
        """The names of the groups along dimensions; none outside the mesh."""
        if not self._dim_group_names:
            return []
        names = self._mesh_dim_names or ()
        return [
            self._dim_group_names[names.index(each)]
            if each in names
            else self._flatten_mapping[each]._dim_group_names[0]
            for each in dims
        ]

    def _get_slice_mesh_layout(self, mesh_dim_names: tuple[str, ...]) -> _MeshLayout:
        """The layout of some dimensions.

        Raises:
            KeyError: there is no such dimension, or they are out of order.
            RuntimeError: they overlap.
        """
        known = dict(zip(self._mesh_dim_names or (), self._layout))
        root, flattened = self._get_root_mesh(), {}
        if self == root:
            flattened = {name: mesh._layout[0] for name, mesh in root._flatten_mapping.items()}
        valid = [*known, *flattened]
        if any(each not in valid for each in mesh_dim_names):
            raise KeyError(
                f"Invalid mesh_dim_names {mesh_dim_names} specified. Valid mesh_dim_names are "
                f"{valid}."
            )
        if any(each not in known for each in mesh_dim_names):
            warnings.warn(
                "Slicing a flattened dim from root mesh will be deprecated in PT 2.11. Users need "
                "to bookkeep the flattened mesh directly. ",
                stacklevel=3,
            )
        layout = _MeshLayout([{**flattened, **known}[each] for each in mesh_dim_names])
        if not layout.collapse().check_sorted():
            raise KeyError(
                f"Invalid mesh_dim_names {mesh_dim_names} specified. Mesh dim indices should be in "
                "ascending order."
            )
        if not layout.collapse().check_orthogonal():
            raise RuntimeError(f"Slicing overlapping dim_names {mesh_dim_names} is not allowed.")
        return layout

    def _get_all_submeshes(self, mesh_dim_name: str) -> list[DeviceMesh]:
        """The meshes of one dimension that share out the ranks."""
        at = self._get_mesh_dim_by_name(mesh_dim_name)
        made = []
        for row in _MeshLayout([self._layout[at]]).remap_to_tensor(self._rank_map):
            mesh = DeviceMesh(
                self._device_type, row, mesh_dim_names=(mesh_dim_name,), _init_backend=False
            )
            inside = self.get_rank() in row.tolist()
            mesh._dim_group_names = [self._dim_group_names[at]] if inside else []
            made.append(mesh)
        return made

    def _flatten(self, mesh_dim_name: str | None = None, backend_override: Any = None) -> Any:
        """A mesh of one dimension with all ranks of this one."""
        if not self._mesh_dim_names:
            raise RuntimeError("Cannot flatten a DeviceMesh without mesh_dim_names!")
        name = mesh_dim_name or "_".join(self._mesh_dim_names)
        if self.ndim == 1 and name in self._mesh_dim_names:
            return self
        override = _NO_OVERRIDE
        if backend_override is not None:
            (override,) = _overrides({0: backend_override}, 1)
        root, layout = self._get_root_mesh(), _MeshLayout([self._layout.collapse()])
        taken = root._mesh_dim_names or ()
        if name in taken:
            raise ValueError(
                f"{name} already exists for submesh of the {root}. ",
                f"The mesh_dim_names of submesh and flattened mesh are {taken}. Please specify "
                "another valid mesh_dim_name.",
            )
        if name not in root._flatten_mapping:
            root._flatten_mapping[name] = DeviceMesh(
                root._device_type,
                _layout=layout,
                _rank_map=root._rank_map,
                mesh_dim_names=(name,),
                _root_mesh=root,
                backend_override=(override,),
            )
        elif root._flatten_mapping[name]._layout != layout:
            raise ValueError(
                f"Flatten mesh with mesh_dim_name {name} has been created before, Please specify "
                "another valid mesh_dim_name."
            )
        return root._flatten_mapping[name]

    def _unflatten(
        self,
        dim: int | str,
        mesh_sizes: tuple[int, ...],
        mesh_dim_names: tuple[str, ...],
        backend_override: Any = None,
    ) -> DeviceMesh:
        """A mesh with several dimensions in the place of one."""
        names = list(self._mesh_dim_names or ())
        if isinstance(dim, int) and dim >= self.ndim:
            raise ValueError(f"dim {dim} specified in `_unflatten` is out of range {self.ndim}")
        if isinstance(dim, str) and dim not in names:
            raise ValueError(
                f"dim {dim} specified in `_unflatten` is not in {self._mesh_dim_names}"
            )
        if len(mesh_sizes) != len(mesh_dim_names):
            raise RuntimeError("mesh_dim_names must have same length as mesh_sizes in _unflatten!")
        at = names.index(dim) if isinstance(dim, str) else dim
        count = len(mesh_sizes)
        overrides = [_NO_OVERRIDE] * count
        if backend_override is not None:
            overrides = _overrides(backend_override, count, mesh_dim_names)
        inner = _MeshLayout.from_sizes_strides(tuple(mesh_sizes))
        if inner.numel() != self.size(at):
            raise ValueError(
                f"The product of mesh_sizes={mesh_sizes!r} is {inner.numel()}, but the original "
                f"dimension at dim={at} has size {self.size(at)}. These must be equal for "
                "unflatten to work correctly."
            )
        parts = self._layout[at].composition(inner)
        names[at : at + 1] = mesh_dim_names
        made = self._derived(self._layout.splice(at, at + 1, parts), tuple(names), None)
        if hasattr(self, "_dim_group_names"):
            groups = made._make_groups(parts, mesh_dim_names, overrides)
            made._dim_group_names = [*self._dim_group_names]
            made._dim_group_names[at : at + 1] = groups
        return made

    @staticmethod
    def _concatenate(device_mesh_list: list[DeviceMesh]) -> DeviceMesh:
        """A mesh with the dimensions of several meshes of the same ranks."""
        first = device_mesh_list[0]
        if any(each._flatten_rank_map != first._flatten_rank_map for each in device_mesh_list):
            raise RuntimeError(
                "Cannot concatenate DeviceMeshes derived from different device meshs"
            )
        layout = _MeshLayout([axis for each in device_mesh_list for axis in each._layout])
        if not layout.collapse().check_orthogonal():
            raise RuntimeError(f"Cannot concatenate overlapping meshes: {device_mesh_list}")
        names = tuple(name for each in device_mesh_list for name in each._mesh_dim_names or ())
        groups = [name for each in device_mesh_list for name in each._dim_group_names]
        return first._derived(layout, names, groups)


def _overrides(given: dict[Any, Any], count: int, names: Any = None) -> list[tuple[Any, Any]]:
    """For each dimension, a backend and options, where a number or name asks for them.

    Raises:
        RuntimeError: a dimension is there twice, or is none of the mesh.
    """
    left, found = dict(given), []
    for i, name in zip_longest(range(count), names or ()):
        if name is not None and name in left:
            if i in left:
                raise RuntimeError(
                    f"Found redundant dim index {i} and name {name} in backend_override"
                )
            value = left.pop(name)
        else:
            value = left.pop(i, _NO_OVERRIDE)
        found.append((value, None) if isinstance(value, str) else value)
    if left:
        raise RuntimeError(
            f"Found invalid keys in backend_override: got {list(left)}, expected integers in range "
            f"[0, {count}) or one of {names or ()}"
        )
    return [each if isinstance(each, tuple) else (None, each) for each in found]


def init_device_mesh(
    device_type: str,
    mesh_shape: tuple[int, ...],
    *,
    mesh_dim_names: tuple[str, ...] | None = None,
    backend_override: Any = None,
) -> DeviceMesh:
    """A mesh of the first ranks of the world.

    Args:
        device_type: of the tensors that they work with, without a number.
        mesh_shape: the size of each dimension.
        mesh_dim_names: their names.
        backend_override: by number or name of a dimension, the backend of its groups.

    Raises:
        RuntimeError: names or numbers do not fit.

    As torch.distributed.device_mesh.init_device_mesh.
    """
    if mesh_dim_names is not None:
        if len(set(mesh_dim_names)) != len(mesh_dim_names):
            raise RuntimeError(
                "Each mesh_dim_name must be unique. Found repeated mesh_dim_name in mesh_dim_names "
                f"{mesh_dim_names}"
            )
        if len(mesh_shape) != len(mesh_dim_names):
            raise RuntimeError(
                "mesh_shape and mesh_dim_names should have same length! Found len(mesh_dim_names): "
                f"{len(mesh_dim_names)} and len(mesh_shape):{len(mesh_shape)}."
            )
    overrides = None
    if backend_override is not None:
        overrides = _overrides(backend_override, len(mesh_shape), mesh_dim_names)
    if device_type and not device_type.isalpha():
        raise RuntimeError(
            f"Device type with index is not supported but got {device_type}. ",
            "If you maintained a 'torch.device' object, it's recommended to pass in 'device.type'.",
        )
    layout = _MeshLayout.from_sizes_strides(tuple(mesh_shape))
    return DeviceMesh(
        device_type,
        _layout=layout,
        _rank_map=minitorch.arange(layout.numel(), dtype=minitorch.int, device="cpu"),
        mesh_dim_names=mesh_dim_names,
        backend_override=overrides,
    )


__getattr__, __dir__ = outlines.rest_of("torch.distributed.device_mesh")

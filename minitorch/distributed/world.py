"""The groups of this process: making them, asking for ranks and sizes, ending them."""

from __future__ import annotations

import datetime
import hashlib
import importlib
import io
import sys
import warnings
from typing import Any

import minitorch
from minitorch.cuda import nccl
from minitorch.distributed.availability import is_mpi_available
from minitorch.distributed.backends import (
    BACKENDS,
    among_threads,
    by_device,
    needs_mpi,
    operations,
)
from minitorch.distributed.by_device import ByDevice
from minitorch.distributed.operations import Operations
from minitorch.distributed.process_group import ProcessGroup
from minitorch.distributed.reduce_op import (
    Backend,
    default_pg_nccl_timeout,
    default_pg_timeout,
)
from minitorch.distributed.rendezvous import rendezvous
from minitorch.distributed.store import HashStore, PrefixStore, Store

_NO_GROUP = (
    "Default process group has not been initialized, please make sure to call init_process_group."
)
_NEEDED = (
    "torch.distributed.init_process_group needs mpi4py for more than one rank: "
    "pip install minitorch-eager[distributed]"
)


class _World:
    """The groups of this process."""

    def __init__(self) -> None:
        self.default_pg: ProcessGroup | None = None
        self.pg_map: dict[ProcessGroup, tuple[str, Any]] = {}
        self.pg_group_ranks: dict[ProcessGroup, dict[int, int]] = {}
        self.pg_coalesce_state: dict[ProcessGroup, list[Any]] = {}
        self.group_count = 0
        self.communicator: Any = None  # of all ranks, once MPI has connected them


_world = _World()


class _WorldMeta(type):
    """Gives `group` and `GroupMember` the group of all ranks as WORLD."""

    @property
    def WORLD(cls) -> ProcessGroup | None:
        return _world.default_pg

    @WORLD.setter
    def WORLD(cls, pg: ProcessGroup | None) -> None:
        _world.default_pg = pg


class group(metaclass=_WorldMeta):
    """The namespace of the group of all ranks."""

    __module__ = "torch.distributed.distributed_c10d"


class GroupMember(metaclass=_WorldMeta):
    """The namespace of the group of all ranks, and of the number for groups without this rank."""

    __module__ = "torch.distributed.distributed_c10d"
    NON_GROUP_MEMBER = -100


# ---- groups that there are


def is_initialized() -> bool:
    """Whether there is a group of all ranks."""
    return _world.default_pg is not None


def get_pg_count() -> int:
    """The number of groups that this process has made."""
    return _world.group_count


def _get_default_group() -> ProcessGroup:
    """The group of all ranks. ValueError if there is none."""
    if _world.default_pg is None:
        raise ValueError(_NO_GROUP)
    return _world.default_pg


def _group_or_default_group(group: Any = None) -> Any:
    return _get_default_group() if group is None or group is _world.default_pg else group


def _rank_not_in_group(group: Any) -> bool:
    """Whether this process is outside a group; None stands for the group of all."""
    return group == GroupMember.NON_GROUP_MEMBER if group is not None else False


def _warn_not_in_group(op_name: str) -> None:
    rank = -1 if _world.default_pg is None else _world.default_pg.rank()
    warnings.warn(
        f"Running {op_name} on global rank {rank} which does not belong to the given group.",
        stacklevel=3,
    )


def _ranks_of(group: Any) -> dict[int, int]:
    if group not in _world.pg_group_ranks:
        raise ValueError(
            f"Group {group} is not registered, please create group with "
            "torch.distributed.new_group API"
        )
    return _world.pg_group_ranks[group]


def get_group_rank(group: Any, global_rank: int) -> int:
    """The rank in a group of a rank of the world. ValueError if it is not in it."""
    if group is _world.default_pg:
        return global_rank
    ranks = _ranks_of(group)
    if global_rank not in ranks:
        raise ValueError(f"Global rank {global_rank} is not part of group {group}")
    return ranks[global_rank]


def get_global_rank(group: Any, group_rank: int) -> int:
    """The rank in the world of a rank of a group. ValueError if there is none."""
    if group is _world.default_pg:
        return group_rank
    for rank, own in _ranks_of(group).items():
        if own == group_rank:
            return rank
    raise ValueError(f"Group rank {group_rank} is not part of group {group}")


def _canonicalize_group_rank(
    group: Any,
    global_rank: int | None = None,
    group_rank: int | None = None,
    return_global: bool = False,
) -> int:
    """The rank in a group, from that rank or from the rank in the world."""
    if group_rank is not None:
        if global_rank is not None:
            raise ValueError("Can't specify both group_rank and global_rank")
        return get_global_rank(group, group_rank) if return_global else group_rank
    if global_rank is None:
        raise ValueError("Must specify global_rank or group_rank")
    return global_rank if return_global else get_group_rank(group, global_rank)


def _check_not_self_rank(group: Any, rank: int, rank_type: str) -> None:
    if group.rank() == rank:
        raise ValueError(
            f"Invalid {rank_type} rank: {rank_type} rank should not be the same as "
            "the rank of the current process."
        )


def get_process_group_ranks(group: Any) -> list[int]:
    """The ranks of a group in the world, in the order of the group."""
    return list(_world.pg_group_ranks[group or _get_default_group()])


def get_rank(group: Any = None) -> int:
    """The rank of this process in a group; -1 if it is not in it.

    Raises:
        ValueError: there is no group of all ranks.
    """
    if _rank_not_in_group(group):
        return -1
    default = _get_default_group()
    if group is None or group is default:
        return default.rank()
    return get_group_rank(group, default.rank())


def get_world_size(group: Any = None) -> int:
    """The number of ranks of a group; -1 if this process is not in it.

    Raises:
        ValueError: there is no group of all ranks.
    """
    if _rank_not_in_group(group):
        return -1
    return _group_or_default_group(group).size()


def _backend_of(group: Any) -> str:
    pg = group or _get_default_group()
    if _rank_not_in_group(pg):
        raise ValueError("Invalid process group specified")
    if pg not in _world.pg_map:
        raise ValueError(
            f"Process group {pg} is not initialized in the world group map. Please initialize the "
            "group first."
        )
    return _world.pg_map[pg][0]


def get_backend(group: Any = None) -> Backend:
    """The name of a group's backend. ValueError if this process is not in the group."""
    return Backend(_backend_of(group))


def get_backend_config(group: Any = None) -> str:
    """The backend of each kind of device, as 'cpu:gloo,cuda:gloo'."""
    return ",".join(f"{device}:{own}" for device, own in by_device(_backend_of(group)).items())


def _get_default_store() -> Any:
    return _world.pg_map[_get_default_group()][1]


def _get_process_group_store(pg: Any) -> Any:
    return _world.pg_map[pg][1]


def _get_process_group_name(pg: Any) -> str:
    return pg.group_name


def _get_object_coll_device(group: Any = None) -> str:
    """The kind of device whose tensors carry pickles in a group: "cpu" where it sends for that."""
    kinds = [each.type for each in _group_or_default_group(group)._device_types]
    return "cpu" if "cpu" in kinds or not kinds else kinds[0]


# ---- making groups


def _check_valid_timeout(timeout: Any) -> None:
    if not isinstance(timeout, datetime.timedelta):
        raise TypeError(
            f"Expected timeout argument to be of type datetime.timedelta, got {timeout}"
        )


def _checked_backend(backend: Any) -> Backend:
    """The name of a backend that is here.

    Raises:
        RuntimeError: torch has it where it was built with it.
        AssertionError: torch does not have it.
    """
    name = Backend(backend)
    if ":" not in name and name not in BACKENDS and name not in Backend.backend_type_map:
        raise AssertionError(f"Unknown backend type {name}")
    for own in by_device(name).values():
        if own in BACKENDS or own.upper() in Backend._plugins:
            continue
        if own == Backend.NCCL and nccl.is_built():
            continue
        if own in (Backend.NCCL, Backend.XCCL):
            raise RuntimeError(f"Distributed package doesn't have {own.upper()} built in")
        raise AssertionError(f"Unknown c10d backend type {own.upper()}")
    return name


def _register(pg: ProcessGroup, backend: str, store: Any, ranks: list[int]) -> None:
    _world.pg_map[pg] = (backend, store)
    pg.store = store
    _world.pg_group_ranks[pg] = {rank: i for i, rank in enumerate(ranks)}


def _made_in_python(name: str, store: Any, rank: int, size: int, timeout: Any) -> Any:
    """The group of a backend that a program has registered; None if it is one of ours.

    Raises:
        NotImplementedError: it takes options, or makes anything else than a ProcessGroup.
    """
    backends = by_device(name)
    device = "cpu" if "cpu" in backends else next(iter(backends))
    own = backends[device]
    plugin = Backend._plugins.get(own.upper())
    if plugin is None or own in BACKENDS:
        return None
    if not plugin.extended_api:
        made = plugin.creator_fn(PrefixStore(f"{device}/", store), rank, size, timeout)
        if isinstance(made, ProcessGroup):
            return made
    raise NotImplementedError(
        "torch.distributed.Backend.register_backend: a backend that takes options, or is no "
        "ProcessGroup, is not implemented by minitorch"
    )


def init_process_group(
    backend: str | None = None,
    init_method: str | None = None,
    timeout: datetime.timedelta | None = None,
    world_size: int = -1,
    rank: int = -1,
    store: Store | None = None,
    group_name: str = "",
    pg_options: Any = None,
    device_id: Any = None,
    _ranks: list[int] | None = None,
) -> None:
    """Makes the group of all ranks.

    Args:
        backend: 'gloo', whose order of additions is kept; it sends by MPI. 'mpi' adds by MPI, too;
            'fake' says nothing to other ranks. 'nccl' is for CUDA tensors, 'cpu:gloo,cuda:nccl'
            for both kinds. If none is given, that of the accelerator or of the CPU.
        init_method: where the ranks meet: 'env://' (if nothing is given), 'tcp://host:port' or
            'file:///path'.
        timeout: how long an operation may take.
        world_size, rank: how many ranks there are, and which is this one.
        store: where they meet, instead of `init_method`.
        device_id: the accelerator of this rank: NCCL connects at once, not at the first operation.

    Raises:
        ValueError: there is a group already, something is missing, or there is no such device.
        RuntimeError: there are several ranks, and mpi4py is not installed.

    As torch.distributed.init_process_group.
    """
    if _world.default_pg is not None:
        raise ValueError("trying to initialize the default process group twice!")
    if store is not None and init_method is not None:
        raise AssertionError("Cannot specify both init_method and store.")
    if store is not None:
        if not world_size > 0:
            raise AssertionError("world_size must be positive if using store")
        if not rank >= 0:
            raise AssertionError("rank must be non-negative if using store")
    device_id = _checked_device(device_id)
    if backend is None and device_id is not None:
        backend = Backend.default_device_backend_map.get(device_id.type)
    name = _checked_backend("undefined" if backend is None else backend)
    timeout = _get_default_timeout(name) if timeout is None else timeout
    _check_valid_timeout(timeout)
    if store is None and name == Backend.FAKE:
        store = HashStore()
    if store is None:
        found = rendezvous(init_method or "env://", rank, world_size, timeout=timeout)
        store, rank, world_size = next(found)
        store.set_timeout(timeout)
        store = PrefixStore("default_pg", store)
    own = PrefixStore("0", store)
    pg = _made_in_python(name, own, rank, world_size, timeout)
    if pg is None:
        limit = timeout.total_seconds()
        if world_size > 1 and needs_mpi(by_device(name)):
            _connect(own, rank, world_size, limit)
        done = _operations(name, own, own, "0", rank, world_size, limit, _world.communicator)
        pg = ProcessGroup.of(done, "0", "default_pg", list(by_device(name)))
        _bind(pg, device_id)
    _world.group_count += 1
    _register(pg, name, own, list(range(world_size)))
    _world.default_pg = pg
    if type(_world) is _World:
        _name_rank_in_tracebacks()


def _checked_device(device: Any) -> Any:
    """The device that a rank is bound to, from its number or itself. ValueError if it is none."""
    there = "cuda" if minitorch.cuda.is_available() else None
    other = "Please use a different compiled version that supports your accelerator."
    if isinstance(device, int):
        if there is None:
            raise ValueError(
                "device_id is an int, but no accelerator support is found from the current "
                f"compilation. {other}"
            )
        device = minitorch.device(there, device)
    if device is None:
        return None
    if device.type != "cpu":
        if device.type != there:
            raise ValueError(
                f"device_id {device} does not match the current compilation's accelerator support: "
                f"{there}. {other}"
            )
        if device.index is None:
            raise ValueError("Please use a device_id with index.")
        count = minitorch.cuda.device_count()
        if device.index >= count:
            raise ValueError(
                f"device_id {device} is out of range. Please use a device index less than the "
                f"number of accelerators available: {count}."
            )
        return device
    raise ValueError("init_process_group device_id parameter must be an accelerator with an index")


def _bind(pg: ProcessGroup, device: Any) -> None:
    """Binds a group to a device, if one is given, and has its backend connect."""
    if device is None:
        return
    pg.bound_device_id = device
    connect = getattr(pg.operations.of(device.type), "connect", None)
    if connect is not None:
        connect()


def _get_default_timeout(name: str) -> datetime.timedelta:
    """How long an operation of a backend may take."""
    return default_pg_nccl_timeout if name == Backend.NCCL else default_pg_timeout


def _connect(store: Any, rank: int, size: int, limit: float) -> None:
    """Connects all ranks of the world by MPI. RuntimeError without mpi4py."""
    if not is_mpi_available():
        raise RuntimeError(_NEEDED)
    # start-up: a world of one needs no MPI
    mpi = importlib.import_module("minitorch.distributed.mpi")
    _world.communicator = mpi.communicator(store, rank, size, limit)


def _operations(
    name: str,
    shared: Any,
    own: Any,
    title: str,
    rank: int,
    size: int,
    limit: float,
    communicator: Any,
) -> Any:
    """The operations of a group, by backends of ours.

    Args:
        shared: the store by which threads find one another.
        own: the store of the group's ranks alone.
        communicator: of MPI, where a backend needs it.
    """
    backends, made = by_device(name), {}
    for device, backend in backends.items():
        if backend in made:
            continue
        if backend == Backend.NCCL:
            # start-up: it needs CuPy
            module = importlib.import_module("minitorch.distributed.nccl_operations")
            store = PrefixStore(f"{device}/", own)
            made[backend] = module.NcclOperations(store, rank, size, limit)
            continue
        through = among_threads(backend, shared, title)
        through = communicator if through is None else through
        if size > 1 and through is None and needs_mpi({device: backend}):
            raise RuntimeError(_NEEDED)
        steps = operations(backend)
        made[backend] = Operations(through, rank, size, limit, backend, steps)
    for_all = "cpu" in backends and ("cuda" in backends or not minitorch.cuda.is_available())
    if len(made) == 1 and for_all:
        return next(iter(made.values()))
    return ByDevice({device: made[backend] for device, backend in backends.items()})


def _name_rank_in_tracebacks() -> None:
    """Has an uncaught exception say in every line which rank raised it."""
    before, prefix = sys.excepthook, f"[rank{get_rank()}]"

    def hook(*args: Any) -> None:
        stream, sys.stderr = sys.stderr, io.StringIO()
        try:
            before(*args)
            text = sys.stderr.getvalue()  # type: ignore[attr-defined]
        finally:
            sys.stderr = stream
        lines = (f"{prefix}: {line}" if line else "" for line in text.split("\n"))
        sys.stderr.write("\n".join(lines))
        sys.stderr.flush()

    sys.excepthook = hook


def new_group(
    ranks: list[int] | None = None,
    timeout: datetime.timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    use_local_synchronization: bool = False,
    group_desc: str | None = None,
    device_id: Any = None,
    sort_ranks: bool = True,
) -> Any:
    """A group of some ranks; GroupMember.NON_GROUP_MEMBER for the others.

    Args:
        ranks: of the world; None takes all.
        timeout: how long an operation may take.
        use_local_synchronization: whether those ranks alone call this.
        sort_ranks: whether the ranks are numbered in the order of the world.

    Raises:
        ValueError: a rank is there twice or not in the world.

    As torch.distributed.new_group.
    """
    default = _get_default_group()
    name = Backend(backend or _world.pg_map[default][0])
    timeout = _get_default_timeout(name) if timeout is None else timeout
    _check_valid_timeout(timeout)
    size, rank = default.size(), default.rank()
    if use_local_synchronization and ranks is not None and rank not in ranks:
        return None
    chosen = list(range(size)) if ranks is None else sorted(ranks) if sort_ranks else list(ranks)
    _check_ranks(chosen, size)
    title = _process_group_name(chosen, use_local_synchronization)
    by_mpi = size > 1 and needs_mpi(by_device(name))
    if by_mpi and _world.communicator is None:  # the world is one of nccl
        if use_local_synchronization:
            raise NotImplementedError(
                "torch.distributed.new_group with use_local_synchronization is not implemented by "
                "minitorch for the first group that sends by MPI"
            )
        _connect(_get_default_store(), rank, size, timeout.total_seconds())
    if rank not in chosen:
        return GroupMember.NON_GROUP_MEMBER
    _checked_backend(name)
    store, own = PrefixStore(f"{title}/", _get_default_store()), chosen.index(rank)
    pg = _made_in_python(name, store, own, len(chosen), timeout)
    if pg is None:
        limit, communicator = timeout.total_seconds(), None
        if by_mpi and len(chosen) > 1:
            # start-up: imported already, by whatever connected the ranks
            mpi = importlib.import_module("minitorch.distributed.mpi")
            communicator = mpi.subgroup(_world.communicator, chosen, title, limit)
        shared, ranks_of_it = _get_default_store(), len(chosen)
        done = _operations(name, shared, store, title, own, ranks_of_it, limit, communicator)
        description = "undefined" if group_desc is None else group_desc
        pg = ProcessGroup.of(done, title, description, list(by_device(name)))
        _bind(pg, _checked_device(device_id))
    _register(pg, name, store, chosen)
    return pg


def _check_ranks(ranks: list[int], size: int) -> None:
    if len(set(ranks)) != len(ranks):
        raise ValueError(f"ranks list must not contain duplicate entries, got {ranks}")
    if len(ranks) > size:
        raise ValueError(
            "the new group's world size should be less or equal to the world size set by "
            "init_process_group"
        )
    for rank in ranks:
        if rank < 0 or rank >= size:
            raise ValueError(
                f"Rank {rank} is out of range. Valid ranks are 0 to {size - 1} (world_size={size})"
            )


def _process_group_name(ranks: list[int], use_hashed_name: bool) -> str:
    """The name of a new group: a number, or what only its ranks can know."""
    number, _world.group_count = _world.group_count, _world.group_count + 1
    if not use_hashed_name:
        return str(number)
    text = "_".join(map(str, ranks))
    same = sum(list(each) == ranks for each in _world.pg_group_ranks.values())
    return f"{hashlib.sha1(text.encode()).hexdigest()}_{same}"


def new_subgroups(
    group_size: int | None = None,
    group: Any = None,
    timeout: datetime.timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
) -> tuple[Any, list[Any]]:
    """Groups of one size that share out the ranks: this rank's, and all.

    Raises:
        ValueError: the ranks cannot be shared out so.
    """
    if group_size is None and minitorch.cuda.is_available():
        group_size = minitorch.cuda.device_count()
    if group_size is None:
        raise ValueError(
            "Default group size only takes effect when CUDA is available.If your subgroup using a "
            "backend that does not depend on CUDA,please pass in 'group_size' correctly."
        )
    if group_size <= 0:
        raise ValueError(f"The arg 'group_size' ({group_size}) must be positive")
    world_size = get_world_size(group=group)
    if world_size < group_size:
        raise ValueError(
            f"The arg 'group_size' ({group_size}) must not exceed the world size ({world_size})"
        )
    if world_size % group_size != 0:
        raise ValueError(
            f"The world size ({world_size}) must be divisible by 'group_size={group_size!r}'"
        )
    ranks = get_process_group_ranks(group)
    shares = [ranks[i : i + group_size] for i in range(0, len(ranks), group_size)]
    return new_subgroups_by_enumeration(shares, timeout, backend, pg_options, group_desc)


def new_subgroups_by_enumeration(
    ranks_per_subgroup_list: list[list[int]],
    timeout: datetime.timedelta | None = None,
    backend: str | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
) -> tuple[Any, list[Any]]:
    """Groups of the given ranks: this rank's, and all. ValueError if a rank is in two."""
    if not ranks_per_subgroup_list:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    subgroups: list[Any] = []
    own = None
    homes: dict[int, list[int]] = {}
    for ranks in ranks_per_subgroup_list:
        made = new_group(ranks, timeout, backend, pg_options, group_desc=group_desc)
        subgroups.append(made)
        for rank in ranks:
            if rank in homes:
                raise ValueError(
                    f"Rank {rank} has appeared in both subgroup {homes[rank]} and {ranks}"
                )
            homes[rank] = ranks
            if rank == get_rank():
                own = made
    return own, subgroups


def split_group(
    parent_pg: Any = None,
    split_ranks: list[list[int]] | None = None,
    timeout: datetime.timedelta | None = None,
    pg_options: Any = None,
    group_desc: str | None = None,
    backend: Any = None,
) -> Any:
    """Refuses, as torch does for groups that are bound to no device; new_group makes groups.

    Raises:
        ValueError: no ranks are given.
        RuntimeError: the group of all ranks is bound to no device.
        NotImplementedError: it is.

    As torch.distributed.split_group.
    """
    if not split_ranks:
        raise ValueError("split_ranks cannot be None or empty")
    if not _get_default_group().bound_device_id:
        raise RuntimeError(
            "No device associated with the default pg, not safe to split any process groups"
        )
    raise NotImplementedError("torch.distributed.split_group is not implemented by minitorch")


def destroy_process_group(group: Any = None) -> None:
    """Ends a group; that of all ranks, with all others, if none is given.

    Raises:
        AssertionError: there is none.
        ValueError: the group is not one of this process.
    """
    if group == GroupMember.NON_GROUP_MEMBER:
        return
    pg = _world.default_pg if group is None else group
    if pg is None:
        raise AssertionError("Process group cannot be None")
    if pg not in _world.pg_map:
        raise ValueError("Invalid process group specified")
    if pg is not _world.default_pg:
        pg.shutdown()
        del _world.pg_map[pg], _world.pg_group_ranks[pg]
        return
    for each in list(_world.pg_map)[::-1]:
        each.shutdown()
    _world.__init__()  # type: ignore[misc]

"""torch.distributed.distributed_c10d: all names of groups, collectives and stores in one place."""
# ruff: noqa: F401  names that others import from here

from __future__ import annotations

from minitorch._public import outlines
from minitorch.distributed.availability import (
    get_node_local_rank,
    is_available,
    is_backend_available,
    is_gloo_available,
    is_mpi_available,
    is_nccl_available,
    is_torchelastic_launched,
    is_ucc_available,
    is_xccl_available,
)
from minitorch.distributed.collectives import (
    _all_gather_base,
    _check_single_tensor,
    _check_tensor_list,
    _coalescing_manager,
    _CoalescingManager,
    _ensure_all_tensors_same_dtype,
    _IllegalWork,
    _reduce_scatter_base,
    _validate_output_list_for_rank,
    all_gather,
    all_gather_coalesced,
    all_gather_into_tensor,
    all_gather_single,
    all_reduce,
    all_reduce_coalesced,
    all_to_all,
    all_to_all_single,
    barrier,
    broadcast,
    gather,
    monitored_barrier,
    reduce,
    reduce_scatter,
    reduce_scatter_single,
    reduce_scatter_tensor,
    scatter,
    supports_complex,
)
from minitorch.distributed.debug_level import DebugLevel, get_debug_level
from minitorch.distributed.errors import DistBackendError, DistError, DistStoreError
from minitorch.distributed.group_names import (
    _find_or_create_pg_by_ranks_and_tag,
    _find_pg_by_ranks_and_tag,
    _get_group_size_by_name,
    _get_group_tag,
    _resolve_group_name_by_ranks_and_tag,
    _resolve_process_group,
)
from minitorch.distributed.object_collectives import (
    _object_to_tensor,
    _tensor_to_object,
    all_gather_object,
    broadcast_object_list,
    gather_object,
    recv_object_list,
    scatter_object_list,
    send_object_list,
)
from minitorch.distributed.options import (
    AllgatherOptions,
    AllreduceCoalescedOptions,
    AllreduceOptions,
    AllToAllOptions,
    BarrierOptions,
    BroadcastOptions,
    GatherOptions,
    ReduceOptions,
    ReduceScatterOptions,
    ScatterOptions,
)
from minitorch.distributed.point_to_point import (
    P2POp,
    batch_isend_irecv,
    irecv,
    isend,
    recv,
    send,
)
from minitorch.distributed.process_group import ProcessGroup
from minitorch.distributed.reduce_op import (
    Backend,
    RedOpType,
    ReduceOp,
    _make_nccl_premul_sum,
    default_pg_timeout,
)
from minitorch.distributed.rendezvous import register_rendezvous_handler, rendezvous
from minitorch.distributed.store import PrefixStore, Store
from minitorch.distributed.work import Work
from minitorch.distributed.world import (
    _NO_GROUP,
    GroupMember,
    _canonicalize_group_rank,
    _check_not_self_rank,
    _check_valid_timeout,
    _get_default_group,
    _get_default_store,
    _get_default_timeout,
    _get_process_group_name,
    _get_process_group_store,
    _group_or_default_group,
    _process_group_name,
    _rank_not_in_group,
    _warn_not_in_group,
    _World,
    _world,
    _WorldMeta,
    destroy_process_group,
    get_backend,
    get_backend_config,
    get_global_rank,
    get_group_rank,
    get_pg_count,
    get_process_group_ranks,
    get_rank,
    get_world_size,
    group,
    init_process_group,
    is_initialized,
    new_group,
    new_subgroups,
    new_subgroups_by_enumeration,
    split_group,
)

__all__ = outlines.names("torch.distributed.distributed_c10d")

reduce_op = RedOpType

__getattr__, __dir__ = outlines.rest_of("torch.distributed.distributed_c10d")

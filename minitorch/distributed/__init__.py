"""torch.distributed: processes that work together, by MPI; a world of one needs nothing.

All other names are there for packages that import them, and refuse.
"""

from minitorch._public import outlines
from minitorch.distributed.buckets import GradBucket, _compute_bucket_assignment_by_size
from minitorch.distributed.debug_level import (
    DebugLevel,
    get_debug_level,
    set_debug_level,
    set_debug_level_from_env,
)
from minitorch.distributed.distributed_c10d import (
    Backend,
    GroupMember,
    P2POp,
    PrefixStore,
    ProcessGroup,
    ReduceOp,
    Store,
    Work,
    _all_gather_base,
    _coalescing_manager,
    _CoalescingManager,
    _get_process_group_name,
    _make_nccl_premul_sum,
    _rank_not_in_group,
    _reduce_scatter_base,
    all_gather,
    all_gather_coalesced,
    all_gather_into_tensor,
    all_gather_object,
    all_gather_single,
    all_reduce,
    all_reduce_coalesced,
    all_to_all,
    all_to_all_single,
    barrier,
    batch_isend_irecv,
    broadcast,
    broadcast_object_list,
    destroy_process_group,
    gather,
    gather_object,
    get_backend,
    get_backend_config,
    get_global_rank,
    get_group_rank,
    get_node_local_rank,
    get_pg_count,
    get_process_group_ranks,
    get_rank,
    get_world_size,
    group,
    init_process_group,
    irecv,
    is_available,
    is_backend_available,
    is_gloo_available,
    is_initialized,
    is_mpi_available,
    is_nccl_available,
    is_torchelastic_launched,
    is_ucc_available,
    is_xccl_available,
    isend,
    monitored_barrier,
    new_group,
    new_subgroups,
    new_subgroups_by_enumeration,
    recv,
    recv_object_list,
    reduce,
    reduce_scatter,
    reduce_scatter_single,
    reduce_scatter_tensor,
    register_rendezvous_handler,
    rendezvous,
    scatter,
    scatter_object_list,
    send,
    send_object_list,
    supports_complex,
)
from minitorch.distributed.distributed_c10d import RedOpType as reduce_op
from minitorch.distributed.errors import (
    DistBackendError,
    DistError,
    DistNetworkError,
    DistStoreError,
    QueueEmptyError,
)
from minitorch.distributed.file_store import FileStore
from minitorch.distributed.store import HashStore
from minitorch.distributed.tcp_store import TCPStore

__getattr__, __dir__ = outlines.rest_of("torch.distributed")

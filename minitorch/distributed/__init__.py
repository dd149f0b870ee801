"""torch.distributed: stores, by which processes find one another.

All names are there for packages that import them; those which need groups of processes refuse.
"""

from minitorch import outlines
from minitorch.distributed.distributed_c10d import (
    Backend,
    GroupMember,
    P2POp,
    PrefixStore,
    ReduceOp,
    Store,
    _rank_not_in_group,
    destroy_process_group,
    get_node_local_rank,
    get_pg_count,
    group,
    is_available,
    is_backend_available,
    is_gloo_available,
    is_initialized,
    is_mpi_available,
    is_nccl_available,
    is_torchelastic_launched,
    is_ucc_available,
    is_xccl_available,
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

"""torch.distributed: there is one process, and nothing to talk to others with.

All names are there for packages that import them; those which need other processes refuse.
"""

from minitorch import outlines
from minitorch.distributed.distributed_c10d import (
    Backend,
    GroupMember,
    P2POp,
    ReduceOp,
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

__getattr__, __dir__ = outlines.rest_of("torch.distributed")

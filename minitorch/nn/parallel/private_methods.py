"""Private methods of torch for modules that ranks train together, which tools read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, NoReturn

from minitorch.distributed.shared_states import broadcast_coalesced

_NCCL = (
    "P2P_DISABLE P2P_LEVEL SHM_DISABLE SOCKET_NTHREADS NSOCKS_PERTHREAD BUFFSIZE NTHREADS RINGS "
    "MAX_NCHANNELS MIN_NCHANNELS CHECKS_DISABLE CHECK_POINTERS LAUNCH_MODE IB_HCA IB_TIMEOUT "
    "IB_RETRY_CNT IB_GID_INDEX IB_SL IB_TC IB_AR_THRESHOLD IB_CUDA_SUPPORT NET_GDR_LEVEL "
    "NET_GDR_READ SINGLE_RING_THRESHOLD LL_THRESHOLD TREE_THRESHOLD ALGO PROTO IGNORE_CPU_AFFINITY "
    "DEBUG_FILE COLLNET_ENABLE TOPO_FILE TOPO_DUMP_FILE"
)


def _dump_DDP_relevant_env_vars() -> None:
    """Prints the variables of the environment that steer training by several ranks."""
    names = (
        "RANK LOCAL_RANK WORLD_SIZE MASTER_PORT MASTER_ADDR CUDA_VISIBLE_DEVICES "
        "GLOO_SOCKET_IFNAME GLOO_DEVICE_TRANSPORT NCCL_SOCKET_IFNAME TORCH_NCCL_BLOCKING_WAIT "
        "NCCL_DEBUG NCCL_DEBUG_SUBSYS NCCL_IB_DISABLE"
    ).split()
    names += [f"NCCL_{each}" for each in _NCCL.split()]
    names.append("TORCH_NCCL_ASYNC_ERROR_HANDLING")
    print("".join(f"env:{name}={os.environ.get(name, 'N/A')}\n" for name in names))


class PrivateMethods:
    """Methods of DistributedDataParallel that torch has without a place in its manual.

    Source: torch/nn/parallel/distributed.py.
    """

    module: Any
    logger: Any
    process_group: Any
    parameters_to_ignore: Any
    modules_buffers: list[Any]
    _reduced_parameters: Any
    _sparse: Any

    broadcast_bucket_size = 250 << 20  # bytes that are given to all ranks at once

    def _log_and_throw(self, kind: Any, text: str) -> NoReturn:
        """Raises an error, which the log shows, too."""
        if self.logger is not None:
            self.logger.note_error(f"{kind}: {text}")
        raise kind(text)

    def _get_ddp_logging_data(self) -> dict[str, Any]:
        """Settings, times and errors, by name."""
        return self.logger.data()

    def _set_ddp_runtime_logging_sample_rate(self, sample_rate: int) -> None:
        """Sets that every so many iterations are noted, after the first ten.

        Raises:
            ValueError: it is less than one.
        """
        if sample_rate < 1:
            self._log_and_throw(
                ValueError, "DDP runtime logging sample rate should be equal or greater than 1"
            )
        self.logger.rate = sample_rate

    def _default_broadcast_coalesced(
        self, bufs: Any = None, bucket_size: Any = None, authoritative_rank: int = 0
    ) -> None:
        """Gives all ranks the buffers of one."""
        buffers = self.modules_buffers if bufs is None else bufs
        broadcast_coalesced(self.process_group, buffers, authoritative_rank)

    def _build_params_for_reducer(self) -> tuple[list[Any], list[bool]]:
        """The parameters that require gradients, and whether each has sparse ones."""
        _, parameters = self._reduced_parameters()
        sparse = self._sparse(parameters)
        return parameters, [i in sparse for i in range(len(parameters))]

    def _build_debug_param_to_name_mapping(self, parameters: Any) -> dict[int, str]:
        """The names of parameters by their numbers.

        Raises:
            ValueError: the module has others that require a gradient, or fewer.
        """
        places = {id(each): i for i, each in enumerate(parameters)}
        found: dict[int, str] = {}
        for prefix, module in self.module.named_modules():
            for name, each in module.named_parameters(recurse=False):
                full = f"{prefix}.{name}"
                if full in self.parameters_to_ignore or not each.requires_grad:
                    continue
                if id(each) not in places:
                    self._log_and_throw(
                        ValueError,
                        f"Param with name {full} found in module parameters, but not DDP "
                        "parameters. This indicates a bug in DDP, please report an issue to "
                        "PyTorch.",
                    )
                found[places[id(each)]] = full
        if len(places) != len(found):
            self._log_and_throw(
                ValueError,
                "Expected param to name mapping to cover all parameters, but got conflicting "
                f"lengths: {len(places)} vs {len(found)}. This indicates a bug in DDP, please "
                "report an issue to PyTorch.",
            )
        return found

    @staticmethod
    def _get_data_parallel_params(module: Any, named_params: bool = False) -> Iterator[Any]:
        """The parameters of a module that are not ignored.

        Args:
            named_params: whether they come with their names; torch then yields all of them.
        """
        for name, each in module.named_parameters():
            if named_params:
                yield name, each
            elif not hasattr(each, "_ddp_ignored"):
                yield each

    @staticmethod
    def _set_params_and_buffers_to_ignore_for_model(module: Any, names: Any) -> None:
        """Sets which parameters and buffers stay as they are on each rank, by name."""
        module._ddp_params_and_buffers_to_ignore = names
        for name, each in [*module.named_parameters(), *module.named_buffers()]:
            if name in names:
                each._ddp_ignored = True

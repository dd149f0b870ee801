"""The log of a module that several ranks train: settings, times, errors."""

from __future__ import annotations

import os
from time import time_ns
from typing import Any

from minitorch.nn.modules.batchnorm import SyncBatchNorm

_ALWAYS = 10  # iterations that are noted at the start, whatever the rate
_ABSENT = "N/A"
_DTYPES = {
    "float32": "float",
    "float64": "double",
    "float16": "c10::Half",
    "bfloat16": "c10::BFloat16",
    "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>",
}
# From the name of a duration to the moments at which it starts and ends.
_DURATIONS = {
    "forward_compute_time": ("forward_compute_time_start", "backward_compute_time_start"),
    "backward_compute_time": ("backward_compute_time_start", "backward_compute_time_end"),
    "backward_comm_time": ("backward_comm_time_start", "backward_comm_time_end"),
    "backward_compute_comm_overlap_time": ("backward_comm_time_start", "backward_compute_time_end"),
}


class ParallelLog:
    """Notes of a DistributedDataParallel. As torch.distributed.Logger.

    Args:
        module: the DistributedDataParallel, whose reducer is there.
        module_name: the class of the module that it trains.

    Source: torch/csrc/distributed/c10d/logger.cpp.
    """

    def __init__(self, module: Any, module_name: str) -> None:
        self.reducer = module.reducer
        self.rate = 100
        self.recorded = 0
        self.texts, self.numbers = _settings(module, module_name)
        self.reducer.log = self

    def data(self) -> dict[str, Any]:
        """The texts and the numbers, each in the order of their names."""
        return {**dict(sorted(self.texts.items())), **dict(sorted(self.numbers.items()))}

    def note_forward(self) -> None:
        """Notes the iterations until now, as a forward pass begins."""
        done = self.reducer.iterations
        if done and (done <= _ALWAYS or done % self.rate == 0):
            self._note_iteration(done)
        self.reducer.moments = {"forward_compute_time_start": time_ns()}

    def note_error(self, text: str) -> None:
        """Notes an error, and how far the module had come."""
        self.texts["error"] = text
        self.numbers["has_error"] = 1
        if self.reducer.iterations:
            self._note_iteration(self.reducer.iterations)

    def _note_iteration(self, done: int) -> None:
        reducer, numbers = self.reducer, self.numbers
        numbers["iteration"] = done
        numbers["has_rebuilt_buckets"] = int(reducer.rebuilt)
        numbers["num_buckets_reduced"] = reducer.reduced
        numbers["unused_parameter_size"] = _bytes(reducer, reducer.unused)
        if reducer.order:
            self.texts["prev_iteration_grad_ready_order_indices"] = _listed(reducer.order)
        if reducer.rebuilt:
            self.texts["rebuilt_bucket_sizes"] = _sizes(reducer)
            groups = [" ".join(map(str, each.numbers)) for each in reducer.buckets]
            self.texts["rebuilt_per_bucket_param_indices"] = ", ".join(groups)
        self._note_times(reducer.moments)

    def _note_times(self, moments: dict[str, int]) -> None:
        self.recorded += 1
        for name, (start, end) in _DURATIONS.items():
            began, ended = moments.get(start, 0), moments.get(end, 0)
            self.numbers |= {start: began, end: ended}
            took = max(0, ended - began) if began else 0
            before = self.numbers.get(f"avg_{name}", 0)
            self.numbers[name] = took
            self.numbers[f"avg_{name}"] = before + (took - before) // self.recorded


def _settings(module: Any, module_name: str) -> tuple[dict[str, str], dict[str, int]]:
    """The settings that a module was made with: texts and numbers."""
    group, parameters = module.process_group, module.reducer.parameters
    names = "MASTER_ADDR MASTER_PORT CUDA_VISIBLE_DEVICES TORCH_DISTRIBUTED_DEBUG"
    if group.name() == "gloo":
        names += " GLOO_SOCKET_IFNAME GLOO_DEVICE_TRANSPORT"
    texts = {name.lower(): os.environ.get(name, _ABSENT) for name in names.split()}
    kinds = {str(each.dtype).removeprefix("torch.") for each in parameters}
    texts |= {
        "backend_name": group.name(),
        "bucket_sizes": _sizes(module.reducer),
        "device_ids": "",
        "dtypes": ", ".join(sorted(_DTYPES.get(each, each) for each in kinds)),
        "module_name": module_name,
    }
    numbers = {
        "world_size": group.size(),
        "rank": group.rank(),
        "iteration": 0,
        "output_device": -1,
        "is_multi_device_module": int(module.is_multi_device_module),
        "num_parameter_tensors": len(parameters),
        "total_parameter_size_bytes": sum(each.nbytes for each in parameters),
        "broadcast_buffers": int(module.forward_sync_buffers),
        "bucket_cap_bytes": module.bucket_bytes_cap,
        "find_unused_parameters": int(module.find_unused_parameters),
        "gradient_as_bucket_view": int(module.gradient_as_bucket_view),
        "has_sync_bn": int(any(isinstance(m, SyncBatchNorm) for m in module.module.modules())),
    }
    if group.name() == "gloo":
        numbers["gloo_num_threads"] = 2
    return texts, numbers


def _sizes(reducer: Any) -> str:
    return _listed([_bytes(reducer, bucket.numbers) for bucket in reducer.buckets])


def _bytes(reducer: Any, numbers: list[int]) -> int:
    """The bytes of parameters, by their numbers."""
    return sum(reducer.parameters[i].nbytes for i in numbers)


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))

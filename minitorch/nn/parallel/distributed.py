"""DistributedDataParallel: a module whose gradients are averaged over ranks during backward.

distributed/reducer.py has the buckets; here are the arguments, what is given to all ranks at the
start and before each forward, and ranks that have no more data.
"""

from __future__ import annotations

import copy
import inspect
import sys
import warnings
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import minitorch
from minitorch._utils import _get_device_index
from minitorch.autograd import Function
from minitorch.autograd.profiler import record_function
from minitorch.core.graph.current_backward import queue_callback
from minitorch.distributed.algorithms.join import Join, Joinable, JoinHook
from minitorch.distributed.distributed_c10d import (
    ReduceOp,
    _get_default_group,
    all_gather_object,
    all_reduce,
    get_rank,
)
from minitorch.distributed.parallel_log import ParallelLog
from minitorch.distributed.reducer import Reducer
from minitorch.distributed.shared_states import _sync_module_states, broadcast_coalesced
from minitorch.nn.modules.batchnorm import SyncBatchNorm
from minitorch.nn.modules.module import Module
from minitorch.nn.modules.sparse import Embedding, EmbeddingBag
from minitorch.nn.parallel import mixed_precision as mixed
from minitorch.nn.parallel.mixed_precision import _MixedPrecision as _MixedPrecision
from minitorch.nn.parallel.moved_inputs import moved
from minitorch.nn.parallel.private_methods import PrivateMethods
from minitorch.nn.parallel.private_methods import (
    _dump_DDP_relevant_env_vars as _dump_DDP_relevant_env_vars,
)
from minitorch.nn.parameter import UninitializedParameter
from minitorch.utils._pytree import tree_flatten, tree_unflatten

__all__ = ["DistributedDataParallel"]

Tensor = Any
_FIRST = 1 << 20  # bytes of the first bucket
_CAP = 25  # MiB of the others
_MIB = 1 << 20


class _Sink(Function):
    """Outputs as they are: backward tells the reducer that a static graph is walked first here."""

    @staticmethod
    def forward(ctx: Any, ddp: Any, *inputs: Any) -> Any:
        ctx.set_materialize_grads(False)
        ctx.ddp = ddp
        if not ddp()._ddp_sink_clone:
            return inputs
        return tuple(
            each.clone() if isinstance(each, minitorch.Tensor) else each for each in inputs
        )

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        ddp = ctx.ddp()
        if ddp.static_graph and not ddp._static_graph_delay_allreduce_enqueued:
            queue_callback(ddp.reducer.delayed)
            ddp._static_graph_delay_allreduce_enqueued = True
        return (None, *grads)


class _DDPJoinHook(JoinHook):
    """Mirrors the messages of a module whose rank has no more data."""

    def __init__(self, ddp: Any, divide_by_initial_world_size: bool) -> None:
        self.ddp = ddp
        ddp._divide_by_initial_world_size = divide_by_initial_world_size
        super().__init__()

    def main_hook(self) -> None:
        ddp = self.ddp
        ddp.reducer.rebuild()
        if ddp._syncs_buffers_before():
            ddp._sync_module_buffers(ddp._find_common_rank(ddp._distributed_rank, False))
        sync = minitorch.zeros(1, device=ddp.device)
        all_reduce(sync, group=ddp.process_group)
        ddp.require_forward_param_sync = sync.item() != 0
        if not ddp.require_forward_param_sync:
            return
        for work in [ddp.reducer.run_hook(each) for each in ddp.reducer.zero_buckets()]:
            work.wait()
        if ddp.find_unused_parameters:
            ddp.process_group.operations.allreduce([ddp.reducer.used_map()]).wait()
        ddp.reducer.push_all()

    def post_hook(self, is_last_joiner: bool) -> None:
        ddp = self.ddp
        root = ddp._find_common_rank(ddp._distributed_rank, is_last_joiner)
        ddp._share(root, ddp.forward_sync_buffers)


def _find_tensors(value: Any) -> list[Tensor]:
    """The tensors in what a module returned."""
    if isinstance(value, minitorch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for each in value for tensor in _find_tensors(each)]
    if isinstance(value, dict):
        return [tensor for each in value.values() for tensor in _find_tensors(each)]
    if hasattr(value, "__dataclass_fields__"):
        return [
            t for name in value.__dataclass_fields__ for t in _find_tensors(getattr(value, name))
        ]
    return []


class DistributedDataParallel(Module, Joinable, PrivateMethods):
    """A module that all ranks of a group train together, each with its share of the data.

    Args:
        module: the same on all ranks; rank 0's values are given to all.
        device_ids: the device of the parameters, to which inputs are moved; None or one.
        broadcast_buffers: deprecated for `forward_sync_buffers`; False keeps buffers apart from
            the start on.
        init_sync: whether shapes are compared and rank 0's values given to all at the start.
        process_group: the ranks; all of the world if it is not given.
        bucket_cap_mb: MiB of gradients that are averaged together.
        find_unused_parameters: whether parameters may take no part in an iteration, which are
            found by walking the graph of forward's results.
        gradient_as_bucket_view: whether gradients are views of the buckets that are sent.
        static_graph: whether all iterations use the same parameters, as the first does.
        delay_all_reduce_named_params: names and parameters that are averaged when the gradient of
            `param_to_hook_all_reduce` is there.
        bucket_cap_mb_list: MiB of each bucket.
        forward_sync_buffers: whether rank 0's buffers are given to all before each forward.

    Raises:
        ValueError: there is no group, or arguments do not go together.
        RuntimeError: no parameter requires a gradient, or the modules of two ranks differ.
        NotImplementedError: an option is one that minitorch does not have.

    As torch.nn.parallel.DistributedDataParallel.
    """

    def __init__(
        self,
        module: Any,
        device_ids: Any = None,
        output_device: Any = None,
        dim: int = 0,
        broadcast_buffers: bool | None = None,
        init_sync: bool = True,
        process_group: Any = None,
        bucket_cap_mb: float | None = None,
        find_unused_parameters: bool = False,
        check_reduction: bool = False,
        gradient_as_bucket_view: bool = False,
        static_graph: bool = False,
        delay_all_reduce_named_params: Any = None,
        param_to_hook_all_reduce: Any = None,
        mixed_precision: Any = None,
        device_mesh: Any = None,
        skip_all_reduce_unused_params: bool = False,
        bucket_cap_mb_list: list[float] | None = None,
        batched_grad_copy: bool = False,
        forward_sync_buffers: bool | None = None,
    ) -> None:
        super().__init__()
        Joinable.__init__(self)
        self.logger: Any = None
        if (delay_all_reduce_named_params is None) != (param_to_hook_all_reduce is None):
            self._log_and_throw(
                ValueError,
                "delay_all_reduce_named_params and param_to_hook_all_reduce need to be set at the "
                "same time.",
            )
        self._set_group(process_group, device_mesh)
        self._choose_parameters(module, delay_all_reduce_named_params)
        self._check_devices(device_ids, output_device)
        self.static_graph, self.dim, self.module = False, dim, module
        self.device = self._module_parameters[0].device
        shares_buffers = self._choose_buffers(broadcast_buffers, forward_sync_buffers)
        self.find_unused_parameters = find_unused_parameters
        self.require_backward_grad_sync = self.require_forward_param_sync = True
        self.gradient_as_bucket_view = gradient_as_bucket_view
        self.skip_all_reduce_unused_params = skip_all_reduce_unused_params
        self.batched_grad_copy, self.mixed_precision = batched_grad_copy, mixed_precision
        if check_reduction:
            warnings.warn(
                "The `check_reduction` argument in `DistributedDataParallel` module is deprecated. "
                "Please avoid using it.",
                FutureWarning,
                stacklevel=2,
            )
        if any(isinstance(each, UninitializedParameter) for each in self._module_parameters):
            self._log_and_throw(
                RuntimeError,
                "Modules with uninitialized parameters can't be used with "
                "`DistributedDataParallel`. Run a dummy forward pass to correctly initialize the "
                "modules",
            )
        self._set_sizes(bucket_cap_mb, bucket_cap_mb_list)
        self._delay_grad_buffer: Any = None
        self._delay_grad_views: list[Tensor] = []
        self._delay_all_reduce_all_params = False
        if self._delay_all_reduce_params:
            self._delay(param_to_hook_all_reduce)
            if self._delay_all_reduce_all_params:
                return
        names, parameters = self._reduced_parameters()
        if init_sync:
            self._check_shapes(parameters)
            self._share(0, shares_buffers)
        self._make_reducer(names, parameters, static_graph)
        if mixed_precision is not None:
            mixed.set_up(mixed_precision, self.module, self.device_type)
        self._has_rebuilt_buckets = False
        self._ddp_sink_clone = True
        if static_graph:
            self._set_static_graph()

    # ---- making one

    def _set_group(self, process_group: Any, device_mesh: Any) -> None:
        if process_group and device_mesh is not None:
            raise RuntimeError("Cannot specify both process_group and device_mesh arguments.")
        if device_mesh is None:
            self.process_group = process_group or _get_default_group()
            return
        if device_mesh.ndim != 1:
            raise RuntimeError(f"Only 1D device mesh is supported, but got {device_mesh}.")
        self.device_mesh = device_mesh
        self.process_group = device_mesh.get_group(mesh_dim=0)

    def _choose_parameters(self, module: Any, delayed: Any) -> None:
        self.parameters_to_ignore = set(getattr(module, "_ddp_params_and_buffers_to_ignore", ()))
        self._delay_all_reduce_params = []
        for name, parameter in delayed or ():
            self.parameters_to_ignore.add(name)
            self._delay_all_reduce_params.append(parameter)
        self._module_parameters = [
            each
            for name, each in module.named_parameters()
            if name not in self.parameters_to_ignore
        ]
        if not (
            any(each.requires_grad for each in self._module_parameters)
            or self._delay_all_reduce_params
        ):
            self._log_and_throw(
                RuntimeError,
                "DistributedDataParallel is not needed when a module doesn't have any parameter "
                "that requires a gradient.",
            )

    def _check_devices(self, device_ids: Any, output_device: Any) -> None:
        if device_ids is not None and len(device_ids) > 1:
            self._log_and_throw(
                ValueError, "device_ids can only be None or contain a single element."
            )
        devices = {each.device for each in self._module_parameters}
        kinds = {each.type for each in devices}
        if len(kinds) != 1:
            self._log_and_throw(
                ValueError,
                "DistributedDataParallel's input module must be on the same type of devices, but "
                f"input module parameters locate in {kinds}.",
            )
        self.is_multi_device_module, self.device_type = len(devices) > 1, next(iter(kinds))
        if not device_ids or self.device_type == "cpu" or self.is_multi_device_module:
            if device_ids or output_device:
                self._log_and_throw(
                    ValueError,
                    "DistributedDataParallel device_ids and output_device arguments only work with "
                    "single-device/multiple-device GPU modules or CPU modules, but got device_ids "
                    f"{device_ids}, output_device {output_device}, and module parameters "
                    f"{devices}.",
                )
            self.device_ids = self.output_device = None
            return
        self.device_ids = [_get_device_index(each, True) for each in device_ids]
        chosen = device_ids[0] if output_device is None else output_device
        self.output_device = _get_device_index(chosen, True)

    def _choose_buffers(self, broadcast: bool | None, forward: bool | None) -> bool:
        """Sets whether buffers are given to all before forward; whether at the start, too."""
        if broadcast is not None:
            text = (
                "`broadcast_buffers` is deprecated. Use `forward_sync_buffers` instead. IMPORTANT: "
                "unlike `broadcast_buffers=False`, `forward_sync_buffers=False` still syncs "
                "buffers at init. If you rely on buffers NOT being synced at init (e.g. rank-local "
                "buffers), keep using `broadcast_buffers=False` until `init_sync_buffers` is "
                "available."
            )
            if forward is not None:
                text = (
                    "Both `broadcast_buffers` and `forward_sync_buffers` were specified. "
                    "`broadcast_buffers` is deprecated and its value is ignored when "
                    "`forward_sync_buffers` is provided."
                )
            warnings.warn(text, FutureWarning, stacklevel=3)
        if forward is not None:
            self.forward_sync_buffers = forward
            return True
        self.forward_sync_buffers = True if broadcast is None else broadcast
        return self.forward_sync_buffers

    def _set_sizes(self, cap: float | None, caps: list[float] | None) -> None:
        """Sets how many bytes buckets have."""
        each = [int(size * _MIB) for size in caps or ()]
        default = cap is None and not each
        largest = max(caps) if caps else _CAP if cap is None else cap
        self.bucket_bytes_cap, self.bucket_bytes_cap_list = int(largest * _MIB), each
        self.bucket_bytes_cap_default = default
        later = [_FIRST, self.bucket_bytes_cap] if default else [self.bucket_bytes_cap]
        self._later_sizes = each or later

    def _first_sizes(self, static_graph: bool) -> list[int]:
        """Bytes of the buckets of the first iteration: one for all where they are made anew."""
        if self.bucket_bytes_cap_list:
            return self.bucket_bytes_cap_list
        if static_graph or not self.find_unused_parameters:
            return [sys.maxsize]
        return self._later_sizes

    def _reduced_parameters(self) -> tuple[list[str], list[Tensor]]:
        """Names and parameters that require a gradient, each once."""
        found: dict[int, tuple[str, Tensor]] = {}
        for prefix, module in self.module.named_modules():
            for name, each in module.named_parameters(recurse=False):
                full = f"{prefix}.{name}"
                if each.requires_grad and full not in self.parameters_to_ignore:
                    found.setdefault(id(each), (full, each))
        return [name for name, _ in found.values()], [each for _, each in found.values()]

    def _make_reducer(self, names: list[str], parameters: list[Tensor], static: bool) -> None:
        self.reducer = Reducer(
            parameters,
            self.process_group,
            self._first_sizes(static),
            self._later_sizes,
            self.find_unused_parameters,
            self.gradient_as_bucket_view,
            names,
            self._sparse(parameters),
            self.skip_all_reduce_unused_params,
        )
        self.logger = ParallelLog(self, type(self.module).__name__)
        if self.device_type == "cpu" and any(
            isinstance(each, SyncBatchNorm) for each in self.module.modules()
        ):
            self._log_and_throw(ValueError, "SyncBatchNorm layers only work with GPU modules")

    def _sparse(self, parameters: list[Tensor]) -> list[int]:
        """The numbers of the parameters whose gradients are sparse, as their modules say."""
        told = {
            id(each)
            for module in self.module.modules()
            if isinstance(module, (Embedding, EmbeddingBag)) and module.sparse
            for each in module.parameters(recurse=False)
        }
        return [i for i, each in enumerate(parameters) if id(each) in told]

    def _check_shapes(self, parameters: list[Tensor]) -> None:
        """Compares the parameters of all ranks. RuntimeError if they differ."""
        group = self.process_group
        own = [(list(each.shape), list(each.stride())) for each in parameters]
        found: list[Any] = [None] * group.size()
        all_gather_object(found, own, group=group)
        for rank, other in enumerate(found):
            if len(other) != len(own):
                raise RuntimeError(
                    f"DDP expects same model across all ranks, but Rank {group.rank()} has "
                    f"{len(own)} params, while rank {rank} has inconsistent {len(other)} params."
                )
        for i, mine in enumerate(own):
            for what, here, there in zip(("sizes", "strides"), mine, found[0][i]):
                if here != there:
                    raise RuntimeError(
                        f"[{group.rank()}]: params[{i}] in this process with {what} {here} appears "
                        f"not to match {what} of the same param in process 0."
                    )

    def _share(self, root: int, with_buffers: bool) -> None:
        """Gives all ranks the parameters, and the buffers, of one of the group."""
        _sync_module_states(
            self.module,
            self.process_group,
            self.broadcast_bucket_size,
            root,
            self.parameters_to_ignore,
            with_buffers,
        )

    def _delay(self, hooked: Tensor) -> None:
        """Has the delayed parameters averaged as one when the gradient of another is there."""
        parameters = self._delay_all_reduce_params
        count = sum(each.numel() for each in parameters)
        self._delay_grad_buffer = minitorch.zeros(count, device=self.device)
        broadcast_coalesced(self.process_group, [each.detach() for each in parameters], 0)
        hooked.register_hook(self._average_delayed)
        at = 0
        for each in parameters:
            view = self._delay_grad_buffer[at : at + each.numel()].view(each.shape)
            self._delay_grad_views.append(view)
            at += each.numel()
        self._delay_all_reduce_all_params = not self._reduced_parameters()[1]

    def _average_delayed(self, grad: Tensor) -> Tensor:
        self._delay_grad_buffer.div_(self.process_group.size())
        all_reduce(self._delay_grad_buffer, group=self.process_group, async_op=True)
        return grad

    def _clear_grad_buffer(self) -> None:
        """Lets the gradients of delayed parameters be views of the buffer that is sent."""
        if self._delay_grad_buffer is None:
            return
        none_there = all(each.grad is None for each in self._delay_all_reduce_params)
        for each, view in zip(self._delay_all_reduce_params, self._delay_grad_views):
            if each.grad is None:
                each.grad = view
                if not none_there:
                    view.zero_()
        if none_there:
            self._delay_grad_buffer.zero_()

    # ---- running it

    @property
    def broadcast_buffers(self) -> bool:
        """The deprecated name of forward_sync_buffers."""
        return self.forward_sync_buffers

    @broadcast_buffers.setter
    def broadcast_buffers(self, value: bool) -> None:
        self.forward_sync_buffers = value

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Runs the module; the backward of its outputs averages gradients over the ranks."""
        with record_function("DistributedDataParallel.forward"):
            return self._forward(*inputs, **kwargs)

    def _forward(self, *inputs: Any, **kwargs: Any) -> Any:
        if self._delay_all_reduce_all_params:
            output = self.module.forward(*inputs, **kwargs)
            self._clear_grad_buffer()
            return output
        syncs = minitorch.is_grad_enabled() and self.require_backward_grad_sync
        if syncs:
            self.logger.note_forward()
            self.reducer.start_forward()
        work = Join.notify_join_context(self)
        if work:
            self.reducer.join_work = work, self._divide_by_initial_world_size
        if minitorch.is_grad_enabled() and self.reducer.rebuild():
            self._has_rebuilt_buckets = True
        if self._syncs_buffers_before():
            self._sync_buffers()
        if self._join_config.enable:
            syncs_grads = float(self.require_backward_grad_sync)
            told = minitorch.full((1,), syncs_grads, device=self.device)
            all_reduce(told, group=self.process_group, async_op=True)
        if self.device_ids:
            place = minitorch.device(self.device_type, self.device_ids[0])
            inputs, kwargs = moved(inputs, place), moved(kwargs, place)
        output = self.module(*inputs, **kwargs)
        if self._syncs_buffers() and getattr(self, "buffer_hook", (None, False))[1]:
            self._sync_buffers()
        self.require_forward_param_sync = syncs
        if syncs:
            searches = self.find_unused_parameters and not self.static_graph
            self.reducer.start_backward(_find_tensors(output) if searches else [])
        output = self._sunk(output)
        self._clear_grad_buffer()
        return output

    def _sunk(self, output: Any) -> Any:
        """An output whose backward comes by here first, where the reducer must know of it."""
        first = self.static_graph and not self._static_graph_delay_allreduce_enqueued
        if not first and (self.static_graph or not self.find_unused_parameters):
            return output
        flat, spec = tree_flatten(output)
        passed = _Sink.apply(weakref.ref(self), *flat)
        kept = [
            each if isinstance(each, minitorch.Tensor) and each.grad_fn is None else other
            for each, other in zip(flat, passed)
        ]
        return tree_unflatten(kept, spec)

    def _syncs_buffers(self) -> bool:
        self.modules_buffers = [
            each
            for name, each in self.module.named_buffers()
            if name not in self.parameters_to_ignore
        ]
        return bool(
            self.require_forward_param_sync and self.forward_sync_buffers and self.modules_buffers
        )

    will_sync_module_buffers = _syncs_buffers

    def _syncs_buffers_before(self) -> bool:
        return self._syncs_buffers() and not getattr(self, "buffer_hook", (None, False))[1]

    def _sync_buffers(self) -> None:
        root = 0
        if self._join_config.enable:
            root = self._find_common_rank(self._distributed_rank, True)
        self._sync_module_buffers(root)

    def _sync_module_buffers(self, root: int) -> None:
        if not hasattr(self, "buffer_hook"):
            broadcast_coalesced(self.process_group, self.modules_buffers, root)
            return
        (state, hook), _ = self.buffer_hook
        named = {
            name: each
            for name, each in self.module.named_buffers()
            if name not in self.parameters_to_ignore
        }
        self.reducer.futures.extend(hook(state, named) or [])

    def _find_common_rank(self, input_rank: int, rank_cond: bool) -> int:
        """The largest rank that fulfils a condition."""
        rank = minitorch.tensor([input_rank if rank_cond else -1], device=self.device)
        all_reduce(rank, op=ReduceOp.MAX, group=self.process_group)
        if rank.item() == -1:
            self._log_and_throw(
                ValueError,
                "BUG! Expected rank_cond to be true for at least one process. This indicates a bug "
                "in PyTorch, please report an issue.",
            )
        return int(rank.item())

    @property
    def _distributed_rank(self) -> int:
        return get_rank(self.process_group)

    @contextmanager
    def no_sync(self) -> Iterator[None]:
        """Within it gradients are summed up on each rank, to be averaged later."""
        before, self.require_backward_grad_sync = self.require_backward_grad_sync, False
        try:
            yield
        finally:
            self.require_backward_grad_sync = before

    # ---- ranks that have no more data

    def join(
        self,
        divide_by_initial_world_size: bool = True,
        enable: bool = True,
        throw_on_early_termination: bool = False,
    ) -> Join:
        """A block in which ranks may have different numbers of batches.

        Args:
            divide_by_initial_world_size: whether gradients are divided by the number of all
                ranks, not of those that have data.
            enable: False if the ranks are known to have as many.
            throw_on_early_termination: whether all ranks raise as soon as one has no more data.
        """
        return Join(
            [self],
            enable,
            throw_on_early_termination,
            divide_by_initial_world_size=divide_by_initial_world_size,
        )

    def join_hook(self, **kwargs: Any) -> JoinHook:
        """The hook that joins in the other ranks' communication once this rank has no more data."""
        return _DDPJoinHook(self, kwargs.get("divide_by_initial_world_size", True))

    @property
    def join_device(self) -> Any:
        """The device of the parameters."""
        return self.device

    @property
    def join_process_group(self) -> Any:
        """The ranks."""
        return self.process_group

    # ---- hooks

    def register_comm_hook(self, state: Any, hook: Callable[[Any, Any], Any]) -> None:
        """Has `hook(state, bucket)` average gradients; it returns a future of the averages.

        Raises:
            TypeError: it cannot be called, or bfloat16 is asked for without a GPU.
            ValueError: its annotations say something else.
            RuntimeError: there is one already.
        """
        self._check_comm_hook(hook)
        self.reducer.set_hook(state, hook)
        self.logger.texts["comm_hook"] = hook.__qualname__

    def _check_comm_hook(self, hook: Any) -> None:
        if not callable(hook):
            self._log_and_throw(TypeError, "Communication hook must be callable.")
        signature = inspect.signature(hook)
        bucket, returned = signature.parameters["bucket"].annotation, signature.return_annotation
        if "GradBucket" not in str(bucket) and bucket not in (inspect.Signature.empty, Any, "Any"):
            self._log_and_throw(
                ValueError, "Communication hook: bucket annotation should be dist.GradBucket."
            )
        known = "Future" in str(returned) and "Tensor" in str(returned)
        if not known and returned not in (inspect.Signature.empty, Any, "Any"):
            self._log_and_throw(
                ValueError,
                "Communication hook: return annotation should be "
                "torch.futures.Future[torch.Tensor].",
            )
        if hook.__name__ in ("bf16_compress_hook", "bf16_compress_wrapper_hook"):
            self._log_and_throw(
                TypeError,
                "BF16 all reduce communication hook required CUDA 11+ and NCCL 2.10+ or XPU and "
                "XCCL",
            )

    def _register_builtin_comm_hook(self, comm_hook_type: Any) -> None:
        """Has a hook of torch's, by its BuiltinCommHookType, average gradients."""
        dtype = minitorch.float16 if comm_hook_type.name == "FP16_COMPRESS" else None

        def run(group: Any, bucket: Any) -> Any:
            buffer = bucket.buffer()
            sent = (buffer if dtype is None else buffer.to(dtype)).div_(group.size())
            future = group.operations.allreduce([sent]).get_future()
            return future.then(
                lambda done: buffer if dtype is None else buffer.copy_(done.value()[0])
            )

        self.reducer.set_builtin(run)
        self.logger.texts["comm_hook"] = str(comm_hook_type)

    def _register_buffer_comm_hook(
        self, state: Any, hook: Any, comm_hook_location: Any = None
    ) -> None:
        """Has `hook(state, buffers by name)` share buffers, after forward if not told else."""
        if not callable(hook):
            raise AssertionError(f"hook must be callable, got {type(hook).__name__}")
        before = getattr(comm_hook_location, "name", "POST_FORWARD") == "PRE_FORWARD"
        self.buffer_hook = (state, hook), not before

    def _set_static_graph(self) -> None:
        """Takes the graph of the first iteration for that of all."""
        if self.static_graph:
            warnings.warn(
                "You've set static_graph to be True, no need to set it again.", stacklevel=2
            )
            return
        self.static_graph = True
        self._static_graph_delay_allreduce_enqueued = False
        self.reducer.set_static()
        self.logger.numbers["static_graph"] = 1
        if self.find_unused_parameters:
            warnings.warn(
                "You passed find_unused_parameters=true to DistributedDataParallel, "
                "`_set_static_graph` will detect unused parameters automatically, so you do not "
                "need to set find_unused_parameters=true, just be sure these unused parameters "
                "will not change during training loop while calling `_set_static_graph`.",
                stacklevel=2,
            )

    def _remove_autograd_hooks(self) -> None:
        """Has gradients averaged no longer."""
        self.reducer.unwatch()

    def _set_ddp_sink_clone(self, val: bool) -> None:
        """Sets whether outputs are copied where backward must come by here."""
        self._ddp_sink_clone = val

    # ---- copies

    def __getstate__(self) -> dict[str, Any]:
        if self.process_group != _get_default_group():
            self._log_and_throw(
                RuntimeError,
                "DDP Pickling/Unpickling are only supported when using DDP with the default "
                "process group. That is, when you have called init_process_group and have not "
                "passed process_group argument to DDP constructor",
            )
        state = copy.copy(self.__dict__)
        del state["process_group"], state["reducer"], state["logger"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.process_group = _get_default_group()
        super().__setstate__(state)
        self._make_reducer(*self._reduced_parameters(), self.static_graph)
        if self.static_graph:
            self.reducer.set_static()

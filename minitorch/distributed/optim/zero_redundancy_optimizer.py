"""ZeroRedundancyOptimizer: each rank optimizes a share of the parameters, and gives it to all.

So each rank keeps the state of its share alone (arXiv:1910.02054). Parameters go to the rank that
has fewest elements so far, the largest first.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from itertools import chain
from typing import Any

import minitorch
from minitorch._public import outlines
from minitorch.distributed import distributed_c10d as dist
from minitorch.distributed.algorithms.join import Join, Joinable, JoinHook
from minitorch.distributed.object_collectives import broadcast_object_list
from minitorch.optim import (
    SGD,
    Adadelta,
    Adagrad,
    Adam,
    Adamax,
    AdamW,
    Optimizer,
    RMSprop,
    Rprop,
)

__all__ = ["ZeroRedundancyOptimizer"]

logger = logging.getLogger("torch.distributed.optim.zero_redundancy_optimizer")
Tensor = Any
# Those that torch has a function of, which takes gradients.
_FUNCTIONAL = frozenset((Adagrad, Adam, AdamW, SGD, Adadelta, RMSprop, Rprop, Adamax))
_ALIKE = (
    "ZeroRedundancyOptimizer only supports using the same dense type for all parameters but got"
)


def _recursive_copy_to_device(value: Any, non_blocking: bool, device: Any) -> Any:
    """A copy of nested lists, tuples and dicts, whose tensors are on a device."""
    if isinstance(value, minitorch.Tensor):
        return value.to(device, non_blocking=non_blocking)
    if isinstance(value, (list, tuple)):
        copies = [_recursive_copy_to_device(each, non_blocking, device) for each in value]
        return copies if isinstance(value, list) else tuple(copies)
    if isinstance(value, Mapping):
        return {
            key: _recursive_copy_to_device(each, non_blocking, device)
            for key, each in value.items()
        }
    return value


def _is_trainable(param: Tensor) -> bool:
    """Whether a parameter requires a gradient."""
    return param.requires_grad


def _broadcast_object(obj: Any, src_rank: int, group: Any = None, device: Any = None) -> Any:
    """The object of one rank of the world, on all ranks."""
    told = [obj]
    broadcast_object_list(told, src_rank, group=group)
    return obj if dist.get_rank() == src_rank else told[0]


class _ZeROJoinHook(JoinHook):
    """The actions of a rank without data: it goes on optimizing its share."""

    def __init__(self, zero: Any) -> None:
        if not isinstance(zero, ZeroRedundancyOptimizer):
            raise AssertionError(
                "ZeRO join hook requires passing in a ZeroRedundancyOptimizer instance as the state"
            )
        self.zero = zero
        super().__init__()

    def main_hook(self) -> None:
        """Takes a step."""
        self.zero.step()


class ZeroRedundancyOptimizer(Optimizer, Joinable):
    """An optimizer that is shared among the ranks.

    Args:
        params: all parameters, or groups of them; of one dense type.
        optimizer_class: of the optimizer of each rank's share.
        process_group: the ranks; None for all of the world.
        parameters_as_bucket_view: whether the parameters of a rank are parts of one flat tensor,
            which is sent at once.
        overlap_with_ddp: whether a hook of DistributedDataParallel takes the steps; torch refuses
            those hooks under gloo, and they are not implemented for other backends.
        defaults: options of that optimizer.

    Raises:
        TypeError: params is none of these.
        ValueError: there is none, they are of several types, or no hook can step that optimizer.

    As torch.distributed.optim.ZeroRedundancyOptimizer.
    """

    def __init__(
        self,
        params: Any,
        optimizer_class: type[Any],
        process_group: Any = None,
        parameters_as_bucket_view: bool = False,
        overlap_with_ddp: bool = False,
        **defaults: Any,
    ) -> None:
        params = self._verify_and_init_params(params)
        self._verify_same_dense_param_type()
        self.initialized = False
        Optimizer.__init__(self, params, defaults)
        Joinable.__init__(self)
        self._clear_cache()
        self._is_trainable_mask = self._get_is_trainable_mask()
        self._default_device = self._all_params[0].device
        self.process_group = dist._group_or_default_group(process_group)
        self.world_size = dist.get_world_size(self.process_group)
        self.rank = dist.get_rank(self.process_group)
        self.global_rank = dist.get_global_rank(self.process_group, self.rank)
        self._overlap_with_ddp = overlap_with_ddp
        self._optim_defaults, self._optim_constructor = defaults, optimizer_class
        if not overlap_with_ddp:
            self._init_local_optimizer()
        elif optimizer_class not in _FUNCTIONAL:
            raise ValueError(
                "Using `ddp_with_overlap=True` requires using a functional optimizer, but there is "
                f"no supported functional optimizer equivalent for {optimizer_class}"
            )
        elif parameters_as_bucket_view:
            logger.warning(
                "`parameters_as_bucket_view=True` will be ignored since `overlap_with_ddp=True`; "
                "instead, a different bucketing strategy will be used"
            )
        self.parameters_as_bucket_view = parameters_as_bucket_view
        self._buckets: list[list[Tensor]] = []
        self._build_param_buckets()
        self._all_state_dicts: list[dict[str, Any]] = []
        self.initialized = True

    def _check_overlap_initialized(self) -> None:
        """RuntimeError if a hook of DistributedDataParallel is to make the optimizer."""
        if self._overlap_with_ddp:
            raise RuntimeError(
                "This method should not be called until this ZeroRedundancyOptimizer instance has "
                "been fully initialized"
            )

    # ---- its parts

    def _verify_and_init_params(self, params: Any) -> list[Any]:
        """The parameters or groups as a list; sets _all_params."""
        wanted = "`params` argument should be an iterable of Tensors"
        if isinstance(params, minitorch.Tensor):
            raise TypeError(f"{wanted}, but got {minitorch.typename(params)}")
        try:
            given = list(params)
        except TypeError as error:
            raise TypeError(f"{wanted} or dicts, but got {minitorch.typename(params)}") from error
        if not given:
            raise ValueError("ZeroRedundancyOptimizer got an empty parameter list")
        if all(isinstance(each, minitorch.Tensor) for each in given):
            self._all_params = given
            return given
        if not all(isinstance(each, dict) for each in given):
            raise TypeError(f"{wanted} or dicts")
        if any("params" not in each for each in given):
            raise ValueError(
                "Each parameter group passed-in via `params` must have a 'params' key mapping to "
                "the parameters in the group"
            )
        self._all_params = list(chain.from_iterable(each["params"] for each in given))
        return given

    def _verify_same_dense_param_type(self) -> None:
        first = minitorch.typename(self._all_params[0])
        if self._all_params[0].is_sparse:
            raise ValueError(f"{_ALIKE} {first}")
        for each in self._all_params[1:]:
            other = minitorch.typename(each)
            if other != first:
                raise ValueError(f"{_ALIKE} both {first} and {other}")

    def _get_is_trainable_mask(self) -> list[bool]:
        return [_is_trainable(each) for each in self._all_params]

    def _init_local_optimizer(self) -> None:
        groups = self._partition_parameters()[self.rank]
        self.optim = self._optim_constructor(groups, **self._optim_defaults)
        self._sync_param_groups(self.optim.param_groups, self.param_groups)

    def _clear_cache(self) -> None:
        """Forgets which rank has which parameters."""
        self._partition_parameters_cache: list[list[dict[str, Any]]] = []

    def _get_min_index(self, values: list[int], disallowed_indices: Any = None) -> int:
        """The first place of the smallest value. AssertionError if there is none."""
        allowed = [i for i in range(len(values)) if i not in (disallowed_indices or ())]
        if not allowed:
            raise AssertionError("All indices are disallowed")
        return min(allowed, key=lambda i: values[i])

    def _partition_parameters(self, params_per_rank: Any = None) -> list[list[dict[str, Any]]]:
        """For each rank, the groups with its share of the parameters."""
        if self._partition_parameters_cache:
            return self._partition_parameters_cache
        shares: list[list[dict[str, Any]]] = [[] for _ in range(self.world_size)]
        sizes = [0] * self.world_size
        for group in self.param_groups:
            parts: list[list[Tensor]] = [[] for _ in shares]
            for each in sorted(group["params"], key=lambda p: p.numel(), reverse=True):
                rank = self._get_min_index(sizes)
                parts[rank].append(each)
                sizes[rank] += each.numel()
            for share, part in zip(shares, parts):
                share.append({**group, "params": part})
        self._partition_parameters_cache = shares
        return shares

    @property
    def _param_to_rank(self) -> dict[Tensor, int]:
        """The rank that has a parameter."""
        return {
            each: rank
            for rank, groups in enumerate(self._partition_parameters())
            for group in groups
            for each in group["params"]
        }

    @property
    def _index_to_param(self) -> list[Tensor]:
        """The parameters in the order of the groups."""
        return list(chain.from_iterable(group["params"] for group in self.param_groups))

    @property
    def _param_to_index(self) -> dict[Tensor, int]:
        """The place of a parameter in the order of the groups."""
        return {each: i for i, each in enumerate(self._index_to_param)}

    @property
    def _device_to_params_per_rank(self) -> dict[Any, list[list[Tensor]]]:
        """The parameters by device and rank. AssertionError if there are no buckets."""
        if not self.parameters_as_bucket_view:
            raise AssertionError(
                "`_device_to_params_per_rank` should only be used if "
                "`parameters_as_bucket_view=True`"
            )
        found: dict[Any, list[list[Tensor]]] = {}
        for each, rank in self._param_to_rank.items():
            found.setdefault(each.device, [[] for _ in range(self.world_size)])[rank].append(each)
        return found

    def _build_param_buckets(self) -> None:
        """Makes the parameters of each rank parts of one flat tensor, where that was asked for."""
        if not self.parameters_as_bucket_view or self._overlap_with_ddp:
            return
        shares = self._device_to_params_per_rank
        self._buckets = [
            [self._bucket(params, device) for params in per_rank]
            for device, per_rank in shares.items()
        ]

    def _bucket(self, params: list[Tensor], device: Any) -> Tensor:
        trained = [each for each in params if _is_trainable(each)]
        for each in params:
            if not _is_trainable(each):  # it may be a part of the bucket before
                each.data = each.data.detach().clone()
        size = sum(each.numel() for each in trained)
        if not size:
            return minitorch.zeros(1, device=device)
        bucket, at = minitorch.empty(size, dtype=params[-1].dtype, device=device), 0
        for each in trained:
            part = bucket[at : at + each.numel()]
            part.copy_(each.data.flatten())
            each.data = part.view_as(each.data)
            at += each.numel()
        return bucket

    # ---- steps

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds parameters, which are shared out anew. RuntimeError with `overlap_with_ddp`."""
        if self.initialized and self._overlap_with_ddp:
            raise RuntimeError(
                "ZeroRedundancyOptimizer with `overlap_with_ddp=True` only supports a single "
                "parameter group"
            )
        super().add_param_group(param_group)
        if not self.initialized:
            return
        self._clear_cache()
        groups = self._partition_parameters()[self.rank]
        if len(groups) == len(self.optim.param_groups) + 1:
            self.optim.add_param_group(groups[-1])
        if self.parameters_as_bucket_view:
            self._build_param_buckets()

    def _broadcast_params_from_rank(self, rank: int) -> list[Any]:
        """Starts to give all ranks the share of one; the handles."""
        root = dist.get_global_rank(self.process_group, rank)
        if self.parameters_as_bucket_view:
            sent = [buckets[rank] for buckets in self._buckets]
        else:
            groups = self._partition_parameters()[rank]
            sent = [each.data for group in groups for each in group["params"]]
        return [
            dist.broadcast(each, src=root, group=self.process_group, async_op=True) for each in sent
        ]

    def _sync_params(self) -> None:
        """Gives all ranks the shares of all."""
        handles = [
            work
            for rank in range(self.world_size)
            for work in self._broadcast_params_from_rank(rank)
        ]
        for work in handles:
            work.wait()

    def _local_step(self, closure: Callable[[], Any] | None = None, **kwargs: Any) -> Any:
        Join.notify_join_context(self)
        trainable = self._get_is_trainable_mask()
        if trainable != self._is_trainable_mask:
            logger.warning(
                "ZeroRedundancyOptimizer detected that the trainable parameters changed; "
                "rebuilding the parameter buckets if enabled"
            )
            self._build_param_buckets()
            self._is_trainable_mask = trainable
        self._sync_param_groups(self.param_groups, self.optim.param_groups)
        given = {} if closure is None else {"closure": closure}
        loss = self.optim.step(**given, **kwargs)
        self._sync_param_groups(self.optim.param_groups, self.param_groups)
        return loss

    def step(self, closure: Callable[[], Any] | None = None, **kwargs: Any) -> Any:
        """Optimizes this rank's share, and gets those of the others.

        Returns:
            What the step of the optimizer returns; None with `overlap_with_ddp`, where this does
            nothing.
        """
        if self._overlap_with_ddp:
            logger.warning(
                "`step()` should not be included in the training loop when `overlap_with_ddp=True`"
            )
            return None
        loss = self._local_step(closure=closure, **kwargs)
        self._sync_params()
        return loss

    @staticmethod
    def _sync_param_groups(source: list[dict[Any, Any]], target: list[dict[Any, Any]]) -> None:
        """Copies the options of groups. AssertionError if there are not as many."""
        if len(source) != len(target):
            raise AssertionError(
                "Mismatch between number of source and destination parameter groups"
            )
        for one, other in zip(source, target):
            other.update({key: value for key, value in one.items() if key != "params"})

    # ---- ranks that have no more data

    def join_hook(self, **kwargs: Any) -> JoinHook:
        """The JoinHook that acts for this optimizer once its rank has no more data."""
        return _ZeROJoinHook(self)

    @property
    def join_device(self) -> Any:
        """The device of the first parameter."""
        return self._default_device

    @property
    def join_process_group(self) -> Any:
        """The ranks."""
        return self.process_group

    # ---- state

    def consolidate_state_dict(self, to: int = 0) -> None:
        """Gives one rank the state of all, so that it can save it; all ranks call this.

        Args:
            to: that rank, in the group.
        """
        self._check_overlap_initialized()
        self._sync_param_groups(self.param_groups, self.optim.param_groups)
        self._all_state_dicts = []
        for rank in range(self.world_size):
            root = dist.get_global_rank(self.process_group, rank)
            own = self.optim.state_dict() if rank == self.rank else None
            told = _broadcast_object(own, root, self.process_group, self._default_device)
            if self.rank == to:
                self._all_state_dicts.append(
                    _recursive_copy_to_device(told, True, minitorch.device("cpu"))
                )

    def state_dict(self) -> dict[str, Any]:
        """The state of all parameters.

        Raises:
            RuntimeError: consolidate_state_dict has not given it to this rank.
        """
        self._check_overlap_initialized()
        if not self._all_state_dicts:
            raise RuntimeError(
                "Optimizer state has not been consolidated on this rank. Please call "
                f"`consolidate_state_dict(to={self.rank})` on all ranks beforehand if you meant to "
                "save the global state."
            )
        state = super().state_dict()
        places = self._param_to_index
        for told, groups in zip(self._all_state_dicts, self._partition_parameters()):
            for own, group in zip(told["param_groups"], groups):
                for i, each in zip(own["params"], group["params"]):
                    if i in told["state"]:
                        state["state"][places[each]] = told["state"][i]
        state["state"] = dict(sorted(state["state"].items()))
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over this rank's part of a state; the others are None in `state_dict` then."""
        self._check_overlap_initialized()
        params, ranks = self._index_to_param, self._param_to_rank
        for i, value in state_dict["state"].items():
            each = params[i]
            if ranks[each] != self.rank:
                state_dict["state"][i] = None
                continue
            own = _recursive_copy_to_device(value, True, each.device)
            self.optim.state[each] = own
            for name, entry in own.items():
                if isinstance(entry, minitorch.Tensor) and entry.dim() == 0:  # steps stay on CPU
                    own[name] = entry.cpu()
        super().load_state_dict(state_dict)
        self._sync_param_groups(state_dict["param_groups"], self.param_groups)
        self._sync_param_groups(self.param_groups, self.optim.param_groups)


__getattr__, __dir__ = outlines.rest_of("torch.distributed.optim.zero_redundancy_optimizer")

"""Collective operations of torch.distributed: arguments are checked, then a group does the work."""

from __future__ import annotations

import contextlib
import datetime
import itertools
import warnings
from collections.abc import Iterator
from typing import Any, NamedTuple

import minitorch
from minitorch.distributed.reduce_op import Backend, RedOpType, ReduceOp, default_pg_timeout
from minitorch.distributed.work import Work
from minitorch.distributed.world import (
    _canonicalize_group_rank,
    _check_valid_timeout,
    _get_default_group,
    _get_object_coll_device,
    _group_or_default_group,
    _rank_not_in_group,
    _warn_not_in_group,
    _world,
    get_backend,
)

Tensor = Any


def supports_complex(reduceOp: Any) -> bool:
    """Whether a reduction works on complex numbers."""
    refused = ("MAX", "MIN", "PRODUCT", "BAND", "BOR", "BXOR")
    return (reduceOp.op if isinstance(reduceOp, ReduceOp) else reduceOp) not in [
        RedOpType[name] for name in refused
    ]


def _check_single_tensor(param: Any, param_name: str) -> None:
    if not isinstance(param, minitorch.Tensor):
        raise TypeError(
            f"Invalid function argument. Expected parameter `{param_name}` of type torch.Tensor\n"
            f"             but got {type(param)} instead."
        )


def _check_tensor_list(param: Any, param_name: str) -> None:
    head = (
        f"Invalid function argument. Expected parameter `{param_name}` of type List[torch.Tensor]\n"
        f"             but got {type(param)}"
    )
    if not isinstance(param, list):
        raise TypeError(f"{head} instead.")
    if not all(isinstance(each, minitorch.Tensor) for each in param):
        raise TypeError(f"{head} with elements of type {[type(each) for each in param]}.")


def _ensure_all_tensors_same_dtype(*tensors: Any) -> None:
    last = None
    lists = (each if isinstance(each, list) else (each,) for each in tensors)
    for tensor in itertools.chain.from_iterable(lists):
        dtype = tensor.dtype
        if dtype.is_complex:  # mixes with the dtype of its parts
            single = dtype == minitorch.complex64
            dtype = minitorch.float32 if single else minitorch.float64
        if last is not None and last != dtype:
            raise ValueError(
                f"Invalid usage of tensors with different dtypesFound {last} and  {tensor.dtype}"
            )
        last = dtype


def _real(tensor: Tensor) -> Tensor:
    """A complex tensor as pairs of numbers; any other as it is."""
    return minitorch.view_as_real(tensor) if tensor.is_complex() else tensor


def _reals(tensors: Any) -> list[Tensor]:
    return [_real(each) for each in tensors]


def _finish(work: Work, async_op: bool) -> Work | None:
    """The handle of an operation if it was asked for; else waits for it."""
    if async_op:
        return work
    work.wait()
    return None


class _IllegalWork(Work):
    """The handle of an operation that waits for others to be started with it."""

    __module__ = "torch.distributed.distributed_c10d"

    def __init__(self) -> None:
        pass

    def __getattribute__(self, name: str) -> Any:
        if name in (
            "is_success exception wait source_rank _source_rank result synchronize".split()
        ):
            raise ValueError(f"Illegal to call {name} on IllegalWork object")
        return super().__getattribute__(name)


class _Held(NamedTuple):
    """An operation that waits for others: its function, tensors and reduction."""

    function: Any
    tensor: Tensor
    output: Tensor
    op: Any


def _held(group: Any, function: Any, tensor: Any, output: Any, op: Any, async_op: bool) -> Any:
    _world.pg_coalesce_state[group].append(_Held(function, tensor, output, op))
    return _IllegalWork() if async_op else None


# ---- reductions


def all_reduce(
    tensor: Tensor, op: Any = RedOpType.SUM, group: Any = None, async_op: bool = False
) -> Work | None:
    """Reduces a tensor over all ranks of a group, in place.

    Args:
        op: ReduceOp.SUM, AVG, PRODUCT, MIN, MAX, or BAND, BOR, BXOR of integers.
        async_op: whether to return at once, with a Work to wait for.

    Raises:
        RuntimeError: the dtype or the reduction is none of gloo's, a rank is gone, or it takes
            longer than it may.

    As torch.distributed.all_reduce, in gloo's order of additions.
    """
    _check_single_tensor(tensor, "tensor")
    if _rank_not_in_group(group):
        _warn_not_in_group("all_reduce")
        return None
    if tensor.is_complex():
        if not supports_complex(op):
            raise ValueError(f"all_reduce does not support {op} on complex tensors")
        tensor = _real(tensor)
    group = group or _get_default_group()
    if group in _world.pg_coalesce_state:
        return _held(group, all_reduce, tensor, None, op, async_op)
    return _finish(group.operations.allreduce([tensor], op), async_op)


def all_reduce_coalesced(
    tensors: Any, op: Any = RedOpType.SUM, group: Any = None, async_op: bool = False
) -> Any:
    """Reduces several tensors as one, in place; returns a future if `async_op`. Deprecated."""
    warnings.warn(
        "`torch.distributed.all_reduce_coalesced` will be deprecated. If you must use it, please "
        "revisit our documentation later at "
        "https://pytorch.org/docs/main/distributed.html#collective-functions",
        FutureWarning,
        stacklevel=2,
    )
    if isinstance(tensors, minitorch.Tensor):
        tensors = [tensors]
    _check_tensor_list(tensors, "tensor")
    _ensure_all_tensors_same_dtype(tensors)
    if _rank_not_in_group(group):
        _warn_not_in_group("all_reduce_coalesced")
        return None
    if any(each.is_complex() for each in tensors) and not supports_complex(op):
        raise ValueError(f"all_reduce does not support {op} on complex tensors")
    work = (group or _get_default_group()).operations.allreduce_coalesced(_reals(tensors), op)
    return work.get_future() if async_op else _finish(work, False)


def reduce(
    tensor: Tensor,
    dst: int | None = None,
    op: Any = RedOpType.SUM,
    group: Any = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Reduces a tensor to one rank, in place; the others keep parts of the sum.

    Args:
        dst, group_dst: the rank, in the world or in the group.

    As torch.distributed.reduce.
    """
    group = _group_or_default_group(group)
    root = _canonicalize_group_rank(group, dst, group_dst)
    _check_single_tensor(tensor, "tensor")
    if _rank_not_in_group(group):
        _warn_not_in_group("reduce")
        return None
    work = group.operations.reduce([_real(tensor)], root, op, tensor.is_complex())
    return _finish(work, async_op)


def reduce_scatter(
    output: Tensor,
    input_list: list[Tensor],
    op: Any = RedOpType.SUM,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """Reduces lists of tensors: each rank gets the sum of the tensors at its place.

    As torch.distributed.reduce_scatter.
    """
    _check_single_tensor(output, "output")
    _check_tensor_list(input_list, "input_list")
    _ensure_all_tensors_same_dtype(output, input_list)
    if _rank_not_in_group(group):
        _warn_not_in_group("reduce_scatter")
        return None
    group = group or _get_default_group()
    pairs = output.is_complex()
    work = group.operations.reduce_scatter(_real(output), _reals(input_list), op, pairs)
    return _finish(work, async_op)


def reduce_scatter_single(
    output: Tensor,
    input: Tensor,
    op: Any = RedOpType.SUM,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """Reduces a tensor: each rank gets its part of the sum.

    As torch.distributed.reduce_scatter_single.
    """
    _check_single_tensor(output, "output")
    _check_single_tensor(input, "input")
    if _rank_not_in_group(group):
        _warn_not_in_group("reduce_scatter_single")
        return None
    group = group or _get_default_group()
    if group in _world.pg_coalesce_state:
        return _held(group, reduce_scatter_single, input, output, op, async_op)
    pairs = output.is_complex()
    work = group.operations.reduce_scatter_single(_real(output), _real(input), op, pairs)
    return _finish(work, async_op)


def _deprecated(old: str, new: str) -> None:
    warnings.warn(
        f"`torch.distributed.{old}` is deprecated. Please use `torch.distributed.{new}` instead.",
        FutureWarning,
        stacklevel=3,
    )


def reduce_scatter_tensor(
    output: Tensor,
    input: Tensor,
    op: Any = RedOpType.SUM,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """Reduces as reduce_scatter_single, and warns that the name is deprecated."""
    _deprecated("reduce_scatter_tensor", "reduce_scatter_single")
    return reduce_scatter_single(output, input, op, group, async_op)


def _private(old: str, new: str) -> None:
    warnings.warn(
        f"`torch.distributed.{old}` is a private function and will be deprecated. Please use "
        f"`torch.distributed.{new}` instead.",
        FutureWarning,
        stacklevel=3,
    )


def _reduce_scatter_base(
    output: Tensor,
    input: Tensor,
    op: Any = RedOpType.SUM,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """Reduces as reduce_scatter_single, and warns that the name is private."""
    _private("_reduce_scatter_base", "reduce_scatter_single")
    return reduce_scatter_single(output, input, op, group, async_op)


# ---- moving data


def broadcast(
    tensor: Tensor,
    src: int | None = None,
    group: Any = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Gives all ranks of a group the tensor of one, in place.

    Args:
        src, group_src: the rank, in the world or in the group.

    As torch.distributed.broadcast.
    """
    group = _group_or_default_group(group)
    root = _canonicalize_group_rank(group, src, group_src)
    _check_single_tensor(tensor, "tensor")
    if _rank_not_in_group(group):
        _warn_not_in_group("broadcast")
        return None
    return _finish(group.operations.broadcast([_real(tensor)], root), async_op)


def all_gather(
    tensor_list: list[Tensor], tensor: Tensor, group: Any = None, async_op: bool = False
) -> Work | None:
    """Gives all ranks the tensors of all, in a list. As torch.distributed.all_gather."""
    _check_tensor_list(tensor_list, "tensor_list")
    _check_single_tensor(tensor, "tensor")
    _ensure_all_tensors_same_dtype(tensor_list, tensor)
    if _rank_not_in_group(group):
        _warn_not_in_group("all_gather")
        return None
    group = group or _get_default_group()
    return _finish(group.operations.allgather(_reals(tensor_list), _real(tensor)), async_op)


def all_gather_single(
    output_tensor: Tensor, input_tensor: Tensor, group: Any = None, async_op: bool = False
) -> Work | None:
    """Gives all ranks the tensors of all, one after another in one tensor.

    As torch.distributed.all_gather_single.
    """
    _check_single_tensor(input_tensor, "input_tensor")
    _check_single_tensor(output_tensor, "output_tensor")
    if _rank_not_in_group(group):
        _warn_not_in_group("all_gather_single")
        return None
    output_tensor, input_tensor = _real(output_tensor), _real(input_tensor)
    group = group or _get_default_group()
    if group in _world.pg_coalesce_state:
        return _held(group, all_gather_single, input_tensor, output_tensor, None, async_op)
    return _finish(group.operations.all_gather_single(output_tensor, input_tensor), async_op)


def all_gather_coalesced(
    output_tensor_lists: Any, input_tensor_list: Any, group: Any = None, async_op: bool = False
) -> Any:
    """Gives all ranks the lists of tensors of all; returns a future if `async_op`. Deprecated.

    Args:
        output_tensor_lists: for each rank a list of tensors like its `input_tensor_list`, which
            get its values.

    As torch.distributed.all_gather_coalesced.
    """
    warnings.warn(
        "`torch.distributed.all_gather_coalesced` will be deprecated. If you must use it, please "
        "revisit our documentation later at "
        "https://pytorch.org/docs/main/distributed.html#collective-functions",
        FutureWarning,
        stacklevel=2,
    )
    if _rank_not_in_group(group):
        _warn_not_in_group("all_gather_coalesced")
        return None
    _check_tensor_list(input_tensor_list, "input_tensor_list")
    _ensure_all_tensors_same_dtype(input_tensor_list)
    if not isinstance(output_tensor_lists, list):
        raise TypeError("Invalid function argument: output_tensor_lists should be a list")
    for each in output_tensor_lists:
        _check_tensor_list(each, "output_tensor_lists")
        _ensure_all_tensors_same_dtype(each)
    outputs = [_reals(each) for each in output_tensor_lists]
    group = group or _get_default_group()
    work = group.operations.allgather_coalesced(outputs, _reals(input_tensor_list))
    return work.get_future() if async_op else _finish(work, False)


def all_gather_into_tensor(
    output_tensor: Tensor, input_tensor: Tensor, group: Any = None, async_op: bool = False
) -> Work | None:
    """Gathers as all_gather_single, and warns that the name is deprecated."""
    _deprecated("all_gather_into_tensor", "all_gather_single")
    return all_gather_single(output_tensor, input_tensor, group, async_op)


def _all_gather_base(
    output_tensor: Tensor, input_tensor: Tensor, group: Any = None, async_op: bool = False
) -> Work | None:
    """Gathers as all_gather_single, and warns that the name is private."""
    _private("_all_gather_base", "all_gather_single")
    return all_gather_single(output_tensor, input_tensor, group, async_op)


def _validate_output_list_for_rank(my_rank: int, dst: int, gather_list: Any) -> None:
    if dst == my_rank:
        if not gather_list:
            raise ValueError("Argument ``gather_list`` must be specified on destination rank.")
    elif gather_list:
        raise ValueError("Argument ``gather_list`` must NOT be specified on non-destination ranks.")


def gather(
    tensor: Tensor,
    gather_list: list[Tensor] | None = None,
    dst: int | None = None,
    group: Any = None,
    async_op: bool = False,
    group_dst: int | None = None,
) -> Work | None:
    """Gives one rank the tensors of all, in its `gather_list`. As torch.distributed.gather."""
    _check_single_tensor(tensor, "tensor")
    if gather_list:
        _check_tensor_list(gather_list, "gather_list")
    _ensure_all_tensors_same_dtype(tensor, gather_list or [])
    group = _group_or_default_group(group)
    if _rank_not_in_group(group):
        _warn_not_in_group("gather")
        return None
    if dst is None and group_dst is None:
        dst = 0
    root = _canonicalize_group_rank(group, dst, group_dst)
    _validate_output_list_for_rank(group.rank(), root, gather_list)
    outputs = gather_list if root == group.rank() else None
    return _finish(group.operations.gather(outputs, tensor, root), async_op)


def scatter(
    tensor: Tensor,
    scatter_list: list[Tensor] | None = None,
    src: int | None = None,
    group: Any = None,
    async_op: bool = False,
    group_src: int | None = None,
) -> Work | None:
    """Gives each rank one tensor of the list of one rank. As torch.distributed.scatter."""
    _check_single_tensor(tensor, "tensor")
    if scatter_list:
        _check_tensor_list(scatter_list, "scatter_list")
    _ensure_all_tensors_same_dtype(tensor, scatter_list or [])
    group = _group_or_default_group(group)
    if src is None and group_src is None:
        src = 0
    root = _canonicalize_group_rank(group, src, group_src)
    if _rank_not_in_group(group):
        _warn_not_in_group("scatter")
        return None
    inputs = None
    if root == group.rank():
        if not scatter_list:
            raise ValueError("Argument ``scatter_list`` must be specified on source rank.")
        inputs = _reals(scatter_list)
    elif scatter_list:
        raise ValueError("Argument ``scatter_list`` must NOT be specified on non-source ranks.")
    return _finish(group.operations.scatter(_real(tensor), inputs, root), async_op)


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: list[int] | None = None,
    input_split_sizes: list[int] | None = None,
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """Gives each rank a part of each rank's tensor, cut along the first dimension.

    Args:
        output_split_sizes, input_split_sizes: how long the parts are; equal ones if not given.

    As torch.distributed.all_to_all_single.
    """
    if _rank_not_in_group(group):
        _warn_not_in_group("all_to_all_single")
        return None
    _check_single_tensor(output, "output")
    _check_single_tensor(input, "input")
    _ensure_all_tensors_same_dtype(output, input)
    sizes = output_split_sizes or [], input_split_sizes or []
    group = group or _get_default_group()
    return _finish(
        group.operations.all_to_all_single(_real(output), _real(input), *sizes), async_op
    )


def all_to_all(
    output_tensor_list: list[Tensor],
    input_tensor_list: list[Tensor],
    group: Any = None,
    async_op: bool = False,
) -> Work | None:
    """Gives each rank one tensor of each rank. As torch.distributed.all_to_all."""
    if _rank_not_in_group(group):
        _warn_not_in_group("all_to_all")
        return None
    _check_tensor_list(output_tensor_list, "output_tensor_list")
    _check_tensor_list(input_tensor_list, "input_tensor_list")
    _ensure_all_tensors_same_dtype(output_tensor_list, input_tensor_list)
    group = group or _get_default_group()
    work = group.operations.alltoall(_reals(output_tensor_list), _reals(input_tensor_list))
    return _finish(work, async_op)


# ---- meeting


def barrier(
    group: Any = None,
    async_op: bool = False,
    device_ids: Any = None,
    timeout: datetime.timedelta | None = None,
) -> Work | None:
    """Returns as soon as all ranks of a group have called it. As torch.distributed.barrier."""
    group = group or _get_default_group()
    if _rank_not_in_group(group):
        _warn_not_in_group("barrier")
        return None
    work = group.operations.barrier(_meeting_place(group, device_ids))
    if async_op:
        return work
    work.wait(timeout)
    return None


def _meeting_place(group: Any, device_ids: Any) -> Any:
    """The device whose backend a barrier takes; warns where the caller named none."""
    if not minitorch.cuda.is_available():
        return minitorch.device("cpu")
    if isinstance(device_ids, list):
        return minitorch.device("cuda", device_ids[0])
    if group.bound_device_id is not None:
        return group.bound_device_id
    if _get_object_coll_device(group) == "cpu":
        return minitorch.device("cpu")
    if group.rank() == 0:
        warnings.warn(
            "barrier(): using the device under current context. You can specify `device_id` in "
            "`init_process_group` to mute this warning.",
            stacklevel=3,
        )
    return minitorch.device("cuda")


def monitored_barrier(group: Any = None, timeout: Any = None, wait_all_ranks: bool = False) -> None:
    """Returns as soon as all ranks have called it, or says on rank 0 which have not.

    Args:
        wait_all_ranks: whether it names all of them, not the first.

    As torch.distributed.monitored_barrier.
    """
    if _rank_not_in_group(group):
        _warn_not_in_group("monitored_barrier")
        return
    if get_backend(group) != Backend.GLOO:
        raise ValueError("monitored_barrier is only implemented for GLOO backend.")
    if timeout is None:
        timeout = default_pg_timeout
    elif isinstance(timeout, float):
        warnings.warn(
            f"Please specify timeout arg as a timedelta. Converting current value of {timeout} "
            "assuming it represents seconds",
            stacklevel=2,
        )
        timeout = datetime.timedelta(seconds=timeout)
    _check_valid_timeout(timeout)
    _group_or_default_group(group).monitored_barrier(timeout, wait_all_ranks)


# ---- several at once


class _CoalescingManager:
    """The handles of operations that were started together."""

    __module__ = "torch.distributed.distributed_c10d"

    def __init__(self) -> None:
        self.works: list[Work] = []

    def append(self, work: Work | None = None) -> None:
        """Adds a handle."""
        if work:
            self.works.append(work)

    def wait(self) -> None:
        """Waits for all."""
        for work in self.works:
            work.wait()


@contextlib.contextmanager
def _coalescing_manager(
    group: Any = None, device: Any = None, async_ops: bool = False
) -> Iterator[_CoalescingManager]:
    """Starts the operations of its block together, at its end."""
    group = group or _get_default_group()
    if device:
        group._start_coalescing(device)
    if _world.pg_coalesce_state.setdefault(group, []):
        raise ValueError("ProcessGroup has non-empty op list at the start of coalescing")
    manager = _CoalescingManager()
    yield manager
    works = _started_held(group, _world.pg_coalesce_state.pop(group))
    if device:
        works = [group._end_coalescing(device)]
    for work in works:
        manager.append(work)
    if not async_ops:
        manager.wait()


def _started_held(group: Any, held: list[_Held]) -> list[Work]:
    """Starts operations that waited for one another; their handles.

    Raises:
        RuntimeError: they are of different kinds.
    """
    if not held:
        return []
    names = {each.function.__name__ for each in held}
    if len(names) > 1:
        raise RuntimeError(
            "Coalescing manager requires all collectives to be the same type, but got mixed types: "
            f"{names}"
        )
    if held[0].function is all_reduce:
        return [group.operations.allreduce_coalesced([each.tensor for each in held], held[0].op)]
    if held[0].function is all_gather_single:
        calls = [(each.output, each.tensor) for each in held]
        return group.started_together("all_gather_single", calls)
    parts = [(_real(each.output), _real(each.tensor), each.op) for each in held]
    return group.started_together("reduce_scatter_single", parts)

"""torch.distributed.nn.functional: collectives that autograd goes through.

Each gives a new tensor; its backward is the collective that carries gradients the other way:
that of broadcast is reduce, that of gather is scatter, that of all_reduce is all_reduce.
"""

from __future__ import annotations

import warnings
from typing import Any

import minitorch
from minitorch._public import outlines
from minitorch.autograd import Function
from minitorch.distributed import distributed_c10d as dist
from minitorch.distributed.distributed_c10d import Backend, ReduceOp

Tensor = Any


def _deprecated(name: str, newer: str) -> None:
    warnings.warn(
        f"torch.distributed.nn.functional.{name} is deprecated, use "
        f"torch.distributed._functional_collectives.{newer} instead.",
        FutureWarning,
        stacklevel=3,
    )


def broadcast(tensor: Tensor, src: int, group: Any = None) -> Tensor:
    """Gives each rank the tensor of one. As torch.distributed.nn.functional.broadcast.

    Args:
        src: the rank in the world that has it.
    """
    _deprecated("broadcast", "broadcast")
    return _Broadcast.apply(src, group, tensor)


def gather(tensor: Tensor, dst: int = 0, group: Any = None) -> tuple[Tensor, ...]:
    """Gives one rank the tensors of all; the others get zeros.

    As torch.distributed.nn.functional.gather.
    """
    return _Gather.apply(dst, group, tensor)


def scatter(tensors: list[Tensor], src: int = 0, group: Any = None) -> Tensor:
    """Gives each rank one tensor of the list of one rank.

    Args:
        tensors: on the other ranks tensors of that shape, whose values do not matter.

    As torch.distributed.nn.functional.scatter.
    """
    return _Scatter.apply(src, group, *tensors)


def reduce(tensor: Tensor, dst: int, op: Any = ReduceOp.SUM, group: Any = None) -> Tensor:
    """Reduces a tensor to one rank. As torch.distributed.nn.functional.reduce."""
    return _Reduce.apply(dst, op, group, tensor)


def reduce_scatter(
    output: Tensor, input_list: list[Tensor], op: Any = ReduceOp.SUM, group: Any = None
) -> Tensor:
    """Reduces lists of tensors: each rank gets the sum of the tensors at its place.

    As torch.distributed.nn.functional.reduce_scatter.
    """
    _deprecated("reduce_scatter", "reduce_scatter_single")
    return _Reduce_Scatter.apply(op, group, output, *input_list)


def all_gather(tensor: Tensor, group: Any = None) -> tuple[Tensor, ...]:
    """Gives all ranks the tensors of all. As torch.distributed.nn.functional.all_gather."""
    _deprecated("all_gather", "all_gather_single")
    return _AllGather.apply(group, tensor)


def _all_gather_base(output_tensor: Tensor, input_tensor: Tensor, group: Any = None) -> Tensor:
    """Gives all ranks the tensors of all in one; its backward needs NCCL, as torch's does."""
    return _AllGatherBase.apply(output_tensor, input_tensor, group)


def all_to_all(
    output_tensor_list: list[Tensor], input_tensor_list: list[Tensor], group: Any = None
) -> tuple[Tensor, ...]:
    """Gives each rank one tensor of each rank. As torch.distributed.nn.functional.all_to_all."""
    return _AlltoAll.apply(group, output_tensor_list, *input_tensor_list)


def all_to_all_single(
    output: Tensor,
    input: Tensor,
    output_split_sizes: list[int] | None = None,
    input_split_sizes: list[int] | None = None,
    group: Any = None,
) -> Tensor:
    """Gives each rank a part of each rank's tensor, cut along the first dimension.

    As torch.distributed.nn.functional.all_to_all_single.
    """
    _deprecated("all_to_all_single", "all_to_all_single")
    return _AlltoAllSingle.apply(group, output, output_split_sizes, input_split_sizes, input)


def all_reduce(tensor: Tensor, op: Any = ReduceOp.SUM, group: Any = None) -> Tensor:
    """Reduces a tensor over all ranks. As torch.distributed.nn.functional.all_reduce."""
    _deprecated("all_reduce", "all_reduce")
    return _AllReduce.apply(op, group, tensor)


# ---- what autograd records


class _Broadcast(Function):
    @staticmethod
    def forward(ctx: Any, src: int, group: Any, tensor: Tensor) -> Tensor:
        ctx.src, ctx.group, ctx.rank = src, group, dist.get_rank(group)
        tensor = tensor.clone()
        dist.broadcast(tensor, src, group=group)
        return tensor

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        grad = _Reduce.apply(ctx.src, ReduceOp.SUM, ctx.group, grad_output)
        if ctx.src != ctx.rank:
            grad.zero_()
        return None, None, grad


class _Gather(Function):
    @staticmethod
    def forward(ctx: Any, dst: int, group: Any, tensor: Tensor) -> tuple[Tensor, ...]:
        ctx.dst, ctx.group = dst, group
        rows = [minitorch.zeros_like(tensor) for _ in range(dist.get_world_size(group))]
        is_root = dist.get_rank(group) == dst
        dist.gather(tensor.contiguous(), rows if is_root else None, dst, group=group)
        return tuple(rows)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> Any:
        return None, None, _Scatter.apply(ctx.dst, ctx.group, *grad_outputs)


class _Scatter(Function):
    @staticmethod
    def forward(ctx: Any, src: int, group: Any, *tensors: Tensor) -> Tensor:
        ctx.src, ctx.group = src, group
        if any(each.size() != tensors[0].size() for each in tensors):
            raise AssertionError
        output = minitorch.zeros_like(tensors[0])
        is_root = dist.get_rank(group) == src
        dist.scatter(output, list(tensors) if is_root else None, src, group=group)
        return output

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        return None, None, *_Gather.apply(ctx.src, ctx.group, grad_output)


class _Reduce(Function):
    @staticmethod
    def forward(ctx: Any, src: int, op: Any, group: Any, tensor: Tensor) -> Tensor:
        ctx.src, ctx.group = src, group
        tensor = tensor.clone()
        dist.reduce(tensor, src, op=op, group=group)
        return tensor

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        return None, None, None, _Broadcast.apply(ctx.src, ctx.group, grad_output)


class _Reduce_Scatter(Function):
    @staticmethod
    def forward(ctx: Any, op: Any, group: Any, tensor: Tensor, *parts: Tensor) -> Tensor:
        ctx.group = group
        tensor = tensor.contiguous()
        dist.reduce_scatter(tensor, [each.contiguous() for each in parts], op=op, group=group)
        return tensor

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        return None, None, None, *_AllGather.apply(ctx.group, grad_output)


class _AllGather(Function):
    @staticmethod
    def forward(ctx: Any, group: Any, tensor: Tensor) -> tuple[Tensor, ...]:
        tensor = tensor.contiguous()
        ctx.group = group
        rows = [minitorch.empty_like(tensor) for _ in range(dist.get_world_size(group))]
        dist.all_gather(rows, tensor, group=group)
        return tuple(rows)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> Any:
        rank = dist.get_rank(ctx.group)
        if dist.get_backend(ctx.group) == Backend.NCCL:
            grad = minitorch.empty_like(grad_outputs[rank])
            return None, _Reduce_Scatter.apply(ReduceOp.SUM, ctx.group, grad, *grad_outputs)
        # As torch adds them: those of all ranks in turn, not in the order of the ring.
        rows = [minitorch.empty_like(each) for each in grad_outputs]
        gathered = _AlltoAll.apply(ctx.group, rows, *grad_outputs)
        return None, minitorch.sum(minitorch.stack(gathered), dim=0)


class _AllGatherBase(Function):
    @staticmethod
    def forward(ctx: Any, output_tensor: Tensor, input_tensor: Tensor, group: Any) -> Tensor:
        ctx.group = group
        dist._all_gather_base(output_tensor, input_tensor.contiguous(), group=group)
        return output_tensor

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        if dist.get_backend(ctx.group) != Backend.NCCL:
            raise RuntimeError("Backend not supported!")
        size, count = list(grad_output.size()), dist.get_world_size(ctx.group)
        if size[0] % count:
            raise RuntimeError(
                f"Tensor with dimensions: {size} does not have first dimension divisible by "
                f"world_size: {count}"
            )
        grad = grad_output.new_empty([size[0] // count, *size[1:]])
        dist._reduce_scatter_base(grad, grad_output, ReduceOp.SUM, ctx.group)
        return None, grad, None


class _AlltoAll(Function):
    @staticmethod
    def forward(ctx: Any, group: Any, outputs: list[Tensor], *tensors: Tensor) -> Any:
        ctx.group = group
        size, rank = dist.get_world_size(group), dist.get_rank(group)
        ctx.input_tensor_size_list = [tensors[i].size() for i in range(size)]
        sent = [each.contiguous() for each in tensors]
        if dist.get_backend(group) == Backend.GLOO:  # torch scatters: its errors are scatter's
            for i in range(size):
                dist.scatter(outputs[i], sent if i == rank else None, i, group=group)
        else:
            dist.all_to_all(outputs, sent, group=group)
        return tuple(outputs)

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> Any:
        rows = [grad_outputs[0].new_empty(size) for size in ctx.input_tensor_size_list]
        return None, None, *_AlltoAll.apply(ctx.group, rows, *grad_outputs)


class _AlltoAllSingle(Function):
    @staticmethod
    def forward(
        ctx: Any, group: Any, output: Tensor, out_sizes: Any, in_sizes: Any, input: Tensor
    ) -> Tensor:
        ctx.group, ctx.input_size = group, input.size()
        ctx.turned = in_sizes, out_sizes
        dist.all_to_all_single(output, input, out_sizes, in_sizes, group=group)
        return output

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        grad, sent = grad_output.new_empty(ctx.input_size), grad_output.contiguous()
        grad = _AlltoAllSingle.apply(ctx.group, grad, *ctx.turned, sent)
        return None, None, None, None, grad


class _AllReduce(Function):
    @staticmethod
    def forward(ctx: Any, op: Any, group: Any, tensor: Tensor) -> Tensor:
        ctx.group, ctx.op = group, op
        tensor = tensor.clone(memory_format=minitorch.contiguous_format)
        dist.all_reduce(tensor, op=op, group=group)
        return tensor

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> Any:
        return None, None, _AllReduce.apply(ctx.op, ctx.group, grad_output)


__getattr__, __dir__ = outlines.rest_of("torch.distributed.nn.functional")

"""torch.distributed._functional_collectives: collectives that return new tensors, at once.

What they return waits when it is first used: an AsyncCollectiveTensor. Views of it do not wait.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import minitorch
from minitorch._public import outlines
from minitorch.distributed import functional_operators
from minitorch.distributed.device_mesh import DeviceMesh
from minitorch.distributed.group_names import (
    _find_or_create_pg_by_ranks_and_tag,
    _get_group_size_by_name,
    _get_group_tag,
    _resolve_group_name_by_ranks_and_tag,
)
from minitorch.distributed.process_group import ProcessGroup
from minitorch.distributed.reduce_op import RedOpType
from minitorch.distributed.world import _get_default_group, get_process_group_ranks, get_rank
from minitorch.utils._pytree import tree_map_only

Tensor = Any
_OPS = minitorch.ops._c10d_functional
_ONE_DIM = "Only 1D mesh is supported, pass in (DeviceMesh, int) together if mesh > 1D"
REDUCE_OP_TO_STR = {op: op.name.lower() for op in RedOpType if op is not RedOpType.PREMUL_SUM}


class AsyncCollectiveTensor(minitorch.Tensor):
    """A tensor that waits for the collective that writes it when it is first used.

    As torch.distributed._functional_collectives.AsyncCollectiveTensor.
    """

    __module__ = "torch.distributed._functional_collectives"
    elem: Tensor
    completed: bool

    @staticmethod
    def __new__(cls: Any, elem: Tensor) -> Any:
        made = minitorch.Tensor._make_wrapper_subclass(
            cls,
            elem.size(),
            strides=elem.stride(),
            storage_offset=elem.storage_offset(),
            dtype=elem.dtype,
            layout=elem.layout,
            device=elem.device,
            requires_grad=elem.requires_grad,
        )
        made.elem, made.completed = elem, False
        return made

    def __tensor_flatten__(self) -> Any:
        return ["elem"], None

    @staticmethod
    def __tensor_unflatten__(inner: Any, meta: Any, size: Any, stride: Any) -> Any:
        if meta is not None:
            raise AssertionError("meta must be None for AsyncCollectiveTensor unflatten")
        return AsyncCollectiveTensor(inner["elem"])

    def __repr__(self) -> str:  # type: ignore[override]
        return f"AsyncCollectiveTensor({self.trigger_wait()})"

    def trigger_wait(self) -> Tensor:
        """The plain tensor, once the collective is done."""
        if self.completed:
            return self.elem
        self.completed = True
        return wait_tensor(self.elem)

    def wait(self) -> Tensor:
        """The plain tensor, once the collective is done."""
        return wait_tensor(self.elem)

    def _get_acs_underlying_tensor(self) -> Tensor:
        return self.elem

    def tolist(self) -> Any:
        """The elements, as numbers in lists."""
        return self.trigger_wait().tolist()

    def numpy(self) -> Any:  # type: ignore[override]
        """The elements as an array."""
        return self.wait().numpy()

    @classmethod
    def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        views = _is_view_op(func)
        plain = lambda each: each.elem if views else each.trigger_wait()
        args, kwargs = tree_map_only(AsyncCollectiveTensor, plain, (args, kwargs or {}))
        result = func(*args, **kwargs)
        if views:
            result = tree_map_only(minitorch.Tensor, AsyncCollectiveTensor, result)
        return result


def _is_view_op(func: Any) -> bool:
    """Whether an operator returns views of its first argument."""
    if func is minitorch.ops.aten.detach.default:  # whose schema does not say so here
        return True
    first = func._text.partition("(")[2]
    return first.startswith("Tensor(") and "!" not in first.partition(")")[0]


functional_operators.wrapper(AsyncCollectiveTensor)


def wait_tensor(tensor: Tensor) -> Tensor:
    """The tensor, once the collective that writes it is done."""
    return _OPS.wait_tensor(tensor)


def _maybe_wrap_tensor(self: Tensor) -> Tensor:
    """A result that waits when it is first used."""
    return _OPS._wrap_tensor_autograd(self)


# ---- whose collective it is


def _mesh_group(group: Any) -> Any:
    """The group of a mesh of one dimension, or of a mesh and a dimension; else None.

    Raises:
        AssertionError: a mesh has several dimensions.
    """
    if isinstance(group, DeviceMesh):
        if group.ndim != 1:
            raise AssertionError(_ONE_DIM)
        return group.get_group()
    if isinstance(group, tuple) and len(group) == 2 and isinstance(group[0], DeviceMesh):
        return group[0].get_group(group[1]) if isinstance(group[1], int) else None
    return None


def _resolve_group(group: Any, tag: str = "") -> str:
    """The name of a group that is given as itself, its name, its ranks, or as one of a mesh.

    Raises:
        ValueError: it is none of them.
    """
    if isinstance(group, str):
        return group
    if isinstance(group, ProcessGroup):
        return group.group_name
    found = _mesh_group(group)
    if found is not None:
        return found.group_name
    if isinstance(group, tuple):
        kinds = tuple(type(each) for each in group[:2])
        raise ValueError(f"Invalid tuple for group must be (DeviceMesh, int). Instead got {kinds}")
    if isinstance(group, list):
        warnings.warn(
            "The combination of ranks + tag as process group identifier has been deprecated. "
            "Please switch to using ProcessGroup, DeviceMesh, or group name instead.",
            FutureWarning,
            stacklevel=3,
        )
        return _resolve_group_name_by_ranks_and_tag(group, tag)
    raise ValueError(f"Unsupported group type: {type(group)}, {group}")


_resolve_group_name = _resolve_group


def _expand_group(group: Any, tag: str = "") -> tuple[str, list[int], int]:
    """The tag, the ranks and the size of a group, or of several of one size.

    Raises:
        ValueError: it is none, or they have several sizes.
    """
    if isinstance(group, list):
        if not isinstance(group[0], list):
            return tag, group, len(group)
        sizes = {len(each): None for each in group}
        if len(sizes) > 1:
            first, second, *_ = sizes
            raise ValueError(f"group sizes must be identical found {first} and {second}")
        return tag, [rank for each in group for rank in each], len(group[0])
    found = group if isinstance(group, ProcessGroup) else _mesh_group(group)
    if found is None:
        if isinstance(group, tuple):
            raise ValueError("Invalid tuple for group must be (DeviceMesh, int)")
        raise ValueError(
            "Invalid type for group, must be one of List, Processgroup, DeviceMesh or "
            "(DeviceMesh, int)."
        )
    ranks = get_process_group_ranks(found)
    return tag or _get_group_tag(found), ranks, len(ranks)


# ---- collectives


def broadcast(self: Tensor, src: int, group: Any, tag: str = "") -> Tensor:
    """A copy of one rank's tensor.

    Args:
        src: that rank in the group.
        group: a ProcessGroup, its name, a mesh, or a mesh and a dimension.
    """
    return _maybe_wrap_tensor(_OPS.broadcast(self, src, _resolve_group(group, tag)))


def all_reduce(self: Tensor, reduceOp: str, group: Any, tag: str = "") -> Tensor:
    """The sum, or another reduction, of the tensors of all ranks. `group` as in broadcast."""
    name = _resolve_group(group, tag)
    return _maybe_wrap_tensor(_OPS.all_reduce(self, reduceOp.lower(), name))


def all_gather_single(self: Tensor, gather_dim: int, group: Any, tag: str = "") -> Tensor:
    """The tensors of all ranks, joined along a dimension."""
    name = _resolve_group(group, tag)
    size = _get_group_size_by_name(name)
    result = _maybe_wrap_tensor(_OPS.all_gather_into_tensor(self, size, name))
    if gather_dim == 0:
        return result
    between = math.prod(result.shape[1:gather_dim])
    if result.shape[0] == size and between == 1:  # a view will do
        shape = list(result.shape)
        shape[0 : gather_dim + 1] = [*shape[1:gather_dim], size * shape[gather_dim]]
        return result.view([1, *shape][-result.dim() :])
    return minitorch.cat(minitorch.chunk(result.wait(), size, dim=0), dim=gather_dim)


def reduce_scatter_single(
    self: Tensor, reduceOp: str, scatter_dim: int, group: Any, tag: str = ""
) -> Tensor:
    """This rank's part of the sum, or another reduction, of the tensors of all ranks.

    Args:
        scatter_dim: along which the sum is shared out.

    Raises:
        AssertionError: it cannot be shared out so.
    """
    name = _resolve_group(group, tag)
    size = _get_group_size_by_name(name)
    if self.size(scatter_dim) % size:
        raise AssertionError(
            f"input dimension 0 ({self.size(0)} must be a multiple of group_size {size})"
        )
    if scatter_dim:
        self = minitorch.cat(minitorch.chunk(self, size, dim=scatter_dim))
    return _maybe_wrap_tensor(_OPS.reduce_scatter_tensor(self, reduceOp.lower(), size, name))


def all_to_all_single(
    self: Tensor,
    output_split_sizes: list[int] | None,
    input_split_sizes: list[int] | None,
    group: Any,
    tag: str = "",
) -> Tensor:
    """Parts of the tensors of all ranks, joined.

    Args:
        output_split_sizes, input_split_sizes: how long the parts are; equal ones if not given.

    Raises:
        AssertionError: only one is given, or they are no integers.
    """
    for what, sizes in (("output", output_split_sizes), ("input", input_split_sizes)):
        if sizes is not None and not all(isinstance(each, int) for each in sizes):
            raise AssertionError(f"All {what}_split_sizes must be int or SymInt, got {sizes}")
    name = _resolve_group(group, tag)
    size = _get_group_size_by_name(name)
    if output_split_sizes is None or input_split_sizes is None:
        if output_split_sizes is not None or input_split_sizes is not None:
            raise AssertionError(
                "output_split_sizes and input_split_sizes must either be specified together or "
                "both set to None"
            )
        output_split_sizes = input_split_sizes = [self.shape[0] // size] * size
    sizes = output_split_sizes, input_split_sizes
    return _maybe_wrap_tensor(_OPS.all_to_all_single(self, *sizes, name))


def permute_tensor(self: Tensor, src_dst: list[int], group: Any, tag: str = "") -> Tensor:
    """The tensor of another rank: rank m sends to rank src_dst[m]."""
    tag_of_group, ranks, size = _expand_group(group, tag)
    own = get_rank(_find_or_create_pg_by_ranks_and_tag(tag_of_group, ranks, size))
    out, given = [0] * size, [0] * size
    for source, target in enumerate(src_dst):
        if source == own:
            given[target] = self.numel()
        if target == own:
            out[source] = self.numel()
    return all_to_all_single(self, out, given, group, tag)


all_gather_single_autograd = all_gather_single
reduce_scatter_single_autograd = reduce_scatter_single
all_to_all_single_autograd = all_to_all_single


# ---- several at once


def all_reduce_coalesced(self: Any, reduceOp: str, group: Any, tag: str = "") -> list[Tensor]:
    """The reduction of each of several tensors."""
    name = _resolve_group(group, tag)
    return [*map(_maybe_wrap_tensor, _OPS.all_reduce_coalesced(self, reduceOp.lower(), name))]


def all_gather_single_coalesced(self: Any, group: Any, tag: str = "") -> list[Tensor]:
    """Each of several tensors of all ranks, joined along the first dimension."""
    name = _resolve_group(group, tag)
    size = _get_group_size_by_name(name)
    results = _OPS.all_gather_into_tensor_coalesced(self, size, name)
    return [*map(_maybe_wrap_tensor, results)]


def reduce_scatter_single_coalesced(
    inputs: list[Tensor], reduceOp: str, scatter_dim: list[int], group: Any, tag: str = ""
) -> list[Tensor]:
    """This rank's parts of the reductions of several tensors; AssertionError as for one."""
    name = _resolve_group(group, tag)
    size = _get_group_size_by_name(name)
    if len(scatter_dim) != len(inputs):
        raise AssertionError(
            f"Length of scatter_dim ({len(scatter_dim)}) must equal length of inputs "
            f"({len(inputs)})"
        )
    for i, (dim, each) in enumerate(zip(scatter_dim, inputs)):
        if each.size(dim) % size:
            raise AssertionError(
                f"input dimension {dim} ({each.size(dim)} must be a multiple of group_size {size} "
                f"for tensor at index {i}"
            )
        if dim:
            inputs[i] = minitorch.cat(minitorch.chunk(each, size, dim=dim))
    results = _OPS.reduce_scatter_tensor_coalesced(inputs, reduceOp.lower(), size, name)
    return [*map(_maybe_wrap_tensor, results)]


# ---- older names


def _renamed(old: str, newer: Any) -> Any:
    home = "torch.distributed._functional_collectives"

    def function(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(
            f"`{home}.{old}` is deprecated. Please use `{home}.{name}` instead.",
            FutureWarning,
            stacklevel=2,
        )
        return newer(*args, **kwargs)

    name = old.replace("_into_tensor", "_single").replace("_tensor", "_single")
    function.__name__ = function.__qualname__ = old
    function.__module__ = home
    return function


all_gather_tensor = _renamed("all_gather_tensor", all_gather_single)
all_gather_tensor_autograd = _renamed("all_gather_tensor_autograd", all_gather_single)
reduce_scatter_tensor = _renamed("reduce_scatter_tensor", reduce_scatter_single)
reduce_scatter_tensor_autograd = _renamed("reduce_scatter_tensor_autograd", reduce_scatter_single)
all_gather_into_tensor_coalesced = _renamed(
    "all_gather_into_tensor_coalesced", all_gather_single_coalesced
)
reduce_scatter_tensor_coalesced = _renamed(
    "reduce_scatter_tensor_coalesced", reduce_scatter_single_coalesced
)


# ---- in place


def _group_of(group: Any, async_op: bool) -> Any:
    if async_op:
        raise AssertionError("Can't remap async version of inplace op to functional collective")
    return group or _get_default_group()


def all_reduce_inplace(
    tensor: Tensor, op: str = "sum", group: Any = None, async_op: bool = False, tag: str = ""
) -> Tensor:
    """Writes a reduction over its own tensor."""
    return tensor.copy_(all_reduce(tensor, op, _group_of(group, async_op), tag))


def all_gather_tensor_inplace(
    output_tensor: Tensor,
    input_tensor: Tensor,
    group: Any = None,
    async_op: bool = False,
    tag: str = "",
    gather_dim: int = 0,
) -> Tensor:
    """Writes the tensors of all ranks, joined, into one."""
    group = _group_of(group, async_op)
    return output_tensor.copy_(all_gather_single(input_tensor, gather_dim, group, tag))


def reduce_scatter_tensor_inplace(
    output: Tensor,
    input: Tensor,
    op: str = "sum",
    group: Any = None,
    async_op: bool = False,
    scatter_dim: int = 0,
    tag: str = "",
) -> Tensor:
    """Writes this rank's part of a reduction into a tensor."""
    group = _group_of(group, async_op)
    return output.copy_(reduce_scatter_single(input, op, scatter_dim, group, tag))


def all_to_all_inplace(
    output: Tensor,
    input: Tensor,
    output_split_sizes: Any = None,
    input_split_sizes: Any = None,
    group: Any = None,
    async_op: bool = False,
    tag: str = "",
) -> Tensor:
    """Writes parts of the tensors of all ranks into one."""
    group, sizes = _group_of(group, async_op), (output_split_sizes, input_split_sizes)
    return output.copy_(all_to_all_single(input, *sizes, group, tag))


__getattr__, __dir__ = outlines.rest_of("torch.distributed._functional_collectives")

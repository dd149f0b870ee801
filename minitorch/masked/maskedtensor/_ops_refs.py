"""The functions of MaskedTensor for operators: by function, for calls that Python sees first, and
by operator of torch.ops, for calls below autograd."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import minitorch as torch
from minitorch.masked.maskedtensor.binary import (
    NATIVE_BINARY_FNS,
    NATIVE_INPLACE_BINARY_FNS,
    _apply_native_binary,
)
from minitorch.masked.maskedtensor.core import (
    _MASKEDTENSOR_DISPATCH_TABLE,
    _MASKEDTENSOR_FUNCTION_TABLE,
    MaskedTensor,
    _get_data,
    _masks_match,
    _maybe_get_mask,
    is_masked_tensor,
)
from minitorch.masked.maskedtensor.passthrough import PASSTHROUGH_FNS, _apply_pass_through_fn
from minitorch.masked.maskedtensor.reductions import (
    NATIVE_REDUCE_FNS,
    TENSOR_REDUCE_FNS,
    TORCH_REDUCE_FNS,
    _apply_reduction,
)
from minitorch.masked.maskedtensor.unary import (
    NATIVE_INPLACE_UNARY_FNS,
    NATIVE_UNARY_FNS,
    _apply_native_unary,
)

__all__: list[str] = []

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _registering(table: dict[Any, Any], ops: Any) -> Callable[[_Function], _Function]:
    def register(function: _Function) -> _Function:
        table.update({op: partial(function, op) for op in ops})
        return function

    return register


def register_function_func(ops: Any) -> Callable[[_Function], _Function]:
    """A decorator: MaskedTensor computes these functions of torch by what it is put on, which gets
    the function before its arguments."""
    return _registering(_MASKEDTENSOR_FUNCTION_TABLE, ops)


def register_dispatch_func(aten_ops: Any) -> Callable[[_Function], _Function]:
    """A decorator: MaskedTensor computes these operators of torch.ops by the decorated function."""
    return _registering(_MASKEDTENSOR_DISPATCH_TABLE, aten_ops)


def _check_args_kwargs_length(
    args: Any,
    kwargs: Any,
    error_prefix: str,
    len_args: int | None = None,
    len_kwargs: int | None = None,
) -> None:
    """ValueError unless there are so many arguments by place and by name."""
    for name, given, wanted in (("args", args, len_args), ("kwargs", kwargs, len_kwargs)):
        if wanted is not None and wanted != len(given):
            raise ValueError(f"{error_prefix}: len({name}) must be {wanted} but got {len(given)}")


def _all_kept(x: Any) -> Any:
    """A MaskedTensor of a tensor, with nothing masked out."""
    return MaskedTensor(x, torch.ones_like(x, dtype=torch.bool))


# ---- functions ---------------------------------------------------------------------------------


class _MaskedFunction(torch.autograd.Function):  # type: ignore[misc]
    """An operator of a MaskedTensor that says so of itself."""

    @staticmethod
    def checked(name: str, input: Any) -> None:
        if not is_masked_tensor(input):
            raise ValueError(f"{name} forward: input must be a MaskedTensor.")


class _MaskedContiguous(_MaskedFunction):
    """A MaskedTensor whose elements lie in the order of rows."""

    @staticmethod
    def forward(ctx: Any, input: Any) -> Any:
        _MaskedFunction.checked("MaskedContiguous", input)
        if input.is_contiguous():
            return input
        return MaskedTensor(input.get_data().contiguous(), input.get_mask().contiguous())

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output


class _MaskedToDense(_MaskedFunction):
    """The strided MaskedTensor of a sparse one."""

    @staticmethod
    def forward(ctx: Any, input: Any) -> Any:
        _MaskedFunction.checked("MaskedToDense", input)
        if input.layout == torch.strided:
            return input
        ctx.layout = input.layout
        return MaskedTensor(input.get_data().to_dense(), input.get_mask().to_dense())

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        layout = ctx.layout
        if layout == torch.sparse_coo:
            return grad_output.to_sparse_coo()
        if layout == torch.sparse_csr:
            return grad_output.to_sparse_csr()
        raise ValueError(f"to_dense: Unsupported input layout: {layout}")


class _MaskedToSparse(_MaskedFunction):
    """The MaskedTensor in layout torch.sparse_coo, of the elements that are kept."""

    @staticmethod
    def forward(ctx: Any, input: Any) -> Any:
        _MaskedFunction.checked("MaskedToSparse", input)
        if input.layout == torch.sparse_coo:
            return input
        mask = input.get_mask().to_sparse_coo().coalesce()
        return MaskedTensor(input.get_data().sparse_mask(mask), mask)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        return grad_output.to_dense()


class _MaskedWhere(torch.autograd.Function):  # type: ignore[misc]
    """torch.where, whose gradients are masked out where the other operand was chosen."""

    @staticmethod
    def forward(ctx: Any, cond: Any, self: Any, other: Any) -> Any:
        ctx.mark_non_differentiable(cond)
        ctx.save_for_backward(cond)
        return torch.ops.aten.where(cond, self, other)

    @staticmethod
    def backward(ctx: Any, grad_output: Any) -> Any:
        (cond,) = ctx.saved_tensors
        nothing = torch.zeros_like(grad_output.get_mask()).bool()

        def masked_out() -> Any:
            return MaskedTensor(grad_output.get_data(), nothing)

        where = torch.ops.aten.where
        return None, where(cond, grad_output, masked_out()), where(cond, masked_out(), grad_output)


@register_function_func(NATIVE_REDUCE_FNS + TORCH_REDUCE_FNS + TENSOR_REDUCE_FNS)
def _general_function_reductions(func: Any, *args: Any, **kwargs: Any) -> Any:
    return _apply_reduction(func, *args, **kwargs)


@register_function_func([torch.Tensor.where, torch.where])
def _function_where(func: Any, *args: Any, **kwargs: Any) -> Any:
    _check_args_kwargs_length(args, kwargs, "__torch_function__, torch.where", 3, 0)
    return _MaskedWhere.apply(*args)


@register_function_func([torch.Tensor.contiguous])
def _function_contiguous(func: Any, *args: Any, **kwargs: Any) -> Any:
    return _MaskedContiguous.apply(args[0])


@register_function_func([torch.Tensor.to_dense])
def _function_to_dense(func: Any, *args: Any, **kwargs: Any) -> Any:
    return _MaskedToDense.apply(args[0])


@register_function_func([torch.Tensor.to_sparse])
def _function_to_sparse(func: Any, *args: Any, **kwargs: Any) -> Any:
    return _MaskedToSparse.apply(args[0])


# ---- operators ---------------------------------------------------------------------------------

_aten = torch.ops.aten
register_dispatch_func(NATIVE_REDUCE_FNS + TORCH_REDUCE_FNS + TENSOR_REDUCE_FNS)(_apply_reduction)
register_dispatch_func(PASSTHROUGH_FNS)(_apply_pass_through_fn)
register_dispatch_func(NATIVE_UNARY_FNS + NATIVE_INPLACE_UNARY_FNS)(_apply_native_unary)
register_dispatch_func(NATIVE_BINARY_FNS + NATIVE_INPLACE_BINARY_FNS)(_apply_native_binary)


def _prefix(func: Any) -> str:
    return f"__torch_dispatch__, {func}"


@register_dispatch_func([_aten.contiguous])
def contiguous(func: Any, *args: Any, **kwargs: Any) -> Any:
    if _get_data(args[0]).is_sparse:
        raise ValueError("MaskedTensors with sparse data do not have contiguous")
    return _MaskedContiguous.apply(args[0])


@register_dispatch_func([_aten.new_empty_strided])
def new_empty_strided(func: Any, *args: Any, **kwargs: Any) -> Any:
    _check_args_kwargs_length(args, kwargs, _prefix(func), len_args=3)
    data = _get_data(args[0])
    for place, name, own in ((1, "size", data.size()), (2, "stride", data.stride())):
        if tuple(args[place]) != tuple(own):
            raise ValueError(
                f"{_prefix(func)}: args[{place}] expected to be the same as data.{name}()"
            )
    return MaskedTensor(func(data, args[1], args[2], **kwargs), _maybe_get_mask(args[0]))


@register_dispatch_func([_aten._local_scalar_dense])
def _local_scalar_dense(func: Any, *args: Any, **kwargs: Any) -> Any:
    if not _maybe_get_mask(args[0]):
        raise ValueError(f"{_prefix(func)}: expected a mask tensor")
    return func(_get_data(args[0]))


@register_dispatch_func([_aten.detach, _aten.clone])
def _apply_fn_on_data(func: Any, *args: Any, **kwargs: Any) -> Any:
    return MaskedTensor(func(_get_data(args[0])), _maybe_get_mask(args[0]))


@register_dispatch_func([_aten._to_copy])
def _to_copy(func: Any, *args: Any, **kwargs: Any) -> Any:
    data = func(_get_data(args[0]), *args[1:], **kwargs)
    mask = func(_maybe_get_mask(args[0]), *args[1:], **{**kwargs, "dtype": torch.bool})
    return MaskedTensor(data, mask)


@register_dispatch_func([_aten._softmax])
def _softmax(func: Any, *args: Any, **kwargs: Any) -> Any:
    _check_args_kwargs_length(args, kwargs, _prefix(func), len_args=3, len_kwargs=0)
    data, mask = _get_data(args[0]), _maybe_get_mask(args[0])
    kept = torch.softmax(data.masked_fill(~mask, -torch.inf), args[1])
    return MaskedTensor(kept, mask)


@register_dispatch_func([_aten.ones_like])
def ones_like(func: Any, *args: Any, **kwargs: Any) -> Any:
    _check_args_kwargs_length(args, kwargs, _prefix(func), len_args=1)
    return MaskedTensor(func(_get_data(args[0]), **kwargs), _maybe_get_mask(args[0]))


@register_dispatch_func([_aten._softmax_backward_data])
def _softmax_backward_data(func: Any, *args: Any, **kwargs: Any) -> Any:
    _check_args_kwargs_length(args, kwargs, _prefix(func), len_args=4)
    grad, output, dim, input_dtype = args
    if not (is_masked_tensor(grad) and is_masked_tensor(output)):
        raise ValueError(f"{_prefix(func)}: grad and output must both be MaskedTensors")
    if not _masks_match(grad, output):
        raise ValueError(f"{_prefix(func)}: expected the masks of grad and output to match")
    mask = _maybe_get_mask(grad)
    known = [_get_data(each).masked_fill(~mask, 0) for each in (grad, output)]
    return MaskedTensor(func(*known, dim, input_dtype).masked_fill(~mask, 0), mask)


@register_dispatch_func([_aten.copy_])
def copy_(func: Any, *args: Any, **kwargs: Any) -> Any:
    _check_args_kwargs_length(args, kwargs, _prefix(func), len_args=2)
    if not _masks_match(_maybe_get_mask(args[0]), _maybe_get_mask(args[1])):
        raise ValueError("args[0] mask and args[1] mask must match but do not")
    func(_get_data(args[0]), _get_data(args[1]))
    return args[0]


@register_dispatch_func([_aten.where])
def where(func: Any, *args: Any, **kwargs: Any) -> Any:
    _check_args_kwargs_length(args, kwargs, _prefix(func), len_args=3, len_kwargs=0)
    condition = args[0]
    if not torch.is_tensor(condition):
        raise ValueError(f"{_prefix(func)}: expected args[0] to be a tensor")
    x, y = [each if is_masked_tensor(each) else _all_kept(each) for each in args[1:]]
    return MaskedTensor(
        func(condition, x.get_data(), y.get_data()), func(condition, x.get_mask(), y.get_mask())
    )


@register_dispatch_func([_aten._to_sparse])
def _to_sparse(func: Any, *args: Any, **kwargs: Any) -> Any:
    _check_args_kwargs_length(args, kwargs, _prefix(func), len_args=1, len_kwargs=0)
    if args[0].is_sparse_coo():
        return args[0]
    mask = func(_maybe_get_mask(args[0])).coalesce()
    return MaskedTensor(_get_data(args[0]).sparse_mask(mask), mask)


@register_dispatch_func([_aten._to_dense])
def _to_dense(func: Any, *args: Any, **kwargs: Any) -> Any:
    _check_args_kwargs_length(args, kwargs, _prefix(func), len_args=1, len_kwargs=0)
    return MaskedTensor(func(_get_data(args[0])), func(_maybe_get_mask(args[0])))


@register_dispatch_func([_aten._indices])
def _indices(func: Any, *args: Any, **kwargs: Any) -> Any:
    _check_args_kwargs_length(args, kwargs, _prefix(func), len_args=1, len_kwargs=0)
    return _all_kept(_get_data(args[0]).indices())


@register_dispatch_func([_aten._values])
def _values(func: Any, *args: Any, **kwargs: Any) -> Any:
    _check_args_kwargs_length(args, kwargs, _prefix(func), len_args=1, len_kwargs=0)
    return _all_kept(_get_data(args[0]).values())


@register_dispatch_func([_aten.is_same_size])
def is_same_size(func: Any, *args: Any, **kwargs: Any) -> Any:
    _check_args_kwargs_length(args, kwargs, _prefix(func), len_args=2)
    return _get_data(args[0]).is_same_size(_get_data(args[1]))

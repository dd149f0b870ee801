"""Element-wise operators of two tensors, whose masks must be the same."""

from __future__ import annotations

from functools import partial
from typing import Any

import minitorch as torch
from minitorch.masked.maskedtensor.core import (
    _indices_match,
    _map_mt_args_kwargs,
    _masks_match,
    _wrap_result,
    is_masked_tensor,
)

__all__: list[str] = []

BINARY_NAMES = """
    add atan2 arctan2 bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift div
    divide floor_divide fmod logaddexp logaddexp2 mul multiply nextafter remainder sub subtract
    true_divide eq ne le ge greater greater_equal gt less_equal lt less maximum minimum fmax fmin
    not_equal
""".split()
_NEVER_IN_PLACE = ("logaddexp", "logaddexp2", "equal", "fmin", "minimum", "maximum", "fmax")
INPLACE_BINARY_NAMES = [f"{name}_" for name in BINARY_NAMES if name not in _NEVER_IN_PLACE]


def _get_at_least_one_mask(a: Any, b: Any) -> Any:
    """The mask of whichever is a MaskedTensor; TypeError if none is."""
    if not is_masked_tensor(a) and not is_masked_tensor(b):
        raise TypeError("At least one of `a` and `b` must be a MaskedTensor")
    if not _masks_match(a, b):
        raise ValueError("a and b must have matching masks")
    return (a if is_masked_tensor(a) else b).get_mask()


def _binary_helper(fn: Any, args: Any, kwargs: Any, inplace: bool) -> Any:
    """fn of the data of both, masked as they are; written into args[0] if `inplace`."""
    if kwargs:
        raise ValueError("len(kwargs) must equal 0")
    if any(map(torch.is_tensor, args[2:])):
        raise TypeError(
            "MaskedTensor binary ops do not support Tensor arguments aside from the lhs and rhs"
        )
    if not _masks_match(*args[:2]):
        raise ValueError(
            "Input masks must match. If you need support for this, please open an issue on Github."
        )
    data = _map_mt_args_kwargs(args, {}, lambda x: x.get_data())[0]
    layout = data[0].layout
    result = fn(*data) if layout == torch.strided else _of_sparse(fn, data, layout)
    if inplace:
        args[0]._set_data_mask(result, args[0].get_mask())
        return args[0]
    mask = _get_at_least_one_mask(*args[:2])
    return _wrap_result(result, mask.expand_as(result) if layout == torch.strided else mask)


def _of_sparse(fn: Any, data: list[Any], layout: Any) -> Any:
    """fn of the elements that a sparse tensor has, and of those of another at the same places."""
    self, other, *rest = data
    if torch.is_tensor(other) and other.layout == layout:
        if not _indices_match(self, other):
            kind = str(layout).removeprefix("torch.")
            raise ValueError(
                f"{kind} indices must match. If you need support for this, please open an issue on "
                "Github."
            )
        if layout == torch.sparse_coo and self.size() != other.size():
            raise ValueError("input1 and input2 must have the same size for binary functions.")
        other = other.values()
    values = fn(self.values(), other, *rest)
    if layout == torch.sparse_coo:
        return torch.sparse_coo_tensor(self.indices(), values, self.size())
    return torch.sparse_csr_tensor(self.crow_indices(), self.col_indices(), values, self.size())


def _on_masked(fn: Any, inplace: bool, *args: Any, **kwargs: Any) -> Any:
    return _binary_helper(fn, args, kwargs, inplace)


def _map_of(names: list[str], inplace: bool) -> dict[Any, Any]:
    functions = [getattr(torch.ops.aten, name) for name in names if hasattr(torch.ops.aten, name)]
    return {fn: partial(_on_masked, fn, inplace) for fn in functions}


NATIVE_BINARY_MAP = _map_of(BINARY_NAMES, False)
NATIVE_INPLACE_BINARY_MAP = _map_of(INPLACE_BINARY_NAMES, True)
NATIVE_BINARY_FNS = list(NATIVE_BINARY_MAP)
NATIVE_INPLACE_BINARY_FNS = list(NATIVE_INPLACE_BINARY_MAP)


def _is_native_binary(fn: Any) -> bool:
    return fn in NATIVE_BINARY_MAP or fn in NATIVE_INPLACE_BINARY_MAP


def _apply_native_binary(fn: Any, *args: Any, **kwargs: Any) -> Any:
    """The result of a binary operator; NotImplemented if `fn` is none."""
    found = NATIVE_BINARY_MAP.get(fn) or NATIVE_INPLACE_BINARY_MAP.get(fn)
    return NotImplemented if found is None else found(*args, **kwargs)

"""Batches from items: tensors are stacked, containers keep their shape around them."""

from __future__ import annotations

import copy
import re
import sys
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import Any

import numpy

from minitorch._public.later import names_of as _names_of
from minitorch.core.base.formulas import OPS
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.tensor.storage import UntypedStorage
from minitorch.core.tensor.tensor import Tensor

_WORKER = "minitorch.utils.data._utils.worker"

default_collate_err_msg_format = (
    "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"
)
np_str_obj_array_pattern = re.compile(r"[SaUO]")  # kinds of arrays that no tensor has


def default_convert(data: Any) -> Any:
    """`data` with NumPy's arrays and numbers as tensors, in whatever containers.

    Args:
        data: arrays, numbers of NumPy, mappings, tuples, sequences of these, or anything else.

    Returns:
        A tensor, a container like `data`, or `data` itself where it is neither.

    As torch.utils.data.default_convert.
    """
    kind = type(data)
    if isinstance(data, Tensor):
        return data
    if kind.__module__ == "numpy" and kind.__name__ not in ("str_", "string_"):
        return data if kind is numpy.ndarray and data.dtype.kind in "SaUO" else OPS.as_tensor(data)
    if isinstance(data, Mapping):
        return _like_mapping(data, {key: default_convert(data[key]) for key in data})
    if isinstance(data, tuple):
        parts = [default_convert(each) for each in data]
        return kind(*parts) if hasattr(data, "_fields") else parts
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _like_sequence(data, [default_convert(each) for each in data])
    return data


def collate(batch: Any, *, collate_fn_map: dict[Any, Callable[..., Any]] | None = None) -> Any:
    """A batch from a list of items.

    collate_fn_map: functions of a list of items, by the type or types of these; what is of none
        is a container, whose parts are collated.
    """
    first = batch[0]
    functions = collate_fn_map or {}
    if type(first) in functions:
        return functions[type(first)](batch, collate_fn_map=collate_fn_map)
    for kind, function in functions.items():
        if isinstance(first, kind):
            return function(batch, collate_fn_map=collate_fn_map)

    def parts(columns: Any) -> list[Any]:
        return [collate(column, collate_fn_map=collate_fn_map) for column in columns]

    if isinstance(first, Mapping):
        values = parts([[item[key] for item in batch] for key in first])
        return _like_mapping(first, dict(zip(first, values, strict=True)))
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return type(first)(*parts(zip(*batch)))
    if isinstance(first, Sequence):
        if any(len(item) != len(first) for item in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        columns = parts(zip(*batch))
        return columns if isinstance(first, tuple) else _like_sequence(first, columns)
    raise TypeError(default_collate_err_msg_format.format(type(first)))


def _like_mapping(data: Any, values: dict[Any, Any]) -> Any:
    try:
        if isinstance(data, MutableMapping):
            result = copy.copy(data)
            result.update(values)
            return result
        return type(data)(values)
    except TypeError:  # one that is made otherwise
        return values


def _like_sequence(data: Any, values: list[Any]) -> Any:
    try:
        if isinstance(data, MutableSequence):
            result = copy.copy(data)
            for i, value in enumerate(values):
                result[i] = value
            return result
        return type(data)(values)
    except TypeError:
        return values


def collate_tensor_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    first = batch[0]
    if first.is_nested or str(first.layout).startswith("torch.sparse"):
        raise RuntimeError(
            f"Batches of {'nested' if first.is_nested else 'sparse'} tensors are not currently "
            "supported by the default collate_fn; please provide a custom collate_fn to handle "
            "them appropriately."
        )
    return OPS.stack(batch, 0, out=_shared_memory(batch, first))


def _shared_memory(batch: Any, first: Any) -> Any:
    """In a worker, the tensor in shared memory that a batch is made in, so that sending it is no
    copy; else None."""
    worker = sys.modules.get(_WORKER)  # which imports this module
    if worker is None or worker._worker_info is None or first.device.type != "cpu":
        return None
    count = sum([each.numel() for each in batch])
    storage = UntypedStorage._new_shared(count * first.element_size())
    empty = OPS.empty((0,), dtype=first.dtype)
    return empty.set_(storage, 0, (count,)).resize_(len(batch), *first.size())


def collate_numpy_array_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    if batch[0].dtype.kind in "SaUO":
        raise TypeError(default_collate_err_msg_format.format(batch[0].dtype))
    return collate([OPS.as_tensor(each) for each in batch], collate_fn_map=collate_fn_map)


def collate_numpy_scalar_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    return OPS.as_tensor(batch)


def collate_float_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    return OPS.tensor(batch, dtype=dtypes.float64)


def collate_int_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    return OPS.tensor(batch)


def collate_str_fn(batch: Any, *, collate_fn_map: Any = None) -> Any:
    return batch


default_collate_fn_map: dict[Any, Callable[..., Any]] = {
    Tensor: collate_tensor_fn,
    numpy.ndarray: collate_numpy_array_fn,
    (numpy.bool_, numpy.number, numpy.object_): collate_numpy_scalar_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}


def default_collate(batch: Any) -> Any:
    """A batch from a list of items: tensors stacked, numbers as tensors, containers of these.

    Args:
        batch: a list of items of one kind: tensors, arrays, numbers, strings, or mappings and
            sequences of these.

    Returns:
        A tensor with a dimension more, float64 of floats and int64 of ints; a list of strings; or a
            container of these.

    Raises:
        TypeError: for items of another kind.
        RuntimeError: for sequences of different lengths, and sparse or nested tensors.

    As https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.default_collate.
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)


__getattr__ = _names_of("torch.utils.data._utils.collate")

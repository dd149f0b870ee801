"""Builds a described call with a library; the one place which knows by what means.

The means are those that keep shape, strides, storage offset and sharing: `from_numpy` of an array
with just these strides and, where there is an offset or a shared storage, `as_strided`. `.data`
then makes a tensor that is no view for autograd, as inputs ought to be.
"""

from collections import Counter
from operator import attrgetter
from types import ModuleType
from typing import Any

import numpy

from conformance.oracle.describe import Call, Made, Named, TensorSpec
from conformance.oracle.device import device_of, place_of, placed

# The dtypes that NumPy does not have, by the integers of their size: tensors are views of these.
PACKED = {
    "bfloat16": "uint16",
    "complex32": "uint32",
    **dict.fromkeys(
        ("float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu"),
        "uint8",
    ),
}
NUMPY_NAMES = {"bool": "bool_", **PACKED}


class Missing(Exception):
    """The library has no such name, or not the means to build an input."""


def build(torch: ModuleType, call: Call) -> tuple[tuple, dict, list]:
    """Returns arguments, keyword arguments and the list of all their tensors, made by `torch`."""
    try:
        builder = _Builder(torch, call)
        tensors = [builder.tensor(spec) for spec in call.tensors]
        arguments = tuple(builder.alive(argument) for argument in call.arguments)
        keywords = {name: builder.alive(value) for name, value in call.keywords.items()}
        if isinstance(place := keywords.get("device"), str):
            keywords["device"] = device_of(torch, place)
    except Exception as error:
        text = f"an input could not be built: {type(error).__name__}: {error}"
        raise Missing(text).with_traceback(error.__traceback__) from None
    return arguments, keywords, tensors


def numpy_dtype(name: str) -> numpy.dtype:
    """Returns the NumPy dtype whose bytes a torch dtype's storage holds."""
    return numpy.dtype(getattr(numpy, NUMPY_NAMES.get(name, name)))


class _Builder:
    def __init__(self, torch: ModuleType, call: Call):
        self.torch = torch
        self.bytes = {number: content.copy() for number, content in call.storages.items()}
        for spec in call.tensors:  # a tensor without elements may begin where its storage has none
            content = self.bytes[spec.storage]
            lacking = (spec.offset + 1) * numpy_dtype(spec.dtype).itemsize - content.size
            if lacking > 0:
                self.bytes[spec.storage] = numpy.append(content, numpy.zeros(lacking, numpy.uint8))
        self.users = Counter(spec.storage for spec in call.tensors)
        self.made: dict[int, Any] = {}
        self.flat: dict[tuple[int, str], Any] = {}

    def alive(self, value):
        if isinstance(value, TensorSpec):
            return self.made[value.number]
        if isinstance(value, Named):
            return self.named(value)
        if isinstance(value, Made):
            return attrgetter(value.path)(self.torch)(**self.alive(value.keywords))
        if isinstance(value, (list, tuple)):
            return type(value)(self.alive(item) for item in value)
        if isinstance(value, dict):
            return {key: self.alive(item) for key, item in value.items()}
        return value

    def named(self, value: Named):
        match value.kind:
            case "Size":
                return self.torch.Size(value.name)
            case "device":
                return self.torch.device(device_of(self.torch, value.name))
            case "Generator":
                return self.torch.Generator().manual_seed(value.name)
            case _:
                return attrgetter(value.name)(self.torch)

    def tensor(self, spec: TensorSpec):
        shared = spec.offset or self.users[spec.storage] > 1
        if spec.dtype in PACKED or shared or place_of(self.torch) != "cpu":
            tensor = self.window(spec)
        else:
            tensor = self.torch.from_numpy(array_of(spec, self.bytes[spec.storage]))
        if spec.requires_grad:
            tensor = tensor.requires_grad_(True)
        self.made[spec.number] = tensor
        return tensor

    def window(self, spec: TensorSpec):
        """Returns a tensor on a storage that others may share."""
        place = (spec.storage, spec.dtype)
        if place not in self.flat:
            dtype = numpy_dtype(spec.dtype)
            content = self.bytes[spec.storage]
            whole = content[: len(content) // dtype.itemsize * dtype.itemsize].view(dtype)
            if not whole.size:  # storages of no bytes cannot be told apart by their addresses
                whole = numpy.empty(1, dtype)
            flat = self.torch.from_numpy(whole)
            if spec.dtype in PACKED:
                flat = flat.view(getattr(self.torch, spec.dtype))
            self.flat[place] = placed(self.torch, flat)
        return self.flat[place].as_strided(spec.size, spec.stride, spec.offset).data


def array_of(spec: TensorSpec, content: numpy.ndarray) -> numpy.ndarray:
    """Returns the array with the description's own strides on the storage's bytes."""
    dtype = numpy_dtype(spec.dtype)
    strides = tuple(step * dtype.itemsize for step in spec.stride)
    if 0 in spec.size:  # NumPy wants to see no more bytes than there are
        return numpy.ndarray(spec.size, dtype, content[: dtype.itemsize], 0, strides)
    return numpy.ndarray(spec.size, dtype, content, spec.offset * dtype.itemsize, strides)

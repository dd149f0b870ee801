"""A call's arguments as plain data: what either library needs to rebuild them exactly."""

from dataclasses import asdict, dataclass, field
from typing import Any

import numpy
import torch

MOST_DIMS = 64  # of an array of NumPy


class Unsupported(Exception):
    """The argument has no description as plain data (a sparse tensor, a callable, ...)."""


@dataclass(frozen=True)
class TensorSpec:
    """One strided tensor: a window on a storage. `number` tells which arguments are one object."""

    number: int
    storage: int
    dtype: str
    size: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int
    requires_grad: bool


@dataclass(frozen=True)
class Named:
    """An object known by its name: a dtype, layout, memory format, device, Size, or function."""

    kind: str
    name: Any


@dataclass(frozen=True)
class Made:
    """An object that is known by the class, in `torch`, and the arguments which make it."""

    path: str
    keywords: dict


@dataclass
class Call:
    """Arguments of one call; `storages` holds the bytes which the tensors are windows on."""

    arguments: tuple = ()
    keywords: dict = field(default_factory=dict)
    storages: dict[int, numpy.ndarray] = field(default_factory=dict)
    tensors: list[TensorSpec] = field(default_factory=list)


def describe(arguments: tuple, keywords: dict) -> Call:
    """Returns the `Call` which says all about real torch's arguments.

    Raises Unsupported where an argument cannot be rebuilt from plain data.
    """
    describer = _Describer()
    call = describer.call
    call.arguments = tuple(describer.plain(argument) for argument in arguments)
    call.keywords = {name: describer.plain(value) for name, value in keywords.items()}
    return call


def _layer(layer: torch.nn.Module) -> dict:
    return {
        "d_model": layer.self_attn.embed_dim,
        "nhead": layer.self_attn.num_heads,
        "dim_feedforward": layer.linear1.out_features,
        "dropout": layer.dropout.p,
        "activation": layer.activation,
        "layer_norm_eps": layer.norm1.eps,
        "batch_first": layer.self_attn.batch_first,
        "norm_first": layer.norm_first,
        "bias": layer.linear1.bias is not None,
    }


# The arguments that make an object which is itself an argument.
MAKING = {
    torch.nn.LinearCrossEntropyOptions: asdict,
    torch.nn.ReLU: lambda module: {"inplace": module.inplace},
    torch.nn.Linear: lambda module: {
        "in_features": module.in_features,
        "out_features": module.out_features,
        "bias": module.bias is not None,
    },
    **dict.fromkeys((torch.nn.TransformerEncoderLayer, torch.nn.TransformerDecoderLayer), _layer),
}


def _path(thing) -> str:
    """Returns under which name `torch` has a function or class; nothing if it has no such."""
    name = getattr(thing, "__name__", "")
    places = {"": torch, "nn.": torch.nn, "nn.functional.": torch.nn.functional}
    found = (place + name for place, module in places.items() if vars(module).get(name) is thing)
    return next(found, "")


class _Describer:
    def __init__(self):
        self.call = Call()
        self.tensors: dict[int, TensorSpec] = {}
        self.storages: dict[int, int] = {}
        self.alive = []

    def plain(self, value):
        if isinstance(value, torch.Tensor):
            return self.tensor(value)
        if isinstance(value, torch.Size):
            return Named("Size", tuple(value))
        if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
            return Named(type(value).__name__, str(value).removeprefix("torch."))
        if isinstance(value, torch.device):
            return Named("device", str(value))
        if isinstance(value, torch.Generator):
            return Named("Generator", value.initial_seed())
        if isinstance(value, (list, tuple)):
            if type(value) not in (list, tuple):
                raise Unsupported(f"a {type(value).__name__}")
            return type(value)(self.plain(item) for item in value)
        if isinstance(value, dict):
            return {key: self.plain(item) for key, item in value.items()}
        if callable(value) and (path := _path(value)):
            return Named("function", path)
        if type(value) in MAKING:
            return Made(_path(type(value)), self.plain(MAKING[type(value)](value)))
        known = (int, float, complex, str, slice, type(Ellipsis), numpy.generic, numpy.ndarray)
        if value is None or isinstance(value, known):
            return value
        raise Unsupported(f"a {type(value).__name__}")

    def tensor(self, value: torch.Tensor) -> TensorSpec:
        if id(value) in self.tensors:
            return self.tensors[id(value)]
        self.alive.append(value)
        if value.layout is not torch.strided or value.device.type not in ("cpu", "cuda"):
            raise Unsupported(f"a tensor of layout {value.layout} on {value.device}")
        if value.dim() > MOST_DIMS:
            raise Unsupported(f"a tensor of {value.dim()} dimensions")
        source = value.detach().resolve_conj().resolve_neg()
        storage = source.untyped_storage()
        self.alive.append(storage)
        number = self.storages.setdefault(storage._cdata, len(self.storages))
        if number not in self.call.storages:
            content = torch.empty(0, dtype=torch.uint8, device=value.device).set_(storage)
            self.call.storages[number] = content.numpy(force=True).copy()
        spec = TensorSpec(
            number=len(self.call.tensors),
            storage=number,
            dtype=str(value.dtype).removeprefix("torch."),
            size=tuple(source.size()),
            stride=tuple(source.stride()),
            offset=source.storage_offset(),
            requires_grad=value.requires_grad,
        )
        self.tensors[id(value)] = spec
        self.call.tensors.append(spec)
        return spec

"""torch.nn: modules, their parameters, and what initialises them."""

from typing import Any as _Any

from minitorch.nn import functional, init, modules, utils
from minitorch.nn.parameter import (
    Buffer,
    Parameter,
    UninitializedBuffer,
    UninitializedParameter,
)

# As `from torch.nn import *` takes them; torch's module lists none.
__all__ = [
    *modules.__all__,
    *("Buffer", "DataParallel", "Parameter", "UninitializedBuffer", "UninitializedParameter"),
    *("attention", "common_types", "factory_kwargs", "functional", "grad", "init", "intrinsic"),
    *("modules", "parallel", "parameter", "qat", "quantizable", "quantized", "utils"),
]

globals().update({name: getattr(modules, name) for name in modules._NOW})

# Modules that few programs use, those of quantisation by name alone.
_LATER = ("_reduction", "attention", "common_types", "grad", "intrinsic", "parallel", "qat")
_LATER += ("quantizable", "quantized")


def factory_kwargs(kwargs: _Any) -> dict[str, _Any]:
    """The device, dtype and memory_format among keyword arguments. TypeError for others.

    Args:
        kwargs: a dict of them, which may hold some under `factory_kwargs`; None for none.

    Raises:
        TypeError: for another name, or one that comes twice.

    As torch.nn.factory_kwargs.
    """
    if kwargs is None:
        return {}
    simple = {"device", "dtype", "memory_format"}
    unexpected = kwargs.keys() - {*simple, "factory_kwargs"}
    if unexpected:
        raise TypeError(f"unexpected kwargs {unexpected}")
    found = dict(kwargs.get("factory_kwargs", {}))
    for key in simple:
        if key in kwargs:
            if key in found:
                raise TypeError(f"{key} specified twice, in **kwargs and in factory_kwargs")
            found[key] = kwargs[key]
    return found


def __getattr__(name: str) -> _Any:
    from importlib import import_module

    if name in _LATER:
        return import_module(f"minitorch.nn.{name}")
    if name == "DataParallel":
        return import_module("minitorch.nn.parallel").DataParallel
    found = getattr(modules, name)
    if name in modules.__all__:
        globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

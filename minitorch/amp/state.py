"""The names of `torch` that ask and set the state of autocast in the running thread."""

from __future__ import annotations

from typing import Any

from minitorch.amp.casting import DEVICES, STATE, enable
from minitorch.core.declare.wording.public import UNSET
from minitorch.core.declare.wording.signatures import (
    as_bool,
    overloads,
    takes_over,
    without_arguments,
)
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.warning import warn


def _type_of(device_type: str) -> str:
    """The type of device that a string such as "cuda:1" names. RuntimeError for others."""
    if takes_over(device_type):  # which torch's parser takes for anything
        raise RuntimeError("unpackString: expected bytes or unicode object")
    if not isinstance(device_type, str):
        raise TypeError
    return devices.device(device_type).type


def _check(kind: type, *values: Any) -> None:
    if any(type(each) is not kind for each in values):
        raise TypeError  # `overloads` finds out of what


@overloads("str device_type")
def _is_autocast_available(device_type: str) -> bool:
    return _type_of(device_type) in DEVICES


@overloads("str device_type", "")
def is_autocast_enabled(device_type: Any = UNSET) -> bool:
    """Whether autocast is on for a type of device; for CUDA if none is named."""
    kind = "cuda" if device_type is UNSET else _type_of(device_type)
    if kind not in DEVICES:
        raise RuntimeError(
            "unknown device type for autocast in get_autocast_dispatch_key_from_device_type"
        )
    return kind in STATE.enabled


@overloads("str device_type, bool enabled", "bool enabled")
def set_autocast_enabled(device_type: Any = UNSET, enabled: Any = UNSET) -> None:
    """Switches autocast for a type of device; for CUDA if none is named."""
    if enabled is UNSET:  # by place
        device_type, enabled = UNSET, device_type
    kind, on = "cuda" if device_type is UNSET else device_type, enabled
    on = as_bool(on)
    _check(bool, on)
    enable(_type_of(kind), on)


@overloads("str device_type")
def get_autocast_dtype(device_type: str) -> Any:
    """The lower precision of autocast on a type of device."""
    try:
        return STATE.dtypes[_type_of(device_type)]
    except KeyError:
        raise RuntimeError("unsupported scalarType") from None


@overloads("str device_type, torch.dtype dtype")
def set_autocast_dtype(device_type: str, dtype: Any) -> None:
    """Sets the lower precision of autocast on a type of device."""
    _check(dtypes.dtype, dtype)
    STATE.dtypes[_type_of(device_type)] = dtype


@without_arguments("torch.autocast_increment_nesting")
def autocast_increment_nesting() -> int:
    """Opens a context: how many are open then."""
    STATE.nesting += 1
    return STATE.nesting


@without_arguments("torch.autocast_decrement_nesting")
def autocast_decrement_nesting() -> int:
    """Ends a context: how many are still open."""
    STATE.nesting -= 1
    return STATE.nesting


@without_arguments("torch.clear_autocast_cache")
def clear_autocast_cache() -> None:
    """Forgets the casts of leaves."""
    STATE.cached.clear()


@without_arguments("torch.is_autocast_cache_enabled")
def is_autocast_cache_enabled() -> bool:
    """Whether a leaf is cast only once while a context is open."""
    return STATE.cache_enabled


def set_autocast_cache_enabled(enabled: bool, /) -> None:
    """Sets whether a leaf is cast only once while a context is open."""
    _check_plainly(bool, "enabled", "bool", enabled)
    STATE.cache_enabled = enabled


def _check_plainly(kind: type, name: str, text: str, value: Any) -> None:
    if type(value) is not kind:
        raise TypeError(f"{name} must be a {text} (got {type(value).__name__})")


_DEPRECATED = {"cpu": "cpu", "gpu": "cuda", "ipu": "ipu", "xla": "xla"}


def __getattr__(name: str) -> Any:
    """get_autocast_gpu_dtype and its kin, which have the device in their name: deprecated."""
    verb, _, rest = name.partition("_autocast_")
    word, _, what = rest.partition("_")
    if (
        word not in _DEPRECATED
        or (verb, what) not in _GENERAL
        or (word, what) == ("gpu", "enabled")
    ):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    device_type = _DEPRECATED[word]
    general = _GENERAL[verb, what]

    def ask() -> Any:
        warn(
            f"torch.{name}() is deprecated. Please use torch.{general.__name__}('{device_type}') "
            "instead.",
            DeprecationWarning,
        )
        return general(device_type)

    def tell(value: Any, /) -> None:
        kind, text = (bool, "bool") if what == "enabled" else (dtypes.dtype, "torch.dtype")
        _check_plainly(kind, what, text, value)
        warn(
            f"torch.{name}({what}) is deprecated. Please use torch.{general.__name__}"
            f"('{device_type}', {what}) instead.",
            DeprecationWarning,
        )
        general(device_type, value)

    made: Any = tell if verb == "set" else ask
    made.__module__, made.__name__, made.__qualname__ = "torch", name, name
    if verb != "set":
        made = without_arguments(f"torch.{name}")(made)
    return made


_GENERAL = {
    ("is", "enabled"): is_autocast_enabled,
    ("set", "enabled"): set_autocast_enabled,
    ("get", "dtype"): get_autocast_dtype,
    ("set", "dtype"): set_autocast_dtype,
}

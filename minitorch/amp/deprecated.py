"""The names of torch.cuda.amp and torch.cpu.amp: those of torch.amp for one type of device."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from minitorch import cuda
from minitorch.amp import autocast_mode, grad_scaler


def _warn(device: str, name: str, given: str) -> None:
    warnings.warn(
        f"`torch.{device}.amp.{name}(args...)` is deprecated. "
        f"Please use `torch.amp.{name}({given})` instead.",
        FutureWarning,
        stacklevel=3,
    )


def autocast_for(device: str, default: Any) -> type:
    """The class `autocast` of a type of device, whose lower precision is `default`."""

    class autocast(autocast_mode.autocast):
        """As torch.amp.autocast with its first argument given."""

        __module__, __qualname__ = f"torch.{device}.amp.autocast_mode", "autocast"

        def __init__(
            self, enabled: bool = True, dtype: Any = default, cache_enabled: bool = True
        ) -> None:
            _warn(device, "autocast", f"'{device}', args...")
            super().__init__(device, enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)

    return autocast


def scaler_for(device: str) -> type:
    """The class `GradScaler` of a type of device."""

    class GradScaler(grad_scaler.GradScaler):
        """As torch.amp.GradScaler with its first argument given."""

        __module__, __qualname__ = f"torch.{device}.amp.grad_scaler", "GradScaler"

        def __init__(
            self,
            init_scale: float = 2.0**16,
            growth_factor: float = 2.0,
            backoff_factor: float = 0.5,
            growth_interval: int = 2000,
            enabled: bool = True,
        ) -> None:
            _warn(device, "GradScaler", f"'{device}', args...")
            super().__init__(
                device, init_scale, growth_factor, backoff_factor, growth_interval, enabled
            )

    return GradScaler


def custom_fwd(fwd: Callable[..., Any] | None = None, *, cast_inputs: Any = None) -> Any:
    """As torch.amp.custom_fwd for CUDA."""
    _warn("cuda", "custom_fwd", "args..., device_type='cuda'")
    return autocast_mode.custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd: Callable[..., Any]) -> Any:
    """As torch.amp.custom_bwd for CUDA."""
    _warn("cuda", "custom_bwd", "args..., device_type='cuda'")
    return autocast_mode.custom_bwd(bwd, device_type="cuda")


def amp_definitely_not_available() -> bool:
    """Whether there is neither CUDA nor XLA."""
    return not (cuda.is_available() or find_spec("torch_xla"))


def package(names: dict[str, Any], device: str, default: Any) -> None:
    """Makes the module with these names torch.<device>.amp, with those that torch has in it."""
    parts: dict[str, dict[str, Any]] = {
        "autocast_mode": {"autocast": autocast_for(device, default)},
        "grad_scaler": {"GradScaler": scaler_for(device)},
    }
    if device == "cuda":
        parts["autocast_mode"] |= {"custom_bwd": custom_bwd, "custom_fwd": custom_fwd}
        available = amp_definitely_not_available
        parts["common"] = {"amp_definitely_not_available": available}
    names["__path__"], names["__all__"] = [], []
    for name, members in parts.items():
        module = ModuleType(f"{names['__name__']}.{name}", "Older names of torch.amp.")
        module.__spec__ = ModuleSpec(module.__name__, None)  # else imports of it are refused
        vars(module).update(members, __all__=list(members))
        sys.modules[module.__name__] = module
        names.update(members, **{name: module})
        names["__all__"] += members if device == "cuda" else [*members, name]

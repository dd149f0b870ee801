"""The switches of torch.backends and other settings, asked for and set by the names of C++."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

# The names of a switch's functions, without _get_ and _set_ -> where it is, and the module's name.
_ATTRIBUTES = {
    "cudnn_enabled": ("backends.cudnn", "enabled"),
    "cudnn_benchmark": ("backends.cudnn", "benchmark"),
    "cudnn_deterministic": ("backends.cudnn", "deterministic"),
    "cudnn_allow_tf32": ("backends.cudnn", "allow_tf32"),
    "cudnn_depthwise_kernel": ("backends.cudnn", "depthwise_kernel"),
    "mkldnn_enabled": ("backends.mkldnn", "enabled"),
    "mkldnn_deterministic": ("backends.mkldnn", "deterministic"),
    "onednn_allow_tf32": ("backends.mkldnn", "allow_tf32"),
    "miopen_immediate": ("backends.miopen", "immediate"),
}
# Functions of C++ -> the functions of torch that do the same.
_FUNCTIONS = {
    "_get_flash_sdp_enabled": "backends.cuda.flash_sdp_enabled",
    "_get_math_sdp_enabled": "backends.cuda.math_sdp_enabled",
    "_get_mem_efficient_sdp_enabled": "backends.cuda.mem_efficient_sdp_enabled",
    "_get_cudnn_sdp_enabled": "backends.cuda.cudnn_sdp_enabled",
    "_get_math_sdp_allow_fp16_bf16_reduction": (
        "backends.cuda.fp16_bf16_reduction_math_sdp_allowed"
    ),
    "_set_sdp_use_flash": "backends.cuda.enable_flash_sdp",
    "_set_sdp_use_math": "backends.cuda.enable_math_sdp",
    "_set_sdp_use_mem_efficient": "backends.cuda.enable_mem_efficient_sdp",
    "_set_sdp_use_cudnn": "backends.cuda.enable_cudnn_sdp",
    "_set_math_sdp_allow_fp16_bf16_reduction": ("backends.cuda.allow_fp16_bf16_reduction_math_sdp"),
    "_get_float32_matmul_precision": "_public.settings.get_float32_matmul_precision",
    "_set_float32_matmul_precision": "_public.settings.set_float32_matmul_precision",
    "_get_warnAlways": "core.warning.is_warn_always_enabled",
    "_set_warnAlways": "core.warning.set_warn_always",
    "_is_multithreading_enabled": "autograd.helpers.is_multithreading_enabled",
    "_is_fwd_grad_enabled": "autograd.forward_ad._is_fwd_grad_enabled",
    "is_anomaly_check_nan_enabled": "autograd.anomaly_mode.is_anomaly_check_nan_enabled",
    "_show_config": "__config__.show",
    "_parallel_info": "__config__.parallel_info",
    "_is_tracing": "jit.is_tracing",
}


def _getter(home: str, attribute: str) -> Callable[[], Any]:
    return lambda: getattr(import_module(f"minitorch.{home}"), attribute)


def _setter(name: str, home: str, attribute: str) -> Callable[..., None]:
    def change(*values: Any) -> None:
        """Sets a switch."""
        if len(values) != 1:
            raise TypeError(
                f"torch._C._set_{name}() takes exactly one argument ({len(values)} given)"
            )
        setattr(import_module(f"minitorch.{home}"), attribute, values[0])

    return change


def _get_nnpack_enabled() -> bool:
    """The switch of NNPACK."""
    return import_module("minitorch.backends.answers").nnpack_enabled()


def _set_nnpack_enabled(enabled: bool) -> None:
    """Sets the switch of NNPACK."""
    import_module("minitorch.backends.nnpack").set_flags(enabled)


def _get_cublas_allow_tf32() -> bool:
    """The switch of torch.backends.cuda.matmul."""
    return import_module("minitorch.backends.cuda").matmul.allow_tf32


def _set_cublas_allow_tf32(enabled: bool) -> None:
    """Sets the switch of torch.backends.cuda.matmul."""
    import_module("minitorch.backends.cuda").matmul.allow_tf32 = enabled


def _check_sparse_tensor_invariants() -> bool:
    """Whether the invariants of sparse tensors are looked at."""
    return import_module("minitorch.sparse").check_sparse_tensor_invariants.is_enabled()


def _set_check_sparse_tensor_invariants(enabled: bool | None) -> None:
    """Sets whether they are. RuntimeError for anything but a bool or None."""
    if enabled is not None and not isinstance(enabled, bool):
        raise RuntimeError(
            "set_check_sparse_tensor_invariants expects a bool or None, but got "
            f"{type(enabled).__name__}"
        )
    switch = import_module("minitorch.sparse").check_sparse_tensor_invariants
    (switch.enable if enabled else switch.disable)()


def _is_any_autocast_enabled() -> bool:
    """Whether autocast runs for any kind of device."""
    torch = import_module("minitorch")
    return torch.is_autocast_enabled("cpu") or torch.is_autocast_enabled("cuda")


def _any_requires_grad(*values: Any, **keywords: Any) -> bool:
    """Whether one of these tensors requires a gradient."""
    return any([getattr(each, "requires_grad", False) for each in (*values, *keywords.values())])


def find(name: str) -> Any:
    """The function of that name; None if there is none here."""
    if name in _FUNCTIONS:
        home, _, attribute = _FUNCTIONS[name].rpartition(".")
        return getattr(import_module(f"minitorch.{home}"), attribute)
    kind, switch = name[:5], name[5:]
    if switch in _ATTRIBUTES:
        place = _ATTRIBUTES[switch]
        made = _getter(*place) if kind == "_get_" else _setter(switch, *place)
        made.__name__, made.__module__ = name, "torch._C"
        return made
    own = globals().get(name)
    return own if getattr(own, "__module__", "") == __name__ and name != "find" else None

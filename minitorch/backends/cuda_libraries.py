"""torch.backends.cuda's choices among the libraries of a GPU, and their memory.

minitorch computes on a GPU with CuPy, which makes its own choices: what is preferred is remembered
and changes nothing. As torch's build for the CPU, it has no library that could be asked for more.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import Enum
from typing import Any, NoReturn

from minitorch import cuda
from minitorch._C._enumerations import _BlasBackend, _LinalgBackend, _ROCmFABackend
from minitorch._public import settings
from minitorch.core.numbers.device import without_cuda

# ---- the precision of products

_MIXED = (
    "PyTorch is checking whether allow_tf32_new is enabled for cuBlas matmul,Current status "
    "indicate that you have used mix of the legacy and new APIs to set the TF32 status for cublas "
    "matmul. We suggest only using the new API to set the TF32 flag. See also: "
    "https://pytorch.org/docs/main/notes/cuda.html#tensorfloat-32-tf32-on-ampere-and-later-devices"
)
_PRECISIONS = ("none", "ieee", "tf32")
_state: dict[str, Any] = {
    "allow_fp16_accumulation": False,
    # Whether sums may be in half precision, and whether a product may be split along the sum.
    "allow_fp16_reduced_precision_reduction": (True, True),
    "allow_bf16_reduced_precision_reduction": (True, True),
}


def _as_bool(value: Any, function: str) -> bool:
    if not isinstance(value, bool):
        kind = type(value).__name__
        raise RuntimeError(f"{function} expects a bool, but got {kind}")
    return value


def _fp32_precision() -> str:
    """The precision that was set for products, else the one for all libraries."""
    own = settings.cuda_precision()
    general = sys.modules["minitorch.backends"].fp32_precision  # which imports this module
    return general if own == "none" and general in _PRECISIONS else own


class cuBLASModule:
    """Switches of matrix products on a GPU, which stay exact whatever they say."""

    __module__ = "torch.backends.cuda"

    def __getattr__(self, name: str) -> Any:
        if name == "allow_tf32":
            allowed = settings.get_float32_matmul_precision() != "highest"
            if allowed is not (_fp32_precision() == "tf32"):
                raise RuntimeError(_MIXED)
            return allowed
        if name == "fp32_precision":
            return _fp32_precision()
        if name == "allow_fp16_accumulation":
            return _state[name]
        switch = name.removesuffix("_split_k")
        if switch.endswith("_reduced_precision_reduction") and switch in _state:
            return _state[switch][switch != name]
        raise AttributeError(f"Unknown attribute {name}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "allow_tf32":
            allowed = _as_bool(value, "set_allow_tf32_cublas")
            settings.set_float32_matmul_precision("high" if allowed else "highest")
        elif name == "fp32_precision":
            _set_fp32_precision(value)
        elif name == "allow_fp16_accumulation":
            _state[name] = _as_bool(value, "set_allow_fp16_accumulation_cublas")
        elif name in _state:
            _state[name] = self._parse_reduction_setting(value, name)
        else:
            raise AttributeError(f"Unknown attribute {name}")

    @staticmethod
    def _parse_reduction_setting(value: Any, attr_name: str) -> tuple[bool, bool]:
        """Whether half precision and splitting are allowed, of a bool or a pair of them."""
        if isinstance(value, bool):
            return value, True
        if not isinstance(value, (list, tuple)):
            raise TypeError(
                f"{attr_name} expects a bool or a tuple/list of bools, but got {type(value)!r}"
            )
        if not value:
            raise TypeError(f"{attr_name} expects at least one boolean argument")
        if len(value) > 2:
            raise TypeError(f"{attr_name} expects at most two boolean arguments")
        named = zip(("allow_reduced_precision", "allow_splitk"), value, strict=False)
        for what, each in named:
            if not isinstance(each, bool):
                raise TypeError(f"{attr_name} expects a bool for {what}, but got {type(each)!r}")
        reduced, *split = value
        if split == [False] and reduced:
            raise RuntimeError(
                "allow_splitk=False is not supported when reduced precision reductions are enabled"
            )
        return reduced, split[0] if split else True


def _set_fp32_precision(value: Any) -> None:
    if not isinstance(value, str):
        raise TypeError(
            "_set_fp32_precision_setter(): incompatible function arguments. The following argument "
            "types are supported:\n    1. (arg0: str, arg1: str, arg2: str) -> str\n\n"
            f"Invoked with: 'cuda', 'matmul', {value!r}"
        )
    if value == "bf16":
        raise RuntimeError("backend 'cuda' does not support precision 'bf16'")
    if value not in _PRECISIONS:
        raise RuntimeError(f"Unknown precision: {value}")
    settings.set_cuda_precision(value)


# ---- plans of Fourier transforms


def _no_plans(*args: Any) -> NoReturn:
    if cuda.is_available():
        raise NotImplementedError(
            "torch.backends.cuda.cufft_plan_cache is not implemented by minitorch"
        )
    raise RuntimeError(without_cuda("access cuFFT plan cache"))


class cuFFTPlanCacheAttrContextProp:
    """An attribute of a cache: functions of a device that get and set it, or why it is not set."""

    __module__ = "torch.backends.cuda"

    def __init__(self, getter: Callable[[int], Any], setter: Any) -> None:
        self.getter, self.setter = getter, setter

    def __get__(self, obj: Any, objtype: Any) -> Any:
        return self.getter(obj.device_index)

    def __set__(self, obj: Any, val: Any) -> None:
        if isinstance(self.setter, str):
            raise RuntimeError(self.setter)
        self.setter(obj.device_index, val)


class cuFFTPlanCache:
    """The plans of a device's Fourier transforms: how many there are and may be."""

    __module__ = "torch.backends.cuda"

    def __init__(self, device_index: int) -> None:
        self.device_index = device_index

    size = cuFFTPlanCacheAttrContextProp(
        _no_plans,
        ".size is a read-only property showing the number of plans currently in the cache. To "
        "change the cache capacity, set cufft_plan_cache.max_size.",
    )
    max_size = cuFFTPlanCacheAttrContextProp(_no_plans, _no_plans)

    def clear(self) -> None:
        """Forgets all plans."""
        _no_plans(self.device_index)


class cuFFTPlanCacheManager:
    """The plans of all devices by number; its attributes are those of the current device."""

    __module__ = "torch.backends.cuda"

    def __init__(self) -> None:
        vars(self)["caches"] = []

    def __getitem__(self, device: Any) -> cuFFTPlanCache:
        if device is None:
            raise ValueError(
                "Expected a torch.device with a specified index or an integer, but got:None"
            )
        index, count = cuda._index(device), cuda.device_count()
        if not 0 <= index < count:
            raise RuntimeError(
                f"cufft_plan_cache: expected 0 <= device index < {count}, but got device with "
                f"index {index}"
            )
        if not self.caches:
            self.caches.extend(map(cuFFTPlanCache, range(count)))
        return self.caches[index]

    def __getattr__(self, name: str) -> Any:
        return getattr(self[cuda.current_device()], name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self[cuda.current_device()], name, value)


# ---- libraries for products, systems and attention

_BlasBackends = {
    "default": _BlasBackend.Default,  # which is cuBLAS
    "cublas": _BlasBackend.Cublas,
    "hipblas": _BlasBackend.Cublas,
    "cublaslt": _BlasBackend.Cublaslt,
    "hipblaslt": _BlasBackend.Cublaslt,
    "ck": _BlasBackend.Ck,
}
_LinalgBackends = {each.name.lower(): each for each in _LinalgBackend}
_ROCmFABackends = {each.name.lower(): each for each in _ROCmFABackend}
_BlasBackends_str, _LinalgBackends_str, _ROCmFABackends_str = map(
    ", ".join, (_BlasBackends, _LinalgBackends, _ROCmFABackends)
)
# Those that torch is not built with here, as its errors call them.
_NOT_BUILT = {
    _BlasBackend.Cublaslt: "cuBLASLt",
    _LinalgBackend.Cusolver: "cuSOLVER",
    _LinalgBackend.Magma: "MAGMA",
}
_preferred: dict[type, Any] = {
    _BlasBackend: _BlasBackend.Cublas,
    _LinalgBackend: _LinalgBackend.Default,
    _ROCmFABackend: _ROCmFABackend.Default,
}


def _prefer(kind: type[Enum], backend: Any, named: dict[str, Any], wrong_type: Exception) -> Any:
    """Prefers a library, given as itself or by name, if any; returns the one that is preferred."""
    if isinstance(backend, str):
        if backend not in named:
            raise RuntimeError(f"Unknown input value. Choose from: {', '.join(named)}.")
        backend = named[backend]
    if isinstance(backend, kind):
        if backend in _NOT_BUILT:
            library = _NOT_BUILT[backend]
            raise RuntimeError(
                f"Cannot set preferred backend to {library} if PyTorch has not been compiled with "
                f"{library}."
            )
        default = backend is _BlasBackend.Default
        _preferred[kind] = _BlasBackend.Cublas if default else backend
    elif backend is not None:
        raise wrong_type
    return _preferred[kind]


def preferred_blas_library(backend: Any = None) -> Any:
    """The library that multiplies matrices on a GPU, after another one is preferred, if any.

    Args:
        backend: "cublas", "cublaslt", "ck" or "default", or one that this function returned.

    Raises:
        RuntimeError: there is no such library, or torch is not built with it.
    """
    wrong_type = RuntimeError("Unknown input value type.")
    return _prefer(_BlasBackend, backend, _BlasBackends, wrong_type)


def preferred_linalg_library(backend: Any = None) -> Any:
    """The library that solves systems on a GPU, after another one is preferred, if any.

    Args:
        backend: "cusolver", "magma" or "default", or one that this function returned.

    Raises:
        RuntimeError: there is no such library, or torch is not built with it.
    """
    wrong_type = RuntimeError("Unknown input value type.")
    return _prefer(_LinalgBackend, backend, _LinalgBackends, wrong_type)


def preferred_rocm_fa_library(backend: Any = None) -> Any:
    """The library that computes attention on a GPU by AMD, after another one is preferred, if any.

    Args:
        backend: "aotriton", "ck" or "default", or one that this function returned.

    Raises:
        RuntimeError: there is no such library. ValueError: it is neither a name nor a library.
    """
    wrong_type = ValueError(f"Unknown input value. Choose from: {_ROCmFABackends_str}.")
    return _prefer(_ROCmFABackend, backend, _ROCmFABackends, wrong_type)


# ---- memory of the libraries


def blas_workspace_size(size: int | None = None, backend: Any = None) -> int:
    """The memory in bytes that a library for products may take, after it is set, if given.

    Args:
        size: the bytes.
        backend: the library or its name; the preferred one if None.

    Raises:
        RuntimeError: there is no such library, or it takes none.
    """
    if backend is None:
        backend = preferred_blas_library()
    elif isinstance(backend, str):
        if backend not in _BlasBackends:
            raise RuntimeError(f"Unknown backend string. Choose from: {', '.join(_BlasBackends)}.")
        backend = _BlasBackends[backend]
    elif not isinstance(backend, _BlasBackend):
        raise RuntimeError("Unknown backend type.")
    if backend is _BlasBackend.Ck:
        raise RuntimeError("CK backend does not use a workspace.")
    lt = backend is _BlasBackend.Cublaslt
    return cublaslt_workspace_size(size) if lt else cublas_workspace_size(size)


def _workspace(library: str, size: int | None) -> NoReturn:
    action = "get" if size is None else "set"
    name = f"_cuda_{action}{library}WorkspaceSize"
    raise AttributeError(f"module 'torch._C' has no attribute '{name}'")


def cublas_workspace_size(size: int | None = None) -> int:
    """The memory in bytes that cuBLAS may take. AttributeError as in torch for the CPU."""
    _workspace("Cublas", size)


def cublaslt_workspace_size(size: int | None = None) -> int:
    """The memory in bytes that cuBLASLt may take. AttributeError as in torch for the CPU."""
    _workspace("CublasLt", size)


for _function in (
    blas_workspace_size,
    cublas_workspace_size,
    cublaslt_workspace_size,
    preferred_blas_library,
    preferred_linalg_library,
    preferred_rocm_fa_library,
):
    _function.__module__ = "torch.backends.cuda"

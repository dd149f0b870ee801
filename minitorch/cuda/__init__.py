"""torch.cuda: CUDA devices through CuPy. Without CuPy there are none, and torch's errors say so."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from minitorch.core import arrays
from minitorch.core.numbers import device as devices
from minitorch.core.tensor.generator import default_for, seed_cuda
from minitorch.core.tensor.legacy import CUDA_TYPES

__all__ = (
    "BFloat16Storage BFloat16Tensor BoolStorage BoolTensor ByteStorage ByteTensor CUDAGraph "
    "CUDAPluggableAllocator CharStorage CharTensor ComplexDoubleStorage ComplexFloatStorage "
    "CudaError DeferredCudaCallError DoubleStorage DoubleTensor Event ExternalStream FloatStorage "
    "FloatTensor GreenContext HalfStorage HalfTensor IntStorage IntTensor LongStorage LongTensor "
    "MemPool ShortStorage ShortTensor Stream StreamContext amp caching_allocator_alloc "
    "caching_allocator_delete caching_allocator_disabled caching_allocator_enable "
    "can_device_access_peer change_current_allocator check_error clock_rate cudaStatus cudart "
    "current_blas_handle current_device current_solver_handle current_stream default_generators "
    "default_stream device device_count device_memory_used device_of empty_cache "
    "get_allocator_backend get_arch_list get_device_capability get_device_name "
    "get_device_properties get_gencode_flags get_per_process_memory_fraction get_rng_state "
    "get_rng_state_all get_stream_from_external get_sync_debug_mode graph graph_pool_handle "
    "graphs has_half has_magma host_memory_stats host_memory_stats_as_nested_dict init "
    "initial_seed ipc_collect is_available is_bf16_supported is_current_stream_capturing "
    "is_initialized is_tf32_supported jiterator list_gpu_processes make_graphed_callables "
    "manual_seed manual_seed_all max_memory_allocated max_memory_cached max_memory_reserved "
    "mem_get_info memory memory_allocated memory_cached memory_reserved memory_snapshot "
    "memory_stats memory_stats_as_nested_dict memory_summary memory_usage nccl nvtx power_draw "
    "profiler random reset_accumulated_host_memory_stats reset_accumulated_memory_stats "
    "reset_max_memory_allocated reset_max_memory_cached reset_peak_host_memory_stats "
    "reset_peak_memory_stats seed seed_all set_device set_per_process_memory_fraction "
    "set_rng_state set_rng_state_all set_stream set_sync_debug_mode sparse stream streams "
    "synchronize temperature tunable use_mem_pool utilization"
).split()


def _cupy() -> Any:
    """CuPy. AssertionError with torch's text where it or a device is missing."""
    return arrays.cuda().cupy


class CudaError(RuntimeError):
    """CUDA's own error of a number. AssertionError where there is no CUDA to ask for its text."""

    __module__ = "torch.cuda"

    def __init__(self, code: int) -> None:
        super().__init__(f"{_cupy().cuda.runtime.CUDARuntimeError(code)} ({code})")


def is_available() -> bool:
    """Whether there is a CUDA device that can be used."""
    return device_count() > 0


def device_count() -> int:
    """How many CUDA devices there are; 0 without CuPy."""
    try:
        return int(_cupy().cuda.runtime.getDeviceCount())
    except Exception:
        return 0


def is_initialized() -> bool:
    """Whether CUDA has been used in this process."""
    return any(xp.device_type == "cuda" for xp in arrays.NAMESPACES.values())


def init() -> None:
    """Makes CUDA ready, which happens by itself at the first use."""
    _cupy()


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether bfloat16 tensors can be computed with: where there is a device."""
    return is_available()


# ---- devices and streams


def _index(device: Any) -> int:
    """The number of a device; None is the current one. ValueError for another kind of device."""
    if device is None:
        return current_device()
    if isinstance(device, int):
        return device
    place = devices.device(device)
    if place.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {place}")
    return current_device() if place.index is None else place.index


def _numbered(device: Any) -> int:
    """The number that a device is given with. ValueError for one without."""
    place = devices.device(device) if isinstance(device, str) else device
    if isinstance(place, devices.device) and place.type == "cuda":
        place = place.index
    if isinstance(place, int):
        return place
    if isinstance(place, devices.device):
        raise ValueError(f"Expected a cuda device, but got: {place}")
    raise ValueError(
        f"Expected a torch.device with a specified index or an integer, but got:{device}"
    )


def current_device() -> int:
    """The number of the current device."""
    return int(_cupy().cuda.runtime.getDevice())


def set_device(device: Any) -> None:
    """Makes another device the current one.

    Raises:
        AttributeError: without CUDA, as in torch's builds without it.
        ValueError: for a device without a number.
    """
    index = _numbered(device)
    if index < 0:
        return
    if not is_available():
        raise AttributeError("module 'torch._C' has no attribute '_cuda_setDevice'")
    if index > 0:
        arrays.on_device("cuda", index)  # which refuses it
    _cupy().cuda.Device(index).use()


class device:
    """Makes a device the current one for the duration of a `with` block; None changes nothing."""

    __module__ = "torch.cuda"

    def __init__(self, device: Any) -> None:
        self.idx = -1 if device is None else _index(device)

    def __enter__(self) -> None:
        if self.idx >= 0:
            self.before = current_device()
            set_device(self.idx)

    def __exit__(self, *exception: object) -> None:
        if self.idx >= 0:
            set_device(self.before)


def synchronize(device: Any = None) -> None:
    """Waits until everything on a device is done."""
    _cupy().cuda.Device(_index(device)).synchronize()
    from minitorch.core.arrays.on_cupy_faults import check  # start-up: it needs CuPy

    check()


def get_device_name(device: Any = None) -> str:
    """The name of a device, such as 'NVIDIA H200'."""
    return str(get_device_properties(device).name)


class _CudaDeviceProperties:
    """The properties of a device from the CUDA runtime, under torch's names."""

    __module__ = "torch._C"

    def __init__(self, found: dict[str, Any]) -> None:
        self.name = found["name"].decode()
        self.major, self.minor = found["major"], found["minor"]
        self.total_memory = found["totalGlobalMem"]
        self.multi_processor_count = found["multiProcessorCount"]
        self.max_threads_per_multi_processor = found["maxThreadsPerMultiProcessor"]
        self.max_threads_per_block = found["maxThreadsPerBlock"]
        self.shared_memory_per_block = found["sharedMemPerBlock"]
        self.regs_per_multiprocessor = found["regsPerMultiprocessor"]
        self.warp_size = found["warpSize"]
        self.L2_cache_size = found["l2CacheSize"]
        self.is_integrated, self.is_multi_gpu_board = found["integrated"], found["isMultiGpuBoard"]
        self.pci_bus_id, self.pci_device_id = found["pciBusID"], found["pciDeviceID"]
        self.pci_domain_id = found["pciDomainID"]

    def __repr__(self) -> str:
        return (
            f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, "
            f"total_memory={self.total_memory >> 20}MB, "
            f"multi_processor_count={self.multi_processor_count}, "
            f"pci_bus_id={self.pci_bus_id}, pci_device_id={self.pci_device_id}, "
            f"pci_domain_id={self.pci_domain_id}, L2_cache_size={self.L2_cache_size >> 20}MB)"
        )


def get_device_properties(device: Any = None) -> Any:
    """The properties of a device from the CUDA runtime: name, memory, processors, and more.

    AssertionError for a number that no device has.
    """
    index = _index(device)
    cupy = _cupy()
    if not 0 <= index < cupy.cuda.runtime.getDeviceCount():
        raise AssertionError("Invalid device id")
    return _CudaDeviceProperties(cupy.cuda.runtime.getDeviceProperties(index))


def get_device_capability(device: Any = None) -> tuple[int, int]:
    """The compute capability of a device, such as (9, 0)."""
    properties = get_device_properties(device)
    return properties.major, properties.minor


# ---- random numbers


def manual_seed(seed: int) -> None:
    """Seeds the generator of the current device; kept for later where there is none yet."""
    seed_cuda(int(seed), current_device() if is_available() else None)


def manual_seed_all(seed: int) -> None:
    """Seeds the generators of all devices; kept for later where there is none yet."""
    seed_cuda(int(seed))


def seed() -> None:
    """Seeds the generator of the current device from the operating system."""
    if is_available():
        default_for(devices.located("cuda", current_device())).seed()


seed_all = seed


def initial_seed() -> int:
    """The seed of the current device's generator."""
    return default_for(devices.located("cuda", current_device())).initial_seed()


def get_rng_state(device: Any = "cuda") -> Any:
    """The state of a device's generator."""
    return default_for(devices.located("cuda", _index(device))).get_state()


def get_rng_state_all() -> list[Any]:
    """The states of all devices' generators."""
    return [get_rng_state(index) for index in range(device_count())]


def set_rng_state(new_state: Any, device: Any = "cuda") -> None:
    """Lets a device's generator go on from a state."""
    default_for(devices.located("cuda", _index(device))).set_state(new_state)


def set_rng_state_all(new_states: Iterable[Any]) -> None:
    """Lets the generators of all devices go on from states."""
    for index, state in enumerate(new_states):
        set_rng_state(state, index)


# ---- memory


def memory_allocated(device: Any = None) -> int:
    """The bytes that tensors on the current device occupy; 0 without CUDA."""
    return int(_cupy().get_default_memory_pool().used_bytes()) if is_available() else 0


def memory_reserved(device: Any = None) -> int:
    """The bytes held on the current device, in use or not; 0 without CUDA."""
    return int(_cupy().get_default_memory_pool().total_bytes()) if is_available() else 0


def empty_cache() -> None:
    """Gives memory that is held but not in use back to the device."""
    if is_available():
        _cupy().get_default_memory_pool().free_all_blocks()


def ipc_collect() -> None:
    """Gives memory that other processes no longer share back: none is shared."""
    _cupy()


def mem_get_info(device: Any = None) -> tuple[int, int]:
    """The free and the whole memory of a device, in bytes."""
    cupy = _cupy()
    with cupy.cuda.Device(_index(device)):
        return cupy.cuda.runtime.memGetInfo()


def __getattr__(name: str) -> Any:
    if name in ("amp", "memory", "streams"):
        return import_module(f"minitorch.cuda.{name}")
    for part in ("memory", "streams"):
        module = import_module(f"minitorch.cuda.{part}")
        if name in module.__all__:
            return getattr(module, name)
    if name == "OutOfMemoryError":
        return import_module("minitorch._public.questions").OutOfMemoryError
    if name.endswith("Tensor"):
        try:
            return CUDA_TYPES[name]
        except KeyError:
            pass
    return import_module("minitorch._public.outlines").find("torch.cuda", name)

"""torch._C: functions of torch's C++ side that libraries use; others refuse by name."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from minitorch._public import outlines
from minitorch.autograd.grad_mode import is_grad_enabled, set_grad_enabled
from minitorch.core.declare.protocols import function_modes
from minitorch.core.declare.protocols.torch_function import (
    DisableTorchFunction,
    DisableTorchFunctionSubclass,
    functions_off,
)
from minitorch.core.declare.protocols.torch_function import (
    disabled as _disabled_torch_function_impl,
)
from minitorch.core.graph import current_backward
from minitorch.core.numbers import device as devices

__all__ = ["DisableTorchFunction", "DisableTorchFunctionSubclass", "_disabled_torch_function_impl"]


def _current_graph_task_id() -> int:
    """The number of the backward that runs on this thread; -1 outside of any."""
    task = current_backward.task_id()
    return -1 if task is None else task.number


def _current_autograd_node() -> Any:
    """The node that runs on this thread, None outside of any backward."""
    return current_backward.current_node()


def _will_engine_execute_node(node: Any) -> bool:
    """Whether a node runs in the backward of this thread. RuntimeError outside of any."""
    return current_backward.will_execute(node)


# ---- questions that packages ask while they are imported or traced


def _get_tracing_state() -> None:
    """The record of the running trace: None, as there is no trace."""


def _log_api_usage_once(event: str) -> None:
    """Counts uses of an API where a logger is set; as in torch's own wheels, none is."""


def _get_accelerator(check: bool | None = None) -> Any:
    """The device of the accelerator; the CPU's where there is none."""
    found = import_module("minitorch.accelerator").current_accelerator()
    return devices.device("cpu") if found is None else found


def _are_functorch_transforms_active() -> bool:
    """Whether vmap, grad or another transform runs."""
    from minitorch.core.base.modes import transforms  # at the top it would be a name of torch's

    return bool(transforms.get())


def _is_alias_of(self: Any, other: Any) -> bool:
    """Whether two tensors read the same memory."""
    return self.untyped_storage().data_ptr() == other.untyped_storage().data_ptr()


def _get_deterministic_algorithms() -> bool:
    """Whether algorithms whose results repeat were demanded."""
    return import_module("minitorch._public.settings").are_deterministic_algorithms_enabled()


def _get_deterministic_algorithms_warn_only() -> bool:
    """Whether only warnings were asked for."""
    return import_module(
        "minitorch._public.settings"
    ).is_deterministic_algorithms_warn_only_enabled()


def _set_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Demands algorithms whose results repeat."""
    import_module("minitorch._public.settings").use_deterministic_algorithms(
        mode, warn_only=warn_only
    )


def _get_deterministic_fill_uninitialized_memory() -> bool:
    """Whether memory is filled while results must repeat."""
    return import_module("minitorch.utils.deterministic").fill_uninitialized_memory


def _set_deterministic_fill_uninitialized_memory(mode: bool) -> None:
    """Says whether memory is filled while results must repeat."""
    import_module("minitorch.utils.deterministic").fill_uninitialized_memory = mode


def _get_default_device() -> Any:
    """The kind of device on which tensors are made."""
    return devices.get_default_device().type


def _set_grad_enabled(enabled: bool) -> None:
    """Says whether graphs are recorded."""
    set_grad_enabled(enabled)


# ---- modes


def _len_torch_function_stack() -> int:
    """The number of modes that see calls of functions on this thread."""
    return len(function_modes.stack())


def _get_function_stack_at(level: int) -> Any:
    """The mode at a place, 0 for the outermost. RuntimeError if there is none."""
    modes = function_modes.stack()
    if level >= len(modes):
        raise RuntimeError("Tried to get stack at idx that's too big")
    return modes[level]


def _push_on_torch_function_stack(mode: Any) -> None:
    """Makes a mode the innermost."""
    function_modes.push(mode)


def _pop_torch_function_stack() -> Any:
    """Takes the innermost mode away."""
    return function_modes.pop()


def _is_torch_function_mode_enabled() -> bool:
    """Whether a mode sees the calls of functions."""
    return bool(function_modes.active())


def _is_torch_function_enabled() -> bool:
    """Whether subclasses of Tensor take calls over."""
    return not functions_off.get()


def _is_torch_function_all_disabled() -> bool:
    """Whether neither modes nor subclasses see calls."""
    return function_modes.all_off.get()


_has_mps = _has_cuda = _has_xpu = has_cuda = has_mps = has_xpu = False
has_lapack = has_mkl = has_openmp = has_spectral = True

# Names of torch as a whole, which C++ makes.
_OF_TORCH = frozenset(
    "Generator Size device dtype finfo iinfo layout memory_format qscheme Tag Graph Node Value "
    "Type Argument FunctionSchema AnyType BoolType ComplexType DeviceObjType DictType FloatType "
    "IntType ListType NoneType NumberType OptionalType StreamObjType StringType SymBoolType "
    "SymIntType TensorType TupleType "
    "ScriptMethod ScriptModule ScriptFunction ScriptDict ScriptList ScriptObject CompilationUnit "
    "DispatchKey DispatchKeySet StorageBase Event Stream OutOfMemoryError _OutOfMemoryError "
    "parse_schema Future FatalError AcceleratorError AggregationType "
    "default_generator is_anomaly_enabled is_autocast_enabled get_autocast_dtype get_num_threads "
    "is_inference_mode_enabled get_default_dtype get_autocast_gpu_dtype get_autocast_cpu_dtype "
    "is_autocast_cpu_enabled is_autocast_cache_enabled set_autocast_enabled set_autocast_dtype "
    "set_autocast_cache_enabled autocast_increment_nesting autocast_decrement_nesting "
    "clear_autocast_cache set_num_threads".split()
)

_PARTS = "_autograd _fft _functions _functorch _linalg _nn _sparse _special cpp".split()


def __getattr__(name: str) -> Any:
    if name in ("_VariableFunctions", "_VariableFunctionsClass"):
        return getattr(import_module("minitorch._C._variable_functions"), name)
    if name in _PARTS:
        return import_module(f"minitorch._C.{name}")
    if name == "_disabled_torch_dispatch_impl":
        return import_module("minitorch.aten.rare_attributes")._disabled_torch_dispatch_impl
    if name == "_return_types":
        return import_module("minitorch.return_types")
    if "ispatch" in name or "_functionality_" in name:
        found = getattr(import_module("minitorch._C._dispatch"), name, None)
        if found is not None:
            return found
    if name in ("_AliasInfo", "_get_schema", "_jit_get_schemas_for_operator"):
        return getattr(import_module("minitorch._public.function_schema"), name)
    if name == "_GeneratorType":
        return import_module("minitorch._public.jit_types")._GeneratorType
    if name in ("_BlasBackend", "_LinalgBackend", "_ROCmFABackend"):
        return getattr(import_module("minitorch._C._enumerations"), name)
    if name == "_LinAlgError":
        return import_module("minitorch.core.arrays.lapack")._LinAlgError
    if name == "TensorBase":
        return import_module("minitorch._C._tensor_base").complete()
    if name in _OF_TORCH and hasattr(torch := import_module("minitorch"), name):
        return getattr(torch, name)
    if not name.startswith("__"):
        found = import_module("minitorch._C._switches").find(name)
        if found is not None:
            return found
    if outlines.outline(f"torch._C.{name}") is not None:
        return import_module(f"minitorch._C.{name}")
    return outlines.find("torch._C", name)

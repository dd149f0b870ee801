"""The functions of torch that can be overridden, by name, with their arguments."""

from __future__ import annotations

import functools
import inspect
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from importlib import import_module
from types import FunctionType, ModuleType
from typing import Any

import minitorch
from minitorch import functional, overrides
from minitorch._public.namespace import ELSEWHERE
from minitorch.core.declare.registry import resolved
from minitorch.core.tensor.tensor import Tensor

# Whose `__all__`, as that of torch, leaves functions out.
_LISTED_IN_PART = ("fft",)
# Names of one function of C++; torch knows the last.
_SAME = {
    "torch.mm": "torch.spmm",
    "torch.dsmm": "torch.spmm",
    "torch.Tensor.__rdiv__": "torch.Tensor.__rtruediv__",
    "torch.Tensor.__idiv__": "torch.Tensor.__itruediv__",
}

NAMESPACES = ("nn.functional", "nn.init", "Tensor", "linalg", "fft", "special")

# Public functions that no class can take over, mostly because they take no tensor.
_IGNORED = {
    "torch": """
        typename is_tensor is_storage set_default_tensor_type set_default_device
        get_default_device set_rng_state get_rng_state manual_seed initial_seed seed
        thread_safe_generator save load set_printoptions fork get_default_dtype
        get_num_interop_threads get_num_threads init_num_threads import_ir_module
        import_ir_module_from_buffer is_anomaly_enabled is_anomaly_check_nan_enabled
        is_grad_enabled merge_type_from_type_comment parse_ir parse_schema
        parse_type_comment set_anomaly_enabled set_flush_denormal set_num_interop_threads
        set_num_threads wait as_tensor from_numpy tensor default_generator has_cuda
        has_cudnn has_lapack device dtype finfo has_mkl has_mps has_mkldnn has_openmp iinfo
        memory_format qscheme set_grad_enabled no_grad enable_grad inference_mode
        is_inference_mode_enabled layout arange as_strided bartlett_window blackman_window
        broadcast_shapes can_cast compile cudnn_affine_grid_generator cudnn_batch_norm
        cudnn_convolution cudnn_convolution_transpose cudnn_convolution_relu
        cudnn_convolution_add_relu cudnn_grid_sampler cudnn_is_acceptable miopen_ctc_loss
        empty empty_permuted empty_strided empty_quantized eye from_file full fill
        hamming_window hann_window kaiser_window linspace logspace
        mkldnn_adaptive_avg_pool2d mkldnn_convolution mkldnn_max_pool2d mkldnn_max_pool3d
        mkldnn_linear_backward_weights mkldnn_rnn_layer normal ones promote_types rand
        rand_like randn randn_like randint randint_like randperm range result_type
        scalar_tensor sparse_coo_tensor sparse_compressed_tensor sparse_csr_tensor
        sparse_csc_tensor sparse_bsr_tensor sparse_bsc_tensor sym_constrain_range
        sym_constrain_range_for_size sym_fresh_size tril_indices triu_indices vander zeros
        set_autocast_enabled is_autocast_enabled set_autocast_dtype get_autocast_dtype
        clear_autocast_cache set_autocast_cpu_enabled is_autocast_cpu_enabled
        set_autocast_xla_enabled is_autocast_xla_enabled set_autocast_ipu_enabled
        is_autocast_ipu_enabled set_autocast_cpu_dtype get_autocast_cpu_dtype
        set_autocast_ipu_dtype get_autocast_ipu_dtype get_autocast_gpu_dtype
        set_autocast_gpu_dtype get_autocast_xla_dtype set_autocast_xla_dtype
        autocast_increment_nesting autocast_decrement_nesting is_autocast_cache_enabled
        set_autocast_cache_enabled is_vulkan_available are_deterministic_algorithms_enabled
        use_deterministic_algorithms is_deterministic_algorithms_warn_only_enabled
        set_deterministic_debug_mode get_device_module get_deterministic_debug_mode
        set_float32_matmul_precision get_float32_matmul_precision unify_type_list
        is_warn_always_enabled set_warn_always vmap cond frombuffer asarray
        _functional_sym_constrain_range _make_dep_token
    """,
    "torch.export": """
        export load register_dataclass save
    """,
    "torch.fft": """
        fftfreq rfftfreq
    """,
    "torch._jit_internal": """
        boolean_dispatch
    """,
    "torch.nn.functional": """
        assert_int_or_pair upsample upsample_bilinear upsample_nearest has_torch_function
        has_torch_function_unary has_torch_function_variadic handle_torch_function
        grouped_mm scaled_grouped_mm scaled_mm sigmoid hardsigmoid tanh _canonical_mask
        _none_or_dtype hardswish
    """,
    "torch.nn.init": """
        calculate_gain uniform normal constant eye dirac xavier_uniform xavier_normal
        kaiming_uniform kaiming_normal orthogonal sparse
    """,
    "torch.nested": """
        to_padded_tensor
    """,
    "torch.Tensor": """
        __delitem__ __dir__ __getattribute__ __init__ __iter__ __init_subclass__ __delattr__
        __setattr__ __torch_function__ __torch_dispatch__ __new__ __class__ __subclasshook__
        __hash__ as_subclass eig lstsq reinforce new new_tensor new_empty new_empty_strided
        new_zeros new_ones new_full _make_subclass solve symeig stride unflatten
        to_sparse_coo to_sparse_csr to_sparse_csc to_sparse_bsr to_sparse_bsc _to_sparse
        _to_sparse_csr _to_sparse_csc _to_sparse_bsr _to_sparse_bsc _typed_storage
        _reduce_ex_internal _fix_weakref _view_func _view_func_unsafe _rev_view_func_unsafe
        _dtensor__new__ _make_wrapper_subclass _python_dispatch.__get__
        _has_symbolic_sizes_strides.__get__ _conj _conj_physical _lazy_clone _neg_view
        _is_zerotensor _is_all_true _is_any_true _addmm_activation to_padded_tensor
        _use_count _philox_normal_ _philox_uniform_
    """,
}

# Modules whose functions others of torch's namespaces import for themselves.
_HELPERS = (
    "minitorch.aten",
    "minitorch.core.numbers.dtype",
    "minitorch.core.declare.protocols.torch_function",
)


def _found(path: str) -> Any:
    """The object under a dotted name of torch; None if there is none."""
    owner: Any = minitorch
    for name in path.removeprefix("torch").strip(".").split("."):
        if name:
            owner = getattr(owner, name, None)
    return owner


@functools.cache
def ignored() -> set[Any]:
    """The public functions that no class can take over."""
    functions = set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some of them are deprecated
        for path, names in _IGNORED.items():
            functions |= {_found(f"{path}.{name}") for name in names.split()}
    functions.discard(None)
    return functions | {overrides.has_torch_function, overrides.handle_torch_function}


def _owners() -> Iterator[tuple[str, Any, Any]]:
    yield "torch", minitorch, [*minitorch.__all__, *ELSEWHERE]
    yield "torch.functional", functional, functional.__all__
    for path in NAMESPACES:
        owner = Tensor if path == "Tensor" else import_module(f"minitorch.{path}")
        listed = None if path in _LISTED_IN_PART else getattr(owner, "__all__", None)
        yield f"torch.{path}", owner, listed or dir(owner)


@functools.cache
def overridable() -> tuple[dict[Any, list[Any]], dict[Any, str]]:
    """The functions that can be taken over, by what has them, and the names of all functions."""
    functions: dict[Any, list[Any]] = defaultdict(list)
    index: dict[Any, str] = {}
    for path, owner, names in _owners():
        for name in names:
            found = getattr(owner, name, None)
            if _is_left_out(owner, name, found):
                continue
            private = owner is not Tensor and (
                name.startswith("_") or name.endswith("_") or not name[0].islower()
            )
            if isinstance(found, property):
                index[found.__get__] = f"{path}.{name}.__get__"
                index[found.__set__] = f"{path}.{name}.__set__"
                if not private and found.__get__ not in ignored():
                    functions[found].append(found.__get__)
            elif callable(found) and found.__hash__ is not None:
                if path in ("torch.functional", "torch.nn.functional") or index.get(found) is None:
                    index[found] = f"{path}.{name}"
                elif name == getattr(found, "__name__", "") and path == "torch.Tensor":
                    index[found] = f"{path}.{name}"  # not that of an alias
                if not private and found not in ignored():
                    functions[owner].append(found)
    for path, name in _SAME.items():
        index[_found(path)] = name
    return functions, index


def _is_left_out(owner: Any, name: str, found: Any) -> bool:
    if found is None or isinstance(found, ModuleType):
        return True
    if owner is Tensor:
        return getattr(object, name, None) is found or name == "__weakref__"
    if name.startswith(("linalg_", "special_", "fft_")) or name == "unique_dim":
        return True
    return name.startswith("__") or _is_borrowed(found)


def _is_borrowed(found: Any) -> bool:
    """Whether a module has a thing only because it imports it."""
    module = getattr(found, "__module__", None) or "torch"
    helper = isinstance(found, (type, FunctionType)) and module in _HELPERS
    return helper or module.partition(".")[0] not in ("torch", "minitorch")


@functools.cache
def testing_overrides() -> dict[Any, Callable[..., int]]:
    """For each function that can be taken over one with its arguments, which returns -1."""
    return {
        function: _minus_one(function)
        for functions in overridable()[0].values()
        for function in functions
    }


_REST = ("rest", "others")


def _minus_one(function: Any) -> Callable[..., int]:
    if getattr(function, "__name__", "") == "__get__":
        return lambda self: -1
    try:
        plain = getattr(function, "_unasked", function)
        known = resolved(plain) if isinstance(plain, FunctionType) else plain
        signature = inspect.signature(known)
    except (TypeError, ValueError):
        return lambda *args, **kwargs: -1
    parts: list[str] = []
    defaults: dict[str, Any] = {}
    star = False
    for each in signature.parameters.values():
        if each.name in _REST:  # what assembled functions take and refuse
            continue
        prefix = {each.VAR_POSITIONAL: "*", each.VAR_KEYWORD: "**"}.get(each.kind, "")
        if each.kind is each.KEYWORD_ONLY and not star:
            parts.append("*")
        star = star or each.kind in (each.KEYWORD_ONLY, each.VAR_POSITIONAL)
        text = f"{prefix}{each.name}"
        if each.default is not each.empty:
            defaults[f"_{len(defaults)}"] = each.default
            text += f"=_{len(defaults) - 1}"
        parts.append(text)
    made: Callable[..., int] = eval(f"lambda {', '.join(parts)}: -1", defaults)
    return made

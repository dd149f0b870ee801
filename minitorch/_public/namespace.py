"""Names of `torch` that are neither operators nor classes: questions about tensors, constants."""

from __future__ import annotations

import importlib
import math
import sys
from typing import Any

from minitorch._public import later
from minitorch.core.base.above import PATHS
from minitorch.core.base.fields import TensorBase
from minitorch.core.declare.expose import refusing as _refusing
from minitorch.core.declare.protocols.torch_function import asked_for
from minitorch.core.declare.wording.signatures import for_no_arguments, mismatch, overloads
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.numbers.promotion import can_cast as _can_cast
from minitorch.core.numbers.promotion import promote_types as _promote_types
from minitorch.core.numbers.promotion import result_type as _result_type
from minitorch.core.tensor.tensor import Tensor, refuse_to_write
from minitorch.core.tensor.type_names import typename
from minitorch.core.warning import warn

__all__ = [
    "can_cast",
    "e",
    "get_default_dtype",
    "inf",
    "is_complex",
    "is_floating_point",
    "is_nonzero",
    "is_tensor",
    "nan",
    "newaxis",
    "numel",
    "pi",
    "promote_types",
    "result_type",
    "typename",
]

e, inf, nan, pi, newaxis = math.e, math.inf, math.nan, math.pi, None

# Sub-packages that are imported when first asked for.
LAZY = (
    "_C",
    "_VF",
    "_awaits",
    "_native",
    "_strobelight",
    "_vendor",
    "__config__",
    "__future__",
    "_classes",
    "_custom_ops",
    "_decomp",
    "_dynamo",
    "_export",
    "_functorch",
    "_guards",
    "_higher_order_ops",
    "_library",
    "_lobpcg",
    "_logging",
    "_lowrank",
    "_ops",
    "_prims_common",
    "_refs",
    "_subclasses",
    "_tensor",
    "_tensor_str",
    "_utils",
    "_weights_only_unpickler",
    "accelerator",
    "amp",
    "ao",
    "backends",
    "compiler",
    "cpu",
    "cuda",
    "distributed",
    "distributions",
    "export",
    "fft",
    "func",
    "functional",
    "futures",
    "fx",
    "hub",
    "_jit_internal",
    "jit",
    "library",
    "linalg",
    "masked",
    "monitor",
    "mps",
    "mtia",
    "multiprocessing",
    "nested",
    "nn",
    "onnx",
    "optim",
    "overrides",
    "package",
    "profiler",
    "quantization",
    "quasirandom",
    "return_types",
    "serialization",
    "signal",
    "sparse",
    "special",
    "storage",
    "study",
    "testing",
    "torch_version",
    "types",
    "utils",
    "version",
    "xpu",
)

# Names that few programs use, and the module of this package that has them.
ELSEWHERE = {
    "autocast": "amp.autocast_mode",
    **dict.fromkeys(
        (
            "autocast_decrement_nesting",
            "autocast_increment_nesting",
            "clear_autocast_cache",
            "get_autocast_cpu_dtype",
            "get_autocast_dtype",
            "get_autocast_gpu_dtype",
            "get_autocast_ipu_dtype",
            "get_autocast_xla_dtype",
            "is_autocast_cache_enabled",
            "is_autocast_cpu_enabled",
            "is_autocast_enabled",
            "is_autocast_ipu_enabled",
            "is_autocast_xla_enabled",
            "set_autocast_cache_enabled",
            "set_autocast_cpu_dtype",
            "set_autocast_cpu_enabled",
            "set_autocast_dtype",
            "set_autocast_enabled",
            "set_autocast_gpu_dtype",
            "set_autocast_ipu_dtype",
            "set_autocast_ipu_enabled",
            "set_autocast_xla_dtype",
            "set_autocast_xla_enabled",
        ),
        "amp.state",
    ),
    "GradScaler": "amp",
    "cond": "_higher_order_ops.cond",
    "while_loop": "_higher_order_ops.while_loop",
    "TypedStorage": "core.tensor.storage",
    "is_storage": "core.tensor.storage",
    "UntypedStorage": "core.tensor.storage",
    "installed_as_torch": "drop_in",
    "set_printoptions": "core.tensor.printing",
    "_sparse_sum": "sparse",
    "sparse_coo_tensor": "sparse",
    **dict.fromkeys(
        (
            "sparse_bsc_tensor",
            "sparse_bsr_tensor",
            "sparse_compressed_tensor",
            "sparse_csc_tensor",
            "sparse_csr_tensor",
        ),
        "sparse",
    ),
    **dict.fromkeys(
        ("is_anomaly_check_nan_enabled", "is_anomaly_enabled", "set_anomaly_enabled"),
        "autograd.anomaly_mode",
    ),
    **dict.fromkeys(
        (
            "_sym_sqrt",
            "broadcast_shapes",
            "combinations",
            "sym_float",
            "sym_int",
            "sym_ite",
            "sym_max",
            "sym_min",
            "sym_not",
            "sym_sqrt",
            "sym_sum",
            "unravel_index",
        ),
        "functional",
    ),
    "_has_compatible_shallow_copy_type": "_public.questions",
    **dict.fromkeys(
        (
            "AcceleratorError",
            "FatalError",
            "JITException",
            "OutOfMemoryError",
            "PRIVATE_OPS",
            "TYPE_CHECKING",
            "USE_GLOBAL_DEPS",
            "USE_RTLD_GLOBAL_WITH_LIBTORCH",
            "classproperty",
            "cudnn_is_acceptable",
            "compiled_with_cxx11_abi",
            "get_device",
            "get_device_module",
            "get_file_path",
            "has_lapack",
            "has_mkl",
            "has_openmp",
            "has_spectral",
            "init_num_threads",
            "is_distributed",
            "is_inference",
            "is_same_size",
            "is_signed",
            "is_vulkan_available",
            "prepare_multiprocessing_environment",
            "profiler_allow_cudagraph_cupti_lazy_reinit_cuda12",
            "sym_constrain_range",
            "sym_constrain_range_for_size",
            "sym_fresh_size",
            "thread_safe_generator",
        ),
        "_public.questions",
    ),
    **dict.fromkeys(
        (
            "legacy_contiguous_format",
            "per_channel_affine",
            "per_channel_affine_float_qparams",
            "per_channel_symmetric",
            "per_tensor_affine",
            "per_tensor_symmetric",
            "qscheme",
        ),
        "core.numbers.device",
    ),
    **dict.fromkeys(("Event", "Stream"), "accelerator"),
    **dict.fromkeys(
        (
            "_assert",
            "_check",
            "_check_index",
            "_check_is_size",
            "_check_not_implemented",
            "_check_tensor_all",
            "_check_tensor_all_with",
            "_check_type",
            "_check_value",
            "_check_with",
        ),
        "_public.checks",
    ),
    "lobpcg": "_lobpcg",
    **dict.fromkeys(("pca_lowrank", "svd_lowrank"), "_lowrank"),
    **dict.fromkeys(("fork", "wait"), "futures"),
    **dict.fromkeys(
        ("DisableTorchFunction", "DisableTorchFunctionSubclass"),
        "core.declare.protocols.torch_function",
    ),
    **dict.fromkeys(
        ("_mkldnn", "jagged", "sparse_bsc", "sparse_bsr", "sparse_coo", "sparse_csc", "sparse_csr"),
        "core.numbers.device",
    ),
    **dict.fromkeys(("AVG", "AggregationType", "SUM", "Tag"), "_C._enumerations"),
    **dict.fromkeys(("DispatchKey", "DispatchKeySet"), "_C._dispatch"),
    **dict.fromkeys(("Argument", "FunctionSchema", "parse_schema"), "_public.function_schema"),
    **dict.fromkeys(
        (
            "AnyType",
            "BoolType",
            "ComplexType",
            "DeviceObjType",
            "DictType",
            "FloatType",
            "IntType",
            "ListType",
            "NoneType",
            "NumberType",
            "OptionalType",
            "StreamObjType",
            "StringType",
            "SymBoolType",
            "SymIntType",
            "TensorType",
            "TupleType",
            "Type",
        ),
        "_public.jit_types",
    ),
    "cpp": "_C",
    "compile": "compiler",
    "to_dlpack": "utils.dlpack",
    "is_warn_always_enabled": "core.warning",
    "SymInt": "_public.symbolic_int",
    **dict.fromkeys(
        (
            "_nested_compute_contiguous_strides_offsets",
            "_nested_from_padded",
            "_nested_from_padded_and_nested_example",
            "_nested_tensor_from_mask",
            "_nested_tensor_from_mask_left_aligned",
            "_nested_tensor_from_tensor_list",
            "_nested_view_from_buffer",
        ),
        "nested._strided.creation",
    ),
    **dict.fromkeys(
        (
            "_nested_from_padded_tensor",
            "_nested_get_lengths",
            "_nested_get_max_seqlen",
            "_nested_get_min_seqlen",
            "_nested_get_offsets",
            "_nested_get_ragged_idx",
            "_nested_get_values",
            "_nested_view_from_jagged",
        ),
        "nested._internal.functions",
    ),
    "ops": "_ops",
    "classes": "_classes",
    "set_warn_always": "core.warning",
    "vmap": "func",
    "load": "serialization",
    "save": "serialization",
    **dict.fromkeys(
        (
            "are_deterministic_algorithms_enabled",
            "get_default_device",
            "get_deterministic_debug_mode",
            "get_float32_matmul_precision",
            "get_num_interop_threads",
            "get_num_threads",
            "is_deterministic_algorithms_warn_only_enabled",
            "set_default_tensor_type",
            "set_deterministic_debug_mode",
            "set_float32_matmul_precision",
            "set_flush_denormal",
            "set_num_interop_threads",
            "set_num_threads",
            "use_deterministic_algorithms",
        ),
        "_public.settings",
    ),
}


# The objects that rooms below ask for by from_above().
PATHS.update(
    {
        "_VF",  # by functions that take lists, where a class of tensors takes one over
        "_ops:ops",  # by profiles, for torch.ops.profiler
        "_public.override_tables",  # by torch.overrides: all of torch, with arguments
        "_public.private_names:find",  # by outlines, for names that another module has
        "_public.profiler_operators",
        "distributed.functional_operators",
        "compiler",  # by modules' method compile
        "func.mapping.vmap:grad_of_batch",  # by torch.autograd.grad
        "jit._files:as_bytes",  # by scripts' method save
        "jit:load",  # by torch.load, for files of scripts
        "linalg:vector_norm",  # by torch.norm of orders that take functions over
        "serialization:_get_layout",  # by pickles of layouts
        "sparse",  # by loads of sparse tensors, which are looked at once all are there
        "study.page",  # by recordings, which it shows
        "utils.dlpack:DLDeviceType",  # by Tensor.__dlpack_device__
        "utils.wrapper_subclasses:ask",  # by instances of classes that see operators
    }
)


class Outlines:
    """Finds the modules that are names alone, after all others. In sys.meta_path."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
        """The spec that loads such a module of this package; None for any other."""
        if not name.startswith("minitorch."):
            return None
        return importlib.import_module("minitorch._public.outlines").spec_of(name)


if Outlines not in sys.meta_path:
    sys.meta_path.append(Outlines)


def is_tensor(obj: Any, /) -> bool:
    """Whether `obj` is a Tensor."""
    return isinstance(obj, TensorBase)


def is_floating_point(input: Any) -> bool:
    """Whether the dtype of `input` is a floating-point one."""
    return input.is_floating_point()


def is_complex(input: Any) -> bool:
    """Whether the dtype of `input` is a complex one."""
    return input.is_complex()


def is_nonzero(input: Any) -> bool:
    """Whether the one element of `input` is not zero. RuntimeError for another number of them."""
    if input.numel() == 0:
        raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
    return bool(input)


def numel(input: Any) -> int:
    """The number of elements of `input`."""
    return input.numel()


def can_cast(from_: Any, to: Any) -> bool:
    """Whether a result of dtype `from_` may be written into a tensor of dtype `to`."""
    return _can_cast(from_, to)


def promote_types(type1: Any, type2: Any) -> Any:
    """The smallest dtype, of a kind no lower than either, that both can be cast to."""
    return _promote_types(type1, type2)


for _name in "can_cast is_complex is_floating_point is_nonzero numel promote_types".split():
    globals()[_name] = _refusing(f"torch.{_name}", globals()[_name])

_OPERANDS = (
    "Tensor tensor, Tensor other",
    "Number scalar, Tensor tensor",
    "Tensor tensor, Number other",
    "Number scalar1, Number scalar2",
)


@overloads(*_OPERANDS)
def result_type(*operands: Any, **named: Any) -> Any:
    """The dtype of an operation on two operands, each a tensor or a number."""
    first, second = operands + tuple(named.values())
    if named and (error := mismatch("result_type", _OPERANDS, operands, named)):
        raise error
    return _result_type(
        *[
            (dtypes.of(each._array), each.dim()) if isinstance(each, TensorBase) else each
            for each in (first, second)
        ]
    )


asked_for(
    "torch",
    {
        function.__name__: function
        for function in (
            can_cast,
            is_complex,
            is_floating_point,
            is_nonzero,
            numel,
            promote_types,
            result_type,
        )
    },
)


def get_default_dtype(*args: Any) -> dtypes.dtype:
    """The dtype that floating-point tensors get when none is named; float32 at the start."""
    if args:  # 80 ns less than without_arguments takes
        raise for_no_arguments("torch.get_default_dtype", args, {})  # type: ignore[misc]
    return dtypes.get_default_dtype()


def _refused() -> Any:
    from minitorch._public import refused  # start-up: 0.1 ms

    return refused


def _legacy() -> Any:
    from minitorch.core.tensor import legacy  # start-up: 0.2 ms

    return legacy


def names() -> list[str]:
    """The names that `missing` finds in `torch`."""
    from minitorch._public.foreach import names as foreach_names  # start-up: 0.2 ms

    NAMES = _legacy().NAMES
    storages = [name.replace("Tensor", "Storage") for name in NAMES]
    storages += ["ComplexDoubleStorage", "ComplexFloatStorage", "Storage"]
    made = [*LAZY, *ELSEWHERE, *NAMES, *storages, "Future", *dtypes.rare()]
    return [*made, *foreach_names(), *_refused().names()]


# Older questions of what torch was built with, by the functions that answer them now.
DEPRECATED = {
    "has_mps": "torch.backends.mps.is_built",
    "has_cuda": "torch.backends.cuda.is_built",
    "has_cudnn": "torch.backends.cudnn.is_available",
    "has_mkldnn": "torch.backends.mkldnn.is_available",
}


def deprecated(name: str) -> bool:
    """The answer to a question of DEPRECATED, with a warning at the line that asked for it."""
    present = DEPRECATED[name]
    warn(f"'{name}' is deprecated, please use '{present}()'")
    module, _, function = present.rpartition(".")
    return bool(getattr(importlib.import_module(f"mini{module}"), function)())


def _make_wrapper_subclass(cls: Any, *args: Any, **kwargs: Any) -> Any:
    """An instance of a class that has a geometry and no numbers of its own."""
    from minitorch.utils.wrapper_subclasses import make_wrapper_subclass  # start-up: 16 ms

    return make_wrapper_subclass(cls, *args, **kwargs)


Tensor._make_wrapper_subclass = staticmethod(_make_wrapper_subclass)
refuse_to_write()


def missing(name: str) -> Any:
    """The attribute of `torch` under a name that is imported only when a program asks for it.

    AttributeError in one sentence for names that this library does not have (or not yet).
    """
    if name in LAZY:
        try:
            return importlib.import_module(f"minitorch.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"minitorch.{name}":
                raise
    elif name in ELSEWHERE:
        return getattr(importlib.import_module(f"minitorch.{ELSEWHERE[name]}"), name)
    elif name.startswith("_foreach_"):
        return getattr(importlib.import_module("minitorch._public.foreach"), name)
    elif name == "Future":
        return importlib.import_module("minitorch.futures")._Future
    elif name in ("torch", "windows"):
        return importlib.import_module("minitorch" + ".signal.windows" * (name == "windows"))
    elif name == "__version__":
        from minitorch import torch_version, version  # start-up: 0.1 ms

        return torch_version.TorchVersion(version.__version__)
    elif name.endswith("Tensor"):
        try:
            return _legacy().TYPES[name]
        except KeyError:
            pass
    elif name.endswith("Storage") and name not in ("TypedStorage", "UntypedStorage"):
        from minitorch.core.tensor import storage  # start-up: 2 ms

        try:
            return storage.NAMED[name]
        except KeyError:
            pass
    elif name in dtypes.rare():
        return dtypes.rare()[name]
    if (found := _refused().refused(name)) is not None:
        return found
    return later.missing("torch", name)

"""Names of torch for what minitorch does not have: compiled programs, quantised tensors.

Programs can mention them and ask whether something is an instance of a class: nothing is. Making
one, or calling a function, raises a NotImplementedError that names it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache
from typing import Any, NoReturn

from minitorch.core.base.modes import recording
from minitorch.core.declare.general.writing import check_gradients, tensors_of
from minitorch.core.declare.out import PLAIN
from minitorch.core.declare.protocols.torch_function import asked_for
from minitorch.core.declare.wording.errors import constant_argument, no_kernel
from minitorch.core.declare.wording.signatures import is_listed, refusal

_CLASSES = """
CompilationUnit Graph Node ScriptDict ScriptFunction
ScriptList ScriptMethod ScriptModule ScriptObject StorageBase Value
AliasDb ArgumentSpec AwaitType BenchmarkConfig
BenchmarkExecutionStats Block BufferDict CallStack Capsule ClassType Code
CompleteArgumentSpec ConcreteModuleType ConcreteModuleTypeBuilder DeepCopyMemoTable
DeserializationStorageContext EnumType ErrorReport ExcludeDispatchKeyGuard
ExecutionPlan FileCheck FutureType Gradient GraphExecutorState IODescriptor
InferredType InterfaceType LiteScriptModule LockingLogger ModuleDict
NoopLogger OperatorInfo ParameterDict PyObjectType PyTorchFileReader
PyTorchFileWriter RRefType ScriptClass ScriptClassFunction ScriptDictIterator
ScriptDictKeyIterator ScriptListIterator ScriptModuleSerializer ScriptObjectProperty
SerializationStorageContext StaticModule ThroughputBenchmark TracingState UnionType Use
"""
# Functions of other devices, of quantised tensors and of compiled programs.
_FUNCTIONS = """
batch_norm_backward_elemt batch_norm_backward_reduce batch_norm_elemt batch_norm_gather_stats
batch_norm_gather_stats_with_counts batch_norm_stats
cudnn_affine_grid_generator cudnn_batch_norm cudnn_convolution
cudnn_convolution_add_relu cudnn_convolution_relu cudnn_convolution_transpose cudnn_grid_sampler
empty_quantized fbgemm_linear_fp16_weight fbgemm_linear_fp16_weight_fp32_activation
fbgemm_linear_int8_weight fbgemm_linear_int8_weight_fp32_activation fbgemm_linear_quantize_weight
fbgemm_pack_gemm_matrix_fp16 fbgemm_pack_quantized_matrix
import_ir_module import_ir_module_from_buffer merge_type_from_type_comment miopen_batch_norm
miopen_convolution miopen_convolution_add_relu miopen_convolution_relu miopen_convolution_transpose
miopen_ctc_loss miopen_depthwise_convolution miopen_rnn mkldnn_adaptive_avg_pool2d
mkldnn_convolution mkldnn_linear_backward_weights mkldnn_max_pool2d mkldnn_max_pool3d parse_ir
parse_type_comment quantize_per_channel quantize_per_tensor quantize_per_tensor_dynamic
quantized_batch_norm quantized_gru quantized_gru_cell quantized_lstm quantized_lstm_cell
quantized_max_pool1d quantized_max_pool2d quantized_max_pool3d quantized_rnn_relu_cell
quantized_rnn_tanh_cell unify_type_list
"""
# Those for which torch itself has no kernel on the CPU.
_WITHOUT_KERNEL = frozenset(
    """
    batch_norm_backward_elemt batch_norm_backward_reduce batch_norm_elemt batch_norm_gather_stats
    batch_norm_gather_stats_with_counts batch_norm_stats cudnn_affine_grid_generator
    cudnn_batch_norm cudnn_convolution cudnn_convolution_add_relu cudnn_convolution_relu
    cudnn_convolution_transpose cudnn_grid_sampler empty_quantized miopen_batch_norm
    miopen_convolution miopen_convolution_add_relu miopen_convolution_relu
    miopen_convolution_transpose miopen_depthwise_convolution miopen_rnn mkldnn_adaptive_avg_pool2d
    mkldnn_linear_backward_weights mkldnn_max_pool2d mkldnn_max_pool3d quantized_batch_norm
    quantized_max_pool1d quantized_max_pool2d quantized_max_pool3d
    """.split()
)
# Functions that torch writes in Python, and their signatures.
_PARAMETERS = {
    "SymBool": "node",
    "SymFloat": "node",
    **dict.fromkeys(
        [f"{name}Storage" for name in ("QInt32", "QInt8", "QUInt2x4", "QUInt4x2", "QUInt8")],
        "*args, wrap_storage=None, dtype=None, device=None, _internal=False",
    ),
}


def names() -> list[str]:
    """All of them."""
    return [*_CLASSES.split(), *_PARAMETERS, *_FUNCTIONS.split()]


# What autograd refuses of their tensors, and how many out= takes.
_PLACES = {"running_mean": 3, "running_var": 4}
_STATISTICS = {"cudnn_batch_norm": _PLACES, "miopen_batch_norm": _PLACES}
_OUTPUTS = {"cudnn_batch_norm": 4}
# Those that autograd has a formula for, and so knows with out=.
_DIFFERENTIABLE = frozenset(
    """
    cudnn_affine_grid_generator cudnn_batch_norm cudnn_convolution cudnn_convolution_transpose
    cudnn_grid_sampler miopen_batch_norm miopen_convolution miopen_convolution_transpose
    miopen_depthwise_convolution miopen_rnn mkldnn_adaptive_avg_pool2d mkldnn_max_pool2d
    mkldnn_max_pool3d
    """.split()
)


def _check_call(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raises what torch says before it looks for a kernel."""
    out = kwargs.get("out")
    if isinstance(out, (tuple, list)) and len(out) != _OUTPUTS.get(name, len(out)):
        raise TypeError(f"expected tuple of {_OUTPUTS[name]} elements but got {len(out)}")
    if out is not None:
        outs = out if isinstance(out, (tuple, list)) else (out,)
        error_name = name if name in _DIFFERENTIABLE else f"aten::{name}"
        check_gradients(PLAIN, error_name, outs, tensors_of((args, kwargs)))
    for argument, place in _STATISTICS.get(name, {}).items():
        given = kwargs.get(argument, args[place] if place < len(args) else None)
        if out is None and getattr(given, "requires_grad", False) and recording():
            raise constant_argument(name, argument)


def _refusing(name: str) -> Callable[..., NoReturn]:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        refused = refusal(f"torch.{name}", args, kwargs)
        if refused is not None:
            raise refused
        if name in _WITHOUT_KERNEL:
            out = ".out" if kwargs.get("out") is not None else ""
            _check_call(name, args, kwargs)
            raise no_kernel(f"{name}{out}")
        raise NotImplementedError(f"torch.{name} is not implemented by minitorch")

    refuse.__name__ = refuse.__qualname__ = name
    if is_listed(f"torch.{name}"):  # torch's parser reads its calls
        asked_for("torch", {name: refuse})
    return refuse


@cache
def refused(name: str) -> Any:
    """The class of a name, which cannot be made, or the function, which cannot be called; None if
    it is not listed."""
    if name not in names():
        return None
    if name in _FUNCTIONS.split():
        return _refusing(name)
    taken = eval(f"lambda {_PARAMETERS.get(name, '*args, **kwargs')}: None")
    taken.__name__ = taken.__qualname__ = name

    def made(cls: type, *args: Any, **kwargs: Any) -> NoReturn:
        taken(*args, **kwargs)
        raise NotImplementedError(f"torch.{name} is not implemented by minitorch")

    members = {"__new__": made, "__signature__": inspect.signature(taken)}
    text = "Cannot be made: it is not implemented."
    return type(name, (), {"__module__": "torch", "__doc__": text, **members})

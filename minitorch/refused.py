"""Names of torch for what minitorch does not have, so that programs can mention it.

They are of compiled programs and of quantised and sparse tensors.
Calling any of them raises a NotImplementedError that names it; arguments must be torch's.
"""

from __future__ import annotations

import inspect
import re
from functools import cache
from typing import Any, NoReturn

# As in torch's .pyi files, without types.
_FUNCTIONS = """
ccol_indices_copy(input, *, out=None)
col_indices_copy(input, *, out=None)
cond(pred, true_fn, false_fn, operands=())
crow_indices_copy(input, *, out=None)
dsmm(input, mat2)
empty_quantized(size, qtensor, *, memory_format=None, dtype=None, layout=None, device=None,
  pin_memory=None, requires_grad=None)
fork(*args, **kwargs)
hsmm(input, mat2)
hspmm(mat1, mat2, *, out=None)
import_ir_module(*args, **kwargs)
import_ir_module_from_buffer(*args, **kwargs)
indices_copy(input, *, out=None)
int_repr(input)
lobpcg(A, k=None, B=None, X=None, n=None, iK=None, niter=None, tol=None, largest=None,
  method=None, tracker=None, ortho_iparams=None, ortho_fparams=None, ortho_bparams=None)
merge_type_from_type_comment(*args, **kwargs)
native_norm(input, p=None, dim=None, keepdim=None, dtype=None)
parse_ir(*args, **kwargs)
parse_schema(*args, **kwargs)
parse_type_comment(*args, **kwargs)
q_per_channel_axis(input)
q_per_channel_scales(input)
q_per_channel_zero_points(input)
q_scale(input)
q_zero_point(input)
quantize_per_channel(input, scales, zero_points, axis, dtype)
quantize_per_tensor(*args, **kwargs)
quantize_per_tensor_dynamic(input, dtype, reduce_range)
quantized_batch_norm(input, weight, bias, mean, var, eps, output_scale, output_zero_point)
quantized_gru(*args, **kwargs)
quantized_gru_cell(input, hx, w_ih, w_hh, b_ih, b_hh, packed_ih, packed_hh, col_offsets_ih,
  col_offsets_hh, scale_ih, scale_hh, zero_point_ih, zero_point_hh)
quantized_lstm(*args, **kwargs)
quantized_lstm_cell(input, hx, w_ih, w_hh, b_ih, b_hh, packed_ih, packed_hh, col_offsets_ih,
  col_offsets_hh, scale_ih, scale_hh, zero_point_ih, zero_point_hh)
quantized_max_pool1d(input, kernel_size, stride=None, padding=None, dilation=None,
  ceil_mode=None)
quantized_max_pool2d(input, kernel_size, stride=None, padding=None, dilation=None,
  ceil_mode=None)
quantized_max_pool3d(input, kernel_size, stride=None, padding=None, dilation=None,
  ceil_mode=None)
quantized_rnn_relu_cell(input, hx, w_ih, w_hh, b_ih, b_hh, packed_ih, packed_hh, col_offsets_ih,
  col_offsets_hh, scale_ih, scale_hh, zero_point_ih, zero_point_hh)
quantized_rnn_tanh_cell(input, hx, w_ih, w_hh, b_ih, b_hh, packed_ih, packed_hh, col_offsets_ih,
  col_offsets_hh, scale_ih, scale_hh, zero_point_ih, zero_point_hh)
resize_as_sparse_(input, the_template)
row_indices_copy(input, *, out=None)
saddmm(input, mat1, mat2, *, beta=None, alpha=None, out=None)
smm(input, mat2)
sparse_bsc_tensor(ccol_indices, row_indices, values, size=None, *, dtype=None, device=None,
  requires_grad=None, check_invariants=None)
sparse_bsr_tensor(crow_indices, col_indices, values, size=None, *, dtype=None, device=None,
  requires_grad=None, check_invariants=None)
sparse_compressed_tensor(compressed_indices, plain_indices, values, size=None, *, dtype=None,
  layout=None, device=None, requires_grad=None, check_invariants=None)
sparse_csc_tensor(ccol_indices, row_indices, values, size=None, *, dtype=None, device=None,
  requires_grad=None, check_invariants=None)
sparse_csr_tensor(crow_indices, col_indices, values, size=None, *, dtype=None, device=None,
  requires_grad=None, check_invariants=None)
spmm(input, mat2)
sspaddmm(input, mat1, mat2, *, beta=None, alpha=None, out=None)
unify_type_list(*args, **kwargs)
values_copy(input, *, out=None)
wait(*args, **kwargs)
while_loop(cond_fn, body_fn, carried_inputs)
"""

# Nobody makes objects of these, so that nothing is an instance of them.
_CLASSES = """
SymBool(node) SymFloat(node) SymInt(node)
AggregationType AliasDb AnyType Argument ArgumentSpec AwaitType BenchmarkConfig
BenchmarkExecutionStats Block BoolType BufferDict CallStack Capsule ClassType Code
CompilationUnit CompleteArgumentSpec ComplexType ConcreteModuleType ConcreteModuleTypeBuilder
DeepCopyMemoTable DeserializationStorageContext DeviceObjType DictType DispatchKey
DispatchKeySet EnumType ErrorReport ExcludeDispatchKeyGuard ExecutionPlan FileCheck FloatType
FunctionSchema Future FutureType Gradient Graph GraphExecutorState IODescriptor InferredType
IntType InterfaceType ListType LiteScriptModule LockingLogger LoggerBase ModuleDict Node
NoneType NoopLogger NumberType OperatorInfo OptionalType ParameterDict PyObjectType
PyTorchFileReader PyTorchFileWriter RRefType ScriptClass ScriptClassFunction ScriptDict
ScriptDictIterator ScriptDictKeyIterator ScriptFunction ScriptList ScriptListIterator
ScriptMethod ScriptModule ScriptModuleSerializer ScriptObject ScriptObjectProperty
SerializationStorageContext StaticModule StreamObjType StringType SymBoolType SymIntType Tag
TensorType ThroughputBenchmark TracingState TupleType Type UnionType Use Value StorageBase
"""
_LEGACY = "(*args, wrap_storage=None, dtype=None, device=None, _internal=False)"


@cache
def _listed() -> dict[str, tuple[type, str]]:
    """What each name is, a function or a class, and its parameters."""
    known: dict[str, tuple[type, str]] = {}
    for kind, table in ((type(_listed), _FUNCTIONS), (type, _CLASSES)):
        for name, parameters in re.findall(r"(\w+)(\((?:[^()]|\(\))*\))?", table):
            known[name] = (kind, parameters or "(*args, **kwargs)")
    for name in ("QInt32", "QInt8", "QUInt2x4", "QUInt4x2", "QUInt8"):
        known[f"{name}Storage"] = (type, _LEGACY)
    return known


def names() -> list[str]:
    """All of them."""
    return list(_listed())


@cache
def refused(name: str) -> Any:
    """The function or class of a name, which refuses to be called; None if it is not listed."""
    if name not in _listed():
        return None
    kind, parameters = _listed()[name]
    taken = eval(f"(lambda {parameters[1:-1]}: None)")

    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        taken(*args, **kwargs)
        raise NotImplementedError(f"torch.{name} is not implemented by minitorch")

    def made(cls: type, *args: Any, **kwargs: Any) -> NoReturn:
        refuse(*args, **kwargs)

    taken.__name__ = taken.__qualname__ = refuse.__name__ = refuse.__qualname__ = name
    signature = inspect.signature(taken)
    text = "Refuses: it is not implemented."
    if kind is type:
        members = {"__new__": made, "__signature__": signature, "__doc__": text}
        return type(name, (), {"__module__": "torch", **members})
    refuse.__module__, refuse.__doc__ = "torch", text
    refuse.__signature__ = signature
    return refuse

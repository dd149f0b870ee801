"""How torch refuses what it does not have for tensors of compressed layouts."""

from __future__ import annotations

from typing import Any

from minitorch.aten.sparse.layout_names import layout_name
from minitorch.aten.sparse.refusals import missing_operator
from minitorch.core.declare.errors import no_kernel

# What torch computes element by element over TensorIterator, which knows no such layout.
_ITERATED = """
    acos acosh bitwise_not cos cosh digamma erfc exp exp2 isfinite lgamma log log10 log2 reciprocal
    rsqrt sigmoid sinc square i0 sub subtract rsub div divide true_divide pow eq ne lt le gt ge
    equal_ remainder maximum minimum atan2 arctan2 arccos arccosh fmod bitwise_and bitwise_or
    bitwise_xor gelu silu softplus leaky_relu elu celu selu mish isclose allclose clamp clamp_min
    clamp_max clip where hypot special_expit greater less greater_equal less_equal not_equal
    copysign
    _div _div_mode sin_backward _rsub float_power logaddexp nextafter xlogy lerp addcmul addcdiv
""".split()
_WITHOUT_STRIDES = """
    unsqueeze squeeze squeeze_ unsqueeze_ diagonal sort argsort narrow split chunk slice
    tensor_split split_with_sizes unfold expand_copy msort
""".split()
_WITHOUT_CONTIGUITY = """
    reshape flatten ravel contiguous cat stack concat concatenate reshape_as
""".split()
_EXPANDED = ("expand", "expand_as", "broadcast_to", "repeat", "sum_to_size")
# Operators whose structured kernels are named.
_OUTS = """
    mean.out any.all_out all.all_out argmax.out argmin.out norm.out nan_to_num.out tril.out triu.out
    _softmax.out bmm.out baddbmm.out
""".split()
_NAMES = {
    **{each.partition(".")[0]: each for each in _OUTS},
    "softmax": "_softmax.out",
    "count_nonzero": "count_nonzero.dim_IntList",
    "std": "std.correction",
    "var": "var.correction",
    "max": "max",
    "min": "min",
    "prod": "prod",
    "permute": "as_strided",
    "bernoulli_": "bernoulli_.float",
    "index_put_": "_index_put_impl_",
    "rand_like": "uniform_",
    "randn_like": "normal_",
    "nan_to_num_": "nan_to_num.out",
    "tril_": "tril.out",
    "triu_": "triu.out",
    "inverse": "empty_strided",
    "linalg_inv_ex": "empty_strided",
    "floor_divide_": "floor_divide_.Tensor",
}


def _no_size(size: str) -> RuntimeError:
    return RuntimeError(
        "torch.empty: Only batched sparse compressed (non-block) tensors are supported, but got "
        f"size {size}"
    )


def missing(name: str, compute: Any, given: Any, args: Any) -> Exception:
    """The error for an operator, in torch's words where these are known."""
    title, short = layout_name(given), given._array.kind.short
    plain = name.removesuffix("_")
    if name in _ITERATED or plain in _ITERATED:
        return RuntimeError(f"unsupported tensor layout: {title}")
    if name in _WITHOUT_STRIDES:
        return RuntimeError(f"Sparse {short} tensors do not have strides")
    if name in _WITHOUT_CONTIGUITY:
        return RuntimeError(f"Sparse {short} tensors do not have is_contiguous")
    if name in _EXPANDED:
        return RuntimeError(f"expand is unsupported for {title} tensors")
    if name in ("t_", "transpose_"):
        return RuntimeError(
            f"torch.transpose_: in-place transposition is not supported for {title} layout"
        )
    if name in ("logical_not", "logical_and", "logical_or", "logical_xor"):
        return _no_size("[0]")
    if name in ("linalg_norm", "linalg_vector_norm", "_linalg_det", "det"):
        return _no_size("[]")
    if name in ("bmm", "baddbmm") and given.dim() != 3:
        first = next((i for i, x in enumerate(args) if x.dim() != 3), 0)
        return RuntimeError(f"batch{first + 1} must be a 3D tensor")
    if name == "isreal":
        return RuntimeError("unsupported memory format Preserve")
    if name == "masked_fill":
        return RuntimeError("unsupported memory format option Contiguous")
    if name == "share_memory_":
        return NotImplementedError("Cannot access storage of SparseCsrTensorImpl")
    if name == "pin_memory":
        return RuntimeError("Cannot access accelerator device when none is available.")
    if name in _NAMES:
        return no_kernel(_NAMES[name], "SparseCsrCPU")
    return no_kernel(missing_operator(name, compute, args), "SparseCsrCPU")

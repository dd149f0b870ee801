"""The operators that torch's errors name where it has none for a sparse layout: of those that it
makes of others, the first of these that is missing."""

from __future__ import annotations

from typing import Any

from minitorch.core.base.fields import TensorBase
from minitorch.core.declare.wording.errors import no_kernel
from minitorch.core.numbers import device as devices
from minitorch.core.numbers.device import title_of

# An operator, and what is missing; the last where another argument is a tensor.
_TEXT = """
    adaptive_avg_pool1d _adaptive_avg_pool2d; adaptive_max_pool1d adaptive_max_pool2d; all all
    all.dim; allclose eq.Tensor; arccos acos; arccos_ acos_; arccosh acosh; arccosh_ acosh_;
    arctan2 atan2; arctan2_ atan2_; argsort sort.stable; argwhere nonzero; avg_pool1d
    avg_pool2d; bernoulli bernoulli.p; bernoulli_ bernoulli_.Tensor;
    binary_cross_entropy_with_logits log_sigmoid_forward; bitwise_and bitwise_and.Tensor;
    bitwise_and_ bitwise_and_.Tensor; bitwise_left_shift bitwise_left_shift.Tensor;
    bitwise_left_shift_ bitwise_left_shift.Tensor_out; bitwise_or bitwise_or.Tensor;
    bitwise_or_ bitwise_or_.Tensor; bitwise_right_shift bitwise_right_shift.Tensor;
    bitwise_right_shift_ bitwise_right_shift.Tensor_out; bitwise_xor bitwise_xor.Tensor;
    bitwise_xor_ bitwise_xor_.Tensor; block_diag as_strided; bucketize bucketize.Tensor; cdist
    _cdist_forward; celu elu; celu_ elu_; chain_matmul view; cholesky_solve
    _cholesky_solve_helper; chunk as_strided; clamp clamp clamp.Tensor; clamp_ clamp_
    clamp_.Tensor; clamp_max clamp_max clamp_max.Tensor; clamp_max_ clamp_max_
    clamp_max_.Tensor; clamp_min clamp_min clamp_min.Tensor; clamp_min_ clamp_min_
    clamp_min_.Tensor; clip clamp; clip_ clamp_; complex complex.out; constant_pad_nd
    fill_.Scalar; copysign copysign.Tensor; copysign_ copysign_.Tensor; cosine_similarity
    linalg_vector_norm; count_nonzero count_nonzero.dim_IntList; cross linalg_cross; cummax
    _cummax_helper; cummin _cummin_helper; cumulative_trapezoid as_strided; dequantize
    dequantize.self; det _linalg_det; diag diagonal_copy; diagonal as_strided; diff
    as_strided; einsum as_strided; embedding_bag _embedding_bag_forward_only; eq eq.Scalar
    eq.Tensor; eq_ eq_.Scalar eq_.Tensor; fill fill_.Scalar fill_.Tensor; fill_ fill_.Scalar
    fill_.Tensor; fill_diagonal_ as_strided; fliplr flip; flipud flip; float_power
    pow.Tensor_Tensor; fmod fmod.Tensor; fmod_ fmod_.Tensor; frexp frexp.Tensor_out; full_like
    fill_.Scalar; ge ge.Scalar ge.Tensor; ge_ ge_.Scalar ge_.Tensor; gradient as_strided;
    greater gt.Scalar gt.Tensor; greater_ gt_.Scalar gt_.Tensor; greater_equal ge.Scalar
    ge.Tensor; greater_equal_ ge_.Scalar ge_.Tensor; gt gt.Scalar gt.Tensor; gt_ gt_.Scalar
    gt_.Tensor; histogram histogram.bin_ct; histogramdd _histogramdd_bin_edges; hsplit
    as_strided; index_fill_ index_fill_.int_Scalar index_fill_.int_Tensor; inverse
    linalg_inv_ex; isclose eq.Tensor; isfinite ne.Scalar; isin isin.Tensor_Scalar
    isin.Tensor_Tensor; kl_div xlogy.Tensor; kthvalue kthvalue.values; ldexp pow.Scalar;
    ldexp_ pow.Scalar; le le.Scalar le.Tensor; le_ le_.Scalar le_.Tensor; lerp lerp.Scalar
    lerp.Tensor; lerp_ lerp_.Scalar lerp_.Tensor; less lt.Scalar lt.Tensor; less_ lt_.Scalar
    lt_.Tensor; less_equal le.Scalar le.Tensor; less_equal_ le_.Scalar le_.Tensor;
    log_softmax _log_softmax; logcumsumexp _logcumsumexp; logdet _linalg_slogdet;
    logical_and logical_and.out; logical_and_ logical_and.out; logical_not logical_not.out;
    logical_not_ logical_not.out; logical_or logical_or.out; logical_or_ logical_or.out;
    logical_xor logical_xor.out; logical_xor_ logical_xor.out; logsumexp logsumexp.out; lt
    lt.Scalar lt.Tensor; lt_ lt_.Scalar lt_.Tensor; lu linalg_lu_factor_ex; lu_solve
    linalg_lu_solve; masked_fill_ masked_fill_.Scalar masked_fill_.Tensor; matrix_exp
    linalg_matrix_exp; max max maximum; max_pool1d max_pool2d_with_indices;
    max_pool1d_with_indices max_pool2d_with_indices; max_pool2d max_pool2d_with_indices;
    max_pool3d max_pool3d_with_indices; mean mean.dim; median median median.dim_values; min
    min minimum; msort sort.stable; mvlgamma arange.start_out; mvlgamma_ mvlgamma.out; nanmean
    ne.Tensor; nanmedian nanmedian nanmedian.dim_values; nanquantile sort.stable; narrow
    as_strided; ne ne.Scalar ne.Tensor; ne_ ne_.Scalar ne_.Tensor; new_ones fill_.Scalar;
    normal normal.Tensor_Tensor; not_equal ne.Scalar ne.Tensor; not_equal_ ne_.Scalar
    ne_.Tensor; nuclear_norm _linalg_svd; ones_like fill_.Scalar; orgqr
    linalg_householder_product; pca_lowrank ge.Scalar; polar polar.out; polygamma_
    polygamma.out; pow_ pow_.Scalar pow_.Tensor; prod prod prod.dim_int; qr linalg_qr;
    quantile sort.stable; rand_like uniform_; randint_like random_.from; randn_like normal_;
    random_ random_ random_.to; remainder remainder.Tensor; remainder_ remainder_.Tensor;
    rms_norm mean.dim; rot90 flip; rsub rsub.Tensor; scatter scatter.src; scatter_
    scatter_.src; searchsorted searchsorted.Scalar searchsorted.Tensor; selu elu; selu_ elu_;
    set_ set_ set_.source_Tensor; slice_copy slice_copy.Tensor; slice_inverse as_strided;
    slogdet _linalg_slogdet; softmax _softmax; sort sort.stable; split as_strided; split_copy
    split_copy.Tensor; split_with_sizes as_strided; square_ pow_.Scalar; squeeze as_strided;
    squeeze_ as_strided_; squeeze_copy squeeze_copy squeeze_copy.dims; std std.correction;
    std_mean std_mean.correction; stft view; svd _linalg_svd; take_along_dim view;
    tensor_split as_strided; tensordot as_strided; transpose_copy transpose_copy.int;
    trapezoid as_strided; trapz as_strided; unbind_copy unbind_copy.int; unique _unique2;
    unsafe_chunk as_strided; unsafe_split as_strided; unsafe_split_with_sizes as_strided;
    unsqueeze_ as_strided_; var var.correction; var_mean var_mean.correction; view_as view;
    view_copy view_copy view_copy.dtype; vsplit as_strided; where where.self; xlogy
    xlogy.Tensor; xlogy_ xlogy_.Tensor
"""
_MISSING = {
    name: missing
    for name, *missing in [entry.split() for entry in _TEXT.replace("\n", " ").split(";")]
}
# The operators that formulas call, too.
_IN_FORMULAS = {
    "index_add": "index_add_",
    "lerp": "lerp.Scalar",
    "masked_fill_": "masked_fill_.Scalar",
    "slice_backward": "as_strided",
    "sum_to_size": "as_strided",
}


# The operators that factories call first on a tensor of another layout, once it is made.
_IN_FACTORIES = {
    "ones": "fill_.Scalar", "full": "fill_.Scalar", "new_ones": "fill_.Scalar",
    "new_full": "fill_.Scalar", "rand": "uniform_", "randn": "normal_", "normal": "normal_",
    "randint": "random_.from", "randperm": "randperm.generator_out", "eye": "eye.m_out",
    "arange": "arange.start_out", "range": "range.out", "linspace": "linspace.out",
    "logspace": "logspace.out", "empty_strided": "empty_strided", "tril_indices": "tril_indices",
    "triu_indices": "triu_indices", "new_empty_strided": "empty_strided",
}  # fmt: skip
_BACKENDS = {
    devices.sparse_coo: "SparseCPU",
    devices.sparse_csr: "SparseCsrCPU",
    devices.sparse_csc: "SparseCsrCPU",
    devices.sparse_bsr: "SparseCsrCPU",
    devices.sparse_bsc: "SparseCsrCPU",
    devices._mkldnn: "MkldnnCPU",
}


def no_size(size: Any, name: str = "empty") -> RuntimeError:
    """The error of a factory for a compressed tensor that is no matrix. size: as it is printed."""
    return RuntimeError(
        f"torch.{name}: Only batched sparse compressed (non-block) tensors are supported, but got "
        f"size {size}"
    )


def no_blocks(layout: Any, name: str = "empty") -> RuntimeError:
    """The error of a factory for a layout of blocks."""
    return RuntimeError(
        f"{name}_sparse_compressed expected sparse compressed (non-block) tensor layout but got "
        f"{title_of(layout)}"
    )


def factory_error(name: str, layout: Any) -> Exception:
    """The error of a factory for a layout that it makes no tensors of, in torch's words where it
    refuses as well."""
    if layout is devices.sparse_coo and name in ("ones", "full"):
        return RuntimeError("full(...) is not implemented for sparse layout")
    backend = _BACKENDS.get(layout)
    missing = _IN_FACTORIES.get(name)
    if missing is None or backend is None:
        return NotImplementedError(f"torch.{name} with layout={layout}: only torch.strided")
    if backend == "SparseCsrCPU" and name in ("eye", "arange", "range"):
        return no_size([0])
    if backend == "SparseCsrCPU" and missing == "fill_.Scalar":  # torch leaves indices unwritten
        return NotImplementedError(f"torch.{name} with layout={layout}: only torch.strided")
    return no_kernel(missing, backend)


def wrong_rank(name: str, rank: int) -> Exception | None:
    """The error for a tensor's rank, which torch checks before it misses the operator; or None."""
    if name == "diag" and rank not in (1, 2):
        return RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {rank}D")
    if rank:
        return None
    if name in ("split", "chunk", "tensor_split"):
        return RuntimeError(f"{name} expects at least a 1-dimensional tensor")
    if name == "narrow":
        return RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if name == "diagonal":
        return IndexError("Dimension out of range (expected to be in range of [-1, 0], but got 1)")
    return None


def missing_operator(name: str, compute: Any, args: Any) -> str:
    """The name of the operator that is missing, with that of its overload."""
    if name in _IN_FORMULAS:
        return _IN_FORMULAS[name]
    if name in _MISSING:
        others = any(isinstance(each, TensorBase) for each in args[1:])
        return _MISSING[name][-1 if others else 0]
    row = getattr(compute, "row", None)
    if row is None or not row.schema.overload:
        return name
    return f"{name}.{row.schema.overload}"

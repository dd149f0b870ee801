"""How torch refuses what it does not have for tensors of compressed layouts.

Which words it finds depends on how an operator is made. One with a kernel for each backend is
missing as such. A structured one checks its arguments, makes what it returns in the layout of the
input, and is missing after that. Those over TensorIterator refuse the layout, and those made of
others come to the first thing that a compressed tensor does not have: strides, a contiguous form.
"""

from __future__ import annotations

from typing import Any

from minitorch.aten.sparse.layouts import layout_name
from minitorch.aten.sparse.refusals import missing_operator, no_blocks, no_size
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.registry import ROWS
from minitorch.core.declare.wording.errors import no_kernel
from minitorch.core.numbers import device as devices
from minitorch.core.tensor.conversion import wrap_dim

# Operators that torch computes over TensorIterator, which knows no such layout, besides those that
# have an element-wise row here.
_ITERATED = frozenset(
    """
    _div _div_mode _rsub allclose arccos arccosh arctan2 clip dist divide equal_ float_power
    gelu_backward greater greater_equal isclose isfinite l1_loss less less_equal logit_backward
    mse_loss nanmean not_equal polygamma selu sigmoid_backward sin_backward smooth_l1_loss
    special_expit square subtract tanh_backward true_divide
    """.split()
)
# Element-wise rows whose kernels are missing in torch before an iterator is made.
_NOT_ITERATED = frozenset(
    """
    floor_divide hardswish hardtanh logical_and logical_not logical_or logical_xor logit nan_to_num
    """.split()
)
# Structured reductions, and the kernel that is missing where all elements are reduced.
_REDUCED = {
    "all": "all.all_out", "amax": "amax.out", "amin": "amin.out", "any": "any.all_out",
    "argmax": "argmax.out", "argmin": "argmin.out", "mean": "mean.out", "norm": "norm.out",
    "prod": "prod",
}  # fmt: skip
# Other structured operators, and the kernel that is missing once there is a tensor for its result.
_STRUCTURED = {
    "_log_softmax": "_log_softmax.out", "_softmax": "_softmax.out", "aminmax": "aminmax.out",
    "avg_pool2d": "avg_pool2d.out", "avg_pool3d": "avg_pool3d.out", "baddbmm": "baddbmm.out",
    "bmm": "bmm.out", "cumprod": "cumprod.out", "cumsum": "cumsum.out", "gather": "gather.out",
    "index_add": "index_add.out", "index_copy": "index_copy.out",
    "index_reduce": "index_reduce.out",
    "linalg_cross": "linalg_cross.out", "linalg_vector_norm": "linalg_vector_norm.out",
    "log_softmax": "_log_softmax.out", "max": "max.dim_max", "min": "min.dim_min",
    "renorm": "renorm.out", "scatter_add": "scatter_add.out",
    "scatter_reduce": "scatter_reduce.two_out", "softmax": "_softmax.out", "topk": "topk.values",
    "tril": "tril.out", "triu": "triu.out",
}  # fmt: skip
_WITHOUT_STRIDES = frozenset(
    """
    unsqueeze squeeze squeeze_ unsqueeze_ diagonal sort argsort narrow split chunk slice
    tensor_split split_with_sizes expand_copy msort narrow_copy diff hsplit vsplit dsplit diag kron
    diag_embed atleast_3d dstack glu block_diag unsafe_split unsafe_chunk
    """.split()
)
_WITHOUT_CONTIGUITY = frozenset(
    """
    reshape flatten ravel contiguous cat stack concat concatenate reshape_as quantile nanquantile
    repeat_interleave diagflat layer_norm meshgrid
    """.split()
)
# Operators whose arguments torch checks before the layout, without the functions above.
_CHECKED = frozenset(
    """
    det _linalg_det inverse linalg_inv_ex slogdet _linalg_slogdet logdet outer ger tensordot cross
    one_hot max_pool2d max_pool2d_with_indices imag linalg_multi_dot stack
    """.split()
)
_EXPANDED = frozenset("expand expand_as broadcast_to repeat tile take_along_dim".split())
# The size of the tensor in the input's layout that torch makes first.
_SIZES = {
    **dict.fromkeys(
        "logical_not logical_and logical_or logical_xor logsumexp kthvalue median nanmedian "
        "mvlgamma smm sspaddmm batch_norm".split(),
        "[0]",
    ),
    **dict.fromkeys("linalg_norm linalg_matrix_norm _linalg_det det".split(), "[]"),
}
# The missing operators of the others, if they have another name.
_NAMES = {
    "nan_to_num": "nan_to_num.out",
    "count_nonzero": "count_nonzero.dim_IntList",
    "std": "std.correction",
    "var": "var.correction",
    "max": "max",
    "min": "min",
    "permute": "as_strided",
    "bernoulli_": "bernoulli_.float",
    "bernoulli": "bernoulli_.Tensor",
    "index_put_": "_index_put_impl_",
    "rand_like": "uniform_",
    "randn_like": "normal_",
    "nan_to_num_": "nan_to_num.out",
    "mvlgamma_": "mvlgamma.out",
    "logical_and_": "logical_and.out",
    "logical_not_": "logical_not.out",
    "logical_or_": "logical_or.out",
    "logical_xor_": "logical_xor.out",
    "inverse": "empty_strided",
    "linalg_inv_ex": "empty_strided",
    "linalg_qr": "empty_strided",
    "qr": "empty_strided",
    "svd": "empty_strided",
    "_linalg_svd": "empty_strided",
    "floor_divide_": "floor_divide_.Tensor",
    "embedding": "index_select",
    "prelu": "_prelu_kernel",
    "inner": "as_strided",
    "unflatten": "view",
    "fft_fft": "_fft_r2c",
}
_FORMATS = {
    **dict.fromkeys(("isreal",), "format Preserve"),
    **dict.fromkeys(("index_fill", "put", "index_put"), "format option Preserve"),
    **dict.fromkeys(("masked_fill", "masked_scatter"), "format option Contiguous"),
}


def missing(name: str, compute: Any, given: Any, args: Any, named: Any) -> Exception:
    """The error for an operator, in torch's words where these are known.

    RuntimeError or IndexError is raised instead where torch refuses the arguments before.
    """
    plain = name.removesuffix("_")
    if name in _ITERATED or _is_iterated(plain):
        if (name == "pow" and not isinstance(args[0], TensorBase)) or name == "ldexp":
            return _of_outputs(given, [given.shape]) or _missing("pow.Scalar_out")
        if name == "rsub" and isinstance(args[1], TensorBase):
            return _missing("rsub.Tensor")
        return RuntimeError(f"unsupported tensor layout: {layout_name(given)}")
    if plain in _REDUCED:
        several = any(isinstance(x, (list, tuple)) for x in (*args, *named.values()))
        return _reduction(name, plain, given, _on_meta(compute, args, named), several)
    if plain in _STRUCTURED and not (plain in ("max", "min") and len(args) + len(named) == 1):
        outputs = _on_meta(compute, args, named)
        second = args[{"bmm": 1, "baddbmm": 2}.get(plain, 0)]  # in whose layout the result is
        made = plain == name and getattr(second, "layout", devices.strided) is given.layout
        refused = _of_outputs(given, [x.shape for x in outputs]) if made else None
        return refused or _missing(_STRUCTURED[plain])
    if name in ("scatter", "scatter_"):
        return _scatter(name, compute, given, args, named)
    if name in _WITHOUT_STRIDES or name in _CHECKED:
        _on_meta(compute, args, named)
    return (
        _other_kernel(name, compute, given, args, named)
        or _without_property(name, given, args, named)
        or _refused_by_name(name, plain, given, len(args) + len(named))
        or _missing(_NAMES.get(name) or missing_operator(name, compute, args))
    )


def _is_iterated(plain: str) -> bool:
    """Whether torch computes an operator element by element over TensorIterator."""
    rows = [row for row in ROWS.values() if row.name == plain and row.family != "operator"]
    return plain in _ITERATED or (bool(rows) and plain not in _NOT_ITERATED)


def _other_kernel(name: str, compute: Any, given: Any, args: Any, named: Any) -> Exception | None:
    """The error of an operator that comes to the kernel of another; None for the rest."""
    if name == "permute":
        _check_order(given, args, named)
    if name == "where":
        return _missing("where.self")
    if name == "isin":
        return _missing(f"{missing_operator(name, compute, args)}_out")
    if name in ("cummax", "cummin"):
        return _of_outputs(given, [given.shape]) or no_size("[0]")
    return None


def _without_property(name: str, given: Any, args: Any, named: Any) -> Exception | None:
    """The error of an operator that asks for strides, contiguity or an expanded view."""
    short, dim = given._array.kind.short, args[1] if len(args) > 1 else named.get("dim", 0)
    if (
        (name == "einsum" and len(args) + len(named) > 2)
        or (name == "stack" and dim in (-1, given.dim()))
        or name in _WITHOUT_STRIDES
    ):
        return RuntimeError(f"Sparse {short} tensors do not have strides")
    if name in ("cat", "concat", "concatenate"):
        wrap_dim(dim, given.dim())
    if name in _WITHOUT_CONTIGUITY:
        return RuntimeError(f"Sparse {short} tensors do not have is_contiguous")
    if name in _EXPANDED:
        return RuntimeError(f"expand is unsupported for {layout_name(given)} tensors")
    return None


def _refused_by_name(name: str, plain: str, given: Any, count: int) -> Exception | None:
    """The error of an operator that refuses the layout in words of its own; None for the rest.

    count: how many arguments the call has.
    """
    if name in ("t_", "transpose_"):
        return RuntimeError(
            "torch.transpose_: in-place transposition is not supported for "
            f"{layout_name(given)} layout"
        )
    if name in _FORMATS:
        return RuntimeError(f"unsupported memory {_FORMATS[name]}")
    if name == "share_memory_":
        return NotImplementedError("Cannot access storage of SparseCsrTensorImpl")
    if name == "pin_memory":
        return RuntimeError("Cannot access accelerator device when none is available.")
    if name in _SIZES and (name not in ("median", "nanmedian") or count > 1):
        return no_size(_SIZES[name])
    return None


def _missing(name: str) -> NotImplementedError:
    return no_kernel(name, "SparseCsrCPU")


def _on_meta(compute: Any, args: Any, named: Any) -> list[Any]:
    """The results of an operator for meta tensors of these shapes; its own refusals are raised."""

    def hollow(x: Any) -> Any:
        if isinstance(x, (list, tuple)):
            return type(x)(map(hollow, x))
        if not isinstance(x, TensorBase):
            return x
        return OPS.empty(x.shape, dtype=x.dtype, device="meta")

    try:
        result = compute(*map(hollow, args), **{key: hollow(x) for key, x in named.items()})
    except NotImplementedError:  # it has no function of shapes
        return []
    return list(result) if isinstance(result, (list, tuple)) else [result]


def _check_order(given: Any, args: Any, named: Any) -> None:
    """RuntimeError unless these dimensions are all that there are, each once."""
    dims = named.get("dims", args[1:])
    dims = dims[0] if len(dims) == 1 and isinstance(dims[0], (list, tuple)) else dims
    if len(dims) != given.dim():
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the "
            f"length of the desired ordering of dimensions i.e. input.dim() = {given.dim()} is "
            f"not equal to len(dims) = {len(dims)}"
        )
    if len({wrap_dim(dim, given.dim()) for dim in dims}) < len(dims):
        raise RuntimeError("permute(): duplicate dims are not allowed.")


def _reduction(name: str, plain: str, given: Any, outputs: list[Any], several: bool) -> Exception:
    """The error of a reduction, which gives a dense number or what torch does not make.

    several: whether dimensions are given in a list, which all and any reduce one by one.
    """
    if name == plain and (any(x.dim() for x in outputs) or (several and plain in ("all", "any"))):
        return RuntimeError(
            f"resize_reduction: support for output with {layout_name(given)} layout is not "
            "implemented yet"
        )
    return _missing(_REDUCED[plain])


def _of_outputs(given: Any, shapes: Any) -> Exception | None:
    """The error where torch cannot make tensors of these shapes in the layout of `given`."""
    for shape in shapes:
        if len(shape) < 2:
            return no_size(list(shape))
        if given._array.kind.blocks:
            return no_blocks(given.layout)
    return None


def _scatter(name: str, compute: Any, given: Any, args: Any, named: Any) -> Exception:
    value = named.get("src", named.get("value", args[3] if len(args) > 3 else None))
    kind = "src" if isinstance(value, TensorBase) else "value"
    if "reduce" in named:
        kind = "reduce" if kind == "src" else "value_reduce"
    _on_meta(compute, args, named)
    refused = _of_outputs(given, [given.shape]) if name == "scatter" else None
    return refused or _missing(f"scatter.{kind}_out")

"""Products of groups of matrices, and of scaled ones: grouped_mm, scaled_mm, scaled_grouped_mm."""

from __future__ import annotations

from enum import Enum
from typing import Any

from minitorch.aten.linalg.matrix import dtypes_differ, in_columns, shapes_differ
from minitorch.core.arrays import layout, matrix
from minitorch.core.declare.families import operator
from minitorch.core.numbers import dtype as dtypes


def check_matrix(name: str, x: Any) -> None:
    if dtypes.of(x) not in (dtypes.float32, dtypes.bfloat16, dtypes.float16):
        raise RuntimeError(
            f"Expected {name} to be Float32, BFloat16 or Float16 matrix, got "
            f"{dtypes.of(x).scalar_name}"
        )


def check_strides(x: Any) -> None:
    """RuntimeError unless the rows or columns of `x` lie 16 bytes or a multiple apart."""
    (n, m), (row, column) = x.shape[-2:], layout.strides_of(x)[-2:]
    if row == 1 and column >= max(1, n):
        lead = column
    elif column == 1 and row >= max(1, m):
        lead = row
    else:
        raise RuntimeError(
            f"Invalid strides/sizes, got {list(layout.strides_of(x))} for strides and "
            f"{list(x.shape)} for sizes"
        )
    if lead * x.itemsize % 16:
        raise RuntimeError("strides should be multiple of 16 bytes")


def grouped_forward(xp: Any, self: Any, mat2: Any, offs: Any, bias: Any, out_dtype: Any) -> Any:
    flat = self.ndim == 2, mat2.ndim == 2
    check_matrix("mat_a", self)
    check_matrix("mat_b", mat2)
    for name, x in (("mat_a", self), ("mat_b", mat2)):
        if x.ndim not in (2, 3):
            raise RuntimeError(f"{name} has to be 2 or 3d")
    if not all(flat) and self.shape[-1] != mat2.shape[-2]:
        raise RuntimeError("contraction dimension of mat_a and mat_b must match")
    check_strides(self)
    check_strides(mat2)
    if (offs is None) is any(flat):
        raise RuntimeError(
            "Have to provide offsets if there is a 2d matrix, or no offset if both matrices are 3d"
        )
    if offs is not None:
        if offs.ndim != 1:
            raise RuntimeError("offs has to be 1D")
        if offs.dtype != "int32":
            raise RuntimeError("Offsets have to be int32")
    if bias is not None:
        raise RuntimeError("Bias not supported yet")
    if out_dtype not in (None, dtypes.of(self)):
        raise RuntimeError("Grouped gemm output dtype must match `mat_a` dtype")
    n, m = self.shape[-2], mat2.shape[-1]
    groups = len(self if offs is None else offs)
    if not all(flat) and len(self if flat[1] else mat2) != groups:
        what = "batched dimension has" if offs is None else "matrix batch sizes have"
        raise RuntimeError(f"{what} to match")
    if self.dtype != mat2.dtype and offs is None:
        raise RuntimeError(
            f"Expected out tensor to have dtype {dtypes.of(mat2).c_name}, but got "
            f"{dtypes.of(self).c_name} instead"
        )
    if self.dtype != mat2.dtype:
        raise dtypes_differ(self, mat2)
    if offs is None:
        return matrix.bmm(xp, self, mat2)
    out = xp.zeros((n, m) if sum(flat) == 1 else (groups, n, m), self.dtype)
    start = 0
    for i, end in enumerate(offs.tolist()):
        group = slice(start, end)
        if all(flat):
            a, b, into = self[:, group], mat2[group], out[i]
        elif flat[0]:
            a, b, into = self[group], mat2[i], out[group]
        else:
            a, b, into = self[i], mat2[:, group], out[:, group]
        if a.shape[1] != b.shape[0]:
            raise shapes_differ(a, b)
        into[...] = matrix.mm(xp, a, b)
        start = end
    return out


def grouped_self_backward(
    F: Any, grad: Any, mat2: Any, self_sym_sizes: Any, self_sym_strides: Any, offs: Any
) -> Any:
    if in_columns(self_sym_sizes[-2:], self_sym_strides[-2:]):
        return F.transpose(F._grouped_mm(mat2, F.transpose(grad, -2, -1), offs), -2, -1)
    return F._grouped_mm(grad, F.transpose(mat2, -2, -1), offs)


def grouped_mat2_backward(
    F: Any, grad: Any, self: Any, mat2_sym_sizes: Any, mat2_sym_strides: Any, offs: Any
) -> Any:
    if in_columns(mat2_sym_sizes[-2:], mat2_sym_strides[-2:]):
        return F.transpose(F._grouped_mm(F.transpose(grad, -2, -1), self, offs), -2, -1)
    return F._grouped_mm(F.transpose(self, -2, -1), grad, offs)


_grouped_mm = operator(
    "_grouped_mm(Tensor self, Tensor mat2, Tensor? offs=None, Tensor? bias=None, "
    "ScalarType? out_dtype=None) -> Tensor",
    node="GroupedMmBackward0",
    forward=grouped_forward,
    self=grouped_self_backward,
    mat2=grouped_mat2_backward,
    on=("F",),
)


def grouped_mm(
    mat_a: Any, mat_b: Any, *, offs: Any = None, bias: Any = None, out_dtype: Any = None
) -> Any:
    """The products of two batches of matrices, or of groups of rows or columns of a matrix.

    Args:
        mat_a: (G, N, K), or (N, K) whose rows or columns lie in groups; float32, bfloat16 or
            float16, with rows or columns a multiple of 16 bytes apart.
        mat_b: (G, K, M), or (K, M), likewise.
        offs: where each group ends, (G,) of int32, for operands of two dimensions.
        bias: None; torch has none yet.
        out_dtype: None, or the dtype of `mat_a`.

    Returns:
        (G, N, M), or (N, M) if one operand has two dimensions.

    Raises:
        RuntimeError: for other shapes, strides, dtypes and offsets, and for a bias.

    As torch.nn.functional.grouped_mm (ATen/native/GroupedMMUtils.h).
    """
    return _grouped_mm(mat_a, mat_b, offs=offs, bias=bias, out_dtype=out_dtype)


class _Member(Enum):
    def __int__(self) -> int:
        return self.value  # type: ignore[no-any-return]

    __index__ = __hash__ = __int__


ScalingType = _Member(
    "_ScalingType",
    "TensorWise RowWise BlockWise1x16 BlockWise1x32 BlockWise1x128 BlockWise128x128",
    start=0,
    module="torch.nn.functional",
)
SwizzleType = _Member(
    "_SwizzleType", "NO_SWIZZLE SWIZZLE_32_4_4", start=0, module="torch.nn.functional"
)
ScalingType.__doc__ = """The parts of a matrix that one scale of scaled_mm is the factor of.

As torch.nn.functional.ScalingType.
"""
SwizzleType.__doc__ = """The orders in which scales of scaled_mm lie in memory.

As torch.nn.functional.SwizzleType.
"""


def _listed(given: Any) -> list[Any]:
    return given if isinstance(given, list) else [] if given is None else [given]


def _shown(name: str, x: Any, scale: Any) -> str:
    comma = "," if name == "a" else " and"
    return (
        f"mat_{name}.dtype()={x.dtype.scalar_name}, scale_{name}.dtype()="
        f"{scale.dtype.scalar_name}, scale_{name}.size()={list(scale.shape)}{comma} "
        f"scale_{name}.stride()={list(scale.stride())}"
    )


def scaled_mm(
    mat_a: Any,
    mat_b: Any,
    scale_a: Any,
    scale_recipe_a: Any,
    scale_b: Any,
    scale_recipe_b: Any,
    swizzle_a: Any = None,
    swizzle_b: Any = None,
    bias: Any = None,
    output_dtype: Any = dtypes.bfloat16,
    contraction_dim: Any = (),
    use_fast_accum: bool = False,
) -> Any:
    """The product of two matrices of float8 numbers, of which there are none here.

    Args:
        mat_a, mat_b: (N, K) and (K, M).
        scale_a, scale_b: the factors of each, a tensor or a list of them.
        scale_recipe_a, scale_recipe_b: what they are factors of, members of ScalingType.
        swizzle_a, swizzle_b: how they lie in memory, members of SwizzleType.
        bias: (M,) or None.
        output_dtype: that of the result.
        contraction_dim, use_fast_accum: have no effect.

    Raises:
        ValueError: always: for shapes that do not fit, and else for dtypes without float8.

    As torch.nn.functional.scaled_mm.
    """
    for each in (scale_recipe_a, swizzle_a, scale_recipe_b, swizzle_b):
        [member.value for member in _listed(each)]
    for name, x in (("mat_a", mat_a), ("mat_b", mat_b)):
        if x.dim() != 2:
            raise ValueError(f"{name} must be a matrix")
    (n, k), (j, m) = mat_a.shape, mat_b.shape
    if k != j:
        raise ValueError(f"mat_a and mat_b shapes cannot be multiplied ({n}x{k} and {j}x{m})")
    if bias is not None and bias.numel() != m:
        raise ValueError(f"Bias must be size {m} but got {bias.numel()}")
    a, b = (_listed(each)[0] for each in (scale_a, scale_b))
    raise ValueError(
        "Invalid scaling configuration.\n"
        "- For TensorWise scaling, a and b should be float8, scales should be float and "
        "singletons.\n"
        "- For RowWise scaling, a and b should be float8, scales should be float, scale_a should "
        f"be ({n}, 1) and scale_b should be (1, {m}), and both should be contiguous.\n"
        f"Got {_shown('a', mat_a, a)}, {_shown('b', mat_b, b)}"
    )


def scaled_grouped_mm(
    mat_a: Any,
    mat_b: Any,
    scale_a: Any,
    scale_recipe_a: Any,
    scale_b: Any,
    scale_recipe_b: Any,
    swizzle_a: Any = None,
    swizzle_b: Any = None,
    bias: Any = None,
    offs: Any = None,
    output_dtype: Any = dtypes.bfloat16,
    contraction_dim: Any = (),
    use_fast_accum: bool = False,
) -> Any:
    """The products of groups of float8 matrices, which torch computes on GPUs alone.

    Args:
        mat_a, mat_b, scale_a, scale_recipe_a, scale_b, scale_recipe_b: as for `scaled_mm`.
        swizzle_a, swizzle_b, bias, output_dtype, contraction_dim, use_fast_accum: as for
            `scaled_mm`.
        offs: where each group ends.

    Raises:
        NotImplementedError: always.

    As torch.nn.functional.scaled_grouped_mm.
    """
    raise NotImplementedError(
        "Could not run 'aten::_scaled_grouped_mm_v2' with arguments from the 'CPU' backend."
    )

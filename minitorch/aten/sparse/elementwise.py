"""Element-wise operators that keep zeros: on the values of the coalesced tensor."""

from __future__ import annotations

import math
from typing import Any

from minitorch.aten.sparse.dispatch import (
    COMPRESSED,
    could_not_run,
    does,
    formulas,
    is_sparse,
    is_tensor,
    recorded,
    written_as,
)
from minitorch.aten.sparse.layouts import layout_name
from minitorch.aten.sparse.parts import check_result, coalesced
from minitorch.aten.sparse.tensor import made, values_of
from minitorch.core.base.fields import tensor
from minitorch.core.base.formulas import OPS
from minitorch.core.numbers import device as devices
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.warning import warn_once

# As the lists of ATen/native/sparse/SparseUnaryOps.cpp.
WRITABLE = """abs asin asinh atan atanh ceil deg2rad erf erfinv expm1 floor frac log1p rad2deg
    relu round sgn sign sin sinh sqrt tan tanh trunc""".split()
FRESH = "isinf isnan isneginf isposinf signbit".split()
ALIASES = {
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctanh": "atanh",
    "absolute": "abs",
    "fix": "trunc",
}


def _declare(name: str, key: str) -> None:
    def function(self: Any, **options: Any) -> Any:
        if options.get("decimals"):
            raise could_not_run(f"{name}.decimals", self)
        c = coalesced(self._array)
        values = getattr(OPS, name)(tensor(c.values), **options)
        return made(c.indices.copy(), values._array, c.shape, True)

    function.__name__ = name
    does(name, row=key)(function)


def _declare_written(name: str) -> None:
    def function(self: Any, **options: Any) -> Any:
        if not self._array.coalesced:
            raise RuntimeError(f"{name}_ requires coalesced input")
        c = self._array
        values = tensor(c.values.copy())
        getattr(values, name + "_")(**options)
        return written_as(self, made(c.indices, values._array, c.shape, True), name, **options)

    function.__name__ = name + "_"
    does(name + "_")(function)


# Gradients that torch computes otherwise than for dense tensors, or cannot.
formulas(
    "log1p.sparse(Tensor self) -> Tensor",
    "Log1PBackward0",
    self=lambda grad, self: log1p_backward(grad, self),
)
formulas(
    "atanh.sparse(Tensor self) -> Tensor",
    "AtanhBackward0",
    self=lambda grad, self: atanh_backward(grad, self),
)
formulas(
    "sgn.sparse(Tensor self) -> Tensor",
    "SgnBackward0",
    self=lambda grad, result, self: sgn_backward(grad, self, result),
)
formulas(
    "deg2rad.sparse(Tensor self) -> Tensor",
    "Deg2RadBackward0",
    self=lambda grad: times_number(grad, math.pi / 180),
)
formulas(
    "rad2deg.sparse(Tensor self) -> Tensor",
    "Rad2DegBackward0",
    self=lambda grad: times_number(grad, 180 / math.pi),
)
formulas(
    "sqrt.sparse(Tensor self) -> Tensor",
    "SqrtBackward0",
    self=lambda grad, result: grad / times_number(result.conj(), 2),
)
_MATERIALIZED = (
    "log1p_backward: received self with sparse layout, but backward requires materialization of a "
    "dense tensor with this shape"
)


def log1p_backward(grad: Any, self: Any) -> Any:
    """The gradient of log1p, over a dense tensor."""
    warn_once(_MATERIALIZED)
    slope = (self.to_dense() + 1).conj()
    return grad * slope.reciprocal() if is_sparse(grad) else grad / slope


def atanh_backward(grad: Any, self: Any) -> Any:
    """Refused: torch makes a contiguous tensor of ones like `self` on the way."""
    if not self.is_sparse:
        raise RuntimeError(f"unsupported tensor layout: {layout_name(self)}")
    raise RuntimeError("memory format option is only supported by strided tensors")


def times_number(x: Any, number: float) -> Any:
    """A product as formulas compute it. RuntimeError for compressed layouts other than CSR, whose
    parts torch asks for by the names of this one's."""
    if is_sparse(x) and not x.is_sparse and x.layout is not devices.sparse_csr:
        if x._array.kind.by_rows:
            raise RuntimeError(
                f"sparse compressed layout must be SparseCsr but got {layout_name(x)}"
            )
        raise RuntimeError(
            "col_indices expected sparse row compressed tensor layout but got " + layout_name(x)
        )
    return x * number


def sgn_backward(grad: Any, self: Any, result: Any) -> Any:
    """Refused: torch divides no sparse tensors, and has no efficient zeros of their layouts."""
    if self.dtype.is_complex:
        return grad / self.abs()
    raise could_not_run("_efficientzerotensor", self)


for _name in (*WRITABLE, *FRESH):
    _declare(_name, _name)
for _name in WRITABLE:
    _declare_written(_name)
for _name, _of in ALIASES.items():
    _declare(_of, _of)
    does(_name)(lambda self, _of=_of: getattr(OPS, _of)(self))
    does(_name + "_")(lambda self, _of=_of: getattr(self, _of + "_")())


@does("neg", "negative", row="neg")
def neg(self: Any) -> Any:
    c = self._array  # not brought into order: each element changes its sign by itself
    return made(c.indices.copy(), OPS.neg(tensor(c.values))._array, c.shape, c.coalesced)


@does("neg_", "negative_")
def neg_(self: Any) -> Any:
    return written_as(self, neg(self.detach()), "neg")


@does("positive")
def positive(self: Any) -> Any:
    if self.dtype is dtypes.bool:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return self


@does("nan_to_num", row="nan_to_num")
def nan_to_num(self: Any, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Any:
    c = coalesced(self._array)
    values = OPS.nan_to_num(tensor(c.values), nan, posinf, neginf)
    return made(c.indices.copy(), values._array, c.shape, True)


@does("conj")
def conj(self: Any) -> Any:
    return conj_physical(self) if self.dtype.is_complex else self


does("resolve_conj", "resolve_neg")(lambda self: self)


@does("conj_physical", "_conj_physical")
def conj_physical(self: Any) -> Any:
    return _conj_physical(self) if self.dtype.is_complex else self


def _conjugates(self: Any) -> Any:
    c = self._array
    values = OPS.conj_physical(tensor(c.values))._array
    return made(c.indices, values, c.shape, c.coalesced)


_conj_physical = recorded("_conj_physical", _conjugates)


@does("nan_to_num_")
def nan_to_num_(self: Any, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Any:
    if not self._array.coalesced:
        raise RuntimeError("nan_to_num_ requires coalesced input")
    result = nan_to_num(self.detach(), nan, posinf, neginf)
    return written_as(self, result, "nan_to_num", nan=nan, posinf=posinf, neginf=neginf)


@does("conj_physical_")
def conj_physical_(self: Any) -> Any:
    if self.dtype.is_complex:
        raise RuntimeError("unsupported tensor layout: Sparse")
    return written_as(self, conj_physical(self.detach()), "conj_physical_")


@does("threshold_backward", row="threshold_backward")
def threshold_backward(grad_output: Any, self: Any, threshold: Any) -> Any:
    """The gradient of relu. As threshold_backward_sparse of SparseUnaryOps.cpp."""
    held = self.coalesce() if hasattr(self, "coalesce") else self
    masked = grad_output.sparse_mask(held)
    c = held._array
    values = OPS.threshold_backward(values_of(masked), values_of(held), threshold)
    return made(c.indices, values._array, c.shape, True)


@does("pow", row="pow_Tensor_Scalar")
def pow(self: Any, exponent: Any) -> Any:
    if is_tensor(exponent):
        sparse = self if is_sparse(self) else exponent
        raise could_not_run("pow.Tensor_Tensor" if is_tensor(self) else "pow.Scalar", sparse)
    if exponent == 0:
        raise RuntimeError(
            "pow: cannot raise to zeroth power on sparse tensor; it would make the result tensor "
            "dense"
        )
    c = coalesced(self._array)
    values = OPS.pow(tensor(c.values), exponent)
    check_result(values.dtype, self.dtype)
    return made(c.indices.copy(), values._array, c.shape, True)


@does("square")
def square(self: Any) -> Any:
    return OPS.pow(self, 2)


@does("any")
def any_(self: Any) -> Any:
    return OPS.any(values_of(self))


# ---- dropout, which hands a tensor on in evaluation

_DROPOUTS = [
    f"{of}dropout{end}" for of in ("", "feature_", "alpha_", "feature_alpha_") for end in ("", "_")
]


@does(*_DROPOUTS)
@does(*_DROPOUTS, table=COMPRESSED)
def dropout(input: Any, p: float, train: bool) -> Any:
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")
    if p == 0 or not train or not input.numel():
        return input
    if p == 1:
        raise NotImplementedError("torch.dropout of all elements of a sparse tensor")
    raise could_not_run("bernoulli_.float", input)

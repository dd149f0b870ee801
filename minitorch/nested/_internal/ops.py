"""The operators of NestedTensors: what there is for a call, and element-wise functions.

As torch/nested/_internal/ops.py. Tables are filled by the modules beside this one: of shapes,
reductions, products, layers.
"""

from __future__ import annotations

import functools
from typing import Any

import minitorch as torch
from minitorch._public.symbolic_int import SymInt
from minitorch.core.graph import current_backward
from minitorch.nested._internal import (
    creation,
    layers,
    products,
    reductions,
    shapes,
)
from minitorch.nested._internal.above import above
from minitorch.nested._internal.gradients import row_for
from minitorch.nested._internal.nested_tensor import NestedTensor, NotJagged, nested_from_padded
from minitorch.nested._internal.registry import (
    JAGGED_OPS_TABLE,
    Function,
    check_schema,
    is_same_raggedness,
    like,
)

__all__: list[str] = []

# What torch counts as element-wise: torch.Tag.pointwise.
_ELEMENTWISE = frozenset(
    """
    _conj_physical abs acos acosh add addcdiv addcmul angle asin asinh atan atan2 atanh
    bitwise_and bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor ceil
    celu clamp clamp_max clamp_min clip clone conj_physical copysign cos cosh deg2rad digamma
    div elu eq equal erf erfc erfinv exp exp2 expm1 float_power floor fmax fmin fmod frac frexp
    gcd ge gelu gelu_backward gt hardshrink hardsigmoid hardtanh heaviside hypot i0 igamma
    igammac isfinite isinf isnan isneginf isposinf lcm ldexp le leaky_relu lerp lgamma log log10
    log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or logical_xor logit
    logit_backward lt masked_fill max maximum min minimum mish mul mvlgamma nan_to_num
    native_dropout_backward ne neg nextafter polygamma positive pow rad2deg reciprocal relu
    relu6 remainder round rrelu rsqrt rsub selu sgn sigmoid sigmoid_backward sign signbit silu
    silu_backward sin sinc sinh softplus softshrink special_airy_ai special_bessel_j0
    special_bessel_j1 special_bessel_y0 special_bessel_y1 special_chebyshev_polynomial_t
    special_chebyshev_polynomial_u special_chebyshev_polynomial_v special_chebyshev_polynomial_w
    special_entr special_erfcx special_hermite_polynomial_h special_hermite_polynomial_he
    special_i0e special_i1 special_i1e special_laguerre_polynomial_l
    special_legendre_polynomial_p special_log_ndtr special_modified_bessel_i0
    special_modified_bessel_i1 special_modified_bessel_k0 special_modified_bessel_k1
    special_ndtri special_scaled_modified_bessel_k0 special_scaled_modified_bessel_k1
    special_shifted_chebyshev_polynomial_t special_shifted_chebyshev_polynomial_u
    special_shifted_chebyshev_polynomial_v special_shifted_chebyshev_polynomial_w
    special_spherical_bessel_j0 special_xlog1py special_zeta sqrt square sub tan tanh
    tanh_backward threshold threshold_backward true_divide trunc where xlogy
    """.split()
)
# Writes that torch does not count so, though it counts their functions.
_OUT_OF_PLACE = frozenset(
    """
    abs_ copysign_ eq_ gcd_ ge_ gelu_ gt_ heaviside_ lcm_ le_ lt_ masked_fill_ mish_ ne_ relu6_
    rrelu_ threshold_ true_divide_
    """.split()
)
# Gradients of element-wise functions, for which NestedTensors have a kernel of their own.
_OF_ACTIVATIONS = frozenset(
    """
    elu_backward hardshrink_backward hardsigmoid_backward hardtanh_backward softplus_backward
    softshrink_backward
    """.split()
)


def lookup_jagged(func: Any, *args: Any, **kwargs: Any) -> Function | None:
    """The function that computes an operator of NestedTensors; None if there is none."""
    found = JAGGED_OPS_TABLE.get(func.__name__)
    if found is not None:
        return found
    name = func._opname
    if name in _OUT_OF_PLACE:
        return None
    if name.rstrip("_") not in _ELEMENTWISE and name not in _OF_ACTIVATIONS:
        return None
    for arg in args:
        if isinstance(arg, SymInt):
            raise RuntimeError(f"NestedTensor {func.__name__}: invalid argument {arg}")
    tensors = [x for x in args if isinstance(x, torch.Tensor)]
    if len(tensors) == 1:
        first = next(i for i, x in enumerate(args) if isinstance(x, torch.Tensor))
        names = _argument_names(func)
        parts = [f"{name}: any" for name in names[:first]]
        check_schema(", ".join([*parts, f"{names[first]}: jt_all", "..."]), func.__name__, args)
        return functools.partial(_of_one, func)
    if len(tensors) == 2:
        check_schema("lhs: any, rhs: any, ...", func.__name__, args)
        return functools.partial(_of_two, func)
    # Of three tensors torch knows gradients alone; the formulas here ask for more of them.
    if name in _OF_ACTIVATIONS or current_backward.task_id() is not None:
        return functools.partial(_of_many, func)
    return None


def _argument_names(func: Any) -> list[str]:
    inside = func._text.partition("(")[2]
    names = [part.partition("=")[0].split()[-1] for part in inside.split(",") if part.split()]
    return [*names, *["self"] * 4]


def _of_one(func: Any, *args: Any, **kwargs: Any) -> Any:
    nt = next(arg for arg in args if isinstance(arg, NestedTensor))
    result = func(*[arg._values if arg is nt else arg for arg in args], **kwargs)
    if func._opname.endswith("_"):
        return nt
    if isinstance(result, (tuple, list)):
        return type(result)([like(each, nt) for each in result])
    return like(result, nt)


def _of_many(func: Any, *args: Any, **kwargs: Any) -> Any:
    """The result of an operator on three or more tensors."""
    nt = next(arg for arg in args if isinstance(arg, NestedTensor))
    if not all(is_same_raggedness(nt, x._size) for x in args if isinstance(x, NestedTensor)):
        raise NotImplementedError(func)
    values = [x._values if isinstance(x, NestedTensor) else x for x in args]
    return like(func(*values, **kwargs), nt)


def _of_two(func: Any, *args: Any, **kwargs: Any) -> Any:
    places = [i for i, x in enumerate(args) if isinstance(x, torch.Tensor)]
    if places != [0, 1]:
        return _of_many(func, *args, **kwargs)
    a, b, *rest = args
    if isinstance(a, NestedTensor) and isinstance(b, NestedTensor):
        if not is_same_raggedness(a, b._size):
            raise _mismatch(func, a._size, b._size)
        return _made_of(func, a, b, a._values, b._values, rest, kwargs)
    nt, dense = (a, b) if isinstance(a, NestedTensor) else (b, a)
    if dense.dim() > nt.dim():
        raise NotImplementedError("NYI: broadcasting NT with T with larger dim")
    bare = dense
    while bare.dim() > 0 and bare.shape[0] == 1:
        bare = bare.squeeze(0)
    if nt.dim() >= bare.dim() + 2:
        operands = (nt._values, bare) if nt is a else (bare, nt._values)
        return _made_of(func, a, nt, *operands, rest, kwargs)
    if a.dim() != b.dim() or a.shape[0] != b.shape[0]:
        raise _mismatch(func, a.shape, b.shape)
    as_ragged = _as_ragged(dense, nt)
    return func(*((nt, as_ragged) if nt is a else (as_ragged, nt)), *rest, **kwargs)


def _made_of(func: Any, a: Any, nt: Any, left: Any, right: Any, rest: Any, kwargs: Any) -> Any:
    """The operator on values, as ragged as `nt`, or `a` where it is written into that."""
    result = func(left, right, *rest, **kwargs)
    if func._opname.endswith("_") and isinstance(a, NestedTensor):
        return a
    return like(result, a if isinstance(a, NestedTensor) else nt)


def _as_ragged(dense: Any, nt: Any) -> Any:
    """A dense tensor of one row a batch, repeated as far as a NestedTensor goes."""
    total = nt._values.shape[nt._ragged_idx - 1]
    longest = nt._maybe_max_seqlen
    width = total if longest is None else longest
    sizes = [width if i == nt._ragged_idx else n for i, n in enumerate(dense.shape)]
    return nested_from_padded(
        dense.expand(sizes),
        offsets=nt._offsets,
        ragged_idx=nt._ragged_idx,
        sum_S=total,
        min_seqlen=nt._maybe_min_seqlen,
        max_seqlen=longest,
    )


def _mismatch(func: Any, first: Any, second: Any) -> RuntimeError:
    return RuntimeError(
        f"cannot call binary pointwise function {func.__name__} with inputs of shapes {first} and "
        f"{second}"
    )


def jagged_torch_function(func: Any, *args: Any, **kwargs: Any) -> Any:
    """The result of a public function on NestedTensors. NotJagged if it has no case for them."""
    name = getattr(func, "__name__", None)
    found = FUNCTIONS.get(name) if isinstance(name, str) else None
    if found is None:
        raise NotJagged(func)
    return found(*args, **kwargs)


def _apply_(self: Any, callable: Any) -> Any:
    self._values.apply_(callable)
    return self


def _is_shared(self: Any) -> bool:
    names, _ = self.__tensor_flatten__()
    return all(getattr(self, name).is_shared() for name in names)


def _share_memory_(self: Any) -> Any:
    names, _ = self.__tensor_flatten__()
    for name in names:
        getattr(self, name).share_memory_()
    return self


# Public functions, by name, that are made of others and know NestedTensors nevertheless.
FUNCTIONS: dict[str, Function] = {
    "apply_": _apply_,
    "is_shared": _is_shared,
    "share_memory_": _share_memory_,
    **creation.FUNCTIONS,
    **shapes.FUNCTIONS,
    **layers.FUNCTIONS,
}
# The same below __torch_function__.
COMPOSED: dict[str, Function] = {
    **FUNCTIONS,
    **creation.COMPOSED,
    **shapes.COMPOSED,
    **reductions.COMPOSED,
    **products.COMPOSED,
    **layers.COMPOSED,
}
NestedTensor._own_functions = COMPOSED
NestedTensor._own_row = staticmethod(row_for)


above.lookup_jagged = lookup_jagged
above.jagged_torch_function = jagged_torch_function

"""Element-wise operators of one tensor: they leave the mask as it is."""

from __future__ import annotations

from functools import partial
from typing import Any

import minitorch as torch
from minitorch.masked.maskedtensor.core import _map_mt_args_kwargs, _wrap_result

__all__: list[str] = []

UNARY_NAMES = """
    abs absolute acos arccos acosh arccosh angle asin arcsin asinh arcsinh atan arctan atanh arctanh
    bitwise_not ceil clamp clip conj_physical cos cosh deg2rad digamma erf erfc erfinv exp exp2
    expm1 fix floor frac lgamma log log10 log1p log2 logit i0 isnan nan_to_num neg negative positive
    pow rad2deg reciprocal round rsqrt sigmoid sign sgn signbit sin sinc sinh sqrt square tan tanh
    trunc
""".split()
INPLACE_UNARY_NAMES = [
    f"{name}_" for name in UNARY_NAMES if name not in ("angle", "positive", "signbit", "isnan")
]
# Those that torch leaves out.
UNARY_NAMES_UNSUPPORTED = """
    atan2 arctan2 bitwise_left_shift bitwise_right_shift copysign float_power fmod frexp gradient
    imag ldexp lerp logical_not hypot igamma igammac mvlgamma nextafter polygamma real remainder
    true_divide xlogy
""".split()


def _unary_helper(fn: Any, args: Any, kwargs: Any, inplace: bool) -> Any:
    """fn of the data, masked as args[0] is; written into that if `inplace`."""
    if kwargs:
        raise ValueError(
            "MaskedTensor unary ops require that len(kwargs) == 0. If you need support for this, "
            "please open an issue on Github."
        )
    if any(map(torch.is_tensor, args[1:])):
        raise TypeError("MaskedTensor unary ops do not support additional Tensor arguments")
    self, data = args[0], args[0]._masked_data
    others = _map_mt_args_kwargs(args[1:], {}, lambda x: x._masked_data)[0]
    result = on_elements(lambda values: fn(values, *others), data)
    if inplace:
        self._set_data_mask(result, self._masked_mask)
        return self
    return _wrap_result(result, self._masked_mask)


def on_elements(function: Any, data: Any) -> Any:
    """function(data), where that is sparse of the elements that it has."""
    if data.layout == torch.sparse_coo:
        data = data.coalesce()
        return torch.sparse_coo_tensor(data.indices(), function(data.values()), data.size())
    if data.layout == torch.sparse_csr:
        values = function(data.values())
        return torch.sparse_csr_tensor(data.crow_indices(), data.col_indices(), values, data.size())
    return function(data)


def _on_masked(fn: Any, inplace: bool, *args: Any, **kwargs: Any) -> Any:
    return _unary_helper(fn, args, kwargs, inplace)


def _map_of(names: list[str], inplace: bool) -> dict[Any, Any]:
    functions = [getattr(torch.ops.aten, name) for name in names if hasattr(torch.ops.aten, name)]
    return {fn: partial(_on_masked, fn, inplace) for fn in functions}


NATIVE_UNARY_MAP = _map_of(UNARY_NAMES, False)
NATIVE_INPLACE_UNARY_MAP = _map_of(INPLACE_UNARY_NAMES, True)
NATIVE_UNARY_FNS = list(NATIVE_UNARY_MAP)
NATIVE_INPLACE_UNARY_FNS = list(NATIVE_INPLACE_UNARY_MAP)


def _is_native_unary(fn: Any) -> bool:
    return fn in NATIVE_UNARY_MAP or fn in NATIVE_INPLACE_UNARY_MAP


def _apply_native_unary(fn: Any, *args: Any, **kwargs: Any) -> Any:
    """The result of a unary operator; NotImplemented if `fn` is none."""
    found = NATIVE_UNARY_MAP.get(fn) or NATIVE_INPLACE_UNARY_MAP.get(fn)
    return NotImplemented if found is None else found(*args, **kwargs)

"""The activations of torch.nn.functional, and softmax with its relatives."""

from __future__ import annotations

import warnings
from typing import Any

from minitorch import aten
from minitorch.aten.elementwise import activation, rectifiers
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.codegen.shells import refuse_handed
from minitorch.nn import functional as F


def relu(input: Any, inplace: bool = False) -> Any:
    """max(x, 0)."""
    return input.relu_() if inplace else OPS.relu(input)


def relu6(input: Any, inplace: bool = False) -> Any:
    """min(max(x, 0), 6)."""
    try:
        return F.hardtanh(input, 0, 6, inplace)
    except TypeError:
        refuse_handed("_nn.relu6", input)
        raise


def _threshold(input: Any, threshold: float, value: float, inplace: bool = False) -> Any:
    """x where it is above `threshold`, else `value`."""
    return aten.function_named("threshold_" if inplace else "threshold")(input, threshold, value)


threshold = _threshold  # as torch calls it where it is shown


def leaky_relu(input: Any, negative_slope: float = 0.01, inplace: bool = False) -> Any:
    """x where positive, else negative_slope * x."""
    return (rectifiers.leaky_relu_ if inplace else rectifiers.leaky_relu)(input, negative_slope)


def elu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """x where positive, else alpha * (exp(x) - 1). Clevert et al., https://arxiv.org/abs/1511.07289."""
    return (activation.elu_ if inplace else activation.elu)(input, alpha)


def selu(input: Any, inplace: bool = False) -> Any:
    """elu with the alpha and scale that keep mean and variance."""
    return (activation.selu_ if inplace else activation.selu)(input)


def celu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1))."""
    return (activation.celu_ if inplace else activation.celu)(input, alpha)


def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Any:
    """x held between min_val and max_val."""
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return (rectifiers.hardtanh_ if inplace else rectifiers.hardtanh)(input, min_val, max_val)


def hardsigmoid(input: Any, inplace: bool = False) -> Any:
    """min(max(x + 3, 0), 6) / 6."""
    return (activation.hardsigmoid_ if inplace else activation.hardsigmoid)(input)


def hardswish(input: Any, inplace: bool = False) -> Any:
    """x * hardsigmoid(x). Howard et al., https://arxiv.org/abs/1905.02244."""
    return (activation.hardswish_ if inplace else activation.hardswish)(input)


def silu(input: Any, inplace: bool = False) -> Any:
    """x * sigmoid(x). Hendrycks and Gimpel, https://arxiv.org/abs/1606.08415."""
    return (activation.silu_ if inplace else activation.silu)(input)


def mish(input: Any, inplace: bool = False) -> Any:
    """x * tanh(softplus(x)). Misra, https://arxiv.org/abs/1908.08681."""
    return (activation.mish_ if inplace else activation.mish)(input)


def glu(input: Any, dim: int = -1) -> Any:
    """The first half along `dim`, times the sigmoid of the second. arXiv 1612.08083."""
    try:
        return activation.glu(input, dim)
    except TypeError:
        input.dim()  # which torch asks for first
        raise


def softsign(input: Any) -> Any:
    """x / (1 + |x|)."""
    return input / (input.abs() + 1)


def tanhshrink(input: Any) -> Any:
    """x - tanh(x)."""
    return input - input.tanh()


def tanh(input: Any) -> Any:
    """The hyperbolic tangent."""
    return input.tanh()


def sigmoid(input: Any) -> Any:
    """1 / (1 + exp(-x))."""
    return input.sigmoid()


def _softmax_dim(name: str, rank: int) -> int:
    """The dimension that softmax works along if none is given."""
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include "
        "dim=X as an argument.",
        stacklevel=4,
    )
    return 0 if rank in (0, 1, 3) else 1


def softmax(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """exp(x) / sum(exp(x)) along `dim`."""
    if dim is None:
        dim = _softmax_dim("softmax", input.dim())
    return OPS.softmax(input, dim, dtype)


def softmin(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """softmax(-x) along `dim`."""
    if dim is None:
        dim = _softmax_dim("softmin", input.dim())
    return (-input).softmax(dim, dtype)


def log_softmax(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """log(softmax(x)) along `dim`."""
    if dim is None:
        dim = _softmax_dim("log_softmax", input.dim())
    return OPS.log_softmax(input, dim, dtype)


def rrelu(
    input: Any,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Any:
    """x where positive, else times a slope drawn from [lower, upper). arXiv 1505.00853."""
    return (OPS.rrelu_ if inplace else OPS.rrelu)(input, lower, upper, training)

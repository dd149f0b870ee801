"""The activations of torch.nn.functional, and softmax with its relatives."""

from __future__ import annotations

from typing import Any

from minitorch import aten
from minitorch.aten.elementwise import activation, rectifiers
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.codegen.shells import refuse_handed
from minitorch.nn import functional as F
from minitorch.nn._functional.helpers import _get_softmax_dim


def relu(input: Any, inplace: bool = False) -> Any:
    """max(x, 0).

    Args:
        input: real, of any shape.
        inplace: whether to write into `input`.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        RuntimeError: for bools.
        NotImplementedError: for complex numbers.

    As torch.nn.functional.relu (ATen/native/Activation.cpp).
    """
    return input.relu_() if inplace else OPS.relu(input)


def relu6(input: Any, inplace: bool = False) -> Any:
    """min(max(x, 0), 6).

    Args:
        input: real, of any shape.
        inplace: whether to write into `input`.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        RuntimeError: for bools.
        NotImplementedError: for complex numbers.

    As torch.nn.functional.relu6 (ATen/native/Activation.cpp).
    """
    try:
        return F.hardtanh(input, 0, 6, inplace)
    except TypeError:
        refuse_handed("_nn.relu6", input)
        raise


def _threshold(input: Any, threshold: float, value: float, inplace: bool = False) -> Any:
    """x where it is above `threshold`, else `value`.

    Args:
        input: real, of any shape.
        threshold: the number that an element must exceed to stay.
        value: the number that takes the place of the others.
        inplace: whether to write into `input`.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        NotImplementedError: for bools and complex numbers.

    As torch.nn.functional.threshold (ATen/native/Activation.cpp).
    """
    return aten.function_named("threshold_" if inplace else "threshold")(input, threshold, value)


threshold = _threshold  # as torch calls it where it is shown


def leaky_relu(input: Any, negative_slope: float = 0.01, inplace: bool = False) -> Any:
    """x where positive, else negative_slope * x.

    Args:
        input: floating, of any shape.
        negative_slope: the factor of what is not positive.
        inplace: whether to write into `input`.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        NotImplementedError: for integers and complex numbers.

    As torch.nn.functional.leaky_relu (ATen/native/Activation.cpp).
    """
    return (rectifiers.leaky_relu_ if inplace else rectifiers.leaky_relu)(input, negative_slope)


def elu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """x where positive, else alpha * (exp(x) - 1). Clevert et al., https://arxiv.org/abs/1511.07289.

    Args:
        input: floating, of any shape.
        alpha: minus the limit for very negative elements.
        inplace: whether to write into `input`.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        NotImplementedError: for integers and complex numbers.

    As torch.nn.functional.elu (ATen/native/Activation.cpp).
    """
    return (activation.elu_ if inplace else activation.elu)(input, alpha)


def selu(input: Any, inplace: bool = False) -> Any:
    """elu with the alpha and scale that keep mean and variance.

    Args:
        input: floating, of any shape.
        inplace: whether to write into `input`.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        NotImplementedError: for integers and complex numbers.

    As torch.nn.functional.selu: 1.0507 * elu(x, 1.6733), rounded. Klambauer et al.,
    https://arxiv.org/abs/1706.02515.
    """
    return (activation.selu_ if inplace else activation.selu)(input)


def celu(input: Any, alpha: float = 1.0, inplace: bool = False) -> Any:
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1)).

    Args:
        input: floating, of any shape.
        alpha: minus the limit for very negative elements; not 0.
        inplace: whether to write into `input`.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        RuntimeError: if `alpha` is 0.
        NotImplementedError: for integers and complex numbers.

    As torch.nn.functional.celu. Barron, https://arxiv.org/abs/1704.07483.
    """
    return (activation.celu_ if inplace else activation.celu)(input, alpha)


def hardtanh(input: Any, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Any:
    """x held between min_val and max_val.

    Args:
        input: real, of any shape.
        min_val: the least element of the result.
        max_val: the largest.
        inplace: whether to write into `input`.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        ValueError: if `min_val` is greater than `max_val`.
        RuntimeError: for bools.
        NotImplementedError: for complex numbers.

    As torch.nn.functional.hardtanh (ATen/native/Activation.cpp).
    """
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    return (rectifiers.hardtanh_ if inplace else rectifiers.hardtanh)(input, min_val, max_val)


def hardsigmoid(input: Any, inplace: bool = False) -> Any:
    """min(max(x + 3, 0), 6) / 6.

    Args:
        input: floating, of any shape.
        inplace: whether to write into `input`.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        NotImplementedError: for integers and complex numbers.

    As torch.nn.functional.hardsigmoid (ATen/native/Activation.cpp).
    """
    return (activation.hardsigmoid_ if inplace else activation.hardsigmoid)(input)


def hardswish(input: Any, inplace: bool = False) -> Any:
    """x * hardsigmoid(x). Howard et al., https://arxiv.org/abs/1905.02244.

    Args:
        input: floating, of any shape.
        inplace: whether to write into `input`.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        NotImplementedError: for integers and complex numbers.

    As torch.nn.functional.hardswish (ATen/native/Activation.cpp).
    """
    return (activation.hardswish_ if inplace else activation.hardswish)(input)


def silu(input: Any, inplace: bool = False) -> Any:
    """x * sigmoid(x). Hendrycks and Gimpel, https://arxiv.org/abs/1606.08415.

    Args:
        input: floating or complex, of any shape.
        inplace: whether to write into `input`.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        NotImplementedError: for integers.

    As torch.nn.functional.silu (ATen/native/Activation.cpp).
    """
    return (activation.silu_ if inplace else activation.silu)(input)


def mish(input: Any, inplace: bool = False) -> Any:
    """x * tanh(softplus(x)). Misra, https://arxiv.org/abs/1908.08681.

    Args:
        input: floating, of any shape.
        inplace: whether to write into `input`.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        NotImplementedError: for integers and complex numbers.

    As torch.nn.functional.mish (ATen/native/Activation.cpp).
    """
    return (activation.mish_ if inplace else activation.mish)(input)


def glu(input: Any, dim: int = -1) -> Any:
    """The first half along `dim`, times the sigmoid of the second. arXiv 1612.08083.

    Args:
        input: floating, of at least one dimension.
        dim: the dimension that is halved; its size is even.

    Returns:
        Of the dtype of `input`, and half its size along `dim`.

    Raises:
        RuntimeError: if the size along `dim` is odd, or `input` has no dimension.
        IndexError: if `input` has no dimension `dim`.
        NotImplementedError: for integers.

    As torch.nn.functional.glu (ATen/native/GatedLinearUnit.cpp).
    """
    try:
        return activation.glu(input, dim)
    except TypeError:
        input.dim()  # which torch asks for first
        raise


def softsign(input: Any) -> Any:
    """x / (1 + |x|).

    Args:
        input: of any shape and dtype but bool.

    Returns:
        Of the shape of `input`, and of its dtype or, for integers, the default dtype.

    As torch.nn.functional.softsign.
    """
    return input / (input.abs() + 1)


def tanhshrink(input: Any) -> Any:
    """x - tanh(x).

    Args:
        input: of any shape and dtype but bool.

    Returns:
        Of the shape of `input`, and of its dtype or, for integers, the default dtype.

    As torch.nn.functional.tanhshrink.
    """
    return input - input.tanh()


def tanh(input: Any) -> Any:
    """The hyperbolic tangent.

    Args:
        input: of any shape and dtype.

    Returns:
        Of the shape of `input`, and of its dtype or, for integers and bools, the default dtype.

    As torch.nn.functional.tanh, which calls `input.tanh()`.
    """
    return input.tanh()


def sigmoid(input: Any) -> Any:
    """1 / (1 + exp(-x)).

    Args:
        input: of any shape and dtype.

    Returns:
        Of the shape of `input`, and of its dtype or, for integers and bools, the default dtype.

    As torch.nn.functional.sigmoid, which calls `input.sigmoid()`.
    """
    return input.sigmoid()


def softmax(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """exp(x) / sum(exp(x)) along `dim`.

    Args:
        input: floating, of any shape.
        dim: the dimension along which the result sums up to 1. If None, 0 for zero, one or three
            dimensions, else 1, with a warning.
        _stacklevel: how far above this function the warning about a `dim` of None points.
        dtype: that `input` is converted to first; its own if None.

    Returns:
        Of the shape of `input`.

    Raises:
        IndexError: if `input` has no dimension `dim`.
        NotImplementedError: for integers without `dtype`, and for complex numbers.

    As torch.nn.functional.softmax (ATen/native/SoftMax.cpp).
    """
    if dim is None:
        dim = _get_softmax_dim("softmax", input.dim(), _stacklevel)
    return input.softmax(dim) if dtype is None else input.softmax(dim, dtype=dtype)


def softmin(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """softmax(-x) along `dim`.

    Args:
        input: floating, of any shape.
        dim: as for `softmax`.
        _stacklevel: how far above this function the warning about a `dim` of None points.
        dtype: that `-input` is converted to first; its own if None.

    Returns:
        Of the shape of `input`.

    Raises:
        IndexError: if `input` has no dimension `dim`.
        NotImplementedError: for integers without `dtype`, and for complex numbers.

    As torch.nn.functional.softmin.
    """
    if dim is None:
        dim = _get_softmax_dim("softmin", input.dim(), _stacklevel)
    return (-input).softmax(dim) if dtype is None else (-input).softmax(dim, dtype=dtype)


def log_softmax(input: Any, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """log(softmax(x)) along `dim`.

    Args:
        input: floating, of any shape.
        dim: as for `softmax`.
        _stacklevel: how far above this function the warning about a `dim` of None points.
        dtype: that `input` is converted to first; its own if None.

    Returns:
        Of the shape of `input`. No element is rounded to log(0), as that of a very small softmax
            would be.

    Raises:
        IndexError: if `input` has no dimension `dim`.
        NotImplementedError: for integers without `dtype`, and for complex numbers.

    As torch.nn.functional.log_softmax (ATen/native/SoftMax.cpp).
    """
    if dim is None:
        dim = _get_softmax_dim("log_softmax", input.dim(), _stacklevel)
    return input.log_softmax(dim) if dtype is None else input.log_softmax(dim, dtype=dtype)


def rrelu(
    input: Any,
    lower: float = 1.0 / 8,
    upper: float = 1.0 / 3,
    training: bool = False,
    inplace: bool = False,
) -> Any:
    """x where positive, else times a slope drawn from [lower, upper). arXiv 1505.00853.

    Args:
        input: floating, of any shape.
        lower: the least slope.
        upper: the bound of the slopes, not less than `lower`.
        training: whether to draw a slope for each element that is not positive; else all have the
            mean (lower + upper) / 2.
        inplace: whether to write into `input`.

    Returns:
        Of the shape and dtype of `input`.

    Raises:
        RuntimeError: if `lower` is greater than `upper`.
        NotImplementedError: for integers and complex numbers.

    As torch.nn.functional.rrelu (ATen/native/Activation.cpp).
    """
    return (OPS.rrelu_ if inplace else OPS.rrelu)(input, lower, upper, training)

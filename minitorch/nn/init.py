"""torch.nn.init: filling tensors in place with starting values, in torch's order of draws."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy

from minitorch._public.later import names_of as _names_of
from minitorch.autograd.grad_mode import no_grad
from minitorch.core.arrays.missing import is_numberless
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.protocols.torch_function import asked_for as _asked_for

__all__ = (
    "calculate_gain constant constant_ dirac dirac_ eye eye_ kaiming_normal kaiming_normal_ "
    "kaiming_uniform kaiming_uniform_ normal normal_ ones_ orthogonal orthogonal_ sparse sparse_ "
    "trunc_normal_ uniform uniform_ xavier_normal xavier_normal_ xavier_uniform xavier_uniform_ "
    "zeros_"
).split()

# Not a set: what has no hash is no known name, either.
_LINEAR = [f"{kind}{axes}d" for kind in ("conv", "conv_transpose") for axes in (1, 2, 3)]
_LINEAR += ["linear", "sigmoid"]


def calculate_gain(nonlinearity: str, param: Any = None) -> float:
    """The recommended standard-deviation gain of an activation function.

    Args:
        nonlinearity: 'linear', 'conv1d' to 'conv3d', 'conv_transpose1d' to 'conv_transpose3d' and
            'sigmoid' (1), 'tanh' (5 / 3), 'relu' (sqrt(2)), 'selu' (3 / 4), or 'leaky_relu' (sqrt(2
            / (1 + param ** 2))).
        param: the negative slope of 'leaky_relu'; None for 0.01.

    Raises:
        ValueError: for another `nonlinearity`, or a slope that is no number.

    As torch.nn.init.calculate_gain.
    """
    if nonlinearity in _LINEAR:
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "selu":
        return 3.0 / 4
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope**2))
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def uniform_(tensor: Any, a: float = 0.0, b: float = 1.0, generator: Any = None) -> Any:
    """Fills with draws from the uniform distribution on [a, b).

    Args:
        tensor: is filled in place, without a record of it, and returned.
        a, b: the bounds.
        generator: where the draws come from; None for the default one.

    As torch.nn.init.uniform_.
    """
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Any, mean: float = 0.0, std: float = 1.0, generator: Any = None) -> Any:
    """Fills with draws from the normal distribution.

    Args:
        tensor: is filled in place, without a record of it, and returned.
        mean, std: its mean and standard deviation; `std` is not negative.
        generator: where the draws come from; None for the default one.

    Raises:
        RuntimeError: if `std` is negative.

    As torch.nn.init.normal_.
    """
    with no_grad():
        return tensor.normal_(mean, std, generator=generator)


def constant_(tensor: Any, val: float) -> Any:
    """Fills with one value.

    Args:
        tensor: is filled in place, without a record of it, and returned.
        val: the value.

    As torch.nn.init.constant_.
    """
    with no_grad():
        return tensor.fill_(val)


def ones_(tensor: Any) -> Any:
    """Fills with ones.

    Args:
        tensor: is filled in place, without a record of it, and returned.

    As torch.nn.init.ones_.
    """
    with no_grad():
        return tensor.fill_(1.0)


def zeros_(tensor: Any) -> Any:
    """Fills with zeros.

    Args:
        tensor: is filled in place, without a record of it, and returned.

    As torch.nn.init.zeros_.
    """
    with no_grad():
        return tensor.zero_()


def eye_(tensor: Any) -> Any:
    """Makes a matrix the identity. ValueError unless it has two axes.

    Args:
        tensor: is filled in place, without a record of it, and returned.

    Raises:
        ValueError: unless it has two dimensions.

    As torch.nn.init.eye_.
    """
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with no_grad():
        tensor.copy_(OPS.eye(*tensor.shape, dtype=tensor.dtype, device=tensor.device))
    return tensor


def dirac_(tensor: Any, groups: int = 1) -> Any:
    """Makes a convolution's weight keep its input channels as far as there are output channels.

    Args:
        tensor: is filled in place, without a record of it, and returned.
        groups: of the convolution; a divisor of dimension 0.

    Raises:
        ValueError: unless the tensor has 3 to 5 dimensions, and `groups` divides the first of them.

    As torch.nn.init.dirac_.
    """
    dimensions = tensor.ndimension()
    if dimensions not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    out, channels, *kernel = tensor.shape
    if out % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    middle = tuple([n // 2 for n in kernel])
    each = out // groups
    with no_grad():
        tensor.zero_()
        for group in range(groups):
            for channel in range(min(each, channels)):
                tensor[(group * each + channel, channel, *middle)] = 1
    return tensor


def _calculate_fan_in_and_fan_out(tensor: Any) -> tuple[int, int]:
    """How many inputs and outputs a weight connects to each of its outputs and inputs."""
    if tensor.dim() < 2:
        raise ValueError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"
        )
    inputs, outputs = tensor.size(1), tensor.size(0)  # read as torch does: modes see it
    area = math.prod(tensor.shape[2:]) if tensor.dim() > 2 else 1
    return inputs * area, outputs * area


def _calculate_correct_fan(tensor: Any, mode: str) -> int:
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return fan_in if mode == "fan_in" else fan_out


def xavier_uniform_(tensor: Any, gain: float = 1.0, generator: Any = None) -> Any:
    """Uniform with variance 2 / (fan_in + fan_out). Glorot and Bengio (2010).

    fan_in is the product of all sizes but the first, fan_out that of all but the second.

    Args:
        tensor: is filled in place, without a record of it, and returned.
        gain: a factor of the standard deviation.
        generator: where the draws come from; None for the default one.

    Raises:
        ValueError: for a tensor of less than two dimensions.

    As torch.nn.init.xavier_uniform_. Glorot and Bengio, 2010.
    """
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    std = gain * math.sqrt(2.0 / float(fan_in + fan_out))
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Any, gain: float = 1.0, generator: Any = None) -> Any:
    """Normal with variance 2 / (fan_in + fan_out). Glorot and Bengio (2010).

    fan_in is the product of all sizes but the first, fan_out that of all but the second.

    Args:
        tensor: is filled in place, without a record of it, and returned.
        gain: a factor of the standard deviation.
        generator: where the draws come from; None for the default one.

    Raises:
        ValueError: for a tensor of less than two dimensions.

    As torch.nn.init.xavier_normal_. Glorot and Bengio, 2010.
    """
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    std = gain * math.sqrt(2.0 / float(fan_in + fan_out))
    return normal_(tensor, 0.0, std, generator)


def kaiming_uniform_(
    tensor: Any,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Any:
    """Uniform with variance gain**2 / fan. He et al. (2015).

    fan_in is the product of all sizes but the first, fan_out that of all but the second. An empty
    tensor stays as it is, and warns.

    Args:
        tensor: is filled in place, without a record of it, and returned.
        a: the negative slope of 'leaky_relu'.
        mode: 'fan_in' or 'fan_out', which of both is `fan`.
        nonlinearity: what follows the weight, as of calculate_gain, which gives the gain.
        generator: where the draws come from; None for the default one.

    Raises:
        ValueError: for a tensor of less than two dimensions, or another `mode` or `nonlinearity`.

    As torch.nn.init.kaiming_uniform_. He et al., https://arxiv.org/abs/1502.01852.
    """
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    if std is None:
        return tensor
    bound = math.sqrt(3.0) * std  # in this order: the last bit of the bound shows in every draw
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Any,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Any = None,
) -> Any:
    """Normal with variance gain**2 / fan. He et al. (2015).

    fan_in is the product of all sizes but the first, fan_out that of all but the second. An empty
    tensor stays as it is, and warns.

    Args:
        tensor: is filled in place, without a record of it, and returned.
        a: the negative slope of 'leaky_relu'.
        mode: 'fan_in' or 'fan_out', which of both is `fan`.
        nonlinearity: what follows the weight, as of calculate_gain, which gives the gain.
        generator: where the draws come from; None for the default one.

    Raises:
        ValueError: for a tensor of less than two dimensions, or another `mode` or `nonlinearity`.

    As torch.nn.init.kaiming_normal_. He et al., https://arxiv.org/abs/1502.01852.
    """
    std = _kaiming_std(tensor, a, mode, nonlinearity)
    return tensor if std is None else normal_(tensor, 0, std, generator)


def _kaiming_std(tensor: Any, a: float, mode: str, nonlinearity: str) -> float | None:
    if 0 in tensor.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", UserWarning, stacklevel=3)
        return None
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def orthogonal_(tensor: Any, gain: float = 1, generator: Any = None) -> Any:
    """A (semi-)orthogonal matrix times gain, from the QR decomposition of normal draws.

    A tensor of more dimensions is seen as a matrix of the first one and the rest. The draws are
    torch's; the decomposition is another LAPACK's (about 1e-7).

    Args:
        tensor: is filled in place, without a record of it, and returned.
        gain: a factor of the matrix.
        generator: where the draws come from; None for the default one.

    Raises:
        ValueError: for a tensor of less than two dimensions.

    As torch.nn.init.orthogonal_. Saxe et al., https://arxiv.org/abs/1312.6120.
    """
    if tensor.ndimension() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0 or is_numberless(tensor._array):
        return tensor
    rows = tensor.shape[0]
    columns = tensor.numel() // rows
    draws = OPS.empty((rows, columns), dtype=tensor.dtype, device=tensor.device)
    normal_(draws, 0, 1, generator)
    x = draws.cpu().numpy()
    q, r = numpy.linalg.qr(x.T if rows < columns else x)
    q *= numpy.sign(numpy.diagonal(r))
    if rows < columns:
        q = q.T
    with no_grad():
        result = OPS.from_numpy(numpy.ascontiguousarray(q)).to(tensor.device)
        tensor.view(rows, columns).copy_(result)
        tensor.mul_(gain)
    return tensor


def sparse_(tensor: Any, sparsity: float, std: float = 0.01, generator: Any = None) -> Any:
    """Normal draws, of which the fraction `sparsity` of each column is zero. Martens (2010).

    The places of the zeros are drawn from the default generator in any case.

    Args:
        tensor: is filled in place, without a record of it, and returned.
        sparsity: the fraction, from 0 to 1; the number of zeros is rounded up.
        std: the standard deviation of the draws.
        generator: where the draws come from; None for the default one.

    Raises:
        ValueError: unless the tensor has two dimensions.

    As torch.nn.init.sparse_. Martens, 2010.
    """
    if tensor.ndimension() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            chosen = OPS.randperm(rows)[:zeros]
            tensor[chosen, column] = 0
    return tensor


def _normal_cdf(x: float) -> float:
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def trunc_normal_(
    tensor: Any,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Any = None,
) -> Any:
    """Draws from the normal distribution, those outside [a, b] drawn again.

    Where less than 0.3 of the distribution lies within, candidates are drawn uniformly instead and
    accepted by their density. Each round draws whole tensors, as torch does. Warns if the mean is
    more than 2 std outside of [a, b].

    Args:
        tensor: is filled in place, without a record of it, and returned.
        mean, std: of the normal distribution.
        a, b: the least and the largest value.
        generator: where the draws come from; None for the default one.

    As torch.nn.init.trunc_normal_.
    """
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. "
            "The distribution of values may be incorrect.",
            stacklevel=1,
        )
    inside = _normal_cdf((b - mean) / std) - _normal_cdf((a - mean) / std)
    with no_grad():
        if inside > 0.3:
            tensor.normal_(mean, std, generator=generator)
            low, high = (tensor.new_tensor(bound) for bound in (a, b))
            while True:
                outside = OPS.logical_or(tensor < low, tensor > high)
                if is_numberless(tensor._array) or not outside.any():
                    return tensor
                fresh = OPS.empty_like(tensor).normal_(mean, std, generator=generator)
                tensor.copy_(OPS.where(outside, fresh, tensor))
        mode = min(max(mean, a), b)
        peak = -0.5 * ((mode - mean) / std) ** 2
        pending = None
        while pending is None or (not is_numberless(tensor._array) and pending.any()):
            fresh = OPS.empty_like(tensor).uniform_(a, b, generator=generator)
            height = OPS.empty_like(tensor).uniform_(generator=generator).log_()
            accepted = height <= -0.5 * ((fresh - mean) / std) ** 2 - peak
            if pending is None:
                tensor.copy_(fresh)
                pending = ~accepted
            else:
                tensor.copy_(OPS.where(pending, fresh, tensor))
                pending = OPS.logical_and(pending, ~accepted)
    return tensor


def _deprecated(function: Any) -> Any:
    """`function` under its old name, without the underscore."""
    name = function.__name__

    def called(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(
            f"`nn.init.{name[:-1]}` is now deprecated in favor of `nn.init.{name}`.",
            FutureWarning,
            stacklevel=2,
        )
        return function(*args, **kwargs)

    called.__name__ = called.__qualname__ = name[:-1]
    called.__doc__ = (
        f"`{name}` under its old name. Deprecated: it warns.\n\nAs torch.nn.init.{name[:-1]}."
    )
    return called


for _function in (uniform_, normal_, constant_, eye_, dirac_, xavier_uniform_, xavier_normal_,
                  kaiming_uniform_, kaiming_normal_, orthogonal_, sparse_):  # fmt: skip
    globals()[_function.__name__[:-1]] = _deprecated(_function)


_asked_for(
    "torch.nn.init",
    {each.__name__: each for each in (uniform_, normal_, constant_, kaiming_uniform_)},
)


__getattr__ = _names_of("torch.nn.init")

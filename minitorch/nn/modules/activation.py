"""Activation functions as modules. Each is described at https://docs.pytorch.org/docs/stable/nn.html."""

from __future__ import annotations

from typing import Any

from minitorch.core.base.formulas import OPS
from minitorch.core.tensor.parameter import Parameter
from minitorch.nn import functional as F
from minitorch.nn import init as initial
from minitorch.nn.modules.module import Module
from minitorch.nn.modules.multihead_attention import MultiheadAttention as MultiheadAttention
from minitorch.nn.modules.softmax import LogSoftmax as LogSoftmax
from minitorch.nn.modules.softmax import Softmax as Softmax
from minitorch.nn.modules.softmax import Softmax2d as Softmax2d
from minitorch.nn.modules.softmax import Softmin as Softmin

__all__ = (
    "CELU ELU GELU GLU Hardshrink Hardsigmoid Hardswish Hardtanh LeakyReLU LogSigmoid LogSoftmax "
    "Mish MultiheadAttention PReLU RReLU ReLU ReLU6 SELU SiLU Sigmoid Softmax Softmax2d Softmin "
    "Softplus Softshrink Softsign Tanh Tanhshrink Threshold"
).split()


class _Inplace(Module):
    """A function without settings that can also write its result into its input."""

    _is_template = True

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class ReLU(_Inplace):
    """max(x, 0).

    Args:
        inplace: whether the result overwrites the input.

    Shape:
        Input and output: (*), any shape.

    As torch.nn.ReLU.
    """

    __constants__ = ["inplace"]

    def forward(self, input: Any) -> Any:
        return F.relu(input, self.inplace)


class SiLU(_Inplace):
    """x * sigmoid(x).

    Args:
        inplace: whether the result overwrites the input.

    Shape:
        Input and output: (*), any shape.

    As torch.nn.SiLU. Hendrycks and Gimpel, https://arxiv.org/abs/1606.08415.
    """

    __constants__ = ["inplace"]

    def forward(self, input: Any) -> Any:
        return F.silu(input, self.inplace)


class Mish(_Inplace):
    """x * tanh(softplus(x)).

    Args:
        inplace: whether the result overwrites the input.

    Shape:
        Input and output: (*), any shape.

    As torch.nn.Mish. Misra, https://arxiv.org/abs/1908.08681.
    """

    __constants__ = ["inplace"]

    def forward(self, input: Any) -> Any:
        return F.mish(input, self.inplace)


class SELU(_Inplace):
    """ELU with the alpha and scale that keep mean and variance.

    scale * (x where positive, else alpha * (exp(x) - 1)), with alpha = 1.67326... and
    scale = 1.05070...

    Args:
        inplace: whether the result overwrites the input.

    Shape:
        Input and output: (*), any shape.

    As torch.nn.SELU. Klambauer et al., https://arxiv.org/abs/1706.02515.
    """

    __constants__ = ["inplace"]

    def forward(self, input: Any) -> Any:
        return F.selu(input, self.inplace)


class Hardswish(_Inplace):
    """x * hardsigmoid(x).

    Args:
        inplace: whether the result overwrites the input.

    Shape:
        Input and output: (*), any shape.

    As torch.nn.Hardswish. Howard et al., https://arxiv.org/abs/1905.02244.
    """

    __constants__ = ["inplace"]

    def forward(self, input: Any) -> Any:
        return F.hardswish(input, self.inplace)

    def extra_repr(self) -> str:
        return ""


class Hardsigmoid(_Inplace):
    """min(max(x + 3, 0), 6) / 6.

    Args:
        inplace: whether the result overwrites the input.

    Shape:
        Input and output: (*), any shape.

    As torch.nn.Hardsigmoid.
    """

    __constants__ = ["inplace"]

    def forward(self, input: Any) -> Any:
        return F.hardsigmoid(input, self.inplace)

    def extra_repr(self) -> str:
        return ""


class Sigmoid(Module):
    """1 / (1 + exp(-x)).

    Shape:
        Input and output: (*), any shape.

    As torch.nn.Sigmoid.
    """

    def forward(self, input: Any) -> Any:
        return OPS.sigmoid(input)


class Tanh(Module):
    """The hyperbolic tangent.

    Shape:
        Input and output: (*), any shape.

    As torch.nn.Tanh.
    """

    def forward(self, input: Any) -> Any:
        return OPS.tanh(input)


class LogSigmoid(Module):
    """log(sigmoid(x)).

    Shape:
        Input and output: (*), any shape.

    As torch.nn.LogSigmoid.
    """

    def forward(self, input: Any) -> Any:
        return F.logsigmoid(input)


class Softsign(Module):
    """x / (1 + |x|).

    Shape:
        Input and output: (*), any shape.

    As torch.nn.Softsign.
    """

    def forward(self, input: Any) -> Any:
        return F.softsign(input)


class Tanhshrink(Module):
    """x - tanh(x).

    Shape:
        Input and output: (*), any shape.

    As torch.nn.Tanhshrink.
    """

    def forward(self, input: Any) -> Any:
        return F.tanhshrink(input)


class Hardtanh(Module):
    """x held between min_val and max_val.

    Args:
        min_val, max_val: the least and the largest value of the output.
        inplace: whether the result overwrites the input.
        min_value, max_value: old names of `min_val` and `max_val`. Deprecated: they warn.

    Shape:
        Input and output: (*), any shape.

    Raises:
        AssertionError: if `max_val` is not greater than `min_val`.

    As torch.nn.Hardtanh.
    """

    __constants__ = ["min_val", "max_val", "inplace"]

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__()
        for old, value in (("min_value", min_value), ("max_value", max_value)):
            if value is not None:
                _warn_renamed(old, old.replace("value", "val"))
        self.min_val = min_val if min_value is None else min_value
        self.max_val = max_val if max_value is None else max_value
        self.inplace = inplace
        if self.max_val <= self.min_val:
            raise AssertionError(
                f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})"
            )

    def forward(self, input: Any) -> Any:
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        end = ", inplace=True" if self.inplace else ""
        return f"min_val={self.min_val}, max_val={self.max_val}{end}"


def _warn_renamed(old: str, new: str) -> None:
    import warnings

    warnings.warn(
        f"keyword argument `{old}` is deprecated and renamed to `{new}`",
        FutureWarning,
        stacklevel=3,
    )


class ReLU6(Hardtanh):
    """min(max(x, 0), 6).

    Args:
        inplace: whether the result overwrites the input.

    Shape:
        Input and output: (*), any shape.

    As torch.nn.ReLU6.
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class Threshold(Module):
    """x where it is above `threshold`, else `value`.

    Args:
        threshold: the bound. An x that equals it is replaced.
        value: what replaces the rest.
        inplace: whether the result overwrites the input.

    Shape:
        Input and output: (*), any shape.

    As torch.nn.Threshold.
    """

    __constants__ = ["threshold", "value", "inplace"]

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Any) -> Any:
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        end = ", inplace=True" if self.inplace else ""
        return f"threshold={self.threshold}, value={self.value}{end}"


class LeakyReLU(Module):
    """x where positive, else negative_slope * x.

    Args:
        negative_slope: the factor for negative x.
        inplace: whether the result overwrites the input.

    Shape:
        Input and output: (*), any shape.

    As torch.nn.LeakyReLU.
    """

    __constants__ = ["inplace", "negative_slope"]

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Any) -> Any:
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        end = ", inplace=True" if self.inplace else ""
        return f"negative_slope={self.negative_slope}{end}"


class RReLU(Module):
    """LeakyReLU whose slope is drawn between lower and upper while training.

    While training, each negative element has a slope of its own. In evaluation the slope is
    (lower + upper) / 2.

    Args:
        lower, upper: the bounds of the uniform distribution of slopes.
        inplace: whether the result overwrites the input.

    Shape:
        Input and output: (*), any shape.

    Raises:
        RuntimeError: at the call, if `lower` is greater than `upper`.

    As torch.nn.RReLU. Xu et al., https://arxiv.org/abs/1505.00853.
    """

    __constants__ = ["lower", "upper", "inplace"]

    def __init__(
        self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False
    ) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Any) -> Any:
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        end = ", inplace=True" if self.inplace else ""
        return f"lower={self.lower}, upper={self.upper}{end}"


class _Alpha(Module):
    """A function with a scale `alpha`."""

    _is_template = True

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def extra_repr(self) -> str:
        return f"alpha={self.alpha}" + (", inplace=True" if self.inplace else "")


class ELU(_Alpha):
    """x where positive, else alpha * (exp(x) - 1).

    Args:
        alpha: minus the limit for large negative x.
        inplace: whether the result overwrites the input.

    Shape:
        Input and output: (*), any shape.

    As torch.nn.ELU. Clevert et al., https://arxiv.org/abs/1511.07289.
    """

    __constants__ = ["alpha", "inplace"]

    def forward(self, input: Any) -> Any:
        return F.elu(input, self.alpha, self.inplace)


class CELU(_Alpha):
    """max(0, x) + min(0, alpha * (exp(x / alpha) - 1)).

    Args:
        alpha: minus the limit for large negative x, and the width of the bend.
        inplace: whether the result overwrites the input.

    Shape:
        Input and output: (*), any shape.

    Raises:
        RuntimeError: at the call, if `alpha` is 0.

    As torch.nn.CELU. Barron, https://arxiv.org/abs/1704.07483.
    """

    __constants__ = ["alpha", "inplace"]

    def forward(self, input: Any) -> Any:
        return F.celu(input, self.alpha, self.inplace)


class GELU(Module):
    """x times the chance that a standard normal draw is below x.

    Args:
        approximate: 'none' for the exact x * (1 + erf(x / sqrt(2))) / 2, or 'tanh' for
            x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) / 2.

    Shape:
        Input and output: (*), any shape.

    Raises:
        RuntimeError: at the call, for another `approximate`.

    As torch.nn.GELU. Hendrycks and Gimpel, https://arxiv.org/abs/1606.08415.
    """

    __constants__ = ["approximate"]

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Any) -> Any:
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class GLU(Module):
    """The first half along `dim`, times the sigmoid of the second.

    Args:
        dim: the dimension that is cut in two.

    Shape:
        Input: any shape of at least one dimension, with an even size n along `dim`.
        Output: the input's shape, with n / 2 along `dim`.

    Raises:
        RuntimeError: at the call, if the size along `dim` is odd.

    As torch.nn.GLU. Dauphin et al., https://arxiv.org/abs/1612.08083.
    """

    __constants__ = ["dim"]

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Any) -> Any:
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class _Shrink(Module):
    _is_template = True

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        return str(self.lambd)


class Hardshrink(_Shrink):
    """x where |x| > lambd, else 0.

    Args:
        lambd: half the width of the interval that becomes 0.

    Shape:
        Input and output: (*), any shape.

    As torch.nn.Hardshrink.
    """

    __constants__ = ["lambd"]

    def forward(self, input: Any) -> Any:
        return F.hardshrink(input, self.lambd)


class Softshrink(_Shrink):
    """x moved towards 0 by lambd.

    x - lambd above lambd, x + lambd below -lambd, 0 in between.

    Args:
        lambd: the distance, not negative.

    Shape:
        Input and output: (*), any shape.

    Raises:
        RuntimeError: at the call, if `lambd` is negative.

    As torch.nn.Softshrink.
    """

    __constants__ = ["lambd"]

    def forward(self, input: Any) -> Any:
        return F.softshrink(input, self.lambd)


class Softplus(Module):
    """log(1 + exp(beta * x)) / beta; x itself where beta * x > threshold.

    Args:
        beta: how sharp the bend is; for large `beta` it becomes that of ReLU.
        threshold: the value of beta * x above which the output is x.

    Shape:
        Input and output: (*), any shape.

    As torch.nn.Softplus.
    """

    __constants__ = ["beta", "threshold"]

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Any) -> Any:
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}"


class PReLU(Module):
    """LeakyReLU with learned slopes, one or one per channel.

    Args:
        num_parameters: 1 for one slope, or the number of channels for one each.
        init: the value with which the slopes start.
        device, dtype: of the slopes.

    Shape:
        Input and output: any shape. Channels are dimension 1; an input of less than two
        dimensions has one channel.

    Attributes:
        weight: (num_parameters), the slopes; filled with `init`.

    Raises:
        RuntimeError: at the call, if `num_parameters` is neither 1 nor the number of channels.

    As torch.nn.PReLU. He et al., https://arxiv.org/abs/1502.01852.
    """

    __constants__ = ["num_parameters"]

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        self.num_parameters = num_parameters
        super().__init__()
        self.init = init
        self.weight = Parameter(OPS.empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Sets every slope to `init`."""
        initial.constant_(self.weight, self.init)

    def forward(self, input: Any) -> Any:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"

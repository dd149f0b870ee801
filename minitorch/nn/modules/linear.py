"""Linear and bilinear maps."""

from __future__ import annotations

import math
from typing import Any

from minitorch.core.base.formulas import OPS
from minitorch.core.tensor.parameter import Parameter
from minitorch.nn import functional as F
from minitorch.nn import init
from minitorch.nn.modules.lazy import LazyModuleMixin
from minitorch.nn.modules.module import Module
from minitorch.nn.uninitialized import UninitializedParameter

__all__ = ["Bilinear", "Identity", "LazyLinear", "Linear"]


class Identity(Module):
    """Its input. Takes any arguments and ignores them.

    Args:
        args, kwargs: anything.

    Shape:
        Input and output: (*), any shape.

    As torch.nn.Identity.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        return input


class Linear(Module):
    """x @ weight.T + bias.

    Args:
        in_features: the size of the input's last dimension.
        out_features: the size of the output's last dimension.
        bias: whether a bias is added.
        device, dtype: of the parameters.

    Shape:
        Input: (*, in_features). Output: (*, out_features).

    Attributes:
        weight: (out_features, in_features), uniform within 1 / sqrt(in_features).
        bias: (out_features), likewise; None unless `bias`.

    Raises:
        RuntimeError: at the call, if the input's last dimension has another size.

    As torch.nn.Linear.
    """

    __constants__ = ["in_features", "out_features"]

    in_features: int
    out_features: int
    weight: Any

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        options = {"device": device, "dtype": dtype}
        self.weight = Parameter(OPS.empty((out_features, in_features), **options))
        if bias:
            self.bias = Parameter(OPS.empty(out_features, **options))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws weight and bias anew."""
        reset_like_linear(self.weight, self.bias)

    def forward(self, input: Any) -> Any:
        own = self._parameters  # reading self.weight costs ten times as much: 0.4 us
        try:
            weight, bias = own["weight"], own["bias"]
        except KeyError:  # something else has taken the place of a parameter
            weight, bias = self.weight, self.bias
        return F.linear(input, weight, bias)

    def extra_repr(self) -> str:
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


def reset_like_linear(weight: Any, bias: Any) -> None:
    """Draws a weight and then its bias uniformly within 1 / sqrt(fan_in)."""
    init.kaiming_uniform_(weight, a=math.sqrt(5))
    if bias is not None:
        fan_in, _ = init._calculate_fan_in_and_fan_out(weight)
        bound = 1 / math.sqrt(fan_in) if fan_in > 0 else 0
        init.uniform_(bias, -bound, bound)


class Bilinear(Module):
    """x1 @ weight[k] @ x2 + bias[k] for each output k.

    Args:
        in1_features, in2_features: the sizes of the last dimensions of x1 and x2.
        out_features: the size of the output's last dimension.
        bias: whether a bias is added.
        device, dtype: of the parameters.

    Shape:
        Inputs: (*, in1_features) and (*, in2_features), alike but for the last dimension.
        Output: (*, out_features).

    Attributes:
        weight: (out_features, in1_features, in2_features), uniform within 1 / sqrt(in1_features).
        bias: (out_features), likewise; None unless `bias`.

    Raises:
        ValueError: if `in1_features` is not positive.
        RuntimeError: at the call, for inputs whose sizes do not fit.

    As torch.nn.Bilinear.
    """

    __constants__ = ["in1_features", "in2_features", "out_features"]

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got ({in1_features=})")
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        options = {"device": device, "dtype": dtype}
        self.weight = Parameter(OPS.empty((out_features, in1_features, in2_features), **options))
        if bias:
            self.bias = Parameter(OPS.empty(out_features, **options))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws weight and bias anew."""
        bound = 1 / math.sqrt(self.weight.size(1))
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Any, input2: Any) -> Any:
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )


class NonDynamicallyQuantizableLinear(Linear):
    """A Linear under another name, which MultiheadAttention shows for its last one."""


class LazyLinear(LazyModuleMixin, Linear):
    """A Linear that takes in_features from its first input.

    The first call gives the parameters their shapes and draws them, and makes the module a Linear.

    Args:
        out_features: the size of the output's last dimension.
        bias: whether a bias is added.
        device, dtype: of the parameters.

    Shape:
        Input: (*, in_features). Output: (*, out_features).

    Attributes:
        weight, bias: as of Linear; UninitializedParameters before the first call.

    As torch.nn.LazyLinear.
    """

    cls_to_become = Linear

    def __init__(
        self, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Draws weight and bias anew, once they have a shape."""
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Any) -> None:
        """Takes in_features from `input` and draws the parameters."""
        features = input.shape[-1]
        if self.has_uninitialized_params():
            self.in_features = features
            self.weight.materialize((self.out_features, features))
            if self.bias is not None:
                self.bias.materialize((self.out_features,))
            self.reset_parameters()
        if self.in_features == 0:
            if features != self.weight.shape[-1]:
                raise AssertionError(
                    f"The in_features inferred from input: {features} is not equal to in_features "
                    f"from self.weight: {self.weight.shape[-1]}"
                )
            self.in_features = features

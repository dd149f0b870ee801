"""torch.nn.grad: the gradients of convolutions by their inputs and by their weights."""

from __future__ import annotations

from typing import Any

from minitorch.core.base.formulas import OPS
from minitorch.nn.modules.utils import _numbers


def _gradient(
    axes: int, input: Any, weight: Any, grad_output: Any, options: tuple[Any, ...], wanted: int
) -> Any:
    """The gradient of the input (0) or the weight (1), of which the size alone is given."""
    given = [input, weight]
    given[wanted] = grad_output.new_empty(1).expand(given[wanted])
    *numbers, groups = options
    stride, padding, dilation = (_numbers(axes, each) for each in numbers)
    mask = [wanted == 0, wanted == 1, False]
    return OPS.convolution_backward(
        grad_output, *given, None, stride, padding, dilation, False, [0], groups, mask
    )[wanted]


def _pair(axes: int) -> tuple[Any, Any]:
    """The two functions for convolutions of so many dimensions."""

    def input_of(
        input_size: Any,
        weight: Any,
        grad_output: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Any:
        """The gradient of a convolution by its input, of this size.

        Args:
            input_size: the sizes of the input, with batch and channels.
            weight: the weight.
            grad_output: the gradient of the convolution's output.
            stride, padding, dilation: those of the convolution; an int, or one for each dimension.
            groups: those of the convolution.

        As torch.nn.grad (torch/nn/grad.py).
        """
        options = (stride, padding, dilation, groups)
        return _gradient(axes, input_size, weight, grad_output, options, 0)

    def weight_of(
        input: Any,
        weight_size: Any,
        grad_output: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
    ) -> Any:
        """The gradient of a convolution by its weight, of this size.

        Args:
            input: the input.
            weight_size: the sizes of the weight.
            grad_output: the gradient of the convolution's output.
            stride, padding, dilation: those of the convolution; an int, or one for each dimension.
            groups: those of the convolution.

        As torch.nn.grad (torch/nn/grad.py).
        """
        options = (stride, padding, dilation, groups)
        return _gradient(axes, input, weight_size, grad_output, options, 1)

    for function, what in ((input_of, "input"), (weight_of, "weight")):
        function.__name__ = function.__qualname__ = f"conv{axes}d_{what}"
    return input_of, weight_of


conv1d_input, conv1d_weight = _pair(1)
conv2d_input, conv2d_weight = _pair(2)
conv3d_input, conv3d_weight = _pair(3)

"""Cells: one step of a recurrent layer. torch has them beside the layers."""

from __future__ import annotations

import math
from typing import Any

from minitorch.core.base.formulas import OPS
from minitorch.core.tensor.parameter import Parameter
from minitorch.nn import init
from minitorch.nn.modules.module import Module

__all__ = ["GRUCell", "LSTMCell", "RNNCell", "RNNCellBase"]


def reset_uniformly(module: Any) -> None:
    """Draws all parameters uniformly within 1 / sqrt(hidden_size)."""
    bound = 1.0 / math.sqrt(module.hidden_size) if module.hidden_size > 0 else 0
    for weight in module.parameters():
        init.uniform_(weight, -bound, bound)


class RNNCellBase(Module):
    """The base of the cells: weights for `num_chunks` gates, and a forward of one step.

    Args:
        input_size: the size of the input.
        hidden_size: H, the size of the hidden state.
        bias: whether there are biases.
        num_chunks: the number of gates.
        device, dtype: of the parameters.

    Attributes:
        weight_ih: (num_chunks * H, input_size). weight_hh: (num_chunks * H, H).
        bias_ih, bias_hh: (num_chunks * H); None unless `bias`. All are uniform within 1 / sqrt(H).

    As torch.nn.RNNCellBase.
    """

    __module__ = "torch.nn.modules.rnn"
    __constants__ = ["input_size", "hidden_size", "bias"]

    bias_ih: Any
    bias_hh: Any

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size
        options = {"device": device, "dtype": dtype}
        self.weight_ih = Parameter(OPS.empty((rows, input_size), **options))
        self.weight_hh = Parameter(OPS.empty((rows, hidden_size), **options))
        for name in ("bias_ih", "bias_hh"):
            parameter = Parameter(OPS.empty(rows, **options)) if bias else None
            self.register_parameter(name, parameter)
        self.reset_parameters()

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if "bias" in self.__dict__ and self.bias is not True:
            text += f", bias={self.bias}"
        if self.__dict__.get("nonlinearity", "tanh") != "tanh":
            text += f", nonlinearity={self.nonlinearity}"
        return text

    def reset_parameters(self) -> None:
        """Draws all parameters anew."""
        reset_uniformly(self)

    def _step_cell(self, kind: str, function: Any, input: Any, hx: Any) -> Any:
        """The next state of a cell; the next states if `kind` is LSTMCell."""
        several = kind == "LSTMCell"
        _check_rank(kind, "input", input)
        if hx is not None:
            for i, state in enumerate(hx if several else (hx,)):
                _check_rank(kind, f"hx[{i}]" if several else "hidden", state)
        batched = input.dim() == 2
        if not batched:
            input = input.unsqueeze(0)
        if hx is None:
            size = (input.size(0), self.hidden_size)
            zeros = OPS.zeros(size, dtype=input.dtype, device=input.device)
            hx = (zeros, zeros) if several else zeros
        elif not batched:
            hx = (hx[0].unsqueeze(0), hx[1].unsqueeze(0)) if several else hx.unsqueeze(0)
        out = function(input, hx, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        if batched:
            return out
        return (out[0].squeeze(0), out[1].squeeze(0)) if several else out.squeeze(0)


def _check_rank(kind: str, what: str, x: Any) -> None:
    if x.dim() not in (1, 2):
        raise ValueError(f"{kind}: Expected {what} to be 1D or 2D, got {x.dim()}D instead")


class RNNCell(RNNCellBase):
    """h = tanh(W_ih x + b_ih + W_hh h + b_hh), or relu of it. One step of an RNN.

    Args:
        input_size: the size of the input.
        hidden_size: H, the size of the hidden state.
        bias: whether there are biases.
        nonlinearity: 'tanh' or 'relu'.
        device, dtype: of the parameters.

    Shape:
        Input: (N, input_size) or (input_size).
        hx and the result: (N, H) or (H), the state before and after; None is zeros.

    Attributes:
        weight_ih: (H, input_size). weight_hh: (H, H).
        bias_ih, bias_hh: (H); None unless `bias`. All are uniform within 1 / sqrt(H).

    Raises:
        ValueError: at the call, for an input or state of another rank.
        RuntimeError: at the call, for an input or state of another size, or an unknown
            `nonlinearity`.

    As torch.nn.RNNCell.
    """

    __module__ = "torch.nn.modules.rnn"
    __constants__ = ["input_size", "hidden_size", "bias", "nonlinearity"]

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The next hidden state: (N, hidden_size) or (hidden_size)."""

        def function(*args: Any) -> Any:
            if self.nonlinearity not in ("tanh", "relu"):
                raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
            return getattr(OPS, f"rnn_{self.nonlinearity}_cell")(*args)

        return self._step_cell("RNNCell", function, input, hx)


class LSTMCell(RNNCellBase):
    """One step of an LSTM.

    Args:
        input_size: the size of the input.
        hidden_size: H, the size of the hidden state.
        bias: whether there are biases.
        device, dtype: of the parameters.

    Shape:
        Input: (N, input_size) or (input_size).
        hx and the result: a pair of h and c, each (N, H) or (H), before and after; None is zeros.

    Attributes:
        weight_ih: (4 * H, input_size). weight_hh: (4 * H, H).
        bias_ih, bias_hh: (4 * H); None unless `bias`. All are uniform within 1 / sqrt(H).

    Raises:
        ValueError: at the call, for an input or state of another rank.
        RuntimeError: at the call, for an input or state of another size.

    As torch.nn.LSTMCell.
    """

    __module__ = "torch.nn.modules.rnn"

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The next hidden and cell state: (N, hidden_size) or (hidden_size)."""
        return self._step_cell("LSTMCell", OPS.lstm_cell, input, hx)


class GRUCell(RNNCellBase):
    """One step of a GRU.

    Args:
        input_size: the size of the input.
        hidden_size: H, the size of the hidden state.
        bias: whether there are biases.
        device, dtype: of the parameters.

    Shape:
        Input: (N, input_size) or (input_size).
        hx and the result: (N, H) or (H), the state before and after; None is zeros.

    Attributes:
        weight_ih: (3 * H, input_size). weight_hh: (3 * H, H).
        bias_ih, bias_hh: (3 * H); None unless `bias`. All are uniform within 1 / sqrt(H).

    Raises:
        ValueError: at the call, for an input or state of another rank.
        RuntimeError: at the call, for an input or state of another size.

    As torch.nn.GRUCell.
    """

    __module__ = "torch.nn.modules.rnn"

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """The next hidden state: (N, hidden_size) or (hidden_size)."""
        return self._step_cell("GRUCell", OPS.gru_cell, input, hx)

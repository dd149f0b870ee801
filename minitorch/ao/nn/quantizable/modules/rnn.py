"""torch.ao.nn.quantizable.modules.rnn: an LSTM of layers and sums that observers can see."""

from __future__ import annotations

import numbers
import warnings
from typing import Any

import minitorch as torch
from minitorch import nn
from minitorch.ao.nn.quantized.modules.functional_modules import FloatFunctional

__all__ = ["LSTMCell", "LSTM"]

_GATES = ("input", "forget", "cell", "output")


class LSTMCell(nn.Module):
    """nn.LSTMCell whose products and sums are modules.

    Args:
        input_dim, hidden_dim: the sizes of inputs and states.
        bias: whether biases are added.
        device, dtype: of the parameters.
        split_gates: whether each gate has layers of its own, and so a grid of its own.

    As torch.ao.nn.quantizable.LSTMCell.
    """

    _FLOAT_MODULE: Any = nn.LSTMCell
    __constants__ = ["split_gates"]

    def __init__(
        self,
        input_dim: int,
        hidden_dim: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        split_gates: bool = False,
    ) -> None:
        factory_kwargs = {"device": device, "dtype": dtype}
        super().__init__()
        self.input_size = input_dim
        self.hidden_size = hidden_dim
        self.bias = bias
        self.split_gates = split_gates
        if split_gates:
            self.igates, self.hgates, self.gates = (nn.ModuleDict() for _ in range(3))
            for gate in _GATES:
                self.igates[gate] = nn.Linear(input_dim, hidden_dim, bias=bias, **factory_kwargs)
                self.hgates[gate] = nn.Linear(hidden_dim, hidden_dim, bias=bias, **factory_kwargs)
                self.gates[gate] = FloatFunctional()
        else:
            self.igates = nn.Linear(input_dim, 4 * hidden_dim, bias=bias, **factory_kwargs)
            self.hgates = nn.Linear(hidden_dim, 4 * hidden_dim, bias=bias, **factory_kwargs)
            self.gates = FloatFunctional()
        self.input_gate = nn.Sigmoid()
        self.forget_gate = nn.Sigmoid()
        self.cell_gate = nn.Tanh()
        self.output_gate = nn.Sigmoid()
        self.fgate_cx = FloatFunctional()
        self.igate_cgate = FloatFunctional()
        self.fgate_cx_igate_cgate = FloatFunctional()
        self.ogate_cy = FloatFunctional()
        self.initial_hidden_state_qparams: tuple[float, int] = (1.0, 0)
        self.initial_cell_state_qparams: tuple[float, int] = (1.0, 0)
        self.hidden_state_dtype = torch.quint8
        self.cell_state_dtype = torch.quint8

    def forward(self, x: Any, hidden: Any = None) -> tuple[Any, Any]:
        """The next hidden state and the next cell state.

        Args:
            x: (batch, input_dim).
            hidden: the two states before; None for zeros.
        """
        if hidden is None or hidden[0] is None or hidden[1] is None:
            hidden = self.initialize_hidden(x.shape[0], x.is_quantized)
        hx, cx = hidden
        if self.split_gates:
            sums = [self.gates[g].add(self.igates[g](x), self.hgates[g](hx)) for g in _GATES]
        else:
            sums = self.gates.add(self.igates(x), self.hgates(hx)).chunk(4, 1)
        input_gate = self.input_gate(sums[0])
        forget_gate = self.forget_gate(sums[1])
        cell_gate = self.cell_gate(sums[2])
        out_gate = self.output_gate(sums[3])
        kept = self.fgate_cx.mul(forget_gate, cx)
        added = self.igate_cgate.mul(input_gate, cell_gate)
        cy = self.fgate_cx_igate_cgate.add(kept, added)
        return self.ogate_cy.mul(out_gate, torch.tanh(cy)), cy

    def initialize_hidden(self, batch_size: int, is_quantized: bool = False) -> tuple[Any, Any]:
        """Two states of zeros.

        Args:
            batch_size: their number of rows.
            is_quantized: False.
        """
        if is_quantized:
            raise NotImplementedError("torch.quantize_per_tensor is not implemented by minitorch")
        shape = batch_size, self.hidden_size
        return torch.zeros(shape), torch.zeros(shape)

    def _get_name(self) -> str:
        return "QuantizableLSTMCell"

    @classmethod
    def from_params(
        cls, wi: Any, wh: Any, bi: Any = None, bh: Any = None, split_gates: bool = False
    ) -> Any:
        """A cell with given weights and biases.

        Args:
            wi, wh: the weights for inputs and states: (4 * hidden_dim, ...).
            bi, bh: the biases, or both None.
            split_gates: whether each gate has layers of its own.
        """
        if (bi is None) != (bh is None):
            raise AssertionError("bi and bh must both be None or both have values")
        cell = cls(wi.shape[1], wh.shape[1], bias=bi is not None, split_gates=split_gates)
        for weight, bias, layer in ((wi, bi, cell.igates), (wh, bh, cell.hgates)):
            layers = list(layer.values()) if split_gates else [layer]
            for name, value in (("weight", weight), ("bias", bias)):
                if value is None:
                    continue
                for part, each in zip(value.chunk(len(layers), dim=0), layers):
                    setattr(each, name, nn.Parameter(part if split_gates else value))
        return cell

    @classmethod
    def from_float(
        cls, other: Any, use_precomputed_fake_quant: bool = False, split_gates: bool = False
    ) -> Any:
        """A cell with the parameters of an nn.LSTMCell that has a QConfig.

        Args:
            other: the plain cell.
            use_precomputed_fake_quant: not used.
            split_gates: whether each gate has layers of its own.
        """
        if type(other) is not cls._FLOAT_MODULE:
            raise AssertionError(f"Expected module type {cls._FLOAT_MODULE}, got {type(other)}")
        if not hasattr(other, "qconfig"):
            raise AssertionError("The float module must have 'qconfig'")
        parameters = other.weight_ih, other.weight_hh, other.bias_ih, other.bias_hh
        observed = cls.from_params(*parameters, split_gates=split_gates)
        gates = observed.igates, observed.hgates
        inner = [each for gate in gates for each in gate.values()] if split_gates else []
        for each in (observed, *gates, *inner):
            each.qconfig = other.qconfig
        return observed


class _LSTMSingleLayer(nn.Module):
    """A cell, called for one step after the other."""

    def __init__(
        self,
        input_dim: int,
        hidden_dim: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        split_gates: bool = False,
    ) -> None:
        factory_kwargs = {"device": device, "dtype": dtype}
        super().__init__()
        self.cell = LSTMCell(
            input_dim, hidden_dim, bias=bias, split_gates=split_gates, **factory_kwargs
        )

    def forward(self, x: Any, hidden: Any = None) -> Any:
        results = []
        for step in range(x.shape[0]):
            hidden = self.cell(x[step], hidden)
            results.append(hidden[0])
        return torch.stack(results, 0), hidden

    @classmethod
    def from_params(cls, *args: Any, **kwargs: Any) -> Any:
        cell = LSTMCell.from_params(*args, **kwargs)
        sizes = cell.input_size, cell.hidden_size, cell.bias
        layer = cls(*sizes, split_gates=cell.split_gates)
        layer.cell = cell
        return layer


class _LSTMLayer(nn.Module):
    """A layer of an LSTM: one direction, or both."""

    def __init__(
        self,
        input_dim: int,
        hidden_dim: int,
        bias: bool = True,
        batch_first: bool = False,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        split_gates: bool = False,
    ) -> None:
        options = {"bias": bias, "split_gates": split_gates, "device": device, "dtype": dtype}
        super().__init__()
        self.batch_first = batch_first
        self.bidirectional = bidirectional
        self.layer_fw = _LSTMSingleLayer(input_dim, hidden_dim, **options)
        if self.bidirectional:
            self.layer_bw = _LSTMSingleLayer(input_dim, hidden_dim, **options)

    def forward(self, x: Any, hidden: Any = None) -> Any:
        if self.batch_first:
            x = x.transpose(0, 1)
        hx, cx = (None, None) if hidden is None else hidden
        if not self.bidirectional:
            result, state = self.layer_fw(x, None if hx is None and cx is None else (hx, cx))
        else:
            states = [None if hx is None or cx is None else (hx[way], cx[way]) for way in range(2)]
            forth, first = self.layer_fw(x, states[0])
            back, second = self.layer_bw(x.flip(0), states[1])
            result = torch.cat([forth, back.flip(0)], forth.dim() - 1)
            state = tuple([torch.stack(pair, 0) for pair in zip(first, second)])
        if self.batch_first:
            result.transpose_(0, 1)
        return result, tuple(state)

    @classmethod
    def from_float(cls, other: Any, layer_idx: int = 0, qconfig: Any = None, **kwargs: Any) -> Any:
        if not hasattr(other, "qconfig") and qconfig is None:
            raise AssertionError("other must have qconfig or qconfig must be provided")
        names = ("input_size", "hidden_size", "bias", "batch_first", "bidirectional")
        split_gates = kwargs.get("split_gates", False)
        given = [kwargs.get(name, getattr(other, name)) for name in names]
        layer = cls(*given, split_gates=split_gates)
        layer.qconfig = getattr(other, "qconfig", qconfig)
        ways = (("layer_fw", ""), ("layer_bw", "_reverse"))
        for name, suffix in ways[: 1 + other.bidirectional]:
            parameters = [
                getattr(other, f"{kind}_l{layer_idx}{suffix}", None)
                for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
            ]
            made = _LSTMSingleLayer.from_params(*parameters, split_gates=split_gates)
            setattr(layer, name, made)
        return layer


class LSTM(nn.Module):
    """nn.LSTM whose products and sums are modules.

    Args:
        input_size, hidden_size: the sizes of inputs and states.
        num_layers: the number of layers.
        bias: whether biases are added.
        batch_first: whether inputs are (batch, time, size), not (time, batch, size).
        dropout: not used, and warned of.
        bidirectional: whether each layer runs both ways.
        device, dtype: of the parameters.
        split_gates: whether each gate has layers of its own, and so a grid of its own.

    Raises:
        ValueError: for a dropout that is no probability.

    As torch.ao.nn.quantizable.LSTM.
    """

    _FLOAT_MODULE: Any = nn.LSTM

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        split_gates: bool = False,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.training = False  # until it is asked to train
        _check_dropout(dropout, num_layers)
        options = {
            "batch_first": False,
            "bidirectional": self.bidirectional,
            "split_gates": split_gates,
            "device": device,
            "dtype": dtype,
        }
        sizes = [self.input_size, *[self.hidden_size] * (num_layers - 1)]
        self.layers = nn.ModuleList(
            [_LSTMLayer(size, self.hidden_size, self.bias, **options) for size in sizes]
        )

    def forward(self, x: Any, hidden: Any = None) -> Any:
        """The hidden states of the last layer at each step, and the last states of each layer.

        Args:
            x: (time, batch, input_size), or (batch, time, input_size) with batch_first.
            hidden: the two states before, of each layer and direction; None for zeros.
        """
        if self.batch_first:
            x = x.transpose(0, 1)
        states = self._states(x, hidden)
        last = []
        for layer, state in zip(self.layers, states):
            x, state = layer(x, state)
            last.append(state)
        h, c = (torch.stack(each) for each in zip(*last))
        h = h.reshape(-1, h.shape[-2], h.shape[-1])
        c = c.reshape(-1, c.shape[-2], c.shape[-1])
        if self.batch_first:
            x = x.transpose(0, 1)
        return x, (h, c)

    def _states(self, x: Any, hidden: Any) -> Any:
        """The first states of each layer."""
        ways, batch = 1 + self.bidirectional, x.size(1)
        if hidden is None:
            shape = ways, batch, self.hidden_size
            zeros = torch.zeros(shape, dtype=torch.float, device=x.device)
            zeros.squeeze_(0)
            return [(zeros, zeros)] * self.num_layers
        if not isinstance(hidden[0], torch.Tensor):
            return hidden
        shape = self.num_layers, ways, batch, self.hidden_size
        h, c = (each.reshape(shape) for each in hidden)
        return [(h[i].squeeze(0), c[i].squeeze(0)) for i in range(self.num_layers)]

    def _get_name(self) -> str:
        return "QuantizableLSTM"

    @classmethod
    def from_float(cls, other: Any, qconfig: Any = None, split_gates: bool = False) -> Any:
        """A layer with the parameters of an nn.LSTM, prepared for training or calibration.

        Args:
            other: the plain layer.
            qconfig: its QConfig, if it has none itself.
            split_gates: whether each gate has layers of its own.
        """
        if not isinstance(other, cls._FLOAT_MODULE):
            raise AssertionError(f"Expected module type {cls._FLOAT_MODULE}, got {type(other)}")
        if not hasattr(other, "qconfig") and not qconfig:
            raise AssertionError("other must have qconfig or qconfig must be provided")
        observed = cls(
            other.input_size,
            other.hidden_size,
            other.num_layers,
            other.bias,
            other.batch_first,
            other.dropout,
            other.bidirectional,
            split_gates=split_gates,
        )
        observed.qconfig = getattr(other, "qconfig", qconfig)
        for i in range(other.num_layers):
            observed.layers[i] = _LSTMLayer.from_float(
                other, i, qconfig, batch_first=False, split_gates=split_gates
            )
        if other.training:
            observed.train()
            return torch.ao.quantization.prepare_qat(observed, inplace=True)
        observed.eval()
        return torch.ao.quantization.prepare(observed, inplace=True)

    @classmethod
    def from_observed(cls, other: Any) -> Any:
        """Raises a NotImplementedError, as torch: convert makes another class.

        Args:
            other: an observed layer.
        """
        raise NotImplementedError(
            "It looks like you are trying to convert a non-quantizable LSTM module. Please, see "
            "the examples on quantizable LSTMs."
        )


def _check_dropout(dropout: Any, num_layers: int) -> None:
    """Checks that a dropout is a probability, and warns that it is not used."""
    is_number = isinstance(dropout, numbers.Number) and not isinstance(dropout, bool)
    if not is_number or not 0 <= dropout <= 1:
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an element "
            "being zeroed"
        )
    if dropout > 0:
        warnings.warn(
            "dropout option for quantizable LSTM is ignored. If you are training, please, use "
            "nn.LSTM version followed by `prepare` step.",
            stacklevel=3,
        )
        if num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero "
                f"dropout expects num_layers greater than 1, but got dropout={dropout} and "
                f"num_layers={num_layers}",
                stacklevel=3,
            )

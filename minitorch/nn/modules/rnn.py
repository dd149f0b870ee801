"""Recurrent layers and cells: simple ones, LSTM, GRU. As torch/nn/modules/rnn.py."""

from __future__ import annotations

import math
import numbers
import warnings
import weakref
from collections.abc import Callable
from typing import Any

from minitorch.amp.casting import STATE
from minitorch.core.base.formulas import OPS
from minitorch.core.tensor.parameter import Parameter
from minitorch.nn import init
from minitorch.nn.modules.module import Module
from minitorch.nn.utils.rnn import PackedSequence

__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNBase", "RNNCell", "RNNCellBase"]

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def _reset(module: Any) -> None:
    """Draws all parameters uniformly within 1 / sqrt(hidden_size)."""
    bound = 1.0 / math.sqrt(module.hidden_size) if module.hidden_size > 0 else 0
    for weight in module.parameters():
        init.uniform_(weight, -bound, bound)


def apply_permutation(tensor: Any, permutation: Any, dim: int = 1) -> Any:
    """tensor.index_select(dim, permutation), which is to be used instead."""
    warnings.warn(
        "`apply_permutation` is deprecated, please use "
        "`tensor.index_select(dim, permutation)` instead",
        FutureWarning,
        stacklevel=2,
    )
    return tensor.index_select(dim, permutation)


class RNNBase(Module):
    """What RNN, LSTM and GRU share: parameters, checks, and a forward of one state or two.

    mode: 'RNN_TANH', 'RNN_RELU', 'LSTM' or 'GRU'; the other arguments are those of LSTM.
    """

    __constants__ = [
        "mode",
        "input_size",
        "hidden_size",
        "num_layers",
        "bias",
        "batch_first",
        "dropout",
        "bidirectional",
        "proj_size",
    ]

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._flat_weight_refs: list[Any] = []
        self._check_options(dropout)
        self._flat_weights_names: list[str] = []
        self._all_weights: list[list[str]] = []
        rows = _GATES[mode] * hidden_size
        state = proj_size if proj_size > 0 else hidden_size
        columns = input_size
        self._name_weights()
        for i, names in enumerate(self._all_weights):
            if i == (2 if bidirectional else 1):
                columns = state * (2 if bidirectional else 1)
            shapes: dict[str, tuple[int, ...]]
            shapes = {"weight_ih": (rows, columns), "weight_hh": (rows, state)}
            shapes |= {
                "bias_ih": (rows,),
                "bias_hh": (rows,),
                "weight_hr": (proj_size, hidden_size),
            }
            for name in names:
                shape = shapes[name.partition("_l")[0]]
                setattr(self, name, Parameter(OPS.empty(shape, device=device, dtype=dtype)))
        self._init_flat_weights()
        self.reset_parameters()

    def _check_options(self, dropout: Any) -> None:
        if (
            not isinstance(dropout, numbers.Number)
            or not 0 <= dropout <= 1
            or isinstance(dropout, bool)
        ):
            raise ValueError(
                "dropout should be a number in range [0, 1] representing the probability of an "
                "element being zeroed"
            )
        if self.dropout > 0 and self.num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero "
                "dropout expects num_layers greater than 1, but got "
                f"dropout={dropout} and num_layers={self.num_layers}",
                stacklevel=4,
            )
        kinds = {"bias": bool, "batch_first": bool, "input_size": int, "hidden_size": int}
        for name, kind in kinds.items():
            value = getattr(self, name)
            if not isinstance(value, kind):
                raise TypeError(
                    f"{name} should be of type {kind.__name__}, got: {type(value).__name__}"
                )
            if kind is int and value <= 0:
                raise ValueError(f"{name} must be greater than zero")
        if self.num_layers <= 0:
            raise ValueError("num_layers must be greater than zero")
        if self.proj_size < 0:
            raise ValueError(
                "proj_size should be a positive integer or zero to disable projections"
            )
        if self.proj_size >= self.hidden_size:
            raise ValueError("proj_size has to be smaller than hidden_size")
        if self.mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + self.mode)

    def _name_weights(self) -> None:
        """Lists the names of the parameters, by layer and direction."""
        kinds = ["weight_ih", "weight_hh"]
        kinds += ["bias_ih", "bias_hh"] if self.bias else []
        kinds += ["weight_hr"] if self.proj_size > 0 else []
        for layer in range(self.num_layers):
            for suffix in ("", "_reverse") if self.bidirectional else ("",):
                names = [f"{kind}_l{layer}{suffix}" for kind in kinds]
                self._flat_weights_names.extend(names)
                self._all_weights.append(names)

    def _init_flat_weights(self) -> None:
        self._flat_weights = [getattr(self, name, None) for name in self._flat_weights_names]
        self._note_weights()
        self.flatten_parameters()

    def _note_weights(self) -> None:
        self._flat_weight_refs = [
            None if weight is None else weakref.ref(weight) for weight in self._flat_weights
        ]

    def __setattr__(self, attr: str, value: Any) -> None:
        names = self.__dict__.get("_flat_weights_names", ())
        if attr in names and "_flat_weights" in self.__dict__:
            self._flat_weights[names.index(attr)] = value
        super().__setattr__(attr, value)

    def flatten_parameters(self) -> None:
        """Nothing: there is no cuDNN that would want the parameters in one block."""

    def _apply(self, fn: Callable[[Any], Any], recurse: bool = True) -> Any:
        self._flat_weight_refs = []
        super()._apply(fn, recurse)
        self._init_flat_weights()
        return self

    def reset_parameters(self) -> None:
        """Draws all parameters anew."""
        _reset(self)

    def check_input(self, input: Any, batch_sizes: Any) -> None:
        """ValueError or RuntimeError unless the input has the layer's dtype, rank and size."""
        dtype = self._flat_weights[0].dtype
        if input.dtype != dtype and not STATE.enabled:
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({dtype}). Convert "
                f"input: input.to({dtype}), or convert model: model.to({input.dtype})"
            )
        rank = 2 if batch_sizes is not None else 3
        if input.dim() != rank:
            raise RuntimeError(f"input must have {rank} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError(
                "input.size(-1) must be equal to input_size. Expected "
                f"{self.input_size}, got {input.size(-1)}"
            )

    def _state_size(self, batch: int, size: int) -> tuple[int, int, int]:
        return self.num_layers * (2 if self.bidirectional else 1), batch, size

    def _batch(self, input: Any, batch_sizes: Any) -> int:
        if batch_sizes is not None:
            return int(batch_sizes[0])
        return input.size(0 if self.batch_first else 1)

    def get_expected_hidden_size(self, input: Any, batch_sizes: Any) -> tuple[int, int, int]:
        """The shape of the hidden state."""
        batch = self._batch(input, batch_sizes)
        return self._state_size(batch, self.proj_size if self.proj_size > 0 else self.hidden_size)

    def check_hidden_size(
        self, hx: Any, expected_hidden_size: Any, msg: str = "Expected hidden size {}, got {}"
    ) -> None:
        """RuntimeError unless the state has that shape."""
        if hx.size() != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def _weights_have_changed(self) -> bool:
        """Whether a parameter is another object than at the last forward: see functional_call."""
        for ref, name in zip(self._flat_weight_refs, self._flat_weights_names, strict=True):
            weight = getattr(self, name, None)
            if weight is not None and ref is not None and ref() is not weight:
                return True
        return False

    def check_forward_args(self, input: Any, hidden: Any, batch_sizes: Any) -> None:
        """Checks the input and its state."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx: Any, permutation: Any) -> Any:
        """The states of the sequences in another order."""
        return hx if permutation is None else hx.index_select(1, permutation)

    def extra_repr(self) -> str:
        usual = {"proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False}
        usual |= {"dropout": 0, "bidirectional": False}
        text = f"{self.input_size}, {self.hidden_size}"
        for name, value in usual.items():
            own = getattr(self, name)
            if own is not value if isinstance(value, bool) else own != value:
                text += f", {name}={own}"
        return text

    def _update_flat_weights(self) -> None:
        if self._weights_have_changed():
            self._init_flat_weights()

    def __getstate__(self) -> dict[str, Any]:
        self._update_flat_weights()
        state = self.__dict__.copy()
        del state["_flat_weight_refs"]
        return state

    def __setstate__(self, d: dict[str, Any]) -> None:
        super().__setstate__(d)
        if "all_weights" in d:
            self._all_weights = d["all_weights"]
        if "proj_size" not in d:
            self.proj_size = 0
        if not isinstance(self._all_weights[0][0], str):
            self._flat_weights_names, self._all_weights = [], []
            self._name_weights()
            self._flat_weights = [getattr(self, name, None) for name in self._flat_weights_names]
        self._note_weights()

    @property
    def all_weights(self) -> list[list[Any]]:
        """The parameters, by layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    # ---- forward: what LSTM, which has two states, does otherwise ----

    def _zero_state(self, input: Any, batch: int) -> Any:
        return self._zeros(input, batch, self.hidden_size)

    def _zeros(self, input: Any, batch: int, size: int) -> Any:
        return OPS.zeros(self._state_size(batch, size), dtype=input.dtype, device=input.device)

    def _batched_state(self, hx: Any, batched: bool) -> Any:
        """The state with a dimension for the batch. RuntimeError for another rank."""
        kind, rank = ("batched", 3) if batched else ("unbatched", 2)
        if hx.dim() != rank:
            raise RuntimeError(
                f"For {kind} {rank}-D input, hx should also be {rank}-D but got {hx.dim()}-D tensor"
            )
        return hx if batched else hx.unsqueeze(1)

    def _unbatched_state(self, hx: Any) -> Any:
        return hx.squeeze(1)

    def _run(self, input: Any, hx: Any = None) -> Any:
        """The output for each step, and the last state."""
        self._update_flat_weights()
        packed = isinstance(input, PackedSequence)
        batch_sizes = order = back = None
        batched, batch_dim = True, 0 if self.batch_first else 1
        if packed:
            input, batch_sizes, order, back = input
        else:
            batched = input.dim() == 3
            if input.dim() not in (2, 3):
                what = " tensor" if self.mode.startswith("RNN") else ""
                raise ValueError(
                    f"{self.mode.partition('_')[0]}: Expected input to be 2D or 3D, got "
                    f"{input.dim()}D{what} instead"
                )
            if not batched:
                input = input.unsqueeze(batch_dim)
            if hx is not None:
                hx = self._batched_state(hx, batched)
        if hx is None:
            hx = self._zero_state(input, self._batch(input, batch_sizes))
        else:
            hx = self.permute_hidden(hx, order)
        if not packed or self.mode != "LSTM":
            self.check_forward_args(input, hx, batch_sizes)
        options = (self.bias, self.num_layers, self.dropout, self.training, self.bidirectional)
        function = getattr(OPS, self.mode.lower())
        if packed:
            result = function(input, batch_sizes, hx, self._flat_weights, *options)
        else:
            result = function(input, hx, self._flat_weights, *options, self.batch_first)
        output, *states = result
        hidden = tuple(states) if len(states) > 1 else states[0]
        if packed:
            output = PackedSequence(output, batch_sizes, order, back)
        elif not batched:
            output, hidden = output.squeeze(batch_dim), self._unbatched_state(hidden)
        return output, self.permute_hidden(hidden, back)


def _refuse_projections(options: dict[str, Any]) -> None:
    if "proj_size" in options:
        raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")


class RNN(RNNBase):
    """h = tanh(W_ih x + b_ih + W_hh h + b_hh) over a sequence, layer upon layer.

    Args:
        input_size, hidden_size, num_layers.
        nonlinearity: 'tanh' or 'relu'.
        bias, batch_first, dropout, bidirectional: as in LSTM.

    As https://docs.pytorch.org/docs/stable/generated/torch.nn.RNN.html.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _refuse_projections(kwargs)
        if len(args) > 3:
            self.nonlinearity = args[3]
            args = args[:3] + args[4:]
        else:
            self.nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if self.nonlinearity not in ("tanh", "relu"):
            raise ValueError(
                f"Unknown nonlinearity '{self.nonlinearity}'. Select from 'tanh' or 'relu'."
            )
        super().__init__(f"RNN_{self.nonlinearity.upper()}", *args, **kwargs)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """(output, h_n) for (L, N, input_size), (L, input_size) or a PackedSequence."""
        return self._run(input, hx)


class LSTM(RNNBase):
    """Long short-term memory over a sequence, layer upon layer.

    Args:
        input_size, hidden_size, num_layers.
        bias: whether gates have one.
        batch_first: whether input and output are (N, L, size) instead of (L, N, size).
        dropout: the chance, while training, with which outputs between layers are dropped.
        bidirectional: whether a second direction runs from the end to the start.
        proj_size: the size to which hidden states are projected; 0 for not.

    As https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTM.html.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def get_expected_cell_size(self, input: Any, batch_sizes: Any) -> tuple[int, int, int]:
        """The shape of the cell state."""
        return self._state_size(self._batch(input, batch_sizes), self.hidden_size)

    def check_forward_args(self, input: Any, hidden: Any, batch_sizes: Any) -> None:
        self.check_input(input, batch_sizes)
        sizes = (self.get_expected_hidden_size, self.get_expected_cell_size)
        for i, size in enumerate(sizes):
            message = f"Expected hidden[{i}] size {{}}, got {{}}"
            self.check_hidden_size(hidden[i], size(input, batch_sizes), message)

    def permute_hidden(self, hx: Any, permutation: Any) -> Any:
        if permutation is None:
            return hx
        return hx[0].index_select(1, permutation), hx[1].index_select(1, permutation)

    def _zero_state(self, input: Any, batch: int) -> Any:
        sizes = (self.proj_size if self.proj_size > 0 else self.hidden_size, self.hidden_size)
        return tuple([self._zeros(input, batch, size) for size in sizes])

    def _batched_state(self, hx: Any, batched: bool) -> Any:
        kind, rank = ("batched", 3) if batched else ("unbatched", 2)
        if hx[0].dim() != rank or hx[1].dim() != rank:
            raise RuntimeError(
                f"For {kind} {rank}-D input, hx and cx should also be {rank}-D but got "
                f"({hx[0].dim()}-D, {hx[1].dim()}-D) tensors"
            )
        return hx if batched else (hx[0].unsqueeze(1), hx[1].unsqueeze(1))

    def _unbatched_state(self, hx: Any) -> Any:
        return hx[0].squeeze(1), hx[1].squeeze(1)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """(output, (h_n, c_n)) for (L, N, input_size), (L, input_size) or a PackedSequence."""
        return self._run(input, hx)


class GRU(RNNBase):
    """Gated recurrent units over a sequence, layer upon layer. Arguments as of LSTM.

    As https://docs.pytorch.org/docs/stable/generated/torch.nn.GRU.html.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _refuse_projections(kwargs)
        super().__init__("GRU", *args, **kwargs)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """(output, h_n) for (L, N, input_size), (L, input_size) or a PackedSequence."""
        return self._run(input, hx)


class RNNCellBase(Module):
    """What cells share: weights for `num_chunks` gates, and a forward of one step."""

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
        _reset(self)

    def _step(self, kind: str, function: Any, input: Any, hx: Any) -> Any:
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

    As https://docs.pytorch.org/docs/stable/generated/torch.nn.RNNCell.html.
    """

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

        return self._step("RNNCell", function, input, hx)


class LSTMCell(RNNCellBase):
    """One step of an LSTM.

    As https://docs.pytorch.org/docs/stable/generated/torch.nn.LSTMCell.html.
    """

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
        return self._step("LSTMCell", OPS.lstm_cell, input, hx)


class GRUCell(RNNCellBase):
    """One step of a GRU.

    As https://docs.pytorch.org/docs/stable/generated/torch.nn.GRUCell.html.
    """

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
        return self._step("GRUCell", OPS.gru_cell, input, hx)

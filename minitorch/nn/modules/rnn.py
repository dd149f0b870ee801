"""Recurrent layers and cells: simple ones, LSTM, GRU. As torch/nn/modules/rnn.py."""

from __future__ import annotations

import numbers
import warnings
import weakref
from collections.abc import Callable
from typing import Any

from minitorch.amp.casting import STATE
from minitorch.core.base.formulas import OPS
from minitorch.core.tensor.parameter import Parameter
from minitorch.nn.modules.module import Module
from minitorch.nn.modules.rnn_cells import GRUCell as GRUCell
from minitorch.nn.modules.rnn_cells import LSTMCell as LSTMCell
from minitorch.nn.modules.rnn_cells import RNNCell as RNNCell
from minitorch.nn.modules.rnn_cells import RNNCellBase as RNNCellBase
from minitorch.nn.modules.rnn_cells import reset_uniformly
from minitorch.nn.utils.rnn import PackedSequence

__all__ = ["GRU", "LSTM", "RNN", "GRUCell", "LSTMCell", "RNNBase", "RNNCell", "RNNCellBase"]

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def apply_permutation(tensor: Any, permutation: Any, dim: int = 1) -> Any:
    """tensor.index_select(dim, permutation), which is to be used instead.

    Args:
        tensor: any Tensor.
        permutation: the indices, int64.
        dim: the dimension.

    As torch.nn.modules.rnn.apply_permutation.
    """
    warnings.warn(
        "`apply_permutation` is deprecated, please use "
        "`tensor.index_select(dim, permutation)` instead",
        FutureWarning,
        stacklevel=2,
    )
    return tensor.index_select(dim, permutation)


class RNNBase(Module):
    """The base of RNN, LSTM and GRU: parameters, checks, and a forward of one state or two.

    Args:
        mode: 'RNN_TANH', 'RNN_RELU', 'LSTM' or 'GRU'.
        input_size: the size of a step of the input.
        hidden_size: H, the size of the hidden state.
        num_layers: how many layers follow each other; each takes the outputs of the one before.
        bias: whether the gates have biases.
        batch_first: whether the batch is dimension 0 of input and output, instead of 1. The states
            have it in dimension 1 in any case.
        dropout: the chance, while training, with which outputs between layers are dropped.
        bidirectional: whether a second direction runs from the end to the start.
        proj_size: the size to which an LSTM's hidden states are projected, less than H; 0 for not.
        device, dtype: of the parameters.

    Raises:
        TypeError: if a size is no int, or `bias` or `batch_first` no bool.
        ValueError: for an unknown mode, a size that is not positive, a `proj_size` outside of [0,
            H), or `dropout` outside of [0, 1].

    As torch.nn.RNNBase.
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
                stacklevel=3,  # the line of LSTM, not of the program: once for all of them
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
        reset_uniformly(self)

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

    def _size_of_state(self, batch: int, size: int) -> tuple[int, int, int]:
        return self.num_layers * (2 if self.bidirectional else 1), batch, size

    def _number_of_sequences(self, input: Any, batch_sizes: Any) -> int:
        if batch_sizes is not None:
            return int(batch_sizes[0])
        return input.size(0 if self.batch_first else 1)

    def get_expected_hidden_size(self, input: Any, batch_sizes: Any) -> tuple[int, int, int]:
        """The shape of the hidden state."""
        batch = self._number_of_sequences(input, batch_sizes)
        return self._size_of_state(
            batch, self.proj_size if self.proj_size > 0 else self.hidden_size
        )

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
        return self._zeros_of_size(input, batch, self.hidden_size)

    def _zeros_of_size(self, input: Any, batch: int, size: int) -> Any:
        return OPS.zeros(self._size_of_state(batch, size), dtype=input.dtype, device=input.device)

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

    def _run_layers(self, input: Any, hx: Any = None) -> Any:
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
            hx = self._zero_state(input, self._number_of_sequences(input, batch_sizes))
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
        input_size: the size of a step of the input.
        hidden_size: H, the size of the hidden state.
        num_layers: how many layers follow each other; each takes the outputs of the one before.
        nonlinearity: 'tanh' or 'relu'.
        bias: whether the gates have biases.
        batch_first: whether the batch is dimension 0 of input and output, instead of 1. The states
            have it in dimension 1 in any case.
        dropout: the chance, while training, with which outputs between layers are dropped.
        bidirectional: whether a second direction runs from the end to the start.
        device, dtype: of the parameters.

    Shape:
        Input: (L, N, input_size); (N, L, input_size) if `batch_first`; (L, input_size) without a
            batch; or a PackedSequence.
        Output: (L, N, D * H) or likewise, where D is 2 if `bidirectional`, else 1.
        hx and h_n: (D * num_layers, N, H), the states before and after; without N if the input has
            none. None is zeros.

    Attributes:
        weight_ih_lk: (H, input_size) in layer k = 0, (H, D * H) in the others.
        weight_hh_lk: (H, H).
        bias_ih_lk, bias_hh_lk: (H); only if `bias`.
        Those of the second direction have the suffix _reverse. All are uniform within 1 / sqrt(H).

    Returns:
        output, the last layer's states for each step, and h_n, each layer's last state.

    Raises:
        TypeError: if a size is no int, or `bias` or `batch_first` no bool.
        ValueError: for a size or `num_layers` that is not positive, an unknown `nonlinearity`, a
            `proj_size`, or `dropout` outside of [0, 1]; at the call, for an input of another rank
            or dtype.
        RuntimeError: at the call, for an input or a state of another size.

    As torch.nn.RNN.
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
        return self._run_layers(input, hx)


class LSTM(RNNBase):
    """Long short-term memory over a sequence, layer upon layer.

    i, f, g, o are the four parts of W_ih x + b_ih + W_hh h + b_hh. The next states are c =
    sigmoid(f) * c + sigmoid(i) * tanh(g) and h = sigmoid(o) * tanh(c).

    Args:
        input_size: the size of a step of the input.
        hidden_size: H, the size of the hidden state.
        num_layers: how many layers follow each other; each takes the outputs of the one before.
        bias: whether the gates have biases.
        batch_first: whether the batch is dimension 0 of input and output, instead of 1. The states
            have it in dimension 1 in any case.
        dropout: the chance, while training, with which outputs between layers are dropped.
        bidirectional: whether a second direction runs from the end to the start.
        proj_size: the size P to which hidden states are projected, less than H; 0 for not: P is H
            then.
        device, dtype: of the parameters.

    Shape:
        Input: (L, N, input_size); (N, L, input_size) if `batch_first`; (L, input_size) without a
            batch; or a PackedSequence.
        Output: (L, N, D * P) or likewise, where D is 2 if `bidirectional`, else 1.
        hx and the last states: a pair of h, (D * num_layers, N, P), and c, (D * num_layers, N, H);
            without N if the input has none. None is zeros.

    Attributes:
        weight_ih_lk: (4 * H, input_size) in layer k = 0, (4 * H, D * P) in the others.
        weight_hh_lk: (4 * H, P).
        bias_ih_lk, bias_hh_lk: (4 * H); only if `bias`.
        weight_hr_lk: (proj_size, H), the projection; only if `proj_size`.
        Those of the second direction have the suffix _reverse. All are uniform within 1 / sqrt(H).

    Returns:
        output, the last layer's h for each step, and the pair (h_n, c_n) of each layer's last
            states.

    Raises:
        TypeError: if a size is no int, or `bias` or `batch_first` no bool.
        ValueError: for a size or `num_layers` that is not positive, a `proj_size` outside of [0,
            H), or `dropout` outside of [0, 1]; at the call, for an input of another rank or dtype.
        RuntimeError: at the call, for an input or a state of another size.

    As torch.nn.LSTM. Projections: https://arxiv.org/abs/1402.1128.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def get_expected_cell_size(self, input: Any, batch_sizes: Any) -> tuple[int, int, int]:
        """The shape of the cell state."""
        return self._size_of_state(self._number_of_sequences(input, batch_sizes), self.hidden_size)

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
        return tuple([self._zeros_of_size(input, batch, size) for size in sizes])

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
        return self._run_layers(input, hx)


class GRU(RNNBase):
    """Gated recurrent units over a sequence, layer upon layer. Arguments as of LSTM.

    The parameters' rows are those of r, z and n: r and z are sigmoid(W_i x + b_i + W_h h + b_h), n
    is tanh(W_in x + b_in + r * (W_hn h + b_hn)), and the next state is (1 - z) * n + z * h.

    Args:
        input_size: the size of a step of the input.
        hidden_size: H, the size of the hidden state.
        num_layers: how many layers follow each other; each takes the outputs of the one before.
        bias: whether the gates have biases.
        batch_first: whether the batch is dimension 0 of input and output, instead of 1. The states
            have it in dimension 1 in any case.
        dropout: the chance, while training, with which outputs between layers are dropped.
        bidirectional: whether a second direction runs from the end to the start.
        device, dtype: of the parameters.

    Shape:
        Input: (L, N, input_size); (N, L, input_size) if `batch_first`; (L, input_size) without a
            batch; or a PackedSequence.
        Output: (L, N, D * H) or likewise, where D is 2 if `bidirectional`, else 1.
        hx and h_n: (D * num_layers, N, H), the states before and after; without N if the input has
            none. None is zeros.

    Attributes:
        weight_ih_lk: (3 * H, input_size) in layer k = 0, (3 * H, D * H) in the others.
        weight_hh_lk: (3 * H, H).
        bias_ih_lk, bias_hh_lk: (3 * H); only if `bias`.
        Those of the second direction have the suffix _reverse. All are uniform within 1 / sqrt(H).

    Returns:
        output, the last layer's states for each step, and h_n, each layer's last state.

    Raises:
        TypeError: if a size is no int, or `bias` or `batch_first` no bool.
        ValueError: for a size or `num_layers` that is not positive, a `proj_size`, or `dropout`
            outside of [0, 1]; at the call, for an input of another rank or dtype.
        RuntimeError: at the call, for an input or a state of another size.

    As torch.nn.GRU. Cho et al., https://arxiv.org/abs/1406.1078.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _refuse_projections(kwargs)
        super().__init__("GRU", *args, **kwargs)

    def forward(self, input: Any, hx: Any = None) -> Any:
        """(output, h_n) for (L, N, input_size), (L, input_size) or a PackedSequence."""
        return self._run_layers(input, hx)

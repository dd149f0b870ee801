"""Recurrent cells and layers: simple ones, LSTM, GRU. As ATen/native/RNN.cpp.

Layers are made of operators, one cell after the other, but for an LSTM of float32, each of whose
layers is one operator, as in ATen/native/mkldnn/RNN.cpp.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from minitorch.aten.linalg.matmul import linear
from minitorch.aten.linalg.matrix import shapes_differ
from minitorch.aten.processor import ONEDNN_DTYPES
from minitorch.core.arrays import namespace, recurrent
from minitorch.core.base.fields import TensorBase, tensor
from minitorch.core.base.formulas import OPS
from minitorch.core.base.modes import recording
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.vmap import VMap
from minitorch.core.declare.wording.signatures import overloads
from minitorch.core.numbers import dtype as dtypes
from minitorch.core.warning import warn_once

State = tuple[Any, ...]  # the hidden state; of an LSTM and the cell state
Cell = Callable[..., State]


class Weights(NamedTuple):
    """The parameters of a cell."""

    w_ih: Any
    w_hh: Any
    b_ih: Any = None
    b_hh: Any = None
    w_hr: Any = None


# ---- cells: (input, state, weights, is the input weighed already?) -> state


def _weighed(input: Any, w: Weights, done: bool) -> Any:
    return input if done else linear(input, w.w_ih, w.b_ih)


def _simple(name: str, input: Any, state: State, w: Weights, done: bool = True) -> State:
    gates = linear(state[0], w.w_hh, w.b_hh).add_(_weighed(input, w, done))
    return (getattr(OPS, name)(gates),)


def _lstm(input: Any, state: State, w: Weights, done: bool = True) -> State:
    h, c = state
    gates = linear(h, w.w_hh, w.b_hh).add_(_weighed(input, w, done))
    i, f, g, o = OPS.unsafe_chunk(gates, 4, 1)
    i, f, g, o = i.sigmoid_(), f.sigmoid_(), g.tanh_(), o.sigmoid_()
    c = (f * c).add_(i * g)
    h = o * c.tanh()
    return h if w.w_hr is None else OPS.matmul(h, w.w_hr.t()), c


def _gru(input: Any, state: State, w: Weights, done: bool = True) -> State:
    (h,) = state
    reset, update, new = OPS.unsafe_chunk(_weighed(input, w, done), 3, 1)
    of_h = OPS.unsafe_chunk(linear(h, w.w_hh, w.b_hh), 3, 1)
    reset = of_h[0].add_(reset).sigmoid_()
    update = of_h[1].add_(update).sigmoid_()
    new = new.add(of_h[2].mul_(reset)).tanh_()
    return ((h - new).mul_(update).add_(new),)


_tanh, _relu = partial(_simple, "tanh"), partial(_simple, "relu")


def _check_weights(w: Weights, gates: int) -> None:
    """RuntimeError for weights that do not have a row for each hidden number and gate."""
    hidden = w.w_hh.size(1)
    for name, weight in (("weight_ih", w.w_ih), ("weight_hh", w.w_hh)):
        if weight.size(0) != gates * hidden:
            raise RuntimeError(
                f"{name} first dim must be {gates} * hidden_size = {gates * hidden}, but got "
                f"{weight.size(0)}"
            )


def _check_cell(input: Any, state: State, w: Weights, gates: int) -> None:
    """RuntimeError for sizes that do not go together."""
    if gates == 1:  # a cell with three gates looks at its weights last
        _check_weights(w, gates)
    expected, hidden = w.w_ih.size(1), w.w_hh.size(1)
    size = input.size(1)
    if size != expected:
        raise RuntimeError(f"input has inconsistent input_size: got {size} expected {expected}")
    if gates == 4:
        _check_weights(w, gates)
    for i, each in enumerate(state):
        if each.size(0) != input.size(0):
            raise RuntimeError(
                f"Input batch size {input.size(0)} doesn't match hidden{i} batch size "
                f"{each.size(0)}"
            )
        if each.size(1) != hidden:
            raise RuntimeError(
                f"hidden{i} has inconsistent hidden_size: got {each.size(1)}, expected {hidden}"
            )
    if gates == 3:
        _check_weights(w, gates)


def _declare_cell(name: str, cell: Cell, gates: int, what: str) -> None:
    @overloads(
        f"Tensor input, {'tuple of Tensors' if gates == 4 else 'Tensor'} hx, Tensor w_ih, "
        "Tensor w_hh, Tensor b_ih = None, Tensor b_hh = None"
    )
    def function(
        input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None
    ) -> Any:
        state: Any = hx if isinstance(hx, (list, tuple)) else (hx,)
        tensors = (input, w_ih, w_hh, *state)
        if (state is hx) != (gates == 4) or not all(isinstance(x, TensorBase) for x in tensors):
            raise TypeError  # `overloads` finds out of what
        if gates == 4 and len(hx) != 2:
            raise RuntimeError("lstm_cell expects two hidden states")
        w = Weights(w_ih, w_hh, b_ih, b_hh)
        _check_cell(input, state, w, gates)
        state = cell(input, state, w, False)
        return state if gates == 4 else state[0]

    function.__doc__ = f"The next state of {what}. As torch.{name}."
    said = VMap("without_rule" if gates == 4 else "warned")
    composite(name, on=("function",), vmap=said)(function)


_declare_cell("rnn_tanh_cell", _tanh, 1, "a simple recurrent cell")
_declare_cell("rnn_relu_cell", _relu, 1, "a simple recurrent cell with relu")
_declare_cell("lstm_cell", _lstm, 4, "a long short-term memory: hidden and cell state")
_declare_cell("gru_cell", _gru, 3, "a gated recurrent unit")


# ---- layers: (cell, input, state, weights, reverse) -> output, state


def _layer(cell: Cell, input: Any, state: State, w: Weights, reverse: bool) -> tuple[Any, State]:
    """A layer over (T, N, I)."""
    steps = OPS.unbind(linear(input, w.w_ih, w.b_ih), 0)
    outputs = []
    for step in reversed(steps) if reverse else steps:
        state = cell(step, state, w)
        outputs.append(state[0])
    if not outputs:
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
    return OPS.stack(outputs[::-1] if reverse else outputs, 0), state


def _narrowed(state: State, start: int, end: int) -> State:
    # From the last to the first, in the order in which C++ evaluates arguments.
    return tuple([OPS.narrow(each, 0, start, end - start) for each in state[::-1]])[::-1]


def _joined(states: Sequence[State]) -> State:
    return tuple([OPS.cat(each, 0) for each in [*zip(*states, strict=True)][::-1]])[::-1]


def _packed_layer(
    batch_sizes: Any, cell: Cell, input: Any, state: State, w: Weights, reverse: bool
) -> tuple[Any, State]:
    """A layer over (sum of sizes, I), the packed steps of batches of these sizes.

    Forwards the batch shrinks, and the states of sequences that have ended are put aside.
    Backwards it grows, and sequences join in with their first state.
    """
    sizes = _sizes(batch_sizes)
    input = linear(input, w.w_ih, w.b_ih)
    outputs, ended = [], []
    start, last, first = 0, sizes[0], state
    if reverse:
        start, last = input.size(0), sizes[-1]
        state = _narrowed(first, 0, last)
    for size in reversed(sizes) if reverse else sizes:
        if not reverse:
            step = OPS.narrow(input, 0, start, size)
            start += size
            if size < last:
                ended.append(_narrowed(state, size, last))
                state = _narrowed(state, 0, size)
        else:
            if size > last:
                state = _joined([state, _narrowed(first, last, size)])
            start -= size
            step = OPS.narrow(input, 0, start, size)
        last = size
        state = cell(step, state, w)
        outputs.append(state[0])
    if reverse:
        return OPS.cat(outputs[::-1], 0), state
    return OPS.cat(outputs, 0), _joined([state, *ended[::-1]])


def _stacked(
    layer: Callable[..., tuple[Any, State]],
    input: Any,
    states: Sequence[State],
    weights: Sequence[Weights],
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    dim: int,
) -> tuple[Any, list[State]]:
    """Layer upon layer, of one direction or two: the output of the last, the states of all."""
    directions = 2 if bidirectional else 1
    if len(states) % directions or len(weights) % directions:
        raise RuntimeError("Odd number of params or hiddens given to a bidirectional RNN")
    for what, given in (("hidden states", states), ("weights", weights)):
        if len(given) != num_layers * directions:
            raise RuntimeError(f"Expected more {what} in stacked_rnn")
    ends: list[State] = []
    for i in range(num_layers):
        outputs = []
        for n in range(i * directions, (i + 1) * directions):
            output, end = layer(input, states[n], weights[n], n > i * directions)
            outputs.append(output)
            ends.append(end)
        input = OPS.cat(outputs, dim) if bidirectional else outputs[0]
        if dropout and train and i < num_layers - 1:
            input = OPS.dropout(input, dropout, True)
    return input, ends


def _gathered(params: Sequence[Any], has_biases: bool, has_projections: bool) -> list[Weights]:
    """The parameters of all cells, told apart."""
    count = 2 + 2 * has_biases + has_projections
    if len(params) % count:
        raise RuntimeError("got an incorrect number of RNN parameters")
    cells = [params[i : i + count] for i in range(0, len(params), count)]
    if has_projections:
        cells = [(*each[:-1], *(() if has_biases else (None, None)), each[-1]) for each in cells]
    return [Weights(*each) for each in cells]


# ---- the functions of torch

_OPTIONS = (
    "tuple of Tensors params, bool has_biases, int num_layers, float dropout, bool train, "
    "bool bidirectional"
)


def _sizes(batch_sizes: Any) -> list[int]:
    """The sizes of a packed sequence's batches."""
    batch_sizes.size(0)
    if batch_sizes.dtype is not dtypes.int64:
        raise RuntimeError(f"expected scalar type Long but found {batch_sizes.dtype.scalar_name}")
    sizes: list[int] = batch_sizes.reshape(-1).tolist()
    return sizes


def _check_states(hx: Any, is_lstm: bool) -> None:
    if isinstance(hx, (list, tuple)) != is_lstm:
        raise TypeError  # `overloads` finds out of what
    if is_lstm and len(hx) != 2:
        raise RuntimeError("lstm expects two hidden states")


def _declare_layers(name: str, cell: Cell, what: str) -> None:
    is_lstm = cell is _lstm

    def run(
        layer: Any, dim: int, input: Any, hx: Any, params: Any, has_biases: bool, *options: Any
    ) -> Any:
        projected = is_lstm and hx[1].size(2) != hx[0].size(2)
        weights = _gathered(params, has_biases, projected)
        if not is_lstm:
            states = [(each,) for each in OPS.unbind(hx, 0)]
        else:
            states = [*zip(*[OPS.unbind(each, 0) for each in hx], strict=False)]
        output, ends = _stacked(partial(layer, cell), input, states, weights, *options, dim)
        return output, *[OPS.stack(each, 0) for each in [*zip(*ends, strict=True)][::-1]][::-1]

    def of_packed(
        data: Any,
        batch_sizes: Any,
        hx: Any,
        params: Any,
        has_biases: bool,
        num_layers: int,
        dropout: float,
        train: bool,
        bidirectional: bool,
    ) -> Any:
        _check_states(hx, is_lstm)
        if is_lstm:
            hx[0].size(2)  # which torch asks for first here, and last where all are of one length
        options = (has_biases, num_layers, dropout, train, bidirectional)
        if is_lstm and _is_fused(data, hx) and len({*(sizes := _sizes(batch_sizes))}) == 1:
            input = OPS.reshape(data, (len(sizes), sizes[0], data.size(1)))
            output, *states = _fused_lstm(input, hx, params, *options, False)
            return OPS.reshape(output, (len(sizes) * sizes[0], output.size(2))), *states
        return run(partial(_packed_layer, batch_sizes), -1, data, hx, params, *options)

    def of_sequence(
        input: Any,
        hx: Any,
        params: Any,
        has_biases: bool,
        num_layers: int,
        dropout: float,
        train: bool,
        bidirectional: bool,
        batch_first: bool,
    ) -> Any:
        _check_states(hx, is_lstm)
        options = (has_biases, num_layers, dropout, train, bidirectional)
        if is_lstm:
            if _is_fused(input, hx):
                return _fused_lstm(input, hx, params, *options, batch_first)
            if _fits(input):
                warn_once(
                    "LSTM with projections is not supported with oneDNN. Using default "
                    "implementation."
                )
        if not batch_first:
            return run(_layer, 2, input, hx, params, *options)
        output, *states = run(_layer, 2, OPS.transpose(input, 0, 1), hx, params, *options)
        if is_lstm:
            return OPS.transpose(output, 0, 1), *states
        return output.transpose_(0, 1), *states

    states = "tuple of Tensors hx" if is_lstm else "Tensor hx"

    @overloads(
        f"Tensor data, Tensor batch_sizes, {states}, {_OPTIONS}",
        f"Tensor input, {states}, {_OPTIONS}, bool batch_first",
    )
    def function(*args: Any, **named: Any) -> Any:
        packed = "data" in named or "batch_sizes" in named
        if packed or (len(args) > 3 and isinstance(args[3], (list, tuple))):
            return of_packed(*args, **named)
        return of_sequence(*args, **named)

    function.__doc__ = f"The output of layers of {what}, and their last states. As torch.{name}."
    composite(name, on=("function",), vmap=VMap("recurrent"))(function)


_declare_layers("rnn_tanh", _tanh, "simple recurrent cells")
_declare_layers("rnn_relu", _relu, "simple recurrent cells with relu")
_declare_layers("lstm", _lstm, "long short-term memories")
_declare_layers("gru", _gru, "gated recurrent units")


# ---- LSTM layers as one operator

_LSTM = 2  # the number of the mode


def _fits(input: Any) -> bool:
    """Whether oneDNN takes the input. As use_mkldnn."""
    return input.dtype in ONEDNN_DTYPES and input.numel() > 0


def _is_fused(input: Any, hx: Any) -> bool:
    return hx[1].size(2) == hx[0].size(2) and _fits(input)


def _zeros(like: Any, *size: int) -> Any:
    return OPS.zeros(size or like.shape, dtype=like.dtype, device=like.device)


def _fused_lstm(
    input: Any,
    hx: Any,
    params: Any,
    has_biases: bool,
    num_layers: int,
    dropout: float,
    train: bool,
    bidirectional: bool,
    batch_first: bool,
) -> Any:
    """`lstm` as one operator for each layer and direction."""
    if batch_first:
        input = OPS.transpose(input, 0, 1)
    input = input.contiguous()
    h, c = [each.contiguous() for each in hx]
    count = 4 if has_biases else 2
    if len(params) % count:
        raise RuntimeError(
            f"MatrixRef: ArrayRef size {len(params)} not divisible by stride {count}"
        )
    hidden_size = h.size(2)
    hidden: list[Any] = []
    cells = []
    for i in range(num_layers):
        outputs = []
        for reverse in (False, True)[: 1 + bidirectional]:
            index = len(hidden)
            weights = params[index * count : (index + 1) * count]
            if not weights:
                raise RuntimeError(
                    f"ArrayRef: invalid slice, N = {index * count}; M = {count}; size = "
                    f"{len(params)}"
                )
            states = h[index], c[index]
            if not has_biases:
                weights = [*weights, *map(_zeros, weights)]
            output, *ends, _ = mkldnn_rnn_layer(
                input,
                *weights,
                *states,
                reverse,
                (),
                _LSTM,
                hidden_size,
                num_layers,
                has_biases,
                bidirectional,
                batch_first,
                train,
            )
            outputs.append(output)
            hidden.append(ends[0])
            cells.append(ends[1])
        input = OPS.cat(outputs, -1) if bidirectional else outputs[0]
        if dropout and train and i < num_layers - 1:
            input = OPS.dropout(input, dropout, True)
    h, c = OPS.stack(hidden, 0), OPS.stack(cells, 0)
    return (OPS.transpose(input, 0, 1) if batch_first else input), h, c


def _layer_forward(
    xp: Any,
    input: Any,
    weight0: Any,
    weight1: Any,
    weight2: Any,
    weight3: Any,
    hx_: Any,
    cx_: Any,
    reverse: bool,
    mode: int,
    has_biases: bool,
) -> Any:
    if mode != _LSTM:
        raise NotImplementedError("torch.mkldnn_rnn_layer is implemented for LSTM only")
    if input.shape[2] != weight0.shape[1]:
        raise shapes_differ(input.reshape(-1, input.shape[2]), weight0.T)
    given = (weight0, weight1, hx_, cx_, *((weight2, weight3) if has_biases else ()))
    if any(each.dtype != input.dtype for each in given):
        if any(each.dtype.itemsize > 4 or each.dtype.kind in "biu" for each in given):
            raise RuntimeError("get_mkldnn_dtype: unsupported data type")
        raise RuntimeError(
            "could not create a primitive descriptor for the LSTM forward propagation primitive. "
            "Run workload with environment variable ONEDNN_VERBOSE=all to get additional "
            "diagnostic information."
        )
    bias = weight2 + weight3 if has_biases else xp.zeros(weight0.shape[0], input.dtype)
    return recurrent.lstm(xp, input, weight0, weight1, bias, hx_, cx_, reverse)


def _layer_gradient(
    F: Any,
    grads: Any,
    input: Any,
    weight0: Any,
    weight1: Any,
    weight2: Any,
    weight3: Any,
    hx_: Any,
    cx_: Any,
    result0: Any,
    result1: Any,
    result2: Any,
    reverse: bool,
    mode: int,
    hidden_size: int,
    num_layers: int,
    has_biases: bool,
    train: bool,
    bidirectional: bool,
    batch_sizes: Any,
    batch_first: bool,
    result3: Any,
    grad_input_mask: Any,
) -> Any:
    given = (input, weight0, weight1, weight2, weight3, hx_, cx_, result0)
    found = F.mkldnn_rnn_layer_backward(given, grads, reverse, has_biases, result3, grad_input_mask)
    wanted = zip(found, grad_input_mask, strict=True)
    return tuple([grad if is_wanted else None for grad, is_wanted in wanted])  # as hooks see them


mkldnn_rnn_layer = operator(
    "mkldnn_rnn_layer(Tensor input, Tensor weight0, Tensor weight1, Tensor weight2,"
    " Tensor weight3, Tensor hx_, Tensor cx_, bool reverse, int[] batch_sizes, int mode,"
    " int hidden_size, int num_layers, bool has_biases, bool bidirectional, bool batch_first,"
    " bool train) -> (Tensor, Tensor, Tensor, Tensor)",
    node="MkldnnRnnLayerBackward0",
    forward=_layer_forward,
    differentiable=(True, True, True, False),
    inputs=_layer_gradient,
    exact=True,
    on=("function",),
)


def _backward_of_arrays(
    given: Any, grads: Any, reverse: bool, has_biases: bool, kept: Any, wanted: Any
) -> Any:
    x, w_ih, w_hh, _, _, h, c, out = given
    found = recurrent.lstm_backward(
        namespace(x), x, w_ih, w_hh, h, c, out, grads, reverse, kept, wanted[0]
    )
    dx, dw_ih, dw_hh, db, dh, dc = found
    return dx, dw_ih, dw_hh, db, db.copy(), dh, dc


@composite("mkldnn_rnn_layer_backward", on=("F",), raw=_backward_of_arrays)
def mkldnn_rnn_layer_backward(
    given: Any, grads: Any, reverse: bool, has_biases: bool, kept: Any, wanted: Any
) -> Any:
    """The gradients of an LSTM layer, computed so that they can be differentiated again.

    As mkldnn_rnn_layer_differentiable_backward.
    """
    if not recording():
        given, grads = [[None if x is None else x._array for x in each] for each in (given, grads)]
        found = _backward_of_arrays(given, grads, reverse, has_biases, kept._array, wanted)
        return tuple([None if x is None else tensor(x) for x in found])
    input, w_ih, w_hh, b_ih, b_hh, h, c, out = given
    shapes = (out, h, c)
    grad_out, grad_h, grad_c = [
        OPS.zeros_like(x) if grad is None else grad.contiguous()
        for grad, x in zip(grads, shapes, strict=True)
    ]
    if not has_biases:
        b_ih, b_hh = [_zeros(w, w.size(0)) for w in (w_ih, w_hh)]
    steps = input.size(0)
    order = range(steps - 1, -1, -1) if reverse else range(steps)
    gates, states = [], [(h, c)]
    for t in order:
        gate = linear(input[t], w_ih, b_ih).add_(linear(h, w_hh, b_hh))
        i, f, g, o = OPS.unsafe_chunk(gate, 4, 1)
        i, f, g, o = i.sigmoid_(), f.sigmoid_(), g.tanh_(), o.sigmoid_()
        c = (f * c).add(i * g)
        h = o * c.tanh()
        gates.append((i, f, g, o))
        states.append((h, c))
    dx: dict[int, Any] = {}
    sums: list[Any] = []
    for n in range(steps - 1, -1, -1):
        t = order[n]
        (i, f, g, o), (h, c), after = gates[n], states[n], states[n + 1][1]
        dh = grad_out[t].add(grad_h)
        squashed = after.tanh()
        slope = _one_minus(after.tanh() * squashed)
        dc = grad_c.add(dh * o * slope)
        dg, di, grad_c, df = dc * i, dc * g, dc * f, dc * c
        do = dh * after.tanh()
        do, dg = _through_sigmoid(do, o), dg * _one_minus(g * g)
        df, di = _through_sigmoid(df, f), _through_sigmoid(di, i)
        gate = OPS.cat([di, df, dg, do], 1)
        db = gate.sum(0)
        dx[t] = OPS.matmul(gate, w_ih).unsqueeze(0)
        grad_h = OPS.matmul(gate, w_hh)
        x = input[t]
        new = [db, OPS.matmul(gate.transpose(0, 1), x), OPS.matmul(gate.transpose(0, 1), h)]
        sums = [total.add_(each) for total, each in zip(sums, new, strict=True)] if sums else new
    db, dw_ih, dw_hh = sums
    return OPS.cat([dx[t] for t in range(steps)], 0), dw_ih, dw_hh, db, db, grad_h, grad_c


def _one_minus(x: Any) -> Any:
    return OPS.ones_like(x).sub_(x)


def _through_sigmoid(grad: Any, s: Any) -> Any:
    slope = _one_minus(s)
    return grad * s * slope

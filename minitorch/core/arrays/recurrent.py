"""One direction of one LSTM layer over all time steps, forward and backward.

What does not wait for the step before (the products with the input, the gradients of weights and
input) is one product for all steps. Gates are in torch's order: input, forget, cell and output. In
products they lie side by side; the kept ones each by itself, for a pass over a part of every row
takes twice the time (4096 numbers in 32 rows: 1.8 us instead of 0.9).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from minitorch.core.arrays.blas import multiplier


def _order(steps: int, reverse: bool) -> Sequence[int]:
    return range(steps - 1, -1, -1) if reverse else range(steps)


def _kept(kept: Any, steps: int, batch: int, hidden: int) -> tuple[Any, Any]:
    """(T, 4, N, H): the gates; (2, T, N, H): the cells and their tanh."""
    room = 4 * steps * batch * hidden
    gates = kept[:room].reshape(steps, 4, batch, hidden)
    return gates, kept[room:].reshape(2, steps, batch, hidden)


def _one_by_one(x: Any, hidden: int) -> Any:
    """(..., N, 4H) -> (..., 4, N, H), a view."""
    return x.reshape(*x.shape[:-1], 4, hidden).swapaxes(-3, -2)


def _sigmoid(xp: Any, x: Any) -> None:
    """In place."""
    xp.negative(x, out=x)
    xp.exp(x, out=x)
    x += 1
    xp.reciprocal(x, out=x)


def lstm(
    xp: Any, x: Any, w_ih: Any, w_hh: Any, bias: Any, h: Any, c: Any, reverse: bool
) -> tuple[Any, Any, Any, Any]:
    """The hidden states of all steps, the last hidden and cell state, and the values for backward.

    Args:
        x: (T, N, I).  w_ih: (4H, I).  w_hh: (4H, H).  bias: (4H).  h, c: (N, H).
        reverse: from the last step to the first.
    Returns:
        (T, N, H), (N, H), (N, H) and the numbers of gates and cells.

    Hochreiter and Schmidhuber, Long Short-Term Memory, 1997.
    """
    dtype = x.dtype
    if dtype.itemsize == 2:
        wide = [each.astype(xp.float32) for each in (x, w_ih, w_hh, bias, h, c)]
        *states, kept = lstm(xp, *wide, reverse)
        return (*[each.astype(dtype) for each in states], kept)
    steps, batch, size = x.shape
    hidden = w_hh.shape[1]
    kept = xp.empty(6 * steps * batch * hidden, dtype)
    gates, (cells, squashed) = _kept(kept, steps, batch, hidden)
    inputs = xp.dot(x.reshape(-1, size), w_ih.T)
    inputs += bias
    inputs = _one_by_one(inputs.reshape(steps, batch, 4 * hidden), hidden)
    recur = multiplier(xp, w_hh.T, batch)
    product = xp.empty((batch, 4 * hidden), dtype)
    states = _one_by_one(product, hidden)
    out = xp.empty((steps, batch, hidden), dtype)
    for t in _order(steps, reverse):
        gate, cell, tanh = gates[t], cells[t], squashed[t]
        recur(h, product)
        xp.add(inputs[t], states, out=gate)
        i, f, g, o = gate
        _sigmoid(xp, gate[:2])
        xp.tanh(g, out=g)
        _sigmoid(xp, o)
        xp.multiply(f, c, out=cell)
        cell += xp.multiply(i, g, out=tanh)
        xp.tanh(cell, out=tanh)
        h, c = xp.multiply(o, tanh, out=out[t]), cell
    return out, h.copy(), c.copy(), kept


def lstm_backward(
    xp: Any,
    x: Any,
    w_ih: Any,
    w_hh: Any,
    h: Any,
    c: Any,
    out: Any,
    grads: Sequence[Any],
    reverse: bool,
    kept: Any,
    wants_x: bool = True,
) -> tuple[Any, ...]:
    """The gradients of `lstm` by x (None if not `wants_x`), w_ih, w_hh, bias, h and c.

    Args:
        grads: those of the hidden states, the last hidden and the last cell state, None for zero.
        kept: what `lstm` kept.
    """
    dtype = x.dtype
    if dtype.itemsize == 2:
        wide = [each.astype(xp.float32) for each in (x, w_ih, w_hh, h, c, out)]
        grads = [None if each is None else each.astype(xp.float32) for each in grads]
        found = lstm_backward(xp, *wide, grads, reverse, kept, wants_x)
        return tuple([None if each is None else each.astype(dtype) for each in found])
    steps, batch, size = x.shape
    hidden = w_hh.shape[1]
    gates, (cells, squashed) = _kept(kept, steps, batch, hidden)
    grad_out, grad_h, grad_c = grads
    dh, dc = [xp.zeros_like(h) if each is None else each.copy() for each in (grad_h, grad_c)]
    recur = multiplier(xp, w_hh, batch)
    slopes = xp.empty((steps, batch, 4 * hidden), dtype)
    slope = xp.empty(gates.shape[1:], dtype)
    di, df, dg, do = slope
    work = xp.empty_like(h)
    for t in reversed(_order(steps, reverse)):
        before = t + 1 if reverse else t - 1
        previous = cells[before] if 0 <= before < steps else c
        gate, tanh = gates[t], squashed[t]
        i, f, g, o = gate
        if grad_out is not None:
            dh += grad_out[t]
        xp.multiply(gate, gate, out=slope)
        xp.subtract(gate, slope, out=slope)  # the slopes of the sigmoids
        do *= tanh
        do *= dh
        dh *= o  # the gradient of the squashed cell
        xp.multiply(tanh, tanh, out=work)
        xp.subtract(1, work, out=work)
        work *= dh
        dc += work
        di *= g
        di *= dc
        df *= previous
        df *= dc
        xp.multiply(g, g, out=dg)
        xp.subtract(1, dg, out=dg)
        dg *= i
        dg *= dc
        dc *= f
        _one_by_one(slopes[t], hidden)[...] = slope
        recur(slopes[t], dh)
    slopes = slopes.reshape(-1, 4 * hidden)
    first, rest, earlier = slopes[:batch], slopes[batch:], out[:-1]
    if reverse:
        first, rest, earlier = slopes[-batch:], slopes[:-batch], out[1:]
    dw_hh = xp.dot(rest.T, earlier.reshape(-1, hidden))
    dw_hh += xp.dot(first.T, h)
    dx = None
    if wants_x:
        dx = xp.empty(x.shape, dtype)
        xp.dot(slopes, w_ih, out=dx.reshape(-1, size))
    return dx, xp.dot(slopes.T, x.reshape(-1, size)), dw_hh, slopes.sum(0), dh, dc

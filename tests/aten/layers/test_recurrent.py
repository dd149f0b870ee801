"""Recurrent cells and layers against their definitions, written out."""

import numpy
import pytest

import minitorch as torch


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def rnn(gates_x, gates_h, h, c):
    return numpy.tanh(gates_x + gates_h), c


def lstm(gates_x, gates_h, h, c):
    i, f, g, o = numpy.split(gates_x + gates_h, 4, -1)
    c = sigmoid(f) * c + sigmoid(i) * numpy.tanh(g)
    return sigmoid(o) * numpy.tanh(c), c


def gru(gates_x, gates_h, h, c):
    (rx, zx, nx), (rh, zh, nh) = numpy.split(gates_x, 3, -1), numpy.split(gates_h, 3, -1)
    z = sigmoid(zx + zh)
    return (1 - z) * numpy.tanh(nx + sigmoid(rx + rh) * nh) + z * h, c


CELLS = {"rnn_tanh": (rnn, 1), "lstm": (lstm, 4), "gru": (gru, 3)}


def weights(gates, size=2, hidden=3, dtype=torch.float64):
    torch.manual_seed(0)
    rows = gates * hidden
    shapes = ((rows, size), (rows, hidden), (rows,), (rows,))
    return [torch.randn(*shape, dtype=dtype, requires_grad=True) for shape in shapes]


def call(name, x, state, params, *, directions=1, batch_first=False, sizes=None):
    """The output and the states of one layer."""
    hx = state if name == "lstm" else state[0]
    ends = (params, True, 1, 0.0, True, directions == 2)
    if sizes is not None:
        return getattr(torch, name)(x, sizes, hx, *ends)
    return getattr(torch, name)(x, hx, *ends, batch_first)


def by_hand(name, x, h, c, params, reverse=False):
    cell, _ = CELLS[name]
    w_ih, w_hh, b_ih, b_hh = [each.detach().numpy() for each in params]
    outputs = []
    for step in x[::-1] if reverse else x:
        h, c = cell(step @ w_ih.T + b_ih, h @ w_hh.T + b_hh, h, c)
        outputs.append(h)
    return numpy.stack(outputs[::-1] if reverse else outputs), h, c


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("name", CELLS)
def test_layers_compute_what_their_definitions_say(name, dtype):
    params = [*weights(CELLS[name][1], dtype=dtype), *weights(CELLS[name][1], dtype=dtype)]
    x = torch.randn(4, 2, 2, dtype=dtype)
    state = [torch.randn(2, 2, 3, dtype=dtype) for _ in range(2)]
    output, *ends = call(name, x, state, params, directions=2)
    h, c = [each.numpy() for each in state]
    one, h1, c1 = by_hand(name, x.numpy(), h[0], c[0], params[:4])
    two, h2, c2 = by_hand(name, x.numpy(), h[1], c[1], params[4:], reverse=True)
    numpy.testing.assert_allclose(output.detach(), numpy.concatenate([one, two], -1), rtol=1e-4)
    numpy.testing.assert_allclose(ends[0].detach(), [h1, h2], rtol=1e-4)
    if name == "lstm":
        numpy.testing.assert_allclose(ends[1].detach(), [c1, c2], rtol=1e-4)


@pytest.mark.parametrize("reverse", [False, True])
def test_the_fused_layer_has_the_gradients_of_the_one_in_steps(reverse):
    x = torch.randn(5, 2, 2, requires_grad=True)
    state = [torch.randn(2, 2, 3, requires_grad=True) for _ in range(2)]
    params = [*weights(4, dtype=torch.float32), *weights(4, dtype=torch.float32)]
    leaves = [x, *state, *params]
    wide = [leaf.detach().double().requires_grad_() for leaf in leaves]
    found = []
    for x, h, c, *params in (leaves, wide):
        output, h, c = call("lstm", x, [h, c], params, directions=2)
        total = (output.cos().sum() + h[int(reverse)].sin().sum()) * c.sum()
        found.append([*torch.autograd.grad(total, leaves if x is leaves[0] else wide)])
    for single, double in zip(*found, strict=True):
        numpy.testing.assert_allclose(single, double, rtol=2e-4, atol=2e-5)


def test_a_layer_is_one_node_for_floats_and_steps_for_doubles():
    for dtype, node in (
        (torch.float32, "MkldnnRnnLayerBackward0"),
        (torch.float64, "StackBackward0"),
    ):
        state = [torch.zeros(1, 2, 3, dtype=dtype)] * 2
        output, _, _ = call(
            "lstm", torch.ones(4, 2, 2, dtype=dtype), state, weights(4, dtype=dtype)
        )
        assert output.grad_fn.name() == node


def test_what_does_not_need_a_gradient_gets_none():
    x, state = torch.ones(2, 1, 2), [torch.zeros(1, 1, 3)] * 2
    params = weights(4, dtype=torch.float32)
    call("lstm", x, state, params)[0].sum().backward()
    assert x.grad is None
    assert all(p.grad is not None for p in params)


@pytest.mark.parametrize("name", CELLS)
def test_packed_sequences_are_run_to_their_own_ends(name):
    params = [*weights(CELLS[name][1]), *weights(CELLS[name][1])]
    sequences = [torch.randn(n, 2, dtype=torch.float64) for n in (4, 3, 1)]
    packed = torch.nn.utils.rnn.pack_sequence(sequences)
    state = [torch.randn(2, 3, 3, dtype=torch.float64) for _ in range(2)]
    data, *ends = call(name, packed.data, state, params, directions=2, sizes=packed.batch_sizes)
    padded, _ = torch.nn.utils.rnn.pad_packed_sequence(packed._replace(data=data))
    for i, each in enumerate(sequences):
        alone, *own = call(
            name, each[:, None], [s[:, i : i + 1] for s in state], params, directions=2
        )
        assert torch.allclose(padded[: len(each), i], alone[:, 0])
        for end, single in zip(ends, own, strict=True):
            assert torch.allclose(end[:, i], single[:, 0])


def test_packed_sequences_of_one_length_are_a_batch():
    state = [torch.zeros(1, 2, 3)] * 2
    params = weights(4, dtype=torch.float32)
    x = torch.randn(3, 2, 2)
    output, _, _ = call("lstm", x.reshape(6, 2), state, params, sizes=torch.tensor([2, 2, 2]))
    assert output.grad_fn.name() == "ViewBackward0"
    assert torch.equal(output.reshape(3, 2, 3), call("lstm", x, state, params)[0])


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_is_one_step_of_a_layer(name):
    params = weights(CELLS[name][1])
    x = torch.randn(1, 2, 2, dtype=torch.float64)
    state = [torch.randn(1, 2, 3, dtype=torch.float64) for _ in range(2)]
    _, *ends = call(name, x, state, params)
    if name == "lstm":
        found = torch.lstm_cell(x[0], [s[0] for s in state], *params)
    else:
        found = (getattr(torch, f"{name}_cell")(x[0], state[0][0], *params),)
    for end, single in zip(ends, found, strict=True):
        assert torch.allclose(end[0], single)


def test_projections_make_hidden_states_smaller():
    w = [torch.randn(*s) for s in ((12, 2), (12, 1), (1, 3))]
    hx = [torch.zeros(1, 2, 1), torch.zeros(1, 2, 3)]
    torch.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match="LSTM with projections is not supported"):
            found = torch.lstm(torch.ones(4, 2, 2), hx, w, False, 1, 0.0, True, False, False)
    finally:
        torch.set_warn_always(False)
    assert [tuple(x.shape) for x in found] == [(4, 2, 1), (1, 2, 1), (1, 2, 3)]


def test_an_lstm_of_bfloat16_runs_cell_by_cell():
    params = weights(4, dtype=torch.float32)
    x, state = torch.randn(3, 2, 2), [torch.zeros(1, 2, 3)] * 2
    wide = call("lstm", x, state, params)[0]
    half = [each.detach().bfloat16().requires_grad_() for each in params]
    narrow = call("lstm", x.bfloat16(), [s.bfloat16() for s in state], half)[0]
    assert narrow.dtype is torch.bfloat16
    assert narrow.grad_fn.name() == "StackBackward0"
    assert wide.grad_fn.name() == "MkldnnRnnLayerBackward0"
    assert torch.allclose(wide, narrow.float(), atol=0.05)
    narrow.sum().backward()
    assert half[0].grad.dtype is torch.bfloat16


REFUSED = {
    "gru_cell(one, one)": 'gru_cell() missing 2 required positional argument: "w_ih", "w_hh"',
    "lstm_cell(one, one, one, one)": (
        "lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not Tensor"
    ),
    "lstm_cell(one, [one], one, one)": "lstm_cell expects two hidden states",
    "gru_cell(one, one, ones(3, 2), one)": "input has inconsistent input_size: got 1 expected 2",
    "gru_cell(one, ones(2, 1), ones(3, 1), ones(3, 1))": (
        "Input batch size 1 doesn't match hidden0 batch size 2"
    ),
    "gru_cell(one, one, ones(3, 1), ones(3, 2))": (
        "hidden0 has inconsistent hidden_size: got 1, expected 2"
    ),
    "gru_cell(one, one, one, ones(3, 1))": (
        "weight_ih first dim must be 3 * hidden_size = 3, but got 1"
    ),
    "lstm(x, [x], w, *options)": "lstm expects two hidden states",
    "lstm(x, [x, x], w[:3], *options)": "MatrixRef: ArrayRef size 3 not divisible by stride 4",
    "lstm(x, [x, x], w[:0], *options)": "ArrayRef: invalid slice, N = 0; M = 4; size = 0",
    "gru(x, x, w[:3], *options)": "got an incorrect number of RNN parameters",
    "gru(x, ones(2, 1, 1), w, *options)": "Expected more hidden states in stacked_rnn",
    "gru(x, ones(2, 1, 1), w, True, 2, 0.0, True, False, False)": (
        "Expected more weights in stacked_rnn"
    ),
    "gru(x, x, w, True, 1, 0.0, True, True, False)": (
        "Odd number of params or hiddens given to a bidirectional RNN"
    ),
    "gru(x[:0], x, [ones(3, 1)] * 2, False, *options[1:])": (
        "Expected sequence length to be larger than 0 in RNN"
    ),
    "gru(one, one[0], x, w, *options[:-1])": "expected scalar type Long but found Float",
    "lstm(x, [x, x], [v.double() for v in w], *options)": (
        "get_mkldnn_dtype: unsupported data type"
    ),
}


@pytest.mark.parametrize("source", REFUSED)
def test_what_is_refused(source):
    called = source.partition("(")[0]
    names = {**vars(torch), called: getattr(torch, called)}
    names |= {"one": torch.ones(1, 1), "x": torch.ones(1, 1, 1)}
    names["w"] = [torch.ones(4, 1), torch.ones(4, 1), torch.ones(4), torch.ones(4)]
    names["options"] = (True, 1, 0.0, True, False, False)
    with pytest.raises((RuntimeError, TypeError)) as caught:
        eval(source, names)
    assert str(caught.value) == REFUSED[source]


def test_vmap_runs_cells_one_by_one():
    x, h = torch.randn(3, 1, 2), torch.zeros(1, 3)
    params = weights(3, dtype=torch.float32)
    torch.set_warn_always(True)
    try:
        with pytest.warns(UserWarning, match="There is a performance drop"):
            found = torch.vmap(lambda x: torch.gru_cell(x, h, *params))(x)
    finally:
        torch.set_warn_always(False)
    assert torch.allclose(found[1], torch.gru_cell(x[1], h, *params))


@pytest.mark.parametrize(("name", "sizes"), [("input", None), ("data", torch.tensor([1, 1]))])
def test_vmap_refuses_layers(name, sizes):
    state, params = [torch.zeros(1, 1, 3)], weights(3, dtype=torch.float32)
    shape = (3, 2, 2) if name == "data" else (3, 2, 1, 2)
    with pytest.raises(RuntimeError, match=f"Batching rule not implemented for aten::gru.{name}"):
        torch.vmap(lambda x: call("gru", x, state, params, sizes=sizes))(torch.randn(shape))


def test_the_fused_layer_has_no_forward_mode():
    forward_ad = torch.autograd.forward_ad
    with forward_ad.dual_level():
        x = forward_ad.make_dual(torch.ones(2, 1, 2), torch.ones(2, 1, 2))
        with pytest.raises(NotImplementedError, match="forward AD with mkldnn_rnn_layer"):
            torch.nn.LSTM(2, 3)(x)
        assert forward_ad.unpack_dual(torch.nn.GRU(2, 3)(x)[0]).tangent.shape == (2, 1, 3)


def test_the_hooks_of_an_lstm_layer_see_no_gradient_that_none_asks_for():
    result = torch.nn.LSTM(3, 4)(torch.ones(5, 2, 3))[0].sum()
    node = result.grad_fn
    while "Rnn" not in node.name():
        node = node.next_functions[0][0]
    missing = []
    node.register_hook(lambda into, out_of: missing.extend([grad is None for grad in into]))
    result.backward()
    assert missing == [True, False, False, False, False, True, True]

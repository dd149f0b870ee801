# nn.RNNCell: a simple cell, step by step
m = nn.RNNCell(2, 3)
x = torch.randn(3, 4, 2, requires_grad=True)
h = torch.zeros(4, 3)
for step in x:
    h = m(step, h)
h.sum().backward()
g = [x.grad, *[p.grad for p in m.parameters()]]

# nn.RNNCell: a simple cell with relu, without biases, of one sample
m = nn.RNNCell(2, 3, bias=False, nonlinearity="relu")
h = m(torch.randn(2), torch.randn(3))
none = m(torch.randn(2))

# nn.LSTMCell: a cell of an LSTM
m = nn.LSTMCell(2, 3)
x = torch.randn(4, 2, requires_grad=True)
h, c = m(x)
h, c = m(x, (h, c))
(h.sum() + c.mean()).backward()
g = [x.grad, *[p.grad for p in m.parameters()]]

# nn.LSTMCell: a cell of an LSTM of one sample
m = nn.LSTMCell(2, 3, bias=False, dtype=torch.float64)
h, c = m(torch.randn(2, dtype=torch.float64))
again = m(torch.randn(2, dtype=torch.float64), (h, c))

# nn.GRUCell: a cell of a GRU
m = nn.GRUCell(2, 3)
x = torch.randn(4, 2, requires_grad=True)
h = m(x, m(x))
h.sum().backward()
g = [x.grad, *[p.grad for p in m.parameters()]]
one = m(torch.randn(2), torch.randn(3))

# nn.GRU: a GRU, once more differentiated
m = nn.GRU(2, 2, dtype=torch.float64)
x = torch.randn(2, 3, 2, dtype=torch.float64, requires_grad=True)
y, h = m(x)
(g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
g.square().sum().backward()
second = [p.grad for p in m.parameters()]

# nn.GRU: two directions, two layers, the batch first
m = nn.GRU(2, 3, num_layers=2, bidirectional=True, batch_first=True)
y, h = m(torch.randn(2, 4, 2))
y[:, -1].sum().backward()
g = [p.grad for p in m.parameters()]

# nn.RNN: a simple layer of an unbatched sequence
m = nn.RNN(2, 3, 2, "relu", False)
x = torch.randn(4, 2)
y, h = m(x)
z, k = m(x, torch.randn(2, 3))

# nn.RNN: dropout between layers
m = nn.RNN(2, 4, num_layers=3, dropout=0.5)
x = torch.randn(3, 2, 2)
y, h = m(x)
m.eval()
z, k = m(x)
every = nn.GRU(2, 3, num_layers=2, dropout=1.0)(x)

# nn.GRU: dropout without layers between which it could be
nn.GRU(2, 3, dropout=0.2)
nn.LSTM(2, 3, 1, True, False, 0.5)

# nn.LSTM: an LSTM of doubles
m = nn.LSTM(2, 3, bidirectional=True, dtype=torch.float64)
x = torch.randn(2, 4, 2, dtype=torch.float64, requires_grad=True)
y, (h, c) = m(x)
(y.sum() + h[0].mean() + c[1].mean()).backward()
g = [x.grad, *[p.grad for p in m.parameters()]]

# nn.LSTM: an LSTM with projections
m = nn.LSTM(3, 4, num_layers=2, proj_size=2, batch_first=True)
x = torch.randn(2, 3, 3)
y, (h, c) = m(x, (torch.randn(2, 2, 2), torch.randn(2, 2, 4)))
y.sum().backward()
g = [p.grad for p in m.parameters()]
names = [name for name, _ in m.named_parameters()]
print(m)

# nn.LSTM: an LSTM with projections, without biases, in two directions
m = nn.LSTM(3, 4, proj_size=2, bias=False, bidirectional=True)
y, (h, c) = m(torch.randn(2, 2, 3))

# nn.LSTM: an LSTM of floats is one node a layer
m = nn.LSTM(2, 3, num_layers=2, bidirectional=True)
x = torch.randn(3, 2, 2, requires_grad=True)


def run():
    y, (h, c) = m(x)
    node = y.grad_fn.next_functions[0][0]
    print(
        y.grad_fn.name(),
        h.grad_fn.name(),
        node.name(),
        [n and n.name() for n, _ in node.next_functions],
    )
    print(sorted(name for name in dir(node) if name.startswith("_saved")))
    print(node._saved_mode, node._saved_reverse, node._saved_batch_sizes, node._saved_hidden_size)
    (y.square().sum() + h.sum() - c.mean()).backward()
    return y.detach(), h.detach(), c.detach()


out = run()
g = [x.grad, *[p.grad for p in m.parameters()]]

# nn.LSTM: an LSTM of floats: the gradient of its states alone
m = nn.LSTM(2, 3, bias=False, batch_first=True)
h, c = torch.randn(1, 2, 3, requires_grad=True), torch.randn(1, 2, 3, requires_grad=True)
x = torch.randn(2, 4, 2)
m(x, (h, c))[1][1].sum().backward()
g = h.grad, c.grad
h.grad = None
m(x, (h, c))[1][0].sum().backward()
more = h.grad, [p.grad for p in m.parameters()]

# nn.LSTM: an LSTM of floats, once more differentiated
m = nn.LSTM(2, 2)
x = torch.randn(2, 3, 2, requires_grad=True)
g = torch.autograd.grad(m(x)[0].sum(), [x, *m.parameters()], create_graph=True)
second = torch.autograd.grad(sum(each.square().sum() for each in g), [x, *m.parameters()])

# nn.LSTM: a reversed direction without biases, once more differentiated
m = nn.LSTM(2, 2, bias=False, bidirectional=True)
x = torch.randn(2, 1, 2, requires_grad=True)
y, (h, c) = m(x)
g = torch.autograd.grad(
    y.sum() + h.mean() + c[1].sum(), [x, m.weight_hh_l0_reverse], create_graph=True
)
second = torch.autograd.grad(g[0].sum() + g[1].sum(), m.weight_ih_l0_reverse)
del y, h, c

# nn.LSTM: an LSTM in evaluation has gradients too
m = nn.LSTM(2, 3).eval()
x = torch.randn(2, 1, 2, requires_grad=True)
m(x)[0].sum().backward()
g = x.grad

# nn.LSTM: an LSTM without gradient
with torch.no_grad():
    y, (h, c) = nn.LSTM(2, 3, num_layers=2, dropout=0.5)(torch.randn(3, 1, 2))

# nn.LSTM: an LSTM of bfloat16
with torch.no_grad():
    y, (h, c) = nn.LSTM(2, 3, dtype=torch.bfloat16)(torch.randn(3, 1, 2).bfloat16())

# nn.GRU: an empty batch
y, (h, c) = nn.LSTM(2, 3)(torch.randn(3, 0, 2))
z, k = nn.GRU(2, 3)(torch.randn(3, 0, 2))

# nn.GRU: a weight that is shared
m = nn.GRU(3, 3)
m.weight_hh_l0 = m.weight_ih_l0
y, h = m(torch.randn(2, 1, 3))
y.sum().backward()
g = m.weight_ih_l0.grad
print(len(m._flat_weights), m._flat_weights[1] is m.weight_ih_l0, len(list(m.parameters())))

# functional_call with other weights
m = nn.RNN(2, 2)
weights = {name: torch.ones_like(p).requires_grad_() for name, p in m.named_parameters()}
y, h = torch.func.functional_call(m, weights, (torch.randn(2, 1, 2),))
y.sum().backward()
g = [w.grad for w in weights.values()]

# nn.LSTM: copies, conversions, all weights
import copy

m = nn.LSTM(2, 3, num_layers=2)
other = copy.deepcopy(m).double()
print([[tuple(w.shape) for w in layer] for layer in other.all_weights], m._flat_weights_names)
print(all(a is b for a, b in zip(other._flat_weights, other.parameters())))
other.flatten_parameters()
y, h = other(torch.randn(2, 1, 2).double())
total = sum(p.detach().sum() for p in m.parameters())

# torch.gru: the functions
x = torch.randn(3, 2, 2)
w = [torch.randn(s) for s in ((6, 2), (6, 2), (6,), (6,))]
v = [torch.randn(s) for s in ((8, 2), (8, 2), (8,), (8,))]
s = [torch.randn(size) for size in ((2, 2), (2, 2), (2,), (2,))]
h = torch.zeros(1, 2, 2)
a = torch.gru(x, h, w, True, 1, 0.0, True, False, False)
b = torch.lstm(x, (h, h), v, True, 1, 0.0, True, False, False)
c = torch.rnn_tanh(x, h, s, True, 1, 0.0, True, False, False)
d = torch.rnn_relu(x, h, s[:2], False, 1, 0.0, True, False, False)
e = torch.gru_cell(x[0], h[0], *w), torch.lstm_cell(x[0], (h[0], h[0]), *v)
f = torch.rnn_tanh_cell(x[0], h[0], *s[:2]), torch.rnn_relu_cell(x[0], h[0], *s)
packed = torch.gru(x[:, 0], torch.tensor([2, 1]), h, w, True, 1, 0.0, True, False)
also = torch.lstm(x[:, 0], torch.tensor([2, 1]), [h, h], v, True, 1, 0.0, True, False)

# nn.utils.rnn.pack_padded_sequence: a padded batch is packed
x = torch.arange(24.0).reshape(3, 4, 2).requires_grad_()
p = nn.utils.rnn.pack_padded_sequence(x, [3, 3, 3, 1])
q = nn.utils.rnn.pack_padded_sequence(x.transpose(0, 1), torch.tensor([1, 3, 2, 2]), True, False)
(p.data.sum() + q.data.square().sum()).backward()
g = x.grad
print(p)
print(q)

# nn.utils.rnn.pack_padded_sequence: packing, once more differentiated
x = torch.arange(6.0).reshape(3, 2).requires_grad_()
p = nn.utils.rnn.pack_padded_sequence(x, [3, 1])
(g,) = torch.autograd.grad(p.data.square().sum(), x, create_graph=True)
b = nn.utils.rnn.pack_padded_sequence(x.t(), [3, 1], batch_first=True)
(k,) = torch.autograd.grad(b.data.square().sum(), x, create_graph=True)
(g.sum() + k.sum()).backward()
second = x.grad

# nn.utils.rnn.pad_packed_sequence: packed and padded again
a, b, c = [torch.randn(n, 2, requires_grad=True) for n in (2, 3, 1)]
p = nn.utils.rnn.pack_sequence([a, b, c], enforce_sorted=False)
y, lengths = nn.utils.rnn.pad_packed_sequence(p)
z, _ = nn.utils.rnn.pad_packed_sequence(p, batch_first=True, padding_value=-1.0, total_length=5)
parts = nn.utils.rnn.unpack_sequence(p)
(y.sum() + z.square().sum()).backward()
g = a.grad, b.grad, c.grad

# nn.utils.rnn.pad_sequence: padding sequences
a, b = torch.ones(3, 3, requires_grad=True), torch.ones(1, 3, requires_grad=True)
x = nn.utils.rnn.pad_sequence([a, b])
y = nn.utils.rnn.pad_sequence((a, b), True, 2.5, "left")
z = nn.utils.rnn.pad_sequence(torch.ones(2, 3))
(x.sum() + y.square().sum()).backward()
g = a.grad, b.grad

# nn.utils.rnn.unpad_sequence: unpadding sequences
x = torch.arange(12.0).reshape(3, 4)
parts = nn.utils.rnn.unpad_sequence(x, torch.tensor([1, 3, 2, 2]))
rows = nn.utils.rnn.unpad_sequence(x, torch.tensor([1, 3, 2, 2]), batch_first=True)

# nn.LSTM: an LSTM of a packed sequence
x = [torch.randn(n, 2, requires_grad=True) for n in (1, 3, 2)]
p = nn.utils.rnn.pack_sequence(x, enforce_sorted=False)
m = nn.LSTM(2, 3)
y, (h, c) = m(p)
y, (h, c) = m(p, (h, c))
(y.data.sum() + h.sum() + c[:, 0].sum()).backward()
g = [each.grad for each in x], [w.grad for w in m.parameters()]

# nn.utils.rnn.pack_sequence: both directions of a packed sequence
p = nn.utils.rnn.pack_sequence([torch.randn(n, 2, requires_grad=True) for n in (3, 2, 2, 1)])
m = nn.GRU(2, 3, num_layers=2, bidirectional=True, dropout=0.3)
y, h = m(p)
(y.data.sum() + h.mean()).backward()
g = [w.grad for w in m.parameters()]
z, k = nn.LSTM(2, 3, bidirectional=True, proj_size=2)(p)
print(y.batch_sizes, y.sorted_indices)

# Tensor.char: a packed sequence is a tuple
R = nn.utils.rnn
p = R.PackedSequence(torch.ones(3, 2), torch.tensor([2, 1]), torch.tensor([1, 0]))
print(p, len(p), p._fields, isinstance(p, tuple), p[1])
print(p.double().data.dtype, p.half().data.dtype, p.long().int().short().char().byte().data.dtype)
print(p.to(torch.float32) is p, p.cpu() is p, p.is_cuda, p.is_pinned())
print(R.PackedSequence((torch.ones(2), torch.tensor([2]))), R.invert_permutation(None))
print(R.invert_permutation(torch.tensor([2, 0, 1])))

# nn.RNN: what a layer says of its state
print(nn.RNN(1, 2, nonlinearity="relu", bias=False), nn.RNN(1, 2, 2, "tanh", True, True, 0.5, True))
print(nn.LSTM(1, 3, proj_size=2), nn.GRU(1, 2, dropout=0, bidirectional=True), nn.GRUCell(1, 2))
print(nn.RNNCell(1, 2, False, "relu"), nn.LSTMCell(1, 2, bias=False))
print(
    [
        (n, tuple(p.shape))
        for n, p in nn.LSTM(1, 3, 2, proj_size=2, bidirectional=True).named_parameters()
    ]
)

# torch.autocast: in autocast
with torch.autocast("cpu", dtype=torch.bfloat16), torch.no_grad():
    a = nn.GRU(2, 3)(torch.randn(2, 1, 2))[0].dtype
    b = nn.GRUCell(2, 3)(torch.randn(1, 2)).dtype
    c = nn.LSTMCell(2, 3)(torch.randn(1, 2))[1].dtype

# Tensor.register_hook: hooks see the node of a layer
seen = []
m = nn.LSTM(2, 3)
y = m(torch.randn(2, 1, 2))[0]
y.register_hook(lambda grad: seen.append(grad.shape))
y.sum().backward()
del y

# nn.LSTM: a saved weight that was changed
m = nn.LSTM(2, 3)
loss = m(torch.randn(2, 1, 2))[0].sum()
with torch.no_grad():
    m.weight_ih_l0.add_(1)
try:
    loss.backward()
except RuntimeError as error:
    print(error)
del loss

# nn.LSTM: a graph that is freed
m = nn.LSTM(2, 3)
loss = m(torch.randn(2, 1, 2))[0].sum()
loss.backward()
loss.backward()

# nn.GRUCell: cells and layers under transforms
m, g, c = nn.LSTM(2, 3), nn.GRU(2, 3), nn.GRUCell(2, 3)
x = torch.randn(2, 1, 2)
a = torch.func.grad(lambda x: m(x)[0].sum())(x)
b = torch.func.jacrev(lambda x: g(x)[0])(x)
d = torch.func.vmap(c)(torch.randn(3, 1, 2)).detach()
e = torch.autograd.functional.hvp(lambda x: m(x)[0].square().sum(), x, x)

# torch.func.vmap: a layer under vmap
torch.func.vmap(nn.LSTM(2, 3))(torch.randn(3, 2, 1, 2))

# torch.func.vmap: a packed sequence under vmap
m, sizes = nn.RNN(2, 3), torch.tensor([1, 1])
torch.func.vmap(lambda x: m(nn.utils.rnn.PackedSequence(x, sizes))[0].data)(torch.randn(3, 2, 2))

# torch.func.vmap: a cell of an LSTM under vmap
torch.func.vmap(nn.LSTMCell(2, 3))(torch.randn(3, 2, 2))

# nn.LSTM: an LSTM of packed sequences of one length
m = nn.LSTM(2, 3, bidirectional=True)
p = nn.utils.rnn.pack_sequence([torch.randn(3, 2), torch.randn(3, 2)])


def run():
    y, (h, c) = m(p)
    print(y.data.grad_fn.name(), h.grad_fn.name())
    (y.data.square().sum() + c.sum()).backward()
    return y.data.detach(), y.batch_sizes


out = run()
g = [w.grad for w in m.parameters()]

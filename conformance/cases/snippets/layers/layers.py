# nn.Linear: a linear layer
m = nn.Linear(3, 2)
x = torch.randn(4, 3)
y = m(x)
y.sum().backward()
g = [p.grad for p in m.parameters()]

# nn.Linear: a linear layer without a bias, of one sample
m = nn.Linear(3, 2, bias=False)
y = m(torch.randn(3))
y.sum().backward()
g = m.weight.grad

# nn.Tanh: two layers and an activation
m = nn.Sequential(nn.Linear(2, 4), nn.Tanh(), nn.Linear(4, 1))
x = torch.randn(5, 2, requires_grad=True)
y = m(x)
y.mean().backward()
g = [p.grad for p in m.parameters()]


# Tensor.__init__: a class of one's own
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 3), nn.Linear(3, 1)

    def forward(self, x):
        return self.b(F.relu(self.a(x)))


y = Net()(torch.randn(4, 2))

# nn.Conv2d: a convolution
m = nn.Conv2d(1, 2, 3, padding=1)
x = torch.randn(1, 1, 4, 4, requires_grad=True)
y = m(x)
y.sum().backward()
g = [p.grad for p in m.parameters()]

# F.conv2d: convolution, activation and pooling
x = torch.randn(2, 1, 8, 8, requires_grad=True)
w = torch.randn(3, 1, 3, 3, requires_grad=True)
y = F.max_pool2d(F.relu(F.conv2d(x, w)), 2)
y.sum().backward()

# nn.Conv2d: a convolution with a stride, in groups
x = torch.randn(1, 4, 5, 5, requires_grad=True)
m = nn.Conv2d(4, 4, 3, stride=2, groups=2, bias=False)
y = m(x)
y.sum().backward()

# nn.Conv1d: one axis and three axes
a = nn.Conv1d(2, 3, 2)(torch.randn(1, 2, 5, requires_grad=True))
b = nn.Conv3d(1, 1, 2)(torch.randn(1, 1, 3, 3, 3, requires_grad=True))

# nn.ConvTranspose2d: a transposed convolution
x = torch.randn(1, 2, 3, 3, requires_grad=True)
m = nn.ConvTranspose2d(2, 1, 2, stride=2)
y = m(x)
y.sum().backward()

# F.adaptive_avg_pool2d: pooling by mean, to a size, and in one axis
x = torch.randn(1, 2, 4, 4, requires_grad=True)
a, b = F.avg_pool2d(x, 2), F.adaptive_avg_pool2d(x, 1)
c = F.max_pool1d(x[0], 2)
(a.sum() + b.sum() + c.sum()).backward()

# nn.BatchNorm1d: batch normalisation
m = nn.BatchNorm1d(3)
x = torch.randn(4, 3, requires_grad=True)
y = m(x)
(y**3).sum().backward()
state = m.state_dict()

# nn.BatchNorm2d: batch normalisation while evaluating
m = nn.BatchNorm2d(2).eval()
x = torch.randn(2, 2, 3, 3, requires_grad=True)
y = m(x)
y.sum().backward()

# nn.LayerNorm: layer normalisation
m = nn.LayerNorm(4)
x = torch.randn(2, 4, requires_grad=True)
y = m(x)
(y**2 * torch.arange(4.0)).sum().backward()
g = [p.grad for p in m.parameters()]

# nn.InstanceNorm1d: group and instance normalisation
x = torch.randn(2, 4, 3, requires_grad=True)
a, b = nn.GroupNorm(2, 4)(x), nn.InstanceNorm1d(4)(x)
(a * b).sum().backward()

# nn.Embedding: an embedding
m = nn.Embedding(5, 3)
y = m(torch.tensor([[0, 2], [2, 4]]))
y.sum().backward()
g = m.weight.grad

# nn.Embedding: an embedding whose padding has no gradient
m = nn.Embedding(4, 2, padding_idx=0)
y = m(torch.tensor([0, 1, 0, 3]))
y.sum().backward()
g = m.weight.grad

# dropout draws in training and not in evaluation
m = nn.Dropout(0.5)
x = torch.ones(10, requires_grad=True)
a = m(x)
b = m.eval()(x)
a.sum().backward()
print(a, b is x)

# nn.ELU: activations as layers
x = torch.randn(6, requires_grad=True)
ys = [m()(x) for m in (nn.ReLU, nn.Sigmoid, nn.Tanh, nn.GELU, nn.SiLU, nn.ELU, nn.Softplus)]
sum(ys).sum().backward()

# F.selu: more activations
x = torch.randn(6, requires_grad=True)
ys = [f(x) for f in (F.leaky_relu, F.hardtanh, F.relu6, F.selu, F.mish, F.hardswish, F.logsigmoid)]
sum(ys).sum().backward()

# softmax and log softmax
x = torch.randn(2, 3, requires_grad=True)
a, b = nn.Softmax(dim=1)(x), F.log_softmax(x, dim=-1)
(a * b).sum().backward()

# gelu, approximated
x = torch.randn(4, requires_grad=True)
y = F.gelu(x, approximate="tanh")
y.sum().backward()

# F.glu: prelu and glu
x = torch.randn(2, 4, requires_grad=True)
m = nn.PReLU()
a, b = m(x), F.glu(x)
(a.sum() + b.sum()).backward()

# flatten between layers
m = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(8, 2))
y = m(torch.randn(3, 1, 4, 4))
F.cross_entropy(y, torch.tensor([0, 1, 1])).backward()
g = [p.grad for p in m.parameters()]

# F.relu: a residual block
m = nn.Linear(3, 3)
x = torch.randn(2, 3, requires_grad=True)
y = x + F.relu(m(x))
y.sum().backward()

# torch.tanh: one layer used twice
m = nn.Linear(3, 3)
x = torch.randn(2, 3)
y = m(torch.tanh(m(x)))
y.sum().backward()
g = [p.grad for p in m.parameters()]

# nn.Embedding: weights that are tied
e = nn.Embedding(4, 3)
out = nn.Linear(3, 4, bias=False)
out.weight = e.weight
y = out(e(torch.tensor([1, 2])))
y.sum().backward()
g = e.weight.grad

# torch.tanh: a recurrent cell by hand
wx, wh = torch.randn(2, 3, requires_grad=True), torch.randn(3, 3, requires_grad=True)
h = torch.zeros(1, 3)
for x in torch.randn(4, 1, 2):
    h = torch.tanh(x @ wx + h @ wh)
h.sum().backward()

# nn.RNN: a recurrent layer
m = nn.RNN(2, 3, batch_first=True)
y, h = m(torch.randn(1, 4, 2))
y.sum().backward()
g = [p.grad for p in m.parameters()]

# nn.LSTM: an LSTM and a GRU
x = torch.randn(4, 1, 2, dtype=torch.float64)
a, (h, c) = nn.LSTM(2, 3, dtype=torch.float64)(x)
b, s = nn.GRU(2, 3, dtype=torch.float64)(x)

# nn.MultiheadAttention: attention as a layer
m = nn.MultiheadAttention(4, 2, batch_first=True)
x = torch.randn(1, 3, 4, requires_grad=True)
y, w = m(x, x, x)
y.sum().backward()

# F.pad: padding and interpolation
x = torch.randn(1, 1, 2, 2, requires_grad=True)
a = F.pad(x, (1, 1, 0, 2))
b = F.pad(x, (1, 1, 1, 1), mode="reflect")
c = F.interpolate(x, scale_factor=2)
(a.sum() + b.sum() + c.sum()).backward()

# F.pixel_shuffle: bilinear interpolation and pixels that are shuffled
x = torch.randn(1, 4, 2, 2, requires_grad=True)
a = F.interpolate(x, size=(3, 3), mode="bilinear", align_corners=False)
b = F.pixel_shuffle(x, 2)
(a.sum() + b.sum()).backward()

# nn.Sequential: parameters that are frozen
m = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
m[0].requires_grad_(False)
y = m(torch.ones(1, 2))
y.backward()
print([p.grad is None for p in m.parameters()])


# Tensor.__init__: a buffer and a parameter of one's own
class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.s = nn.Parameter(torch.tensor(2.0))
        self.register_buffer("shift", torch.tensor(1.0))


m = Scale()
y = m.s * torch.ones(2) + m.shift
y.sum().backward()
print(dict(m.named_parameters()), dict(m.named_buffers()))

# nn.Flatten: a module that is printed
m = nn.Sequential(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.LazyLinear(2))
print(m)

# normalize
x = torch.randn(2, 3, requires_grad=True)
y = F.normalize(x, dim=1)
(y * torch.arange(3.0)).sum().backward()

# F.conv2d: a one-by-one convolution is a linear map
x = torch.randn(1, 3, 2, 2, requires_grad=True)
w = torch.randn(2, 3, requires_grad=True)
a = F.conv2d(x, w[:, :, None, None])
b = torch.einsum("oc,bchw->bohw", w, x)
(a * b).sum().backward()

# nn.utils.clip_grad_norm_: the clipping of gradients
m = nn.Linear(2, 2)
(m(torch.ones(1, 2)) * 100).sum().backward()
n = nn.utils.clip_grad_norm_(m.parameters(), 1.0)
g = [p.grad for p in m.parameters()]

# nn.EmbeddingBag: bilinear and embedding bag
a = nn.Bilinear(2, 3, 2)(torch.randn(4, 2), torch.randn(4, 3))
b = nn.EmbeddingBag(5, 3, mode="mean")(torch.tensor([[0, 1], [2, 3]]))

# nn.functional.pad: steps of 0 in what is empty
a = torch.zeros(0, dtype=torch.bool)
b = a.all(0).expand(0, 2)
c = torch.zeros(0, dtype=torch.float16, requires_grad=True)
(d,) = torch.autograd.grad(c.sum(), c)
e, f, g = d[::2], d[1:], d.reshape(0)
h = torch.roll(torch.zeros(0)[::2], 1)
i = torch.nn.functional.pad(torch.zeros(3).sum().expand(3), (-1, -2))
(j,) = torch.autograd.grad(torch.nn.functional.pad(c, (1, 1)).sum(), c)
k = torch.zeros((2, 0), requires_grad=True)
(l,) = torch.autograd.grad(k.t().cumsum(-1).sum(), k)

# nn.functional.logsigmoid: the gradient of nothing is no view
a = torch.zeros((2, 0), requires_grad=True)
(b,) = torch.autograd.grad(torch.nn.functional.logsigmoid(a).t(), a, torch.ones(0, 2))
c = torch.zeros(0, requires_grad=True)
(d,) = torch.autograd.grad(torch.block_diag(torch.zeros(0), c), c, torch.ones(2, 0))
e = b._base, d._base
del d

# Tensor.softmax: the sums of softmax's derivatives are along a list of dimensions
a = torch.arange(6.0).reshape(2, 3).requires_grad_()
b = torch.autograd.grad(a.softmax(0), a, torch.ones(2, 3), create_graph=True)[0]
c = torch.autograd.grad(b, a, torch.ones(2, 3), create_graph=True)[0]

# nn.DataParallel: a module on several devices that are not there
m = nn.DataParallel(nn.Linear(2, 3))
y = m(torch.ones(1, 2))
print(m, sorted(m.state_dict()), m.device_ids)

# F.gumbel_softmax: noise for choices
torch.manual_seed(3)
x = torch.randn(3, 4, requires_grad=True)
a = F.gumbel_softmax(x, tau=0.5)
b = F.gumbel_softmax(x, hard=True, dim=0)
(a * b).sum().backward()
print(a, b)

# nn.Container: modules and losses of old
import warnings

with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    m = nn.Container(first=nn.Linear(1, 2), second=nn.ReLU())
    loss = nn.NLLLoss2d()
x = torch.randn(1, 2, 3, 3).log_softmax(1)
y = loss(x, torch.zeros(1, 3, 3, dtype=torch.int64))
print(m, loss, [(each.category.__name__, str(each.message)) for each in seen])

# nn.factory_kwargs: keyword arguments for factories
a = nn.factory_kwargs({"dtype": torch.float64, "factory_kwargs": {"device": "cpu"}})
print(a, nn.factory_kwargs(None))
nn.factory_kwargs({"dtype": torch.float64, "factory_kwargs": {"dtype": torch.float32}})

# F.rrelu: slopes drawn at random
torch.manual_seed(1)
x = torch.randn(3, 4, requires_grad=True)
a, b = F.rrelu(x, training=True), F.rrelu(x, 0.2, 0.6)
c = nn.RReLU(inplace=True)(x * 2)
(a + b + c).sum().backward()
print(a, c, x.grad)

# F.rrelu: slopes between bounds in reverse
F.rrelu(torch.zeros(2), 0.5, 0.2)

# nn.Bilinear: two inputs in one layer
m = nn.Bilinear(2, 3, 4)
x, z = torch.randn(5, 2, requires_grad=True), torch.randn(5, 3)
y = m(x, z)
y.sum().backward()
print(m)

# nn.Bilinear: two inputs of another size
nn.Bilinear(2, 3, 4)(torch.zeros(5, 2), torch.zeros(5, 2))

# nn.MultiheadAttention: masks of heads, put together
layer = nn.MultiheadAttention(4, 2)
x = torch.ones(2, 3, 4)
a, b, c = (
    layer.merge_masks(*masks, x)
    for masks in (
        (torch.ones(3, 3), torch.eye(3)[:2]),
        (torch.randn(4, 3, 3), None),
        (None, torch.eye(3)[:2]),
    )
)

# nn.Sequential: names without the prefix of a module around
from torch.nn.modules.utils import _pair, _triple, consume_prefix_in_state_dict_if_present

state = nn.Sequential(nn.Linear(2, 1)).state_dict(prefix="module.")
consume_prefix_in_state_dict_if_present(state, "module.")
names, known = list(state), dict(state._metadata)
print(_pair(3), _triple((1, 2, 3)))

# torch.fake_quantize_per_tensor_affine: numbers rounded to multiples of a scale
x = (torch.arange(-6, 6.0).reshape(3, 4) / 4).requires_grad_()
w = torch.arange(12.0).reshape(3, 4)
y = torch.fake_quantize_per_tensor_affine(x, 0.3, 2, -1, 5)
(y * w).sum().backward()
print(y, y.grad_fn.name(), x.grad)
z = torch.fake_quantize_per_tensor_affine(
    x, torch.tensor([0.3]), torch.tensor([1], dtype=torch.int32), -2, 4
)
print(z, z.grad_fn.name(), torch.autograd.grad((z * w).sum(), x))

# torch.fake_quantize_per_channel_affine: numbers rounded to multiples of scales along a dimension
x = (torch.arange(-6, 6.0).reshape(3, 4) / 4).requires_grad_()
w = torch.arange(12.0).reshape(3, 4)
scale, zero = torch.tensor([0.3, 0.25, 0.6]), torch.tensor([1, 0, 2], dtype=torch.int32)
y = torch.fake_quantize_per_channel_affine(x, scale, zero, 0, -2, 4)
(y * w).sum().backward()
print(y, y.grad_fn.name(), x.grad)
scale, zero = torch.tensor([0.3, 0.25, 0.6, 0.1]), torch.tensor([1.5, 0.25, 2, -1])
z = torch.fake_quantize_per_channel_affine(x, scale, zero, 1, -2, 4)
print(z, torch.autograd.grad((z * w).sum(), x))

# torch.conv_tbc: a convolution over the first of three dimensions
x = (torch.arange(24.0).reshape(4, 2, 3) / 8).requires_grad_()
weight = (torch.arange(24.0).reshape(2, 3, 4) / 16 - 1).requires_grad_()
bias = torch.tensor([1.0, -1.0, 0.5, 2.0], requires_grad=True)
for pad in (0, 1, 2):
    y = torch.conv_tbc(x, weight, bias, pad)
    (y * torch.arange(float(y.numel())).reshape(y.shape)).sum().backward()
    print(y.shape, y.grad_fn.name())

# nn.Embedding: the gradient of an element of a sparse and a dense gradient
table = torch.nn.Embedding(4, 2, sparse=True)
with torch.no_grad():
    table.weight.copy_(torch.arange(8.0).reshape(4, 2))
table(torch.tensor([1, 2, 1])).sum().backward()
(table.weight * 3).sum().backward()
print(table.weight.grad)
table.weight.grad = None
(table.weight * 3).sum().backward()
table(torch.tensor([1, 2, 1])).sum().backward()
print(table.weight.grad)

# nn.AdaptiveLogSoftmaxWithLoss: rare classes alone
m = nn.AdaptiveLogSoftmaxWithLoss(4, 9, [2, 5])
with torch.no_grad():
    m.head.weight.copy_(torch.tensor([[0.0] * 4, [0.0] * 4, [5.0, 0, 0, 0], [0, 5.0, 0, 0]]))
x = torch.eye(4)
for rows in ([0, 1], [0], [1, 1], [0, 2], [2, 3]):
    print(m.predict(x[rows]), m.log_prob(x[rows]).argmax(1))


# nn.ModuleList: what a module adds to its state, and sizes a transposed convolution is asked for
class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = 3

    def get_extra_state(self):
        return {"n": self.n}

    def set_extra_state(self, state):
        self.n = state["n"] + 1


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.ModuleList([Counting(), Counting()])


outer = Outer()
print(outer.state_dict(), outer.state_dict(prefix="a."))
print(outer.load_state_dict(outer.state_dict()), outer.inner[1].n)
try:
    outer.load_state_dict({"inner.0._extra_state": {"n": 1}})
except RuntimeError as error:
    print(error)
up = nn.ConvTranspose2d(1, 1, 3, stride=(2, 3))
for size in ((5, 7), (6, 9), (1, 1, 6, 8)):
    print(up(torch.ones(1, 1, 2, 2), output_size=size).shape)
del outer

# nn.TransformerEncoder: padding that a transformer leaves out
import warnings

warnings.simplefilter("ignore")
torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(4, 2, 8, 0.0, batch_first=True)
net = nn.TransformerEncoder(layer, 2).eval()
x = torch.arange(24.0).reshape(2, 3, 4) / 12 - 1
for hidden in ([[0, 0, 1], [0, 0, 0]], [[0, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 0, 0]]):
    mask = torch.tensor(hidden).bool()
    with torch.no_grad():
        made = net(x, src_key_padding_mask=mask)
    other = net(x, src_key_padding_mask=mask)
    print((made - other).abs().amax(-1) < 1e-5, (made == 0).all(-1))
del layer, net, made, other

# F.max_pool2d_with_indices: positions that a pooling found
x = torch.randn(1, 2, 6, 6, requires_grad=True)
a = F.max_pool1d_with_indices(x[0], 2)
b = F.max_pool2d_with_indices(x, 2, 1, 1, 1, True)
c = F.max_pool2d_with_indices(x, kernel_size=3, stride=2, return_indices=True)
d = F.max_pool3d_with_indices(x, 2, 1)
(a[0].sum() + b[0].sum() + c[0].sum() + d[0].sum()).backward()

# F.fractional_max_pool3d: fractional poolings of one image
x = torch.rand(2, 9, 9)
r = torch.rand(1, 2, 2)
a = F.fractional_max_pool2d(x, 2, (4, 5), _random_samples=r, return_indices=True)
b = F.fractional_max_pool2d(x[None], 2, (4, 5), _random_samples=r, return_indices=True)
v, r = torch.rand(2, 6, 6, 6), torch.rand(1, 2, 3)
c = F.fractional_max_pool3d(v, 2, 3, _random_samples=r, return_indices=True)
d = F.fractional_max_pool3d(v[None], 2, 3, _random_samples=r, return_indices=True)

# torch._safe_softmax: rows that are masked out
x = torch.tensor([[1.0, 2.0], [-torch.inf, -torch.inf], [-torch.inf, 3.0]], requires_grad=True)
y = torch._safe_softmax(x, -1)
y[:, 0].sum().backward()
q = torch.arange(12.0).reshape(1, 3, 4).requires_grad_()
mask = torch.tensor([[True, False, True], [False, False, False], [True, True, True]])
z = F.scaled_dot_product_attention(q, q, q, mask)
z.sum().backward()
w = F.scaled_dot_product_attention(q.detach(), q.detach(), q.detach(), mask)

# F.pad: pictures continued with themselves
x = torch.arange(12.0).reshape(1, 1, 3, 4).requires_grad_()
y = F.pad(x, (1, 2, 3, 0), mode="circular")
z = F.pad(x, (-1, 2, 1, -1), mode="circular")
(y.sum() + (z * z).sum()).backward()

# F.max_pool2d: windows beside the border
x = torch.arange(49.0).remainder(11).reshape(1, 1, 7, 7)
a = [
    F.max_pool2d(x, k, s, p, d, return_indices=True)
    for k, s, p, d in (
        (3, 2, 0, 1),
        (3, 2, 1, 1),
        (2, 2, 0, 3),
        (3, 1, 1, 3),
        (2, 5, 0, 6),
        (7, 1, 3, 1),
    )
]
b = [
    F.max_pool2d(x, k, s, p, d, ceil_mode=True)
    for k, s, p, d in ((2, 2, 0, 1), (3, 2, 1, 1), (2, 3, 0, 2))
]


# nn.Module.to: parameters are new to and from meta
m = nn.Linear(1, 1)
first = m.weight
print(m.half().weight is first, m.to("meta").weight is first)
second = m.weight
try:
    m.to("cpu")
except NotImplementedError as e:
    print(e)
print(m.to_empty(device="cpu").weight is second, type(m.weight), m.weight.requires_grad)

# nn.TransformerEncoder: padding is left out by nested tensors, of which is told
layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
encoder = nn.TransformerEncoder(layer, 1).eval()
padding = torch.tensor([[False, False, True], [False, True, True]])
import warnings

with torch.no_grad(), warnings.catch_warnings(record=True) as caught:
    out = encoder(torch.ones(2, 3, 4), src_key_padding_mask=padding)
print({str(each.message)[:80] for each in caught})
del caught

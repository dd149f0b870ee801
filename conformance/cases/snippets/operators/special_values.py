# torch.sign: zero derivatives have the sign of zeros
for f in (torch.floor, torch.ceil, torch.round, torch.trunc, torch.sign):
    x = torch.tensor([-1.5, 0.0, 2.5], requires_grad=True)
    f(x).sum().backward()
    print(x.grad)

# torch.xlogy: logarithms times numbers, and their gradients
x = torch.tensor([0.0, 1.0, 3.0], requires_grad=True)
y = (
    torch.xlogy(x, 2.5),
    torch.xlogy(x, 0.0)[1:],
    torch.xlogy(x, 0),
    torch.xlogy(2.5, x + 1),
    torch.xlogy(0, x),
)
(y[0].sum() + y[2].sum() + y[3].sum() + y[4].sum()).backward()

# Tensor.relu_: many numbers at once
x = (torch.arange(40000.0) - 20000).requires_grad_()
y = F.relu(x)
z = x.detach().relu_()
(y * y).sum().backward()
a, b = y.sum(), x.grad.sum()
print(a, b, y[19990:20010], y[-3:], z.max())

# torch.from_numpy: memory in another order
import numpy

n = numpy.asfortranarray(numpy.arange(6.0).reshape(2, 3))
x = torch.from_numpy(n)
a, b, c = x.as_strided((6,), (1,)), x.t().reshape(6), x.contiguous()
d, e = x.untyped_storage().tolist() == a.untyped_storage().tolist(), x[1].storage_offset()
f = torch.from_numpy(numpy.arange(24.0).reshape(2, 3, 4).transpose(1, 2, 0)).as_strided(
    (4, 3), (1, 2), 2
)

# Tensor.view: memory read as another dtype
x = torch.arange(12, dtype=torch.int16).reshape(2, 6)
a, b, c = (
    x.view(torch.int32),
    x.view(torch.int64)[:, :0] if False else x[:, :4].view(torch.int8),
    x.view(torch.uint8),
)
d = (
    x.reshape(3, 4).view(torch.int64),
    torch.arange(4.0).view(torch.complex64),
    x.view(torch.bfloat16),
)
e = torch.arange(3, dtype=torch.int64).view(torch.int32), torch.ones(2, 2).view(torch.int16)

# Tensor.argmin: extremes of nothing along another axis
a = torch.zeros(2, 0, 3).max(2), torch.zeros(2, 0, 3).min(0, keepdim=True), torch.zeros(0, 3).max(1)
b = (
    torch.zeros(2, 0, 3).argmax(2),
    torch.zeros(2, 0).argmin(0, keepdim=True),
    torch.zeros(2, 0, 3).amax(2),
)
c = (
    torch.zeros(2, 0, 3).sort(2),
    torch.zeros(0, 3).cummax(1),
    torch.zeros(2, 0, 3).any(2),
    torch.zeros(0).all(),
)

# Tensor.std: deviations of too few numbers
a = torch.ones(1).var(), torch.ones(3).var(correction=3), torch.ones(3).std(correction=4)
b = torch.ones(2, 1).var(1), torch.ones(3).var(correction=2), torch.var_mean(torch.ones(2, 1), 1)
c = torch.ones(3).std(unbiased=False), torch.zeros(0).var(), torch.ones(2, 3).std(0, correction=2)

# F.binary_cross_entropy_with_logits: a loss of logits with weights is differentiated twice
x, t = (
    torch.tensor([-1.0, 0.5, 2.0], requires_grad=True),
    torch.tensor([0.2, 1.0, 0.0], requires_grad=True),
)
w, p = torch.tensor([1.0, 2.0, 0.5]), torch.tensor([3.0, 0.5, 2.0])
y = F.binary_cross_entropy_with_logits(x, t, w, pos_weight=p, reduction="none")
g = torch.autograd.grad((y * torch.tensor([1.0, 2.0, 3.0])).sum(), [x, t], create_graph=True)
((g[0] * torch.tensor([1.0, -2.0, 0.5])).sum() + g[1].sum()).backward()
print([each.tolist() for each in g])
del g

# torch.native_group_norm: the statistics of normalised groups are used
x = torch.linspace(-2, 3, 24).reshape(2, 4, 3).requires_grad_()
o, m, r = torch.native_group_norm(x, torch.ones(4), torch.zeros(4), 2, 4, 3, 2, 1e-5)
((o * torch.arange(24.0).reshape(2, 4, 3)).sum() + (m * m).sum() + (r * r * r).sum()).backward()
y = torch.linspace(-2, 3, 12).reshape(4, 3).requires_grad_()
p, n, s = torch.native_layer_norm(y, (3,), torch.ones(3), torch.zeros(3), 1e-5)
((p * torch.arange(12.0).reshape(4, 3).sin()).sum() + (n * n).sum() + (s**3).sum()).backward()

# Tensor.double: a gradient of another dtype is added to
x = torch.ones(2, requires_grad=True)
x.grad = torch.ones(2)
(x.double() * 2).sum().backward()
y = torch.ones(2, dtype=torch.float64, requires_grad=True)
y.grad = torch.ones(2, dtype=torch.float64)
(y.float() * 3).sum().backward()

# torch.utils.hooks.unserializable_hook: a tensor with hooks is pickled
import pickle


@torch.utils.hooks.unserializable_hook
def quiet(grad):
    return grad


class Named:
    def __init__(self, name):
        self.name = name

    def __call__(self, grad):
        return grad

    def __repr__(self):
        return self.name


x = torch.ones(2, requires_grad=True)
x.register_hook(Named("first"))
x.register_hook(quiet)
x.register_hook(Named("second"))
y = pickle.loads(pickle.dumps(x)) * 1

# Tensor.__setstate__: a handle that was pickled comes before those which are made later
import pickle

x = torch.ones(2, requires_grad=True)
h = x.register_hook(lambda grad: grad)
s = list(h.__getstate__())
s[1] += 1000
h.__setstate__(tuple(s))
k = x.register_hook(lambda grad: grad)
print(k.id - h.id)
del s  # numbers of this process

# Tensor.scatter: gradients that do not fit are refused under create_graph as well
x = torch.zeros(3, 4, requires_grad=True)
s = torch.ones(2, 4, requires_grad=True)
torch.autograd.grad(
    x.scatter(1, torch.tensor([[0, 2], [0, 2]]), s).sum(), [x, s], create_graph=True
)


# torch.autograd.Function: a gradient of a Function that does not fit, under create_graph
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        return grad[:1]


x = torch.ones(3, requires_grad=True)
torch.autograd.grad(Wrong.apply(x).sum(), x, create_graph=True)

# Tensor.mul_: a base that was written frees what it needs
x = torch.ones(4, requires_grad=True)
y = x * 1
y[:2].mul_(3)
y.sum().backward()
y.sum().backward()


# torch.autograd.Function: numbers of Functions
class One(torch.autograd.Function):
    forward = staticmethod(lambda ctx, x: x * 1)
    backward = staticmethod(lambda ctx, grad: grad)


class Two(One):
    pass


x = torch.ones(1, requires_grad=True)
a, b = One.apply(x).grad_fn._autograd_function_id, Two.apply(x).grad_fn._autograd_function_id
print(b - a, One._backward_cls._autograd_function_id == a)
del a, b

# torch.heaviside: an operator without a derivative leads to its inputs
x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True) * 2
z = torch.heaviside(x, y)
w = x // 2
print(z.grad_fn, z.grad_fn.next_functions if z.grad_fn else None, w.grad_fn.name())

# F.pad: padding that takes more than there is
F.pad(torch.ones(1, 2, 3), (-2, -2), mode="circular")

# F.pad: padding that wraps more than once
F.pad(torch.ones(1, 2, 3), (1, 4), mode="circular")

# F.pad: padding two axes in circles
x = torch.arange(24.0).reshape(1, 2, 3, 4).requires_grad_()
a, b, c = (F.pad(x, p, mode="circular") for p in ((1, 2, 3, 0), (0, -1, 2, 1), (-1, 3, -1, 1)))
d, e = (F.pad(x, p, mode=m) for p, m in (((3, 2, 1, 2), "reflect"), ((5, 1, 0, 4), "replicate")))
sum((each * each).sum() for each in (a, b, c, d, e)).backward()

# F.pad: a reflection on the second axis that is too large
F.pad(torch.ones(1, 2, 3, 9), (1, 1, 3, 1), mode="reflect")

# F.binary_cross_entropy: probabilities that are too small, among others
F.binary_cross_entropy(torch.tensor([0.5, -0.5]), torch.tensor([1.0, 0.0]))

# F.binary_cross_entropy: probabilities that are too large, among others
F.binary_cross_entropy(torch.tensor([1.5, 0.5]), torch.tensor([1.0, 0.0]))

# F.binary_cross_entropy: targets that are too large, among others
F.binary_cross_entropy(torch.tensor([0.5, 0.5]), torch.tensor([1.5, 0.0]))

# F.batch_norm: a batch of nothing is standardised
F.batch_norm(torch.ones(0, 3), torch.ones(3), torch.ones(3), training=True)

# F.pixel_shuffle: pixels of too few axes
F.pixel_shuffle(torch.ones(2, 2), 2)

# F.pixel_unshuffle: pixels of too few axes are put back
F.pixel_unshuffle(torch.ones(2, 2), 2)

# torch.randint: a size of random integers that is none
torch.randint(0, 5, 3)

# F.embedding: a number of embeddings that has no norm
F.embedding(torch.tensor([0]), torch.ones(2, 2, dtype=torch.int64), max_norm=1.0)

# Tensor.index_put: a write into no place
torch.ones(2).index_put((), torch.ones(1))

# Tensor.geometric_: waiting times of complex numbers
torch.ones(2, dtype=torch.complex64).geometric_(0.5)

# torch.arange: numbers in a row of truth values
torch.arange(2, dtype=torch.bool)

# torch.broadcast_tensors: tensors that do not broadcast
torch.broadcast_tensors(torch.ones(2, 3), torch.ones(4, 3))

# Tensor.sum_to_size: a sum to a size that does not fit
torch.ones(2, 3).sum_to_size(4, 3)

# Tensor.flatten: aliases and reshaped views share memory
x = torch.arange(6.0).reshape(2, 3)
a, b, c, d = x[...], x.view(3, 2), x.t().reshape(3, 2), x.expand(2, 3)
e, f = x.flatten(), x[:, :2].reshape(2, 2, 1)
a[0, 0], b[2, 1], f[1, 1, 0] = 7, 8, 9
x.view(-1)[1] = 5

# torch.fill: gradients of fills, and of running extremes that hide numbers
x, v = torch.arange(6.0).reshape(2, 3).requires_grad_(), torch.tensor(2.0, requires_grad=True)
y = torch.fill(x, v)
z = (x * 1).fill_(v)
(y * torch.arange(6.0).reshape(2, 3)).sum().backward()
z.sum().backward()
w = (
    torch.bincount(torch.tensor([1, 4, 1])),
    torch.bincount(torch.tensor([0, 2]), torch.tensor([0.5, 2.0]), 5),
)

# Tensor.sigmoid: the memory of gradients
x = torch.randn(3, 4, requires_grad=True)
g = [
    torch.autograd.grad(f(x), x, torch.ones_like(f(x)))[0].stride()
    for f in (
        lambda x: x.diagonal(),
        lambda x: x[1],
        lambda x: x[:, 1:3],
        lambda x: x.sigmoid(),
        lambda x: x.t().sigmoid(),
        lambda x: x.scatter(0, torch.zeros(1, 4, dtype=torch.int64), 2.0),
        lambda x: F.hardshrink(x),
        lambda x: F.pad(x[None], (1, 1), mode="reflect"),
        lambda x: x.trace().expand(2),
        lambda x: x.amin(0),
        lambda x: x.unfold(1, 2, 1),
        lambda x: x.tril(),
        lambda x: x.flip(0),
        lambda x: x.cumsum(1),
        lambda x: x.softmax(0),
        lambda x: x.gather(1, torch.zeros(3, 2, dtype=torch.int64)),
        lambda x: x.index_select(1, torch.tensor([0, 0])),
    )
]
print(g)


# torch.autograd.Function: a Function's backward asks for the mode
class Asks(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        print(torch.is_grad_enabled())
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        w = torch.ones(2, requires_grad=True) * 2
        print(torch.is_grad_enabled(), w.requires_grad, grad.requires_grad)
        return grad * 2


x = torch.ones(2, requires_grad=True)
Asks.apply(x).sum().backward()
Asks.apply(x).sum().backward(create_graph=True)

# torch.autograd.function._HookMixin._register_hook: a hook of a context is registered in the old way
hooks, handle = torch.autograd.function._HookMixin._register_hook(None, len)
print(list(hooks.values()), handle.id in hooks)
handle.remove()
print(len(hooks))
del hooks, handle

# Tensor.nansum: sums of zeros have a sign
x = torch.tensor([-0.0, -0.0, -0.0, -0.0, -0.0])
print(
    x.sum(), x[:1].sum(), x[:2].sum(0), x.mean(), x.repeat(9).sum(), x.double().sum(), x[:0].sum()
)
print(
    x.cumsum(0), x.prod(), x[None].sum(1), x[:, None].sum(0), x[:3].nansum(), torch.einsum("i->", x)
)

# torch.heaviside: of NaN, infinities and both zeros
x = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1.0])
out = [torch.heaviside(x.to(d), x.flip(0).to(d)) for d in (torch.float, torch.double, torch.half)]
out += [
    torch.heaviside(x, torch.tensor(0.5)),
    torch.heaviside(torch.tensor([0, 2]), torch.tensor(7)),
]

# torch.lcm: of numbers so large that it overflows
dtypes = (torch.int8, torch.int16, torch.int32, torch.int64)
out = [
    torch.lcm(torch.tensor(torch.iinfo(d).max, dtype=d), torch.tensor([4, 5], dtype=d))
    for d in dtypes
]

# Tensor.conj: parts of complex numbers are views, also of conjugates
z = torch.tensor([1 + 2j, 3 - 4j])
a, b, c = z.real, z.imag, z.conj().imag
c[0] = 5
b[1] = 7
d = z.conj().imag.clone(), torch.view_as_real(z), z.conj().real, c.neg(), c.is_neg(), c + 1

# Tensor.conj: gradients of parts of conjugates
z = torch.tensor([1 + 2j, 3 - 4j], requires_grad=True)
a, b = z.conj().imag, z.conj().real
(a * a * b + torch.view_as_real(z.conj().resolve_conj()).sum(1)).sum().backward()
z.imag.pow(2).sum().backward()

# Tensor.conj: writes through parts of complex numbers
z = torch.zeros(3, dtype=torch.complex64)
z.real = torch.tensor([1.0, 2.0, 3.0])
z.imag = 4
w = z * 1
w.real.mul_(2)
y = z.conj().clone()
y.imag.add_(1)

# Tensor.clamp_min: bounds of integers
x = torch.tensor([-3, 0, 5])
a = x.clamp(0, 3), x.clamp_min(1), x.clamp_max(1), torch.clamp_max(x, torch.tensor([1, -1, 9]))
b = x.clamp(min=0.5), x.clamp_max(2.5), x.clamp(max=torch.tensor(2.5)), x.clamp_min(torch.tensor(1))
c = torch.maximum(x, x.flip(0)), torch.fmax(x, x.flip(0)), torch.clamp(x, x.flip(0), x.flip(0) + 1)
d = x.clone().clamp_(0, 1), x.clone().clamp_min_(1), x.clone().clamp_max_(-1)

# Tensor.clamp_max: gradients of bounds
x = torch.tensor([-3.0, 0.0, 1.0, 5.0, float("nan")], requires_grad=True)
m = torch.tensor([0.0, 0.0, 2.0, 1.0, 1.0], requires_grad=True)
y = x.clamp(0, 1), x.clamp_min(0), x.clamp_max(1), x.clamp(m), x.clamp_max(m), x.clamp(m - 1, m)
y += torch.clamp_min(x, m), torch.maximum(x, m), torch.fmin(x, m), torch.minimum(x, m)
sum((each.nan_to_num() * (i + 1)).sum() for i, each in enumerate(y)).backward()
print(x.grad, m.grad)

# torch.xlogy: logarithms times numbers and integers
x = torch.tensor([0, 1, 3])
a = torch.xlogy(x, 2), torch.xlogy(2, x), torch.xlogy(x, x), torch.xlogy(x.float(), 2.5)
b = torch.xlogy(0, x - 1), torch.xlogy(x, 2.5), torch.xlogy(0.5, x)
c = torch.logaddexp(x.float(), -x.float()), torch.copysign(x, -1), torch.copysign(x.float(), -0.0)

# F.adaptive_avg_pool1d: second derivatives that are zero have the sign of zeros
for f in (
    F.relu,
    F.relu6,
    F.hardtanh,
    F.hardshrink,
    F.softshrink,
    F.leaky_relu,
    F.hardsigmoid,
    lambda x: F.threshold(x, 0.1, 2.0),
    lambda x: F.avg_pool1d(x[None], 2)[0],
    lambda x: F.avg_pool2d(x[None, None], (1, 2))[0],
    lambda x: F.max_pool1d(x[None], 2)[0],
    lambda x: F.adaptive_avg_pool1d(x[None], 3)[0],
    torch.abs,
    lambda x: x.clamp(-1, 1),
    lambda x: F.l1_loss(x, x.detach() - 1, reduction="none"),
    lambda x: F.pad(x[None], (1, 1), mode="reflect"),
    lambda x: F.pad(x[None], (1, 1), mode="replicate"),
    lambda x: x.cumsum(0),
    lambda x: x.sort().values,
    lambda x: x.index_select(0, torch.tensor([0, 2, 2])),
    lambda x: x.gather(0, torch.tensor([1, 1])),
    lambda x: x.unfold(0, 3, 1),
):
    x = torch.linspace(-2, 2, 8).requires_grad_()
    w = torch.ones((), requires_grad=True)
    (g,) = torch.autograd.grad((f(x) * w).sum(), x, create_graph=True)
    h = torch.autograd.grad(g.sum(), [x, w], allow_unused=True)
    print(h)

# Tensor.tril: graphs of gradients
x = torch.randn(2, 6, requires_grad=True)
g = [
    torch.autograd.grad(f(x).pow(2).sum(), x, create_graph=True)[0]
    for f in (
        lambda x: x[:, 1:4],
        lambda x: x.t(),
        lambda x: x.expand(3, 2, 6),
        lambda x: x.diagonal(),
        lambda x: x.unfold(1, 3, 2),
        lambda x: x.softmax(1),
        lambda x: x.log_softmax(0),
        lambda x: x.cumsum(1),
        lambda x: x.flip(0),
        lambda x: x.tril(),
        lambda x: x.sigmoid() * x.tanh(),
    )
]

# Tensor.pow_: a view is written, and its gradient differentiated
x = torch.randn(4, 4, requires_grad=True)
y = x * 1
y.as_strided((2, 3), (4, 1), 1).mul_(2)
y[0].pow_(2)
(g,) = torch.autograd.grad((y**3).sum(), x, create_graph=True)
g.sum().backward()

# Tensor.squeeze_: the shape and strides of views that are written in place
x = torch.arange(12.0).reshape(3, 4)
a, b, c = x[1:], x.view(12), x.t()
a.t_(), b.unsqueeze_(0), c.squeeze_(), a.transpose_(0, 1)
d = x[:1]
d.squeeze_()
e = x.narrow(1, 0, 1)
e.squeeze_(1).mul_(2)
print(x, a._version, d._version, e._version)

# Tensor.unsqueeze_: views under no_grad that are written in place
x = torch.ones(2, 3, requires_grad=True)
y = x * 2
z = y.view(6)
z.unsqueeze_(0)
z.mul_(3)
y.sum().backward()

# Tensor.resize_: memory that grows and shrinks
x = torch.arange(6.0)
x.resize_(2, 2)
y = torch.zeros(1)
y.resize_(3).fill_(2)
z = torch.arange(4.0)
z.set_(torch.arange(10.0), 2, (2, 2), (3, 1))
w = torch.arange(4.0)
w.set_(torch.arange(3.0))
v = torch.ones(2)
v.set_()
u = torch.zeros(3, 4).resize_as_(torch.ones(2, 5))
t = torch.zeros(1, 2, 2, 2).resize_(1, 3, 2, 2, memory_format=torch.channels_last)
u = u.shape
t = t.shape, t.stride()

# Tensor.index_put: indices that count from the end
x = torch.arange(12.0).reshape(3, 4).requires_grad_()
i = torch.tensor([-1, 0, -2])
a, b, c = x[i], x.take(torch.tensor([-1, -12, 5])), x[i, i]
d = x.clone().put_(torch.tensor([-1, 3]), torch.tensor([9.0, 8.0]))
e = x.index_put((i,), torch.ones(4)), x.index_put((i, i), torch.ones(3), accumulate=True)
f = x.clone().put_(torch.tensor([-1, -1]), torch.tensor([9.0, 8.0]), accumulate=True)
g = x[torch.tensor([[-1], [0]]), torch.tensor([1, -2])], x[:, i], x[None, i, None, 1], x[..., i, :]
(a.sum() * 2 + (b * b).sum() + (c * d[0, :3]).sum() + e[0].sum() + f.sum() + e[1].sum()).backward()

# Tensor.nonzero: indices between slices, of several kinds
x = torch.arange(120.0).reshape(2, 3, 4, 5).requires_grad_()
i, j = torch.tensor([0, 1]), torch.tensor([[1], [2]])
m = torch.tensor([True, False, True])
a = (
    x[:, i, :, i],
    x[:, j, i],
    x[i, :, j],
    x[:, m],
    x[:, :, i, 1:3],
    x[i, m[:2].long()],
    x[1, :, j, i],
)
b = x[:, m, 1], x[m[:2]], x[..., m[:2].nonzero()], x[torch.tensor(1), :, i], x[:, [0, 2]], x[0, [1]]
(sum((each * each).sum() for each in a) + sum(each.sum() for each in b)).backward()
y = x.detach().clone()
y[:, i, :, i] = 7.0
y[:, m] += 1
y[i, :, j] = torch.arange(5.0)
y[1, [0, 2], 1:] *= -1
y[:, :, torch.tensor([3, -4])] -= y[:, :, :2]

# torch.where: a byte mask
x = torch.arange(3.0)
y = x[torch.tensor([1, 0, 1], dtype=torch.uint8)]
z = torch.where(torch.tensor([1, 0, 1], dtype=torch.uint8), x, -x)

# torch.matmul: products of singular shapes
v, m, b = torch.arange(3.0), torch.arange(6.0).reshape(2, 3), torch.arange(24.0).reshape(2, 4, 3)
a = v @ v, m @ v, v @ m.t(), b @ v, b @ m.t(), v @ b.mT, m @ b.mT, b @ b.mT, b[:, None] @ b.mT
c = (
    m @ torch.zeros(3, 0),
    torch.zeros(0, 3) @ v,
    torch.zeros(2, 0) @ torch.zeros(0, 3),
    b @ b[:1].mT,
)
d = torch.matmul(v, m.t(), out=torch.zeros(2)), torch.matmul(b, m.t(), out=torch.zeros(2, 4, 2))
e = torch.matmul(b, v, out=torch.zeros(2, 4)), torch.matmul(m, b.mT, out=torch.zeros(2, 2, 4))
f = (
    torch.matmul(b, m.t(), out=torch.zeros(2, 4, 4)[..., ::2]),
    torch.mm(m, m.t(), out=torch.ones(0)),
)
g = torch.addmm(torch.ones(2), m, m.t(), beta=0), torch.addmm(torch.ones(2, 2), m, m.t(), alpha=0.5)
h = torch.addbmm(torch.ones(4, 4), b, b.mT), torch.baddbmm(torch.ones(4), b, b.mT, beta=2, alpha=3)
i = torch.addmv(torch.ones(2), m, v, beta=3), torch.addr(m, m[:, 0], v, alpha=2)

# torch.vdot: gradients of products that fold and broadcast
v = torch.randn(3, requires_grad=True)
m = torch.randn(2, 3, requires_grad=True)
b = torch.randn(2, 4, 3, requires_grad=True)
y = b @ m.t(), m @ b.mT, b @ v, v @ b.mT, b @ b.mT, b[:, None] @ b.mT, v @ m.t(), b.detach() @ m.t()
y += b @ m.detach().t(), b.mT.mT @ v, torch.baddbmm(m[:, :1, None], b, b.mT), v.dot(v), m.mv(v)
y += torch.addbmm(m @ m.t(), b[:, :2], b[:, :2].mT), torch.addr(m, m[:, 0], v), torch.vdot(v, v)
sum((each * each).sum() for each in y).backward()

# Tensor.mv: products of integers and truth values
m = torch.tensor([[1, 2], [3, 4]])
a = m @ m, m.bool() @ m.bool(), torch.addmm(m, m, m, alpha=2, beta=3), m.mv(m[0]), m[0].dot(m[1])
b = (
    torch.outer(m[0], m[1]),
    m.to(torch.uint8) @ m.to(torch.uint8) * 100,
    torch.bmm(m[None], m[None]),
)

# F.avg_pool2d: windows that reach over the edge
x = torch.arange(50.0).reshape(1, 2, 5, 5).requires_grad_()
a = F.avg_pool2d(x, 3, 2, 1), F.avg_pool2d(x, 2, 2, 0, True), F.avg_pool2d(x, 3, 2, 1, True, False)
b = F.avg_pool2d(x, 3, 1, 1, False, False), F.avg_pool2d(x, 2, divisor_override=3)
c = F.max_pool2d(x, 3, 2, 1), F.max_pool2d(x, 2, 2, 0, 1, True), F.max_pool2d(x, 2, 1, 0, 2)
d = F.avg_pool1d(x[0], 3, 2, 1, True, False), F.max_pool1d(x[0], 3, 2, 1, 1, True)
e = F.max_pool2d(x, 3, 2, 1, return_indices=True), F.adaptive_avg_pool2d(x, (2, 3))
f = F.max_pool1d(x[0].detach(), 3, 2, 1, 2), F.max_pool1d(x[0, 0].detach(), 2, ceil_mode=True)
sum((each * each).sum() for each in (*a, *b, *c, *d, *e)).backward()
print(x.grad)

# Tensor.nan_to_num: windows over equal and missing numbers
n = float("nan")
x = torch.tensor([[1.0, 1.0, n, 2.0], [1.0, 3.0, 3.0, n], [-5.0, -5.0, -5.0, 3.0]])[
    None
].requires_grad_()
y, i = F.max_pool2d(x, 2, 1, return_indices=True)
z, j = F.max_pool2d(x, (1, 3), 1, (0, 1), return_indices=True)
(y.nan_to_num().sum() + z.nan_to_num().sum()).backward()

# F.batch_norm: images without pixels and batches without images
a = F.max_pool2d(torch.zeros(0, 2, 4, 4), 2), F.avg_pool2d(torch.zeros(0, 2, 4, 4), 2)
b = (
    F.conv2d(torch.zeros(0, 2, 4, 4), torch.ones(3, 2, 2, 2)),
    F.conv1d(torch.zeros(1, 0, 3), torch.zeros(2, 0, 2)),
)
c = F.adaptive_avg_pool2d(torch.zeros(0, 2, 4, 4), 2), F.layer_norm(torch.zeros(0, 3), (3,))
d = (
    F.linear(torch.zeros(0, 3), torch.ones(2, 3)),
    F.softmax(torch.zeros(0, 3), 0),
    torch.zeros(0).sum(),
)
e = F.cross_entropy(torch.zeros(0, 3), torch.zeros(0, dtype=torch.int64)), torch.zeros(0, 3).mean(0)
f = (
    F.mse_loss(torch.zeros(0), torch.zeros(0)),
    F.batch_norm(torch.zeros(0, 3), torch.zeros(3), torch.ones(3)),
)

# F.conv_transpose2d: convolutions of many geometries
torch.manual_seed(1)
x = torch.randn(2, 4, 7, 6, requires_grad=True)
w, v = torch.randn(6, 2, 3, 2, requires_grad=True), torch.randn(4, 3, 3, 2, requires_grad=True)
a = F.conv2d(x, w, None, (2, 1), (1, 2), (1, 2), 2), F.conv2d(x, w, groups=2, padding="same")
b = (
    F.conv_transpose2d(x, v, None, (2, 3), (1, 0), (1, 2), 2, (1, 1)),
    F.conv_transpose2d(x, v, dilation=2),
)
c = F.conv1d(x[0], w[:, :, 0], None, 2, 1, 1, 2), F.conv_transpose1d(x[0], v[..., 0], None, 2, 1, 1)
d = F.conv2d(x.contiguous(memory_format=torch.channels_last), w, groups=2)
e = F.conv3d(x[None], w[None, :2].reshape(1, 2, 2, 3, 2), padding=1), F.conv2d(x[0], w, groups=2)
sum((each * each).sum() for each in (*a, *b, *c, d, *e)).backward()

# F.nll_loss: losses in every reduction
torch.manual_seed(0)
x, t = torch.randn(3, 4, requires_grad=True), torch.randn(3, 4, requires_grad=True)
p, q = torch.sigmoid(x), torch.sigmoid(t)
w, c = torch.tensor([1.0, 2.0, 0.5, 3.0]), torch.tensor([1, 3, -100])
y = []
for r in ("none", "mean", "sum"):
    y += [F.mse_loss(x, t, reduction=r), F.l1_loss(x, t, reduction=r), F.huber_loss(x, t, r, 0.5)]
    y += [
        F.smooth_l1_loss(x, t, reduction=r, beta=0.5),
        F.binary_cross_entropy(p, q, w, reduction=r),
    ]
    y += [F.binary_cross_entropy_with_logits(x, q, w, reduction=r, pos_weight=w + 1)]
    y += [
        F.cross_entropy(x, c, w, reduction=r, label_smoothing=0.1),
        F.nll_loss(x, c, w, reduction=r),
    ]
    y += [F.cross_entropy(x, q, w, reduction=r, label_smoothing=0.2), F.kl_div(x, q, reduction=r)]
    y += [F.kl_div(x, t, reduction=r, log_target=True)]
    y += [F.cross_entropy(x, c.clamp_min(0), reduction=r, label_smoothing=0.3)]
    y += [F.nll_loss(x[:, :, None], c[:, None], w, reduction=r)]
sum((each * each).sum() for each in y).backward()

# F.nll_loss: losses of one sample, and of images
x = torch.randn(4, requires_grad=True)
i = torch.randn(2, 4, 3, 3, requires_grad=True)
t = torch.tensor([[[0, 1, 2], [3, -100, 1], [2, 2, 0]]]).repeat(2, 1, 1)
a = F.cross_entropy(x, torch.tensor(2)), F.nll_loss(x, torch.tensor(1), torch.ones(4) * 3)
b = (
    F.cross_entropy(i, t, torch.arange(1.0, 5.0)),
    F.cross_entropy(i, t, reduction="none", ignore_index=1),
)
c = (
    F.cross_entropy(i, t, reduction="sum", label_smoothing=0.1),
    F.cross_entropy(x, x.detach().softmax(0)),
)
d = F.cross_entropy(i, t * 0 - 100), F.nll_loss(i, t, reduction="sum")
sum(each.sum() for each in (*a, *b, *c, d[1])).backward()

# torch.linalg.vector_norm: norms of every order
x = torch.tensor([[3.0, -4.0, 0.0], [0.0, 1e-3, 2.0]], requires_grad=True)
a = [x.norm(p, 1) for p in (0, 0.5, 1, 2, 3, float("inf"), -float("inf"))]
b = [torch.linalg.vector_norm(x, p, (0, 1), True) for p in (0, 1, 2.5, float("inf"))]
c = (
    x.norm(),
    x.norm(dim=0),
    x.norm("fro"),
    x.norm(3, (0, 1)),
    torch.linalg.vector_norm(x, dtype=torch.float64),
)
d = F.normalize(x, 1.0, 0), x.to(torch.complex64).norm(1, 0), x[:, :0].norm(dim=1)
sum((each.real * 1.0).sum() for each in (*a[:5], *b, *c, *d)).backward()

# Tensor.prod: running sums, products and differences
x = torch.tensor([[2.0, 0.0, 3.0], [1.0, 4.0, -1.0]], requires_grad=True)
a = x.cumsum(0), x.cumprod(1), x.cumprod(0), x.logcumsumexp(1), x.prod(1), x.prod(), x.prod(0, True)
b = torch.tensor([0.0, 0.0, 2.0], requires_grad=True)
c = (
    b.cumprod(0),
    b.prod(),
    torch.ones(2, 0).prod(1),
    x[:, :1].cumprod(1),
    torch.tensor(3.0).cumprod(0),
)
(g,) = torch.autograd.grad(sum((each * each).sum() for each in a), x, create_graph=True)
(g.sum() + (c[0] * torch.arange(3.0)).sum() + c[1]).backward()
del g
d = (
    torch.tensor([2, 3, 4]).cumsum(0),
    torch.tensor([True, True]).cumsum(0),
    torch.tensor([2, 3]).cumprod(0),
)

# Tensor.flatten: long sums are added in parts
torch.manual_seed(0)
x = torch.rand(3, 700) * 1000
a = (
    x.sum(),
    x.sum(0),
    x.sum(1),
    x.mean(),
    x.t().sum(0),
    x[:, ::3].sum(1),
    x.double().sum(),
    x.half().sum(),
)
b = x.var(1), x.std(), x.reshape(7, 300).sum(0), x.reshape(21, 100).sum(1), x.reshape(300, 7).sum(1)
c = (
    x.nansum(),
    x.logsumexp(1),
    x.reshape(30, 70).mean((0, 1)),
    x.flatten()[:1040].sum(),
    x.reshape(35, 60).sum(0),
)
d = (
    x.softmax(1),
    x.log_softmax(0),
    x.cumsum(1)[:, -1],
    x.prod(0),
    x.norm(dim=1),
    x.reshape(2, 7, 150).sum((0, 2)),
)
e = [x.flatten()[:n].sum() for n in (1, 3, 5, 8, 15, 16, 17, 31, 33, 64, 65, 130, 513, 1025)]
f = [F.mse_loss(x.flatten()[:n], x.flatten()[:n] * 0) for n in (1, 2, 17, 18, 257, 258, 300, 2000)]
t = torch.arange(300) % 7
h = (
    F.nll_loss(x.reshape(300, 7), t),
    F.nll_loss(x[:, :7].repeat(90, 1)[:257], t[:257], reduction="sum"),
)

# torch.logspace: numbers in a row
a = torch.arange(5), torch.arange(1, 10, 3), torch.arange(0, 1, 0.1), torch.arange(5, 0, -2)
b = (
    torch.arange(0.1, 100, 0.7),
    torch.arange(0.1, 50, 0.3, dtype=torch.float64),
    torch.arange(40).half() / 3,
)
c = (
    torch.linspace(0, 1, 7),
    torch.linspace(-3, 5, 100),
    torch.linspace(1, 1, 1),
    torch.linspace(0, 9, 4, dtype=torch.int64),
)
d = (
    torch.logspace(0, 3, 9),
    torch.logspace(0, 5, 6, base=2),
    torch.linspace(0, 1j, 5),
    torch.range(1, 4, 0.5),
)
e = (
    torch.arange(0, 40, 0.9, dtype=torch.bfloat16),
    torch.arange(0.2, 70, 0.3).half(),
    torch.arange(0, 9, 0.3, dtype=torch.float16),
)
f = (
    torch.arange(3, out=torch.zeros(5)),
    torch.linspace(0, 1, 3, out=torch.zeros(0)),
    torch.arange(2.5, dtype=torch.int32),
    torch.arange(2.5, dtype=torch.int64),
)
g = torch.linspace(torch.tensor(0.0), torch.tensor(3.0), 5), torch.linspace(0, torch.tensor(1.0), 3)
h = torch.eye(2, 4), torch.tril_indices(3, 4, 1), torch.triu_indices(4, 3, -1)

# torch.einsum: equations in both spellings
x, y = torch.arange(6.0).reshape(2, 3), torch.arange(12.0).reshape(3, 4)
a = (
    torch.einsum("ij,jk->ki", x, y),
    torch.einsum("ij,jk", x, y),
    torch.einsum("ji", x),
    torch.einsum("ii->i", x[:, :2]),
)
b = (
    torch.einsum(x, [0, 1], y, [1, 2], [0, 2]),
    torch.einsum(x, [1, 0]),
    torch.einsum(x, [0, 1], y, [1, 2]),
)
c = (
    torch.einsum("...j,jk->...k", x[None], y),
    torch.einsum(x, [..., 0], y, [0, 1], [..., 1]),
    torch.einsum("ii", x[:, :2]),
)
d = (
    torch.einsum("ij,ij,ij->", x, x, x),
    torch.einsum("i,j->ij", x[0], y[0]),
    torch.einsum("ij->", x),
)
e = (
    torch.tensordot(x, y, 1),
    torch.tensordot(x, x, ([0, 1], [0, 1])),
    torch.tensordot(x, y, 0).shape,
)

# torch.asarray: memory that others hold
import numpy

b = bytearray(range(24))
x = (
    torch.frombuffer(b, dtype=torch.int16, count=3, offset=2),
    torch.frombuffer(b, dtype=torch.uint8),
)
y = (
    torch.frombuffer(b, dtype=torch.int32),
    torch.frombuffer(b, dtype=torch.int64, count=-1, offset=8),
)
n = numpy.arange(6.0).reshape(2, 3)
z = (
    torch.from_numpy(n),
    torch.as_tensor(n),
    torch.tensor(n),
    torch.asarray(n, copy=True),
    torch.from_dlpack(n),
)
n[0, 0] = 9
w = (
    torch.asarray(z[0]),
    torch.asarray([1, 2.5]),
    torch.asarray(n, dtype=torch.float32),
    torch.asarray(3),
)
v = (
    torch.tensor(numpy.float32(3)),
    torch.tensor([numpy.int64(2)]),
    torch.tensor([torch.tensor(2), 3]),
    torch.tensor([]),
)
u = (
    torch.tensor([[True, 2], [3, 4]]),
    torch.tensor([1, 2.5, True]),
    torch.tensor([1, 2j]),
    torch.tensor((range(3))),
)
t = (
    torch.tensor([0.1, 2], dtype=torch.int32),
    torch.tensor([2, 0], dtype=torch.bool),
    torch.tensor(2**63 - 1),
)

# F.selu: gradients of activations that are written in place
x = torch.linspace(-2, 2, 7, requires_grad=True)
y = [
    F.elu(x * 1, 0.5, True),
    F.celu(x * 1, 0.5, True),
    F.selu(x * 1, True),
    F.leaky_relu(x * 1, 0.2, True),
]
y += [
    F.relu(x * 1, True),
    F.hardtanh(x * 1, -1.5, 1, True),
    F.silu(x * 1, True),
    F.relu6(x * 1, True),
]
y += [
    F.hardswish(x * 1, True),
    F.mish(x * 1, True),
    F.threshold(x * 1, 0.1, 2, True),
    F.hardsigmoid(x * 1, True),
]
(g,) = torch.autograd.grad(sum((each * each).sum() for each in y), x, create_graph=True)
g.pow(2).sum().backward()

# Tensor.scatter: a gradient that does not fit
x = torch.zeros(3, 4, requires_grad=True)
s = torch.ones(2, 4, requires_grad=True)
x.scatter(1, torch.tensor([[0, 2], [0, 2]]), s).sum().backward()

# F.scaled_dot_product_attention: attention with heads in groups, masks that hide everything, and its gradients
torch.manual_seed(0)
q, k = torch.randn(1, 4, 3, 8, requires_grad=True), torch.randn(1, 2, 5, 8, requires_grad=True)
v = torch.randn(1, 2, 5, 8, requires_grad=True)
m = torch.ones(3, 5, dtype=torch.bool)
m[1] = False
a = F.scaled_dot_product_attention(q, k, v, enable_gqa=True)
b = (
    F.scaled_dot_product_attention(q[:, :2], k, v, attn_mask=m),
    F.scaled_dot_product_attention(q[0, :2], k[0], v[0]),
)
c = F.scaled_dot_product_attention(q[:, :2], k, v, is_causal=True, scale=0.3)
d = F.scaled_dot_product_attention(q[:, :2], k, v, attn_mask=torch.randn(3, 5))
(a.sum() + sum((each * each).sum() for each in (*b, c, d))).backward()

# Tensor.roll: repeats, rolls and rotations
x = torch.arange(6.0).reshape(2, 3).requires_grad_()
a = (
    x.repeat(2, 1, 2),
    x.tile(2),
    x.repeat_interleave(2),
    x.repeat_interleave(torch.tensor([1, 3]), 0),
)
b = (
    x.roll(1),
    x.roll((1, -1), (0, 1)),
    x.rot90(),
    x.rot90(3),
    x.rot90(2, (1, 0)),
    x.flip((0, 1)),
    x.roll(5, 1),
)
c = (
    x.repeat_interleave(torch.tensor([2, 0, 1]), 1, output_size=3),
    torch.repeat_interleave(torch.tensor([1, 2])),
)
d = (
    x.tril(-1),
    x.triu(1),
    x.diag(),
    x[0].diag(1),
    x[0].diag(-1),
    x.trace(),
    torch.diag_embed(x, 1),
    x.diagonal(1),
)
e = (
    x.movedim(0, 1),
    x.swapaxes(0, 1),
    x.narrow(1, 1, 2),
    x.unfold(1, 2, 1),
    x.expand(2, 2, 3),
    x.adjoint(),
)
(sum((each * each).sum() for each in (*a, *b, c[0], *d, *e))).backward()

# F.pad: pads of every mode
x = torch.arange(12.0).reshape(1, 3, 4).requires_grad_()
y = [F.pad(x, (2, 1), mode=m) for m in ("constant", "reflect", "replicate", "circular")]
z = [F.pad(x[None], (2, 1, 1, 2), mode=m) for m in ("constant", "reflect", "replicate", "circular")]
w = (
    F.pad(x, (-1, 2), value=3),
    F.pad(x, (1, 1, -1, 0)),
    F.pad(x, (0, 0, 2, 0), "constant", -1),
    F.pad(x, (-1, -1)),
)
(g,) = torch.autograd.grad(sum((each**3).sum() for each in (*y, *z, *w)), x, create_graph=True)
g.sum().backward()

# Tensor.scatter: scattered writes and reductions
x = torch.arange(12.0).reshape(3, 4).requires_grad_()
s = torch.arange(1.0, 9.0).reshape(2, 4).requires_grad_()
i = torch.tensor([[0, 2, 1, 0], [0, 2, 2, 1]])
a = x.scatter(0, i, s), x.scatter_add(0, i, s), x.scatter(0, i, 7.0), x.gather(0, i)
b = [x.scatter_reduce(0, i, s, r) for r in ("sum", "prod", "mean", "amax", "amin")]
c = [
    x.scatter_reduce(0, i, s, r, include_self=False)
    for r in ("sum", "prod", "mean", "amax", "amin")
]
d = (
    x.index_add(0, torch.tensor([2, 2]), s, alpha=2),
    x.index_copy(0, torch.tensor([2, 0]), s),
    x.index_fill(1, i[0], 5.0),
)
e = (
    x.masked_scatter(x > 4, s.flatten()),
    x.masked_select(x > 5),
    x.masked_fill(x > 6, s[0, 0]),
    x.take(i),
)
f = (
    x.detach().scatter(0, i, s.detach(), reduce="add"),
    x.detach().scatter(0, i, 2.0, reduce="multiply"),
)
sum((each * each).sum() for each in (*a, *b, *c, *d, *e)).backward()
print(x.grad, s.grad)

# F.embedding: embeddings that count, scale and ignore
w = torch.arange(12.0).reshape(4, 3).requires_grad_()
i = torch.tensor([[0, 2], [2, 3]])
a = (
    F.embedding(i, w, padding_idx=-1),
    F.embedding(i, w, scale_grad_by_freq=True),
    F.embedding(i, w.detach() + 3, max_norm=1.0),
)
b = F.one_hot(i), F.one_hot(i, 5), F.embedding(torch.zeros(0, dtype=torch.int64), w)
sum((each * each).sum() for each in a[:2]).backward()

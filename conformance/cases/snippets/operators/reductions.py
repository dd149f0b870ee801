# Tensor.sum: the sum of everything
x = torch.randn(2, 3, requires_grad=True)
y = x.sum()
y.backward()
print(y, x.grad)

# Tensor.sum: sums along each axis
x = torch.randn(2, 3, requires_grad=True)
a, b = x.sum(0), x.sum(dim=1)
(a.sum() + b.sum()).backward()

# Tensor.sum: a sum that keeps its axis
x = torch.randn(2, 3, requires_grad=True)
y = x / x.sum(dim=1, keepdim=True)
y.sum().backward()

# Tensor.sum: sums along two axes, and along negative ones
x = torch.randn(2, 3, 4, requires_grad=True)
a, b, c = x.sum((0, 2)), x.sum(-1), x.sum([-2, -1], keepdim=True)
(a.sum() + b.sum() + c.sum()).backward()

# Tensor.sum: the sum as another dtype
x = torch.randn(3, requires_grad=True)
y = x.sum(dtype=torch.float64)
y.backward()

# mean of everything and along axes
x = torch.randn(2, 3, requires_grad=True)
a, b, c = x.mean(), x.mean(0), x.mean((0, 1), keepdim=True)
(a + b.sum() + c.sum()).backward()

# torch.sqrt: a layer norm by hand
x = torch.randn(2, 4, requires_grad=True)
m = x.mean(-1, keepdim=True)
v = ((x - m) ** 2).mean(-1, keepdim=True)
y = (x - m) / torch.sqrt(v + 1e-5)
(y**3).sum().backward()

# Tensor.var: variance and deviation
x = torch.randn(3, 4, requires_grad=True)
a, b, c = x.var(), x.std(0), x.var(1, unbiased=False)
d = x.std(dim=1, correction=0, keepdim=True)
(a + b.sum() + c.sum() + d.sum()).backward()

# torch.var_mean: variance and mean at once
x = torch.randn(3, 4, requires_grad=True)
v, m = torch.var_mean(x, dim=1)
(v * m).sum().backward()

# Tensor.max: the largest of everything
x = torch.tensor([1.0, 3.0, 3.0], requires_grad=True)
y = x.max()
y.backward()
print(y, x.grad)

# Tensor.max: the largest along an axis has values and indices
x = torch.randn(3, 4, requires_grad=True)
values, indices = x.max(dim=1)
values.sum().backward()
print(values, indices)

# Tensor.max: the named fields of a maximum
x = torch.tensor([[1.0, 5.0], [7.0, 2.0]], requires_grad=True)
r = x.max(1)
print(r)
print(r.values, r.indices)

# Tensor.amin: amax and amin spread the gradient of equals
x = torch.tensor([2.0, 2.0, 1.0, 1.0], requires_grad=True)
a, b = x.amax(), x.amin(0)
(a * b).backward()
print(x.grad)

# aminmax
x = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
low, high = torch.aminmax(x)
(high - low).backward()

# argmax and argmin have no gradient
x = torch.randn(3, 4, requires_grad=True)
a, b, c = x.argmax(), x.argmax(1), x.argmin(0, keepdim=True)
print(a, b, c)

# Tensor.prod: the product, with a zero
x = torch.tensor([2.0, 0.0, 3.0], requires_grad=True)
y = x.prod()
y.backward()
print(x.grad)

# Tensor.prod: products along an axis
x = torch.tensor([[2.0, 3.0], [4.0, 5.0]], requires_grad=True)
a, b = x.prod(0), x.prod(1, keepdim=True)
(a.sum() + b.sum()).backward()

# Tensor.norm: norms
x = torch.tensor([[3.0, 4.0], [0.0, 0.0]], requires_grad=True)
a, b, c = x.norm(), x.norm(dim=1), x.norm(p=1)
a.backward()
print(a, b, c, x.grad)

# Tensor.norm: norms by other orders
x = torch.randn(2, 3, requires_grad=True)
a, b, c = x.norm(float("inf")), x.norm(p=3, dim=0), torch.linalg.vector_norm(x)
(a + b.sum() + c).backward()

# Tensor.cumprod: a running sum and a running product
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
a, b = x.cumsum(0), x.cumprod(0)
(a * b).sum().backward()

# torch.cummax: running extrema
x = torch.tensor([1.0, 3.0, 2.0, 4.0], requires_grad=True)
v, i = torch.cummax(x, 0)
v.sum().backward()
print(v, i, x.grad)

# logsumexp and what it is
x = torch.randn(2, 3, requires_grad=True)
a, b = x.logsumexp(1), x.exp().sum(1).log()
(a - b).sum().backward()

# Tensor.median: the median, and along an axis
x = torch.tensor([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]], requires_grad=True)
a = x.median()
b, i = x.median(dim=1)
(a + b.sum()).backward()

# Tensor.sort: sorting carries the gradient back
x = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
v, i = x.sort(descending=True)
(v * torch.arange(3.0)).sum().backward()
print(v, i, x.grad)

# Tensor.topk: the two largest
x = torch.tensor([[3.0, 1.0, 2.0], [4.0, 6.0, 5.0]], requires_grad=True)
v, i = x.topk(2)
v.sum().backward()
print(v, i)

# torch.kthvalue: the second smallest
x = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
v, i = torch.kthvalue(x, 2)
v.backward()

# torch.count_nonzero: all, any and counting
x = torch.tensor([[True, False], [True, True]])
a, b, c = x.all(), x.any(1), x.sum()
n = torch.count_nonzero(x)
print(a, b, c, n)

# Tensor.cumsum: sums of integers become int64
x = torch.arange(6, dtype=torch.int32).reshape(2, 3)
a, b, c = x.sum(), x.prod(1), x.cumsum(0)

# Tensor.mean: the sum and the mean of nothing
x = torch.empty(0, requires_grad=True)
a, b = x.sum(), x.mean()
print(a, b)

# Tensor.trace: the trace and the diagonal
x = torch.randn(3, 3, requires_grad=True)
a, b = x.trace(), x.diagonal().sum()
(a * b).backward()

# Tensor.sqrt: the distance of two points
x = torch.randn(3, requires_grad=True)
y = torch.randn(3, requires_grad=True)
d = ((x - y) ** 2).sum().sqrt()
d.backward()

# torch.quantile: a quantile
x = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
q = torch.quantile(x, 0.25)
q.backward()

# nansum
x = torch.tensor([1.0, float("nan"), 3.0], requires_grad=True)
y = torch.nansum(x)
y.backward()
print(y, x.grad)

# softmax by hand and by name
x = torch.randn(2, 3, requires_grad=True)
e = (x - x.max(1, keepdim=True).values).exp()
y = e / e.sum(1, keepdim=True)
z = x.softmax(1)
(y * z).sum().backward()

# unique values and how many of each
x = torch.tensor([3, 1, 3, 2, 1])
u, n = torch.unique(x, return_counts=True)
v, inverse = torch.unique(x, return_inverse=True)

# torch.bincount: a histogram of labels
labels = torch.tensor([0, 2, 2, 1])
n = torch.bincount(labels, minlength=5)
print(n)

# Tensor.sum: a node's hook before it runs must keep the size
a = torch.ones(2, requires_grad=True)
b = a * 2
h = b.grad_fn.register_prehook(lambda outs: (outs[0].sum(),))
b.sum().backward()

# torch.unique: no derivative of unique
a = torch.ones(3, requires_grad=True)
torch.unique(a * 2).sum().backward()

# Tensor.amin: the dimension that is empty, as it was given
a = torch.ones(2, 0)
b = a.amax(-1)
b = a.amin((0, -1))

# torch.std_mean: the parts of complex numbers are looked at one by one for a spread
a = torch.tensor([1 + 1j])
b = a.var()
c = torch.std_mean(a, 0, correction=5)

# torch.aminmax: the sum of gradients of one of several outputs lies as the first of them
log = []
a = torch.zeros(2, 0, requires_grad=True) * 1
b, c = torch.aminmax(torch.ones(3, 2, 0, requires_grad=True) * a, dim=0)
b.register_hook(lambda grad: log.append(grad.stride()))
d = b.t().clone().sum()
torch.autograd.backward([b.double().sum(), d])

# Tensor.logsumexp: each step of a sum of exponentials is rounded
a = torch.tensor([-2.75, -1.5, -0.25]).half().logsumexp(0)
b = torch.tensor([1.5, 1.625, -0.25]).bfloat16().logsumexp(0)

# Tensor.prod: gradients of a product: by the others, by itself, of nothing but zeros
a = [torch.tensor(x, requires_grad=True) for x in ([1.0, 0.0, 3.0], [0.0, 0.0, 3.0], 2.0)]
b = [torch.autograd.grad((x * 1).prod(), x) for x in a]
c = [torch.autograd.grad((x * 1).prod(), x, create_graph=True) for x in a]
d = torch.ones((), requires_grad=True)
e = [torch.autograd.grad(x.prod(), x, d, create_graph=True) for x in a]

# torch.unique: what has no derivative, where the walk ends
x = torch.tensor([-3.0, 2.0], requires_grad=True)
y = torch.unique(x)
y.backward(torch.ones(2), inputs=[y])

# nn.utils.weight_norm: what the hooks of a weight are
from torch.nn.utils.spectral_norm import SpectralNorm
from torch.nn.utils.weight_norm import WeightNorm

m = nn.utils.weight_norm(nn.utils.spectral_norm(nn.Linear(2, 2)), "bias")
print([isinstance(h, (SpectralNorm, WeightNorm)) for h in m._forward_pre_hooks.values()])

# torch.segment_reduce: products of segments with several zeros, and with what is not a number
x = torch.tensor([2.0, 0.0, 3.0, 0.0, 0.0, 5.0, float("nan"), 4.0], requires_grad=True)
lengths = torch.tensor([3, 2, 3])
y = torch.segment_reduce(x, "prod", lengths=lengths)
y.backward(torch.tensor([1.0, 2.0, 3.0]))
print(y, x.grad)
z = torch.segment_reduce(x, "prod", lengths=lengths, initial=2.0)
print(z, torch.autograd.grad(z, x, torch.tensor([1.0, 2.0, 3.0])))

# torch.dist: a distance, an equation and an extreme
x, y = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 5.0], requires_grad=True)
torch.dist(x, y, 1.5).backward()
a = (
    torch.einsum("...ij,...jk->...ik", torch.ones(2, 2, 3), torch.ones(3, 4)),
    torch.einsum("i j , j k -> k i", torch.ones(2, 3), torch.ones(3, 4)),
)
b = (
    torch.einsum("ij,jk", torch.ones(2, 3), torch.ones(3, 4)),
    torch.einsum("ii->i", torch.ones(2, 2)),
    torch.einsum("...i->...", torch.ones(2, 2)),
)
x = torch.arange(40.0).remainder(7)
c = (
    x.topk(3),
    x.topk(3, largest=False),
    x.topk(20),
    x.reshape(2, 20).topk(2, 1),
    x.topk(3, sorted=False)[0].sum(),
)
d = (
    torch.arange(12.0).reshape(3, 4)[:, 1:][1:, -2:],
    torch.arange(12.0)[2**40 : 2**50],
    torch.arange(12.0)[-(2**61) : 3],
)

# torch._weight_norm: a weight normalised in half precision
v = torch.arange(1.0, 7.0).reshape(3, 2)
made = []
for dtype in (torch.float16, torch.bfloat16, torch.float64):
    for dim in (0, 1):
        w = v.to(dtype).requires_grad_()
        g = (
            torch.arange(1.0, 1.0 + w.shape[dim])
            .to(dtype)
            .reshape([-1, 1] if dim == 0 else [1, -1])
        )
        g.requires_grad_()
        out = torch._weight_norm(w, g, dim)
        (out * out.detach().flip(0)).sum().backward()
        made += [out.detach() * 1, g.grad * 1]
del out

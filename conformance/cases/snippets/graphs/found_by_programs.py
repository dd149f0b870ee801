# what is read as a negative is copied before a write, and overlaps nothing
a = torch.tensor([2.75 - 2.5j, 3 - 0.75j, -3 + 1j], dtype=torch.complex128)
b = a.conj().imag[:1]
b.index_add_(0, torch.tensor([0]), b)
b.index_copy_(0, torch.tensor([0]), b)
b.scatter_add_(0, torch.tensor([0]), b[:])
c = a.conj()
c[:2].add_(c[1:])
c[:2].copy_(c[1:])

# a conjugate whose elements share memory cannot be written at all
a = torch.tensor([2.75 - 2.5j, 3 - 0.75j])
b = a.conj().expand(3, 2)
b.zero_()
b.fill_(2)
b.tril_()
b.masked_fill_(torch.tensor([[True]]), 1)
b.float_power_(2)

# clamping looks at dtypes before it looks at memory
a = torch.tensor([False, True]).expand(2, 2)
a.clamp_(-1, 1)
a.clamp_(torch.tensor(1))
a.clamp_(True)

# a write gives integers a history, also those that are a view
a = torch.tensor([-3.0, -2.75]).requires_grad_()
b = torch.tensor([-4, -4, -3, -3]).reshape(2, 2)
b[:, 0] = a.sum()
c = b[0]

# elements that are none lie where torch's iterator puts them
a = torch.zeros((2, 0)).t()
b = torch.zeros((), dtype=torch.float16)
c = b % a.half()
d = torch.lerp(b, a.half(), 0.25)
e = torch.deg2rad(a)
f = torch.hypot(b, a.half())

# steps of 0 in what is empty
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

# a cast of complex numbers warns once, wherever it lays them out
a = torch.tensor([(-3 + 1j), (-2.75 + 2.75j)])
b = a.unfold(0, 2, 1).double()
c = a.as_strided((1, 2), (5, 1)).to(torch.int32)

# the parts of complex numbers are looked at one by one for a spread
a = torch.tensor([1 + 1j])
b = a.var()
c = torch.std_mean(a, 0, correction=5)

# truths have a product where there is nothing to compute
a = torch.zeros((2, 0), dtype=torch.bool)
b = a @ a.t()
c = a @ a[0]
d = a.t() @ b[0]
e = torch.addmm(b, a, a.t())
f = torch.bmm(a[None], a.t()[None])

# where lays its result out as if negatives were copied first
a = torch.ones(3, 1, dtype=torch.complex64).t().conj().imag
b = torch.where(a > 0, a, -a)

# the gradient of nothing is nobody's view
a = torch.zeros((2, 0), requires_grad=True)
(b,) = torch.autograd.grad(torch.nn.functional.logsigmoid(a).t(), a, torch.ones(0, 2))
c = torch.zeros(0, requires_grad=True)
(d,) = torch.autograd.grad(torch.block_diag(torch.zeros(0), c), c, torch.ones(2, 0))
e = b._base, d._base
del d

# halves are rounded on the way
a = torch.linspace(-4, 4, 30, dtype=torch.float16).reshape(5, 6).requires_grad_()
b = a.softmax(0)
(c,) = torch.autograd.grad(b, a, torch.ones_like(b))
d = torch.nn.functional.mse_loss(a, b, reduction="none")

# a matrix by which nothing can be multiplied
a = torch.mv(torch.ones(()), torch.ones(3))

# an equation's operands are looked at one after the other
a = torch.ones(2, 3, requires_grad=True)
with torch.no_grad():
    b = a.squeeze()
torch.autograd.graph.increment_version(a)
c = torch.ones(2, 3)
d = torch.einsum("ij,jk->ik", c, b)
d = torch.einsum("ij,jk->ik", b, c)
d = torch.einsum("ij,ji", c, torch.ones(4, 5))
d = torch.einsum("...,...", torch.ones(2, 7, 3, 4), torch.ones(5, 4))

# what is computed by way of another dtype is resized twice
a = torch.ones(1, 3, 2, dtype=torch.bool)
b = torch.mul(a, 2, out=torch.ones(2, 3))
b = torch.mul(a, 2, out=torch.ones(2, 3, dtype=torch.int64))
b = torch.eq(a, 2, out=torch.ones(2, 3, dtype=torch.int64))
b = torch.eq(a, 2, out=torch.ones(2, 3, dtype=torch.bool))
b = torch.logical_and(a, a, out=torch.ones(2, 3))
b = torch.pow(2, a, out=torch.ones(2, 3))
b = torch.pow(b, 2, out=torch.ones(2, 3, dtype=torch.float64))
b = torch.cumsum(a, 1, out=torch.ones(2, 3))

# a copy's gradient has to fit
from copy import deepcopy

a = torch.tensor([1.25], requires_grad=True)
b = a * a
a.data = torch.ones(2)
b.backward()
c = deepcopy(a)

# an empty matrix may lie column by column
a = torch.zeros((1, 0), requires_grad=True)
b = (a * 1).mm(torch.zeros(0, 2))
(c,) = torch.autograd.grad(b, a, torch.ones(1, 2), create_graph=True)

# no incomplete gamma function of integers
a = torch.igamma(torch.tensor([1]), torch.tensor([1]))

# the sum of gradients of one of several outputs lies as the first of them
log = []
a = torch.zeros(2, 0, requires_grad=True) * 1
b, c = torch.aminmax(torch.ones(3, 2, 0, requires_grad=True) * a, dim=0)
b.register_hook(lambda grad: log.append(grad.stride()))
d = b.t().clone().sum()
torch.autograd.backward([b.double().sum(), d])

# torch.rot90: a gradient of a formula that makes memory of its own is no view
a = torch.arange(6.0).reshape(2, 3).requires_grad_()
b, c = a.unbind(0)
d = torch.autograd.grad(c, a, torch.ones_like(c))[0]
e = torch.rot90(a)
f = torch.autograd.grad(e, a, torch.ones_like(e))[0]
g = torch.tensor(2.0, requires_grad=True)
h = torch.autograd.grad(g.max(0)[0], g)[0]._base is None
i = torch.autograd.grad(torch.roll(a, 1), a, torch.ones_like(a))[0]

# Tensor.view: a gradient that a formula takes a view of is one
a = torch.arange(3.0, requires_grad=True)
b = a.view(-1).ceil()
c, d = torch.autograd.grad(b, [b, a], torch.ones_like(b))
e = torch.arange(6.0).reshape(2, 3).requires_grad_()
f = torch.autograd.grad(torch.copysign(a, e), a, torch.ones_like(e))[0]
g = torch.eye(3, requires_grad=True)
h = torch.autograd.grad(g.trace(), g)[0]._base is None
i = torch.block_diag(a, e)
j, k = torch.autograd.grad(i, [a, e], torch.ones_like(i))

# Tensor.add_: a gradient through a view that was written is a view of the memory it was scattered into
a = torch.arange(3.0, requires_grad=True)
b = a * 2
c = b[:]
c.add_(1)
d = torch.autograd.grad(c, b, torch.ones_like(c))[0]._base is None

# Tensor.conj_physical: strides of size-1 dimensions of results
a = torch.tensor([[1 + 2j], [3 - 1j]]).t()
b = a.conj_physical()
c = a.abs()
d = torch.tensor([1 + 2j]).imag
e = F.relu6(d)
f = torch.arange(6.0).reshape(2, 1, 3).permute(2, 0, 1)
g = 2**f
h = torch.nan_to_num(f)
i = f.isnan()
j = torch.polygamma(1, f + 1)
k = torch.kron(torch.ones(1, 2, 3)[[0, 0]], torch.ones(3, 1)) if f.dim() == 2 else f.tanh()

# Tensor.relu: strides of size-1 dimensions of gradients
a = torch.tensor([[1.0], [2.0]]).t().requires_grad_()
for each in (a * 2, a.prod(), a.var(), a.relu(), torch.where(a > 0, a, 0.0), F.hardtanh(a)):
    b = torch.autograd.grad(each, a, torch.ones_like(each))[0]
    print(b.stride())
c = a.detach().narrow(1, 0, 1).requires_grad_()
d = torch.autograd.grad(c.sum(dtype=torch.float64), c)[0]

# Tensor.storage_offset: strides and places of what is empty
a = torch.tensor([-3.0])
b = a.unsqueeze(-1)[1:]
c = torch.hypot(b, a)
d = b > 0
e = torch.zeros(2, 3)[:, 3:][1:]
f = torch.zeros(0, 3).t()
g = f * 2
h = torch.tensor(4).expand(2).tensor_split(2)[1][1:]
i = torch.zeros(0, dtype=torch.bool).unsqueeze_(0)
j = torch.cat([torch.ones(2, 1, requires_grad=True), torch.ones(2, 0)], 1)
k = f[1:].storage_offset(), e.storage_offset()

# Tensor.storage_offset: the same, of gradients of what was joined
a = torch.ones(2, 1, requires_grad=True)
b = torch.ones(2, 0, requires_grad=True)
c = torch.cat([a, b], 1)
d, e = torch.autograd.grad(c, [a, b], torch.ones_like(c))
f = e.storage_offset()

# torch.view_as_real: a view of a view of the parts of complex numbers is taken again on its way
a = torch.tensor([[1 - 2j, 2j, 3 + 1j]]).requires_grad_()
b = (a * 2).t()
c = b.imag
c.tanh_()
d = torch.view_as_real(b)[..., 0]
e = d.t()
b.mul_(2)
f = e * 1

# Tensor.conj: a view of conjugates is, too
a = torch.tensor([[1 - 2j, 2j, 3 + 1j]]).requires_grad_()
b = a * 2
c = b.conj().t()
d = b.conj().imag
b.add_(1)
e = c * 1
f = d * 1

# Tensor.conj: the gradient of a conjugate is a view of conjugates
a = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
g = torch.tensor([1 + 1j, 2 + 3j])
b = torch.autograd.grad(a.conj(), a, g)[0]
c = b.is_conj()
d = torch.autograd.grad(a.conj() * 2, a, g)[0]
e = torch.autograd.grad(a.conj().conj(), a, g)[0]
f = torch.autograd.grad(a.conj().imag, a, torch.ones(2))[0]
h = torch.view_as_complex(torch.view_as_real(a).clone()).conj()
i = torch.autograd.grad(h, a, g)[0]

# Tensor.data_ptr: two leaves never share a gradient
a = torch.ones(2, requires_grad=True)
b = torch.ones(2, requires_grad=True)
((a + b) * 2).sum().backward()
c = a.grad.data_ptr() == b.grad.data_ptr()

# torch.autograd.grad: the real part of a gradient is summed up
a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([[1 - 2j, 2j], [3 + 1j, 4j]])
c = torch.autograd.grad(a + b, a, torch.ones_like(b))[0]

# torch.real: where torch's formula takes no real part
a = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
b = torch.where(a.imag > 0, a.imag, a)
b.backward(torch.ones_like(b), retain_graph=True)

# Tensor.as_strided: the gradient of as_strided where elements share memory
a = torch.arange(3.0, requires_grad=True)
b = a.as_strided((2, 2), (1, 1))
c = torch.autograd.grad(b, a, torch.ones_like(b).requires_grad_(), create_graph=True)[0]
d = a[:2].expand(2, 2)
e = torch.autograd.grad(d.as_strided((2,), (1,)), d, torch.ones(2), create_graph=True)[0]
f = a.as_strided((3, 2), (1, 0))
g = torch.autograd.grad(f, a, torch.ones(3, 2).requires_grad_(), create_graph=True)[0]

# Tensor.reciprocal_: what a view that was written was saved as
a = torch.tensor([[-3 + 1j]]).requires_grad_()
b = torch.inner(a, a)
b.reciprocal_()
b.add_(1)
b.backward(torch.ones_like(b))

# layer_norm gives and takes row-major numbers
a = torch.arange(6.0).reshape(2, 3).requires_grad_()
b = F.layer_norm(a.t(), (2,))
c = torch.autograd.grad(b, a, torch.ones_like(b))[0]


# torch.autograd.Function: a Function that gives its input back gives input.view_as(input)
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad


a = torch.arange(6.0).reshape(2, 3).requires_grad_()
b = Same.apply(a[::2])

# torch.addcdiv: the gradient of a quotient by integers
a = torch.tensor([[-2.0]], requires_grad=True)
b = torch.addcdiv(a, a, torch.tensor([-4, -4]))
b.sum().backward()

# Tensor.relu: a formula that will not run for what it alone asks for
a = torch.arange(3.0, requires_grad=True)
b = a.relu()
c = torch.autograd.grad(b, a, torch.ones_like(b), create_graph=True)[0]
d = c.sin()
b.sum().backward()
b.add_(1)
d.backward(torch.ones_like(d))

# Tensor.conj: zeros and fills through conjugates, and parts of them
a = torch.tensor([-3 + 1j, -1 + 2.5j, 1 - 2.25j])
b = a.conj().imag
b.masked_fill_(b > 0, 0.5)
a.conj()[1:].zero_()
a.conj().index_fill_(0, torch.tensor([0]), 1j)
c = str(a), str(b)

# torch.inner: a part of complex numbers of no dimension is written
a = torch.tensor([1.5 + 1.25j]).requires_grad_()
b = torch.inner(a, a)
c = b.real
c.fill_(c.sum())
c.backward()

# torch.view_as_complex: complex numbers that are seen in floats are written
a = torch.tensor([[2.25, -2.75], [-1.5, -0.25]]).requires_grad_()
b = a * 2
c = torch.view_as_complex(b).conj()
d = c.clone()
c.neg_()
e = torch.autograd.grad(b.sum() + d.real.sum(), a, create_graph=True)[0]

# Tensor.set_: a tensor that reads other memory
a = torch.ones(2, 3, requires_grad=True)
b = a * 2
b.set_(torch.ones(4))
c = torch.tensor([1 - 2j, 3 + 1j]).conj()
c.set_(torch.tensor([4j]))
b.sum().backward()

# Tensor.logcumsumexp: complex running sums of exponentials
a = torch.tensor([[1 + 3j, 1 + 3j, 0.5 - 3j], [2.0, -1j, 0j]]).requires_grad_()
b = a.logcumsumexp(1)
c = torch.autograd.grad(b, a, torch.ones_like(b))[0]

# Tensor.erf: gradients of half precision are rounded at each step, with numbers that are not
a = torch.linspace(0.25, 3, 6, dtype=torch.float16).requires_grad_()
b = a.detach().bfloat16().requires_grad_()
for each in (a.tanh(), a.erf(), a.log2(), b.sigmoid(), b**3, F.silu(b), F.mish(b)):
    print(torch.autograd.grad(each.sum(), a if each.dtype == a.dtype else b)[0].tolist())
g = torch.xlogy(a, a)

# torch.zeros: no position lies in a dimension that has none
a = torch.zeros(0, 2)
a[[0]] = torch.ones(3)

# Tensor.log_softmax: what is empty has no number that its kernels could refuse
a = torch.zeros(2, 0, dtype=torch.complex64)
b = torch.zeros(0, 3, dtype=torch.int32)
c = (a.softmax(0), b.log_softmax(1), a.median(), b.nanmedian(), *a.cummax(7))
d = torch.zeros(0, 2).t().requires_grad_()
e = d.softmax(0) + d.log_softmax(0)
e.sum().backward()
a.max()

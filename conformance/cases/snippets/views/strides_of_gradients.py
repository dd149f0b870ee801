# Tensor.add_: empty gradients of sums are expanded from settled strides
a = torch.zeros((2, 0)).requires_grad_()
b = a.sin()
c = b.sum(0)
c.add_(c)
d = torch.autograd.grad(c, b, torch.ones_like(c))[0]

# torch.diag: diagonals of empty gradients
log = []
a = torch.zeros(0).requires_grad_()
b = torch.diag(a)
a.register_hook(lambda grad: log.append(grad.stride()))
b.backward(b.detach())

# Tensor.storage_offset: parts of empty gradients
a = torch.zeros(2, 0).requires_grad_()
b = a * 1
c = torch.cat([a, b, a], 0) * 1
d = torch.autograd.grad(c, b, torch.ones_like(c))[0]
e = d.storage_offset()

# Tensor.requires_grad_: an empty gradient in half precision is no view
a = torch.zeros((2, 0), dtype=torch.float16).requires_grad_()
b = a * 2
c = torch.autograd.grad(b, a, torch.ones_like(b))[0]

# Tensor.topk: numbers and what has a size of 1 before one of 0
a = torch.zeros(0, 2)
b = a.sum(1, keepdim=True)
c = 1 / b
d = b > torch.zeros(1, 1)
e = a @ torch.zeros(2, 1) * 2
f = torch.zeros(0, 1) * 2
g = a.min(1, keepdim=True).values * 2
h = torch.cat([f, f.detach()]) * 2
i = torch.zeros(0, 1).topk(1, 1)

# torch.zeros: an empty tensor is written with itself, or another of its memory
a = torch.zeros(2, 0)
b = a.data
a[[0, 1]] = b
a[[0]] = b
a[[0, 1]] = a

# dot exchanges what is read as a conjugate before it looks at the sizes
a = torch.tensor([1 + 2j, 3 - 1j, 2 + 2j])
b = a[:2]
b.dot(a.conj())
b.conj().dot(a.conj())
b.conj().dot(a)
b.vdot(a.conj())
b.conj().vdot(a.conj())
b.conj().vdot(a)

# Tensor.t_: a leaf is not transposed, whatever its rank
a = torch.zeros(2, 1, 3).requires_grad_()
a.t_()
a.detach().t_()

# addmm looks at dtypes first
a = torch.zeros(2, 2, dtype=torch.int64)
b = torch.ones(3)
a.addmm(b, b)
F.linear(b, a, b)
F.linear(b, a)

# torch.cumprod: the gradient of a running product names its dimension from the front
a = torch.tensor([1.25, 1.5, 1.75]).requires_grad_()
b = torch.cumprod(a, -1)
c = torch.autograd.grad(b, a, torch.ones_like(b), create_graph=True)[0]

# torch.split: the edge of the only output of a split
a = torch.ones(2).requires_grad_()
b = torch.split(a * 1, 2)[0]
c = torch.autograd.graph.get_gradient_edge(b)
d = torch.autograd.grad(b.sum(), c, retain_graph=True)
e = b.grad_fn(torch.ones(2))
torch.autograd.backward(c, torch.ones(2))

# Tensor.register_hook: a real part of one number is stolen with its stride, unless a hook keeps it
a = torch.tensor([2.0]).requires_grad_()
b = torch.tensor([2.0]).requires_grad_()
kept = []
handle = a.register_hook(lambda grad: None)
handle = b.register_hook(kept.append)
(a * 1j + b * 1j).backward(torch.ones(1, dtype=torch.complex64))
del kept

# Tensor.unbind: a copy into integers does not ask what the view is of
a = torch.zeros(2, 2, dtype=torch.int64)
b, c = a.unbind(0)
b[1:] = torch.tensor([2.0]).requires_grad_()

# Tensor.unsqueeze: views of empty tensors that repeat keep strides of 0
a = torch.zeros(1, 1).expand(1, 0)
b = a[0]
c = a.unbind()[0]
d = a.expand(4, 0).unsqueeze(0)
e = torch.zeros(1, 1).expand(3, 2)[:0].select(1, 0)

# torch.nan_to_num: what sort and nan_to_num lay out like their input is handed on
a = torch.tensor([[-3.0], [-2.75]]).t()
b = torch.argsort(a, stable=True) & 1
c = a.sort().values * 2
d = torch.nan_to_num(a) <= 1.0
e = torch.nan_to_num(torch.tensor([float("inf"), 1.0], dtype=torch.float16))

# F.linear: the bias of a layer whose input is strided is added in place
a = torch.ones(2, 3, dtype=torch.int32)
b = F.linear(a.expand(2, 2, 3), a, a.sum(1))
c = F.linear(a.expand(2, 2, 3), a, torch.ones(2))
d = F.linear(a.float().expand(2, 2, 3), a.float(), torch.ones(3, 2, 2, 2))

# Tensor.expand: a mask that does not fit is refused before masked_fill_ warns
a = torch.ones(1, 1).expand(2, 3)
a[torch.tensor([False])] = 0.25
a[torch.tensor([False, True])] = 0.25

# Tensor.exp: what has no derivative runs as soon as it can
a = torch.ones(3).requires_grad_()
b = a // 2
c = a.sin()
d = a.exp() // 2
order = b.grad_fn._sequence_nr()
(c.sum() + b.sum()).backward()
(c.sum() + d.exp().sum()).backward()

# Tensor.prod: the gradient of a product along the only dimension is unsqueezed
a = torch.tensor([2.0, 3.0]).requires_grad_()
b = torch.autograd.grad(a.prod(0), a, create_graph=True)[0]
c = torch.autograd.grad(torch.zeros(1).requires_grad_().prod(0), a, allow_unused=True)[0]

# Tensor.ravel: a leaf that is a view, moved into the graph by a write into another view
a = torch.tensor([-3.0, -2.75]).reshape(1, 2).requires_grad_()
b = a.sum() * 2
a.requires_grad_(False)
a.ravel().mul_(torch.ones(()).requires_grad_())
b.backward()

# torch.kron: inference tensors in a Kronecker product
a = torch.ones(2).requires_grad_()
with torch.inference_mode():
    b = torch.ones(2)
c = torch.kron(b, a)

# Tensor._is_view: a view whose .data is another's is a view still
a = torch.ones(2, 3).requires_grad_()
b = a.sin().t()
b.data = a
c = b._is_view(), b.grad_fn.name()

# torch.hstack: sums of gradients beside sizes of 1, as the iterator lays them out
a = torch.tensor([[-3.0], [-2.75]]).requires_grad_()
b = a.t() * 2 + a.t() * 3
d = torch.autograd.grad(b, a, torch.ones_like(b))[0]
b = torch.hstack([a, a]).t() + a.t()
e = torch.autograd.grad(b, a, torch.ones_like(b))[0]

# Tensor.requires_grad_: numbers that gradients of gradients multiply with are saved as they are
a = torch.ones(3).requires_grad_()
b = a * 0.5
c = torch.autograd.grad((b * b).sum(), a, create_graph=True)[0]

# F.embedding: tables without rows
F.embedding(torch.tensor([0]), torch.zeros(0, 3))
F.embedding(torch.tensor([5]), torch.zeros(3, 0))
torch.zeros(3, 0).index_select(0, torch.tensor([5]))

# torch.floor: out= is refused by its dtype before anybody looks at its memory
a = torch.ones(3, dtype=torch.bool).expand(2, 3)
torch.neg(a, out=a)
torch.sub(a, a, out=a)
torch.floor(a * 1j, out=(torch.ones(3) * 1j).expand(2, 3))
torch.abs(a, out=a)

# Tensor.cummax: the dimension is looked at before the dtype
a = torch.zeros(2, 0, dtype=torch.complex64)
a.min(1)
a[0, :0].sum().cummax(1)
a[0, :0].sum().cummax(0)

# Tensor.register_hook: the real part of an empty complex gradient
log = []
a = torch.zeros(2, 0).requires_grad_()
handle = a.register_hook(lambda grad: log.append(grad.stride()))
b = a / torch.tensor(1 + 1j)
b.backward(b.detach())

# torch.func.vmap: no examples: the first one is asked for its dtype, and indices are refused
a = torch.zeros(0)
b = torch.func.vmap(lambda t: t * t)(a)
c = torch.func.vmap(lambda t: t.clone()[None])(a)
torch.func.vmap(lambda t: t * 2)(a)
torch.func.vmap(lambda t: t * torch.ones(()))(a)
torch.func.vmap(lambda t: t[0])(a)
torch.func.vmap(lambda t: t[5])(a)
d = torch.func.vmap(lambda t: t[0] - t[-1])(torch.zeros(0, 3))
e = torch.func.vmap(lambda t: torch.where(t > t, t, 0))(a)

# torch.rsub: a truth value is not subtracted from either
a = torch.ones(2)
True - a
torch.rsub(a > 0, False)
b = 1 - a

# Tensor.clamp: a sum of gradients lies as the first of them, if nothing else references that
a = torch.ones(2, 1, requires_grad=True)
b = a.mT
found = []
for f in (
    lambda x: x * x,
    lambda x: x.exp() + x.sin(),
    lambda x: x**x,
    lambda x: x / x,
    lambda x: x.std(1),
    lambda x: x.clamp(0, 1),
    lambda x: x.clamp(torch.zeros(1, 2), torch.ones(1, 2)),
    lambda x: torch.lerp(x * 2, x, x),
):
    found += torch.autograd.grad(f(b).sum(), b)
    c = f(b * 1)
    found += torch.autograd.grad(c, b, torch.ones_like(c))
    a.grad = None
    f(b).sum().backward()
    found.append(a.grad.stride())

# Tensor.cumprod: the gradient of a running product of nothing is what came in
a = torch.zeros(2, 0, requires_grad=True)
b = torch.autograd.grad(a.cumprod(0).sum(), a)
c = torch.autograd.grad(a.cumprod(1).sum(), a)

# Tensor.clamp: the bounds of a clamped tensor are compared in place
a = torch.ones(1, requires_grad=True)
b = a.clamp(torch.zeros(3), torch.ones(1))
b.sum().backward()
c = a.clamp(torch.zeros(1), torch.ones(3))
c.sum().backward()

# Tensor.copy_: what copy_ writes over gets zeros row by row
a, b = torch.ones(2, 3, requires_grad=True), torch.ones(2, 3, requires_grad=True)
c = (a * 1).copy_(b)
d, e = torch.autograd.grad(c, (a, b), torch.ones(3, 2).t())
f = torch.zeros(2, 0, requires_grad=True)
log = []
g = f * 1
h = g.grad_fn.register_hook(lambda inputs, outputs: log.append(outputs[0].stride()))
g.copy_(g)
g.sum().backward()

# Tensor.transpose: what is computed of a gradient lies in memory as it does, whatever the operands do
a, b = torch.rand(2, 3, 2).requires_grad_(), torch.rand(2, 3, 2).requires_grad_()
given = torch.rand(12).as_strided((2, 3, 2), (2, 4, 1))
found = []
for c in (
    a * b,
    a / b,
    torch.atan2(a, b),
    a.tanh() + b,
    a.sigmoid() * b,
    a.exp() * b,
    a.cumsum(1) * b,
    F.gelu(a) + F.softplus(b),
    torch.addcmul(a, b, a),
    torch.lerp(a, b, a),
    a.clamp(0.1, 0.5) + b.pow(2),
    F.log_softmax(a, 2) + 0 * b,
    F.mse_loss(a, b, reduction="none"),
    torch.where(a > 0.5, a, b),
):
    found.append(torch.autograd.grad(c, (a, b), given, retain_graph=True))
    found.append(torch.autograd.grad(c, (a, b), given.transpose(0, 1).contiguous().transpose(0, 1)))

# Tensor.register_hook: hooks see where gradients lie
log = []
a, b = torch.rand(3, 2).requires_grad_(), torch.rand(3, 2).requires_grad_()
c = a.exp() * b
for each in (a, b, c):
    each.register_hook(lambda grad: log.append(grad.stride()))
(c.t() @ torch.rand(3, 4)).sum().backward()
found = a.grad, b.grad

# Tensor.t: a product that is transposed before it is multiplied
a, b, w = (torch.rand(size).requires_grad_() for size in ((4, 3), (4, 3), (4, 5)))
c = ((a * b).t() @ w).sum()
d = torch.autograd.grad(c, (a, b, w))

# torch.ormqr: second derivatives of products with reflectors
a, t = torch.rand(2, 3, 3).requires_grad_(), torch.rand(2, 3).requires_grad_()
o, found = torch.rand(2, 3, 3).requires_grad_(), []
for left in (True, False):
    for transpose in (True, False):
        y = torch.ormqr(a, t, o, left, transpose)
        given = torch.rand(2, 3, 3).requires_grad_()
        first = torch.autograd.grad(y, (a, t, o), given, create_graph=True)[:2]
        second = torch.autograd.grad(first, (a, t, o, given), list(map(torch.ones_like, first)))
        found += [x.stride() for x in second]
del y, given, first, second

# Tensor.prod: gradients of products of numbers, none, one or two of them zero, in columns
found = []
for zeros in range(3):
    x = torch.rand(4, 3).t() + 0.5
    x[0, :zeros] = 0
    x.requires_grad_()
    found += torch.autograd.grad(x.prod(), x)
    found += torch.autograd.grad(x.prod(1), x, torch.ones(3))
    x.prod().backward()
    found.append(x.grad)
found = [(each, each.stride()) for each in found]

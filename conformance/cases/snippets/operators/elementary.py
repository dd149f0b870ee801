# torch.logaddexp: the gradient of logaddexp, differentiated
a = torch.tensor([2.0, 3.0], requires_grad=True)
(b,) = torch.autograd.grad(torch.logaddexp(a, a), a, torch.ones(2), create_graph=True)

# Tensor.sin: .data of another shape: what the graph expects is what it was
a = torch.ones(4, requires_grad=True)
b = a.max(0)[0]
a.data = torch.tensor(2.0)
a.backward()
c = torch.ones(2, requires_grad=True)
d = c.sin()
e = d.sin()
d.data = torch.ones(2, 3)
e.sum().backward()
f = torch.ones(2, 3, requires_grad=True)
f.sum().backward()
g = f.sin()
f.data = torch.ones(2, 1)
g.sum().backward()

# torch.tanh: a dual of what repeats has no place for its tangent
a = torch.ones(2, 1).expand(2, 3)
b = torch.func.jvp(torch.tanh, (a,), (torch.ones(2, 3),))
c = torch.func.hessian(lambda t: (t * t * t).sum())(torch.tensor(1.0).expand(2))
d = torch.func.jvp(torch.tanh, (a,), (a,))
e = torch.func.jacrev(lambda t: t * t)(a)

# Tensor.log10: a number that a node saved stays one under create_graph
a = torch.tensor(0.75, requires_grad=True)
b = F.binary_cross_entropy(a * 0.5, a.detach())
c = torch.autograd.grad(b, a, create_graph=True)
d = torch.full((2,), 0.75, dtype=torch.float16, requires_grad=True)
e = torch.autograd.grad(((d * 0.5) ** 2 / 0.5).sum() * 0.5, d, create_graph=True)
f = torch.tensor(0.5, dtype=torch.complex64, requires_grad=True)
g = torch.autograd.grad((f * 0.5).exp(), f, torch.ones_like(f), create_graph=True)
h = torch.autograd.grad(torch.pow(-2, f), f, torch.ones_like(f), create_graph=True)
i = torch.autograd.grad(a.log10(), a, create_graph=True)

# torch.logaddexp: a sum of exponentials refuses complex gradients of real numbers
a = torch.tensor([1 + 1j, 2.0], requires_grad=True)
b = torch.tensor([1.0, 2.0], requires_grad=True)
c = torch.autograd.grad(torch.logaddexp(a, b), a, torch.ones_like(a))
d = torch.autograd.grad(torch.logaddexp(a, b), b, torch.ones_like(a))

# torch.log1p: elements by the hundred thousand
x = torch.linspace(-5, 5, 140000)
weight = torch.linspace(2, -1, 140000)
made, slopes = [], []
for function in (
    F.gelu,
    lambda x: F.gelu(x, approximate="tanh"),
    F.silu,
    F.mish,
    F.softplus,
    F.elu,
    F.celu,
    F.selu,
    F.logsigmoid,
    F.hardswish,
    torch.sigmoid,
    torch.tanh,
    torch.erf,
    torch.exp,
    torch.log1p,
    F.softsign,
    F.hardtanh,
    F.leaky_relu,
):
    leaf = (x.abs() if function is torch.log1p else x).requires_grad_(True)
    out = function(leaf)
    (slope,) = torch.autograd.grad(out, leaf, weight)
    made.append(out.detach()[::997] * 1)
    slopes.append(slope[::997] * 1)
    x = x.detach()
del leaf, out, slope, weight, x

# torch.tanh: the tangent of what repeats cannot be laid out as that
a = torch.tensor([-3.0, -2.75]).expand(2, 2)
b = torch.func.jvp(torch.tanh, (a,), (torch.ones_like(a),))
c = torch.func.jacfwd(torch.sum)(a)
d = torch.func.jvp(torch.tanh, (a,), (a,))

# torch.tanh: an empty tangent is read as its value is
a = torch.zeros(0, dtype=torch.complex64, requires_grad=True)
b, c = torch.func.jvp(torch.tanh, (a,), (torch.ones_like(a),))

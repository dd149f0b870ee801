# Tensor.sub_: arithmetic in place below vjp: the graph that ordinary autograd records
x = torch.tensor([0.1, 0.7, 1.4], requires_grad=True)
y = torch.tensor([0.4, 0.5, 0.6], requires_grad=True)
made = []
for op in (
    lambda a: a.add_(1),
    lambda a: a.mul_(y),
    lambda a: a.div_(y),
    lambda a: a.sub_(y, alpha=2),
    lambda a: a.pow_(2),
    lambda a: a.addcmul_(y, y, value=2),
    lambda a: a.lerp_(y, 0.5),
):
    out, back = torch.func.vjp(lambda a: op(a * 1), x)
    made.append((out, back(torch.ones(3))[0]))

# torch.func.vjp: functions in place below vjp, and the second derivative by ordinary autograd
x = torch.tensor([0.1, 0.7, 1.4], requires_grad=True)
made = []
for op in ("exp_", "tanh_", "sigmoid_", "relu_", "neg_", "abs_", "sqrt_", "sin_", "square_"):
    out, back = torch.func.vjp(lambda a: getattr(a * 1, op)(), x)
    g = back(torch.ones(3))[0]
    made.append((out, g, torch.autograd.grad(g.sum() + out.sum(), x)))

# torch.func.vjp: filling below vjp
x = torch.ones(3, requires_grad=True)
y = torch.tensor(3.0, requires_grad=True)
made = []
for op in (lambda a: a.zero_(), lambda a: a.fill_(2.0), lambda a: a.fill_(y), lambda a: a.copy_(y)):
    out, back = torch.func.vjp(lambda a: op(a * 1), x)
    made.append((out, back(torch.ones(3))[0]))

# torch.func.vjp: masks and indices below vjp
x = torch.tensor([0.1, 0.7, 1.4], requires_grad=True)
y = torch.tensor([0.4, 0.5, 0.6], requires_grad=True)
i = torch.tensor([0, 1])
made = []
for op in (
    lambda a: a.masked_fill_(y > 0.45, 1.0),
    lambda a: a.index_add_(0, i, y[:2]),
    lambda a: a.index_fill_(0, i, 5.0),
    lambda a: a.index_copy_(0, i, y[:2]),
    lambda a: a.index_put_((i,), y[:2]),
    lambda a: a.scatter_(0, i, y[:2]),
    lambda a: a.scatter_add_(0, i, y[:2]),
    lambda a: a.cumsum_(0),
    lambda a: a.clamp_(0, 1),
):
    out, back = torch.func.vjp(lambda a: op(a * 1), x)
    made.append((out, back(torch.ones(3))[0]))

# torch.func.vjp: parts below vjp
x = torch.tensor([0.1, 0.7, 1.4], requires_grad=True)
y = torch.tensor([0.4, 0.5, 0.6], requires_grad=True)


def f(a):
    b = a * 1
    b[0] = y.sum()
    b[1:].mul_(y[:2])
    c = b.view(3, 1)
    c.exp_()
    return b


out, back = torch.func.vjp(f, x)
g = back(torch.ones(3))[0]
out.sum().backward()

# F.elu_: activations in place, which have nodes of their own
x = torch.tensor([-1.0, 0.7, 1.4], requires_grad=True)
made = []
for op in (
    lambda a: F.leaky_relu_(a, 0.1),
    lambda a: F.elu_(a, 1.0),
    lambda a: F.relu(a, inplace=True),
    lambda a: F.hardtanh(a, inplace=True),
    lambda a: F.silu(a, inplace=True),
    lambda a: torch.threshold_(a, 0.5, 2.0),
):
    out, back = torch.func.vjp(lambda a: op(a * 1), x)
    made.append((out, back(torch.ones(3))[0]))

# F.leaky_relu_: below grad, the gradient's own graph
x = torch.tensor([0.1, 0.7, 1.4], requires_grad=True)
y = torch.tensor([0.4, 0.5, 0.6], requires_grad=True)
made = []
for op in (
    lambda a: a.mul_(y),
    lambda a: a.exp_(),
    lambda a: a.tanh_(),
    lambda a: a.div_(y),
    lambda a: F.leaky_relu_(a, 0.1),
):
    g = torch.func.grad(lambda a: op(a * 1).sum())(x)
    made.append((g, torch.autograd.grad(g.sum(), [x, y], allow_unused=True)))

# torch.func.vmap: below vmap, with what ordinary autograd records
x = torch.arange(6.0).view(2, 3).requires_grad_()
y = torch.tensor([[0.4, 0.5, 0.6], [1.0, 2.0, 3.0]], requires_grad=True)
made = []
for op in (
    lambda a, b: a.add_(1),
    lambda a, b: a.mul_(b),
    lambda a, b: a.div_(b),
    lambda a, b: a.exp_(),
    lambda a, b: a.zero_(),
    lambda a, b: a.fill_(2.0),
    lambda a, b: a.copy_(b),
    lambda a, b: a.relu_(),
    lambda a, b: a.masked_fill_(b > 0.5, 1.0),
    lambda a, b: a.pow_(2),
):
    out = torch.func.vmap(lambda a, b: op(a * 1, b))(x, y)
    made.append((out, torch.autograd.grad(out.sum(), [x, y], allow_unused=True)))

# torch.func.vmap: below vmap, with what is the same for all
x = torch.arange(6.0).view(2, 3).requires_grad_()
y = torch.tensor([0.4, 0.5, 0.6], requires_grad=True)
made = []
for op in (lambda a: a.add_(y), lambda a: a.mul_(y), lambda a: a.copy_(y), lambda a: a.fill_(y[0])):
    out = torch.func.vmap(lambda a: op(a * 1))(x)
    made.append((out, torch.autograd.grad(out.sum(), y)))

# torch.func.vmap: batches are written in the memory of what came in
x = torch.zeros(2, 3)
y = torch.arange(6.0).view(2, 3)
out = torch.func.vmap(lambda a, b: a.add_(b).mul_(2))(x, y)
print(x._version)

# torch.func.vmap: a part of each example
x = torch.arange(6.0).view(2, 3).requires_grad_()


def f(a):
    b = a * 2
    b[1:] = a[:2]
    b[0] += 1
    return b


out = torch.func.vmap(f)(x)
out.sum().backward()

# Tensor.abs_: below jvp, and the graphs of tangents
x = torch.tensor([0.1, 0.7, 1.4], requires_grad=True)
y = torch.tensor([0.4, 0.5, 0.6], requires_grad=True)
made = []
for op in (
    lambda a: a.add_(1),
    lambda a: a.mul_(y),
    lambda a: a.div_(y),
    lambda a: a.exp_(),
    lambda a: a.tanh_(),
    lambda a: a.pow_(2),
    lambda a: a.neg_(),
    lambda a: a.abs_(),
    lambda a: a.cumsum_(0),
):
    out, t = torch.func.jvp(lambda a: op(a * 1), (x,), (torch.ones(3),))
    both = torch.autograd.grad(t.sum() + out.sum(), [x, y], allow_unused=True)
    made.append((out, t, [g if g is None else g.clone() for g in both]))

# Tensor.index_fill_: below jvp, what fills and picks
x = torch.tensor([0.1, 0.7, 1.4], requires_grad=True)
y = torch.tensor([0.4, 0.5, 0.6], requires_grad=True)
i = torch.tensor([0, 1])
made = []
for op in (
    lambda a: a.zero_(),
    lambda a: a.masked_fill_(y > 0.45, 1.0),
    lambda a: a.index_fill_(0, i, 5.0),
    lambda a: a.scatter_(0, i, y[:2]),
    lambda a: a.index_put_((i,), y[:2]),
):
    made.append(torch.func.jvp(lambda a: op(a.clone()), (x,), (torch.ones(3),)))

# Tensor.detach_: detaching in place below jvp and below grad
x = torch.tensor([0.1, 0.7, 1.4])
out, t = torch.func.jvp(lambda a: (a * 1).detach_() * a, (x,), (torch.ones(3),))
g = torch.func.grad(lambda a: ((a * 1).detach_() * a).sum())(x)


# Tensor.add_: what was written has a version
def f(a):
    b = a * 1
    b.add_(1)
    b[0] = 2
    c = b.view(3)
    c.mul_(2)
    print(b._version, c._version)
    return b.sum()


g = torch.func.grad(f)(torch.ones(3))


# Tensor.add_: what was saved is written
def f(a):
    b = a.exp()
    c = b * 2
    b.add_(1)
    return (b + c).sum()


g = torch.func.grad(f)(torch.ones(3))

# torch.func.vmap: two levels of grad, one of vmap
x = torch.tensor([[0.3, 0.7], [1.1, 0.2]], requires_grad=True)


def f(a):
    b = a.sin()
    b.add_(1)
    b[0].exp_()
    return b.sum()


second = torch.func.vmap(torch.func.grad(lambda a: torch.func.grad(f)(a).sum()))(x)
second.sum().backward()


# torch.func.jacrev: second derivatives of what is written
def f(a):
    b = a * 1
    b.pow_(3)
    return b.sum()


x = torch.tensor([0.3, 0.7])
h = torch.func.jacrev(torch.func.jacrev(f))(x)
k = torch.func.jacfwd(torch.func.jacrev(f))(x)


# Tensor.relu_: a module that writes, for each example
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(3, 2)

    def forward(self, x):
        y = self.lin(x)
        y.relu_()
        y += 1
        return y


m = M()
params = dict(m.named_parameters())
x = torch.randn(4, 3)
each = torch.func.vmap(
    torch.func.grad(lambda p, x: torch.func.functional_call(m, p, (x,)).sum()), (None, 0)
)(params, x)


# Tensor.relu_: what was saved of a result is written, below each transform
def f(x):
    y = x * 2
    y.relu_()
    y += 1
    return y.sum()


for wrapped in (torch.func.grad(f), torch.func.vmap(torch.func.grad(f))):
    try:
        wrapped(torch.ones(2, 3))
    except RuntimeError as e:
        print(e)

# torch.vmap: examples of fewer dimensions than what is written into them
for size in ((2,), (2, 1), (2, 3)):
    for other in ((1,), (3,), (2, 1), ()):
        for name in "add_ mul_ div_ copy_ atan2_ clamp_min_ logical_and_".split():
            x, y = torch.ones(size), torch.full(other, 2.0)
            try:
                print(size, other, name, torch.vmap(lambda x, y=y: getattr(x, name)(y))(x), x)
            except RuntimeError as error:
                print(size, other, name, error)
        x = torch.ones(size)
        try:
            print(torch.vmap(lambda x: x.masked_fill_(torch.full(other, True), 3.0))(x))
        except RuntimeError as error:
            print(size, other, error)

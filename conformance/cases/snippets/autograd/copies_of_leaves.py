# Tensor.requires_grad_: is there a difference in reading .grad of many kinds
a = torch.ones(2, requires_grad=True)
print(
    a.grad,
    a.grad_fn,
    a.is_leaf,
    a.output_nr,
    a._version,
    a.retains_grad,
    a._backward_hooks,
    a._base,
    a.names if hasattr(a, "names") else "",
)
b = a * 2
print(b.is_leaf, b.output_nr, b.requires_grad, b.grad_fn._sequence_nr() >= 0)
b.requires_grad_(True)
for f in (
    lambda: b.requires_grad_(False),
    lambda: setattr(b, "requires_grad", False),
    lambda: setattr(a, "requires_grad", "x"),
    lambda: a.requires_grad_(3),
    lambda: torch.ones(2).int().requires_grad_(),
    lambda: setattr(a, "grad_fn", 3),
    lambda: setattr(a, "is_leaf", 3),
    lambda: setattr(a, "_version", 3),
    lambda: torch.tensor([1], requires_grad=True),
    lambda: torch.tensor([True], requires_grad=True),
    lambda: torch.arange(3, requires_grad=True),
    lambda: delattr(a, "requires_grad"),
    lambda: delattr(a, "data"),
):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)

# Tensor.retain_grad: copies: deepcopy, pickle, copy, clone, of leaves with gradients and hooks
import copy
import pickle

a = torch.ones(2, requires_grad=True)
a.grad = torch.ones(2) * 3
c = copy.deepcopy(a)
print(c.grad, c.requires_grad, c is a, c.grad is a.grad)
d = copy.copy(a)
print(d.grad is a.grad, d.requires_grad, d.data_ptr() == a.data_ptr())
del d
b = a * 2
for f in (copy.deepcopy, copy.copy):
    try:
        e = f(b)
        print(e.requires_grad, e.is_leaf)
        del e
    except Exception as x:
        print(type(x).__name__, x)
del f
b.retain_grad()
p = nn.Parameter(torch.ones(2))
p.grad = torch.zeros(2)
q = copy.deepcopy(p)
print(type(q).__name__, q.grad, q.requires_grad)

# Tensor.new_ones: leaves made in several ways
a = torch.ones(2, requires_grad=True)
made = [
    torch.zeros(2, requires_grad=True),
    torch.tensor([1.0], requires_grad=True),
    torch.rand(2, requires_grad=True),
    torch.ones_like(a, requires_grad=True),
    a.new_ones(2, requires_grad=True),
    a.detach().requires_grad_(),
    nn.Parameter(a),
    nn.Parameter(a.detach(), requires_grad=False),
    a.data,
    a.new_tensor([1.0], requires_grad=True),
    torch.empty(0, requires_grad=True),
    torch.full((2,), 1.0, requires_grad=True),
    torch.eye(2, requires_grad=True),
    torch.linspace(0, 1, 2, requires_grad=True),
    torch.from_numpy(a.detach().numpy()).requires_grad_(),
]
print([(t.requires_grad, t.is_leaf) for t in made])
del made

# numpy and lists of what requires grad
a = torch.ones(2, requires_grad=True)
for f in (
    lambda: a.numpy(),
    lambda: a.detach().numpy(),
    lambda: a.tolist(),
    lambda: float(a.sum()),
    lambda: a.sum().item(),
    lambda: a.numpy(force=True),
    lambda: a.__array__(),
    lambda: bool(a.sum()),
    lambda: list(a),
    lambda: list(map(float, a)),
    lambda: torch.tensor(a),
    lambda: torch.as_tensor(a) is a,
    lambda: a.data_ptr() == a.detach().data_ptr(),
    lambda: int(a[0]),
    lambda: a == a,
    lambda: (a > 0).requires_grad,
    lambda: len(a),
    lambda: a in [a],
    lambda: a.long().requires_grad,
):
    import warnings

    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter("always")
        try:
            print(f(), [str(x.message)[:60] for x in w])
        except Exception as e:
            print(type(e).__name__, e)
del w, f

# Tensor.add_: writes into leaves and their parts
for f in (
    lambda a: a.add_(1),
    lambda a: a.__setitem__(0, 1.0),
    lambda a: a[0].add_(1),
    lambda a: a.zero_(),
    lambda a: a.copy_(torch.ones(2)),
    lambda a: torch.add(a, 1, out=a),
    lambda a: a.data.add_(1),
    lambda a: a.detach().add_(1),
    lambda a: a.uniform_(),
    lambda a: nn.init.zeros_(a),
    lambda a: a.resize_(3),
    lambda a: a.set_(torch.ones(3)),
    lambda a: a.t_(),
    lambda a: a.unsqueeze_(0),
    lambda a: a.requires_grad_(False).add_(1),
    lambda a: a.view(2).add_(1),
    lambda a: torch.zeros(2, out=a),
    lambda a: a.fill_(a.sum()),
    lambda a: a.detach_(),
    lambda a: a.index_put_((torch.tensor([0]),), torch.tensor(1.0)),
    lambda a: a.squeeze_(),
):
    a = torch.ones(2, requires_grad=True)
    try:
        f(a)
        print("ok", a.shape, a.requires_grad, a._version)
    except Exception as e:
        print(type(e).__name__, e)
del f

# Tensor.copy_: grad modes and writes into leaves
a = torch.ones(2, requires_grad=True)
b = a * 2
with torch.no_grad():
    a.add_(1)
    a[0] = 5
    b.mul_(2)
    a.copy_(torch.ones(2) * 7)
    c = a.view(2)
    c.zero_()
print(a, a._version, b.requires_grad, b.grad_fn.name(), c.requires_grad)
b.sum().backward()

# Tensor.exp_: graphs of in-place chains on views, read in another order
a = torch.ones(4, requires_grad=True)
b = a * 1
v = b[:2]
w = b[2:]
x = v[0:1]
v.mul_(2)
print(w.grad_fn.name(), x.grad_fn.name(), b.grad_fn.name(), v.grad_fn.name())
w.add_(v)
x.exp_()
print(
    b.grad_fn.name(),
    v.grad_fn.name(),
    [n[0].name() if n[0] else None for n in b.grad_fn.next_functions],
)
b.sum().backward()

# backward through a chain of detached and attached views
a = torch.ones(4, requires_grad=True)
b = a * 1
d = b.detach()
d[0] = 5
c = b * b
try:
    c.sum().backward()
    print(a.grad)
except RuntimeError as e:
    print(e)
e = a * 1
f = e * e
e.detach()[0] = 7
try:
    f.sum().backward()
except RuntimeError as x:
    print(x)

# torch.autograd.grad: create_graph and higher derivatives of many functions
x = torch.tensor([0.3, 0.7], dtype=torch.float64, requires_grad=True)
for f in (
    torch.sin,
    torch.exp,
    torch.sigmoid,
    torch.tanh,
    lambda x: x**3,
    torch.log,
    torch.sqrt,
    lambda x: x.softmax(0),
    F.gelu,
    F.silu,
    F.softplus,
    lambda x: x.cumsum(0),
    lambda x: x.prod(),
    lambda x: x.norm(),
    lambda x: x.std(),
    lambda x: x @ x,
    lambda x: x / x.flip(0),
    F.elu,
    lambda x: x.atan2(x.flip(0)),
    lambda x: torch.logsumexp(x, 0),
):
    g = f(x).sum()
    for _ in range(3):
        (g,) = torch.autograd.grad(g, x, create_graph=True)
        g = g.sum()
        print(round(g.item(), 6) + 0.0, g.requires_grad, end=" ")
        if not g.requires_grad:
            break
del f, g

# nn.Sequential: graphs of parameters that are shared, frozen and replaced
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
m[1].weight = m[0].weight
m[0].bias.requires_grad_(False)
m(torch.ones(1, 2)).sum().backward()
print(m[0].weight.grad, m[0].bias.grad, m[1].bias.grad)
m[1].weight = nn.Parameter(torch.ones(2, 2))
m.zero_grad()
print(m[0].weight.grad)
m(torch.ones(1, 2)).sum().backward()
print(m[1].weight.grad, m[0].weight.grad)
m.zero_grad(set_to_none=False)
print(m[1].weight.grad)
m.requires_grad_(False)
print(m(torch.ones(1, 2)).requires_grad)


# Tensor.backward: exceptions in backward of nested calls name the innermost
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        raise KeyError("inner")


x = torch.ones(2, requires_grad=True)
y = A.apply(x)
try:
    y.sum().backward()
except KeyError as e:
    print(repr(e))
try:
    torch.autograd.grad(y.sum(), x)
except KeyError as e:
    print(repr(e), x.grad)

# Tensor.repeat: zero-size tensors, scalars and non-contiguous gradients
a = torch.ones(0, 3, requires_grad=True)
(a * 2).sum().backward()
b = torch.tensor(3.0, requires_grad=True)
(b * b).backward()
c = torch.ones(2, 3, requires_grad=True)
(c.t() * 2).backward(torch.arange(6.0).view(2, 3).t())
d = torch.ones(3, requires_grad=True)
d.expand(2, 3).backward(torch.ones(1, 1).expand(2, 3))
e = torch.ones(2, requires_grad=True)
e.repeat(3).view(3, 2)[1].sum().backward()

# torch.as_tensor: numbers of tensors that require grad, in new tensors
a = torch.ones(2, requires_grad=True)
made = [
    torch.tensor([a[0], a[1]]),
    torch.tensor([a[0], 1.0]),
    torch.tensor([a.detach()[0]]),
    torch.tensor([[a[0]]], dtype=torch.float64),
    torch.as_tensor([a[0]]),
    torch.tensor([a[0]], requires_grad=True),
    torch.tensor([a[0]], dtype=torch.complex64),
    a.new_tensor([a[0]]),
]
with torch.no_grad():
    made.append(torch.tensor([a[0]]))

# torch.scalar_tensor: tensors in place of numbers, with and without a gradient to lose
x = torch.ones(3)
for s in (torch.tensor(2.0), torch.tensor(2.0, requires_grad=True), torch.ones(1)):
    for f in (
        lambda s: torch.full((2,), s),
        lambda s: torch.arange(s),
        lambda s: torch.full_like(x, s),
        lambda s: x.new_full((2,), s),
        lambda s: torch.linspace(0, s, 2),
        lambda s: x.clamp(0, s),
        lambda s: x.clamp(s, 5),
        lambda s: torch.scalar_tensor(s),
    ):
        try:
            print(f(s))
        except (TypeError, RuntimeError) as e:
            print(type(e).__name__, str(e).partition("but expected")[0])
del f

# Tensor.retain_grad: a view that retains its gradient is made anew after a write elsewhere
for write in (
    lambda a: a.mul_(2),
    lambda a: a[1:].add_(1),
    lambda a: a.copy_(torch.ones(4, requires_grad=True) * 3),
):
    for look in (True, False):
        for late in (True, False):
            a = torch.ones(4, requires_grad=True) * 1
            b = a[:2]
            c = b[1:]
            b.retain_grad()
            c.retain_grad()
            a.retain_grad()
            write(a)
            if look:
                print(b.grad_fn.name(), c.grad_fn.name(), b.retains_grad, c.retains_grad)
            if late:
                b.mul_(2)
            ((b * 3).sum() + c.sum() * 5 + a.sum()).backward()
            print(a.grad, b.grad, c.grad, a.grad_fn.name(), b.grad_fn.name())
del a, b, c

# Tensor.exp_: writes become new tensors
from torch.func import functionalize

x = torch.ones(3, requires_grad=True)
a = functionalize(lambda x: (x * 1).add_(1))(x)
b = functionalize(lambda x: (x * 1).exp_().mul_(x))(x)
c = functionalize(lambda x: x.view(3, 1))(x)
g = torch.autograd.grad((a * b).sum(), x)

# Tensor.add_: what is written through views
from torch.func import functionalize


def f(x):
    y = x * 2
    v = y[1:]
    w = y.view(3, 1)
    v.mul_(3)
    w[0] = 5
    y.add_(1)
    v[0] += w[2, 0]
    return y, v, w


x = torch.tensor([1.0, 2.0, 3.0])
now = [t.clone() for t in functionalize(f)(x)]
then = f(x)

# Tensor.add_: arguments that are written
from torch.func import functionalize


def f(x, y):
    x.add_(1)
    y[0] = x[0]
    x.mul_(2)
    return x


x, y = torch.ones(3), torch.zeros(3)
r = functionalize(f)(x, y)
print(r is x, x._version, y._version)

# torch.ones: arguments that are not
from torch.func import functionalize

x = torch.ones(3)
r = functionalize(lambda x: x)(x)
print(r is x, x._version)
v = functionalize(lambda x: x[:2])(x)
print(v._base is x)

# Tensor.add_: views and transposed tensors as arguments
from torch.func import functionalize

base = torch.arange(12.0).view(3, 4)
t = base.t()
part = base[1:, ::2]


def f(t):
    v = t[0]
    v.add_(100)
    t[1:].mul_(2)
    return v.clone(), t.sum()


r = functionalize(f)(t)
s = functionalize(f)(part)

# Tensor._is_view: results that are no views
from torch.func import functionalize

x = torch.ones(3)
r = functionalize(lambda x: x.view(3, 1), remove="mutations_and_views")(x)
print(r._is_view())
functionalize(lambda x: x, remove="foo")

# torch.ones: trees, numbers and names
from torch.func import functionalize


def f(d, n, *, k=1):
    return {"a": d["x"] * n + k, "b": [d["x"]], "c": 3}


g = functionalize(f)
r = g({"x": torch.ones(2)}, 2, k=5)
print(g.__name__)

# Tensor.add_: with other transforms
from torch.func import functionalize, grad, vmap, jvp


def f(x):
    y = x * 1
    y.add_(1)
    y[0].mul_(3)
    return (y**2).sum()


x = torch.tensor([1.0, 2.0])
a = functionalize(grad(f))(x)
b = grad(functionalize(f))(x)
c = vmap(functionalize(f))(torch.ones(3, 2))
d = functionalize(vmap(f))(torch.ones(3, 2))
e = jvp(functionalize(f), (x,), (torch.ones(2),))

# Tensor.copy_: tensors from outside
from torch.func import functionalize

w = torch.ones(3)
a = functionalize(lambda x: x.add_(w))(torch.ones(3))
b = functionalize(lambda x: (w.add_(1), x * w)[1])(torch.ones(3))
c = functionalize(lambda x: torch.zeros(3).copy_(x))(torch.ones(3))

# torch.ones: how tensors within print
from torch.func import functionalize

functionalize(lambda x: print(x * 2))(torch.ones(2, 2))

# Tensor.masked_fill_: casts, broadcasting and filling
from torch.func import functionalize


def f(x):
    y = torch.zeros(2, 3)
    y.add_(x)
    y[1] = 7
    y.masked_fill_(y > 6, -1)
    z = torch.zeros(3, dtype=torch.float64)
    z.copy_(x)
    z.zero_()
    z.fill_(4)
    return y, z, y.unsqueeze_(0)


r = functionalize(f)(torch.arange(3.0))

# Tensor.exp_: gradients through what is written
from torch.func import functionalize


def f(x):
    y = x * 2
    y[1:].mul_(3)
    y.view(3, 1)[0].exp_()
    y.add_(x)
    return (y * y).sum()


x = torch.tensor([0.1, 0.2, 0.3], requires_grad=True)
a = functionalize(f)(x).detach()
g = torch.autograd.grad(functionalize(f)(x), x)[0].clone()

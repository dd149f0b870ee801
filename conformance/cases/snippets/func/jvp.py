# torch.tensor: jvp
from torch.func import jvp

x, t = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.5])
out, product = jvp(lambda x: x**3, (x,), (t,))

# torch.zeros: jvp of trees
from torch.func import jvp

x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
out, product = jvp(
    lambda a, y: {"p": a["x"] * y, "s": (y.sum(), a["x"])},
    ({"x": x}, y),
    ({"x": torch.ones(2)}, torch.zeros(2)),
)

# Tensor.sin: jvp with what else there is to tell
from torch.func import jvp

x = torch.tensor([1.0, 2.0])
out, product, aux = jvp(lambda x: (x.sin(), x + 1), (x,), (torch.ones(2),), has_aux=True)

# torch.ones: jvp of a constant
from torch.func import jvp

x = torch.ones(2)
out, product = jvp(lambda x: torch.ones(3), (x,), (x,))

# torch.ones: jvp of a constant, strictly
from torch.func import jvp

x = torch.ones(2)
jvp(lambda x: torch.ones(3), (x,), (x,), strict=True)

# torch.ones: how tensors within print
from torch.func import jvp


def f(x):
    print(x)
    print(x * 2, x.requires_grad)
    return x


x = torch.ones(2)
out, product = jvp(f, (x,), (x,))

# torch.tensor: jvp of jvp
from torch.func import jvp


def f(x):
    return jvp(lambda y: y**3 * x, (x,), (torch.ones(2),))[1]


x = torch.tensor([1.0, 2.0])
out, product = jvp(f, (x,), (torch.ones(2),))

# torch.tensor: forward over reverse
from torch.func import grad, jvp

x = torch.tensor([1.0, 2.0])
out, product = jvp(grad(lambda x: (x**3).sum()), (x,), (torch.ones(2),))

# torch.tensor: reverse over forward
from torch.func import grad, jvp

x = torch.tensor([1.0, 2.0])
out = grad(lambda x: jvp(lambda y: y**3, (x,), (torch.ones(2),))[1].sum())(x)

# torch.tensor: jvp of what requires grad
from torch.func import jvp

x = torch.tensor([1.0, 2.0], requires_grad=True)
out, product = jvp(lambda x: x**3, (x,), (torch.ones(2),))
product.sum().backward()

# Tensor.mul_: jvp of writes
from torch.func import jvp


def f(x):
    y = torch.zeros(3)
    y[1:] = x
    y.mul_(y + 1)
    z = x.clone()
    z[0] *= 2
    return y, z


x = torch.tensor([1.0, 2.0])
out, product = jvp(f, (x,), (torch.ones(2),))

# nn.Tanh: jvp of layers
from torch.func import jvp

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
x = torch.arange(6.0).reshape(2, 3) / 4
out, product = jvp(net, (x,), (torch.ones(2, 3),))

# Tensor.split: jvp of several outputs of one operator
from torch.func import jvp

x = torch.tensor([3.0, 1.0, 2.0])
out, product = jvp(lambda x: (*x.sort()[:1], *x.split(2), x.max()), (x,), (torch.arange(3.0),))

# Tensor.sin: jvp for each example
from torch.func import jvp, vmap

x = torch.arange(6.0).reshape(2, 3)
out = vmap(lambda x, t: jvp(lambda x: x.sin().sum(), (x,), (t,)))(x, torch.ones(2, 3))

# Tensor.reshape: jvp of what is mapped
from torch.func import jvp, vmap

x = torch.arange(6.0).reshape(2, 3)
out, product = jvp(vmap(lambda x: (x * x).sum()), (x,), (torch.ones(2, 3),))

# torch.ones: primals that are no tuple
from torch.func import jvp

jvp(lambda x: x, torch.ones(2), torch.ones(2))

# torch.ones: tangents of another structure
from torch.func import jvp

jvp(lambda x: x, (torch.ones(2),), (torch.ones(2), torch.ones(2)))

# torch.func.jvp: no primals
from torch.func import jvp

jvp(lambda: 1, (), ())

# torch.ones: tangents of another size
from torch.func import jvp

jvp(lambda x: x, (torch.ones(2),), (torch.ones(3),))

# torch.ones: tangents of integers
from torch.func import jvp

jvp(lambda x: x, (torch.ones(2),), (torch.ones(2, dtype=torch.int64),))

# torch.func.jvp: primals that are numbers
from torch.func import jvp

jvp(lambda x: x, (1.0,), (2.0,))

# torch.ones: a function without what else there is to tell
from torch.func import jvp

jvp(lambda x: x, (torch.ones(2),), (torch.ones(2),), has_aux=True)

# torch.ones: a function that returns a number
from torch.func import jvp

jvp(lambda x: 1.0, (torch.ones(2),), (torch.ones(2),))

# torch.sin: jacfwd
from torch.func import jacfwd

x = torch.tensor([1.0, 2.0])
out = jacfwd(lambda x: x**3)(x)
scalar = jacfwd(lambda x: x.sum())(x)
number = jacfwd(torch.sin)(torch.tensor(0.5))

# torch.tensor: jacfwd by several arguments, of several results
from torch.func import jacfwd

x, y = torch.tensor([1.0, 2.0]), torch.tensor([[3.0], [4.0]])
out = jacfwd(lambda x, y: {"p": x * y, "s": x.sum()}, argnums=(0, 1))(x, y)
second = jacfwd(lambda x, y: x * y, argnums=1)(x, y)

# torch.tensor: jacfwd with what else there is to tell
from torch.func import jacfwd

x = torch.tensor([1.0, 2.0])
out, aux = jacfwd(lambda x: (x**3, x.sum()), has_aux=True)(x)

# torch.ones: jacfwd of complex numbers
from torch.func import jacfwd

jacfwd(lambda x: x)(torch.ones(2, dtype=torch.complex64))

# torch.rand: jacfwd with random numbers
from torch.func import jacfwd

x = torch.tensor([1.0, 2.0])
out = jacfwd(lambda x: x * torch.rand(2), randomness="same")(x)
jacfwd(lambda x: x * torch.rand(2))(x)

# Tensor.prod: hessian
from torch.func import hessian

x = torch.tensor([1.0, 2.0])
out = hessian(lambda x: (x**3).sum() + x.prod())(x)

# torch.tensor: hessian by several arguments
from torch.func import hessian

x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
out = hessian(lambda x, y: (x * y * y).sum(), argnums=(0, 1))(x, y)

# Tensor.flip: all ways to a hessian
from torch.func import jacfwd, jacrev

x = torch.tensor([1.0, 2.0, 3.0])


def f(x):
    return (x.sin() * x.flip(0)).sum() ** 2


ff, fr = jacfwd(jacfwd(f))(x), jacfwd(jacrev(f))(x)
rf, rr = jacrev(jacfwd(f))(x), jacrev(jacrev(f))(x)

# Tensor.prod: hessians for each example
from torch.func import hessian, vmap

x = torch.arange(6.0).reshape(2, 3)
out = vmap(hessian(lambda x: x.sin().prod()))(x)

# Tensor.sin: linearize
from torch.func import linearize

x = torch.tensor([1.0, 2.0])
out, product = linearize(lambda x: x.sin(), x)
a, b = product(torch.tensor([1.0, 0.0])), product(torch.tensor([0.0, 1.0]))

# torch.zeros: linearize with trees
from torch.func import linearize

x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
out, product = linearize(lambda x, y: {"a": x * y, "b": x + y}, x, y)
a = product(torch.ones(2), torch.zeros(2))

# Tensor.sin: linearize with tangents of another size
from torch.func import linearize

out, product = linearize(lambda x: x.sin(), torch.ones(2))
product(torch.ones(3))

# Tensor.sin: linearize with tangents of another dtype
from torch.func import linearize

out, product = linearize(lambda x: x.sin(), torch.ones(2))
product(torch.ones(2, dtype=torch.float64))

# Tensor.sin: linearize with tangents of another structure
from torch.func import linearize

out, product = linearize(lambda x: x.sin(), torch.ones(2))
product(torch.ones(2), torch.ones(2))

# torch.autograd.functional.jacobian: jacobians at once in forward mode
x = torch.tensor([1.0, 2.0])
jac = torch.autograd.functional.jacobian(lambda x: x**3, x, vectorize=True, strategy="forward-mode")
both = torch.autograd.functional.jacobian(
    lambda a, b: (a * b, b.sum()), (x, x + 1), vectorize=True, strategy="forward-mode"
)

# torch.autograd.functional.hessian: hessians at once in forward mode
x = torch.tensor([1.0, 2.0])
hess = torch.autograd.functional.hessian(
    lambda x: (x**3).sum(), x, vectorize=True, outer_jacobian_strategy="forward-mode"
).tolist()

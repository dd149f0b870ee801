# torch.sin: the gradient of a function
from torch.func import grad

x = torch.tensor(1.5)
out = grad(torch.sin)(x)

# torch.sin: higher derivatives
from torch.func import grad

x = torch.tensor(1.5)
out = grad(grad(grad(torch.sin)))(x)

# Tensor.sum: the gradient of a sum
from torch.func import grad

x = torch.arange(6.0).reshape(2, 3)
out = grad(lambda x: (x**3).sum())(x)

# torch.tensor: by the second argument
from torch.func import grad

a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
out = grad(lambda a, b: (a * b * b).sum(), argnums=1)(a, b)
last = grad(lambda a, b: (a * b * b).sum(), argnums=-1)(a, b)

# torch.tensor: by several arguments
from torch.func import grad

a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
out = grad(lambda a, b: (a * b * b).sum(), argnums=(0, 1))(a, b)
single = grad(lambda a, b: (a * b * b).sum(), argnums=(1,))(a, b)

# torch.zeros: by a tree
from torch.func import grad

p = {"w": torch.ones(2, 2), "b": [torch.zeros(2), torch.ones(2)]}
out = grad(lambda p: (p["w"] @ p["b"][1] + p["b"][0]).sum())(p)

# Tensor.sum: with what else there is to tell
from torch.func import grad, grad_and_value

x = torch.tensor([1.0, 2.0])
out = grad(lambda x: ((x**2).sum(), x + 1), has_aux=True)(x)
both = grad_and_value(lambda x: ((x**2).sum(), {"a": x + 1}), has_aux=True)(x)

# torch.tensor: gradient and value
from torch.func import grad_and_value

x = torch.tensor([1.0, 2.0])
gradient, value = grad_and_value(lambda x: (x**2).sum())(x)

# torch.tensor: keyword arguments
from torch.func import grad

x = torch.tensor([1.0, 2.0])
out = grad(lambda x, scale: (x**2 * scale).sum())(x, scale=torch.tensor(3.0))

# torch.tensor: what is not used has a gradient of zeros
from torch.func import grad

x = torch.tensor([1.0, 2.0])
out = grad(lambda x, y: x.sum(), argnums=(0, 1))(x, torch.ones(3))
none = grad(lambda x: torch.tensor(1.0))(x)

# Tensor.sum: the gradient of the gradient of what requires grad
from torch.func import grad

x = torch.tensor([1.0, 2.0], requires_grad=True)
out = grad(lambda x: (x**3).sum())(x)
out.sum().backward()

# Tensor.sum: what is captured requires grad
from torch.func import grad

w = torch.tensor([1.0, 2.0], requires_grad=True)
out = grad(lambda x: (x**2 * w).sum())(torch.ones(2))
out.sum().backward()

# Tensor.new_ones: how tensors within print
from torch.func import grad


def f(x):
    print(x)
    print(x * 2)
    print(x.requires_grad, x.is_leaf, x.grad_fn, (x * 2).requires_grad, type(x))
    print(torch.zeros(2), x.detach(), x.new_ones(1))
    return x.sum()


out = grad(f)(torch.ones(2))
twice = grad(lambda x: grad(f)(x).sum())(torch.ones(2))

# no_grad within
from torch.func import grad


def f(x):
    with torch.no_grad():
        c = x**2
    return (x * c).sum()


out = grad(f)(torch.tensor([1.0, 2.0]))

# no_grad around
from torch.func import grad

x = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.no_grad():
    out = grad(lambda x: (x**3).sum())(x)

# detach within
from torch.func import grad

out = grad(lambda x: (x * x.detach()).sum())(torch.tensor([1.0, 2.0]))
twice = grad(lambda x: grad(lambda y: (y * y.detach() * x).sum())(x).sum())(torch.ones(2))

# Tensor.mul_: writing in place
from torch.func import grad


def f(x):
    y = x.clone()
    y.mul_(x)
    y[0] = 0
    y[1:] *= 3
    return y.sum()


out = grad(f)(torch.tensor([1.0, 2.0, 3.0]))
twice = grad(lambda x: grad(f)(x).sum())(torch.tensor([1.0, 2.0, 3.0]))

# torch.zeros: writing into what was made within
from torch.func import grad


def f(x):
    y = torch.zeros(3)
    y[:2] = x
    y += 1
    return (y**2).sum()


out = grad(f)(torch.tensor([1.0, 2.0]))

# Tensor.mul_: writing into an argument
from torch.func import grad


def f(x):
    x.mul_(2)
    return x.sum()


grad(f)(torch.tensor([1.0, 2.0]))

# Tensor.add_: writing into what is captured
from torch.func import grad

w = torch.ones(2)
grad(lambda x: w.add_(x).sum())(torch.ones(2))

# torch.ones: writing into a part of what is captured
from torch.func import grad

w = torch.ones(2)


def f(x):
    w[0] = x[0]
    return w.sum()


grad(f)(torch.ones(2))

# Tensor.chunk: several outputs of one operator
from torch.func import grad


def f(x):
    a, b = x.sort()
    c, d = x.chunk(2)
    return (a * torch.arange(4.0)).sum() + c.prod() + x.max(0).values


out = grad(f)(torch.tensor([3.0, 1.0, 4.0, 2.0]))

# Tensor.sigmoid: saved results
from torch.func import grad

x = torch.tensor([0.5, 1.5])
out = grad(lambda x: (x.exp() * x.tanh() / x.sigmoid()).sum())(x)
twice = grad(lambda x: grad(lambda x: (x.exp() * x.softmax(0)).sum())(x).sum())(x)

# torch.tensor: a decision
from torch.func import grad

out = grad(lambda x: x if x > 0 else -x)(torch.tensor(-2.0))

# autograd.grad within
from torch.func import grad


def f(x):
    (g,) = torch.autograd.grad((x**3).sum(), x, create_graph=True)
    return g.sum()


out = grad(f)(torch.tensor([1.0, 2.0]))

# torch.func.grad: the name of what is transformed
from torch.func import grad


def square(x):
    """The square."""
    return x * x


print(grad(square).__name__, grad(square).__doc__)

# torch.ones: a function that returns several elements
from torch.func import grad

grad(lambda x: x)(torch.ones(2))

# torch.ones: a function that returns a number
from torch.func import grad

grad(lambda x: 1.0)(torch.ones(2))

# Tensor.sum: a function that returns a tuple
from torch.func import grad

grad(lambda x: (x.sum(), x))(torch.ones(2))

# Tensor.sum: a function without what else there is to tell
from torch.func import grad

grad(lambda x: x.sum(), has_aux=True)(torch.ones(2))

# Tensor.sum: an argument that is not there
from torch.func import grad

grad(lambda x: x.sum(), argnums=1)(torch.ones(2))

# Tensor.sum: arguments twice
from torch.func import grad

grad(lambda x: x.sum(), argnums=(0, 0))(torch.ones(2))

# Tensor.sum: no arguments at all
from torch.func import grad

grad(lambda x: x.sum(), argnums=())(torch.ones(2))

# Tensor.sum: arguments of another kind
from torch.func import grad

grad(lambda x: x.sum(), argnums=1.5)(torch.ones(2))

# Tensor.sum: integers
from torch.func import grad

grad(lambda x: x.sum())(torch.ones(2, dtype=torch.int64))

# torch.func.grad: a number as argument
from torch.func import grad

grad(lambda x: x)(2.0)

# backward within
from torch.func import grad

grad(lambda x: x.sum().backward())(torch.ones(2))

# requires_grad_ within
from torch.func import grad

grad(lambda x: x.requires_grad_().sum())(torch.ones(2))

# torch.from_numpy: an array within
from torch.func import grad

grad(lambda x: torch.from_numpy(x.detach().numpy()).sum())(torch.ones(2))

# torch.tensor: vjp
from torch.func import vjp

x = torch.tensor([1.0, 2.0])
out, product = vjp(lambda x: x**3, x)
(a,), (b,) = product(torch.tensor([1.0, 0.0])), product(torch.tensor([0.0, 1.0]))

# torch.zeros: vjp of trees
from torch.func import vjp

x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
out, product = vjp(lambda x, y: {"p": x * y, "s": (x.sum(), y)}, x, y)
a, b = product({"p": torch.ones(2), "s": (torch.tensor(1.0), torch.zeros(2))})

# torch.tensor: vjp with what else there is to tell
from torch.func import vjp

x = torch.tensor([1.0, 2.0])
out, product, aux = vjp(lambda x: (x**3, x.sum()), x, has_aux=True)
(a,) = product(torch.ones(2))

# torch.tensor: vjp of what requires grad
from torch.func import vjp

x = torch.tensor([1.0, 2.0], requires_grad=True)
v = torch.tensor([1.0, 3.0], requires_grad=True)
out, product = vjp(lambda x: x**3, x)
(a,) = product(v)
a.sum().backward()

# torch.tensor: vjp of vjp
from torch.func import vjp


def f(x):
    out, product = vjp(lambda x: x**3, x)
    return product(torch.ones(2))[0]


x = torch.tensor([1.0, 2.0])
out, product = vjp(f, x)
(a,) = product(torch.ones(2))

# torch.ones: vjp with vectors of another structure
from torch.func import vjp

out, product = vjp(lambda x: (x, x), torch.ones(2))
product(torch.ones(2))

# torch.ones: vjp with vectors of another size
from torch.func import vjp

out, product = vjp(lambda x: x * 2, torch.ones(2))
product(torch.ones(3))

# Tensor.argmax: vjp of integers
from torch.func import vjp

vjp(lambda x: x.argmax(), torch.ones(2))

# torch.ones: vjp of a number
from torch.func import vjp

vjp(lambda x: 1.0, torch.ones(2))

# torch.ones: vjp of nothing
from torch.func import vjp

vjp(lambda x: None, torch.ones(2))

# Tensor.outer: jacrev
from torch.func import jacrev

x = torch.tensor([1.0, 2.0])
out = jacrev(lambda x: x**3)(x)
matrix = jacrev(lambda x: x.outer(x).sum(0, keepdim=True))(x)

# torch.tensor: jacrev by several arguments, of several results
from torch.func import jacrev

x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
out = jacrev(lambda x, y: {"p": x * y, "s": x.sum()}, argnums=(0, 1))(x, y)
second = jacrev(lambda x, y: x * y, argnums=1)(x, y)

# torch.tensor: jacrev in chunks
from torch.func import jacrev

x = torch.tensor([1.0, 2.0, 3.0])
one = jacrev(lambda x: x**3, chunk_size=1)(x)
two = jacrev(lambda x: x**3, chunk_size=2)(x)

# torch.tensor: jacrev with what else there is to tell
from torch.func import jacrev

x = torch.tensor([1.0, 2.0])
out, aux = jacrev(lambda x: (x**3, x.sum()), has_aux=True)(x)

# torch.tensor: jacrev of jacrev
from torch.func import jacrev

x = torch.tensor([1.0, 2.0])
out = jacrev(jacrev(lambda x: (x**3).sum()))(x)

# torch.tensor: jacrev of what requires grad
from torch.func import jacrev

x = torch.tensor([1.0, 2.0], requires_grad=True)
out = jacrev(lambda x: x**3)(x)
out.sum().backward()

# torch.ones: jacrev of complex numbers
from torch.func import jacrev

jacrev(lambda x: x * x)(torch.ones(2, dtype=torch.complex64))

# torch.func.grad: a chunk of nothing
from torch.func import jacrev

jacrev(lambda x: x, chunk_size=0)

# Tensor.reshape: gradients for each example
from torch.func import grad, vmap

x, w = torch.arange(6.0).reshape(2, 3), torch.tensor([1.0, 2.0, 3.0])
out = vmap(grad(lambda w, x: (w * x).sum() ** 2), in_dims=(None, 0))(w, x)

# Tensor.unsqueeze: gradients of a network for each example
from torch.func import functional_call, grad, vmap

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
p = {name: each.detach() for name, each in net.named_parameters()}
x, y = torch.arange(6.0).reshape(2, 3) / 3, torch.tensor([0, 1])


def loss(p, x, y):
    return F.cross_entropy(functional_call(net, p, (x.unsqueeze(0),)), y.unsqueeze(0))


out = vmap(grad(loss), in_dims=(None, 0, 0))(p, x, y)

# Tensor.prod: the gradient of what is mapped
from torch.func import grad, vmap

x = torch.arange(6.0).reshape(2, 3)
out = grad(lambda x: vmap(lambda r: (r * r).sum())(x).prod())(x)

# Tensor.sin: jacobians for each example
from torch.func import jacrev, vmap

x = torch.arange(6.0).reshape(2, 3)
out = vmap(jacrev(lambda r: r.sin()))(x)

# nn.Linear: several networks at once
from torch.func import functional_call, stack_module_state, vmap

torch.manual_seed(0)
nets = [nn.Linear(3, 2) for _ in range(3)]
parameters, buffers = stack_module_state(nets)
base = nn.Linear(3, 2)
x = torch.arange(6.0).reshape(2, 3)
out = vmap(lambda p, b: functional_call(base, (p, b), (x,)))(parameters, buffers)

# nn.Linear: a module with other parameters
from torch.func import functional_call

net = nn.Linear(2, 1)
p = {"weight": torch.ones(1, 2, requires_grad=True), "bias": torch.zeros(1)}
out = functional_call(net, p, torch.ones(1, 2))
out.sum().backward()
print(net.weight.grad)

# nn.BatchNorm1d: a module with buffers that are written
from torch.func import functional_call

net = nn.BatchNorm1d(2)
state = {name: each.clone() for name, each in net.named_buffers()}
out = functional_call(net, state, torch.arange(4.0).reshape(2, 2))
kept = net.running_mean

# Tensor.__init__: tied parameters
from torch.func import functional_call


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Parameter(torch.ones(2))
        self.b = self.a

    def forward(self, x):
        return x * self.a + self.b


net = Tied()
out = functional_call(net, {"a": torch.full((2,), 3.0)}, torch.ones(2))
untied = functional_call(net, {"a": torch.full((2,), 3.0)}, torch.ones(2), tie_weights=False)
functional_call(net, {"a": torch.ones(2), "b": torch.zeros(2)}, torch.ones(2))

# nn.Linear: unexpected names, strictly
from torch.func import functional_call

functional_call(nn.Linear(2, 1), {"weights": torch.ones(1, 2)}, torch.ones(1, 2), strict=True)

# nn.Linear: names that appear twice
from torch.func import functional_call

w = {"weight": torch.ones(1, 2)}
functional_call(nn.Linear(2, 1), (w, w), torch.ones(1, 2))

# nn.Linear: parameters that are no dict
from torch.func import functional_call

functional_call(nn.Linear(2, 1), 3, torch.ones(1, 2))

# nn.Linear: parameters that are no dicts
from torch.func import functional_call

functional_call(nn.Linear(2, 1), [3], torch.ones(1, 2))

# torch.func.grad: no models
from torch.func import stack_module_state

stack_module_state([])

# nn.ReLU: models of different classes
from torch.func import stack_module_state

stack_module_state([nn.Linear(1, 1), nn.ReLU()])

# nn.Linear: models in different modes
from torch.func import stack_module_state

stack_module_state([nn.Linear(1, 1), nn.Linear(1, 1).eval()])

# nn.BatchNorm1d: batch norms without statistics
from torch.func import replace_all_batch_norm_modules_

net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
print(replace_all_batch_norm_modules_(net) is net, net[1].running_mean, net)

# Tensor.sum: what is within
from torch.func import debug_unwrap, grad, vmap


def f(x):
    print(debug_unwrap(x), debug_unwrap(x, recurse=False))
    return x.sum()


out = vmap(grad(f))(torch.ones(2, 3))

# torch.func.grad: trees
from torch.utils._pytree import tree_flatten, tree_map, tree_unflatten

leaves, spec = tree_flatten({"a": [1, (2, 3)], "b": None})
print(leaves, spec, spec.num_leaves)
print(tree_unflatten([1, 2, 3, 4], spec), tree_map(lambda x: x and x + 1, {"a": [1, (2, 3)]}))
tree_unflatten([1], spec)

# torch.autograd.graph.saved_tensors_hooks: hooks of saved tensors around
from torch.func import grad

with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
    grad(lambda x: (x**2).sum())(torch.ones(2))

# torch.autograd.graph.saved_tensors_hooks: hooks of saved tensors within
from torch.func import grad


def f(x):
    with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
        return (x**2).sum()


grad(f)(torch.ones(2))

# Tensor.eq_: writes that leave nothing of what was there
from torch.func import grad

x = torch.tensor([[1.0, -2.0, 3.0], [0.5, 4.0, -6.0]])


def f(x, write):
    y = x * 1.5
    write(y)
    return (y * x).sum()


zero = grad(lambda x: f(x, lambda y: y[0].zero_()))(x)
fill = grad(lambda x: f(x, lambda y: y[0].fill_(2.0)))(x)
other = grad(lambda x: f(x, lambda y: y[0].fill_(x[1, 1])))(x)
truth = grad(lambda x: f(x, lambda y: y.eq_(1.0)))(x)
random = grad(lambda x: f(x, lambda y: y.normal_()))(x)

# torch.exp: out=
from torch.func import grad

grad(lambda x: torch.exp(x, out=x).sum())(torch.ones(2))

# torch.vmap: out= under vmap
torch.vmap(lambda x: torch.exp(x, out=x).sum())(torch.ones(2, 3))

# torch.func.jvp: out= in forward mode
x = torch.ones(2)
torch.func.jvp(lambda x: torch.exp(x, out=x), (x.clone(),), (x,))

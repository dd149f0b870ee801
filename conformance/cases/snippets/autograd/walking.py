# Tensor.mean: the nodes of an expression
x = torch.ones(2, requires_grad=True)
y = ((x * 2 + 1) ** 2).mean()
node = y.grad_fn
while node.next_functions:
    print(node.name(), [n and n.name() for n, _ in node.next_functions])
    node = node.next_functions[0][0]

# Tensor.max: the names of many nodes
x = torch.rand(2, 3, requires_grad=True)
for y in (
    x.exp(),
    x.t(),
    x @ x.T,
    x[0],
    x[:, 1:],
    x.sum(),
    x.max(),
    x.clone(),
    x.view(6),
    x.double(),
):
    print(y.grad_fn.name())

# nn.MaxPool2d: the names of nodes of layers
x = torch.rand(1, 1, 4, 4, requires_grad=True)
for m in (
    nn.Conv2d(1, 1, 3),
    nn.MaxPool2d(2),
    nn.BatchNorm2d(1),
    nn.ReLU(),
    nn.Flatten(),
    nn.Linear(4, 2),
):
    print(m(x).grad_fn.name())

# torch.ones: what a product saved
x = torch.ones(2, requires_grad=True)
y = x * 3
z = y * x
print(z.grad_fn._saved_self, z.grad_fn._saved_other)

# torch.ones: what a power saved
x = torch.ones(2, requires_grad=True)
y = x**2
print(y.grad_fn._saved_exponent, y.grad_fn._saved_self is x)

# Tensor.softmax: what a softmax saved
x = torch.rand(2, 3, requires_grad=True)
y = x.softmax(-1)
print(y.grad_fn._saved_dim, y.grad_fn._saved_result)

# Tensor.exp: saved tensors are freed
x = torch.ones(2, requires_grad=True)
y = x.exp().sum()
node = y.grad_fn.next_functions[0][0]
y.backward()
print(node._saved_result)

# Tensor.unbind: the number of an output
x = torch.randn(3, 4, requires_grad=True)
a, b, c = x.unbind()
v, i = x.max(0)
print(a.output_nr, c.output_nr, v.output_nr)

# torch.ones: metadata of a node
x = torch.ones(2, requires_grad=True)
node = (x * 2).grad_fn
node.metadata["key"] = 1
print(node.metadata)

# Tensor.max: printing nodes
x = torch.ones(2, requires_grad=True)
print((x * 2), x.sum(), x[0], x.max(0), x.view(1, 2))

# Tensor.register_hook: a hook on a node
x = torch.ones(2, requires_grad=True)
y = x * 2
y.grad_fn.register_hook(lambda gi, go: print(gi, go))
y.sum().backward()

# Tensor.backward: a hook before a node
x = torch.ones(2, requires_grad=True)
y = x * 2
y.grad_fn.register_prehook(lambda go: (go[0] * 10,))
y.sum().backward()
print(x.grad)

# saved_tensors_hooks
x = torch.tensor([1.0, 2.0], requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 10, lambda t: t / 10):
    y = x.exp()
y.sum().backward()
print(x.grad)

# torch.ones: the same node for the same leaf
x = torch.ones(2, requires_grad=True)
a, b = x * 2, x * 3
print(a.grad_fn.next_functions[0][0] is b.grad_fn.next_functions[0][0])

# torch.tensor: control flow makes the graph
x = torch.tensor(2.0, requires_grad=True)
y = x * 3 if x > 1 else x * 4
while y < 20:
    y = y * 2
y.backward()
print(y, x.grad)


# torch.tensor: a recursion
def power(x, n):
    return x if n == 1 else x * power(x, n - 1)


x = torch.tensor(2.0, requires_grad=True)
y = power(x, 4)
y.backward()
print(y, x.grad)

# Tensor.detach: newton's method
x = torch.tensor(1.0, requires_grad=True)
for _ in range(4):
    f = x**2 - 2
    (g,) = torch.autograd.grad(f, x)
    x = (x - f / g).detach().requires_grad_()
print(x)

# Tensor.sin: a checkpoint computes again
from torch.utils.checkpoint import checkpoint

x = torch.randn(2, requires_grad=True)
y = checkpoint(lambda x: x.exp().sin(), x, use_reentrant=False)
y.sum().backward()

# torch.tensor: vmap, grad and jacrev
from torch.func import grad, jacrev, vmap

x = torch.tensor([1.0, 2.0])
a = grad(lambda x: (x**3).sum())(x)
b = jacrev(lambda x: x**2)(x)
c = vmap(lambda x: x * 2)(x)

# gradcheck
x = torch.randn(3, dtype=torch.float64, requires_grad=True)
print(torch.autograd.gradcheck(lambda x: x.sin() * x, x))

# torch.autograd.detect_anomaly: anomaly detection finds not-a-number
x = torch.zeros(1, requires_grad=True)
with torch.autograd.detect_anomaly(check_nan=True):
    y = (x / x).sum()
    y.backward()

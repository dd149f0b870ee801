# torch.autograd.grad: the second derivative of a cube
x = torch.tensor(2.0, requires_grad=True)
y = x**3
(g,) = torch.autograd.grad(y, x, create_graph=True)
(h,) = torch.autograd.grad(g, x)
print(g, h)

# Tensor.sin: three derivatives of a sine
x = torch.tensor(0.5, requires_grad=True)
y = x.sin()
for _ in range(3):
    (y,) = torch.autograd.grad(y, x, create_graph=True)
    print(y)

# Tensor.tanh: a penalty on the gradient
x = torch.randn(3, requires_grad=True)
w = torch.randn(3, requires_grad=True)
(g,) = torch.autograd.grad((w * x).tanh().sum(), x, create_graph=True)
loss = ((g.norm() - 1) ** 2).mean()
loss.backward()

# backward with create_graph
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = (x**3).sum()
y.backward(create_graph=True)
g = x.grad
print(g)

# torch.stack: a hessian by rows
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x[0] ** 2 * x[1] + x[1] ** 3
(g,) = torch.autograd.grad(y, x, create_graph=True)
h = torch.stack([torch.autograd.grad(g[i], x, retain_graph=True)[0] for i in range(2)])
print(h)

# torch.autograd.functional.hessian: a hessian and a jacobian by name
f = lambda x: (x**3).sum()
x = torch.tensor([1.0, 2.0])
h = torch.autograd.functional.hessian(f, x)
j = torch.autograd.functional.jacobian(lambda x: x**2, x)
print(h, j)

# torch.autograd.grad: the product of a hessian and a vector
x = torch.randn(3, requires_grad=True)
v = torch.randn(3)
y = (x.exp() * x).sum()
(g,) = torch.autograd.grad(y, x, create_graph=True)
(hv,) = torch.autograd.grad(g @ v, x)

# torch.autograd.grad: the graph of a gradient of a product
a = torch.randn(2, 3, requires_grad=True)
b = torch.randn(3, 2, requires_grad=True)
ga, gb = torch.autograd.grad((a @ b).sum(), [a, b], create_graph=True)

# torch.autograd.grad: the graph of the gradient of a quotient
a = torch.rand(2, requires_grad=True)
b = torch.rand(2, requires_grad=True)
ga, gb = torch.autograd.grad((a / b).sum(), [a, b], create_graph=True)

# torch.log: of elementary functions
x = torch.rand(2, requires_grad=True)
gs = []
for f in (torch.exp, torch.log, torch.sin, torch.tanh, torch.sigmoid, torch.sqrt):
    gs += torch.autograd.grad(f(x).sum(), x, create_graph=True)
sum(gs).sum().backward()

# Tensor.logsumexp: of reductions
x = torch.randn(2, 3, requires_grad=True)
gs = []
for y in (x.mean(), x.var(), x.norm(), x.logsumexp(0).sum(), x.max(), x.prod()):
    gs += torch.autograd.grad(y, x, create_graph=True)
sum(gs).sum().backward()

# F.cross_entropy: of softmax and cross entropy
x = torch.randn(2, 3, requires_grad=True)
y = F.cross_entropy(x, torch.tensor([0, 2]))
(g,) = torch.autograd.grad(y, x, create_graph=True)
(g**2).sum().backward()

# torch.autograd.grad: of indexing
x = torch.randn(4, requires_grad=True)
y = (x[[0, 1, 1]] ** 2).sum() + (x[1:3] ** 3).sum()
(g,) = torch.autograd.grad(y, x, create_graph=True)
g.sum().backward()

# F.relu: of a linear layer and relu
m = nn.Linear(2, 2)
x = torch.randn(1, 2, requires_grad=True)
(g,) = torch.autograd.grad(F.relu(m(x)).sum(), x, create_graph=True)
(g**2).sum().backward()
w = m.weight.grad

# F.conv2d: of a convolution
x = torch.randn(1, 1, 4, 4, requires_grad=True)
w = torch.randn(1, 1, 3, 3, requires_grad=True)
(g,) = torch.autograd.grad(F.conv2d(x, w).pow(2).sum(), x, create_graph=True)
g.sum().backward()

# F.layer_norm: of layer normalisation
x = torch.randn(2, 5, requires_grad=True)
y = F.layer_norm(x, (5,))
(g,) = torch.autograd.grad((y**3).sum(), x, create_graph=True)
g.pow(2).sum().backward()

# torch.autograd.grad: without create_graph there is no second time
x = torch.tensor(2.0, requires_grad=True)
(g,) = torch.autograd.grad(x**3, x)
print(g.requires_grad)
torch.autograd.grad(g, x)

# torch.autograd.grad: a line has no second derivative
x = torch.ones(2, requires_grad=True)
(g,) = torch.autograd.grad((3 * x).sum(), x, create_graph=True)
print(g, g.requires_grad)

# torch.autograd.grad: a square's second derivative is a constant
x = torch.ones(2, requires_grad=True)
(g,) = torch.autograd.grad((x * x).sum(), x, create_graph=True)
(h,) = torch.autograd.grad(g.sum(), x, create_graph=True)
print(g, h, h.requires_grad)

# torch.autograd.grad: an inner step of gradient descent
w = torch.tensor(1.0, requires_grad=True)
lr = torch.tensor(0.1, requires_grad=True)
(g,) = torch.autograd.grad((w - 3) ** 2, w, create_graph=True)
w1 = w - lr * g
((w1 - 3) ** 2).backward()
print(w.grad, lr.grad)

# Tensor.mul_: of an in-place operation
x = torch.rand(2, requires_grad=True)
y = x.clone().mul_(x)
(g,) = torch.autograd.grad(y.pow(2).sum(), x, create_graph=True)
g.sum().backward()

# Tensor.softmax: of attention
q, k, v = (torch.randn(1, 2, 2, requires_grad=True) for _ in range(3))
y = ((q @ k.mT).softmax(-1) @ v).sum()
gs = torch.autograd.grad(y, [q, k, v], create_graph=True)
sum(gs).sum().backward()

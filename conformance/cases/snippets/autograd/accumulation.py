# Tensor.backward: gradients add up over backward calls
x = torch.ones(2, requires_grad=True)
for n in range(3):
    (x * n).sum().backward()
    print(x.grad)

# Tensor.sin: two paths add up
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x.exp() + x.sin()
y.sum().backward()
print(x.grad)

# torch.tensor: a diamond
x = torch.tensor(1.0, requires_grad=True)
a = x * 2
b, c = a + 1, a * 3
d = b * c
d.backward()
print(x.grad)

# torch.tensor: a chain of many
x = torch.tensor(1.0, requires_grad=True)
y = x
for _ in range(50):
    y = y * 1.01
y.backward()
print(y, x.grad)

# torch.stack: the sum of many uses
x = torch.rand(3, requires_grad=True)
y = torch.stack([x * n for n in range(10)]).sum()
y.backward()
print(x.grad)

# Tensor.backward: the first gradient is taken over, the second added in place
x = torch.ones(2, requires_grad=True)
(x * 2).sum().backward()
g = x.grad
(x * 3).sum().backward()
print(g is x.grad, g, g._version)

# Tensor.backward: with create_graph the gradient is a new tensor
x = torch.ones(2, requires_grad=True)
(x**2).sum().backward(create_graph=True)
g = x.grad
(x**2).sum().backward(create_graph=True)
print(g is x.grad, x.grad)

# Tensor.backward: a gradient is taken over and shared
x = torch.ones(3, requires_grad=True)
g = torch.ones(3)
y = x + 0
y.backward(g)
print(x.grad is g)

# torch.ones: two leaves get the same gradient
x = torch.ones(3, requires_grad=True)
y = torch.ones(3, requires_grad=True)
(x + y).backward(torch.ones(3))
x.grad[0] = 9
print(x.grad, y.grad)

# Tensor.zero_: mini-batches add up to the whole
w = torch.randn(3, requires_grad=True)
data = torch.randn(4, 3)
for part in data.split(2):
    ((part @ w) ** 2).sum().backward()
a = w.grad.clone()
w.grad.zero_()
((data @ w) ** 2).sum().backward()

# Tensor.prod: gradients of a view and of its base
x = torch.randn(2, 3, requires_grad=True)
y = x.sum() + x[0].prod() + x.t()[1].exp().sum()
y.backward()
print(x.grad)

# Tensor.backward: a part of the graph without a gradient
x = torch.ones(2, requires_grad=True)
c = torch.ones(2)
y = x * c + c * c
y.sum().backward()
print(x.grad, c.grad)

# Tensor.backward: the gradient of zero times something
x = torch.ones(2, requires_grad=True)
y = (x * 0).sum()
y.backward()
print(x.grad)

# Tensor.half: dtypes meet in an accumulation
x = torch.ones(2, requires_grad=True)
(x.double() * 2).sum().backward()
(x.half() * 3).sum().backward()
print(x.grad)

# torch.optim.SGD: an optimizer's steps
w = torch.tensor([1.0, -1.0], requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1, momentum=0.9)
for _ in range(3):
    opt.zero_grad()
    (w**2).sum().backward()
    opt.step()
print(w)

# torch.optim.Adam: adam's steps
w = torch.tensor([1.0, -1.0], requires_grad=True)
opt = torch.optim.Adam([w], lr=0.1)
for _ in range(3):
    opt.zero_grad(set_to_none=False)
    (w**4).sum().backward()
    opt.step()
print(w, w.grad)

# F.mse_loss: a whole small training
x = torch.linspace(0, 1, 8)[:, None]
m = nn.Linear(1, 1)
opt = torch.optim.SGD(m.parameters(), lr=0.5)
for _ in range(5):
    loss = F.mse_loss(m(x), 2 * x + 1)
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss, list(m.parameters()))

# backward in a loop over samples
w = torch.ones(2, requires_grad=True)
for x in torch.tensor([[1.0, 2.0], [3.0, 4.0]]):
    (w @ x).backward()
print(w.grad)

# Tensor.expand: gradients into an expanded leaf
x = torch.ones(1, requires_grad=True)
y = x.expand(5)
(y * torch.arange(5.0)).sum().backward()
print(x.grad)

# torch.stack: gradients of a stack and its parts
xs = [torch.tensor(float(n), requires_grad=True) for n in range(3)]
y = torch.stack(xs).softmax(0)
y[1].backward()
print([x.grad for x in xs])

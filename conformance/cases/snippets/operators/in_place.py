# Tensor.add_: in-place arithmetic of a result
x = torch.ones(3, requires_grad=True)
y = x * 2
y.add_(1).mul_(3)
y.sum().backward()
print(y, x.grad, y._version)

# Tensor.backward: augmented assignment
x = torch.ones(3, requires_grad=True)
y = x * 2
y += 1
y *= x
y.sum().backward()
print(x.grad)

# torch.full: subtraction, division and power in place
x = torch.full((3,), 4.0, requires_grad=True)
y = x.clone()
y -= 1
y /= 2
y **= 2
y.sum().backward()
print(y, x.grad)

# Tensor.sigmoid_: a function in place
x = torch.tensor([-1.0, 2.0], requires_grad=True)
y = (x * 3).relu_()
z = (x * 3).sigmoid_()
w = (x * 2).exp_()
(y + z + w).sum().backward()

# Tensor.zero_: zero and fill
x = torch.ones(3, requires_grad=True)
y = (x * 2).zero_()
z = (x * 2).fill_(5)
(y + z).sum().backward()
print(x.grad)

# Tensor.add_: what is saved was overwritten
x = torch.ones(3, requires_grad=True)
y = x.exp()
y.add_(1)
y.sum().backward()

# Tensor.add_: an input that is needed was overwritten
x = torch.ones(3, requires_grad=True)
y = x * 1
z = y * y
y.add_(1)
z.sum().backward()

# Tensor.add_: a leaf cannot be written
x = torch.ones(3, requires_grad=True)
x.add_(1)

# torch.no_grad: a leaf can be written under no_grad
x = torch.ones(3, requires_grad=True)
with torch.no_grad():
    x.add_(1)
    x[0] = 5
print(x, x._version)

# torch.ones: a part of a leaf cannot be written
x = torch.ones(3, requires_grad=True)
x[0] = 5

# Tensor.zero_: a step of gradient descent
w = torch.ones(3, requires_grad=True)
loss = (w**2).sum()
loss.backward()
with torch.no_grad():
    w -= 0.1 * w.grad
    w.grad.zero_()
print(w, w.grad)

# Tensor.backward: a step by data
w = torch.ones(3, requires_grad=True)
(w**2).sum().backward()
w.data -= 0.1 * w.grad
w.grad = None
print(w)

# copy_ carries gradients
x = torch.ones(3, requires_grad=True)
y = torch.zeros(3)
y.copy_(x * 2)
y.sum().backward()
print(y, x.grad)

# copy_ from another dtype and shape
y = torch.zeros(2, 3)
y.copy_(torch.tensor([1, 2, 3]))
print(y)

# Tensor.mul_: writing into a view of a result
x = torch.ones(2, 3, requires_grad=True)
y = x * 2
row = y[0]
row.mul_(5)
y.sum().backward()
print(y, row, x.grad)

# Tensor.mul_: writing into the base of a view
x = torch.ones(2, 3, requires_grad=True)
y = x * 2
row = y[0]
y.mul_(5)
row.sum().backward()
print(row, x.grad)

# torch.zeros: a tensor begins to require gradients by being written
x = torch.zeros(3)
w = torch.ones(3, requires_grad=True)
x += w
x.sum().backward()
print(x, w.grad)

# torch.ones: in-place with a wider shape
x = torch.ones(3)
x += torch.ones(2, 3)

# torch.ones: in-place with a wider dtype
x = torch.ones(3, dtype=torch.int64)
x += 1.5

# torch.arange: in-place among integers
x = torch.arange(3)
x += 2
x *= x
x //= 2
print(x)

# masked_fill_ and clamp_
x = torch.linspace(-2, 2, 5, requires_grad=True)
y = (x * 1).clamp_(-1, 1)
z = (x * 1).masked_fill_(x > 0, 9)
(y + z).sum().backward()
print(x.grad)

# requires_grad_ and detach_
x = torch.ones(2).requires_grad_()
y = x * 2
y.detach_()
print(y, x.requires_grad)

# Tensor.t_: transposing in place
x = torch.arange(6.0).reshape(2, 3)
x.t_()
print(x, x.stride())

# unsqueeze_ and squeeze_
x = torch.zeros(3)
x.unsqueeze_(0)
a = tuple(x.shape)
x.squeeze_()

# torch.add: out= of a function
x = torch.ones(3)
y = torch.empty(3)
z = torch.add(x, 2, out=y)
print(z is y, y)

# torch.mul: out= with gradients
x = torch.ones(3, requires_grad=True)
y = torch.zeros(3)
torch.mul(x, 2, out=y)

# scatter_ in place
x = torch.zeros(2, 3)
x.scatter_(1, torch.tensor([[0], [2]]), 1.0)
print(x)

# Tensor.clone: a swap by way of a clone
x = torch.tensor([1.0, 2.0])
x[0], x[1] = x[1].clone(), x[0].clone()
print(x)

# Tensor.add_: a version is counted for views too
x = torch.zeros(3)
y = x[1:]
y.add_(1)
x.add_(1)
print(x._version, y._version, x.detach()._version, x.data._version)

# set_ by data
x = torch.zeros(2)
x.data = torch.ones(3)
print(x)

# F.dropout: dropping in place
x = torch.ones(8, requires_grad=True)
y = F.dropout(x * 1, 0.5, inplace=True)
y.sum().backward()
print(y)

# F.leaky_relu: an in-place activation between layers
x = torch.randn(2, 3, requires_grad=True)
y = F.relu(x * 2, inplace=True)
z = F.leaky_relu(y - 1, 0.1, inplace=True)
z.sum().backward()

# addcmul_ and lerp_ as optimizers use them
m = torch.zeros(3)
g = torch.tensor([1.0, 2.0, 3.0])
m.lerp_(g, 0.1)
m.mul_(0.9).addcmul_(g, g, value=0.1)
m.addcdiv_(g, g.sqrt().add_(1e-8), value=-0.01)
print(m)

# torch.randn: a row is added to a matrix
x = torch.randn(2, 3, requires_grad=True)
b = torch.randn(3, requires_grad=True)
y = x + b
y.sum().backward()
print(b.grad)

# torch.randn: a column times a row
c = torch.randn(3, 1, requires_grad=True)
r = torch.randn(1, 4, requires_grad=True)
y = c * r
y.sum().backward()
print(c.grad, r.grad)

# torch.tensor: a scalar tensor with a matrix
s = torch.tensor(2.0, requires_grad=True)
x = torch.randn(2, 3, requires_grad=True)
y = s * x - s
y.sum().backward()
print(s.grad)

# Tensor.abs: three axes with two
x = torch.randn(2, 1, 3, requires_grad=True)
y = torch.randn(4, 1, requires_grad=True)
z = x / (y.abs() + 1)
z.sum().backward()

# torch.randn: all pairs of distances
x = torch.randn(4, 2, requires_grad=True)
d = ((x[:, None] - x[None]) ** 2).sum(-1)
d.sum().backward()

# torch.ones: shapes that do not fit
x = torch.ones(2, 3)
y = x + torch.ones(4)

# torch.ones: shapes that do not fit in the middle
x = torch.ones(2, 3, 4) * torch.ones(2, 2, 4)

# Tensor.backward: with an empty axis
x = torch.ones(0, 3, requires_grad=True)
y = x + torch.ones(3, requires_grad=True)
z = y.sum()
z.backward()

# torch.arange: comparing with broadcasting
x = torch.arange(3)
y = x[:, None] == x[None]
z = x[:, None] < x
print(y, z)

# torch.where: where with three shapes
m = torch.tensor([[True], [False]])
a = torch.randn(3, requires_grad=True)
b = torch.tensor(0.5, requires_grad=True)
y = torch.where(m, a, b)
y.sum().backward()
print(a.grad, b.grad)

# broadcast_tensors
a, b = torch.broadcast_tensors(torch.arange(3.0), torch.ones(2, 1))
s = torch.broadcast_shapes((3, 1), (1, 4))
print(s)

# Tensor.norm: normalising rows
x = torch.randn(3, 4, requires_grad=True)
y = x / x.norm(dim=1, keepdim=True)
z = (y @ y.T).sum()
z.backward()

# Tensor.mean: normalising columns by mean and deviation
x = torch.randn(5, 2, requires_grad=True)
y = (x - x.mean(0)) / (x.std(0) + 1e-6)
(y**4).sum().backward()

# Tensor.view: a bias of an image
x = torch.randn(1, 2, 3, 3, requires_grad=True)
b = torch.randn(2, requires_grad=True)
y = x + b.view(1, -1, 1, 1)
(y**2).sum().backward()
print(b.grad)

# torch.maximum: pow and maximum with broadcasting
x = torch.rand(2, 1, requires_grad=True)
y = torch.rand(3, requires_grad=True)
z = torch.maximum(x, y) + torch.pow(x, y)
z.sum().backward()

# addcmul with broadcasting
x = torch.zeros(1, requires_grad=True)
a = torch.rand(2, 1, requires_grad=True)
b = torch.rand(3, requires_grad=True)
y = torch.addcmul(x, a, b)
y.sum().backward()

# Tensor.backward: a gradient has the shape of its leaf
x = torch.ones(1, 1, requires_grad=True)
y = (x * torch.ones(2, 3, 4)).sum()
y.backward()
print(x.grad)

# torch.randn: a vector and a batch of matrices
v = torch.randn(3, requires_grad=True)
m = torch.randn(2, 4, 3, requires_grad=True)
y = (m * v).sum(-1)
y.sum().backward()

# sum_to_size and expand
x = torch.randn(2, 3, requires_grad=True)
y = x.sum_to_size(1, 3)
y.sum().backward()

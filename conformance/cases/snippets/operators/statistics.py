# torch.quantile: quantiles of all, of rows, of several probabilities
x = torch.tensor([[3.0, 1.0, 2.0], [6.0, 4.0, 8.0]], requires_grad=True)
a = x.quantile(0.3)
b = torch.quantile(x, torch.tensor([0.25, 0.5]), dim=1, keepdim=True)
c = torch.nanquantile(x, 0.5, dim=0, interpolation="midpoint")
(a + b.sum() + c.sum()).backward()
print(a, b, c, x.grad)

# torch.quantile: a quantile of nothing
torch.quantile(torch.ones(0), 0.5)

# Tensor.diff: differences, with what stands before
x = torch.tensor([1.0, 4.0, 9.0], requires_grad=True)
y = x.diff(n=2, prepend=torch.tensor([0.5]))
y.prod().backward()
print(y, x.grad)

# torch.cov: covariances with weights
x = torch.tensor([[3.0, 1.0, 2.0], [6.0, 4.0, 8.0]], requires_grad=True)
c = torch.cov(x, fweights=torch.tensor([1, 2, 1]), aweights=torch.tensor([0.5, 1.0, 2.0]))
r = torch.corrcoef(x)
(c.sum() + r.sum()).backward()
print(c, r, x.grad)

# torch.cov: too few observations
print(torch.cov(torch.ones(2, 1)))

# torch.cdist: distances of all pairs
x = torch.tensor([[0.0, 0.0], [3.0, 4.0]], requires_grad=True)
y = torch.tensor([[3.0, 4.0], [1.0, -1.0], [0.5, 2.0]], requires_grad=True)
for p in (0.0, 1.0, 2.0, 3.0, float("inf")):
    d = torch.cdist(x, y, p)
    d.sum().backward()
    print(d, x.grad, y.grad)

# cross products along the first dimension of three
x = torch.arange(9.0).reshape(3, 3).requires_grad_()
y = torch.cross(x, x.detach().flip(0))
z = torch.linalg.cross(x, x.detach().flip(1))
(y * z).sum().backward()
print(y, z, x.grad)

# Tensor.cross: vectors that have no cross product
torch.linalg.cross(torch.ones(2, 2), torch.ones(2, 2))

# torch.linalg.vecdot: products of vectors, the first conjugated
x = torch.tensor([[1 + 2j, 3j], [2, 1 - 1j]], requires_grad=True)
torch.linalg.vecdot(x, x.detach() * 1j).abs().sum().backward()
print(x.grad)

# Tensor.logit: sinc at zero and logit at its ends
x = torch.tensor([-1.5, 0.0, 0.5], requires_grad=True)
y = torch.tensor([0.0, 0.25, 1.0], requires_grad=True)
(x.sinc().sum() + y.logit(0.1).sum()).backward()
print(x.grad, y.grad, y.logit())

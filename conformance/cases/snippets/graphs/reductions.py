# the sum of everything
x = torch.randn(2, 3, requires_grad=True)
y = x.sum()
y.backward()
print(y, x.grad)

# sums along each axis
x = torch.randn(2, 3, requires_grad=True)
a, b = x.sum(0), x.sum(dim=1)
(a.sum() + b.sum()).backward()

# a sum that keeps its axis
x = torch.randn(2, 3, requires_grad=True)
y = x / x.sum(dim=1, keepdim=True)
y.sum().backward()

# sums along two axes, and along negative ones
x = torch.randn(2, 3, 4, requires_grad=True)
a, b, c = x.sum((0, 2)), x.sum(-1), x.sum([-2, -1], keepdim=True)
(a.sum() + b.sum() + c.sum()).backward()

# the sum as another dtype
x = torch.randn(3, requires_grad=True)
y = x.sum(dtype=torch.float64)
y.backward()

# mean of everything and along axes
x = torch.randn(2, 3, requires_grad=True)
a, b, c = x.mean(), x.mean(0), x.mean((0, 1), keepdim=True)
(a + b.sum() + c.sum()).backward()

# a layer norm by hand
x = torch.randn(2, 4, requires_grad=True)
m = x.mean(-1, keepdim=True)
v = ((x - m) ** 2).mean(-1, keepdim=True)
y = (x - m) / torch.sqrt(v + 1e-5)
(y**3).sum().backward()

# variance and deviation
x = torch.randn(3, 4, requires_grad=True)
a, b, c = x.var(), x.std(0), x.var(1, unbiased=False)
d = x.std(dim=1, correction=0, keepdim=True)
(a + b.sum() + c.sum() + d.sum()).backward()

# variance and mean at once
x = torch.randn(3, 4, requires_grad=True)
v, m = torch.var_mean(x, dim=1)
(v * m).sum().backward()

# the largest of everything
x = torch.tensor([1.0, 3.0, 3.0], requires_grad=True)
y = x.max()
y.backward()
print(y, x.grad)

# the largest along an axis has values and indices
x = torch.randn(3, 4, requires_grad=True)
values, indices = x.max(dim=1)
values.sum().backward()
print(values, indices)

# the named fields of a maximum
x = torch.tensor([[1.0, 5.0], [7.0, 2.0]], requires_grad=True)
r = x.max(1)
print(r)
print(r.values, r.indices)

# amax and amin spread the gradient of equals
x = torch.tensor([2.0, 2.0, 1.0, 1.0], requires_grad=True)
a, b = x.amax(), x.amin(0)
(a * b).backward()
print(x.grad)

# aminmax
x = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
low, high = torch.aminmax(x)
(high - low).backward()

# argmax and argmin have no gradient
x = torch.randn(3, 4, requires_grad=True)
a, b, c = x.argmax(), x.argmax(1), x.argmin(0, keepdim=True)
print(a, b, c)

# the product, with a zero
x = torch.tensor([2.0, 0.0, 3.0], requires_grad=True)
y = x.prod()
y.backward()
print(x.grad)

# products along an axis
x = torch.tensor([[2.0, 3.0], [4.0, 5.0]], requires_grad=True)
a, b = x.prod(0), x.prod(1, keepdim=True)
(a.sum() + b.sum()).backward()

# norms
x = torch.tensor([[3.0, 4.0], [0.0, 0.0]], requires_grad=True)
a, b, c = x.norm(), x.norm(dim=1), x.norm(p=1)
a.backward()
print(a, b, c, x.grad)

# norms by other orders
x = torch.randn(2, 3, requires_grad=True)
a, b, c = x.norm(float("inf")), x.norm(p=3, dim=0), torch.linalg.vector_norm(x)
(a + b.sum() + c).backward()

# a running sum and a running product
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
a, b = x.cumsum(0), x.cumprod(0)
(a * b).sum().backward()

# running extrema
x = torch.tensor([1.0, 3.0, 2.0, 4.0], requires_grad=True)
v, i = torch.cummax(x, 0)
v.sum().backward()
print(v, i, x.grad)

# logsumexp and what it is
x = torch.randn(2, 3, requires_grad=True)
a, b = x.logsumexp(1), x.exp().sum(1).log()
(a - b).sum().backward()

# the median, and along an axis
x = torch.tensor([[3.0, 1.0, 2.0], [6.0, 5.0, 4.0]], requires_grad=True)
a = x.median()
b, i = x.median(dim=1)
(a + b.sum()).backward()

# sorting carries the gradient back
x = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
v, i = x.sort(descending=True)
(v * torch.arange(3.0)).sum().backward()
print(v, i, x.grad)

# the two largest
x = torch.tensor([[3.0, 1.0, 2.0], [4.0, 6.0, 5.0]], requires_grad=True)
v, i = x.topk(2)
v.sum().backward()
print(v, i)

# the second smallest
x = torch.tensor([3.0, 1.0, 2.0], requires_grad=True)
v, i = torch.kthvalue(x, 2)
v.backward()

# all, any and counting
x = torch.tensor([[True, False], [True, True]])
a, b, c = x.all(), x.any(1), x.sum()
n = torch.count_nonzero(x)
print(a, b, c, n)

# sums of integers become int64
x = torch.arange(6, dtype=torch.int32).reshape(2, 3)
a, b, c = x.sum(), x.prod(1), x.cumsum(0)

# the sum and the mean of nothing
x = torch.empty(0, requires_grad=True)
a, b = x.sum(), x.mean()
print(a, b)

# the trace and the diagonal
x = torch.randn(3, 3, requires_grad=True)
a, b = x.trace(), x.diagonal().sum()
(a * b).backward()

# the distance of two points
x = torch.randn(3, requires_grad=True)
y = torch.randn(3, requires_grad=True)
d = ((x - y) ** 2).sum().sqrt()
d.backward()

# a quantile
x = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
q = torch.quantile(x, 0.25)
q.backward()

# nansum
x = torch.tensor([1.0, float("nan"), 3.0], requires_grad=True)
y = torch.nansum(x)
y.backward()
print(y, x.grad)

# softmax by hand and by name
x = torch.randn(2, 3, requires_grad=True)
e = (x - x.max(1, keepdim=True).values).exp()
y = e / e.sum(1, keepdim=True)
z = x.softmax(1)
(y * z).sum().backward()

# unique values and how many of each
x = torch.tensor([3, 1, 3, 2, 1])
u, n = torch.unique(x, return_counts=True)
v, inverse = torch.unique(x, return_inverse=True)

# a histogram of labels
labels = torch.tensor([0, 2, 2, 1])
n = torch.bincount(labels, minlength=5)
print(n)

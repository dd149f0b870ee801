# Tensor.requires_grad_: an element, a row, a column
x = torch.arange(6.0).reshape(2, 3).requires_grad_()
a, b, c = x[0, 1], x[1], x[:, 2]
(a + b.sum() + c.sum()).backward()

# torch.arange: slices with steps and from the end
x = torch.arange(10.0, requires_grad=True)
a, b, c, d = x[2:5], x[::2], x[-3:], x[1:-1:3]
(a.sum() + b.sum() + c.sum() + d.sum()).backward()
print(x.grad)

# torch.randn: an ellipsis and None
x = torch.randn(2, 3, 4, requires_grad=True)
a, b, c = x[..., 0], x[0, ...], x[:, None]
d = x[None, ..., None]

# Tensor.requires_grad_: a list of rows, with a repetition
x = torch.arange(6.0).reshape(3, 2).requires_grad_()
y = x[[0, 2, 0]]
y.sum().backward()
print(y, x.grad)

# Tensor.requires_grad_: pairs of rows and columns
x = torch.arange(9.0).reshape(3, 3).requires_grad_()
y = x[[0, 1, 2], [2, 1, 0]]
y.sum().backward()

# torch.tensor: an index tensor with two axes
x = torch.arange(4.0, requires_grad=True)
i = torch.tensor([[0, 1], [3, 3]])
y = x[i]
y.sum().backward()
print(x.grad)

# torch.tensor: a mask
x = torch.tensor([-1.0, 2.0, -3.0, 4.0], requires_grad=True)
y = x[x > 0]
y.sum().backward()
print(y, x.grad)

# torch.randn: a mask of rows
x = torch.randn(3, 2, requires_grad=True)
y = x[torch.tensor([True, False, True])]
y.sum().backward()

# Tensor.requires_grad_: a slice and a list together
x = torch.arange(12.0).reshape(3, 4).requires_grad_()
y = x[:, [1, 3]]
z = x[[0, 2], 1:3]
(y.sum() + z.sum()).backward()

# Tensor.requires_grad_: lists with a slice between
x = torch.arange(24.0).reshape(2, 3, 4).requires_grad_()
y = x[[0, 1], :, [2, 3]]
y.sum().backward()

# torch.zeros: writing an element
x = torch.zeros(3)
x[1] = 5
x[-1] = torch.tensor(2.0)
print(x)

# Tensor.backward: writing into a result
x = torch.ones(3, requires_grad=True)
y = x * 2
y[0] = 7
y.sum().backward()
print(y, x.grad)

# torch.zeros: writing a tensor that wants gradients
x = torch.zeros(4)
v = torch.ones(2, requires_grad=True)
x[1:3] = v * 3
x.sum().backward()
print(x, v.grad)

# torch.arange: writing by a mask
x = torch.arange(5.0)
x[x > 2] = 0
y = torch.ones(3, requires_grad=True) * 2
y[torch.tensor([True, False, True])] = 5.0
y.sum().backward()

# torch.zeros: writing by lists, the last wins
x = torch.zeros(3)
x[[0, 0, 2]] = torch.tensor([1.0, 2.0, 3.0])
print(x)

# torch.zeros: adding in place through an index
x = torch.zeros(3)
x[0] += 1
x[1:] -= 2
print(x)

# Tensor.backward: an added row of a result
x = torch.ones(2, 2, requires_grad=True)
y = x * 1
y[0] += 10
y[:, 1] *= 2
y.sum().backward()
print(y, x.grad)

# gather
x = torch.arange(6.0).reshape(2, 3).requires_grad_()
i = torch.tensor([[0, 2], [1, 1]])
y = x.gather(1, i)
y.sum().backward()
print(y, x.grad)

# Tensor.log_softmax: the log probabilities of labels
logits = torch.randn(3, 4, requires_grad=True)
labels = torch.tensor([1, 0, 3])
loss = -logits.log_softmax(1)[torch.arange(3), labels].mean()
loss.backward()

# F.one_hot: one-hot labels
labels = torch.tensor([1, 0, 2])
y = F.one_hot(labels, 4)
z = torch.eye(4)[labels]

# index_select and take
x = torch.arange(6.0).reshape(2, 3).requires_grad_()
a = x.index_select(1, torch.tensor([2, 0]))
b = torch.take(x, torch.tensor([0, 5]))
(a.sum() + b.sum()).backward()

# take_along_dim of argsort
x = torch.tensor([[3.0, 1.0, 2.0]], requires_grad=True)
i = x.argsort(1)
y = torch.take_along_dim(x, i, 1)
y.sum().backward()

# Tensor.scatter_add: scatter and scatter_add
src = torch.ones(2, 3, requires_grad=True)
i = torch.tensor([[0, 1, 1], [2, 2, 0]])
a = torch.zeros(3, 3).scatter(0, i, src)
b = torch.zeros(3, 3).scatter_add(0, i, src)
(a.sum() + b.sum()).backward()

# index_add and index_copy and index_fill
x = torch.zeros(3, 2, requires_grad=True)
v = torch.ones(2, 2, requires_grad=True)
i = torch.tensor([0, 2])
a, b, c = x.index_add(0, i, v), x.index_copy(0, i, v), x.index_fill(0, i, 7)
(a + b + c).sum().backward()

# index_put_ that accumulates
x = torch.zeros(3)
i = torch.tensor([0, 0, 1])
x.index_put_((i,), torch.ones(3), accumulate=True)
print(x)

# masked_fill and masked_select
x = torch.randn(2, 2, requires_grad=True)
m = torch.tensor([[True, False], [False, True]])
a, b = x.masked_fill(m, 0), x.masked_select(m)
(a.sum() + b.sum()).backward()

# Tensor.masked_fill: a causal mask
scores = torch.randn(3, 3, requires_grad=True)
mask = torch.tril(torch.ones(3, 3)) == 0
w = scores.masked_fill(mask, float("-inf")).softmax(-1)
(w**2).sum().backward()
print(w)

# torch.where: where something is
x = torch.tensor([[0, 1], [2, 0]])
a = x.nonzero()
b = torch.where(x > 0)
c = torch.argwhere(x)

# Tensor.requires_grad_: a loop over the rows
x = torch.arange(4.0).reshape(2, 2).requires_grad_()
total = 0
for row in x:
    total = total + (row**2).sum()
total.backward()
print(total, x.grad)

# torch.tensor: unpacking
x = torch.tensor([1.0, 2.0], requires_grad=True)
a, b = x
(a * b).backward()
print(len(x), a, b, x.grad)

# torch.tensor: numbers out of a tensor
x = torch.tensor([1.5, 2.5])
a, b, c = x[0].item(), x.tolist(), float(x[1])
print(a, b, c, int(x[1]), 2.5 in x)

# torch.tensor: a tensor as an index of a list, and in range
n = torch.tensor(2)
a = ["a", "b", "c"][n]
b = list(range(n))
print(a, b)

# torch.arange: boolean and None indices
x = torch.arange(3.0, requires_grad=True)
a, b = x[True], x[False]
print(a.shape, b.shape)

# embedding by hand and by name
weight = torch.randn(4, 2, requires_grad=True)
i = torch.tensor([[1, 3], [0, 1]])
a, b = weight[i], F.embedding(i, weight)
(a * b).sum().backward()

# Tensor.index_copy_: memory that is read and written: index_copy_
a = torch.arange(6.0)
a.index_copy_(0, torch.tensor([0]), a[:1])

# torch.where: where lays its result out as if negatives were copied first
a = torch.ones(3, 1, dtype=torch.complex64).t().conj().imag
b = torch.where(a > 0, a, -a)

# torch.where: the first sum of two gradients is where the first lies
a = torch.tensor([-3.0, -2.75]).reshape(2, 1).requires_grad_()
b = torch.autograd.grad(torch.where(a > 0, a, -a).t(), a, torch.ones(1, 2))
torch.where(a > 0, a, a).t().backward(torch.ones(1, 2))

# F.embedding: words of no numbers have gradients of none
a = torch.zeros((2, 0), requires_grad=True)
b = F.embedding(torch.tensor([0, 1, 0]), a.sin().real)
torch.autograd.backward([b.sum(), b.sum()])

# torch.embedding_renorm_: tables whose rows are tiny
table = torch.tensor([[3e-8, 4e-8], [3e-7, -4e-7], [3e-6, 4e-6], [3.0, 4.0]])
for most in (1e-8, 2e-7, 1e-6):
    each = table.clone()
    F.embedding(torch.tensor([0, 1, 2]), each, max_norm=most)
    wide = table.double()
    torch.embedding_renorm_(wide, torch.tensor([[0, 2], [3, 3]]), most, 1.0)
    print([float(f"{x:.5g}") for x in (each.flatten().tolist() + wide.flatten().tolist())])
del table, each, wide

# torch.where: gradients that are not asked for need not fit
a = torch.ones(2, dtype=torch.complex64, requires_grad=True) * 1
b = torch.ones(2, requires_grad=True)
b.data = torch.ones(1)
b.data = torch.ones(2)
c = torch.where(b > 2, b, a)
d = torch.autograd.grad(c, [a, c], torch.ones_like(c))

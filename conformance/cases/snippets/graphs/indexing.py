# an element, a row, a column
x = torch.arange(6.0).reshape(2, 3).requires_grad_()
a, b, c = x[0, 1], x[1], x[:, 2]
(a + b.sum() + c.sum()).backward()

# slices with steps and from the end
x = torch.arange(10.0, requires_grad=True)
a, b, c, d = x[2:5], x[::2], x[-3:], x[1:-1:3]
(a.sum() + b.sum() + c.sum() + d.sum()).backward()
print(x.grad)

# an ellipsis and None
x = torch.randn(2, 3, 4, requires_grad=True)
a, b, c = x[..., 0], x[0, ...], x[:, None]
d = x[None, ..., None]

# a list of rows, with a repetition
x = torch.arange(6.0).reshape(3, 2).requires_grad_()
y = x[[0, 2, 0]]
y.sum().backward()
print(y, x.grad)

# pairs of rows and columns
x = torch.arange(9.0).reshape(3, 3).requires_grad_()
y = x[[0, 1, 2], [2, 1, 0]]
y.sum().backward()

# an index tensor with two axes
x = torch.arange(4.0, requires_grad=True)
i = torch.tensor([[0, 1], [3, 3]])
y = x[i]
y.sum().backward()
print(x.grad)

# a mask
x = torch.tensor([-1.0, 2.0, -3.0, 4.0], requires_grad=True)
y = x[x > 0]
y.sum().backward()
print(y, x.grad)

# a mask of rows
x = torch.randn(3, 2, requires_grad=True)
y = x[torch.tensor([True, False, True])]
y.sum().backward()

# a slice and a list together
x = torch.arange(12.0).reshape(3, 4).requires_grad_()
y = x[:, [1, 3]]
z = x[[0, 2], 1:3]
(y.sum() + z.sum()).backward()

# lists with a slice between
x = torch.arange(24.0).reshape(2, 3, 4).requires_grad_()
y = x[[0, 1], :, [2, 3]]
y.sum().backward()

# writing an element
x = torch.zeros(3)
x[1] = 5
x[-1] = torch.tensor(2.0)
print(x)

# writing into a result
x = torch.ones(3, requires_grad=True)
y = x * 2
y[0] = 7
y.sum().backward()
print(y, x.grad)

# writing a tensor that wants gradients
x = torch.zeros(4)
v = torch.ones(2, requires_grad=True)
x[1:3] = v * 3
x.sum().backward()
print(x, v.grad)

# writing by a mask
x = torch.arange(5.0)
x[x > 2] = 0
y = torch.ones(3, requires_grad=True) * 2
y[torch.tensor([True, False, True])] = 5.0
y.sum().backward()

# writing by lists, the last wins
x = torch.zeros(3)
x[[0, 0, 2]] = torch.tensor([1.0, 2.0, 3.0])
print(x)

# adding in place through an index
x = torch.zeros(3)
x[0] += 1
x[1:] -= 2
print(x)

# an added row of a result
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

# the log probabilities of labels
logits = torch.randn(3, 4, requires_grad=True)
labels = torch.tensor([1, 0, 3])
loss = -logits.log_softmax(1)[torch.arange(3), labels].mean()
loss.backward()

# one-hot labels
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

# scatter and scatter_add
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

# a causal mask
scores = torch.randn(3, 3, requires_grad=True)
mask = torch.tril(torch.ones(3, 3)) == 0
w = scores.masked_fill(mask, float("-inf")).softmax(-1)
(w**2).sum().backward()
print(w)

# where something is
x = torch.tensor([[0, 1], [2, 0]])
a = x.nonzero()
b = torch.where(x > 0)
c = torch.argwhere(x)

# a loop over the rows
x = torch.arange(4.0).reshape(2, 2).requires_grad_()
total = 0
for row in x:
    total = total + (row**2).sum()
total.backward()
print(total, x.grad)

# unpacking
x = torch.tensor([1.0, 2.0], requires_grad=True)
a, b = x
(a * b).backward()
print(len(x), a, b, x.grad)

# numbers out of a tensor
x = torch.tensor([1.5, 2.5])
a, b, c = x[0].item(), x.tolist(), float(x[1])
print(a, b, c, int(x[1]), 2.5 in x)

# a tensor as an index of a list, and in range
n = torch.tensor(2)
a = ["a", "b", "c"][n]
b = list(range(n))
print(a, b)

# boolean and None indices
x = torch.arange(3.0, requires_grad=True)
a, b = x[True], x[False]
print(a.shape, b.shape)

# embedding by hand and by name
weight = torch.randn(4, 2, requires_grad=True)
i = torch.tensor([[1, 3], [0, 1]])
a, b = weight[i], F.embedding(i, weight)
(a * b).sum().backward()

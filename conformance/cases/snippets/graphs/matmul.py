# vector, matrix and batch by @
v = torch.randn(3, requires_grad=True)
m = torch.randn(2, 3, requires_grad=True)
b = torch.randn(4, 3, 2, requires_grad=True)
p, q, r, s = v @ v, m @ v, m @ b, b @ m
(p + q.sum() + r.sum() + s.sum()).backward()

# a vector on the left
v = torch.randn(3, requires_grad=True)
m = torch.randn(3, 2, requires_grad=True)
y = v @ m
y.sum().backward()

# a matrix with a transposed one
x = torch.randn(3, 4, requires_grad=True)
w = torch.randn(5, 4, requires_grad=True)
y = x @ w.T
z = x @ w.t()
(y * z).sum().backward()

# a matrix with itself
x = torch.randn(3, 3, requires_grad=True)
y = x @ x @ x.T
y.trace().backward()

# batches that are broadcast
a = torch.randn(2, 1, 3, 4, requires_grad=True)
b = torch.randn(5, 4, 2, requires_grad=True)
y = a @ b
y.sum().backward()

# a batch with a vector
a = torch.randn(2, 3, 4, requires_grad=True)
v = torch.randn(4, requires_grad=True)
y = a @ v
y.sum().backward()

# mm, mv, dot, bmm, outer
a = torch.randn(2, 3, requires_grad=True)
b = torch.randn(3, 2, requires_grad=True)
v = torch.randn(3, requires_grad=True)
p, q, r, s = torch.mm(a, b), torch.mv(a, v), torch.dot(v, v), torch.outer(v, v)
t = torch.bmm(a[None], b[None])

# addmm, addmv and baddbmm
c = torch.randn(2, 2, requires_grad=True)
a = torch.randn(2, 3, requires_grad=True)
b = torch.randn(3, 2, requires_grad=True)
p = torch.addmm(c, a, b, beta=0.5, alpha=2)
q = torch.baddbmm(c[None], a[None], b[None])
r = torch.addmv(c[0], a, b[:, 0])
(p + q[0] + r).sum().backward()

# linear by hand and by name
x = torch.randn(2, 3, requires_grad=True)
w = torch.randn(4, 3, requires_grad=True)
b = torch.randn(4, requires_grad=True)
y, z = F.linear(x, w, b), x @ w.T + b
(y * z).sum().backward()

# linear of three axes
x = torch.randn(2, 3, 4, requires_grad=True)
w = torch.randn(5, 4, requires_grad=True)
b = torch.randn(5, requires_grad=True)
y = F.linear(x, w, b)
y.sum().backward()

# einsum
a = torch.randn(2, 3, requires_grad=True)
b = torch.randn(3, 4, requires_grad=True)
y = torch.einsum("ij,jk->ik", a, b)
t = torch.einsum("ij->ji", a)
s = torch.einsum("ij,ij->", a, a)
(y.sum() + t.sum() + s).backward()

# einsum of attention scores
q = torch.randn(2, 3, 4, requires_grad=True)
k = torch.randn(2, 5, 4, requires_grad=True)
s = torch.einsum("bqd,bkd->bqk", q, k)
(s**2).sum().backward()

# shapes that do not fit
x = torch.ones(2, 3) @ torch.ones(2, 3)

# a matrix and a vector that do not fit
x = torch.ones(2, 3) @ torch.ones(4)

# batches that do not fit
x = torch.bmm(torch.ones(2, 3, 4), torch.ones(2, 5, 4))

# a number is no matrix
x = torch.ones(2, 2) @ 3

# a scalar tensor is no matrix
x = torch.ones(2, 2) @ torch.tensor(3.0)

# dtypes that differ
x = torch.ones(2, 2) @ torch.ones(2, 2, dtype=torch.float64)

# integers multiply
x = torch.arange(6).reshape(2, 3) @ torch.arange(6).reshape(3, 2)
print(x)

# an inner axis of nothing
x = torch.ones(2, 0, requires_grad=True)
y = x @ torch.ones(0, 3, requires_grad=True)
print(y)

# matrix_power and the chain
x = torch.tensor([[1.0, 1.0], [0.0, 1.0]], requires_grad=True)
y = torch.matrix_power(x, 3)
z = torch.linalg.multi_dot([x, x, x])
(y + z).sum().backward()

# tensordot and kron
a = torch.randn(2, 3, requires_grad=True)
b = torch.randn(3, 2, requires_grad=True)
y = torch.tensordot(a, b, dims=1)
z = torch.kron(a, b)
(y.sum() + z.sum()).backward()

# attention by hand
q, k, v = (torch.randn(1, 3, 4, requires_grad=True) for _ in range(3))
w = (q @ k.transpose(-2, -1) / 4**0.5).softmax(-1)
y = w @ v
y.sum().backward()

# attention by name
q, k, v = (torch.randn(1, 2, 3, 4, requires_grad=True) for _ in range(3))
y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
y.sum().backward()

# a quadratic form
a = torch.randn(3, 3)
x = torch.randn(3, requires_grad=True)
y = x @ a @ x
y.backward()
print(x.grad)

# one of two factors wants a gradient
a = torch.randn(2, 3)
b = torch.randn(3, 2, requires_grad=True)
y = a @ b
y.sum().backward()

# a multi-layer network by hand
x = torch.randn(4, 3)
w1 = torch.randn(3, 5, requires_grad=True)
w2 = torch.randn(5, 1, requires_grad=True)
y = torch.tanh(x @ w1) @ w2
loss = (y**2).mean()
loss.backward()

# cdist
x = torch.randn(3, 2, requires_grad=True)
y = torch.randn(4, 2, requires_grad=True)
d = torch.cdist(x, y)
d.sum().backward()

# cosine similarity
a = torch.randn(2, 3, requires_grad=True)
b = torch.randn(2, 3, requires_grad=True)
y = F.cosine_similarity(a, b)
y.sum().backward()

# inverse and determinant
a = (torch.eye(3) + 0.1 * torch.ones(3, 3)).requires_grad_()
y = torch.linalg.inv(a)
d = torch.linalg.det(a)
(y.sum() + d).backward()

# what folds, and what does not, where the matrix wants no gradient
m, v = torch.randn(5, 4), torch.randn(5)
for shape, order in (
    ((2, 3, 6, 5), None),
    ((2, 3, 5, 6), (0, 1, 3, 2)),
    ((3, 2, 6, 5), (1, 0, 2, 3)),
    ((2, 6, 3, 5), (0, 2, 1, 3)),
    ((2, 3, 1, 5), None),
    ((2, 2, 3, 6, 5), None),
    ((2, 2, 6, 3, 5), (0, 1, 3, 2, 4)),
    ((2, 3, 2, 6, 5), (0, 2, 1, 3, 4)),
    ((2, 3, 0, 5), None),
):
    x = torch.randn(shape, requires_grad=True)
    y = x if order is None else x.permute(order)
    for out in (y @ m, y @ v, m.T @ y.mT, y * 1 @ m):
        print(out.shape, out.stride(), out.grad_fn.name(), out.grad_fn.next_functions[0][0].name())
        print(
            [edge[0].name() for edge in out.grad_fn.next_functions[0][0].next_functions if edge[0]]
        )
        (g,) = torch.autograd.grad(out.sum(), x, retain_graph=True)
        print(g.shape, g.stride())

# torch.randn: vector, matrix and batch by @
v = torch.randn(3, requires_grad=True)
m = torch.randn(2, 3, requires_grad=True)
b = torch.randn(4, 3, 2, requires_grad=True)
p, q, r, s = v @ v, m @ v, m @ b, b @ m
(p + q.sum() + r.sum() + s.sum()).backward()

# torch.randn: a vector on the left
v = torch.randn(3, requires_grad=True)
m = torch.randn(3, 2, requires_grad=True)
y = v @ m
y.sum().backward()

# Tensor.t: a matrix with a transposed one
x = torch.randn(3, 4, requires_grad=True)
w = torch.randn(5, 4, requires_grad=True)
y = x @ w.T
z = x @ w.t()
(y * z).sum().backward()

# Tensor.trace: a matrix with itself
x = torch.randn(3, 3, requires_grad=True)
y = x @ x @ x.T
y.trace().backward()

# torch.randn: batches that are broadcast
a = torch.randn(2, 1, 3, 4, requires_grad=True)
b = torch.randn(5, 4, 2, requires_grad=True)
y = a @ b
y.sum().backward()

# torch.randn: a batch with a vector
a = torch.randn(2, 3, 4, requires_grad=True)
v = torch.randn(4, requires_grad=True)
y = a @ v
y.sum().backward()

# torch.outer: mm, mv, dot, bmm, outer
a = torch.randn(2, 3, requires_grad=True)
b = torch.randn(3, 2, requires_grad=True)
v = torch.randn(3, requires_grad=True)
p, q, r, s = torch.mm(a, b), torch.mv(a, v), torch.dot(v, v), torch.outer(v, v)
t = torch.bmm(a[None], b[None])

# torch.addmv: addmm, addmv and baddbmm
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

# torch.ones: shapes that do not fit
x = torch.ones(2, 3) @ torch.ones(2, 3)

# torch.ones: a matrix and a vector that do not fit
x = torch.ones(2, 3) @ torch.ones(4)

# torch.bmm: batches that do not fit
x = torch.bmm(torch.ones(2, 3, 4), torch.ones(2, 5, 4))

# torch.ones: a number is no matrix
x = torch.ones(2, 2) @ 3

# torch.tensor: a scalar tensor is no matrix
x = torch.ones(2, 2) @ torch.tensor(3.0)

# torch.ones: dtypes that differ
x = torch.ones(2, 2) @ torch.ones(2, 2, dtype=torch.float64)

# Tensor.reshape: integers multiply
x = torch.arange(6).reshape(2, 3) @ torch.arange(6).reshape(3, 2)
print(x)

# torch.ones: an inner axis of nothing
x = torch.ones(2, 0, requires_grad=True)
y = x @ torch.ones(0, 3, requires_grad=True)
print(y)

# matrix_power and the chain
x = torch.tensor([[1.0, 1.0], [0.0, 1.0]], requires_grad=True)
y = torch.matrix_power(x, 3)
z = torch.linalg.multi_dot([x, x, x])
(y + z).sum().backward()

# torch.kron: tensordot and kron
a = torch.randn(2, 3, requires_grad=True)
b = torch.randn(3, 2, requires_grad=True)
y = torch.tensordot(a, b, dims=1)
z = torch.kron(a, b)
(y.sum() + z.sum()).backward()

# Tensor.transpose: attention by hand
q, k, v = (torch.randn(1, 3, 4, requires_grad=True) for _ in range(3))
w = (q @ k.transpose(-2, -1) / 4**0.5).softmax(-1)
y = w @ v
y.sum().backward()

# F.scaled_dot_product_attention: attention by name
q, k, v = (torch.randn(1, 2, 3, 4, requires_grad=True) for _ in range(3))
y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
y.sum().backward()

# torch.randn: a quadratic form
a = torch.randn(3, 3)
x = torch.randn(3, requires_grad=True)
y = x @ a @ x
y.backward()
print(x.grad)

# torch.randn: one of two factors wants a gradient
a = torch.randn(2, 3)
b = torch.randn(3, 2, requires_grad=True)
y = a @ b
y.sum().backward()

# torch.tanh: a multi-layer network by hand
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

# F.cosine_similarity: cosine similarity
a = torch.randn(2, 3, requires_grad=True)
b = torch.randn(2, 3, requires_grad=True)
y = F.cosine_similarity(a, b)
y.sum().backward()

# torch.linalg.det: inverse and determinant
a = (torch.eye(3) + 0.1 * torch.ones(3, 3)).requires_grad_()
y = torch.linalg.inv(a)
d = torch.linalg.det(a)
(y.sum() + d).backward()

# Tensor.permute: what folds, and what does not, where the matrix wants no gradient
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

# nn.functional.linear: what must not be saved is refused before the kernel refuses anything
a = torch.ones(3, requires_grad=True)
with torch.inference_mode():
    b = torch.ones(2)
    c = torch.ones(3, dtype=torch.complex64)
    d = torch.tensor([5])
texts = []
for call in [
    lambda: a * b,
    lambda: a + b,
    lambda: torch.atan2(a, c),
    lambda: torch.addcmul(a, b, b),
    lambda: a[d],
    lambda: a.gather(0, d),
    lambda: a.masked_fill(b > 0, 1),
    lambda: torch.dot(a, b),
    lambda: torch.cat([a, b[None]]),
    lambda: torch.lerp(a, b, b),
    lambda: torch.nn.functional.linear(a, b),
]:
    try:
        call()
    except Exception as error:
        texts.append(str(error))

# torch.matmul: the same sizes, but steps between the rows of a batch
x = torch.arange(48.0).reshape(2, 4, 6)
for big in (x, x[:, :2], x[:, ::2], x.transpose(0, 1), x[:, :, :3], x.transpose(1, 2), x[:1, :2]):
    for small in (torch.ones(big.shape[-1]), torch.arange(big.shape[-1] * 2.0).reshape(-1, 2)):
        out = big @ small
        leaf = big.clone().requires_grad_()
        other = torch.matmul(leaf, small)
        last = torch.matmul(big, small.clone().requires_grad_())
        print(out.stride(), other.stride(), other.grad_fn, last.grad_fn, last.stride())
        left = small.t() @ big.mT if small.dim() == 2 else small @ big.mT
        print(left.shape, left.stride())

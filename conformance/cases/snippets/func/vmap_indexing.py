# Tensor.index_fill: vmap: every kind of indexing and assignment
x = torch.arange(24.0).view(2, 3, 4)
i = torch.tensor([[0, 2], [1, 1]])
for f in (
    lambda x, i: x[i],
    lambda x, i: x[:, i],
    lambda x, i: x[i, 1],
    lambda x, i: x[None, ..., i],
    lambda x, i: x[x > 5].shape if False else x[0],
    lambda x, i: x.index_select(0, i),
    lambda x, i: x.gather(0, i[:, None].expand(2, 4)),
    lambda x, i: x.take(i),
    lambda x, i: x[i[0]] if False else x[-1],
    lambda x, i: x[..., ::2],
    lambda x, i: x.index_fill(0, i, 3.0),
    lambda x, i: x.index_add(0, i, torch.ones(2, 4)),
    lambda x, i: x.scatter(0, i[:, None].expand(2, 4), 5.0),
    lambda x, i: torch.take_along_dim(x, i[:, None].expand(2, 4), 0),
):
    try:
        print(torch.func.vmap(f)(x, i))
    except Exception as e:
        print(type(e).__name__, str(e)[:150])

# vmap: creation inside and mixing with batched values
x = torch.arange(6.0).view(2, 3)
f = lambda x: (
    torch.zeros(3)
    + x * torch.arange(3)
    + torch.full((3,), 2.0)
    + torch.eye(3)[0]
    + x.new_ones(3)
    + torch.tensor([1.0, 2.0, 3.0])
)
a = torch.func.vmap(f)(x)
b = torch.func.vmap(lambda x: torch.stack([x.sum(), x.mean(), x.max()]))(x)
c = torch.func.vmap(lambda x: torch.cat([x, torch.zeros(2)]))(x)
d = torch.func.vmap(lambda x: torch.where(x > 2, x, torch.zeros(())))(x)
e = torch.func.vmap(lambda x: torch.linspace(0, 1, 3) * x)(x)

# vmap: norms, layers and attention
torch.manual_seed(0)
x = torch.rand(3, 4, 5)
a = torch.func.vmap(lambda x: F.layer_norm(x, (5,)))(x)
c = torch.func.vmap(lambda q: F.scaled_dot_product_attention(q, q, q))(x)
d = torch.func.vmap(lambda x: F.group_norm(x[None], 2))(x).clone()
e = torch.func.vmap(lambda x: F.normalize(x, dim=0))(x)
f = torch.func.vmap(lambda x: F.cosine_similarity(x[0], x[1], dim=0))(x)
g = torch.func.vmap(lambda x: F.max_pool1d(x, 2))(x).clone()
i = torch.func.vmap(lambda x: F.pad(x, (1, 1)))(x)
j = torch.func.vmap(lambda x: F.one_hot(x.long()[0], 4))(x)

# vmap: in a module with parameters that require grad
torch.manual_seed(0)
m = nn.Sequential(nn.Linear(3, 4), nn.GELU(), nn.Linear(4, 2))
x = torch.rand(5, 3)
y = torch.func.vmap(m)(x)
y.sum().backward()
print([p.grad.shape for p in m.parameters()])
z = torch.func.vmap(torch.func.jacrev(m))(x)
w = torch.func.vmap(torch.func.hessian(lambda x: m(x).sum()))(x)
h = [t.detach() for t in (z, w)]
del z, w

# torch.complex: vmap: integers, booleans and complex numbers
x = torch.arange(6).view(2, 3)
for f in (
    lambda x: x.sum(),
    lambda x: x // 2,
    lambda x: x & 1,
    lambda x: (x > 2).any(),
    lambda x: x.float().mean(),
    lambda x: x.bincount(minlength=6),
    lambda x: torch.complex(x.float(), x.float()).abs(),
    lambda x: x.unique(),
    lambda x: ~(x > 2),
    lambda x: x.to(torch.complex64) * 1j,
    lambda x: x.sort(descending=True)[1],
    lambda x: x.cumsum(0),
    lambda x: torch.bitwise_xor(x, x),
    lambda x: x.eq(1).nonzero(),
):
    try:
        print(torch.func.vmap(f)(x))
    except Exception as e:
        print(type(e).__name__, str(e)[:120])

# torch.func.vmap: nested transforms of four kinds
f = lambda x, y: (x.sin() * y).sum()
x, y = torch.rand(2, 3), torch.rand(2, 3)
a = torch.func.vmap(
    torch.func.grad(
        lambda x, y: torch.func.vjp(lambda x: f(x, y), x)[1](torch.tensor(1.0))[0].sum()
    )
)(x, y)
b = torch.func.jacfwd(torch.func.vmap(torch.func.grad(f)))(x, y)
c = torch.func.vmap(lambda x, y: torch.func.jvp(torch.func.grad(f), (x, y), (y, x))[1])(x, y)
d = torch.func.grad(lambda x: torch.func.vmap(torch.func.grad(f))(x, y).sum())(x)
e = torch.func.hessian(f)(x[0], y[0])

# torch.func.vjp: transforms and ordinary backward at once
w = torch.rand(3, requires_grad=True)
x = torch.rand(4, 3)
loss = lambda x: (x * w).sin().sum()
g = torch.func.vmap(torch.func.grad(loss))(x)
g.pow(2).sum().backward()
h = w.grad.clone()
w.grad = None
out, back = torch.func.vjp(loss, x[0])
(back(torch.tensor(1.0))[0] ** 2).sum().backward()
i = w.grad.clone()
w.grad = None
p, t = torch.func.jvp(loss, (x[0],), (x[1],))
(p + t).backward()
j = w.grad.clone()


# torch.func.vmap: gradients through vmap of a custom loop
def rnn(x):
    h = torch.zeros(2)
    for t in range(3):
        h = torch.tanh(x[t] + h * 0.5)
    return h.sum()


x = torch.rand(4, 3, 2)
a = torch.func.vmap(torch.func.grad(rnn))(x)
b = torch.func.jacrev(rnn)(x[0])

# torch.func.jvp: stopping gradients inside transforms
f = lambda x: (x.detach() * x).sum() + (x**2).detach().sum()
x = torch.rand(3)
a = torch.func.grad(f)(x)
b = torch.func.jvp(f, (x,), (torch.ones(3),))[1]


def g(x):
    with torch.no_grad():
        c = x * 2
    return (c * x).sum()


c = torch.func.grad(g)(x)
d = torch.func.jvp(g, (x,), (torch.ones(3),))[1]
e = torch.func.hessian(g)(x)


# torch.func.vmap: optimizer steps inside of transforms
def train(w, x):
    for _ in range(3):
        g = torch.func.grad(lambda w: ((w * x).sum() - 1) ** 2)(w)
        w = w - 0.1 * g
    return w.sum()


w, x = torch.rand(3), torch.rand(5, 3)
a = torch.func.vmap(train, (None, 0))(w, x)
b = torch.func.grad(train)(w, x[0])

# vmap over nothing but lists, and empty batches
for f, a in (
    (lambda x: x, (torch.ones(0, 3),)),
    (lambda x: x.sum(), (torch.ones(0, 3),)),
    (lambda x, y: x, (torch.ones(2), torch.ones(3))),
    (lambda *a: a[0], (torch.ones(2), torch.ones(2))),
    (lambda x: x, ()),
    (lambda x: x, (3,)),
    (lambda x: x, ([],)),
    (lambda x: [x, [x]], (torch.ones(2),)),
    (lambda x: (), (torch.ones(2),)),
):
    try:
        print(torch.func.vmap(f)(*a))
    except Exception as e:
        print(type(e).__name__, str(e)[:200])

# autograd.grad in batches
x = torch.rand(3, requires_grad=True)
y = torch.stack([x.sum(), x.prod(), (x**2).sum()])
(j,) = torch.autograd.grad(y, x, torch.eye(3), is_grads_batched=True, retain_graph=True)
k = torch.autograd.functional.jacobian(
    lambda x: torch.stack([x.sum(), x.prod()]), x, vectorize=True
)
try:
    torch.autograd.grad(y, x, torch.ones(3), is_grads_batched=True)
except Exception as e:
    print(type(e).__name__, str(e)[:200])

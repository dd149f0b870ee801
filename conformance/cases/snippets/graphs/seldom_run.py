# division with rounding_mode=None
x, y = (
    torch.tensor([1.0, -2.0, 3.0], requires_grad=True),
    torch.tensor([4.0, 5.0, -6.0], requires_grad=True),
)
z = torch.div(x, y, rounding_mode=None)
z.backward(torch.tensor([1.0, 2.0, 3.0]))
floor = torch.div(x, y, rounding_mode="floor")
floor.sum().backward()
first = torch.autograd.grad(torch.div(x, y, rounding_mode=None).sum(), (x, y), create_graph=True)
second = [each * 1 for each in torch.autograd.grad(first[0].sum() + first[1].sum(), (x, y))]

# numbers on the left
i, x = torch.tensor([2, 3, -4]), torch.tensor([2.0, -3.0], requires_grad=True)
a = torch.remainder(7, i), 7 % i, 7 // i, 7 - i, 7 ** i.abs(), 7.5 % i
b = torch.remainder(7, x.detach()), torch.xlogy(3, x.abs()), torch.rsub(x, 3, alpha=2)
(b[1] + b[2]).sum().backward()
c = torch.rsub(i, 3, alpha=2), torch.rsub(i, i, alpha=2), torch.mul(i, 3), torch.add(i, 3, alpha=2)

# maps over whole numbers
m = torch.arange(8).reshape(2, 2, 2)
a = torch.func.vmap(lambda x: torch.addmm(x, x, x, beta=3, alpha=2))(m)
b = torch.func.vmap(lambda x: torch.addmv(x[0], x, x[1], beta=2, alpha=3))(m)
c = torch.func.vmap(lambda x: torch.baddbmm(x[None], x[None], x[None], beta=2, alpha=3))(m)
d = torch.func.vmap(lambda x: torch.addr(x, x[0], x[1], beta=2, alpha=3))(m)
e = torch.func.vmap(lambda x: torch.addcmul(x, x, x, value=2))(m)

# tangents that are seldom asked for
from torch.autograd import forward_ad

x, t = (
    torch.tensor([-40.0, 0.0, 1.0], dtype=torch.float64),
    torch.tensor([3.0, 1.0, 2.0], dtype=torch.float64),
)
with forward_ad.dual_level():
    dual = forward_ad.make_dual(x, t)
    other = forward_ad.make_dual(t, x)
    a = [
        forward_ad.unpack_dual(y).tangent * 1
        for y in (
            dual.logcumsumexp(0),
            torch.rsub(dual, 3, alpha=2),
            torch.rsub(dual, other, alpha=2),
            3 - dual,
            torch._neg_view(dual),
            torch.fill(dual, other.sum()),
            torch._safe_softmax(dual, 0),
            torch.index_put(dual, (torch.tensor([0, 2]),), other[:2]),
            torch.index_put(dual, (torch.tensor([0, 0]),), other[:2], True),
            torch.softmax(dual, 0),
            torch.log_softmax(dual, 0),
            torch.logsumexp(dual, 0),
        )
    ]

# rows that are masked out
x = torch.tensor([[1.0, 2.0], [-torch.inf, -torch.inf], [-torch.inf, 3.0]], requires_grad=True)
y = torch._safe_softmax(x, -1)
y[:, 0].sum().backward()
q = torch.arange(12.0).reshape(1, 3, 4).requires_grad_()
mask = torch.tensor([[True, False, True], [False, False, False], [True, True, True]])
z = F.scaled_dot_product_attention(q, q, q, mask)
z.sum().backward()
w = F.scaled_dot_product_attention(q.detach(), q.detach(), q.detach(), mask)

# grouped queries
q, k = torch.rand(1, 4, 3, 2, requires_grad=True), torch.rand(1, 2, 3, 2, requires_grad=True)
y = F.scaled_dot_product_attention(q, k, k, enable_gqa=True)
z = F.scaled_dot_product_attention(q, k, k, enable_gqa=True, is_causal=True)
(y + z).sum().backward()

# the sign of zero in what was accumulated
zeros = torch.tensor([-0.0, 0.0, -0.0])
print(zeros.cummax(0), zeros.cummin(0))
print(
    torch.tensor([1.0, 0.0, -0.0, 0.0, -0.0, 2.0]).cummin(0),
    torch.tensor([-1.0, -0.0, 0.0, -0.0, 0.0]).cummax(0),
)
print(torch.tensor([1.0, -0.0, 0.0]).cummin(0), torch.tensor([-1.0, 0.0, -0.0]).cummax(0))
for n in (1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 40, 63, 64, 65, 100, 128, 129, 520, 600):
    for dtype in (torch.float32, torch.float64, torch.complex64):
        minus = torch.full((n,), -0.0, dtype=dtype)
        print(
            minus.sum(), torch.stack([minus, minus]).sum(1), torch.stack([minus, minus], 1).sum(0)
        )


# sums to the last bit
def shown(x):
    return x.double().tolist()


for n in (
    *range(1, 40),
    63,
    64,
    65,
    96,
    100,
    127,
    128,
    129,
    200,
    256,
    511,
    512,
    520,
    700,
    1000,
    2100,
    5000,
):
    x = torch.rand(n)
    print(n, shown(x.sum()), shown(x.double().sum()), shown(x.mean()), shown(x[::2].sum()))


# sums of rows and columns to the last bit
def shown(x):
    return x.double().tolist()


for shape in (
    (3, 5),
    (5, 3),
    (16, 32),
    (20, 4),
    (32, 8),
    (12, 3),
    (40, 10),
    (9, 40),
    (70, 33),
    (300, 2),
    (2, 300),
):
    x = torch.rand(shape)
    bias = torch.zeros(shape[1], requires_grad=True)
    (x + bias).backward(x)
    print(
        shape,
        shown(x.sum(0)),
        shown(x.sum(1)),
        shown(x.t().contiguous().t().sum(0)),
        shown(bias.grad),
    )
    print(
        shown(x.double().sum(0)),
        shown(torch.stack([x, x * 2], 1).sum((0, 1))),
        shown(torch.stack([x, x * 2]).sum((0, 2))),
    )

# gradients through what is overwritten with random numbers
for name, given in (
    ("uniform_", ()),
    ("normal_", ()),
    ("log_normal_", ()),
    ("exponential_", ()),
    ("cauchy_", ()),
    ("geometric_", (0.5,)),
    ("bernoulli_", (0.5,)),
    ("random_", ()),
):
    leaf = torch.ones(3, requires_grad=True)
    written = getattr(leaf * 1, name)(*given)
    written.sum().backward()
    print(name, written.grad_fn, leaf.grad)

# streams after some words
g = torch.Generator().manual_seed(7)
for n in (1, 3, 7, 8, 16, 17):
    a = torch.rand(n, generator=g)
    state = g.get_state()
    b = (
        torch.randn(n, generator=g),
        torch.randint(5, (n,), generator=g),
        torch.randperm(n, generator=g),
    )
    h = torch.Generator()
    h.set_state(state)
    c = (
        torch.randn(n, generator=h),
        torch.randint(5, (n,), generator=h),
        torch.randperm(n, generator=h),
    )
    print(a, b, c, g.get_state().equal(h.get_state()))
fresh = torch.Generator().manual_seed(3)
other = torch.Generator()
other.set_state(fresh.get_state())
print(torch.rand(3, generator=fresh), torch.rand(3, generator=other), other.initial_seed())

# random integers at the ends of what a dtype holds
for dtype, digits in (
    (torch.float32, 24),
    (torch.float64, 53),
    (torch.bfloat16, 8),
    (torch.float16, 11),
):
    for low, high in (
        (-(2**digits), 2**digits),
        (-(2**digits) - 1, 5),
        (0, 2**digits + 1),
        (0, 2**digits + 2),
        (2**digits - 1, 2**digits + 4),
        (-(2**digits) - 3, -(2**digits) + 2),
        (0, 1),
        (-1, 1),
    ):
        try:
            print(
                dtype, low, high, torch.empty(4, dtype=dtype).random_(low, high).double().tolist()
            )
        except RuntimeError as error:
            print(error)

# derivatives of gamma samples
a = torch.tensor([0.3, 1.0, 2.5, 9.0], dtype=torch.float64, requires_grad=True)
s = torch._standard_gamma(a)
s.sum().backward()
print([round(each, 2) for each in a.grad.tolist()])
a = None
slope = torch._standard_gamma_grad(torch.ones(2, 3), torch.full((2, 3), 0.5)).stride()

# standardised halves
x = torch.linspace(-2, 2, 24).reshape(2, 3, 4)
for dtype in (torch.bfloat16, torch.float16):
    for kept in (dtype, torch.float32):
        m, v = torch.tensor([0.1, -0.2, 0.3], dtype=kept), torch.tensor([1.0, 2.0, 0.5], dtype=kept)
        print(F.batch_norm(x.to(dtype), m.clone(), v.clone()))
        print(F.batch_norm(x.to(dtype), m.clone(), v.clone(), v + 1, m * 3, eps=0.1))
        print(
            F.batch_norm(x.to(dtype), m.clone(), v.clone(), v + 1, m * 3, training=True, eps=0.1),
            m,
            v,
        )

# gradients of windows
x = torch.arange(20.0).reshape(2, 10).requires_grad_()
y = x.unfold(1, 4, 3)
y.backward(torch.arange(24.0).reshape(2, 3, 4))
s = torch.tensor(3.0, requires_grad=True)
s.unfold(0, 1, 1).sum().backward()

# targets that are beyond doubt
x, t = (
    torch.tensor([-1.5, 0.5, 2.0], requires_grad=True),
    torch.tensor([0.0, 1.0, 0.3], requires_grad=True),
)
loss = F.binary_cross_entropy_with_logits(x, t, pos_weight=torch.tensor([1.0, 2.0, 3.0]))
loss.backward()
more = F.binary_cross_entropy_with_logits(x, t)
by = torch.autograd.grad(more, (x, t), create_graph=True)
again = [each * 1 for each in torch.autograd.grad(by[0].sum() + by[1].sum(), (x, t))]
by = [each * 1 for each in by]
p = torch.tensor([0.2, 0.5, 0.9], requires_grad=True)
first = torch.autograd.grad(
    F.binary_cross_entropy(p, t.detach(), weight=torch.tensor([1.0, 2.0, 3.0])),
    p,
    create_graph=True,
)
second = torch.autograd.grad(first[0].sum(), p)


# many images at once
def shown(x):
    return [
        round(each, 2)
        for each in (
            x.double().sum().item(),
            x[-1].double().sum().item(),
            x[0].double().sum().item(),
        )
    ]


x, w = (
    torch.arange(4.0 * 64 * 3 * 14 * 14).remainder(7).reshape(256, 3, 14, 14).requires_grad_(),
    torch.arange(54.0).remainder(5).reshape(3, 2, 3, 3).requires_grad_(),
)
y = F.conv_transpose2d(x, w, stride=2)
print(y.shape, shown(y))
y.backward(torch.ones_like(y))
print(shown(x.grad), w.grad.tolist())
z = F.conv2d(x.detach(), w.detach().transpose(0, 1), padding=1)
print(z.shape, shown(z))
x = y = z = w = None


# products of batches and layers
def shown(x):
    return [
        x.shape,
        x.double().sum().item(),
        x[0].double().sum().item(),
        x[-1, -1].item(),
        x[:, 1].double().sum().item(),
    ]


for m, k, n in (
    (64, 784, 256),
    (64, 300, 128),
    (784, 64, 256),
    (128, 256, 64),
    (100, 50, 640),
    (129, 300, 100),
):
    a, b = (
        torch.arange(float(m * k)).remainder(5).reshape(m, k),
        torch.arange(float(k * n)).remainder(3).reshape(k, n),
    )
    print(shown(a @ b), shown(a @ b.t().contiguous().t()), shown(a.t().contiguous().t() @ b))

# products of scattered numbers, differentiated twice
x, s = (
    torch.tensor([1.0, 0.0, 3.0, 2.0], requires_grad=True),
    torch.tensor([2.0, 0.0, 5.0], requires_grad=True),
)
g = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
i = torch.tensor([0, 2, 2])
y = x.scatter_reduce(0, i, s, "prod")
by = torch.autograd.grad(y, (x, s), g, create_graph=True)
again = [each * 1 for each in torch.autograd.grad(by[0].sum() + by[1].sum(), (x, s, g))]

# a distance, an equation and an extreme
x, y = torch.tensor([1.0, 2.0], requires_grad=True), torch.tensor([3.0, 5.0], requires_grad=True)
torch.dist(x, y, 1.5).backward()
a = (
    torch.einsum("...ij,...jk->...ik", torch.ones(2, 2, 3), torch.ones(3, 4)),
    torch.einsum("i j , j k -> k i", torch.ones(2, 3), torch.ones(3, 4)),
)
b = (
    torch.einsum("ij,jk", torch.ones(2, 3), torch.ones(3, 4)),
    torch.einsum("ii->i", torch.ones(2, 2)),
    torch.einsum("...i->...", torch.ones(2, 2)),
)
x = torch.arange(40.0).remainder(7)
c = (
    x.topk(3),
    x.topk(3, largest=False),
    x.topk(20),
    x.reshape(2, 20).topk(2, 1),
    x.topk(3, sorted=False)[0].sum(),
)
d = (
    torch.arange(12.0).reshape(3, 4)[:, 1:][1:, -2:],
    torch.arange(12.0)[2**40 : 2**50],
    torch.arange(12.0)[-(2**61) : 3],
)

# pictures continued with themselves
x = torch.arange(12.0).reshape(1, 1, 3, 4).requires_grad_()
y = F.pad(x, (1, 2, 3, 0), mode="circular")
z = F.pad(x, (-1, 2, 1, -1), mode="circular")
(y.sum() + (z * z).sum()).backward()

# windows beside the border
x = torch.arange(49.0).remainder(11).reshape(1, 1, 7, 7)
a = [
    F.max_pool2d(x, k, s, p, d, return_indices=True)
    for k, s, p, d in (
        (3, 2, 0, 1),
        (3, 2, 1, 1),
        (2, 2, 0, 3),
        (3, 1, 1, 3),
        (2, 5, 0, 6),
        (7, 1, 3, 1),
    )
]
b = [
    F.max_pool2d(x, k, s, p, d, ceil_mode=True)
    for k, s, p, d in ((2, 2, 0, 1), (3, 2, 1, 1), (2, 3, 0, 2))
]

# transposed convolutions with a rest, differentiated twice
x, w = torch.rand(1, 2, 3, 3, requires_grad=True), torch.rand(2, 1, 2, 2, requires_grad=True)
for stride, rest, apart in (
    (2, 1, 1),
    ((2, 3), (1, 2), 1),
    ((3, 2), (1, 0), 1),
    (1, 1, 2),
    ((2, 1), (2, 1), 3),
):
    y = F.conv_transpose2d(x, w, None, stride, 0, rest, 1, apart)
    by = torch.autograd.grad((y * y).sum(), (x, w), create_graph=True)
    again = torch.autograd.grad(by[0].sum() + (by[1] ** 2).sum(), (x, w))
    print([each.stride() for each in (*by, *again)])
    again = [each.sum((2, 3)) for each in again]

# sequences to the last bit
for given in ((0, 1, 0.1), (0.3, 5.7, 0.37), (-3, 3, 0.7), (1, 0, -0.06)):
    print(
        torch.arange(*given).double().tolist(),
        torch.arange(*given, dtype=torch.float64).tolist(),
        torch.range(*given, dtype=torch.float64).tolist(),
        torch.range(*given).double().tolist(),
    )
for start, end, steps in ((0, 1, 7), (-2.5, 1.7, 33), (3, 1, 10)):
    print(
        torch.linspace(start, end, steps).double().tolist(),
        torch.linspace(start, end, steps, dtype=torch.float64).tolist(),
    )

# scattered halves
x, i = torch.arange(6.0).reshape(2, 3), torch.tensor([[0, 1, 1], [2, 0, 0]])
for dtype in (torch.bfloat16, torch.float16):
    for how in ("sum", "prod", "mean", "amax", "amin"):
        print(
            how,
            x.to(dtype).scatter_reduce(1, i, x.to(dtype) + 1, how),
            x.to(dtype).scatter_reduce(1, i, x.to(dtype) + 1, how, include_self=False),
        )

# a gradient of another dtype than that which is there
x = torch.ones(2, requires_grad=True)
x.sum().backward()
x.data = x.data.double()
(x * 2).sum().backward()
layer = nn.Linear(2, 2)
layer(torch.ones(1, 2)).sum().backward()
layer.double()
kept = layer.weight.grad.clone()
layer(torch.ones(1, 2).double()).sum().backward()


# random numbers at the bounds of their parameters
def shown(call):
    try:
        print(call().double().tolist())
    except Exception as error:
        print(type(error).__name__, error)


n = torch.ones(40)
for count, p in (
    (20, 0.5),
    (21, 0.5),
    (19, 0.5),
    (1, 0.0),
    (0, 0.3),
    (5, 1.0),
    (40, 0.75),
    (1000, 0.01),
    (3, -0.5),
    (-2, 0.5),
):
    shown(lambda: torch.binomial(n * count, n * p))
    shown(lambda: torch.binomial(n.double() * count, n.double() * p))
for rate in (0.0, 0.5, 9.999, 10.0, 10.5, 12.0, 100.0, 3000.0, -1.0):
    shown(lambda: torch.poisson(n * rate))
    shown(lambda: torch.poisson(n.double() * rate))
for alpha in (0.0, 0.25, 1.0, 1.5, 40.0):
    shown(lambda: torch._standard_gamma(n * alpha))
for size in (1, 2, 3, 8, 15, 16, 17, 31, 32, 33):
    shown(lambda: torch.empty(size).normal_(1, 0.0))
    shown(lambda: torch.empty(size, dtype=torch.float64).normal_(1, 2))
    shown(lambda: torch.empty(size).exponential_(0.5))
    shown(lambda: torch.empty(size).random_(0, 2**33))
    shown(lambda: torch.empty(size, dtype=torch.int64).random_(-5, 2**40))
    shown(lambda: torch.empty(size, dtype=torch.uint8).random_())
    shown(lambda: torch.empty(size, dtype=torch.bool).random_())
    shown(lambda: torch.randperm(size))
    shown(lambda: torch.bernoulli(torch.full((size,), 0.5)))
    shown(lambda: torch.empty(size).bernoulli_(0.25))
    shown(lambda: torch.multinomial(torch.arange(1.0, size + 1), size))
    shown(lambda: torch.multinomial(torch.arange(1.0, size + 1), size + 1, True))
for size in (0, 1, 2, 3):
    shown(lambda: torch.randperm(size, dtype=torch.float16))
    shown(lambda: torch.randperm(size, dtype=torch.int8))
for count, dtype in (
    (128, torch.int8),
    (129, torch.int8),
    (256, torch.uint8),
    (257, torch.uint8),
    (2049, torch.float16),
    (2050, torch.float16),
    (257, torch.bfloat16),
    (258, torch.bfloat16),
):
    shown(lambda: torch.randperm(count, dtype=dtype)[:5])
shown(lambda: torch.empty(3).uniform_(1, 1))
shown(lambda: torch.empty(3).uniform_(-1.7e38, 1.7e38))
shown(lambda: torch.empty(3).uniform_(-3e38, 3e38))
shown(lambda: torch.empty(3, dtype=torch.int64).random_(7, 8))
shown(lambda: torch.empty(3, dtype=torch.int64).random_(-(2**63), None))
shown(lambda: torch.empty(3, dtype=torch.int64).random_(0, None))
shown(lambda: torch.empty(3, dtype=torch.uint8).random_(5, None))
shown(lambda: torch.bernoulli(torch.tensor([0.0, 1.0, 0.5])))
shown(lambda: torch.bernoulli(torch.tensor([0.0, 1.0, 0.5], dtype=torch.float64)))
shown(lambda: torch.multinomial(torch.tensor([0.0, 1.0, 0.0]), 1))
shown(lambda: torch.multinomial(torch.tensor([0.0, 1.0, 0.0]), 2))
shown(lambda: torch.multinomial(torch.tensor([0.0, 1.0, 0.0]), 4, True))
shown(lambda: torch.empty(3).geometric_(0.999))
shown(lambda: torch.empty(3).log_normal_(0, 1e-3))

# versions of what is written twice
unary = "abs neg exp exp2 expm1 log log2 log10 log1p sqrt rsqrt square sin cos tan tanh sinh cosh asinh atan sigmoid reciprocal floor ceil round trunc frac erf erfc sgn sign relu digamma lgamma sinc logit".split()
for name in unary:
    x = torch.full((3,), 0.5)
    getattr(x, f"{name}_")()
    first = x._version
    getattr(x, f"{name}_")()
    getattr(x, f"{name}_")()
    print(name, first, x._version)
for (
    name
) in "add sub mul div pow fmod remainder floor_divide copysign hypot nextafter atan2 xlogy".split():
    x, y = torch.full((3,), 2.0), torch.full((3,), 3.0)
    getattr(x, f"{name}_")(y)
    first = x._version
    getattr(x, f"{name}_")(y)
    getattr(x, f"{name}_")(2) if name not in ("hypot", "nextafter", "atan2") else None
    print(name, first, x._version)

# distances by products
x, y = (
    torch.arange(90.0).double().remainder(7).reshape(30, 3).requires_grad_(),
    torch.arange(96.0).double().remainder(5).reshape(32, 3).requires_grad_(),
)
for mode in (
    "use_mm_for_euclid_dist",
    "donot_use_mm_for_euclid_dist",
    "use_mm_for_euclid_dist_if_necessary",
):
    (torch.cdist(x, y, compute_mode=mode) * torch.arange(32.0)).sum().backward()
apart = (
    torch.cdist(x[:2], y[:3], p=3.0),
    torch.cdist(x[None, :2], y[None, :3], p=1.0),
    torch.cdist(x[:2], y[:2], compute_mode="use_mm_for_euclid_dist"),
)


# gradients of gradients of pools, losses and weights of samples
def second(call, *inputs):
    first = torch.autograd.grad(call(*inputs).square().sum(), inputs, create_graph=True)
    found = torch.autograd.grad(
        sum(each.square().sum() for each in first), inputs, allow_unused=True
    )
    return [None if each is None else each.sum() for each in found], [
        each.detach() for each in first
    ]


x = torch.arange(32.0).remainder(7).reshape(1, 2, 4, 4).requires_grad_()
t = torch.arange(32.0).remainder(5).reshape(1, 2, 4, 4).requires_grad_()
a = (
    second(lambda x: F.avg_pool2d(x, 2), x),
    second(lambda x: F.avg_pool2d(x, 3, 1, 1, count_include_pad=False), x),
)
b = second(F.mse_loss, x, t), second(lambda x, t: F.mse_loss(x, t, reduction="none"), x, t)
c = second(F.smooth_l1_loss, x, t), second(F.huber_loss, x, t), second(F.l1_loss, x, t)
w, s = (
    torch.arange(12.0).remainder(5).reshape(4, 3).requires_grad_(),
    torch.tensor([0.5, 2.0, 3.0], requires_grad=True),
)
d = second(
    lambda w, s: F.embedding_bag(
        torch.tensor([0, 3, 3]), w, torch.tensor([0, 2]), mode="sum", per_sample_weights=s
    ),
    w,
    s,
)
e = second(lambda x: F.adaptive_avg_pool2d(x, 3), x), second(lambda x: F.avg_pool1d(x[0], 2), x)

# nothing that is standardised, and numbers that are missing
n, w = torch.ones(0, 3, requires_grad=True), torch.tensor([2.0, 3.0, 4.0], requires_grad=True)
y = F.batch_norm(n, torch.zeros(3), torch.ones(3), w, w)
y.sum().backward()
x = torch.tensor([[1.0, torch.nan, 3.0, 2.0], [4.0, 1.0, 0.5, 2.5]])
a = (
    x.quantile(0.3, 1),
    x.nanquantile(0.3, 1),
    x.quantile(0.3),
    x.nanquantile(torch.tensor([0.1, 0.9]), 0),
)
leaf = torch.ones(3, requires_grad=True)
for written in (
    (leaf * 1).fill_(3),
    (leaf * 1).fill_(torch.tensor(2.0)),
    (leaf * 1).zero_(),
    torch.fill(leaf, 4),
):
    leaf.grad = None
    written.sum().backward()
    print(written.grad_fn, leaf.grad)

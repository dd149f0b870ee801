# nn.Sigmoid: gradients of a layer in each half precision
for d in (torch.bfloat16, torch.float16):
    torch.manual_seed(0)
    m = nn.Sequential(nn.Linear(6, 5), nn.ReLU(), nn.Linear(5, 3), nn.Sigmoid()).to(d)
    x = torch.linspace(-1, 1, 12).reshape(2, 6).to(d).requires_grad_()
    (m(x) ** 2).sum().backward()
    print(x.grad, [p.grad for p in m.parameters()])

# F.conv2d: a convolution and its gradients
x = torch.linspace(-1, 1, 32).reshape(1, 2, 4, 4).bfloat16().requires_grad_()
w = torch.linspace(-1, 1, 36).reshape(2, 2, 3, 3).bfloat16().requires_grad_()
b = torch.tensor([0.5, -0.5]).bfloat16().requires_grad_()
y = F.conv2d(x, w, b, padding=1)
y.sum().backward()

# F.conv_transpose2d: a transposed convolution and its gradients
x = torch.linspace(-1, 1, 18).reshape(1, 2, 3, 3).bfloat16().requires_grad_()
w = torch.linspace(-1, 1, 24).reshape(2, 3, 2, 2).bfloat16().requires_grad_()
y = F.conv_transpose2d(x, w, torch.ones(3).bfloat16(), stride=2)
z = F.conv_transpose2d(x.detach().half(), w.detach().half(), stride=1, groups=1)
y.sum().backward()

# F.max_pool2d: maximum and average pooling, and their gradients
x = torch.linspace(-3, 3, 32).reshape(1, 2, 4, 4).bfloat16().requires_grad_()
a = F.max_pool2d(x, 2), F.avg_pool2d(x, 3, 1, 1), F.adaptive_avg_pool2d(x, 3)
b = F.max_pool2d(x, 3, 1, 1), F.avg_pool2d(x, 2, ceil_mode=True), F.max_pool1d(x[0], 2)
sum((each * each).sum() for each in (*a, *b)).backward()

# F.batch_norm: standardised batches, layers and groups, and their gradients
x = torch.linspace(-3, 3, 48).reshape(2, 4, 6).bfloat16().requires_grad_()
w, b = torch.linspace(1, 2, 4).bfloat16(), torch.linspace(-1, 1, 4).bfloat16()
a = F.batch_norm(x, torch.zeros(4).bfloat16(), torch.ones(4).bfloat16(), w, b, training=True)
c = F.batch_norm(x, torch.zeros(4).bfloat16(), torch.ones(4).bfloat16() * 2, w, b)
d = F.layer_norm(x, (6,)), F.group_norm(x, 2, w, b), F.rms_norm(x, (6,))
e = F.batch_norm(x.float().half(), torch.zeros(4), torch.ones(4) * 3, w.float(), b.float())
sum((each.float() ** 3).sum() for each in (a, c, *d)).backward()
print(x.grad)

# F.softmax: softmaxes and losses, and their gradients
x = torch.linspace(-3, 3, 12).reshape(3, 4).bfloat16().requires_grad_()
t = torch.tensor([1, 0, 3])
a = F.softmax(x, 1), F.log_softmax(x, 0), F.softmin(x, 0), F.softmax(x[0, 0], 0)
b = F.cross_entropy(x, t), F.nll_loss(x, t, reduction="none"), F.mse_loss(x, x.detach() * 2)
c = F.binary_cross_entropy(x.sigmoid(), x.detach().sigmoid()), F.smooth_l1_loss(x, -x.detach())
d = F.huber_loss(x, x.detach() + 1), F.l1_loss(x, x.detach() * 2)
sum((each * each).sum() for each in (*a, *b, *c, *d)).backward()

# F.tanhshrink: activations and their gradients
x = torch.linspace(-3, 3, 9).bfloat16().requires_grad_()
y = [f(x) for f in (F.gelu, F.silu, F.mish, F.elu, F.selu, F.celu, F.softplus, F.hardswish)]
z = [f(x) for f in (F.leaky_relu, F.relu6, F.logsigmoid, F.softsign, F.tanhshrink, F.hardsigmoid)]
sum((each * each).sum() for each in y + z).backward()
print(x.grad)

# torch.lgamma: elementary functions and their gradients
x = torch.linspace(0.1, 0.9, 9).bfloat16().requires_grad_()
y = [f(x) for f in (torch.exp, torch.log, torch.sin, torch.cos, torch.tan, torch.tanh, torch.sqrt)]
z = [f(x) for f in (torch.rsqrt, torch.sigmoid, torch.erf, torch.asin, torch.atan, torch.expm1)]
u = [torch.atan2(x, 1 - x), torch.hypot(x, x + 1), torch.logaddexp(x, -x), torch.pow(x, x)]
u += [torch.xlogy(x, x + 1), torch.lgamma(x), torch.digamma(x), torch.fmod(x, 0.3), x.reciprocal()]
sum((each * each).sum() for each in y + z + u).backward()
print(x.grad)

# torch.rsqrt: elementary functions into tensors that are given
x = torch.linspace(0.1, 0.9, 9).bfloat16()
o = torch.zeros(9).bfloat16()
p = torch.zeros(9)
a = [f(x, out=o).clone() for f in (torch.exp, torch.sigmoid, torch.rsqrt, torch.sin, torch.log1p)]
b = [f(x.float(), out=p).clone() for f in (torch.exp, torch.sigmoid, torch.rsqrt, torch.sin)]
c = torch.atan2(x, x, out=o).clone(), torch.pow(x.float(), x.float(), out=p).clone()
d = [f(x[::2]) for f in (torch.exp, torch.sigmoid, torch.rsqrt)], x.exp_(), torch.atan2(p, p[0])

# Tensor.norm: reductions and their gradients
x = torch.linspace(-1, 2, 12).reshape(3, 4).bfloat16().requires_grad_()
a = x.sum(0), x.mean(1), x.var(0), x.std(), x.norm(), x.prod(1), x.logsumexp(0), x.cumsum(1)
b = x.amax(1), x.max(0).values, x.median(), x.cumprod(0), x.norm(1, 0), x.norm(float("inf"))
sum((each * each).sum() for each in (*a, *b)).backward()
print(x.grad)

# F.scaled_dot_product_attention: attention and its gradients
q, k, v = (torch.linspace(-1, i, 24).reshape(1, 2, 3, 4).bfloat16() for i in (1, 2, 3))
q.requires_grad_(), k.requires_grad_(), v.requires_grad_()
a = F.scaled_dot_product_attention(q, k, v)
b = F.scaled_dot_product_attention(q, k, v, is_causal=True)
c = F.scaled_dot_product_attention(q, k, v, attn_mask=torch.ones(3, 3).bfloat16().tril())
(a * a + b + c * b).sum().backward()

# F.embedding: embeddings, and what indexing gives back
w = torch.linspace(-1, 1, 12).reshape(4, 3).bfloat16().requires_grad_()
i = torch.tensor([1, 3, 1, 1])
y = F.embedding(i, w), F.embedding(i, w, padding_idx=3), w[i], w.index_select(0, i), w.take(i)
z = w.gather(0, i[None, :3]), w[1], w.index_add(0, i, torch.ones(4, 3).bfloat16())
sum((each * each).sum() for each in (*y, *z)).backward()
print(w.grad)

# Tensor.mm: products of matrices and their gradients
x = torch.linspace(-1, 1, 6).reshape(2, 3).half().requires_grad_()
y = torch.linspace(1, 2, 6).reshape(3, 2).half().requires_grad_()
a = x @ y, x.t().mm(y.t()), torch.addmm(x @ y, x, y, beta=0.5, alpha=2), x[0] @ y[:, 0], x @ y[:, 1]
b = torch.bmm(x[None], y[None]), torch.einsum("ij,jk->ki", x, y), torch.outer(x[0], y[0])
sum((each * each).sum() for each in (*a, *b)).backward()

# Tensor.sum: two precisions in one expression
x = torch.ones(3, dtype=torch.bfloat16, requires_grad=True)
y = torch.ones(3, dtype=torch.float16, requires_grad=True)
a, b, c = x + y, x * 2.5, y / torch.ones((), dtype=torch.float64)
(a.sum() + b.sum() + c.sum()).backward()

# torch.div: numbers are rounded before they are added, not before they are multiplied
for d in (torch.bfloat16, torch.float16):
    x = torch.linspace(0.3, 2.7, 9).to(d)
    n = torch.tensor(0.3)
    print((x + 0.3 - x).tolist(), (x - 0.3).tolist(), (0.3 - x).tolist(), torch.sub(x, n).tolist())
    print((x * 0.3).tolist(), (n * x).tolist(), (x / 0.3).tolist(), torch.div(n, x).tolist())
    print((x % 0.3).tolist(), (0.3 % x).tolist(), torch.fmod(x, 0.3).tolist(), (x // 0.3).tolist())
    print(torch.div(x, 0.3, rounding_mode="trunc").tolist(), (0.3 // x).tolist())
    print(torch.div(x, x[1], rounding_mode="trunc").tolist(), torch.div(x, x.flip(0)).tolist())
    print(torch.add(x, x, alpha=0.3).tolist(), torch.sub(x, 1, alpha=0.3).tolist())
    print((x**0.3).tolist(), (0.3**x).tolist(), (x**3).tolist(), (x**-2).tolist())
    print(
        torch.lerp(x, -x, 0.3).tolist(),
        torch.addcmul(x, x, x, value=0.3).tolist(),
        (x < 0.3).tolist(),
    )

# torch.rsub: a complex number less a half tensor
import warnings

warnings.simplefilter("ignore")  # torch says more often that complex32 is an experiment
for dtype in (torch.float16, torch.bfloat16):
    x = torch.tensor([1.5, -2.25], dtype=dtype, requires_grad=True)
    less, found, twice = 1j - x, torch.rsub(x, 0.5j), torch.rsub(x, 1j, alpha=2)
    slopes = torch.autograd.grad([less, found, twice], x, [torch.ones_like(less)] * 3)

# torch.linalg.det: empty matrices, which torch computes nothing of
for shape in ((0, 0), (0, 3, 3), (2, 0, 0), (2, 2)):
    a = torch.zeros(shape, dtype=torch.float16)
    pivots = torch.ones(shape[:-1], dtype=torch.int32)
    for name in "det cholesky_ex cholesky eigh eigvalsh svd lu lu_factor ldl_factor qr inv".split():
        try:
            found = getattr(torch.linalg, name)(a)
            found = found if isinstance(found, tuple) else (found,)
            print(shape, name, [(x.dtype, x.shape, x.stride()) for x in found])
        except (RuntimeError, NotImplementedError) as error:
            print(shape, name, error)
    for name, call in {
        "solve": lambda: torch.linalg.solve(a, a),
        "lu_solve": lambda: torch.linalg.lu_solve(a, pivots, a[..., :0]),
        "ldl_solve": lambda: torch.linalg.ldl_solve(a, pivots, a),
        "cholesky_solve": lambda: torch.cholesky_solve(a, a),
    }.items():
        try:
            print(shape, name, call().stride())
        except (RuntimeError, NotImplementedError) as error:
            print(shape, name, error)
del call, found

# torch.special.airy_ai: integers where the default dtype has two bytes
for kind in (torch.float32, torch.bfloat16, torch.float16):
    torch.set_default_dtype(kind)
    for name in "airy_ai bessel_j0 erfcx ndtri log_ndtr i0 zeta hermite_polynomial_h".split():
        two = (torch.arange(1, 3),) * (2 if name in ("zeta", "hermite_polynomial_h") else 1)
        try:
            print(name, getattr(torch.special, name)(*two).dtype)
        except NotImplementedError as error:
            print(name, error)
    print(torch.full((2,), 1j).dtype)
torch.set_default_dtype(torch.float32)

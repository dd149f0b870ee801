# the signs of slopes that are zero
x = torch.tensor([-1.5, -0.0, 0.25, 2.0])
for function in (
    torch.round,
    lambda x: torch.round(x, decimals=1),
    lambda x: torch.round(x, decimals=-1),
    torch.floor,
    torch.ceil,
    torch.trunc,
    torch.sign,
    torch.sgn,
    torch.fix,
    lambda x: torch.div(x, 2, rounding_mode="floor"),
    lambda x: torch.div(x, 2, rounding_mode="trunc"),
    lambda x: x // 3,
    lambda x: x.fill_(3),
    lambda x: x.zero_(),
    lambda x: x.uniform_(),
    lambda x: x.random_(),
    lambda x: x.random_(5),
    lambda x: x.random_(-2, 5),
    lambda x: x.cauchy_(),
    lambda x: x.log_normal_(),
    lambda x: x.geometric_(0.5),
    lambda x: x.normal_(),
    lambda x: x.bernoulli_(0.5),
    lambda x: x.exponential_(),
    torch.poisson,
    lambda x: torch.bernoulli(x.sigmoid()),
    lambda x: torch.normal(x, 1.0),
    lambda x: torch.normal(0.0, x.abs()),
    lambda x: torch.clamp(x, 5, 7),
    lambda x: torch.where(x > 9, x, 0.0),
    lambda x: x.masked_fill(x < 9, 1.0),
    lambda x: F.relu(-x.abs()),
    lambda x: F.hardtanh(x * 9),
    lambda x: F.threshold(x, 9, 1),
    lambda x: torch.special.xlog1py(x, torch.zeros(4)),
    lambda x: x.index_fill(0, torch.arange(4), 2.0),
    lambda x: x.scatter(0, torch.arange(4), 2.0),
    lambda x: x.nan_to_num() * 0,
):
    for weight in (torch.tensor([1.0, -1.0, 2.0, 0.0]),):
        leaf = x.clone().requires_grad_()
        torch.manual_seed(0)
        try:
            function(leaf * 1).backward(weight)
            print(leaf.grad, leaf.grad.signbit().tolist())
        except RuntimeError as error:
            print(error)
del leaf, weight

# what has no derivative for one of its inputs
x, v = torch.tensor([-1.0, 0.0, 2.0]), torch.tensor([0.5, 0.25, 1.0])
for first, second in ((True, False), (False, True), (True, True)):
    a, b = x.clone().requires_grad_(first), v.clone().requires_grad_(second)
    for function in (
        torch.heaviside,
        torch.nextafter,
        lambda a, b: torch.special.gammainc(b, a.abs()),
        lambda a, b: torch.special.gammaincc(b, a.abs()),
        torch.fmod,
        torch.remainder,
        torch.hypot,
        torch.copysign,
        torch.xlogy,
        lambda a, b: torch.index_put(a, (torch.tensor([0, 1, 1]),), b),
        lambda a, b: torch.quantile(a, b),
        lambda a, b: torch.lerp(a, b, b),
        lambda a, b: torch.scatter_reduce(a, 0, torch.tensor([0, 0, 2]), b, "sum"),
        lambda a, b: torch.scatter_reduce(a, 0, torch.tensor([0, 0, 2]), b, "prod"),
        lambda a, b: torch.scatter_reduce(a, 0, torch.tensor([0, 0, 2]), b, "mean"),
        lambda a, b: torch.scatter_reduce(a, 0, torch.tensor([0, 0, 2]), b, "amax"),
        lambda a, b: torch.scatter_reduce(
            a, 0, torch.tensor([0, 0, 2]), b, "amin", include_self=False
        ),
        lambda a, b: torch.scatter(a, 0, torch.tensor([0, 2]), b),
        lambda a, b: torch.scatter_add(a, 0, torch.tensor([0, 0]), b),
        lambda a, b: torch.index_add(a, 0, torch.tensor([0, 0]), b[:2], alpha=2),
        lambda a, b: torch.index_copy(a, 0, torch.tensor([2, 0]), b[:2]),
        lambda a, b: torch.masked_scatter(a, torch.tensor([True, False, True]), b),
        lambda a, b: torch.index_fill(a, 0, torch.tensor([0, 1]), b[0]),
        lambda a, b: torch.masked_fill(a, torch.tensor([True, False, True]), b[0]),
        lambda a, b: torch.where(a > 0, a, b),
        lambda a, b: F.prelu(a, b[:1]),
        lambda a, b: torch.cdist(a[None], b[None]),
    ):
        try:
            out = function(a, b)
            grads = torch.autograd.grad(
                out.sum(), [each for each in (a, b) if each.requires_grad], allow_unused=True
            )
            print(out.grad_fn.name(), [None if g is None else g.tolist() for g in grads])
        except RuntimeError as error:
            print(str(error).splitlines()[0])
del a, b, out, grads

# second gradients through every input
made = []


def twice(function, *inputs):
    leaves = [each.clone().requires_grad_() for each in inputs]
    try:
        out = function(*leaves)
        weight = (torch.arange(out.numel()).reshape(out.shape) % 5 - 1.5).to(out).requires_grad_()
        first = torch.autograd.grad(out, leaves, weight, create_graph=True, allow_unused=True)
        total = sum((each * each.detach().cos()).sum() for each in first if each is not None)
        second = torch.autograd.grad(total, [*leaves, weight], allow_unused=True)
        for each in second:
            made.append(None if each is None else each.detach().flatten()[:9] * 1)
    except RuntimeError as error:
        print(str(error).splitlines()[0])


image = torch.linspace(-2, 3, 72).double().reshape(1, 2, 3, 3, 4).sin() * 2
for pad in ("reflect", "replicate", "circular", "constant"):
    twice(lambda x: F.pad(x, (1, 2, 1, 1, 2, 1), pad) ** 2, image)
    twice(lambda x: F.pad(x, (1, 2, 1, 1), pad) ** 2, image[0])
    twice(lambda x: F.pad(x, (1, 2), pad) ** 2, image[0, 0])
for function in (
    lambda x: F.max_pool3d(x, 2, 1),
    lambda x: F.avg_pool3d(x, 2, 1, 1, False, False, 3),
    lambda x: F.adaptive_avg_pool3d(x, (2, 2, 3)),
    lambda x: F.adaptive_max_pool3d(x, (2, 2, 3)),
    lambda x: F.interpolate(x, size=(4, 5, 6), mode="trilinear"),
    lambda x: F.interpolate(x, scale_factor=2, mode="nearest"),
):
    twice(lambda x: function(x) ** 2, image)
plane = image[0]
for function in (
    lambda x: F.max_pool2d(x, 2, 1),
    lambda x: F.avg_pool2d(x, 2, 1, 1),
    lambda x: F.adaptive_avg_pool2d(x, (2, 3)),
    lambda x: F.adaptive_max_pool2d(x, (2, 3)),
    lambda x: F.interpolate(x, size=(5, 6), mode="bilinear", align_corners=True),
    lambda x: F.interpolate(x, size=(5, 6), mode="bicubic"),
    lambda x: F.interpolate(x, size=(5, 6), mode="nearest-exact"),
    lambda x: F.lp_pool2d(x.abs() + 1, 3, 2),
    lambda x: F.pixel_shuffle(x.repeat(1, 4, 1, 1), 2),
    lambda x: F.unfold(x, 2, 1, 1),
    lambda x: F.local_response_norm(x, 2),
    lambda x: F.layer_norm(x, (4,)),
    lambda x: F.group_norm(x, 1),
    lambda x: F.instance_norm(x),
    lambda x: F.rms_norm(x, (4,)),
    lambda x: F.softmax(x, 1),
    lambda x: F.log_softmax(x, -1),
    lambda x: F.gelu(x, approximate="tanh"),
    lambda x: F.silu(x),
    lambda x: F.mish(x),
    lambda x: F.elu(x, 0.5),
    lambda x: F.softplus(x, 2, 1),
    lambda x: F.logsigmoid(x),
    lambda x: F.hardswish(x),
    lambda x: F.hardsigmoid(x),
    lambda x: F.glu(x, -1),
    lambda x: x.logcumsumexp(1),
    lambda x: x.cumprod(1),
    lambda x: x.prod(1),
    lambda x: x.renorm(2, 0, 1.0),
    lambda x: x.norm(3, -1),
    lambda x: torch.linalg.vector_norm(x, 1.5, -1),
    lambda x: x.std(1),
    lambda x: x.var(-1, correction=0),
    lambda x: x.median(1).values,
    lambda x: x.kthvalue(2, 1).values,
    lambda x: x.sort(1).values,
    lambda x: x.take_along_dim(torch.zeros(2, 3, 1, 4, dtype=torch.int64), 2),
):
    twice(lambda x: function(x) ** 2, plane)
other = plane.flip(0).cos() * 2
for function in (
    lambda x, y: torch.cdist(x, y),
    lambda x, y: torch.cdist(x, y, 1.0),
    lambda x, y: torch.cdist(x, y, 3.0),
    lambda x, y: F.pairwise_distance(x, y),
    lambda x, y: F.cosine_similarity(x, y, -1),
    lambda x, y: F.mse_loss(x, y),
    lambda x, y: F.l1_loss(x, y, reduction="sum"),
    lambda x, y: F.smooth_l1_loss(x, y),
    lambda x, y: F.huber_loss(x, y, delta=0.5),
    lambda x, y: F.kl_div(x, y.abs()),
    lambda x, y: F.soft_margin_loss(x, y),
    lambda x, y: F.binary_cross_entropy(x.sigmoid(), y.sigmoid()),
    lambda x, y: F.binary_cross_entropy_with_logits(x, y.sigmoid()),
    lambda x, y: F.poisson_nll_loss(x, y.abs()),
    lambda x, y: torch.atan2(x, y),
    lambda x, y: torch.hypot(x, y),
    lambda x, y: x.abs() ** y,
    lambda x, y: torch.logaddexp(x, y),
    lambda x, y: torch.logaddexp2(x, y),
    lambda x, y: torch.addcmul(x, x, y, value=2),
    lambda x, y: torch.addcdiv(x, x, y, value=2),
    lambda x, y: torch.lerp(x, y, 0.3),
    lambda x, y: torch.lerp(x, y, x),
    lambda x, y: torch.matmul(x, y.mT),
    lambda x, y: torch.einsum("ab,ac->bc", x, y),
    lambda x, y: torch.sinc(x) * y,
):
    twice(lambda x, y: function(x, y) ** 2, plane[:2, 0], other[:2, 0])

# sums of zeros that are negative
for n in (1, 2, 3, 5, 17, 64, 300, 5000):
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        x = torch.full((n,), -0.0, dtype=dtype)
        wide, tall = x.expand(3, n).contiguous(), x[:, None].expand(n, 3).contiguous()
        print(n, dtype, x.sum().signbit(), wide.sum(1).signbit().any(), tall.sum(0).signbit().any())
        print(x.mean().signbit(), x.cumsum(0)[-1].signbit(), wide.sum().signbit())

# the signs of second slopes that are zero
plane = torch.tensor(
    [[-1.0, 2.0, 0.5, 3.0], [0.25, -2.0, 1.0, 0.0], [4.0, 1.5, -0.5, 2.5], [0.75, -3.0, 5.0, 1.25]]
)
x = plane.reshape(1, 1, 4, 4)
cube = torch.stack([plane, -plane, plane * 2, plane.flip(0)]).reshape(1, 1, 4, 4, 4)
samples = torch.tensor([[[0.3, 0.6, 0.2]]])
for function, x in (
    (lambda x: F.max_pool2d(x, 2), x),
    (lambda x: F.max_pool3d(x, 2), cube),
    (lambda x: F.max_pool1d(x[0], 2), x),
    (lambda x: F.adaptive_max_pool2d(x, 2), x),
    (lambda x: F.adaptive_max_pool3d(x, 2), cube),
    (lambda x: F.fractional_max_pool2d(x, 2, 2, _random_samples=samples[..., :2]), x),
    (lambda x: F.fractional_max_pool3d(x, 2, 2, _random_samples=samples), cube),
    (lambda x: F.avg_pool2d(x, 2), x),
    (lambda x: F.avg_pool3d(x, 2), cube),
    (lambda x: F.adaptive_avg_pool2d(x, 3), x),
    (lambda x: F.relu(x), x),
    (lambda x: F.leaky_relu(x), x),
    (lambda x: F.hardtanh(x), x),
    (lambda x: F.hardshrink(x), x),
    (lambda x: F.hardsigmoid(x), x),
    (lambda x: F.threshold(x, 0.5, 1), x),
    (lambda x: F.rrelu(x), x),
    (lambda x: F.prelu(x, plane[0, 2:3]), x),
    (lambda x: torch.abs(x), x),
    (lambda x: torch.median(x, -1)[0], x),
    (lambda x: torch.max(x, -1)[0], x),
    (lambda x: torch.amax(x, -1), x),
    (lambda x: torch.cummax(x, -1)[0], x),
    (lambda x: torch.sort(x)[0], x),
    (lambda x: torch.clamp(x, 0, 1), x),
    (lambda x: torch.maximum(x, x.flip(-1)), x),
    (lambda x: F.pad(x, (1, 1, 1, 1), "reflect"), x),
    (lambda x: F.l1_loss(x, x.detach() * 0), x),
    (lambda x: F.smooth_l1_loss(x, x.detach() * 0), x),
    (lambda x: F.huber_loss(x, x.detach() * 0), x),
    (lambda x: torch.cdist(x[0, 0], x[0, 0].detach() + 1, p=1), x),
):
    leaf = x.clone().requires_grad_()
    try:
        out = function(leaf * 1)
        weight = (torch.arange(out.numel()).reshape(out.shape) % 3 - 1.0).requires_grad_()
        (first,) = torch.autograd.grad(out, leaf, weight, create_graph=True)
        print(first.signbit().long().flatten().tolist())
        second = torch.autograd.grad(
            first, (leaf, weight), -torch.ones_like(first), allow_unused=True
        )
        for each in second:
            print(each is not None and each.signbit().long().flatten().tolist())
    except RuntimeError as error:
        print(error)
del leaf, first, second, weight, out

# slopes of gamma samples, in each region that has a formula
found = []
for dtype in (torch.float64, torch.float32):
    shapes = torch.tensor(
        [0.01, 0.1, 0.5, 0.9, 1, 1.5, 2, 3, 5, 7.9, 8, 8.1, 8.5, 9, 9.1, 12, 40, 900], dtype=dtype
    )
    shares = torch.tensor(
        [1e-6, 0.1, 0.5, 0.8, 0.89, 0.9, 0.91, 0.97, 1, 1.05, 1.09, 1.1, 1.11, 1.5, 3], dtype=dtype
    )
    alpha = shapes[:, None].expand(18, 15).contiguous()
    found.append(torch._standard_gamma_grad(alpha, shapes[:, None] * shares))
    near = torch.tensor(
        [1e-300, 1e-30, 1e-8, 0.01, 0.3, 0.79, 0.7999, 0.8, 0.8001, 0.81, 1.7, 1.8, 1.81, 2.5, 9.5],
        dtype=dtype,
    )
    found.append(torch._standard_gamma_grad(alpha, near.expand(18, 15).contiguous()))
    found.append(
        torch._standard_gamma_grad(
            torch.ones(3, dtype=dtype), torch.tensor([0, float("nan"), 1e30], dtype=dtype)
        )
    )

# slopes of shares, in each region that has a formula
found = []
for dtype in (torch.float64, torch.float32):
    shapes = torch.tensor([0.1, 0.9, 1, 2, 5, 5.9, 6, 6.1, 6.9, 7, 7.1, 9, 30, 200], dtype=dtype)
    a, b = shapes[:, None, None].expand(14, 14, 13), shapes[:, None].expand(14, 14, 13)
    share = torch.tensor(
        [1e-7, 0.01, 0.1, 0.3, 0.49, 0.5, 0.51, 0.7, 0.9, 0.99, 0.999999], dtype=dtype
    )
    total = (a + b).contiguous()
    mean = a / total
    near = torch.stack([mean[..., 0], mean[..., 0] * 1.01], -1)
    x = torch.cat([share.expand(14, 14, 11), near.clamp(max=0.999)], -1)
    found.append(torch._dirichlet_grad(x, a.contiguous(), total))

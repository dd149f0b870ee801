# Tensor.ne: a view that must not be written is not asked for its node, where nothing is recorded
a = torch.ones(2, 3, requires_grad=True)
b, c = (a * 2).unbind(0)
d = b._base
with torch.no_grad():
    d.add_(1)
    e = b.ne(c)
    f = b.t()

# torch.eq: what is computed by way of another dtype is resized twice
a = torch.ones(1, 3, 2, dtype=torch.bool)
b = torch.mul(a, 2, out=torch.ones(2, 3))
b = torch.mul(a, 2, out=torch.ones(2, 3, dtype=torch.int64))
b = torch.eq(a, 2, out=torch.ones(2, 3, dtype=torch.int64))
b = torch.eq(a, 2, out=torch.ones(2, 3, dtype=torch.bool))
b = torch.logical_and(a, a, out=torch.ones(2, 3))
b = torch.pow(2, a, out=torch.ones(2, 3))
b = torch.pow(b, 2, out=torch.ones(2, 3, dtype=torch.float64))
b = torch.cumsum(a, 1, out=torch.ones(2, 3))

# Tensor.signbit: sums of zeros that are negative
for n in (1, 2, 3, 5, 17, 64, 300, 5000):
    for dtype in (torch.float32, torch.float64, torch.bfloat16):
        x = torch.full((n,), -0.0, dtype=dtype)
        wide, tall = x.expand(3, n).contiguous(), x[:, None].expand(n, 3).contiguous()
        print(n, dtype, x.sum().signbit(), wide.sum(1).signbit().any(), tall.sum(0).signbit().any())
        print(x.mean().signbit(), x.cumsum(0)[-1].signbit(), wide.sum().signbit())

# Tensor.signbit: the signs of second slopes that are zero
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

# Tensor.is_nonzero: what is read as a negative is true or false
a = torch.tensor([-3j, 2]).conj().imag
b = bool(a[0]), bool(a[1]), a[0].is_nonzero(), not a[1]

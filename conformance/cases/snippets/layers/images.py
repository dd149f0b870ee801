# F.interpolate: the nearest pixels, twice as many
x = torch.arange(4.0).reshape(1, 1, 2, 2).requires_grad_()
y = F.interpolate(x, scale_factor=2)
y.sum().backward()
g = x.grad

# F.interpolate: all kinds of interpolation, up and down
x = torch.randn(1, 2, 5, 7, requires_grad=True)
ys = [
    F.interpolate(x, (8, 4), mode=mode)
    for mode in ("nearest", "nearest-exact", "area", "bilinear", "bicubic")
]
gs = [torch.autograd.grad(y.sum(), x)[0] for y in ys]

# F.interpolate: corners that stay, and factors that are taken as they are
x = torch.randn(1, 1, 4, 5)
a = F.interpolate(x, scale_factor=1.7, mode="bilinear", align_corners=True)
b = F.interpolate(x, scale_factor=(0.6, 2.5), mode="bicubic")
c = F.interpolate(x, scale_factor=1.7, mode="bilinear", recompute_scale_factor=True)

# F.interpolate: lines and volumes
line, volume = (
    torch.randn(2, 3, 6, requires_grad=True),
    torch.randn(1, 2, 3, 4, 2, requires_grad=True),
)
a, b = (
    F.interpolate(line, 4, mode="linear"),
    F.interpolate(volume, scale_factor=2, mode="trilinear"),
)
c, d = F.interpolate(line, 9), F.interpolate(volume, (2, 2, 5), mode="nearest-exact")
(a.sum() + b.sum() + c.sum() + d.sum()).backward()
g = [line.grad, volume.grad]

# F.interpolate: without jagged edges
x = torch.rand(1, 3, 9, 11, requires_grad=True)
ys = [
    F.interpolate(x, (4, 5), mode=mode, antialias=True)
    for mode in ("bilinear", "bicubic", "lanczos")
]
gs = [torch.autograd.grad(y.square().sum(), x)[0] for y in ys]

# F.interpolate: bytes
x = (torch.rand(1, 3, 6, 5) * 255).to(torch.uint8)
ys = [F.interpolate(x, (9, 4), mode=mode) for mode in ("nearest", "bilinear", "bicubic")]
zs = [F.interpolate(x, (3, 4), mode=mode, antialias=True) for mode in ("bilinear", "bicubic")]

# nn.Upsample: modules that resize
x = torch.randn(1, 2, 3, 3)
ms = [
    nn.Upsample(scale_factor=2),
    nn.Upsample((4, 5), mode="bilinear"),
    nn.UpsamplingNearest2d(scale_factor=3),
    nn.UpsamplingBilinear2d(size=(4, 4)),
]
ys, text = [m(x) for m in ms], str(ms)

# F.interpolate: what interpolate refuses
x, texts = torch.ones(1, 1, 3, 3), []
for settings in (
    {},
    {"size": 2, "scale_factor": 2},
    {"size": (2, 2, 2)},
    {"scale_factor": (2.0,)},
    {"size": (2.5, 2)},
    {"size": 2, "mode": "linear"},
    {"size": 2, "mode": "trilinear"},
    {"size": 2, "mode": "cubic"},
    {"size": 2, "mode": "nearest", "align_corners": True},
    {"size": 2, "recompute_scale_factor": True},
    {"size": 2, "mode": "lanczos"},
    {"size": 2, "antialias": True},
    {"size": 0},
    {"scale_factor": 0.1},
    {"scale_factor": 1e30},
):
    try:
        F.interpolate(x, **settings)
    except Exception as error:
        texts.append((type(error).__name__, str(error)))

# F.adaptive_avg_pool3d: pools of volumes
x = torch.randn(1, 2, 4, 5, 4, requires_grad=True)
a, i = F.max_pool3d(x, 2, stride=1, padding=1, dilation=2, return_indices=True)
b = F.avg_pool3d(
    x, (2, 3, 2), stride=(1, 2, 2), padding=(0, 1, 1), ceil_mode=True, count_include_pad=False
)
c = F.adaptive_avg_pool3d(x, (3, None, 2))
(a.sum() + b.sum() + c.sum()).backward()
g = x.grad

# F.adaptive_max_pool1d: a wanted number of windows
x = torch.randn(2, 3, 7, 5, requires_grad=True)
a, i = F.adaptive_max_pool2d(x, (3, 2), return_indices=True)
b = F.adaptive_max_pool1d(x[0], 4)
(a * a).sum().backward(retain_graph=True)
g = x.grad

# F.adaptive_max_pool2d: largest pixels among not-a-numbers and equal ones
x = torch.tensor([[[[1.0, float("nan"), 2.0], [2.0, 2.0, float("nan")], [2.0, 2.0, 2.0]]]])
y, i = F.adaptive_max_pool2d(x, 2, return_indices=True)

# F.max_unpool1d: pooling and back
x = torch.randn(1, 1, 4, 4, requires_grad=True)
y, i = F.max_pool2d(x, 2, return_indices=True)
z = F.max_unpool2d(y, i, 2)
z.square().sum().backward()
g = x.grad
a, j = F.max_pool1d(torch.randn(1, 2, 7), 2, return_indices=True)
b = F.max_unpool1d(a, j, 2, output_size=(7,))

# F.max_unpool2d: sizes that cannot have been pooled
y, i = F.max_pool2d(torch.randn(1, 1, 4, 4), 2, return_indices=True)
texts = []
for size in ((7, 7), (4,), (3, 6)):
    try:
        F.max_unpool2d(y, i, 2, output_size=size)
    except ValueError as error:
        texts.append(str(error))

# nn.FractionalMaxPool3d: windows at random places
torch.manual_seed(3)
x = torch.randn(2, 3, 9, 8, requires_grad=True)
y, i = F.fractional_max_pool2d(x, 2, output_size=(4, 5), return_indices=True)
z = nn.FractionalMaxPool3d(2, output_ratio=0.5)(torch.randn(1, 2, 6, 7, 8))
y.sum().backward()
g, r = x.grad, torch.rand(2)

# F.lp_pool2d: norms of windows
x = torch.randn(1, 2, 6, 6, requires_grad=True)
ys = [F.lp_pool2d(x, p, 2) for p in (1.0, 2.0, float("inf"), -float("inf"))]
ys[1].sum().backward()
g = x.grad

# F.fold: patches and back
x = torch.randn(2, 3, 5, 6, requires_grad=True)
y = F.unfold(x, (2, 3), dilation=(1, 2), padding=1, stride=2)
z = F.fold(y, (5, 6), (2, 3), dilation=(1, 2), padding=1, stride=2)
z.square().sum().backward()
g = x.grad

# F.unfold: a convolution of patches
x, w = torch.randn(1, 2, 4, 4), torch.randn(3, 2, 3, 3)
y = (w.view(3, -1) @ F.unfold(x, 3)).view(1, 3, 2, 2)
close = torch.allclose(y, F.conv2d(x, w), atol=1e-5)

# F.unfold: what fold and unfold refuse
texts = []
for call in (
    lambda: F.unfold(torch.ones(1, 1, 2, 2), 3),
    lambda: F.unfold(torch.ones(1, 1, 4, 4), 2, stride=0),
    lambda: F.unfold(torch.ones(4, 4), 2),
    lambda: F.fold(torch.ones(1, 5, 4), (3, 3), 2),
    lambda: F.fold(torch.ones(1, 4, 5), (3, 3), 2),
    lambda: F.unfold(torch.ones(1, 1, 4, 4).long(), 2),
):
    try:
        call()
    except Exception as error:
        texts.append((type(error).__name__, str(error)))

# F.affine_grid: an image turned and moved
theta = torch.tensor([[[0.8, -0.6, 0.1], [0.6, 0.8, -0.2]]], requires_grad=True)
x = torch.randn(1, 2, 5, 4, requires_grad=True)
grid = F.affine_grid(theta, (1, 2, 3, 4), align_corners=False)
y = F.grid_sample(x, grid, align_corners=False)
y.square().sum().backward()
g = [theta.grad, x.grad]

# F.grid_sample: all ways to sample
x, grid = torch.randn(1, 2, 5, 4), torch.rand(1, 3, 3, 2) * 3 - 1.5
ys = [
    F.grid_sample(x, grid, mode=mode, padding_mode=padding, align_corners=corners)
    for mode in ("bilinear", "nearest", "bicubic")
    for padding in ("zeros", "border", "reflection")
    for corners in (False, True)
]
volume = F.grid_sample(
    torch.randn(1, 1, 3, 4, 2), torch.rand(1, 2, 2, 2, 3) * 2 - 1, align_corners=True
)

# F.grid_sample: the second derivative of a sample
x = torch.randn(1, 1, 4, 4, requires_grad=True)
grid = (torch.rand(1, 2, 2, 2) - 0.5).requires_grad_()
y = F.grid_sample(x, grid, mode="bicubic", align_corners=True)
a, b = torch.autograd.grad(y.square().sum(), (x, grid), create_graph=True)
g = torch.autograd.grad(a.square().sum() + b.square().sum(), (x, grid))

# nn.LocalResponseNorm: neighbours among channels
x = torch.randn(2, 5, 3, 3, requires_grad=True)
y = nn.LocalResponseNorm(3, alpha=0.1)(x)
y.square().sum().backward()
g, text = x.grad, str(nn.LocalResponseNorm(2))

# nn.CrossMapLRN2d: neighbours among channels, as they once were
x = torch.randn(2, 5, 3, 3, requires_grad=True)
y = nn.CrossMapLRN2d(3, alpha=0.1)(x)
g, text = 1 * torch.autograd.grad(y.square().sum(), x)[0], str(nn.CrossMapLRN2d(3))

# F.rrelu: random slopes
torch.manual_seed(1)
x = torch.randn(3, 4, requires_grad=True)
y = F.rrelu(x, 0.1, 0.4, training=True)
y.sum().backward()
g, r = x.grad, torch.rand(2)
m = nn.RReLU().eval()
z = m(x.detach())
w = F.rrelu((x * 1), training=True, inplace=True)

# nn.Bilinear: a layer of two inputs
m = nn.Bilinear(3, 2, 4)
a, b = torch.randn(5, 3, requires_grad=True), torch.randn(5, 2, requires_grad=True)
y = m(a, b)
y.square().sum().backward()
g = [a.grad, b.grad, m.weight.grad, m.bias.grad]

# F.grid_sample: slopes of a grid of one pixel whose borders reflect
x = torch.arange(4.0).reshape(1, 1, 2, 2).requires_grad_()
g = torch.tensor([[[[0.3, -0.7], [1.2, 0.4]]]], requires_grad=True)
for size in (1, 2):
    y = F.grid_sample(x[:, :, :size, :1], g, padding_mode="reflection", align_corners=True)
    print(y, torch.autograd.grad(y.sum(), (x, g)))

# F.interpolate: second gradients through every input
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

# F.interpolate: antialias=True keeps not-a-number and infinities to the pixels that a filter reaches
x = torch.arange(64.0).reshape(1, 1, 8, 8).sin()
x[0, 0, 3, 4] = float("inf")
x[0, 0, 7, 7] = float("nan")
kept = [
    F.interpolate(x, size=size, mode=mode, antialias=True).isfinite()
    for mode in ("bilinear", "bicubic")
    for size in ((3, 3), (8, 8), (8, 5), (12, 8), (1, 1))
]
y = x.nan_to_num(0, 1).requires_grad_()
out = F.interpolate(y, size=(3, 5), mode="bilinear", antialias=True)
grad = torch.ones_like(out)
grad[0, 0, -1, -1] = float("inf")
out.backward(grad)
reached = y.grad.isfinite()

# F.interpolate: antialias=True leaves an axis that keeps its size as it is, whatever the scale
x = torch.arange(64.0).reshape(1, 1, 8, 8).sin()
same = F.interpolate(x, scale_factor=1.1, mode="bicubic", antialias=True)
x[0, 0, 0, 0] = 7
taller = F.interpolate(x, scale_factor=(1.5, 1.05), mode="bilinear", antialias=True)

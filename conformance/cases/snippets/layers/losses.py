# Tensor.mean: the mean squared error by hand and by name
x = torch.randn(3, requires_grad=True)
t = torch.randn(3)
a, b = ((x - t) ** 2).mean(), F.mse_loss(x, t)
(a + b).backward()

# F.mse_loss: the squared error by every reduction
x = torch.randn(2, 3, requires_grad=True)
t = torch.randn(2, 3)
a, b, c = (F.mse_loss(x, t, reduction=r) for r in ("none", "mean", "sum"))
(a.sum() + b + c).backward()

# nn.L1Loss: the absolute error
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
t = torch.tensor([2.0, 2.0, 2.0])
y = nn.L1Loss()(x, t)
y.backward()
print(y, x.grad)

# F.huber_loss: huber and smooth l1
x = torch.tensor([0.2, 3.0], requires_grad=True)
t = torch.zeros(2)
a, b = F.smooth_l1_loss(x, t), F.huber_loss(x, t, delta=0.5)
(a + b).backward()

# F.cross_entropy: cross entropy
x = torch.randn(3, 4, requires_grad=True)
t = torch.tensor([0, 3, 1])
y = F.cross_entropy(x, t)
y.backward()
print(y, x.grad)

# F.log_softmax: cross entropy in its two parts
x = torch.randn(3, 4, requires_grad=True)
t = torch.tensor([0, 3, 1])
y = F.nll_loss(F.log_softmax(x, dim=1), t)
y.backward()

# F.cross_entropy: cross entropy with weights, smoothing and an ignored label
x = torch.randn(4, 3, requires_grad=True)
t = torch.tensor([0, 2, -100, 1])
w = torch.tensor([1.0, 2.0, 0.5])
a = F.cross_entropy(x, t, weight=w)
b = F.cross_entropy(x, t, label_smoothing=0.1)
(a + b).backward()

# F.cross_entropy: cross entropy of probabilities
x = torch.randn(2, 3, requires_grad=True)
t = torch.tensor([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]])
y = F.cross_entropy(x, t)
y.backward()

# nn.CrossEntropyLoss: cross entropy of an image
x = torch.randn(1, 3, 2, 2, requires_grad=True)
t = torch.randint(3, (1, 2, 2))
y = nn.CrossEntropyLoss()(x, t)
y.backward()

# F.cross_entropy: cross entropy of a sequence
x = torch.randn(2, 3, 5, requires_grad=True)
t = torch.randint(5, (2, 3))
y = F.cross_entropy(x.view(-1, 5), t.view(-1))
y.backward()

# F.binary_cross_entropy: binary cross entropy
x = torch.tensor([0.2, 0.9], requires_grad=True)
t = torch.tensor([0.0, 1.0])
y = F.binary_cross_entropy(x, t)
y.backward()
print(y, x.grad)

# F.binary_cross_entropy_with_logits: binary cross entropy of logits
x = torch.randn(3, requires_grad=True)
t = torch.tensor([0.0, 1.0, 1.0])
a = F.binary_cross_entropy_with_logits(x, t)
b = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(2.0))(x, t)
(a + b).backward()

# F.kl_div: the divergence of Kullback and Leibler
x = torch.randn(2, 3, requires_grad=True)
t = torch.randn(2, 3).softmax(1)
y = F.kl_div(x.log_softmax(1), t, reduction="batchmean")
y.backward()

# F.gaussian_nll_loss: poisson and gaussian likelihoods
x = torch.randn(3, requires_grad=True)
v = torch.rand(3, requires_grad=True)
t = torch.tensor([1.0, 0.0, 2.0])
a, b = F.poisson_nll_loss(x, t), F.gaussian_nll_loss(x, t, v)
(a + b).backward()

# F.margin_ranking_loss: hinge and margins
x = torch.randn(3, requires_grad=True)
y = torch.randn(3, requires_grad=True)
t = torch.tensor([1.0, -1.0, 1.0])
a = F.margin_ranking_loss(x, y, t, margin=0.5)
b = F.hinge_embedding_loss(x, t)
c = F.soft_margin_loss(x, t)
(a + b + c).backward()

# F.triplet_margin_loss: a triplet
a, p, n = (torch.randn(2, 4, requires_grad=True) for _ in range(3))
y = F.triplet_margin_loss(a, p, n)
y.backward()

# F.cosine_embedding_loss: a cosine embedding
a, b = (torch.randn(2, 4, requires_grad=True) for _ in range(2))
y = F.cosine_embedding_loss(a, b, torch.tensor([1, -1]))
y.backward()

# F.multilabel_soft_margin_loss: several labels at once
x = torch.randn(2, 3, requires_grad=True)
t = torch.tensor([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]])
a = F.multilabel_soft_margin_loss(x, t)
b = F.multi_margin_loss(x, torch.tensor([1, 0]))
(a + b).backward()

# F.mse_loss: a warning for shapes that are broadcast
x = torch.randn(3, 1, requires_grad=True)
t = torch.randn(3)
y = F.mse_loss(x, t)

# F.mse_loss: a loss with a penalty
w = torch.randn(3, requires_grad=True)
x, t = torch.randn(5, 3), torch.randn(5)
loss = F.mse_loss(x @ w, t) + 0.01 * w.pow(2).sum() + 0.1 * w.abs().sum()
loss.backward()
print(loss, w.grad)

# F.mse_loss: a target that wants a gradient too
x = torch.randn(3, requires_grad=True)
t = torch.randn(3, requires_grad=True)
y = F.mse_loss(x, t)
y.backward()

# Tensor.argmax: accuracy
logits = torch.tensor([[1.0, 2.0], [3.0, 1.0], [0.0, 1.0]])
t = torch.tensor([1, 0, 0])
a = (logits.argmax(1) == t).float().mean()
print(f"{a.item():.2%}")

# F.cross_entropy: perplexity
x = torch.randn(4, 6, requires_grad=True)
y = F.cross_entropy(x, torch.tensor([0, 1, 2, 3])).exp()
y.backward()
print(y)

# F.kl_div: complex numbers are refused before whole ones
texts = []
for pair in (
    (torch.bool, torch.complex64),
    (torch.complex64, torch.int64),
    (torch.float32, torch.int64),
):
    try:
        F.kl_div(*[torch.ones(2, dtype=dtype) for dtype in pair])
    except RuntimeError as error:
        texts.append(str(error))

# F.ctc_loss: what lies behind the ends of sequences is not looked at
torch.manual_seed(3)
scores = torch.randn(7, 3, 4, dtype=torch.float64).log_softmax(2)
losses, rates = [], []
for outside in (0.0, -1e300, torch.inf, torch.nan):
    x = scores.clone()
    x[5:, 0] = outside
    x[4:, 1] = outside
    x.requires_grad_()
    loss = F.ctc_loss(x, torch.tensor([[1, 2], [3, 3], [2, 1]]), (5, 4, 7), (2, 2, 1))
    losses.append(loss)
    rates.append(torch.autograd.grad(loss, x)[0][:4])
del x, loss, scores

# F.soft_margin_loss: second gradients of the soft margin
x, t = torch.tensor([-1.5, 0.25, 2.0]).double(), torch.tensor([1.0, -1.0, 1.0]).double()
made = []
for reduction in ("none", "mean", "sum"):
    leaf, w = x.clone().requires_grad_(), torch.tensor(1.5).double().requires_grad_()
    out = F.soft_margin_loss(leaf, t, reduction=reduction)
    (first,) = torch.autograd.grad(out, leaf, w.expand_as(out), create_graph=True)
    second = torch.autograd.grad((first * torch.tensor([1.0, -2.0, 3.0])).sum(), (leaf, w))
    made += [each * 1 for each in second]
del leaf, w, out, first, second

# F.gaussian_nll_loss: losses that weigh
x, t = torch.arange(6.0).reshape(2, 3) / 4 - 0.5, torch.tensor([[0.5, 1, 0], [1.0, -1, 2]])
for reduction in ("none", "mean", "sum"):
    w = torch.tensor([[1.0, 2, 3], [0.5, 0, 1]])
    made = [
        F.mse_loss(x, t, reduction=reduction, weight=w),
        F.l1_loss(x, t, reduction=reduction, weight=w),
        F.huber_loss(x, t, reduction=reduction, delta=0.5, weight=w),
        F.gaussian_nll_loss(x, t, 0.5, full=True, reduction=reduction),
        F.gaussian_nll_loss(x, t, w + 1, reduction=reduction),
        F.poisson_nll_loss(x.abs(), t.abs(), log_input=False, full=True, reduction=reduction),
    ]
    print(made)
mapped = [
    torch.func.vmap(lambda x: torch.func.grad(lambda x: loss(x, t[0], reduction=how))(x))(x) * 1
    for how in ("mean", "sum")
    for loss in (F.mse_loss, F.l1_loss, F.smooth_l1_loss, F.huber_loss)
]
beta = torch.func.vmap(lambda a: torch.addbmm(x, a[None, :, :2], a[None, :2], beta=2, alpha=3))
products = (
    beta(torch.arange(18.0).reshape(2, 3, 3)[:, :2]),
    torch.func.vmap(lambda key: F.dropout(key, 0.5), randomness="different")(torch.ones(3, 8)),
)
alike = torch.func.vmap(lambda key: F.dropout(key, 0.5), randomness="same")(torch.ones(3, 8))

# torch.cdist: distances by products
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

# F.nll_loss: losses of nothing and of little
made = []
for n in (0, 1, 2, 17, 300):
    x = torch.linspace(-1, 1, 3 * n).reshape(n, 3).requires_grad_()
    t = torch.arange(n) % 3
    for reduction in ("sum", "mean", "none"):
        for given in ({}, {"weight": torch.tensor([1.0, 2.0, 0.5])}, {"ignore_index": 1}):
            loss = F.cross_entropy(x, t, reduction=reduction, **given)
            (grad,) = torch.autograd.grad(loss.sum(), x)
            plain = F.nll_loss(x.detach().exp(), t, reduction=reduction, **given)
            made += [loss.detach().flatten()[:3] * 1, grad.flatten()[:4] * 1, plain.sum()]
del loss, grad, x, plain

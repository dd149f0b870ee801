# the mean squared error by hand and by name
x = torch.randn(3, requires_grad=True)
t = torch.randn(3)
a, b = ((x - t) ** 2).mean(), F.mse_loss(x, t)
(a + b).backward()

# the squared error by every reduction
x = torch.randn(2, 3, requires_grad=True)
t = torch.randn(2, 3)
a, b, c = (F.mse_loss(x, t, reduction=r) for r in ("none", "mean", "sum"))
(a.sum() + b + c).backward()

# the absolute error
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
t = torch.tensor([2.0, 2.0, 2.0])
y = nn.L1Loss()(x, t)
y.backward()
print(y, x.grad)

# huber and smooth l1
x = torch.tensor([0.2, 3.0], requires_grad=True)
t = torch.zeros(2)
a, b = F.smooth_l1_loss(x, t), F.huber_loss(x, t, delta=0.5)
(a + b).backward()

# cross entropy
x = torch.randn(3, 4, requires_grad=True)
t = torch.tensor([0, 3, 1])
y = F.cross_entropy(x, t)
y.backward()
print(y, x.grad)

# cross entropy in its two parts
x = torch.randn(3, 4, requires_grad=True)
t = torch.tensor([0, 3, 1])
y = F.nll_loss(F.log_softmax(x, dim=1), t)
y.backward()

# cross entropy with weights, smoothing and an ignored label
x = torch.randn(4, 3, requires_grad=True)
t = torch.tensor([0, 2, -100, 1])
w = torch.tensor([1.0, 2.0, 0.5])
a = F.cross_entropy(x, t, weight=w)
b = F.cross_entropy(x, t, label_smoothing=0.1)
(a + b).backward()

# cross entropy of probabilities
x = torch.randn(2, 3, requires_grad=True)
t = torch.tensor([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]])
y = F.cross_entropy(x, t)
y.backward()

# cross entropy of an image
x = torch.randn(1, 3, 2, 2, requires_grad=True)
t = torch.randint(3, (1, 2, 2))
y = nn.CrossEntropyLoss()(x, t)
y.backward()

# cross entropy of a sequence
x = torch.randn(2, 3, 5, requires_grad=True)
t = torch.randint(5, (2, 3))
y = F.cross_entropy(x.view(-1, 5), t.view(-1))
y.backward()

# binary cross entropy
x = torch.tensor([0.2, 0.9], requires_grad=True)
t = torch.tensor([0.0, 1.0])
y = F.binary_cross_entropy(x, t)
y.backward()
print(y, x.grad)

# binary cross entropy of logits
x = torch.randn(3, requires_grad=True)
t = torch.tensor([0.0, 1.0, 1.0])
a = F.binary_cross_entropy_with_logits(x, t)
b = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(2.0))(x, t)
(a + b).backward()

# the divergence of Kullback and Leibler
x = torch.randn(2, 3, requires_grad=True)
t = torch.randn(2, 3).softmax(1)
y = F.kl_div(x.log_softmax(1), t, reduction="batchmean")
y.backward()

# poisson and gaussian likelihoods
x = torch.randn(3, requires_grad=True)
v = torch.rand(3, requires_grad=True)
t = torch.tensor([1.0, 0.0, 2.0])
a, b = F.poisson_nll_loss(x, t), F.gaussian_nll_loss(x, t, v)
(a + b).backward()

# hinge and margins
x = torch.randn(3, requires_grad=True)
y = torch.randn(3, requires_grad=True)
t = torch.tensor([1.0, -1.0, 1.0])
a = F.margin_ranking_loss(x, y, t, margin=0.5)
b = F.hinge_embedding_loss(x, t)
c = F.soft_margin_loss(x, t)
(a + b + c).backward()

# a triplet
a, p, n = (torch.randn(2, 4, requires_grad=True) for _ in range(3))
y = F.triplet_margin_loss(a, p, n)
y.backward()

# a cosine embedding
a, b = (torch.randn(2, 4, requires_grad=True) for _ in range(2))
y = F.cosine_embedding_loss(a, b, torch.tensor([1, -1]))
y.backward()

# several labels at once
x = torch.randn(2, 3, requires_grad=True)
t = torch.tensor([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]])
a = F.multilabel_soft_margin_loss(x, t)
b = F.multi_margin_loss(x, torch.tensor([1, 0]))
(a + b).backward()

# a warning for shapes that are broadcast
x = torch.randn(3, 1, requires_grad=True)
t = torch.randn(3)
y = F.mse_loss(x, t)

# a loss with a penalty
w = torch.randn(3, requires_grad=True)
x, t = torch.randn(5, 3), torch.randn(5)
loss = F.mse_loss(x @ w, t) + 0.01 * w.pow(2).sum() + 0.1 * w.abs().sum()
loss.backward()
print(loss, w.grad)

# a target that wants a gradient too
x = torch.randn(3, requires_grad=True)
t = torch.randn(3, requires_grad=True)
y = F.mse_loss(x, t)
y.backward()

# accuracy
logits = torch.tensor([[1.0, 2.0], [3.0, 1.0], [0.0, 1.0]])
t = torch.tensor([1, 0, 0])
a = (logits.argmax(1) == t).float().mean()
print(f"{a.item():.2%}")

# perplexity
x = torch.randn(4, 6, requires_grad=True)
y = F.cross_entropy(x, torch.tensor([0, 1, 2, 3])).exp()
y.backward()
print(y)

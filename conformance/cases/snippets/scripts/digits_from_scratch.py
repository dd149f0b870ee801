"""What torch.nn really is: a classifier from bare tensors, refactored step by step into modules."""

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(12)
rng = np.random.default_rng(0)
prototypes = rng.random((10, 64), dtype=np.float32)
y_train = rng.integers(0, 10, 600)
x_train = (prototypes[y_train] + 0.25 * rng.standard_normal((600, 64))).astype(np.float32)
x_train, y_train = map(torch.tensor, (x_train, y_train))
x_valid, y_valid = x_train[500:], y_train[500:]
x_train, y_train = x_train[:500], y_train[:500]
n, c = x_train.shape
print(x_train.shape, y_train.dtype, y_train.min(), y_train.max(), x_train[0, :4])

weights = torch.randn(64, 10) / 8
weights.requires_grad_()
bias = torch.zeros(10, requires_grad=True)


def log_softmax(x: torch.Tensor) -> torch.Tensor:
    return x - x.exp().sum(-1).log().unsqueeze(-1)


def nll(scores: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return -scores[range(target.shape[0]), target].mean()


def accuracy(out: torch.Tensor, yb: torch.Tensor) -> torch.Tensor:
    return (torch.argmax(out, dim=1) == yb).float().mean()


lr, bs = 0.5, 50
preds = log_softmax(x_train[:bs] @ weights + bias)
print(preds[0], preds.shape)
for epoch in range(2):
    for i in range((n - 1) // bs + 1):
        xb, yb = x_train[i * bs : (i + 1) * bs], y_train[i * bs : (i + 1) * bs]
        loss = nll(log_softmax(xb @ weights + bias), yb)
        loss.backward()
        with torch.no_grad():
            weights -= weights.grad * lr
            bias -= bias.grad * lr
            weights.grad.zero_()
            bias.grad.zero_()
print(loss, accuracy(xb @ weights + bias, yb))
print(nll(log_softmax(xb @ weights + bias), yb) - F.cross_entropy(xb @ weights + bias, yb) < 1e-5)


class Logistic(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weights = nn.Parameter(torch.randn(64, 10) / 8)
        self.bias = nn.Parameter(torch.zeros(10))

    def forward(self, xb: torch.Tensor) -> torch.Tensor:
        return xb @ self.weights + self.bias


model = Logistic()
print(model, [name for name, _ in model.named_parameters()])
for i in range(0, n, bs):
    loss = F.cross_entropy(model(x_train[i : i + bs]), y_train[i : i + bs])
    loss.backward()
    with torch.no_grad():
        for p in model.parameters():
            p -= p.grad * lr
        model.zero_grad()
print(loss.item())


def loss_batch(model, loss_func, xb, yb, opt=None):
    loss = loss_func(model(xb), yb)
    if opt is not None:
        loss.backward()
        opt.step()
        opt.zero_grad()
    return loss.item(), len(xb)


def fit(epochs, model, loss_func, opt, train_dl, valid_dl):
    for epoch in range(epochs):
        model.train()
        for xb, yb in train_dl:
            loss_batch(model, loss_func, xb, yb, opt)
        model.eval()
        with torch.no_grad():
            losses, nums = zip(*[loss_batch(model, loss_func, xb, yb) for xb, yb in valid_dl])
        print(epoch, f"{np.sum(np.multiply(losses, nums)) / np.sum(nums):.5f}")


class Lambda(nn.Module):
    def __init__(self, func):
        super().__init__()
        self.func = func

    def forward(self, x):
        return self.func(x)


class WrappedDataLoader:
    def __init__(self, dl, func):
        self.dl = dl
        self.func = func

    def __len__(self):
        return len(self.dl)

    def __iter__(self):
        for b in self.dl:
            yield self.func(*b)


train_ds, valid_ds = TensorDataset(x_train, y_train), TensorDataset(x_valid, y_valid)


def as_images(x, y):
    return x.view(-1, 1, 8, 8), y


train_dl = WrappedDataLoader(DataLoader(train_ds, bs, shuffle=True), as_images)
valid_dl = WrappedDataLoader(DataLoader(valid_ds, bs * 2), as_images)
cnn = nn.Sequential(
    nn.Conv2d(1, 8, kernel_size=3, stride=2, padding=1),
    nn.ReLU(),
    nn.Conv2d(8, 10, kernel_size=3, stride=2, padding=1),
    nn.ReLU(),
    nn.AdaptiveAvgPool2d(1),
    Lambda(lambda x: x.view(x.size(0), -1)),
)
print(cnn, len(train_dl))
fit(2, cnn, F.cross_entropy, optim.SGD(cnn.parameters(), lr=0.1, momentum=0.9), train_dl, valid_dl)

x = torch.linspace(-torch.pi, torch.pi, 500)
target = torch.sin(x)
powers = x.unsqueeze(-1).pow(torch.tensor([1, 2, 3]))
cubic = nn.Sequential(nn.Linear(3, 1), nn.Flatten(0, 1))
optimizer = optim.SGD(cubic.parameters(), lr=1e-6, momentum=0.9)
for t in range(300):
    loss = nn.MSELoss(reduction="sum")(cubic(powers), target)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
layer = cubic[0]
terms = [f"{w:.3f} x^{i}" for i, w in enumerate([layer.bias.item(), *layer.weight[0].tolist()])]
print("y =", " + ".join(terms))


class LegendrePolynomial3(torch.autograd.Function):
    """P3(x) = (5 x^3 - 3 x) / 2."""

    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return 0.5 * (5 * input**3 - 3 * input)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return grad_output * 1.5 * (5 * input**2 - 1)


a, b, c, d = [torch.full((), v, requires_grad=True) for v in (0.0, -1.0, 0.0, 0.3)]
for t in range(200):
    y_pred = a + b * LegendrePolynomial3.apply(c + d * x)
    loss = (y_pred - target).pow(2).sum()
    loss.backward()
    with torch.no_grad():
        for p in (a, b, c, d):
            p -= 5e-6 * p.grad
            p.grad = None
print(
    f"Result: y = {a.item():.5f} + {b.item():.5f} * P3({c.item():.5f} + {d.item():.5f} x)",
    y_pred.grad_fn.name(),
)

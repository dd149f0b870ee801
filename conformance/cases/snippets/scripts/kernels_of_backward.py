"""The kernels of a training step, as a mode below autograd sees them."""

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode


class Kernels(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.seen.append(str(func).removeprefix("aten."))
        return func(*args, **(kwargs or {}))

    def __enter__(self):
        self.seen = []
        return super().__enter__()


def shown(title, work):
    with Kernels() as kernels:
        work()
    print(f"{title}: {' '.join(kernels.seen)}")


def leaf(*shape):
    return torch.randn(*shape).requires_grad_()


torch.manual_seed(0)
w, v = leaf(3), leaf(3)
shown("an expanded gradient", lambda: w.sum().backward())
shown("a second one", lambda: w.sum().backward())
shown("one that is handed over", lambda: (v * 2).sum().backward())
w, v = leaf(3), leaf(3)
shown("one for two leaves", lambda: ((w + v) * 2).sum().backward())
print(w.grad.data_ptr() == v.grad.data_ptr(), w.grad, v.grad)
w = leaf(2, 3)
shown("another order of memory", lambda: (w.t() * 2).sum().backward())
shown("a sum of gradients", lambda: (w * w).sum().backward())
shown("gradients that are asked for", lambda: torch.autograd.grad((w * w).sum(), w))
shown("some of the leaves", lambda: (w * w).sum().backward(inputs=[w]))


def doubled(leaf):
    leaf.grad.mul_(2)


w = leaf(4)
w.register_hook(lambda grad: grad * 3)
w.register_post_accumulate_grad_hook(doubled)
shown("hooks", lambda: (w * 2).sum().backward())
print(w.grad)


def retained():
    y = w * 2
    y.retain_grad()
    y.register_hook(lambda grad: grad + 1)
    (y * y).sum().backward()


shown("a retained gradient", retained)

model = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 3))
x, target = torch.randn(5, 4), torch.tensor([0, 1, 2, 0, 1])
loss = nn.CrossEntropyLoss()


def step():
    loss(model(x), target).backward()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.sub_(parameter.grad, alpha=0.1)
            parameter.grad = None


shown("a step", step)
shown("a step more", step)
shown("twice", lambda: (loss(model(x), target).backward(), loss(model(x), target).backward()))


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad


shown("a function", lambda: Square.apply(leaf(3)).sum().backward())
shown("second gradients", lambda: torch.autograd.grad((w**3).sum(), w, create_graph=True))

# Tensor.sin: a function whose intermediate results are not kept
from torch.utils.checkpoint import checkpoint

x = torch.tensor([0.5, 1.0], requires_grad=True)
y = checkpoint(lambda x: (x.sin() * 2).exp(), x, use_reentrant=False)
y.sum().backward()
del checkpoint

# Tensor.sin: the same, reentrant
from torch.utils.checkpoint import checkpoint

x = torch.tensor([0.5, 1.0], requires_grad=True)
y = checkpoint(lambda x: (x.sin() * 2).exp(), x, use_reentrant=True)
print(y.grad_fn.name(), type(y.grad_fn).__name__)
y.sum().backward()
del checkpoint

# torch.sin: neither way said
from torch.utils.checkpoint import checkpoint

x = torch.tensor([0.5, 1.0], requires_grad=True)
y = checkpoint(torch.sin, x)
y.sum().backward()
del checkpoint

# torch.is_grad_enabled: how often the function runs
from torch.utils.checkpoint import checkpoint


def f(x):
    print("runs", torch.is_grad_enabled(), x.requires_grad, x.is_leaf)
    return x.sin().exp()


x = torch.ones(2, requires_grad=True)
for use_reentrant in (False, True):
    y = checkpoint(f, x, use_reentrant=use_reentrant)
    print("forward is done")
    y.sum().backward()
with torch.no_grad():
    z = checkpoint(f, x, use_reentrant=False)
y = checkpoint(f, x, use_reentrant=False)
y.sum().backward(retain_graph=True)
y.sum().backward()
del checkpoint, f

# Tensor.sin: recomputing stops with the last tensor that is needed
from torch.utils.checkpoint import checkpoint, set_checkpoint_early_stop


def f(x):
    x = x.sin().exp()
    print("after what is saved")
    return x + 1


x = torch.ones(2, requires_grad=True)
checkpoint(f, x, use_reentrant=False).sum().backward()
checkpoint(f, x, use_reentrant=False, early_stop=False).sum().backward()
with set_checkpoint_early_stop(False):
    y = checkpoint(f, x, use_reentrant=False)
y.sum().backward()
with set_checkpoint_early_stop(True):
    y = checkpoint(f, x, use_reentrant=False, early_stop=False)
y.sum().backward()
del checkpoint, set_checkpoint_early_stop, f

# nn.Tanh: a module, and its parameters
from torch.utils.checkpoint import checkpoint

net = nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))
x = torch.randn(5, 3, requires_grad=True)
for use_reentrant in (False, True):
    checkpoint(net, x, use_reentrant=use_reentrant).square().sum().backward()
grads = [p.grad for p in net.parameters()]
del checkpoint

# nn.Linear: an input that needs no gradient
from torch.utils.checkpoint import checkpoint

net = nn.Linear(3, 2)
x = torch.randn(5, 3)
checkpoint(net, x, use_reentrant=False).sum().backward()
g = net.weight.grad
y = checkpoint(net, x, use_reentrant=True)
print(y.requires_grad)
del checkpoint

# F.dropout: random numbers are the same again
from torch.utils.checkpoint import checkpoint

x = torch.ones(6, requires_grad=True)
for use_reentrant in (False, True):
    y = checkpoint(lambda x: F.dropout(x.exp(), 0.5), x, use_reentrant=use_reentrant)
    before = torch.rand(2)
    y.sum().backward()
    after = torch.rand(2)
    print(y, x.grad, before, after)
del checkpoint

# F.dropout: random numbers are others
from torch.utils.checkpoint import checkpoint

x = torch.ones(6, requires_grad=True)
for use_reentrant in (False, True):
    y = checkpoint(
        lambda x: F.dropout(x.exp(), 0.5),
        x,
        use_reentrant=use_reentrant,
        preserve_rng_state=False,
    )
    y.sum().backward()
    print(y, x.grad, torch.rand(1))
del checkpoint

# Tensor.cos: arguments by name, and others than tensors
from torch.utils.checkpoint import checkpoint


def f(x, factor, *, shift=None, both=()):
    return x.exp() * factor + shift + sum(both)


x = torch.ones(2, requires_grad=True)
s = torch.ones(2, requires_grad=True)
y = checkpoint(f, x, 3, use_reentrant=False, shift=s.sin(), both=(s, x.cos()))
y.sum().backward()
del checkpoint, f

# torch.mul: arguments by name, reentrant
from torch.utils.checkpoint import checkpoint

x = torch.ones(2, requires_grad=True)
checkpoint(torch.mul, x, use_reentrant=True, other=x)

# Tensor.sin: several results, some of which are no tensors
from torch.utils.checkpoint import checkpoint

x = torch.ones(2, requires_grad=True)
for use_reentrant in (False, True):
    a, b, c = checkpoint(lambda x: (x.sin(), "text", x.exp()), x, use_reentrant=use_reentrant)
    (a * c).sum().backward()
    print(b, x.grad)
del checkpoint

# Tensor.cos: a result in a dictionary
from torch.utils.checkpoint import checkpoint

x = torch.ones(2, requires_grad=True)
y = checkpoint(lambda x: {"a": [x.sin() * x.cos()]}, x, use_reentrant=False)["a"][0]
y.sum().backward()
del checkpoint

# Tensor.cos: checkpoints within checkpoints
from torch.utils.checkpoint import checkpoint

count = [0]


def inner(x):
    count[0] += 1
    return x.sin().exp()


def outer(x):
    return checkpoint(inner, checkpoint(inner, x, use_reentrant=False), use_reentrant=False).cos()


x = torch.ones(2, requires_grad=True)
y = checkpoint(outer, x, use_reentrant=False)
y.sum().backward()
print(count)
del checkpoint, inner, outer

# torch.ones: reentrant checkpoints within reentrant ones
from torch.utils.checkpoint import checkpoint


def inner(x):
    return x.sin().exp()


x = torch.ones(2, requires_grad=True)
y = checkpoint(lambda x: checkpoint(inner, x, use_reentrant=True).cos(), x, use_reentrant=True)
y.sum().backward()
del checkpoint, inner

# torch.autograd.grad: gradients that are asked for
from torch.utils.checkpoint import checkpoint

x = torch.ones(2, requires_grad=True)
w = torch.full((2,), 2.0, requires_grad=True)
y = checkpoint(lambda x: (x * w).sin(), x, use_reentrant=False)
g, h = torch.autograd.grad(y.sum(), (x, w))
del checkpoint

# torch.autograd.grad: gradients that are asked for, reentrant
from torch.utils.checkpoint import checkpoint

x = torch.ones(2, requires_grad=True)
y = checkpoint(torch.sin, x, use_reentrant=True)
torch.autograd.grad(y.sum(), x)

# Tensor.backward: a backward for some inputs, reentrant
from torch.utils.checkpoint import checkpoint

x = torch.ones(2, requires_grad=True)
y = checkpoint(torch.sin, x, use_reentrant=True)
y.sum().backward(inputs=[x])

# Tensor.sin: second derivatives
from torch.utils.checkpoint import checkpoint

x = torch.ones(2, requires_grad=True)
y = checkpoint(lambda x: x.sin().exp(), x, use_reentrant=False).sum()
(g,) = torch.autograd.grad(y, x, create_graph=True)
g.sum().backward()
del checkpoint

# Tensor.backward: a tensor that is looked at outside of a backward
from torch.utils.checkpoint import checkpoint

x = torch.ones(2, requires_grad=True)
y = checkpoint(lambda x: x.sin().exp(), x, use_reentrant=False)
print(y.grad_fn._saved_result)
print(y.grad_fn._saved_result)
y.sum().backward()
del checkpoint

# Tensor.backward: a tensor that is used twice in one backward
from torch.utils.checkpoint import checkpoint


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        ctx.saved_tensors, ctx.saved_tensors
        return grad


x = torch.ones(2, requires_grad=True)
y = checkpoint(lambda x: Twice.apply(x.sin()), x, use_reentrant=False)
y.sum().backward()

# Tensor.sin: what is recomputed has another shape
from torch.utils.checkpoint import checkpoint

sizes = [3, 2]


def f(x):
    return x[: sizes.pop(0)].sin()


x = torch.ones(4, requires_grad=True)
y = checkpoint(f, x, use_reentrant=False)
y.sum().backward()

# Tensor.to: what is recomputed has another dtype, and no check is on
from torch.utils.checkpoint import checkpoint

dtypes = [torch.float64, torch.float32]


def f(x):
    return x.to(dtypes.pop(0)).sin().float()


x = torch.ones(2, requires_grad=True)
y = checkpoint(f, x, use_reentrant=False, determinism_check="none", early_stop=False)
y.sum().backward()
del checkpoint, f, dtypes

# Tensor.sin: fewer tensors are saved
from torch.utils.checkpoint import checkpoint

count = [0]


def f(x):
    count[0] += 1
    return x.sin().exp() if count[0] == 1 else x.sin()


x = torch.ones(2, requires_grad=True)
checkpoint(f, x, use_reentrant=False).sum().backward()

# Tensor.sin: more tensors are saved
from torch.utils.checkpoint import checkpoint

count = [0]


def f(x):
    count[0] += 1
    return x.sin() if count[0] == 1 else x.sin().exp()


x = torch.ones(2, requires_grad=True)
checkpoint(f, x, use_reentrant=False, early_stop=False).sum().backward()

# Tensor.sin: more tensors are saved, and recomputing stops before
from torch.utils.checkpoint import checkpoint

count = [0]


def f(x):
    count[0] += 1
    return x.sin() if count[0] == 1 else x.sin().exp()


x = torch.ones(2, requires_grad=True)
checkpoint(f, x, use_reentrant=False).sum().backward()
del checkpoint, f

# Tensor.add_: an input that was overwritten
from torch.utils.checkpoint import checkpoint

x = torch.ones(2, requires_grad=True)
h = x * 2
y = checkpoint(torch.sin, h, use_reentrant=False)
h.add_(1)
y.sum().backward()

# Tensor.add_: an input that was overwritten, reentrant
from torch.utils.checkpoint import checkpoint

x = torch.ones(2, requires_grad=True)
h = x * 2
y = checkpoint(torch.sin, h, use_reentrant=True)
h.add_(1)
y.sum().backward()

# torch.sin: a check that does not exist
from torch.utils.checkpoint import checkpoint

checkpoint(torch.sin, torch.ones(2), use_reentrant=False, determinism_check="all")

# Tensor.sin: contexts of the forward and of the recomputation
from contextlib import contextmanager

from torch.utils.checkpoint import checkpoint


@contextmanager
def told(name):
    print("enters", name)
    yield
    print("leaves", name)


x = torch.ones(2, requires_grad=True)
y = checkpoint(
    lambda x: x.sin().exp(),
    x,
    use_reentrant=False,
    context_fn=lambda: (told("forward"), told("recomputation")),
    early_stop=False,
)
y.sum().backward()
del checkpoint, told, contextmanager

# torch.sin: contexts, reentrant
from torch.utils.checkpoint import checkpoint

checkpoint(torch.sin, torch.ones(2), use_reentrant=True, context_fn=lambda: (None, None))

# torch.sin: contexts and a log
from torch.utils.checkpoint import checkpoint

checkpoint(torch.sin, torch.ones(2), use_reentrant=False, context_fn=lambda: 1, debug=True)

# torch.ones: a context that suppresses an error
import contextlib

from torch.utils.checkpoint import checkpoint


def fails(x):
    raise ValueError("inside")


checkpoint(
    fails,
    torch.ones(2, requires_grad=True),
    use_reentrant=False,
    context_fn=lambda: (contextlib.suppress(ValueError), contextlib.nullcontext()),
)

# torch.ones: a function that fails
from torch.utils.checkpoint import checkpoint


def fails(x):
    raise ValueError("inside")


checkpoint(fails, torch.ones(2, requires_grad=True), use_reentrant=False)

# Tensor.sin: a function that fails the second time
from torch.utils.checkpoint import checkpoint

count = [0]


def f(x):
    count[0] += 1
    if count[0] > 1:
        raise ValueError("again")
    return x.sin()


x = torch.ones(2, requires_grad=True)
checkpoint(f, x, use_reentrant=False).sum().backward()

# Tensor.detach: no result that requires grad, reentrant
from torch.utils.checkpoint import checkpoint

x = torch.ones(2, requires_grad=True)
checkpoint(lambda x: x.detach(), x, use_reentrant=True).sum().backward()

# nn.Sequential: segments of a Sequential
from torch.utils.checkpoint import checkpoint_sequential

net = nn.Sequential(*[nn.Sequential(nn.Linear(2, 2), nn.Tanh()) for _ in range(5)])
x = torch.randn(3, 2, requires_grad=True)
y = checkpoint_sequential(net, 2, x, use_reentrant=False)
z = checkpoint_sequential(net, 3, x, use_reentrant=True)
w = checkpoint_sequential([torch.sin, torch.exp, torch.cos], 3, x, use_reentrant=False)
(y + z + w).sum().backward()
v = checkpoint_sequential(net, 1, x)
grads = [p.grad for p in net.parameters()]
del checkpoint_sequential

# torch.sin: segments with arguments by name
from torch.utils.checkpoint import checkpoint_sequential

checkpoint_sequential([torch.sin], 1, torch.ones(2), use_reentrant=False, early_stop=True)

# autocast is the same again
from torch.utils.checkpoint import checkpoint

net = nn.Linear(3, 2)
x = torch.randn(4, 3, requires_grad=True)
for use_reentrant in (False, True):
    with torch.autocast("cpu"):
        y = checkpoint(lambda x: net(x).exp(), x, use_reentrant=use_reentrant)
    y.float().sum().backward()
    print(y.dtype)
g = net.weight.grad
del checkpoint

# torch.autograd.graph.saved_tensors_hooks: other saved-tensor hooks around a checkpoint
from torch.utils.checkpoint import checkpoint

log = []


def pack(x):
    log.append(tuple(x.shape))
    return x


x = torch.ones(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
    y = checkpoint(lambda x: x.sin().exp(), x * 1, use_reentrant=False)
    z = y.cos()
z.sum().backward()
print(log)
del checkpoint, pack

# Tensor.sqrt: in-place operators inside
from torch.utils.checkpoint import checkpoint

x = torch.ones(2, requires_grad=True)
y = checkpoint(lambda x: (x * 2).exp_().add_(1).sqrt(), x, use_reentrant=False)
y.sum().backward()
del checkpoint

# nn.BatchNorm1d: a batch norm counts twice
from torch.utils.checkpoint import checkpoint

norm = nn.BatchNorm1d(2)
x = torch.randn(4, 2, requires_grad=True)
checkpoint(norm, x, use_reentrant=False, early_stop=False).square().sum().backward()
m, n = norm.running_mean, norm.num_batches_tracked
del checkpoint

# Tensor.sin: a graph that was freed
from torch.utils.checkpoint import checkpoint

x = torch.ones(2, requires_grad=True)
y = checkpoint(lambda x: x.sin().exp(), x, use_reentrant=False).sum()
y.backward()
y.backward()

# Tensor.backward: backwards that share what is recomputed
from torch.utils.checkpoint import GraphExecGroup, checkpoint

count = [0]


def f(x):
    count[0] += 1
    return x.sin(), x.exp()


x = torch.ones(2, requires_grad=True)
a, b = checkpoint(f, x, use_reentrant=False)
with GraphExecGroup():
    a.sum().backward()
    b.sum().backward()
print(count, x.grad)
del GraphExecGroup, checkpoint, f

# Tensor.backward: backwards that overlap
from torch.utils.checkpoint import GraphExecGroup, checkpoint

x = torch.ones(2, requires_grad=True)
y = checkpoint(lambda x: x.sin().exp(), x, use_reentrant=False)
with GraphExecGroup():
    y.sum().backward(retain_graph=True)
    y.sum().backward()

# torch.ones: the older helpers
from torch.utils import checkpoint

x = torch.ones(2, requires_grad=True)
a, b, c = checkpoint.detach_variable((x, 3, x * 2))
print(a.is_leaf, a.requires_grad, b, c.requires_grad)
checkpoint.check_backward_validity([x])
checkpoint.check_backward_validity([torch.ones(2), 1])
print(checkpoint.get_device_states(x, [x]), checkpoint.noop_context_fn())
print(checkpoint.DefaultDeviceType.get_device_type())
checkpoint.set_device_states([], [])
print([policy.name for policy in checkpoint.CheckpointPolicy])
print(issubclass(checkpoint.CheckpointError, RuntimeError))
del checkpoint

# torch.ones: what cannot be detached
from torch.utils.checkpoint import detach_variable

detach_variable([torch.ones(2)])

# nn.Sequential: a step of training
from torch.utils.checkpoint import checkpoint

net = nn.Sequential(*[nn.Sequential(nn.Linear(4, 4), nn.ReLU()) for _ in range(3)])
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
x, t = torch.randn(6, 4), torch.randn(6, 4)
losses = []
for _ in range(3):
    h = x
    for block in net:
        h = checkpoint(block, h, use_reentrant=False)
    loss = F.mse_loss(h, t)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(losses)
del checkpoint, optimizer

# Tensor.cumprod_: what is overwritten inside is kept as it was
from torch.utils.checkpoint import checkpoint


def f(x):
    y = (x * 1).pow_(2).div_(x).clamp_(0, 2)
    y **= 2
    y[1:] *= x[:-1]
    return y.cumprod_(0)


x = torch.tensor([0.5, 1.5, 2.5], requires_grad=True)
y = checkpoint(f, x, use_reentrant=False)
y.sum().backward()
del checkpoint, f

# torch.autograd.graph.saved_tensors_hooks: saved-tensor hooks see what in-place operators overwrite as it was
log = []


def pack(x):
    log.append([round(v, 3) for v in x.detach().flatten().tolist()])
    return x


x = torch.tensor([0.5, 1.5, 2.5], requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, lambda x: x):
    y = (x * 1).pow_(2).div_(x)
    y **= 2
    y[1:].clamp_(1, 2)
    y.mul_(x).exp_()
y.sum().backward()
print(log)
del pack

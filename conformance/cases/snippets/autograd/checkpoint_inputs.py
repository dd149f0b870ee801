# torch.is_tensor: checkpoint: outputs of many kinds
from torch.utils.checkpoint import checkpoint

x = torch.ones(2, requires_grad=True)
for reentrant in (False, True):
    for f in (
        lambda x: (x * 2, None, 3),
        lambda x: [x * 2, x.detach()],
        lambda x: {"a": x.exp()},
        lambda x: x,
        lambda x: x[0:1],
        lambda x: None,
        lambda x: "s",
        lambda x: (x * 2, (x * 3).bool()),
    ):
        try:
            r = checkpoint(f, x, use_reentrant=reentrant)
            print(
                type(r).__name__,
                [type(e).__name__ for e in r] if isinstance(r, (tuple, list)) else "",
            )
            t = r[0] if isinstance(r, (tuple, list)) else r["a"] if isinstance(r, dict) else r
            if torch.is_tensor(t):
                print(t.requires_grad, t.grad_fn.name() if t.grad_fn else None)
                t.sum().backward()
        except Exception as e:
            print(type(e).__name__, str(e)[:150])

# nn.Linear: checkpoint: no input requires grad, but parameters do
from torch.utils.checkpoint import checkpoint

lin = nn.Linear(2, 2)
x = torch.ones(1, 2)
a = checkpoint(lin, x, use_reentrant=False)
a.sum().backward()
print(lin.weight.grad)
b = checkpoint(lin, x, use_reentrant=True)
print(b.requires_grad)

# Tensor.backward: checkpoint: counting runs with several backward and retain_graph
from torch.utils.checkpoint import checkpoint

runs = []


def f(x):
    runs.append(torch.is_grad_enabled())
    return x.exp().sin()


x = torch.ones(2, requires_grad=True)
y = checkpoint(f, x, use_reentrant=False)
y.sum().backward(retain_graph=True)
y.sum().backward(retain_graph=True)
torch.autograd.grad(y.sum(), x, create_graph=True)
print(runs)
del runs[:]
y = checkpoint(f, x, use_reentrant=True)
y.sum().backward()
print(runs)

# Tensor.cos: checkpoint: nested with early_stop
from torch.utils.checkpoint import checkpoint, set_checkpoint_early_stop

runs = []


def inner(x):
    runs.append("in")
    return x.sin().cos().exp()


def outer(x):
    runs.append("out")
    return checkpoint(inner, x.exp(), use_reentrant=False).sin()


x = torch.ones(2, requires_grad=True)
for enable in (True, False):
    del runs[:]
    with set_checkpoint_early_stop(enable):
        y = checkpoint(outer, x, use_reentrant=False)
    y.sum().backward()
    print(runs)

# Tensor.backward: checkpoint: accessing saved tensors outside of backward
from torch.utils.checkpoint import checkpoint

runs = []


def f(x):
    runs.append(1)
    return x.exp()


x = torch.ones(2, requires_grad=True)
y = checkpoint(f, x, use_reentrant=False)
print(y.grad_fn._saved_result, len(runs))
print(y.grad_fn._saved_result, len(runs))
y.sum().backward()
print(len(runs))

# Tensor.register_hook: checkpoint: hooks on inner tensors and outputs
from torch.utils.checkpoint import checkpoint

seen = []


def f(x):
    y = x * 2
    y.register_hook(lambda g: seen.append(("inner", g.tolist())))
    return y.exp()


x = torch.ones(2, requires_grad=True)
for reentrant in (False, True):
    y = checkpoint(f, x, use_reentrant=reentrant)
    y.register_hook(lambda g: seen.append(("outer", g.tolist())))
    y.sum().backward()
print(seen)

# nn.ReLU: checkpoint: module hooks run again
from torch.utils.checkpoint import checkpoint

seen = []
m = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
m[0].register_forward_hook(lambda m, i, o: seen.append("f"))
m[0].register_full_backward_hook(lambda m, gi, go: seen.append("b"))
x = torch.ones(1, 2, requires_grad=True)
checkpoint(m, x, use_reentrant=False).sum().backward()
print(seen)
del seen[:]
checkpoint(m, x, use_reentrant=True).sum().backward()
print(seen)

# torch.exp: checkpoint: context_fn that returns something else
from torch.utils.checkpoint import checkpoint
import contextlib

x = torch.ones(2, requires_grad=True)
for c in (lambda: (contextlib.nullcontext(),), lambda: None, lambda: (1, 2), 3):
    try:
        checkpoint(torch.exp, x, use_reentrant=False, context_fn=c)
    except Exception as e:
        print(type(e).__name__, e)

# checkpoint_sequential: segments that do not divide, and wrong ones
from torch.utils.checkpoint import checkpoint_sequential

m = nn.Sequential(*[nn.Linear(2, 2) for _ in range(5)])
x = torch.ones(1, 2, requires_grad=True)
for s in (1, 2, 3, 5):
    y = checkpoint_sequential(m, s, x, use_reentrant=False)
    y.sum().backward()
for s in (0, 6, -1, "a"):
    try:
        checkpoint_sequential(m, s, x, use_reentrant=False)
    except Exception as e:
        print(type(e).__name__, e)

# Tensor.exp: checkpoint: inputs in containers
from torch.utils.checkpoint import checkpoint

x = torch.ones(2, requires_grad=True)
y = checkpoint(lambda d: d["x"].exp(), {"x": x}, use_reentrant=False)
y.sum().backward()
z = checkpoint(lambda l: l[0].exp(), [x], use_reentrant=False)
z.sum().backward()
w = checkpoint(lambda l: l[0].exp(), [x], use_reentrant=True)
print(w.requires_grad)

# Tensor.view: checkpoint: view outputs and in-place afterwards
from torch.utils.checkpoint import checkpoint

x = torch.ones(4, requires_grad=True)
y = checkpoint(lambda x: (x * 2).view(2, 2), x, use_reentrant=False)
y.mul_(2)
y.sum().backward()
z = checkpoint(lambda x: (x * 2).view(2, 2), x, use_reentrant=True)
z.mul_(2)
z.sum().backward()

# torch.is_grad_enabled: checkpoint: exceptions inside keep modes
from torch.utils.checkpoint import checkpoint

x = torch.ones(2, requires_grad=True)
for reentrant in (False, True):
    try:
        checkpoint(lambda x: 1 / 0, x, use_reentrant=reentrant)
    except ZeroDivisionError as e:
        print(e, torch.is_grad_enabled())

# Tensor.exp: checkpoint: non-determinism found
from torch.utils.checkpoint import checkpoint

n = [0]


def f(x):
    n[0] += 1
    return x.exp() if n[0] == 1 else x.exp().sin().cos()


def g(x):
    n[0] += 1
    return x.exp().sin() if n[0] == 1 else x.sin()


def h(x):
    n[0] += 1
    return x.exp() if n[0] == 1 else x.double().exp()


x = torch.ones(2, requires_grad=True)
for fn in (f, g, h):
    n[0] = 0
    y = checkpoint(fn, x, use_reentrant=False)
    try:
        y.sum().backward()
        print("ok")
    except Exception as e:
        print(type(e).__name__, str(e)[:300])

# Tensor.exp: checkpoint: debug and determinism none
from torch.utils.checkpoint import checkpoint

n = [0]


def h(x):
    n[0] += 1
    return x.exp() if n[0] == 1 else x.double().exp()


x = torch.ones(2, requires_grad=True)
y = checkpoint(h, x, use_reentrant=False, determinism_check="none")
try:
    y.sum().backward()
except Exception as e:
    print(type(e).__name__, str(e)[:100])

# torch.autocast: checkpoint under autocast, and under no_grad
from torch.utils.checkpoint import checkpoint

lin = nn.Linear(4, 4)
x = torch.ones(2, 4, requires_grad=True)
seen = []


def f(x):
    y = lin(x)
    seen.append(y.dtype)
    return y.float().exp()


with torch.autocast("cpu", dtype=torch.bfloat16):
    y = checkpoint(f, x, use_reentrant=False)
y.sum().backward()
with torch.autocast("cpu", dtype=torch.bfloat16):
    z = checkpoint(f, x, use_reentrant=True)
z.sum().backward()
with torch.no_grad():
    w = checkpoint(f, x, use_reentrant=False)
print(seen, w.requires_grad)

# torch.autograd.graph.save_on_cpu: checkpoint with a Function and save_on_cpu
from torch.utils.checkpoint import checkpoint


class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * g


x = torch.tensor([2.0], requires_grad=True)
with torch.autograd.graph.save_on_cpu():
    y = checkpoint(lambda x: A.apply(x.exp()), x, use_reentrant=False)
y.backward()

# torch.func.vmap: checkpoint inside vmap and func.grad
from torch.utils.checkpoint import checkpoint

x = torch.ones(2, 3)
for f in (
    lambda: torch.func.vmap(lambda x: checkpoint(torch.exp, x, use_reentrant=False))(x),
    lambda: torch.func.grad(lambda x: checkpoint(torch.exp, x, use_reentrant=False).sum())(x),
    lambda: torch.func.grad(lambda x: checkpoint(torch.exp, x, use_reentrant=True).sum())(x),
):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, str(e)[:200])

# torch.exp: checkpoint and forward mode
from torch.utils.checkpoint import checkpoint
import torch.autograd.forward_ad as fwAD

x = torch.ones(2, requires_grad=True)
with fwAD.dual_level():
    d = fwAD.make_dual(x, torch.ones(2))
    y = checkpoint(torch.exp, d, use_reentrant=False)
    print(fwAD.unpack_dual(y).tangent)
    try:
        z = checkpoint(torch.exp, d, use_reentrant=True)
        print(fwAD.unpack_dual(z).tangent)
    except Exception as e:
        print(type(e).__name__, e)

# torch.is_grad_enabled: grad modes on a class with methods, staticmethods and class attributes
class A:
    @torch.no_grad()
    def f(self, x):
        return (x * 2).requires_grad, torch.is_grad_enabled()

    @staticmethod
    @torch.no_grad()
    def g(x):
        return (x * 2).requires_grad

    @classmethod
    @torch.no_grad()
    def h(cls, x):
        return (x * 2).requires_grad

    @property
    @torch.no_grad()
    def p(self):
        return torch.is_grad_enabled()

    @torch.no_grad()
    def __call__(self, x):
        return (x * 2).requires_grad


x = torch.ones(1, requires_grad=True)
a = A()
seen = [a.f(x), a.g(x), a.h(x), a.p, a(x), A.f.__name__, A.g.__qualname__]

# no_grad on a dataclass and a subclass
import warnings


@torch.no_grad()
class A:
    def __init__(self):
        self.mode = torch.is_grad_enabled()

    def f(self):
        return torch.is_grad_enabled()


a = A()
print(type(A).__name__, a.mode if hasattr(a, "mode") else None, a.f() if hasattr(a, "f") else None)


# torch.is_grad_enabled: generators that are closed, thrown into and sent to
@torch.no_grad()
def gen():
    got = []
    try:
        while True:
            got.append((yield torch.is_grad_enabled()))
    except ValueError:
        yield ("caught", torch.is_grad_enabled(), got)
    finally:
        seen.append(("closed", torch.is_grad_enabled()))


seen = []
g = gen()
seen.append(next(g))
seen.append(torch.is_grad_enabled())
seen.append(g.send(3))
seen.append(g.throw(ValueError("x")))
g.close()
seen.append(torch.is_grad_enabled())


# torch.is_inference_mode_enabled: a generator that returns a value
@torch.inference_mode()
def gen():
    x = yield torch.is_inference_mode_enabled()
    return (x, torch.is_inference_mode_enabled())


g = gen()
seen = [next(g)]
try:
    g.send(5)
except StopIteration as e:
    seen.append(e.value)
seen.append(torch.is_inference_mode_enabled())


# torch.is_grad_enabled: yield from a decorated generator
@torch.enable_grad()
def inner():
    a = yield torch.is_grad_enabled()
    yield a


@torch.no_grad()
def outer():
    yield torch.is_grad_enabled()
    yield from inner()
    yield torch.is_grad_enabled()


seen = list(outer())


# set_grad_enabled as decorator
@torch.set_grad_enabled(False)
def f():
    return torch.is_grad_enabled()


seen = [torch.is_grad_enabled(), f(), torch.is_grad_enabled()]
torch.set_grad_enabled(True)

# set_grad_enabled and the mode at the time of creation
c = torch.set_grad_enabled(False)
seen = [torch.is_grad_enabled()]
with c:
    seen.append(torch.is_grad_enabled())
seen.append(torch.is_grad_enabled())
torch.set_grad_enabled(True)
print(c, torch.no_grad(), torch.enable_grad(), torch.inference_mode()) if False else None
d = torch.set_grad_enabled(True)
seen.append((d.prev, d.mode, c.mode))

# torch.is_grad_enabled: contexts that are entered twice
c = torch.no_grad()
seen = []
with c:
    with c:
        seen.append(torch.is_grad_enabled())
    seen.append(torch.is_grad_enabled())
seen.append(torch.is_grad_enabled())
torch.set_grad_enabled(True)

# Tensor.clone: the clone of a context
c = torch.no_grad().clone()
d = torch.set_grad_enabled(False).clone()
e = torch.inference_mode(False).clone()
f = torch.autograd.enforce_grad_layout_policy(True) if False else None
torch.set_grad_enabled(True)
print(type(c).__name__, type(d).__name__, d.mode, e.mode)

# torch.no_grad: a lambda, a partial and a builtin under no_grad
from functools import partial

x = torch.ones(1, requires_grad=True)
f = torch.no_grad()(lambda x: x * 2)
g = torch.no_grad()(partial(torch.mul, x))
h = torch.no_grad()(torch.exp)
seen = [f(x).requires_grad, g(2).requires_grad, h(x).requires_grad]


# torch.no_grad: a module's forward under no_grad by decorator
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(2, 2)

    @torch.no_grad()
    def forward(self, x):
        return self.l(x)

    @torch.inference_mode()
    def infer(self, x):
        return self.l(x)


m = M()
y = m(torch.ones(1, 2))
z = m.infer(torch.ones(1, 2))
print(y.requires_grad, z.is_inference())

# Tensor.is_inference: inference tensors: what is allowed outside
with torch.inference_mode():
    x = torch.ones(3)
    w = torch.ones(3, requires_grad=True)
y = x + 1
print(x.is_inference(), y.is_inference(), w.requires_grad, w.is_leaf)
for f in (
    lambda: x.add_(1),
    lambda: x * torch.ones(3, requires_grad=True),
    lambda: x.view(3, 1),
    lambda: x.view(3, 1).add_(1),
    lambda: x.requires_grad_(),
    lambda: x.detach(),
    lambda: x._version,
    lambda: x.clone().add_(1),
    lambda: x[0:2].requires_grad,
    lambda: torch.ones(3).copy_(x),
    lambda: torch.ones(3, requires_grad=True).mul(x),
    lambda: x.data,
    lambda: x.grad_fn,
):
    try:
        r = f()
        print(r.is_inference() if torch.is_tensor(r) else r)
    except RuntimeError as e:
        print(e)

# Tensor.is_inference: normal tensors in inference mode
x = torch.ones(3)
w = torch.ones(3, requires_grad=True)
a = w * 2
with torch.inference_mode():
    v = x.view(3, 1)
    print(v.is_inference(), (w * 2).requires_grad, x.add_(1).is_inference(), x._version)
    a.add_(1)
    print(a.requires_grad, a._version)
    try:
        w.add_(1)
    except RuntimeError as e:
        print(e)
    with torch.inference_mode(False):
        print((w * 2).requires_grad, (w * 2).is_inference())
        t = torch.ones(2)
        print(t.is_inference())
a.sum().backward()
v.add_(1)
print(x, w.grad)

# Tensor.is_inference: inference mode and functions that make tensors
with torch.inference_mode():
    made = [
        torch.zeros(2),
        torch.tensor([1.0]),
        torch.arange(3),
        torch.ones(2).clone(),
        torch.ones(2).detach(),
        torch.zeros_like(torch.ones(2)),
    ]
print([t.is_inference() for t in made])
b = [t.clone().is_inference() for t in made]

# torch.inference_mode: saving inference tensors for backward
with torch.inference_mode():
    x = torch.ones(3)
w = torch.ones(3, requires_grad=True)
out = []
for f in (
    lambda: w + x,
    lambda: w * x,
    lambda: torch.where(x > 0, w, x),
    lambda: F.linear(w[None], x[None]),
    lambda: torch.dot(w, x),
):
    try:
        out.append(f())
    except RuntimeError as e:
        print(e)

# torch.is_inference_mode_enabled: nested modes and exceptions
seen = []
try:
    with torch.no_grad():
        with torch.inference_mode():
            raise ValueError
except ValueError:
    pass
seen.append((torch.is_grad_enabled(), torch.is_inference_mode_enabled()))

# torch.is_grad_enabled: asynchronous contexts interleaved
import asyncio

seen = []


async def a():
    with torch.no_grad():
        seen.append(("a", torch.is_grad_enabled()))
        await asyncio.sleep(0)
        seen.append(("a", torch.is_grad_enabled()))


async def b():
    seen.append(("b", torch.is_grad_enabled()))
    await asyncio.sleep(0)
    seen.append(("b", torch.is_grad_enabled()))


async def main():
    await a()
    await b()


asyncio.run(main())

# is_grad_enabled in threads and their pools
import threading

seen = []
with torch.no_grad():
    _t = threading.Thread(
        target=lambda: seen.append((torch.is_grad_enabled(), torch.is_inference_mode_enabled()))
    )
    _t.start()
    _t.join()
with torch.inference_mode():
    _t = threading.Thread(
        target=lambda: seen.append((torch.is_grad_enabled(), torch.is_inference_mode_enabled()))
    )
    _t.start()
    _t.join()

# Tensor.chunk: view and creation_meta: unbind, split, chunk under modes
x = torch.ones(2, 3, requires_grad=True)
y = x * 1
for make in (
    lambda: y.unbind(0)[0],
    lambda: y.split(1)[0],
    lambda: y.chunk(2)[0],
    lambda: torch.unsafe_chunk(y, 2)[0],
    lambda: y.tensor_split(2)[0],
    lambda: y.hsplit(3)[0] if hasattr(y, "hsplit") else y[0],
    lambda: list(y)[0],
    lambda: y[0],
):
    v = make()
    try:
        v.mul_(2)
        print("ok", v.grad_fn.name())
    except RuntimeError as e:
        print(str(e)[:120])

# no_grad views of a leaf and in-place
x = torch.ones(2, 3, requires_grad=True)
with torch.no_grad():
    v = x.view(6)
    v.add_(1)
    w = x[0]
print(x._version, v._is_view(), v._base is x, v.requires_grad, v.is_leaf)
for f in (
    lambda: v.mul_(2),
    lambda: w.mul_(2),
    lambda: v.requires_grad_(),
    lambda: v.mul_(torch.ones(6, requires_grad=True)),
):
    try:
        f()
        print("ok", v.requires_grad)
    except RuntimeError as e:
        print(e)

# detach and share versions
x = torch.ones(3, requires_grad=True)
y = x * 2
d = y.detach()
z = (y**2).sum()
d.add_(1)
print(y._version, d._version)
try:
    z.backward()
except RuntimeError as e:
    print(e)
y = x * 2
z = (y**2).sum()
y.data.add_(1)
print(y._version)
z.backward()
print(x.grad)

# Tensor._base: is_view and base of chains
x = torch.ones(4, requires_grad=True)
y = x * 1
a = y[1:]
b = a[1:]
c = b.view(2, 1)
d = c.detach()
e = d[0]
print(
    [t._is_view() for t in (x, y, a, b, c, d, e)],
    c._base is y,
    d._base is y if d._base is not None else None,
    e._base is d,
)

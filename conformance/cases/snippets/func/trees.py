# vmap over dicts, lists, namedtuples and dataclasses
from collections import namedtuple, OrderedDict

P = namedtuple("P", "a b")
x = torch.arange(6.0).view(2, 3)
f = torch.func.vmap(lambda d: {"s": d["x"].sum(), "l": [d["y"] * 2]})
r = f({"x": x, "y": x})
g = torch.func.vmap(lambda p: P(p.a.sum(), p.b * 2))
s = g(P(x, x))
print(type(s).__name__)
t = torch.func.vmap(lambda d: OrderedDict(a=d["a"] * 2))(OrderedDict(a=x))
print(type(t).__name__)

# vmap with negative in_dims and out_dims
x = torch.arange(12.0).view(2, 3, 2)
a = torch.func.vmap(lambda x: x * 2, in_dims=-1, out_dims=-1)(x)
b = torch.func.vmap(lambda x: (x, x.sum()), in_dims=-2, out_dims=(-1, 0))(x)
c = torch.func.vmap(lambda x, y: x + y, in_dims=(1, None), out_dims=1)(x, torch.ones(2, 2))

# vmap with in_dims as list, and dims on kwargs
x = torch.arange(6.0).view(2, 3)
a = torch.func.vmap(lambda x, k=1: x * k)(x, k=3)
b = torch.func.vmap(lambda x, *, k: x + k)(x, k=torch.ones(3))
try:
    torch.func.vmap(lambda x: x, in_dims=[0])(x)
except ValueError as e:
    print(e)

# torch.vmap: chunk_size with several arguments and uneven chunks
x = torch.arange(10.0).view(5, 2)
y = torch.arange(5.0)
a = torch.func.vmap(lambda x, y: (x * y, x.sum() + y), chunk_size=2)(x, y)
b = torch.func.vmap(lambda x, y: x * y, in_dims=(0, None), chunk_size=3)(x, torch.ones(2))
c = torch.func.vmap(lambda x: x * 2, out_dims=1, chunk_size=2)(x)

# F.dropout: randomness different and same with dropout and randn
torch.manual_seed(0)
x = torch.ones(3, 4)
a = torch.func.vmap(lambda x: x + torch.randn(4), randomness="same")(x)
print((a[0] == a[1]).all())
b = torch.func.vmap(lambda x: x + torch.randn(4), randomness="different")(x)
c = torch.func.vmap(lambda x: F.dropout(x, 0.5), randomness="different")(x)
d = torch.func.vmap(lambda x: torch.rand_like(x), randomness="same")(x)
e = torch.func.vmap(lambda x: torch.randint(0, 10, (2,)), randomness="different")(x)
f = torch.func.vmap(lambda x: torch.bernoulli(x * 0.5), randomness="different")(x)

# torch.func.vmap: nested vmap over the same function with different dims
x = torch.arange(24.0).view(2, 3, 4)
f = torch.func.vmap(torch.func.vmap(torch.func.vmap(lambda x: x * 2 + 1)))
a = f(x)
g = torch.func.vmap(torch.func.vmap(torch.sum, in_dims=1), in_dims=2)
b = g(x)

# vmap of torch functions passed directly
x = torch.arange(6.0).view(2, 3) + 1
for f in (
    torch.sum,
    torch.softmax,
    torch.argmax,
    torch.norm,
    torch.cumsum,
    torch.sort,
    torch.flip,
    torch.diag,
    torch.outer,
    torch.mean,
    torch.std,
    torch.prod,
    torch.logsumexp,
):
    try:
        r = torch.func.vmap(
            lambda v: (
                f(v, 0)
                if f in (torch.softmax, torch.cumsum, torch.logsumexp)
                else f(v, (0,))
                if f is torch.flip
                else f(v, v)
                if f is torch.outer
                else f(v)
            )
        )(x)
        print(f.__name__, r)
    except Exception as e:
        print(f.__name__, type(e).__name__, e)

# torch.func.grad_and_value: per-sample gradients of a convolutional network
m = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(), nn.Linear(32, 3))
params = {k: v.detach() for k, v in m.named_parameters()}


def loss(p, x, y):
    out = torch.func.functional_call(m, p, (x[None],))
    return F.cross_entropy(out, y[None])


x = torch.randn(4, 1, 6, 6)
y = torch.tensor([0, 1, 2, 1])
grads = {
    k: g.clone()
    for k, g in torch.func.vmap(torch.func.grad(loss), (None, 0, 0))(params, x, y).items()
}
value = torch.func.vmap(torch.func.grad_and_value(loss), (None, 0, 0))(params, x, y)[1]

# torch.func.stack_module_state: ensembling with stack_module_state
import copy

models = [nn.Linear(3, 2) for _ in range(3)]
params, buffers = torch.func.stack_module_state(models)
base = copy.deepcopy(models[0])


def call(p, b, x):
    return torch.func.functional_call(base, (p, b), (x,))


x = torch.randn(4, 3)
out = torch.func.vmap(call, (0, 0, None))(params, buffers, x)
out2 = torch.func.vmap(call)(params, buffers, torch.randn(3, 4, 3))
out.sum().backward()
print(params["weight"].requires_grad, params["weight"].is_leaf, params["weight"].grad is None)

# torch.func.jacfwd: jacobians with aux and several outputs
x = torch.tensor([1.0, 2.0, 3.0])
f = lambda x: ({"a": x**2, "b": x.sum()}, x * 3)
j, aux = torch.func.jacrev(f, has_aux=True)(x)
k, aux2 = torch.func.jacfwd(f, has_aux=True)(x)
print(sorted(j), sorted(k))

# jacrev with chunk_size and _preallocate_and_copy
x = torch.tensor([1.0, 2.0, 3.0])
f = lambda x: (x[:, None] * x).sin()
a = torch.func.jacrev(f, chunk_size=2)(x)
b = torch.func.jacrev(f, chunk_size=2, _preallocate_and_copy=True)(x).clone()
c = torch.func.jacrev(f, chunk_size=1)(x)
d = torch.func.jacrev(f, chunk_size=100)(x)

# hessian of a function with two arguments
f = lambda x, y: (x.sin() * y.cos()).sum()
x, y = torch.rand(2), torch.rand(2)
h = torch.func.hessian(f, argnums=(0, 1))(x, y)
print(len(h), len(h[0]), h[0][1].shape)
g = torch.func.jacfwd(torch.func.grad(f, argnums=1), argnums=0)(x, y)

# torch.func.vmap: vjp and jvp inside vmap
x = torch.rand(3, 4)
v = torch.rand(3, 4)


def a(x, v):
    out, back = torch.func.vjp(torch.sin, x)
    return back(v)[0]


r = torch.func.vmap(a)(x, v)
s = torch.func.vmap(lambda x, v: torch.func.jvp(torch.sin, (x,), (v,))[1])(x, v)
t = torch.func.vmap(lambda v: torch.func.jvp(torch.sin, (x[0],), (v,))[1])(v)

# vjp function used twice, and after the inputs changed
x = torch.rand(3)
out, back = torch.func.vjp(lambda x: x**2, x)
a = back(torch.ones(3))
b = back(torch.ones(3) * 2)
x.add_(1)
try:
    c = back(torch.ones(3))
except RuntimeError as e:
    print(e)

# vjp function with retain_graph=False
x = torch.rand(3)
out, back = torch.func.vjp(lambda x: x**2, x)
a = back(torch.ones(3), retain_graph=False)
try:
    back(torch.ones(3))
except RuntimeError as e:
    print(str(e)[:60])

# grad of a grad with respect to different arguments
f = lambda x, y: (x**2 * y**3).sum()
x, y = torch.tensor([2.0]), torch.tensor([3.0])
g = torch.func.grad(lambda y: torch.func.grad(f, argnums=0)(x, y).sum())(y)
h = torch.func.grad(lambda x: torch.func.grad(f, argnums=(0, 1))(x, y)[1].sum())(x)

# autograd.grad within func.grad of captured tensors
w = torch.tensor([2.0], requires_grad=True)


def f(x):
    y = x * w
    return (y**2).sum()


x = torch.tensor([3.0])
g = torch.func.grad(f)(x)
g.sum().backward()

# Tensor.is_inference: func.grad under no_grad and inference mode
x = torch.tensor([3.0])
with torch.no_grad():
    a = torch.func.grad(lambda x: (x**2).sum())(x)
    b = torch.func.vjp(lambda x: x**2, x)[1](torch.ones(1))
with torch.inference_mode():
    c = torch.func.grad(lambda x: (x**2).sum())(x)
print(a.requires_grad, c.is_inference())


# requires_grad and is_leaf within
def f(x):
    print(x.requires_grad, x.is_leaf, x.grad_fn is None)
    y = x * 2
    print(y.requires_grad, y.is_leaf, y.grad_fn.name())
    return y.sum()


torch.func.grad(f)(torch.ones(2))
torch.func.vmap(lambda x: (print(x.requires_grad, x.is_leaf, x.shape, x.dim(), x.size(0)), x)[1])(
    torch.ones(2, 3, requires_grad=True)
)


# Tensor.storage_offset: what tensors of transforms say of themselves
def f(x):
    print(
        x.shape,
        x.dtype,
        x.device,
        x.stride(),
        x.is_contiguous(),
        x.numel(),
        x.ndim,
        len(x),
        x.layout,
        x.storage_offset(),
        x._version,
    )
    return x.sum()


torch.func.vmap(f)(torch.ones(2, 3))
torch.func.grad(f)(torch.ones(3))
torch.func.jvp(f, (torch.ones(3),), (torch.ones(3),))


# functional_call with strict, tie_weights and kwargs
class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)
        self.b = nn.Linear(2, 2)
        self.b.weight = self.a.weight
        self.register_buffer("c", torch.ones(2))

    def forward(self, x, *, k=1):
        return self.b(self.a(x)) * k + self.c


m = M()
x = torch.ones(1, 2)
r = torch.func.functional_call(m, {"a.weight": torch.eye(2)}, x)
s = torch.func.functional_call(m, {"a.weight": torch.eye(2)}, (x,), {"k": 2}, tie_weights=False)
t = torch.func.functional_call(m, {"c": torch.zeros(2)}, x, {"k": 3})
for kw in ({"strict": True},):
    try:
        torch.func.functional_call(m, {"a.weight": torch.eye(2)}, x, **kw)
    except RuntimeError as e:
        print(e)
try:
    torch.func.functional_call(m, {"nope": torch.eye(2)}, x)
except Exception as e:
    print(type(e).__name__, e)
try:
    torch.func.functional_call(m, {"a.weight": torch.eye(2), "b.weight": torch.eye(2)}, x)
except Exception as e:
    print(type(e).__name__, e)

# replace_all_batch_norm_modules_
m = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2), nn.Sequential(nn.BatchNorm2d(2)))
r = torch.func.replace_all_batch_norm_modules_(m)
print(r is m, m)

# torch.func.vjp: transforms of functions with several levels of trees
f = lambda d: (d["a"]["b"] ** 2).sum() + d["c"][0].sum()
d = {"a": {"b": torch.ones(2)}, "c": [torch.ones(3)]}
g = torch.func.grad(f)(d)
v, back = torch.func.vjp(f, d)
h = back(torch.tensor(2.0))

# grad with argnums out of order, negative and repeated
f = lambda x, y, z: (x * y * z).sum()
a = [torch.ones(2) * i for i in (2.0, 3.0, 5.0)]
g = torch.func.grad(f, argnums=(2, 0))(*a)
h = torch.func.grad(f, argnums=-1)(*a)
for n in ((0, 0), 3, -4, "a", (0, 3), [0], ()):
    try:
        print(torch.func.grad(f, argnums=n)(*a))
    except Exception as e:
        print(type(e).__name__, e)

# torch.func.vmap: writes under a transform keep the dtype
a = torch.tensor([[True, False], [False, True]])
b = torch.func.vmap(lambda t: t.clone().mul_(2))(a)
b = torch.func.vmap(lambda t: t.clone().sin_())(a)
b = torch.func.vmap(lambda t: t.clone().div_(2))(a.long())
b = torch.func.grad(lambda t: (a.clone().add_(2.0) * t).sum())(torch.ones(2))

# torch.func.vmap: maps over whole numbers
m = torch.arange(8).reshape(2, 2, 2)
a = torch.func.vmap(lambda x: torch.addmm(x, x, x, beta=3, alpha=2))(m)
b = torch.func.vmap(lambda x: torch.addmv(x[0], x, x[1], beta=2, alpha=3))(m)
c = torch.func.vmap(lambda x: torch.baddbmm(x[None], x[None], x[None], beta=2, alpha=3))(m)
d = torch.func.vmap(lambda x: torch.addr(x, x[0], x[1], beta=2, alpha=3))(m)
e = torch.func.vmap(lambda x: torch.addcmul(x, x, x, value=2))(m)

# torch.func.vmap: a write under vmap is refused where it would not be cast back
a = torch.tensor([False, True])
b = torch.func.vmap(lambda t: t.clone().mul_(2))(a)
c = torch.func.vmap(lambda t: t.clone().add_(1.5))(a.int())
d = torch.func.vmap(lambda t: t.clone().exp_())(a.int())

# torch.func.jvp: the tangent of a sum with what has none is a copy
a = torch.zeros(2, 3)
b, c = torch.func.jvp(lambda x: x * 2, (a,), (-a,))
d = c.signbit()
e = torch.zeros(1, 1, 1, dtype=torch.float64, requires_grad=True)
f, g = torch.func.jvp(lambda x: x * torch.zeros(0, 1), (e,), (e,))
h, i = torch.func.jvp(lambda x: x * 1, (torch.zeros(2, 0),), (torch.zeros(0, 2).T,))

# torch.vmap: a number beside numbers of examples, and dimensions that are where they should be
a = torch.ones(3, requires_grad=True)
b = torch.ones(2, 3, requires_grad=True)
c = torch.vmap(lambda x: x * 2)(a)
d = torch.vmap(lambda x: x / 2.5)(a)
e = torch.vmap(lambda x: x.clone().mul_(2))(a)
f = torch.vmap(lambda x: x * 2)(b)
g = torch.vmap(torch.sin, in_dims=-1, out_dims=-1)(b)
h = torch.vmap(lambda x: x * 2, in_dims=-1, out_dims=-1)(b)
i = torch.vmap(lambda x: x.sum())(a)
(j,) = torch.autograd.grad(i, a, torch.ones(3), create_graph=True)

# torch.func.jvp: tangents of complex functions are read as their values are, and vectors are transposed
a = torch.tensor([-0.75 - 2j, 1 + 1j], requires_grad=True)
b = torch.func.jvp(torch.tanh, (a,), (torch.ones_like(a),))[1]
c = torch.func.jvp(lambda x: x * x, (a,), (torch.ones_like(a),))[1]
d = torch.ones(2, 3, requires_grad=True)
e = torch.vmap(lambda x: x.t() * 1)(d)
f = torch.vmap(lambda x: x.t() * 1)(d[0])

# torch.func.jvp: tangents of two levels
from torch.autograd import forward_ad

x, t = torch.tensor([2.0, 3.0]), torch.tensor([1.0, -1.0])
outer = torch.func.jvp(lambda x: torch.func.jvp(lambda y: y**3 * x, (x,), (t,))[1], (x,), (t,))
inner = torch.func.jvp(lambda x: torch.func.grad(lambda y: (y * x).sin().sum())(x), (x,), (t,))
deep = torch.func.grad(lambda a: torch.func.jvp(lambda b: (a * b).exp().sum(), (x,), (t,))[1])(x)
with forward_ad.dual_level():
    dual = forward_ad.make_dual(x, t)
    a = forward_ad.make_dual(dual.clone().detach(), t * 2)
    pair = forward_ad.unpack_dual(dual)
    try:
        forward_ad.make_dual(torch.arange(3), torch.arange(3))
    except Exception as error:
        print(type(error).__name__, error)
    try:
        forward_ad.make_dual(torch.ones(3), torch.ones(2))
    except Exception as error:
        print(type(error).__name__, error)
    base = torch.ones(2, 2)
    base[0].copy_(dual)
    print(
        forward_ad.unpack_dual(base).tangent,
        forward_ad.unpack_dual(base[0]).tangent,
        forward_ad.unpack_dual(base[1]).tangent,
    )
    primal = forward_ad.unpack_dual(dual).primal
    print(primal, forward_ad.unpack_dual(primal).tangent)

# torch.func.functionalize: masks in function transforms are drawn outside of them
x = torch.arange(8.0).reshape(2, 4) + 1
for randomness in ("same", "different"):
    print(torch.vmap(lambda x: F.dropout(x, 0.5), randomness=randomness)(x))
    slope = torch.func.grad(lambda x: F.dropout(x * x, 0.5).sum())
    print(torch.vmap(slope, randomness=randomness)(x))
print(torch.func.jvp(lambda x: F.dropout(x * x, 0.5), (x,), (torch.ones(2, 4),)))
print(torch.func.vjp(lambda x: F.dropout1d(x, 0.5), x)[1](x))
print(torch.func.grad(lambda x: F.alpha_dropout(x, 0.5, True).sum())(x))
print(torch.func.functionalize(lambda x: F.dropout(x, 0.5))(x))


# torch.func.jvp: a product with the neural tangent kernel, below two vmaps
net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Flatten(1), nn.Linear(8, 3))
params = {name: p.detach() for name, p in net.named_parameters()}
x = torch.randn(5, 1, 4, 4)


def one(p, x):
    return torch.func.functional_call(net, p, (x.unsqueeze(0),)).squeeze(0)


def kernel(x1, x2):
    out, pulled = torch.func.vjp(lambda p: one(p, x1), params)

    def product(v):
        return torch.func.jvp(lambda p: one(p, x2), (params,), pulled(v))[1]

    return torch.vmap(product)(torch.eye(3))


out = torch.vmap(torch.vmap(kernel, (None, 0)), (0, None))(x[:3], x[3:])

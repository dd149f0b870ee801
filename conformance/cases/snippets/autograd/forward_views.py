# Tensor.mul_: forward mode: views of duals and what is written into them
import torch.autograd.forward_ad as fwAD

x, t = torch.rand(4), torch.rand(4)
with fwAD.dual_level():
    d = fwAD.make_dual(x.clone(), t)
    e = d.clone()
    e[1:3].mul_(2)
    f = e.view(2, 2)
    f[0] = d[2:]
    a = fwAD.unpack_dual(e)
    b = fwAD.unpack_dual(f)
    c = fwAD.unpack_dual(e[0])
out = [a.primal, a.tangent, b.tangent, c.tangent]

# Tensor.copy_: forward mode: in-place on a plain tensor with a dual
import torch.autograd.forward_ad as fwAD

with fwAD.dual_level():
    d = fwAD.make_dual(torch.ones(3), torch.ones(3) * 2)
    p = torch.zeros(3)
    p.add_(d)
    q = torch.zeros(2, 3)
    q[0] = d
    r = torch.zeros(3).copy_(d)
    out = [fwAD.unpack_dual(p).tangent, fwAD.unpack_dual(q).tangent, fwAD.unpack_dual(r).tangent]

# torch.std_mean: forward mode: functions with several outputs
import torch.autograd.forward_ad as fwAD

x, t = torch.rand(3, 3, dtype=torch.float64), torch.rand(3, 3, dtype=torch.float64)
with fwAD.dual_level():
    d = fwAD.make_dual(x, t)
    res = []
    for f in (
        lambda d: d.sort(0),
        lambda d: d.max(1),
        lambda d: torch.var_mean(d, 0),
        lambda d: d.split(2),
        lambda d: d.unbind(0),
        lambda d: torch.std_mean(d),
        lambda d: d.topk(2),
        lambda d: d.cummax(0),
        lambda d: torch.aminmax(d),
    ):
        res.append([fwAD.unpack_dual(o).tangent.clone() for o in f(d)])

# nn.AvgPool2d: forward mode: modules
import torch.autograd.forward_ad as fwAD

torch.manual_seed(0)
m = nn.Sequential(
    nn.Linear(3, 4), nn.Tanh(), nn.LayerNorm(4), nn.Linear(4, 2), nn.Softmax(-1)
).requires_grad_(False)
x, t = torch.rand(2, 3), torch.rand(2, 3)
with fwAD.dual_level():
    out = fwAD.unpack_dual(m(fwAD.make_dual(x, t)))
conv = nn.Sequential(
    nn.Conv2d(1, 2, 3, padding=1), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2), nn.AvgPool2d(2)
).requires_grad_(False)
x, t = torch.rand(2, 1, 4, 4), torch.rand(2, 1, 4, 4)
with fwAD.dual_level():
    out2 = fwAD.unpack_dual(conv(fwAD.make_dual(x, t)))
conv.eval()
with fwAD.dual_level():
    out3 = fwAD.unpack_dual(conv(fwAD.make_dual(x, t)))

# torch.func.functional_call: forward mode: duals of parameters by functional_call
import torch.autograd.forward_ad as fwAD

m = nn.Linear(2, 2)
x = torch.ones(1, 2)
tangents = {k: torch.ones_like(p) for k, p in m.named_parameters()}
with fwAD.dual_level():
    params = {k: fwAD.make_dual(p, tangents[k]) for k, p in m.named_parameters()}
    out = fwAD.unpack_dual(torch.func.functional_call(m, params, x))
print(out.tangent)
with fwAD.dual_level():
    for name, p in list(m.named_parameters()):
        delattr(m, name)
        setattr(m, name, fwAD.make_dual(p, tangents[name]))
    out2 = fwAD.unpack_dual(m(x))

# torch.conj: forward mode: complex, float64 and mixed dtypes
import torch.autograd.forward_ad as fwAD

with fwAD.dual_level():
    d = fwAD.make_dual(torch.tensor([1 + 2j]), torch.tensor([1j]))
    out = [
        fwAD.unpack_dual(f(d)).tangent
        for f in (
            lambda d: d * d,
            torch.abs,
            torch.conj,
            torch.real,
            torch.imag,
            torch.angle,
            lambda d: d.exp(),
            lambda d: torch.view_as_real(d),
        )
    ]
    e = fwAD.make_dual(torch.ones(2), torch.ones(2))
    f = e * torch.ones(2, dtype=torch.float64)
    g = e.double()
    print(fwAD.unpack_dual(f).tangent.dtype, fwAD.unpack_dual(g).tangent.dtype)

# torch.autograd.grad: forward mode: gradients of what pushes tangents
import torch.autograd.forward_ad as fwAD

x = torch.rand(3, requires_grad=True)
t = torch.rand(3, requires_grad=True)
with fwAD.dual_level():
    d = fwAD.make_dual(x, t)
    p, u = fwAD.unpack_dual((d.sin() * d).exp())
g = [g.clone() for g in torch.autograd.grad(u.sum(), [x, t])]

# torch.autograd.Function: forward mode: custom Function with jvp, setup_context and non-differentiable outputs
import torch.autograd.forward_ad as fwAD


class A(torch.autograd.Function):
    @staticmethod
    def forward(x, y):
        return x * y, (x > 0)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_forward(*inputs)
        ctx.save_for_backward(*inputs)
        ctx.mark_non_differentiable(output[1])

    @staticmethod
    def backward(ctx, g, _):
        x, y = ctx.saved_tensors
        return g * y, g * x

    @staticmethod
    def jvp(ctx, xt, yt):
        x, y = ctx.saved_tensors
        print(xt, yt)
        return (xt * y if xt is not None else 0) + (x * yt if yt is not None else 0), None


with fwAD.dual_level():
    d = fwAD.make_dual(torch.ones(2), torch.ones(2))
    a, b = A.apply(d, torch.ones(2) * 3)
    print(fwAD.unpack_dual(a).tangent, fwAD.unpack_dual(b).tangent)

# Tensor.int: forward mode: errors
import torch.autograd.forward_ad as fwAD

for f in (
    lambda: fwAD.make_dual(torch.ones(2), torch.ones(2)),
    lambda: fwAD.make_dual(1, 2),
    lambda: fwAD.unpack_dual(3),
    lambda: fwAD.exit_dual_level(),
):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
with fwAD.dual_level():
    for f in (
        lambda: fwAD.make_dual(torch.ones(2), torch.ones(3)),
        lambda: fwAD.make_dual(torch.ones(2), torch.ones(2, dtype=torch.float64)),
        lambda: fwAD.make_dual(torch.ones(2), 3),
        lambda: fwAD.make_dual(torch.ones(2).int(), torch.ones(2)),
        lambda: fwAD.make_dual(torch.ones(2), torch.ones(2), level=3),
        lambda: fwAD.unpack_dual(torch.ones(2), level=2),
        lambda: fwAD.enter_dual_level(),
        lambda: fwAD.exit_dual_level(level=5),
        lambda: fwAD.make_dual(fwAD.make_dual(torch.ones(2), torch.ones(2)), torch.ones(2)),
        lambda: fwAD.make_dual(torch.ones(2), fwAD.make_dual(torch.ones(2), torch.ones(2))),
    ):
        try:
            print(f())
        except Exception as e:
            print(type(e).__name__, e)

# Tensor.cpu: forward mode: printing, and what keeps tangents
import torch.autograd.forward_ad as fwAD
import copy

with fwAD.dual_level():
    d = fwAD.make_dual(torch.ones(2), torch.ones(2) * 2)
    print(d)
    print(repr(fwAD.unpack_dual(d)))
    keeps = [
        fwAD.unpack_dual(f(d)).tangent is not None
        for f in (
            lambda d: d.detach(),
            lambda d: d.data,
            lambda d: d.clone(),
            lambda d: d.contiguous(),
            lambda d: d.to(torch.float32),
            lambda d: d.requires_grad_(),
            lambda d: d.view_as(d),
            lambda d: d.cpu(),
            lambda d: torch.tensor(d.tolist()),
            lambda d: d.new_tensor([1.0]),
            lambda d: torch.zeros_like(d),
            lambda d: d.alias() if hasattr(d, "alias") else d,
        )
    ]
print(keeps)

# torch.func.jvp: the tangent of a gradient of leaky units with weights
x, w = torch.tensor([-1.5, 2.0, -0.5]), torch.tensor([0.25])
g = torch.tensor([1.0, -2.0, 3.0])


def slopes(x, w, g):
    return torch.func.vjp(F.prelu, x, w)[1](g)


a = torch.func.jvp(slopes, (x, w, g), (x + 1, w + 2, g * 2))
b = [
    torch.func.jvp(
        slopes, (x, w, g), tuple(v if i == k else v * 0 for i, v in enumerate((x, w, g)))
    )
    for k in range(3)
]
del slopes

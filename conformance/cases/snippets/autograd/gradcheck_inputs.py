# torch.rand: gradcheck: a function of several inputs with non-tensor and integer inputs
from torch.autograd import gradcheck, gradgradcheck

x = torch.rand(3, dtype=torch.float64, requires_grad=True)
i = torch.tensor([0, 2])
print(gradcheck(lambda x, i, n: x[i] * n, (x, i, 2.0)))
print(gradgradcheck(lambda x, i, n: x[i] ** n, (x, i, 2.0)))

# torch.autograd.Function: gradcheck: what it raises, and raise_exception=False
from torch.autograd import gradcheck


class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 3


x = torch.rand(2, dtype=torch.float64, requires_grad=True)
print(gradcheck(Wrong.apply, (x,), raise_exception=False))
for kw in (
    {},
    {"fast_mode": True},
    {"check_undefined_grad": False},
    {"nondet_tol": 1e-3},
    {"check_batched_grad": True},
):
    try:
        gradcheck(Wrong.apply, (x,), **kw)
    except Exception as e:
        print(type(e).__name__, str(e)[:400])

# torch.rand: gradcheck: inputs and outputs it refuses
from torch.autograd import gradcheck

x = torch.rand(2, dtype=torch.float64, requires_grad=True)
for f, a, kw in (
    (lambda x: x * 2, (torch.ones(2),), {}),
    (lambda x: x * 2, x, {}),
    (lambda x: 3, (x,), {}),
    (lambda x: x > 0, (x,), {}),
    (lambda x: x.detach(), (x,), {}),
    (lambda x: x * 2, (torch.rand(2, requires_grad=True),), {}),
    (lambda x: x.sum(), (x,), {"eps": 1e-3, "atol": 1e-2, "rtol": 0.1}),
    (lambda x: [x, x * 2], (x,), {}),
    (lambda x: x * 2, (x,), {"check_forward_ad": True, "check_batched_forward_grad": True}),
    (lambda x: x * 2, (x,), {"check_backward_ad": False}),
    (lambda x: x * 2, (x,), {"check_batched_forward_grad": True}),
    (lambda x: x * 2, (x,), {"masked": True}),
):
    try:
        print(gradcheck(f, a, **kw))
    except Exception as e:
        print(type(e).__name__, str(e)[:300])

# torch.rand: functional: jacobian and hessian with create_graph, strict and vectorize
from torch.autograd import functional as AF

x = torch.rand(2, requires_grad=True)
y = torch.rand(2)
j = AF.jacobian(lambda x, y: x * y, (x, y), create_graph=True)
print([[t.requires_grad for t in r] if isinstance(r, tuple) else r.requires_grad for r in j])
h = AF.hessian(lambda x: (x**3).sum(), x, create_graph=True)
print(h.requires_grad)
for f, kw in (
    (lambda x: x.detach() * 2, {"strict": True}),
    (lambda x: torch.ones(2), {"strict": True}),
    (lambda x: torch.ones(2), {}),
    (lambda x: x * 2, {"vectorize": True, "strict": True}),
    (lambda x: x * 2, {"strategy": "forward-mode", "vectorize": True}),
    (lambda x: x * 2, {"strategy": "forward-mode"}),
    (lambda x: x * 2, {"strategy": "x"}),
    (lambda x: 3, {}),
    (lambda x: (x, 3), {}),
):
    try:
        print(AF.jacobian(f, x, **kw))
    except Exception as e:
        print(type(e).__name__, e)

# torch.rand: functional: vjp, jvp, vhp, hvp with and without v
from torch.autograd import functional as AF

x = torch.rand(2)
v = torch.rand(2)
s = lambda x: (x**3).sum()
out = [
    AF.vjp(s, x),
    AF.vhp(s, x, v),
    AF.hvp(s, x, v),
    AF.jvp(lambda x: x**2, x, v),
    AF.vjp(lambda x: x**2, x, v),
]
for f in (
    lambda: AF.vjp(lambda x: x**2, x),
    lambda: AF.jvp(lambda x: x**2, x),
    lambda: AF.vhp(lambda x: x**2, x, v),
    lambda: AF.vjp(s, x, v),
    lambda: AF.vjp(lambda x: x**2, x, torch.rand(3)),
    lambda: AF.vjp(lambda x: x**2, x, (v, v)),
    lambda: AF.vjp(lambda x: x**2, 3),
    lambda: AF.hvp(s, x),
    lambda: AF.jvp(lambda x: x.sum() * torch.ones(2), torch.tensor(1.0)),
):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)

# Tensor.prod: functional: tuples in and out, and nested derivatives
from torch.autograd import functional as AF

x, y = torch.rand(2), torch.rand(3)
j = AF.jacobian(lambda x, y: (x.sum() * y, x.prod() * y.sum()), (x, y))
h = AF.hessian(lambda x, y: (x.sum() * y).pow(2).sum(), (x, y))
k = AF.hessian(
    lambda x, y: (x.sum() * y).pow(2).sum(),
    (x, y),
    vectorize=True,
    outer_jacobian_strategy="forward-mode",
)
third = AF.jacobian(lambda x: AF.hessian(lambda x: (x**3).sum(), x, create_graph=True), x)
k = [[t.detach() for t in row] for row in k]

# torch.autograd.detect_anomaly: anomaly: nested and with hooks
import warnings

x = torch.tensor([0.0, 1.0], requires_grad=True)
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always")
    with torch.autograd.detect_anomaly():
        with torch.autograd.detect_anomaly(check_nan=False):
            y = x.sqrt() * 0
            y.sum().backward()
        print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
        try:
            (x.sqrt() * 0).sum().backward()
        except RuntimeError as e:
            print(e)
print(torch.is_anomaly_enabled(), len([v for v in w if "Anomaly" in str(v.message)]))
del w

# torch.is_anomaly_enabled: anomaly: as a function and a decorator
x = torch.tensor([0.0], requires_grad=True)
torch.autograd.set_detect_anomaly(True)
print(torch.is_anomaly_enabled())
torch.autograd.set_detect_anomaly(False)
with torch.autograd.set_detect_anomaly(True, check_nan=False):
    print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
print(torch.is_anomaly_enabled())
torch.set_anomaly_enabled(True, False)
print(torch.is_anomaly_enabled(), torch.is_anomaly_check_nan_enabled())
torch.set_anomaly_enabled(False)

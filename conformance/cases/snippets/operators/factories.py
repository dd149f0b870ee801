# torch.ones: and had sizes of its own
a = torch.ones(2, 3, requires_grad=True)
b = a * 2 + a
a.data = torch.ones(3, dtype=torch.float16)
b.backward(torch.ones(2, 3))

# torch.full_like: a node whose gradient is refused keeps what it saved
a = torch.ones(2, requires_grad=True)
b = torch.ones(2, dtype=torch.complex64, requires_grad=True)
c = [torch.logaddexp(a, b), torch.where(torch.tensor([True, False]), a, b), b * 1]
c[2][:1].masked_fill_(torch.tensor([True]), a[0])
texts = []
for x in c:
    given = torch.full_like(x, 1j)
    for inputs in ((), (a,), (b,), (b,), ()):
        try:
            if inputs:
                texts.append(torch.autograd.grad(x, inputs, given)[0].tolist())
            else:
                x.backward(given)
        except RuntimeError as error:
            texts.append(str(error))

# torch.empty_strided: storage of more bytes than can be counted
for sizes, strides, dtype in (
    ((2,), (2**60,), torch.float64),
    ((2,), (2**61,), torch.float32),
    ((3, 2), (2**60, 1), torch.float32),
    ((2,), (2**62,), torch.int16),
    ((2**62,), (1,), torch.int16),
    ((2,), (2**63 - 1,), torch.uint8),
):
    try:
        torch.empty_strided(sizes, strides, dtype=dtype)
    except Exception as error:
        print(type(error).__name__, error)

# torch.ones: SGD as a function, whose first step makes a buffer
from torch.optim.sgd import sgd

options = dict(weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0, nesterov=True, maximize=False)
params, buffers = [torch.ones(2), torch.ones(3)], [None, torch.ones(3)]
sgd(params, [torch.ones(2), torch.ones(3)], buffers, **options)

# torch.full: RMSprop and ASGD as functions
from torch.optim.asgd import asgd
from torch.optim.rmsprop import rmsprop

p, g = [torch.ones(2)], [torch.tensor([0.5, -1.0])]
a, b, c, d = ([torch.full((2,), x)] for x in (0.3, 0.1, 0.2, 1.0))
step, mu, eta = [torch.tensor(1.0)], [torch.tensor(0.9)], [torch.tensor(0.1)]
rmsprop(
    p, g, a, b, c, step, lr=0.1, alpha=0.9, eps=1e-8, weight_decay=0, momentum=0.5, centered=True
)
asgd(p, g, d, mu, eta, step, lambd=1e-4, lr=0.1, t0=1.0, alpha=0.75, weight_decay=0.1)

# torch.ones: Adam as a function of steps that are numbers
from torch.optim.adam import adam

x = [torch.ones(2)]
adam(
    x,
    x,
    x,
    x,
    x,
    [1],
    amsgrad=False,
    beta1=0.9,
    beta2=0.9,
    lr=0.1,
    weight_decay=0,
    eps=1,
    maximize=False,
)

# torch.full: nested arguments and results of a Function
from torch.autograd.function import NestedIOFunction


class Both(NestedIOFunction):
    def forward_extended(self, pair, other):
        self.save_for_backward(pair[0])
        return [pair[0] * pair[1], other]

    def backward_extended(self, *grads):
        print(len(grads), [type(each).__name__ for each in grads])
        return grads


try:
    made = Both()
    a, b = torch.ones(2, requires_grad=True), torch.full((2,), 3.0)
    print(made((a, b), torch.zeros(1)))
except Exception as error:
    print(type(error).__name__, error)
print([name for name in vars(NestedIOFunction) if not name.startswith("__")])

# torch.full: versions of what is written twice
unary = "abs neg exp exp2 expm1 log log2 log10 log1p sqrt rsqrt square sin cos tan tanh sinh cosh asinh atan sigmoid reciprocal floor ceil round trunc frac erf erfc sgn sign relu digamma lgamma sinc logit".split()
for name in unary:
    x = torch.full((3,), 0.5)
    getattr(x, f"{name}_")()
    first = x._version
    getattr(x, f"{name}_")()
    getattr(x, f"{name}_")()
    print(name, first, x._version)
for (
    name
) in "add sub mul div pow fmod remainder floor_divide copysign hypot nextafter atan2 xlogy".split():
    x, y = torch.full((3,), 2.0), torch.full((3,), 3.0)
    getattr(x, f"{name}_")(y)
    first = x._version
    getattr(x, f"{name}_")(y)
    getattr(x, f"{name}_")(2) if name not in ("hypot", "nextafter", "atan2") else None
    print(name, first, x._version)

# torch.ones: the second term of a product's tangent is the older one
import torch.autograd.forward_ad as fwAD

with fwAD.dual_level():
    a, b, c, d = [torch.ones(2, requires_grad=True) * n for n in range(4)]
    e = fwAD.unpack_dual(fwAD.make_dual(a, b) * fwAD.make_dual(c, d)).tangent
    f = fwAD.unpack_dual(fwAD.make_dual(a, b) @ fwAD.make_dual(c, d)).tangent
ages = [
    [x._sequence_nr() - y.grad_fn._sequence_nr() for x, _ in y.grad_fn.next_functions]
    for y in (e, f)
]

# torch.zeros: functions as they were written once
from torch.autograd.function import InplaceFunction, NestedIOFunction

old = InplaceFunction(True), InplaceFunction()
print([each.inplace for each in old])
nested = NestedIOFunction()
a, b = torch.ones(2), torch.zeros(3)


def asked(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


nested.save_for_backward(a, [b, None])
print(nested.to_save, nested._to_save_nested)
asked(lambda: nested.mark_dirty(a, [b], key=a))
print(nested.dirty_tensors)
asked(lambda: nested.mark_non_differentiable((a, b)))
print(nested.non_differentiable)
asked(lambda: nested.save_for_backward(5))
asked(lambda: nested.mark_dirty("a"))
asked(lambda: nested.forward_extended(a))
asked(lambda: nested.backward_extended(a))

# torch.zeros: a leaf that is given as out= requires grad afterwards if the call says so
x = torch.zeros(3, requires_grad=True)
with torch.no_grad():
    for call in (
        lambda out, **options: torch.zeros(3, out=out, **options),
        lambda out, **options: torch.arange(3.0, out=out, **options),
        lambda out, **options: torch.eye(3, 1, out=out, **options),
        lambda out, **options: torch.linspace(0, 1, 3, out=out, **options),
        lambda out, **options: torch.rand(3, out=out, **options),
        lambda out, **options: torch.normal(0.0, 1.0, (3,), out=out),
        lambda out, **options: torch.randn(3, out=out, **options),
        lambda out, **options: torch.empty(3, out=out, **options),
    ):
        for make in (
            lambda: torch.zeros(3, requires_grad=True),
            lambda: torch.zeros(3),
            lambda: x * 2,
            lambda: x[:],
        ):
            with torch.enable_grad():
                out = make()
            for options in ({}, {"requires_grad": True}):
                try:
                    print(call(out, **options).requires_grad, out._version, out.is_leaf)
                except RuntimeError as error:
                    print(error)
del out, x

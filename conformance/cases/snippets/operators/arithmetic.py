# torch.randn: a product is added to a sum
x = torch.randn(3, requires_grad=True)
y = torch.randn(3, requires_grad=True)
z = x * y + x

# torch.randn: a number on the left
x = torch.randn(3, requires_grad=True)
y = 2 - x

# Tensor.sum: a power of itself, summed, and its gradient
x = torch.randn(2, 3, requires_grad=True)
y = (x**2).sum()
y.backward()

# torch.rand: a number divided by a tensor
x = torch.rand(3, requires_grad=True)
y = 1 / x
z = 3.0 / x
y.sum().backward()

# torch.rand: every operator with a number on the right
x = torch.rand(4, requires_grad=True)
a, b, c, d = x + 1, x - 2, x * 3, x / 4
e, f, g = x**2, x // 0.3, x % 0.3

# torch.rand: every operator with a number on the left
x = torch.rand(4, requires_grad=True)
a, b, c, d = 1 + x, 2 - x, 3 * x, 4 / x
e, f, g = 2**x, 1 // x, 1 % x

# torch.tensor: a tensor with itself
x = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
a, b, c, d = x + x, x - x, x * x, x / x
(a + b + c + d).sum().backward()

# torch.linspace: a polynomial by Horner
x = torch.linspace(-1, 1, 5, requires_grad=True)
y = ((3 * x + 2) * x - 1) * x + 4
y.sum().backward()
print(x.grad)

# torch.tensor: minus, plus and absolute value
x = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)
a, b, c = -x, +x, abs(x)
c.sum().backward()

# torch.tensor: powers with many exponents
x = torch.tensor([0.5, 1.0, 2.0], requires_grad=True)
y = x**0 + x**1 + x**2 + x**3 + x**0.5 + x**-1 + x**-2
y.sum().backward()
print(y, x.grad)

# torch.tensor: a power whose exponent is a tensor
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
n = torch.tensor([0.0, 1.0, 2.0], requires_grad=True)
y = x**n
y.sum().backward()

# torch.pow: a power of zero
x = torch.zeros(2, requires_grad=True)
n = torch.tensor([0.0, 2.0], requires_grad=True)
y = torch.pow(x, n)
y.sum().backward()
print(x.grad, n.grad)

# torch.sub: functions with alpha
x = torch.ones(2, requires_grad=True)
y = torch.full((2,), 3.0, requires_grad=True)
a = torch.add(x, y, alpha=2)
b = torch.sub(x, y, alpha=0.5)
c = torch.rsub(x, y, alpha=2)

# torch.addcdiv: addcmul and addcdiv
x, y, z = (torch.rand(3, requires_grad=True) for _ in range(3))
a = torch.addcmul(x, y, z, value=2)
b = torch.addcdiv(x, y, z, value=0.5)
(a + b).sum().backward()

# lerp by a number and by a tensor
x = torch.zeros(3, requires_grad=True)
y = torch.ones(3, requires_grad=True)
w = torch.tensor([0.1, 0.5, 0.9], requires_grad=True)
a, b = torch.lerp(x, y, 0.25), x.lerp(y, w)
(a * b).sum().backward()

# Tensor.round: rounding has no gradient but zero
x = torch.tensor([-1.5, -0.5, 0.5, 2.5], requires_grad=True)
y = x.round() + x.floor() + x.ceil() + x.trunc() + x.frac() + x.sign()
y.sum().backward()
print(y, x.grad)

# torch.log: the elementary functions at once
x = torch.rand(3, requires_grad=True)
ys = [f(x) for f in (torch.exp, torch.log, torch.sin, torch.cos, torch.tanh, torch.sqrt)]
sum(ys).sum().backward()

# torch.acos: more elementary functions
x = torch.rand(3, requires_grad=True)
ys = [f(x) for f in (torch.tan, torch.asin, torch.acos, torch.atan, torch.sinh, torch.cosh)]
zs = [f(x) for f in (torch.log2, torch.log10, torch.log1p, torch.expm1, torch.exp2, torch.rsqrt)]

# Tensor.sqrt: a square root at zero
x = torch.zeros(2, requires_grad=True)
y = x.sqrt().sum()
y.backward()
print(x.grad)

# true_divide, floor_divide and div with a rounding mode
x = torch.tensor([7.0, -7.0], requires_grad=True)
y = torch.tensor([2.0, 2.0], requires_grad=True)
a = torch.div(x, y, rounding_mode="floor")
b = torch.div(x, y, rounding_mode="trunc")
c = torch.true_divide(x, y)
(a + b + c).sum().backward()

# remainder and fmod
x = torch.tensor([5.5, -5.5], requires_grad=True)
y = torch.tensor([2.0, 2.0], requires_grad=True)
a, b = torch.remainder(x, y), torch.fmod(x, y)
(a + b).sum().backward()

# torch.minimum: maximum and minimum share the gradient of equals
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = torch.tensor([3.0, 2.0, 1.0], requires_grad=True)
a, b = torch.maximum(x, y), torch.minimum(x, y)
a.sum().backward()
print(x.grad, y.grad)

# clamp on both sides, and at the bound
x = torch.tensor([-2.0, -1.0, 0.0, 1.0, 2.0], requires_grad=True)
y = x.clamp(-1, 1)
z = x.clamp(min=0)
(y + z).sum().backward()
print(x.grad)

# clamp by tensors
x = torch.tensor([-2.0, 0.5, 2.0], requires_grad=True)
low = torch.tensor([-1.0, 1.0, 0.0], requires_grad=True)
y = torch.clamp(x, min=low)
y.sum().backward()

# torch.logaddexp: hypot, atan2, logaddexp
x = torch.tensor([3.0, -1.0], requires_grad=True)
y = torch.tensor([4.0, 2.0], requires_grad=True)
a, b, c = torch.hypot(x, y), torch.atan2(x, y), torch.logaddexp(x, y)
(a + b + c).sum().backward()

# reciprocal, square, neg as functions
x = torch.tensor([0.5, -2.0], requires_grad=True)
y = torch.reciprocal(torch.square(torch.neg(x)))
y.sum().backward()

# torch.full: the sum of a list of tensors
xs = [torch.full((2,), float(n), requires_grad=True) for n in range(3)]
y = sum(xs)
y.sum().backward()

# torch.ones: a NumPy number as an operand
import numpy as np

x = torch.ones(2, requires_grad=True)
y = x * np.float32(2.5)
z = x + np.int64(3)

# torch.where: where chooses gradients
x = torch.tensor([-1.0, 2.0], requires_grad=True)
y = torch.where(x > 0, x, 0.1 * x)
y.sum().backward()
print(x.grad)

# torch.where: where with numbers
x = torch.tensor([-1.0, 2.0], requires_grad=True)
y = torch.where(x > 0, x, 0)
z = torch.where(x > 0, 1.0, 0.0)

# sigmoid by hand and by name
x = torch.linspace(-4, 4, 5, requires_grad=True)
y = 1 / (1 + torch.exp(-x))
z = torch.sigmoid(x)
(y + z).sum().backward()

# torch.ones: nothing but numbers times ones
x = torch.ones((), requires_grad=True)
y = x * 2 + 3
y.backward()
print(y, y.item(), x.grad)

# Tensor.conj: complex numbers
z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
w = z * z.conj()
w.real.sum().backward()
print(z.grad)

# torch.tensor: infinities and not-a-number go through
x = torch.tensor([float("inf"), float("nan"), 0.0], requires_grad=True)
y = x * 0 + 1 / x
y.sum().backward()
print(y, x.grad)

# Tensor.add_: memory that is read and written: slices
a = torch.arange(6.0)
a[1:].add_(a[:-1])

# Tensor.div_: written with itself
a = torch.ones(2, requires_grad=True)
b = a * a
b.div_(b)

# Tensor.mul_: as is a complex gradient of the imaginary parts
a = torch.tensor([-1.75 - 2.75j, -0.5 - 0.25j]).requires_grad_()
b = a.imag
c = torch.autograd.grad(b, a, torch.ones_like(b))[0]
c[:1].mul_(b[:1])

# Tensor.add_: a gradient of ones that was not given comes back as a view of them
a = torch.tensor([-3.0]).reshape(1, 1).requires_grad_()
c = torch.autograd.grad(a.t(), a)[0]
c.add_(a)

# torch.reciprocal: the right factor of a product is computed first: its nodes are older
orders = {}
a = torch.tensor([0.5, 0.25], requires_grad=True)
b = torch.tensor([0.75, 1.5], requires_grad=True)
for name, f in {
    "silu": F.silu,
    "mish": F.mish,
    "rsqrt": torch.rsqrt,
    "reciprocal": torch.reciprocal,
    "var": torch.var,
    "softsign": F.softsign,
    "div": lambda x: b / x,
    "fmod": lambda x: torch.fmod(b, x),
    "logcumsumexp": lambda x: torch.logcumsumexp(x, 0),
}.items():
    y = f(a)
    (g,) = torch.autograd.grad(y, a, torch.ones_like(y).requires_grad_(), create_graph=True)
    nodes, stack = set(), [g.grad_fn]
    while stack:
        node = stack.pop()
        if node is not None and node not in nodes:
            nodes.add(node)
            stack += [each for each, _ in node.next_functions]
    made = [node for node in nodes if hasattr(node, "_sequence_nr")]
    orders[name] = [
        node.name()
        for node in sorted(made, key=lambda node: node._sequence_nr())
        if "Accumulate" not in node.name()
    ]
del nodes, stack, node, made

# Tensor.add_: hooks take a saved tensor as it is, though it was written since
a = torch.tensor([-3.0, -2.75, -2.5]).requires_grad_()
b = a.sin()
c = b.sin()
d = b.exp()
b.add_(1)
d.add_(1)
c.grad_fn._raw_saved_self.register_hooks(lambda x: x * 0.5, lambda x: x * 2)
d.grad_fn.next_functions[0][0]._raw_saved_result.register_hooks(lambda x: x * 2, lambda x: x)
c.sum().backward()

# Tensor.mul_: the gradient of a view that got its history by a write into its base
x = torch.ones(2, requires_grad=True)
base = torch.zeros(2)
view = base[1:]
base.mul_(x)
base.backward(torch.ones(2), inputs=[view])
retains = view.retains_grad

# torch.div: division with rounding_mode=None
x, y = (
    torch.tensor([1.0, -2.0, 3.0], requires_grad=True),
    torch.tensor([4.0, 5.0, -6.0], requires_grad=True),
)
z = torch.div(x, y, rounding_mode=None)
z.backward(torch.tensor([1.0, 2.0, 3.0]))
floor = torch.div(x, y, rounding_mode="floor")
floor.sum().backward()
first = torch.autograd.grad(torch.div(x, y, rounding_mode=None).sum(), (x, y), create_graph=True)
second = [each * 1 for each in torch.autograd.grad(first[0].sum() + first[1].sum(), (x, y))]

# torch.rsub: numbers on the left
i, x = torch.tensor([2, 3, -4]), torch.tensor([2.0, -3.0], requires_grad=True)
a = torch.remainder(7, i), 7 % i, 7 // i, 7 - i, 7 ** i.abs(), 7.5 % i
b = torch.remainder(7, x.detach()), torch.xlogy(3, x.abs()), torch.rsub(x, 3, alpha=2)
(b[1] + b[2]).sum().backward()
c = torch.rsub(i, 3, alpha=2), torch.rsub(i, i, alpha=2), torch.mul(i, 3), torch.add(i, 3, alpha=2)


# Tensor.remainder: many images at once
def shown(x):
    return [
        round(each, 2)
        for each in (
            x.double().sum().item(),
            x[-1].double().sum().item(),
            x[0].double().sum().item(),
        )
    ]


x, w = (
    torch.arange(4.0 * 64 * 3 * 14 * 14).remainder(7).reshape(256, 3, 14, 14).requires_grad_(),
    torch.arange(54.0).remainder(5).reshape(3, 2, 3, 3).requires_grad_(),
)
y = F.conv_transpose2d(x, w, stride=2)
print(y.shape, shown(y))
y.backward(torch.ones_like(y))
print(shown(x.grad), w.grad.tolist())
z = F.conv2d(x.detach(), w.detach().transpose(0, 1), padding=1)
print(z.shape, shown(z))
x = y = z = w = None


# Tensor.remainder: products of batches and layers
def shown(x):
    return [
        x.shape,
        x.double().sum().item(),
        x[0].double().sum().item(),
        x[-1, -1].item(),
        x[:, 1].double().sum().item(),
    ]


for m, k, n in (
    (64, 784, 256),
    (64, 300, 128),
    (784, 64, 256),
    (128, 256, 64),
    (100, 50, 640),
    (129, 300, 100),
):
    a, b = (
        torch.arange(float(m * k)).remainder(5).reshape(m, k),
        torch.arange(float(k * n)).remainder(3).reshape(k, n),
    )
    print(shown(a @ b), shown(a @ b.t().contiguous().t()), shown(a.t().contiguous().t() @ b))

# Tensor.mul_: a view among inputs= is brought up to date before it retains its gradient
a = torch.ones(4)
b = a[:2]
a.mul_(torch.ones(4, requires_grad=True))
a.sum().backward(inputs=[b])
c = b.retains_grad, b.grad

# Tensor.add: events of a profile that are made by hand
from torch.autograd.profiler_util import EventList, FunctionEvent

events = EventList(
    [
        FunctionEvent(
            id=k,
            name=name,
            thread=0,
            start_us=10 * k,
            end_us=10 * k + length,
            input_shapes=shapes,
            stack=stack,
            flops=flops,
            scope=0,
            use_device=None,
        )
        for k, (name, length, shapes, stack, flops) in enumerate(
            [
                ("a", 9, [[2, 3], []], ["here(1): f", "there(2): g"], 4000),
                ("a", 3, [[2, 3], []], ["here(1): f", "there(2): g"], 2000),
                ("bcd", 5, [[2] * 30], ["a_long_place_" * 9 + "(3): h"], 0),
                ("a", 5, [[7]], [], 5_000_000),
            ]
        )
    ],
    use_device=None,
    profile_memory=False,
    with_flops=True,
)
try:
    events.key_averages()
except AssertionError as error:
    print(error)
events._build_tree()
print(events.table())
print(events.table(sort_by="cpu_time_total", row_limit=2, max_src_column_width=30))
print(events.key_averages(group_by_input_shapes=True).table(max_shapes_column_width=12))
print(events.key_averages(group_by_stack_n=1).table(max_name_column_width=4))
print(events.total_average())
try:
    events[0].nothing
except AttributeError as error:
    print(error)
try:
    events.export_stacks("nowhere", "time")
except ValueError as error:
    print(error)
average = events.key_averages()
try:
    average[0].add(average[1])
except AssertionError as error:
    print(error)

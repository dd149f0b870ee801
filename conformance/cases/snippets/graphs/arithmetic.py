# a product is added to a sum
x = torch.randn(3, requires_grad=True)
y = torch.randn(3, requires_grad=True)
z = x * y + x

# a number on the left
x = torch.randn(3, requires_grad=True)
y = 2 - x

# a power of itself, summed, and its gradient
x = torch.randn(2, 3, requires_grad=True)
y = (x**2).sum()
y.backward()

# a number divided by a tensor
x = torch.rand(3, requires_grad=True)
y = 1 / x
z = 3.0 / x
y.sum().backward()

# every operator with a number on the right
x = torch.rand(4, requires_grad=True)
a, b, c, d = x + 1, x - 2, x * 3, x / 4
e, f, g = x**2, x // 0.3, x % 0.3

# every operator with a number on the left
x = torch.rand(4, requires_grad=True)
a, b, c, d = 1 + x, 2 - x, 3 * x, 4 / x
e, f, g = 2**x, 1 // x, 1 % x

# a tensor with itself
x = torch.tensor([1.0, -2.0, 3.0], requires_grad=True)
a, b, c, d = x + x, x - x, x * x, x / x
(a + b + c + d).sum().backward()

# a polynomial by Horner
x = torch.linspace(-1, 1, 5, requires_grad=True)
y = ((3 * x + 2) * x - 1) * x + 4
y.sum().backward()
print(x.grad)

# minus, plus and absolute value
x = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)
a, b, c = -x, +x, abs(x)
c.sum().backward()

# powers with many exponents
x = torch.tensor([0.5, 1.0, 2.0], requires_grad=True)
y = x**0 + x**1 + x**2 + x**3 + x**0.5 + x**-1 + x**-2
y.sum().backward()
print(y, x.grad)

# a power whose exponent is a tensor
x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
n = torch.tensor([0.0, 1.0, 2.0], requires_grad=True)
y = x**n
y.sum().backward()

# a power of zero
x = torch.zeros(2, requires_grad=True)
n = torch.tensor([0.0, 2.0], requires_grad=True)
y = torch.pow(x, n)
y.sum().backward()
print(x.grad, n.grad)

# functions with alpha
x = torch.ones(2, requires_grad=True)
y = torch.full((2,), 3.0, requires_grad=True)
a = torch.add(x, y, alpha=2)
b = torch.sub(x, y, alpha=0.5)
c = torch.rsub(x, y, alpha=2)

# addcmul and addcdiv
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

# rounding has no gradient but zero
x = torch.tensor([-1.5, -0.5, 0.5, 2.5], requires_grad=True)
y = x.round() + x.floor() + x.ceil() + x.trunc() + x.frac() + x.sign()
y.sum().backward()
print(y, x.grad)

# the elementary functions at once
x = torch.rand(3, requires_grad=True)
ys = [f(x) for f in (torch.exp, torch.log, torch.sin, torch.cos, torch.tanh, torch.sqrt)]
sum(ys).sum().backward()

# more elementary functions
x = torch.rand(3, requires_grad=True)
ys = [f(x) for f in (torch.tan, torch.asin, torch.acos, torch.atan, torch.sinh, torch.cosh)]
zs = [f(x) for f in (torch.log2, torch.log10, torch.log1p, torch.expm1, torch.exp2, torch.rsqrt)]

# a square root at zero
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

# maximum and minimum share the gradient of equals
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

# hypot, atan2, logaddexp
x = torch.tensor([3.0, -1.0], requires_grad=True)
y = torch.tensor([4.0, 2.0], requires_grad=True)
a, b, c = torch.hypot(x, y), torch.atan2(x, y), torch.logaddexp(x, y)
(a + b + c).sum().backward()

# reciprocal, square, neg as functions
x = torch.tensor([0.5, -2.0], requires_grad=True)
y = torch.reciprocal(torch.square(torch.neg(x)))
y.sum().backward()

# the sum of a list of tensors
xs = [torch.full((2,), float(n), requires_grad=True) for n in range(3)]
y = sum(xs)
y.sum().backward()

# a NumPy number as an operand
import numpy as np

x = torch.ones(2, requires_grad=True)
y = x * np.float32(2.5)
z = x + np.int64(3)

# where chooses gradients
x = torch.tensor([-1.0, 2.0], requires_grad=True)
y = torch.where(x > 0, x, 0.1 * x)
y.sum().backward()
print(x.grad)

# where with numbers
x = torch.tensor([-1.0, 2.0], requires_grad=True)
y = torch.where(x > 0, x, 0)
z = torch.where(x > 0, 1.0, 0.0)

# sigmoid by hand and by name
x = torch.linspace(-4, 4, 5, requires_grad=True)
y = 1 / (1 + torch.exp(-x))
z = torch.sigmoid(x)
(y + z).sum().backward()

# nothing but numbers times ones
x = torch.ones((), requires_grad=True)
y = x * 2 + 3
y.backward()
print(y, y.item(), x.grad)

# complex numbers
z = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
w = z * z.conj()
w.real.sum().backward()
print(z.grad)

# infinities and not-a-number go through
x = torch.tensor([float("inf"), float("nan"), 0.0], requires_grad=True)
y = x * 0 + 1 / x
y.sum().backward()
print(y, x.grad)

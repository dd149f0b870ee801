# Tensor.backward: single and double precision
x = torch.ones(2, requires_grad=True)
y = torch.ones(2, dtype=torch.float64, requires_grad=True)
z = x * y
z.sum().backward()
print(z.dtype, x.grad.dtype, y.grad.dtype)

# torch.arange: integers with floating numbers
a = torch.arange(3)
b, c, d = a * 1.5, a + 1, a / 2
e = a * torch.tensor(1.5)

# torch.tensor: a scalar tensor does not promote a vector
x = torch.ones(2, dtype=torch.float32)
y = x * torch.tensor(2.0, dtype=torch.float64)
z = x * torch.tensor([2.0], dtype=torch.float64)
print(y.dtype, z.dtype)

# torch.tensor: booleans
a = torch.tensor([True, False])
b, c, d = a + 1, a * 1.0, a & ~a
e = a.sum()

# torch.tensor: subtracting booleans
a = torch.tensor([True, False])
b = a - a

# torch.tensor: negative of booleans
a = -torch.tensor([True, False])

# Tensor.backward: half precision
x = torch.ones(2, dtype=torch.float16, requires_grad=True)
y = x * 3.14159
z = x.float() * y
z.sum().backward()
print(y, x.grad)

# torch.tensor: bfloat16
x = torch.tensor([1.0, 3.0], dtype=torch.bfloat16, requires_grad=True)
y = (x / 3).sum()
y.backward()
print(y, x.grad)

# torch.ones: half and bfloat16 meet
x = torch.ones(2, dtype=torch.float16) + torch.ones(2, dtype=torch.bfloat16)

# Tensor.pow: casting and its gradient
x = torch.tensor([1.5, 2.5], requires_grad=True)
y = x.double().pow(2).float()
y.sum().backward()
print(y, x.grad)

# Tensor.int: casting to integers cuts
x = torch.tensor([1.5, -2.5], requires_grad=True)
y = x.int()
z = x.long() * x
print(y, z)

# Tensor.to: to with a dtype, a device and another tensor
x = torch.ones(2, requires_grad=True)
a, b, c = x.to(torch.float64), x.to("cpu"), x.to(torch.ones(1, dtype=torch.half))
print(b is x)

# torch.tensor: unsigned integers wrap
a = torch.tensor([250, 3], dtype=torch.uint8)
b, c = a + 10, a - 5
print(b, c, -a)

# torch.div: integers divide
a = torch.tensor([7, -7])
b, c, d = a / 2, a // 2, a % 2
e = torch.div(a, 2, rounding_mode="trunc")

# torch.tensor: integer division by zero
a = torch.tensor([1, 2]) // 0

# torch.tensor: integer powers
a = torch.tensor([2, 3])
b, c = a**2, a**0
print(b, c, 2**a)

# torch.tensor: a negative integer power
a = torch.tensor([2, 3]) ** -1

# torch.tensor: shifts and bits
a = torch.tensor([5, 6])
b, c, d, e, f = a << 1, a >> 1, a & 3, a | 8, a ^ 1
g = ~a

# torch.tensor: bits of floating numbers
a = torch.tensor([1.0]) & 1

# torch.tensor: comparing different dtypes
a = torch.tensor([1, 2]) == torch.tensor([1.0, 2.5])
b = torch.tensor([1.0]) > 0
c = torch.tensor(3) >= 2.5
print(a, b, c)

# torch.linspace: arange and linspace choose a dtype
a, b, c = torch.arange(3), torch.arange(3.0), torch.arange(0, 1, 0.25)
d, e = torch.linspace(0, 1, 3), torch.full((2,), 7)

# tensor() chooses a dtype
a, b, c, d = torch.tensor(1), torch.tensor(1.0), torch.tensor([1, 2.5]), torch.tensor([True, 2])
e = torch.tensor([1j])

# torch.set_default_dtype: the default dtype
torch.set_default_dtype(torch.float64)
a = torch.ones(2) * 0.1
torch.set_default_dtype(torch.float32)
print(a)

# Tensor.abs: complex meets real
x = torch.tensor([1.0, 2.0], requires_grad=True)
z = x * (1 + 2j)
z.abs().sum().backward()
print(z, x.grad)

# mean of integers
a = torch.arange(3).mean()

# Tensor.sum: a sum of bool and of half
a = torch.ones(3, dtype=torch.bool).sum()
b = torch.ones(3, dtype=torch.half).sum()
c = torch.ones(3, dtype=torch.int8).sum(dtype=torch.int8)

# torch.ones: in-place results keep their dtype
x = torch.ones(2, dtype=torch.float32)
x += torch.ones(2, dtype=torch.float64)
x *= 2
print(x.dtype)

# Tensor.sqrt: functions of integers are floating
a = torch.arange(1, 4)
b, c, d, e = a.sqrt(), a.exp(), torch.sin(a), a.float().mean()

# torch.where: where promotes
x = torch.where(torch.tensor([True, False]), torch.tensor([1, 2]), torch.tensor([0.5, 0.5]))
print(x)

# cat promotes
x = torch.cat([torch.tensor([1, 2]), torch.tensor([0.5])])
print(x)

# torch.iinfo: limits
a, b = torch.finfo(torch.float32), torch.iinfo(torch.int8)
print(a, b, a.eps, b.max)

# result_type and promote_types
a = torch.result_type(torch.tensor([1]), 1.0)
b = torch.promote_types(torch.int32, torch.float16)
c = torch.can_cast(torch.float32, torch.int32)
print(a, b, c)

# torch.tensor: large and small numbers
x = torch.tensor([1e38, 1e-38], requires_grad=True)
y = x * 10
z = x / 1e10
(y + z).sum().backward()
print(y, z)

# linear with mixed dtypes
y = nn.Linear(2, 1)(torch.ones(1, 2, dtype=torch.float64))

# embedding wants integers
y = F.embedding(torch.tensor([1.0]), torch.ones(2, 2))

# Tensor.double: a model in double precision
m = nn.Linear(2, 1).double()
x = torch.ones(1, 2, dtype=torch.float64)
y = m(x)
y.backward()
print(m.weight.dtype, m.weight.grad.dtype)

# complex numbers of two halves are made, looked at and converted
import warnings

warnings.simplefilter("ignore")  # each of so many tensors may say that there is little support
a, b = torch.tensor([1.5, 2.25], dtype=torch.float16), torch.tensor([-0.5, 3.0]).half()
z = torch.complex(a, b)
m = torch.view_as_complex(torch.arange(12.0).half().reshape(2, 3, 2))
c = [torch.tensor([1 + 2j], dtype=torch.chalf), torch.zeros(2, dtype=torch.complex32), a.chalf()]
d = [torch.ones(2, dtype=torch.chalf), torch.full((2,), 1 + 1j, dtype=torch.chalf), z.cfloat()]
e = [
    torch.view_as_real(z),
    z.real,
    m.imag,
    z.conj(),
    z.conj().cfloat(),
    z.half(),
    z.to(torch.int32),
]
f = [m.T, m[:, 1], m.reshape(-1), m.t().contiguous(), torch.cat([z, z]), z.view(torch.int32)]
print(z, m, c, d, e, f, z.tolist(), z[0].item(), z.dtype, z.is_complex(), z.element_size())

# torch.view_as_complex: arithmetic of complex numbers of two halves
import warnings

warnings.simplefilter("ignore")  # each of so many tensors may say that there is little support
z = torch.view_as_complex(torch.arange(1, 9.0).half().reshape(4, 2))
m = torch.tensor([True, False, True, False])
c = [z + z, z * z, z * 2, z - 1, -z, z.abs(), z == z, z + 1.5j, torch.where(m, z, 1), z.sgn()]
d = [z.masked_fill(m, 1j), z.clone().fill_(1), z.clone().add_(1), torch.cat([z, torch.ones(2)])]
z[0], z[2:], z[m] = 1, torch.tensor([1j, 2]), torch.tensor(5.0)
print(z, c, d)

# torch.complex: gradients through complex numbers of two halves
a = torch.tensor([1.5, 2.25], dtype=torch.float16, requires_grad=True)
x = torch.ones(2, 2, dtype=torch.float16, requires_grad=True)
w = torch.ones(3, requires_grad=True)
y = torch.view_as_real(torch.view_as_complex(x)).sum()
y.backward()
z = torch.complex(a, torch.zeros(2).half())
z.backward(torch.ones(2, dtype=torch.complex32))
u = w.chalf()
u.backward(torch.ones(3, dtype=torch.complex32))

# torch.polar: what torch does not compute with complex numbers of two halves
torch.polar(torch.ones(2).half(), torch.ones(2).half())

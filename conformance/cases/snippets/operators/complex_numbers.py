# Tensor.conj: what is read as a negative is copied before a write, and overlaps nothing
a = torch.tensor([2.75 - 2.5j, 3 - 0.75j, -3 + 1j], dtype=torch.complex128)
b = a.conj().imag[:1]
b.index_add_(0, torch.tensor([0]), b)
b.index_copy_(0, torch.tensor([0]), b)
b.scatter_add_(0, torch.tensor([0]), b[:])
c = a.conj()
c[:2].add_(c[1:])
c[:2].copy_(c[1:])

# Tensor.conj: a conjugate whose elements share memory cannot be written at all
a = torch.tensor([2.75 - 2.5j, 3 - 0.75j])
b = a.conj().expand(3, 2)
b.zero_()
b.fill_(2)
b.tril_()
b.masked_fill_(torch.tensor([[True]]), 1)
b.float_power_(2)

# Tensor.is_conj: the sum of gradients that share memory is a fresh one
a = torch.tensor([[-3 + 1j]], requires_grad=True)
b = torch.cat([a, a], -1).conj()
b.backward(torch.full_like(b, 1 + 1j))
c = a.grad.stride(), a.grad.is_conj(), a.grad._version

# Tensor.conj: positions that are read through a bit
a = torch.tensor([-3 + 1j, -2.75 + 2.75j])
texts = []
for index in (a.conj(), a.clone().conj()):
    try:
        a[index] = 0.25
    except (IndexError, RuntimeError) as error:
        texts.append(str(error))

# complex numbers of parts that are read through a bit
a = torch.tensor([-3 + 1j, -2.75 + 2.75j]).reshape(2, 1)
b = [f(x, x) for f in (torch.polar, torch.complex) for x in (a.t().conj().imag, a.t().imag)]

# Tensor.conj: one element that is read as a conjugate is written into zeros
a = torch.tensor([-2 + 1.75j, -1.75 - 2.75j], requires_grad=True)
b = a[0].conj()
b.backward(torch.tensor(0.5 - 1j).conj(), create_graph=True)

# torch.complex: parts of half precision are warned of before their dtypes are compared
texts = []
for parts in ((1, 2), (2, 1), (1, 3)):
    for make in (torch.complex, torch.polar):
        kinds = {1: torch.float16, 2: torch.float32, 3: torch.int32}
        try:
            make(*[torch.ones(2, dtype=kinds[each]) for each in parts])
        except RuntimeError as error:
            texts.append(str(error))

# Tensor.conj: conjugates beside plain numbers at the end
a = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
b = torch.stack([a, a.conj()], 1)
c = torch.stack([a.conj(), a], -1)

# Tensor.conj: a conjugate that lies where it is written is a copy by then
a = torch.tensor([[-1.5 - 1j, -0.5 - 0.25j, 0.5 + 0.5j]])
b = a.conj()
b.add_(b.swapaxes(0, 1))

# torch._neg_view: the negative of a view
y = torch.arange(3.0, requires_grad=True)
n = torch._neg_view(y)
(slope,) = torch.autograd.grad((n * n * y).sum(), y, create_graph=True)
slope.sum().backward()
print(n, slope, y.grad)

# Tensor.is_conj: of a conjugate in inference mode some operators make a plain tensor
a = torch.tensor([[1 + 2j, 3 - 1j]]).conj()
with torch.inference_mode():
    b = torch.atleast_2d(a)
    c = torch.atleast_3d(a)
    d = a.type_as(a)
    e = torch.einsum("ij->ji", a)
    f = a.t()
plain = b is a, b.is_conj(), c.is_conj(), d.is_conj(), e.is_conj(), f.is_conj()

# torch.pow: of complex numbers to integers, by exp and log but for the exponents 1, 2, 3
x = torch.tensor([1j, 1 + 2j, -0.3 + 4j])
powers = [x ** torch.tensor(n) for n in (1.0, 2.0, 3.0, -1.0)] + [x**4, x**-3, 1j**x.real]

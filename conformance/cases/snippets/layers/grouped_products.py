# F.grouped_mm: groups of rows
x, w = torch.randn(5, 16, requires_grad=True), torch.randn(3, 16, 8, requires_grad=True)
ends = torch.tensor([2, 2, 5], dtype=torch.int32)
y = F.grouped_mm(x, w, offs=ends)
a, b = torch.autograd.grad(y, (x, w), torch.ones(5, 8), create_graph=True)
(a.square().sum() + b.square().sum()).backward()

# F.grouped_mm: groups of rows by matrices in columns
x, w = torch.randn(16, 8).t().requires_grad_(), torch.randn(3, 8, 16).mT.requires_grad_()
y = F.grouped_mm(x, w, offs=torch.tensor([2, 3, 8], dtype=torch.int32))
a, b = torch.autograd.grad(y, (x, w), torch.randn(8, 8))

# F.grouped_mm: groups of columns
x, w = torch.randn(3, 4, 8, requires_grad=True), torch.randn(8, 12, requires_grad=True)
y = F.grouped_mm(x, w, offs=torch.tensor([4, 8, 12], dtype=torch.int32))
a, b = torch.autograd.grad(y, (x, w), torch.randn(4, 12))

# F.grouped_mm: groups of what is added up
x, w = torch.randn(4, 12, requires_grad=True), torch.randn(12, 8, requires_grad=True)
y = F.grouped_mm(x, w, offs=torch.tensor([4, 8, 12], dtype=torch.int32))
a, b = torch.autograd.grad(y, (x, w), torch.randn(3, 4, 8))

# F.grouped_mm: a batch of products of half precision
x, w = torch.randn(3, 4, 16).bfloat16().requires_grad_(), torch.randn(3, 16, 8).bfloat16()
y = F.grouped_mm(x, w, out_dtype=torch.bfloat16)
y.backward(torch.ones_like(y))

# F.grouped_mm: groups whose sum goes backward
x, w = torch.randn(3, 4, 8, requires_grad=True), torch.randn(3, 8, 4)
F.grouped_mm(x, w).sum().backward()

# F.grouped_mm: groups of doubles
F.grouped_mm(torch.ones(3, 4, 8).double(), torch.ones(3, 8, 4))

# F.grouped_mm: groups of two dtypes
F.grouped_mm(torch.ones(3, 4, 8), torch.ones(3, 8, 8).half())

# F.grouped_mm: groups of rows of two dtypes
ends = torch.tensor([1, 2, 4]).int()
F.grouped_mm(torch.ones(4, 8), torch.ones(3, 8, 8).half(), offs=ends)

# F.grouped_mm: groups of vectors
F.grouped_mm(torch.ones(8), torch.ones(3, 8, 4))

# F.grouped_mm: groups that do not chain
F.grouped_mm(torch.ones(3, 4, 8), torch.ones(3, 4, 4))

# F.grouped_mm: groups without ends
F.grouped_mm(torch.ones(4, 8), torch.ones(3, 8, 4))

# F.grouped_mm: groups with ends that are not int32
F.grouped_mm(torch.ones(4, 8), torch.ones(3, 8, 4), offs=torch.tensor([1, 2, 4]))

# F.grouped_mm: groups with a table of ends
F.grouped_mm(torch.ones(4, 8), torch.ones(3, 8, 4), offs=torch.ones(1, 3, dtype=torch.int32))

# F.grouped_mm: groups with too few ends
F.grouped_mm(torch.ones(4, 8), torch.ones(3, 8, 4), offs=torch.tensor([1, 4]).int())

# F.grouped_mm: batches of two sizes
F.grouped_mm(torch.ones(3, 4, 8), torch.ones(2, 8, 4))

# F.grouped_mm: groups with a bias
F.grouped_mm(torch.ones(3, 4, 8), torch.ones(3, 8, 4), bias=torch.ones(4))

# F.grouped_mm: groups into another dtype
F.grouped_mm(torch.ones(3, 4, 8), torch.ones(3, 8, 4), out_dtype=torch.half)

# F.grouped_mm: groups with rows that are not 16 bytes apart
F.grouped_mm(torch.ones(3, 4, 7), torch.ones(3, 7, 4))

# F.grouped_mm: groups of every other element
F.grouped_mm(torch.ones(3, 4, 16)[..., ::2], torch.ones(3, 8, 4))

# F.scaled_mm: products of scaled numbers that are not of 8 bits
one, kind = torch.ones(()), F.ScalingType.TensorWise
print(kind, repr(kind), int(F.SwizzleType.SWIZZLE_32_4_4), list(F.ScalingType.__members__))
F.scaled_mm(torch.ones(16, 32), torch.ones(32, 16).double(), one, kind, one, kind)

# F.scaled_mm: products of scaled matrices that do not chain
one, kind = torch.ones(()), F.ScalingType.TensorWise
F.scaled_mm(torch.ones(16, 32), torch.ones(16, 32), one, kind, one, kind)

# F.scaled_mm: products of scaled vectors
one, kind = torch.ones(()), F.ScalingType.TensorWise
F.scaled_mm(torch.ones(32), torch.ones(16, 32), one, kind, one, kind)

# F.scaled_mm: products of scaled matrices with another bias
one, kind = torch.ones(()), F.ScalingType.TensorWise
F.scaled_mm(torch.ones(6, 2), torch.ones(2, 6), one, kind, one, kind, bias=torch.ones(3))

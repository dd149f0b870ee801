# view, reshape and flatten
x = torch.randn(2, 3, requires_grad=True)
a, b, c, d = x.view(3, 2), x.reshape(-1), x.flatten(), x.view(-1, 6)

# reshape of what is not contiguous copies
x = torch.arange(6.0).reshape(2, 3)
y = x.t().reshape(6)
y[0] = 9

# transposing, three ways
x = torch.randn(2, 3, requires_grad=True)
a, b, c, d = x.t(), x.T, x.transpose(0, 1), x.permute(1, 0)
(a @ x).sum().backward()

# matrix transposes of a batch
x = torch.randn(2, 3, 4, requires_grad=True)
a, b, c = x.mT, x.transpose(-2, -1), x.movedim(0, -1)
d = x.swapaxes(0, 2)

# a view that writes into its base
x = torch.zeros(4)
y = x.view(2, 2)
y[1, 1] = 5
print(x)

# a view of a result, written
x = torch.zeros(3, requires_grad=True)
y = x * 1
z = y.view(3, 1)
z.mul_(2)
y.sum().backward()
print(y, z)

# squeeze and unsqueeze
x = torch.randn(1, 3, 1, requires_grad=True)
a, b, c = x.squeeze(), x.squeeze(0), x.unsqueeze(-1)
d = x[None]

# squeeze of several axes, and of one that is not 1
x = torch.randn(1, 3, 1, 2, requires_grad=True)
a, b = x.squeeze((0, 2)), x.squeeze(1)

# expand shares memory
x = torch.randn(3, 1, requires_grad=True)
y = x.expand(3, 4)
z = x.expand(-1, 2)
y.sum().backward()
print(x.grad)

# expand_as and broadcast_to
x = torch.randn(3, requires_grad=True)
y = x.expand_as(torch.zeros(2, 3))
z = torch.broadcast_to(x, (4, 3))

# narrow, select, split, chunk and unbind
x = torch.arange(12.0).reshape(4, 3).requires_grad_()
a, b = x.narrow(0, 1, 2), x.select(1, 0)
c, d = x.split(2)
e = x.chunk(3, dim=1)
f = x.unbind(0)

# split by sizes
x = torch.arange(6.0, requires_grad=True)
a, b, c = x.split([1, 2, 3])
(a.sum() + 2 * b.sum() + 3 * c.sum()).backward()
print(x.grad)

# a part of a chunk takes part alone
x = torch.arange(6.0, requires_grad=True)
a, b = x.chunk(2)
a.sum().backward()
print(x.grad)

# the view of a view has the first base
x = torch.zeros(2, 3, 4)
y = x[0]
z = y.t()
print(z._base is x, z.stride(), z.storage_offset())

# diagonals and triangles
x = torch.randn(3, 3, requires_grad=True)
a, b, c = x.diagonal(), x.tril(), x.triu(1)
d = torch.diag(a)
(b + c).sum().backward()

# unfold makes windows
x = torch.arange(5.0, requires_grad=True)
y = x.unfold(0, 3, 1)
y.sum().backward()
print(y, x.grad)

# as_strided
x = torch.arange(6.0, requires_grad=True)
y = x.as_strided((2, 2), (3, 1), 1)
y.sum().backward()
print(x.grad)

# flatten of some axes, and unflatten
x = torch.randn(2, 3, 4, requires_grad=True)
a = x.flatten(1)
b = a.unflatten(1, (3, 4))
c = x.flatten(0, 1)

# contiguous gives itself, or a copy
x = torch.randn(2, 3, requires_grad=True)
a = x.contiguous()
b = x.t().contiguous()
print(a is x, b.is_contiguous())

# view as another dtype
x = torch.tensor([1.0, -2.0])
y = x.view(torch.int32)
print(y)

# real and imaginary parts
z = torch.tensor([1 + 2j, 3 - 4j], requires_grad=True)
a, b = z.real, z.imag
c = torch.view_as_real(z)
(a * b).sum().backward()

# flip and roll copy
x = torch.arange(4.0, requires_grad=True)
a, b = x.flip(0), x.roll(1)
(a * b).sum().backward()

# repeat, tile and repeat_interleave
x = torch.tensor([1.0, 2.0], requires_grad=True)
a, b, c = x.repeat(2, 2), x.tile(3), x.repeat_interleave(2)
(a.sum() + b.sum() + c.sum()).backward()

# joining
x = torch.randn(2, 3, requires_grad=True)
y = torch.randn(2, 3, requires_grad=True)
a, b, c = torch.cat([x, y]), torch.cat((x, y), dim=1), torch.stack([x, y], -1)
(a.sum() + b.sum() + c.sum()).backward()

# hstack, vstack and dstack
x = torch.randn(2, requires_grad=True)
y = torch.randn(2, requires_grad=True)
a, b, c = torch.hstack([x, y]), torch.vstack([x, y]), torch.dstack([x, y])

# joining with nothing
x = torch.randn(2, requires_grad=True)
y = torch.cat([torch.empty(0), x])
y.sum().backward()

# a grid of coordinates
a, b = torch.meshgrid(torch.arange(2.0), torch.arange(3.0), indexing="ij")
c = torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3, 4]))

# view with -1 of an empty tensor
x = torch.empty(0, 3)
y = x.view(-1, 3)
z = x.reshape(3, -1)

# a view under no_grad
x = torch.ones(3, requires_grad=True)
with torch.no_grad():
    y = x[1:]
    z = x.view(3, 1)
print(y, z)

# numpy shares memory
x = torch.zeros(3)
a = x.numpy()
a[0] = 7
y = torch.from_numpy(a)
y[1] = 8
print(x)

# the data of a parameter
p = torch.nn.Parameter(torch.ones(2))
d = p.data
d.mul_(3)
print(p, d)

# atleast and moveaxis
x = torch.tensor(3.0, requires_grad=True)
a, b, c = torch.atleast_1d(x), torch.atleast_2d(x), torch.atleast_3d(x)

# channels last
x = torch.randn(1, 2, 3, 3, requires_grad=True)
y = x.to(memory_format=torch.channels_last)
z = y * 2
z.sum().backward()
print(y.stride(), z.stride())

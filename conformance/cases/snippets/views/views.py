# Tensor.flatten: view, reshape and flatten
x = torch.randn(2, 3, requires_grad=True)
a, b, c, d = x.view(3, 2), x.reshape(-1), x.flatten(), x.view(-1, 6)

# reshape of what is not contiguous copies
x = torch.arange(6.0).reshape(2, 3)
y = x.t().reshape(6)
y[0] = 9

# Tensor.transpose: transposing, three ways
x = torch.randn(2, 3, requires_grad=True)
a, b, c, d = x.t(), x.T, x.transpose(0, 1), x.permute(1, 0)
(a @ x).sum().backward()

# Tensor.transpose: matrix transposes of a batch
x = torch.randn(2, 3, 4, requires_grad=True)
a, b, c = x.mT, x.transpose(-2, -1), x.movedim(0, -1)
d = x.swapaxes(0, 2)

# Tensor.view: a view that writes into its base
x = torch.zeros(4)
y = x.view(2, 2)
y[1, 1] = 5
print(x)

# Tensor.view: a view of a result, written
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

# Tensor.chunk: narrow, select, split, chunk and unbind
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

# Tensor.chunk: a part of a chunk takes part alone
x = torch.arange(6.0, requires_grad=True)
a, b = x.chunk(2)
a.sum().backward()
print(x.grad)

# Tensor.storage_offset: the view of a view has the first base
x = torch.zeros(2, 3, 4)
y = x[0]
z = y.t()
print(z._base is x, z.stride(), z.storage_offset())

# torch.diag: diagonals and triangles
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

# torch.view_as_real: real and imaginary parts
z = torch.tensor([1 + 2j, 3 - 4j], requires_grad=True)
a, b = z.real, z.imag
c = torch.view_as_real(z)
(a * b).sum().backward()

# Tensor.roll: flip and roll copy
x = torch.arange(4.0, requires_grad=True)
a, b = x.flip(0), x.roll(1)
(a * b).sum().backward()

# Tensor.tile: repeat, tile and repeat_interleave
x = torch.tensor([1.0, 2.0], requires_grad=True)
a, b, c = x.repeat(2, 2), x.tile(3), x.repeat_interleave(2)
(a.sum() + b.sum() + c.sum()).backward()

# torch.cat: joining
x = torch.randn(2, 3, requires_grad=True)
y = torch.randn(2, 3, requires_grad=True)
a, b, c = torch.cat([x, y]), torch.cat((x, y), dim=1), torch.stack([x, y], -1)
(a.sum() + b.sum() + c.sum()).backward()

# torch.vstack: hstack, vstack and dstack
x = torch.randn(2, requires_grad=True)
y = torch.randn(2, requires_grad=True)
a, b, c = torch.hstack([x, y]), torch.vstack([x, y]), torch.dstack([x, y])

# torch.cat: joining with nothing
x = torch.randn(2, requires_grad=True)
y = torch.cat([torch.empty(0), x])
y.sum().backward()

# torch.cartesian_prod: a grid of coordinates
a, b = torch.meshgrid(torch.arange(2.0), torch.arange(3.0), indexing="ij")
c = torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3, 4]))

# torch.empty: view with -1 of an empty tensor
x = torch.empty(0, 3)
y = x.view(-1, 3)
z = x.reshape(3, -1)

# Tensor.view: a view under no_grad
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

# Tensor.mul_: the data of a parameter
p = torch.nn.Parameter(torch.ones(2))
d = p.data
d.mul_(3)
print(p, d)

# torch.atleast_1d: atleast and moveaxis
x = torch.tensor(3.0, requires_grad=True)
a, b, c = torch.atleast_1d(x), torch.atleast_2d(x), torch.atleast_3d(x)

# Tensor.to: channels last
x = torch.randn(1, 2, 3, 3, requires_grad=True)
y = x.to(memory_format=torch.channels_last)
z = y * 2
z.sum().backward()
print(y.stride(), z.stride())

# Tensor.unsqueeze: a view of a leaf that is itself a view, taken without gradient
a = torch.ones(6).reshape(2, 3).requires_grad_()
with torch.no_grad():
    b = a.unsqueeze(0)
b.add_(1)

# Tensor.unsqueeze: a view of such a leaf after a write
a = torch.ones(6).reshape(2, 3).requires_grad_()
b = a.unsqueeze(0)
with torch.no_grad():
    a.add_(1)

# Tensor.view_as: a view without gradient requires it only while its base does
a = torch.ones(2, requires_grad=True)
with torch.no_grad():
    b = a.view_as(a)
before = b.requires_grad
a.requires_grad_(False)
after = b.requires_grad

# torch.view_as_complex: as complex, written, and taken again
a = torch.ones(2, 3, 2, requires_grad=True)
b = a.exp2()
c = torch.view_as_complex(b)
c[[0]] = 2

# Tensor.expand: a number into a part of an expanded tensor
a = torch.arange(3.0).expand(2, 3)
a[:, 0] = 1

# Tensor.expand: an expanded tensor into itself
a = torch.arange(3.0).reshape(1, 3)
b = a.expand(2, 3)
b[...] = a

# Tensor.expand: out= that is expanded, or part of an input
a = torch.tensor([-1.25 + 0.75j, 0.5 + 0.5j, 2.25 + 0.25j])
b = a.expand(2, 3)
torch.neg(b, out=b)
torch.mul(a[:2], 2, out=a[1:])

# torch.view_as_complex: half numbers in threes are no complex ones
a = torch.ones(2, 3, dtype=torch.float16)
b = torch.view_as_complex(a)

# Tensor.view: a view that is reshaped in place without gradient is taken again
a = torch.ones(1, 3, requires_grad=True)
b = (a * 2).view(1, 3)
with torch.no_grad():
    b.t_()

# Tensor.detach: parts of the same memory that were detached overlap
texts = []
for whole, part in (
    (lambda x: x, lambda x: x[2].detach()),
    (lambda x: x, lambda x: x[:1].data),
    (lambda x: x[:-1].detach(), lambda x: x[1:].detach()),
    (lambda x: x.data[:-1].data, lambda x: x.data[1:].data),
    (lambda x: x[None].detach(), lambda x: x),
):
    a = torch.arange(4.0)
    try:
        b = whole(a)
        b *= part(a)
    except RuntimeError as error:
        texts.append(str(error))

# Tensor.squeeze: a gradient with the sizes that its leaf had
a = torch.tensor([1.25], requires_grad=True)
b = a[[0, -1]]
a.data = torch.tensor(2.0)
c = F.linear(b, b)
torch.autograd.backward([c.squeeze().sum(), c.sum()])

# torch.view_as_complex: what wrote a view looks at what it saved also where its gradients are not wanted
a = torch.tensor([0.25, 0.5], requires_grad=True)
b = a.sin()
c = torch.view_as_complex(b)
c *= c
c.backward(torch.ones_like(c), inputs=[b])

# Tensor.unsqueeze_: a leaf of another shape than its AccumulateGrad, which a graph holds, expects
texts = []
a = torch.tensor([-3.0, -2.75, -2.5], requires_grad=True)
b = torch.cat([a, a])
with torch.no_grad():
    a.unsqueeze_(0)
c = a.sin()
(d,) = torch.autograd.grad(c, a, torch.ones_like(c), retain_graph=True)
c.sum().backward()
e = a.grad.clone()
b.sum().backward()
f = torch.ones(2, 3, requires_grad=True)
g = f * 2
f.data = torch.ones(3, 2)
for each in ((f * 2).sum(), g.sum()):
    try:
        each.backward()
    except RuntimeError as error:
        texts.append(str(error))
del g
(f * 2).sum().backward()
h = f.grad.clone()

# Tensor.expand: a mask that does not fit is refused before memory is warned of again
a = torch.zeros(2, 3).expand(2, 2, 3)
a[torch.ones(2, 1, 3) > 0] = 0.25

# Tensor.view: a view that is set to other memory, which torch takes for a write into its base
x = torch.ones(2, 1, 3, requires_grad=True)
base = x * 2
view, other = base.unsqueeze(-1), base.view(6)
view.set_(torch.arange(6.0).untyped_storage(), 1, (1, 1), (3, 1))
base.sum().backward()

# Tensor.unsqueeze: twice through a node of two inputs that leads nowhere
x = torch.zeros(2, 0, requires_grad=True)
with torch.no_grad():
    y = x.unsqueeze(-1)
z, product = torch.max(y, y), y * y
product.sum().backward()
product.sum().backward()
z.sum().backward()
z.sum().backward()

# torch.view_as_complex: pairs that begin at an odd place
x = torch.arange(9.0)
for start in (0, 1):
    try:
        print(torch.view_as_complex(x[start : start + 8].view(4, 2)))
    except RuntimeError as error:
        print(error)

# Tensor.flatten: the largest of many, and the smallest
x = ((torch.arange(6000) * 7919) % 6007).float()
for part in (x, x.reshape(3, 2000), x.reshape(2000, 3), (x / 400).floor(), x.int()):
    for dim in range(part.dim()):
        for k in (0, 1, 3, 40, part.shape[dim] // 8):
            if k <= part.shape[dim]:
                for largest in (True, False):
                    found = torch.topk(part, k, dim, largest)
                    print(found.values.flatten()[:4].tolist(), found.indices.flatten()[:4].tolist())
del found, part

# Tensor.flatten: windows of a mean that count what is there
x = torch.arange(48.0).reshape(1, 1, 3, 4, 4).sin()
for ceil in (False, True):
    for counted in (False, True):
        for divisor in (None, 5):
            leaf = x.clone().requires_grad_()
            out = F.avg_pool3d(leaf, 2, 2, 1, ceil, counted, divisor)
            (out * torch.arange(out.numel()).reshape(out.shape)).sum().backward()
            plane = x[0].clone().requires_grad_()
            other = F.avg_pool2d(plane, 3, 2, 1, ceil, counted, divisor)
            (other**2).sum().backward()
            line = x[0, 0].clone().requires_grad_()
            last = F.avg_pool1d(line, 3, 2, 1, ceil, counted)
            (last**2).sum().backward()
            print(
                out.flatten()[:5].tolist(),
                other.flatten()[:5].tolist(),
                last.flatten()[:5].tolist(),
            )
            print(leaf.grad.flatten()[:7], plane.grad.flatten()[:7], line.grad.flatten()[:7])
del leaf, out, plane, other, line, last

# Tensor.reshape: inside a transform a reshape is a view
a = torch.arange(12.0).reshape(2, 2, 3).requires_grad_()
b, c = torch.func.vjp(lambda x: x.mT.reshape(2, 3, 2, 1), a)
(d,) = c(b)
e = torch.func.vmap(lambda x: x.mT.reshape(1, 3, 2))(a)
f, _ = torch.func.vjp(lambda x, y: x @ y.mT, a, a)[1](a @ a.mT)

# Tensor.view: tangents of functions that write or view
from torch.autograd import forward_ad


class Writes(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def jvp(ctx, t):
        return t * 2


class Views(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view(-1)

    @staticmethod
    def jvp(ctx, t):
        return t.clone().view(-1)


class Good(Views):
    @staticmethod
    def jvp(ctx, t):
        return t.view(-1)


with forward_ad.dual_level():
    for function in (Writes, Views, Good):
        dual = forward_ad.make_dual(torch.ones(2, 2) * 1, torch.ones(2, 2))
        try:
            print(forward_ad.unpack_dual(function.apply(dual)).tangent)
        except Exception as error:
            print(type(error).__name__, error)


# Tensor.numpy: the array is a new object, whose shape and flags are its own
x = torch.zeros(4)
first = x.numpy()
first.shape = (2, 2)
first.flags.writeable = False
second = x.numpy(force=True)
second.shape = (2, 2)
print(x.add_(1), x.numpy().flags.owndata, x.numpy() is x.numpy(), x.__array__().flags.owndata)

# Tensor.numpy: of a meta tensor that requires grad
torch.zeros(2, device="meta", requires_grad=True).numpy()

# Tensor.numpy: by force, of a meta tensor
torch.zeros(2, device="meta").numpy(force=True)

# torch.as_tensor: of a tensor, for a device that is named in each way
x = torch.ones(2, requires_grad=True)
for device in ("cpu", "cpu:0", torch.device("cpu"), "meta", None):
    for dtype in (None, torch.half):
        y = torch.as_tensor(x, dtype=dtype, device=device)
        print(y, y is x)

# torch.as_tensor: a dtype by position
torch.as_tensor([1.0], torch.half)

# torch.as_tensor: to a device that is not there
torch.as_tensor(torch.ones(2), device="cuda")

# Tensor.data: memory of another kind
import warnings

warnings.simplefilter("ignore")
kinds = {
    "dense": torch.ones(2),
    "complex": torch.ones(2, dtype=torch.cfloat).conj(),
    "meta": torch.ones(2, device="meta"),
    "sparse": torch.eye(2).to_sparse(),
    "csr": torch.eye(2).to_sparse_csr(),
    "csc": torch.eye(2).to_sparse_csc(),
}
for a, x in kinds.items():
    for b, y in kinds.items():
        print(a, b, torch._has_compatible_shallow_copy_type(x, y))
        try:
            x.clone().data = y
        except RuntimeError as e:
            print(e)

# Tensor.storage: of sparse tensors
x = torch.eye(2).to_sparse()
torch.storage._reset_warn_typed_storage_removal()
x.storage()

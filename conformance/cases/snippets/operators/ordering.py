# Tensor.t: memory that is read and written: a transposed matrix
a = torch.arange(4.0).reshape(2, 2)
a += a.t()

# torch.rot90: strides of dimensions of size 1 are handed on
a = torch.tensor([[-3.0], [-2.75]])
b = torch.rot90(a) / 2
c = a[[0, -1]]
c.transpose_(0, -1)
d = c.to(c.dtype) * 2
e = torch.ones(2, 3, 2).unfold(2, 2, 1)[torch.tensor([0, 0])]
f = 1 - a.t()
g = a.t() % 2
h = torch.where(a.t() > -3, a.t(), 2)

# Tensor.t: views of truth that got a history are taken again
a = torch.ones(3, requires_grad=True)
b = torch.zeros((2, 1), dtype=torch.bool)
c = b.t()
b[1:] = a.sum()
d = c.requires_grad
e = c.grad_fn.name()
f = b.t()

# Tensor.t: copies of memory that lies idle along a dimension of size 1
from copy import deepcopy

a = torch.arange(2.0).reshape(2, 1)
b, c = deepcopy([a.t(), a.t()])
d = 2 - b, b + 1, b * c, -b

# Tensor.t_: a leaf is refused before its dimensions are looked at
a = torch.ones(2, 1, 3, requires_grad=True)
a.t_()

# Tensor.transpose_: a gradient that does not fit is noticed before the node lets go of what it saved
a = torch.ones(2, 2, 1, requires_grad=True)
b = a * 1
with torch.no_grad():
    b.transpose_(0, -1)
b.mul_(2)
b.sum().backward()

# Tensor.t: a view that got no history of its own can be made a leaf
with torch.no_grad():
    a = torch.ones(3, 2, requires_grad=True).t()
b = a.requires_grad_()
(a * 2).sum().backward()
kept = a.grad

# Tensor.t_: integers that got a history by a write hand it on to no others
texts = []
for dtype in (torch.bool, torch.int64):
    a = torch.zeros(1, 3, dtype=dtype)
    a.fill_(torch.ones(3, requires_grad=True).sum())
    for call in [
        lambda: a.t(),
        lambda: a[0],
        lambda: a.clone(),
        lambda: a + 1,
        lambda: a.sum(),
        lambda: torch.cat([a, a]),
        lambda: a.unbind()[0],
        lambda: a.float(),
        lambda: a.int(),
        lambda: torch.ones(3, requires_grad=True).long(),
        lambda: a > 0,
        lambda: a.max(1),
        lambda: a.zero_(),
        lambda: a.detach(),
        lambda: a.t_(),
    ]:
        try:
            call()
            texts.append("fine")
        except RuntimeError as error:
            texts.append(str(error))

# Tensor.t: neither in forward mode, where its primal has a node
forward = torch.autograd.forward_ad
a = torch.ones(2, 3, requires_grad=True)
with torch.no_grad():
    b = a.t()
with forward.dual_level():
    c = forward.unpack_dual(forward.make_dual(b, torch.ones_like(b)).t() @ b).tangent
c.sum().backward()

# torch.roll: images with their channels last, by shifts of one part and of two
x = torch.arange(120.0).reshape(2, 4, 3, 5).contiguous(memory_format=torch.channels_last)
y = x.roll(1, 1), x.roll((1, 2), (0, 3)), x.roll(4, 1), x.roll(2), x[:0].roll(1, 1)
single = x[:, :1].contiguous(memory_format=torch.channels_last)
z = single.roll(1, 1), single.roll(1, 3), x.permute(3, 1, 0, 2).roll(1, 1)

# nn.functional.pixel_unshuffle: by a factor of 1, of images in several orders in memory
x = torch.arange(120.0).reshape(2, 4, 3, 5)
last = x.contiguous(memory_format=torch.channels_last)
y = [F.pixel_unshuffle(each, 1) for each in (x, last, x.permute(3, 1, 0, 2), x.mT, x[:, ::2])]

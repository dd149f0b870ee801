# a gradient under create_graph has memory of its own
a = torch.tensor([-3.0, -2.75, -2.5]).requires_grad_()
a.backward(a.detach(), create_graph=True)
same = a.grad.data_ptr() == a.data_ptr()

# what comes back from grad is the gradient that was given, once for each input
a = torch.ones(2, requires_grad=True)
g = torch.ones(2)
b, c = torch.autograd.grad(a, [a, a], g)
same = b is c, b is g

# a gradient that a view hands on is a view of the one that was given
a = torch.ones(2, 3, requires_grad=True)
b = a.t()
g = torch.ones(3, 2)
c, d = torch.autograd.grad(b, [b, a], g)

# a non-leaf among inputs= retains its gradient and its node runs
log = []
a = torch.ones(2, requires_grad=True)
b = a * 2
c = b * 3
b.register_hook(lambda grad: grad * 2)
b.grad_fn.register_prehook(lambda grads: log.append("before"))
b.grad_fn.register_hook(lambda ins, outs: log.append("after"))
c.sum().backward(inputs=[b])
kept = b.retains_grad

# hooks of what leads nowhere that is asked for
log = []
a = torch.ones(2, requires_grad=True)
b = a * 2
c = b * 3
d = torch.ones(2, requires_grad=True)
b.retain_grad()
a.register_hook(lambda grad: log.append("a"))
b.register_hook(lambda grad: grad * 2)
c.register_hook(lambda grad: log.append("c"))
d.register_hook(lambda grad: log.append("d"))
(e,) = torch.autograd.grad((c * d).sum(), [b])

# a hook on a root that leads nowhere
log = []
a = torch.ones(2, requires_grad=True)
b = a * 2
c = torch.ones(2, requires_grad=True)
b.register_hook(lambda grad: log.append(grad.tolist()))
b.retain_grad()
(d,) = torch.autograd.grad(b, [c], torch.ones(2), allow_unused=True)

# a node's hook must return a tuple
a = torch.ones(2, requires_grad=True)
b = a * 2
h = b.grad_fn.register_hook(lambda ins, outs: ins[0] * 2)
b.sum().backward(retain_graph=True)

# a node's hook must return as many as there are
a = torch.ones(2, requires_grad=True)
b = a * 2
h = b.grad_fn.register_hook(lambda ins, outs: (ins[0],))
b.sum().backward(retain_graph=True)

# a node's hook before it runs must keep the size
a = torch.ones(2, requires_grad=True)
b = a * 2
h = b.grad_fn.register_prehook(lambda outs: (outs[0].sum(),))
b.sum().backward()

# a tensor's hook must keep the dtype
a = torch.ones(2, requires_grad=True)
b = a * 2
h = b.register_hook(lambda grad: grad + 0j)
b.sum().backward()

# hooks around the only output of a split
log = []
a = torch.ones(2, 2, requires_grad=True)
b = torch.split(a, 2)[-1]
b.retain_grad()
h = b.grad_fn.register_hook(lambda ins, outs: log.append((len(ins), len(outs))))
b.sum().backward()

# a view of a leaf that is itself a view, taken without gradient
a = torch.ones(6).reshape(2, 3).requires_grad_()
with torch.no_grad():
    b = a.unsqueeze(0)
b.add_(1)

# a view of such a leaf after a write
a = torch.ones(6).reshape(2, 3).requires_grad_()
b = a.unsqueeze(0)
with torch.no_grad():
    a.add_(1)

# a view without gradient requires it only while its base does
a = torch.ones(2, requires_grad=True)
with torch.no_grad():
    b = a.view_as(a)
before = b.requires_grad
a.requires_grad_(False)
after = b.requires_grad

# backward from a view that was taken without gradient
a = torch.ones(2, requires_grad=True)
with torch.no_grad():
    b = (a * 2)[0]
c = a * 2
with torch.no_grad():
    d = c[0]
d.backward()

# as complex, written, and taken again
a = torch.ones(2, 3, 2, requires_grad=True)
b = a.exp2()
c = torch.view_as_complex(b)
c[[0]] = 2

# nobody asks for the node of a view that must not be written, where nothing is recorded
a = torch.ones(2, 3, requires_grad=True)
b, c = (a * 2).unbind(0)
d = b._base
with torch.no_grad():
    d.add_(1)
    e = b.ne(c)
    f = b.t()

# what retains a gradient goes on to do so after a write
a = torch.ones(3, requires_grad=True)
b = a.clamp(-1, 2)
b.retain_grad()
b.tanh_()
b.sum().backward()

# memory that is read and written: an index
a = torch.arange(6.0)
a[[0]] = a[:1]

# memory that is read and written: slices
a = torch.arange(6.0)
a[1:].add_(a[:-1])

# memory that is read and written: a transposed matrix
a = torch.arange(4.0).reshape(2, 2)
a += a.t()

# memory that is read and written: index_copy_
a = torch.arange(6.0)
a.index_copy_(0, torch.tensor([0]), a[:1])

# memory that is read and written: lerp_
a = torch.arange(6.0)
a[1:].lerp_(a[:-1], 0.5)

# a number into a part of an expanded tensor
a = torch.arange(3.0).expand(2, 3)
a[:, 0] = 1

# an expanded tensor into itself
a = torch.arange(3.0).reshape(1, 3)
b = a.expand(2, 3)
b[...] = a

# a history that was freed with the write of a view
a = torch.ones(3, 3, requires_grad=True)
b = a - a
b[0] *= 2
b.sum().backward()
b.sum().backward()

# what was never saved is not freed
a = torch.tensor([2.0], requires_grad=True)
b = 1 / a
b.backward()

# a leaf that requires no gradient any more
a = torch.tensor(2.0, requires_grad=True)
b = a * 3
a.requires_grad_(False)
b.backward()

# a gradient with a history is added to in place
a = torch.tensor([2.0], requires_grad=True)
(a * a * a).sum().backward(create_graph=True)
b = a.grad
(a * 5).sum().backward()
same = a.grad is b

# written with itself
a = torch.ones(2, requires_grad=True)
b = a * a
b.div_(b)

# a diagonal filled
a = torch.zeros(7, 2).requires_grad_()
b = a * 1
b.fill_diagonal_(9, wrap=True)

# an operand that has the shape already is not expanded
a = torch.ones(2, 3, requires_grad=True)
b = torch.ones(3, requires_grad=True)
c = F.l1_loss(a, b)

# the gradient of a power by a number, differentiated
a = torch.tensor([2.0, 3.0], requires_grad=True)
(b,) = torch.autograd.grad(a**-1, a, torch.ones(2), create_graph=True)

# the gradient of logaddexp, differentiated
a = torch.tensor([2.0, 3.0], requires_grad=True)
(b,) = torch.autograd.grad(torch.logaddexp(a, a), a, torch.ones(2), create_graph=True)

# no derivative of unique
a = torch.ones(3, requires_grad=True)
torch.unique(a * 2).sum().backward()


# a Function that returns its input while nothing is recorded
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad


a = torch.ones(2, requires_grad=True)
with torch.no_grad():
    b = Same.apply(a)


# a Function that writes a view of a leaf
class Shift(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.add_(1)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad


a = torch.ones(6, requires_grad=True).reshape(2, 3)
b = Shift.apply(a[0])

# the gradient is a view made without grad mode, and cannot be written with it
a = torch.tensor([[-3.0, 1.0]]).requires_grad_()
c = torch.autograd.grad(a.t(), a, torch.ones(2, 1))[0]
c.add_(a)

# as is a complex gradient of the imaginary parts
a = torch.tensor([-1.75 - 2.75j, -0.5 - 0.25j]).requires_grad_()
b = a.imag
c = torch.autograd.grad(b, a, torch.ones_like(b))[0]
c[:1].mul_(b[:1])

# inference tensors are written before they refuse it
a = torch.tensor([-3.0, -2.75]).requires_grad_()
with torch.inference_mode():
    b = a.sin()
    c = a.data
b.add_(1)
b[:1] = a.sum()
c.add_(1)
d = c._version

# what leads nowhere is saved for nothing
a = torch.tensor([1.25]).requires_grad_()
with torch.no_grad():
    b = a[:1]
c = torch.addcdiv(a, a, b)
d = a * b

# fills of expanded tensors
a = torch.tensor([-1, 1])
a.expand(2, 2).index_fill_(0, torch.tensor([0]), 5)
a.expand(2, 2).masked_fill_(torch.tensor([[True], [False]]), 6)
b = a.expand(2, 2)
b[b > 5] = 7

# out= that is expanded, or part of an input
a = torch.tensor([-1.25 + 0.75j, 0.5 + 0.5j, 2.25 + 0.25j])
b = a.expand(2, 3)
torch.neg(b, out=b)
torch.mul(a[:2], 2, out=a[1:])

# truth values are not summed up as such
a = torch.tensor([True, False])
a.cumsum_(0)
a.cumprod(0, dtype=torch.bool)

# a complex target
a = torch.tensor([-3.0, -2.5])
b = torch.polar(a, a)
c = F.binary_cross_entropy_with_logits(a, b)
d = F.binary_cross_entropy_with_logits(a, b, pos_weight=a)

# half numbers in threes are no complex ones
a = torch.ones(2, 3, dtype=torch.float16)
b = torch.view_as_complex(a)

# a node's hook sees gradients that are summed and cast to what they go to
log = []
a = torch.ones(3, requires_grad=True)
b = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
c = a * b
c.grad_fn.register_hook(lambda ins, outs: log.append(ins))
c.sum().backward(retain_graph=True)
d = torch.autograd.grad(c.sum(), [a, b], create_graph=True)

# a view that is reshaped in place without gradient is taken again
a = torch.ones(1, 3, requires_grad=True)
b = (a * 2).view(1, 3)
with torch.no_grad():
    b.t_()

# a view that is reshaped in place in inference mode is taken again
a = torch.ones(4, requires_grad=True)
b = a.squeeze(0)
with torch.inference_mode():
    b.transpose_(0, -1)

# inference tensors are refused as out= once they are resized
with torch.inference_mode():
    a = torch.ones(3)
torch.mul(torch.ones(2), 2, out=a)

# strides of dimensions of size 1 are handed on
a = torch.tensor([[-3.0], [-2.75]])
b = torch.rot90(a) / 2
c = a[[0, -1]]
c.transpose_(0, -1)
d = c.to(c.dtype) * 2
e = torch.ones(2, 3, 2).unfold(2, 2, 1)[torch.tensor([0, 0])]
f = 1 - a.t()
g = a.t() % 2
h = torch.where(a.t() > -3, a.t(), 2)

# implicit gradients are laid out as their roots
a = torch.ones(1, 3, requires_grad=True)
b = a.narrow(1, 0, 1)
(c,) = torch.autograd.grad(b, b)

# a scalar has no dimension to repeat along
torch.ones(()).repeat_interleave(2, 0)

# a gradient of ones that nobody gave comes back as a view of them
a = torch.tensor([-3.0]).reshape(1, 1).requires_grad_()
c = torch.autograd.grad(a.t(), a)[0]
c.add_(a)


# a hook of a leaf hears of nothing, too
class Forgetful(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x + y

    @staticmethod
    def backward(ctx, grad):
        return grad, None


a = torch.ones(3, requires_grad=True)
b = torch.ones(3, requires_grad=True)
heard = []
handle = b.register_hook(heard.append)
Forgetful.apply(a, b).sum().backward()
c = torch.tensor(len(heard))
handle.remove()
b.register_hook(lambda grad: grad.sum())
Forgetful.apply(a, b).sum().backward()

# a root whose .data has another shape than its node
a = torch.tensor([-3.0, -2.75]).requires_grad_()
b = torch.cat([a, a])
b.data = torch.tensor(2.0)
c = torch.autograd.grad(b, a)
b.data = torch.ones(3, 4)
b.backward(torch.ones(3, 4))

# a number has no dimension to repeat along
a = torch.tensor(2.0)
b = a.repeat_interleave(2)
b = a.repeat_interleave(2, 0)
b = a.repeat_interleave(torch.tensor([2]), 0)

# the dimension that is empty, as it was given
a = torch.ones(2, 0)
b = a.amax(-1)
b = a.amin((0, -1))

# a node's hook sees no gradients that nobody wants
log = []
a = torch.ones(2, requires_grad=True)
b = torch.ones(2, requires_grad=True)
c = a * b
c.grad_fn.register_hook(lambda ins, outs: log.append([each is None for each in ins]))
d = torch.autograd.grad(c.sum(), a, retain_graph=True)
c.sum().backward(inputs=[c])

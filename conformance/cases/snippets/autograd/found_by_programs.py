# of a conjugate in inference mode some operators make a plain tensor
a = torch.tensor([[1 + 2j, 3 - 1j]]).conj()
with torch.inference_mode():
    b = torch.atleast_2d(a)
    c = torch.atleast_3d(a)
    d = a.type_as(a)
    e = torch.einsum("ij->ji", a)
    f = a.t()
plain = b is a, b.is_conj(), c.is_conj(), d.is_conj(), e.is_conj(), f.is_conj()

# who waits for the end of a leaf's accumulation hears of it though it needs no gradient any more
log = []
a = torch.tensor([-3.0, -2.75]).requires_grad_()
a.register_post_accumulate_grad_hook(lambda t: log.append(t.grad))
b = a.sin()
a.detach_()
b.sum().backward()

# a saved tensor that was detached, and is something else by now
a = torch.ones(2, requires_grad=True)
b = a * 2
c = torch.hypot(b, b)
b.detach_()
b += a
c.sum().backward()

# a saved tensor that was detached and written
a = torch.ones(2, requires_grad=True)
b = a * 2
c = b * b
b.detach_()
b += 1
c.sum().backward()

# what a hook receives keeps the strides of dimensions of size 1
log = []
a = torch.ones(2, 1, requires_grad=True).t()
a.register_hook(lambda grad: grad * 2)
a.register_hook(lambda grad: log.append(grad.stride()))
a.backward(torch.ones_like(a))

# the tangent of what repeats cannot be laid out as that
a = torch.tensor([-3.0, -2.75]).expand(2, 2)
b = torch.func.jvp(torch.tanh, (a,), (torch.ones_like(a),))
c = torch.func.jacfwd(torch.sum)(a)
d = torch.func.jvp(torch.tanh, (a,), (a,))

# a write under vmap is refused where it would not be cast back
a = torch.tensor([False, True])
b = torch.func.vmap(lambda t: t.clone().mul_(2))(a)
c = torch.func.vmap(lambda t: t.clone().add_(1.5))(a.int())
d = torch.func.vmap(lambda t: t.clone().exp_())(a.int())

# a view of several is looked at before its slice
a = torch.ones(2, requires_grad=True)
b, c = a.unbind(0)
torch.autograd.graph.increment_version(a)
d = b[:1]
d = torch.ones(())[:1]
d = torch.ones(())[5]

# a tensor of inference mode is seen in forward mode beside a number, and where it is copied
import torch.autograd.forward_ad as fwAD

with torch.inference_mode():
    a = torch.ones(2)
with fwAD.dual_level():
    b = fwAD.make_dual(a, torch.ones_like(a))
    c = [fwAD.unpack_dual(x).tangent for x in (b.clone().mul_(2), b * 2, b.sin(), b * b, b.exp())]

# the second term of a product's tangent is the older one
with fwAD.dual_level():
    a, b, c, d = [torch.ones(2, requires_grad=True) * n for n in range(4)]
    e = fwAD.unpack_dual(fwAD.make_dual(a, b) * fwAD.make_dual(c, d)).tangent
    f = fwAD.unpack_dual(fwAD.make_dual(a, b) @ fwAD.make_dual(c, d)).tangent
ages = [
    [x._sequence_nr() - y.grad_fn._sequence_nr() for x, _ in y.grad_fn.next_functions]
    for y in (e, f)
]

# a view that is of no use any more still says that it has no gradient
a = torch.ones(4, requires_grad=True) * 1
b, c = a.chunk(2)
with torch.no_grad():
    d = a[:2]
a.add_(1)
e = b.grad, d.grad, d.retains_grad
d.retain_grad()
b.retain_grad()

# a hook that packs is not asked about views of no use
log = []
a = torch.ones(2, 2, requires_grad=True) * 1
b, c = a.split(1)
a.add_(1)
with torch.autograd.graph.saved_tensors_hooks(lambda t: log.append("kept") or t, lambda t: t):
    d = b**2

# the gradient of a write into a transposed view is laid out in rows
log = []
a = torch.ones(2, 3, requires_grad=True)
b = a * 1
c, d = b.t(), (a * 2).t().contiguous()
d.register_hook(lambda grad: log.append(grad.stride()))
c.div_(d)
b.sum().backward(create_graph=True)

# gradients that nobody asked for need not fit
a = torch.ones(2, dtype=torch.complex64, requires_grad=True) * 1
b = torch.ones(2, requires_grad=True)
b.data = torch.ones(1)
b.data = torch.ones(2)
c = torch.where(b > 2, b, a)
d = torch.autograd.grad(c, [a, c], torch.ones_like(c))

# a view among inputs= is brought up to date before it retains its gradient
a = torch.ones(4)
b = a[:2]
a.mul_(torch.ones(4, requires_grad=True))
a.sum().backward(inputs=[b])
c = b.retains_grad, b.grad

# inside a transform a reshape is a view
a = torch.arange(12.0).reshape(2, 2, 3).requires_grad_()
b, c = torch.func.vjp(lambda x: x.mT.reshape(2, 3, 2, 1), a)
(d,) = c(b)
e = torch.func.vmap(lambda x: x.mT.reshape(1, 3, 2))(a)
f, _ = torch.func.vjp(lambda x, y: x @ y.mT, a, a)[1](a @ a.mT)


# a refusal needs no gradient
class Forgetful(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x + y

    @staticmethod
    def backward(ctx, grad):
        return grad, None


a = torch.tensor([0.5, 2.0], requires_grad=True)
b = Forgetful.apply(a, a // 2)
c = torch.autograd.grad(b.sum(), a)
b = Forgetful.apply(a, torch.igamma(a, a))
b.sum().backward()
b = Forgetful.apply(a, a.sin())
b.sum().backward()

# an inference tensor with other data is none any more, and counts nothing
with torch.inference_mode():
    a = torch.ones(2)
b = torch.zeros(2)
a.data = b
c = a.is_inference(), b.is_inference()
d = a * torch.ones(2, requires_grad=True)
a.add_(1)
e = a._version
f = a[:1]
g = str(a)
g = b.tolist(), a.data._version
del a

# a checkpoint looks whether what it was given has lost its history since
a = torch.ones(2, requires_grad=True)
b = a * 2
c = torch.utils.checkpoint.checkpoint(lambda x: x.sin() * x, b, use_reentrant=False)
b.detach_()
c.sum().backward()
b = a * 2
c = torch.utils.checkpoint.checkpoint(lambda x: x.sin().detach_() * x, b, use_reentrant=False)
c.sum().backward()


# a Function gives no complex gradient to a real input
class Turned(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 1j


a = torch.ones(2, requires_grad=True)
b = Turned.apply(a)
b.sum().backward()

# the gradient of a batch has a first dimension
a = torch.ones(2, requires_grad=True)
b = torch.autograd.grad(a * 2, a, torch.ones(()), is_grads_batched=True)

# what an inference tensor is cast to keeps the tangent as it is
with torch.inference_mode():
    a = torch.ones(2)
with torch.autograd.forward_ad.dual_level():
    b = torch.autograd.forward_ad.make_dual(a, torch.full((2,), 3.0))
    c = torch.autograd.forward_ad.unpack_dual(b.double()).tangent.dtype
    d = torch.autograd.forward_ad.unpack_dual(b.double() * 2).tangent
del a, b

# the tangent of a sum with what has none is a copy
a = torch.zeros(2, 3)
b, c = torch.func.jvp(lambda x: x * 2, (a,), (-a,))
d = c.signbit()
e = torch.zeros(1, 1, 1, dtype=torch.float64, requires_grad=True)
f, g = torch.func.jvp(lambda x: x * torch.zeros(0, 1), (e,), (e,))
h, i = torch.func.jvp(lambda x: x * 1, (torch.zeros(2, 0),), (torch.zeros(0, 2).T,))

# the tangent of lerp is one
a = torch.ones(2, requires_grad=True)
b, c = torch.func.jvp(lambda x: torch.lerp(x, a, 0.25), (a * 1,), (a * 2,))

# an empty tangent is read as its value is
a = torch.zeros(0, dtype=torch.complex64, requires_grad=True)
b, c = torch.func.jvp(torch.tanh, (a,), (torch.ones_like(a),))

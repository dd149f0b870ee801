# Tensor.data_ptr: a gradient under create_graph has memory of its own
a = torch.tensor([-3.0, -2.75, -2.5]).requires_grad_()
a.backward(a.detach(), create_graph=True)
same = a.grad.data_ptr() == a.data_ptr()

# torch.autograd.grad: what comes back from grad is the gradient that was given, once for each input
a = torch.ones(2, requires_grad=True)
g = torch.ones(2)
b, c = torch.autograd.grad(a, [a, a], g)
same = b is c, b is g

# torch.autograd.grad: a gradient that a view hands on is a view of the one that was given
a = torch.ones(2, 3, requires_grad=True)
b = a.t()
g = torch.ones(3, 2)
c, d = torch.autograd.grad(b, [b, a], g)

# torch.no_grad: backward from a view that was taken without gradient
a = torch.ones(2, requires_grad=True)
with torch.no_grad():
    b = (a * 2)[0]
c = a * 2
with torch.no_grad():
    d = c[0]
d.backward()

# Tensor.backward: a history that was freed with the write of a view
a = torch.ones(3, 3, requires_grad=True)
b = a - a
b[0] *= 2
b.sum().backward()
b.sum().backward()

# Tensor.requires_grad_: a leaf that requires no gradient any more
a = torch.tensor(2.0, requires_grad=True)
b = a * 3
a.requires_grad_(False)
b.backward()

# Tensor.backward: a gradient with a history is added to in place
a = torch.tensor([2.0], requires_grad=True)
(a * a * a).sum().backward(create_graph=True)
b = a.grad
(a * 5).sum().backward()
same = a.grad is b

# torch.autograd.grad: the gradient of a power by a number, differentiated
a = torch.tensor([2.0, 3.0], requires_grad=True)
(b,) = torch.autograd.grad(a**-1, a, torch.ones(2), create_graph=True)

# torch.autograd.grad: the gradient is a view made without grad mode, and cannot be written with it
a = torch.tensor([[-3.0, 1.0]]).requires_grad_()
c = torch.autograd.grad(a.t(), a, torch.ones(2, 1))[0]
c.add_(a)

# Tensor.requires_grad_: a write gives integers a history, also those that are a view
a = torch.tensor([-3.0, -2.75]).requires_grad_()
b = torch.tensor([-4, -4, -3, -3]).reshape(2, 2)
b[:, 0] = a.sum()
c = b[0]

# Tensor.requires_grad_: gradients that lie otherwise than their leaf, added up with a history
for x in (torch.zeros(0, dtype=torch.complex64).real, torch.ones(2, 3).t()):
    x.requires_grad_()
    x.grad = torch.ones(x.shape)
    (x * 2).sum().backward(create_graph=True)

# Tensor.requires_grad_: a sum of gradients that the next gradient is a view of
a = torch.tensor([-3.0, -2.75]).reshape(2, 1).requires_grad_()
b = a.t()
c, d = torch.autograd.grad(b + b, [a, b], torch.ones(1, 2))
e = c._base is d

# torch.no_grad: a view taken without gradient requires one all the same
a = torch.ones(3, requires_grad=True).exp()
with torch.no_grad():
    b = a.reshape(3)
b.backward()

# torch.autograd.grad: strides that no address depends on, of a gradient on its way through what is elementwise
a = torch.ones(1, 3, requires_grad=True)
b = torch.ones(3, 1).t()
c = [torch.autograd.grad(x, a, b)[0] for x in (a / 2, a * a, (a / 2).exp(), a - a / 3)]

# torch.autograd.grad: a view that requires grad and leads nowhere is not what another one's edge leads to
log = []


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * y

    @staticmethod
    def backward(ctx, grad):
        log.append(ctx.needs_input_grad)
        return grad, grad


a = torch.ones(2, 3, requires_grad=True) * 1
with torch.no_grad():
    b, c = a.t(), a.t()
d = Product.apply(b, torch.ones(3, 2))
e, f, g = torch.autograd.grad(d, [d, b, c], torch.ones(3, 2), allow_unused=True)

# Tensor.detach_: what was cut off its history is noticed also where no gradient is computed
a = torch.tensor([-3.0, -2.75, -2.5], requires_grad=True)
b = 2 - a
c = a * b
b.detach_()
c.backward(torch.ones(3), inputs=[c])

# torch.no_grad: the node of what has no derivative leads to what requires grad
a = torch.ones(4, requires_grad=True)
with torch.no_grad():
    b = a[0]
c = b // b, a[0] // b, b // a[0], b // 2, a[0] // torch.ones(3)
d = [[node and node.name() for node, _ in each.grad_fn.next_functions] for each in c]

# torch.autograd.grad: slopes of exponents of zero
made = []
for base in (0, 0.0, 0j, torch.tensor(0.0), torch.tensor([0.0, -2.0, 3.0])):
    for exponent in ([-1.5, 0.0, 2.0], [-1.0, 0.5, -0.0]):
        x = torch.tensor(exponent, requires_grad=True)
        made.append(torch.autograd.grad((base**x).sum().real, x)[0])
del x

# torch.autograd.grad: which gradients are one tensor
x, z = torch.ones((), requires_grad=True), torch.ones((), requires_grad=True)
for y in (x + z, x + z + x, (x + z).reshape(1).sum(), x * 1):
    g = torch.autograd.grad(y, [x, y, x], retain_graph=True)
    print([[a is b for a in g] for b in g])
    given = torch.ones(())
    g = torch.autograd.grad(y, [x, y], given)
    print([each is given for each in g])
del x, y, z, g, given


# torch.autograd.function.NestedIOFunction: nested arguments and results of a Function
class Pair(torch.autograd.function.NestedIOFunction):
    def forward_extended(self, pair, x):
        self.save_for_backward([pair[0], x])
        return (pair[0] * x, [pair[1] + x])

    def backward_extended(self, grads, more):
        print(type(grads), type(more))
        return (grads, more[0]), grads


try:
    Pair()((torch.ones(2), torch.ones(2)), torch.ones(2))
except Exception as error:
    print(type(error).__name__, str(error)[:60])


# torch.enable_grad: a backward within a backward that fails, and goes on
class Inner(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        with torch.enable_grad():
            y = ctx.saved_tensors[0].detach().requires_grad_()
            z = y.exp()
            z.register_hook(lambda g: (_ for _ in ()).throw(ValueError("inside")))
            try:
                z.sum().backward()
            except ValueError as error:
                print("caught", error)
            (again,) = torch.autograd.grad((y * y).sum(), y)
        return grad * again


x = torch.tensor([1.0, 2.0], requires_grad=True)
out = Inner.apply(x * 3) + Inner.apply(x)
out.sum().backward()

# Tensor.backward: gradients through what is overwritten with random numbers
for name, given in (
    ("uniform_", ()),
    ("normal_", ()),
    ("log_normal_", ()),
    ("exponential_", ()),
    ("cauchy_", ()),
    ("geometric_", (0.5,)),
    ("bernoulli_", (0.5,)),
    ("random_", ()),
):
    leaf = torch.ones(3, requires_grad=True)
    written = getattr(leaf * 1, name)(*given)
    written.sum().backward()
    print(name, written.grad_fn, leaf.grad)

# Tensor.data_ptr: views of a gradient that was made for a root
x = torch.ones(2, 3, requires_grad=True)
y = x.t()
one = torch.ones((), requires_grad=True)
same = torch.autograd.grad(one, [one, one])
shared = same[0].data_ptr() == same[1].data_ptr(), same[0] is same[1]
z = one.view(1).view(())
views = torch.autograd.grad(z, [z, one])
shared = shared, views[0].data_ptr() == views[1].data_ptr(), views[0] is views[1]

# Tensor.detach_: a saved tensor that was detached, and is something else by now
a = torch.ones(2, requires_grad=True)
b = a * 2
c = torch.hypot(b, b)
b.detach_()
b += a
c.sum().backward()

# Tensor.detach_: a saved tensor that was detached and written
a = torch.ones(2, requires_grad=True)
b = a * 2
c = b * b
b.detach_()
b += 1
c.sum().backward()

# torch.autograd.grad: the gradient of a batch has a first dimension
a = torch.ones(2, requires_grad=True)
b = torch.autograd.grad(a * 2, a, torch.ones(()), is_grads_batched=True)

# torch.autograd.grad: gradients that are given come back
x = torch.ones(2, requires_grad=True)
y = x.sum()
(made,) = torch.autograd.grad(y, y)
(same,) = torch.autograd.grad(y, y, torch.tensor(3.0))
z = x * 1
given = torch.tensor([2.0, 3.0])
(back,) = torch.autograd.grad(z, z, given)
print(back is given, made)
v = z.view(1, 2)
(through,) = torch.autograd.grad(v, z, given.view(1, 2))
both = torch.autograd.grad((x.sum(), y), (x, y))

# torch.no_grad: gradients that share memory with .grad
x = torch.ones(3, requires_grad=True)
x.sum().backward()
kept = x.grad
view = kept[1:]
(x * 2).sum().backward()
print(kept is x.grad, view)
with torch.no_grad():
    x.grad = x.grad.detach()
(x * x).sum().backward(create_graph=True)
print(x.grad)
(x * x).sum().backward()
print(x.grad, x.grad.grad_fn)

# Tensor.data_ptr: gradients that come back are the same tensors
x = torch.ones(1, requires_grad=True)
z = x * 2
v = z.view(())
a, b = torch.autograd.grad(v, (v, v), retain_graph=True)
c, d = torch.autograd.grad(v, (z, v), retain_graph=True)
e, f = torch.autograd.grad(v, (z, z), retain_graph=True)
given = torch.tensor(3.0)
g, h = torch.autograd.grad(v, (v, z), given)
print(a is b, c is d, e is f, g is given)
print(c.data_ptr() == d.data_ptr(), e.data_ptr() == f.data_ptr(), h.data_ptr() == given.data_ptr())
print(c._base is None, d._base is None, h._base is given)

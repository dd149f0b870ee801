# torch.autograd.Function: a Function that returns its input while nothing is recorded
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


# torch.autograd.Function: a Function that writes a view of a leaf
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


# torch.autograd.Function: a Function that must not write has let go of the gradient before
class Shift(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.add_(1)

    @staticmethod
    def backward(ctx, grad):
        return grad


a = torch.ones(4, requires_grad=True)
b = a[:]
b.retain_grad()
(b * 2).sum().backward()
c = b.grad
Shift.apply(b)
d = b.grad


# torch.autograd.Function: a Function is younger than the node that a view, written since, is given for it
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


a = torch.tensor([-3.0]).reshape(()).requires_grad_()
b = a.view(-1)
torch.autograd.graph.increment_version(b)
c = Twice.apply(b)
b.retain_grad()
c.backward()


# torch.autograd.Function: what was taken apart by many is let go where nothing comes to it
class Nothing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return None


x, z = torch.ones(3, requires_grad=True), torch.ones(2, requires_grad=True)
y = x * 1
y[:2] = z * 2
w = y * 3
out = Nothing.apply(w).sum() + x.sum()
out.backward(retain_graph=True)
print(x.grad, z.grad, y.grad_fn.next_functions)
out.backward()
print(x.grad, z.grad)
for call in (lambda: w.sum().backward(), lambda: y.sum().backward()):
    try:
        call()
        print(x.grad, z.grad)
    except RuntimeError as error:
        print(str(error)[:60])


# torch.autograd.Function: a Function gives no complex gradient to a real input
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


# torch.autograd.Function: names that apply is given
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor=2, offset=0):
        ctx.factor = factor
        return x * factor + offset

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None, None


x = torch.ones(2, requires_grad=True)


def asked(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


asked(lambda: Scale.apply(x, factor=3))
asked(lambda: Scale.apply(x, 3, factor=3))
asked(lambda: Scale.apply(x, size=3))
asked(lambda: Scale.apply(factor=3))
asked(lambda: Scale.apply(x, offset=3))
asked(lambda: Scale.apply())


# torch.autograd.Function: numbers of a node that is a function's
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


x = torch.ones(2, requires_grad=True)
y = Twice.apply(x)
node = y.grad_fn
node._set_sequence_nr(5)
print(node._sequence_nr(), node.metadata, node.requires_grad)
node.register_prehook(lambda grads: (grads[0] * 3,))
y.sum().backward()


def asked(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


asked(lambda: node.materialize_grads)
asked(lambda: setattr(node, "materialize_grads", 1))
asked(lambda: node.set_materialize_grads("a"))

# torch.autograd.Function: a mode in which tangents that are not there count as something
from torch.autograd import gradcheck


class Careless(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.set_materialize_grads(False)
        return x + y

    @staticmethod
    def backward(ctx, grad):
        return grad, grad

    @staticmethod
    def jvp(ctx, x, y):
        if x is None or y is None:
            return 2 * (y if x is None else x)
        return x + y


x, y = (torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True) for _ in range(2))
for options in ({}, {"check_undefined_grad": False}):
    try:
        print(gradcheck(Careless.apply, (x, y), check_forward_ad=True, **options))
    except Exception as error:
        print(type(error).__name__, str(error))

# torch.autograd.Function: a backward that wants a gradient
from torch.autograd import gradcheck


class Wanting(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        if grad is None:
            raise RuntimeError("no gradient")
        return grad * 2


x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
for options in ({}, {"check_undefined_grad": False}):
    try:
        print(gradcheck(Wanting.apply, (x,), **options))
    except Exception as error:
        print(type(error).__name__, str(error))


# torch.autograd.Function: what a Function's context is told that is no tuple
class Marks(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, name, value):
        setattr(ctx, name, value)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad, None, None


x = torch.ones(2, requires_grad=True)
for name in ("to_save", "dirty_tensors", "non_differentiable"):
    for value in ([x], 3, None, (3,)):
        try:
            print(name, Marks.apply(x, name, value))
        except Exception as error:
            print(name, type(error).__name__, str(error)[:90])

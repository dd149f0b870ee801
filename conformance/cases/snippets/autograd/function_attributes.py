# torch.autograd.Function: a Function called with a class attribute and inherited forward
class Base(torch.autograd.Function):
    factor = 2.0

    @classmethod
    def scale(cls, x):
        return x * cls.factor

    @staticmethod
    def forward(ctx, x):
        ctx.f = 3.0
        return x * 3

    @staticmethod
    def backward(ctx, g):
        return g * ctx.f


class Derived(Base):
    pass


x = torch.ones(2, requires_grad=True)
y = Derived.apply(x)
y.sum().backward()
print(y.grad_fn.name(), type(y.grad_fn).__name__, type(y.grad_fn).__mro__[1].__name__)
print(isinstance(y.grad_fn, Derived), isinstance(y.grad_fn, Derived._backward_cls))
print(
    Derived.__name__, Derived._backward_cls.__name__, Derived._backward_cls._forward_cls is Derived
)


# torch.autograd.Function: the attributes of a ctx seen from grad_fn
class F_(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        ctx.note = [1]
        return x * y

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        return g * b, g * a


x = torch.tensor([2.0], requires_grad=True)
y = torch.tensor([3.0])
z = F_.apply(x, y)
n = z.grad_fn
print(
    n.note,
    n.needs_input_grad,
    n.saved_tensors,
    n.dirty_tensors,
    n.non_differentiable,
    n.materialize_grads if hasattr(n, "materialize_grads") else None,
)
print(n.to_save is None, n.saved_variables if hasattr(n, "saved_variables") else "gone")
print(n.metadata, n._sequence_nr() >= 0, n.name())
print([type(r).__name__ for r in n._raw_saved_tensors])
print(n._input_metadata)


# saved_tensors after backward and freed
class F_(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]


x = torch.tensor([2.0], requires_grad=True)
z = F_.apply(x)
z.backward(retain_graph=True)
z.backward()
try:
    z.grad_fn.saved_tensors
except RuntimeError as e:
    print(e)
try:
    z.backward()
except RuntimeError as e:
    print(e)

# needs_input_grad in forward and with setup_context
seen = []


class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, n, y):
        seen.append(ctx.needs_input_grad)
        return x * n + y

    @staticmethod
    def backward(ctx, g):
        seen.append(ctx.needs_input_grad)
        return g * 2, None, g


class B(torch.autograd.Function):
    @staticmethod
    def forward(x, n, y):
        return x * n + y

    @staticmethod
    def setup_context(ctx, inputs, output):
        seen.append((ctx.needs_input_grad, len(inputs), output.requires_grad))

    @staticmethod
    def backward(ctx, g):
        return g * 2, None, g


x = torch.ones(2, requires_grad=True)
y = torch.ones(2)
A.apply(x, 2, y).sum().backward()
A.apply(y, 2, y)
with torch.no_grad():
    A.apply(x, 2, x)
B.apply(y, 2, x).sum().backward()
B.apply(x, 2, y)
print(seen)


# Tensor.backward: a backward that returns more Nones than inputs
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2, None, None


x = torch.ones(2, requires_grad=True)
A.apply(x).sum().backward()


# Tensor.backward: a backward that returns too few
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * y

    @staticmethod
    def backward(ctx, g):
        return g


x = torch.ones(2, requires_grad=True)
A.apply(x, x).sum().backward()


# Tensor.backward: a backward that returns a list
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * y

    @staticmethod
    def backward(ctx, g):
        return [g, g]


x = torch.ones(2, requires_grad=True)
A.apply(x, x).sum().backward()


# Tensor.backward: vjp in place of backward
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 3

    @staticmethod
    def vjp(ctx, g):
        return g * 3


x = torch.ones(2, requires_grad=True)
A.apply(x).sum().backward()


# Tensor.backward: vjp and backward at once
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 3

    @staticmethod
    def vjp(ctx, g):
        return g * 3

    @staticmethod
    def backward(ctx, g):
        return g * 3


x = torch.ones(2, requires_grad=True)
A.apply(x).sum().backward()


# torch.autograd.Function: a Function without backward
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 3


x = torch.ones(2, requires_grad=True)
A.apply(x).sum().backward()


# torch.autograd.Function: a Function without forward
class A(torch.autograd.Function):
    pass


x = torch.ones(2, requires_grad=True)
A.apply(x)


# torch.autograd.Function: forward that is no staticmethod
class A(torch.autograd.Function):
    def forward(self, x):
        return x


x = torch.ones(2, requires_grad=True)
y = A.apply(x)
y.sum().backward()


# Tensor.backward: saving after forward, in backward
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 3

    @staticmethod
    def backward(ctx, g):
        ctx.save_for_backward(g)
        print(ctx.saved_tensors)
        return g * 3


x = torch.ones(2, requires_grad=True)
A.apply(x).sum().backward()


# save_for_backward twice
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.save_for_backward(x, x * 2)
        return x * 3

    @staticmethod
    def backward(ctx, g):
        print(len(ctx.saved_tensors), ctx.saved_tensors[1])
        return g * 3


x = torch.ones(2, requires_grad=True)
A.apply(x).sum().backward()


# save_for_backward of other things
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x, 3)
        return x * 3

    @staticmethod
    def backward(ctx, g):
        return g * 3


x = torch.ones(2, requires_grad=True)
A.apply(x)


# save_for_backward of None
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(None, x)
        return x * 3

    @staticmethod
    def backward(ctx, g):
        print(ctx.saved_tensors)
        return g * 3


x = torch.ones(2, requires_grad=True)
A.apply(x).sum().backward()


# torch.autograd.Function: materialized gradients have which dtype and shape
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 3, x.double() * 2, x.sum()

    @staticmethod
    def backward(ctx, a, b, c):
        print(a, b, c, a.dtype, b.dtype)
        return a * 3


x = torch.ones(2, requires_grad=True)
y, z, s = A.apply(x)
y.sum().backward()
y, z, s = A.apply(x)
s.backward()


# torch.autograd.Function: gradients that are not materialized
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 3, x * 2

    @staticmethod
    def backward(ctx, a, b):
        print(a, b)
        return a


x = torch.ones(2, requires_grad=True)
y, z = A.apply(x)
y.sum().backward()
y, z = A.apply(x)
z.sum().backward()


# torch.autograd.Function: a Function in a Function
class Inner(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 2 * x * g


class Outer(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad():
            d = x.detach().requires_grad_()
            y = Inner.apply(d).sum()
        ctx.inner = (d, y)
        return y.detach()

    @staticmethod
    def backward(ctx, g):
        d, y = ctx.inner
        (gx,) = torch.autograd.grad(y, d, g)
        return gx


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Outer.apply(x)
y.backward()


# torch.enable_grad: a ctx keeps an output itself: the graph under enable_grad in forward
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        print(torch.is_grad_enabled())
        with torch.enable_grad():
            y = x * 2
            print(y.requires_grad)
        return y

    @staticmethod
    def backward(ctx, g):
        print(torch.is_grad_enabled())
        return g * 2


x = torch.ones(2, requires_grad=True)
y = A.apply(x)
y.sum().backward()
torch.autograd.grad(A.apply(x).sum(), x, create_graph=True)


# Tensor.backward: a backward that returns a gradient that needs expanding or casting
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return torch.ones(1, dtype=torch.float64)


x = torch.ones(3, requires_grad=True)
y = A.apply(x)
y.sum().backward()


# Tensor.backward: a backward that returns a gradient of a bigger shape
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return torch.ones(2, 3)


x = torch.ones(3, requires_grad=True)
y = A.apply(x)
y.sum().backward()


# Tensor.backward: a backward that returns numbers
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return 2.0


x = torch.ones(3, requires_grad=True)
A.apply(x).sum().backward()


# Tensor.backward: a backward with a gradient for an input that is no tensor
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, n):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g, g


x = torch.ones(3, requires_grad=True)
A.apply(x, 3).sum().backward()


# torch.autograd.Function: gradient for a tensor that needs none
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, n):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g, g.sum()


x = torch.ones(3, requires_grad=True)
A.apply(x, torch.ones(5)).sum().backward()

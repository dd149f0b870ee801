# torch.autograd.Function: repr and pickling of a Function
import pickle, copy


class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g


x = torch.ones(3, requires_grad=True)
y = A.apply(x)
for f in (pickle.dumps, copy.copy, copy.deepcopy):
    try:
        f(y.grad_fn)
        print("ok")
    except Exception as e:
        print(type(e).__name__, str(e).split(" object at")[0])
try:
    copy.deepcopy(y)
except Exception as e:
    print(type(e).__name__, e)


# torch.autograd.Function: calling a Function
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g


x = torch.ones(3)
A()(x)


# torch.autograd.Function: calling with no arguments
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx):
        return torch.ones(2)

    @staticmethod
    def backward(ctx, g):
        return None


y = A.apply()
print(y.requires_grad, y.grad_fn)


# torch.autograd.Function: keyword arguments without setup_context
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale=2):
        return x * scale

    @staticmethod
    def backward(ctx, g):
        return g, None


x = torch.ones(3, requires_grad=True)
A.apply(x, scale=3)


# torch.autograd.Function: ctx.set_materialize_grads of something else, mark_dirty of nothing
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty()
        ctx.mark_non_differentiable()
        ctx.set_materialize_grads(0)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g


x = torch.ones(3, requires_grad=True)
y = A.apply(x)
y.sum().backward()


# torch.autograd.Function: tuple of one, list, nested outputs
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return (x * 2,)

    @staticmethod
    def backward(ctx, g):
        return g


class B(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return [x * 2, x * 3]

    @staticmethod
    def backward(ctx, g, h):
        return g


x = torch.ones(3, requires_grad=True)
y = A.apply(x)
print(type(y), len(y))
y[0].sum().backward()
z = B.apply(x)
print(type(z), z[0].requires_grad if z else None)

# torch.autograd.Function: a named tuple as output
from collections import namedtuple

P = namedtuple("P", "a b")


class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return P(x * 2, x * 3)

    @staticmethod
    def backward(ctx, g, h):
        return g + h


x = torch.ones(3, requires_grad=True)
y = A.apply(x)
print(type(y).__name__, y[0].grad_fn.name(), y[1].output_nr)

# torch.autograd.Function: once_differentiable and create_graph with no second derivative asked
from torch.autograd.function import once_differentiable


class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    @once_differentiable
    def backward(ctx, g):
        print(torch.is_grad_enabled())
        return g * 2 * ctx.saved_tensors[0]


x = torch.ones(3, requires_grad=True)
y = A.apply(x).sum()
(g,) = torch.autograd.grad(y, x, create_graph=True)
print(g.requires_grad, g.grad_fn.name() if g.grad_fn else None)
g.sum().backward()


# generate_vmap_rule attribute and ctx methods listing
class A(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x * 2

    @staticmethod
    def setup_context(ctx, inputs, output):
        print(sorted(n for n in dir(ctx) if not n.startswith(("_", "clear"))))

    @staticmethod
    def backward(ctx, g):
        return g * 2


x = torch.ones(3, requires_grad=True)
y = A.apply(x)
print(A.generate_vmap_rule)


# torch.autograd.Function: ctx attributes that exist by name
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        for name in (
            "saved_tensors",
            "saved_variables",
            "to_save",
            "needs_input_grad",
            "materialize_grads",
            "dirty_tensors",
            "non_differentiable",
            "saved_for_forward",
            "requires_grad",
            "next_functions",
            "metadata",
            "_raw_saved_tensors",
            "pure_view",
            "_input_metadata",
        ):
            try:
                v = getattr(ctx, name)
                print(name, type(v).__name__, v if not callable(v) else "")
            except Exception as e:
                print(name, type(e).__name__, e)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


x = torch.ones(3, requires_grad=True)
y = A.apply(x)


# mark_dirty on a non-leaf and saved result
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.exp_()
        ctx.mark_dirty(x)
        ctx.save_for_backward(x)
        return x

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y


x = torch.ones(3, requires_grad=True)
a = x * 1
b = A.apply(a)
print(a is b, a._version, a.grad_fn.name())
b.sum().backward()


# save_for_backward of an intermediate result, double backward
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        t = x.exp()
        ctx.save_for_backward(t)
        return t * 2

    @staticmethod
    def backward(ctx, g):
        (t,) = ctx.saved_tensors
        return g * t * 2


x = torch.ones(3, requires_grad=True)
y = A.apply(x)
(g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
print(g.requires_grad)


# torch.autograd.Function: functions that are applied to views and slices
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        print(g.stride(), g.shape)
        return g * 2


x = torch.ones(3, 4, requires_grad=True)
A.apply(x[1:, ::2].t()).sum().backward()
A.apply(x.expand(2, 3, 4)).sum(0).sum().backward()

# torch.autograd.Function: too many gradients, that are None
class More(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad, None, None


x = torch.ones(2, requires_grad=True)
More.apply(x).sum().backward()


# torch.autograd.Function: too many gradients
class More(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad, grad


x = torch.ones(2, requires_grad=True)
More.apply(x).sum().backward()


# torch.autograd.Function: a gradient for what is no tensor
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, number):
        return x * number

    @staticmethod
    def backward(ctx, grad):
        return grad, grad


x = torch.ones(2, requires_grad=True)
Wrong.apply(x, 3).sum().backward()


# torch.autograd.Function: a gradient that is no tensor
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 3

    @staticmethod
    def backward(ctx, grad):
        return 3.0


x = torch.ones(2, requires_grad=True)
Wrong.apply(x).sum().backward()


# torch.autograd.Function: gradients in a list
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 3

    @staticmethod
    def backward(ctx, grad):
        return [grad]


x = torch.ones(2, requires_grad=True)
Wrong.apply(x).sum().backward()


# torch.autograd.Function: no gradient at all
class Nothing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * y

    @staticmethod
    def backward(ctx, grad):
        return None, None


x = torch.ones(2, requires_grad=True)
Nothing.apply(x * 2, x).sum().backward()


# torch.autograd.Function: a gradient for an input that needs none
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * y

    @staticmethod
    def backward(ctx, grad):
        return grad, grad


x = torch.ones(2, requires_grad=True)
Wrong.apply(x, torch.ones(2)).sum().backward()


# torch.autograd.Function: gradients of another shape, that can be summed
class Wide(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * torch.ones(3, 2)

    @staticmethod
    def backward(ctx, grad):
        return grad


x = torch.ones(2, requires_grad=True)
Wide.apply(x).sum().backward()


# torch.autograd.Function: gradients of another dtype
class Other(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad.double() * 2


x = torch.ones(2, requires_grad=True)
Other.apply(x).sum().backward()


# torch.autograd.Function: gradients of another shape for a second input
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * y

    @staticmethod
    def backward(ctx, grad):
        return grad, torch.ones(7)


x = torch.ones(2, requires_grad=True)
Wrong.apply(x, x * 1).sum().backward()


# Tensor.backward: no backward
class Forward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2


x = torch.ones(2, requires_grad=True)
Forward.apply(x).sum().backward()


# torch.autograd.Function: no forward
class Nothing(torch.autograd.Function):
    pass


Nothing.apply(torch.ones(2))


# Tensor.backward: vjp in place of backward
class Vjp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def vjp(ctx, grad):
        return grad * 2


x = torch.ones(2, requires_grad=True)
Vjp.apply(x).sum().backward()


# Tensor.backward: both vjp and backward
class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def vjp(ctx, grad):
        return grad * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


x = torch.ones(2, requires_grad=True)
Both.apply(x).sum().backward()

# torch.autograd.Function.vmap: jvp and vmap that are not there
for _call in (
    lambda: torch.autograd.Function.jvp(None),
    lambda: torch.autograd.Function.vmap(None, None),
    lambda: torch.autograd.Function.forward(),
    lambda: torch.autograd.Function.backward(None),
    lambda: torch.autograd.Function.setup_context(None, (), None),
):
    try:
        _call()
    except NotImplementedError as error:
        print(error)
print(
    torch.autograd.Function.generate_vmap_rule,
    torch.autograd.Function.vjp is torch.autograd.Function.backward,
)


# torch.autograd.Function: twice differentiated
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * grad


x = torch.tensor([2.0], requires_grad=True)
(first,) = torch.autograd.grad(Cube.apply(x), x, create_graph=True)
(second,) = torch.autograd.grad(first, x, create_graph=True)
second.backward()


# torch.autograd.Function: twice differentiated by way of a saved output
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.saved_tensors[0]


x = torch.tensor([1.0], requires_grad=True)
y = Exp.apply(x)
print(y.grad_fn.saved_tensors[0].grad_fn is y.grad_fn)
(first,) = torch.autograd.grad(y, x, create_graph=True)
(second,) = torch.autograd.grad(first, x, create_graph=True)


# torch.autograd.function.once_differentiable: once differentiable, differentiated twice
class Once(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        print(torch.is_grad_enabled())
        return grad * y, grad * x


x = torch.tensor([1.0], requires_grad=True)
y = torch.tensor([2.0], requires_grad=True)
a, b = torch.autograd.grad(Once.apply(x, y) * x, (x, y), create_graph=True)
print(a.grad_fn, b.grad_fn, b.requires_grad)
try:
    torch.autograd.grad(a, x, retain_graph=True)
except RuntimeError as error:
    print(error)
try:
    torch.autograd.grad(b, x, retain_graph=True)
except RuntimeError as error:
    print(error)
(a + b).backward()


# torch.autograd.Function: a Function within a Function
class Inner(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        print("inner")
        return grad * 2


class Outer(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad():
            ctx.x = x.detach().requires_grad_()
            ctx.y = Inner.apply(ctx.x) ** 2
        return ctx.y.detach()

    @staticmethod
    def backward(ctx, grad):
        print("outer")
        return torch.autograd.grad(ctx.y, ctx.x, grad)[0]


x = torch.tensor([1.0, 2.0], requires_grad=True)
Outer.apply(x).sum().backward()


# torch.autograd.Function: a forward that raises
class Raise(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        raise KeyError("forward")


Raise.apply(torch.ones(2, requires_grad=True))


# Tensor.backward: a backward that raises
class Raise(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        raise KeyError("backward")


Raise.apply(torch.ones(2, requires_grad=True)).sum().backward()


# torch.is_grad_enabled: grad modes inside forward and backward
class Modes(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        print(torch.is_grad_enabled(), x.requires_grad)
        y = x * 2
        print(y.requires_grad)
        return y

    @staticmethod
    def backward(ctx, grad):
        print(torch.is_grad_enabled(), grad.requires_grad)
        return grad * 2


x = torch.ones(2, requires_grad=True)
torch.autograd.grad(Modes.apply(x).sum(), x)
_found = torch.autograd.grad(Modes.apply(x).sum(), x, create_graph=True)


# torch.enable_grad: a result made under enable_grad is cut off
class Cut(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad():
            return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 5


x = torch.ones(2, requires_grad=True)
y = Cut.apply(x)
print(y.grad_fn, y.grad_fn.next_functions)
y.sum().backward()
with torch.no_grad():
    z = Cut.apply(x)


# torch.autograd.Function: inherited methods
class Base(torch.autograd.Function):
    factor = 2

    @classmethod
    def forward(cls, ctx, x):
        return x * cls.factor

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx._forward_cls.factor


class Derived(Base):
    factor = 3


x = torch.ones(2, requires_grad=True)
y = Derived.apply(x)
print(y.grad_fn.name())
y.sum().backward()


# torch.autograd.Function: a Function of modules and parameters
class Linear(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        output = input.mm(weight.t())
        return output if bias is None else output + bias.unsqueeze(0).expand_as(output)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grads = [None, None, None]
        if ctx.needs_input_grad[0]:
            grads[0] = grad_output.mm(weight)
        if ctx.needs_input_grad[1]:
            grads[1] = grad_output.t().mm(input)
        if bias is not None and ctx.needs_input_grad[2]:
            grads[2] = grad_output.sum(0)
        return tuple(grads)


_layer = nn.Linear(3, 2)
x = torch.randn(4, 3)
y = Linear.apply(x, _layer.weight, _layer.bias)
y.sum().backward()
z = Linear.apply(x.requires_grad_(), _layer.weight)
z.sum().backward()


# torch.Tensor: a subclass of Tensor as an input
class Mine(torch.Tensor):
    pass


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def work():
    x = Mine([1.0, 1.0]).requires_grad_()
    y = Double.apply(x)
    print(type(y), y.grad_fn)
    y.sum().backward()
    print(x.grad)


work()


# torch.autograd.Function: an output that is a leaf made in forward
class Make(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return torch.ones(2)

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


x = torch.ones(2, requires_grad=True)
y = Make.apply(x)
z = Make.apply(3)
print(z.requires_grad)
y.sum().backward()


# torch.autograd.Function: gradients asked for of one input only
class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * y

    @staticmethod
    def backward(ctx, grad):
        print(ctx.needs_input_grad)
        return grad, grad * 2


x = torch.ones(2, requires_grad=True)
y = torch.ones(2, requires_grad=True)
_found = torch.autograd.grad(Both.apply(x * 1, y).sum(), y)
Both.apply(x, y.detach()).sum().backward()


# Tensor.mul_: a backward that returns what it got
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x + y

    @staticmethod
    def backward(ctx, grad):
        return grad, grad


x = torch.ones(2, requires_grad=True)
y = torch.ones(2, requires_grad=True)
Same.apply(x, y).sum().backward()
x.grad.mul_(2)


# Tensor.mul_: a backward that writes what it got
class Write(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad.mul_(2)


x = torch.ones(2, requires_grad=True)
(Write.apply(x) * torch.tensor([1.0, 2.0])).sum().backward()


# Tensor.conj: complex numbers
class Conj(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.conj() * 1

    @staticmethod
    def backward(ctx, grad):
        return grad.conj()


x = torch.tensor([1 + 2j], requires_grad=True)
Conj.apply(x).real.sum().backward()


# torch.autograd.Function: a Function that gets no gradient runs all the same
class Nothing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        print("nothing")


class Zeros(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, materialize):
        ctx.set_materialize_grads(materialize)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        print(grad)
        return grad, None


x = torch.ones(2, requires_grad=True)
Nothing.apply(Zeros.apply(x, True)).sum().backward()
Nothing.apply(Zeros.apply(x, False)).sum().backward()
w = torch.ones(2, requires_grad=True)
torch.autograd.grad(Nothing.apply(Zeros.apply(w, True)).sum(), w, create_graph=True)


# torch.inference_mode: inference tensors in Functions
class Write(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


class Keep(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x)
        return x * y

    @staticmethod
    def backward(ctx, grad):
        return grad, grad


with torch.inference_mode():
    _inferred = torch.ones(2)
    print(Write.apply(_inferred), Keep.apply(_inferred, torch.ones(2, requires_grad=True)))
    _usual = torch.ones(2)
print(Keep.apply(_inferred, torch.ones(2)))
for _call in (
    lambda: Write.apply(_inferred),
    lambda: Keep.apply(_inferred, torch.ones(2, requires_grad=True)),
    lambda: torch.autograd.graph.increment_version([_inferred, _inferred.data]),
):
    try:
        print(_call())
    except RuntimeError as error:
        print(error)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
    _inferred * torch.ones(2, requires_grad=True)

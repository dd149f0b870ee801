# torch.autograd.Function: a function of one's own
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 2 * x * grad


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Square.apply(x)
y.sum().backward()
print(y, x.grad)


# Tensor.sign: a sign that lets gradients through
class Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.sign()

    @staticmethod
    def backward(ctx, grad):
        return grad


x = torch.tensor([-1.5, 2.0], requires_grad=True)
(Sign.apply(x) * 3).sum().backward()
print(x.grad)


# Tensor.prod: two inputs, one number, two outputs
class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, scale):
        ctx.scale = scale
        return a * scale, a + b

    @staticmethod
    def backward(ctx, ga, gb):
        return ga * ctx.scale + gb, gb, None


a = torch.ones(2, requires_grad=True)
b = torch.ones(2, requires_grad=True)
c, d = Both.apply(a, b, 3.0)
(c.sum() + d.prod()).backward()
print(c, a.grad, b.grad)


# torch.autograd.Function: an output that is not used
class Pair(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, a, b):
        print(a, b)
        return 2 * a + 3 * b


x = torch.ones(2, requires_grad=True)
Pair.apply(x)[0].sum().backward()


# torch.autograd.Function: which inputs need gradients
class Needs(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return a * b

    @staticmethod
    def backward(ctx, grad):
        print(ctx.needs_input_grad)
        return grad, None


x = torch.ones(2, requires_grad=True)
Needs.apply(x, torch.ones(2)).sum().backward()


# setup_context apart from forward
class Exp(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x.exp()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.saved_tensors[0]


x = torch.ones(2, requires_grad=True)
y = Exp.apply(x)
(g,) = torch.autograd.grad(y.sum(), x, create_graph=True)


# Tensor.backward: a backward that returns too few
class Few(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return a * b

    @staticmethod
    def backward(ctx, grad):
        return grad


x = torch.ones(2, requires_grad=True)
Few.apply(x, x).sum().backward()


# Tensor.backward: a backward of the wrong shape
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2

    @staticmethod
    def backward(ctx, grad):
        return torch.ones(5)


x = torch.ones(2, requires_grad=True)
Wrong.apply(x).sum().backward()


# Tensor.mul_: an input that is written
class Write(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


x = torch.ones(2, requires_grad=True)
y = x + 0
z = Write.apply(y)
z.sum().backward()
print(z is y, x.grad)


# F.one_hot: an output without gradients
class Top(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        i = x.argmax()
        ctx.mark_non_differentiable(i)
        ctx.i, ctx.n = i, len(x)
        return x.max(), i

    @staticmethod
    def backward(ctx, grad, _):
        return F.one_hot(ctx.i, ctx.n) * grad


x = torch.tensor([1.0, 3.0, 2.0], requires_grad=True)
v, i = Top.apply(x)
v.backward()
print(v, i, x.grad)


# torch.autograd.function.once_differentiable: a derivative once only
class Once(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        return grad * 2


x = torch.ones(2, requires_grad=True)
y = Once.apply(x)
(g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
print(g)


# Tensor.view_as: a gradient that is reversed
class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -grad


x = torch.ones(2, requires_grad=True)
y = Reverse.apply(x)
(y * 3).sum().backward()
print(y, x.grad)


# torch.no_grad: nothing is saved under no_grad
class Id(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        return grad


with torch.no_grad():
    y = Id.apply(torch.ones(2, requires_grad=True))
print(y)


# torch.autograd.Function: names of nodes
class My(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        return grad


y = My.apply(torch.ones(2, requires_grad=True))
print(y, y.grad_fn.name(), type(y.grad_fn).__name__)

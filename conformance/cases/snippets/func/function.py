# torch.autograd.Function: a Function under grad
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * grad


x = torch.tensor([1.0, 2.0])
out = torch.func.grad(lambda x: Cube.apply(x).sum())(x)
twice = torch.func.grad(lambda x: torch.func.grad(lambda x: Cube.apply(x).sum())(x).sum())(x)
jac = torch.func.jacrev(torch.func.grad(lambda x: Cube.apply(x).sum()))


# torch.func.grad: its node under grad
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(x):
        print(x)
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        print(inputs, output)
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * grad


def f(x):
    y = Cube.apply(x)
    print(y, y.grad_fn.name())
    return y.sum()


out = torch.func.grad(f)(torch.tensor([1.0, 2.0]))


# torch.autograd.Function: a Function without setup_context
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x**3


torch.func.grad(lambda x: Cube.apply(x).sum())(torch.ones(2))


# torch.vmap: a Function without a rule under vmap
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass


torch.vmap(Cube.apply)(torch.ones(2))


# torch.vmap: a Function with two rules under vmap
class Cube(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def vmap(info, in_dims, x):
        return Cube.apply(x), in_dims[0]


torch.vmap(Cube.apply)(torch.ones(2))


# torch.autograd.Function: a Function with a generated rule
class Product(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(a, b, scale):
        return a * b * scale

    @staticmethod
    def setup_context(ctx, inputs, output):
        a, b, ctx.scale = inputs
        ctx.save_for_backward(a, b)

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return grad * b * ctx.scale, grad * a * ctx.scale, None


a, b = torch.arange(6.0).reshape(2, 3), torch.ones(3)
out = torch.vmap(Product.apply, in_dims=(0, None, None))(a, b, 2.0)
each = torch.vmap(torch.func.grad(lambda a: Product.apply(a, b, 2.0).sum()))(a)
first, second = torch.func.grad(
    lambda a, b: torch.vmap(Product.apply, in_dims=(0, None, None))(a, b, 2.0).sum(), argnums=(0, 1)
)(a, b)


# torch.autograd.Function: a Function with a generated rule, and ordinary autograd
class Square(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        return 2 * ctx.saved_tensors[0] * grad


x = torch.arange(6.0).reshape(2, 3).requires_grad_()
out = torch.vmap(Square.apply)(x)
print(out.grad_fn.name())
out.sum().backward()
g = x.grad


# torch.autograd.Function: a Function with several outputs and a generated rule
class Both(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x.sin(), x.sum()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, g, h):
        return ctx.saved_tensors[0].cos() * g + h


x = torch.arange(6.0).reshape(2, 3)
out = torch.vmap(Both.apply, in_dims=1)(x)
each = torch.vmap(torch.func.grad(lambda x: Both.apply(x)[0].sum() * Both.apply(x)[1]))(x)


# torch.autograd.Function: a Function with a rule of its own
class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(x, y):
        return x * y

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return grad * y, grad * x

    @staticmethod
    def vmap(info, in_dims, x, y):
        print(info.batch_size, info.randomness, in_dims, x.shape, y.shape)
        x = x.movedim(in_dims[0], 0) if in_dims[0] is not None else x.unsqueeze(0)
        y = y.movedim(in_dims[1], 0) if in_dims[1] is not None else y.unsqueeze(0)
        return Scaled.apply(x, y), 0


a, b = torch.arange(6.0).reshape(2, 3), torch.ones(2)
out = torch.vmap(Scaled.apply, in_dims=(1, None))(a, b)
both = torch.vmap(Scaled.apply)(a, a)
each = torch.vmap(torch.func.grad(lambda a: Scaled.apply(a, a).sum()))(a)


# torch.vmap: a rule that returns one thing
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def vmap(info, in_dims, x):
        return x


torch.vmap(Wrong.apply)(torch.ones(2))


# torch.vmap: a rule that returns three things
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def vmap(info, in_dims, x):
        return x, 0, 0


torch.vmap(Wrong.apply)(torch.ones(2))


# torch.vmap: a rule whose dimensions do not fit
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * 1

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def vmap(info, in_dims, x):
        return x, (0, 0)


torch.vmap(Wrong.apply)(torch.ones(2))


# torch.autograd.Function: a Function with a jvp
class Sin(torch.autograd.Function):
    generate_vmap_rule = True

    @staticmethod
    def forward(x):
        return x.sin()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        return ctx.saved_tensors[0].cos() * grad

    @staticmethod
    def jvp(ctx, tangent):
        return ctx.saved_tensors[0].cos() * tangent


x, t = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.5])
out, product = torch.func.jvp(Sin.apply, (x,), (t,))
jac, hess = torch.func.jacfwd(Sin.apply)(x), torch.func.hessian(lambda x: Sin.apply(x).sum())(x)


# torch.autograd.Function: a Function without a jvp
class Sin(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x.sin()

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass


torch.func.jvp(Sin.apply, (torch.ones(2),), (torch.ones(2),))

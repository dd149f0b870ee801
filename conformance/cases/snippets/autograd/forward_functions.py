# torch.autograd.Function: a Function with jvp
fwd = torch.autograd.forward_ad


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y, k):
        ctx.save_for_forward(x, y)
        ctx.k = k
        print(fwd.unpack_dual(x).tangent, fwd._is_fwd_grad_enabled())
        return x * y * k

    @staticmethod
    def jvp(ctx, x_t, y_t, k_t):
        x, y = ctx.saved_tensors
        print(
            x_t,
            y_t,
            k_t,
            fwd.unpack_dual(x).tangent,
            torch.is_grad_enabled(),
            fwd._is_fwd_grad_enabled(),
        )
        return (x_t * y + x * y_t) * ctx.k


with fwd.dual_level():
    dual = fwd.make_dual(torch.tensor([1.0, 2.0]), torch.ones(2))
    print(Product.apply(dual, torch.ones(2), 3))
    print(Product.apply(dual, dual, 3))
    print(Product.apply(torch.ones(2), torch.ones(2), 3))


# torch.autograd.Function: a Function without jvp
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2


with torch.autograd.forward_ad.dual_level():
    Double.apply(torch.autograd.forward_ad.make_dual(torch.ones(2), torch.ones(2)))


# torch.autograd.forward_ad.dual_level: a jvp that does not materialize
class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.set_materialize_grads(False)
        return x + y

    @staticmethod
    def jvp(ctx, x_t, y_t):
        print(x_t, y_t)
        return x_t


with torch.autograd.forward_ad.dual_level():
    print(
        Both.apply(torch.autograd.forward_ad.make_dual(torch.ones(2), torch.ones(2)), torch.ones(2))
    )


# torch.autograd.forward_ad.dual_level: a jvp of several outputs, one not differentiable
class Parts(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        mask = x > 0
        fixed = x * 0
        ctx.mark_non_differentiable(fixed)
        return x * mask, mask, fixed, 7

    @staticmethod
    def jvp(ctx, x_t):
        return x_t * 2, None, None, None


with torch.autograd.forward_ad.dual_level():
    print(
        Parts.apply(torch.autograd.forward_ad.make_dual(torch.tensor([1.0, -1.0]), torch.ones(2)))
    )


# torch.autograd.forward_ad.dual_level: a jvp that gives too many
class Many(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def jvp(ctx, x_t):
        return x_t, x_t


with torch.autograd.forward_ad.dual_level():
    Many.apply(torch.autograd.forward_ad.make_dual(torch.ones(2), torch.ones(2)))


# torch.autograd.forward_ad.dual_level: a jvp that gives no tensor
class Number(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def jvp(ctx, x_t):
        return 3


with torch.autograd.forward_ad.dual_level():
    Number.apply(torch.autograd.forward_ad.make_dual(torch.ones(2), torch.ones(2)))


# torch.autograd.forward_ad.dual_level: a jvp that gives a tangent of what has none
class Fixed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * 2
        ctx.mark_non_differentiable(y)
        return y

    @staticmethod
    def jvp(ctx, x_t):
        return x_t


with torch.autograd.forward_ad.dual_level():
    Fixed.apply(torch.autograd.forward_ad.make_dual(torch.ones(2), torch.ones(2)))


# torch.autograd.Function: a Function that writes its input, and its jvp the tangent
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def jvp(ctx, x_t):
        return x_t.mul_(2)


with torch.autograd.forward_ad.dual_level():
    dual = torch.autograd.forward_ad.make_dual(torch.ones(2), torch.ones(2))
    print(Twice.apply(dual) is dual, dual)


# torch.autograd.forward_ad.dual_level: and one whose jvp does not
class TwiceAside(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def jvp(ctx, x_t):
        return x_t * 2


with torch.autograd.forward_ad.dual_level():
    TwiceAside.apply(torch.autograd.forward_ad.make_dual(torch.ones(2), torch.ones(2)))


# torch.autograd.Function: a Function that gives a view, and its jvp one of the tangent
class Seen(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def jvp(ctx, x_t):
        return x_t.view_as(x_t)


with torch.autograd.forward_ad.dual_level():
    print(Seen.apply(torch.autograd.forward_ad.make_dual(torch.ones(2), torch.ones(2))))


# Tensor.view_as: and one whose jvp gives a copy
class SeenAside(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def jvp(ctx, x_t):
        return x_t.clone()


with torch.autograd.forward_ad.dual_level():
    SeenAside.apply(torch.autograd.forward_ad.make_dual(torch.ones(2), torch.ones(2)))


# torch.autograd.Function: a Function with setup_context and both modes
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x**2

    @staticmethod
    def jvp(ctx, x_t):
        (x,) = ctx.saved_tensors
        return x_t * 3 * x**2


fwd = torch.autograd.forward_ad
x = torch.tensor([1.0, 2.0], requires_grad=True)
with fwd.dual_level():
    y = Cube.apply(fwd.make_dual(x, torch.ones(2)))
    print(y)
    (g,) = torch.autograd.grad(y.sum(), x)
    print(g)


# save_for_forward takes tensors
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_forward(x, 3)
        return x


Wrong.apply(torch.ones(2))

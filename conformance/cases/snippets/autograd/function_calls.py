# torch.autograd.Function: arguments that are no tensors, in any place
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, x, text, y=None, *rest):
        print(a, text, y, rest, ctx.needs_input_grad)
        ctx.a = a
        return x * a

    @staticmethod
    def backward(ctx, grad):
        return (None, grad * ctx.a, None, None, None)[: len(ctx.needs_input_grad)]


x = torch.ones(2, requires_grad=True)
Scale.apply(3, x, "text").sum().backward()
Scale.apply(3, x, {"a": 1}, torch.ones(1)).sum().backward()
Scale.apply(3, x, None, None, [x]).sum().backward()


# torch.autograd.Function: keyword arguments
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None


x = torch.ones(2, requires_grad=True)
try:
    print(Scale.apply(x, factor=3))
except TypeError as error:
    print(error)
Scale.apply(x=x, factor=3).sum().backward()


# torch.autograd.Function: keyword arguments and defaults with setup_context
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(x, factor=2, offset=1):
        return x * factor + offset

    @staticmethod
    def setup_context(ctx, inputs, output):
        print(inputs, output)
        _, ctx.factor, _ = inputs

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None, None


x = torch.ones(2, requires_grad=True)
Scale.apply(x).sum().backward()
Scale.apply(x, 5).sum().backward()
try:
    print(Scale.apply(x, offset=5))
except TypeError as error:
    print(error)
try:
    Scale.apply(x, nothing=5)
except TypeError as error:
    print(error)
Scale.apply()


# Tensor._is_view: an input that is returned as it is
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 3


x = torch.ones(2, requires_grad=True)
y = Same.apply(x)
print(y is x, y._is_view(), y.data_ptr() == x.data_ptr(), y._base is x)
z = Same.apply(x * 2)
print(z._is_view(), z.grad_fn)
(y + z).sum().backward()
w = Same.apply(torch.ones(2))
print(w.requires_grad, w._is_view())
with torch.no_grad():
    v = Same.apply(x)
print(v is x, v.requires_grad, v.grad_fn, v._is_view())


# Tensor.mul_: an input that is returned as it is, then written
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad * 3


x = torch.ones(2, requires_grad=True)
Same.apply(x * 1).mul_(2)


# torch.autograd.Function: an input that is returned as it is, and saved, with setup_context
class Same(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])

    @staticmethod
    def backward(ctx, grad):
        return grad * 3


x = torch.ones(2, requires_grad=True)
Same.apply(x)


# Tensor._is_view: a view of an input
class View(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view(-1)

    @staticmethod
    def backward(ctx, grad):
        return grad.view(2, 1) * 3


x = torch.ones(2, 1, requires_grad=True)
y = x * 1
z = View.apply(y)
print(z._is_view(), z._base is y, z.grad_fn)
z.sum().backward()
z.mul_(2)


# Tensor.view: a view of an input, whose base is written
class View(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view(-1)

    @staticmethod
    def backward(ctx, grad):
        return grad.view(2, 1) * 3


x = torch.ones(2, 1, requires_grad=True)
y = x * 1
z = View.apply(y)
y.mul_(2)
print(z)


# torch.stack: two views of an input
class Views(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x[0], x[1]

    @staticmethod
    def backward(ctx, a, b):
        return torch.stack([a, b])


x = torch.ones(2, 2, requires_grad=True)
a, b = Views.apply(x * 1)
(a * b).sum().backward()
a.mul_(2)


# Tensor.mul_: an input that was written
class Write(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.mark_dirty(x)
        return x.mul_(y), y * 2

    @staticmethod
    def backward(ctx, a, b):
        return a * 2, b * 2


x = torch.ones(2, requires_grad=True)
y = x * 3
before = y.grad_fn
z, w = Write.apply(y, torch.tensor([2.0, 3.0], requires_grad=True))
print(
    z is y,
    y._version,
    y.grad_fn is z.grad_fn,
    y.output_nr,
    z.grad_fn.next_functions[0][0] is before,
)
(z + w).sum().backward()
before = 0


# Tensor.mul_: a leaf that was written
class Write(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


x = torch.ones(2, requires_grad=True)
Write.apply(x)


# Tensor.mul_: a tensor without gradient that was written
class Write(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.mark_dirty(x)
        return x.mul_(y)

    @staticmethod
    def backward(ctx, grad):
        return grad * 2, grad


x = torch.ones(2)
y = torch.ones(2, requires_grad=True)
z = Write.apply(x, y)
print(z is x, x.requires_grad, x.grad_fn)
z.sum().backward()
w = Write.apply(torch.ones(2), torch.ones(2))
with torch.no_grad():
    v = torch.ones(2, requires_grad=True) * 1
    u = Write.apply(v, y)


# Tensor.mul_: a view that was written
class Write(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


x = torch.ones(3, requires_grad=True)
y = x * 3
z = Write.apply(y[:2])
print(z.grad_fn, y.grad_fn, y.grad_fn.next_functions)
(y * y).sum().backward()


# Tensor.mul_: a view that was written, of two arguments
class Write(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w, x):
        ctx.mark_dirty(x)
        return x.mul_(w)

    @staticmethod
    def backward(ctx, grad):
        return grad * 5, grad * 2


x = torch.ones(3, requires_grad=True)
w = torch.ones(2, requires_grad=True)
y = x * 3
z = Write.apply(w, y[:2])
(y * y).sum().backward()


# Tensor.mul_: a view that was written, and another output
class Write(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2), x * 2

    @staticmethod
    def backward(ctx, a, b):
        return a


x = torch.ones(3, requires_grad=True)
Write.apply((x * 3)[:2])


# Tensor.mul_: a tensor that was written and is not returned
class Write(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2) + 1


Write.apply(torch.ones(3, requires_grad=True) * 1)


# torch.autograd.Function: a tensor that is marked as written and is no input
class Write(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * 2
        ctx.mark_dirty(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


x = torch.ones(3, requires_grad=True)
Write.apply(x).sum().backward()


# torch.autograd.Function: something else that is marked as written
class Write(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(3)
        return x * 2


Write.apply(torch.ones(3, requires_grad=True))


# torch.autograd.Function: something else that is marked as not differentiable
class Mark(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_non_differentiable(3)
        return x * 2


Mark.apply(torch.ones(3, requires_grad=True))


# torch.autograd.Function: all outputs are not differentiable
class Mark(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * 2
        ctx.mark_non_differentiable(y)
        return y


y = Mark.apply(torch.ones(3, requires_grad=True))
print(y.requires_grad, y.grad_fn)


# torch.autograd.Function: an input that is not differentiable
class Mark(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.mark_non_differentiable(x)
        return x, y * 2

    @staticmethod
    def backward(ctx, a, b):
        print(a, b)
        return None, b


x = torch.ones(3, requires_grad=True)
y = torch.ones(3, requires_grad=True)
a, b = Mark.apply(x, y)
print(a is x, a.requires_grad, b.grad_fn)
b.sum().backward()


# torch.autograd.Function: outputs of integers have no gradient
class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2, x.long()

    @staticmethod
    def backward(ctx, a, b):
        print(a, b)
        return a


x = torch.ones(3, requires_grad=True)
a, b = Both.apply(x)
print(a.grad_fn, b.grad_fn, b.requires_grad)
a.sum().backward()


# torch.autograd.Function: outputs that are no tensors
class Strange(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, what):
        return what(x)

    @staticmethod
    def backward(ctx, *grads):
        print(grads)
        return grads[0], None


x = torch.ones(3, requires_grad=True)
print(Strange.apply(x, lambda x: None))
print(Strange.apply(x, lambda x: [x * 2, x * 3]))
print(Strange.apply(x, lambda x: {"a": x * 2}))
print(Strange.apply(x, lambda x: ()))
a, b = Strange.apply(x, lambda x: (x * 2, 5))
print(a, b)
a.sum().backward()
(c,) = Strange.apply(x, lambda x: (x * 2,))


# torch.autograd.Function: the same tensor twice among the outputs
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * 2
        return y, y

    @staticmethod
    def backward(ctx, a, b):
        print(a, b)
        return a * 2 + b * 20


x = torch.ones(3, requires_grad=True)
a, b = Same.apply(x)
print(a is b, a.output_nr, b.output_nr)
(a + b * 2).sum().backward()


# Tensor.mul_: a tensor that was written, and is returned twice
class Write(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.mark_dirty(x)
        x.mul_(2)
        ctx.save_for_backward(x)
        return x, y * 2, x

    @staticmethod
    def backward(ctx, a, b, c):
        print(a, b, c, ctx.saved_tensors)
        return a, b


x = torch.ones(2, requires_grad=True) * 1
y = torch.ones(2, requires_grad=True)
a, b, c = Write.apply(x, y)
print(a is c, a._version, a.output_nr)
(a + b).sum().backward(retain_graph=True)
a.mul_(2)
a.sum().backward()


# Tensor.mul_: a leaf that was written and is marked as not differentiable
class Write(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        ctx.mark_non_differentiable(x)
        return x.mul_(2)


x = torch.ones(2, requires_grad=True)
y = Write.apply(x)
print(y is x, y.requires_grad, y._version, x._version)


# Tensor.mul_: a view of an input that was written within forward
class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        y = x[:2]
        return y, x.mul_(2)

    @staticmethod
    def backward(ctx, a, b):
        print(a, b)
        return b


x = torch.ones(3, requires_grad=True) * 1
a, b = Both.apply(x)
print(a.grad_fn, a._version, b is x)
b.sum().backward(retain_graph=True)
with torch.no_grad():
    c, d = Both.apply(torch.ones(3, requires_grad=True) * 1)
print(d.grad_fn)
c.grad_fn


# torch.autograd.Function: an input without gradient that is returned as it is, and saved, with setup_context
class Same(torch.autograd.Function):
    @staticmethod
    def forward(x, y):
        return x, y * 2

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0])


Same.apply(torch.ones(2), torch.ones(2, requires_grad=True))


# Tensor.backward: a backward whose gradients are refused may run again
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        print(ctx.saved_tensors)
        return grad, grad


x = torch.ones(2, requires_grad=True)
y = Wrong.apply(x)
for _ in range(2):
    try:
        y.sum().backward()
    except RuntimeError as error:
        print(error)

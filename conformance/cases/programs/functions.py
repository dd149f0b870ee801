"""Definitions that programs may need in front of them: a log for hooks, custom Functions."""

NEEDED = {
    "deepcopy": "from copy import deepcopy",
    "note": """
log = []


def note(label, *grads):
    log.append((label, [None if grad is None else grad.detach().clone() for grad in grads]))
""",
    "twice": """
def twice(x):
    return None if x is None else x * 2
""",
    "half": """
def half(x):
    return None if x is None else x * 0.5
""",
    "Scale": """
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None
""",
    "Product": """
class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        note("needs " + str(ctx.needs_input_grad), grad)
        return (grad * y).sum_to_size(x.shape), (grad * x).sum_to_size(y.shape)
""",
    "Exponential": """
class Exponential(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * y
""",
    "Pair": """
class Pair(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x + 1

    @staticmethod
    def backward(ctx, first, second):
        note("pair", first, second)
        if first is None:
            return second
        return first * 2 if second is None else first * 2 + second
""",
    "Halves": """
class Halves(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y, z = x * 0.5, x > 0
        ctx.mark_non_differentiable(z)
        return y, z

    @staticmethod
    def backward(ctx, grad, _):
        note("halves", grad, _)
        return grad * 0.5
""",
    "Shift": """
class Shift(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        x.add_(1)
        return x

    @staticmethod
    def backward(ctx, grad):
        note("shift", grad)
        return grad
""",
    "Same": """
class Same(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, grad):
        note("same", grad)
        return grad * 1
""",
    "Turn": """
class Turn(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return -grad
""",
    "Cube": """
class Cube(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * x * x, x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        cube, square = output
        ctx.save_for_backward(square)
        ctx.mark_non_differentiable(square)

    @staticmethod
    def backward(ctx, grad, _):
        (square,) = ctx.saved_tensors
        return grad * square * 3
""",
    "Swap": """
class Swap(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return y * 1, x * 2

    @staticmethod
    def backward(ctx, first, second):
        note("swap", first, second)
        return second * 2, first
""",
    "Raised": """
class Raised(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x.add_(1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.mark_dirty(*inputs)

    @staticmethod
    def backward(ctx, grad):
        return grad.clone().mul_(0.5)
""",
    "Generous": """
class Generous(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad, grad
""",
    "Forgetful": """
class Forgetful(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x + y

    @staticmethod
    def backward(ctx, grad):
        return grad, None
""",
    "Silent": """
class Silent(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(None, y)
        return x + y

    @staticmethod
    def backward(ctx, grad):
        nothing, y = ctx.saved_tensors
        note("silent", nothing, grad)
        return None, (grad if ctx.needs_input_grad[1] else None)
""",
    "Ends": """
class Ends(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.shape = x.shape
        return x[:1], x[1:]

    @staticmethod
    def backward(ctx, first, rest):
        note("ends", first, rest)
        return torch.cat([first, rest * 2])
""",
    "Both": """
class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        x.mul_(2)
        y.add_(x)
        ctx.mark_dirty(x, y)
        return x, y

    @staticmethod
    def backward(ctx, first, second):
        note("both", first, second)
        return first * 2 + second * 2, second
""",
}
NEEDED = {name: text.lstrip() + "\n\n" for name, text in NEEDED.items()}

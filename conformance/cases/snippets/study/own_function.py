import torch


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        square = x * x
        ctx.save_for_backward(x, square)
        ctx.power = 3
        return square * x

    @staticmethod
    def backward(ctx, grad):
        x, square = ctx.saved_tensors
        return grad * ctx.power * square


a = torch.tensor([1.0, 2.0], requires_grad=True)
for scale in (1.0, 2.0):
    out = Cube.apply(a * scale)
    out.sum().backward()
print(a.grad.tolist())

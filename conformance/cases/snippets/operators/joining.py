# Tensor.repeat_interleave: a scalar has no dimension to repeat along
torch.ones(()).repeat_interleave(2, 0)

# torch.cat: a root whose .data has another shape than its node
a = torch.tensor([-3.0, -2.75]).requires_grad_()
b = torch.cat([a, a])
b.data = torch.tensor(2.0)
c = torch.autograd.grad(b, a)
b.data = torch.ones(3, 4)
b.backward(torch.ones(3, 4))

# Tensor.repeat_interleave: a number has no dimension to repeat along
a = torch.tensor(2.0)
b = a.repeat_interleave(2)
b = a.repeat_interleave(2, 0)
b = a.repeat_interleave(torch.tensor([2]), 0)

# torch.block_diag: a matrix beside a number of another dtype in blocks
a = [torch.tensor(1.5, dtype=torch.float64), torch.tensor(2), torch.tensor(1j)]
b = [torch.block_diag(torch.ones(2, 1), each) for each in a]
c = torch.block_diag(*a[:2])

# torch.cat: a gradient with a history has the sizes that its leaf has got
a = torch.zeros((1, 3), requires_grad=True)
b = torch.cat([a, a, a])
a.data = b.detach()
b.backward(torch.ones(3, 3), create_graph=True)

# Tensor.repeat_interleave: what was written in place has a history of its own dtype
a = torch.eye(3, dtype=torch.float16)
b = torch.tensor([2.0], requires_grad=True)
a.div_(b)
c = a.repeat_interleave(2, 0)
(d,) = torch.autograd.grad(c, a, torch.ones_like(c))


# torch.stack: sums of rows and columns to the last bit
def shown(x):
    return x.double().tolist()


for shape in (
    (3, 5),
    (5, 3),
    (16, 32),
    (20, 4),
    (32, 8),
    (12, 3),
    (40, 10),
    (9, 40),
    (70, 33),
    (300, 2),
    (2, 300),
):
    x = torch.rand(shape)
    bias = torch.zeros(shape[1], requires_grad=True)
    (x + bias).backward(x)
    print(
        shape,
        shown(x.sum(0)),
        shown(x.sum(1)),
        shown(x.t().contiguous().t().sum(0)),
        shown(bias.grad),
    )
    print(
        shown(x.double().sum(0)),
        shown(torch.stack([x, x * 2], 1).sum((0, 1))),
        shown(torch.stack([x, x * 2]).sum((0, 2))),
    )

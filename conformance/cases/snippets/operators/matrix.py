# torch.addmm: truths have a product where there is nothing to compute
a = torch.zeros((2, 0), dtype=torch.bool)
b = a @ a.t()
c = a @ a[0]
d = a.t() @ b[0]
e = torch.addmm(b, a, a.t())
f = torch.bmm(a[None], a.t()[None])

# torch.mv: a matrix by which nothing can be multiplied
a = torch.mv(torch.ones(()), torch.ones(3))

# Tensor.mm: an empty matrix may lie column by column
a = torch.zeros((1, 0), requires_grad=True)
b = (a * 1).mm(torch.zeros(0, 2))
(c,) = torch.autograd.grad(b, a, torch.ones(1, 2), create_graph=True)

# Tensor.tolist: biases of batches of many sizes
torch.manual_seed(3)
for rows in (8, 16, 32, 48, 64, 96, 256, 272):
    for outputs in (8, 32, 64, 96, 128):
        layer = nn.Linear(3, outputs)
        (layer(torch.randn(rows, 3)) * torch.randn(rows, outputs)).sum().backward()
        x = torch.randn(rows, outputs, dtype=torch.float64)
        print(rows, outputs, layer.bias.grad[:2].tolist(), x.sum(0)[:2].tolist())

# torch.bmm: batches of matrices of two dtypes
for n in (1, 5, 20):
    for first in (torch.float32, torch.float64, torch.int64, torch.bool, torch.bfloat16):
        for second in (torch.float32, torch.float64, torch.int64, torch.bool, torch.bfloat16):
            try:
                out = torch.bmm(torch.ones(1, n, n, dtype=first), torch.ones(1, n, 3, dtype=second))
                print(n, out.dtype, out.shape)
            except RuntimeError as error:
                print(n, error)

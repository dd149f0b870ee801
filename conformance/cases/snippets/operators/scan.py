# Tensor.cumsum_: truth values are not summed up as such
a = torch.tensor([True, False])
a.cumsum_(0)
a.cumprod(0, dtype=torch.bool)

# torch.logcumsumexp: the newer of two numbers with equal real parts is the one around which a logarithm adds
a = torch.tensor([2.25 + 4.5j, 2.25 - 0.5j])
b = torch.logcumsumexp(a, 0)
c = torch.logcumsumexp(torch.tensor([complex("nan"), complex("-inf"), 1, complex("inf"), 2j]), 0)
d = torch.logcumsumexp(
    torch.tensor([complex("-inf-2j"), complex("-inf"), 1, complex("inf"), 2j]), 0
)

# Tensor.cummin: the sign of zero in what was accumulated
zeros = torch.tensor([-0.0, 0.0, -0.0])
print(zeros.cummax(0), zeros.cummin(0))
print(
    torch.tensor([1.0, 0.0, -0.0, 0.0, -0.0, 2.0]).cummin(0),
    torch.tensor([-1.0, -0.0, 0.0, -0.0, 0.0]).cummax(0),
)
print(torch.tensor([1.0, -0.0, 0.0]).cummin(0), torch.tensor([-1.0, 0.0, -0.0]).cummax(0))
for n in (1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 40, 63, 64, 65, 100, 128, 129, 520, 600):
    for dtype in (torch.float32, torch.float64, torch.complex64):
        minus = torch.full((n,), -0.0, dtype=dtype)
        print(
            minus.sum(), torch.stack([minus, minus]).sum(1), torch.stack([minus, minus], 1).sum(0)
        )

# torch.cummin: running extremes of zeros and of what is no number
zeros = torch.tensor(
    [[-0.0, 0.0, -0.0], [3.0, -0.0, 0.0], [torch.nan, 0.0, -0.0], [0.0, 1.0, -1.0]]
)
for x in (zeros, zeros.t(), zeros[0], zeros[1:2], torch.tensor([True, False, True])):
    for dim in range(x.dim()):
        print(torch.cummax(x, dim), torch.cummin(x, dim))
        print(torch.cummax(x, dim).values.float().signbit(), torch.cummin(x, dim).values.signbit())

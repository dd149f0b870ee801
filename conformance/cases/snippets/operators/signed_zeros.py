# torch.erfinv: keeps the sign of zero
signs = [
    torch.signbit(torch.erfinv(torch.tensor([-0.0, 0.0], dtype=d)))
    for d in (torch.float32, torch.float64, torch.bfloat16)
]

# torch.fmax: which of two zeros comes out, over dtypes and strides
found = []
for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
    for n in (1, 7, 33):
        a, b = torch.full((2 * n,), -0.0, dtype=dtype), torch.zeros(2 * n, dtype=dtype)
        for call in (torch.fmax, torch.fmin):
            found += [torch.signbit(call(a, b)), torch.signbit(call(b[::2], a[::2]))]

# torch.scatter_reduce: amax and amin keep the zero that was there
x = torch.zeros(4).scatter_reduce(0, torch.arange(4), torch.full((4,), -0.0), "amax")
y = torch.full((4,), -0.0).scatter_reduce(0, torch.arange(4), torch.zeros(4), "amin")
signs = torch.signbit(torch.stack([x, y]))

# torch.histc: huge numbers, whose range overflows or is empty
counts = [
    torch.histc(torch.tensor(v), 4) for v in ([1e38, -1e38], [1e38, 1e38], [-1e20], [3e38, -1e37])
]
bounded = torch.histc(torch.tensor([0.0, 1e30]), 4, -1e38, 1e38)

# torch.histogram: huge numbers, whose range overflows or is empty
counts = [torch.histogram(torch.tensor(v), 4)[0] for v in ([1e38, -1e38], [1e38, 1e38], [-1e20])]
table = torch.histogramdd(torch.tensor([[1e38, 0.0], [-1e38, 1.0]]), [2, 2])[0]

# slopes of whole numbers, whatever the spacing is written as
numbers = torch.tensor([[1, 4, 6, 7], [12, 100, 3, 5], [2, 2, 9, 8]])
slopes = []
for dtype in (torch.int8, torch.int16, torch.int32, torch.int64):
    x = numbers.to(dtype)
    for spacing in (1, 2, 3, 2.5, (2, 3), [torch.tensor([0, 2, 5]), torch.tensor([0, 1, 4, 5])]):
        for order in (1, 2):
            slopes.append(torch.gradient(x, spacing=spacing, edge_order=order))
    slopes.append(torch.gradient(x, spacing=3, dim=1))

# every bit of numbers in equal steps
bits = []
for start, end, step in ((0, 5, 0.1), (1e-3, 7, 0.3), (-3.7, 4, 1 / 7), (9, -9, -0.7)):
    bits.append(torch.arange(start, end, step, dtype=torch.float64).view(torch.int64))
    bits.append(torch.arange(start, end, step, dtype=torch.float32).view(torch.int32))
    for count in (17, 40, 129):
        bits.append(torch.linspace(start, end, count, dtype=torch.float64).view(torch.int64))
        bits.append(torch.linspace(start, end, count, dtype=torch.float32).view(torch.int32))

# what lies behind the ends of sequences is not looked at
torch.manual_seed(3)
scores = torch.randn(7, 3, 4, dtype=torch.float64).log_softmax(2)
losses, rates = [], []
for outside in (0.0, -1e300, torch.inf, torch.nan):
    x = scores.clone()
    x[5:, 0] = outside
    x[4:, 1] = outside
    x.requires_grad_()
    loss = F.ctc_loss(x, torch.tensor([[1, 2], [3, 3], [2, 1]]), (5, 4, 7), (2, 2, 1))
    losses.append(loss)
    rates.append(torch.autograd.grad(loss, x)[0][:4])
del x, loss, scores

# storage of more bytes than can be counted
for sizes, strides, dtype in (
    ((2,), (2**60,), torch.float64),
    ((2,), (2**61,), torch.float32),
    ((3, 2), (2**60, 1), torch.float32),
    ((2,), (2**62,), torch.int16),
    ((2**62,), (1,), torch.int16),
    ((2,), (2**63 - 1,), torch.uint8),
):
    try:
        torch.empty_strided(sizes, strides, dtype=dtype)
    except Exception as error:
        print(type(error).__name__, error)

# tables whose rows are tiny
table = torch.tensor([[3e-8, 4e-8], [3e-7, -4e-7], [3e-6, 4e-6], [3.0, 4.0]])
for most in (1e-8, 2e-7, 1e-6):
    each = table.clone()
    F.embedding(torch.tensor([0, 1, 2]), each, max_norm=most)
    wide = table.double()
    torch.embedding_renorm_(wide, torch.tensor([[0, 2], [3, 3]]), most, 1.0)
    print([float(f"{x:.5g}") for x in (each.flatten().tolist() + wide.flatten().tolist())])
del table, each, wide

# neighbours of numbers, as bits
ends = [
    1.0,
    -2,
    0,
    -0.0,
    65504,
    -65504,
    6e-5,
    6e-8,
    9.1e-41,
    1e-3,
    torch.inf,
    -torch.inf,
    torch.nan,
]
whole = {torch.float64: torch.int64, torch.float32: torch.int32}
beside = []
for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
    x = torch.tensor(ends, dtype=torch.float64).to(dtype)
    limit = torch.finfo(dtype).max
    x = torch.cat((x, torch.tensor([limit, -limit, torch.finfo(dtype).tiny], dtype=dtype)))
    found = torch.nextafter(x[:, None], x).nan_to_num(7.0)
    written = x.clone().nextafter_(x.flip(0)).nan_to_num(7.0)
    for each in (
        found,
        written,
        torch.nextafter(x, torch.tensor(2.0, dtype=dtype)).nan_to_num(7.0),
    ):
        beside.append(each.view(whole.get(dtype, torch.int16)))
del x, found, written, each

# powers of two by exponents of a dtype of their own
x = torch.linspace(-3, 3, 7)
exponents = torch.linspace(-4.3, 4.7, 7)
whole = {torch.float16: torch.int16, torch.bfloat16: torch.int16, torch.float32: torch.int32}
scaled = []
for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.int32):
    for other in (torch.float16, torch.bfloat16, torch.int8, torch.int64):
        found = torch.ldexp(x.to(dtype), exponents.to(other))
        scaled.append(found.view(whole[found.dtype]))
del x, exponents, found

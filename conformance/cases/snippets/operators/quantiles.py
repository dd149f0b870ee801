# torch.gradient: slopes of whole numbers, whatever the spacing is written as
numbers = torch.tensor([[1, 4, 6, 7], [12, 100, 3, 5], [2, 2, 9, 8]])
slopes = []
for dtype in (torch.int8, torch.int16, torch.int32, torch.int64):
    x = numbers.to(dtype)
    for spacing in (1, 2, 3, 2.5, (2, 3), [torch.tensor([0, 2, 5]), torch.tensor([0, 1, 4, 5])]):
        for order in (1, 2):
            slopes.append(torch.gradient(x, spacing=spacing, edge_order=order))
    slopes.append(torch.gradient(x, spacing=3, dim=1))

# torch.diff: differences of differences, written into a tensor
x = torch.tensor([1.0, 4.0, 2.0, 9.0, 3.0])
for n in (1, 2, 3, 5, 7):
    out = torch.empty(0)
    print(torch.diff(x, n=n, out=out) is out, out)

# Tensor.quantile: nothing that is standardised, and numbers that are missing
n, w = torch.ones(0, 3, requires_grad=True), torch.tensor([2.0, 3.0, 4.0], requires_grad=True)
y = F.batch_norm(n, torch.zeros(3), torch.ones(3), w, w)
y.sum().backward()
x = torch.tensor([[1.0, torch.nan, 3.0, 2.0], [4.0, 1.0, 0.5, 2.5]])
a = (
    x.quantile(0.3, 1),
    x.nanquantile(0.3, 1),
    x.quantile(0.3),
    x.nanquantile(torch.tensor([0.1, 0.9]), 0),
)
leaf = torch.ones(3, requires_grad=True)
for written in (
    (leaf * 1).fill_(3),
    (leaf * 1).fill_(torch.tensor(2.0)),
    (leaf * 1).zero_(),
    torch.fill(leaf, 4),
):
    leaf.grad = None
    written.sum().backward()
    print(written.grad_fn, leaf.grad)

# torch.cov: quotients and weights out of range
x = torch.arange(6.0)
for q in ([0.5, 1.5], [-0.5, 0.5], [0.0, 1.0], [torch.nan, 0.5], [1.0, 1.0 + 1e-6]):
    for function in (torch.quantile, torch.nanquantile):
        try:
            print(function(x, torch.tensor(q)))
        except RuntimeError as error:
            print(error)
x = torch.arange(8.0).reshape(2, 4) ** 2
for weights in ([1, -1, 2, 3], [0, 0, 0, 0], [1, 0, 0, 0], [-1, -1, -1, -1]):
    for given in (
        {"fweights": torch.tensor(weights)},
        {"aweights": torch.tensor(weights).double()},
        {"fweights": torch.tensor(weights), "correction": 0},
    ):
        try:
            print(torch.cov(x, **given))
        except RuntimeError as error:
            print(error)
for refused in (
    lambda: torch.corrcoef(torch.ones(2, 2, 2)),
    lambda: torch.cov(torch.ones(2, 2, 2)),
    lambda: torch.cov(x, fweights=torch.ones(2, 2, dtype=torch.int64)),
    lambda: torch.cov(x, fweights=torch.ones(4)),
    lambda: torch.cov(x, aweights=torch.ones(4, dtype=torch.int64)),
    lambda: torch.cov(x, aweights=torch.ones(3)),
    lambda: torch.quantile(x, torch.ones(1, 1)),
    lambda: torch.quantile(x, torch.ones(1).double()),
    lambda: torch.quantile(x.half(), 0.5),
    lambda: torch.quantile(x[:0], 0.5),
    lambda: torch.quantile(x, 0.5, interpolation="cubic"),
    lambda: torch.quantile(x, 1.5),
    lambda: torch.linalg.cross(torch.ones(2, 4), torch.ones(2, 4)),
    lambda: torch.cross(torch.ones(2, 4), torch.ones(2, 4)),
):
    try:
        print(refused())
    except RuntimeError as error:
        print(error)

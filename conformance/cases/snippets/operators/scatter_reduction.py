# Tensor.index_reduce_: operators that write in place reach what comes before an index that is out of range
i, s = torch.tensor([0, 1, 9, 2]), torch.arange(1.0, 5)
a, b, c, d, e, f, g, h = [torch.full((4,), 2.0) for _ in range(8)]
a.scatter_(0, i, s)
b.scatter_add_(0, i, s)
c.scatter_reduce_(0, i, s, "amax", include_self=False)
d.index_fill_(0, i, 5.0)
e.index_add_(0, i, s, alpha=2)
f.index_copy_(0, i, s)
g.index_reduce_(0, i, s, "mean")
h.put_(i, s, accumulate=True)
i, s = torch.tensor([0, 9, 1]), torch.arange(1.0, 10).reshape(3, 3)
a, b, c, d, e, f = [torch.full((3, 3), 2.0) for _ in range(6)]
a.index_add_(1, i, s)
b.index_add_(1, i, s, alpha=2)
c.index_reduce_(1, i, s, "prod")
d.index_fill_(1, i, 1.0)
e.scatter_(0, torch.tensor([[0, 1, 2], [1, 9, 0], [0, 0, 0]]), s)
f.index_reduce_(0, i, s, "amax", include_self=False)
g, h = torch.ones(3, 3).half(), torch.zeros(2, 2, 2)
g.scatter_(1, torch.tensor([[0, 9, 1]]), 5.0)
h.index_add_(1, torch.tensor([0, 9]), torch.ones(2, 2, 2))

# Tensor.scatter_reduce: products of scattered numbers, differentiated twice
x, s = (
    torch.tensor([1.0, 0.0, 3.0, 2.0], requires_grad=True),
    torch.tensor([2.0, 0.0, 5.0], requires_grad=True),
)
g = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
i = torch.tensor([0, 2, 2])
y = x.scatter_reduce(0, i, s, "prod")
by = torch.autograd.grad(y, (x, s), g, create_graph=True)
again = [each * 1 for each in torch.autograd.grad(by[0].sum() + by[1].sum(), (x, s, g))]

# Tensor.scatter_reduce: scattered halves
x, i = torch.arange(6.0).reshape(2, 3), torch.tensor([[0, 1, 1], [2, 0, 0]])
for dtype in (torch.bfloat16, torch.float16):
    for how in ("sum", "prod", "mean", "amax", "amin"):
        print(
            how,
            x.to(dtype).scatter_reduce(1, i, x.to(dtype) + 1, how),
            x.to(dtype).scatter_reduce(1, i, x.to(dtype) + 1, how, include_self=False),
        )

# torch.scatter_reduce: what has no derivative for one of its inputs
x, v = torch.tensor([-1.0, 0.0, 2.0]), torch.tensor([0.5, 0.25, 1.0])
for first, second in ((True, False), (False, True), (True, True)):
    a, b = x.clone().requires_grad_(first), v.clone().requires_grad_(second)
    for function in (
        torch.heaviside,
        torch.nextafter,
        lambda a, b: torch.special.gammainc(b, a.abs()),
        lambda a, b: torch.special.gammaincc(b, a.abs()),
        torch.fmod,
        torch.remainder,
        torch.hypot,
        torch.copysign,
        torch.xlogy,
        lambda a, b: torch.index_put(a, (torch.tensor([0, 1, 1]),), b),
        lambda a, b: torch.quantile(a, b),
        lambda a, b: torch.lerp(a, b, b),
        lambda a, b: torch.scatter_reduce(a, 0, torch.tensor([0, 0, 2]), b, "sum"),
        lambda a, b: torch.scatter_reduce(a, 0, torch.tensor([0, 0, 2]), b, "prod"),
        lambda a, b: torch.scatter_reduce(a, 0, torch.tensor([0, 0, 2]), b, "mean"),
        lambda a, b: torch.scatter_reduce(a, 0, torch.tensor([0, 0, 2]), b, "amax"),
        lambda a, b: torch.scatter_reduce(
            a, 0, torch.tensor([0, 0, 2]), b, "amin", include_self=False
        ),
        lambda a, b: torch.scatter(a, 0, torch.tensor([0, 2]), b),
        lambda a, b: torch.scatter_add(a, 0, torch.tensor([0, 0]), b),
        lambda a, b: torch.index_add(a, 0, torch.tensor([0, 0]), b[:2], alpha=2),
        lambda a, b: torch.index_copy(a, 0, torch.tensor([2, 0]), b[:2]),
        lambda a, b: torch.masked_scatter(a, torch.tensor([True, False, True]), b),
        lambda a, b: torch.index_fill(a, 0, torch.tensor([0, 1]), b[0]),
        lambda a, b: torch.masked_fill(a, torch.tensor([True, False, True]), b[0]),
        lambda a, b: torch.where(a > 0, a, b),
        lambda a, b: F.prelu(a, b[:1]),
        lambda a, b: torch.cdist(a[None], b[None]),
    ):
        try:
            out = function(a, b)
            grads = torch.autograd.grad(
                out.sum(), [each for each in (a, b) if each.requires_grad], allow_unused=True
            )
            print(out.grad_fn.name(), [None if g is None else g.tolist() for g in grads])
        except RuntimeError as error:
            print(str(error).splitlines()[0])
del a, b, out, grads

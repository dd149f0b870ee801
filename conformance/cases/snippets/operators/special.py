# torch.igamma: no incomplete gamma function of integers
a = torch.igamma(torch.tensor([1]), torch.tensor([1]))

# torch.ldexp: powers of two by exponents of a dtype of their own
x = torch.linspace(-3, 3, 7)
exponents = torch.linspace(-4.3, 4.7, 7)
whole = {torch.float16: torch.int16, torch.bfloat16: torch.int16, torch.float32: torch.int32}
scaled = []
for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.int32):
    for other in (torch.float16, torch.bfloat16, torch.int8, torch.int64):
        found = torch.ldexp(x.to(dtype), exponents.to(other))
        scaled.append(found.view(whole[found.dtype]))
del x, exponents, found

# torch.trapezoid: powers in columns
for x in (torch.tensor([1, 2, 3]), torch.tensor([1.5, -2.0]), torch.tensor([True, False])):
    for n in (None, 0, 1, 2, 4):
        print(torch.vander(x, n), torch.vander(x, n, increasing=True))
x = torch.tensor([1.0, 2, 4, 8])
y = torch.arange(8.0).reshape(2, 4) ** 2
print(torch.trapezoid(y, x), torch.trapezoid(y, x, dim=-1), torch.trapezoid(y.t(), x, dim=0))
print(torch.cumulative_trapezoid(y, x), torch.trapezoid(y, dx=0.5), torch.trapezoid(y[None], x))

# torch._standard_gamma_grad: derivatives of gamma samples
a = torch.tensor([0.3, 1.0, 2.5, 9.0], dtype=torch.float64, requires_grad=True)
s = torch._standard_gamma(a)
s.sum().backward()
print([round(each, 2) for each in a.grad.tolist()])
a = None
slope = torch._standard_gamma_grad(torch.ones(2, 3), torch.full((2, 3), 0.5)).stride()

# torch._standard_gamma_grad: slopes of gamma samples, in each region that has a formula
found = []
for dtype in (torch.float64, torch.float32):
    shapes = torch.tensor(
        [0.01, 0.1, 0.5, 0.9, 1, 1.5, 2, 3, 5, 7.9, 8, 8.1, 8.5, 9, 9.1, 12, 40, 900], dtype=dtype
    )
    shares = torch.tensor(
        [1e-6, 0.1, 0.5, 0.8, 0.89, 0.9, 0.91, 0.97, 1, 1.05, 1.09, 1.1, 1.11, 1.5, 3], dtype=dtype
    )
    alpha = shapes[:, None].expand(18, 15).contiguous()
    found.append(torch._standard_gamma_grad(alpha, shapes[:, None] * shares))
    near = torch.tensor(
        [1e-300, 1e-30, 1e-8, 0.01, 0.3, 0.79, 0.7999, 0.8, 0.8001, 0.81, 1.7, 1.8, 1.81, 2.5, 9.5],
        dtype=dtype,
    )
    found.append(torch._standard_gamma_grad(alpha, near.expand(18, 15).contiguous()))
    found.append(
        torch._standard_gamma_grad(
            torch.ones(3, dtype=dtype), torch.tensor([0, float("nan"), 1e30], dtype=dtype)
        )
    )

# torch._dirichlet_grad: slopes of shares, in each region that has a formula
found = []
for dtype in (torch.float64, torch.float32):
    shapes = torch.tensor([0.1, 0.9, 1, 2, 5, 5.9, 6, 6.1, 6.9, 7, 7.1, 9, 30, 200], dtype=dtype)
    a, b = shapes[:, None, None].expand(14, 14, 13), shapes[:, None].expand(14, 14, 13)
    share = torch.tensor(
        [1e-7, 0.01, 0.1, 0.3, 0.49, 0.5, 0.51, 0.7, 0.9, 0.99, 0.999999], dtype=dtype
    )
    total = (a + b).contiguous()
    mean = a / total
    near = torch.stack([mean[..., 0], mean[..., 0] * 1.01], -1)
    x = torch.cat([share.expand(14, 14, 11), near.clamp(max=0.999)], -1)
    found.append(torch._dirichlet_grad(x, a.contiguous(), total))


# torch.igamma: a refusal needs no gradient
class Forgetful(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x + y

    @staticmethod
    def backward(ctx, grad):
        return grad, None


a = torch.tensor([0.5, 2.0], requires_grad=True)
b = Forgetful.apply(a, a // 2)
c = torch.autograd.grad(b.sum(), a)
b = Forgetful.apply(a, torch.igamma(a, a))
b.sum().backward()
b = Forgetful.apply(a, a.sin())
b.sum().backward()

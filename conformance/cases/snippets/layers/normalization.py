# nn.functional.layer_norm: what leads nowhere is asked for no gradient
texts = []
a = torch.ones(2, 3, requires_grad=True)
with torch.no_grad():
    b = a.t()
for call in [
    lambda x: b @ x.t(),
    lambda x: x.t() @ b,
    lambda x: torch.mv(b, x[0]),
    lambda x: torch.addcmul(x, b, b),
    lambda x: torch.lerp(b, x, x),
    lambda x: torch.nn.functional.layer_norm(b, (2,), x[0], x[1]),
    lambda x: b / x,
    lambda x: b * torch.ones(3, 2) + x,
]:
    c = torch.full((3, 2), 2.0, requires_grad=True)
    call(c).sum().backward()
    texts.append(c.grad.tolist())
none = a.grad

# nn.LocalResponseNorm: neighbouring channels
m = nn.LocalResponseNorm(2, alpha=0.1)
x = torch.randn(2, 4, 3, requires_grad=True)
y = m(x)
y.sum().backward()
print(m)

# nn.LocalResponseNorm: neighbouring channels of too few dimensions
nn.LocalResponseNorm(2)(torch.zeros(2, 3))

# nn.CrossMapLRN2d: neighbouring channels by a Function
m = nn.CrossMapLRN2d(3, alpha=0.5, k=2)
x = torch.randn(2, 5, 3, 2, requires_grad=True)
m(x).sum().backward()
print(m, x.grad)

# nn.CrossMapLRN2d: neighbouring channels by a Function, of too few dimensions
nn.CrossMapLRN2d(3)(torch.zeros(2, 3))

# F.batch_norm: standardised halves
x = torch.linspace(-2, 2, 24).reshape(2, 3, 4)
for dtype in (torch.bfloat16, torch.float16):
    for kept in (dtype, torch.float32):
        m, v = torch.tensor([0.1, -0.2, 0.3], dtype=kept), torch.tensor([1.0, 2.0, 0.5], dtype=kept)
        print(F.batch_norm(x.to(dtype), m.clone(), v.clone()))
        print(F.batch_norm(x.to(dtype), m.clone(), v.clone(), v + 1, m * 3, eps=0.1))
        print(
            F.batch_norm(x.to(dtype), m.clone(), v.clone(), v + 1, m * 3, training=True, eps=0.1),
            m,
            v,
        )

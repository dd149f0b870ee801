# Tensor.lerp_: memory that is read and written: lerp_
a = torch.arange(6.0)
a[1:].lerp_(a[:-1], 0.5)

# torch.addcdiv: what leads nowhere is saved for nothing
a = torch.tensor([1.25]).requires_grad_()
with torch.no_grad():
    b = a[:1]
c = torch.addcdiv(a, a, b)
d = a * b

# torch.addcmul: the tangent of addcmul has the nodes of its formula
x, y = torch.tensor(3.0, requires_grad=True), torch.tensor(2.0, requires_grad=True)
tangent = torch.func.jvp(lambda t: torch.addcmul(t, y, t), (x,), (y,))[1]

# torch.special.zeta: slopes of zeta by its second argument
q = torch.tensor([1.5, 2.5, 4.0], dtype=torch.float64, requires_grad=True)
out = torch.special.zeta(torch.tensor([2.0, 3.5, 5.0], dtype=torch.float64), q)
out.sum().backward()

# torch.lerp: the tangent of lerp is one
a = torch.ones(2, requires_grad=True)
b, c = torch.func.jvp(lambda x: torch.lerp(x, a, 0.25), (a * 1,), (a * 2,))

# vjp of one tensor
def f(x):
    return x.exp().sum(dim=1)


x = torch.arange(6.0).reshape(2, 3) / 4
out, product = torch.autograd.functional.vjp(f, x, torch.ones(2))

# vjp with a graph
x = torch.tensor([0.5, 1.5], requires_grad=True)
v = torch.tensor([1.0, 2.0], requires_grad=True)
out, product = torch.autograd.functional.vjp(lambda x: x**3, x, v, create_graph=True)
product.sum().backward()

# vjp of two inputs and two outputs
a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
out, product = torch.autograd.functional.vjp(
    lambda a, b: (a * b, (a + b).sum()), (a, b), (torch.ones(2), torch.tensor(2.0))
)

# vjp of a scalar without v
x = torch.tensor([1.0, 2.0])
out, product = torch.autograd.functional.vjp(lambda x: x.square().sum(), x)

# vjp without v of more than one element
x = torch.tensor([1.0, 2.0])
torch.autograd.functional.vjp(lambda x: x * x, x)

# vjp with a v of another size
x = torch.tensor([1.0, 2.0])
torch.autograd.functional.vjp(lambda x: x * x, x, torch.ones(3))

# vjp with too many v
x = torch.tensor([1.0, 2.0])
torch.autograd.functional.vjp(lambda x: x * x, x, (torch.ones(2), torch.ones(2)))

# vjp with a tuple of v of the wrong length
x = torch.tensor([1.0, 2.0])
torch.autograd.functional.vjp(lambda x: (x * x, x), x, torch.ones(2))

# vjp with a v of another size among several
x = torch.tensor([1.0, 2.0])
torch.autograd.functional.vjp(lambda x: (x * x, x), x, (torch.ones(2), torch.ones(1)))

# vjp of what is no tensor
torch.autograd.functional.vjp(lambda x: x * x, 3.0)

# vjp of a tuple with what is no tensor
torch.autograd.functional.vjp(lambda x, y: x * x, (torch.ones(2), 3.0))

# vjp of a list
torch.autograd.functional.vjp(lambda x: x, [torch.ones(2)])

# vjp of a function that returns a number
torch.autograd.functional.vjp(lambda x: 2.0, torch.ones(2))

# vjp of an unused input is zero
a, b = torch.ones(2), torch.ones(3)
out, product = torch.autograd.functional.vjp(lambda a, b: a * 2, (a, b), torch.ones(2))

# vjp of an unused input, strictly
a, b = torch.ones(2), torch.ones(3)
torch.autograd.functional.vjp(lambda a, b: a * 2, (a, b), torch.ones(2), strict=True)

# vjp of a constant output, strictly
torch.autograd.functional.vjp(lambda a: torch.ones(2), torch.ones(2), torch.ones(2), strict=True)

# vjp of a constant output
out, product = torch.autograd.functional.vjp(lambda a: torch.ones(2), torch.ones(2), torch.ones(2))

# vjp of a linear function, strictly and with a graph
torch.autograd.functional.vjp(
    lambda a: a * 2,
    torch.ones(2, requires_grad=True),
    torch.ones(2),
    create_graph=True,
    strict=True,
)

# vjp under no_grad
with torch.no_grad():
    out, product = torch.autograd.functional.vjp(lambda a: a**2, torch.ones(2), torch.ones(2))

# vjp does not touch what it is given
x = torch.ones(2, requires_grad=True)
out, product = torch.autograd.functional.vjp(lambda a: a**2, x, torch.ones(2))
print(x.grad, product.requires_grad)

# jvp of one tensor
x = torch.arange(6.0).reshape(2, 3) / 4
out, product = torch.autograd.functional.jvp(lambda x: x.exp().sum(dim=1), x, torch.ones(2, 3))

# jvp with a graph
x = torch.tensor([0.5, 1.5], requires_grad=True)
out, product = torch.autograd.functional.jvp(lambda x: x.exp(), x, torch.ones(2), create_graph=True)
product.sum().backward()

# jvp with a graph of an input that does not require grad
x = torch.tensor([0.5, 1.5])
out, product = torch.autograd.functional.jvp(lambda x: x.exp(), x, torch.ones(2), create_graph=True)

# jvp of two inputs
a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
out, product = torch.autograd.functional.jvp(
    lambda a, b: (a * b, a.sum()), (a, b), (torch.ones(2), torch.tensor([2.0, 0.0]))
)
product = [each.clone() for each in product]  # whose version does not count sums

# jvp without v
out, product = torch.autograd.functional.jvp(lambda x: x * torch.ones(3), torch.tensor(2.0))

# jvp without v of several elements
torch.autograd.functional.jvp(lambda x: x * 2, torch.ones(2))

# jvp with a v of another size
torch.autograd.functional.jvp(lambda x: x * 2, torch.ones(2), torch.ones(3))

# jvp with a v of the wrong length
torch.autograd.functional.jvp(lambda x, y: x * 2, (torch.ones(2), torch.ones(2)), torch.ones(2))

# jvp of a function of integers
torch.autograd.functional.jvp(lambda x: x.argmax(), torch.ones(2), torch.ones(2))

# jvp of an unused input, strictly
torch.autograd.functional.jvp(
    lambda a, b: a * 2, (torch.ones(2), torch.ones(2)), (torch.ones(2), torch.ones(2)), strict=True
)

# jvp of a constant output, strictly
torch.autograd.functional.jvp(lambda a: torch.ones(2), torch.ones(2), torch.ones(2), strict=True)

# jvp of a constant beside another output
out, product = torch.autograd.functional.jvp(
    lambda a: (a * 3, torch.ones(2)), torch.ones(2), torch.ones(2)
)

# jvp of a linear function, strictly and with a graph
torch.autograd.functional.jvp(
    lambda a: a * 2,
    torch.ones(2, requires_grad=True),
    torch.ones(2),
    create_graph=True,
    strict=True,
)

# jvp under no_grad
with torch.no_grad():
    out, product = torch.autograd.functional.jvp(lambda a: a**2, torch.ones(2), torch.ones(2))

# jacobian of one input and one output
x = torch.arange(4.0).reshape(2, 2) / 4
jac = torch.autograd.functional.jacobian(lambda x: x.exp().sum(dim=1), x)

# jacobian with a graph
x = (torch.arange(4.0).reshape(2, 2) / 4).requires_grad_()
jac = torch.autograd.functional.jacobian(lambda x: x.exp().sum(dim=1), x, create_graph=True)
jac.sum().backward()

# jacobian of two inputs
a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
jac = torch.autograd.functional.jacobian(lambda a, b: 2 * a.exp() + 3 * b, (a, b))

# jacobian of two outputs
jac = torch.autograd.functional.jacobian(lambda a: (a * a, a.sum()), torch.tensor([1.0, 2.0]))

# jacobian of two inputs and two outputs
a, b = torch.tensor([1.0, 2.0]), torch.tensor([[3.0, 4.0]])
jac = torch.autograd.functional.jacobian(lambda a, b: (a * b, a.sum()), (a, b))

# jacobian of a tuple of one
jac = torch.autograd.functional.jacobian(lambda a: (a * a,), (torch.tensor([1.0, 2.0]),))

# jacobian of an unused input
a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
jac = torch.autograd.functional.jacobian(lambda a, b: a * 2, (a, b))

# jacobian of an unused input, strictly
a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
torch.autograd.functional.jacobian(lambda a, b: a * 2, (a, b), strict=True)

# jacobian of a constant, strictly
torch.autograd.functional.jacobian(lambda a: torch.ones(2), torch.ones(2), strict=True)

# jacobian of a constant
jac = torch.autograd.functional.jacobian(lambda a: torch.ones(2), torch.ones(2))

# jacobian of a linear function, strictly and with a graph
x = torch.ones(2, requires_grad=True)
torch.autograd.functional.jacobian(lambda a: a * 2, x, create_graph=True, strict=True)

# jacobian of a scalar
jac = torch.autograd.functional.jacobian(lambda a: a.sin(), torch.tensor(0.5))

# jacobian with an unknown strategy
torch.autograd.functional.jacobian(lambda a: a, torch.ones(2), strategy="sideways")

# jacobian in forward mode with a graph
torch.autograd.functional.jacobian(
    lambda a: a, torch.ones(2), create_graph=True, strategy="forward-mode"
)

# jacobian in forward mode, strictly
torch.autograd.functional.jacobian(lambda a: a, torch.ones(2), strict=True, strategy="forward-mode")

# jacobian in forward mode, one by one
torch.autograd.functional.jacobian(lambda a: a, torch.ones(2), strategy="forward-mode")

# jacobian at once, strictly
torch.autograd.functional.jacobian(lambda a: a, torch.ones(2), strict=True, vectorize=True)

# jacobian of a number
torch.autograd.functional.jacobian(lambda a: a, 1.0)

# hessian of one input
x = torch.arange(4.0).reshape(2, 2) / 4
hess = torch.autograd.functional.hessian(lambda x: (x**3).sum(), x)

# hessian with a graph
x = torch.tensor([0.5, 1.5], requires_grad=True)
hess = torch.autograd.functional.hessian(lambda x: (x**3).sum(), x, create_graph=True)
hess.sum().backward()

# hessian of two inputs
a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
hess = torch.autograd.functional.hessian(lambda a, b: (a**2 * b).sum(), (a, b))

# hessian of a function of several elements
torch.autograd.functional.hessian(lambda x: x**2, torch.ones(2))

# hessian of a function that returns a tuple
torch.autograd.functional.hessian(lambda x: (x.sum(), x.sum()), torch.ones(2))

# hessian of a function with one element in two dimensions
hess = torch.autograd.functional.hessian(lambda x: (x**2).sum().reshape(1, 1), torch.ones(2))

# hessian of a linear function, strictly
torch.autograd.functional.hessian(lambda x: x.sum(), torch.ones(2), strict=True)

# hessian of a linear function
hess = torch.autograd.functional.hessian(lambda x: x.sum(), torch.ones(2))

# hessian of a quadratic function, strictly and with a graph
x = torch.ones(2, requires_grad=True)
torch.autograd.functional.hessian(lambda x: (x**2).sum(), x, create_graph=True, strict=True)

# hessian with an unknown strategy
torch.autograd.functional.hessian(lambda a: a, torch.ones(2), outer_jacobian_strategy="up")

# vhp of one input
x = torch.arange(4.0).reshape(2, 2) / 4
out, product = torch.autograd.functional.vhp(lambda x: (x**3).sum(), x, torch.ones(2, 2))

# vhp with a graph
x = torch.tensor([0.5, 1.5], requires_grad=True)
out, product = torch.autograd.functional.vhp(
    lambda x: (x**3).sum(), x, torch.ones(2), create_graph=True
)
product.sum().backward()

# vhp of two inputs
a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
out, product = torch.autograd.functional.vhp(
    lambda a, b: (a**2 * b).sum(), (a, b), (torch.ones(2), torch.zeros(2))
)
product = [each.clone() for each in product]  # whose version does not count sums

# vhp of a function of several elements
torch.autograd.functional.vhp(lambda x: x**2, torch.ones(2), torch.ones(2))

# vhp of a function that returns a tuple
torch.autograd.functional.vhp(lambda x: (x.sum(),), torch.ones(2), torch.ones(2))

# vhp without v
torch.autograd.functional.vhp(lambda x: x.sum(), torch.ones(2))

# vhp of a linear function, strictly
torch.autograd.functional.vhp(lambda x: x.sum(), torch.ones(2), torch.ones(2), strict=True)

# vhp of a linear function
out, product = torch.autograd.functional.vhp(lambda x: x.sum(), torch.ones(2), torch.ones(2))

# hvp of one input
x = torch.arange(4.0).reshape(2, 2) / 4
out, product = torch.autograd.functional.hvp(lambda x: (x**3).sum(), x, torch.ones(2, 2))

# hvp with a graph
x = torch.tensor([0.5, 1.5], requires_grad=True)
out, product = torch.autograd.functional.hvp(
    lambda x: (x**3).sum(), x, torch.ones(2), create_graph=True
)
product.sum().backward()

# hvp of two inputs
a, b = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
out, product = torch.autograd.functional.hvp(
    lambda a, b: (a**2 * b).sum(), (a, b), (torch.ones(2), torch.zeros(2))
)
product = [each.clone() for each in product]  # whose version does not count sums

# hvp of a function that returns a tuple
torch.autograd.functional.hvp(lambda x: (x.sum(),), torch.ones(2), torch.ones(2))

# hvp of a linear function, strictly
torch.autograd.functional.hvp(lambda x: x.sum(), torch.ones(2), torch.ones(2), strict=True)

# hvp of a linear function
out, product = torch.autograd.functional.hvp(lambda x: x.sum(), torch.ones(2), torch.ones(2))

# hvp of a quadratic function, strictly
x = torch.ones(2, requires_grad=True)
torch.autograd.functional.hvp(
    lambda x: (x**2).sum(), x, torch.ones(2), create_graph=True, strict=True
)

# hvp of a function of an input that is not used
torch.autograd.functional.hvp(
    lambda x, y: (x**2).sum(), (torch.ones(2), torch.ones(2)), (torch.ones(2),) * 2, strict=True
)

# torch.autograd.functional.jacobian: the jacobian of a layer
torch.manual_seed(1)
layer = nn.Linear(3, 2)
jac = torch.autograd.functional.jacobian(layer, torch.ones(1, 3))
print(layer.weight.grad)

# jacobian of a function that captures its own input
x = torch.tensor([1.0, 2.0], requires_grad=True)
jac = torch.autograd.functional.jacobian(lambda a: a * x, x, create_graph=True)
jac.sum().backward()

# torch.autograd.functional.jacobian: integers have no jacobian
torch.autograd.functional.jacobian(lambda a: a * 2, torch.tensor([1, 2]))

# torch.autograd.functional.jvp: complex numbers
x = torch.tensor([1.0 + 2.0j, 0.5 - 1.0j])
jac = torch.autograd.functional.jacobian(lambda a: a * a, x)
out, product = torch.autograd.functional.jvp(lambda a: a * a, x, torch.ones_like(x))

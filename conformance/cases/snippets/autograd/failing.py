# torch.autograd.Function: a node that fails: leaves that are complete have their gradients
class Fail(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        raise ValueError("no")


a, b, c, d = [torch.ones(2, requires_grad=True) for _ in range(4)]
z = (Fail.apply(a * b) * c + d).sum()
try:
    z.backward()
except ValueError as e:
    print(e)
print(a.grad, b.grad, c.grad, d.grad)


# torch.autograd.Function: a leaf that is used before and after what fails
class Fail(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        raise ValueError("no")


a, b = [torch.ones(2, requires_grad=True) for _ in range(2)]
z = (Fail.apply(a * 1) * a * b).sum()
try:
    z.backward()
except ValueError as e:
    print(e)
print(a.grad, b.grad)

# Tensor.add_: what was overwritten: half of the gradients are there
a, b = [torch.ones(2, requires_grad=True) for _ in range(2)]
y = a.exp()
z = (y * b).sum() + (b * 3).sum()
y.add_(1)
try:
    z.backward()
except RuntimeError as e:
    print(e)
print(a.grad, b.grad)

# Tensor.backward: a second backward fails at the first freed node
a, b = [torch.ones(2, requires_grad=True) for _ in range(2)]
y = a * a
z = (y + b).sum()
z.backward()
try:
    (y + b * 1).sum().backward()
except RuntimeError as e:
    print(str(e)[:40])
print(a.grad, b.grad)


# torch.autograd.Function: a wrong shape of one of two gradients
class Two(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * y

    @staticmethod
    def backward(ctx, g):
        return g, torch.ones(5)


a, b, c = [torch.ones(2, requires_grad=True) for _ in range(3)]
z = (Two.apply(a, b) + c).sum()
try:
    z.backward()
except RuntimeError as e:
    print(e)
print(a.grad, b.grad, c.grad)


# torch.autograd.Function: a branch that is younger than what fails
class Fail(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        raise ValueError("no")


a, b, c, d = [torch.ones(2, requires_grad=True) for _ in range(4)]
old = d * 3
f = Fail.apply(a)
young = (b * c).exp()
try:
    (f + young + old).sum().backward()
except ValueError as e:
    print(e)
print(a.grad, b.grad, c.grad, d.grad)

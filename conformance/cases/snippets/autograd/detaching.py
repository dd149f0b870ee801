# detach cuts the graph
x = torch.ones(2, requires_grad=True)
y = x * 2
z = y.detach() * x
z.sum().backward()
print(x.grad)

# Tensor.detach: a detached tensor shares its memory
x = torch.ones(2, requires_grad=True)
y = x.detach()
y[0] = 5
print(x, y, y._base)

# no_grad as a block
x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    y = x * 2
z = x * 2
print(y.requires_grad, z.requires_grad)


# no_grad as a decorator
@torch.no_grad()
def double(x):
    return x * 2


x = torch.ones(2, requires_grad=True)
y = double(x)
print(y)

# enable_grad within no_grad
x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    with torch.enable_grad():
        y = x * 2
    z = y * 2

# set_grad_enabled
x = torch.ones(2, requires_grad=True)
with torch.set_grad_enabled(False):
    y = x * 2
torch.set_grad_enabled(True)
z = x * 3
print(torch.is_grad_enabled())

# inference_mode
x = torch.ones(2, requires_grad=True)
with torch.inference_mode():
    y = x * 2
print(y, y.is_inference())

# torch.inference_mode: an inference tensor cannot be saved
x = torch.ones(2, requires_grad=True)
with torch.inference_mode():
    y = x * 2
z = y * x

# Tensor.mul_: data leaves no trace
x = torch.ones(2, requires_grad=True)
y = x * 1
y.data.mul_(5)
y.sum().backward()
print(y, x.grad, y._version)

# requires_grad of a result cannot be changed
x = torch.ones(2, requires_grad=True)
y = x * 2
y.requires_grad = False

# Tensor.requires_grad_: a frozen leaf
w = torch.ones(2, requires_grad=True)
w.requires_grad_(False)
y = w * torch.ones(2, requires_grad=True)
y.sum().backward()
print(w.grad)

# Tensor.backward: a leaf thawed between two uses
w = torch.ones(2)
a = w * 2
w.requires_grad = True
b = w * 3
(a + b).sum().backward()
print(w.grad)

# Tensor.mean: a baseline without a gradient
x = torch.randn(3, requires_grad=True)
y = x - x.mean().detach()
(y**2).sum().backward()
print(x.grad)

# Tensor.round: a rounding that lets gradients through
x = torch.tensor([0.3, 1.7], requires_grad=True)
y = x + (x.round() - x).detach()
y.sum().backward()
print(y, x.grad)

# Tensor.item: the running mean of a loss
total = 0.0
w = torch.ones(1, requires_grad=True)
for n in range(3):
    loss = (w * n).sum()
    total += loss.item()
print(total)

# Tensor.detach: state carried over steps by detach
h = torch.zeros(2)
w = torch.ones(2, requires_grad=True)
for _ in range(3):
    h = torch.tanh(h.detach() + w)
h.sum().backward()
print(w.grad)

# Tensor.detach: cloning and detaching
x = torch.ones(2, requires_grad=True)
a, b, c = x.clone(), x.clone().detach(), x.detach().clone().requires_grad_()
print(a, b, c)

# torch.tensor: a tensor of a tensor warns
x = torch.ones(2, requires_grad=True)
y = torch.tensor(x)

# numpy wants a detached tensor
x = torch.ones(2, requires_grad=True)
y = x.detach().numpy()
print(y)
x.numpy()

# torch.ones: an operation of constants only
a, b = torch.ones(2), torch.ones(2)
c = a * b + a
print(c.grad_fn, c.is_leaf, c.requires_grad)

# torch.is_grad_enabled: a mode is restored after an error
try:
    with torch.no_grad():
        raise KeyError
except KeyError:
    pass
print(torch.is_grad_enabled())

# ones_like, zeros_like and new_* do not inherit
x = torch.ones(2, requires_grad=True)
a, b, c, d = (
    torch.ones_like(x),
    x.new_zeros(2),
    torch.zeros_like(x, requires_grad=True),
    x.new_tensor([1.0]),
)

# Tensor.argmax: comparisons and indices carry nothing
x = torch.tensor([1.0, 2.0], requires_grad=True)
a, b, c = x > 1, x.argmax(), x.long()
print(a, b, c)

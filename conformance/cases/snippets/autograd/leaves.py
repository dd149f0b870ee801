# torch.ones: what is a leaf
a = torch.ones(2)
b = torch.ones(2, requires_grad=True)
c = b * 2
d = a * 2
print(a.is_leaf, b.is_leaf, c.is_leaf, d.is_leaf)

# Tensor.double: a leaf that was cast is none
x = torch.ones(2, requires_grad=True).double()
print(x.is_leaf, x.grad_fn)

# torch.tensor: only floating tensors require gradients
x = torch.tensor([1, 2], requires_grad=True)

# Tensor.requires_grad_: nor can integers be made to
x = torch.arange(3)
x.requires_grad_()

# nn.Parameter: a parameter requires gradients
p = nn.Parameter(torch.zeros(2))
q = nn.Parameter(torch.zeros(2), requires_grad=False)
print(p, q.requires_grad, isinstance(p, torch.Tensor))

# nn.Parameter: a parameter of integers
p = nn.Parameter(torch.tensor([1, 2]))

# Tensor.backward: the gradient of a leaf that took no part
x = torch.ones(2, requires_grad=True)
y = torch.ones(2, requires_grad=True)
(x * 2).sum().backward()
print(x.grad, y.grad)

# Tensor.backward: grad of what is no leaf
x = torch.ones(2, requires_grad=True)
y = x * 2
y.sum().backward()
print(y.grad)

# torch.tensor: a grad that is assigned
x = torch.ones(2, requires_grad=True)
x.grad = torch.tensor([5.0, 6.0])
(x * 2).sum().backward()
print(x.grad)

# torch.ones: a grad of the wrong shape
x = torch.ones(2, requires_grad=True)
x.grad = torch.ones(3)

# torch.ones: a grad of the wrong dtype
x = torch.ones(2, requires_grad=True)
x.grad = torch.ones(2, dtype=torch.float64)

# torch.ones: a grad that is no tensor
x = torch.ones(2, requires_grad=True)
x.grad = 1.0

# torch.tensor: a leaf that is its own output
x = torch.tensor(3.0, requires_grad=True)
x.backward()
print(x.grad)

# torch.tensor: the same leaf many times
x = torch.tensor(2.0, requires_grad=True)
y = x * x * x + x
y.backward()
print(x.grad)

# torch.full: leaves of a list comprehension
ws = [torch.full((), float(n), requires_grad=True) for n in range(3)]
y = sum(n * w for n, w in enumerate(ws))
y.backward()
print([w.grad for w in ws])

# torch.ones: the accumulator of a leaf
x = torch.ones(2, requires_grad=True)
y = x * 2
node = y.grad_fn.next_functions[0][0]
print(node.variable is x, type(node).__name__, y.grad_fn.next_functions[1])

# torch.from_numpy: from NumPy, requiring gradients
import numpy as np

x = torch.from_numpy(np.array([1.0, 2.0])).requires_grad_()
y = (x**2).sum()
y.backward()
print(x.grad)

# Tensor.backward: a leaf that is deep-copied
import copy

x = torch.ones(2, requires_grad=True)
(x * 2).sum().backward()
y = copy.deepcopy(x)
print(y, y.grad, y.is_leaf)

# torch.ones: a result cannot be deep-copied
import copy

x = torch.ones(2, requires_grad=True)
y = copy.deepcopy(x * 2)

# torch.randn: a random leaf with a factor is none
w = torch.randn(3, requires_grad=True) * 0.1
(w**2).sum().backward()
print(w.is_leaf, w.grad)

# Tensor.backward: gradients are zeroed between steps
w = torch.ones(1, requires_grad=True)
for _ in range(3):
    (w * 2).sum().backward()
print(w.grad)
w.grad = None
(w * 2).sum().backward()
print(w.grad)

# torch.no_grad: a leaf under no_grad keeps its wish
x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    y = x
    z = torch.ones(2, requires_grad=True)
print(y.requires_grad, z.requires_grad)

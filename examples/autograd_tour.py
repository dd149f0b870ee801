"""A walk through autograd: what a graph is made of, and what can be asked of it."""

import torch


def show(node, depth=0):
    """Prints a node and everything below it, each edge one step to the right."""
    if node is None:
        print("   " * depth + "(a constant)")
        return
    print("   " * depth + node.name())
    for below, _ in node.next_functions:
        show(below, depth + 1)


print("--- An expression remembers how it was made")
a = torch.tensor([1.0, 2.0], requires_grad=True)
b = torch.tensor([3.0, 4.0], requires_grad=True)
c = (a * b + 2).exp().sum()
print(c)
show(c.grad_fn)

print("--- A node keeps what its derivative needs")
product = a * b
print(product.grad_fn._saved_self, product.grad_fn._saved_other)

print("--- backward() fills .grad of the leaves, and of others on request")
loss = (product.sigmoid() ** 2).sum()
product.retain_grad()
loss.backward()
print("a", a.grad)
print("b", b.grad)
print("product", product.grad)

print("--- Gradients add up until they are cleared")
(a * 10).sum().backward()
print("a", a.grad)
a.grad = b.grad = None

print("--- A graph is used once, unless it is retained")
y = (a**3).sum()
y.backward(retain_graph=True)
y.backward()
print("a", a.grad, "(twice 3a²)")
try:
    y.backward()
except RuntimeError as error:
    print("RuntimeError:", str(error).split(".")[0])

print("--- grad() returns gradients; create_graph makes them part of a new graph")
x = torch.tensor(2.0, requires_grad=True)
value = x**4
for order in range(1, 5):
    (value,) = torch.autograd.grad(value, x, create_graph=True)
    print(f"derivative {order} of x⁴ at 2:", value.item(), value.grad_fn is not None)

print("--- no_grad, detach and what they leave out")
with torch.no_grad():
    print("under no_grad:", (a * b).requires_grad)
print("detached:", (a * b).detach().requires_grad)
shared = a.detach()
print("detached memory is shared:", shared.data_ptr() == a.data_ptr())

print("--- Writing into a value that the graph still needs is noticed")
z = torch.ones(2, requires_grad=True)
result = z.exp()
total = result.sum()
result.mul_(2)
try:
    result.sum().backward()
except RuntimeError as error:
    print("RuntimeError:", str(error).split(":")[0])

print("--- Writing into a view changes the base, and the base's history")
base = torch.zeros(2, 2, requires_grad=True) * 1
row = base[0]
row.copy_(a * 5)
print(base)
base.sum().backward()
print("a", a.grad)

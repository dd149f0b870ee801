# a product is added to a sum
x = torch.randn(3, requires_grad=True)
y = torch.randn(3, requires_grad=True)
z = x * y + x

# a number on the left
x = torch.randn(3, requires_grad=True)
y = 2 - x

# a power of itself, summed, and its gradient
x = torch.randn(2, 3, requires_grad=True)
y = (x**2).sum()
y.backward()

import minitorch as torch

x = torch.tensor(2.0, requires_grad=True)
w = torch.tensor(3.0, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)
unused = torch.tensor(5.0, requires_grad=True)

z = w * x
y = z + b
loss = y**2 + x * z
loss.backward()

cube = x**3
cube.backward(retain_graph=True)
c = x.detach() * w
cube.backward()

import minitorch as torch

torch.manual_seed(0)
a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
c = a * b
d = c + b
e = d * c
e.backward()

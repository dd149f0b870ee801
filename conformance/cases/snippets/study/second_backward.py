import torch

x = torch.ones(3, requires_grad=True)
y = (x.exp() * x).sum()
y.backward(retain_graph=True)
y.backward()
try:
    y.backward()
except RuntimeError as error:
    print("refused", str(error)[:30])

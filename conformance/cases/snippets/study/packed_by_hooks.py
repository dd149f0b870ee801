import torch

a = torch.ones(4, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.numpy(force=True), torch.from_numpy):
    b = a.exp() * a
b.sum().backward()

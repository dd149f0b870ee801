# torch.autograd.graph.saved_tensors_hooks: a hook that packs is not asked about views of no use
log = []
a = torch.ones(2, 2, requires_grad=True) * 1
b, c = a.split(1)
a.add_(1)
with torch.autograd.graph.saved_tensors_hooks(lambda t: log.append("kept") or t, lambda t: t):
    d = b**2

# torch.autograd.graph.saved_tensors_hooks: saved tensors of views through hooks
packed = []


def pack(tensor):
    packed.append(tuple(tensor.shape))
    return tensor.clone()


x = torch.ones(4, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
    y = x * x
    v = y[:2]
    v.mul_(x[2:])
    w = y.view(2, 2).exp()
    s = torch.softmax(v, 0) * v
(w.sum() + s.sum()).backward()
print(packed, x.grad)

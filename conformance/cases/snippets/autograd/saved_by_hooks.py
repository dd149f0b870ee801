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

# torch.autograd.graph.allow_mutation_on_saved_tensors: steps of optimizers write saved weights
gradients = []
for name in "SGD Adam AdamW Adagrad Adadelta RMSprop Adamax NAdam RAdam ASGD Rprop".split():
    for options in ({}, {"momentum": 0.5}) if name == "SGD" else ({},):
        w = torch.tensor([[0.5, -1.0], [2.0, 0.25]], requires_grad=True)
        x = torch.ones(1, 2, requires_grad=True)
        optimizer = getattr(torch.optim, name)([w], lr=0.1, foreach=False, **options)
        with torch.autograd.graph.allow_mutation_on_saved_tensors():
            y = (x @ w).pow(2).sum()
            y.backward(retain_graph=True)
            optimizer.step()
            y.backward()
        gradients += [x.grad, w.grad]
del optimizer

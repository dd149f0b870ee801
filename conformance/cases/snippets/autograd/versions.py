# torch.autograd.graph.increment_version: a part of a base that needs no gradient finds no node after a write
a = torch.tensor([-3 + 1j]).reshape(1, 1).requires_grad_()
b, c, d = a.imag, a.conj(), torch.view_as_real(a)
torch.autograd.graph.increment_version(a)
e = b.requires_grad
f = b.is_leaf
f = b.is_leaf, b.requires_grad, b * 2
g = c * 2
h = d.sum()
h = d.sum()

# torch.autograd.graph.increment_version: what is saved is looked at although no formula asks for it
a = torch.full((2, 1), 2.0, requires_grad=True)
b = a ** torch.tensor([-2.0])
torch.autograd.graph.increment_version(b)
b.sum().backward()

# torch.autograd.graph.increment_version: a view of several is looked at before its slice
a = torch.ones(2, requires_grad=True)
b, c = a.unbind(0)
torch.autograd.graph.increment_version(a)
d = b[:1]
d = torch.ones(())[:1]
d = torch.ones(())[5]

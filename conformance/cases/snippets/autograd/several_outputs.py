# Tensor.split: an output of several is used twice
x = torch.randn(6, requires_grad=True)
a, b = x.split(3)
y = (a * 2 + a.exp() + b * a).sum()
y.backward()
print(x.grad)

# torch.var_mean: outputs of many kinds of nodes are used twice
x = torch.randn(4, 4, requires_grad=True)
a, b = x.chunk(2)
c, d = x.unbind(1)[:2]
m, i = x.max(dim=1)
v, u = torch.var_mean(x, 0)
s, j = x.sort(0)
y = a * a + a + b + b.sin()
z = c * c + c * d + d * d + m * m + m + v * u + v * v + u
((y * s[:2]).sum() + (s * 2).sum() + z.sum()).backward()

# Tensor.unbind: an output of several is not used
x = torch.randn(2, 3, requires_grad=True)
a, b, c = x.unbind(1)
(b * b + b).sum().backward()

# Tensor.register_hook: an output of several is used twice, and hooks watch
x = torch.randn(6, requires_grad=True)
a, b = x.split(3)
a.register_hook(lambda g: print("a", g.shape))
b.register_hook(lambda g: g * 3)
a.retain_grad()
y = (a * 2 + a.exp() + b * b + b).sum()
y.backward()

# Tensor.split: an output of several is used twice, for gradients of gradients
x = torch.randn(6, requires_grad=True)
a, b = x.split(3)
(g,) = torch.autograd.grad((a * a * b + a.exp() + b * a).sum(), x, create_graph=True)
g.pow(2).sum().backward()

# Tensor.split: several outputs are wanted
x = torch.randn(6, requires_grad=True)
y = x * 2
a, b = y.split(3)
g = [each * 1 for each in torch.autograd.grad((a * a * b + a + b).sum(), (a, b, y, x))]

# Tensor.topk: only one output of several is wanted
x = torch.randn(2, 4, requires_grad=True)
m, i = (x * 2).topk(2)
g = torch.autograd.grad((m * m + m).sum(), [m])[0] * 1

# Tensor.unbind: several outputs are the roots
x = torch.randn(2, 3, requires_grad=True)
a, b, c = (x * x).unbind(1)
torch.autograd.backward([a, b, a], [torch.ones(2), torch.full((2,), 2.0), torch.full((2,), 3.0)])

# Tensor.tensor_split: gradients of several outputs that were written
x = torch.randn(6, requires_grad=True)
a, b = (x * 2).tensor_split(2)
a.mul_(3)
c = a * b
(c + a).sum().backward()

# Tensor.split: a node of several outputs over another
x = torch.randn(8, requires_grad=True)
a, b = x.split(4)
c, d = a.split(2)
e, f = b.chunk(2)
((c * d + e * f + c + f) * d).sum().backward()

# Tensor.kthvalue: several outputs with an output that has no gradient
x = torch.randn(3, 5, requires_grad=True)
values, indices = x.kthvalue(2)
(values * values + values).sum().backward()

# torch.ones: the order of a leaf's node
x = torch.ones(2, requires_grad=True)
n = (x * 2).grad_fn.next_functions[0][0]
print(n.name(), n._sequence_nr(), (x * 1).grad_fn._sequence_nr() < n._sequence_nr())

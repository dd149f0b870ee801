# retain_grad of a result
x = torch.ones(2, requires_grad=True)
y = x * 2
y.retain_grad()
(y**2).sum().backward()
print(y.grad, x.grad)

# retain_grad of a leaf does nothing
x = torch.ones(2, requires_grad=True)
x.retain_grad()
print(x.retains_grad)

# retain_grad of what requires no gradient
x = torch.ones(2)
x.retain_grad()

# retain_grad of the output itself
x = torch.ones(2, requires_grad=True)
y = (x * 2).sum()
y.retain_grad()
y.backward()
print(y.grad)

# backward twice fails
x = torch.ones(2, requires_grad=True)
y = (x**2).sum()
y.backward()
y.backward()

# backward twice with retain_graph
x = torch.ones(2, requires_grad=True)
y = (x**2).sum()
y.backward(retain_graph=True)
y.backward()
print(x.grad)

# backward twice of what saves nothing
x = torch.ones(2, requires_grad=True)
y = (x + 1).sum()
y.backward()
y.backward()
print(x.grad)

# Tensor.exp: two losses share a part
x = torch.ones(2, requires_grad=True)
h = x.exp()
a, b = h.sum(), (2 * h).sum()
a.backward(retain_graph=True)
b.backward()
print(x.grad)

# Tensor.exp: two losses share a part that was freed
x = torch.ones(2, requires_grad=True)
h = x.exp()
a, b = h.sum(), (2 * h).sum()
a.backward()
b.backward()

# backward of several outputs
x = torch.ones(2, requires_grad=True)
a, b = (x * 2).sum(), (x * 3).sum()
torch.autograd.backward([a, b])
print(x.grad)

# backward with a gradient
x = torch.ones(3, requires_grad=True)
y = x * 2
y.backward(torch.tensor([1.0, 10.0, 100.0]))
print(x.grad)

# backward with a gradient of the wrong shape
x = torch.ones(3, requires_grad=True)
y = x * 2
y.backward(torch.ones(2))

# backward only for some inputs
x = torch.ones(2, requires_grad=True)
y = torch.ones(2, requires_grad=True)
(x * y).sum().backward(inputs=[x])
print(x.grad, y.grad)

# grad of one thing by another
x = torch.ones(2, requires_grad=True)
y = (x**3).sum()
(g,) = torch.autograd.grad(y, x)
print(g, x.grad)

# grad of several inputs, one unused
x = torch.ones(2, requires_grad=True)
y = torch.ones(2, requires_grad=True)
g = torch.autograd.grad((x**2).sum(), [x, y], allow_unused=True)
print(g)

# torch.autograd.grad: an unused input is an error
x = torch.ones(2, requires_grad=True)
y = torch.ones(2, requires_grad=True)
torch.autograd.grad((x**2).sum(), [x, y])

# torch.autograd.grad: zeros for what is unused
x = torch.ones(2, requires_grad=True)
y = torch.ones(2, requires_grad=True)
g = torch.autograd.grad((x**2).sum(), [x, y], materialize_grads=True)

# grad by an intermediate result
x = torch.ones(2, requires_grad=True)
h = x * 2
y = (h**2).sum()
(g,) = torch.autograd.grad(y, h)
print(g)

# torch.autograd.grad: the product of a vector and a jacobian
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x**2
(g,) = torch.autograd.grad(y, x, grad_outputs=torch.tensor([1.0, 0.5]))

# torch.eye: many at once
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x**2
(g,) = torch.autograd.grad(y, x, grad_outputs=torch.eye(2), is_grads_batched=True)
print(g)

# Tensor.register_hook: a hook that doubles
x = torch.ones(2, requires_grad=True)
y = x * 3
y.register_hook(lambda g: g * 2)
y.sum().backward()
print(x.grad)

# Tensor.register_hook: a hook that looks
seen = []
x = torch.ones(2, requires_grad=True)
h = x.register_hook(lambda g: seen.append(g))
(x * 2).sum().backward()
h.remove()
(x * 2).sum().backward()

# Tensor.register_post_accumulate_grad_hook: a hook after accumulation
x = torch.ones(2, requires_grad=True)
x.register_post_accumulate_grad_hook(lambda p: print(p.grad))
(x * 2).sum().backward()

# Tensor.retain_grad: what retains a gradient goes on to do so after a write
a = torch.ones(3, requires_grad=True)
b = a.clamp(-1, 2)
b.retain_grad()
b.tanh_()
b.sum().backward()

# Tensor.retain_grad: a view that is of no use any more still says that it has no gradient
a = torch.ones(4, requires_grad=True) * 1
b, c = a.chunk(2)
with torch.no_grad():
    d = a[:2]
a.add_(1)
e = b.grad, d.grad, d.retains_grad
d.retain_grad()
b.retain_grad()

# Tensor.retain_grad: a gradient kept where a view is written
x = torch.ones(4, requires_grad=True)
base = x * 2
view = base[:2]
base.retain_grad()
view.retain_grad()
view.mul_(3)
base.sum().backward()
print(base.grad, view.grad, x.grad)
other = x * 2
part = other.view(2, 2)
other.retain_grad()
part.register_hook(lambda grad: print("hook", grad))
part[0].add_(x[:2])
(other * other).sum().backward()
print(other.grad)

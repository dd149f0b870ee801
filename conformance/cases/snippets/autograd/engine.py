# torch.randn: a gradient counts its versions
x = torch.randn(3, requires_grad=True)
versions = []
for _ in range(3):
    (x * 2).sum().backward()
    versions.append(x.grad._version)
first = x.grad

# Tensor.sin: gradients under create_graph add up out of place
x = torch.randn(3, requires_grad=True)
x.exp().sum().backward(create_graph=True)
first = x.grad
x.sin().sum().backward(create_graph=True)
second = x.grad
same = first is second

# torch.randn: a gradient that has a history is added to out of place
x = torch.randn(3, requires_grad=True)
w = torch.randn(3, requires_grad=True)
x.grad = w * 2
(x * 3).sum().backward()

# torch.zeros: a gradient that was set to a view of something
x = torch.randn(3, requires_grad=True)
memory = torch.zeros(6)
x.grad = memory[::2]
(x * 3).sum().backward()

# torch.randn: nodes are the same when they are asked for again
x = torch.randn(3, requires_grad=True)
y = x * 2
z = y + x
same = [
    z.grad_fn.next_functions[0][0] is y.grad_fn,
    z.grad_fn.next_functions[1][0] is y.grad_fn.next_functions[0][0],
    z.grad_fn is z.grad_fn,
    y.grad_fn.next_functions[0][0].variable is x,
]

# Tensor.mul_: an output that its node has saved, written into
x = torch.randn(3, requires_grad=True)
y = x.exp()
y.mul_(2)
y.sum().backward()

# Tensor.softmax: an output of a softmax, written into
x = torch.randn(2, 3, requires_grad=True)
y = x.softmax(1)
y[0, 0] = 1
y.sum().backward()

# Tensor.add_: outputs of a node that has saved one of several, written into
x = torch.randn(2, 3, requires_grad=True)
values, indices = x.max(1)
indices.add_(1)
values.sum().backward()

# torch.native_layer_norm: a layer's statistics
x = torch.randn(2, 3, requires_grad=True)
normal, mean, rstd = torch.native_layer_norm(x, [3], None, None, 1e-5)
mean.zero_()
normal.sum().backward()

# Tensor.add_: an input that was saved, written into
x = torch.randn(3, requires_grad=True)
w = torch.ones(3)
y = x * w
w.add_(1)
y.sum().backward()

# Tensor.mul_: an input that was saved, written into through a view
x = torch.randn(4, requires_grad=True)
w = torch.ones(4)
y = x * w
w[:2].mul_(3)
y.sum().backward()

# Tensor.add_: an input that was not saved, written into
x = torch.randn(3, requires_grad=True)
w = torch.ones(3)
y = x + w
w.add_(1)
y.sum().backward()

# torch.randn: a graph that is used twice
x = torch.randn(3, requires_grad=True)
y = (x * x).sum()
y.backward()
y.backward()

# torch.randn: a graph of additions that is used twice
x = torch.randn(3, requires_grad=True)
y = (x + 1).sum()
y.backward()
y.backward()

# torch.autograd.backward: several roots, some of them twice
x = torch.randn(3, requires_grad=True)
y, z = x * 2, x.exp()
torch.autograd.backward([y, z, y], [torch.ones(3), torch.ones(3), torch.full((3,), 2.0)])

# torch.autograd.backward: a root that leads to another
x = torch.randn(3, requires_grad=True)
y = x * 2
z = y.exp()
torch.autograd.backward([z, y], [torch.ones(3), torch.ones(3)])

# torch.autograd.backward: a leaf as a root
x = torch.randn(3, requires_grad=True)
torch.autograd.backward([x, x * 2], [torch.ones(3), torch.ones(3)])
x.sum().backward()

# Tensor.split: one result of several that is used many times
x = torch.randn(6, requires_grad=True)
a, b, c = x.split(2)
(a * b + a * c + b + a.exp()).sum().backward()

# Tensor.tanh: a wide graph: many paths from one tensor
x = torch.randn(3, requires_grad=True)
y = x * 2
total = y.sin() + y.cos() + y.exp() + y.tanh() + y * y
total.sum().backward()

# torch.randn: inputs: only some of the leaves get gradients
x = torch.randn(3, requires_grad=True)
w = torch.randn(3, requires_grad=True)
y = x * w
(y * w).sum().backward(inputs=[w])

# torch.autograd.grad: gradients of tensors along the way, in the order asked for
x = torch.randn(3, requires_grad=True)
y = x * 2
z = y.exp()
found = torch.autograd.grad(z.sum(), [x, y, x])

# Tensor.split: a gradient with respect to one of several outputs
x = torch.randn(6, requires_grad=True)
a, b = x.split(3)
found = torch.autograd.grad((a * b).sum(), [a, b, x])

# torch.autograd.grad: a tensor that is not used
x = torch.randn(3, requires_grad=True)
w = torch.randn(3, requires_grad=True)
found = torch.autograd.grad((x * 2).sum(), [x, w], allow_unused=True)
torch.autograd.grad((x * 2).sum(), [x, w])

# torch.randn: zeros for what is not used
x = torch.randn(3, requires_grad=True)
w = torch.randn(2, 2, requires_grad=True)
found = torch.autograd.grad((x * 2).sum(), [x, w], materialize_grads=True)

# Tensor.prod: a base that is written after views of it were taken
x = torch.randn(4, requires_grad=True)
base = x * 1
first, second = base[:2], base[2:]
base.mul_(2)
names = [first.grad_fn.name(), second.grad_fn.name(), base.grad_fn.name()]
(first.sum() * second.prod()).backward()

# Tensor.exp_: a view that is written, then its base, then a view of the view
x = torch.randn(4, requires_grad=True)
base = x * 1
view = base[1:]
inner = view[1:]
view.mul_(2)
base.add_(1)
inner.exp_()
base.sum().backward()
versions = [base._version, view._version, inner._version]

# torch.no_grad: views and bases under no_grad
x = torch.randn(4, requires_grad=True)
with torch.no_grad():
    view = x[:2]
versions = [x._version, view._version, view.requires_grad]
view.add_(1)

# torch.zeros: anomaly of a gradient that does not fit
x = torch.randn(3, requires_grad=True)
x.grad = torch.zeros(4)

# torch.zeros: a gradient of another dtype
x = torch.randn(3, requires_grad=True)
x.grad = torch.zeros(3, dtype=torch.float64)

# torch.randn: gradients of mixed dtypes are cast to their leaves
x = torch.randn(3, requires_grad=True)
w = torch.randn(3, dtype=torch.float64, requires_grad=True)
h = torch.randn(3, dtype=torch.bfloat16, requires_grad=True)
(x * w + h * x).sum().backward()

# torch.randn: gradients of what was broadcast
x = torch.randn(3, requires_grad=True)
w = torch.randn(2, 1, requires_grad=True)
s = torch.randn((), requires_grad=True)
(x * w * s + w).sum().backward()

# Tensor.stride: a gradient that repeats one element is made whole
x = torch.randn(2, 3, requires_grad=True)
x.sum().backward()
strides = x.grad.stride()
x.grad[0, 0] = 5

# Tensor.requires_grad_: the gradient of a leaf that lies in memory otherwise
x = torch.randn(3, 2).t().requires_grad_()
(x * torch.randn(2, 3)).sum().backward()
strides = x.grad.stride()
(x * 2).sum().backward()

# Tensor.zero_: two leaves do not share their gradient
x = torch.randn(3, requires_grad=True)
w = torch.randn(3, requires_grad=True)
(x + w).sum().backward()
x.grad.zero_()

# Tensor.mul_: a gradient that is given is not taken over
x = torch.randn(3, requires_grad=True)
given = torch.ones(3)
x.backward(given)
x.grad.mul_(2)

# Tensor.to: conversions that change something, and that do not
x = torch.randn(3, requires_grad=True)
double = x.double()
again = x.float()
half = x.to(torch.bfloat16)
same = [again is x, x.to(torch.float32) is x, x.to("cpu") is x, x.to(x) is x]
copied = x.to(torch.float32, copy=True)
numbers = torch.tensor([1.7, -2.3, 0.0]).int()
floats = torch.tensor([1, 2, 3]).float()
truths = torch.tensor([0.0, 2.0]).bool()

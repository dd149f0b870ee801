# Tensor.register_hook: several hooks of a tensor, in order, each given what the one before returned
x = torch.randn(3, requires_grad=True)
y = x * 2
calls = []
y.register_hook(lambda grad: calls.append("first") or grad * 2)
y.register_hook(lambda grad: calls.append("second") or grad + 1)
y.register_hook(lambda grad: calls.append("third"))
y.sum().backward()

# Tensor.register_hook: several hooks of a leaf, in order
x = torch.randn(3, requires_grad=True)
calls = []
x.register_hook(lambda grad: calls.append(("first", grad.tolist())) or grad * 2)
x.register_hook(lambda grad: calls.append(("second", grad.tolist())) or grad + 1)
(x * 3).sum().backward()

# Tensor.register_hook: hooks of a leaf with two paths are called once
x = torch.randn(3, requires_grad=True)
calls = []
x.register_hook(lambda grad: calls.append(grad.clone()))
(x.exp() + x * 2).sum().backward()

# Tensor.register_post_accumulate_grad_hook: hooks after accumulation, in order
x = torch.randn(3, requires_grad=True)
calls = []
x.register_post_accumulate_grad_hook(lambda leaf: calls.append(("first", leaf is x)))
x.register_post_accumulate_grad_hook(lambda leaf: calls.append(("second", leaf.grad.tolist())))
(x * 2).sum().backward()
(x * 2).sum().backward()

# Tensor.register_post_accumulate_grad_hook: a hook after accumulation that steps and clears
x = torch.ones(3, requires_grad=True)


def step(leaf):
    with torch.no_grad():
        leaf -= 0.1 * leaf.grad
    leaf.grad = None


x.register_post_accumulate_grad_hook(step)
(x * x).sum().backward()

# Tensor.register_hook: hooks of a node, before it and after it, in order
x = torch.randn(3, requires_grad=True)
y = (x * 2).exp()
calls = []
_node = y.grad_fn
_node.register_prehook(lambda outputs: calls.append(("before", len(outputs))))
_node.register_prehook(lambda outputs: (outputs[0] * 2,))
_node.register_prehook(lambda outputs: calls.append(("then", outputs[0].tolist())))
_node.register_hook(lambda inputs, outputs: calls.append(("after", outputs[0].tolist())))
_node.register_hook(lambda inputs, outputs: (inputs[0] * 3,))
_node.register_hook(lambda inputs, outputs: calls.append(("last", inputs[0].tolist())))
y.sum().backward()

# Tensor.register_hook: hooks of several nodes, tensors and leaves: who comes when
x = torch.randn(2, requires_grad=True)
w = torch.randn(2, requires_grad=True)
calls = []
y = x * w
z = y.tanh()
loss = z.sum()
for name, tensor in (("x", x), ("w", w), ("y", y), ("z", z), ("loss", loss)):
    tensor.register_hook(lambda grad, name=name: calls.append(name))
for name, tensor in (("y", y), ("z", z), ("loss", loss)):
    tensor.grad_fn.register_prehook(lambda outputs, name=name: calls.append(f"before {name}"))
    tensor.grad_fn.register_hook(lambda i, o, name=name: calls.append(f"after {name}"))
loss.backward()

# Tensor.register_hook: hooks of a node with several outputs
x = torch.randn(6, requires_grad=True)
a, b = x.split(3)
calls = []
a.register_hook(lambda grad: calls.append("a"))
b.register_hook(lambda grad: calls.append("b") or grad * 2)
a.grad_fn.register_prehook(lambda outputs: calls.append([o is None for o in outputs]))
a.grad_fn.register_hook(lambda inputs, outputs: calls.append([o is None for o in outputs]))
(a * b).sum().backward()

# Tensor.register_hook: one output of several that gets no gradient
x = torch.randn(6, requires_grad=True)
a, b = x.split(3)
calls = []
a.register_hook(lambda grad: calls.append("a"))
b.register_hook(lambda grad: calls.append("b"))
a.grad_fn.register_prehook(lambda outputs: calls.append([o is None for o in outputs]))
a.sum().backward()

# Tensor.register_hook: a hook that is taken away, and one that is taken away at the end of a block
x = torch.randn(3, requires_grad=True)
y = x * 2
calls = []
_handle = y.register_hook(lambda grad: calls.append("taken away"))
y.register_hook(lambda grad: calls.append("stays"))
_handle.remove()
_handle.remove()
with y.register_hook(lambda grad: calls.append("in the block")):
    y.sum().backward(retain_graph=True)
y.sum().backward()

# Tensor.register_hook: a hook that takes itself away
x = torch.randn(3, requires_grad=True)
y = x * 2
calls = []


def once(grad):
    calls.append("once")
    _handle.remove()


_handle = y.register_hook(once)
y.register_hook(lambda grad: calls.append("always"))
y.sum().backward(retain_graph=True)
y.sum().backward()

# Tensor.retain_grad: retained gradients and hooks: the hook comes first
x = torch.randn(3, requires_grad=True)
y = x * 2
y.retain_grad()
y.register_hook(lambda grad: grad * 10)
y.sum().backward()

# retain_grad of a leaf changes nothing
x = torch.randn(3, requires_grad=True)
x.retain_grad()
(x * 2).sum().backward()
before = x.grad.clone()
(x * 2).sum().backward()

# Tensor.retain_grad: retained gradients add up
x = torch.randn(3, requires_grad=True)
y = x * 2
y.retain_grad()
y.retain_grad()
y.sum().backward(retain_graph=True)
y.sum().backward()

# Tensor.register_hook: hooks under create_graph, and their gradient
x = torch.randn(3, requires_grad=True)
y = x.exp()
y.register_hook(lambda grad: grad * grad)
(first,) = torch.autograd.grad(y.sum() * 2, x, create_graph=True)
first.sum().backward()

# Tensor.register_hook: hooks and autograd.grad for the tensor that has them
x = torch.randn(3, requires_grad=True)
y = x * 2
calls = []
y.register_hook(lambda grad: calls.append("y") or grad * 2)
x.register_hook(lambda grad: calls.append("x") or grad * 5)
z = (y * 3).sum()
found = torch.autograd.grad(z, [x, y])

# Tensor.register_hook: a hook that returns something else than a tensor
x = torch.randn(3, requires_grad=True)
y = x * 2
y.register_hook(lambda grad: 3)
y.sum().backward()

# Tensor.register_hook: a hook that changes the size
x = torch.randn(3, requires_grad=True)
y = x * 2
y.register_hook(lambda grad: grad[:2])
y.sum().backward()

# Tensor.register_hook: a hook that raises
x = torch.randn(3, requires_grad=True)
y = x * 2


def refuse(grad):
    raise KeyError("no")


y.register_hook(refuse)
y.sum().backward()

# Tensor.register_hook: a hook on a tensor without gradient
x = torch.randn(3)
x.register_hook(lambda grad: grad)

# Tensor.register_post_accumulate_grad_hook: a hook after accumulation on a tensor that is no leaf
x = torch.randn(3, requires_grad=True)
(x * 2).register_post_accumulate_grad_hook(lambda leaf: None)

# Tensor.register_hook: hooks stay with the history they were registered for
x = torch.randn(3, requires_grad=True)
y = x * 2
calls = []
y.register_hook(lambda grad: calls.append("before the write"))
y.mul_(3)
y.register_hook(lambda grad: calls.append("after the write"))
y.sum().backward()

# Tensor.register_hook: a hook that changes the dtype
x = torch.randn(3, requires_grad=True)
y = x * 2
y.register_hook(lambda grad: grad.double())
y.sum().backward()

# Tensor.register_hook: a hook that makes a gradient where there is none
x = torch.randn(6, requires_grad=True)
a, b = x.split(3)
b.register_hook(lambda grad: torch.ones(3))
a.sum().backward()

# Tensor.register_hook: hooks under create_graph add to a leaf's gradient with a history
x = torch.randn(3, requires_grad=True)
calls = []
x.register_hook(lambda grad: calls.append(grad.requires_grad) or grad * 2)
x.exp().sum().backward(create_graph=True)
x.sin().sum().backward(create_graph=True)

# Tensor.retain_grad: a retained gradient of which there are two
x = torch.randn(3, requires_grad=True)
y = x * 2
y.retain_grad()
z = y.exp()
torch.autograd.grad(z.sum(), x, retain_graph=True, create_graph=True)
z.sum().backward(create_graph=True)

# Tensor.register_hook: the hook of a node that nothing holds
x = torch.randn(3, requires_grad=True)
y = x * 2
calls = []
y.grad_fn.next_functions[0][0].register_hook(lambda i, o: calls.append("leaf"))
y.grad_fn.next_functions[0][0].register_prehook(lambda o: calls.append("before leaf"))
y.sum().backward()

# Tensor.retain_grad: inputs: one that is no leaf
x = torch.randn(3, requires_grad=True)
y = x * 2
y.retain_grad()
(y * y).sum().backward(inputs=[y])

# retain_grad twice, and after a write
x = torch.randn(3, requires_grad=True)
y = x * 2
y.retain_grad()
y.mul_(3)
y.retain_grad()
y.sum().backward()

# Tensor.register_post_accumulate_grad_hook: a leaf: its hooks, those of the end of its graph, and those after accumulation
calls = []
x = torch.ones(2, requires_grad=True)
y = x * 2
_end = y.grad_fn.next_functions[0][0]
x.register_hook(lambda g: calls.append("leaf") or g * 2)
_end.register_prehook(lambda g: calls.append(("before", g[0].tolist())) or (g[0] * 3,))
_end.register_hook(lambda i, o: calls.append(("after", len(i), o[0].tolist(), x.grad.tolist())))
x.register_post_accumulate_grad_hook(lambda t: calls.append(("accumulated", t.grad.tolist())))
y.sum().backward()

# Tensor.register_post_accumulate_grad_hook: a leaf under autograd.grad: which hooks are called
calls = []
x = torch.ones(2, requires_grad=True)
y = x * 2
_end = y.grad_fn.next_functions[0][0]
x.register_hook(lambda g: calls.append("leaf") or g * 2)
_end.register_prehook(lambda g: calls.append("before") or (g[0] * 3,))
_end.register_hook(lambda i, o: calls.append("after"))
x.register_post_accumulate_grad_hook(lambda t: calls.append("accumulated"))
print(torch.autograd.grad(y.sum(), x))

# Tensor.register_hook: a tensor under autograd.grad: which hooks are called
calls = []
x = torch.ones(2, requires_grad=True)
y = x * 2
y.register_hook(lambda g: calls.append("tensor") or g * 2)
y.grad_fn.register_prehook(lambda g: calls.append("before") or (g[0] * 3,))
y.grad_fn.register_hook(lambda i, o: calls.append("after"))
y.retain_grad()
print(torch.autograd.grad((y * y).sum(), y, retain_graph=True), y.grad)
print(torch.autograd.grad((y * y).sum(), [x, y]), y.grad)

# Tensor.register_hook: retained gradients, and hooks that are registered before and after
x = torch.ones(2, requires_grad=True)
y = x * 2
y.register_hook(lambda g: g * 2)
y.retain_grad()
y.register_hook(lambda g: g * 3)
y.grad_fn.register_prehook(lambda g: (g[0] * 5,))
y.sum().backward()

# Tensor.register_hook: hooks that write the gradient
x = torch.ones(2, requires_grad=True)
y = x * 2
y.register_hook(lambda g: g.mul_(2))
x.register_hook(lambda g: g.add_(1))
(y * torch.tensor([1.0, 3.0])).sum().backward()

# Tensor.register_hook: a hook that returns what another keeps
kept = []
x = torch.ones(2, requires_grad=True)
x.register_hook(lambda g: kept.append(g))
(x * 2).sum().backward()
(x * 3).sum().backward()
print(kept[0] is x.grad)

# Tensor.register_hook: hooks that are registered during backward
calls = []
x = torch.ones(2, requires_grad=True)
y = x * 2
z = y * 3


def hook(g):
    calls.append("z")
    y.register_hook(lambda g: calls.append("y"))
    x.register_hook(lambda g: calls.append("x"))
    z.register_hook(lambda g: calls.append("late z"))


z.register_hook(hook)
z.sum().backward(retain_graph=True)
calls.append("again")
z.sum().backward()

# Tensor.register_hook: hooks that are removed during backward
calls = []
x = torch.ones(2, requires_grad=True)
y = x * 2
_handles = []


def hook(g):
    calls.append("first")
    for _handle in _handles:
        _handle.remove()


y.register_hook(hook)
_handles.append(y.register_hook(lambda g: calls.append("second")))
_handles.append(x.register_hook(lambda g: calls.append("x")))
y.sum().backward()

# Tensor.register_hook: hooks live as long as the graph does
calls = []
x = torch.ones(2, requires_grad=True)


def work():
    y = x * 2
    y.register_hook(lambda g: calls.append("y"))
    return y.exp().sum()


work().backward()

# Tensor.register_hook: a hook of a view, and of its base
calls = []
x = torch.ones(4, requires_grad=True)
y = x * 1
z = y[:2]
z.register_hook(lambda g: calls.append(("view", g.tolist())))
y.register_hook(lambda g: calls.append(("base", g.tolist())))
z.mul_(3)
z.register_hook(lambda g: calls.append(("written view", g.tolist())))
y.register_hook(lambda g: calls.append(("written base", g.tolist())))
y.sum().backward()

# Tensor.register_hook: a hook of a leaf that has no gradient any more
calls = []
x = torch.ones(2, requires_grad=True)
x.register_hook(lambda g: calls.append("x"))
y = x * 2
x.requires_grad_(False)
try:
    y.sum().backward()
except RuntimeError as error:
    print(error)
x.requires_grad_()
(x * 2).sum().backward()

# Tensor.detach_: a hook of a tensor that is detached in place
calls = []
x = torch.ones(2, requires_grad=True)
y = x * 2
y.register_hook(lambda g: calls.append("y"))
z = y.sum()
y.detach_()
z.backward()
y.register_hook(lambda g: None)

# Tensor.register_hook: a hook that cannot be called
x = torch.ones(2, requires_grad=True)
x.register_hook(3)
(x * 2).sum().backward()

# Tensor.register_hook: hooks of copies
import copy

calls = []
x = torch.ones(2, requires_grad=True)
x.register_hook(lambda g: calls.append("hook"))
_copy = copy.deepcopy(x)
(_copy * 2).sum().backward()
(x.detach().requires_grad_() * 2).sum().backward()
print(_copy._backward_hooks is None, len(x._backward_hooks), calls)

# Tensor.register_post_accumulate_grad_hook: hooks of a parameter
calls = []
_model = nn.Linear(2, 1)
_model.weight.register_hook(lambda g: calls.append("weight") or g * 0)
_model.bias.register_post_accumulate_grad_hook(lambda p: calls.append(type(p)))
_model(torch.ones(3, 2)).sum().backward()
print(_model.weight.grad, _model.bias.grad)

# Tensor.register_post_accumulate_grad_hook: a hook after accumulation that is called twice, and removed
calls = []
x = torch.ones(2, requires_grad=True)
_handle = x.register_post_accumulate_grad_hook(lambda t: calls.append(t.grad.sum().item()))
(x * 2).sum().backward()
x.grad = None
(x * 3).sum().backward()
_handle.remove()
(x * 4).sum().backward()
print(type(_handle))

# Tensor.register_post_accumulate_grad_hook: a hook after accumulation that returns something
x = torch.ones(2, requires_grad=True)
x.register_post_accumulate_grad_hook(lambda t: 3)
(x * 2).sum().backward()

# Tensor.register_post_accumulate_grad_hook: a hook after accumulation that raises
x = torch.ones(2, requires_grad=True)
x.register_post_accumulate_grad_hook(lambda t: {}[1])
(x * 2).sum().backward()

# Tensor.register_post_accumulate_grad_hook: a hook after accumulation on a tensor without gradient
torch.ones(2).register_post_accumulate_grad_hook(lambda t: None)

# Tensor.register_post_accumulate_grad_hook: a hook after accumulation that runs the optimizer
_model = nn.Linear(2, 1)
_optimizers = {p: torch.optim.SGD([p], lr=0.1) for p in _model.parameters()}


def step(p):
    _optimizers[p].step()
    _optimizers[p].zero_grad()


for p in _model.parameters():
    p.register_post_accumulate_grad_hook(step)
for _ in range(2):
    _model(torch.ones(3, 2)).sum().backward()
print(_model.weight, _model.weight.grad)
p = 0

# Tensor.register_hook: hooks of a node that return None, a list, or too much
x = torch.ones(2, requires_grad=True)
for _returned in (None, [torch.ones(2)], (torch.ones(2), torch.ones(2)), (3,), (torch.ones(3),)):
    y = x * 2
    y.grad_fn.register_hook(lambda i, o: _returned)
    try:
        y.sum().backward()
    except Exception as error:
        print(type(error).__name__, error)
    y = x * 2
    y.grad_fn.register_prehook(lambda o: _returned)
    try:
        y.sum().backward()
    except Exception as error:
        print(type(error).__name__, error)

# Tensor.register_hook: what hooks of a node see of inputs that need no gradient
calls = []
x = torch.ones(2, requires_grad=True)
y = x * torch.ones(2)
y.grad_fn.register_hook(lambda i, o: calls.append([g is None for g in i]))
z = torch.cat([torch.ones(1), y, torch.ones(1)])
z.grad_fn.register_hook(lambda i, o: calls.append([g is None for g in i]))
z.sum().backward()

# Tensor.register_hook: hooks of nodes of several outputs, one of which is used
calls = []
x = torch.ones(6, requires_grad=True)
a, b, c = (x * 2).split(2)
a.grad_fn.register_prehook(lambda o: calls.append([g is None for g in o]))
a.grad_fn.register_hook(lambda i, o: calls.append(([g is None for g in i], [g is None for g in o])))
b.register_hook(lambda g: calls.append("b"))
b.retain_grad()
b.sum().backward()

# Tensor.backward: a prehook that makes a gradient None
x = torch.ones(2, requires_grad=True)
y = x * 2
y.grad_fn.register_prehook(lambda o: (None,))
y.sum().backward()

# Tensor.register_hook: a hook that makes a gradient None
x = torch.ones(2, requires_grad=True)
y = x * 2
y.grad_fn.register_hook(lambda i, o: (None,))
y.sum().backward()

# Tensor.register_hook: hooks of a node during create_graph
calls = []
x = torch.ones(2, requires_grad=True)
y = x * x
y.grad_fn.register_hook(lambda i, o: calls.append((i[0].requires_grad, torch.is_grad_enabled())))
y.register_hook(lambda g: calls.append((g.requires_grad, torch.is_grad_enabled())))
_grads = torch.autograd.grad(y.sum(), x, create_graph=True)
torch.autograd.grad(y.sum(), x)

# Tensor.register_hook: the same hook twice
calls = []
x = torch.ones(2, requires_grad=True)


def hook(g):
    calls.append("hook")


_first = x.register_hook(hook)
_second = x.register_hook(hook)
(x * 2).sum().backward()
_first.remove()
(x * 2).sum().backward()
print(_first.id < _second.id)

# Tensor.register_hook: hooks and inputs
calls = []
x = torch.ones(2, requires_grad=True)
w = torch.ones(2, requires_grad=True)
y = x * w
x.register_hook(lambda g: calls.append("x"))
w.register_hook(lambda g: calls.append("w"))
y.register_hook(lambda g: calls.append("y"))
w.register_post_accumulate_grad_hook(lambda t: calls.append("w accumulated"))
y.sum().backward(inputs=[x], retain_graph=True)
y.sum().backward(inputs=[y, w])

# Tensor.exp: the end of a graph at a leaf is one object as long as it is held
x = torch.ones(2, requires_grad=True)
_end = (x * 2).grad_fn.next_functions[0][0]
print(_end is x.exp().grad_fn.next_functions[0][0], _end.variable is x, _end.next_functions)

# Tensor.register_hook: hooks see gradients that were added up
calls = []
x = torch.ones(2, requires_grad=True)
y = x * 2
y.register_hook(lambda g: calls.append(g.tolist()))
(y * 2 + y.exp() * 0 + y * y).sum().backward()

# Tensor.register_hook: a hook of the root, and of a root that is a leaf
calls = []
x = torch.tensor(2.0, requires_grad=True)
x.register_hook(lambda g: calls.append(g.item()) or g * 2)
x.backward()
y = x * 3
y.register_hook(lambda g: calls.append(g.item()) or g * 2)
y.backward(torch.tensor(5.0))

# Tensor.register_hook: a hook of an expanded gradient that writes
x = torch.ones(2, requires_grad=True)
y = x * 2
y.register_hook(lambda g: g.add_(1))
y.sum().backward()

# Tensor.register_hook: hooks and a gradient that is sparse in its use
calls = []
x = torch.ones(3, requires_grad=True)
x.register_hook(lambda g: calls.append(g.tolist()))
(x[0] + x[2] * 2).backward()

# Tensor.register_hook: the gradient that a hook gets
x = torch.ones(2, 3, requires_grad=True)
y = x.t()
seen = []
y.register_hook(lambda g: seen.append((g.shape, g.stride(), g.requires_grad, g.is_leaf, g.grad_fn)))
(y * torch.ones(3, 2)).sum().backward()

# retain_grad on what requires none
torch.ones(2).retain_grad()

# Tensor.backward: the gradient of a non-leaf that was not retained
x = torch.ones(2, requires_grad=True)
y = x * 2
y.sum().backward()
print(y.grad, y.retains_grad, x.retains_grad)

# Tensor.register_hook: hooks of roots that lead nowhere
calls = []
x = torch.ones(2, requires_grad=True)
w = torch.ones(2, requires_grad=True)
y, z = (x * 2).sum(), (w * 2).sum()
w.register_hook(lambda g: calls.append("leaf"))
z.register_hook(lambda g: calls.append("tensor"))
for _roots in ([z, y], [z], [z, z]):
    torch.autograd.grad(_roots, x, retain_graph=True, allow_unused=True)
    calls.append("next")
torch.autograd.grad([w.sum(), w], x, [None, torch.ones(2)], allow_unused=True)
torch.autograd.grad(w, x, torch.ones(2), allow_unused=True)

# torch.autograd.graph.register_multi_grad_hook: a hook on several tensors, the root among them
calls = []
x = torch.ones(2, requires_grad=True)
y = x * 2
torch.autograd.graph.register_multi_grad_hook(
    (x, y), lambda grads: calls.append([g is not None for g in grads])
)
y.backward(torch.ones(2), retain_graph=True)
torch.autograd.backward([y, y], [torch.ones(2)] * 2, retain_graph=True)
y.sum().backward()


# torch.autograd.Function: a freed node that receives nothing
class Nothing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return None


x = torch.ones(2, requires_grad=True)
y = x.exp()
y.sum().backward()
Nothing.apply(y).sum().backward()


# torch.autograd.graph.saved_tensors_hooks: a node that receives nothing unpacks what it saved
class Nothing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return None


calls = []
x = torch.ones(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(
    lambda t: t.detach(), lambda t: calls.append("unpack") or t
):
    y = x.exp() * x
Nothing.apply(y).sum().backward()


# Tensor.mul_: a written view that is an input: its writer runs
class Write(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def backward(ctx, grad):
        print("backward")
        return grad * 2


x = torch.ones(3, requires_grad=True)
y = x * 1
Write.apply(y[1:])
(y * y).sum().backward(retain_graph=True, inputs=[y])
(y * y).sum().backward(inputs=[x])
(y * y).sum().backward(inputs=[y])

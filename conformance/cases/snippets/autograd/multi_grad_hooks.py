# Tensor.tolist: multi grad hook, all: order of gradients and None
from torch.autograd.graph import register_multi_grad_hook

a, b, c = [torch.ones(2, requires_grad=True) for _ in range(3)]
x = a * 2
y = b * 3
seen = []
h = register_multi_grad_hook(
    [x, y, c, a], lambda grads: seen.append([None if g is None else g.tolist() for g in grads])
)
(x + y).sum().backward(retain_graph=True)
(x.sum()).backward(retain_graph=True)
(x + y + c).sum().backward(retain_graph=True)
h.remove()
(x + y + c).sum().backward()
print(seen)

# Tensor.tolist: multi grad hook, any: which gradient
from torch.autograd.graph import register_multi_grad_hook

a, b = [torch.ones(2, requires_grad=True) for _ in range(2)]
x = a * 2
y = b * 3
seen = []
with register_multi_grad_hook([x, y], lambda g: seen.append(g.tolist()), mode="any"):
    (x * 5 + y * 7).sum().backward(retain_graph=True)
    (x * 5).sum().backward(retain_graph=True)
(x * 5 + y * 7).sum().backward()
print(seen)

# Tensor.backward: multi grad hook on nothing and on nested lists
from torch.autograd.graph import register_multi_grad_hook

a = torch.ones(2, requires_grad=True)
try:
    h = register_multi_grad_hook([], lambda g: print("called", g))
    (a * 2).sum().backward()
except Exception as e:
    print(type(e).__name__, e)

# Tensor.mul_: multi grad hook whose fn changes grads in place
from torch.autograd.graph import register_multi_grad_hook

a, b = [torch.ones(2, requires_grad=True) for _ in range(2)]


def fn(grads):
    for g in grads:
        if g is not None:
            g.mul_(2)
    return "ignored"


register_multi_grad_hook((a, b), fn)
(a * 2 + b).sum().backward()

# Tensor.backward: multi grad hook and nested backward
from torch.autograd.graph import register_multi_grad_hook

a, b = [torch.ones(2, requires_grad=True) for _ in range(2)]
seen = []


def fn(grads):
    seen.append(len(grads))
    (torch.ones(2, requires_grad=True) * 2).sum().backward()


register_multi_grad_hook((a, b), fn)
(a * 2 + b).sum().backward()
print(seen, a.grad, b.grad)

# torch.autograd.grad: multi grad hook under grad with inputs
from torch.autograd.graph import register_multi_grad_hook

a, b = [torch.ones(2, requires_grad=True) for _ in range(2)]
x = a * 2
y = x + b
seen = []
register_multi_grad_hook((x, y), lambda grads: seen.append([g is None for g in grads]))
torch.autograd.grad(y.sum(), b, retain_graph=True)
torch.autograd.grad(y.sum(), x, retain_graph=True)
torch.autograd.grad(y.sum(), a, retain_graph=True)
y.sum().backward(inputs=[b], retain_graph=True)
y.sum().backward()
print(seen)

# Tensor.backward: multi grad hook all with create_graph
from torch.autograd.graph import register_multi_grad_hook

a = torch.ones(2, requires_grad=True)
x = a**2
seen = []
register_multi_grad_hook((x, a), lambda grads: seen.append([g.requires_grad for g in grads]))
(x**2).sum().backward(create_graph=True)
print(seen)

# Tensor.register_post_accumulate_grad_hook: post accumulate hook sees, changes, frees
a = torch.ones(2, requires_grad=True)
seen = []


def hook(t):
    seen.append((t is a, t.grad.tolist()))
    t.grad = None


h = a.register_post_accumulate_grad_hook(hook)
(a * 2).sum().backward()
print(a.grad)
h.remove()
(a * 2).sum().backward()
print(a.grad, seen)

# register_hook with prepend-like arguments, wrong arguments
a = torch.ones(2, requires_grad=True)
for f in (
    lambda: a.register_hook(),
    lambda: a.register_hook(None),
    lambda: a.register_hook(lambda g: g, 1),
    lambda: torch.ones(2).register_hook(lambda g: g),
    lambda: torch.ones(2).register_post_accumulate_grad_hook(lambda g: g),
    lambda: (a * 1).register_post_accumulate_grad_hook(lambda g: g),
    lambda: a.retain_grad(),
    lambda: torch.ones(2).retain_grad(),
    lambda: a.grad_fn.register_hook,
):
    try:
        print(type(f()).__name__)
    except Exception as e:
        print(type(e).__name__, e)

# Tensor.register_hook: handles: with statement, id order, double remove, weak
a = torch.ones(2, requires_grad=True)
h1 = a.register_hook(lambda g: g * 2)
h2 = a.register_hook(lambda g: g + 1)
print(h2.id - h1.id, type(h1).__module__, type(h1).__name__)
h1.remove()
h1.remove()
with h2:
    (a * 1).sum().backward()
print(a.grad)
(a * 1).sum().backward()
print(a.grad)

# Tensor.register_hook: a hook that returns a view, an expanded tensor, the same tensor written
a = torch.ones(2, requires_grad=True)
a.register_hook(lambda g: g.view(2))
a.register_hook(lambda g: torch.tensor(3.0).expand(2))
a.register_hook(lambda g: g.mul(2))
(a * 1).sum().backward()
print(a.grad, a.grad.stride())

# Tensor.register_hook: hooks that raise leave later backward possible
a = torch.ones(2, requires_grad=True)
b = a * 2
h = b.register_hook(lambda g: 1 / 0)
try:
    b.sum().backward(retain_graph=True)
except ZeroDivisionError as e:
    print(e)
h.remove()
b.sum().backward()
print(a.grad)

# Tensor.register_hook: node hooks on AccumulateGrad
a = torch.ones(2, requires_grad=True)
n = a.view_as(a).grad_fn.next_functions[0][0]
seen = []
n.register_prehook(lambda g: seen.append(("pre", g[0].tolist())))
n.register_hook(lambda i, o: seen.append(("post", i, o[0].tolist(), a.grad.tolist())))
(a * 2).sum().backward()
print(seen, n.variable is a, n.name())

# Tensor.register_hook: node hooks that change the number or kind
a = torch.ones(2, requires_grad=True)
for hook in (
    lambda i, o: (i[0], i[0]),
    lambda i, o: i[0],
    lambda i, o: [i[0]],
    lambda i, o: (None,),
    lambda i, o: (i[0].double(),),
    lambda i, o: (torch.ones(3),),
    lambda i, o: 3,
):
    b = a.exp()
    b.grad_fn.register_hook(hook)
    a.grad = None
    try:
        b.sum().backward()
        print(a.grad)
    except Exception as e:
        print(type(e).__name__, str(e).replace("<lambda>", ""))

# Tensor.double: prehooks that change the number or kind
a = torch.ones(2, requires_grad=True)
for hook in (
    lambda o: (o[0], o[0]),
    lambda o: o[0],
    lambda o: (None,),
    lambda o: (o[0].double(),),
    lambda o: (torch.ones(3),),
    lambda o: (o[0] * 2,),
    lambda o: None,
):
    b = a.exp()
    b.grad_fn.register_prehook(hook)
    a.grad = None
    try:
        b.sum().backward()
        print(a.grad)
    except Exception as e:
        print(type(e).__name__, str(e).replace("<lambda>", ""))

# Tensor.register_hook: hooks on several outputs of one node
a = torch.arange(4.0, requires_grad=True)
x, y = a.split(2)
seen = []
x.register_hook(lambda g: seen.append(("x", g)))
y.register_hook(lambda g: seen.append(("y", g)))
x.grad_fn.register_prehook(lambda g: seen.append(g))
x.retain_grad()
y.retain_grad()
(x * 2).sum().backward()
print(seen, x.grad, y.grad, a.grad)

# Tensor.register_hook: a hook of a tensor that is then written in place
a = torch.ones(2, requires_grad=True)
b = a * 2
seen = []
b.register_hook(lambda g: seen.append(("before", g.tolist())))
b.retain_grad()
b.mul_(3)
b.register_hook(lambda g: seen.append(("after", g.tolist())))
b.sum().backward()
print(seen, b.grad)

# retains_grad
a = torch.ones(2, requires_grad=True)
b = a * 2
print(a.retains_grad, b.retains_grad)
b.retain_grad()
print(b.retains_grad, b.clone().retains_grad, b.detach().retains_grad, b.view(2).retains_grad)
a.retain_grad()
print(a.retains_grad)

# torch.ones: grad of a non-leaf: the warning, and setting it
import warnings

a = torch.ones(2, requires_grad=True)
b = a * 2
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always")
    g = b.grad
    print(len(w), str(w[0].message)[:80] if w else "")
b.grad = torch.ones(2)
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always")
    print(b.grad, len(w))

# Tensor.int: assigning .grad: checks
a = torch.ones(2, requires_grad=True)
for v in (
    torch.ones(3),
    torch.ones(2, dtype=torch.float64),
    3,
    "x",
    a,
    torch.ones(2, 1),
    None,
    torch.ones(2, requires_grad=True),
    torch.ones(1, 2)[0],
    torch.ones(2).int(),
):
    try:
        a.grad = v
        print("ok", a.grad is v)
    except Exception as e:
        print(type(e).__name__, e)
del a.grad
print(a.grad)

# torch.ones: assigning .data: checks
a = torch.ones(2, requires_grad=True)
b = a * 2
for v in (torch.ones(3), torch.ones(2, dtype=torch.float64), 3, None):
    try:
        a.data = v
        print("ok", a.shape, a.dtype)
    except Exception as e:
        print(type(e).__name__, e)

# Tensor.as_strided: accumulate: layouts of gradients
seen = []
for make in (
    lambda: torch.ones(2, 3),
    lambda: torch.ones(3, 2).t(),
    lambda: torch.ones(2, 3, 4, 5).to(memory_format=torch.channels_last),
    lambda: torch.ones(6).as_strided((2, 3), (3, 1)),
    lambda: torch.ones(2, 1).expand(2, 3),
):
    p = make().detach().requires_grad_()
    for use in (
        lambda p: p.sum(),
        lambda p: (p * 2).sum(),
        lambda p: p.t().exp().sum() if p.dim() == 2 else p.exp().sum(),
        lambda p: p.reshape(-1).sum(),
        lambda p: p[0].sum(),
    ):
        p.grad = None
        try:
            use(p).backward()
            first = p.grad.stride()
            use(p).backward()
            seen.append((first, p.grad.stride()))
        except Exception as e:
            seen.append(str(e))
print(seen)

# Tensor.data_ptr: gradients that are stolen or cloned
a = torch.ones(3, requires_grad=True)
g = torch.ones(3)
(a * 1).backward(g)
print(a.grad is g, a.grad.data_ptr() == g.data_ptr())
b = torch.ones(3, requires_grad=True)
b.backward(g)
print(b.grad.data_ptr() == g.data_ptr())
kept = []
c = torch.ones(3, requires_grad=True)
d = c * 1
d.register_hook(lambda g: kept.append(g))
d.backward(torch.ones(3))
print(c.grad.data_ptr() == kept[0].data_ptr())
e = torch.ones(3, requires_grad=True)
e.register_hook(lambda g: kept.append(g))
(e * 1).sum().backward()
print(e.grad.data_ptr() == kept[1].data_ptr())

# Tensor.backward: grad accumulates in place: identity of .grad
a = torch.ones(3, requires_grad=True)
(a * 2).sum().backward()
g = a.grad
(a * 2).sum().backward()
print(a.grad is g, g, g._version)
(a * 2).sum().backward(create_graph=True)
print(a.grad is g, a.grad.requires_grad)
a.grad = None

# Tensor.register_post_accumulate_grad_hook: the dictionaries that hold the hooks of tensors
a = torch.ones(2, requires_grad=True)
print(a._backward_hooks, a._post_accumulate_grad_hooks)
h = a.register_hook(lambda g: g)
g = a.register_post_accumulate_grad_hook(lambda t: None)
print(type(a._backward_hooks).__name__, len(a._backward_hooks), list(a._backward_hooks) == [h.id])
print(type(a._post_accumulate_grad_hooks).__name__, len(a._post_accumulate_grad_hooks))
h.remove()
g.remove()
print(a._backward_hooks, a._post_accumulate_grad_hooks)
b = a * 2
print(b._backward_hooks, b._post_accumulate_grad_hooks)
del g, h

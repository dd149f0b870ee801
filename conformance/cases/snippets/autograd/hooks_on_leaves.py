# Tensor.register_hook: a non-leaf among inputs= retains its gradient and its node runs
log = []
a = torch.ones(2, requires_grad=True)
b = a * 2
c = b * 3
b.register_hook(lambda grad: grad * 2)
b.grad_fn.register_prehook(lambda grads: log.append("before"))
b.grad_fn.register_hook(lambda ins, outs: log.append("after"))
c.sum().backward(inputs=[b])
kept = b.retains_grad

# Tensor.register_hook: hooks of what leads nowhere that is asked for
log = []
a = torch.ones(2, requires_grad=True)
b = a * 2
c = b * 3
d = torch.ones(2, requires_grad=True)
b.retain_grad()
a.register_hook(lambda grad: log.append("a"))
b.register_hook(lambda grad: grad * 2)
c.register_hook(lambda grad: log.append("c"))
d.register_hook(lambda grad: log.append("d"))
(e,) = torch.autograd.grad((c * d).sum(), [b])

# Tensor.register_hook: a hook on a root that leads nowhere
log = []
a = torch.ones(2, requires_grad=True)
b = a * 2
c = torch.ones(2, requires_grad=True)
b.register_hook(lambda grad: log.append(grad.tolist()))
b.retain_grad()
(d,) = torch.autograd.grad(b, [c], torch.ones(2), allow_unused=True)

# Tensor.register_hook: a node's hook must return a tuple
a = torch.ones(2, requires_grad=True)
b = a * 2
h = b.grad_fn.register_hook(lambda ins, outs: ins[0] * 2)
b.sum().backward(retain_graph=True)

# Tensor.register_hook: a node's hook must return as many as there are
a = torch.ones(2, requires_grad=True)
b = a * 2
h = b.grad_fn.register_hook(lambda ins, outs: (ins[0],))
b.sum().backward(retain_graph=True)

# Tensor.register_hook: a tensor's hook must keep the dtype
a = torch.ones(2, requires_grad=True)
b = a * 2
h = b.register_hook(lambda grad: grad + 0j)
b.sum().backward()

# Tensor.register_hook: a node's hook sees gradients that are summed and cast to what they go to
log = []
a = torch.ones(3, requires_grad=True)
b = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
c = a * b
c.grad_fn.register_hook(lambda ins, outs: log.append(ins))
c.sum().backward(retain_graph=True)
d = torch.autograd.grad(c.sum(), [a, b], create_graph=True)


# Tensor.register_hook: a hook of a leaf hears of nothing, too
class Forgetful(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x + y

    @staticmethod
    def backward(ctx, grad):
        return grad, None


a = torch.ones(3, requires_grad=True)
b = torch.ones(3, requires_grad=True)
heard = []
handle = b.register_hook(heard.append)
Forgetful.apply(a, b).sum().backward()
c = torch.tensor(len(heard))
handle.remove()
b.register_hook(lambda grad: grad.sum())
Forgetful.apply(a, b).sum().backward()

# Tensor.register_hook: a node's hook sees no gradients that are not asked for
log = []
a = torch.ones(2, requires_grad=True)
b = torch.ones(2, requires_grad=True)
c = a * b
c.grad_fn.register_hook(lambda ins, outs: log.append([each is None for each in ins]))
d = torch.autograd.grad(c.sum(), a, retain_graph=True)
c.sum().backward(inputs=[c])

# Tensor.register_hook: graphs from before a leaf got another dtype lead to the end that they had
a = torch.ones(2, 3, requires_grad=True)
b, before = a * a, []
a.register_hook(lambda grad: before.append(grad.dtype))
a.data = torch.ones(2, 3, dtype=torch.float64)
c = a * 3
d = [x.grad_fn.next_functions[0][0] for x in (b, c)]
e = d[0] is d[1]
f = torch.autograd.grad(b.sum() + c.sum(), a, retain_graph=True)
g = torch.autograd.grad(b.sum(), a, retain_graph=True, allow_unused=True)
b.sum().backward(retain_graph=True)
h = a.grad.clone()
c.sum().backward()
b.sum().backward()
i = a.grad

# Tensor.register_hook: with its hooks, and under create_graph
a = torch.ones(3, requires_grad=True)
b, seen = a.exp(), []
c = b.grad_fn.next_functions[0][0]
c.register_hook(lambda grads, given: seen.append(len(given)))
a.data = torch.ones(6, dtype=torch.float64)[::2]
b.sum().backward(create_graph=True)
d = a.grad.dtype, a.grad.grad_fn.name(), b.grad_fn.next_functions[0][0] is c

# Tensor.register_hook: hooks of an AccumulateGrad live as long as a graph that leads there
log = []
a = torch.ones(2, requires_grad=True)
torch.autograd.graph.get_gradient_edge(a).node.register_hook(lambda i, o: log.append("nobody"))
(a * 2).sum().backward()
node = torch.autograd.graph.get_gradient_edge(a).node
handle = node.register_hook(lambda i, o: log.append("held"))
b = a * 2
del node
b.sum().backward(retain_graph=True)
c = a * 3
del b
c.sum().backward(retain_graph=True)
d = torch.stack([a, a])
del c
d.sum().backward(retain_graph=True)
handle.remove()
d.sum().backward()

# Tensor.register_hook: hooks of an AccumulateGrad stay while a view is brought up to date
log = []
a = torch.ones(3, requires_grad=True)
b = a[:]
torch.autograd.graph.get_gradient_edge(a).node.register_hook(lambda i, o: log.append(o[0].tolist()))
with torch.no_grad():
    b.neg_()
b.sum().backward()

# Tensor.register_post_accumulate_grad_hook: how often a gradient was written
for uses in (1, 2, 3, 5):
    for hooked in (False, True):
        for shape in ((2,), (2, 3), ()):
            x = torch.ones(shape, requires_grad=True)
            if hooked:
                x.register_post_accumulate_grad_hook(lambda x: None)
            y = sum((x * (i + 1) for i in range(uses)), torch.zeros(shape))
            if hooked:
                y.register_hook(lambda grad: None)
            y.sum().backward()
            seen = [x.grad._version]
            (x * 3).sum().backward()
            seen.append(x.grad._version)
            (g,) = torch.autograd.grad(sum(x * i for i in range(1, uses + 1)).sum(), x)
            print(uses, hooked, shape, seen, g._version)
del x, y, g

# Tensor.register_post_accumulate_grad_hook: who waits for the end of a leaf's accumulation hears of it though it needs no gradient any more
log = []
a = torch.tensor([-3.0, -2.75]).requires_grad_()
a.register_post_accumulate_grad_hook(lambda t: log.append(t.grad))
b = a.sin()
a.detach_()
b.sum().backward()

# Tensor.register_hook: what a hook receives keeps the strides of dimensions of size 1
log = []
a = torch.ones(2, 1, requires_grad=True).t()
a.register_hook(lambda grad: grad * 2)
a.register_hook(lambda grad: log.append(grad.stride()))
a.backward(torch.ones_like(a))

# Tensor.register_post_accumulate_grad_hook: hooks of the end of a graph
import gc

x = torch.ones(2, requires_grad=True)
y = x * 2
end = y.grad_fn.next_functions[0][0]
end.register_hook(lambda inputs, outputs: print("ran", outputs))
end.register_prehook(lambda grads: print("before", grads))
del end
gc.collect()
y.sum().backward()
z = x * 3
z.sum().backward()
print(x.grad)


def refuses(leaf):
    return 5


x.register_post_accumulate_grad_hook(refuses)
try:
    (x * 1).sum().backward()
except Exception as error:
    print(type(error).__name__, error)

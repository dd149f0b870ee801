# Tensor.split: gradient edges: of several outputs, leaves, Functions, and names
from torch.autograd.graph import get_gradient_edge, GradientEdge

a = torch.ones(4, requires_grad=True)
x, y = a.split(2)
e, f = get_gradient_edge(x), get_gradient_edge(y)
print(e.node is f.node, e.output_nr, f.output_nr, type(e).__name__, e._fields)
g = [t.clone() for t in torch.autograd.grad((x * 2 + y * 3).sum(), [e, f])]
l = get_gradient_edge(a)
print(l.node.name(), l.output_nr, l.node.variable is a)
h = torch.autograd.grad((a * 5).sum(), l)[0].clone()
for bad in (torch.ones(2), 3, None):
    try:
        get_gradient_edge(bad)
    except Exception as ex:
        print(type(ex).__name__, ex)
torch.autograd.backward(get_gradient_edge((a * 2).sum()))
torch.autograd.backward([get_gradient_edge(a * 2)], [torch.ones(4) * 3])
del e, f, l

# Tensor.index_select: node attributes of many kinds
a = torch.rand(2, 3, requires_grad=True)
for f in (
    lambda a: a * 2,
    lambda a: a.sum(0),
    lambda a: a.view(6),
    lambda a: a[0],
    lambda a: a.t(),
    lambda a: a.pow(3),
    lambda a: a.clamp(0, 1),
    lambda a: a.softmax(1),
    lambda a: a.max(1)[0],
    lambda a: torch.cat([a, a]),
    lambda a: a.expand(4, 2, 3),
    lambda a: a.index_select(0, torch.tensor([0])),
    lambda a: F.dropout(a),
    lambda a: a.std(),
    lambda a: a.norm(),
    lambda a: a.permute(1, 0),
    lambda a: F.layer_norm(a, (3,)),
    lambda a: a @ a.t(),
    lambda a: a.masked_fill(a > 0.5, 0),
    lambda a: a.cumsum(1),
    lambda a: F.relu(a),
    lambda a: a.to(torch.float64),
    lambda a: a.unbind(0)[1],
):
    n = f(a).grad_fn
    print(
        n.name(),
        sorted(k for k in dir(n) if k.startswith("_saved")),
        n.requires_grad if hasattr(n, "requires_grad") else "",
    )

# torch.autograd.graph.Node: metadata and comparisons of nodes
a = torch.ones(2, requires_grad=True)
b = a * 2
b.grad_fn.metadata["x"] = 3
print(
    b.grad_fn.metadata,
    b.grad_fn is b.grad_fn,
    b.grad_fn == b.grad_fn,
    hash(b.grad_fn) == hash(b.grad_fn),
    (b * 1).grad_fn.next_functions[0][0].metadata,
)
print(
    isinstance(b.grad_fn, torch.autograd.graph.Node),
    issubclass(type(b.grad_fn), torch.autograd.graph.Node),
)
print(
    [m.shape for m in b.grad_fn._input_metadata],
    b.grad_fn._input_metadata[0].dtype,
    b.grad_fn._input_metadata[0].device,
    b.grad_fn._input_metadata[0].is_nested_tensor
    if hasattr(b.grad_fn._input_metadata[0], "is_nested_tensor")
    else "",
)

# grad with respect to intermediate results and repeated inputs
a = torch.ones(2, requires_grad=True)
b = a * 2
c = b.exp()
r = [g.clone() for g in torch.autograd.grad(c.sum(), [a, b, b, c], retain_graph=True)]
try:
    torch.autograd.grad(c.sum(), [torch.ones(2, requires_grad=True)])
except RuntimeError as e:
    print(e)
s = torch.autograd.grad(
    c.sum(), [a, torch.ones(2, requires_grad=True)], allow_unused=True, retain_graph=True
)
t = torch.autograd.grad(
    c.sum(), [a, torch.ones(3, requires_grad=True)], materialize_grads=True, retain_graph=True
)
for f in (
    lambda: torch.autograd.grad(c.sum(), []),
    lambda: torch.autograd.grad(c, a),
    lambda: torch.autograd.grad([], [a]),
    lambda: torch.autograd.grad(c.sum(), a, torch.ones(3)),
    lambda: torch.autograd.grad(c.sum(), a.detach()),
    lambda: torch.autograd.grad(c.sum(), 3),
    lambda: torch.autograd.grad(3, a),
    lambda: torch.autograd.grad([c.sum(), b.sum()], [a], [None]),
    lambda: torch.autograd.grad(c.sum(), a, only_inputs=False, retain_graph=True),
    lambda: torch.autograd.grad(c.sum(), a, allow_unused=False, materialize_grads=True),
):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)

# backward: gradients, inputs and their errors
a = torch.ones(2, requires_grad=True)
b = torch.ones(2, requires_grad=True)
c = a * b
c.backward(torch.ones(2), inputs=a, retain_graph=True)
print(a.grad, b.grad)
c.backward(torch.ones(2), inputs=[b], retain_graph=True)
print(a.grad, b.grad)
torch.autograd.backward([c, c.sum()], [torch.ones(2), None], retain_graph=True)
print(a.grad)
for f in (
    lambda: c.backward(),
    lambda: c.backward(torch.ones(3)),
    lambda: c.backward(torch.ones(2), inputs=[]),
    lambda: torch.autograd.backward([c], [torch.ones(2), None]),
    lambda: torch.autograd.backward(c, grad_variables=torch.ones(2), retain_graph=True),
    lambda: c.backward(torch.ones(2), inputs=[c], retain_graph=True),
    lambda: c.backward(torch.ones(2), inputs=[a.detach()]),
    lambda: c.backward(1),
    lambda: torch.ones(2).sum().backward(),
    lambda: torch.autograd.backward([]),
    lambda: c.backward(torch.ones(2, dtype=torch.complex64)),
    lambda: c.backward(torch.ones(2, dtype=torch.float64), retain_graph=True),
):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)

# backward with create_graph and then without
import warnings

a = torch.ones(2, requires_grad=True)
with warnings.catch_warnings(record=True) as w:
    warnings.simplefilter("always")
    (a**3).sum().backward(create_graph=True)
    print(len(w), a.grad.requires_grad)
g = a.grad
g.sum().backward()
print(a.grad is g, a.grad.tolist(), a.grad.requires_grad)
a.grad = None
del g, w


# torch.autograd.graph.saved_tensors_hooks: saved tensors of Functions under hooks, and raw saved tensors
class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * y


seen = []
a = torch.ones(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(
    lambda t: (seen.append(("pack", t.shape)), t)[1], lambda t: (seen.append("unpack"), t)[1]
):
    b = A.apply(a)
b.sum().backward()
c = a * a
r = c.grad_fn._raw_saved_self
r.register_hooks(lambda t: (seen.append("p"), t.clone())[1], lambda t: (seen.append("u"), t)[1])
c.sum().backward()
print(seen)
try:
    c.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t)
except RuntimeError as e:
    print(e)
del r

# save_on_cpu and nested hooks order
seen = []


def pair(name):
    return torch.autograd.graph.saved_tensors_hooks(
        lambda t: (seen.append(("pack", name)), t)[1],
        lambda t: (seen.append(("unpack", name)), t)[1],
    )


a = torch.ones(2, requires_grad=True)
with pair("a"):
    x = a.exp()
    with pair("b"):
        y = x.sin()
        with torch.autograd.graph.save_on_cpu(pin_memory=False):
            z = y.cos()
    w = z.exp()
w.sum().backward()
print(seen)


# disable_saved_tensors_hooks as a decorator and message
@torch.autograd.graph.disable_saved_tensors_hooks("not here")
def f():
    with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
        pass


try:
    f()
except RuntimeError as e:
    print(e)
with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
    pass

# allow_mutation_on_saved_tensors with views, out= and foreach-like writes
a = torch.ones(4, requires_grad=True)
with torch.autograd.graph.allow_mutation_on_saved_tensors():
    b = a.clone()
    c = b.sin()
    d = b**2
    b[:2].mul_(3)
    b.add_(1)
    e = b.exp()
    e.mul_(2)
    (c + d + e).sum().backward()

# increment_version
a = torch.ones(2, requires_grad=True)
b = a * 2
c = b**2
torch.autograd.graph.increment_version(b)
print(b._version)
try:
    c.sum().backward()
except RuntimeError as e:
    print(e)
torch.autograd.graph.increment_version([b, b])
torch.autograd.graph.increment_version(b.detach())
print(b._version)

# torch.autograd.graph: queue_callback order and several
seen = []


class A(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        torch.autograd.Variable._execution_engine.queue_callback(
            lambda: seen.append(("first", a.grad))
        )
        torch.autograd.Variable._execution_engine.queue_callback(lambda: seen.append("second"))
        return g * 2


a = torch.ones(2, requires_grad=True)
A.apply(a).sum().backward()
seen = [s if s == "second" else (s[0], s[1].tolist()) for s in seen]

# Tensor.register_hook: threads: hooks, modes and errors
import threading

a = torch.ones(2, requires_grad=True)
errors = []


def work():
    try:
        with torch.no_grad():
            pass
        b = a * 2
        b.register_hook(lambda g: g * 1)
        b.sum().backward()
    except Exception as e:
        errors.append(e)


_threads = [threading.Thread(target=work) for _ in range(8)]
for t in _threads:
    t.start()
for t in _threads:
    t.join()
print(a.grad, errors)
del t

# Tensor.backward: profiler: record_function within functions, and averages
from torch.profiler import profile, record_function, ProfilerActivity

with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as prof:
    with record_function("mine"):
        a = torch.ones(3, 3, requires_grad=True)
        (a @ a).sum().backward()
names = [e.key for e in prof.key_averages()]
print("mine" in names, "aten::mm" in names, "aten::sum" in names, "MmBackward0" in names)
k = {e.key: e.count for e in prof.key_averages()}
print(k["mine"], k["aten::mm"])
s = [e.input_shapes for e in prof.key_averages(group_by_input_shape=True) if e.key == "aten::mm"]
print(s)
print(prof.key_averages().table(sort_by="cpu_time_total", row_limit=2).count("\n") > 5)
del prof, names, k, s

# torch.autograd.profiler.profile: profiler: autograd.profiler.profile attributes
with torch.autograd.profiler.profile() as p:
    torch.ones(2) + 1
e = [x for x in p.function_events if x.name == "aten::add"][0]
print(
    e.name,
    e.count,
    e.cpu_time_total >= 0,
    e.is_async,
    e.is_remote,
    e.device_type,
    e.scope,
    e.thread == p.function_events[0].thread,
    type(e.time_range).__name__,
    e.input_shapes,
    e.kernels,
    e.flops,
)
print(
    type(p.function_events).__name__, type(p.key_averages()[0]).__name__, p.self_cpu_time_total >= 0
)
del p, e

# torch.autograd.grad: outputs, gradients and inputs that do not go together, and other containers of them
a = torch.ones(2, requires_grad=True)


def t(f):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)


c = lambda: a * 2
t(lambda: torch.autograd.backward([c()], [torch.ones(2), None]))
t(lambda: torch.autograd.backward([c(), c()], [torch.ones(2)]))
t(lambda: torch.autograd.backward([c().sum(), c()], [None]))
t(lambda: torch.autograd.backward([c().sum()], []))
t(lambda: torch.autograd.grad([c()], a, [torch.ones(2), None]))
t(lambda: torch.autograd.grad([c(), c()], a, [torch.ones(2)]))
t(lambda: torch.autograd.grad([c().sum(), c().sum()], a, [None]))
t(lambda: torch.autograd.grad([c().sum(), torch.ones(2)], a, [None]))
t(lambda: torch.autograd.grad([c(), c()], a, [torch.ones(3, 2)], is_grads_batched=True))
t(lambda: c().backward((torch.ones(2),)))
t(lambda: c().backward([torch.ones(2)]))
t(lambda: torch.autograd.backward(c(), torch.ones(2).tolist()))
t(lambda: torch.autograd.backward({c()}, [torch.ones(2)]))
t(lambda: torch.autograd.backward((x for x in [c()]), (x for x in [torch.ones(2)])))
t(lambda: torch.autograd.grad((x for x in [c().sum()]), (x for x in [a])))
t(lambda: torch.autograd.grad({"a": c().sum()}, a))
t(lambda: torch.autograd.grad(c().sum(), {"a": a}))
t(lambda: torch.autograd.grad(c().sum(), a, {"a": None}))
t(lambda: torch.autograd.backward([c().sum()], inputs=(x for x in [a])))
t(lambda: torch.autograd.backward([c().sum()], inputs=torch.ones(2)))
t(lambda: torch.autograd.backward([c().sum()], inputs="a"))
t(lambda: torch.autograd.backward([None]))
t(lambda: torch.autograd.backward([c().sum(), None]))
t(lambda: torch.autograd.backward(None))

m = nn.Linear(2, 1)
r = torch.autograd.grad(m(torch.ones(1, 2)).sum(), dict(m.named_parameters()))
s = torch.autograd.grad(
    m(torch.ones(1, 2)), dict(m.named_parameters()), torch.ones(2, 1, 1), is_grads_batched=True
)
from collections import OrderedDict

torch.autograd.grad(m(torch.ones(1, 2)).sum(), OrderedDict(m.named_parameters()))

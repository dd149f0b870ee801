# a write at positions of which one is out of range reaches those before it
a = torch.zeros(4)
a[torch.tensor([0, 1, 9, 2])] = 1.0
b = torch.zeros(3, 2)
b[torch.tensor([0, 1, 9, 2])] = torch.arange(8.0).reshape(4, 2)
c = torch.zeros(2, 3)
c[:, torch.tensor([0, 9, 2])] = torch.arange(6.0).reshape(3, 2).t()
d = torch.zeros(3)
d.index_put_((torch.tensor([0, 0, 1, -5, 2]),), torch.arange(1.0, 6), accumulate=True)
e = torch.zeros(3, 3)
e[torch.tensor([[0], [1]]), torch.tensor([[0, 2, 7]])] = torch.arange(1.0, 7).reshape(2, 3)
versions = [x._version for x in (a, b, c, d, e)]

# memory whose axes lie in another order
a = torch.arange(12.0).reshape(2, 3, 2).mT
b = torch.where(a > 3, a, 0.0)
c = torch.empty(0).set_(b.untyped_storage(), 1, (5,), (2,))
d = b.as_strided((12,), (1,))
e = torch.empty(0).set_(torch.ones(3).half().untyped_storage(), 0, (1,), (1,)).shape
file = __import__("io").BytesIO()
torch.save(b, file)
file.seek(0)
f = torch.load(file)
g = __import__("pickle").loads(__import__("pickle").dumps(b))

# .data of another shape: what the graph expects is what it was
a = torch.ones(4, requires_grad=True)
b = a.max(0)[0]
a.data = torch.tensor(2.0)
a.backward()
c = torch.ones(2, requires_grad=True)
d = c.sin()
e = d.sin()
d.data = torch.ones(2, 3)
e.sum().backward()
f = torch.ones(2, 3, requires_grad=True)
f.sum().backward()
g = f.sin()
f.data = torch.ones(2, 1)
g.sum().backward()

# a dual of what repeats has no place for its tangent
a = torch.ones(2, 1).expand(2, 3)
b = torch.func.jvp(torch.tanh, (a,), (torch.ones(2, 3),))
c = torch.func.hessian(lambda t: (t * t * t).sum())(torch.tensor(1.0).expand(2))
d = torch.func.jvp(torch.tanh, (a,), (a,))
e = torch.func.jacrev(lambda t: t * t)(a)

# writes under a transform keep the dtype
a = torch.tensor([[True, False], [False, True]])
b = torch.func.vmap(lambda t: t.clone().mul_(2))(a)
b = torch.func.vmap(lambda t: t.clone().sin_())(a)
b = torch.func.vmap(lambda t: t.clone().div_(2))(a.long())
b = torch.func.grad(lambda t: (a.clone().add_(2.0) * t).sum())(torch.ones(2))

# tangents of inference tensors: seen beside a number, and where clone copies them
with torch.inference_mode():
    a = torch.ones(2)
with torch.autograd.forward_ad.dual_level():
    b = torch.autograd.forward_ad.make_dual(a, torch.ones(2))
    c = [
        torch.autograd.forward_ad.unpack_dual(x).tangent
        for x in (b, b.clone(), b.sin(), b * 2, b.clone().mul_(2), b.clone().add_(a))
    ]

# the version of an inference tensor's data counts writes outside of inference mode
with torch.inference_mode():
    a = torch.ones(3)
b = a.data
b += 1
c = a.detach()
with torch.inference_mode():
    b += 1
torch.autograd.graph.increment_version(c)
versions = b._version, c._version

# a number that a node saved stays one under create_graph
a = torch.tensor(0.75, requires_grad=True)
b = F.binary_cross_entropy(a * 0.5, a.detach())
c = torch.autograd.grad(b, a, create_graph=True)
d = torch.full((2,), 0.75, dtype=torch.float16, requires_grad=True)
e = torch.autograd.grad(((d * 0.5) ** 2 / 0.5).sum() * 0.5, d, create_graph=True)
f = torch.tensor(0.5, dtype=torch.complex64, requires_grad=True)
g = torch.autograd.grad((f * 0.5).exp(), f, torch.ones_like(f), create_graph=True)
h = torch.autograd.grad(torch.pow(-2, f), f, torch.ones_like(f), create_graph=True)
i = torch.autograd.grad(a.log10(), a, create_graph=True)

# views of truth that got a history are taken again
a = torch.ones(3, requires_grad=True)
b = torch.zeros((2, 1), dtype=torch.bool)
c = b.t()
b[1:] = a.sum()
d = c.requires_grad
e = c.grad_fn.name()
f = b.t()

# the first sum of two gradients is where the first lies
a = torch.tensor([-3.0, -2.75]).reshape(2, 1).requires_grad_()
b = torch.autograd.grad(torch.where(a > 0, a, -a).t(), a, torch.ones(1, 2))
torch.where(a > 0, a, a).t().backward(torch.ones(1, 2))

# fills refuse complex gradients of a real number
for dtype in (torch.float32, torch.complex64):
    r = torch.ones((), requires_grad=True)
    texts = []
    for write in (
        lambda x: x.fill_(r),
        lambda x: x[1:].fill_(r),
        lambda x: x.masked_fill_(torch.tensor([True, False, True]), r),
        lambda x: x.index_fill_(0, torch.tensor([0]), r),
        lambda x: x[0].copy_(r),
    ):
        x = torch.ones(3, dtype=dtype)
        write(x)
        try:
            x.sum().backward(torch.tensor(1.0, dtype=dtype))
        except RuntimeError as error:
            texts.append(str(error))

# what is no mask and what is out of range is said before histories are looked at
a = torch.ones(2, requires_grad=True) * 1
b, c = a.unbind(0)
a.fill_(1)
a.masked_fill_(b, 0.5)
d = torch.ones(2).masked_fill(b, 0.5)
with torch.no_grad():
    e = (torch.ones(2, 2, requires_grad=True) * 1)[1:]
e._base.add_(1)
f = e[5]
f = e[:, 7]
f = e[0]

# each step of a sum of exponentials is rounded
a = torch.tensor([-2.75, -1.5, -0.25]).half().logsumexp(0)
b = torch.tensor([1.5, 1.625, -0.25]).bfloat16().logsumexp(0)

# the right factor of a product is computed first: its nodes are older
orders = {}
a = torch.tensor([0.5, 0.25], requires_grad=True)
b = torch.tensor([0.75, 1.5], requires_grad=True)
for name, f in {
    "silu": F.silu,
    "mish": F.mish,
    "rsqrt": torch.rsqrt,
    "reciprocal": torch.reciprocal,
    "var": torch.var,
    "softsign": F.softsign,
    "div": lambda x: b / x,
    "fmod": lambda x: torch.fmod(b, x),
    "logcumsumexp": lambda x: torch.logcumsumexp(x, 0),
}.items():
    y = f(a)
    (g,) = torch.autograd.grad(y, a, torch.ones_like(y).requires_grad_(), create_graph=True)
    nodes, stack = set(), [g.grad_fn]
    while stack:
        node = stack.pop()
        if node is not None and node not in nodes:
            nodes.add(node)
            stack += [each for each, _ in node.next_functions]
    made = [node for node in nodes if hasattr(node, "_sequence_nr")]
    orders[name] = [
        node.name()
        for node in sorted(made, key=lambda node: node._sequence_nr())
        if "Accumulate" not in node.name()
    ]
del nodes, stack, node, made

# a result has memory of its own size
a = torch.tensor([0.0, 0.25], requires_grad=True)
b, c = F.gelu(a).unbind(0)
d = torch.as_strided(b, (2,), (1,), 1)
e = F.gelu(torch.zeros(2, 0))
f = e.untyped_storage().nbytes(), F.gelu(torch.ones(1)).untyped_storage().nbytes()
g = e.t()

# the sum of gradients that share memory is a fresh one
a = torch.tensor([[-3 + 1j]], requires_grad=True)
b = torch.cat([a, a], -1).conj()
b.backward(torch.full_like(b, 1 + 1j))
c = a.grad.stride(), a.grad.is_conj(), a.grad._version

# what is read as a negative is true or false
a = torch.tensor([-3j, 2]).conj().imag
b = bool(a[0]), bool(a[1]), a[0].is_nonzero(), not a[1]

# masks and indices have no gradient, whatever their dtype
a = torch.ones(2)
with torch.no_grad():
    b = a.view_as(a)
m = torch.ones(2, requires_grad=True) * 1
b.masked_fill_(m, 0.5)
b.masked_fill_(mask=m, value=torch.tensor(1.0))
b.index_fill_(0, m, 0.5)
b.index_add_(0, m, torch.ones(2))
b.index_copy_(0, m, torch.ones(2))
b.put_(m, torch.ones(2))
b.masked_fill_(m > 0, torch.tensor(1.0, requires_grad=True))

# a part of a base that needs no gradient finds no node after a write
a = torch.tensor([-3 + 1j]).reshape(1, 1).requires_grad_()
b, c, d = a.imag, a.conj(), torch.view_as_real(a)
torch.autograd.graph.increment_version(a)
e = b.requires_grad
f = b.is_leaf
f = b.is_leaf, b.requires_grad, b * 2
g = c * 2
h = d.sum()
h = d.sum()

# a number of complex ones does not fit into real ones where a mask is true
a = torch.tensor([1.0, 2.0, 3.0])
m = torch.tensor([True, False, True])
a[m] = torch.tensor(1j)
a[m] = torch.tensor(2 + 0j)
b = torch.tensor([1 + 2j, 3 - 1j, 0j])
b[m] = torch.tensor([2.0])

# zeros outside of a triangle, where elements share memory
a = torch.tensor([1.0, 2.0]).expand(2, 2)
a.tril_()
b = torch.arange(1.0, 7).reshape(3, 2, 1).expand(3, 2, 2)
b.triu_()
c = torch.arange(1.0, 5).reshape(1, 1, 2, 2).expand(2, 1, 2, 2)
c.tril_()
d = torch.arange(1.0, 9).reshape(2, 1, 2, 2).expand(2, 3, 2, 2)
d.triu_()
e = torch.arange(1.0, 5).reshape(2, 1, 2).expand(2, 2, 2).mT
e.tril_(-1)

# operators that write in place reach what comes before an index that is out of range
i, s = torch.tensor([0, 1, 9, 2]), torch.arange(1.0, 5)
a, b, c, d, e, f, g, h = [torch.full((4,), 2.0) for _ in range(8)]
a.scatter_(0, i, s)
b.scatter_add_(0, i, s)
c.scatter_reduce_(0, i, s, "amax", include_self=False)
d.index_fill_(0, i, 5.0)
e.index_add_(0, i, s, alpha=2)
f.index_copy_(0, i, s)
g.index_reduce_(0, i, s, "mean")
h.put_(i, s, accumulate=True)
i, s = torch.tensor([0, 9, 1]), torch.arange(1.0, 10).reshape(3, 3)
a, b, c, d, e, f = [torch.full((3, 3), 2.0) for _ in range(6)]
a.index_add_(1, i, s)
b.index_add_(1, i, s, alpha=2)
c.index_reduce_(1, i, s, "prod")
d.index_fill_(1, i, 1.0)
e.scatter_(0, torch.tensor([[0, 1, 2], [1, 9, 0], [0, 0, 0]]), s)
f.index_reduce_(0, i, s, "amax", include_self=False)
g, h = torch.ones(3, 3).half(), torch.zeros(2, 2, 2)
g.scatter_(1, torch.tensor([[0, 9, 1]]), 5.0)
h.index_add_(1, torch.tensor([0, 9]), torch.ones(2, 2, 2))

# parts of the same memory that were detached overlap
texts = []
for whole, part in (
    (lambda x: x, lambda x: x[2].detach()),
    (lambda x: x, lambda x: x[:1].data),
    (lambda x: x[:-1].detach(), lambda x: x[1:].detach()),
    (lambda x: x.data[:-1].data, lambda x: x.data[1:].data),
    (lambda x: x[None].detach(), lambda x: x),
):
    a = torch.arange(4.0)
    try:
        b = whole(a)
        b *= part(a)
    except RuntimeError as error:
        texts.append(str(error))

# a matrix beside a number of another dtype in blocks
a = [torch.tensor(1.5, dtype=torch.float64), torch.tensor(2), torch.tensor(1j)]
b = [torch.block_diag(torch.ones(2, 1), each) for each in a]
c = torch.block_diag(*a[:2])

# copies of memory that lies idle along a dimension of size 1
from copy import deepcopy

a = torch.arange(2.0).reshape(2, 1)
b, c = deepcopy([a.t(), a.t()])
d = 2 - b, b + 1, b * c, -b

# gradients that lie otherwise than their leaf, added up with a history
for x in (torch.zeros(0, dtype=torch.complex64).real, torch.ones(2, 3).t()):
    x.requires_grad_()
    x.grad = torch.ones(x.shape)
    (x * 2).sum().backward(create_graph=True)

# a gradient with the sizes that its leaf had
a = torch.tensor([1.25], requires_grad=True)
b = a[[0, -1]]
a.data = torch.tensor(2.0)
c = F.linear(b, b)
torch.autograd.backward([c.squeeze().sum(), c.sum()])

# a sum of gradients that the next gradient is a view of
a = torch.tensor([-3.0, -2.75]).reshape(2, 1).requires_grad_()
b = a.t()
c, d = torch.autograd.grad(b + b, [a, b], torch.ones(1, 2))
e = c._base is d

# gradients of a product: by the others, by itself, of nothing but zeros
a = [torch.tensor(x, requires_grad=True) for x in ([1.0, 0.0, 3.0], [0.0, 0.0, 3.0], 2.0)]
b = [torch.autograd.grad((x * 1).prod(), x) for x in a]
c = [torch.autograd.grad((x * 1).prod(), x, create_graph=True) for x in a]
d = torch.ones((), requires_grad=True)
e = [torch.autograd.grad(x.prod(), x, d, create_graph=True) for x in a]

# the sums of softmax's derivatives are along a list of dimensions
a = torch.arange(6.0).reshape(2, 3).requires_grad_()
b = torch.autograd.grad(a.softmax(0), a, torch.ones(2, 3), create_graph=True)[0]
c = torch.autograd.grad(b, a, torch.ones(2, 3), create_graph=True)[0]

# a sum of exponentials refuses complex gradients of real numbers
a = torch.tensor([1 + 1j, 2.0], requires_grad=True)
b = torch.tensor([1.0, 2.0], requires_grad=True)
c = torch.autograd.grad(torch.logaddexp(a, b), a, torch.ones_like(a))
d = torch.autograd.grad(torch.logaddexp(a, b), b, torch.ones_like(a))

# a mask that is none and was made in inference mode
with torch.inference_mode():
    mask = torch.ones(3)
a = torch.ones(3, requires_grad=True) * 1
a.masked_fill_(mask, 0.5)

# positions that are read through a bit
a = torch.tensor([-3 + 1j, -2.75 + 2.75j])
texts = []
for index in (a.conj(), a.clone().conj()):
    try:
        a[index] = 0.25
    except (IndexError, RuntimeError) as error:
        texts.append(str(error))

# views that may not be looked at any more stand beside dual tensors where nothing is recorded
a = torch.ones(2, 2, requires_grad=True).sin()
with torch.no_grad():
    b = a.t()
    a.add_(1)
    with torch.autograd.forward_ad.dual_level():
        c = torch.autograd.forward_ad.make_dual(torch.ones(2, 2), torch.ones(2, 2))
        d = [torch.autograd.forward_ad.unpack_dual(x).tangent for x in (c * b, b)]

# what a node saved is looked at also where no formula that runs asks for it
texts = []
for loss in (F.mse_loss, F.smooth_l1_loss, F.huber_loss):
    a, b = torch.tensor([2.0, 3.0]), torch.tensor([-1.0, 1.0], requires_grad=True)
    c = torch.autograd.grad(loss(a, b), b, create_graph=True)[0]
    a.add_(1)
    try:
        c.sum().backward()
    except RuntimeError as error:
        texts.append(str(error))


# a Function that must not write has let go of the gradient before
class Shift(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.add_(1)

    @staticmethod
    def backward(ctx, grad):
        return grad


a = torch.ones(4, requires_grad=True)
b = a[:]
b.retain_grad()
(b * 2).sum().backward()
c = b.grad
Shift.apply(b)
d = b.grad

# complex numbers are refused before whole ones
texts = []
for pair in (
    (torch.bool, torch.complex64),
    (torch.complex64, torch.int64),
    (torch.float32, torch.int64),
):
    try:
        F.kl_div(*[torch.ones(2, dtype=dtype) for dtype in pair])
    except RuntimeError as error:
        texts.append(str(error))

# complex numbers of parts that are read through a bit
a = torch.tensor([-3 + 1j, -2.75 + 2.75j]).reshape(2, 1)
b = [f(x, x) for f in (torch.polar, torch.complex) for x in (a.t().conj().imag, a.t().imag)]

# a view taken without gradient requires one all the same
a = torch.ones(3, requires_grad=True).exp()
with torch.no_grad():
    b = a.reshape(3)
b.backward()

# a gradient with a history has the sizes that its leaf has got
a = torch.zeros((1, 3), requires_grad=True)
b = torch.cat([a, a, a])
a.data = b.detach()
b.backward(torch.ones(3, 3), create_graph=True)

# a stale view complains before its mask does
a = torch.tensor([-3.0, -2.75]).requires_grad_()
b, c = a.unbind(0)
with torch.no_grad():
    d = c.view(c.shape)
    c.lerp_(c, 0.25)
d.masked_fill(d, 1.5)

# words of no numbers have gradients of none
a = torch.zeros((2, 0), requires_grad=True)
b = F.embedding(torch.tensor([0, 1, 0]), a.sin().real)
torch.autograd.backward([b.sum(), b.sum()])

# the newer of two numbers with equal real parts is the one around which a logarithm adds
a = torch.tensor([2.25 + 4.5j, 2.25 - 0.5j])
b = torch.logcumsumexp(a, 0)
c = torch.logcumsumexp(torch.tensor([complex("nan"), complex("-inf"), 1, complex("inf"), 2j]), 0)
d = torch.logcumsumexp(
    torch.tensor([complex("-inf-2j"), complex("-inf"), 1, complex("inf"), 2j]), 0
)

# graphs from before a leaf got another dtype lead to the end that they had
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

# and had sizes of its own
a = torch.ones(2, 3, requires_grad=True)
b = a * 2 + a
a.data = torch.ones(3, dtype=torch.float16)
b.backward(torch.ones(2, 3))

# with its hooks, and under create_graph
a = torch.ones(3, requires_grad=True)
b, seen = a.exp(), []
c = b.grad_fn.next_functions[0][0]
c.register_hook(lambda grads, given: seen.append(len(given)))
a.data = torch.ones(6, dtype=torch.float64)[::2]
b.sum().backward(create_graph=True)
d = a.grad.dtype, a.grad.grad_fn.name(), b.grad_fn.next_functions[0][0] is c

# the end of a graph keeps its sizes while a view that is taken again leads there
a = torch.ones(3, requires_grad=True)
a.backward(torch.ones(3))
b = torch.hsplit(a, 1)[0]
with torch.no_grad():
    a.unsqueeze_(0)
c = b.grad_fn.name()
a.backward(torch.ones(1, 3))

# strides that no address depends on, of a gradient on its way through what is elementwise
a = torch.ones(1, 3, requires_grad=True)
b = torch.ones(3, 1).t()
c = [torch.autograd.grad(x, a, b)[0] for x in (a / 2, a * a, (a / 2).exp(), a - a / 3)]

# a node whose gradient is refused keeps what it saved
a = torch.ones(2, requires_grad=True)
b = torch.ones(2, dtype=torch.complex64, requires_grad=True)
c = [torch.logaddexp(a, b), torch.where(torch.tensor([True, False]), a, b), b * 1]
c[2][:1].masked_fill_(torch.tensor([True]), a[0])
texts = []
for x in c:
    given = torch.full_like(x, 1j)
    for inputs in ((), (a,), (b,), (b,), ()):
        try:
            if inputs:
                texts.append(torch.autograd.grad(x, inputs, given)[0].tolist())
            else:
                x.backward(given)
        except RuntimeError as error:
            texts.append(str(error))

# whole numbers with a history need a gradient
a = torch.tensor([[0]])
b = torch.ones(2, requires_grad=True)
a.fill_(b.sum())
texts = []
for attempt in (a.backward, lambda: torch.autograd.grad(a, b)):
    try:
        attempt()
    except RuntimeError as error:
        texts.append(str(error))

# that a mask does not fit is said before it overlaps what is written
a = torch.tensor([[False, True, False], [True, False, True]])
texts = []
for x, mask in ((a[None], a), (a, a[0]), (a.t(), a), (a[:1], a[:1].clone())):
    try:
        x[mask] = True
    except (IndexError, RuntimeError) as error:
        texts.append(str(error))

# what wrote a view looks at what it saved also where its gradients are not wanted
a = torch.tensor([0.25, 0.5], requires_grad=True)
b = a.sin()
c = torch.view_as_complex(b)
c *= c
c.backward(torch.ones_like(c), inputs=[b])

# a Function is younger than the node that a view, written since, is given for it
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


a = torch.tensor([-3.0]).reshape(()).requires_grad_()
b = a.view(-1)
torch.autograd.graph.increment_version(b)
c = Twice.apply(b)
b.retain_grad()
c.backward()


# hooks take a saved tensor as it is, though it was written since
a = torch.tensor([-3.0, -2.75, -2.5]).requires_grad_()
b = a.sin()
c = b.sin()
d = b.exp()
b.add_(1)
d.add_(1)
c.grad_fn._raw_saved_self.register_hooks(lambda x: x * 0.5, lambda x: x * 2)
d.grad_fn.next_functions[0][0]._raw_saved_result.register_hooks(lambda x: x * 2, lambda x: x)
c.sum().backward()


# a view that requires grad and leads nowhere is not what another one's edge leads to
log = []


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x * y

    @staticmethod
    def backward(ctx, grad):
        log.append(ctx.needs_input_grad)
        return grad, grad


a = torch.ones(2, 3, requires_grad=True) * 1
with torch.no_grad():
    b, c = a.t(), a.t()
d = Product.apply(b, torch.ones(3, 2))
e, f, g = torch.autograd.grad(d, [d, b, c], torch.ones(3, 2), allow_unused=True)


# a leaf is refused before its dimensions are looked at
a = torch.ones(2, 1, 3, requires_grad=True)
a.t_()


# one element that is read as a conjugate is written into zeros
a = torch.tensor([-2 + 1.75j, -1.75 - 2.75j], requires_grad=True)
b = a[0].conj()
b.backward(torch.tensor(0.5 - 1j).conj(), create_graph=True)


# what must not be saved is refused before the kernel refuses anything
a = torch.ones(3, requires_grad=True)
with torch.inference_mode():
    b = torch.ones(2)
    c = torch.ones(3, dtype=torch.complex64)
    d = torch.tensor([5])
texts = []
for call in [
    lambda: a * b,
    lambda: a + b,
    lambda: torch.atan2(a, c),
    lambda: torch.addcmul(a, b, b),
    lambda: a[d],
    lambda: a.gather(0, d),
    lambda: a.masked_fill(b > 0, 1),
    lambda: torch.dot(a, b),
    lambda: torch.cat([a, b[None]]),
    lambda: torch.lerp(a, b, b),
    lambda: torch.nn.functional.linear(a, b),
]:
    try:
        call()
    except Exception as error:
        texts.append(str(error))


# a tensor made in inference mode is written before that is refused
a = torch.tensor([-3.0, -2.75], requires_grad=True)
with torch.inference_mode():
    b = a + a
b.div_(a)


# what is saved is looked at although no formula asks for it
a = torch.full((2, 1), 2.0, requires_grad=True)
b = a ** torch.tensor([-2.0])
torch.autograd.graph.increment_version(b)
b.sum().backward()


# a tensor fills another as a copy of it
texts = []
for dtype in (torch.float32, torch.int32, torch.uint8, torch.bool, torch.float16, torch.complex64):
    for value in (300, -3.0, 1e5, float("nan"), True):
        texts.append(torch.zeros(2, dtype=dtype).fill_(torch.tensor(value)).tolist())
texts.append(torch.zeros(2).fill_(torch.tensor(1e300, dtype=torch.float64)))
a = torch.zeros(2)
a.fill_(torch.tensor(2 - 9j, requires_grad=True))
torch.zeros(0).fill_(torch.tensor(2 - 9j))


# what is said of a mask and what is warned of expanded memory
texts = []
for mask in (torch.ones(2, 3), torch.ones(2, 4), torch.ones(2, 4) > 0, torch.ones(2, 3) > 0):
    try:
        texts.append(torch.zeros(3).expand(2, 3).masked_fill_(mask, 1))
    except RuntimeError as error:
        texts.append(str(error))


# what is said of an index and what is warned of expanded memory
texts = []
for index in (torch.ones(2), torch.tensor([5]), torch.tensor([[1]]), torch.tensor([1])):
    try:
        texts.append(torch.zeros(3).expand(2, 3).index_fill_(0, index, 1))
    except (RuntimeError, IndexError) as error:
        texts.append(str(error))


# operators that torch has no derivative of for complex numbers
texts = []
a = torch.ones(4, 4, dtype=torch.complex64, requires_grad=True) * 1
for call in [
    lambda: torch.nn.functional.silu(a),
    lambda: torch.nn.functional.silu(a.detach()).real,
    lambda: torch.slice_scatter(a, a[:2].detach(), 0, 0, 2),
    lambda: torch.select_scatter(a.detach(), a[0], 0, 1),
    lambda: torch.nn.functional.embedding(torch.tensor([0]), a),
]:
    try:
        texts.append(call().tolist())
    except RuntimeError as error:
        texts.append(str(error))
b = torch.nn.functional.silu(a * 1, inplace=True)


# a gradient that does not fit is noticed before the node lets go of what it saved
a = torch.ones(2, 2, 1, requires_grad=True)
b = a * 1
with torch.no_grad():
    b.transpose_(0, -1)
b.mul_(2)
b.sum().backward()


# hooks of an AccumulateGrad live as long as a graph that leads there
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


# hooks of an AccumulateGrad stay while a view is brought up to date
log = []
a = torch.ones(3, requires_grad=True)
b = a[:]
torch.autograd.graph.get_gradient_edge(a).node.register_hook(lambda i, o: log.append(o[0].tolist()))
with torch.no_grad():
    b.neg_()
b.sum().backward()


# what is recomputed has saved its inputs before it fails
texts = []
a = torch.ones(2, 3, requires_grad=True)
b = torch.ones(2, 3, requires_grad=True)
c = torch.utils.checkpoint.checkpoint(lambda x: x * b + x, a, use_reentrant=False)
d = torch.utils.checkpoint.checkpoint(lambda x: x * b, torch.ones(2, 3), use_reentrant=False)
b = torch.ones(3, 2, requires_grad=True)
shown = d.grad_fn._saved_self
c.sum().backward()


# a view that got no history of its own can be made a leaf
with torch.no_grad():
    a = torch.ones(3, 2, requires_grad=True).t()
b = a.requires_grad_()
(a * 2).sum().backward()
kept = a.grad


# parts of half precision are warned of before their dtypes are compared
texts = []
for parts in ((1, 2), (2, 1), (1, 3)):
    for make in (torch.complex, torch.polar):
        kinds = {1: torch.float16, 2: torch.float32, 3: torch.int32}
        try:
            make(*[torch.ones(2, dtype=kinds[each]) for each in parts])
        except RuntimeError as error:
            texts.append(str(error))


# conjugates beside plain numbers at the end
a = torch.tensor([1 + 2j, 3 - 1j], requires_grad=True)
b = torch.stack([a, a.conj()], 1)
c = torch.stack([a.conj(), a], -1)


# what is written in half precision cannot be complex
texts = []
for name in ("add_", "div_", "pow_", "fmod_", "copysign_"):
    try:
        getattr(torch.ones(3, dtype=torch.float16), name)(torch.tensor(1j))
    except RuntimeError as error:
        texts.append(str(error))


# a leaf of another shape than its AccumulateGrad, which a graph holds, expects
texts = []
a = torch.tensor([-3.0, -2.75, -2.5], requires_grad=True)
b = torch.cat([a, a])
with torch.no_grad():
    a.unsqueeze_(0)
c = a.sin()
(d,) = torch.autograd.grad(c, a, torch.ones_like(c), retain_graph=True)
c.sum().backward()
e = a.grad.clone()
b.sum().backward()
f = torch.ones(2, 3, requires_grad=True)
g = f * 2
f.data = torch.ones(3, 2)
for each in ((f * 2).sum(), g.sum()):
    try:
        each.backward()
    except RuntimeError as error:
        texts.append(str(error))
del g
(f * 2).sum().backward()
h = f.grad.clone()


# an empty tensor keeps its strides when it is given no memory
a = torch.zeros(0)[::2]
b = a.stride(), a.set_().stride(), torch.zeros(3)[::2].set_().stride()


# what leads nowhere is asked for no gradient
texts = []
a = torch.ones(2, 3, requires_grad=True)
with torch.no_grad():
    b = a.t()
for call in [
    lambda x: b @ x.t(),
    lambda x: x.t() @ b,
    lambda x: torch.mv(b, x[0]),
    lambda x: torch.addcmul(x, b, b),
    lambda x: torch.lerp(b, x, x),
    lambda x: torch.nn.functional.layer_norm(b, (2,), x[0], x[1]),
    lambda x: b / x,
    lambda x: b * torch.ones(3, 2) + x,
]:
    c = torch.full((3, 2), 2.0, requires_grad=True)
    call(c).sum().backward()
    texts.append(c.grad.tolist())
none = a.grad


# a mask that does not fit is refused before memory is warned of again
a = torch.zeros(2, 3).expand(2, 2, 3)
a[torch.ones(2, 1, 3) > 0] = 0.25

# integers that got a history by a write hand it on to no others
texts = []
for dtype in (torch.bool, torch.int64):
    a = torch.zeros(1, 3, dtype=dtype)
    a.fill_(torch.ones(3, requires_grad=True).sum())
    for call in [
        lambda: a.t(),
        lambda: a[0],
        lambda: a.clone(),
        lambda: a + 1,
        lambda: a.sum(),
        lambda: torch.cat([a, a]),
        lambda: a.unbind()[0],
        lambda: a.float(),
        lambda: a.int(),
        lambda: torch.ones(3, requires_grad=True).long(),
        lambda: a > 0,
        lambda: a.max(1),
        lambda: a.zero_(),
        lambda: a.detach(),
        lambda: a.t_(),
    ]:
        try:
            call()
            texts.append("fine")
        except RuntimeError as error:
            texts.append(str(error))

# what is drawn into expanded memory, and what is refused before that
texts = []
for dtype in (torch.bool, torch.int64, torch.float32):
    for name, given in (
        ("uniform_", ()),
        ("uniform_", (2, 1)),
        ("normal_", ()),
        ("normal_", (0, -1)),
        ("bernoulli_", (2,)),
        ("cauchy_", ()),
        ("exponential_", ()),
    ):
        try:
            getattr(torch.zeros(3).to(dtype).expand(2, 3), name)(*given)
        except (RuntimeError, NotImplementedError) as error:
            texts.append(str(error))

# what was written in place has a history of its own dtype
a = torch.eye(3, dtype=torch.float16)
b = torch.tensor([2.0], requires_grad=True)
a.div_(b)
c = a.repeat_interleave(2, 0)
(d,) = torch.autograd.grad(c, a, torch.ones_like(c))

# a conjugate that lies where it is written is a copy by then
a = torch.tensor([[-1.5 - 1j, -0.5 - 0.25j, 0.5 + 0.5j]])
b = a.conj()
b.add_(b.swapaxes(0, 1))

# what was cut off its history is noticed also where no gradient is computed
a = torch.tensor([-3.0, -2.75, -2.5], requires_grad=True)
b = 2 - a
c = a * b
b.detach_()
c.backward(torch.ones(3), inputs=[c])

# the node of what has no derivative leads to what requires grad
a = torch.ones(4, requires_grad=True)
with torch.no_grad():
    b = a[0]
c = b // b, a[0] // b, b // a[0], b // 2, a[0] // torch.ones(3)
d = [[node and node.name() for node, _ in each.grad_fn.next_functions] for each in c]

# a view that is set to other memory, which torch takes for a write into its base
x = torch.ones(2, 1, 3, requires_grad=True)
base = x * 2
view, other = base.unsqueeze(-1), base.view(6)
view.set_(torch.arange(6.0).untyped_storage(), 1, (1, 1), (3, 1))
base.sum().backward()

# twice through a node of two inputs that leads nowhere
x = torch.zeros(2, 0, requires_grad=True)
with torch.no_grad():
    y = x.unsqueeze(-1)
z, product = torch.max(y, y), y * y
product.sum().backward()
product.sum().backward()
z.sum().backward()
z.sum().backward()

# the gradient of a view that got its history by a write into its base
x = torch.ones(2, requires_grad=True)
base = torch.zeros(2)
view = base[1:]
base.mul_(x)
base.backward(torch.ones(2), inputs=[view])
retains = view.retains_grad

# second gradients of gelu in half precision
x = torch.tensor([2.75, 3.0, -3.0, -2.75], dtype=torch.float16, requires_grad=True)
y = F.gelu(x.tanh() * 2, approximate="tanh") + F.gelu(x)
(gradient,) = torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)
gradient.backward(torch.full_like(gradient, 0.5))

# the tangent of addcmul has the nodes of its formula
x, y = torch.tensor(3.0, requires_grad=True), torch.tensor(2.0, requires_grad=True)
tangent = torch.func.jvp(lambda t: torch.addcmul(t, y, t), (x,), (y,))[1]

# what has no derivative, where the walk ends
x = torch.tensor([-3.0, 2.0], requires_grad=True)
y = torch.unique(x)
y.backward(torch.ones(2), inputs=[y])

# torch.autograd.graph.saved_tensors_hooks: what is packed and unpacked, and in which order
calls = []


def pack(tensor):
    calls.append(("pack", tensor.tolist(), tensor.requires_grad, tensor.is_leaf))
    return tensor.detach()


def unpack(packed):
    calls.append(("unpack", packed.tolist()))
    return packed


x = torch.randn(3, requires_grad=True)
w = torch.randn(3, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    y = (x * w).exp() / w
y.sum().backward()

# torch.autograd.graph.saved_tensors_hooks: the gradient computed from what was unpacked
x = torch.randn(3, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach() * 10, lambda t: t):
    y = (x * x).sum()
y.backward()

# Tensor.atan2: many operators
calls = []


def pack(tensor):
    calls.append((len(calls), tensor.shape, tensor.requires_grad, str(tensor.grad_fn)[:12]))
    return len(calls) - 1, tensor.detach()


def unpack(packed):
    calls.append(packed[0])
    return packed[1]


x = torch.rand(2, 3, requires_grad=True)
w = torch.rand(3, requires_grad=True)
b = torch.rand(3, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    y = F.layer_norm(x, (3,), w, b)
    z = torch.addcmul(y, x, w) + torch.where(y > 0, x, w)
    v = torch.stack([z, y.pow(x), z.atan2(y)]).logsumexp(0)
    u = F.cross_entropy(v, torch.tensor([0, 2]))
    t = F.gelu(v).prod() + F.linear(v, x, x[:, 0]).norm() + u + v.max(0)[0].std()
t.backward()

# Tensor.sigmoid_: indexing and writing
calls = []
x = torch.rand(4, requires_grad=True)
i = torch.tensor([0, 2])
m = torch.tensor([True, False, True, True])
with torch.autograd.graph.saved_tensors_hooks(
    lambda t: calls.append((t.tolist(), str(t.grad_fn)[:12])) or t.detach(), lambda t: t
):
    y = x * 1
    y[m] = y[m] * 3
    y[i] *= x[i]
    y[1:].exp_()
    y.mul_(x)
    y.sigmoid_()
y.sum().backward()

# nn.BatchNorm2d: a convolution and a batch norm
calls = []
x = torch.rand(2, 1, 4, 4, requires_grad=True)
_model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2))
with torch.autograd.graph.saved_tensors_hooks(
    lambda t: calls.append((t.shape, t.requires_grad)) or t.detach(), lambda t: t
):
    y = _model(x).sum()
y.backward()

# torch.autograd.graph.saved_tensors_hooks: unpacked once, though two formulas ask for it
calls = []
x = torch.rand(2, requires_grad=True)
w = torch.rand(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(
    lambda t: t.detach(), lambda t: calls.append(t.tolist()) or t
):
    y = x / w
y.sum().backward()

# torch.autograd.graph.saved_tensors_hooks: whatever a hook returns is kept
x = torch.randn(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(
    lambda t: {"list": t.tolist()}, lambda p: torch.tensor(p["list"])
):
    y = x * x * x
y.sum().backward()

# Tensor.tanh: nested: the innermost pair is used
calls = []
x = torch.randn(2, requires_grad=True)


def hooks(name):
    return torch.autograd.graph.saved_tensors_hooks(
        lambda t: calls.append(("pack", name)) or t.detach(),
        lambda t: calls.append(("unpack", name)) or t,
    )


with hooks("outer"):
    y = x.exp()
    with hooks("inner"):
        z = y.sin()
    z = z.tanh()
z.sum().backward()

# torch.autograd.graph.saved_tensors_hooks: under no_grad nothing is saved
calls = []
x = torch.randn(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: calls.append(1) or t, lambda t: t):
    with torch.no_grad():
        y = x * x
    z = x.detach() * x.detach()

# Tensor.data_ptr: what an unpacked input is
x = torch.randn(2, requires_grad=True)
y = x * 1
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
    z = x * y
seen = z.grad_fn._saved_self
_other = z.grad_fn._saved_other
print(seen, seen is x, seen.is_leaf, seen.grad_fn, seen.data_ptr() == x.data_ptr())
print(_other is y, _other.grad_fn is y.grad_fn, _other.is_leaf, _other._is_view())

# torch.autograd.graph.saved_tensors_hooks: what an unpacked tensor without gradient is: the very thing that the hook returned
x = torch.randn(2, requires_grad=True)
y = torch.randn(2)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
    z = x * y
print(z.grad_fn._saved_other is y, z.grad_fn._saved_self)

# torch.autograd.graph.saved_tensors_hooks: what an unpacked output is
x = torch.randn(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach(), lambda t: t):
    y = x.exp()
seen = y.grad_fn._saved_result
print(seen.grad_fn is y.grad_fn, seen is y)
(first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
(second,) = torch.autograd.grad(first.sum(), x, create_graph=True)

# torch.autograd.graph.saved_tensors_hooks: the second derivative reaches the leaf whose stand-in was unpacked
x = torch.randn(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach().clone(), lambda t: t):
    y = x * x * x
(first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
first.sum().backward()

# torch.autograd.graph.saved_tensors_hooks: hooks while a graph is recorded by a backward
calls = []
x = torch.randn(2, requires_grad=True)
y = (x * x * x).sum()
with torch.autograd.graph.saved_tensors_hooks(
    lambda t: calls.append("pack") or t.detach(), lambda t: calls.append("unpack") or t
):
    (first,) = torch.autograd.grad(y, x, create_graph=True)
first.sum().backward()

# torch.is_grad_enabled: grad mode inside the hooks
modes = []
x = torch.randn(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(
    lambda t: modes.append(torch.is_grad_enabled()) or t.detach(),
    lambda t: modes.append(torch.is_grad_enabled()) or t,
):
    y = x * x
torch.autograd.grad(y.sum(), x, retain_graph=True)
torch.autograd.grad(y.sum(), x, create_graph=True)

# torch.autograd.graph.saved_tensors_hooks: no versions are compared
x = torch.randn(2, requires_grad=True)
y = x * 1
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach(), lambda t: t):
    z = y * y
y.mul_(10)
z.sum().backward()

# torch.autograd.graph.saved_tensors_hooks: no versions are compared if the hook made a copy: the gradient is that of before
x = torch.ones(2, requires_grad=True)
y = x * 1
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
    z = y.exp()
z.zero_()

# torch.autograd.graph.saved_tensors_hooks: freed after backward
x = torch.randn(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach(), lambda t: t):
    y = x * x
y.sum().backward()
try:
    y.grad_fn._saved_self
except RuntimeError as error:
    print(error)
y.sum().backward()

# torch.autograd.graph.saved_tensors_hooks: unpacked again with retain_graph
calls = []
x = torch.randn(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(
    lambda t: t.detach(), lambda t: calls.append("unpack") or t
):
    y = x * x
y.sum().backward(retain_graph=True)
y.sum().backward()

# torch.autograd.graph.saved_tensors_hooks: a pack hook that writes
x = torch.randn(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.mul_(2), lambda t: t):
    y = x * torch.ones(2)

# torch.autograd.graph.saved_tensors_hooks: a pack hook that raises
x = torch.randn(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: {}[1], lambda t: t):
    y = x * x

# torch.autograd.graph.saved_tensors_hooks: the hooks are gone after an error
x = torch.randn(2, requires_grad=True)
calls = []
try:
    with torch.autograd.graph.saved_tensors_hooks(lambda t: calls.append(1) or {}[1], lambda t: t):
        y = x * x
except KeyError:
    y = x * x
y.sum().backward()

# torch.autograd.graph.saved_tensors_hooks: an unpack hook that raises
x = torch.randn(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach(), lambda t: {}[1]):
    y = x * x
y.sum().backward()

# torch.autograd.graph.saved_tensors_hooks: an unpack hook that returns no tensor
x = torch.randn(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: 3, lambda t: t):
    y = x * x
y.sum().backward()

# torch.autograd.graph.saved_tensors_hooks: an unpack hook that returns another shape
x = torch.randn(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach(), lambda t: torch.ones(5)):
    y = x * x
y.sum().backward()

# torch.autograd.graph.saved_tensors_hooks: an unpack hook that returns another dtype
x = torch.randn(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach(), lambda t: t.double()):
    y = x * x
y.sum().backward()

# Tensor.half: tensors packed in half precision
x = torch.randn(2, 3, requires_grad=True)
w = torch.randn(4, 3, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(
    lambda t: (t.dtype, t.detach().half()), lambda p: p[1].to(p[0])
):
    y = F.linear(x, w).relu()
y.sum().backward()

# torch.autograd.graph.saved_tensors_hooks: hooks that cannot be called
with torch.autograd.graph.saved_tensors_hooks(1, 2):
    pass

# torch.autograd.graph.saved_tensors_hooks: one hook is not enough
with torch.autograd.graph.saved_tensors_hooks(lambda t: t):
    pass

# torch.autograd.graph.saved_tensors_hooks: hooks may be read
_hooks = torch.autograd.graph.saved_tensors_hooks(len, abs)
print(_hooks.pack_hook, _hooks.unpack_hook)

# torch.autograd.graph.disable_saved_tensors_hooks: disabled
x = torch.randn(2, requires_grad=True)
with torch.autograd.graph.disable_saved_tensors_hooks("not here"):
    y = x * x
    with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        z = x * x

# torch.autograd.graph.disable_saved_tensors_hooks: disabled while a pair is active
with torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
    with torch.autograd.graph.disable_saved_tensors_hooks("not here"):
        pass

# torch.autograd.graph.disable_saved_tensors_hooks: disabled twice, and enabled again
for text in ("first", "second"):
    with torch.autograd.graph.disable_saved_tensors_hooks("outer"):
        if text == "second":
            with torch.autograd.graph.disable_saved_tensors_hooks("inner"):
                try:
                    with torch.autograd.graph.save_on_cpu():
                        pass
                except RuntimeError as error:
                    print(error)
        try:
            with torch.autograd.graph.save_on_cpu():
                pass
        except RuntimeError as error:
            print(error)
with torch.autograd.graph.save_on_cpu():
    print("enabled")

# torch.autograd.graph.disable_saved_tensors_hooks: disabled with something else than a text
with torch.autograd.graph.disable_saved_tensors_hooks(3):
    pass

# save_on_cpu
x = torch.randn(2, 3, requires_grad=True)
with torch.autograd.graph.save_on_cpu():
    y = (x.t() @ x).exp()
with torch.autograd.graph.save_on_cpu(pin_memory=False):
    z = y.tanh() * y
z.sum().backward()

# torch.autograd.graph.saved_tensors_hooks: a Function's saved tensors
calls = []


class Both(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        y = x.exp()
        ctx.save_for_backward(x, y, None, scale)
        return y

    @staticmethod
    def backward(ctx, grad):
        calls.append("backward")
        x, y, nothing, scale = ctx.saved_tensors
        calls.append((nothing, y.requires_grad))
        return grad * x * y * scale, None


x = torch.randn(2, requires_grad=True)
scale = torch.randn(2)
with torch.autograd.graph.saved_tensors_hooks(
    lambda t: calls.append(("pack", t.tolist(), str(t.grad_fn)[:25])) or t.detach(),
    lambda t: calls.append(("unpack", t.tolist())) or t,
):
    y = Both.apply(x, scale)
calls.append("done")
y.sum().backward()

# torch.autograd.Function: a Function that gets its tensors twice
calls = []


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, grad):
        (a,), (b,) = ctx.saved_tensors, ctx.saved_tensors
        calls.append(a is b)
        return grad * a * 2


x = torch.randn(2, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(
    lambda t: t.detach(), lambda t: calls.append("unpack") or t
):
    y = Twice.apply(x)
(first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
first.sum().backward()

# Tensor.detach: hooks of one saved tensor
calls = []
x = torch.randn(2, requires_grad=True)
y = x * torch.ones(2)
z = y * y
z.grad_fn._raw_saved_self.register_hooks(
    lambda t: calls.append(("pack", t.requires_grad)) or t.detach(),
    lambda t: calls.append("unpack") or t * 3,
)
print(z.grad_fn._saved_self)
z.sum().backward()

# Tensor.clone: hooks of one saved output
x = torch.randn(2, requires_grad=True)
y = x.exp()
y.grad_fn._raw_saved_result.register_hooks(lambda t: t.clone(), lambda t: t + 1)
y.sum().backward()

# torch.tensor: hooks of a saved list of tensors
calls = []
x = torch.randn(3, requires_grad=True)
y = x[torch.tensor([0, 2])]
y.grad_fn._raw_saved_indices[0].register_hooks(
    lambda t: t.tolist(), lambda t: calls.append(t) or torch.tensor(t)
)
print(y.grad_fn._saved_indices)
y.sum().backward()


# torch.autograd.Function: hooks of a Function's saved tensor
class Keep(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x, x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * sum(ctx.saved_tensors)


x = torch.ones(2, requires_grad=True)
y = Keep.apply(x)
y.grad_fn._raw_saved_tensors[1].register_hooks(lambda t: 5.0, lambda t: torch.full((2,), t))
y.sum().backward()
try:
    y.grad_fn._raw_saved_tensors
except RuntimeError as error:
    print(error)

# torch.randn: a second pair of hooks of one saved tensor
x = torch.randn(2, requires_grad=True)
y = x * x
y.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t)
y.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t)


# torch.autograd.graph: unpack_hook of saved tensors
def pack(t):
    return t * 2


def unpack(t):
    calls.append("unpack")
    return t / 2


calls = []
x = torch.tensor([2.0, 3.0], requires_grad=True)
index = torch.tensor([1, 0])
ones = torch.ones(2)
plain = [x * x, x.exp(), x[index], x * ones, torch.nn.functional.layer_norm(x, (2,))]
with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    packed = [x * x, x.exp(), x[index], x * ones, torch.nn.functional.layer_norm(x, (2,))]
for y in (*plain, *packed):
    for name in dir(y.grad_fn):
        if name.startswith("_raw_saved"):
            raw = getattr(y.grad_fn, name)
            raws = raw if isinstance(raw, tuple) else (raw,)
            print(name, [r.unpack_hook is unpack or r.unpack_hook for r in raws], calls)

# torch.autograd.graph: unpack_hook after backward
x = torch.tensor([2.0, 3.0], requires_grad=True)
with torch.autograd.graph.save_on_cpu():
    y = x.exp()
raw = y.grad_fn._raw_saved_result
print(raw.unpack_hook.__name__)
y.sum().backward(retain_graph=True)
print(raw.unpack_hook.__name__)
y.sum().backward()
print(raw.unpack_hook, raw.data)
raw.unpack()

# torch.autograd.graph: unpack_hook of a checkpoint
x = torch.tensor([2.0, 3.0], requires_grad=True)
calls = []
y = torch.utils.checkpoint.checkpoint(
    lambda a: calls.append("run") or a.exp().sin(), x, use_reentrant=False
)
print(y.grad_fn._raw_saved_self.unpack_hook is None, calls)

# torch.autograd.graph: unpack_hook of a saved tensor with hooks of its own
x = torch.tensor([2.0, 3.0], requires_grad=True)
y = x * x
y.grad_fn._raw_saved_self.register_hooks(lambda t: t * 2, abs)
print(y.grad_fn._raw_saved_self.unpack_hook is abs, y.grad_fn._raw_saved_other.unpack_hook)

# Tensor.add_: data of saved tensors that were written
x = torch.tensor([2.0, 3.0], requires_grad=True)
w = x.clone()
y, z = w * w, x.exp()
raw, result = y.grad_fn._raw_saved_self, z.grad_fn._raw_saved_result
w.add_(1)
z.add_(1)
print(raw.data is w, raw.data, result.data, result.data.requires_grad)

# torch.ones: hooks of a tensor that was not saved
y = torch.ones(2) * torch.ones(2, requires_grad=True)
y.grad_fn._raw_saved_other.register_hooks(lambda t: t, lambda t: t)

# torch.randn: hooks of a tensor that was freed
x = torch.randn(2, requires_grad=True)
y = x * x
y.sum().backward()
y.grad_fn._raw_saved_self.register_hooks(lambda t: t, lambda t: t)

# Tensor.mul_: hooks of one saved tensor that write
x = torch.randn(2, requires_grad=True)


def work():
    y = (x * 1) * x
    y.grad_fn._raw_saved_self.register_hooks(lambda t: t.mul_(2), lambda t: t)


work()

# torch.randn: the names of what is saved
x = torch.randn(2, requires_grad=True)
print([name for name in dir((x * x).grad_fn) if "saved" in name])
print([name for name in dir(x[None].grad_fn) if "saved" in name])
print(hasattr(x.sum().grad_fn, "_raw_saved_self_sym_sizes"))
x.sum().grad_fn._raw_saved_self_sym_sizes

# torch.randn: a new SavedTensor
x = torch.randn(2, requires_grad=True)
y = x * x
type(y.grad_fn._raw_saved_self)()

# torch.autograd.graph.saved_tensors_hooks: another thread has hooks of its own
import threading

calls = []
x = torch.randn(2, requires_grad=True)


def work():
    calls.append("thread")
    (x * x).sum().backward()


with torch.autograd.graph.saved_tensors_hooks(
    lambda t: calls.append("pack") or t.detach(), lambda t: t
):
    _thread = threading.Thread(target=work)
    _thread.start()
    _thread.join()
    y = x * x

# F.cross_entropy: a model trained with its activations kept elsewhere
_kept = {}


def pack(tensor):
    _kept[len(_kept)] = tensor.detach().clone()
    return len(_kept) - 1


_model = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
_optimizer = torch.optim.SGD(_model.parameters(), lr=0.1)
x = torch.randn(5, 3)
for _step in range(3):
    with torch.autograd.graph.saved_tensors_hooks(pack, _kept.__getitem__):
        loss = F.cross_entropy(_model(x), torch.tensor([0, 1, 0, 1, 0]))
    _optimizer.zero_grad()
    loss.backward()
    _optimizer.step()
    print(loss)

# torch.autograd.graph.saved_tensors_hooks: the version of what an unpack hook gives
kept = []
x = torch.ones(3, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(
    lambda t: kept.append(t.clone()) or kept[-1], lambda t: t
):
    y = x * x
    z = y.exp()
saved = y.grad_fn._saved_self
before = saved._version, kept[0]._version
kept[0].add_(1)
again = y.grad_fn._saved_self
print(before, saved._version, again._version, kept[0]._version, again is kept[0])
again.requires_grad and print(again.grad_fn)
result = z.grad_fn._saved_result
kept[-1].mul_(2)
print(
    result._version, z.grad_fn._saved_result._version, z.grad_fn._saved_result.grad_fn is z.grad_fn
)

# Tensor.untyped_storage: numbers that nodes keep
x = torch.tensor([1.5, 2.5], requires_grad=True)
for y in (x * 2.5, x / 3, 3 / x, True * x, x * 2j, x.half() / 3, x[0] * 2, x / 1.5):
    for name in dir(y.grad_fn):
        if name.startswith("_saved_"):
            seen, again = getattr(y.grad_fn, name), getattr(y.grad_fn, name)
            raw = getattr(y.grad_fn, f"_raw{name}")
            print(name, seen, seen is again, raw.data is seen, raw.unpack() is seen)
            if seen is not None:
                print(seen.dtype, seen.untyped_storage().nbytes(), raw.unpack_hook)
    y.sum().abs().backward()
    print(x.grad)

# Tensor.fill_: a number that a node keeps and a program writes
x = torch.tensor([1.5, 2.5], requires_grad=True)
y = x / 3
y.grad_fn._saved_other.data.fill_(5)
y.sum().backward()
z = x / 3
z.grad_fn._saved_other.add_(1)
z.sum().backward()

# torch.autograd.grad: a number that a node keeps under create_graph
x = torch.tensor([1.5, 2.5], requires_grad=True)
y = x / 3
print(y.grad_fn._saved_other)
(g,) = torch.autograd.grad(y.sum(), x, create_graph=True)
print(g)

# torch.autograd.graph.saved_tensors_hooks: hooks of a number that a node keeps
x = torch.tensor([1.5, 2.5], requires_grad=True)
y = x * 3
y.grad_fn._raw_saved_other.register_hooks(lambda t: t * 2, lambda t: t + 1)
print(y.grad_fn._raw_saved_other.data, y.grad_fn._saved_other)
y.sum().backward()
with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t / 2):
    z = x / 3
print(z.grad_fn._raw_saved_other.unpack_hook, z.grad_fn._raw_saved_other.data)

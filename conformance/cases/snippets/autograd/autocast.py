# torch.autocast: a product runs in bfloat16, a sum in what comes
x = torch.randn(3, 4)
w = torch.randn(4, 2, requires_grad=True)
with torch.autocast("cpu"):
    y = x @ w
    z = y + 1
    s = (x * 2).sum()
z.float().sum().backward()

# torch.autocast: a product in float16
x = torch.randn(3, 4)
w = torch.randn(4, 2, requires_grad=True)
with torch.autocast("cpu", dtype=torch.float16):
    y = x @ w

# F.cross_entropy: a layer, its activation and its loss
x = torch.randn(5, 4)
layer = nn.Linear(4, 3)
with torch.autocast("cpu"):
    out = layer(x)
    loss = F.cross_entropy(out, torch.tensor([0, 1, 2, 1, 0]))
loss.backward()
g, b = layer.weight.grad, layer.bias.grad

# nn.Softmax: a network of several layers
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2), nn.Softmax(-1))
with torch.autocast(device_type="cpu", dtype=torch.bfloat16):
    y = net(torch.randn(3, 4))
y.float().square().sum().backward()
grads = [p.grad for p in net.parameters()]

# nn.LayerNorm: layers that run in the dtype of their input
with torch.autocast("cpu"):
    x = torch.randn(4, 6, dtype=torch.bfloat16)
    norm = nn.LayerNorm(6)(x)
    batch = nn.BatchNorm1d(6)(x)
    group = nn.GroupNorm(2, 6)(x)
    soft = F.softmax(x, 1)
    gelu = F.gelu(x)

# F.conv1d: convolutions
x = torch.randn(1, 2, 6, 6)
conv = nn.Conv2d(2, 3, 3, padding=1)
up = nn.ConvTranspose2d(3, 2, 2)
with torch.autocast("cpu"):
    y = F.max_pool2d(conv(x), 2)
    z = up(y)
    line = F.conv1d(torch.randn(1, 2, 5), torch.randn(3, 2, 2))
z.float().sum().backward()

# F.l1_loss: losses run in float32
x = torch.randn(4, 3, dtype=torch.bfloat16, requires_grad=True)
t = torch.randn(4, 3, dtype=torch.bfloat16)
with torch.autocast("cpu"):
    a = F.mse_loss(x, t)
    b = F.l1_loss(x, t)
    c = F.smooth_l1_loss(x, t)
    d = F.huber_loss(x, t)
    e = F.binary_cross_entropy_with_logits(x, t.sigmoid())
    f = F.binary_cross_entropy(x.sigmoid(), t.sigmoid())
    g = F.nll_loss(F.log_softmax(x, 1), torch.tensor([0, 1, 2, 0]))
    h = F.kl_div(x, t.softmax(1))
(a + b + c + d + e + f + g + h).backward()

# torch.cat: what is joined is widened to float32
x = torch.randn(2, 2)
h = x.bfloat16()
with torch.autocast("cpu"):
    a = torch.cat([x, h])
    b = torch.stack([h, h])
    c = torch.cat([x.int(), h])
    d = torch.cat([x, x.double()])
    e = torch.cat([h, x], dim=1)
    f = torch.hstack([h, x])

# torch.cat: what is joined of two lower precisions
with torch.autocast("cpu"):
    torch.cat([torch.ones(2).half(), torch.ones(2).bfloat16()])

# Tensor.prod: some reductions run in float32
x = torch.rand(3, 3, dtype=torch.bfloat16)
with torch.autocast("cpu"):
    a, b, c = x.prod(), x.prod(0), x.prod(0, dtype=torch.float64)
    d, e, f = x.sum(), x.mean(), x.cumsum(0)
    t = x.trace()
    m = x.norm()

# Tensor.addmm_: what is written in place, or into out=, keeps its dtype
x = torch.randn(3, 3)
with torch.autocast("cpu"):
    a = torch.mm(x, x, out=torch.empty(3, 3))
    b = x.clone().addmm_(x, x)
    c = torch.addmm(x, x, x)
    d = torch.baddbmm(torch.zeros(1, 3, 3), x[None], x[None])
    e = torch.bmm(x[None], x[None])

# Tensor.addmm_: two dtypes that do not go together in place
x = torch.randn(3, 3)
with torch.autocast("cpu"):
    x.clone().addmm_(x, x.bfloat16())

# torch.autocast: float64 and complex numbers are left alone
x = torch.randn(2, 2, dtype=torch.float64)
c = torch.randn(2, 2, dtype=torch.complex64)
with torch.autocast("cpu"):
    y, z = x @ x, c @ c

# torch.autocast: float64 beside float32
x = torch.randn(2, 2)
with torch.autocast("cpu"):
    y = x.double() @ x

# torch.cat: integers are left alone
x = torch.arange(4).reshape(2, 2)
with torch.autocast("cpu"):
    y = x @ x
    z = torch.cat([x, x])

# torch.mv: products that are not in the list
x = torch.randn(3, 3)
with torch.autocast("cpu"):
    a = torch.dot(x[0], x[0])
    b = torch.mv(x, x[0])
    c = torch.outer(x[0], x[1])
    d = x @ x[0]
    e = x[0] @ x[1]
    f = torch.einsum("ij,jk->ik", x, x)
    g = torch.addmv(x[0], x, x[1])

# torch.autocast: a region without, inside
x = torch.randn(3, 3)
with torch.autocast("cpu"):
    a = x @ x
    with torch.autocast("cpu", enabled=False):
        b = x @ x
        c = a.float() @ x
    d = x @ x

# torch.autocast: a region in another precision, inside
x = torch.randn(3, 3)
with torch.autocast("cpu", dtype=torch.bfloat16):
    a = x @ x
    with torch.autocast("cpu", dtype=torch.float16):
        b = x @ x
    c = x @ x

# torch.autocast: a weight is cast once
x = torch.randn(3, 3)
w = torch.randn(3, 3, requires_grad=True)
with torch.autocast("cpu"):
    a, b = x @ w, x @ w
one = a.grad_fn.next_functions[1][0] is b.grad_fn.next_functions[1][0]
print(one)

# torch.is_autocast_cache_enabled: a weight is cast each time without the cache
x = torch.randn(3, 3)
w = torch.randn(3, 3, requires_grad=True)
with torch.autocast("cpu", cache_enabled=False):
    print(torch.is_autocast_cache_enabled())
    a, b = x @ w, x @ w
print(torch.is_autocast_cache_enabled())
print(a.grad_fn.next_functions[1][0] is b.grad_fn.next_functions[1][0])

# torch.autocast: what is cast and forgotten when the outermost region ends
x = torch.randn(3, 3)
w = torch.randn(3, 3, requires_grad=True)
with torch.autocast("cpu"):
    with torch.autocast("cpu"):
        a = x @ w
    b = x @ w
with torch.autocast("cpu"):
    c = x @ w
print(a.grad_fn.next_functions[1][0] is b.grad_fn.next_functions[1][0])
print(a.grad_fn.next_functions[1][0] is c.grad_fn.next_functions[1][0])

# torch.autocast: what was cast stays as it was
x = torch.ones(2, 2)
w = torch.ones(2, 2, requires_grad=True)
with torch.autocast("cpu"):
    a = x @ w
    with torch.no_grad():
        w.mul_(2)
    b = x @ w
c = x @ w

# torch.no_grad: a weight that was first used under no_grad
x = torch.ones(2, 2)
w = torch.ones(2, 2, requires_grad=True)
with torch.autocast("cpu"):
    with torch.no_grad():
        a = x @ w
    b = x @ w
b.float().sum().backward()

# Tensor.is_inference: in inference mode
with torch.inference_mode(), torch.autocast("cpu"):
    y = torch.ones(2, 2) @ torch.ones(2, 2)
print(y.dtype, y.is_inference())


# torch.autocast: a function, a method and a generator as decorated
@torch.autocast("cpu")
def product(x):
    """Its text."""
    return x @ x


class Net(nn.Module):
    @torch.autocast(device_type="cpu", dtype=torch.float16)
    def forward(self, x):
        return x @ x


y = product(torch.ones(2, 2))
z = Net()(torch.ones(2, 2))
print(product.__name__, product.__doc__, torch.is_autocast_enabled("cpu"))
del product, Net

# torch.autocast: decorating what cannot be called
torch.autocast("cpu")(3)


# torch.get_autocast_dtype: the state in and out of a region
def state():
    return (
        torch.is_autocast_enabled("cpu"),
        torch.is_autocast_enabled(),
        torch.get_autocast_dtype("cpu"),
        torch.get_autocast_dtype("cuda"),
        torch.is_autocast_cache_enabled(),
    )


print(state())
with torch.autocast("cpu", torch.float16, cache_enabled=False) as context:
    print(state(), type(context))
    with torch.autocast("cpu", enabled=False):
        print(state())
print(state())
del state, context

# torch.is_autocast_enabled: an error ends the region
try:
    with torch.autocast("cpu"):
        raise ValueError("inside")
except ValueError as error:
    print(error, torch.is_autocast_enabled("cpu"))

# torch.autocast_increment_nesting: nesting by hand
print(torch.autocast_increment_nesting(), torch.autocast_increment_nesting())
print(torch.autocast_decrement_nesting(), torch.autocast_decrement_nesting())
torch.clear_autocast_cache()

# torch.set_autocast_enabled: switched by hand
torch.set_autocast_enabled("cpu", True)
torch.set_autocast_dtype("cpu", torch.float16)
y = torch.ones(2, 2) @ torch.ones(2, 2)
torch.set_autocast_enabled("cpu", False)
torch.set_autocast_dtype("cpu", torch.bfloat16)
torch.set_autocast_cache_enabled(False)
torch.clear_autocast_cache()
torch.set_autocast_cache_enabled(True)
z = torch.ones(2, 2) @ torch.ones(2, 2)

# torch.is_autocast_cpu_enabled: the older names
a = torch.is_autocast_cpu_enabled(), torch.get_autocast_cpu_dtype(), torch.get_autocast_gpu_dtype()
torch.set_autocast_cpu_enabled(False)
torch.set_autocast_cpu_dtype(torch.bfloat16)
torch.set_autocast_gpu_dtype(torch.float16)
print(a)

# torch.autocast: a device that autocast has no list for
print(torch.amp.is_autocast_available("cpu"), torch.amp.is_autocast_available("meta"))
torch.autocast("meta")

# torch.autocast: a device that does not exist
torch.autocast("gpu")

# torch.device: a device that is no string
torch.autocast(torch.device("cpu"))

# torch.autocast: no device
torch.autocast()

# torch.get_autocast_dtype: a precision that is not lower
with torch.autocast("cpu", dtype=torch.float32):
    y = torch.ones(2, 2) @ torch.ones(2, 2)
    print(torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu"))

# torch.get_autocast_dtype: CUDA where there is none
with torch.autocast("cuda"):
    print(torch.is_autocast_enabled(), torch.get_autocast_dtype("cuda"))

# torch.is_autocast_enabled: CUDA, not enabled
with torch.autocast("cuda", enabled=False, dtype=torch.bfloat16):
    print(torch.is_autocast_enabled(), torch.get_autocast_dtype("cuda"))

# torch.cpu.amp
with torch.cpu.amp.autocast():
    y = torch.ones(2, 2) @ torch.ones(2, 2)
print(y.dtype)

# torch.cuda.amp
from torch.cuda.amp import GradScaler, autocast

with autocast(enabled=False):
    y = torch.ones(2, 2) @ torch.ones(2, 2)
scaler = GradScaler(enabled=False)
print(y.dtype, scaler.is_enabled(), scaler.scale(y) is y)
del GradScaler, autocast, scaler

# torch.set_autocast_enabled: states that are refused
for call in (
    lambda: torch.is_autocast_enabled(1),
    lambda: torch.is_autocast_enabled("meta"),
    lambda: torch.get_autocast_dtype(),
    lambda: torch.get_autocast_dtype("meta"),
    lambda: torch.set_autocast_enabled("cpu", 1),
    lambda: torch.set_autocast_enabled("cpu"),
    lambda: torch.set_autocast_dtype("cpu", 1),
    lambda: torch.set_autocast_cache_enabled(1),
    lambda: torch.set_autocast_cpu_enabled(1),
    lambda: torch.amp.is_autocast_available(1),
):
    try:
        call()
    except (TypeError, RuntimeError) as error:
        print(type(error).__name__, error)
del call


# torch.autograd.Function: a Function that casts its inputs
class Product(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    def forward(ctx, a, b):
        print(a.dtype, b.dtype, torch.is_autocast_enabled("cpu"))
        ctx.save_for_backward(a, b)
        return a @ b

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        print(grad.dtype, torch.is_autocast_enabled("cpu"))
        return grad @ b.t(), a.t() @ grad


a = torch.ones(2, 2, dtype=torch.bfloat16, requires_grad=True)
b = torch.ones(2, 2, requires_grad=True)
with torch.autocast("cpu"):
    y = Product.apply(a, b)
y.sum().backward()
z = Product.apply(b, b)


# torch.autograd.Function: a Function whose backward follows its forward
class Follow(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu")
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a @ a

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, grad):
        print(torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu"))
        (a,) = ctx.saved_tensors
        return (grad @ a).float()


a = torch.ones(2, 2, requires_grad=True)
with torch.autocast("cpu", dtype=torch.float16):
    y = Follow.apply(a)
y.sum().backward()
print(y.dtype, a.grad)

# torch.amp: custom_fwd of no device
torch.amp.custom_fwd(lambda ctx, x: x, device_type=None)

# torch.amp.GradScaler: a scaler from the first loss to the last step
w = torch.ones(2, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=2)
print(scaler.get_scale(), scaler.state_dict())
for i in range(4):
    optimizer.zero_grad()
    loss = (w * (i + 1)).sum()
    scaler.scale(loss).backward()
    if i == 2:
        w.grad[0] = float("inf")
    scaler.step(optimizer)
    scaler.update()
    print(w, scaler.get_scale(), scaler.state_dict())
del optimizer, scaler

# nn.utils.clip_grad_norm_: gradients that are unscaled by hand, for clipping
w = torch.ones(2, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=1.0)
scaler = torch.amp.GradScaler("cpu", init_scale=4.0)
scaler.scale((w * 3).sum()).backward()
print(w.grad)
scaler.unscale_(optimizer)
print(w.grad, nn.utils.clip_grad_norm_([w], 1.0))
scaler.step(optimizer)
scaler.update()
scaler.update(2.0)
scaler.update(torch.tensor(16.0))
print(w, scaler.get_scale())
del optimizer, scaler

# torch.amp.GradScaler: several losses at once
scaler = torch.amp.GradScaler("cpu", init_scale=2.0)
a, [b, (c,)] = scaler.scale((torch.ones(1), [torch.ones(2), (torch.ones(3),)]))
print(type(scaler.scale([a])), list(scaler.scale(iter([a]))))
del scaler

# torch.amp.GradScaler: a scaler of something else
torch.amp.GradScaler("cpu").scale(1.0)

# torch.amp.GradScaler: a scaler that is asked in the wrong order
w = torch.ones(2, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=1.0)
scaler = torch.amp.GradScaler("cpu")
for call in (
    lambda: scaler.step(optimizer),
    lambda: scaler.update(),
    lambda: scaler.unscale_(optimizer),
    lambda: scaler.scale(w.sum()).backward(),
    lambda: scaler.update(),
    lambda: scaler.step(optimizer, closure=lambda: 1),
    lambda: scaler.unscale_(optimizer),
    lambda: scaler.unscale_(optimizer),
    lambda: scaler.step(optimizer),
    lambda: scaler.step(optimizer),
    lambda: scaler.unscale_(optimizer),
    lambda: scaler.__getstate__(),
    lambda: scaler.load_state_dict({}),
    lambda: scaler.update(torch.ones(2)),
    lambda: torch.amp.GradScaler("cpu", growth_factor=1.0),
    lambda: torch.amp.GradScaler("cpu", backoff_factor=1.0),
):
    try:
        print(call())
    except (RuntimeError, AssertionError) as error:
        print(type(error).__name__, error)
del call, optimizer, scaler

# torch.amp.GradScaler: a scaler that found no gradients
w = torch.ones(2, requires_grad=True)
scaler = torch.amp.GradScaler("cpu")
scaler.scale(w.sum())
scaler.step(torch.optim.SGD([w], lr=1.0))

# torch.amp.GradScaler: gradients in float16 cannot be unscaled
w = torch.ones(2, dtype=torch.float16, requires_grad=True)
scaler = torch.amp.GradScaler("cpu")
scaler.scale(w.sum()).backward()
scaler.step(torch.optim.SGD([w], lr=1.0))

# torch.amp.GradScaler: a scaler goes on from a state
first = torch.amp.GradScaler("cpu", init_scale=4.0, growth_factor=3.0)
second = torch.amp.GradScaler("cpu")
second.load_state_dict(first.state_dict())
print(second.state_dict(), second.get_growth_factor(), second.get_backoff_factor())
second.set_growth_factor(5.0)
second.set_backoff_factor(0.1)
second.set_growth_interval(3)
print(second.state_dict(), second.get_growth_interval(), second.is_enabled())
del first, second

# torch.amp.GradScaler: a scaler for CUDA where there is none
scaler = torch.amp.GradScaler()
print(scaler.is_enabled(), scaler.get_scale(), scaler.state_dict(), scaler.update())
w = torch.ones(2, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=1.0)
scaler.scale(w.sum()).backward()
scaler.unscale_(optimizer)
scaler.step(optimizer)
print(w)
del scaler, optimizer

# F.mse_loss: a backward inside the region
x = torch.randn(3, 4)
layer = nn.Linear(4, 2)
with torch.autocast("cpu"):
    loss = F.mse_loss(layer(x), torch.zeros(3, 2))
    loss.backward()
g = layer.weight.grad

# torch.autocast: a second derivative through a region
x = torch.randn(2, 2, requires_grad=True)
with torch.autocast("cpu"):
    y = (x @ x).float().square().sum()
(g,) = torch.autograd.grad(y, x, create_graph=True)
g.sum().backward()

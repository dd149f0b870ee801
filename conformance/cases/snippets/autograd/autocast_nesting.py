# autocast: nesting, state and dtype of what is listed
seen = []
x = torch.ones(2, 2)
w = torch.ones(2, 2)
with torch.autocast("cpu"):
    seen.append(
        (
            torch.mm(x, w).dtype,
            (x + w).dtype,
            torch.softmax(x.bfloat16(), 0).dtype,
            F.linear(x, w).dtype,
            torch.bmm(x[None], w[None]).dtype,
            (x @ w).dtype,
            torch.addmm(x, x, w).dtype,
            torch.exp(x.bfloat16()).dtype,
            torch.cat([x, x.bfloat16()]).dtype,
            F.mse_loss(x.bfloat16(), x.bfloat16()).dtype,
            x.bfloat16().sum().dtype,
            torch.einsum("ij,jk->ik", x, w).dtype,
            F.scaled_dot_product_attention(x[None], x[None], x[None]).dtype,
        )
    )
    with torch.autocast("cpu", enabled=False):
        seen.append((x @ w).dtype)
    with torch.autocast("cpu", dtype=torch.float16):
        seen.append((x @ w).dtype)
    seen.append(
        (
            torch.is_autocast_enabled("cpu"),
            torch.get_autocast_dtype("cpu"),
            torch.is_autocast_cache_enabled(),
        )
    )
print(seen)

# torch.is_autocast_enabled: autocast: errors and repr
for a, k in (
    (("cpu",), {"dtype": torch.float32}),
    (("cpu",), {"dtype": torch.int8}),
    (("tpu",), {}),
    ((), {}),
    ((3,), {}),
    (("cpu",), {"enabled": "yes"}),
    (("cuda",), {}),
    (("cpu", torch.bfloat16, True, False), {}),
):
    import warnings

    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter("always")
        try:
            c = torch.autocast(*a, **k)
            with c:
                print(type(c).__name__, c.device, c.fast_dtype, torch.is_autocast_enabled("cpu"))
        except Exception as e:
            print(type(e).__name__, e)
        print([str(v.message)[:100] for v in w])
del w, c

# autocast and gradients' dtypes
lin = nn.Linear(2, 2)
x = torch.ones(1, 2, requires_grad=True)
with torch.autocast("cpu", dtype=torch.bfloat16):
    y = lin(x)
    z = F.relu(y)
    l = z.float().sum()
l.backward()
print(lin.weight.grad.dtype, x.grad.dtype, y.dtype, z.dtype)

# GradScaler on the CPU: a step with inf and growth
p = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([p], lr=0.1)
s = torch.amp.GradScaler("cpu", init_scale=4.0, growth_interval=2)
seen = []
for g in (1.0, float("inf"), 1.0, 1.0, float("nan"), 1.0):
    opt.zero_grad()
    s.scale((p * g).sum()).backward()
    s.step(opt)
    s.update()
    seen.append((s.get_scale(), s._get_growth_tracker(), p.tolist()))
print(
    seen,
    s.state_dict(),
    s.is_enabled(),
    s.get_growth_factor(),
    s.get_backoff_factor(),
    s.get_growth_interval(),
)

# GradScaler: what it refuses
p = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([p], lr=0.1)
s = torch.amp.GradScaler("cpu", init_scale=4.0)
for f in (
    lambda: s.step(opt),
    lambda: s.update(),
    lambda: s.unscale_(opt),
    lambda: s.update(3.0),
    lambda: s.update("x"),
    lambda: s.scale("x"),
    lambda: s.scale([torch.ones(1), (torch.ones(1),)]),
    lambda: s.load_state_dict({}),
    lambda: s.set_growth_factor(3.0),
    lambda: s.set_backoff_factor(0.1),
    lambda: s.set_growth_interval(5),
    lambda: torch.amp.GradScaler("cpu", growth_factor=0.5),
    lambda: torch.amp.GradScaler("cpu", backoff_factor=2.0),
):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)

# GradScaler: disabled, pickled, stepped twice
import pickle

p = torch.ones(2, requires_grad=True)
opt = torch.optim.SGD([p], lr=0.1)
s = torch.amp.GradScaler("cpu", enabled=False)
print(s.scale(p.sum()).item(), s.get_scale(), s.state_dict(), s.unscale_(opt), s.update())
t = pickle.loads(pickle.dumps(torch.amp.GradScaler("cpu", init_scale=8.0)))
print(t.get_scale())
s = torch.amp.GradScaler("cpu", init_scale=4.0)
s.scale(p.sum()).backward()
s.unscale_(opt)
try:
    s.unscale_(opt)
except RuntimeError as e:
    print(e)
s.step(opt)
try:
    s.step(opt)
except RuntimeError as e:
    print(e)
s.update()


# torch.amp: custom_fwd and custom_bwd on the CPU
class A(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    def forward(ctx, x, n):
        print(x.dtype, n, torch.is_autocast_enabled("cpu"), ctx._fwd_used_autocast, ctx._dtype)
        return x * 2

    @staticmethod
    @torch.amp.custom_bwd(device_type="cpu")
    def backward(ctx, g):
        print(g.dtype, torch.is_autocast_enabled("cpu"))
        return g * 2, None


x = torch.ones(2, dtype=torch.bfloat16, requires_grad=True)
with torch.autocast("cpu"):
    y = A.apply(x, 3)
y.sum().backward()
z = A.apply(x.float().detach().requires_grad_(), 3)
print(y.dtype, x.grad.dtype)

# torch.roll: kernels that call cat refuse float16 beside bfloat16
for kind in (torch.float16, torch.bfloat16, torch.float32):
    x = torch.arange(9.0).reshape(3, 3).to(kind) / 4
    calls = {
        "roll": lambda: torch.roll(x, 1),
        "by none": lambda: torch.roll(x, 0, 0),
        "of nothing": lambda: torch.roll(x[:0], 1),
        "fftshift": lambda: torch.fft.fftshift(x),
        "matrix_exp": lambda: torch.matrix_exp(x),
        "small": lambda: torch.matrix_exp(x / 100),
        "chunk_cat": lambda: torch._chunk_cat([x, x], 0, 2),
        "mvlgamma": lambda: torch.mvlgamma(x + 2, 3),
    }
    with torch.autocast("cpu"):
        for name, call in calls.items():
            try:
                print(name, call().dtype)
            except RuntimeError as error:
                print(name, error)
del calls, call

# F.max_pool3d: layers of volumes in full precision
x = torch.arange(64.0).reshape(1, 1, 4, 4, 4).bfloat16()
with torch.autocast("cpu"):
    pooled = F.max_pool3d(x, 2), F.adaptive_avg_pool3d(x, 2), F.adaptive_max_pool3d(x, 2)
    places = F.max_pool3d(x, 2, return_indices=True)
    factor = torch.lu(torch.eye(2).bfloat16())[0]
    product = torch.ones(3).__rmatmul__(torch.ones(3))
    out = torch.linalg.tensorinv(torch.eye(2).bfloat16(), 1, out=torch.empty(2, 2))
    rank = torch.linalg.matrix_rank(torch.eye(2).bfloat16(), out=torch.empty((), dtype=torch.int64))

# Tensor.clamp_: clamping looks at dtypes before it looks at memory
a = torch.tensor([False, True]).expand(2, 2)
a.clamp_(-1, 1)
a.clamp_(torch.tensor(1))
a.clamp_(True)

# torch.deg2rad: elements that are none lie where torch's iterator puts them
a = torch.zeros((2, 0)).t()
b = torch.zeros((), dtype=torch.float16)
c = b % a.half()
d = torch.lerp(b, a.half(), 0.25)
e = torch.deg2rad(a)
f = torch.hypot(b, a.half())

# F.gelu: a result has memory of its own size
a = torch.tensor([0.0, 0.25], requires_grad=True)
b, c = F.gelu(a).unbind(0)
d = torch.as_strided(b, (2,), (1,), 1)
e = F.gelu(torch.zeros(2, 0))
f = e.untyped_storage().nbytes(), F.gelu(torch.ones(1)).untyped_storage().nbytes()
g = e.t()

# nn.functional.silu: operators that torch has no derivative of for complex numbers
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

# F.gelu: second gradients of gelu in half precision
x = torch.tensor([2.75, 3.0, -3.0, -2.75], dtype=torch.float16, requires_grad=True)
y = F.gelu(x.tanh() * 2, approximate="tanh") + F.gelu(x)
(gradient,) = torch.autograd.grad(y, x, torch.ones_like(y), create_graph=True)
gradient.backward(torch.full_like(gradient, 0.5))

# Tensor.nan_to_num: neighbours of numbers, as bits
ends = [
    1.0,
    -2,
    0,
    -0.0,
    65504,
    -65504,
    6e-5,
    6e-8,
    9.1e-41,
    1e-3,
    torch.inf,
    -torch.inf,
    torch.nan,
]
whole = {torch.float64: torch.int64, torch.float32: torch.int32}
beside = []
for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
    x = torch.tensor(ends, dtype=torch.float64).to(dtype)
    limit = torch.finfo(dtype).max
    x = torch.cat((x, torch.tensor([limit, -limit, torch.finfo(dtype).tiny], dtype=dtype)))
    found = torch.nextafter(x[:, None], x).nan_to_num(7.0)
    written = x.clone().nextafter_(x.flip(0)).nan_to_num(7.0)
    for each in (
        found,
        written,
        torch.nextafter(x, torch.tensor(2.0, dtype=dtype)).nan_to_num(7.0),
    ):
        beside.append(each.view(whole.get(dtype, torch.int16)))
del x, found, written, each

# torch.float_power: special functions of whole numbers and numbers
x = torch.tensor([2, 3, 4])
for name in ("zeta", "xlogy", "xlog1py"):
    f = getattr(torch.special, name)
    print(name, f(x, 2), f(3, x), f(x, x), f(x, 2.5), f(1.5, x), f(x, True))
print(torch.xlogy(x, 2), torch.copysign(x, -1), torch.float_power(2, x), torch.float_power(x, 2))
print(torch.true_divide(x, 2), torch.heaviside(x, x), torch.hypot(x.float(), x.float()))

# torch.sign: the signs of slopes that are zero
x = torch.tensor([-1.5, -0.0, 0.25, 2.0])
for function in (
    torch.round,
    lambda x: torch.round(x, decimals=1),
    lambda x: torch.round(x, decimals=-1),
    torch.floor,
    torch.ceil,
    torch.trunc,
    torch.sign,
    torch.sgn,
    torch.fix,
    lambda x: torch.div(x, 2, rounding_mode="floor"),
    lambda x: torch.div(x, 2, rounding_mode="trunc"),
    lambda x: x // 3,
    lambda x: x.fill_(3),
    lambda x: x.zero_(),
    lambda x: x.uniform_(),
    lambda x: x.random_(),
    lambda x: x.random_(5),
    lambda x: x.random_(-2, 5),
    lambda x: x.cauchy_(),
    lambda x: x.log_normal_(),
    lambda x: x.geometric_(0.5),
    lambda x: x.normal_(),
    lambda x: x.bernoulli_(0.5),
    lambda x: x.exponential_(),
    torch.poisson,
    lambda x: torch.bernoulli(x.sigmoid()),
    lambda x: torch.normal(x, 1.0),
    lambda x: torch.normal(0.0, x.abs()),
    lambda x: torch.clamp(x, 5, 7),
    lambda x: torch.where(x > 9, x, 0.0),
    lambda x: x.masked_fill(x < 9, 1.0),
    lambda x: F.relu(-x.abs()),
    lambda x: F.hardtanh(x * 9),
    lambda x: F.threshold(x, 9, 1),
    lambda x: torch.special.xlog1py(x, torch.zeros(4)),
    lambda x: x.index_fill(0, torch.arange(4), 2.0),
    lambda x: x.scatter(0, torch.arange(4), 2.0),
    lambda x: x.nan_to_num() * 0,
):
    for weight in (torch.tensor([1.0, -1.0, 2.0, 0.0]),):
        leaf = x.clone().requires_grad_()
        torch.manual_seed(0)
        try:
            function(leaf * 1).backward(weight)
            print(leaf.grad, leaf.grad.signbit().tolist())
        except RuntimeError as error:
            print(error)
del leaf, weight

# torch.sgn: infinite complex numbers have no direction
inf, nan = float("inf"), float("nan")
for real in (inf, -inf, nan, 0.0, 2.0):
    for imaginary in (inf, -inf, nan, 0.0, -3.0):
        print(torch.sgn(torch.tensor(complex(real, imaginary), dtype=torch.complex128)))

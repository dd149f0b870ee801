# Tensor.clone: tangents of inference tensors: seen beside a number, and where clone copies them
with torch.inference_mode():
    a = torch.ones(2)
with torch.autograd.forward_ad.dual_level():
    b = torch.autograd.forward_ad.make_dual(a, torch.ones(2))
    c = [
        torch.autograd.forward_ad.unpack_dual(x).tangent
        for x in (b, b.clone(), b.sin(), b * 2, b.clone().mul_(2), b.clone().add_(a))
    ]

# Tensor.clone: that a mask does not fit is said before it overlaps what is written
a = torch.tensor([[False, True, False], [True, False, True]])
texts = []
for x, mask in ((a[None], a), (a, a[0]), (a.t(), a), (a[:1], a[:1].clone())):
    try:
        x[mask] = True
    except (IndexError, RuntimeError) as error:
        texts.append(str(error))

# Tensor.to: what is drawn into expanded memory, and what is refused before that
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

# Tensor.to: shifts by more bits than there are
n = torch.arange(-2, 70)
for kind in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64):
    x = torch.tensor([[1], [77], [-3]]).to(kind)
    m = n[n.abs() < 64 if kind != torch.int64 else n < 70].to(kind)
    print((x << m).tolist(), (x >> m).tolist(), (x << 5).tolist(), (x >> 5).tolist())

# Tensor.clone: SGD as a function of what others are made of
from torch.optim.sgd import sgd

options = dict(weight_decay=0, momentum=0, lr=0.1, dampening=0, nesterov=False, maximize=False)
w = torch.ones(2, requires_grad=True)
fast = [w.clone()]
sgd(fast, torch.autograd.grad((w**3).sum(), w, create_graph=True), [None], **options)
(fast[0] ** 2).sum().backward()

# Tensor.half: products of half precision with transposed images
x = torch.arange(24.0).reshape(2, 3, 4).half().transpose(1, 2)
mean, var = torch.tensor([1.0, 2, 3, 4]).half(), torch.tensor([0.5, 2, 1, 9]).half()
for training in (False, True):
    y = F.batch_norm(x, mean.clone(), var.clone(), var, mean, training=training, eps=0.7)
    z = F.batch_norm(x.bfloat16(), mean.bfloat16(), var.bfloat16(), training=training)
    print(y, z)


# Tensor.double: sums to the last bit
def shown(x):
    return x.double().tolist()


for n in (
    *range(1, 40),
    63,
    64,
    65,
    96,
    100,
    127,
    128,
    129,
    200,
    256,
    511,
    512,
    520,
    700,
    1000,
    2100,
    5000,
):
    x = torch.rand(n)
    print(n, shown(x.sum()), shown(x.double().sum()), shown(x.mean()), shown(x[::2].sum()))

# Tensor.double: a gradient of another dtype than that which is there
x = torch.ones(2, requires_grad=True)
x.sum().backward()
x.data = x.data.double()
(x * 2).sum().backward()
layer = nn.Linear(2, 2)
layer(torch.ones(1, 2)).sum().backward()
layer.double()
kept = layer.weight.grad.clone()
layer(torch.ones(1, 2).double()).sum().backward()

# Tensor.to: in place of integers, what leaves them as they are
made = []
for kind in (torch.int64, torch.bool, torch.uint8):
    x = torch.tensor([1, 0, 3]).to(kind)
    for name in ("conj_physical_", "abs_", "sgn_", "neg_", "floor_", "ceil_", "round_", "trunc_"):
        try:
            made.append(getattr(x.clone(), name)())
        except (RuntimeError, TypeError, NotImplementedError) as error:
            made.append(str(error))
del x, kind, name

# Tensor.contiguous: the gradient of a write into a transposed view is laid out in rows
log = []
a = torch.ones(2, 3, requires_grad=True)
b = a * 1
c, d = b.t(), (a * 2).t().contiguous()
d.register_hook(lambda grad: log.append(grad.stride()))
c.div_(d)
b.sum().backward(create_graph=True)

# Tensor.copy_: tangents of views are kept
from torch.autograd import forward_ad

with forward_ad.dual_level():
    base = torch.zeros(2, 2)
    before = base[0]
    base.copy_(forward_ad.make_dual(torch.ones(2, 2), torch.arange(4.0).reshape(2, 2)))
    after = base[1]
    for each in (before, after, base):
        first = forward_ad.unpack_dual(each).tangent
        print(first, forward_ad.unpack_dual(each).tangent is first)
    before.mul_(3)
    print(forward_ad.unpack_dual(base).tangent, forward_ad.unpack_dual(before).tangent)
    try:
        with forward_ad.dual_level():
            print("nested")
    except RuntimeError as error:
        print(error)

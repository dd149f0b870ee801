# groups of rows
x, w = torch.randn(5, 16, requires_grad=True), torch.randn(3, 16, 8, requires_grad=True)
ends = torch.tensor([2, 2, 5], dtype=torch.int32)
y = F.grouped_mm(x, w, offs=ends)
a, b = torch.autograd.grad(y, (x, w), torch.ones(5, 8), create_graph=True)
(a.square().sum() + b.square().sum()).backward()

# groups of rows by matrices in columns
x, w = torch.randn(16, 8).t().requires_grad_(), torch.randn(3, 8, 16).mT.requires_grad_()
y = F.grouped_mm(x, w, offs=torch.tensor([2, 3, 8], dtype=torch.int32))
a, b = torch.autograd.grad(y, (x, w), torch.randn(8, 8))

# groups of columns
x, w = torch.randn(3, 4, 8, requires_grad=True), torch.randn(8, 12, requires_grad=True)
y = F.grouped_mm(x, w, offs=torch.tensor([4, 8, 12], dtype=torch.int32))
a, b = torch.autograd.grad(y, (x, w), torch.randn(4, 12))

# groups of what is added up
x, w = torch.randn(4, 12, requires_grad=True), torch.randn(12, 8, requires_grad=True)
y = F.grouped_mm(x, w, offs=torch.tensor([4, 8, 12], dtype=torch.int32))
a, b = torch.autograd.grad(y, (x, w), torch.randn(3, 4, 8))

# a batch of products of half precision
x, w = torch.randn(3, 4, 16).bfloat16().requires_grad_(), torch.randn(3, 16, 8).bfloat16()
y = F.grouped_mm(x, w, out_dtype=torch.bfloat16)
y.backward(torch.ones_like(y))

# groups whose sum goes backward
x, w = torch.randn(3, 4, 8, requires_grad=True), torch.randn(3, 8, 4)
F.grouped_mm(x, w).sum().backward()

# groups of doubles
F.grouped_mm(torch.ones(3, 4, 8).double(), torch.ones(3, 8, 4))

# groups of two dtypes
F.grouped_mm(torch.ones(3, 4, 8), torch.ones(3, 8, 8).half())

# groups of rows of two dtypes
ends = torch.tensor([1, 2, 4]).int()
F.grouped_mm(torch.ones(4, 8), torch.ones(3, 8, 8).half(), offs=ends)

# groups of vectors
F.grouped_mm(torch.ones(8), torch.ones(3, 8, 4))

# groups that do not chain
F.grouped_mm(torch.ones(3, 4, 8), torch.ones(3, 4, 4))

# groups without ends
F.grouped_mm(torch.ones(4, 8), torch.ones(3, 8, 4))

# groups with ends that are not int32
F.grouped_mm(torch.ones(4, 8), torch.ones(3, 8, 4), offs=torch.tensor([1, 2, 4]))

# groups with a table of ends
F.grouped_mm(torch.ones(4, 8), torch.ones(3, 8, 4), offs=torch.ones(1, 3, dtype=torch.int32))

# groups with too few ends
F.grouped_mm(torch.ones(4, 8), torch.ones(3, 8, 4), offs=torch.tensor([1, 4]).int())

# batches of two sizes
F.grouped_mm(torch.ones(3, 4, 8), torch.ones(2, 8, 4))

# groups with a bias
F.grouped_mm(torch.ones(3, 4, 8), torch.ones(3, 8, 4), bias=torch.ones(4))

# groups into another dtype
F.grouped_mm(torch.ones(3, 4, 8), torch.ones(3, 8, 4), out_dtype=torch.half)

# groups with rows that are not 16 bytes apart
F.grouped_mm(torch.ones(3, 4, 7), torch.ones(3, 7, 4))

# groups of every other element
F.grouped_mm(torch.ones(3, 4, 16)[..., ::2], torch.ones(3, 8, 4))

# products of scaled numbers that are not of 8 bits
one, kind = torch.ones(()), F.ScalingType.TensorWise
print(kind, repr(kind), int(F.SwizzleType.SWIZZLE_32_4_4), list(F.ScalingType.__members__))
F.scaled_mm(torch.ones(16, 32), torch.ones(32, 16).double(), one, kind, one, kind)

# products of scaled matrices that do not chain
one, kind = torch.ones(()), F.ScalingType.TensorWise
F.scaled_mm(torch.ones(16, 32), torch.ones(16, 32), one, kind, one, kind)

# products of scaled vectors
one, kind = torch.ones(()), F.ScalingType.TensorWise
F.scaled_mm(torch.ones(32), torch.ones(16, 32), one, kind, one, kind)

# products of scaled matrices with another bias
one, kind = torch.ones(()), F.ScalingType.TensorWise
F.scaled_mm(torch.ones(6, 2), torch.ones(2, 6), one, kind, one, kind, bias=torch.ones(3))

# causal masks by name
from torch.nn.attention.bias import causal_lower_right, causal_upper_left

q, k = torch.randn(2, 3, 4, 8, requires_grad=True), torch.randn(2, 3, 6, 8)
first, last = causal_upper_left(4, 6), causal_lower_right(4, 6)
print(first, last, first.shape, last.variant)
a = F.scaled_dot_product_attention(q, k, k, first)
b = F.scaled_dot_product_attention(q, k, k, attn_mask=last, scale=0.5)
(a * b).sum().backward()
causal_lower_right(6, 4)
del first, last  # whose numbers are not set

# a causal mask for what is causal
from torch.nn.attention.bias import causal_upper_left

x = torch.randn(4, 8)
F.scaled_dot_product_attention(x, x, x, causal_upper_left(4, 4), is_causal=True)

# a causal mask for two dtypes
from torch.nn.attention.bias import causal_lower_right

x = torch.randn(4, 8)
F.scaled_dot_product_attention(x[:2], x, x.double(), causal_lower_right(2, 4))

# a causal mask for vectors
from torch.nn.attention.bias import causal_lower_right

x = torch.randn(4, 8)
F.scaled_dot_product_attention(x[0], x, x, causal_lower_right(2, 4))

# a causal mask of three sizes
from torch.nn.attention.bias import causal_upper_left

causal_upper_left(2, 3, 4)

# masks of heads, put together
layer = nn.MultiheadAttention(4, 2)
x = torch.ones(2, 3, 4)
a, b, c = (
    layer.merge_masks(*masks, x)
    for masks in (
        (torch.ones(3, 3), torch.eye(3)[:2]),
        (torch.randn(4, 3, 3), None),
        (None, torch.eye(3)[:2]),
    )
)

# Adam as a function
from torch.optim.adam import adam

params = [torch.randn(3), torch.randn(2, 2)]
lists = [[torch.rand_like(p) for p in params] for _ in range(3)]
steps = [torch.tensor(2.0), torch.tensor(0.0)]
options = dict(beta1=0.9, beta2=0.99, lr=0.1, weight_decay=0.01, eps=1e-8)
for amsgrad in (True, False):
    adam(params, [p * 2 for p in params], *lists, steps, amsgrad=amsgrad, maximize=False, **options)

# SGD as a function, whose first step makes a buffer
from torch.optim.sgd import sgd

options = dict(weight_decay=0.1, momentum=0.9, lr=0.1, dampening=0, nesterov=True, maximize=False)
params, buffers = [torch.ones(2), torch.ones(3)], [None, torch.ones(3)]
sgd(params, [torch.ones(2), torch.ones(3)], buffers, **options)

# SGD as a function of what others are made of
from torch.optim.sgd import sgd

options = dict(weight_decay=0, momentum=0, lr=0.1, dampening=0, nesterov=False, maximize=False)
w = torch.ones(2, requires_grad=True)
fast = [w.clone()]
sgd(fast, torch.autograd.grad((w**3).sum(), w, create_graph=True), [None], **options)
(fast[0] ** 2).sum().backward()

# RMSprop and ASGD as functions
from torch.optim.asgd import asgd
from torch.optim.rmsprop import rmsprop

p, g = [torch.ones(2)], [torch.tensor([0.5, -1.0])]
a, b, c, d = ([torch.full((2,), x)] for x in (0.3, 0.1, 0.2, 1.0))
step, mu, eta = [torch.tensor(1.0)], [torch.tensor(0.9)], [torch.tensor(0.1)]
rmsprop(
    p, g, a, b, c, step, lr=0.1, alpha=0.9, eps=1e-8, weight_decay=0, momentum=0.5, centered=True
)
asgd(p, g, d, mu, eta, step, lambd=1e-4, lr=0.1, t0=1.0, alpha=0.75, weight_decay=0.1)

# Adam as a function of steps that are numbers
from torch.optim.adam import adam

x = [torch.ones(2)]
adam(
    x,
    x,
    x,
    x,
    x,
    [1],
    amsgrad=False,
    beta1=0.9,
    beta2=0.9,
    lr=0.1,
    weight_decay=0,
    eps=1,
    maximize=False,
)

# Adam as a function without options
from torch.optim.adam import adam

adam([], [], [], [], [], [])

# hooks around the steps of all optimizers
from torch.optim.optimizer import register_optimizer_step_post_hook
from torch.optim.optimizer import register_optimizer_step_pre_hook

seen = []
w = torch.ones(2, requires_grad=True)
w.sum().backward()
optimizer = torch.optim.SGD([w], lr=0.1)
handles = [
    register_optimizer_step_pre_hook(lambda o, a, k: seen.append(("before", len(a), k))),
    register_optimizer_step_post_hook(lambda o, a, k: seen.append(type(o).__name__)),
]
optimizer.register_step_post_hook(lambda o, a, k: seen.append("its own"))
optimizer.step()
for handle in handles:
    handle.remove()
optimizer.step()

# names without the prefix of a module around
from torch.nn.modules.utils import _pair, _triple, consume_prefix_in_state_dict_if_present

state = nn.Sequential(nn.Linear(2, 1)).state_dict(prefix="module.")
consume_prefix_in_state_dict_if_present(state, "module.")
names, known = list(state), dict(state._metadata)
print(_pair(3), _triple((1, 2, 3)))

# what gives batches
from torch.utils.data.dataloader import _DatasetKind, get_worker_info

fetcher = _DatasetKind.create_fetcher(0, [1, 2, 3], True, sum, False)
print(fetcher.fetch([0, 2]), get_worker_info())
del fetcher

# what workers were given once
from torch.utils.data.backward_compatibility import worker_init_fn

worker_init_fn(0)

# what the hooks of a weight are
from torch.nn.utils.spectral_norm import SpectralNorm
from torch.nn.utils.weight_norm import WeightNorm

m = nn.utils.weight_norm(nn.utils.spectral_norm(nn.Linear(2, 2)), "bias")
print([isinstance(h, (SpectralNorm, WeightNorm)) for h in m._forward_pre_hooks.values()])

# sparse products, and determinants, by the names of their arguments
s, e = torch.eye(2).to_sparse(), torch.eye(2)
print(torch.smm(s, mat2=e), s.smm(mat2=e), torch.hsmm(mat1=s, mat2=e), torch.slogdet(input=e * 2))
x, y = e.orgqr(input2=torch.zeros(2)), torch.linalg.slogdet(A=e)

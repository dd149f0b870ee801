# torch.dtype: attributes that a dtype does not have
torch.float32.foo

# torch.finfo: attributes that limits do not have
torch.finfo(torch.float32).foo

# torch.iinfo: attributes that limits of integers do not have
torch.iinfo(torch.int8).foo

# torch.finfo: limits that are written
torch.finfo(torch.float32).eps = 1

# torch.iinfo: limits that are deleted
del torch.iinfo(torch.int8).max

# torch.finfo: new attributes of limits
torch.finfo().foo = 1

# torch.dtype: attributes that layouts do not have
torch.strided.foo

# torch.dtype: attributes that memory formats do not have
torch.channels_last.foo

# torch.Size: attributes that sizes do not have
torch.Size([1]).foo

# torch.Generator: attributes that generators do not have
torch.Generator().foo

# torch.device: a device that is written
torch.device("cpu").type = "cuda"

# torch.Generator: a generator of something else
torch.Generator(1.5)

# Tensor.to: a module to a keyword that there is not
nn.Linear(1, 1).to(foo=1)

# Tensor.to: a module to a dtype and a keyword that there is not
nn.Linear(1, 1).to(torch.float64, foo=1)

# Tensor.to: a module to a memory format that is a number
nn.Linear(1, 1).to(memory_format=1)

# Tensor.to: a module to too many things
nn.Linear(1, 1).to("cpu", 2, 3, 4, 5, 6)

# Tensor.to: a module to nothing
x = nn.Linear(1, 1).to(None, torch.float64, non_blocking=True)
y = nn.Linear(1, 1).to(x.weight).weight

# torch.range: complex bounds of a range
torch.range(1j, 3)

# torch.histogram: a histogram into a number
torch.histogram(torch.ones(3), 3, out=1.5)

# torch.histogram: a histogram into numbers
torch.histogram(torch.ones(3), 3, out=(1, 2))

# torch.topk: the largest into a number
torch.topk(torch.ones(3), 1, out=1.5)

# torch.aminmax: extremes into a number
torch.aminmax(torch.ones(3), out=1.5)

# Tensor.set_: the memory of nothing
torch.ones(3).set_(None)

# torch.cosine_embedding_loss: losses as torch's own functions take them
a, b = torch.tensor([0.3, 0.5, 0.7], requires_grad=True), torch.tensor([1.0, 0.5, 1.0])
rows = torch.tensor([[1.0, 2, 4], [3, 5, 9]])
losses = [
    torch.binary_cross_entropy_with_logits(a, b),
    torch.kl_div(a, b),
    torch.hinge_embedding_loss(a, b, 1.0, 2),
    torch.margin_ranking_loss(a, b, b),
    torch.cosine_embedding_loss(rows, rows + 1, torch.ones(2), reduction=1),
    torch.triplet_margin_loss(rows, rows + 1, rows - 2),
    torch.poisson_nll_loss(a, b, True, False, 1e-8, 2),
]
sum(each.sum() for each in losses).backward()

# torch.binary_cross_entropy_with_logits: a loss that is reduced by name
torch.binary_cross_entropy_with_logits(torch.zeros(3), torch.ones(3), reduction="sum")

# torch.kl_div: a divergence that is reduced by name
torch.kl_div(torch.zeros(3), torch.ones(3), "sum")

# torch.kl_div: a divergence that is reduced by a truth
torch.kl_div(torch.zeros(3), torch.ones(3), reduction=True)

# torch.hinge_embedding_loss: a hinge that is reduced by name
torch.hinge_embedding_loss(torch.zeros(3), torch.ones(3), reduction="sum")

# torch.margin_ranking_loss: a ranking that is reduced by a fraction
torch.margin_ranking_loss(torch.zeros(3), torch.ones(3), torch.ones(3), reduction=1.5)

# torch.triplet_margin_loss: triplets that are reduced by name
torch.triplet_margin_loss(torch.zeros(3, 2), torch.ones(3, 2), torch.ones(3, 2), reduction="sum")

# torch.poisson_nll_loss: counts without options
torch.poisson_nll_loss(torch.zeros(3), torch.ones(3))

# torch.linalg.solve_triangular: triangles of two dtypes
A = torch.tensor([[2.0, 1], [0, 3]], requires_grad=True)
B = torch.tensor([[1.0], [2]], dtype=torch.float64, requires_grad=True)
x = torch.linalg.solve_triangular(A, B, upper=True)
y = torch.linalg.solve_triangular(A.double(), B.float(), upper=True)
z = torch.linalg.solve_triangular(A, B.to(torch.complex64), upper=True)
a, b = torch.autograd.grad(x.sum() + y.sum() + z.sum(), (A, B))

# Tensor.T: attributes that are only read, written and deleted
told = []
for name in "T mT H mH shape grad_fn name is_xla is_nested ndim _cdata _python_dispatch".split():
    for change in (lambda x, n: setattr(x, n, 1), delattr):
        try:
            change(torch.ones(2, 2), name)
        except AttributeError as error:
            told.append(str(error))
print(*told, sep="\n")

# Tensor._backward_hooks: hooks of a leaf that are written, forgotten and deleted
x = torch.ones(2, requires_grad=True)
seen = []
x.register_hook(lambda grad: seen.append("x"))
hooks, x._backward_hooks = x._backward_hooks, None
x.sum().backward()
print(seen, x._backward_hooks, len(hooks))
x._backward_hooks = hooks
x.sum().backward()
print(seen)
del hooks, x._backward_hooks

# Tensor._post_accumulate_grad_hooks: hooks that are deleted
del torch.ones(2)._post_accumulate_grad_hooks

# Tensor._grad_fn: a graph that is left by writing None, and something else
x = torch.ones(2, requires_grad=True) * 2
x._grad_fn = None
print(x)
x._grad_fn = 3

# Tensor._grad_fn: a graph that is deleted
del torch.ones(2)._grad_fn

# Tensor.real: a part that is written with a word
torch.ones(2, dtype=torch.complex64).real = "a"

# Tensor.imag: a part that is written with a list
torch.ones(2, dtype=torch.complex64).imag = [1, 2]


# Tensor.grad: a gradient that is deleted from a tensor of a derived class
class Own(torch.Tensor):
    pass


x = torch.ones(2).as_subclass(Own).requires_grad_()
x.sum().backward()
del x.grad
print(x.grad)

# torch.ones(2).new(torch.ones(2, dtype=torch.int64))
torch.ones(2).new(torch.ones(2, dtype=torch.int64))

# torch.ones(2).type("nonsense")
torch.ones(2).type("nonsense")

# torch.ones(2).type(3)
torch.ones(2).type(3)

# torch.ones(2, requires_grad=True).numpy()
torch.ones(2, requires_grad=True).numpy()

# torch.ones(2).item()
torch.ones(2).item()

# int(torch.ones(2))
int(torch.ones(2))

# range(torch.ones(2))[0]
range(torch.ones(2))[0]

# torch.ones: [1, 2][torch.ones(1)]
[1, 2][torch.ones(1)]

# torch.ones(2).to("nonsense")
torch.ones(2).to("nonsense")

# torch.ones(2).to(torch.float32, unknown=1)
torch.ones(2).to(torch.float32, unknown=1)

# torch.ones(3, dtype=torch.uint8).random_(0, 1000)
torch.ones(3, dtype=torch.uint8).random_(0, 1000)

# torch.split(torch.ones(4), [1, 2])
torch.split(torch.ones(4), [1, 2])

# torch.split(torch.ones(4), -1)
torch.split(torch.ones(4), -1)

# torch.split(torch.ones(()), 1)
torch.split(torch.ones(()), 1)

# torch.chunk(torch.ones(4), 0)
torch.chunk(torch.ones(4), 0)

# torch.unbind(torch.ones(()))
torch.unbind(torch.ones(()))

# torch.tensor_split(torch.ones(4), 0)
torch.tensor_split(torch.ones(4), 0)

# torch.tensor_split(torch.ones(()), 2)
torch.tensor_split(torch.ones(()), 2)

# torch.ones(2, 3).permute(0)
torch.ones(2, 3).permute(0)

# torch.ones(2, 3).permute(0, 0)
torch.ones(2, 3).permute(0, 0)

# torch.ones(2, 3, 4).t()
torch.ones(2, 3, 4).t()

# torch.ones(2, 3).view(5)
torch.ones(2, 3).view(5)

# torch.ones(2, 3).view(-1, -1)
torch.ones(2, 3).view(-1, -1)

# torch.ones(2, 3).t().view(6)
torch.ones(2, 3).t().view(6)

# torch.ones(2, 3).view(torch.float64)
torch.ones(2, 3).view(torch.float64)

# torch.ones(2, 3).t().view(torch.int16)
torch.ones(2, 3).t().view(torch.int16)

# torch.ones(2, 3).expand(4, 3)
torch.ones(2, 3).expand(4, 3)

# torch.ones(2, 3).expand(3)
torch.ones(2, 3).expand(3)

# torch.ones(2, 3).unflatten(1, (2, 2))
torch.ones(2, 3).unflatten(1, (2, 2))

# torch.ones(2, 3).unflatten(1, ())
torch.ones(2, 3).unflatten(1, ())

# torch.ones(2, 3).movedim((0, 1), (0,))
torch.ones(2, 3).movedim((0, 1), (0,))

# torch.ones(2, 3).flip(0, 0)
torch.ones(2, 3).flip(0, 0)

# torch.ones(2, 3).rot90(1, (0,))
torch.ones(2, 3).rot90(1, (0,))

# torch.ones(2, 3).roll((1, 2), (0,))
torch.ones(2, 3).roll((1, 2), (0,))

# torch.ones(2, 3).select(2, 0)
torch.ones(2, 3).select(2, 0)

# torch.ones(2, 3).narrow(0, 1, 5)
torch.ones(2, 3).narrow(0, 1, 5)

# torch.ones(2, 3).unfold(0, 5, 1)
torch.ones(2, 3).unfold(0, 5, 1)

# torch.ones(2, 3).diagonal(0, 1, 1)
torch.ones(2, 3).diagonal(0, 1, 1)

# torch.ones(2, 3).squeeze_(5)
torch.ones(2, 3).squeeze_(5)

# torch.ones(2, 3)[5]
torch.ones(2, 3)[5]

# torch.ones(2, 3)[:, :, 0]
torch.ones(2, 3)[:, :, 0]

# torch.ones(2, 3)[torch.tensor([0.5])]
torch.ones(2, 3)[torch.tensor([0.5])]

# torch.ones(2, 3)[torch.tensor([5])]
torch.ones(2, 3)[torch.tensor([5])]

# torch.ones(2, 3)[torch.ones(3, dtype=torch.bool)]
torch.ones(2, 3)[torch.ones(3, dtype=torch.bool)]

# torch.ones(2, 3)["x"]
torch.ones(2, 3)["x"]

# torch.ones(2, 3)[::-1]
torch.ones(2, 3)[::-1]

# torch.ones(())[0]
torch.ones(())[0]

# torch.cat([])
torch.cat([])

# torch.cat([torch.ones(2), torch.ones(2, 2)])
torch.cat([torch.ones(2), torch.ones(2, 2)])

# torch.stack([torch.ones(2), torch.ones(3)])
torch.stack([torch.ones(2), torch.ones(3)])

# torch.stack([])
torch.stack([])

# torch.block_diag(torch.ones(2, 2, 2))
torch.block_diag(torch.ones(2, 2, 2))

# torch.meshgrid(torch.ones(2), indexing="nonsense")
torch.meshgrid(torch.ones(2), indexing="nonsense")

# torch.cartesian_prod(torch.ones(2, 2))
torch.cartesian_prod(torch.ones(2, 2))

# torch.ones(2, 3).repeat(2)
torch.ones(2, 3).repeat(2)

# torch.repeat_interleave(torch.tensor([-1]))
torch.repeat_interleave(torch.tensor([-1]))

# torch.ones(2, 3).norm(dim=5)
torch.ones(2, 3).norm(dim=5)

# torch.linalg.vector_norm(torch.ones(2), dtype=torch.int64)
torch.linalg.vector_norm(torch.ones(2), dtype=torch.int64)

# torch.linalg.vector_norm(torch.ones(0), float("inf"))
torch.linalg.vector_norm(torch.ones(0), float("inf"))

# torch.norm(torch.ones(2, 2), p="nonsense")
torch.norm(torch.ones(2, 2), p="nonsense")

# torch.ones(2, 3).addmm(torch.ones(2, 2), torch.ones(3, 3))
torch.ones(2, 3).addmm(torch.ones(2, 2), torch.ones(3, 3))

# torch.mm(torch.ones(2), torch.ones(2, 2))
torch.mm(torch.ones(2), torch.ones(2, 2))

# torch.bmm(torch.ones(2, 2), torch.ones(2, 2))
torch.bmm(torch.ones(2, 2), torch.ones(2, 2))

# torch.dot(torch.ones(2), torch.ones(3))
torch.dot(torch.ones(2), torch.ones(3))

# torch.mv(torch.ones(2, 2), torch.ones(2, 2))
torch.mv(torch.ones(2, 2), torch.ones(2, 2))

# torch.ger(torch.ones(2, 2), torch.ones(2))
torch.ger(torch.ones(2, 2), torch.ones(2))

# torch.matmul(torch.ones(()), torch.ones(2))
torch.matmul(torch.ones(()), torch.ones(2))

# torch.ones(2) @ 3
torch.ones(2) @ 3

# torch.trace(torch.ones(2))
torch.trace(torch.ones(2))

# torch.bucketize(torch.ones(2), torch.ones(2, 2))
torch.bucketize(torch.ones(2), torch.ones(2, 2))

# torch.searchsorted(torch.ones(2, 3), torch.ones(3, 2))
torch.searchsorted(torch.ones(2, 3), torch.ones(3, 2))

# torch.searchsorted(torch.ones(3), torch.ones(2), side="nonsense")
torch.searchsorted(torch.ones(3), torch.ones(2), side="nonsense")

# torch.histc(torch.ones(2), bins=0)
torch.histc(torch.ones(2), bins=0)

# torch.histc(torch.ones(2), min=3, max=1)
torch.histc(torch.ones(2), min=3, max=1)

# torch.bincount(torch.tensor([-1]))
torch.bincount(torch.tensor([-1]))

# torch.bincount(torch.ones(2))
torch.bincount(torch.ones(2))

# torch.ones(2).fill_(torch.ones(2))
torch.ones(2).fill_(torch.ones(2))

# torch.ones(2).masked_fill_(torch.ones(2), 1)
torch.ones(2).masked_fill_(torch.ones(2), 1)

# torch.ones(2).masked_fill(torch.ones(2, dtype=torch.bool), torch.ones(2))
torch.ones(2).masked_fill(torch.ones(2, dtype=torch.bool), torch.ones(2))

# torch.ones(2).index_fill(0, torch.tensor([0]), torch.ones(2))
torch.ones(2).index_fill(0, torch.tensor([0]), torch.ones(2))

# torch.ones(2).index_fill(0, torch.tensor([5]), 1)
torch.ones(2).index_fill(0, torch.tensor([5]), 1)

# torch.ones(2).index_copy(0, torch.tensor([5]), torch.ones(1))
torch.ones(2).index_copy(0, torch.tensor([5]), torch.ones(1))

# torch.ones(2).index_copy(0, torch.tensor([0]), torch.ones(2))
torch.ones(2).index_copy(0, torch.tensor([0]), torch.ones(2))

# torch.ones(2).index_add(0, torch.tensor([5]), torch.ones(1))
torch.ones(2).index_add(0, torch.tensor([5]), torch.ones(1))

# torch.ones(2).scatter(0, torch.tensor([5]), torch.ones(1))
torch.ones(2).scatter(0, torch.tensor([5]), torch.ones(1))

# torch.ones(2).scatter(0, torch.tensor([0]), torch.ones(1), reduce="nonsense")
torch.ones(2).scatter(0, torch.tensor([0]), torch.ones(1), reduce="nonsense")

# torch.ones(2).scatter_reduce(0, torch.tensor([0]), torch.ones(1), reduce="nonsense")
torch.ones(2).scatter_reduce(0, torch.tensor([0]), torch.ones(1), reduce="nonsense")

# torch.ones(2).gather(0, torch.tensor([5]))
torch.ones(2).gather(0, torch.tensor([5]))

# torch.ones(2).take(torch.tensor([5]))
torch.ones(2).take(torch.tensor([5]))

# torch.ones(2).put_(torch.tensor([5]), torch.ones(1))
torch.ones(2).put_(torch.tensor([5]), torch.ones(1))

# torch.ones(2).masked_select(torch.ones(2))
torch.ones(2).masked_select(torch.ones(2))

# torch.ones(2).masked_scatter(torch.ones(2, dtype=torch.bool), torch.ones(1))
torch.ones(2).masked_scatter(torch.ones(2, dtype=torch.bool), torch.ones(1))

# torch.where(torch.ones(2), torch.ones(2), torch.ones(2))
torch.where(torch.ones(2), torch.ones(2), torch.ones(2))

# torch.ones(2).sort(5)
torch.ones(2).sort(5)

# torch.ones(2).topk(5)
torch.ones(2).topk(5)

# torch.ones(2).kthvalue(5)
torch.ones(2).kthvalue(5)

# torch.ones(0).median(0)
torch.ones(0).median(0)

# torch.ones(0).max()
torch.ones(0).max()

# torch.ones(0, 2).argmax(0)
torch.ones(0, 2).argmax(0)

# torch.ones(2).cumsum(3)
torch.ones(2).cumsum(3)

# torch.ones(2).lerp(torch.ones(2), torch.ones(2, dtype=torch.float64))
torch.ones(2).lerp(torch.ones(2), torch.ones(2, dtype=torch.float64))

# torch.ones(2).clamp()
torch.ones(2).clamp()

# torch.ones(2).add(1, alpha=1j)
torch.ones(2).add(1, alpha=1j)

# torch.ones(2, dtype=torch.int64).add(1, alpha=0.5)
torch.ones(2, dtype=torch.int64).add(1, alpha=0.5)

# torch.ones(2, dtype=torch.bool) - torch.ones(2, dtype=torch.bool)
torch.ones(2, dtype=torch.bool) - torch.ones(2, dtype=torch.bool)

# torch.ones: -torch.ones(2, dtype=torch.bool)
-torch.ones(2, dtype=torch.bool)

# torch.ones(2, dtype=torch.int64).div_(2)
torch.ones(2, dtype=torch.int64).div_(2)

# torch.ones(2).div(2, rounding_mode="nonsense")
torch.ones(2).div(2, rounding_mode="nonsense")

# torch.ones(2, dtype=torch.int64) // torch.zeros(2, dtype=torch.int64)
torch.ones(2, dtype=torch.int64) // torch.zeros(2, dtype=torch.int64)

# torch.ones(2, dtype=torch.int64) ** -1
torch.ones(2, dtype=torch.int64) ** -1

# torch.ones(2) & 1
torch.ones(2) & 1

# torch.ones(2) << 1
torch.ones(2) << 1

# torch.ones: ~torch.ones(2)
~torch.ones(2)

# torch.ones(2) + "x"
torch.ones(2) + "x"

# torch.ones(2).add_(torch.ones(3, 2))
torch.ones(2).add_(torch.ones(3, 2))

# torch.add(torch.ones(2), torch.ones(2), out=torch.ones(2, dtype=torch.int64))
torch.add(torch.ones(2), torch.ones(2), out=torch.ones(2, dtype=torch.int64))

# torch.add(torch.ones(2, requires_grad=True), 1, out=torch.ones(2))
torch.add(torch.ones(2, requires_grad=True), 1, out=torch.ones(2))

# torch.ones: "x" in torch.ones(2)
"x" in torch.ones(2)

# len(torch.ones(()))
len(torch.ones(()))

# list(torch.ones(()))
list(torch.ones(()))

# bool(torch.ones(2))
bool(torch.ones(2))

# bool(torch.ones(0))
bool(torch.ones(0))

# float(torch.ones(2, requires_grad=True).sum() * 1j)
float(torch.ones(2, requires_grad=True).sum() * 1j)

# hash(torch.ones(2)) and torch.ones(2).unknown
hash(torch.ones(2)) and torch.ones(2).unknown

# torch.ones(2).grad_fn.name()
torch.ones(2).grad_fn.name()

# torch.ones(2).backward()
torch.ones(2).backward()

# torch.ones(2, requires_grad=True).mul(2).backward()
torch.ones(2, requires_grad=True).mul(2).backward()

# torch.ones(2, requires_grad=True).sum().backward(torch.ones(3))
torch.ones(2, requires_grad=True).sum().backward(torch.ones(3))

# torch.ones(2, requires_grad=True).sum().backward(3)
torch.ones(2, requires_grad=True).sum().backward(3)

# torch.ones(2, dtype=torch.int64, requires_grad=True)
torch.ones(2, dtype=torch.int64, requires_grad=True)

# torch.ones(2, dtype=torch.int64).requires_grad_()
torch.ones(2, dtype=torch.int64).requires_grad_()

# torch.ones(2, requires_grad=True).mul(2).requires_grad_(False)
torch.ones(2, requires_grad=True).mul(2).requires_grad_(False)

# torch.ones(2, requires_grad=True).add_(1)
torch.ones(2, requires_grad=True).add_(1)

# torch.ones(2).retain_grad()
torch.ones(2).retain_grad()

# torch.ones(2).mul(2).register_hook(3)
torch.ones(2).mul(2).register_hook(3)

# torch.ones: x = torch.ones(2); x.grad = x
x = torch.ones(2)
x.grad = x

# torch.ones: x = torch.ones(2); x.grad = 3
x = torch.ones(2)
x.grad = 3

# torch.ones: x = torch.ones(2); x.data = 3
x = torch.ones(2)
x.data = 3

# torch.prelu(2, torch.ones(2))
torch.prelu(2, torch.ones(2))

# torch.prelu(torch.ones(2), 2)
torch.prelu(torch.ones(2), 2)

# torch.ones(2).prelu(2.5)
torch.ones(2).prelu(2.5)

# torch.rsub(torch.ones(2), 1, alpha=1j)
torch.rsub(torch.ones(2), 1, alpha=1j)

# torch.rsub(torch.ones(2, dtype=torch.int64), 1, alpha=0.5)
torch.rsub(torch.ones(2, dtype=torch.int64), 1, alpha=0.5)

# torch._int_mm: products of bytes, and what is refused
import torch

a = torch.tensor([[1, -2, 127], [3, 4, -128]], dtype=torch.int8)
b = torch.tensor([[1, 2], [-3, 4], [100, -100]], dtype=torch.int8)
product, unsigned = torch._int_mm(a, b), torch._int_mm(a.to(torch.uint8), b)
nothing, written = torch._int_mm(a[:0], b), torch.empty(2, 2, dtype=torch.int32)
torch._int_mm(a, b, out=written)


def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


for first in (a, a.float(), a.bool(), a.short(), a[0], b):
    for second in (b, b.to(torch.uint8), b.float(), b[0], a):
        attempt(lambda: torch._int_mm(first, second))
for out in (torch.empty(2, 2), torch.empty(0, dtype=torch.int32)):
    attempt(lambda: torch._int_mm(a, b, out=out))
for size in ((2, 3), (4,), (2, 2, 1)):
    attempt(lambda: torch._int_mm(a, b, out=torch.empty(size, dtype=torch.int32)))
attempt(lambda: torch._int_mm(a, b, out=torch.empty(2, 4, dtype=torch.int32)[:, ::2]))
del attempt

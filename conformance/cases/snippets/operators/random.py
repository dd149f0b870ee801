# torch.rand_like: Adam as a function
from torch.optim.adam import adam

params = [torch.randn(3), torch.randn(2, 2)]
lists = [[torch.rand_like(p) for p in params] for _ in range(3)]
steps = [torch.tensor(2.0), torch.tensor(0.0)]
options = dict(beta1=0.9, beta2=0.99, lr=0.1, weight_decay=0.01, eps=1e-8)
for amsgrad in (True, False):
    adam(params, [p * 2 for p in params], *lists, steps, amsgrad=amsgrad, maximize=False, **options)

# torch.normal: tangents of pseudo-inverses and of what draws
from torch.autograd import forward_ad

tall = torch.tensor([[1.0, 2], [0, 3], [4, 1]], dtype=torch.float64)
move = torch.tensor([[0.5, -1], [2, 0], [1, 1]], dtype=torch.float64)
h, k = tall.t() @ tall, move.t() @ move
with forward_ad.dual_level():
    made = [
        torch.linalg.pinv(forward_ad.make_dual(tall, move)),
        torch.linalg.pinv(forward_ad.make_dual(tall.t(), move.t())),
        torch.linalg.pinv(forward_ad.make_dual(h, k), hermitian=True),
        torch.pinverse(forward_ad.make_dual(tall, move)),
        torch.index_put(
            forward_ad.make_dual(tall, move),
            (torch.tensor([0, 2]),),
            forward_ad.make_dual(move[:2], tall[:2]),
        ),
        torch._neg_view(forward_ad.make_dual(tall, move)),
        torch.bmm(forward_ad.make_dual(tall[None], move[None]), h[None]),
        torch.bmm(tall[None], forward_ad.make_dual(h[None], k[None])),
        torch.baddbmm(tall[None], tall[None], forward_ad.make_dual(h[None], k[None]), alpha=2),
        torch.addbmm(tall, tall[None], forward_ad.make_dual(h[None], k[None]), alpha=2),
        torch.addbmm(tall, forward_ad.make_dual(tall[None], move[None]), h[None], beta=3),
        torch.linalg.cholesky_ex(forward_ad.make_dual(h, k)).L,
    ]
    tangents = [forward_ad.unpack_dual(each).tangent * 1 for each in made]
w = (tall.abs() + 1).requires_grad_()
torch.normal(w, 1.5).sum().backward()
first = w.grad * 1
torch.normal(0.5, w).sum().backward()
torch.normal(w, tall.abs()).sum().backward()
torch.normal(tall, w).sum().backward()
torch.poisson(w).sum().backward()
second = w.grad * 1
y = torch.neg(torch._neg_view(w)) * torch._neg_view(w)
y.backward(move)

# torch._standard_gamma: gradients of gamma and Dirichlet samples
for a in (0.05, 0.5, 1.0, 3.0, 30.0, 500.0):
    torch.manual_seed(1)
    alpha = torch.full((4,), a, dtype=torch.float64, requires_grad=True)
    sample = torch._standard_gamma(alpha)
    (grad,) = torch.autograd.grad(sample, alpha, torch.tensor([1.0, 2, 3, 4]).double())
    print([f"{each:.3e}" for each in grad.tolist()])
del alpha, sample, grad

# torch.Generator: streams after some words
g = torch.Generator().manual_seed(7)
for n in (1, 3, 7, 8, 16, 17):
    a = torch.rand(n, generator=g)
    state = g.get_state()
    b = (
        torch.randn(n, generator=g),
        torch.randint(5, (n,), generator=g),
        torch.randperm(n, generator=g),
    )
    h = torch.Generator()
    h.set_state(state)
    c = (
        torch.randn(n, generator=h),
        torch.randint(5, (n,), generator=h),
        torch.randperm(n, generator=h),
    )
    print(a, b, c, g.get_state().equal(h.get_state()))
fresh = torch.Generator().manual_seed(3)
other = torch.Generator()
other.set_state(fresh.get_state())
print(torch.rand(3, generator=fresh), torch.rand(3, generator=other), other.initial_seed())

# torch.multinomial: drawn with replacement, few and many
for weights in (
    torch.tensor([1.0, 0.0, 3.0]),
    torch.tensor([[0.5, 0.25, 2.0], [0.0, 1.0, 0.0]]).double(),
):
    for count in (1, 2, 3, 9):
        for replacement in (True, False):
            try:
                print(count, torch.multinomial(weights, count, replacement).tolist())
            except RuntimeError as error:
                print(count, error)

# elements by the hundred thousand
x = torch.linspace(-5, 5, 140000)
weight = torch.linspace(2, -1, 140000)
made, slopes = [], []
for function in (
    F.gelu,
    lambda x: F.gelu(x, approximate="tanh"),
    F.silu,
    F.mish,
    F.softplus,
    F.elu,
    F.celu,
    F.selu,
    F.logsigmoid,
    F.hardswish,
    torch.sigmoid,
    torch.tanh,
    torch.erf,
    torch.exp,
    torch.log1p,
    F.softsign,
    F.hardtanh,
    F.leaky_relu,
):
    leaf = (x.abs() if function is torch.log1p else x).requires_grad_(True)
    out = function(leaf)
    (slope,) = torch.autograd.grad(out, leaf, weight)
    made.append(out.detach()[::997] * 1)
    slopes.append(slope[::997] * 1)
    x = x.detach()
del leaf, out, slope, weight, x

# determinants of singular matrices of three rows
a = torch.tensor([[1.0, 2, 3], [2, 4, 6], [1, 0, 1]], dtype=torch.float64)
b = torch.tensor([[2.0, 1, 0], [0, 0, 0], [1, 3, 1]], dtype=torch.float64)
z = torch.tensor([[1 + 1j, 2.0], [2, 2 - 2j]], dtype=torch.complex128)
for x in (a, b, z, torch.stack((a, b))):
    leaf = x.clone().requires_grad_()
    det = torch.linalg.det(leaf)
    scale = torch.arange(1.0, 1.0 + det.numel()).reshape(det.shape).to(det)
    (grad,) = torch.autograd.grad(det, leaf, scale * 2, create_graph=True)
    print(
        [round(each, 6) + 0.0 for each in torch.view_as_real(grad.detach() + 0j).flatten().tolist()]
    )
del leaf, det, grad, scale

# condition numbers by every norm
a = torch.tensor([[1.0, 2, 3], [0, 4, 5], [1, 0, 6]], dtype=torch.float64)
batch = torch.stack((a, a.t() * 2, torch.ones(3, 3, dtype=torch.float64)))
for p in (None, 2, -2, "fro", "nuc", 1, -1, torch.inf, -torch.inf):
    print(p, torch.linalg.cond(a, p), torch.linalg.cond(batch[:2], p))
print([torch.linalg.cond(batch[2], p) for p in ("fro", 1, torch.inf)])

# tangents of pseudo-inverses and of what draws
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

# gradients of gamma and Dirichlet samples
for a in (0.05, 0.5, 1.0, 3.0, 30.0, 500.0):
    torch.manual_seed(1)
    alpha = torch.full((4,), a, dtype=torch.float64, requires_grad=True)
    sample = torch._standard_gamma(alpha)
    (grad,) = torch.autograd.grad(sample, alpha, torch.tensor([1.0, 2, 3, 4]).double())
    print([f"{each:.3e}" for each in grad.tolist()])
del alpha, sample, grad

# windows with every option
for make in (
    torch.hann_window,
    torch.hamming_window,
    torch.bartlett_window,
    torch.blackman_window,
    torch.kaiser_window,
):
    for n in (0, 1, 2, 5, 8):
        for periodic in (True, False):
            print(make(n, periodic), make(n, periodic, dtype=torch.float64))
print(torch.kaiser_window(6, True, 3.0), torch.hamming_window(6, False, 0.6, 0.3))

# powers in columns
for x in (torch.tensor([1, 2, 3]), torch.tensor([1.5, -2.0]), torch.tensor([True, False])):
    for n in (None, 0, 1, 2, 4):
        print(torch.vander(x, n), torch.vander(x, n, increasing=True))
x = torch.tensor([1.0, 2, 4, 8])
y = torch.arange(8.0).reshape(2, 4) ** 2
print(torch.trapezoid(y, x), torch.trapezoid(y, x, dim=-1), torch.trapezoid(y.t(), x, dim=0))
print(torch.cumulative_trapezoid(y, x), torch.trapezoid(y, dx=0.5), torch.trapezoid(y[None], x))

# losses that weigh
x, t = torch.arange(6.0).reshape(2, 3) / 4 - 0.5, torch.tensor([[0.5, 1, 0], [1.0, -1, 2]])
for reduction in ("none", "mean", "sum"):
    w = torch.tensor([[1.0, 2, 3], [0.5, 0, 1]])
    made = [
        F.mse_loss(x, t, reduction=reduction, weight=w),
        F.l1_loss(x, t, reduction=reduction, weight=w),
        F.huber_loss(x, t, reduction=reduction, delta=0.5, weight=w),
        F.gaussian_nll_loss(x, t, 0.5, full=True, reduction=reduction),
        F.gaussian_nll_loss(x, t, w + 1, reduction=reduction),
        F.poisson_nll_loss(x.abs(), t.abs(), log_input=False, full=True, reduction=reduction),
    ]
    print(made)
mapped = [
    torch.func.vmap(lambda x: torch.func.grad(lambda x: loss(x, t[0], reduction=how))(x))(x) * 1
    for how in ("mean", "sum")
    for loss in (F.mse_loss, F.l1_loss, F.smooth_l1_loss, F.huber_loss)
]
beta = torch.func.vmap(lambda a: torch.addbmm(x, a[None, :, :2], a[None, :2], beta=2, alpha=3))
products = (
    beta(torch.arange(18.0).reshape(2, 3, 3)[:, :2]),
    torch.func.vmap(lambda key: F.dropout(key, 0.5), randomness="different")(torch.ones(3, 8)),
)
alike = torch.func.vmap(lambda key: F.dropout(key, 0.5), randomness="same")(torch.ones(3, 8))

# heads that are shared, in the way of formulas
q = torch.arange(48.0).reshape(1, 4, 3, 4) / 24
k = torch.arange(24.0).reshape(1, 2, 3, 4).flip(-1) / 12
for given in ({}, {"is_causal": True}, {"attn_mask": torch.eye(3).double() * 2}, {"scale": 0.25}):
    leaf = k.double().requires_grad_()
    a = F.scaled_dot_product_attention(q.double(), leaf, leaf * 2, enable_gqa=True, **given)
    print(a[..., 0].detach(), torch.autograd.grad(a.sum(), leaf)[0][..., 0])
del a, leaf


# what a module adds to its state, and sizes a transposed convolution is asked for
class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = 3

    def get_extra_state(self):
        return {"n": self.n}

    def set_extra_state(self, state):
        self.n = state["n"] + 1


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.ModuleList([Counting(), Counting()])


outer = Outer()
print(outer.state_dict(), outer.state_dict(prefix="a."))
print(outer.load_state_dict(outer.state_dict()), outer.inner[1].n)
try:
    outer.load_state_dict({"inner.0._extra_state": {"n": 1}})
except RuntimeError as error:
    print(error)
up = nn.ConvTranspose2d(1, 1, 3, stride=(2, 3))
for size in ((5, 7), (6, 9), (1, 1, 6, 8)):
    print(up(torch.ones(1, 1, 2, 2), output_size=size).shape)
del outer

# padding that a transformer leaves out
import warnings

warnings.simplefilter("ignore")
torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(4, 2, 8, 0.0, batch_first=True)
net = nn.TransformerEncoder(layer, 2).eval()
x = torch.arange(24.0).reshape(2, 3, 4) / 12 - 1
for hidden in ([[0, 0, 1], [0, 0, 0]], [[0, 1, 0], [0, 0, 1]], [[1, 0, 0], [0, 0, 0]]):
    mask = torch.tensor(hidden).bool()
    with torch.no_grad():
        made = net(x, src_key_padding_mask=mask)
    other = net(x, src_key_padding_mask=mask)
    print((made - other).abs().amax(-1) < 1e-5, (made == 0).all(-1))
del layer, net, made, other

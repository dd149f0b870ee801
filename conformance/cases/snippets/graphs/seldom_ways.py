# tangents of linear equations, from the left and from the right
from torch.autograd import forward_ad

a = torch.tensor([[2.0, 1.0, 0.5], [0.25, 3.0, 1.0], [1.0, -1.0, 4.0]], dtype=torch.float64)
b = torch.arange(6.0, dtype=torch.float64).reshape(2, 3) - 1.5
da, db = a.t() / 2 + 1, b.flip(0) * 3
with forward_ad.dual_level():
    x, y = forward_ad.make_dual(a, da), forward_ad.make_dual(b, db)
    solved = [
        torch.linalg.solve(x, y, left=False),
        torch.linalg.solve(x, b, left=False),
        torch.linalg.solve(a, y, left=False),
        torch.linalg.solve(x, y.t()),
        torch.linalg.solve(x, y[0]),
        torch.linalg.solve_ex(x, y, left=False).result,
        torch.linalg.solve_triangular(x, y, upper=True, left=False),
        torch.linalg.solve_triangular(x, y.t(), upper=False, unitriangular=True),
        torch.linalg.lu_solve(*torch.linalg.lu_factor(x), y, left=False),
        torch.linalg.lu_solve(*torch.linalg.lu_factor(x), y, left=False, adjoint=True),
        torch.linalg.lu_solve(*torch.linalg.lu_factor(x), y.t(), adjoint=True),
    ]
    tangents = [forward_ad.unpack_dual(each).tangent * 1 for each in solved]

# determinants of matrices of which some are singular
a = torch.tensor(
    [[[1.0, 2.0], [2.0, 4.0]], [[1.0, 2.0], [3.0, 5.0]], [[0.0, 0.0], [0.0, 3.0]]],
    dtype=torch.float64,
    requires_grad=True,
)
weight = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
for part in (slice(None), slice(1, 2), slice(0, None, 2), slice(2, 3)):
    plain = torch.autograd.grad(torch.linalg.det(a[part]), a, weight[part])
    again = torch.autograd.grad(torch.linalg.det(a[part]), a, weight[part], create_graph=True)
    print(plain[0], again[0].detach())
    del again

# numbers that are not finite, in decompositions
nan, inf = torch.nan, torch.inf
for bad in ([[1.0, nan], [0.0, 1.0]], [[nan, nan], [nan, nan]], [[inf, 0.0], [0.0, 1.0]]):
    x = torch.tensor(bad)
    for name in "svdvals svd eigh pinv cond matrix_rank".split():
        try:
            print(name, getattr(torch.linalg, name)(x))
        except RuntimeError as error:
            print(name, type(error).__name__, str(error).splitlines()[0])

# quotients and weights out of range
x = torch.arange(6.0)
for q in ([0.5, 1.5], [-0.5, 0.5], [0.0, 1.0], [torch.nan, 0.5], [1.0, 1.0 + 1e-6]):
    for function in (torch.quantile, torch.nanquantile):
        try:
            print(function(x, torch.tensor(q)))
        except RuntimeError as error:
            print(error)
x = torch.arange(8.0).reshape(2, 4) ** 2
for weights in ([1, -1, 2, 3], [0, 0, 0, 0], [1, 0, 0, 0], [-1, -1, -1, -1]):
    for given in (
        {"fweights": torch.tensor(weights)},
        {"aweights": torch.tensor(weights).double()},
        {"fweights": torch.tensor(weights), "correction": 0},
    ):
        try:
            print(torch.cov(x, **given))
        except RuntimeError as error:
            print(error)
for refused in (
    lambda: torch.corrcoef(torch.ones(2, 2, 2)),
    lambda: torch.cov(torch.ones(2, 2, 2)),
    lambda: torch.cov(x, fweights=torch.ones(2, 2, dtype=torch.int64)),
    lambda: torch.cov(x, fweights=torch.ones(4)),
    lambda: torch.cov(x, aweights=torch.ones(4, dtype=torch.int64)),
    lambda: torch.cov(x, aweights=torch.ones(3)),
    lambda: torch.quantile(x, torch.ones(1, 1)),
    lambda: torch.quantile(x, torch.ones(1).double()),
    lambda: torch.quantile(x.half(), 0.5),
    lambda: torch.quantile(x[:0], 0.5),
    lambda: torch.quantile(x, 0.5, interpolation="cubic"),
    lambda: torch.quantile(x, 1.5),
    lambda: torch.linalg.cross(torch.ones(2, 4), torch.ones(2, 4)),
    lambda: torch.cross(torch.ones(2, 4), torch.ones(2, 4)),
):
    try:
        print(refused())
    except RuntimeError as error:
        print(error)

# positions at and beyond the ends
x = torch.arange(12.0).reshape(3, 4)
for at in ([0, 2], [-3, 2], [-4, 0], [0, 3], [2, -3], [-1, 5]):
    index = torch.tensor(at)
    for use in (
        lambda: x[index],
        lambda: x[:, index],
        lambda: x[index, index],
        lambda: x.index_put((index,), torch.ones(4)),
        lambda: x.index_put((index, index), torch.ones(2), accumulate=True),
        lambda: x.index_select(1, index),
        lambda: x.take(index),
        lambda: x.gather(0, index[None]),
        lambda: x.put(index, torch.ones(2)),
        lambda: x.index_add(0, index, torch.ones(2, 4)),
    ):
        try:
            print(use())
        except (IndexError, RuntimeError) as error:
            print(type(error).__name__, str(error).splitlines()[0])

# running extremes of zeros and of what is no number
zeros = torch.tensor(
    [[-0.0, 0.0, -0.0], [3.0, -0.0, 0.0], [torch.nan, 0.0, -0.0], [0.0, 1.0, -1.0]]
)
for x in (zeros, zeros.t(), zeros[0], zeros[1:2], torch.tensor([True, False, True])):
    for dim in range(x.dim()):
        print(torch.cummax(x, dim), torch.cummin(x, dim))
        print(torch.cummax(x, dim).values.float().signbit(), torch.cummin(x, dim).values.signbit())

# views of a gradient that was made for a root
x = torch.ones(2, 3, requires_grad=True)
y = x.t()
one = torch.ones((), requires_grad=True)
same = torch.autograd.grad(one, [one, one])
shared = same[0].data_ptr() == same[1].data_ptr(), same[0] is same[1]
z = one.view(1).view(())
views = torch.autograd.grad(z, [z, one])
shared = shared, views[0].data_ptr() == views[1].data_ptr(), views[0] is views[1]

# a weight normalised in half precision
v = torch.arange(1.0, 7.0).reshape(3, 2)
made = []
for dtype in (torch.float16, torch.bfloat16, torch.float64):
    for dim in (0, 1):
        w = v.to(dtype).requires_grad_()
        g = (
            torch.arange(1.0, 1.0 + w.shape[dim])
            .to(dtype)
            .reshape([-1, 1] if dim == 0 else [1, -1])
        )
        g.requires_grad_()
        out = torch._weight_norm(w, g, dim)
        (out * out.detach().flip(0)).sum().backward()
        made += [out.detach() * 1, g.grad * 1]
del out

# batches of matrices of two dtypes
for n in (1, 5, 20):
    for first in (torch.float32, torch.float64, torch.int64, torch.bool, torch.bfloat16):
        for second in (torch.float32, torch.float64, torch.int64, torch.bool, torch.bfloat16):
            try:
                out = torch.bmm(torch.ones(1, n, n, dtype=first), torch.ones(1, n, 3, dtype=second))
                print(n, out.dtype, out.shape)
            except RuntimeError as error:
                print(n, error)

# the same sizes, but steps between the rows of a batch
x = torch.arange(48.0).reshape(2, 4, 6)
for big in (x, x[:, :2], x[:, ::2], x.transpose(0, 1), x[:, :, :3], x.transpose(1, 2), x[:1, :2]):
    for small in (torch.ones(big.shape[-1]), torch.arange(big.shape[-1] * 2.0).reshape(-1, 2)):
        out = big @ small
        leaf = big.clone().requires_grad_()
        other = torch.matmul(leaf, small)
        last = torch.matmul(big, small.clone().requires_grad_())
        print(out.stride(), other.stride(), other.grad_fn, last.grad_fn, last.stride())
        left = small.t() @ big.mT if small.dim() == 2 else small @ big.mT
        print(left.shape, left.stride())

# short-time transforms of complex signals
x = torch.polar(torch.linspace(0.5, 2, 40), torch.linspace(0, 9, 40))
made = []
for width, length in ((8, 8), (8, 5), (8, 6), (9, 4)):
    window = torch.hann_window(length)
    s = torch.stft(x, width, 3, length, window, return_complex=True, onesided=False)
    y = torch.istft(s, width, 3, length, torch.ones(length), onesided=False, return_complex=True)
    z = torch.istft(s, width, 3, length, onesided=False, length=31, return_complex=True)
    w = torch.istft(s, width, 3, length, torch.ones(length), normalized=True, onesided=False)
    made += [s * 1, y * 1, z * 1, w * 1]
    r = torch.stft(x.real, width, 3, length, window, return_complex=True)
    made += [r * 1, torch.istft(r, width, 3, length, torch.ones(length)) * 1]
del window, s, y, z, w, r

# the largest of many, and the smallest
x = ((torch.arange(6000) * 7919) % 6007).float()
for part in (x, x.reshape(3, 2000), x.reshape(2000, 3), (x / 400).floor(), x.int()):
    for dim in range(part.dim()):
        for k in (0, 1, 3, 40, part.shape[dim] // 8):
            if k <= part.shape[dim]:
                for largest in (True, False):
                    found = torch.topk(part, k, dim, largest)
                    print(found.values.flatten()[:4].tolist(), found.indices.flatten()[:4].tolist())
del found, part

# windows of a mean that count what is there
x = torch.arange(48.0).reshape(1, 1, 3, 4, 4).sin()
for ceil in (False, True):
    for counted in (False, True):
        for divisor in (None, 5):
            leaf = x.clone().requires_grad_()
            out = F.avg_pool3d(leaf, 2, 2, 1, ceil, counted, divisor)
            (out * torch.arange(out.numel()).reshape(out.shape)).sum().backward()
            plane = x[0].clone().requires_grad_()
            other = F.avg_pool2d(plane, 3, 2, 1, ceil, counted, divisor)
            (other**2).sum().backward()
            line = x[0, 0].clone().requires_grad_()
            last = F.avg_pool1d(line, 3, 2, 1, ceil, counted)
            (last**2).sum().backward()
            print(
                out.flatten()[:5].tolist(),
                other.flatten()[:5].tolist(),
                last.flatten()[:5].tolist(),
            )
            print(leaf.grad.flatten()[:7], plane.grad.flatten()[:7], line.grad.flatten()[:7])
del leaf, out, plane, other, line, last

# where what is selected lies in memory
x = torch.arange(120.0).reshape(2, 3, 4, 5)
i, j = torch.tensor([1, 0]), torch.tensor([[2, 1, 0]])
for order in ((0, 1, 2, 3), (3, 2, 1, 0), (1, 0, 3, 2), (2, 3, 0, 1), (0, 3, 1, 2)):
    y = x.permute(order)
    for made in (
        y[i],
        y[:, i],
        y[..., i],
        y[i, i],
        y[:, i, i],
        y[i, :, i],
        y[:, :, i, i],
        y[i.new_tensor([[0], [1]]), i],
        y[:, i[:, None], i],
        y[0, :, i],
        y[j % 2],
        y[:, j[0] % 2],
    ):
        print(made.shape, made.stride(), made.flatten()[5:8].tolist())
del y, made

# losses of nothing and of little
made = []
for n in (0, 1, 2, 17, 300):
    x = torch.linspace(-1, 1, 3 * n).reshape(n, 3).requires_grad_()
    t = torch.arange(n) % 3
    for reduction in ("sum", "mean", "none"):
        for given in ({}, {"weight": torch.tensor([1.0, 2.0, 0.5])}, {"ignore_index": 1}):
            loss = F.cross_entropy(x, t, reduction=reduction, **given)
            (grad,) = torch.autograd.grad(loss.sum(), x)
            plain = F.nll_loss(x.detach().exp(), t, reduction=reduction, **given)
            made += [loss.detach().flatten()[:3] * 1, grad.flatten()[:4] * 1, plain.sum()]
del loss, grad, x, plain

# drawn with replacement, few and many
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

# in place of integers, what leaves them as they are
made = []
for kind in (torch.int64, torch.bool, torch.uint8):
    x = torch.tensor([1, 0, 3]).to(kind)
    for name in ("conj_physical_", "abs_", "sgn_", "neg_", "floor_", "ceil_", "round_", "trunc_"):
        try:
            made.append(getattr(x.clone(), name)())
        except (RuntimeError, TypeError, NotImplementedError) as error:
            made.append(str(error))
del x, kind, name

# frames that are aligned to a window shorter than they are
x = torch.linspace(-1.0, 1.0, 41) ** 3
a = [
    torch.stft(
        *(x, 9, 4, length, torch.hann_window(length) if given else None),
        center=False,
        return_complex=True,
        align_to_window=aligned,
    )
    for length in (4, 5, 8, 9)
    for given in (True, False)
    for aligned in (True, False)
]

# Tensor.angle: complex numbers
fwd = torch.autograd.forward_ad
z, t = torch.tensor([1 + 2j, 3 - 1j]), torch.tensor([1j, 1 + 1j])
with fwd.dual_level():
    dual = fwd.make_dual(z, t)
    made = (
        dual * dual,
        dual.abs(),
        dual.angle(),
        dual.real,
        dual.imag,
        dual.conj(),
        dual.exp(),
        dual.sgn(),
        dual / (2 - 1j),
        dual.pow(2),
        torch.view_as_real(dual),
        dual.conj() * 2,
        dual.sum(),
        dual @ dual,
    )
    found = [
        each if each is None else each.clone()
        for each in (fwd.unpack_dual(y).tangent for y in made)
    ]

# Tensor.amax: extremes and ties
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    dual = fwd.make_dual(
        torch.tensor([[1.0, 3.0], [3.0, 2.0]]), torch.tensor([[1.0, 2.0], [4.0, 8.0]])
    )
    made = (
        dual.max(),
        dual.min(),
        *dual.max(0),
        *dual.min(1, True),
        dual.amax(),
        dual.amax(1),
        dual.amin((0, 1)),
        *dual.sort(1),
        *dual.topk(1),
        *dual.kthvalue(2),
        dual.median(),
        *dual.median(0),
        *dual.mode(1),
        *dual.cummax(0),
        *dual.cummin(1),
        torch.maximum(dual, dual.t()),
        torch.minimum(dual, torch.ones(2, 2)),
        dual.clamp(1.5, 2.5),
        dual.clamp(min=torch.tensor(2.0)),
        *torch.aminmax(dual),
    )
    found = [
        each if each is None else each.clone()
        for each in (fwd.unpack_dual(y).tangent for y in made)
    ]

# Tensor.norm: reductions
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    x = torch.tensor([[1.0, 2.0, -1.0], [0.5, 0.0, 4.0]])
    dual = fwd.make_dual(x, torch.arange(6.0).reshape(2, 3))
    made = (
        dual.sum(),
        dual.sum(0),
        dual.mean(1, True),
        dual.prod(),
        dual.prod(1),
        dual.var(),
        dual.std(1),
        dual.norm(),
        dual.norm(1),
        dual.norm(p=3, dim=1),
        dual.norm(torch.inf),
        dual.logsumexp(1),
        dual.cumsum(0),
        dual.cumprod(1),
        dual.nansum(),
        *torch.var_mean(dual, 1),
        *torch.std_mean(dual),
        dual.softmax(1),
        dual.log_softmax(0),
        torch.dist(dual, torch.ones(2, 3)),
        dual.trace() if dual.dim() == 1 else dual[:, :2].trace(),
    )
    found = [
        each if each is None else each.clone()
        for each in (fwd.unpack_dual(y).tangent for y in made)
    ]

# Tensor.scatter_add: joining, indexing, scattering
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    dual, plain = fwd.make_dual(torch.arange(4.0), torch.arange(4.0) + 10), torch.zeros(4)
    index = torch.tensor([0, 2, 2, 1])
    made = (
        torch.cat([dual, plain]),
        torch.stack([plain, dual], 1),
        torch.block_diag(dual, plain),
        dual[index],
        dual.gather(0, index),
        plain.scatter(0, index, dual),
        plain.scatter_add(0, index, dual),
        dual.flip(0),
        plain.index_add(0, index, dual),
        plain.index_copy(0, index[:1], dual[:1]),
        dual.roll(1),
        dual.repeat(2),
        dual.masked_fill(dual > 1, 0),
        dual.masked_select(dual > 1),
        dual.take(index),
        torch.where(dual > 1, dual, 5.0),
        dual.index_select(0, index),
        F.pad(dual, (1, 2)),
        dual.tril() if dual.dim() > 1 else torch.diag(dual),
    )
    found = [
        each if each is None else each.clone()
        for each in (fwd.unpack_dual(y).tangent for y in made)
    ]

# F.linear: products of matrices
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    a, b = (
        fwd.make_dual(torch.randn(2, 3), torch.randn(2, 3)),
        fwd.make_dual(torch.randn(3, 2), torch.randn(3, 2)),
    )
    v, batch = torch.randn(3), torch.randn(4, 3, 2)
    made = (
        a @ b,
        a @ v,
        v @ b,
        a @ batch,
        torch.mm(a, b),
        torch.addmm(torch.ones(2), a, b, beta=2, alpha=3),
        a.mv(v),
        torch.outer(v, a[0]),
        torch.einsum("ij,jk->ik", a, b),
        F.linear(v, a),
        F.linear(b.t(), a, torch.ones(2)),
        torch.bmm(batch, a.expand(4, 2, 3)),
        torch.addmv(torch.ones(2), a, v),
        torch.dot(v, a[0]),
        torch.trace(a @ b),
    )
    found = [
        each if each is None else each.clone()
        for each in (fwd.unpack_dual(y).tangent for y in made)
    ]

# F.conv2d: the functions of networks
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    dual = fwd.make_dual(torch.randn(2, 3, 4, 4), torch.randn(2, 3, 4, 4))
    w = torch.randn(3, 3, 2, 2)
    made = (
        F.conv2d(dual, w),
        F.conv2d(dual.detach(), fwd.make_dual(w, torch.ones_like(w)), torch.ones(3)),
        F.conv_transpose2d(dual, w),
        F.max_pool2d(dual, 2),
        F.avg_pool2d(dual, 2),
        F.adaptive_avg_pool2d(dual, 1),
        F.batch_norm(dual, torch.zeros(3), torch.ones(3)),
        F.batch_norm(dual, None, None, training=True),
        F.layer_norm(dual, (4, 4)),
        F.group_norm(dual, 3),
        F.instance_norm(dual),
        F.pad(dual, (1, 1), mode="reflect"),
    )
    found = [
        each if each is None else each.clone()
        for each in (fwd.unpack_dual(y).tangent for y in made)
    ]

# F.tanhshrink: activations
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    dual = fwd.make_dual(torch.tensor([-2.0, -0.3, 0.4, 3.0]), torch.ones(4))
    made = [
        f(dual)
        for f in (
            F.relu,
            F.elu,
            F.selu,
            F.celu,
            F.gelu,
            F.silu,
            F.mish,
            F.softplus,
            F.softsign,
            F.tanhshrink,
            F.hardtanh,
            F.hardswish,
            F.hardsigmoid,
            F.relu6,
            F.leaky_relu,
            F.logsigmoid,
            F.softshrink,
            F.hardshrink,
            F.glu,
            torch.sigmoid,
            torch.tanh,
        )
    ] + [F.prelu(dual, torch.tensor([0.2])), F.threshold(dual, 0.1, 5.0)]
    found = [
        each if each is None else each.clone()
        for each in (fwd.unpack_dual(y).tangent for y in made)
    ]

# F.l1_loss: losses
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    dual, target = fwd.make_dual(torch.rand(3, 4), torch.randn(3, 4)), torch.rand(3, 4)
    classes = torch.tensor([0, 3, 1])
    made = [
        f(dual, target, reduction=how)
        for f in (
            F.mse_loss,
            F.l1_loss,
            F.smooth_l1_loss,
            F.huber_loss,
            F.binary_cross_entropy,
            F.binary_cross_entropy_with_logits,
            F.kl_div,
        )
        for how in ("mean", "sum", "none")
    ]
    made += [
        F.cross_entropy(dual, classes),
        F.nll_loss(dual, classes),
        F.cross_entropy(dual, target, label_smoothing=0.1),
    ]
    found = [
        each if each is None else each.clone()
        for each in (fwd.unpack_dual(y).tangent for y in made)
    ]

# F.smooth_l1_loss: a loss whose target is dual too
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    dual, target = [fwd.make_dual(torch.rand(3), torch.randn(3)) for _ in range(2)]
    found = [
        fwd.unpack_dual(f(dual, target)).tangent.clone()
        for f in (F.mse_loss, F.smooth_l1_loss, F.binary_cross_entropy)
    ]

# Tensor.lu: the tangents of decompositions of what is not square
A = torch.tensor(
    [[2.0, 1.0, 0.5], [0.25, -3.0, 1.0], [1.5, 0.75, 4.0], [-1.0, 2.0, 0.125], [0.5, 0.5, -2.0]]
).double()
t = A.flip(0).cos()
import torch.autograd.forward_ad as fw

made = []
for x, d in (
    (A, t),
    (A.mT, t.mT),
    (A[:3], t[:3]),
    (A.to(torch.complex128) * (1 + 0.5j), t * (2 - 1j)),
):
    with fw.dual_level():
        dual = fw.make_dual(x, d)
        for full in (False, True):
            try:
                U, S, Vh = torch.linalg.svd(dual, full_matrices=full)
                k = S.shape[-1]
                product = fw.unpack_dual(U[:, :k] @ Vh[:k]).tangent
                gauged = [
                    fw.unpack_dual(each).tangent for each in (U[:, :k].abs(), S, Vh[:k].abs())
                ]
                made += [*gauged, product]
            except RuntimeError as error:
                print(error)
        for mode in ("reduced", "complete", "r"):
            try:
                Q, R = torch.linalg.qr(dual, mode)
                made += [
                    fw.unpack_dual(each).tangent for each in (Q.abs() if Q.numel() else Q, R.abs())
                ]
            except RuntimeError as error:
                print(error)
        try:
            made.append(fw.unpack_dual(torch.linalg.pinv(dual)).tangent)
            found = torch.linalg.lstsq(dual, torch.ones(len(x), 1, dtype=x.dtype))[0]
            made.append(fw.unpack_dual(found).tangent)
            P, L, W = torch.linalg.lu(dual)
            made += [fw.unpack_dual(L).tangent, fw.unpack_dual(W).tangent]
        except RuntimeError as error:
            print(error)
del dual, U, S, Vh, Q, R, P, L, W, x, d, product, gauged, found

# torch.native_dropout: tangents of dropout by its mask
import torch.autograd.forward_ad as fw

with fw.dual_level():
    x = fw.make_dual(torch.linspace(-1, 2, 12), torch.linspace(1, 3, 12))
    for p, train in ((0.5, True), (0.25, None), (0.5, False), (1.0, True), (0.0, True)):
        y, mask = torch.native_dropout(x, p, train)
        print(fw.unpack_dual(y).tangent, mask)
del x, y, mask

# Tensor.mul_: a tangent ends with its level
import torch.autograd.forward_ad as fw

x, t = torch.ones(2), torch.full((2,), 3.0)
with fw.dual_level():
    d = fw.make_dual(x, t)
    v, y = d[:1], d * 2
    x.mul_(1)
    print(fw.unpack_dual(d).tangent, fw.unpack_dual(v).tangent, fw.unpack_dual(y).tangent)
for each in (d, v, y, x):
    print(fw._current_level, each)
    with fw.dual_level():
        print(fw.unpack_dual(each).tangent)
        again = fw.make_dual(each, torch.zeros(each.shape))
        print(fw.unpack_dual(each).tangent, fw.unpack_dual(again).tangent)
del d, v, y, again, each

# numbers rounded to multiples of a scale
x = (torch.arange(-6, 6.0).reshape(3, 4) / 4).requires_grad_()
w = torch.arange(12.0).reshape(3, 4)
y = torch.fake_quantize_per_tensor_affine(x, 0.3, 2, -1, 5)
(y * w).sum().backward()
print(y, y.grad_fn.name(), x.grad)
z = torch.fake_quantize_per_tensor_affine(
    x, torch.tensor([0.3]), torch.tensor([1], dtype=torch.int32), -2, 4
)
print(z, z.grad_fn.name(), torch.autograd.grad((z * w).sum(), x))

# numbers rounded to multiples of scales along a dimension
x = (torch.arange(-6, 6.0).reshape(3, 4) / 4).requires_grad_()
w = torch.arange(12.0).reshape(3, 4)
scale, zero = torch.tensor([0.3, 0.25, 0.6]), torch.tensor([1, 0, 2], dtype=torch.int32)
y = torch.fake_quantize_per_channel_affine(x, scale, zero, 0, -2, 4)
(y * w).sum().backward()
print(y, y.grad_fn.name(), x.grad)
scale, zero = torch.tensor([0.3, 0.25, 0.6, 0.1]), torch.tensor([1.5, 0.25, 2, -1])
z = torch.fake_quantize_per_channel_affine(x, scale, zero, 1, -2, 4)
print(z, torch.autograd.grad((z * w).sum(), x))

# a convolution over the first of three dimensions
x = (torch.arange(24.0).reshape(4, 2, 3) / 8).requires_grad_()
weight = (torch.arange(24.0).reshape(2, 3, 4) / 16 - 1).requires_grad_()
bias = torch.tensor([1.0, -1.0, 0.5, 2.0], requires_grad=True)
for pad in (0, 1, 2):
    y = torch.conv_tbc(x, weight, bias, pad)
    (y * torch.arange(float(y.numel())).reshape(y.shape)).sum().backward()
    print(y.shape, y.grad_fn.name())

# products with sparse matrices
a = torch.tensor([[0.0, 2.0, 0.0], [3.0, 0.0, -1.0]]).to_sparse()
b = torch.arange(12.0).reshape(3, 4)
print(torch.smm(a, b).to_dense())
c = torch.tensor([[1.0, 0.0, 0.0, 2.0], [0.0, 5.0, 0.0, 0.0]]).to_sparse()
print(torch.sspaddmm(c, a, b).to_dense(), torch.sspaddmm(c, a, b, beta=3, alpha=2).to_dense())

# tangents of what least squares leave
import torch.autograd.forward_ad as fwAD

a = torch.tensor([[1.0, 2.0], [3.0, 5.0], [4.0, -1.0], [0.5, 1.0]], dtype=torch.float64)
b = torch.tensor([[1.0, 0.0], [2.0, 1.0], [0.5, -1.0], [1.0, 3.0]], dtype=torch.float64)
with fwAD.dual_level():
    da, db = torch.cos(a), torch.sin(b)
    found = torch.linalg.lstsq(fwAD.make_dual(a, da), fwAD.make_dual(b, db))
    primal, tangent = fwAD.unpack_dual(found.residuals)
    moved = fwAD.unpack_dual(found.solution).tangent
print(primal, tangent, moved)

# products of segments with several zeros, and with what is not a number
x = torch.tensor([2.0, 0.0, 3.0, 0.0, 0.0, 5.0, float("nan"), 4.0], requires_grad=True)
lengths = torch.tensor([3, 2, 3])
y = torch.segment_reduce(x, "prod", lengths=lengths)
y.backward(torch.tensor([1.0, 2.0, 3.0]))
print(y, x.grad)
z = torch.segment_reduce(x, "prod", lengths=lengths, initial=2.0)
print(z, torch.autograd.grad(z, x, torch.tensor([1.0, 2.0, 3.0])))

# frames that are aligned to a window that is narrower than they are
x = torch.arange(16.0).cos()
print(torch.stft(x, 8, 2, 4, center=False, return_complex=True, align_to_window=True))
print(torch.stft(x, 8, 3, 5, torch.arange(5.0), False, return_complex=True, align_to_window=True))

# a signal that is made longer than its frames
x = torch.arange(16.0).cos()
s = torch.stft(x, 4, 2, window=torch.ones(4), return_complex=True)
print(torch.istft(s, 4, 2, window=torch.ones(4), length=18))
print(torch.istft(s, 4, 2, window=torch.ones(4), length=15))

# slopes of a grid of one pixel whose borders reflect
x = torch.arange(4.0).reshape(1, 1, 2, 2).requires_grad_()
g = torch.tensor([[[[0.3, -0.7], [1.2, 0.4]]]], requires_grad=True)
for size in (1, 2):
    y = F.grid_sample(x[:, :, :size, :1], g, padding_mode="reflection", align_corners=True)
    print(y, torch.autograd.grad(y.sum(), (x, g)))

# tangents of _index_put_impl_ and _neg_view
import torch.autograd.forward_ad as fwAD

x, i = torch.arange(5.0), torch.tensor([1, 3])
with fwAD.dual_level():
    d = fwAD.make_dual(x.clone(), torch.full((5,), 2.0))
    v = fwAD.make_dual(torch.tensor([7.0, 8.0]), torch.tensor([3.0, 4.0]))
    torch.ops.aten._index_put_impl_(d, [i], v, False)
    primal, tangent = fwAD.unpack_dual(d)
print(primal, tangent)
y = torch.arange(3.0, requires_grad=True)
n = torch._neg_view(y)
n.sum().backward()
print(n, n.is_neg(), y.grad)

# the gradient of an element of a sparse and a dense gradient
table = torch.nn.Embedding(4, 2, sparse=True)
with torch.no_grad():
    table.weight.copy_(torch.arange(8.0).reshape(4, 2))
table(torch.tensor([1, 2, 1])).sum().backward()
(table.weight * 3).sum().backward()
print(table.weight.grad)
table.weight.grad = None
(table.weight * 3).sum().backward()
table(torch.tensor([1, 2, 1])).sum().backward()
print(table.weight.grad)


# nested arguments and results of a Function
class Pair(torch.autograd.function.NestedIOFunction):
    def forward_extended(self, pair, x):
        self.save_for_backward([pair[0], x])
        return (pair[0] * x, [pair[1] + x])

    def backward_extended(self, grads, more):
        print(type(grads), type(more))
        return (grads, more[0]), grads


try:
    Pair()((torch.ones(2), torch.ones(2)), torch.ones(2))
except Exception as error:
    print(type(error).__name__, str(error)[:60])

# special functions of whole numbers and numbers
x = torch.tensor([2, 3, 4])
for name in ("zeta", "xlogy", "xlog1py"):
    f = getattr(torch.special, name)
    print(name, f(x, 2), f(3, x), f(x, x), f(x, 2.5), f(1.5, x), f(x, True))
print(torch.xlogy(x, 2), torch.copysign(x, -1), torch.float_power(2, x), torch.float_power(x, 2))
print(torch.true_divide(x, 2), torch.heaviside(x, x), torch.hypot(x.float(), x.float()))


# what was taken apart by many is let go where nothing comes to it
class Nothing(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return None


x, z = torch.ones(3, requires_grad=True), torch.ones(2, requires_grad=True)
y = x * 1
y[:2] = z * 2
w = y * 3
out = Nothing.apply(w).sum() + x.sum()
out.backward(retain_graph=True)
print(x.grad, z.grad, y.grad_fn.next_functions)
out.backward()
print(x.grad, z.grad)
for call in (lambda: w.sum().backward(), lambda: y.sum().backward()):
    try:
        call()
        print(x.grad, z.grad)
    except RuntimeError as error:
        print(str(error)[:60])

# least squares of matrices of which some lack a rank
a = torch.tensor([[[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]], [[1.0, 2.0], [2.0, 3.0], [3.0, 6.0]]])
for driver in ("gelsd", "gelss", "gelsy", "gels"):
    for each in (a[1], a) if driver != "gels" else (a[1],):
        found = torch.linalg.lstsq(each, torch.ones(each.shape[:-1] + (1,)), driver=driver)
        print(driver, found.rank, found.residuals)

# differences of differences, written into a tensor
x = torch.tensor([1.0, 4.0, 2.0, 9.0, 3.0])
for n in (1, 2, 3, 5, 7):
    out = torch.empty(0)
    print(torch.diff(x, n=n, out=out) is out, out)

# gradients of special functions of a number and a tensor
for name in ("xlogy", "xlog1py", "zeta"):
    f = getattr(torch.special, name)
    for arguments in ((3.0, "x"), ("x", 2.5), (2, "x"), ("x", 3)):
        x = torch.tensor([0.5, 2.0, 4.0], dtype=torch.float64, requires_grad=True)
        try:
            f(*[x if each == "x" else each for each in arguments]).sum().backward()
        except (NotImplementedError, RuntimeError) as error:
            print(name, error)
        print(name, arguments, x.grad)

# biases of batches of many sizes
torch.manual_seed(3)
for rows in (8, 16, 32, 48, 64, 96, 256, 272):
    for outputs in (8, 32, 64, 96, 128):
        layer = nn.Linear(3, outputs)
        (layer(torch.randn(rows, 3)) * torch.randn(rows, outputs)).sum().backward()
        x = torch.randn(rows, outputs, dtype=torch.float64)
        print(rows, outputs, layer.bias.grad[:2].tolist(), x.sum(0)[:2].tolist())

# the curve of the cross entropy at its ends
x = torch.tensor([0.0, 1.0, 0.25, 1e-7, 1.0], dtype=torch.float64, requires_grad=True)
y = torch.tensor([0.0, 1.0, 1.0, 0.5, 0.0], dtype=torch.float64)
(first,) = torch.autograd.grad(F.binary_cross_entropy(x, y), x, create_graph=True)
second = torch.autograd.grad(first.sum(), x)

# tangents of the factors of a wide complex matrix
import torch.autograd.forward_ad as fwAD

a = torch.tensor([[1 + 1j, 2, 0.5j], [0.5, 3 - 1j, 1]], dtype=torch.complex128)
d = torch.tensor([[0.5j, 1, -1], [2 - 1j, 1j, 0.25]], dtype=torch.complex128)
with fwAD.dual_level():
    found = torch.linalg.qr(fwAD.make_dual(a, d))
    moved = [fwAD.unpack_dual(each).tangent for each in found]

# the sum of sparse gradients that are differentiated
i = torch.tensor([0, 2, 0])
w = torch.arange(6.0).reshape(3, 2).requires_grad_()
for _ in range(3):
    F.embedding(i, w, sparse=True).sum().backward(create_graph=True)
    print(w.grad, w.grad.coalesce())

# a signal that is cut and made longer than all its frames
x = torch.arange(16.0).cos()
for center in (True, False):
    s = torch.stft(x, 4, 2, window=torch.ones(4), center=center, return_complex=True)
    for length in (9, 16, 20, 27):
        print(torch.istft(s, 4, 2, window=torch.ones(4), center=center, length=length))

# rare classes alone
m = nn.AdaptiveLogSoftmaxWithLoss(4, 9, [2, 5])
with torch.no_grad():
    m.head.weight.copy_(torch.tensor([[0.0] * 4, [0.0] * 4, [5.0, 0, 0, 0], [0, 5.0, 0, 0]]))
x = torch.eye(4)
for rows in ([0, 1], [0], [1, 1], [0, 2], [2, 3]):
    print(m.predict(x[rows]), m.log_prob(x[rows]).argmax(1))

# averages of several models at once
from torch.optim import swa_utils

average = swa_utils.get_swa_multi_avg_fn()
a = [torch.tensor([2.0, 4.0]), torch.tensor([1.0])]
for n in (0, 1, 4):
    average(a, [torch.tensor([3.0, 8.0]), torch.tensor([5.0])], torch.tensor(n))
    print(a)
b = [torch.tensor([2, 40])]
try:
    average(b, [torch.tensor([30, 8])], torch.tensor(3))
except RuntimeError as error:
    print(error)
print(b)
c = [torch.tensor([2.0 + 1j])]
average(c, [torch.tensor([4.0 - 3j])], 1)
print(c)

# optimizers that forget quickly, in all precisions
kept = {}
for name, options in (
    ("Adam", {"betas": (0.3, 0.4)}),
    ("AdamW", {"betas": (0.2, 0.5), "amsgrad": True}),
    ("NAdam", {"betas": (0.4, 0.3)}),
    ("RAdam", {"betas": (0.3, 0.6)}),
    ("Adamax", {"betas": (0.1, 0.2)}),
    ("RMSprop", {"alpha": 0.3, "centered": True}),
    ("Adadelta", {"rho": 0.2}),
):
    for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float16):
        p = torch.tensor([1.0, -2.0, 0.5], dtype=dtype, requires_grad=True)
        o = getattr(torch.optim, name)([p], lr=0.1, **options)
        for k in range(3):
            p.grad = torch.tensor([0.5, 1.0, -2.0], dtype=dtype) * (k + 1)
            o.step()
        kept[name, str(dtype)] = p.detach()
        print(name, dtype, [v.dtype for v in o.state[p].values()])

# an optimizer through whose rates one differentiates
beta = torch.tensor(0.9, requires_grad=True)
w = torch.tensor([1.0, -2.0], requires_grad=True)
p = w * 1
o = torch.optim.Adam([w], lr=torch.tensor(0.1), differentiable=True, betas=(0.5, 0.5))
print(o.defaults["betas"])
p = w.clone()
p.retain_grad()
q = torch.optim.Adam([p], lr=0.1, betas=(torch.tensor(0.5), beta), differentiable=True)
p.grad = torch.tensor([0.5, 1.0])
q.step()
p.sum().backward()
print(p, beta.grad, w.grad)

# in-place functions of whole numbers and truths
names = """abs acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh
    bitwise_not ceil cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1 fix floor frac i0 lgamma
    log log10 log1p log2 logical_not logit nan_to_num neg negative rad2deg reciprocal relu round
    rsqrt sgn sigmoid sign sin sinc sinh sqrt square tan tanh trunc"""
for name in names.split():
    for x in (torch.tensor([1, 2, 3]), torch.tensor([True, False])):
        try:
            getattr(x, name + "_")()
            print(name, x)
        except Exception as error:
            print(name, type(error).__name__, str(error)[:70])

# tangents of what least squares leave, of large and of small matrices
import torch.autograd.forward_ad as fwAD

a = torch.tensor([[1.0, 2.0], [3.0, 5.0], [4.0, -1.0], [0.5, 1.0]], dtype=torch.float64)
b = torch.tensor([[1.0, 0.0], [2.0, 1.0], [0.5, -1.0], [1.0, 3.0]], dtype=torch.float64)
for driver in ("gelsd", "gelss", "gels", "gelsy"):
    with fwAD.dual_level():
        duals = fwAD.make_dual(a, torch.cos(a)), fwAD.make_dual(b, torch.sin(b))
        found = torch.linalg.lstsq(*duals, driver=driver)
        print(driver, fwAD.unpack_dual(found.residuals), fwAD.unpack_dual(found.solution))
    with fwAD.dual_level():
        duals = fwAD.make_dual(a + 1j * b, 1j * torch.cos(a)), fwAD.make_dual(b + 0j, a + 0j)
        found = torch.linalg.lstsq(*duals, driver=driver)
        print(driver, fwAD.unpack_dual(found.residuals))
    for size in (1e-9, 1e9):
        for rcond in (None, 0.3):
            found = torch.linalg.lstsq(a * size, b, rcond=rcond, driver=driver)
            print(driver, size, rcond, found.solution * size, found.rank, found.residuals)

# products of half precision with transposed images
x = torch.arange(24.0).reshape(2, 3, 4).half().transpose(1, 2)
mean, var = torch.tensor([1.0, 2, 3, 4]).half(), torch.tensor([0.5, 2, 1, 9]).half()
for training in (False, True):
    y = F.batch_norm(x, mean.clone(), var.clone(), var, mean, training=training, eps=0.7)
    z = F.batch_norm(x.bfloat16(), mean.bfloat16(), var.bfloat16(), training=training)
    print(y, z)

# gradients through what is written at places
x = torch.arange(6.0).reshape(2, 3).requires_grad_()
v = torch.tensor([5.0, 7.0], requires_grad=True)
i = torch.tensor([0, 1]), torch.tensor([2, 0])
for accumulate in (False, True):
    y = torch._index_put_impl_(x * 2, i, v, accumulate)
    z = torch.index_put(x * 2, i, v, accumulate)
    w = (x * 2).index_put_(i, v, accumulate)
    for out in (y, z, w):
        print(out, torch.autograd.grad((out * out).sum(), (x, v)))

# the negative of a view
y = torch.arange(3.0, requires_grad=True)
n = torch._neg_view(y)
(slope,) = torch.autograd.grad((n * n * y).sum(), y, create_graph=True)
slope.sum().backward()
print(n, slope, y.grad)

# second gradients of cross entropies where they are steep
x = torch.tensor([0.0, 1.0, 1e-13, 1e-7, 0.5], dtype=torch.float64, requires_grad=True)
y = torch.tensor([1.0, 0.0, 0.3, 1.0, 0.25], dtype=torch.float64)
(slope,) = torch.autograd.grad(F.binary_cross_entropy(x, y, reduction="sum"), x, create_graph=True)
curve = torch.autograd.grad(slope.sum(), x)[0] * 1
print(slope, curve)

# lists as settings of convolution
x = torch.arange(30.0).reshape(1, 1, 5, 6).requires_grad_()
w, ones = torch.arange(8.0).reshape(2, 1, 2, 2).requires_grad_(), torch.ones(2)
for stride, padding in (([1, 1], [0, 0]), ([2, 1], [1, 0]), ([2], [1])):
    found = torch.convolution(x, w, ones, stride, padding, [1, 1], False, [0, 0], 1)
    turned = torch.convolution(x, w[:1], ones[:1], stride, padding, [1, 1], True, [0, 0], 1)
    (found.sum() + turned.sum()).backward()

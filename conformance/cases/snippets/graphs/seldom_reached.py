# nested arguments and results of a Function
from torch.autograd.function import NestedIOFunction


class Both(NestedIOFunction):
    def forward_extended(self, pair, other):
        self.save_for_backward(pair[0])
        return [pair[0] * pair[1], other]

    def backward_extended(self, *grads):
        print(len(grads), [type(each).__name__ for each in grads])
        return grads


try:
    made = Both()
    a, b = torch.ones(2, requires_grad=True), torch.full((2,), 3.0)
    print(made((a, b), torch.zeros(1)))
except Exception as error:
    print(type(error).__name__, error)
print([name for name in vars(NestedIOFunction) if not name.startswith("__")])

# positions that a pooling found
x = torch.randn(1, 2, 6, 6, requires_grad=True)
a = F.max_pool1d_with_indices(x[0], 2)
b = F.max_pool2d_with_indices(x, 2, 1, 1, 1, True)
c = F.max_pool2d_with_indices(x, kernel_size=3, stride=2, return_indices=True)
d = F.max_pool3d_with_indices(x, 2, 1)
(a[0].sum() + b[0].sum() + c[0].sum() + d[0].sum()).backward()

# names of members that are there, and of those that are not
from torch.nn.utils._named_member_accessor import NamedMemberAccessor

accessor = NamedMemberAccessor(nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)))
print(accessor.check_keys(["0.weight", "2.bias", "1.bias", "a"]))
print(accessor.check_keys([]))
print(accessor.check_keys(["0.weight", "0.bias", "1.weight", "1.bias"]))
del accessor, NamedMemberAccessor

# parts of a factorization, of wide and tall matrices, and their slopes
for rows, columns in ((2, 4), (4, 2), (3, 3)):
    x = torch.randn(2, rows, columns, dtype=torch.float64, requires_grad=True)
    p, l, u = torch.linalg.lu(x)
    (l.sin().sum() + u.cos().sum()).backward()
    first = x.grad.clone()
    packed, pivots = torch.linalg.lu_factor(x)
    one, two, three = torch.lu_unpack(packed, pivots)
    (two.sin().sum() + three.cos().sum()).backward()
    print(torch.allclose(x.grad, 2 * first))

# slopes of eigenvalues and eigenvectors, matrix after matrix
from torch.func import grad, vmap

x = torch.randn(3, 2, 2, dtype=torch.float64)
a = vmap(grad(lambda m: torch.linalg.eigvalsh(m).sin().sum()))(x)
b = vmap(grad(lambda m: torch.linalg.eigh(m)[1].abs().sum()))(x)
c = vmap(
    grad(lambda m: torch.linalg.eigvals(m + torch.diag(torch.tensor([1.0, 20.0]))).abs().sum())
)(x).contiguous()
d = vmap(grad(lambda m: sum(e.abs().sum() for e in torch.linalg.eigh(m))))(x)
e = vmap(
    grad(
        lambda m: sum(
            e.abs().sum() for e in torch.linalg.eig(m + torch.diag(torch.tensor([1.0, 20.0])))
        )
    )
)(x).contiguous()

# slopes of products of reflections, matrix after matrix
import warnings

from torch.func import grad, vmap

x, tau = torch.randn(3, 4, 3, dtype=torch.float64), torch.rand(3, 2, dtype=torch.float64)


def product(v, t):
    return torch.linalg.householder_product(v, t).sin().sum()


with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # torch has no rule for an operator of the formula
    a = vmap(grad(product))(x, tau) + 0
    b = vmap(grad(product, argnums=1))(x, tau) + 0

# a bias of another dtype
x, w = torch.randn(1, 2, 5), torch.randn(3, 2, 3)
for bias in (
    torch.ones(3).double(),
    torch.ones(3).half(),
    torch.ones(3).bfloat16(),
    torch.ones(3).int(),
):
    for given in (x, x.double(), x.half(), x.bfloat16()):
        try:
            print(F.conv1d(given, w.to(given.dtype), bias).dtype)
        except RuntimeError as error:
            print(error)


# a backward within a backward that fails, and goes on
class Inner(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        with torch.enable_grad():
            y = ctx.saved_tensors[0].detach().requires_grad_()
            z = y.exp()
            z.register_hook(lambda g: (_ for _ in ()).throw(ValueError("inside")))
            try:
                z.sum().backward()
            except ValueError as error:
                print("caught", error)
            (again,) = torch.autograd.grad((y * y).sum(), y)
        return grad * again


x = torch.tensor([1.0, 2.0], requires_grad=True)
out = Inner.apply(x * 3) + Inner.apply(x)
out.sum().backward()

# slopes of zeta by its second argument
q = torch.tensor([1.5, 2.5, 4.0], dtype=torch.float64, requires_grad=True)
out = torch.special.zeta(torch.tensor([2.0, 3.5, 5.0], dtype=torch.float64), q)
out.sum().backward()

# pairs that begin at an odd place
x = torch.arange(9.0)
for start in (0, 1):
    try:
        print(torch.view_as_complex(x[start : start + 8].view(4, 2)))
    except RuntimeError as error:
        print(error)

# windows that are shorter than their frames
x, w = torch.arange(20.0), torch.hann_window(5)
a = torch.stft(x, 8, 3, 5, w, center=False, return_complex=True)
b = torch.stft(x, 8, 3, 4, w[:4], center=False, return_complex=True, align_to_window=True)
c = torch.stft(x, 9, 3, 4, w[:4], center=False, return_complex=True, align_to_window=True)
torch.stft(x, 8, 3, 5, w, center=False, return_complex=True, align_to_window=True)

# fractional poolings of one image
x = torch.rand(2, 9, 9)
r = torch.rand(1, 2, 2)
a = F.fractional_max_pool2d(x, 2, (4, 5), _random_samples=r, return_indices=True)
b = F.fractional_max_pool2d(x[None], 2, (4, 5), _random_samples=r, return_indices=True)
v, r = torch.rand(2, 6, 6, 6), torch.rand(1, 2, 3)
c = F.fractional_max_pool3d(v, 2, 3, _random_samples=r, return_indices=True)
d = F.fractional_max_pool3d(v[None], 2, 3, _random_samples=r, return_indices=True)

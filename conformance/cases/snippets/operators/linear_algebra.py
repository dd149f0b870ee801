# torch.linalg.det: the inverse and the determinant
x = torch.tensor([[4.0, 1.0], [2.0, 3.0]], dtype=torch.float64, requires_grad=True)
y = torch.linalg.inv(x)
d = torch.linalg.det(x)
(y.sum() + d).backward()
print(y, d, x.grad)

# torch.linalg.inv: singular matrices
torch.linalg.inv(torch.zeros(2, 2))

# torch.linalg.solve: of a batch, the first that is singular
torch.linalg.solve(torch.stack([torch.eye(2), torch.zeros(2, 2)]), torch.ones(2, 2))

# torch.linalg.cholesky: what is not positive-definite
torch.linalg.cholesky(-torch.eye(3))

# torch.linalg.det: matrices that are not square
torch.linalg.det(torch.ones(2, 3))

# torch.linalg.qr: vectors are no matrices
torch.linalg.qr(torch.ones(3))

# torch.linalg.inv: integers have no inverse
torch.linalg.inv(torch.eye(2, dtype=torch.int64))

# torch.linalg.solve: a linear system and its gradient
A = torch.tensor([[3.0, 1.0], [1.0, 2.0]], dtype=torch.float64, requires_grad=True)
b = torch.tensor([9.0, 8.0], dtype=torch.float64, requires_grad=True)
x = torch.linalg.solve(A, b)
x.sum().backward()
print(x, A.grad, b.grad)

# torch.linalg.solve_triangular: least squares by QR
A = torch.tensor([[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]], dtype=torch.float64)
y = torch.tensor([1.0, 2.0, 2.0], dtype=torch.float64)
Q, R = torch.linalg.qr(A)
coefficients = torch.linalg.solve_triangular(R, (Q.mT @ y).unsqueeze(-1), upper=True)
print(coefficients, torch.linalg.pinv(A) @ y)

# torch.linalg.cholesky: eigenvalues of a symmetric matrix, and a Gaussian's log-density by its Cholesky factor
S = torch.tensor([[2.0, 0.5], [0.5, 1.0]], dtype=torch.float64, requires_grad=True)
L = torch.linalg.cholesky(S)
v = torch.tensor([1.0, -1.0], dtype=torch.float64)
z = torch.linalg.solve_triangular(L, v.unsqueeze(-1), upper=False)
density = -0.5 * (z * z).sum() - L.diagonal().log().sum()
density.backward()
print(torch.linalg.eigvalsh(S), density, S.grad)

# torch.linalg.norm: norms of matrices
x = torch.tensor([[3.0, 1.0], [0.0, 2.0]], dtype=torch.float64, requires_grad=True)
for ord in ("fro", "nuc", 1, 2, float("inf"), -2):
    n = torch.linalg.norm(x, ord)
    n.backward()
    print(ord, n, x.grad)

# torch.logdet: signs and logarithms of determinants
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64)
print(torch.linalg.slogdet(x), torch.logdet(x), torch.slogdet(-x))

# torch.linalg.matrix_power: powers and chains
x = torch.tensor([[1.0, 1.0], [0.0, 1.0]], requires_grad=True)
y = torch.linalg.matrix_power(x, 5)
z = torch.linalg.multi_dot([x, y, x.detach()])
(y.sum() + z.sum()).backward()
print(y, z, x.grad)
print(torch.matrix_exp(torch.zeros(2, 2)))

# torch.linalg.lu_factor: LU factors
A = torch.tensor([[1.0, 2.0], [4.0, 2.0]])
LU, pivots = torch.linalg.lu_factor(A)
print(LU, pivots, torch.lu_unpack(LU, pivots), torch.linalg.lu(A))

# torch.linalg.svd: the gradients of decompositions of what is not square, one part at a time
A = torch.tensor(
    [[2.0, 1.0, 0.5], [0.25, -3.0, 1.0], [1.5, 0.75, 4.0], [-1.0, 2.0, 0.125], [0.5, 0.5, -2.0]]
).double()
made = []


def weighed(part):
    return (part.abs() * (torch.arange(part.numel()).reshape(part.shape) % 5 - 1.5)).sum()


for x in (A, A.mT, A[:3], A * (1 + 0.5j), A.mT * (1 - 0.5j)):
    for mode in ("reduced", "complete", "r"):
        for taken in ((0,), (1,), (0, 1)):
            leaf = x.clone().requires_grad_()
            try:
                parts = torch.linalg.qr(leaf, mode)
                loss = sum(weighed(parts[i]) for i in taken)
                made.append(torch.autograd.grad(loss, leaf)[0])
            except RuntimeError as error:
                print(error)
    for taken in ((0,), (1,), (2,), (0, 2), (0, 1, 2)):
        leaf = x.clone().requires_grad_()
        try:
            parts = torch.linalg.svd(leaf, full_matrices=False)
            loss = sum(weighed(parts[i]) for i in taken)
            made.append(torch.autograd.grad(loss, leaf)[0])
        except RuntimeError as error:
            print(error)
del leaf, parts, loss

# torch.linalg.cholesky of matrices with nan
A = torch.eye(3).repeat(2, 1, 1)
A[1, 2, 2] = float("nan")
print(torch.linalg.cholesky_ex(A).info)
torch.linalg.cholesky(A)

# torch.linalg.eigh of nan
torch.linalg.eigh(torch.full((2, 3, 3), float("nan"), dtype=torch.float64))

# torch.einsum: an equation's operands are looked at one after the other
a = torch.ones(2, 3, requires_grad=True)
with torch.no_grad():
    b = a.squeeze()
torch.autograd.graph.increment_version(a)
c = torch.ones(2, 3)
d = torch.einsum("ij,jk->ik", c, b)
d = torch.einsum("ij,jk->ik", b, c)
d = torch.einsum("ij,ji", c, torch.ones(4, 5))
d = torch.einsum("...,...", torch.ones(2, 7, 3, 4), torch.ones(5, 4))

# Tensor.tril_: zeros outside of a triangle, where elements share memory
a = torch.tensor([1.0, 2.0]).expand(2, 2)
a.tril_()
b = torch.arange(1.0, 7).reshape(3, 2, 1).expand(3, 2, 2)
b.triu_()
c = torch.arange(1.0, 5).reshape(1, 1, 2, 2).expand(2, 1, 2, 2)
c.tril_()
d = torch.arange(1.0, 9).reshape(2, 1, 2, 2).expand(2, 3, 2, 2)
d.triu_()
e = torch.arange(1.0, 5).reshape(2, 1, 2).expand(2, 2, 2).mT
e.tril_(-1)

# torch.linalg.qr: tangents of the factors of a wide complex matrix
import torch.autograd.forward_ad as fwAD

a = torch.tensor([[1 + 1j, 2, 0.5j], [0.5, 3 - 1j, 1]], dtype=torch.complex128)
d = torch.tensor([[0.5j, 1, -1], [2 - 1j, 1j, 0.25]], dtype=torch.complex128)
with fwAD.dual_level():
    found = torch.linalg.qr(fwAD.make_dual(a, d))
    moved = [fwAD.unpack_dual(each).tangent for each in found]

# torch.linalg.det: determinants of singular matrices of three rows
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

# torch.linalg.cond: condition numbers by every norm
a = torch.tensor([[1.0, 2, 3], [0, 4, 5], [1, 0, 6]], dtype=torch.float64)
batch = torch.stack((a, a.t() * 2, torch.ones(3, 3, dtype=torch.float64)))
for p in (None, 2, -2, "fro", "nuc", 1, -1, torch.inf, -torch.inf):
    print(p, torch.linalg.cond(a, p), torch.linalg.cond(batch[:2], p))
print([torch.linalg.cond(batch[2], p) for p in ("fro", 1, torch.inf)])

# torch.linalg.lu_factor: parts of a factorization, of wide and tall matrices, and their slopes
for rows, columns in ((2, 4), (4, 2), (3, 3)):
    x = torch.randn(2, rows, columns, dtype=torch.float64, requires_grad=True)
    p, l, u = torch.linalg.lu(x)
    (l.sin().sum() + u.cos().sum()).backward()
    first = x.grad.clone()
    packed, pivots = torch.linalg.lu_factor(x)
    one, two, three = torch.lu_unpack(packed, pivots)
    (two.sin().sum() + three.cos().sum()).backward()
    print(torch.allclose(x.grad, 2 * first))

# torch.linalg.householder_product: slopes of products of reflections, matrix after matrix
import warnings

from torch.func import grad, vmap

x, tau = torch.randn(3, 4, 3, dtype=torch.float64), torch.rand(3, 2, dtype=torch.float64)


def product(v, t):
    return torch.linalg.householder_product(v, t).sin().sum()


with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # torch has no rule for an operator of the formula
    a = vmap(grad(product))(x, tau) + 0
    b = vmap(grad(product, argnums=1))(x, tau) + 0

# torch.linalg.det: determinants of matrices of which some are singular
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

# torch.linalg.matrix_rank: pseudo-inverses of symmetric matrices, some of them singular, of different sizes
a = torch.tensor([[2.0, 1.0], [1.0, 3.0]]).double()
b = torch.stack([a * 1e3, a * 1e-13, torch.tensor([[0.1, 0.3], [0.3, 0.9]]).double(), -a])
c = torch.linalg.pinv(b, hermitian=True), torch.linalg.pinv(b)
print(torch.linalg.matrix_rank(b, hermitian=True), torch.linalg.matrix_rank(b))

# torch.linalg.eig: gradients of eigenvectors, one part at a time
a = torch.tensor([[2.0, 1.0, 0.5], [0.25, -3.0, 1.0], [1.5, 0.75, 4.0]]).double()
made = []
for x in (a, a @ (a + 1), a * (1 + 0.5j) + torch.eye(3) * 2j):
    for taken in ((0,), (1,), (0, 1)):
        for function in (torch.linalg.eig, lambda x: torch.linalg.eigh(x @ x.mH)):
            leaf = x.clone().requires_grad_()
            parts = function(leaf)
            loss = sum((parts[i].abs() * torch.tensor([1.0, -2.0, 0.5])).sum() for i in taken)
            made.append(torch.autograd.grad(loss, leaf)[0])
del leaf, parts, loss

# torch.linalg.lstsq: gradients of what least squares leave
A = torch.tensor([[2.0, 1.0], [0.25, -3.0], [1.5, 0.75], [-1.0, 2.0]]).double()
made = []
for b in (torch.tensor([[1.0], [2.0], [-1.0], [0.5]]).double(), A.flip(0).cos()):
    for weights in ((1.0, 0.0), (0.0, 1.0), (0.5, -2.0)):
        x, y = A.clone().requires_grad_(), b.clone().requires_grad_()
        solution, residuals, *_ = torch.linalg.lstsq(x, y, driver="gelsd")
        loss = weights[0] * solution.sum() + weights[1] * (residuals * residuals).sum()
        made += torch.autograd.grad(loss, (x, y))
del x, y, solution, residuals, loss, _

# torch.linalg.lstsq: tangents of what least squares leave
import torch.autograd.forward_ad as fwAD

a = torch.tensor([[1.0, 2.0], [3.0, 5.0], [4.0, -1.0], [0.5, 1.0]], dtype=torch.float64)
b = torch.tensor([[1.0, 0.0], [2.0, 1.0], [0.5, -1.0], [1.0, 3.0]], dtype=torch.float64)
with fwAD.dual_level():
    da, db = torch.cos(a), torch.sin(b)
    found = torch.linalg.lstsq(fwAD.make_dual(a, da), fwAD.make_dual(b, db))
    primal, tangent = fwAD.unpack_dual(found.residuals)
    moved = fwAD.unpack_dual(found.solution).tangent
print(primal, tangent, moved)

# torch.linalg.lstsq: least squares of matrices of which some lack a rank
a = torch.tensor([[[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]], [[1.0, 2.0], [2.0, 3.0], [3.0, 6.0]]])
for driver in ("gelsd", "gelss", "gelsy", "gels"):
    for each in (a[1], a) if driver != "gels" else (a[1],):
        found = torch.linalg.lstsq(each, torch.ones(each.shape[:-1] + (1,)), driver=driver)
        print(driver, found.rank, found.residuals)

# torch.linalg.lstsq: tangents of what least squares leave, of large and of small matrices
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

# torch.linalg.eig: slopes of eigenvalues and eigenvectors, matrix after matrix
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

# torch.linalg.solve: tangents of linear equations, from the left and from the right
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

# torch.linalg.det: the recorded gradients of batches with one singular matrix, with several, with no others
recorded = []
for matrices in (
    [[[1.0, 2.0], [2.0, 4.0]], [[1.0, 2.0], [3.0, 4.0]]],
    [
        [[1.0, 2.0], [2.0, 4.0]],
        [[1.0, 2.0], [3.0, 4.0]],
        [[3.0, 1.0], [6.0, 2.0]],
        [[2.0, 0.0], [0.0, 1.0]],
    ],
    [[[1.0, 2.0], [2.0, 4.0]], [[0.5, 1.0], [1.0, 2.0]]],
    [[1.0, 2.0], [2.0, 4.0]],
):
    A = torch.tensor(matrices, requires_grad=True)
    recorded += torch.autograd.grad(torch.linalg.det(A).sum(), A, create_graph=True)


# torch.linalg.svd: singular vectors with their signs, of all kinds of shapes
results = []
for rows, columns in (
    *(
        (1, 1),
        (1, 3),
        (3, 1),
        (2, 2),
        (2, 3),
        (2, 5),
        (3, 2),
        (3, 3),
        (3, 4),
        (4, 3),
        (3, 8),
        (8, 3),
    ),
    *((5, 7), (7, 5), (8, 5), (5, 9), (12, 10), (15, 10), (10, 18), (6, 40), (40, 6)),
):
    for dtype in (torch.float64, torch.complex128, torch.float32):
        x = torch.randn(rows, columns, dtype=dtype)
        results += [*torch.linalg.svd(x), *torch.linalg.svd(x, full_matrices=False)]
x = torch.randn(2, 3, 4, 7, dtype=torch.float64)
results += [*torch.svd(x), *torch.svd(x, some=False), *torch.linalg.svd(x.mT)]
x = torch.arange(12.0).reshape(3, 4) - x[0, 0, :3, :4].float()
print([[round(each, 3) for each in row] for row in torch.linalg.svd(x)[2].tolist()])


# torch.linalg.eigh: eigenvectors with their signs
results = []
for n in (1, 2, 3, 4, 5, 8, 13, 25, 26, 40):
    for dtype in (torch.float64, torch.complex128):
        x = torch.randn(n, n, dtype=dtype)
        for part in "LU":
            results += torch.linalg.eigh(x + x.mH, UPLO=part)
for x in (torch.eye(4), torch.zeros(3, 3), torch.diag(torch.tensor([3.0, 1, 2]))):
    results += torch.linalg.eigh(x.double())
x = torch.randn(5, 4, 3, dtype=torch.float64)
results += torch.linalg.eigh(x.mT @ x)
points = torch.tensor([[2.5, 2.4, 0.1], [0.5, 0.7, 1.0], [2.2, 2.9, 0.3], [1.9, 2.2, 0.8]])
print(torch.linalg.eigh(torch.cov(points.T))[1], torch.pca_lowrank(points, niter=4)[2])

# the inverse and the determinant
x = torch.tensor([[4.0, 1.0], [2.0, 3.0]], dtype=torch.float64, requires_grad=True)
y = torch.linalg.inv(x)
d = torch.linalg.det(x)
(y.sum() + d).backward()
print(y, d, x.grad)

# singular matrices
torch.linalg.inv(torch.zeros(2, 2))

# of a batch, the first that is singular
torch.linalg.solve(torch.stack([torch.eye(2), torch.zeros(2, 2)]), torch.ones(2, 2))

# what is not positive-definite
torch.linalg.cholesky(-torch.eye(3))

# matrices that are not square
torch.linalg.det(torch.ones(2, 3))

# vectors are no matrices
torch.linalg.qr(torch.ones(3))

# integers have no inverse
torch.linalg.inv(torch.eye(2, dtype=torch.int64))

# a linear system and its gradient
A = torch.tensor([[3.0, 1.0], [1.0, 2.0]], dtype=torch.float64, requires_grad=True)
b = torch.tensor([9.0, 8.0], dtype=torch.float64, requires_grad=True)
x = torch.linalg.solve(A, b)
x.sum().backward()
print(x, A.grad, b.grad)

# least squares by QR
A = torch.tensor([[1.0, 1.0], [1.0, 2.0], [1.0, 3.0]], dtype=torch.float64)
y = torch.tensor([1.0, 2.0, 2.0], dtype=torch.float64)
Q, R = torch.linalg.qr(A)
coefficients = torch.linalg.solve_triangular(R, (Q.mT @ y).unsqueeze(-1), upper=True)
print(coefficients, torch.linalg.pinv(A) @ y)

# eigenvalues of a symmetric matrix, and a Gaussian's log-density by its Cholesky factor
S = torch.tensor([[2.0, 0.5], [0.5, 1.0]], dtype=torch.float64, requires_grad=True)
L = torch.linalg.cholesky(S)
v = torch.tensor([1.0, -1.0], dtype=torch.float64)
z = torch.linalg.solve_triangular(L, v.unsqueeze(-1), upper=False)
density = -0.5 * (z * z).sum() - L.diagonal().log().sum()
density.backward()
print(torch.linalg.eigvalsh(S), density, S.grad)

# norms of matrices
x = torch.tensor([[3.0, 1.0], [0.0, 2.0]], dtype=torch.float64, requires_grad=True)
for ord in ("fro", "nuc", 1, 2, float("inf"), -2):
    n = torch.linalg.norm(x, ord)
    n.backward()
    print(ord, n, x.grad)

# signs and logarithms of determinants
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64)
print(torch.linalg.slogdet(x), torch.logdet(x), torch.slogdet(-x))

# powers and chains
x = torch.tensor([[1.0, 1.0], [0.0, 1.0]], requires_grad=True)
y = torch.linalg.matrix_power(x, 5)
z = torch.linalg.multi_dot([x, y, x.detach()])
(y.sum() + z.sum()).backward()
print(y, z, x.grad)
print(torch.matrix_exp(torch.zeros(2, 2)))

# LU factors
A = torch.tensor([[1.0, 2.0], [4.0, 2.0]])
LU, pivots = torch.linalg.lu_factor(A)
print(LU, pivots, torch.lu_unpack(LU, pivots), torch.linalg.lu(A))

# the gradients of decompositions of what is not square, one part at a time
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

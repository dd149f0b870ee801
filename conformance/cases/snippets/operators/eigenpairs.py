# torch.lobpcg by both methods, from both ends; what is left of the generator
torch.manual_seed(0)
a = torch.randn(12, 12, dtype=torch.float64)
A = a @ a.mT + torch.arange(12).diag()
for method in ("basic", "ortho", None):
    for largest in (True, False, None):
        E, X = torch.lobpcg(A, 2, n=3, niter=6, largest=largest, method=method)
        X = X.abs()
        print(method, largest, E, X, X.stride(), torch.rand(1))

# torch.lobpcg with a preconditioner, another matrix and settings, of a batch
torch.manual_seed(1)
a = torch.randn(2, 1, 9, 9, dtype=torch.float64)
A = a @ a.mT + torch.arange(9).diag()
B = A.flip(0) / 20 + torch.eye(9, dtype=torch.float64)
for options in (
    {"method": "basic", "iK": torch.linalg.inv(A[0, 0])},
    {"ortho_iparams": {"ortho_i_max": 2}, "ortho_fparams": {"ortho_tol": 1e-6}},
    {"ortho_bparams": {"ortho_use_drop": True}, "X": a[..., :2].clone(), "n": 4},
):
    E, X = torch.lobpcg(A, 2, B=B, niter=4, tol=1e-7, **options)
    X = X.abs()
    print(E, X)

# torch.lobpcg of sparse matrices
torch.manual_seed(2)
a = torch.randn(9, 9, dtype=torch.float64)
A = (a @ a.mT + torch.arange(9).diag()).to_sparse()
B = torch.full((9,), 2.0, dtype=torch.float64).diag().to_sparse()
E, X = torch.lobpcg(A, 1, B=B, niter=5)
X = X.abs()
print(E, X)

# torch.lobpcg writes into its start by the method "basic" alone
a = torch.arange(1.0, 10.0, dtype=torch.float64).diag() + 0.5
start = torch.eye(9, 2, dtype=torch.float64) + 0.25
E = torch.lobpcg(a, X=start, niter=2)[0]
print(start)
E, X = torch.lobpcg(a, X=start, niter=2, method="basic")
shares = X._base is start
X = start = start.abs()
print(E, start, shares)

# torch.lobpcg shows its steps to a tracker, which ends it
steps = []


def track(worker):
    variables = worker.ivars, worker.iparams, worker.fparams, worker.bparams, list(worker.tvars)
    print(type(worker).__name__, *variables, worker.bvars, list(worker.fvars))
    steps.append((worker.E.clone(), worker.X.abs(), worker.R.abs(), worker.S.shape))
    worker.bvars["force_stop"] = worker.ivars["istep"] == 2


torch.manual_seed(3)
a = torch.arange(1.0, 10.0, dtype=torch.float64).diag() + 0.5
for method in ("basic", "ortho"):
    E = torch.lobpcg(a, 2, method=method, tracker=track)[0]
print(E, steps)

# torch.lobpcg and its gradient
torch.manual_seed(4)
a = torch.randn(2, 9, 9, dtype=torch.float64)
weights = torch.arange(9.0, dtype=torch.float64).unsqueeze(-1)
grads = []
for k, largest in ((1, True), (2, True), (3, False)):
    A = (a @ a.mT + torch.arange(9).diag()).requires_grad_()
    E, X = torch.lobpcg(A, k, tol=1e-14, niter=60, largest=largest)
    X = X * X
    (E.pow(2).sum() + (X * weights).sum()).backward()
    grads.append(A.grad)
    print(E, X, A.grad, E.grad_fn.name())

# torch.lobpcg, whose gradient needs a dense matrix
A = torch.arange(1.0, 10.0).diag().to_sparse().requires_grad_()
torch.manual_seed(0)
torch.lobpcg(A)[0].sum().backward()

# torch.lobpcg, whose gradient needs the identity for B
A, B = torch.arange(1.0, 10.0).diag(), torch.eye(9, requires_grad=True)
torch.manual_seed(0)
torch.lobpcg(A, B=B)[0].sum().backward()

# torch.lobpcg of matrices that are not square
torch.lobpcg(torch.ones(2, 3))

# torch.lobpcg of two shapes
torch.lobpcg(torch.eye(9), B=torch.eye(8))

# torch.lobpcg of a matrix that is too small
torch.lobpcg(torch.eye(8), 3)

# torch.lobpcg from a start of another shape
torch.lobpcg(torch.eye(9), X=torch.ones(8, 2))

# torch.lobpcg of a batch from a start of another shape
torch.lobpcg(torch.eye(9).expand(2, 9, 9), X=torch.ones(2, 8, 2))

# torch.lobpcg in half precision has no tolerance of its own
torch.lobpcg(torch.eye(9).half())


# torch.lobpcg is asked with all options named
class Taking(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print(torch.overrides.resolve_name(func), types, len(args), list(kwargs or {}))
        return 7


A = torch.eye(9)
print(torch.lobpcg(A, 2, X=A.as_subclass(Taking), niter=3), torch.lobpcg(A.as_subclass(Taking)))


# torch.lobpcg under a mode
class Watching(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        print(torch.overrides.resolve_name(func))
        return func(*args, **(kwargs or {}))


torch.manual_seed(0)
A = torch.arange(1.0, 10.0, dtype=torch.float64).diag().requires_grad_()
B = torch.eye(9, dtype=torch.float64)
with Watching():
    E = torch.lobpcg(A, 2, niter=2, method="basic")[0].sum()
    E.backward()
    torch.lobpcg(A.detach().unsqueeze(0), 2, B.unsqueeze(0), niter=2)
print(A.grad)

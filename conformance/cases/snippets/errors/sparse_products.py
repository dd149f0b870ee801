# torch.mm: refusals of sparse matrices of other sizes, dtypes and numbers of dimensions
import warnings

warnings.simplefilter("ignore")
x, wide = torch.eye(3), torch.ones(3, 2)
hybrid = torch.ones(3, 3, 2)
OPERANDS = {
    "dense": x,
    "wide": wide,
    "doubles": x.double(),
    "integers": x.long(),
    "vector": torch.ones(3),
    "number": torch.tensor(2.0),
    "batch": torch.ones(2, 3, 3),
    "coo": x.to_sparse(),
    "coo of doubles": x.double().to_sparse(),
    "coo of integers": x.long().to_sparse(),
    "coo of rows": x.to_sparse(1),
    "hybrid coo": hybrid.to_sparse(2),
    "hybrid coo of rows": hybrid.to_sparse(1),
    "coo of a vector": torch.ones(3).to_sparse(),
    "coo of a batch": torch.ones(2, 3, 3).to_sparse(),
    "csr": x.to_sparse_csr(),
    "csr of doubles": x.double().to_sparse_csr(),
    "csr of integers": x.long().to_sparse_csr(),
    "csc": x.to_sparse_csc(),
    "batch of csr": torch.ones(2, 3, 3).to_sparse_csr(),
    "wide csr": wide.to_sparse_csr(),
    "empty csr": torch.zeros(3, 3).to_sparse_csr(),
    "bsr": torch.ones(3, 3).to_sparse_bsr((1, 1)),
    "bsc": torch.ones(3, 3).to_sparse_bsc((1, 1)),
}


def told(label, call):
    try:
        y = call()
        print(label, y.layout, y.dtype, tuple(y.shape), y.to_dense().tolist())
    except Exception as error:
        print(label, type(error).__name__, str(error).partition(". This could be")[0])


csr, coo = x.to_sparse_csr(), x.to_sparse()
CALLS = {
    "mm": lambda a, b: torch.mm(a, b),
    "mv": lambda a, b: torch.mv(a, b),
    "bmm": lambda a, b: torch.bmm(a, b),
    "sparse.mm": lambda a, b: torch.sparse.mm(a, b),
    "addmm": lambda a, b: torch.addmm(torch.ones(3, 3), a, b),
    "addmm_": lambda a, b: torch.ones(3, 3).addmm_(a, b),
    "addmv": lambda a, b: torch.addmv(torch.ones(3), a, b),
    "sparse.addmm": lambda a, b: torch.sparse.addmm(torch.ones(3, 3), a, b),
    "addmm to coo": lambda a, b: torch.addmm(coo, a, b),
    "addmm to csr": lambda a, b: torch.addmm(csr, a, b),
    "mm sum": lambda a, b: torch.sparse.mm(a, b, "sum"),
    "mm mean": lambda a, b: torch.sparse.mm(a, b, "mean"),
    "mm amax": lambda a, b: torch.sparse.mm(a, b, "amax"),
    "mm prod": lambda a, b: torch.sparse.mm(a, b, "prod"),
    "mm odd": lambda a, b: torch.sparse.mm(a, b, "odd"),
    "sampled_addmm": lambda a, b: torch.sparse.sampled_addmm(a, b, x),
    "sampled_addmm by csr": lambda a, b: torch.sparse.sampled_addmm(csr, a, b),
    "add": lambda a, b: torch.add(a, b),
    "mul": lambda a, b: torch.mul(a, b),
    "add_": lambda a, b: a.clone().add_(b),
    "mul_": lambda a, b: a.clone().mul_(b),
}
EXCEPT = {  # operands for which some refusal is still another one than torch's
    "sparse.mm": ("number", "vector", "coo of a batch", "coo of a vector", "csc"),
    "mm": ("number", "coo of a batch", "vector", "coo of a vector", "csc", "batch"),
    "mul_": ("csr of integers", "coo of rows", "hybrid coo", "batch"),
    "mul": ("coo of rows", "hybrid coo"),
    "add_": ("bsr", "integers", "empty csr", "batch of csr", "dense"),
    "sampled_addmm": ("batch of csr", "csr", "empty csr", "wide csr"),
    "add": ("bsr", "empty csr"),
    "mv": ("coo of a vector",),
    "addmm": ("csc",),
    "addmm_": ("wide", "csc"),
    "sparse.addmm": ("csc",),
    "addmv": ("empty csr",),
}
for first, a in OPERANDS.items():
    for second, b in OPERANDS.items():
        if torch.strided is a.layout is b.layout:
            continue
        for name, call in CALLS.items():
            if first in EXCEPT.get(name, ()) or second in EXCEPT.get(name, ()):
                continue
            told(f"{name} {first} {second}", lambda: call(a, b))

# torch.sparse.mm: the gradient of means of rows, and triangles that are solved
import warnings

warnings.simplefilter("ignore")
whole = torch.tensor([[1.0, 0, 2], [0, 0, 0], [0, 3, 4]])
for reduce in ("sum", "mean"):
    a, b = whole.to_sparse_csr().requires_grad_(), torch.arange(6.0).reshape(3, 2).requires_grad_()
    y = torch.sparse.mm(a, b, reduce)
    (y * torch.arange(6.0).reshape(3, 2)).sum().backward()
    print(reduce, y.tolist(), a.grad.to_dense().tolist(), b.grad.tolist())
del y  # whose node saves another thing than torch's
b = torch.tensor([[1.0], [2.0], [3.0]])
for upper in (True, False):
    for unit in (True, False):
        for make in ("to_sparse_csr", "to_sparse_csc", "to_sparse"):
            try:
                A = getattr(whole + torch.eye(3), make)()
                found = torch.triangular_solve(b, A, upper, False, unit)
                print(upper, unit, make, (found.solution * 1000).round().tolist(), found[1].shape)
            except Exception as error:
                print(upper, unit, make, type(error).__name__, str(error).partition(". This")[0])
for dtype in (torch.int64, torch.float16, torch.bool):
    try:
        a = whole.to(dtype)
        print(torch.sparse.sampled_addmm(a.to_sparse_csr(), a, a))
    except Exception as error:
        print(dtype, type(error).__name__, str(error).partition(". This")[0])

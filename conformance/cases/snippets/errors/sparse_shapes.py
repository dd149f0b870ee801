# torch.sparse_coo: operators of tensors of coordinates that are refused, or rarely called
import warnings

warnings.simplefilter("ignore")
whole = torch.tensor([[1.0, 0, 2, 0], [0, 3, 0, 0], [0, 0, 0, 4], [5, 0, 0, 0]])
batch = torch.stack([whole, whole.t()])
hybrid = torch.stack([whole, whole + 1], 2)
MAKERS = {
    "coo": lambda: whole.to_sparse(),
    "rows": lambda: whole.to_sparse(1),
    "hybrid": lambda: hybrid.to_sparse(2),
    "hybrid rows": lambda: hybrid.to_sparse(1),
    "batch": lambda: batch.to_sparse(),
    "vector": lambda: whole[0].to_sparse(),
    "number": lambda: torch.tensor(2.0).to_sparse(),
    "complex": lambda: (whole * 1j).to_sparse(),
    "integers": lambda: whole.long().to_sparse(),
    "bools": lambda: whole.bool().to_sparse(),
    "empty": lambda: torch.zeros(4, 4).to_sparse(),
    "leaf": lambda: whole.to_sparse().requires_grad_(),
}
CALLS = {
    "imag": lambda x: x.imag,
    "real": lambda x: x.real,
    "to strided": lambda x: x.to(torch.float64, copy=True).layout,
    "_to_copy": lambda x: torch.ops.aten._to_copy(x, layout=torch.strided),
    "sparse_mask of rows": lambda x: x.sparse_mask(whole.to_sparse(1)),
    "norm keepdim": lambda x: torch.norm(x, keepdim=True),
    "norm dtype": lambda x: torch.norm(x, dtype=torch.float64),
    "method norm keepdim": lambda x: x.norm(2, (0, 1), True),
    "method norm dtype": lambda x: x.norm(2, (0, 1), dtype=torch.float64),
    "native_norm": lambda x: torch.native_norm(x, 2),
    "native_norm of dimensions": lambda x: torch.native_norm(x, 2, (0, 1), False, None),
    "native_norm keepdim": lambda x: torch.native_norm(x, 2, (0, 1), True, None),
    "native_norm dtype": lambda x: torch.native_norm(x, 2, (0, 1), False, torch.float64),
    "narrow_copy": lambda x: x.narrow_copy(0, 1, 2),
    "narrow_copy from the end": lambda x: x.narrow_copy(0, -2, 2),
    "narrow_copy of the last": lambda x: x.narrow_copy(x.dim() - 1, 1, 1),
    "narrow_copy of a negative length": lambda x: x.narrow_copy(0, 1, -2),
    "narrow_copy from afar": lambda x: x.narrow_copy(0, 9, 1),
    "narrow_copy from before": lambda x: x.narrow_copy(0, -9, 1),
    "narrow_copy too long": lambda x: x.narrow_copy(0, 2, 9),
    "narrow_copy of another dimension": lambda x: x.narrow_copy(-1, 0, 1),
    "cat with rows": lambda x: torch.cat([x, whole.to_sparse(1)]),
    "cat with itself": lambda x: torch.cat([x, x], -1),
    "cat with a dense one": lambda x: torch.cat([x, whole]),
    "resize_as_sparse_": lambda x: x.resize_as_sparse_(torch.zeros(6, 6).to_sparse()),
    "resize_as_sparse_ of hybrids": lambda x: x.resize_as_sparse_(
        torch.zeros(6, 6, 2).to_sparse(2)
    ),
    "resize_as_sparse_ of rows": lambda x: x.resize_as_sparse_(torch.zeros(9, 4).to_sparse(1)),
    "resize_as_ of itself": lambda x: x.resize_as_sparse_(x),
    "bmm": lambda x: torch.bmm(x, torch.ones(2, 4, 2)),
    "bmm of another batch": lambda x: torch.bmm(x, torch.ones(3, 4, 2)),
    "bmm of other rows": lambda x: torch.bmm(x, torch.ones(2, 5, 2)),
    "bmm of a matrix": lambda x: torch.bmm(x, torch.ones(4, 2)),
    "softmax": lambda x: torch.sparse.softmax(x, 0),
    "log_softmax": lambda x: torch.sparse.log_softmax(x, -1).double().to_dense().sum() > 0,
    "t": lambda x: x.t(),
    "dropout": lambda x: torch.dropout(x, 1.5, True),
    "add out": lambda x: x.is_complex() or torch.add(x, x, out=torch.empty(4, 4)),
    "mm out": lambda x: torch.mm(x, whole, out=whole.to_sparse()),
    "mv out": lambda x: torch.mv(x, whole[0], out=whole.to_sparse()),
    "product with a number": lambda x: x * torch.tensor(3.0).to_sparse(),
    "product of a number": lambda x: torch.tensor(3.0).to_sparse() * x,
    "product with a vector": lambda x: x * whole[0].to_sparse(),
    "mul_ by others": lambda x: x.sparse_dim() != 1 and x.mul_(torch.ones(4, 4).to_sparse()),
    "mul_ by complex": lambda x: x.sparse_dim() > 1 and x.mul_((whole * 1j).to_sparse()),
    "assignment": lambda x: x.__setitem__(0, 1.0),
    "deepcopy": lambda x: __import__("copy").deepcopy(x * 2),
}


def told(label, call, make):
    try:
        y = call(make())
        if isinstance(y, torch.Tensor):
            print(label, y.layout, y.dtype, y.shape, y.to_dense().tolist(), y.requires_grad)
            if y.is_sparse:
                print(y.sparse_dim(), y.dense_dim(), y.is_coalesced(), y._nnz())
        else:
            print(label, y)
    except Exception as error:
        print(label, type(error).__name__, str(error).partition(". This could be")[0])


for kind, make in MAKERS.items():
    for name, call in CALLS.items():
        told(f"{kind} {name}", call, make)

# torch.sparse.softmax: gradients along dense dimensions, and of signs of complex numbers
import warnings

warnings.simplefilter("ignore")
hybrid = torch.arange(24.0).reshape(3, 4, 2) / 9
for make in (torch.sparse.softmax, torch.sparse.log_softmax):
    for dim in (0, 1, 2):
        x = hybrid.to_sparse(2).requires_grad_()
        y = make(x, dim)
        (y.to_dense() * hybrid).sum().backward()
        grad = x.grad.to_dense()
        print(dim, (grad * 100).round().tolist())
x = (torch.tensor([[1.0 + 2j, 0], [0, -3j]])).to_sparse().requires_grad_()
for call in (torch.sgn, torch.abs):
    try:
        call(x).to_dense().abs().sum().backward()
        print(x.grad)
    except Exception as error:
        print(type(error).__name__, str(error).partition(". This could be")[0])
try:
    y = torch.sgn(x).coalesce().values().real.sum()
    y.backward()
    print(x.grad)
except Exception as error:
    print(type(error).__name__, str(error).partition(". This could be")[0])

# torch._convert_indices_from_coo_to_csr: rows to where they start, and back
i = torch.tensor
CALLS = {
    "rows": lambda: torch._convert_indices_from_coo_to_csr(i([0, 0, 2, 3]), 5),
    "none": lambda: torch._convert_indices_from_coo_to_csr(i([]).long(), 3),
    "of 32 bits": lambda: torch._convert_indices_from_coo_to_csr(i([1, 1]), 2, out_int32=True),
    "given 32 bits": lambda: torch._convert_indices_from_coo_to_csr(i([1, 1]).int(), 2),
    "a number": lambda: torch._convert_indices_from_coo_to_csr(i(1), 3),
    "a matrix": lambda: torch._convert_indices_from_coo_to_csr(i([[0, 1]]), 3),
    "fractions": lambda: torch._convert_indices_from_coo_to_csr(i([0.0, 1.0]), 3),
    "bools": lambda: torch._convert_indices_from_coo_to_csr(i([True]), 3),
    "out": lambda: torch._convert_indices_from_coo_to_csr(i([0, 2]), 3, out=torch.empty(4).long()),
    "starts": lambda: torch._convert_indices_from_csr_to_coo(i([0, 1, 3]), i([2, 0, 1])),
    "columns": lambda: torch._convert_indices_from_csr_to_coo(
        i([0, 1, 3]), i([2, 0, 1]), transpose=True
    ),
    "columns of 32 bits": lambda: torch._convert_indices_from_csr_to_coo(
        i([0, 1, 3]).int(), i([2, 0, 1]).int(), out_int32=True
    ),
    "batches": lambda: torch._convert_indices_from_csr_to_coo(
        i([[0, 1, 3], [0, 0, 3]]), i([[2, 0, 1], [0, 1, 2]])
    ),
    "batches of columns": lambda: torch._convert_indices_from_csr_to_coo(
        i([[0, 1, 3], [0, 0, 3]]), i([[2, 0, 1], [0, 1, 2]]), transpose=True
    ),
    "no elements": lambda: torch._convert_indices_from_csr_to_coo(i([0, 0]), i([]).long()),
    "other dimensions": lambda: torch._convert_indices_from_csr_to_coo(i([[0, 1, 3]]), i([2, 0])),
    "starts of fractions": lambda: torch._convert_indices_from_csr_to_coo(
        i([0.0, 1, 3]), i([2.0, 0, 1])
    ),
}
for label, call in CALLS.items():
    try:
        y = call()
        print(label, y, y.dtype)
    except Exception as error:
        print(label, type(error).__name__, error)

# torch.Tensor._nested_tensor_size: what it says of tensors that are not nested
for name in ("size", "strides", "storage_offsets"):
    for x in (torch.ones(2), torch.eye(2).to_sparse()):
        for call in (
            lambda: getattr(x, f"_nested_tensor_{name}")(),
            lambda: getattr(torch.ops.aten, f"_nested_tensor_{name}")(x),
        ):
            try:
                print(name, call())
            except Exception as error:
                print(name, type(error).__name__, str(error).partition(". This could be")[0])

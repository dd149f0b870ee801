# torch.FloatStorage: memory as numbers and as bytes
import copy
import pickle

x = torch.arange(6.0).view(2, 3)
s, i, u = x.storage(), x[1].storage(), x.untyped_storage()
b, c = torch.tensor([True, False]).storage(), torch.tensor([1 + 2j]).storage()
e, h = torch.empty(0).storage(), torch.arange(3).bfloat16().storage()
for question in """
s
str(s)
b
c
e
h
i
len(s)
s.size()
s.nbytes()
s.element_size()
s.dtype
s.device
s.is_cuda
s[0]
s[1:3]
s[-1]
s[6]
s[0.5]
s.tolist()
list(s)
s.data_ptr()==x.data_ptr()
i.data_ptr()==x.data_ptr()
s.type()
type(s)
s.untyped()
type(s.untyped())
s.clone()
s.fill_(3)
x
s.__setitem__(0,7)
x
s.__setitem__(slice(1,3),9)
s.copy_(torch.arange(6.).storage())
s.int()
s.double()
s.long()
s.half()
s.bool()
s.float() is s
s.cpu() is s
len(s)
s.is_shared()
s.is_pinned()
s.is_sparse
s.pickle_storage_type()
s == x.storage()
s is x.storage()
hash(s)==hash(x.storage())
isinstance(s,torch.FloatStorage)
isinstance(s,torch.LongStorage)
isinstance(s,torch.TypedStorage)
isinstance(s,torch.storage.TypedStorage)
torch.is_storage(s)
torch.FloatStorage
torch.FloatStorage(3).size()
torch.FloatStorage([1,2,3])
torch.LongStorage([1,2])
torch.FloatStorage('a')
torch.FloatStorage.dtype
torch.FloatStorage(2).type()
torch.TypedStorage([1,2],dtype=torch.int32)
torch.TypedStorage(wrap_storage=u,dtype=torch.float32)
torch.UntypedStorage(4).fill_(2)
torch.UntypedStorage([1,2,3])
u[0]
u.nbytes()
u.size()
u.device
u.fill_(0)
x
u.copy_(torch.arange(6.).add(1).untyped_storage())
x
u.clone()==u
u.tolist()
u.nbytes()
u.element_size()
u.is_shared()
u.is_pinned()
u.is_cuda
u.cpu() is u
u[0:2]
u.type()
u.untyped() is u
torch.tensor(torch.FloatStorage([1,2,3]))
torch.FloatTensor(torch.FloatStorage([1,2,3]))
torch.Tensor(torch.FloatStorage([1,2,3]))
torch.empty(0).set_(torch.FloatStorage([1,2,3]))
torch.empty(0).set_(torch.FloatStorage([1,2,3,4]),1,(2,),(1,))
torch.empty(0).set_(torch.FloatStorage([1,2,3,4]).untyped(),1,(2,),(1,))
copy.deepcopy(torch.FloatStorage([1,2]))
pickle.loads(pickle.dumps(torch.FloatStorage([1,2])))
torch.Storage
torch.is_storage(u)
""".split("\n")[1:-1]:
    try:
        print(question, "->", repr(eval(question)))
    except Exception as error:
        print(question, "->", type(error).__name__, error)

# Tensor.is_set_to: what few programs ask of a tensor
import copy
import pickle

x = torch.arange(6.0).view(2, 3)
s = 3
for question in """
x.storage_type()
x.is_set_to(x)
x.is_set_to(x[:1])
x.is_set_to(x.view(2,3))
x.const_data_ptr()==x.data_ptr()
x.is_pinned()
x.pin_memory()
x.is_ipu
x.is_maia
x.is_mtia
x.is_vulkan
x.is_xla
x.is_xpu
x.is_mps
x.is_sparse_csr
x.is_distributed()
x.is_coalesced()
x.map_(x,lambda a,b:a+b)
x.map2_(x,x,lambda a,b,c:a+b*c)
x.apply_(lambda v:v+1)
x.long().apply_(lambda v:v*2)
x.clone().requires_grad_().apply_(abs)
x.map_(x[0],lambda a,b:a)
x.dim_order()
x.t().dim_order()
torch.zeros(2,3,4,5).to(memory_format=torch.channels_last).dim_order()
x.volatile
x.name
x.__nonzero__()
x[0,0].__nonzero__()
x.__long__()
x[0,0].__long__()
x.__div__(2)
x.clone().__idiv__(2)
x.resize(3,2)
x.resize_as(x[0])
x.is_nonzero()
x.reinforce(1)
x.module_load(x)
x.to_dense()
x.sparse_dim()
x.dense_dim()
x.coalesce()
x.indices()
x.values()
x.crow_indices()
x.dequantize()
x.symeig()
x.eig()
x.lstsq(x)
x.solve(x)
x.nonzero_static(size=3)
torch.get_device(x)
torch.is_signed(x)
torch.is_inference(x)
torch.is_same_size(x,x)
torch.is_distributed(x)
torch.broadcast_shapes((2,1),(3,))
torch.broadcast_shapes((2,1),(3,),4)
torch.broadcast_shapes((2,),(3,))
torch.combinations(torch.arange(3))
torch.combinations(torch.arange(4),3)
torch.combinations(torch.arange(3),2,True)
torch.is_vulkan_available()
torch.has_lapack, torch.has_mkl, torch.has_openmp, torch.has_spectral
torch.compiled_with_cxx11_abi()
torch.sym_int(2.5), torch.sym_float(2), torch.sym_max(1,2.5), torch.sym_min(1,2), torch.sym_not(True), torch.sym_sqrt(4), torch.sym_sum([1,2]), torch.sym_ite(True,1,2)
torch.sym_int(-2.5)
torch.unravel_index(torch.tensor([5,1]),(2,3))
torch.unravel_index(torch.tensor(7),(2,3))
torch.unravel_index(torch.tensor([1.]),(2,3))
torch.thread_safe_generator()
torch.typename(s)
torch.OutOfMemoryError
torch.OutOfMemoryError.__mro__
torch.AcceleratorError.__mro__
torch.sparse_coo
torch.sparse_csr
torch.jagged
""".split("\n")[1:-1]:
    try:
        print(question, "->", repr(eval(question)))
    except Exception as error:
        print(question, "->", type(error).__name__, error)

# torch.matrix_rank: what was removed, and what it says
x = torch.ones(2, 2)
for f in (torch.matrix_rank, torch.eig, x.symeig, x.eig):
    try:
        f(x) if f in (torch.matrix_rank, torch.eig) else f()
    except RuntimeError as error:
        print(error)
for f in (torch.solve, torch.lstsq):
    try:
        f(x, x)
    except RuntimeError as error:
        print(error)
try:
    x.reinforce(1)
except RuntimeError as error:
    print(error)

# Tensor.map_: Python functions of elements
x = torch.arange(6.0).view(2, 3).t()
said = [x.apply_(lambda v: v * 2).clone(), x.map_(x[0], lambda a, b: a + b).clone()]
for f in (
    lambda: x.map_(torch.ones(2, dtype=torch.int), lambda a, b: a),
    lambda: x.map_(3, lambda a, b: 1),
    lambda: x.apply_(3),
    lambda: x.apply_(lambda a: "a"),
    lambda: torch.ones(2, requires_grad=True).map_(torch.ones(2), lambda a, b: a),
    lambda: torch.ones(2).map_(torch.ones(2, requires_grad=True), lambda a, b: a),
    lambda: torch.ones(2, dtype=torch.bool).apply_(lambda a: not a),
):
    try:
        said.append(f())
    except (TypeError, RuntimeError) as error:
        said.append(f"{type(error).__name__}: {error}")
version = x._version
print(*said, sep="\n")

# Tensor.dim_order: the order of dimensions
for x in (
    torch.zeros(2, 3, 4),
    torch.zeros(2, 3, 4).permute(2, 0, 1),
    torch.zeros(2, 1, 3),
    torch.zeros(1, 1),
    torch.zeros(3, 2).t()[None],
    torch.zeros(2, 3).expand(4, 2, 3),
    torch.zeros(2, 3, 4, 5).contiguous(memory_format=torch.channels_last),
    torch.tensor(1.0),
):
    print(x.dim_order())
    for check in (
        True,
        [torch.contiguous_format],
        [torch.contiguous_format, torch.channels_last],
        [3],
    ):
        try:
            print(x.dim_order(ambiguity_check=check))
        except (TypeError, RuntimeError) as error:
            print(error)

# torch.dtype: dtypes that have no tensors here
for name in "bit bits16 bits1x8 bits8 float4_e2m1fn_x2 float8_e4m3fn float8_e5m2fnuz int1 uint4 qint32 quint8".split():
    d = getattr(torch, name)
    print(d, d.itemsize, d.is_floating_point, d.is_complex, d.abbr, d.to_real())
    try:
        print(d.is_signed)
    except RuntimeError as error:
        print(error)

# combinations and unravelled indices
x = torch.arange(4.0, requires_grad=True)
y = torch.combinations(x, 2)
z = torch.combinations(x, 3, with_replacement=True)
(y.prod(1).sum() + z.sum()).backward()
said = []
for f in (
    lambda: torch.combinations(x.view(2, 2)),
    lambda: torch.combinations(x, -1),
    lambda: torch.combinations(x.detach().long(), 0),
    lambda: torch.combinations(torch.arange(2), 3),
    lambda: torch.unravel_index(torch.tensor([[7, 3]]), (2, 3)),
    lambda: torch.unravel_index(torch.tensor([-1]), (2, 3)),
    lambda: torch.unravel_index(torch.tensor([1]), 6),
    lambda: torch.unravel_index(torch.tensor([1]), (2, -3)),
    lambda: torch.unravel_index(torch.tensor([1.0]), (2, 3)),
    lambda: torch.broadcast_shapes(),
    lambda: torch.broadcast_shapes(3, (2, 1)),
    lambda: torch.broadcast_shapes((-1,)),
    lambda: torch.broadcast_shapes((0, 1), (1, 2)),
    lambda: torch.broadcast_shapes((2, 2), (3,)),
):
    try:
        said.append(f())
    except Exception as error:
        said.append(f"{type(error).__name__}: {error}")
print(*said, sep="\n")

# F.hinge_embedding_loss: memory of reduced losses, but for four that torch computes in the memory of all losses
F = torch.nn.functional
x, t = torch.rand(4, 16, requires_grad=True), torch.rand(4, 16)
kinds = torch.tensor([1, 0, 3, 2])
for reduction in ("mean", "sum"):
    for loss in (
        F.l1_loss(x, t, reduction=reduction),
        F.huber_loss(x, t, reduction=reduction),
        F.kl_div(x, t, reduction=reduction),
        F.poisson_nll_loss(x, t, reduction=reduction),
        F.hinge_embedding_loss(x, t, reduction=reduction),
        F.binary_cross_entropy_with_logits(x, t, reduction=reduction),
        F.nll_loss(x, kinds, reduction=reduction),
        F.cross_entropy(x, kinds, reduction=reduction),
        F.multi_margin_loss(x, kinds, reduction=reduction),
        F.gaussian_nll_loss(x, t, torch.ones(4, 16), reduction=reduction),
        F.triplet_margin_loss(x, t, 1 - t, reduction=reduction),
    ):
        print(loss.untyped_storage().nbytes(), loss.storage_offset())

# torch.multinomial: memory of what multinomial draws
for weights in (torch.ones(10), torch.ones(2, 10)):
    for count, replacement in ((1, False), (3, False), (3, True)):
        drawn = torch.multinomial(weights, count, replacement)
        print(drawn.untyped_storage().nbytes(), drawn.stride())

# Tensor.set_: a storage that is too small grows
x = torch.arange(3.0)
view = x[1:]
whole = torch.empty(0).set_(x.untyped_storage(), 1, (4,), (1,))
print(x.untyped_storage().nbytes(), whole.stride(), whole.storage_offset())
whole[0] = 9
print(whole[:2], x, view)
y = torch.empty(0, dtype=torch.float64).set_(x.untyped_storage(), 1, (5, 2))
print(x.untyped_storage().nbytes(), x, y.shape)
del whole, y  # the memory that they have got holds anything

# Tensor.set_: sizes and strides of two lengths
torch.empty(0).set_(torch.arange(4.0).untyped_storage(), 0, (2, 2), (1,))

# Tensor._version: of results that torch writes, and of those that it makes below its counts
A = torch.eye(2) + 0.5
written = (
    torch.linalg.matrix_rank(A),
    torch.linalg.matrix_rank(A, hermitian=True),
    torch.linalg.matrix_rank(torch.ones(3, 0, 2)),
    torch.linalg.cond(A, "fro"),
    torch.linalg.cond(A, 1),
    torch.linalg.cond(torch.ones(2, 0, 0), "nuc"),
    torch.linalg.matrix_norm(torch.ones(5, 0), 1),
    torch.linalg.matrix_norm(torch.ones(0, 5), 2),
    torch.isfinite(A + 1j),
    torch.isfinite(A),
)
made = (
    torch.bartlett_window(5, periodic=False),
    torch.bartlett_window(5),
    torch.fft.fftfreq(5),
    torch.fft.rfftfreq(5),
)
versions = [each._version for each in written + made]

# torch.linalg.cond: the gradient of an order that is not spectral, whose inverse was written
A = (torch.eye(2) + 0.5).requires_grad_()
torch.linalg.cond(A, "fro").backward()

# Tensor.untyped_storage: of one place in a volume, computed from many
x = F.grid_sample(torch.rand(1, 1, 2, 2, 2), torch.zeros(1, 1, 1, 1, 3), align_corners=False)
print(x.untyped_storage().nbytes())

# torch.ops.aten.unique_consecutive: of slices, with all results
found = torch.ops.aten.unique_consecutive(torch.tensor([[1.0], [1.0], [2.0]]), dim=0)
found = torch.ops.aten.unique_consecutive(torch.tensor([1.0, 1.0, 2.0]), dim=0)

# torch.linalg.lu_solve: from the right with complex numbers, a lazy conjugate
LU, pivots = torch.linalg.lu_factor(torch.eye(3) + 0.5j)
x = torch.linalg.lu_solve(LU, pivots, torch.ones(2, 3) + 1j, left=False)
is_conj = (
    x.is_conj(),
    torch.ones(2).to_sparse().is_conj(),
    torch.ones(2, 2).to_sparse_csr().is_neg(),
)

# F.embedding: an embedding whose gradient is sparse
w = torch.randn(5, 2, requires_grad=True)
y = F.embedding(torch.tensor([[1, 3], [1, 0]]), w, sparse=True)
y.sum().backward()
g = w.grad
print(g, g.is_sparse, g.layout, g.is_coalesced(), g._nnz(), g.sparse_dim(), g.dense_dim())
print(g.coalesce(), type(g), g.requires_grad, g.dtype, g.shape, g.stride(), g.device)

# F.embedding: sparse gradients add up
w = torch.randn(5, 2, requires_grad=True)
for i in ([1, 3, 1], [0, 3], [4]):
    y = (F.embedding(torch.tensor(i), w, sparse=True) * torch.tensor([1.0, 2.0])).sum()
    y.backward()
    print(w.grad, w.grad._version)
g = w.grad.to_dense()
z = F.embedding(torch.tensor([2, 2]), w, sparse=True).sum()
z.backward()
print(w.grad)

# F.embedding: two sparse gradients in one backward
w = torch.randn(5, 2, requires_grad=True)
a = F.embedding(torch.tensor([1, 3]), w, sparse=True)
b = F.embedding(torch.tensor([0, 3]), w, sparse=True)
y = (a * a).sum() + b.sum()
y.backward()
print(w.grad)

# F.embedding: a sparse gradient and a dense one, in one backward
w = torch.randn(5, 2, requires_grad=True)
y = F.embedding(torch.tensor([1, 3]), w, sparse=True).sum() + (w * 3).sum()
y.backward()

# F.embedding: a dense gradient after a sparse one, and the other way round
w = torch.randn(5, 2, requires_grad=True)
F.embedding(torch.tensor([1, 3]), w, sparse=True).sum().backward()
(w * 2).sum().backward()
a, w.grad = w.grad, None
(w * 2).sum().backward()
held = w.grad
F.embedding(torch.tensor([1, 3]), w, sparse=True).sum().backward()
print(a, held is w.grad, held._version)

# Tensor.retain_grad: a sparse gradient goes on
w = torch.randn(5, 2, requires_grad=True)
x = w * torch.full((5, 2), 2.0)
x.retain_grad()
F.embedding(torch.tensor([1, 1]), x, sparse=True).sum().backward()
print(x.grad, w.grad)
v = torch.randn(5, 2, requires_grad=True)
F.embedding(torch.tensor([1, 1]), v.exp() * 2 / 3, sparse=True).sum().backward()
print(v.grad)

# F.embedding: sparse gradients are asked for
w = torch.randn(5, 2, requires_grad=True)
i = torch.tensor([[1, 3], [1, 0]])
(a,) = torch.autograd.grad(F.embedding(i, w, sparse=True, padding_idx=1).sum(), w)
(b,) = torch.autograd.grad((F.embedding(i, w, sparse=True) * 2).sum(), w)
print(a, b)

# Tensor.register_post_accumulate_grad_hook: hooks see sparse gradients
w = torch.randn(5, 2, requires_grad=True)
w.register_hook(lambda grad: print(grad))
w.register_post_accumulate_grad_hook(lambda leaf: print(leaf.grad))
F.embedding(torch.tensor([1, 4, 1]), w, sparse=True).pow(2).sum().backward()

# Tensor.register_hook: a hook changes a sparse gradient
w = torch.randn(5, 2, requires_grad=True)
w.register_hook(lambda grad: grad * 10)
F.embedding(torch.tensor([1, 4, 1]), w, sparse=True).sum().backward()
print(w.grad)

# F.embedding: a table of another dtype
w = torch.randn(5, 2, requires_grad=True)
F.embedding(torch.tensor([1, 1]), w.double(), sparse=True).sum().backward()

# F.embedding: how often rows are looked up does not count
w = torch.randn(5, 2, requires_grad=True)
F.embedding(torch.tensor([1]), w, sparse=True, scale_grad_by_freq=True).sum().backward()

# F.embedding_bag: bags
w = torch.randn(5, 2, requires_grad=True)
i = torch.tensor([[1, 3], [1, 0]])
weights = torch.rand(2, 2)
for options in (
    {},
    {"mode": "sum", "padding_idx": 1},
    {"mode": "sum", "per_sample_weights": weights},
):
    w.grad = None
    y = F.embedding_bag(i, w, sparse=True, **options)
    y.sum().backward()
    print(w.grad)

# nn.EmbeddingBag: layers
m = nn.Embedding(6, 3, padding_idx=0, sparse=True)
b = nn.EmbeddingBag(6, 3, sparse=True)
i = torch.tensor([[0, 2, 5], [2, 2, 1]])
y = m(i).sum() + b(i).sum()
y.backward()
print(m, b, m.weight.grad, b.weight.grad)

# torch.optim.SparseAdam: optimizers that take sparse gradients
results = []
for make in (
    lambda p: torch.optim.SparseAdam(p, lr=0.1),
    lambda p: torch.optim.SparseAdam(p, lr=0.1, maximize=True),
    lambda p: torch.optim.SGD(p, lr=0.1),
    lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
    lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True, maximize=True),
    lambda p: torch.optim.Adagrad(p, lr=0.1, lr_decay=0.1),
    lambda p: torch.optim.Adagrad(p, lr=0.1, initial_accumulator_value=0.5, maximize=True),
):
    torch.manual_seed(1)
    m = nn.Embedding(5, 2, sparse=True)
    o = make(m.parameters())
    for i in ([0, 1], [1, 1], [4], [0, 3, 0, 1]):
        o.zero_grad()
        m(torch.tensor(i)).pow(2).sum().backward()
        o.step()
    results += [m.weight.detach(), o.state_dict()["state"]]
    o.zero_grad(set_to_none=False)
    print(m.weight.grad)

# torch.optim.Adagrad: decay with sparse gradients
w = torch.randn(5, 2, requires_grad=True)
F.embedding(torch.tensor([1]), w, sparse=True).sum().backward()
torch.optim.Adagrad([w], weight_decay=0.1).step()

# torch.optim.SGD: decay of SGD with sparse gradients
w = torch.randn(5, 2, requires_grad=True)
F.embedding(torch.tensor([1]), w, sparse=True).sum().backward()
torch.optim.SGD([w], 0.1, weight_decay=0.1).step()

# F.embedding: optimizers that do not
w = torch.randn(5, 2, requires_grad=True)
F.embedding(torch.tensor([1]), w, sparse=True).sum().backward()
for name in "Adam AdamW RMSprop Adadelta Adamax NAdam RAdam Rprop ASGD Adafactor Muon".split():
    try:
        getattr(torch.optim, name)([w]).step()
    except RuntimeError as error:
        print(error)

# SparseAdam wants dense parameters
torch.optim.SparseAdam([torch.eye(2).to_sparse().requires_grad_()])

# Tensor.to_sparse: a sparse tensor is made and taken apart
s = torch.sparse_coo_tensor([[0, 2, 0], [1, 0, 1]], [1.0, 2, 3], (3, 2), check_invariants=False)
a, b, c = s.to_dense(), s._indices(), s._values()
d, e = s.coalesce().indices(), s.coalesce().values()
print(s, s.coalesce(), s.numel(), s.dim(), len(s), s.is_leaf, s.element_size(), s.is_contiguous())
print(torch.eye(3).to_sparse(), torch.eye(3).to_sparse(1), torch.zeros(2, 2).to_sparse())
print(torch.tensor(3.0).to_sparse(), torch.eye(2, dtype=torch.float64).to_sparse())
print(s.double(), s.clone(), s.detach(), torch.zeros_like(s), s.requires_grad_())

# torch.sparse_coo_tensor: a sparse tensor without a size, of a dtype, of rows
a = torch.sparse_coo_tensor([[0, 3]], [1, 2], check_invariants=True)
b = torch.sparse_coo_tensor([[0, 3]], [1, 2], (6,), dtype=torch.float64, check_invariants=True)
c = torch.sparse_coo_tensor([[0, 1]], [[1.0, 2], [3, 4]], check_invariants=True)
d = torch.sparse_coo_tensor((2, 3), check_invariants=True)
print(a, b, c, d)

# torch.sparse_coo_tensor: arithmetic of sparse tensors
s = torch.sparse_coo_tensor([[0, 2, 0], [1, 0, 1]], [1.0, 2, 3], (3, 2), check_invariants=False)
t = torch.sparse_coo_tensor([[1, 0], [0, 1]], [5.0, 7], (3, 2), check_invariants=False)
d = torch.ones(3, 2)
print(s + s, s + t, s - t, s.coalesce() + t.coalesce(), torch.add(s, t, alpha=3))
print(s * 2, 3 * s, s / 4, -s, s * d, d * s, s.pow(2), s.abs(), s.sqrt(), s.double() + s)
a, b, c, e = d + s, d - s, d.add(s, alpha=0.5), s.sum()
x, y = d.clone().add_(s, alpha=-2), d.clone().sub_(s)
u = s.clone()
u.add_(t).mul_(2).div_(4).sub_(s)
print(u, u._version, s.norm(), u.zero_(), u._version)

# Tensor.sparse_mask: masks
d = torch.arange(6.0).reshape(3, 2)
s = torch.sparse_coo_tensor([[0, 2, 0], [1, 0, 1]], [1.0, 2, 3], (3, 2), check_invariants=False)
print(d.sparse_mask(s), d.sparse_mask(s.coalesce()), d.double().sparse_mask(s))

# Tensor.coalesce: coalescing in every dtype
for dtype in (torch.bool, torch.uint8, torch.int64, torch.float64, torch.bfloat16, torch.complex64):
    s = torch.sparse_coo_tensor([[2, 0, 2]], [1, 0, 3], (4,), dtype=dtype, check_invariants=False)
    print(s, s.coalesce(), s.to_dense())

# Tensor.to_sparse: a sparse plus a dense tensor
torch.eye(2).to_sparse() + torch.eye(2)

# Tensor.to_sparse: sparse tensors of sizes that do not fit
torch.eye(2).to_sparse() + torch.eye(3).to_sparse()

# Tensor.to_sparse: a dense tensor and a sparse one of sizes that do not fit
torch.ones(3) + torch.eye(3).to_sparse()

# Tensor.to_sparse: sparse tensors of different density
torch.eye(3).to_sparse() + torch.eye(3).to_sparse(1)

# torch.sparse_coo_tensor: places and values of different number
torch.sparse_coo_tensor([[0, 1]], [1], (2,))

# torch.sparse_coo_tensor: places beyond the size
torch.sparse_coo_tensor([[0, 5]], [1, 2], (2,), check_invariants=True)

# torch.sparse_coo_tensor: places below zero
torch.sparse_coo_tensor([[0, -1]], [1, 2])

# torch.sparse_coo_tensor: a size of other dimensions
torch.sparse_coo_tensor([[0, 1]], [1, 2], (2, 3))

# torch.sparse_coo_tensor: the parts of a tensor that is not coalesced
torch.sparse_coo_tensor([[0, 0]], [1, 2], (2,), check_invariants=False).values()

# Tensor.numpy: sparse as numbers of NumPy
torch.eye(2).to_sparse().numpy()

# Tensor.untyped_storage: the storage of a sparse tensor
torch.eye(2).to_sparse().untyped_storage()

# Tensor.to_sparse: the address of a sparse tensor
torch.eye(2).to_sparse().data_ptr()

# Tensor.to_sparse: bytes of a sparse tensor
torch.eye(2).to_sparse().nbytes

# Tensor.to_sparse: a sparse tensor is divided by another
torch.eye(2).to_sparse() / torch.eye(2).to_sparse()

# Tensor.copy_: a copy between layouts
torch.eye(2).copy_(torch.eye(2).to_sparse())

# Tensor.to_sparse: a sparse gradient of another size
w = torch.ones(2, 2, requires_grad=True)
w.grad = torch.eye(3).to_sparse()

# Tensor.to_sparse: sparse products, and determinants, by the names of their arguments
s, e = torch.eye(2).to_sparse(), torch.eye(2)
print(torch.smm(s, mat2=e), s.smm(mat2=e), torch.hsmm(mat1=s, mat2=e), torch.slogdet(input=e * 2))
x, y = e.orgqr(input2=torch.zeros(2)), torch.linalg.slogdet(A=e)

# Tensor.to_sparse: products with sparse matrices
a = torch.tensor([[0.0, 2.0, 0.0], [3.0, 0.0, -1.0]]).to_sparse()
b = torch.arange(12.0).reshape(3, 4)
print(torch.smm(a, b).to_dense())
c = torch.tensor([[1.0, 0.0, 0.0, 2.0], [0.0, 5.0, 0.0, 0.0]]).to_sparse()
print(torch.sspaddmm(c, a, b).to_dense(), torch.sspaddmm(c, a, b, beta=3, alpha=2).to_dense())

# Tensor.coalesce: the sum of sparse gradients that are differentiated
i = torch.tensor([0, 2, 0])
w = torch.arange(6.0).reshape(3, 2).requires_grad_()
for _ in range(3):
    F.embedding(i, w, sparse=True).sum().backward(create_graph=True)
    print(w.grad, w.grad.coalesce())

# torch.as_tensor: sparse tensors as they are, and as copies
x = torch.eye(3).to_sparse()
y = torch.as_tensor(x) is x, torch.asarray(x).layout
print(*[torch.tensor(x.double(), requires_grad=True), x.double().new_tensor(x)], sep="\n")
print(torch.tensor(torch.eye(2).to_sparse_csr(), dtype=torch.float64))

# Tensor.new_tensor: a copy of a compressed tensor
torch.eye(2).to_sparse_csr().new_tensor(torch.eye(2).to_sparse_csr())

# torch.dropout: sparse tensors in evaluation
x = torch.eye(3).to_sparse().requires_grad_()
print(F.dropout(x, 0.5, False) is x, nn.Dropout(0.5).eval()(x) is x, F.dropout(x, 0.0) is x)

# torch.dropout: a sparse tensor in training
F.dropout(torch.eye(3).to_sparse(), 0.5)

# torch.linalg.multi_dot: a matrix of coordinates among others
y = torch.linalg.multi_dot([torch.eye(3).to_sparse(), torch.ones(3, 2), torch.ones(2, 2)])

# torch.linalg.norm: coordinates, which have no norm of vectors
torch.linalg.norm(torch.eye(3).to_sparse())

# torch.pca_lowrank: a matrix of coordinates
print([tuple(each.shape) for each in torch.pca_lowrank(torch.eye(4).to_sparse(), q=2)])

# torch.pca_lowrank: a batch of coordinates
torch.pca_lowrank(torch.ones(2, 3, 4).to_sparse(), q=2)

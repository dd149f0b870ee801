# F.embedding_bag: sums, means and maxima of bags
w = torch.randn(6, 3, requires_grad=True)
i, o = torch.tensor([1, 2, 4, 5, 4, 3, 2, 0]), torch.tensor([0, 4, 4])
a, b, c = (F.embedding_bag(i, w, o, mode=m) for m in ("sum", "mean", "max"))
(a * b * c).sum().backward()
print(a, b, c, w.grad)

# torch.embedding_bag: what embedding_bag gives besides
w = torch.randn(6, 3)
i, o = torch.tensor([1, 2, 4, 5, 4, 3, 2, 0]), torch.tensor([0, 4, 4])
a, b, c = (torch.embedding_bag(w, i, o, mode=m) for m in (0, 1, 2))
d = torch.embedding_bag(w, i, o, False, 2, False, None, False, 4)
e = torch.embedding_bag(w.double(), i, o)

# F.embedding_bag: bags with weights and padding
w, p = torch.randn(6, 3, requires_grad=True), torch.randn(5, requires_grad=True)
i, o = torch.tensor([1, 2, 4, 5, 4]), torch.tensor([0, 2])
y = F.embedding_bag(i, w, o, mode="sum", per_sample_weights=p, padding_idx=4)
y.sum().backward()
print(w.grad, p.grad)

# F.embedding_bag: bags of a frozen table with weights
w, p = torch.randn(6, 3), torch.randn(2, 2, requires_grad=True)
y = F.embedding_bag(torch.tensor([[1, 2], [3, 3]]), w, mode="sum", per_sample_weights=p)
y.sum().backward()

# F.embedding_bag: bags that end with the last offset
w = torch.randn(6, 3, requires_grad=True)
i, o = torch.tensor([1, 2, 4]), torch.tensor([0, 1, 3])
a = F.embedding_bag(i, w, o, include_last_offset=True)
b = F.embedding_bag(i, w, o, mode="sum", include_last_offset=True)
c = F.embedding_bag(i, w, o, mode="max", include_last_offset=True)
(a + b + c).sum().backward()

# F.embedding_bag: bags of one size, in double and of int32
w = torch.randn(6, 3, dtype=torch.float64, requires_grad=True)
i = torch.tensor([[0, 1, 2], [3, 5, 5]], dtype=torch.int32)
y = F.embedding_bag(i, w, mode="mean", scale_grad_by_freq=True)
y.sum().backward()

# F.embedding_bag: bags of rows that are scaled down
w = torch.randn(6, 3)
y = F.embedding_bag(torch.tensor([[0, 1]]), w, max_norm=0.5)

# F.embedding_bag: bags without elements
w = torch.randn(6, 3, requires_grad=True)
i = torch.tensor([], dtype=torch.int64)
a = F.embedding_bag(i, w, torch.tensor([0, 0]))
b = F.embedding_bag(i, w, torch.tensor([0]), mode="max")
(a.sum() + b.sum()).backward()

# F.embedding_bag: bags are derived once
w, p = torch.randn(6, 3, requires_grad=True), torch.randn(2, requires_grad=True)
y = F.embedding_bag(torch.tensor([1, 2]), w, torch.tensor([0]), mode="sum", per_sample_weights=p)
g, h = torch.autograd.grad(y.sum(), (w, p), create_graph=True)
g.sum().backward()

# F.embedding_bag: the gradient of a bag's weights is derived once
w, p = torch.randn(6, 3, requires_grad=True), torch.randn(2, requires_grad=True)
y = F.embedding_bag(torch.tensor([1, 2]), w, torch.tensor([0]), mode="sum", per_sample_weights=p)
g, h = torch.autograd.grad(y.sum(), (w, p), create_graph=True)
h.sum().backward()

# F.embedding_bag: bags of a row that is not there
F.embedding_bag(torch.tensor([1, 6]), torch.zeros(6, 3), torch.tensor([0]))

# F.embedding_bag: a maximum of a row that is not there
F.embedding_bag(torch.tensor([1, 6]), torch.zeros(6, 3), torch.tensor([0]), mode="max")

# F.embedding_bag: bags that begin late
F.embedding_bag(torch.tensor([1, 2]), torch.zeros(6, 3), torch.tensor([1]))

# F.embedding_bag: bags that begin behind the end
F.embedding_bag(torch.tensor([1, 2]), torch.zeros(6, 3), torch.tensor([0, 3]))

# F.embedding_bag: bags without offsets
F.embedding_bag(torch.tensor([1, 2]), torch.zeros(6, 3))

# F.embedding_bag: bags of floats
F.embedding_bag(torch.tensor([1.0, 2.0]), torch.zeros(6, 3), torch.tensor([0]))

# F.embedding_bag: bags of a table of whole numbers
F.embedding_bag(torch.tensor([1, 2]), torch.zeros(6, 3).int(), torch.tensor([0]))

# F.embedding_bag: bags with a padding that is no row
F.embedding_bag(torch.tensor([1, 2]), torch.zeros(6, 3), torch.tensor([0]), padding_idx=6)

# F.embedding_bag: means of bags with weights
F.embedding_bag(torch.tensor([[1, 2]]), torch.zeros(6, 3), per_sample_weights=torch.ones(1, 2))

# F.embedding_bag: weights of another dtype
w, i = torch.zeros(6, 3), torch.tensor([[1, 2]])
F.embedding_bag(i, w, mode="sum", per_sample_weights=torch.ones(1, 2).double())

# F.embedding_bag: the old order of arguments
y = F.embedding_bag(torch.ones(6, 3), torch.tensor([1, 2]), torch.tensor([0]))

# nn.EmbeddingBag: a layer of bags
m = nn.EmbeddingBag(5, 3, padding_idx=-2, mode="sum", max_norm=2.0, norm_type=1.0)
y = m(torch.tensor([1, 3, 4]), torch.tensor([0, 1]))
y.sum().backward()
print(m, m.weight.grad)

# nn.EmbeddingBag.from_pretrained: a layer of bags that are given
m = nn.EmbeddingBag.from_pretrained(torch.eye(3), mode="max", include_last_offset=True)
y = m(torch.tensor([0, 2]), torch.tensor([0, 2]))
print(m, [p.requires_grad for p in m.parameters()])

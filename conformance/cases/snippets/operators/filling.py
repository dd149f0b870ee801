# Tensor.fill_diagonal_: a diagonal filled
a = torch.zeros(7, 2).requires_grad_()
b = a * 1
b.fill_diagonal_(9, wrap=True)

# Tensor.index_fill_: fills of expanded tensors
a = torch.tensor([-1, 1])
a.expand(2, 2).index_fill_(0, torch.tensor([0]), 5)
a.expand(2, 2).masked_fill_(torch.tensor([[True], [False]]), 6)
b = a.expand(2, 2)
b[b > 5] = 7

# Tensor.fill_: fills refuse complex gradients of a real number
for dtype in (torch.float32, torch.complex64):
    r = torch.ones((), requires_grad=True)
    texts = []
    for write in (
        lambda x: x.fill_(r),
        lambda x: x[1:].fill_(r),
        lambda x: x.masked_fill_(torch.tensor([True, False, True]), r),
        lambda x: x.index_fill_(0, torch.tensor([0]), r),
        lambda x: x[0].copy_(r),
    ):
        x = torch.ones(3, dtype=dtype)
        write(x)
        try:
            x.sum().backward(torch.tensor(1.0, dtype=dtype))
        except RuntimeError as error:
            texts.append(str(error))

# Tensor.masked_fill: what is no mask and what is out of range is said before histories are looked at
a = torch.ones(2, requires_grad=True) * 1
b, c = a.unbind(0)
a.fill_(1)
a.masked_fill_(b, 0.5)
d = torch.ones(2).masked_fill(b, 0.5)
with torch.no_grad():
    e = (torch.ones(2, 2, requires_grad=True) * 1)[1:]
e._base.add_(1)
f = e[5]
f = e[:, 7]
f = e[0]

# Tensor.masked_fill_: masks and indices have no gradient, whatever their dtype
a = torch.ones(2)
with torch.no_grad():
    b = a.view_as(a)
m = torch.ones(2, requires_grad=True) * 1
b.masked_fill_(m, 0.5)
b.masked_fill_(mask=m, value=torch.tensor(1.0))
b.index_fill_(0, m, 0.5)
b.index_add_(0, m, torch.ones(2))
b.index_copy_(0, m, torch.ones(2))
b.put_(m, torch.ones(2))
b.masked_fill_(m > 0, torch.tensor(1.0, requires_grad=True))

# Tensor.masked_fill_: a mask that is none and was made in inference mode
with torch.inference_mode():
    mask = torch.ones(3)
a = torch.ones(3, requires_grad=True) * 1
a.masked_fill_(mask, 0.5)

# Tensor.masked_fill: a stale view complains before its mask does
a = torch.tensor([-3.0, -2.75]).requires_grad_()
b, c = a.unbind(0)
with torch.no_grad():
    d = c.view(c.shape)
    c.lerp_(c, 0.25)
d.masked_fill(d, 1.5)

# Tensor.fill_: whole numbers with a history need a gradient
a = torch.tensor([[0]])
b = torch.ones(2, requires_grad=True)
a.fill_(b.sum())
texts = []
for attempt in (a.backward, lambda: torch.autograd.grad(a, b)):
    try:
        attempt()
    except RuntimeError as error:
        texts.append(str(error))

# Tensor.fill_: a tensor fills another as a copy of it
texts = []
for dtype in (torch.float32, torch.int32, torch.uint8, torch.bool, torch.float16, torch.complex64):
    for value in (300, -3.0, 1e5, float("nan"), True):
        texts.append(torch.zeros(2, dtype=dtype).fill_(torch.tensor(value)).tolist())
texts.append(torch.zeros(2).fill_(torch.tensor(1e300, dtype=torch.float64)))
a = torch.zeros(2)
a.fill_(torch.tensor(2 - 9j, requires_grad=True))
torch.zeros(0).fill_(torch.tensor(2 - 9j))

# Tensor.masked_fill_: what is said of a mask and what is warned of expanded memory
texts = []
for mask in (torch.ones(2, 3), torch.ones(2, 4), torch.ones(2, 4) > 0, torch.ones(2, 3) > 0):
    try:
        texts.append(torch.zeros(3).expand(2, 3).masked_fill_(mask, 1))
    except RuntimeError as error:
        texts.append(str(error))

# Tensor.index_fill_: what is said of an index and what is warned of expanded memory
texts = []
for index in (torch.ones(2), torch.tensor([5]), torch.tensor([[1]]), torch.tensor([1])):
    try:
        texts.append(torch.zeros(3).expand(2, 3).index_fill_(0, index, 1))
    except (RuntimeError, IndexError) as error:
        texts.append(str(error))

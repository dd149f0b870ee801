# Tensor.sort: sorting many equal elements
x = torch.arange(400) % 7
a, b = x.sort(), x.float().sort(descending=True)
c = x.argsort(), x.bool().sort()
d = x.reshape(8, 50).sort(dim=0), x.reshape(8, 50).sort(dim=1)

# torch.argsort: sorting equal elements, and keeping their order
x = (torch.arange(300) * 37) % 11
a = x.sort(stable=True), x.sort(stable=True, descending=True)
b = torch.argsort(x.float(), stable=True)

# Tensor.sort: sorting rows of which only some have equal elements
x = torch.stack([torch.arange(40.0), torch.arange(40.0) % 5, -torch.arange(40.0)])
a = x.sort(dim=1), x.sort(dim=1, descending=True), x.t().sort(dim=0)

# Tensor.sort: sorting what is all equal, sorted, reversed, or like an organ's pipes
n = 600
a = torch.zeros(n).sort(), torch.arange(n).sort(), torch.arange(n, 0, -1).sort()
x = torch.cat([torch.arange(n // 2), torch.arange(n // 2, 0, -1)])
b = x.sort(), x.sort(descending=True), (x // 3).sort(), (x % 2).sort()

# torch.cat: sorting what parts badly again and again
n = 512
x = torch.zeros(n, dtype=torch.int64)
x[0::2] = torch.arange(n // 2)
x[1::2] = torch.arange(n // 2) + n // 2
a = x.sort(), (x // 2).sort(), torch.cat([x, x]).sort(), torch.cat([x, x]).topk(100)

# Tensor.nanmedian: sorting what is not a number
x = torch.tensor([3.0, float("nan"), 1.0, float("nan"), -1.0, 1.0] * 6)
a = x.sort(), x.sort(descending=True), x.topk(7), x.topk(7, largest=False), x.kthvalue(30)
b = x.median(), x.nanmedian(), x.median(0), x.nanmedian(0)

# Tensor.topk: the largest of equal elements
x = torch.arange(500) % 9
a = x.topk(20), x.topk(20, largest=False), x.topk(300), x.topk(300, sorted=False)
b = x.topk(3), x.float().topk(3, largest=False), x.topk(7, sorted=False), x.topk(500)

# Tensor.topk: the largest of many equal elements are found with a heap
x = (torch.arange(5000) * 7919) % 13
a = x.topk(5), x.topk(50), x.topk(78), x.topk(79), x.float().topk(60, largest=False)
b = x.topk(2), x.topk(1), x.topk(6, sorted=False)
y = torch.arange(3000) // 100
c = y.topk(11), y.topk(40, largest=False), (-y).topk(40), (-y).topk(41)

# Tensor.topk: the largest along each axis
x = ((torch.arange(240) * 31) % 17).reshape(6, 40)
a = x.topk(3, dim=0), x.topk(9, dim=1), x.topk(9, 1, False), x.t().topk(4, 0)

# Tensor.kthvalue: the k-th of equal elements
x = torch.arange(100) % 5
a = [x.kthvalue(k) for k in (1, 2, 20, 21, 50, 99, 100)]
b = [(x * x).float().kthvalue(k, dim=0, keepdim=True) for k in (3, 40, 77)]
c = [(-x).kthvalue(k) for k in (1, 21, 60)]
d = x.reshape(5, 20).kthvalue(3, 0), x.reshape(20, 5).kthvalue(11, 0), x.reshape(4, 25).kthvalue(7)

# Tensor.kthvalue: the k-th of two, three and more
a = [torch.tensor([2, 1]).kthvalue(k) for k in (1, 2)]
b = [torch.tensor([2, 1, 1]).kthvalue(k) for k in (1, 2, 3)]
c = [torch.tensor([4, 2, 1, 1, 4, 2, 2]).kthvalue(k) for k in range(1, 8)]

# Tensor.median: medians of equal elements
x = (torch.arange(90) * 7) % 4
a = x.median(), x.median(0), x.reshape(9, 10).median(1), x.reshape(9, 10).median(0, keepdim=True)
b = x.float().median(0), x.float().nanmedian(0), x.reshape(10, 9).float().nanmedian(1)

# Tensor.median: medians where numbers are missing
n = float("nan")
x = torch.tensor([[n, n, 1.0, 2.0, 3.0], [n, n, n, n, n], [5.0, n, 5.0, n, 5.0], [4.0, 3, 2, 1, 0]])
a = x.nanmedian(1), x.nanmedian(0), x.median(1), x.median(0), x.nanmedian(), x.median()
b = x[:, 1:].nanmedian(1), x[:, :1].nanmedian(1), x.nanmean(1), x.nansum(0)

# Tensor.mode: the most frequent
x = (torch.arange(90) * 7) % 4
a = x.mode(), x.reshape(9, 10).mode(0), x.reshape(9, 10).mode(1, keepdim=True), x.float().mode()
b = torch.tensor([3, 1, 3, 1, 2]).mode(), torch.tensor(5).mode(), torch.tensor([True, False]).mode()

# Tensor.median: gradients of what is selected from equals
x = (torch.arange(60) % 6).float().requires_grad_()
a, b, c = x.topk(7).values, x.kthvalue(30).values, x.sort(descending=True).values
d, e, f = x.median(), x.median(0).values, x.mode().values
w = torch.arange(60.0)
((c * w).sum() + (a * a).sum() + b * d + e * f).backward()
print(x.grad)

# unique elements, with their places and counts
x = torch.tensor([[3, 1, 2], [1, 3, 3], [3, 1, 2]])
a = x.unique(), x.unique(return_inverse=True, return_counts=True), x.unique(dim=0)
b = x.unique(dim=1, return_inverse=True, return_counts=True), x.unique(sorted=False)
c = x.unique_consecutive(), x.flatten().unique_consecutive(return_inverse=True, return_counts=True)
d = x.unique_consecutive(dim=0), x.float().unique(return_counts=True), (x > 1).unique()

# torch.searchsorted: places among sorted elements
x = torch.tensor([1.0, 2.0, 2.0, 2.0, 5.0])
y = torch.tensor([[2.0, 0.0], [5.0, 9.0]])
a = torch.searchsorted(x, y), torch.searchsorted(x, y, right=True), torch.searchsorted(x, 2)
b = torch.bucketize(y, x), torch.bucketize(y, x, right=True), torch.bucketize(2.0, x)
c = torch.searchsorted(x, y, side="left", out_int32=True)
d = torch.searchsorted(x.flip(0), y, sorter=torch.arange(4, -1, -1))

# torch.equal: equality of whole tensors
x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
a = [x.equal(x), x.equal(x + 0), x.equal(x.t()), x.equal(x[0]), torch.equal(x, x.t().t())]
n = torch.tensor([float("nan"), 1.0])
b = [n.equal(n), torch.equal(n, n.clone()), torch.equal(torch.ones(0), torch.ones(0))]
c = [torch.equal(torch.tensor([1, 2, 3]), torch.tensor([1, 2, 4]))]
print(a, b, c)

# torch.equal: equality of tensors of two dtypes
torch.equal(torch.ones(2), torch.ones(2, dtype=torch.int64))

# torch.isclose: closeness of whole tensors
x = torch.tensor([1.0, 1000.0, -2.0])
a = [x.allclose(x + 1e-9), x.allclose(x + 1e-3), x.allclose(x * (1 + 9e-6)), x.allclose(x * 1.1)]
y = torch.tensor([1.0, float("inf"), float("nan")])
b = torch.isclose(y, y), torch.isclose(y, y, equal_nan=True), torch.isclose(x, x + 0.5, atol=1)
c = torch.isclose(torch.tensor([1, 2]), torch.tensor([1, 3])), torch.isclose(x, -x, rtol=3.0)
print(a)

# Tensor.cummax: the largest and smallest of equals
x = torch.tensor([[2.0, 7.0, 7.0], [7.0, 2.0, 2.0]])
a = x.argmax(), x.argmin(), x.argmax(1), x.argmin(0), x.max(0), x.min(1), x.argmax(0, keepdim=True)
b = x.cummax(0), x.cummin(1), x.flip(1).cummax(1), torch.tensor([1, 3, 3, 2, 3]).cummax(0)
c = x.amax(1), x.aminmax(dim=0), x.max(), x.bool().any(0), x.bool().all()

# Tensor.nan_to_num: running extremes where numbers are missing
n = float("nan")
x = torch.tensor([1.0, n, 3.0, 2.0, n], requires_grad=True)
a, b = x.cummax(0), x.cummin(0)
(a.values + 2 * b.values).nan_to_num().sum().backward()
print(a, b, x.grad)

# torch.cummin: extremes among zeros of both signs
x = torch.tensor(
    [[0.0, -0.0, -0.0], [-0.0, 0.0, 0.0], [1.0, 2.0, 3.0], [-1.0, -0.0, 0.0], [2.0, 0.0, -0.0]]
)
for y in (x, x.T, x.T.contiguous(), x.double(), -x):
    for dim in (0, 1):
        for f in (torch.max, torch.min, torch.cummax, torch.cummin):
            print([each.signbit().tolist() for each in f(y, dim)], f(y, dim)[1].tolist())

# Tensor.nansum: sums of negative zeros alone
for n in (1, 2, 3, 4, 5, 8, 9, 15, 16, 31, 33, 64, 70, 257, 300, 1024, 1027):
    for dtype in (torch.float32, torch.float64, torch.float16):
        x = torch.full((n,), -0.0, dtype=dtype)
        y = x.reshape(1, n), x.reshape(n, 1), x.expand(3, n).contiguous(), x.expand(3, n).T
        found = [x.sum(), x.mean(), x.sum((0,)), x.nansum(), x.cumsum(0), x @ x, x.norm()]
        for each in y:
            found += [each.sum(), each.mean(), each.sum((0, 1)), *each.sum(0), *each.sum(1)]
            found += [*each.mean(0)[:2], *each.mean(1)[:2], *each[:, None].sum(1)[0][:2]]
        print(n, dtype, "".join(str(int(bit)) for z in found for bit in z.signbit().flatten()))

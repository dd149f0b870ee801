# Tensor.index_put_: a write at positions of which one is out of range reaches those before it
a = torch.zeros(4)
a[torch.tensor([0, 1, 9, 2])] = 1.0
b = torch.zeros(3, 2)
b[torch.tensor([0, 1, 9, 2])] = torch.arange(8.0).reshape(4, 2)
c = torch.zeros(2, 3)
c[:, torch.tensor([0, 9, 2])] = torch.arange(6.0).reshape(3, 2).t()
d = torch.zeros(3)
d.index_put_((torch.tensor([0, 0, 1, -5, 2]),), torch.arange(1.0, 6), accumulate=True)
e = torch.zeros(3, 3)
e[torch.tensor([[0], [1]]), torch.tensor([[0, 2, 7]])] = torch.arange(1.0, 7).reshape(2, 3)
versions = [x._version for x in (a, b, c, d, e)]

# torch.ops.aten._index_put_impl_: tangents of _index_put_impl_ and _neg_view
import torch.autograd.forward_ad as fwAD

x, i = torch.arange(5.0), torch.tensor([1, 3])
with fwAD.dual_level():
    d = fwAD.make_dual(x.clone(), torch.full((5,), 2.0))
    v = fwAD.make_dual(torch.tensor([7.0, 8.0]), torch.tensor([3.0, 4.0]))
    torch.ops.aten._index_put_impl_(d, [i], v, False)
    primal, tangent = fwAD.unpack_dual(d)
print(primal, tangent)
y = torch.arange(3.0, requires_grad=True)
n = torch._neg_view(y)
n.sum().backward()
print(n, n.is_neg(), y.grad)

# torch._index_put_impl_: gradients through what is written at places
x = torch.arange(6.0).reshape(2, 3).requires_grad_()
v = torch.tensor([5.0, 7.0], requires_grad=True)
i = torch.tensor([0, 1]), torch.tensor([2, 0])
for accumulate in (False, True):
    y = torch._index_put_impl_(x * 2, i, v, accumulate)
    z = torch.index_put(x * 2, i, v, accumulate)
    w = (x * 2).index_put_(i, v, accumulate)
    for out in (y, z, w):
        print(out, torch.autograd.grad((out * out).sum(), (x, v)))

# torch.index_put: tangents that are seldom asked for
from torch.autograd import forward_ad

x, t = (
    torch.tensor([-40.0, 0.0, 1.0], dtype=torch.float64),
    torch.tensor([3.0, 1.0, 2.0], dtype=torch.float64),
)
with forward_ad.dual_level():
    dual = forward_ad.make_dual(x, t)
    other = forward_ad.make_dual(t, x)
    a = [
        forward_ad.unpack_dual(y).tangent * 1
        for y in (
            dual.logcumsumexp(0),
            torch.rsub(dual, 3, alpha=2),
            torch.rsub(dual, other, alpha=2),
            3 - dual,
            torch._neg_view(dual),
            torch.fill(dual, other.sum()),
            torch._safe_softmax(dual, 0),
            torch.index_put(dual, (torch.tensor([0, 2]),), other[:2]),
            torch.index_put(dual, (torch.tensor([0, 0]),), other[:2], True),
            torch.softmax(dual, 0),
            torch.log_softmax(dual, 0),
            torch.logsumexp(dual, 0),
        )
    ]

# Tensor.index_put: positions at and beyond the ends
x = torch.arange(12.0).reshape(3, 4)
for at in ([0, 2], [-3, 2], [-4, 0], [0, 3], [2, -3], [-1, 5]):
    index = torch.tensor(at)
    for use in (
        lambda: x[index],
        lambda: x[:, index],
        lambda: x[index, index],
        lambda: x.index_put((index,), torch.ones(4)),
        lambda: x.index_put((index, index), torch.ones(2), accumulate=True),
        lambda: x.index_select(1, index),
        lambda: x.take(index),
        lambda: x.gather(0, index[None]),
        lambda: x.put(index, torch.ones(2)),
        lambda: x.index_add(0, index, torch.ones(2, 4)),
    ):
        try:
            print(use())
        except (IndexError, RuntimeError) as error:
            print(type(error).__name__, str(error).splitlines()[0])

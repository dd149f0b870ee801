# torch.ops.aten: several results are lists or plain tuples there
A, x = torch.ops.aten, torch.tensor([[3.0, 1.0, 2.0], [1.0, 0.5, 1.0]])
v, i = torch.empty(0), torch.empty(0, dtype=torch.long)
for result in (
    A.split(x, 2),
    A.split.Tensor(x, 1),
    A.chunk(x, 2),
    A.unbind(x),
    A.tensor_split(x, 2),
    A.meshgrid.indexing([x[0]], indexing="ij"),
    A.topk(x, 2),
    A.topk.default(x, 2),
    A.topk.values(x, 2, values=v, indices=i),
    A.max(x, 0),
    A.max.dim(x, 0),
    A.sort(x),
    A.frexp(x),
    A.aminmax(x, dim=0),
    A.var_mean(x),
    A.linalg_qr(x),
    A.linalg_svd(x),
    A.histogramdd(x, [2, 2, 2]),
    A._foreach_add([x, x], 1),
    A._foreach_add.Scalar([x], 1),
    A.where(x > 1),
    A.size(x),
    A.unique_consecutive(x[1]),
    A.unique_consecutive(x, dim=0),
    A._unique2(x, True, False, True),
):
    print(type(result), [each if isinstance(each, int) else type(each) for each in result])


# __torch_dispatch__: what a mode returns in lists or plain tuples, functions return as their own
from torch.utils._python_dispatch import TorchDispatchMode

x = torch.tensor([[3.0, 1.0, 2.0], [1.0, 0.5, 1.0]])


class Passing(TorchDispatchMode):
    def __init__(self, change):
        super().__init__()
        self.change = change

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        print(func, type(result))
        return self.change(result) if isinstance(result, (list, tuple)) else result


changes = (
    lambda result: result,
    tuple,
    list,
    lambda result: [each.clone() for each in result],
    lambda result: tuple([each + 1 for each in result]),
)
for change in changes:
    with Passing(change):
        found = [torch.topk(x, 2), torch.max(x, 0), torch.sort(x), torch.frexp(x), x.split(1)]
        found += [x.unbind(), x.chunk(2), torch.linalg.qr(x), torch.var_mean(x), torch.aminmax(x)]
        found += [torch.nonzero(x, as_tuple=True), torch._foreach_mul([x, x], 2)]
    for result in found:
        print(type(result), [each.tolist() for each in result])
    print(found[0].values, found[1].indices, found[7].R.shape)
del found, result


# torch._foreach_add: an operator of its own to modes
from torch.utils._python_dispatch import TorchDispatchMode


class Seen(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        print(func, args, kwargs, result)
        return result


x, y = [torch.tensor([1.0, 2.0]), torch.tensor([3.0])], [torch.tensor([0.5, 1.0]), torch.ones(1)]
with Seen():
    torch._foreach_add(x, 1)
    torch._foreach_add(x, [1, 2.0])
    torch._foreach_add(x, y, alpha=2)
    torch._foreach_add(x, y[1])
    torch._foreach_add(x, y[1][0])
    print(torch._foreach_add_(x, 1))
    torch._foreach_mul(x, y[1][0])
    torch._foreach_pow(2, x)
    torch._foreach_addcmul(x, x, y, torch.tensor([1.0, 2.0]))
    torch._foreach_addcdiv_(x, x, y, [1.0, 2.0])
    torch._foreach_lerp(x, y, 0.5)
    torch._foreach_norm(x, 1)
    torch._foreach_clone(x)
    torch._foreach_copy_(x, y)
    torch._foreach_zero_(x)
    torch.nn.utils.clip_grad_norm_([], 1.0, foreach=True)

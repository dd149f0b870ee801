# Tensor.addcmul: numbers before the tensors that they weigh
x = torch.randn(2, 2, requires_grad=True)
y, v, b = torch.randn(2, 2), torch.randn(2), torch.randn(3, 2, 2)
a = [x.add(2, y), torch.sub(x, 2, y), x.addcmul(2, y, y), torch.addcdiv(x, 2, y, y)]
c = [x.addmm(2, y, y), torch.addmm(2, x, 3, y, y), v.addmv(2, y, v), torch.addr(2, x, 3, v, v)]
d = [x.addbmm(2, b, b), b.baddbmm(2, b, b), b.clone().baddbmm_(2, 3, b, b)]
sum(each.sum() for each in a + c).backward()

# Tensor.addcdiv_: numbers before tensors, in place and into out=
x, y, out = torch.randn(2), torch.randn(2), torch.empty(2)
x.mul_(0.9).add_(0.1, y).addcmul_(0.1, y, y).addcdiv_(-0.1, y, y)
torch.add(x, 2, y, out=out)

# Tensor.addcmul_: numbers before tensors that do not fit
torch.ones(2).addcmul_("a", torch.ones(2), torch.ones(2))

# torch._assert_async: checks of an element
torch._assert_async(torch.tensor(1))
torch._assert_async(torch.tensor(0.0), "it is zero")

# torch._assert_tensor_metadata: checks of what a tensor is
said = []
x = torch.ones(2, 3)
kinds = [
    {"size": [3]},
    {"stride": [1]},
    {"dtype": torch.bfloat16},
    {"device": "cuda:0"},
    {"layout": torch.sparse_csr},
]
for given in kinds:
    try:
        torch._assert_tensor_metadata(x, **given)
    except RuntimeError as error:
        said.append(str(error).splitlines()[0])

# torch._higher_order_ops.out_dtype: an operator computed in another dtype
from torch._higher_order_ops.out_dtype import out_dtype

a = torch.tensor([[100, 100]], dtype=torch.int8)
b = out_dtype(torch.ops.aten.mm.default, torch.int32, a, a.t())
del out_dtype

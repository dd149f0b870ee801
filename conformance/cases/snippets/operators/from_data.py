# torch.tensor: what was never saved is not freed
a = torch.tensor([2.0], requires_grad=True)
b = 1 / a
b.backward()

# torch.tensor: a copy's gradient has to fit
from copy import deepcopy

a = torch.tensor([1.25], requires_grad=True)
b = a * a
a.data = torch.ones(2)
b.backward()
c = deepcopy(a)

# torch.tensor: a number of complex ones does not fit into real ones where a mask is true
a = torch.tensor([1.0, 2.0, 3.0])
m = torch.tensor([True, False, True])
a[m] = torch.tensor(1j)
a[m] = torch.tensor(2 + 0j)
b = torch.tensor([1 + 2j, 3 - 1j, 0j])
b[m] = torch.tensor([2.0])

# torch.tensor: what is written in half precision cannot be complex
texts = []
for name in ("add_", "div_", "pow_", "fmod_", "copysign_"):
    try:
        getattr(torch.ones(3, dtype=torch.float16), name)(torch.tensor(1j))
    except RuntimeError as error:
        texts.append(str(error))

# torch.tensor: gradients of special functions of a number and a tensor
for name in ("xlogy", "xlog1py", "zeta"):
    f = getattr(torch.special, name)
    for arguments in ((3.0, "x"), ("x", 2.5), (2, "x"), ("x", 3)):
        x = torch.tensor([0.5, 2.0, 4.0], dtype=torch.float64, requires_grad=True)
        try:
            f(*[x if each == "x" else each for each in arguments]).sum().backward()
        except (NotImplementedError, RuntimeError) as error:
            print(name, error)
        print(name, arguments, x.grad)

# torch.tensor: averages of several models at once
from torch.optim import swa_utils

average = swa_utils.get_swa_multi_avg_fn()
a = [torch.tensor([2.0, 4.0]), torch.tensor([1.0])]
for n in (0, 1, 4):
    average(a, [torch.tensor([3.0, 8.0]), torch.tensor([5.0])], torch.tensor(n))
    print(a)
b = [torch.tensor([2, 40])]
try:
    average(b, [torch.tensor([30, 8])], torch.tensor(3))
except RuntimeError as error:
    print(error)
print(b)
c = [torch.tensor([2.0 + 1j])]
average(c, [torch.tensor([4.0 - 3j])], 1)
print(c)

# torch.tensor: numbers that are not finite, in decompositions
nan, inf = torch.nan, torch.inf
for bad in ([[1.0, nan], [0.0, 1.0]], [[nan, nan], [nan, nan]], [[inf, 0.0], [0.0, 1.0]]):
    x = torch.tensor(bad)
    for name in "svdvals svd eigh pinv cond matrix_rank".split():
        try:
            print(name, getattr(torch.linalg, name)(x))
        except RuntimeError as error:
            print(name, type(error).__name__, str(error).splitlines()[0])

# Tensor.new_tensor: where what is selected lies in memory
x = torch.arange(120.0).reshape(2, 3, 4, 5)
i, j = torch.tensor([1, 0]), torch.tensor([[2, 1, 0]])
for order in ((0, 1, 2, 3), (3, 2, 1, 0), (1, 0, 3, 2), (2, 3, 0, 1), (0, 3, 1, 2)):
    y = x.permute(order)
    for made in (
        y[i],
        y[:, i],
        y[..., i],
        y[i, i],
        y[:, i, i],
        y[i, :, i],
        y[:, :, i, i],
        y[i.new_tensor([[0], [1]]), i],
        y[:, i[:, None], i],
        y[0, :, i],
        y[j % 2],
        y[:, j[0] % 2],
    ):
        print(made.shape, made.stride(), made.flatten()[5:8].tolist())
del y, made

# Tensor.new: of tensors on meta, of sizes, data and a size
x = torch.ones(2, device="meta")
made = [str(y) for y in (x.new(), x.new(3), x.new(2, 3), x.new([1, 2]), x.new(2, device="meta"))]
del x
cast = torch.ones(1, dtype=torch.int16).new([1.5, 2])

# torch.Tensor: over a storage, typed or not, and Tensor.new likewise
x = torch.tensor([1.0, 2.0])
typed = [torch.Tensor(x.storage()), torch.FloatTensor(x.storage()), x.new(x.storage())]
bare = [make(x.untyped_storage()) for make in (torch.Tensor, torch.IntTensor, x.int().new)]
typed[0][0] = 7
shared = x.tolist()

# torch.broadcast_tensors: of none
nothing = (torch.broadcast_tensors(), torch.functional.broadcast_tensors())

# torch.tensor: a list of arrays warns once
import numpy

rows = [numpy.ones(2), numpy.zeros(2)]
x = torch.tensor(rows)
y = [torch.as_tensor(rows), torch.Tensor(rows)]

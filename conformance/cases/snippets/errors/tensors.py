# torch.einsum("ij,jk->ii", torch.ones(2, 2), torch.ones(2, 2))
torch.einsum("ij,jk->ii", torch.ones(2, 2), torch.ones(2, 2))

# torch.einsum("ij->k", torch.ones(2, 2))
torch.einsum("ij->k", torch.ones(2, 2))

# torch.einsum("ii->i", torch.ones(2, 3))
torch.einsum("ii->i", torch.ones(2, 3))

# torch.einsum("ij,jk->ik", torch.ones(2, 3), torch.ones(4, 2))
torch.einsum("ij,jk->ik", torch.ones(2, 3), torch.ones(4, 2))

# torch.einsum("ijk->i", torch.ones(2, 2))
torch.einsum("ijk->i", torch.ones(2, 2))

# torch.einsum("i1->i", torch.ones(2, 2))
torch.einsum("i1->i", torch.ones(2, 2))

# torch.einsum("i.j->i", torch.ones(2, 2))
torch.einsum("i.j->i", torch.ones(2, 2))

# torch.einsum("...i...->i", torch.ones(2, 2))
torch.einsum("...i...->i", torch.ones(2, 2))

# torch.einsum(torch.ones(2, 2), [0, 60])
torch.einsum(torch.ones(2, 2), [0, 60])

# torch.einsum("i")
torch.einsum("i")

# torch.einsum("ij,jk->ik", torch.ones(2, 3), 3)
torch.einsum("ij,jk->ik", torch.ones(2, 3), 3)

# torch.tensordot(torch.ones(2, 3), torch.ones(3, 2), dims=([0], [0, 1]))
torch.tensordot(torch.ones(2, 3), torch.ones(3, 2), dims=([0], [0, 1]))

# torch.empty_strided((2, 3), (1,))
torch.empty_strided((2, 3), (1,))

# torch.empty((2, 3), memory_format=torch.channels_last)
torch.empty((2, 3), memory_format=torch.channels_last)

# torch.empty((2, 3), memory_format=torch.preserve_format)
torch.empty((2, 3), memory_format=torch.preserve_format)

# torch.full((2, 3), torch.ones(2))
torch.full((2, 3), torch.ones(2))

# torch.full((2, 3), "x")
torch.full((2, 3), "x")

# torch.full(3, 1.0)
torch.full(3, 1.0)

# torch.zeros("x")
torch.zeros("x")

# torch.zeros(2, dtype="float")
torch.zeros(2, dtype="float")

# torch.zeros(2, layout="strided")
torch.zeros(2, layout="strided")

# torch.zeros(2, requires_grad="yes")
torch.zeros(2, requires_grad="yes")

# torch.zeros(2, out=3)
torch.zeros(2, out=3)

# torch.ones(2, pin_memory=True)
torch.ones(2, pin_memory=True)

# torch.ones(-2)
torch.ones(-2)

# torch.frombuffer(b"abc", dtype=torch.int16)
torch.frombuffer(b"abc", dtype=torch.int16)

# torch.frombuffer(bytearray(b"abc"), dtype=torch.int16)
torch.frombuffer(bytearray(b"abc"), dtype=torch.int16)

# torch.frombuffer(bytearray(b"abcd"), dtype=torch.int16, offset=9)
torch.frombuffer(bytearray(b"abcd"), dtype=torch.int16, offset=9)

# torch.frombuffer(bytearray(b"abcd"), dtype=torch.int16, count=5)
torch.frombuffer(bytearray(b"abcd"), dtype=torch.int16, count=5)

# torch.frombuffer(bytearray(b"abcd"), dtype=torch.int16, count=0)
torch.frombuffer(bytearray(b"abcd"), dtype=torch.int16, count=0)

# torch.frombuffer(3, dtype=torch.int16)
torch.frombuffer(3, dtype=torch.int16)

# torch.asarray([1, 2], copy=False)
torch.asarray([1, 2], copy=False)

# torch.asarray(torch.ones(2), dtype=torch.int64, copy=False)
torch.asarray(torch.ones(2), dtype=torch.int64, copy=False)

# torch.tensor([1.0], dtype="float32")
torch.tensor([1.0], dtype="float32")

# torch.tensor([1.0], pin_memory=True)
torch.tensor([1.0], pin_memory=True)

# torch.tensor([[1, 2], [3]])
torch.tensor([[1, 2], [3]])

# torch.tensor([1, "x"])
torch.tensor([1, "x"])

# torch.tensor(2**70)
torch.tensor(2**70)

# torch.tensor("x")
torch.tensor("x")

# torch.tensor({1: 2})
torch.tensor({1: 2})

# torch.Tensor([1], device="cuda")
torch.Tensor([1], device="cuda")

# torch.Tensor(3.5)
torch.Tensor(3.5)

# torch.Tensor(-3)
torch.Tensor(-3)

# torch.device("")
torch.device("")

# torch.device("nonsense")
torch.device("nonsense")

# torch.device("cpu:x")
torch.device("cpu:x")

# torch.device("cuda:0", 1)
torch.device("cuda:0", 1)

# torch.device("cpu", -1)
torch.device("cpu", -1)

# torch.device("cpu", "x")
torch.device("cpu", "x")

# torch.device(1.5)
torch.device(1.5)

# torch.device("cpu", unknown=3)
torch.device("cpu", unknown=3)

# torch.device("cpu").unknown
torch.device("cpu").unknown

# torch.device("cpu").type = "x"
torch.device("cpu").type = "x"

# torch.device("cpu") < torch.device("cpu")
torch.device("cpu") < torch.device("cpu")

# torch.dtype()
torch.dtype()

# torch.float32.unknown
torch.float32.unknown

# torch.float32.itemsize = 3
torch.float32.itemsize = 3

# torch.int64.to_complex()
torch.int64.to_complex()

# torch.finfo(torch.int64)
torch.finfo(torch.int64)

# torch.iinfo(torch.float32)
torch.iinfo(torch.float32)

# torch.finfo("x")
torch.finfo("x")

# torch.can_cast(3, torch.int64)
torch.can_cast(3, torch.int64)

# torch.promote_types(torch.int64, 3)
torch.promote_types(torch.int64, 3)

# torch.result_type(1, "x")
torch.result_type(1, "x")

# torch.memory_format()
torch.memory_format()

# torch.Size(["x"])
torch.Size(["x"])

# torch.Size([1, 2]) + "x"
torch.Size([1, 2]) + "x"

# torch.Size(3)
torch.Size(3)

# torch.Generator("nonsense")
torch.Generator("nonsense")

# torch.Generator().manual_seed("x")
torch.Generator().manual_seed("x")

# torch.Generator().set_state(torch.ones(3))
torch.Generator().set_state(torch.ones(3))

# torch.Generator().set_state(torch.ones(3, dtype=torch.uint8))
torch.Generator().set_state(torch.ones(3, dtype=torch.uint8))

# torch.set_rng_state(torch.ones(10, dtype=torch.uint8))
torch.set_rng_state(torch.ones(10, dtype=torch.uint8))

# torch.randint(3, 3, (2,))
torch.randint(3, 3, (2,))

# torch.randint(0, 2**40, (2,), dtype=torch.int32)
torch.randint(0, 2**40, (2,), dtype=torch.int32)

# torch.randint(5, (2,), dtype=torch.bool)
torch.randint(5, (2,), dtype=torch.bool)

# torch.randperm(-1)
torch.randperm(-1)

# torch.randperm(300, dtype=torch.uint8)
torch.randperm(300, dtype=torch.uint8)

# torch.ones(3).random_(5, 2)
torch.ones(3).random_(5, 2)

# torch.ones(3).uniform_(3, 1)
torch.ones(3).uniform_(3, 1)

# torch.ones(3).normal_(0, -1)
torch.ones(3).normal_(0, -1)

# torch.ones(3).exponential_(-1)
torch.ones(3).exponential_(-1)

# torch.ones(3).geometric_(2)
torch.ones(3).geometric_(2)

# torch.ones(3).cauchy_(0, -1)
torch.ones(3).cauchy_(0, -1)

# torch.ones(3).log_normal_(0, -1)
torch.ones(3).log_normal_(0, -1)

# torch.ones(3).bernoulli_(2)
torch.ones(3).bernoulli_(2)

# torch.bernoulli(torch.tensor([2.0]))
torch.bernoulli(torch.tensor([2.0]))

# torch.normal(torch.zeros(2), torch.tensor([-1.0, 1.0]))
torch.normal(torch.zeros(2), torch.tensor([-1.0, 1.0]))

# torch.normal(0, -1, (2,))
torch.normal(0, -1, (2,))

# torch.normal("x", 1.0, (2,))
torch.normal("x", 1.0, (2,))

# torch.poisson(torch.tensor([-1.0]))
torch.poisson(torch.tensor([-1.0]))

# torch.poisson(torch.tensor([1]))
torch.poisson(torch.tensor([1]))

# torch.multinomial(torch.ones(3), 5)
torch.multinomial(torch.ones(3), 5)

# torch.multinomial(torch.tensor([-1.0, 1.0]), 1)
torch.multinomial(torch.tensor([-1.0, 1.0]), 1)

# torch.multinomial(torch.zeros(3), 1)
torch.multinomial(torch.zeros(3), 1)

# torch.multinomial(torch.ones(2, 2, 2), 1)
torch.multinomial(torch.ones(2, 2, 2), 1)

# torch.multinomial(torch.ones(3), 0)
torch.multinomial(torch.ones(3), 0)

# torch.randn(2, dtype=torch.int64)
torch.randn(2, dtype=torch.int64)

# torch.rand(2, dtype=torch.int64)
torch.rand(2, dtype=torch.int64)

# torch.ones(3).view(torch.float64)
torch.ones(3).view(torch.float64)

# torch.linspace(0, 1, -1)
torch.linspace(0, 1, -1)

# torch.logspace(0, 1, -1)
torch.logspace(0, 1, -1)

# torch.arange(0, 5, 0)
torch.arange(0, 5, 0)

# torch.arange(5, 0, 1)
torch.arange(5, 0, 1)

# torch.arange(0, float("inf"))
torch.arange(0, float("inf"))

# torch.arange(float("nan"))
torch.arange(float("nan"))

# torch.range(5, 0)
torch.range(5, 0)

# torch.eye(-1)
torch.eye(-1)

# torch.autograd.grad(torch.ones(2, requires_grad=True).sum(), torch.ones(2))
torch.autograd.grad(torch.ones(2, requires_grad=True).sum(), torch.ones(2))

# torch.autograd.grad(torch.ones(2, requires_grad=True).mul(2), [])
torch.autograd.grad(torch.ones(2, requires_grad=True).mul(2), [])

# torch.autograd.backward([torch.ones(2, requires_grad=True).sum()], inputs=[])
torch.autograd.backward([torch.ones(2, requires_grad=True).sum()], inputs=[])

# torch.set_grad_enabled("x")
torch.set_grad_enabled("x")

# torch.set_default_dtype(torch.int64)
torch.set_default_dtype(torch.int64)

# torch.set_default_dtype("x")
torch.set_default_dtype("x")

# torch.set_printoptions(profile="nonsense", edgeitems="x"); repr(torch.ones(3000))
torch.set_printoptions(profile="nonsense", edgeitems="x")
repr(torch.ones(3000))

# torch.Tensor: methods called without a tensor
import torch

names = (
    "add mul sub sum mean matmul add_ mul_ relu exp exp_ reshape view permute transpose t squeeze "
    "gather scatter index_select masked_fill_ clamp clamp_ max min argmax sort topk cumsum cat fill_ "
    "zero_ copy_ contiguous expand repeat flip tril var std all any eq lt where mm bmm dot "
    "softmax log_softmax sigmoid tanh sqrt pow abs neg round floor unsqueeze chunk select narrow diag"
).split()


def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


for name in names:
    method = getattr(torch.Tensor, name, None)
    for arguments in ((3, 4), (3,), ("a",), ([1], 2), (None, torch.ones(1)), ()):
        attempt(lambda: method(*arguments))
del attempt, method


# Tensor.grad: gradients on another device, and of another layout, are refused
def refused(tensor, grad):
    try:
        tensor.grad = grad
        print(tensor.grad)
    except Exception as error:
        print(type(error).__name__, error)


x = torch.ones(2, 2, requires_grad=True)
refused(x, torch.ones(2, 2, device="meta"))
refused(x, torch.ones(3, device="meta"))
refused(torch.ones(2, device="meta", requires_grad=True), torch.ones(2))
refused(x, torch.eye(2).to_sparse())
refused(x, torch.eye(2).to_sparse_csr())
refused(torch.eye(2).to_sparse().requires_grad_(), torch.eye(2))
refused(torch.eye(2).to_sparse().requires_grad_(), torch.eye(2).to_sparse_csr())


# torch.cuda.set_device: without CUDA
def refused(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


for device in (0, -1, "cuda", "cuda:0", "cpu", None, 1.5, torch.device("cuda")):
    refused(lambda: torch.cuda.set_device(device))
refused(torch.cuda.reset_peak_memory_stats)
refused(torch.cuda.reset_accumulated_memory_stats)

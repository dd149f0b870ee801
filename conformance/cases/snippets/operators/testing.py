# torch.testing.assert_close: what is close, and what assert_close says where it is not
import numpy as np

c, T = torch.testing.assert_close, torch.tensor
said = []


def say(*args, f=c, **kwargs):
    try:
        said.append(f(*args, **kwargs))
    except BaseException as e:
        said.append(f"{type(e).__name__}: {e}")


a = torch.arange(6.0).view(2, 3)
b = a.clone()
b[1, 2] += 0.1
b[0, 1] = float("nan")
say(a, b)
say(a, b, equal_nan=True, rtol=0, atol=0)
say([a, {"k": a}], [a, {"k": b}])
say(a, b, msg="no")
say(a, b, msg=lambda m: "X" + m)
say(1, 1.0)
say(1.0, 1.1)
say(1.0, 0.0)
say(True, False)
say(None, 1)
say("a", "b")
say([1], [1, 2])
say({"a": 1}, {"b": 1})
say(a, a.long())
say(a, a.double(), check_dtype=False)
say(a, a.t())
say(a, a.view(3, 2).t(), check_stride=True)
say(a, a[:, :].t().contiguous().t(), check_stride=True)
say(T(1.0), T(2.0))
say(T([1, 2]), T([1, 3]))
say(T([True]), T([False]))
say(np.ones(2), np.ones(2) * 2)
say(np.ones(2), torch.ones(2))
say(a, a, rtol=1.0)
say(T([1 + 2j]), T([1 + 3j]))
say(1 + 1j, 1 + 2j)
say(np.float32(1), 1.0)
say(torch.nn.Parameter(a), a)
say(torch.nn.Parameter(a), a, allow_subclasses=False)
say(T([1, 2], dtype=torch.uint16), T([1, 3], dtype=torch.uint8), check_dtype=False)
say(T([1.0, 2]).half(), T([1.0, 2.1]).half())
say(object(), object())
say(1.0, "a")
say(T([1e-6]), T([0.0]))
say(T([1e-4]), T([0.0]))
say([[1.0, 2.0]], ((1.0, 2.1),))
say(torch.empty(0), torch.empty(0))
say(T(float("nan")), T(float("nan")))
say(float("inf"), float("inf"))
say(float("nan"), float("nan"))
say({"b": 1, "a": 2.0}, {"a": 2.5, "b": 3})
say((x for x in "a"), 1)
print(*said, sep="\n\n")

# torch.testing.make_tensor: tensors by chance of every dtype
m = torch.testing.make_tensor
said = []


def say(*shape, **options):
    try:
        said.append(m(*shape, device="cpu", **options))
    except BaseException as e:
        said.append(f"{type(e).__name__}: {e}")


for name in "float32 float64 bool int64 uint8 complex64 bfloat16 float16 int32 int8".split():
    d = getattr(torch, name)
    say(2, 3, dtype=d)
    say((2, 2), dtype=d, low=0, high=3, noncontiguous=True)
    say([3], dtype=d, exclude_zero=True, requires_grad=d.is_floating_point)
    say(3, dtype=d, low=5, high=2)
    say(3, dtype=d, low=5, high=5)
    say(3, dtype=d, low=-1e40, high=-1e39)
    say(3, dtype=d, low=float("nan"))
say(2, 3, 4, 5, dtype=torch.float32, memory_format=torch.channels_last)
say(2, dtype=torch.int64, requires_grad=True)
say(2, dtype=torch.float32, noncontiguous=True, memory_format=torch.contiguous_format)
say(dtype=torch.float32)
say(2, dtype=torch.float32, low=float("-inf"), high=float("inf"))
print(*said, sep="\n")


# torch.testing.assert_close: sparse tensors, parts by parts
import warnings

warnings.simplefilter("ignore")
first = torch.tensor([[1.0, 0, 2], [0, 3, 0], [0, 0, 0], [4, 0, 0]])
nearly = first.clone()
nearly[0, 0] = 1.5
more = first.clone()
more[2, 2] = 9
elsewhere = torch.tensor([[0.0, 1, 2], [0, 3, 0], [0, 0, 0], [4, 0, 0]])
for convert in (
    lambda x: x.to_sparse(),
    lambda x: x.to_sparse(1),
    lambda x: x.to_sparse_csr(),
    lambda x: x.to_sparse_csc(),
    lambda x: x.to_sparse_bsr((2, 1)),
    lambda x: x.to_sparse_bsc((2, 1)),
):
    for other in (first, nearly, more, elsewhere):
        for pair, options in (
            ((convert(first), convert(other)), {}),
            ((convert(first), other), {"check_layout": False}),
            (([convert(first)], [convert(other)]), {"rtol": 0, "atol": 1, "check_stride": True}),
        ):
            try:
                print(torch.testing.assert_close(*pair, **options))
            except Exception as e:
                print(type(e).__name__, e)

# torch.testing.assert_close: meta tensors, and a bool beside a number
x = torch.ones(2, device="meta")
print(torch.testing.assert_close(x, x + 1))
print(torch.testing.assert_close(x, torch.ones(2), check_device=False))
torch.testing.assert_close([1.0, {"a": True}], [1.0, {"a": 1}])

# dtypes
print(
    torch.float32,
    torch.double,
    torch.bool,
    torch.int64,
    torch.bfloat16,
    torch.complex64,
    torch.half,
)
print([torch.uint8], repr(torch.long), f"{torch.float16}")

# layouts, formats and devices
print(torch.strided, torch.contiguous_format, torch.channels_last, torch.preserve_format)
print(
    torch.device("cpu"), repr(torch.device("cpu")), torch.device("cuda", 1), torch.device("cuda:0")
)
print(torch.ones(1).device, torch.ones(1).layout)

# sizes
print(
    torch.Size([2, 3]),
    torch.Size([]),
    torch.ones(2, 3).shape,
    torch.ones(2).size(),
    repr(torch.ones(1).shape),
)
print(f"{torch.ones(2, 3).shape}", str(torch.ones(4).shape), tuple(torch.ones(2, 3).shape))

# slices and sums of sizes
s = torch.Size([2, 3, 4])
print(s[1:], s[0], s + (5,), s * 2, s.numel(), s == (2, 3, 4), list(s), s[::2])

# limits of floating dtypes
for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64):
    print(torch.finfo(dtype))
print(torch.finfo())

# limits of integers
for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64):
    print(torch.iinfo(dtype))

# a limit that is none
print(torch.iinfo(torch.float32))

# another limit that is none
print(torch.finfo(torch.int8))

# fields of limits
f = torch.finfo(torch.float32)
print(f.max, f.min, f.eps, f.tiny, f.smallest_normal, f.resolution, f.bits, f.dtype)
i = torch.iinfo(torch.int16)
print(i.max, i.min, i.bits, i.dtype)

# types
print(
    type(torch.ones(1)),
    torch.ones(1).type(),
    torch.ones(1).double().type(),
    torch.tensor([True]).type(),
)
print(
    type(nn.Parameter(torch.ones(1))),
    type(torch.float32),
    type(torch.Size([1])),
    type(torch.device("cpu")),
)
print(torch.Tensor, nn.Linear, nn.Parameter, torch.optim.SGD, torch.autograd.Function)

# parameters
p = nn.Parameter(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
print(p)
print(nn.Parameter(torch.tensor(1.0)), nn.Parameter(torch.ones(2), requires_grad=False))

# lists, tuples and dicts of tensors
x = torch.tensor([1.0, 2.5])
print([x, x], (x,), {"a": x, 1: [x]})
print(list(torch.eye(2)), dict(a=x.sum()))

# named results
x = torch.tensor([[1.0, 5.0], [7.0, 2.0]])
print(x.max(1))
print(x.min(0), x.sort(1), x.topk(1), x.median(0), x.mode(1))
print(torch.aminmax(x), torch.cummax(x, 0))

# graph nodes and hooks
x = torch.ones(2, requires_grad=True)
print(x.sum(), x.mean(), x[0], x.exp(), x.view(2, 1), x @ x, x.clone(), x > 0)

# modules without parts
print(
    nn.ReLU(),
    nn.ReLU(inplace=True),
    nn.Tanh(),
    nn.Sigmoid(),
    nn.Identity(),
    nn.Flatten(),
    nn.Dropout(0.2),
)
print(
    nn.GELU(),
    nn.GELU("tanh"),
    nn.SiLU(),
    nn.Softmax(dim=1),
    nn.LogSoftmax(-1),
    nn.ELU(),
    nn.LeakyReLU(0.2),
)
print(nn.Softmax(), nn.Hardtanh(), nn.Softplus(), nn.PReLU(), nn.Unflatten(1, (2, 3)))

# linear layers
print(nn.Linear(3, 2), nn.Linear(3, 2, bias=False), nn.Bilinear(2, 3, 4))

# convolutions
print(
    nn.Conv1d(1, 2, 3), nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(3, 8, (3, 5), stride=2, bias=False)
)
print(
    nn.Conv2d(4, 4, 3, groups=4, dilation=2),
    nn.Conv2d(1, 1, 3, padding="same", padding_mode="reflect"),
)

# transposed convolutions
print(nn.ConvTranspose2d(4, 2, 2, stride=2, output_padding=1), nn.ConvTranspose1d(1, 1, 3))

# pooling
print(
    nn.MaxPool2d(2), nn.MaxPool2d(3, stride=2, padding=1), nn.AvgPool2d(2), nn.AdaptiveAvgPool2d(1)
)
print(nn.MaxPool1d(2), nn.AvgPool1d(2), nn.AdaptiveAvgPool2d((1, None)))

# normalisation
print(
    nn.BatchNorm1d(3),
    nn.BatchNorm2d(4, momentum=None),
    nn.BatchNorm2d(4, affine=False),
    nn.LayerNorm(5),
)
print(nn.LayerNorm((2, 3), elementwise_affine=False), nn.GroupNorm(2, 4), nn.InstanceNorm2d(3))

# embeddings and losses
print(nn.Embedding(10, 3), nn.Embedding(10, 3, padding_idx=0), nn.Embedding(5, 2, max_norm=1.0))
print(
    nn.MSELoss(),
    nn.CrossEntropyLoss(),
    nn.BCEWithLogitsLoss(),
    nn.NLLLoss(),
    nn.L1Loss(),
    nn.SmoothL1Loss(),
)

# padding and sampling layers
print(
    nn.ZeroPad2d(1), nn.ReflectionPad2d((1, 2, 3, 4)), nn.ConstantPad1d(2, 3.5), nn.PixelShuffle(2)
)

# upsampling
print(nn.Upsample(scale_factor=2), nn.Upsample(size=(4, 4), mode="bilinear"))

# recurrent layers
print(
    nn.RNN(2, 3),
    nn.LSTM(2, 3, num_layers=2, batch_first=True),
    nn.GRU(2, 3, bidirectional=True),
    nn.LSTMCell(2, 3),
)

# packed sequences
print(nn.utils.rnn.pack_sequence([torch.ones(2), torch.zeros(3)], enforce_sorted=False))
print(nn.utils.rnn.PackedSequence(torch.ones(3, 2), torch.tensor([2, 1])))

# attention
print(nn.MultiheadAttention(4, 2))

# a transformer
print(nn.TransformerEncoderLayer(4, 2, 8))

# containers
print(nn.Sequential(), nn.ModuleList(), nn.ModuleDict(), nn.Sequential(nn.ReLU()))
print(nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Sequential(nn.Linear(3, 1), nn.Dropout())))

# lists of modules that are alike
print(nn.ModuleList([nn.Linear(2, 2) for _ in range(3)]))
print(nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 2)]))

# dictionaries of modules
print(nn.ModuleDict({"a": nn.Linear(1, 2), "b": nn.ModuleList([nn.ReLU()])}))

# lists and dictionaries of parameters
print(nn.ParameterList([nn.Parameter(torch.ones(2, 3)), nn.Parameter(torch.ones(1))]))
print(nn.ParameterDict({"a": nn.Parameter(torch.ones(2))}))


# a class of one's own
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(2, 4), nn.ReLU())
        self.head = nn.Linear(4, 1)
        self.scale = nn.Parameter(torch.ones(1))


print(Net())
print([Net().head])


# extra_repr
class Scale(nn.Module):
    def __init__(self, by):
        super().__init__()
        self.by = by

    def extra_repr(self):
        return f"by={self.by}"


print(Scale(2), nn.Sequential(Scale(3)))


# extra_repr of several lines, with children
class Both(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.ReLU()

    def extra_repr(self):
        return "one\ntwo"


print(Both())
print(nn.Sequential(Both()))

# names of children
m = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.ReLU()))
print([name for name, _ in m.named_modules()], [name for name, _ in m.named_parameters()])

# a state
print(nn.Linear(2, 1, dtype=torch.float64).state_dict().keys())
m = nn.BatchNorm1d(2)
print(m.state_dict())

# keys that match
m = nn.Linear(1, 1)
print(m.load_state_dict(m.state_dict()), m.load_state_dict({}, strict=False))

# SGD
print(torch.optim.SGD(nn.Linear(1, 1).parameters(), lr=0.1))
print(torch.optim.SGD(nn.Linear(1, 1).parameters(), lr=0.1, momentum=0.9, nesterov=True))

# Adam and AdamW
print(torch.optim.Adam(nn.Linear(1, 1).parameters()))
print(torch.optim.AdamW(nn.Linear(1, 1).parameters(), lr=1e-4, weight_decay=0.1, amsgrad=True))

# groups of an optimizer
a, b = nn.Linear(1, 1), nn.Linear(1, 1)
print(torch.optim.SGD([{"params": a.parameters()}, {"params": b.parameters(), "lr": 1}], lr=0.1))

# a state of an optimizer
p = nn.Parameter(torch.tensor([1.0, 2.0]))
opt = torch.optim.SGD([p], lr=0.5, momentum=0.9)
p.sum().backward()
opt.step()
print(opt.state_dict())

# a state of adam
p = nn.Parameter(torch.tensor([1.0, 2.0]))
opt = torch.optim.Adam([p], lr=0.5)
p.sum().backward()
opt.step()
print(opt.state_dict(), opt.state)

# other optimizers
ps = list(nn.Linear(1, 1).parameters())
print(torch.optim.RMSprop(ps), torch.optim.Adagrad(ps))

# a scheduler's rates
opt = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1)
s = torch.optim.lr_scheduler.StepLR(opt, 2)
print(s.get_last_lr(), s.state_dict())

# a generator
print(str(torch.Generator()), repr(torch.default_generator))

# versions
print(torch.__version__.split("+")[0], isinstance(torch.__version__, str))

# storages
x = torch.tensor([1.0, 2.0])
print(x.untyped_storage().nbytes(), x.untyped_storage())

# a typed storage
print(torch.tensor([1.0, 2.0]).storage())

# functions
print(torch.nn.functional.relu.__name__, torch.no_grad, torch.enable_grad().__class__)

# modes
print(torch.is_grad_enabled(), torch.get_default_dtype(), torch.is_tensor(torch.ones(1)))

# devices that are compared and hashed
a, b = torch.device("cpu"), torch.device("cpu", 0)
print(a == b, a.type, b.index, {a: 1}[torch.device("cpu")])

# a device that is none
print(torch.device("abc"))

# data sets
from torch.utils.data import TensorDataset

d = TensorDataset(torch.arange(2), torch.eye(2))
print(d[1], len(d))

# dot formats of numbers
x = torch.tensor(3.14159)
print(f"{x:.2f} {x:8.3f} {x.item():.4f} {x:e}")

# formats of integers and booleans
print(f"{torch.tensor(7):03d} {torch.tensor(7):x} {torch.tensor(True)} {torch.tensor(12):,}")

# a format of many
print(f"{torch.ones(2)} {torch.ones(2)!r:>20}")

# a format of many that is none
print(f"{torch.ones(2):.2f}")

# percent formats
print("%d %.3f %s" % (torch.tensor(3), torch.tensor(2.5), torch.tensor([1])))

# rounding and converting
x = torch.tensor(2.71828)
print(round(x.item(), 2), int(x), float(x), bool(x), complex(x))
print(round(x, 1), x.round(decimals=2))

# print options that do not exist
torch.set_printoptions(digits=3)

# print options are asked for
from torch._tensor_str import get_printoptions

print(get_printoptions())

# a context of print options
from torch._tensor_str import printoptions

x = torch.tensor([1.23456789])
with printoptions(precision=2):
    print(x)
print(x)

# a string by contents
print(torch.tensor([1.0]).__repr__(tensor_contents="abc"))

# the default dtype hides itself
torch.set_default_dtype(torch.float64)
print(torch.tensor([1.0]), torch.tensor([1.0], dtype=torch.float32))
torch.set_default_dtype(torch.float32)

# empty tensors
print(
    torch.empty(0),
    torch.empty(2, 0),
    torch.empty(0, 3, dtype=torch.int64),
    torch.empty(0, dtype=torch.bool),
)

# tensors under no_grad
x = torch.ones(2, requires_grad=True)
with torch.no_grad():
    print(x, x * 2, x[0])

# gradients
x = torch.tensor([1.0, 2.0], requires_grad=True)
print(x.grad)
(x**2).sum().backward()
print(x.grad, x.grad_fn)

# uninitialised is not random: shape only
print(torch.empty(2, 3).shape, torch.empty_like(torch.ones(2)).dtype)

# sparse tensors
print(torch.eye(2).to_sparse())

# quantised shapes
x = torch.zeros(2, 3, 4, 5)
print(x.stride(), x.numel(), x.dim(), x.ndim, x.element_size(), x.nbytes, x.storage_offset())

# an exception
try:
    torch.ones(2) @ torch.ones(3)
except RuntimeError as error:
    print(type(error), error)

# the traceback's last line
import traceback

try:
    torch.ones(2, 3) + torch.ones(2)
except RuntimeError:
    print(traceback.format_exc().splitlines()[-1])

# operators that a mode sees, forward and backward
from torch.utils._python_dispatch import TorchDispatchMode

ENGINE = (  # torch's engine calls these between nodes, or for outputs that nodes keep
    "detach",
    "ones_like",
    "sum.dim_IntList",
    "aten.add.Tensor",
    "view.default",
)
seen = []


def shown(x):
    if isinstance(x, torch.Tensor):
        return str(list(x.shape))
    return str(list(map(shown, x))) if isinstance(x, (list, tuple)) else repr(x)


class Log(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        named = [f"{name}={shown(value)}" for name, value in (kwargs or {}).items()]
        seen.append(f"{func}({', '.join([*map(shown, args), *named])}) {types}")
        return func(*args, **(kwargs or {}))


def calls(name, build):
    seen.clear()
    with Log():
        loss = build()
    print(name, *[each for each in seen if "detach" not in each], sep="\n  ")
    seen.clear()
    with Log():
        loss.backward()
    print("backward", *[e for e in seen if not any(n in e for n in ENGINE)], sep="\n  ")


x, y = torch.ones(5, 3), torch.ones(5, 3, requires_grad=True)
mlp = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
calls("mlp", lambda: mlp(x).sum())
image, cnn = torch.ones(2, 1, 4, 4), nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.MaxPool2d(2))
calls("cnn", lambda: cnn(image).sum())
norm, table, i = nn.LayerNorm(3), nn.Embedding(4, 3), torch.tensor([1, 2])
calls("layer norm", lambda: norm(y).sum())
calls("embedding", lambda: table(i).sum())
calls("arithmetic", lambda: ((y + 1) * 2 - y / 3).exp().pow(2).mean())
calls("softmax", lambda: F.softmax(y, -1)[0, 1].clone())
calls("matrices", lambda: (y @ x.t()).sum())
calls("gelu", lambda: F.gelu(y).mean())
calls("cross entropy", lambda: F.cross_entropy(y, torch.arange(3).new_ones(5)))
del seen

# modes above one another, and none
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils._python_dispatch import _get_current_dispatch_mode, _pop_mode_temporarily
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack, BaseTorchDispatchMode

seen = []


class Log(TorchDispatchMode):
    def __init__(self, name):
        super().__init__()
        self.name = name

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        seen.append((self.name, str(func), len(_get_current_dispatch_mode_stack())))
        return func(*args, **(kwargs or {}))


x = torch.ones(2)
with Log("outer"), Log("inner") as inner:
    x.exp()
    print(_get_current_dispatch_mode() is inner)
    with BaseTorchDispatchMode():
        x.sin()
    with _pop_mode_temporarily():
        x.cos()
    with _disable_current_modes():
        x.tan()
print(seen, _get_current_dispatch_mode())

# a mode that replaces operators
from torch.utils._python_dispatch import TorchDispatchMode


class Swap(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func is torch.ops.aten.mul.Tensor:
            return torch.ops.aten.add.Tensor(*args)
        if func.overloadpacket is torch.ops.aten.relu:
            return func(*args) + 1
        return func(*args, **(kwargs or {}))


x = torch.tensor([1.0, 2.0, -3.0], requires_grad=True)
with Swap():
    a = x.detach() * 3
    b = torch.relu(x)
b.sum().backward()

# a mode without a __torch_dispatch__
from torch.utils._python_dispatch import TorchDispatchMode

with TorchDispatchMode():
    torch.ones(2).exp()

# torch.profiler.record_function: modes see that a block begins and ends
import torch
from torch.overrides import TorchFunctionMode
from torch.profiler import record_function
from torch.utils._python_dispatch import TorchDispatchMode


class Dispatch(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        print("dispatch", func, types, [type(each).__name__ for each in args], kwargs)
        return func(*args, **(kwargs or {}))


class Function(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        print("function", func.__name__)
        return func(*args, **(kwargs or {}))


with Dispatch():
    with record_function("a block"):
        x = torch.ones(1) + 1
    with record_function("another", "its arguments"):
        pass
    record_function("a function")(lambda: 1)()
with Function(), record_function("a block"):
    y = torch.ones(1)
handle = torch.ops.profiler._record_function_enter_new("by hand", None)
print(type(handle), handle, torch.ops.profiler._record_function_exit._RecordFunction(handle))
del handle
# torch.optim.Optimizer.step: steps, batches and replicas in profiles and before modes
from torch.profiler import ProfilerActivity, profile
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.data import DataLoader


class Noting(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        print(func, [each for each in args if isinstance(each, (str, float))])
        return func(*args, **(kwargs or {}))


layer = nn.Linear(3, 2)
optimizers = [torch.optim.SGD(layer.parameters(), 0.1), torch.optim.Adam(layer.parameters())]
loader = DataLoader([torch.ones(3)] * 4, batch_size=2)
with profile(activities=[ProfilerActivity.CPU]) as recorded:
    for batch in loader:
        nn.DataParallel(layer)(batch).sum().backward()
        for each in optimizers:
            each.step()
            each.zero_grad()
print(sorted((e.key, e.count) for e in recorded.key_averages() if "#" in e.key or "Data" in e.key))
weight = torch.ones(2, 2, requires_grad=True)
given = [torch.optim.SGD([weight], 0.1, momentum=0.9, weight_decay=0.1, maximize=True)]
given += [torch.optim.Adam([weight], amsgrad=True, weight_decay=0.1, maximize=True)]
given += [torch.optim.AdamW([weight]), torch.optim.Adagrad([weight], 0.1, lr_decay=0.1)]
for each in given:
    for _ in range(2):
        weight.grad = torch.full((2, 2), 0.5)
        with Noting():
            each.step()
with Noting():
    given[0].zero_grad()
    next(iter(loader))
del recorded, loader, optimizers, given

# torch.isclose: a mode sees the operators that compare bools, integers and floats
from torch.utils._python_dispatch import TorchDispatchMode


class Seeing(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        print(func, [getattr(each, "dtype", each) for each in args], kwargs)
        return func(*args, **(kwargs or {}))


for x in (torch.tensor([True, False]), torch.tensor([1, 2]), torch.ones(2)):
    for options in ({}, {"rtol": 0, "atol": 0}, {"equal_nan": True}):
        with Seeing():
            found = torch.isclose(x, x, **options)
        print(found)
del x, found, Seeing

# torch.reshape: a view of strides that fit is a node of view under modes
from torch.utils._python_dispatch import TorchDispatchMode


class Passing(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


x = torch.ones(2, 3, 4, requires_grad=True).transpose(1, 2)
outside = x.reshape(2, 4, 1, 3)
with Passing():
    inside = x.reshape(2, 4, 1, 3)
    attended = nn.functional.scaled_dot_product_attention(x, x, x)
print(outside.grad_fn.name(), inside.grad_fn.name())

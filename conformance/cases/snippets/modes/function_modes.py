# calls that a mode sees
from torch.overrides import TorchFunctionMode, resolve_name

seen = []


class Log(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs="none"):
        options = kwargs if kwargs == "none" else {k: type(v).__name__ for k, v in kwargs.items()}
        seen.append((resolve_name(func), types, len(args), options))
        return func(*args, **({} if kwargs == "none" else kwargs))


x = torch.ones(2, 3, requires_grad=True)
y = torch.ones(3)
with Log():
    x + 1, 1 + x, x.add(y), torch.add(x, other=y), x @ y, -y, 2**y, y // 2, y % 2, x == None
    x.shape, x.grad, x.data, x.T, x.is_leaf, x.requires_grad, x.dtype, x.device, x.ndim, x.H
    x.size(), x.dim(), len(x), x.numel(), bool(y[0]), y[0].item(), y.tolist(), y.numpy()
    repr(y), format(y), list(y), iter(y), hash(y), y.new_tensor([1]), y.new_ones(2)
    x.sum().backward()
    F.relu(x), F.linear(x, x), F.softmax(x, -1), F.dropout(x), F.gelu(x), F.layer_norm(x, (3,))
    F.conv2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2))
    nn.Linear(3, 2)(x)
    torch.tensor([1.0]), torch.as_tensor([1.0]), torch.asarray([1.0]), torch.empty(2), torch.rand(2)
    torch.stack([y, y]), torch.max(x, 0), torch.einsum("ij->i", x), torch.split(x, 1), torch.norm(x)
    torch.meshgrid(y, y, indexing="ij"), torch.broadcast_tensors(x, y), torch.unique(y)
    (
        torch.linalg.norm(x),
        torch.fft.fft(x),
        torch.ops.aten.add.Tensor(x, x),
        torch.ops.aten.add(x, x),
    )
    y.mul_(2), y.__iadd__(1), y.clone().unsqueeze_(0), torch.where(y > 0, y, 0)
    x.grad = None
    y.requires_grad = False
for each in seen:
    print(each)

# a stack of modes, and modes that decline
from torch.overrides import BaseTorchFunctionMode, TorchFunctionMode
import torch.overrides as O

seen = []


class Log(TorchFunctionMode):
    def __init__(self, name, again=False):
        self.name, self.again = name, again

    def __torch_function__(self, func, types, args=(), kwargs=None):
        seen.append((self.name, func.__name__, torch._C._len_torch_function_stack()))
        return func(*args, **(kwargs or {}))


class Declining(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return NotImplemented


x = torch.ones(2)
with Log("outer"), Log("inner") as inner:
    x + 1
    print(O._get_current_function_mode() is inner, len(O._get_current_function_mode_stack()))
    with BaseTorchFunctionMode():
        F.relu(x)
    with torch._C.DisableTorchFunctionSubclass():
        x.mul(2)
        print(torch._C._is_torch_function_mode_enabled(), torch._C._is_torch_function_enabled())
    with torch._C.DisableTorchFunction():
        x.sub(2)
        print(torch._C._is_torch_function_mode_enabled(), torch._C._is_torch_function_enabled())
        print(torch._C._len_torch_function_stack())
        with O._enable_torch_function():
            x.div(2)
    with O._pop_mode_temporarily():
        x.exp()
print(seen, torch._C._len_torch_function_stack())
for call in (lambda: torch.add(x, 1), lambda: torch.ones(2), lambda: F.dropout(x), lambda: x + 1):
    try:
        with Declining():
            call()
    except TypeError as error:
        print(error)
for call in (torch._C._pop_torch_function_stack, lambda: torch._C._get_function_stack_at(0)):
    try:
        call()
    except RuntimeError as error:
        print(error)
try:
    with TorchFunctionMode():
        torch.add(x, 1)
except NotImplementedError as error:
    print(repr(error))
print(torch._C._len_torch_function_stack())

# a mode and a subclass
from torch.overrides import TorchFunctionMode

seen = []


class Log(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        seen.append(("mode", func.__name__, [t.__name__ for t in types]))
        return func(*args, **(kwargs or {}))


class Sub(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        seen.append(("class", func.__name__, [t.__name__ for t in types]))
        return super().__torch_function__(func, types, args, kwargs or {})


s = torch.ones(2).as_subclass(Sub)
with Log():
    s + 1, torch.add(s, s), s.shape, F.relu(s), s.sum().item(), torch.stack([s, torch.ones(2)])
del s
print(seen)

# a mode that replaces results, and functions of one's own
from torch.overrides import TorchFunctionMode, handle_torch_function, has_torch_function
from torch.overrides import wrap_torch_function


class Zeros(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is torch.ones:
            return torch.zeros(*args, **(kwargs or {}))
        if func in (mine, decorated):
            return "replaced"
        return func(*args, **(kwargs or {}))


def mine(x):
    if has_torch_function((x,)):
        return handle_torch_function(mine, (x,), x)
    return x + 1


@wrap_torch_function(lambda x: (x,))
def decorated(x):
    return x + 2


with Zeros():
    a, b, c = torch.ones(2), mine(torch.ones(1)), decorated(torch.ones(1))
d = torch.ones(2), mine(torch.ones(1)), decorated(torch.ones(1)), has_torch_function((a,))

# what the functions are
from torch.overrides import get_ignored_functions, get_overridable_functions, is_tensor_like
from torch.overrides import get_testing_overrides, is_tensor_method_or_property, resolve_name
import inspect

T = torch.Tensor
for f in (torch.add, T.add, T.shape.__get__, T.grad.__set__, F.relu, torch.einsum, F.conv2d, len):
    print(resolve_name(f), is_tensor_method_or_property(f), f in get_ignored_functions())
for f in (torch.ones, torch.tensor, T.as_subclass, torch.save, torch.zeros_like):
    print(resolve_name(f), f in get_ignored_functions())
print(torch.add in get_overridable_functions()[torch], T.add in get_overridable_functions()[T])
print(
    F.relu in get_overridable_functions()[F],
    T.shape.__get__ in get_overridable_functions()[T.shape],
)
print(
    get_testing_overrides()[torch.add](1, 2),
    list(inspect.signature(get_testing_overrides()[T.exp]).parameters),
)
print(resolve_name(torch.ops.aten.add.Tensor), is_tensor_like(3), is_tensor_like(torch.ones(1)))
del get_ignored_functions, get_testing_overrides, get_overridable_functions, f, T

# torch.device: a default device is a mode
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack
from torch.utils._device import DeviceContext, set_device


class Seeing(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func.__name__ != "device":
            print(func.__name__, kwargs)
        return func(*args, **(kwargs or {}))


def shown():
    modes = _get_current_function_mode_stack()
    print([getattr(mode, "device", type(mode).__name__) for mode in modes])


shown()
with torch.device("meta") as entered:
    shown()
    with torch.device("cpu"):
        shown()
        print(torch.ones(2).device)
    print(entered, torch.ones(2).device, torch.Tensor(2).device, torch.get_default_device())
    with Seeing():
        torch.ones(2)
        with torch.device("cpu"):
            torch.zeros(3)
            shown()
with Seeing():
    torch.set_default_device("cpu")
    shown()
    torch.ones(1)
shown()
print(torch.overrides.has_torch_function((1,)))
weight = torch.full((3,), 2.0)
print(F.l1_loss(torch.zeros(3), torch.ones(3), weight=weight))
torch.set_default_device(None)
shown()
print(F.l1_loss(torch.zeros(3), torch.ones(3), weight=weight))
with DeviceContext("meta") as entered:
    print(entered, torch.ones(1).device, torch.utils._device.CURRENT_DEVICE)
print(set_device("meta")(lambda: torch.ones(1).device)(), torch.utils._device.CURRENT_DEVICE)
del Seeing, shown, entered

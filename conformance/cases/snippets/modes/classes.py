# Tensor.as_subclass: a class with __torch_dispatch__ sees the operators of its instances
class Seen(torch.Tensor):
    calls = []

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        cls.calls.append((str(func), [kind.__name__ for kind in types]))
        return super().__torch_dispatch__(func, types, args, kwargs or {})


x = torch.rand(4, 4).as_subclass(Seen).requires_grad_()
for function in (
    torch.exp,
    torch.sin,
    lambda t: t * t + 1,
    lambda t: t @ t,
    lambda t: t[0],
    lambda t: t.view(16),
    lambda t: torch.cat([t, t]),
    lambda t: F.layer_norm(t, (4,)),
    lambda t: F.softmax(t, 0),
    lambda t: torch.where(t > 0.5, t, 0.0),
    lambda t: F.linear(t, torch.ones(2, 4)),
    torch.linalg.inv,
    lambda t: F.cross_entropy(t, torch.tensor([0, 1, 2, 3])),
    lambda t: t.clone().mul_(2),
):
    result = function(x)
    result.sum().backward()
print(Seen.calls, type(result).__name__, type(x).__name__, type(x.grad).__name__)


# Tensor._make_subclass: such a class, whose writes are seen as well
class Seen(torch.Tensor):
    calls = []

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        cls.calls.append(str(func))
        return super().__torch_dispatch__(func, types, args, kwargs or {})


x = torch.Tensor._make_subclass(Seen, torch.ones(3))
x.add_(1)
x.zero_()
y = 2 - x
print(Seen.calls, type(y).__name__, x.sum().item())

# Tensor._make_wrapper_subclass: functions made of others, with numbers, draws and elements
from torch.utils._pytree import tree_map


class Wrap(torch.Tensor):
    calls = []

    @staticmethod
    def __new__(cls, held, requires_grad=False):
        return torch.Tensor._make_wrapper_subclass(
            cls, held.size(), strides=held.stride(), dtype=held.dtype, requires_grad=requires_grad
        )

    def __init__(self, held, requires_grad=False):
        self.held = held

    def __repr__(self, *, tensor_contents=None):
        return f"Wrap({self.held})"

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        held = lambda t: t.held if isinstance(t, Wrap) else t
        cls.calls.append(str(func))
        result = func(*tree_map(held, args), **tree_map(held, kwargs or {}))
        return tree_map(lambda t: Wrap(t) if isinstance(t, torch.Tensor) else t, result)


w = Wrap(torch.rand(4, 4) + torch.eye(4))
for function in (
    lambda t: torch.where(t > 0.5, t, 0.0),
    lambda t: torch.where(t > 0.5, 1.0, t),
    lambda t: F.dropout(t, 0.5),
    lambda t: torch.isclose(t, t),
    lambda t: F.one_hot(t.long()),
    lambda t: bool(t[0, 0]),
    lambda t: int(t[1, 1]),
    lambda t: torch.take_along_dim(t, t.long() * 0, 0),
    torch.linalg.inv,
    lambda t: F.dropout(t, 0.5, training=False),
    lambda t: torch.linalg.cholesky(t @ t.t()),
):
    print(function(w), Wrap.calls)
    Wrap.calls.clear()

# Tensor.exp_: a write into the result of a wrapper subclass keeps its history
from torch.utils._pytree import tree_map


class Wrap(torch.Tensor):
    @staticmethod
    def __new__(cls, held, requires_grad=False):
        return torch.Tensor._make_wrapper_subclass(
            cls, held.size(), dtype=held.dtype, requires_grad=requires_grad
        )

    def __init__(self, held, requires_grad=False):
        self.held = held

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        held = lambda t: t.held if isinstance(t, Wrap) else t
        result = func(*tree_map(held, args), **tree_map(held, kwargs or {}))
        return tree_map(lambda t: Wrap(t) if isinstance(t, torch.Tensor) else t, result)


w = Wrap(torch.tensor([0.0, 1.0]), requires_grad=True)
y = w * 1
z = y.exp_()
z.sum().backward()
print(z is y, z.grad_fn.name(), w.grad.held, y.held)

# Tensor.copy_: writes into a wrapper subclass return it, whatever its class returns; operators of
# torch.library ask the class
from torch.utils._pytree import tree_map


class Wrap(torch.Tensor):
    @staticmethod
    def __new__(cls, held):
        return torch.Tensor._make_wrapper_subclass(cls, held.size(), dtype=held.dtype)

    def __init__(self, held):
        self.held = held

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        print(func)
        held = lambda t: t.held if isinstance(t, Wrap) else t
        return func(*tree_map(held, args), **tree_map(held, kwargs or {}))


library = torch.library.Library("wrapped_classes", "DEF")
library.define("twice(Tensor x) -> Tensor")
library.impl("twice", lambda x: x * 2, "CompositeExplicitAutograd")
library.define("thrice(Tensor x) -> Tensor")
library.impl("thrice", lambda x: x * 3, "CompositeImplicitAutograd")
w = Wrap(torch.ones(2))
for function in (
    lambda: w.copy_(torch.zeros(2)),
    lambda: w.copy_(w),
    lambda: w.fill_(3),
    lambda: w.zero_(),
    lambda: w.resize_(2),
    lambda: w.masked_fill_(torch.tensor([True, False]), 2),
    lambda: w.index_fill_(0, torch.tensor([0]), 4),
    lambda: w.clamp_(0),
    lambda: w.sigmoid_(),
    lambda: torch.relu_(w),
):
    print(function() is w, w.held)
print(torch.ops.wrapped_classes.twice(w), torch.ops.wrapped_classes.thrice(w))

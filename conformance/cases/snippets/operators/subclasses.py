# Tensor.__torch_function__: which functions a subclass is asked for
class Logged(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func.__name__ not in ("__get__", "__repr__"):
            print(func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})


x = torch.rand(3, 3).as_subclass(Logged)
for call in (
    lambda: x @ x,
    lambda: torch.matmul(x, x),
    lambda: F.linear(x, x),
    lambda: F.softmax(x, 0),
    lambda: x.softmax(0),
    lambda: F.cross_entropy(x, torch.tensor([0, 1, 2])),
    lambda: F.mse_loss(x, x),
    lambda: torch.cat([x, x]),
    lambda: torch.hstack([x, x]),
    lambda: torch.einsum("ij,jk", x, x),
    lambda: x**2,
    lambda: x.reshape(9).flatten().squeeze(),
    lambda: x.prod(),
    lambda: x[0],
    lambda: x.addmm_(x, x).fill_(1).zero_(),
    lambda: F.layer_norm(x, (3,)),
    lambda: torch.outer(x[0], x[1]),
    lambda: x.norm(),
    lambda: x.to(torch.float64),
    lambda: x.clamp_(0, 1),
    lambda: x.unique(),
):
    print(type(call()).__name__)
del Logged, call, x


# Tensor.as_subclass: a write through an index of a subclass
class Logged(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func.__name__ not in ("__get__", "__repr__"):
            print(func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})


x = torch.zeros(2, 3).as_subclass(Logged)
x[0] = 1.0
x[1, 2:] += 2
del Logged, x


# Tensor.as_subclass: a subclass that takes a composite operator over
class Own(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func is torch.matmul:
            return "a product"
        return super().__torch_function__(func, types, args, kwargs or {})


x = torch.ones(2, 2).as_subclass(Own)
print(torch.matmul(x, x), type(torch.mm(x, x)).__name__)
del Own, x


# Tensor.as_subclass: a view by alias, and the constructor another one
class Plain(torch.Tensor):
    pass


class Keeping(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        types = tuple(torch.Tensor if each is Keeping else each for each in types)
        return torch.Tensor.__torch_function__(func, types, args, kwargs or {})


x = torch.ones(2, requires_grad=True)
y = x * 2
for kind in (Plain, Keeping):
    for made in (
        y.as_subclass(kind),
        kind(y),
        kind(x),
        x.as_subclass(kind),
        torch.Tensor._make_subclass(kind, y),
        torch.Tensor._make_subclass(kind, y, True),
        kind([1.0, 2.0]),
    ):
        print(type(made), made.requires_grad, made.is_leaf, type(made.grad_fn), made._is_view())
        print(made.data_ptr() == y.data_ptr(), made._version, made._base is None)
        for result in (made + 1, made.detach(), made.data, made.clone(), made[0], made.sum()):
            print(type(result), type(result.grad_fn))
torch.Tensor(y).sum().backward()
print(x.grad, torch.Tensor(x).grad_fn is None, torch.FloatTensor(x).requires_grad, x.new(y).is_leaf)


# torch.save: a subclass is asked for nothing but __reduce_ex__
import io
import sys


class Told(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        calls.append(getattr(func, "__name__", ""))
        return super().__torch_function__(func, types, args, kwargs or {})


Told.__module__, Told.__qualname__ = "builtins", "Told"
sys.modules["builtins"].Told = Told
calls = []
x = torch.ones(2).as_subclass(Told)
calls.clear()
file = io.BytesIO()
torch.save(x, file)
print({*calls} - {"__reduce_ex__"})
file.seek(0)
print(type(torch.load(file, weights_only=False)))
del x, file, calls

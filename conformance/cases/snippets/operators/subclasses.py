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

# Tensor.as_subclass: operators as a class that takes them over sees them
class Logged(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        own = func is getattr(torch.Tensor, func.__name__, None)
        print(func.__name__, own, [type(each).__name__ for each in args], kwargs)
        return super().__torch_function__(func, types, args, kwargs or {})


s, t, i = torch.ones(2).as_subclass(Logged), torch.ones(2), torch.ones(2).int().as_subclass(Logged)
for result in (
    s + 1, 1 + s, s - t, 1 - s, t * s, 2 / s, s / 2, s // 2, 2 // s, s % 2, 2 % s, s**2, 2**s, s @ s,
    -s, +s, abs(s), s > 0, 1 <= s, s == t, s != 1, i & 1, 1 | i, i ^ i, i << 1, 1 >> i, ~i,
):  # fmt: skip
    pass
s += 1
s *= 2
s **= 2
i &= 1
del Logged, s, t, i, result


# Tensor.as_subclass: operands that are none
class Plain(torch.Tensor):
    pass


s = torch.ones(2, 2).as_subclass(Plain)
for operate in (
    lambda: s + "a", lambda: None - s, lambda: s**None, lambda: s @ 2, lambda: s & None,
    lambda: "a" < s, lambda: s % None,
):  # fmt: skip
    try:
        print(operate())
    except TypeError as error:
        print(error)
print(s == "a", s != None)
del Plain, s, operate


# Tensor.__torch_function__: functions and methods as a class that takes them over sees them
class Logged(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        name = func.__name__
        homes = [getattr(home, name, None) is func for home in (torch.Tensor, torch, F)]
        shown = [type(each).__name__ for each in args]
        print(name, homes, shown, kwargs, [t.__name__ for t in types])
        return super().__torch_function__(func, types, args, kwargs or {})


s, p = torch.ones(2, 2).as_subclass(Logged), torch.ones(2, 2)
index = torch.tensor([0, 1]).as_subclass(Logged)
for call in (
    lambda: torch.add(s, 1, alpha=2), lambda: s.add(other=1), lambda: s.sum(0),
    lambda: torch.sum(s, dim=0), lambda: s.mean(), lambda: torch.mean(s, 1, keepdim=True),
    lambda: s.view(4), lambda: s.reshape((4,)), lambda: torch.stack([s, p], dim=1),
    lambda: s.clamp(min=0), lambda: torch.where(s > 0, 1.0, p), lambda: p[index], lambda: s.size(0),
    lambda: s.to(torch.float64), lambda: s.new_zeros(2), lambda: torch.zeros_like(s),
    lambda: s[0, 0].item(), lambda: s.tolist(), lambda: s.requires_grad_(False), lambda: s.dim(),
    lambda: s.numpy(), lambda: s.split(1), lambda: torch.einsum("ij,jk", s, p), lambda: s.norm(),
    lambda: torch.cdist(s, p), lambda: s.unique(), lambda: s.backward, lambda: len(s),
    lambda: torch.numel(s), lambda: torch.is_complex(s), lambda: s.is_floating_point(),
    lambda: torch.add(s, 1, out=torch.zeros(2, 2)), lambda: s.fill_(1.0), lambda: s.det(),
    lambda: torch.result_type(s, 1), lambda: bool(s[0, 0]), lambda: s.expand_as(s),
):  # fmt: skip
    call()
del Logged, s, p, index, call


# nn.LayerNorm: layers and losses as a class that takes them over sees them
class Logged(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        own = func is getattr(F, func.__name__, None)
        shown = [type(each).__name__ for each in args]
        named = {k: type(v).__name__ for k, v in (kwargs or {}).items()}
        print(func.__name__, own, shown, named, kwargs is None, [t.__name__ for t in types])
        return super().__torch_function__(func, types, args, kwargs or {})


x, p = torch.ones(2, 2).as_subclass(Logged), torch.ones(2, 2)
image = torch.ones(1, 1, 4, 4).as_subclass(Logged)
index = torch.tensor([0, 1]).as_subclass(Logged)
for call in (
    lambda: F.relu(x), lambda: F.linear(x, p), lambda: F.softmax(x, 1), lambda: F.mse_loss(x, p),
    lambda: F.cross_entropy(p, index), lambda: F.dropout(x), lambda: F.max_pool2d(image, 2),
    lambda: F.conv2d(image, torch.ones(1, 1, 2, 2)), lambda: F.layer_norm(x, (2,)),
    lambda: F.batch_norm(x, None, None, training=True), lambda: F.gelu(x), lambda: F.sigmoid(x),
    lambda: F.embedding(index, p), lambda: F.pad(x, (1, 1)), lambda: F.interpolate(image, 2),
    lambda: F.normalize(x), lambda: F.one_hot(index), lambda: F.hardswish(x),
    lambda: nn.Linear(2, 2)(x), lambda: nn.Sequential(nn.ReLU(), nn.LayerNorm(2))(x),
    lambda: nn.CrossEntropyLoss()(x, index), lambda: F.avg_pool2d(image, 2), lambda: F.glu(x),
):  # fmt: skip
    call()
del Logged, x, p, image, index, call


# Tensor.__torch_function__: attributes as a class that takes them over sees them
class Logged(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        known = ("shape", "T", "grad", "requires_grad", "data", "dtype", "ndim", "real")
        reads = [name for name in known if func == getattr(torch.Tensor, name).__get__]
        writes = [name for name in known if func == getattr(torch.Tensor, name).__set__]
        print(func.__name__, reads, writes, len(args), kwargs)
        return super().__torch_function__(func, types, args, kwargs or {})


s = torch.ones(2, 2).as_subclass(Logged)
print(s.shape, type(s.T).__name__, s.grad, s.dtype, s.ndim, type(s.real).__name__)
s.requires_grad = True
(s * 2).sum().backward()
print(type(s.grad).__name__, type(s.data).__name__)
s.data = torch.zeros(2, 2)
s.grad = None
del Logged, s


# torch.linalg.norm: a class that declines
class Declining(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return NotImplemented


s = torch.ones(2).as_subclass(Declining)
for call in (
    lambda: torch.mul(s, 1), lambda: s.mul(1), lambda: F.relu(s), lambda: s + 1, lambda: s.size(),
    lambda: F.linear(s, s), lambda: torch.einsum("i,i", s, s), lambda: torch.linalg.norm(s),
    lambda: 1 - s,
):  # fmt: skip
    try:
        call()
    except TypeError as error:
        print(str(error).replace(__name__, "here"))
del Declining, s, call


# Tensor.as_subclass: subclasses that take nothing over
class Silent(torch.Tensor):
    __torch_function__ = torch._C._disabled_torch_function_impl


class Own(nn.Parameter):
    pass


s, p = torch.ones(2).as_subclass(Silent), Own(torch.ones(2))
print(type(s + 1).__name__, type(p + 1).__name__, type(p.sum()).__name__, type(p.data).__name__)
del Silent, Own, s, p


# Tensor.as_subclass: a parameter of a subclass stays one
class Mine(torch.Tensor):
    pass


layer = nn.Linear(2, 2)
layer.weight = nn.Parameter(torch.ones(2, 2).as_subclass(Mine))
print(type(layer.weight).__name__, isinstance(layer.weight, nn.Parameter), layer.weight)
optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
layer(torch.ones(1, 2)).sum().backward()
optimizer.step()
print(layer.weight, type(layer.weight.grad).__name__)
del Mine, layer, optimizer

# torch.copysign: numbers that are none
x = torch.ones(2)
for call in (
    lambda: x**None, lambda: None % x, lambda: None - x, lambda: torch.xlogy(x, None),
    lambda: torch.copysign(x, None),
):  # fmt: skip
    try:
        print(call())
    except TypeError as error:
        print(str(error).split("\n")[0])
del x, call


# Tensor.nonzero: what cannot be mapped, with a subclass about
class Plain(torch.Tensor):
    pass


x = torch.ones(2, 2)
print(torch.func.vmap(lambda x: x.sum() + 1)(x))
try:
    torch.func.vmap(lambda x: x.nonzero())(x)
except RuntimeError as error:
    print(str(error)[:60])
del Plain, x

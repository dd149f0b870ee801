# Tensor._is_view: a dual tensor, and what comes of it
fwd = torch.autograd.forward_ad
x, t = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0])
with fwd.dual_level() as level:
    dual = fwd.make_dual(x, t)
    print(dual, dual._is_view(), dual._base is x)
    y, tangent = fwd.unpack_dual(dual.sin() * dual)
    given = fwd.unpack_dual(dual).tangent is t
    of_primal = fwd.unpack_dual(y)
    print(fwd.unpack_dual(dual))
print(dual)

# torch.ones: what is left of a level that is closed
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    dual = fwd.make_dual(torch.ones(2), torch.ones(2))
    y = dual * 3
after = fwd.unpack_dual(y)
with fwd.dual_level():
    again = fwd.unpack_dual(y)

# Tensor.exp: enter and exit by hand
fwd = torch.autograd.forward_ad
level = fwd.enter_dual_level()
y = fwd.unpack_dual(fwd.make_dual(torch.ones(2), torch.ones(2)).exp())
fwd.exit_dual_level(level=level)

# torch.autograd.forward_ad: levels cannot be nested
fwd = torch.autograd.forward_ad
fwd.enter_dual_level()
try:
    fwd.enter_dual_level()
finally:
    fwd.exit_dual_level()

# torch.autograd.forward_ad.exit_dual_level: a level that is not open cannot be left
torch.autograd.forward_ad.exit_dual_level()

# torch.autograd.forward_ad: nor another than the last
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    try:
        fwd.exit_dual_level(level=1)
    except RuntimeError as error:
        print(error)

# torch.autograd.forward_ad.make_dual: no dual tensor without a level
torch.autograd.forward_ad.make_dual(torch.ones(2), torch.ones(2))

# torch.autograd.forward_ad.unpack_dual: a tensor is its own primal outside of a level
x = torch.ones(2)
y = torch.autograd.forward_ad.unpack_dual(x)
same = y.primal is x

# torch.autograd.forward_ad.dual_level: integers are no primals
with torch.autograd.forward_ad.dual_level():
    torch.autograd.forward_ad.make_dual(torch.tensor([1]), torch.ones(1))

# torch.autograd.forward_ad.dual_level: nor tangents
with torch.autograd.forward_ad.dual_level():
    torch.autograd.forward_ad.make_dual(torch.ones(1), torch.tensor([1]))

# torch.autograd.forward_ad.dual_level: tangents of another shape
with torch.autograd.forward_ad.dual_level():
    torch.autograd.forward_ad.make_dual(torch.ones(2), torch.ones(3))

# torch.ones: a dual tensor has one tangent
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    dual = fwd.make_dual(torch.ones(2), torch.ones(2))
    fwd.make_dual(dual, torch.ones(2))

# torch.ones: a tangent has none
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    dual = fwd.make_dual(torch.ones(2), torch.ones(2))
    fwd.make_dual(torch.ones(2), dual)

# torch.ones: a level that is not there
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    for call in (
        lambda: fwd.make_dual(torch.ones(2), torch.ones(2), level=2),
        lambda: fwd.unpack_dual(torch.ones(2), level=2),
    ):
        try:
            call()
        except RuntimeError as error:
            print(error)

# torch.ones: tangents of another dtype
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    for dtype in (torch.float64, torch.complex64, torch.float16):
        dual = fwd.make_dual(torch.ones(2), torch.ones(2, dtype=dtype))
        print(dual, fwd.unpack_dual(dual * 2).tangent, fwd.unpack_dual(dual + dual).tangent)

# Tensor.storage_offset: a tangent that lies otherwise in memory is copied
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    x, t = torch.randn(2, 3), torch.randn(3, 2).t()
    dual = fwd.make_dual(x, t)
    tangent = fwd.unpack_dual(dual).tangent
    print(tangent is t, tangent.stride())
    part = fwd.unpack_dual(fwd.make_dual(torch.randn(4, 6)[1:3, ::2], torch.ones(2, 3))).tangent
    print(part.stride(), part.storage_offset())

# dual_level as a decorator
fwd = torch.autograd.forward_ad


@fwd.dual_level()
def derivative(f, x, t):
    return fwd.unpack_dual(f(fwd.make_dual(x, t)))


y = derivative(torch.tanh, torch.tensor(0.5), torch.tensor(2.0))
z = derivative(lambda x: (x**3).sum(), torch.tensor([1.0, 2.0]), torch.tensor([1.0, 0.0]))

# torch.tensor: one of two factors is dual
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    dual, plain = (
        fwd.make_dual(torch.tensor([1.0, 2.0]), torch.ones(2)),
        torch.tensor([3.0, torch.inf]),
    )
    found = [
        fwd.unpack_dual(y).tangent
        for y in (
            dual * plain,
            plain * dual,
            dual / plain,
            dual + plain,
            dual - plain,
            plain - dual,
            dual * 2,
            2 * dual,
            dual / 4,
            1 / dual,
            dual**2,
            2**dual,
            dual @ plain,
        )
    ]

# Tensor.isnan: nothing flows through comparisons, indices and integers
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    dual = fwd.make_dual(torch.tensor([1.5, 0.5]), torch.ones(2))
    made = [
        dual > 1,
        dual.argmax(),
        dual.long(),
        dual.isnan(),
        dual.sign(),
        dual.floor(),
        dual.round(),
    ]
    found = [fwd.unpack_dual(each).tangent for each in made]

# Tensor.numpy: detach, data and numpy know nothing of tangents
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    dual = fwd.make_dual(torch.tensor([1.5, 0.5]), torch.ones(2))
    print(dual.detach(), dual.data, dual.numpy(), dual.tolist(), dual.clone())
    copied = fwd.unpack_dual(dual.clone())

# Tensor.to: casts
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    dual = fwd.make_dual(torch.tensor([1.5, 0.5]), torch.ones(2))
    found = [
        fwd.unpack_dual(y)
        for y in (dual.double(), dual.to(torch.complex64), dual.half(), dual.float())
    ]

# Tensor.narrow: views of a dual tensor
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    dual = fwd.make_dual(torch.arange(6.0).reshape(2, 3), torch.arange(6.0).reshape(2, 3) * 10)
    views = [
        dual[0],
        dual.t(),
        dual.view(6),
        dual.unsqueeze(0),
        dual.expand(2, 2, 3),
        dual.flatten(),
        dual.select(1, 2),
        dual[:, ::2],
        dual.diagonal(),
        dual.narrow(1, 1, 2),
        dual.squeeze(),
    ]
    tangents = [fwd.unpack_dual(view).tangent for view in views]
    parts = [
        fwd.unpack_dual(part).tangent for part in dual.unbind(1) + dual.split(1) + dual.chunk(3, 1)
    ]
    shared = [each._base is fwd.unpack_dual(dual).tangent for each in tangents[:4]]

# Tensor.sin_: a dual tensor is written
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    dual = fwd.make_dual(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0]))
    before = fwd.unpack_dual(dual).tangent
    for write in (
        lambda x: x.mul_(2),
        lambda x: x.sin_(),
        lambda x: x.add_(1),
        lambda x: x.pow_(2),
        lambda x: x.exp_(),
        lambda x: x.div_(3),
        lambda x: x.clamp_(max=2.0),
        lambda x: x.zero_(),
    ):
        write(dual)
        print(dual, fwd.unpack_dual(dual).tangent is before)

# Tensor.fill_: a dual tensor is filled
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    dual = fwd.make_dual(torch.ones(3), torch.ones(3))
    print(dual.clone().fill_(2), dual.clone().fill_(dual[0]), dual.clone().copy_(torch.zeros(3)))
    print(
        torch.zeros(3).copy_(dual),
        torch.zeros(2, 3).copy_(dual),
        torch.zeros(3).add_(dual, alpha=2),
    )
    print(dual.clone().uniform_(0, 0), dual.clone().bernoulli_(0.0), dual.clone().normal_(0, 0))

# Tensor.copy_: a part of a plain tensor becomes dual, and so the whole does
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    whole = torch.zeros(2, 3)
    row, other = whole[0], whole[:, 1]
    row.copy_(fwd.make_dual(torch.ones(3), torch.tensor([1.0, 2.0, 3.0])))
    print(whole, row, other, whole[1])
    whole.mul_(2)
    print(whole, row, other)

# Tensor.add_: a view finds the tangent that its base got later
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    whole = torch.zeros(2, 2)
    column = whole[:, 0]
    whole.add_(fwd.make_dual(torch.ones(2, 2), torch.eye(2)))
    print(whole, column)
    column.mul_(3)
    print(whole, column)

# torch.tensor: elements are assigned
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    x = torch.zeros(4)
    x[1] = fwd.make_dual(torch.tensor(2.0), torch.tensor(5.0))
    x[2:] = fwd.make_dual(torch.ones(2), torch.ones(2))
    print(x)
    x[torch.tensor([0, 1])] = fwd.make_dual(torch.ones(2), torch.tensor([7.0, 8.0]))
    print(x)
    x[1:3] = 0
    print(x)

# Tensor.squeeze_: views taken in place
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    dual = fwd.make_dual(torch.ones(2, 1, 3), torch.arange(6.0).reshape(2, 1, 3)) * 1
    dual.squeeze_(1).t_()
    print(dual)
    dual.unsqueeze_(0).transpose_(1, 2)
    print(dual)

# torch.add: out= is not for dual tensors
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    dual = fwd.make_dual(torch.ones(2), torch.ones(2))
    torch.add(dual, dual, out=torch.empty(2))

# Tensor.acosh_: an operator written in place without a derivative
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    dual = fwd.make_dual(torch.ones(2) * 2, torch.ones(2)) * 1
    dual.acosh_()

# torch.ones: tangents are switched off
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    dual = fwd.make_dual(torch.ones(2), torch.ones(2))
    with fwd._set_fwd_grad_enabled(False):
        print(dual, dual * 2, fwd.unpack_dual(dual), fwd._is_fwd_grad_enabled())
    print(dual * 2, fwd._is_fwd_grad_enabled())

# no_grad is not for tangents, inference mode is
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    dual = fwd.make_dual(torch.ones(2), torch.ones(2))
    with torch.no_grad():
        print(dual * 2)
    with torch.inference_mode():
        print(dual * 2, fwd.unpack_dual(dual).tangent)

# Tensor.sin: a tangent has a history
fwd = torch.autograd.forward_ad
x, t = torch.tensor([0.5, 1.0], requires_grad=True), torch.tensor([1.0, 2.0], requires_grad=True)
with fwd.dual_level():
    y, tangent = fwd.unpack_dual(fwd.make_dual(x, t).sin())
    print(y, tangent)
    print(tangent.grad_fn, tangent.grad_fn.next_functions)
found = [g.clone() for g in torch.autograd.grad(tangent.sum(), (x, t))]

# Tensor.relu: the graphs of tangents
fwd = torch.autograd.forward_ad
x, w = torch.ones(2, 2, requires_grad=True), torch.randn(2, 2, requires_grad=True)
with fwd.dual_level():
    dual = fwd.make_dual(x, torch.eye(2))
    found = [
        fwd.unpack_dual(y).tangent
        for y in (
            dual * w,
            dual @ w,
            dual + w,
            dual.exp(),
            dual.sum(),
            dual.mean(0),
            dual.t(),
            dual / w,
            dual.relu(),
            dual.tanh(),
            w - dual,
            torch.where(x > 0, dual, w),
        )
    ]
    print([each.requires_grad for each in found])

# torch.autograd.grad: forward over backward: the product with the Hessian
fwd = torch.autograd.forward_ad
x, v = torch.tensor([1.0, 2.0, 3.0], requires_grad=True), torch.tensor([1.0, 0.0, -1.0])
with fwd.dual_level():
    dual = fwd.make_dual(x, v)
    y = (dual**3).sum() * dual[0]
    (gradient,) = torch.autograd.grad(y, dual)
    print(gradient)
    product = fwd.unpack_dual(gradient).tangent.clone()
    (at_leaf,) = torch.autograd.grad((dual.exp() * dual).sum(), x, create_graph=True)
    other = fwd.unpack_dual(at_leaf).tangent
    del gradient, at_leaf

# torch.relu: forward over backward through what nodes saved
fwd = torch.autograd.forward_ad
x = torch.tensor([0.3, -0.7], requires_grad=True)
with fwd.dual_level():
    dual = fwd.make_dual(x, torch.ones(2))
    found = []
    for f in (
        torch.sigmoid,
        torch.tanh,
        torch.exp,
        torch.sqrt,
        torch.relu,
        torch.abs,
        F.softplus,
        F.gelu,
        lambda x: x.softmax(0),
        lambda x: x.log_softmax(0),
        lambda x: x.norm(),
        lambda x: x.prod(),
        lambda x: x.cumsum(0),
        lambda x: x.var(),
        lambda x: x.logsumexp(0),
        lambda x: x / x.sum(),
    ):
        (g,) = torch.autograd.grad(f(dual).sum(), dual)
        found.append(fwd.unpack_dual(g).tangent.clone())
        del g

# backward to leaves inside a level
fwd = torch.autograd.forward_ad
x = torch.tensor([1.0, 2.0], requires_grad=True)
with fwd.dual_level():
    for _ in range(3):
        (fwd.make_dual(x, torch.ones(2)) ** 3).sum().backward()
        print(x.grad)
after = x.grad

# backward inside of a level, of what has no tangents
fwd = torch.autograd.forward_ad
x = torch.tensor([1.0, 2.0], requires_grad=True)
with fwd.dual_level():
    y = (x.exp() * x).sum()
    y.backward()
    found = fwd.unpack_dual(x.grad).tangent

# Tensor.register_hook: hooks see duals
fwd = torch.autograd.forward_ad
x = torch.tensor([1.0, 2.0], requires_grad=True)
with fwd.dual_level():
    y = fwd.make_dual(x, torch.ones(2)) ** 2
    y.register_hook(lambda grad: print("y", grad))
    x.register_hook(lambda grad: print("x", grad))
    (y * y).sum().backward()

# torch.ones_like: third derivatives: backward over forward over backward
fwd = torch.autograd.forward_ad
x = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
with fwd.dual_level():
    dual = fwd.make_dual(x, torch.ones_like(x))
    (g,) = torch.autograd.grad(dual**4, dual, create_graph=True)
    tangent = fwd.unpack_dual(g).tangent
    third = torch.autograd.grad(tangent, x)[0].clone()

# torch.ones_like: a module with dual parameters
fwd = torch.autograd.forward_ad
layer = nn.Linear(3, 2)
with fwd.dual_level():
    for name, p in list(layer.named_parameters()):
        delattr(layer, name)
        setattr(layer, name, fwd.make_dual(p, torch.ones_like(p)))
    y, tangent = fwd.unpack_dual(layer(torch.randn(4, 3)))
    print(tangent.requires_grad)

# nn.Parameter: a parameter made of a dual tensor is plain
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    p = nn.Parameter(fwd.make_dual(torch.ones(2), torch.ones(2)))
    print(p, fwd.unpack_dual(p).tangent)

# dropout and draws
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    dual = fwd.make_dual(torch.ones(10), torch.arange(10.0))
    found = [
        fwd.unpack_dual(y)
        for y in (F.dropout(dual, 0.5), F.dropout(dual, 0.5, training=False), torch.rand_like(dual))
    ]

# Tensor.tolist: dual tensors are copied without their tangents
import copy
import pickle

fwd = torch.autograd.forward_ad
with fwd.dual_level():
    dual = fwd.make_dual(torch.ones(2), torch.ones(2)) * 1
    print(copy.deepcopy(dual), pickle.loads(pickle.dumps(dual)), torch.tensor(dual.tolist()))

# Tensor.cos: generators and classes under dual_level
fwd = torch.autograd.forward_ad


@fwd.dual_level()
def steps():
    for i in range(2):
        yield fwd.unpack_dual(fwd.make_dual(torch.tensor(float(i)), torch.ones(())).cos())


found = list(steps())

# torch.zeros: zero-dimensional, empty and half tensors
fwd = torch.autograd.forward_ad
with fwd.dual_level():
    found = []
    for x in (
        torch.tensor(2.0),
        torch.zeros(0, 3),
        torch.ones(2, dtype=torch.float16),
        torch.ones(2, dtype=torch.bfloat16),
    ):
        dual = fwd.make_dual(x, torch.ones_like(x))
        found += [fwd.unpack_dual(y) for y in (dual * dual, dual.sum(), dual.exp())]

# torch.autograd.graph.saved_tensors_hooks: packed by saved-tensor hooks
fwd = torch.autograd.forward_ad
x = torch.tensor([0.5, -1.0], requires_grad=True)
with fwd.dual_level():
    with torch.autograd.graph.saved_tensors_hooks(lambda x: x * 2, lambda x: x / 2):
        dual = fwd.make_dual(x, torch.tensor([1.0, 2.0]))
        y = (dual.exp() * dual).sum()
    print(torch.autograd.grad(y, x))

# Tensor.resize_: memory that cannot be given another size
with torch.autograd.forward_ad.dual_level():
    _dual = torch.autograd.forward_ad.make_dual(torch.ones(3), torch.ones(3)) * 1
    for change in (lambda: _dual.resize_(2), lambda: _dual.set_(torch.ones(2))):
        try:
            change()
        except (RuntimeError, NotImplementedError) as error:
            print(error)

# Tensor.as_subclass: a subclass of Tensor
fwd = torch.autograd.forward_ad


class Named(torch.Tensor):
    pass


with fwd.dual_level():
    dual = fwd.make_dual(torch.ones(2).as_subclass(Named), torch.ones(2))
    primal, tangent = fwd.unpack_dual(dual * 2)
    print(type(dual).__name__, type(primal).__name__, type(tangent).__name__)
    del tangent

# torch.autograd.forward_ad.dual_level: draws of dual tensors
with torch.autograd.forward_ad.dual_level():
    dual = torch.autograd.forward_ad.make_dual(torch.full((3,), 0.5), torch.ones(3))
    for draw in (torch.bernoulli, lambda p: torch.multinomial(p, 1), torch.poisson, torch.normal):
        try:
            print(draw(dual).shape)
        except NotImplementedError as error:
            print(error)

# torch.autograd.forward_ad.dual_level: rounding to integers has no tangents to push
with torch.autograd.forward_ad.dual_level():
    torch.autograd.forward_ad.make_dual(torch.full((3,), 2.5), torch.ones(3)) // 2

# torch.autograd.forward_ad.unpack_dual: only tensors are unpacked
with torch.autograd.forward_ad.dual_level():
    torch.autograd.forward_ad.unpack_dual(3.0)

# torch._make_dual, torch._unpack_dual: modes and classes see them; levels that are not open
fwd = torch.autograd.forward_ad


class Seeing(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        print(func.__name__, types, len(args), kwargs)
        return func(*args, **(kwargs or {}))


class Told(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        print(func.__name__, [each.__name__ for each in types], len(args), kwargs)
        return super().__torch_function__(func, types, args, kwargs)


x, v = torch.ones(2), torch.full((2,), 2.0)
with fwd.dual_level():
    with Seeing():
        fwd.unpack_dual(fwd.make_dual(x, v))
    told = fwd.make_dual(x.as_subclass(Told), v)
    print(type(fwd.unpack_dual(told * 2).tangent).__name__)
    print(torch._unpack_dual(torch._make_dual(x, v, 0), level=0))
for call in (
    lambda: torch._make_dual(x, v, 0),
    lambda: torch._make_dual(x, v, 1),
    lambda: torch._make_dual(x, 2, 0),
    lambda: torch._make_dual(x, v),
    lambda: torch._unpack_dual(x, 0),
    lambda: torch._unpack_dual(2, 0),
    lambda: torch._unpack_dual(x, "0"),
):
    try:
        print(call())
    except (RuntimeError, TypeError) as error:
        print(type(error).__name__, error)

# torch.is_inference_mode_enabled: modes as contexts, nested
seen = []
with torch.no_grad():
    seen.append(torch.is_grad_enabled())
    with torch.enable_grad():
        seen.append(torch.is_grad_enabled())
        with torch.set_grad_enabled(False):
            seen.append(torch.is_grad_enabled())
        seen.append(torch.is_grad_enabled())
    with torch.inference_mode():
        seen.append((torch.is_grad_enabled(), torch.is_inference_mode_enabled()))
        with torch.inference_mode(False):
            seen.append((torch.is_grad_enabled(), torch.is_inference_mode_enabled()))
seen.append(torch.is_grad_enabled())


# torch.is_inference_mode_enabled: modes as decorators, with and without parentheses
@torch.no_grad()
def first():
    """Words."""
    return torch.is_grad_enabled()


@torch.no_grad
def second():
    return torch.is_grad_enabled()


@torch.enable_grad()
def third():
    return torch.is_grad_enabled()


@torch.inference_mode
def fourth():
    return torch.is_inference_mode_enabled()


@torch.inference_mode(False)
def fifth():
    return torch.is_inference_mode_enabled()


@torch.set_grad_enabled(False)
def sixth():
    return torch.is_grad_enabled()


with torch.no_grad():
    print(first(), second(), third(), fourth(), fifth(), sixth())
print(first.__name__, first.__doc__, torch.is_grad_enabled())


# torch.is_grad_enabled: a decorated function that raises
@torch.no_grad()
def fail():
    raise KeyError("no")


try:
    fail()
except KeyError:
    print(torch.is_grad_enabled())
fail()


# torch.is_grad_enabled: decorated generators
@torch.no_grad()
def numbers():
    seen.append(torch.is_grad_enabled())
    got = yield 1
    seen.append((got, torch.is_grad_enabled()))
    try:
        yield 2
    except KeyError:
        seen.append(torch.is_grad_enabled())
    yield 3
    return "done"


seen = []
_numbers = numbers()
seen.append(next(_numbers))
seen.append(torch.is_grad_enabled())
seen.append(_numbers.send("sent"))
seen.append(_numbers.throw(KeyError()))
try:
    next(_numbers)
except StopIteration as stop:
    seen.append(stop.value)
_numbers = numbers()
next(_numbers)
_numbers.close()


# torch.is_grad_enabled: a decorated generator that changes the mode itself
@torch.no_grad()
def numbers():
    with torch.enable_grad():
        yield torch.is_grad_enabled()
    yield torch.is_grad_enabled()


print(list(numbers()), torch.is_grad_enabled())

# torch.is_grad_enabled: decorated coroutines and asynchronous generators: the body runs outside
import asyncio


@torch.no_grad()
async def one():
    return torch.is_grad_enabled()


@torch.no_grad()
async def many():
    yield torch.is_grad_enabled()


async def work():
    return [await one(), *[each async for each in many()]]


print(asyncio.run(work()))

# torch.is_grad_enabled: modes within coroutines
import asyncio


async def one(enabled):
    with torch.set_grad_enabled(enabled):
        await asyncio.sleep(0)
        return torch.is_grad_enabled()


async def work():
    return await one(False), await one(True), torch.is_grad_enabled()


print(asyncio.run(work()))


# torch.is_grad_enabled: a decorated class
@torch.no_grad()
class Maker:
    def __init__(self):
        self.made = torch.is_grad_enabled()

    def now(self):
        return torch.is_grad_enabled()


print(type(Maker).__name__, Maker().made, Maker().now())


# torch.is_grad_enabled: a decorated method
class Maker:
    @torch.no_grad()
    def now(self):
        return torch.is_grad_enabled()

    @classmethod
    @torch.no_grad()
    def also(cls):
        return cls.__name__, torch.is_grad_enabled()

    @staticmethod
    @torch.enable_grad()
    def too():
        return torch.is_grad_enabled()


with torch.no_grad():
    print(Maker().now(), Maker.also(), Maker.too())

# set_grad_enabled as a function
x = torch.ones(2, requires_grad=True)
torch.set_grad_enabled(False)
y = x * 2
_switch = torch.set_grad_enabled(True)
z = x * 2
print(y.requires_grad, z.requires_grad, _switch)

# set_grad_enabled with something else
torch.set_grad_enabled(3)

# set_grad_enabled without anything
torch.set_grad_enabled()

# no_grad with a parameter
torch.no_grad(mode=3)

# torch.inference_mode: what a mode remembers
print(vars(torch.no_grad()), vars(torch.enable_grad()), vars(torch.set_grad_enabled(True)))
print([c.__name__ for c in torch.no_grad.__mro__], torch.inference_mode(False).mode)
print(sorted(torch.autograd.grad_mode.__all__))

# torch.no_grad: a context of one's own that decorates
from torch.utils._contextlib import _DecoratorContextManager

calls = []


class Noting(_DecoratorContextManager):
    def __init__(self, name="unnamed"):
        self.name = name

    def __enter__(self):
        calls.append(f"enter {self.name}")

    def __exit__(self, *exception):
        calls.append(f"exit {self.name}")

    def clone(self):
        return Noting(self.name)


@Noting("a")
def work():
    calls.append("work")


work()
work()

# torch.autograd.set_multithreading_enabled: threads for backward
with torch.autograd.set_multithreading_enabled(False):
    x = torch.ones(2, requires_grad=True)
    (x * 2).sum().backward()


@torch.autograd.set_multithreading_enabled(False)
def work():
    (x * 2).sum().backward()


work()
torch.autograd.set_multithreading_enabled(3)

# torch.autograd.enforce_grad_layout_policy: the layout of gradients
layouts = []
p = torch.ones(2, 3, 4).permute(2, 0, 1).requires_grad_()
for enforced in (True, False):
    with torch.autograd.enforce_grad_layout_policy(enforced):
        for work in (
            lambda: (p * torch.ones(4, 2, 3)).sum().backward(),
            lambda: p.backward(torch.ones(4, 2, 3)),
        ):
            p.grad = None
            work()
            layouts.append(p.grad.stride())
        p.grad = torch.ones(4, 2, 3)
        (p * torch.ones(4, 2, 3)).sum().backward()
        layouts.append(p.grad.stride())
p = work = 0


# torch.autograd.enforce_grad_layout_policy: the layout of gradients, as a decorator
@torch.autograd.enforce_grad_layout_policy(False)
def work(p):
    (p * torch.ones(4, 2, 3)).sum().backward()
    return p.grad.stride()


print(work(torch.ones(2, 3, 4).permute(2, 0, 1).requires_grad_()))

# torch.autograd._unsafe_preserve_version_counter: writes that are not counted
x = torch.ones(2, requires_grad=True)
y = x * 1
z = y * y
with torch.autograd._unsafe_preserve_version_counter(y):
    y.data.add_(1)
    y.detach().add_(1)
    print(y._version)
print(y._version)
z.sum().backward()
torch.autograd._unsafe_preserve_version_counter([y])

# variable, as tensors were made once
print(torch.autograd.variable.Variable is torch.autograd.Variable)
torch.autograd.variable(torch.ones(2))

# Tensor._is_view: views made under no_grad, and written
x = torch.ones(4, requires_grad=True)
y = x * 1
with torch.no_grad():
    z = y[:2]
    print(z.requires_grad, z.grad_fn, z._is_view(), z._base is y)
    z.mul_(2)
print(y, y._version)
z.mul_(2)

# Tensor.mul_: views made under no_grad, whose base is written
x = torch.ones(4, requires_grad=True)
y = x * 1
with torch.no_grad():
    z = y[:2]
y.mul_(2)
print(z)

# Tensor.is_inference: views made in inference mode, and written outside
x = torch.ones(4)
with torch.inference_mode():
    z = x[:2]
    print(z.is_inference(), z._is_view())
z.mul_(torch.ones(2, requires_grad=True))

# Tensor._is_view: one of several views, written
x = torch.ones(4, requires_grad=True)
a, b = (x * 1).split(2)
print(a._is_view(), a._base is b._base)
a.mul_(2)

# Tensor.unbind: one of several views, whose base is written
x = torch.ones(4, requires_grad=True)
y = x * 1
a, b = y.unbind()[:2]
y.mul_(2)
print(a)

# Tensor.chunk: one of several views under no_grad, written
x = torch.ones(4, requires_grad=True)
with torch.no_grad():
    a, b = x.chunk(2)
    a.mul_(2)
print(x)
a.mul_(2)

# Tensor.mul_: a view of a leaf, written
x = torch.ones(4, requires_grad=True)
x[:2].mul_(2)

# Tensor._is_view: a view of a view, written
x = torch.ones(4, requires_grad=True)
y = x * 1
z = y[1:].view(3, 1)[1:]
print(z._base is y, z._is_view(), y._is_view())
z.mul_(3)
y.sum().backward()
print(z.grad_fn, y.grad_fn)

# Tensor._is_view: a detached view, written
x = torch.ones(4, requires_grad=True)
y = x * 1
z = y.detach()
print(z._is_view(), z._base)
z.mul_(3)
print(y._version, y)

# Tensor._is_view: a view that requires gradients of its own
x = torch.ones(4)
y = x[:2]
y.requires_grad_()
print(x.requires_grad, y.is_leaf, y._is_view())
y.mul_(2)

# Tensor.mul_: a view of what required no gradient until its base was written
x = torch.ones(4)
y = x[:2]
w = torch.ones(4, requires_grad=True)
x.mul_(w)
print(y.requires_grad, y.grad_fn, y._version)
y.mul_(3)
x.sum().backward()

# Tensor._is_view: views without gradients
x = torch.ones(4)
y = x[1:]
print(y._is_view(), y._base is x, y.is_leaf, (y * 1)._is_view(), y.clone()._is_view())
y.add_(1)
print(x, x._version)

# Tensor.backward: a tensor that is written while it is needed
x = torch.ones(2, requires_grad=True)
y = x * 1
z = y * y
y[0] = 5
z.sum().backward()

# Tensor.add_: a leaf that is written
x = torch.ones(2, requires_grad=True)
x.add_(1)

# torch.no_grad: a leaf that is written under no_grad
x = torch.ones(2, requires_grad=True)
y = x * x
with torch.no_grad():
    x.add_(1)
y.sum().backward()


# torch.autograd._force_original_view_tracking: views that are taken again by the operators that took them
def names(node):
    found = []
    while node is not None:
        found.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    return found


for tracked in (True, False):
    for take in (
        lambda y: y[1:].t(),
        lambda y: y.view(-1)[2:5],
        lambda y: y[0, 1:].expand(2, 2),
        lambda y: y.permute(1, 0).diagonal().unsqueeze(0).squeeze(0),
        lambda y: y.as_strided((2, 2), (1, 2)),
        lambda y: y[:, None, 1:],
    ):
        x = torch.rand(4, 3, requires_grad=True)
        y = x * 1
        with torch.autograd._force_original_view_tracking(tracked):
            z = take(y)
        y.mul_(2)
        print(names(z.grad_fn))
        z.sum().backward()
        print(x.grad)
take = 0


# torch.autograd._force_original_view_tracking: views that are tracked, and written
def names(node):
    found = []
    while node is not None:
        found.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    return found


with torch.autograd._force_original_view_tracking(True):
    x = torch.rand(4, 3, requires_grad=True)
    y = x * 1
    a, b = y[1:], y[0]
    a.mul_(2)
    print(names(a.grad_fn), names(b.grad_fn), names(y.grad_fn))
    b.mul_(3)
    print(names(a.grad_fn), names(b.grad_fn), names(y.grad_fn))
    y.sum().backward()
    w = torch.rand(4)
    v = w[1:]
    w.mul_(torch.ones(4, requires_grad=True))
    print(names(v.grad_fn))


# torch.autograd._force_original_view_tracking: view tracking as a decorator, and with something else than a bool
@torch.autograd._force_original_view_tracking(True)
def work(y):
    return y[1:]


x = torch.rand(4, requires_grad=True)
y = x * 1
z = work(y)
y.mul_(2)
print(z.grad_fn)
torch.autograd._force_original_view_tracking("yes")

# an operator of a function: schema, calls, gradients, kernels
from torch import Tensor
from torch.library import custom_op


@custom_op("snip::foo", mutates_args=())
def foo(x: Tensor, n: int, s: float = 1.0) -> Tensor:
    return x * n


print(foo, foo._opoverload, foo._opoverload._schema, repr(torch.ops.snip.foo.default))
print(repr(torch.ops.snip.foo), torch.ops.snip.foo.overloads(), foo._opoverload.name())
x = torch.ones(2, requires_grad=True)


def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error).split("Cast error")[0])


attempt(lambda: foo(x, 2))
attempt(lambda: torch.ops.snip.foo(x.detach(), 3))
attempt(lambda: foo(x, 2).sum().backward())
attempt(lambda: foo(x))
attempt(lambda: foo(x, "a"))
attempt(lambda: foo(1, 2))


def setup(ctx, inputs, output):
    print("inputs", inputs, output.shape)
    ctx.n = inputs[1]


foo.register_autograd(lambda ctx, g: (g * ctx.n, None, None), setup_context=setup)
attempt(lambda: torch.autograd.grad(foo(x, 2).sum(), x))


@foo.register_kernel("cpu")
def _(x, n, s=1.0):
    return x * n * 100


attempt(lambda: foo(x.detach(), 2))
with foo.set_kernel_enabled("cpu", False):
    attempt(lambda: foo(x.detach(), 2))
foo.register_vmap(lambda info, in_dims, x, n, s=1.0: (x * n, in_dims[0]))
attempt(lambda: torch.vmap(lambda q: foo(q, 2))(torch.ones(3, 2)))
del foo, setup, attempt

# operators that write, and results that are inputs
from torch import Tensor
from torch.library import custom_op


@custom_op("snip::inplace", mutates_args={"x"})
def inplace(x: Tensor) -> None:
    x.add_(1)


@custom_op("snip::alias", mutates_args=())
def alias(x: Tensor) -> Tensor:
    return x


y = torch.zeros(2)
inplace(y)
print(y, y._version, inplace._opoverload._schema)
try:
    alias(y)
except RuntimeError as error:
    print(str(error).partition("): ")[2])
try:
    inplace.register_autograd(lambda ctx, g: g)
except RuntimeError as error:
    print("non-functional" in str(error))
del inplace, alias

# operators of a schema
import torch.library as L

lib = L.Library("snip2", "FRAGMENT")
print(lib.define("bar(Tensor x, int n=2) -> Tensor"))
try:
    torch.ops.snip2.bar(torch.ones(2))
except NotImplementedError as error:
    print(str(error)[:75])
lib.impl("bar", lambda x, n=2: x * n, "CPU")
print(torch.ops.snip2.bar(torch.ones(2)), torch.ops.snip2.bar.default._schema)
L.define("snip3::baz", "(Tensor x) -> Tensor")
L.impl("snip3::baz", "CompositeImplicitAutograd")(lambda x: x.sin())
x = torch.ones(2, requires_grad=True)
print(torch.autograd.grad(torch.ops.snip3.baz(x).sum(), x))
for call in (
    lambda: lib.define("bad"),
    lambda: L.Library("prim", "FRAGMENT"),
    lambda: L.Library("q", "X"),
    lambda: torch.ops.nope.foo,
    lambda: torch.ops.snip2.nope,
):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, error)
lib._destroy()
del lib, call

# schemas of annotations
from typing import List, Optional, Sequence, Tuple, Union
from torch import Tensor
from torch.library import infer_schema


def attempt(f, mutates=()):
    try:
        print(infer_schema(f, mutates_args=mutates, op_name="x::y"))
    except Exception as error:
        print(type(error).__name__, str(error).split("The valid types")[0].split("Got func")[0])


def one(
    x: Tensor,
    y: Optional[int] = None,
    z: Optional[Sequence[int]] = None,
    s: str = "a",
    d: torch.dtype = torch.float32,
    v: Union[int, float, bool] = 1,
    *,
    q: float = 2.0,
) -> Tuple[Tensor, List[Tensor], int]: ...


def two(x, y: int) -> Tensor: ...
def three(x: Tensor, y: int): ...
def four(x: Tensor, y: dict) -> Tensor: ...
def five(x: Tensor, y: List[int] = [1]) -> Tensor: ...
def six(x: Tensor, *more: int) -> Tensor: ...
def seven(x: Tensor, y: List[Tensor]) -> None: ...


attempt(one)
for each in (two, three, four, five, six, seven):
    attempt(each)
attempt(one, {"x"})
attempt(seven, "unknown")
attempt(seven, "other")
attempt(one, {"nope"})
del attempt, each, one, two, three, four, five, six, seven

# tags, autocast, and what a rule makes of calls under a mode
import numpy as np
from torch import Tensor
from torch.library import custom_op
from torch.utils._python_dispatch import TorchDispatchMode


@custom_op("snip::sin_", mutates_args={"x"}, device_types="cpu", tags=torch.Tag.inplace)
def sin_(x: Tensor) -> Tensor:
    np.sin(x.numpy(), out=x.numpy())
    return x


@custom_op("snip::sin_out", mutates_args={"out"}, tags=torch.Tag.out)
def sin_out(x: Tensor, *, out: Tensor) -> Tensor:
    np.sin(x.numpy(), out=out.numpy())
    return out


@custom_op("snip::mysin", mutates_args=())
def mysin(x: Tensor) -> Tensor:
    return torch.sin(x)


x, y = torch.tensor([1.0, 2.0]), torch.empty(2)
print(sin_(x) is x, x, sin_._schema, torch.ops.snip.sin_.default.tags, sin_._tags)
print(sin_out(x, out=y) is y, y, sin_out._schema, sin_out)
torch.library.register_autocast("snip::mysin", "cpu", torch.bfloat16)
with torch.autocast("cpu", dtype=torch.bfloat16):
    print(mysin(x).dtype, mysin(x.double()).dtype, torch.ops.snip.mysin(x).dtype)
print(mysin(x).dtype)


def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


def plain(x: Tensor) -> Tensor:
    return x


def named(x: Tensor, *, o: Tensor) -> int:
    return 1


def empty(*, x: Tensor) -> Tensor:
    return x


infer, inplace, out = torch.library.infer_schema, torch.Tag.inplace, torch.Tag.out
attempt(lambda: infer(plain, mutates_args=(), tags=inplace))
attempt(lambda: infer(plain, mutates_args="unknown", tags=inplace))
attempt(lambda: infer(plain, mutates_args=["x"], tags=[inplace]))
attempt(lambda: infer(plain, mutates_args=["x"], tags=[inplace, out]))
attempt(lambda: infer(plain, mutates_args=["x"], tags=out))
attempt(lambda: infer(plain, mutates_args=(), tags=out))
attempt(lambda: infer(empty, mutates_args=["x"], tags=inplace))
attempt(lambda: infer(empty, mutates_args=["x"], tags=out))
attempt(lambda: infer(named, mutates_args=["o"], tags=out))
attempt(lambda: infer(named, mutates_args=["x"], tags=inplace))
attempt(lambda: sin_out.register_autograd(lambda ctx, g: g))
attempt(lambda: torch.library.register_autocast("snip::mysin", "meta", torch.float16))
attempt(lambda: torch.library.register_autocast("snip::mysin", 3, torch.float16))


class Mode(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        print("mode", func)
        return func(*args, **(kwargs or {}))


@mysin.register_torch_dispatch(Mode)
def rule(mode, func, types, args, kwargs):
    print("rule", func, types, len(args), kwargs)
    return func(*args) + 1


with Mode():
    print(mysin(x) + 1)
    z = mysin(x.requires_grad_())
print(torch.Tag, torch.Tag.out, repr(torch.Tag.out), torch.DispatchKey.CPU)
attempt(lambda: torch.nope)
attempt(lambda: torch.nn.Nope)
del Mode, rule, plain, named, empty, attempt, infer, inplace, out

# operators on lists of tensors, with gradients
import torch


def attempt(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, str(error))


@torch.library.custom_op("lists::scaled", mutates_args=())
def scaled(xs: list[torch.Tensor], w: torch.Tensor, k: float) -> list[torch.Tensor]:
    return [x * w * k for x in xs]


def setup(ctx, inputs, output):
    xs, w, k = inputs
    print("setup", len(xs), type(xs).__name__, type(output).__name__, len(output))
    ctx.save_for_backward(w, *xs)
    ctx.k = k


def backward(ctx, grads):
    print("needs", ctx.needs_input_grad, type(grads).__name__, [g is None for g in grads])
    w, *xs = ctx.saved_tensors
    of_w = sum((g * x * ctx.k).sum() for g, x in zip(grads, xs))
    return [g * w * ctx.k for g in grads], of_w, None


scaled.register_autograd(backward, setup_context=setup)
xs = [torch.ones(2, requires_grad=True), torch.full((3,), 2.0)]
xs.append(torch.full((1,), 3.0, requires_grad=True))
w = torch.tensor(2.0, requires_grad=True)
out = scaled(xs, w, 3.0)
print(type(out).__name__, out)
(out[0].sum() + out[2].sum()).backward()
print([x.grad for x in xs], w.grad)
attempt(lambda: scaled(tuple(xs), w, 2.0))
attempt(lambda: scaled([], w, 2.0))
attempt(lambda: scaled(xs, w.detach(), 1.0))
attempt(lambda: scaled([x.detach() for x in xs], w.detach(), 1.0))


@torch.library.custom_op("lists::pair", mutates_args=())
def pair(x: torch.Tensor) -> tuple[torch.Tensor, list[torch.Tensor]]:
    return x + 1, [x * 2, x * 3]


def of_pair(ctx, grad, grads):
    print(type(grad).__name__, [type(g).__name__ for g in grads])
    return grad + 2 * grads[0] + 3 * grads[1]


torch.library.register_autograd("lists::pair", of_pair)
x, y = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
a, (b, c) = pair(x)
attempt(lambda: torch.autograd.grad((a + b).sum(), x))


@torch.library.custom_op("lists::first", mutates_args=())
def first(xs: list[torch.Tensor]) -> torch.Tensor:
    return xs[0].clone()


attempt(lambda: first([x]).sum().backward())
first.register_autograd(lambda ctx, g: (g,))
attempt(lambda: first([x, y]).sum().backward())
torch.library.register_autograd("lists::first", lambda ctx, g: [g, None])
attempt(lambda: torch.autograd.grad(first([x, y]).sum(), (x, y), allow_unused=True))

# torch.library.Library: kernels without a gradient, whose functions record, and a warning in a backward
library = torch.library.Library("recorded", "DEF")
library.define("tripled(Tensor x) -> Tensor")
library.impl("tripled", lambda x: x * 3, "CPU")
library.define("split(Tensor x) -> (Tensor, Tensor)")
library.impl("split", lambda x: (x * 2, x > 0), "CPU")
library.define("total(Tensor[] xs) -> Tensor")
library.impl("total", lambda xs: torch.stack(xs).sum(), "CompositeExplicitAutograd")
x = torch.ones(2, requires_grad=True)
y, (z, positive) = torch.ops.recorded.tripled(x), torch.ops.recorded.split(x)
w = torch.ops.recorded.total([x, x * 1])
grads = [torch.autograd.grad(each.sum(), x, retain_graph=True)[0] for each in (y, z, w)]
library._destroy()

# torch.library.Library: a kernel of Autograd, which calls that of the device below autograd
library = torch.library.Library("recorded", "DEF")
library.define("halved(Tensor x, float by=2.) -> Tensor")


class Halved(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, by):
        ctx.by = by
        with torch._C._AutoDispatchBelowAutograd():
            return torch.ops.recorded.halved(x, by)

    @staticmethod
    def backward(ctx, grad):
        return grad / ctx.by * 10, None


library.impl("halved", lambda x, by=2.0: x / by, "CPU")
library.impl("halved", lambda x, by=2.0: Halved.apply(x, by), "Autograd")
x = torch.ones(2, requires_grad=True)
y = torch.ops.recorded.halved(x, 4.0)
y.sum().backward()
with torch.no_grad():
    plain = torch.ops.recorded.halved(x)
library._destroy()

# torch.library.Library: overloads of one name, and the words for arguments that fit none
library = torch.library.Library("overloaded", "DEF")
kernels = {
    "f(Tensor x) -> Tensor": lambda x: x + 1,
    "f.two(Tensor x, Tensor y) -> Tensor": lambda x, y: x + y,
    "f.number(Tensor x, int y) -> Tensor": lambda x, y: x * y,
    "f.text(str x) -> Tensor": lambda x: torch.zeros(len(x)),
}
for schema, kernel in kernels.items():
    library.define(schema)
    library.impl(schema.partition("(")[0], kernel, "CompositeExplicitAutograd")
x, f = torch.ones(2), torch.ops.overloaded.f
a = f.overloads(), f(x), f(x, x), f(x, 3), f("abc"), f(x, y=3), f(x, True), f(x, torch.tensor(3))
for args, named in (((x, "a"), {}), ((), {}), ((x, x, x), {}), ((x,), {"z": 1}), ((x, 2.5), {})):
    for called in (f, f.two):
        try:
            called(*args, **named)
        except Exception as error:
            print(type(error), error)
library._destroy()


# torch.library.triton_op: an operator from a function that traces through
@torch.library.triton_op("triton_like::scaled", mutates_args={})
def scaled(x: torch.Tensor, by: int) -> torch.Tensor:
    return x.sin() * by


x = torch.ones(3, requires_grad=True)
y = scaled(x, 2)
shape = scaled(torch.empty(3, device="meta"), 2)
print(scaled, torch.ops.triton_like.scaled.default._schema)
try:
    y.sum().backward()
except RuntimeError as error:
    print(error)
try:
    torch.library.wrap_triton(scaled)
except ModuleNotFoundError as error:
    print(error)

# torch.ops.profiler: blocks by handles of both kinds
by_tensor = torch.ops.profiler._record_function_enter("first", None)
by_object = torch.ops.profiler._record_function_enter_new("second")
kinds = isinstance(by_tensor, torch.Tensor), by_tensor.dtype, type(by_object).__name__
ends = [
    torch.ops.profiler._record_function_exit(each) for each in (by_object, by_tensor, by_tensor)
]
with torch.profiler.profile() as profile:
    inner = torch.ops.profiler._record_function_enter("named", None)
    torch.ones(2) + 1
    torch.ops.profiler._record_function_exit(inner)
seen = "named" in [each.key for each in profile.key_averages()]
del by_tensor, by_object, inner, profile

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

# torch.ones: a Function that takes and gives nested things
from torch.autograd.function import NestedIOFunction


class Pairs(NestedIOFunction):
    def forward_extended(self, pair, more):
        (a, b), c = pair, more[0]
        self.save_for_backward(a, (b, [c]))
        return a * b, (a + c, [b * c])


kept = Pairs()
try:
    out = kept((torch.ones(2), torch.ones(2) * 2), [torch.ones(2) * 3])
    print(out)
except Exception as error:
    print(type(error).__name__, error)
for given in ((), (torch.ones(2),), ("a",)):
    try:
        print(Pairs()(*given))
    except Exception as error:
        print(type(error).__name__, error)

# torch.autograd.Function: a Function that writes, and what it makes of tangents
from torch.autograd import forward_ad


def writing(push):
    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

        @staticmethod
        def jvp(ctx, tangent):
            return push(tangent)

    return Doubled


for name, push in {
    "written": lambda t: t.mul_(2),
    "not written": lambda t: t * 2,
    "written, another returned": lambda t: t.mul_(2).clone(),
    "written, a view returned": lambda t: t.mul_(2).view(2),
    "none": lambda t: None,
}.items():
    with forward_ad.dual_level():
        x = forward_ad.make_dual(torch.ones(2), torch.tensor([3.0, 4.0])) * 1
        try:
            y = writing(push).apply(x)
            print(name, y is x, forward_ad.unpack_dual(y).tangent)
        except RuntimeError as error:
            print(name, error)

# torch.autograd.Variable: who is let go after a backward that called back, or failed
import gc
import weakref

engine = torch.autograd.Variable._execution_engine


class Thing:
    pass


class Keeping(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, fails):
        ctx.thing = Thing()
        seen.append(weakref.ref(ctx.thing))
        ctx.fails = fails
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        engine.queue_callback(lambda: log.append("after"))
        if ctx.fails:
            raise ValueError("on purpose")
        return grad * 2, None


log, seen = [], []
for fails in (False, True, False):
    x = torch.ones(2, requires_grad=True)
    y = Keeping.apply(x, fails)
    try:
        y.sum().backward()
        grads = torch.autograd.grad(Keeping.apply(x, fails).sum(), x)
    except ValueError as error:
        print(error)
        del error
    del x, y
    gc.collect()
    print(log, [each() is None for each in seen])
seen = grads = None


# torch.autograd.gradcheck: what gradcheck says of Functions that are wrong
class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, how):
        ctx.how = how
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        made = {
            "dtype": lambda: (grad * 2).float(),
            "size": lambda: (grad * 2).sum().expand(1),
            "value": lambda: grad * 3,
            "none": lambda: None,
            "random": lambda: grad * 2 * (1 + torch.rand(2).double()),
            "undefined": lambda: grad * 2,
        }
        return made[ctx.how](), None


x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
for how in ("dtype", "size", "value", "none", "random", "undefined"):
    for options in (
        {},
        {"fast_mode": True},
        {"raise_exception": False},
        {"check_batched_grad": True},
    ):
        torch.manual_seed(0)
        try:
            print(
                how,
                options,
                torch.autograd.gradcheck(lambda x: Wrong.apply(x, how), (x,), **options),
            )
        except Exception as error:
            print(how, options, type(error).__name__, str(error).splitlines()[:2])


# torch.autograd.gradcheck: what gradcheck says of tangents that are wrong
class Pushed(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, how):
        ctx.how = how
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2, None

    @staticmethod
    def jvp(ctx, tangent, _):
        return {"right": tangent * 2, "value": tangent * 3, "dtype": (tangent * 2).float()}[ctx.how]


x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
for how in ("right", "value", "dtype"):
    for options in ({}, {"fast_mode": True}, {"check_undefined_grad": False}):
        try:
            print(
                how,
                torch.autograd.gradcheck(
                    lambda x: Pushed.apply(x, how), (x,), check_forward_ad=True, **options
                ),
            )
        except Exception as error:
            print(how, options, type(error).__name__, str(error).splitlines()[:2])

# Tensor.register_post_accumulate_grad_hook: what a hook after accumulation may return
x = torch.ones(2, requires_grad=True)
handle = x.register_post_accumulate_grad_hook(lambda p: p.grad)
try:
    (x * 2).sum().backward()
except RuntimeError as error:
    print(error)
handle.remove()
(x * 2).sum().backward()

# Tensor.backward: inside of a hook, where the inner one fails or the outer goes on
order = []


def noting(name, result=None):
    return lambda grad: order.append((name, grad.tolist())) or result


def inner(fails, retain):
    y = torch.tensor([1.0, 2.0], requires_grad=True)
    z = (y * y).exp()
    z.register_hook(noting("z"))
    if fails:

        def refuse(grad):
            raise ValueError("inside")

        (w := z * 2).register_hook(refuse)
        z = w + z
    z.sum().backward(retain_graph=retain)
    return y.grad


for fails in (False, True):
    for place in ("leaf", "middle", "both"):
        for caught in (True, False):
            x = torch.tensor([1.0, 3.0], requires_grad=True)
            a = x * 2
            b = a.sin() + a.cos() * x
            c = b * a + x

            def reenter(grad):
                order.append(("in", grad.tolist()))
                try:
                    order.append(("made", inner(fails, retain=True).tolist()))
                except ValueError as error:
                    order.append(str(error))
                    if not caught:
                        raise

            if place != "middle":
                x.register_hook(reenter)
            if place != "leaf":
                b.register_hook(reenter)
            for name, each in (("x", x), ("a", a), ("b", b), ("c", c)):
                each.register_hook(noting(name))
            try:
                c.sum().backward()
            except ValueError as error:
                order.append(("out", str(error)))
            order.append(None if x.grad is None else x.grad.tolist())
print(*order, sep="\n")
del order, x, a, b, c


# torch.autograd.Function: backwards of several levels in one graph, each in the backward of another
depth = []


class Deeper(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, levels):
        ctx.levels = levels
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        depth.append((ctx.levels, grad.tolist()))
        if ctx.levels:
            with torch.enable_grad():
                y = x.detach().requires_grad_()
                z = Deeper.apply(y, ctx.levels - 1) * y
                if ctx.levels == 2 and len(depth) == 1:
                    z.register_hook(lambda grad: 1 / 0)
            try:
                z.sum().backward()
                depth.append(("made", y.grad.tolist()))
            except ZeroDivisionError as error:
                depth.append(str(error))
        return grad * 2, None


x = torch.tensor([1.0, 2.0], requires_grad=True)
y = Deeper.apply(x, 2) + Deeper.apply(x * x, 1)
(y * x).sum().backward()
print(*depth, sep="\n")
print(x.grad)


# torch.autograd.Function: None beside gradients from other uses of one tensor
class Stops(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, stops):
        ctx.stops = stops
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        return None if ctx.stops else grad * 3, None


for pattern in (
    (True, False),
    (False, True),
    (True, True),
    (True, False, True),
    (False, True, True),
):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    total = sum(Stops.apply(y, stops).sum() for stops in pattern)
    total.backward(retain_graph=True)
    print(x.grad)
    print(torch.autograd.grad(total, [y, x], allow_unused=True, create_graph=True))
del total, y


# torch.autograd.function.NestedIOFunction: arguments and results in lists and tuples
from torch.autograd.function import NestedIOFunction


class Sums(NestedIOFunction):
    def forward_extended(self, pair, more):
        first, second = pair
        return first + second, (first * more, None)

    def backward_extended(self, total, parts):
        return ((total, total), parts[0])


try:
    x, y = torch.ones(2, requires_grad=True), torch.ones(2)
    print(Sums()((x, y), x * 2))
except Exception as error:
    print(type(error), error)
for name in ("needs_input_grad", "saved_tensors", "mark_dirty", "mark_non_differentiable"):
    print(name, hasattr(NestedIOFunction, name))


# torch.autograd.forward_ad: what takes no tangent
import torch.autograd.forward_ad as fwAD


def tell(call):
    try:
        print(call())
    except Exception as error:
        print(type(error), error)


with fwAD.dual_level():
    x, i = torch.tensor([1.0, 2.0]), torch.tensor([1, 2])
    tell(lambda: fwAD.make_dual(x, i))
    tell(lambda: fwAD.make_dual(i, i))
    tell(lambda: fwAD.make_dual(i, x))
    tell(lambda: fwAD.make_dual(x, x > 1))
    tell(lambda: fwAD.make_dual(x, 3))
    tell(lambda: fwAD.make_dual(x, x.double()))
    tell(lambda: fwAD.make_dual(x, x + 1j))
    tell(lambda: fwAD.make_dual(x, x[:1]))
    dual = fwAD.make_dual(x, x * 2)
    tell(lambda: fwAD.make_dual(dual, x))
    tell(lambda: fwAD.make_dual(x, dual))
    tell(lambda: fwAD.unpack_dual(i))
    tell(lambda: fwAD.unpack_dual(dual[1]))
    tell(lambda: fwAD.unpack_dual(dual, level=3))
    del dual


# torch.autograd.detect_anomaly: a number that is none, within backwards inside of backwards
import warnings

for nested in (False, True):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with torch.autograd.detect_anomaly():
            x = torch.tensor([0.0, 1.0], requires_grad=True)
            y = (x * 0).sqrt() * 2

            def hook(grad):
                z = torch.tensor([0.0], requires_grad=True)
                try:
                    (z.sqrt() * 0).sum().backward()
                except RuntimeError as error:
                    print("inside", error)

            if nested:
                y.register_hook(hook)
            try:
                y.sum().backward()
            except RuntimeError as error:
                print(error)
    print(x.grad)
del y

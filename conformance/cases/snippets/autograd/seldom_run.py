# functions as they were written once
from torch.autograd.function import InplaceFunction, NestedIOFunction

old = InplaceFunction(True), InplaceFunction()
print([each.inplace for each in old])
nested = NestedIOFunction()
a, b = torch.ones(2), torch.zeros(3)


def asked(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


nested.save_for_backward(a, [b, None])
print(nested.to_save, nested._to_save_nested)
asked(lambda: nested.mark_dirty(a, [b], key=a))
print(nested.dirty_tensors)
asked(lambda: nested.mark_non_differentiable((a, b)))
print(nested.non_differentiable)
asked(lambda: nested.save_for_backward(5))
asked(lambda: nested.mark_dirty("a"))
asked(lambda: nested.forward_extended(a))
asked(lambda: nested.backward_extended(a))


# names that apply is given
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor=2, offset=0):
        ctx.factor = factor
        return x * factor + offset

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None, None


x = torch.ones(2, requires_grad=True)


def asked(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


asked(lambda: Scale.apply(x, factor=3))
asked(lambda: Scale.apply(x, 3, factor=3))
asked(lambda: Scale.apply(x, size=3))
asked(lambda: Scale.apply(factor=3))
asked(lambda: Scale.apply(x, offset=3))
asked(lambda: Scale.apply())


# numbers of a node that is a function's
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


x = torch.ones(2, requires_grad=True)
y = Twice.apply(x)
node = y.grad_fn
node._set_sequence_nr(5)
print(node._sequence_nr(), node.metadata, node.requires_grad)
node.register_prehook(lambda grads: (grads[0] * 3,))
y.sum().backward()


def asked(call):
    try:
        print(call())
    except Exception as error:
        print(type(error).__name__, error)


asked(lambda: node.materialize_grads)
asked(lambda: setattr(node, "materialize_grads", 1))
asked(lambda: node.set_materialize_grads("a"))

# tangents of functions that write or view
from torch.autograd import forward_ad


class Writes(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(2)

    @staticmethod
    def jvp(ctx, t):
        return t * 2


class Views(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view(-1)

    @staticmethod
    def jvp(ctx, t):
        return t.clone().view(-1)


class Good(Views):
    @staticmethod
    def jvp(ctx, t):
        return t.view(-1)


with forward_ad.dual_level():
    for function in (Writes, Views, Good):
        dual = forward_ad.make_dual(torch.ones(2, 2) * 1, torch.ones(2, 2))
        try:
            print(forward_ad.unpack_dual(function.apply(dual)).tangent)
        except Exception as error:
            print(type(error).__name__, error)

# tangents of two levels
from torch.autograd import forward_ad

x, t = torch.tensor([2.0, 3.0]), torch.tensor([1.0, -1.0])
outer = torch.func.jvp(lambda x: torch.func.jvp(lambda y: y**3 * x, (x,), (t,))[1], (x,), (t,))
inner = torch.func.jvp(lambda x: torch.func.grad(lambda y: (y * x).sin().sum())(x), (x,), (t,))
deep = torch.func.grad(lambda a: torch.func.jvp(lambda b: (a * b).exp().sum(), (x,), (t,))[1])(x)
with forward_ad.dual_level():
    dual = forward_ad.make_dual(x, t)
    a = forward_ad.make_dual(dual.clone().detach(), t * 2)
    pair = forward_ad.unpack_dual(dual)
    try:
        forward_ad.make_dual(torch.arange(3), torch.arange(3))
    except Exception as error:
        print(type(error).__name__, error)
    try:
        forward_ad.make_dual(torch.ones(3), torch.ones(2))
    except Exception as error:
        print(type(error).__name__, error)
    base = torch.ones(2, 2)
    base[0].copy_(dual)
    print(
        forward_ad.unpack_dual(base).tangent,
        forward_ad.unpack_dual(base[0]).tangent,
        forward_ad.unpack_dual(base[1]).tangent,
    )
    primal = forward_ad.unpack_dual(dual).primal
    print(primal, forward_ad.unpack_dual(primal).tangent)

# gradients that are given come back
x = torch.ones(2, requires_grad=True)
y = x.sum()
(made,) = torch.autograd.grad(y, y)
(same,) = torch.autograd.grad(y, y, torch.tensor(3.0))
z = x * 1
given = torch.tensor([2.0, 3.0])
(back,) = torch.autograd.grad(z, z, given)
print(back is given, made)
v = z.view(1, 2)
(through,) = torch.autograd.grad(v, z, given.view(1, 2))
both = torch.autograd.grad((x.sum(), y), (x, y))

# a gradient kept where a view is written
x = torch.ones(4, requires_grad=True)
base = x * 2
view = base[:2]
base.retain_grad()
view.retain_grad()
view.mul_(3)
base.sum().backward()
print(base.grad, view.grad, x.grad)
other = x * 2
part = other.view(2, 2)
other.retain_grad()
part.register_hook(lambda grad: print("hook", grad))
part[0].add_(x[:2])
(other * other).sum().backward()
print(other.grad)

# hooks of the end of a graph
import gc

x = torch.ones(2, requires_grad=True)
y = x * 2
end = y.grad_fn.next_functions[0][0]
end.register_hook(lambda inputs, outputs: print("ran", outputs))
end.register_prehook(lambda grads: print("before", grads))
del end
gc.collect()
y.sum().backward()
z = x * 3
z.sum().backward()
print(x.grad)


def refuses(leaf):
    return 5


x.register_post_accumulate_grad_hook(refuses)
try:
    (x * 1).sum().backward()
except Exception as error:
    print(type(error).__name__, error)

# saved tensors of views through hooks
packed = []


def pack(tensor):
    packed.append(tuple(tensor.shape))
    return tensor.clone()


x = torch.ones(4, requires_grad=True)
with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
    y = x * x
    v = y[:2]
    v.mul_(x[2:])
    w = y.view(2, 2).exp()
    s = torch.softmax(v, 0) * v
(w.sum() + s.sum()).backward()
print(packed, x.grad)

# gradients that share memory with .grad
x = torch.ones(3, requires_grad=True)
x.sum().backward()
kept = x.grad
view = kept[1:]
(x * 2).sum().backward()
print(kept is x.grad, view)
with torch.no_grad():
    x.grad = x.grad.detach()
(x * x).sum().backward(create_graph=True)
print(x.grad)
(x * x).sum().backward()
print(x.grad, x.grad.grad_fn)

# gradients that come back are the same tensors
x = torch.ones(1, requires_grad=True)
z = x * 2
v = z.view(())
a, b = torch.autograd.grad(v, (v, v), retain_graph=True)
c, d = torch.autograd.grad(v, (z, v), retain_graph=True)
e, f = torch.autograd.grad(v, (z, z), retain_graph=True)
given = torch.tensor(3.0)
g, h = torch.autograd.grad(v, (v, z), given)
print(a is b, c is d, e is f, g is given)
print(c.data_ptr() == d.data_ptr(), e.data_ptr() == f.data_ptr(), h.data_ptr() == given.data_ptr())
print(c._base is None, d._base is None, h._base is given)

# tangents of views are kept
from torch.autograd import forward_ad

with forward_ad.dual_level():
    base = torch.zeros(2, 2)
    before = base[0]
    base.copy_(forward_ad.make_dual(torch.ones(2, 2), torch.arange(4.0).reshape(2, 2)))
    after = base[1]
    for each in (before, after, base):
        first = forward_ad.unpack_dual(each).tangent
        print(first, forward_ad.unpack_dual(each).tangent is first)
    before.mul_(3)
    print(forward_ad.unpack_dual(base).tangent, forward_ad.unpack_dual(before).tangent)
    try:
        with forward_ad.dual_level():
            print("nested")
    except RuntimeError as error:
        print(error)

# hooks of a module that is there no longer
import copy
import pickle

m = nn.Linear(2, 2)
m._register_load_state_dict_pre_hook(print, with_module=True)
hook = next(iter(m._load_state_dict_pre_hooks.values()))
again = copy.deepcopy(hook)
print(again.with_module, again.module() is None)
del m
state = hook.__getstate__()
for call in (lambda: hook({}), lambda: again.__setstate__(state), lambda: again({})):
    try:
        call()
    except RuntimeError as error:
        print(error)
del hook, again, state

# a mode in which tangents that are not there count as something
from torch.autograd import gradcheck


class Careless(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.set_materialize_grads(False)
        return x + y

    @staticmethod
    def backward(ctx, grad):
        return grad, grad

    @staticmethod
    def jvp(ctx, x, y):
        if x is None or y is None:
            return 2 * (y if x is None else x)
        return x + y


x, y = (torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True) for _ in range(2))
for options in ({}, {"check_undefined_grad": False}):
    try:
        print(gradcheck(Careless.apply, (x, y), check_forward_ad=True, **options))
    except Exception as error:
        print(type(error).__name__, str(error))

# a backward that wants a gradient
from torch.autograd import gradcheck


class Wanting(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        if grad is None:
            raise RuntimeError("no gradient")
        return grad * 2


x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
for options in ({}, {"check_undefined_grad": False}):
    try:
        print(gradcheck(Wanting.apply, (x,), **options))
    except Exception as error:
        print(type(error).__name__, str(error))

# events of a profile that are made by hand
from torch.autograd.profiler_util import EventList, FunctionEvent

events = EventList(
    [
        FunctionEvent(
            id=k,
            name=name,
            thread=0,
            start_us=10 * k,
            end_us=10 * k + length,
            input_shapes=shapes,
            stack=stack,
            flops=flops,
            scope=0,
            use_device=None,
        )
        for k, (name, length, shapes, stack, flops) in enumerate(
            [
                ("a", 9, [[2, 3], []], ["here(1): f", "there(2): g"], 4000),
                ("a", 3, [[2, 3], []], ["here(1): f", "there(2): g"], 2000),
                ("bcd", 5, [[2] * 30], ["a_long_place_" * 9 + "(3): h"], 0),
                ("a", 5, [[7]], [], 5_000_000),
            ]
        )
    ],
    use_device=None,
    profile_memory=False,
    with_flops=True,
)
try:
    events.key_averages()
except AssertionError as error:
    print(error)
events._build_tree()
print(events.table())
print(events.table(sort_by="cpu_time_total", row_limit=2, max_src_column_width=30))
print(events.key_averages(group_by_input_shapes=True).table(max_shapes_column_width=12))
print(events.key_averages(group_by_stack_n=1).table(max_name_column_width=4))
print(events.total_average())
try:
    events[0].nothing
except AttributeError as error:
    print(error)
try:
    events.export_stacks("nowhere", "time")
except ValueError as error:
    print(error)
average = events.key_averages()
try:
    average[0].add(average[1])
except AssertionError as error:
    print(error)


# what a Function's context is told that is no tuple
class Marks(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, name, value):
        setattr(ctx, name, value)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad, None, None


x = torch.ones(2, requires_grad=True)
for name in ("to_save", "dirty_tensors", "non_differentiable"):
    for value in ([x], 3, None, (3,)):
        try:
            print(name, Marks.apply(x, name, value))
        except Exception as error:
            print(name, type(error).__name__, str(error)[:90])

# masks in function transforms are drawn outside of them
x = torch.arange(8.0).reshape(2, 4) + 1
for randomness in ("same", "different"):
    print(torch.vmap(lambda x: F.dropout(x, 0.5), randomness=randomness)(x))
    slope = torch.func.grad(lambda x: F.dropout(x * x, 0.5).sum())
    print(torch.vmap(slope, randomness=randomness)(x))
print(torch.func.jvp(lambda x: F.dropout(x * x, 0.5), (x,), (torch.ones(2, 4),)))
print(torch.func.vjp(lambda x: F.dropout1d(x, 0.5), x)[1](x))
print(torch.func.grad(lambda x: F.alpha_dropout(x, 0.5, True).sum())(x))
print(torch.func.functionalize(lambda x: F.dropout(x, 0.5))(x))

# torch.autograd.Function: the ctx is the node
seen = []


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        seen.append(ctx)
        ctx.number = 3
        return x * x

    @staticmethod
    def backward(ctx, grad):
        print(ctx.note, ctx.number, ctx.needs_input_grad, ctx is seen[0])
        return grad * 6


x = torch.tensor([3.0], requires_grad=True)
y = Square.apply(x)
print(y.grad_fn is seen[0], y.grad_fn.number, type(y.grad_fn), type(y.grad_fn).__mro__)
y.grad_fn.note = "a note"
y.sum().backward()
print(
    seen[0].note, seen[0].name(), repr(seen[0]), y.grad_fn.next_functions, y.grad_fn.requires_grad
)
seen = 0


# Tensor.split: the names of a ctx
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


x = torch.tensor([3.0], requires_grad=True)
_node = Double.apply(x).grad_fn
for _name in (
    "apply needs_input_grad next_functions metadata name register_hook register_prehook _sequence_nr"
    " saved_tensors saved_variables to_save dirty_tensors non_differentiable materialize_grads"
    " mark_dirty mark_non_differentiable save_for_backward save_for_forward saved_for_forward"
    " set_materialize_grads _raw_saved_tensors _input_metadata requires_grad _forward_cls nothing"
).split():
    print(_name, hasattr(_node, _name))
print(_node.to_save, _node.dirty_tensors, _node.non_differentiable, _node.materialize_grads)
print(_node.saved_tensors, _node.needs_input_grad, _node._forward_cls is Double)
print(_node.metadata, _node.saved_for_forward)


# torch.autograd.Function: the classes of a Function
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2


function = torch.autograd.function
print(Double.__mro__[1:], type(Double))
print(Double._backward_cls, Double._backward_cls._forward_cls is Double)
print(issubclass(Double._backward_cls, function.BackwardCFunction))
print(
    issubclass(Double, function.FunctionCtx),
    issubclass(function.InplaceFunction, torch.autograd.Function),
)
print(
    function.Function is torch.autograd.Function,
    function._ContextMethodMixin is function.FunctionCtx,
)
print(issubclass(function.NestedIOFunction, torch.autograd.Function))
print(sorted(function.__all__))
function = Double = 0


# Tensor.register_hook: attributes of a ctx whose names a node might use
class Many(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.shape, ctx.dtype, ctx.outputs, ctx.edges, ctx.order = x.shape, x.dtype, 1, 2, 3
        ctx.hooks, ctx.saved, ctx.function, ctx.ctx, ctx.fits, ctx.arguments = 4, 5, 6, 7, 8, 9
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        print(ctx.shape, ctx.dtype, ctx.outputs, ctx.edges, ctx.order, ctx.hooks, ctx.saved)
        print(ctx.function, ctx.ctx, ctx.fits, ctx.arguments)
        return grad * 2


x = torch.tensor([3.0], requires_grad=True)
y = Many.apply(x)
y.register_hook(lambda grad: grad * 2)
y.sum().backward()
print(y.grad_fn.shape, y.grad_fn.edges)


# torch.autograd.Function: a name that a ctx does not have
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor


x = torch.tensor([3.0], requires_grad=True)
Double.apply(x).backward()

# torch.autograd.Function: a ctx that outlives its graph
kept = []


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.number = 5
        kept.append(ctx)
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


def run():
    Double.apply(torch.ones(2, requires_grad=True)).sum().backward()


run()
print(kept[0].number, kept[0].needs_input_grad)
_ctx = kept.pop()
_ctx.next_functions

# torch.autograd.Function: a ctx while nothing is recorded
kept = []


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        kept.append(ctx)
        print(ctx.needs_input_grad)
        return x * 2


with torch.no_grad():
    y = Double.apply(torch.ones(2, requires_grad=True))
z = Double.apply(torch.ones(2))
print(y.grad_fn, kept[0].saved_tensors, kept[1].to_save)
kept = 0


# set_materialize_grads
class Two(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, materialize):
        ctx.set_materialize_grads(materialize)
        i = x.argmax()
        ctx.mark_non_differentiable(i)
        return x * 2, i, x * 3, "text"

    @staticmethod
    def backward(ctx, *grads):
        print(grads)
        return grads[2], None


x = torch.tensor([1.0, 3.0], requires_grad=True)
for _materialize in (True, False):
    a, i, b, text = Two.apply(x, _materialize)
    print(i, text, i.grad_fn, i.requires_grad, a.output_nr, b.output_nr)
    b.sum().backward()


# torch.autograd.Function: grads of a Function that gets none
class Pair(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, a, b):
        print(a, b)
        return None


x = torch.ones(2, requires_grad=True)
y = Pair.apply(x * 1)[1]
Pair.apply(y)[0].sum().backward()


# save_for_backward of something else
class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x, 3)
        print(ctx.to_save)
        return x * 2


print(Bad.apply(torch.ones(2)))
Bad.apply(torch.ones(2, requires_grad=True))


# save_for_backward twice: the last one counts
class Twice(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.save_for_backward(x * 2, None)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        print(ctx.saved_tensors)
        return grad


Twice.apply(torch.ones(2, requires_grad=True)).sum().backward()


# Tensor.add_: saved tensors that were written
class Keep(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * 2
        ctx.save_for_backward(x, y)
        return y

    @staticmethod
    def backward(ctx, grad):
        return ctx.saved_tensors[0] * grad


x = torch.ones(2, requires_grad=True)
y = x * 1
z = Keep.apply(y)
z.add_(1)
try:
    z.sum().backward()
except RuntimeError as error:
    print(error)
z = Keep.apply(y)
y.add_(1)
z.sum().backward()


# torch.autograd.Function: saved tensors that were freed
class Keep(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return ctx.saved_tensors[0] * grad


x = torch.ones(2, requires_grad=True)
y = Keep.apply(x)
y.sum().backward(retain_graph=True)
print(y.grad_fn.saved_tensors[0] is x)
y.sum().backward()
try:
    y.grad_fn.saved_tensors
except RuntimeError as error:
    print(error)
y.sum().backward()


# saved_variables, as they were called once
class Keep(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return ctx.saved_variables[0] * grad


x = torch.ones(2, requires_grad=True)
Keep.apply(x).sum().backward()


# save_for_forward
class Keep(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_forward(x, None)
        print(ctx.saved_for_forward)
        return x * 2


y = Keep.apply(torch.ones(2, requires_grad=True))
print(y.grad_fn.saved_for_forward, y.grad_fn.saved_tensors)


class Bad(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_forward(3)


Bad.apply(torch.ones(2))


# mark_shared_storage does nothing
class Shared(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.mark_shared_storage()
        return x * 2


Shared.apply(torch.ones(2))


# torch.autograd.Function: saved tensors that are cleared on access
class Clearing(torch.autograd.Function):
    clear_saved_tensors_on_access = True

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        print(ctx.saved_tensors)
        return ctx.saved_tensors[0] * grad


x = torch.ones(2, requires_grad=True)
Clearing.apply(x).sum().backward()


# torch.autograd.Function: gradients in a box
class Boxed(torch.autograd.Function):
    boxed_grads_call = True

    @staticmethod
    def forward(ctx, x):
        return x * 2, x * 3

    @staticmethod
    def backward(ctx, grads):
        print(type(grads), grads)
        a = grads.pop(0)
        return a * 2 + grads[0] * 3


x = torch.ones(2, requires_grad=True)
a, b = Boxed.apply(x)
(a + b * 2).sum().backward()

# torch.autograd.Function: hooks of the node of a Function
calls = []


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = 1
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        calls.append(("backward", grad.tolist()))
        ctx.register_hook(lambda i, o: calls.append("late"))
        return grad * 2


x = torch.ones(2, requires_grad=True)
y = Double.apply(x)
_handle = y.grad_fn.register_hook(
    lambda i, o: calls.append(("after", i[0].tolist(), o[0].tolist()))
)
y.grad_fn.register_prehook(lambda o: (o[0] * 5,))
y.register_hook(lambda grad: calls.append("tensor"))
y.sum().backward(retain_graph=True)
_handle.remove()
y.sum().backward()


# torch.autograd.Function: notes of the node of a Function
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        print(ctx.metadata)
        return grad * 2


x = torch.ones(2, requires_grad=True)
y = Double.apply(x)
y.grad_fn.metadata["a"] = 1
print(y.grad_fn.metadata, y.grad_fn._input_metadata[0].shape)
y.sum().backward()

# torch.autograd.Function: a Function is not to be instantiated
import warnings

with warnings.catch_warnings(record=True) as _caught:
    warnings.simplefilter("always")
    _function = torch.autograd.Function()
print(_caught[0].category, _caught[0].message)
_function(torch.ones(2))


# torch.autograd.function.InplaceFunction: an InplaceFunction
class Relu(torch.autograd.function.InplaceFunction):
    @staticmethod
    def forward(ctx, x, inplace=False):
        if inplace:
            ctx.mark_dirty(x)
            y = x.clamp_(0)
        else:
            y = x.clamp(0)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return grad * (y > 0), None


x = torch.tensor([-1.0, 2.0], requires_grad=True)
y = Relu.apply(x)
z = Relu.apply(x * 1, True)
(y + z * 2).sum().backward()

# torch.autograd.Function: the ctx is freed with its graph
import gc
import weakref

gone = []


class Kept:
    pass


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.kept = Kept()
        weakref.finalize(ctx.kept, gone.append, "gone")
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


gc.disable()
x = torch.ones(2, requires_grad=True)
y = Double.apply(x)
y.sum().backward()
gone.append("after backward")
del y
gone.append("after the output")
gc.enable()

# torch.autograd.Function: a ctx is not pickled
import pickle


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2


y = Double.apply(torch.ones(2, requires_grad=True))
try:
    pickle.dumps(y)
except Exception as error:
    print(type(error).__name__, error)
try:
    pickle.dumps(y.grad_fn)
except Exception as error:
    print(type(error).__name__, str(error)[:40])


# torch.autograd.Function: a ctx that is called, and its apply
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


y = Double.apply(torch.ones(2, requires_grad=True))
print(y.grad_fn.apply(torch.ones(2)), y.grad_fn.name(), callable(y.grad_fn))
y.grad_fn(torch.ones(2))

# torch.autograd.Function: a deep copy of a module that keeps a Function's output
import copy


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2


y = Double.apply(torch.ones(2, requires_grad=True))
copy.deepcopy(y)

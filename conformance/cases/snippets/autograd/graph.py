# torch.autograd.graph.Node: nodes are Nodes
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 2


Node = torch.autograd.graph.Node
x = torch.ones(2, requires_grad=True)
y = x * x
z = Double.apply(y)
w = y + 0
w[:1].mul_(2)
for _node in (y.grad_fn, y.grad_fn.next_functions[0][0], z.grad_fn, w.grad_fn, 3, None, x):
    print(isinstance(_node, Node))
print(issubclass(type(y.grad_fn), Node), issubclass(type(z.grad_fn), Node), issubclass(int, Node))
print(Node, sorted(Node.__abstractmethods__))
Node()


# torch.autograd.graph.Node: a class of one's own is a Node if it says so
class Mine(torch.autograd.graph.Node):
    def name(self):
        return "mine"


print(isinstance(3, Mine), issubclass(Mine, torch.autograd.graph.Node))
Mine()

# Tensor.split: names and texts of nodes
x = torch.ones(2, requires_grad=True)
y = x.split(1)[1]
z = (y * 2).exp()
_node = z.grad_fn
while _node is not None:
    print(_node.name(), _node, type(_node), type(_node).__name__, type(_node).__module__)
    _node = _node.next_functions[0][0] if _node.next_functions else None

# next_functions
x = torch.ones(2, requires_grad=True)
y = x * 3 + torch.ones(2)
z = torch.cat([y, x, torch.ones(1)])
print(
    z.grad_fn.next_functions, y.grad_fn.next_functions, (y - 1).split(1)[1].grad_fn.next_functions
)
print(z.grad_fn.next_functions[1][0].variable is x, z.grad_fn.next_functions[0][0] is y.grad_fn)
print(x.split(1)[1].exp().grad_fn.next_functions)

# torch.ones: a node keeps notes
x = torch.ones(2, requires_grad=True)
y = x * 3
print(y.grad_fn.metadata)
y.grad_fn.metadata["note"] = [1, 2]
print(y.grad_fn.metadata, y.grad_fn.metadata is y.grad_fn.metadata)

# Tensor.split: what a node knows of its outputs
x = torch.ones(2, 3, requires_grad=True, dtype=torch.float64)
for _each in (x * 2, x.split(1)[0], x.max(0)[0], x.sum(), x[:, 0].to(torch.float32)):
    print([(m.shape, m.dtype, m.device, m.is_nested_tensor) for m in _each.grad_fn._input_metadata])
_meta = (x * 2).grad_fn.next_functions[0][0]._input_metadata
print(len(_meta), _meta[0].shape, type(_meta[0]))

# torch.ones: the order in which nodes were made
x = torch.ones(2, requires_grad=True)
y = x * 2
z = y * 2
print(
    z.grad_fn._sequence_nr() - y.grad_fn._sequence_nr(),
    y.grad_fn.next_functions[0][0]._sequence_nr(),
)
y.grad_fn._set_sequence_nr(7)
print(y.grad_fn._sequence_nr(), y.grad_fn.requires_grad)

# torch.ones: the names of a node
x = torch.ones(2, requires_grad=True)
print([name for name in dir((x * x).grad_fn) if not name.startswith("__")])
print([name for name in dir(x[0].grad_fn) if not name.startswith("__")])
print([name for name in dir(x[0].grad_fn.next_functions[0][0]) if not name.startswith("__")])
x[0].grad_fn.nothing

# Tensor.split: a node that is called
x = torch.tensor([1.0, 2.0], requires_grad=True)
y = x * x
print(y.grad_fn(torch.ones(2)), y.sum().grad_fn(torch.tensor(3.0)), x.exp().grad_fn(torch.ones(2)))
print(x.split(1)[0].grad_fn(torch.ones(1), None))
y.grad_fn()

# torch.tensor: a node that is called with something else
x = torch.tensor([1.0, 2.0], requires_grad=True)
(x * x).grad_fn(3)

# torch.ones: a node that is pickled
import pickle

x = torch.ones(2, requires_grad=True)
pickle.dumps((x * x).grad_fn)

# torch.ones: a node that is copied
import copy

x = torch.ones(2, requires_grad=True)
copy.copy((x * x).grad_fn)

# Tensor.split: gradient edges
graph = torch.autograd.graph
x = torch.rand(2, requires_grad=True)
y = x * 2
a, b = y.split(1)
print(graph.get_gradient_edge(x), graph.get_gradient_edge(y), graph.get_gradient_edge(b))
_edge = graph.get_gradient_edge(b)
print(_edge.node is b.grad_fn, _edge.output_nr, _edge.ownership_token, _edge._fields)
print(graph.get_gradient_edge(x) == graph.get_gradient_edge(x))
graph.get_gradient_edge(torch.ones(2))

# torch.autograd.graph.get_gradient_edge: gradients with respect to gradient edges
x = torch.rand(2, requires_grad=True)
y = x * 2
z = (y * y).sum()
_edges = [torch.autograd.graph.get_gradient_edge(each) for each in (x, y)]
print(torch.autograd.grad(z, [*_edges, x, y], retain_graph=True))
print(torch.autograd.grad(z, _edges[1], retain_graph=True))
del y
print(torch.autograd.grad(z, _edges))

# torch.autograd.graph.get_gradient_edge: gradients of gradient edges
x = torch.rand(2, requires_grad=True)
y = x * 2
z = (y * y).sum()
_y, _z = (torch.autograd.graph.get_gradient_edge(each) for each in (y, z))
found = torch.autograd.grad(_z, x, torch.tensor(2.0), retain_graph=True)
implicit = torch.autograd.grad(_z, x, retain_graph=True)
torch.autograd.backward(_y, torch.ones(2), retain_graph=True)
torch.autograd.backward([_y, _z], [torch.ones(2), None], retain_graph=True)
torch.autograd.backward((_z,), (torch.tensor(3.0),))

# torch.autograd.graph.get_gradient_edge: the second derivative by way of gradient edges
x = torch.rand(2, requires_grad=True)
_edge = torch.autograd.graph.get_gradient_edge((x * x * x).sum())
(first,) = torch.autograd.grad(_edge, x, create_graph=True)
print(torch.autograd.grad(first.sum(), torch.autograd.graph.get_gradient_edge(x)))

# torch.autograd.graph.get_gradient_edge: backward into gradient edges
x = torch.rand(2, requires_grad=True)
w = torch.rand(2, requires_grad=True)
y = x * w
torch.autograd.backward(y.sum(), inputs=torch.autograd.graph.get_gradient_edge(x))
z = x * w
z.sum().backward(inputs=[torch.autograd.graph.get_gradient_edge(each) for each in (w, z)])

# torch.autograd.graph.get_gradient_edge: a gradient edge and a gradient of another shape
x = torch.rand(2, requires_grad=True)
_edge = torch.autograd.graph.get_gradient_edge(x * 2)
torch.autograd.backward([_edge], [torch.ones(3)])

# torch.autograd.graph.get_gradient_edge: a gradient edge and a gradient of another dtype
x = torch.rand(2, requires_grad=True)
_edge = torch.autograd.graph.get_gradient_edge(x * 2)
(found,) = torch.autograd.grad(_edge, x, torch.ones(2, dtype=torch.float64))
torch.autograd.grad(_edge, x, torch.ones(2) * 1j)

# torch.autograd.graph.get_gradient_edge: a gradient edge of several elements
x = torch.rand(2, requires_grad=True)
torch.autograd.backward(torch.autograd.graph.get_gradient_edge(x * 2))

# torch.autograd.graph.get_gradient_edge: a gradient edge that takes no part
x = torch.rand(2, requires_grad=True)
_other = torch.autograd.graph.get_gradient_edge(torch.rand(2, requires_grad=True))
print(torch.autograd.grad((x * 2).sum(), [_other, x], allow_unused=True))
try:
    torch.autograd.grad((x * 2).sum(), [_other])
except RuntimeError as error:
    print(error)
torch.autograd.grad((x * 2).sum(), [_other], materialize_grads=True)

# torch.autograd.backward: inputs that are no tensors
x = torch.rand(2, requires_grad=True)
y = (x * 2).sum()
for _call in (
    lambda: torch.autograd.grad(y, [3]),
    lambda: torch.autograd.grad([3], [x]),
    lambda: torch.autograd.backward(y, inputs=[3]),
    lambda: torch.autograd.backward([3]),
    lambda: torch.autograd.backward(3),
    lambda: torch.autograd.backward(y, inputs=()),
):
    try:
        _call()
    except Exception as error:
        print(type(error).__name__, error)

# nn.Linear: inputs in a dict
from types import MappingProxyType

_model = nn.Linear(2, 1)
_model(torch.ones(1, 2)).sum().backward(inputs=dict(_model.named_parameters()))
print(_model.weight.grad)
_model(torch.ones(1, 2)).sum().backward(inputs=MappingProxyType({"weight": _model.weight}))

# increment_version
x = torch.ones(2, requires_grad=True)
y = x * x
torch.autograd.graph.increment_version(x)
print(x._version)
torch.autograd.graph.increment_version([x, y])
torch.autograd.graph.increment_version(each for each in (x, y))
print(x._version, y._version)
with torch.inference_mode():
    _inferred = torch.ones(2)
torch.autograd.graph.increment_version(_inferred)
x.sum().backward()
y.sum().backward()

# increment_version of something else
torch.autograd.graph.increment_version(3)

# increment_version of several other things
torch.autograd.graph.increment_version([3])

# torch.autograd.graph.register_multi_grad_hook: a hook on several tensors
calls = []
x = torch.ones(2, requires_grad=True)
w = torch.ones(2, requires_grad=True)
y = x * w
z = x + w
_handle = torch.autograd.graph.register_multi_grad_hook(
    (x, w, y, z), lambda grads: calls.append([g if g is None else g.tolist() for g in grads])
)
y.sum().backward(retain_graph=True)
y.sum().backward(inputs=[x], retain_graph=True)
(y + z).sum().backward(retain_graph=True)
_handle.remove()
(y + z).sum().backward()
print(type(_handle))

# torch.autograd.graph.register_multi_grad_hook: a hook on several tensors, for the first of them
calls = []
x = torch.ones(2, requires_grad=True)
w = torch.ones(2, requires_grad=True)
y = x * w
z = x + w
_handle = torch.autograd.graph.register_multi_grad_hook(
    (x, torch.ones(2), y, z), lambda grad: calls.append(grad.tolist()), mode="any"
)
y.sum().backward(retain_graph=True)
(y + z * 3).sum().backward(retain_graph=True)
with _handle:
    pass
(y + z).sum().backward()
print(len(_handle.handles))

# torch.autograd.graph.register_multi_grad_hook: a hook on several tensors under autograd.grad
calls = []
x = torch.ones(2, requires_grad=True)
y = x * 2
z = y * 3
torch.autograd.graph.register_multi_grad_hook(
    (y, z), lambda grads: calls.append([g.tolist() for g in grads])
)
found = torch.autograd.grad(z.sum(), x, retain_graph=True)
found = torch.autograd.grad(z.sum(), y)

# torch.autograd.graph.register_multi_grad_hook: a hook on several tensors, a leaf among them, under autograd.grad
x = torch.ones(2, requires_grad=True)
y = x * 2
torch.autograd.graph.register_multi_grad_hook((x, y), lambda grads: None)
torch.autograd.grad(y.sum(), x)

# torch.autograd.graph.register_multi_grad_hook: a hook on several tensors, in an unknown mode
torch.autograd.graph.register_multi_grad_hook((), lambda grads: None, mode="some")

# torch.autograd.graph.register_multi_grad_hook: a hook on several tensors, one without gradient
torch.autograd.graph.register_multi_grad_hook((torch.ones(2),), lambda grads: None)

# torch.autograd.graph.allow_mutation_on_saved_tensors: writing what was saved
with torch.autograd.graph.allow_mutation_on_saved_tensors() as _context:
    x = torch.rand(2, 3, requires_grad=True)
    y = x.clone()
    z = (y**2).sum() + y.exp().sum()
    y.sin_()
    y[0] = 3
    y.view(-1)[4:].zero_()
    torch.add(torch.ones(3), 2, out=y.detach()[1])
    print(len(_context.cloned), len(_context.original), type(_context))
    z.backward()

# torch.autograd.graph.allow_mutation_on_saved_tensors: writing an output that was saved
with torch.autograd.graph.allow_mutation_on_saved_tensors():
    x = torch.rand(3, requires_grad=True)
    y = x.exp()
    y.add_(1).mul_(2)
    y.sum().backward()

# torch.autograd.graph.allow_mutation_on_saved_tensors: writing what was saved, and backward outside
with torch.autograd.graph.allow_mutation_on_saved_tensors():
    x = torch.rand(3, requires_grad=True)
    y = (x**2).sum()
y.backward()

# torch.autograd.graph.allow_mutation_on_saved_tensors: writing what was saved, twice allowed
with torch.autograd.graph.allow_mutation_on_saved_tensors():
    with torch.autograd.graph.allow_mutation_on_saved_tensors():
        pass

# torch.autograd.graph: switches for devices with streams
graph = torch.autograd.graph
print(graph.set_warn_on_accumulate_grad_stream_mismatch(True))
print(graph.set_warn_on_accumulate_grad_stream_mismatch(False))
print(graph.set_override_stale_capture_stream(False))
graph.set_warn_on_accumulate_grad_stream_mismatch(3)

# torch.autograd.graph.region_activation_memory_budget: a budget for what is saved, without a compiler
for _budget in (True, 2, 0.5):
    try:
        torch.autograd.graph.region_activation_memory_budget(_budget)
    except Exception as error:
        print(type(error).__name__, error)

# torch.autograd.Variable._execution_engine.queue_callback: callbacks for the end of a backward
calls = []
x = torch.ones(2, requires_grad=True)
y = x * 2
_queue = torch.autograd.Variable._execution_engine.queue_callback


def hook(grad):
    calls.append("hook")
    _queue(lambda: calls.append(("last", x.grad.tolist(), torch.is_grad_enabled())))


y.register_hook(hook)
x.register_hook(lambda grad: calls.append("leaf"))
y.sum().backward()
calls.append("done")

# torch.autograd.Variable._execution_engine.queue_callback: callbacks that queue others
calls = []
x = torch.ones(2, requires_grad=True)
y = x * 2
_queue = torch.autograd.Variable._execution_engine.queue_callback


def first():
    calls.append("first")
    _queue(lambda: calls.append("third"))


def hook(grad):
    _queue(first)
    _queue(lambda: calls.append("second"))


y.register_hook(hook)
y.sum().backward()

# torch.autograd.Function: callbacks from a Function
calls = []


class Last(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        _queue = torch.autograd.Variable._execution_engine.queue_callback
        _queue(lambda: calls.append("callback"))
        calls.append("backward")
        return grad * 2


x = torch.ones(2, requires_grad=True)
Last.apply(x).sum().backward()
calls.append("done")
found = torch.autograd.grad(Last.apply(x).sum(), x)

# torch.autograd.Variable._execution_engine.queue_callback: a callback that raises
x = torch.ones(2, requires_grad=True)
y = x * 2
y.register_hook(
    lambda grad: torch.autograd.Variable._execution_engine.queue_callback(lambda: {}[1])
)
y.sum().backward()

# torch.autograd.Variable._execution_engine.queue_callback: callbacks of a backward that failed are never called
calls = []
x = torch.ones(2, requires_grad=True)
y = x * 2


def hook(grad):
    torch.autograd.Variable._execution_engine.queue_callback(lambda: calls.append(1))
    raise KeyError("no")


y.register_hook(hook)
try:
    y.sum().backward()
except KeyError:
    pass
(x * 3).sum().backward()

# torch.autograd.Variable._execution_engine.queue_callback: a callback outside of a backward
torch.autograd.Variable._execution_engine.queue_callback(lambda: None)

# torch.autograd.Variable._execution_engine.queue_callback: a backward within a backward
calls = []


class Checkpoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x.detach()
        return (x**3).sum()

    @staticmethod
    def backward(ctx, grad):
        _queue = torch.autograd.Variable._execution_engine.queue_callback
        _queue(lambda: calls.append("outer callback"))
        with torch.enable_grad():
            x = ctx.x.requires_grad_()
            x.register_hook(
                lambda g: (
                    calls.append("inner hook") or _queue(lambda: calls.append("inner callback"))
                )
            )
            (x**3).sum().backward()
        calls.append("after inner")
        return x.grad * grad


x = torch.tensor([1.0, 2.0], requires_grad=True)
(Checkpoint.apply(x * 2) * 3).backward()

# Tensor.register_hook: a backward within a hook
calls = []
x = torch.ones(2, requires_grad=True)
w = torch.ones(2, requires_grad=True)
y = x * 2


def hook(grad):
    calls.append("outer")
    with torch.enable_grad():
        (w * 3).sum().backward()
    calls.append("inner done")


y.register_hook(hook)
y.sum().backward()

# Tensor.register_hook: a backward within a hook into the same leaf
x = torch.ones(2, requires_grad=True)
y = x * 2


def hook(grad):
    with torch.enable_grad():
        (x * x * 5).sum().backward()


y.register_hook(hook)
(y + x * 7).sum().backward()

# Tensor.register_hook: a backward within a hook, where nothing is recorded
x = torch.ones(2, requires_grad=True)
y = x * 2
y.register_hook(lambda grad: (x * 3).sum().backward())
y.sum().backward()


# torch.enable_grad: many backwards, one within the other
def deep(n):
    class Deeper(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            if n:
                with torch.enable_grad():
                    return deep(n - 1) * grad
            return grad * 2

    x = torch.ones(1, requires_grad=True)
    Deeper.apply(x).backward()
    return x.grad


print(deep(20))

# Tensor.data_ptr: Variable, as tensors were called once
from torch.autograd import Variable

x = torch.ones(2)
y = Variable(x, requires_grad=True)
print(Variable(x) is x, type(Variable(x)), isinstance(x, Variable), isinstance(3, Variable))
print(issubclass(torch.Tensor, Variable), Variable, y.data_ptr() == x.data_ptr(), Variable())
z = Variable(nn.Parameter(x))
(y * 2).sum().backward()
Variable([1.0])

# torch.autograd.Variable: a Variable of integers
torch.autograd.Variable(torch.tensor([1]), requires_grad=True)

# torch.autograd.Variable: a volatile Variable
x = torch.autograd.Variable(torch.ones(2), volatile=True)

# torch.autograd.Variable: the engine itself
_engine = torch.autograd.Variable._execution_engine
x = torch.ones(2, requires_grad=True)
y = (x * 2).sum()
print(_engine.run_backward((y,), (torch.tensor(1.0),), True, False, (), accumulate_grad=True))
print(_engine.run_backward((y,), (torch.tensor(3.0),), True, False, (x,), allow_unreachable=True))
print(_engine.is_checkpoint_valid(), x.grad)

# Tensor.register_hook: hooks that a node takes over from a tensor
calls = []
x = torch.ones(2, requires_grad=True)
y = x * 2
z = x * 3
y.register_hook(lambda g: calls.append(g.tolist()))
z.grad_fn._register_hook_dict(y)
z.sum().backward()
z.grad_fn._register_hook_dict(3)

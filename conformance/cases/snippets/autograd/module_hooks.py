# nn.Linear: forward hooks and pre-hooks, in order
calls = []
_model = nn.Linear(2, 2)
_model.register_forward_pre_hook(lambda m, args: calls.append("pre 1"))
_model.register_forward_pre_hook(lambda m, args: calls.append("pre 0"), prepend=True)
_model.register_forward_hook(lambda m, args, out: calls.append("post 1"))
_model.register_forward_hook(lambda m, args, out: calls.append("post 0"), prepend=True)
_model(torch.ones(2))

# nn.Linear: forward hooks that change things
_model = nn.Linear(2, 2)
_model.register_forward_pre_hook(lambda m, args: args[0] * 2)
_model.register_forward_pre_hook(lambda m, args: (args[0] + 1,))
_model.register_forward_hook(lambda m, args, out: out * 3)
_model.register_forward_hook(lambda m, args, out: print(args))
y = _model(torch.ones(2))


# nn.Module: forward hooks with keyword arguments
class Scale(nn.Module):
    def forward(self, x, factor=1):
        return x * factor


_model = Scale()
_model.register_forward_pre_hook(lambda m, a, k: (a, {"factor": k["factor"] + 1}), with_kwargs=True)
_model.register_forward_hook(lambda m, a, k, out: print(a, k, out), with_kwargs=True)
_model.register_forward_hook(lambda m, a, out: print(a, out))
print(_model(torch.ones(2), factor=3))
_model.register_forward_pre_hook(lambda m, a, k: a, with_kwargs=True)
_model(torch.ones(2), factor=3)


# nn.Module: forward hooks that are always called
class Fail(nn.Module):
    def forward(self, x):
        raise KeyError("forward")


def refuse(*things):
    raise ValueError("hook")


calls = []
_model = Fail()
_model.register_forward_hook(lambda m, a, out: calls.append("usual"))
_model.register_forward_hook(lambda m, a, out: calls.append(("always", out)), always_call=True)
_model.register_forward_hook(refuse, always_call=True)
_model.register_forward_hook(
    lambda m, a, k, out: calls.append(("with kwargs", k)), always_call=True, with_kwargs=True
)
_model(torch.ones(2))

# nn.Linear: handles of forward hooks
calls = []
_model = nn.Linear(2, 2)
_handle = _model.register_forward_hook(
    lambda m, a, k, out: calls.append("hook"), with_kwargs=True, always_call=True
)
print(_handle.id in _model._forward_hooks, _handle.id in _model._forward_hooks_with_kwargs)
with _handle:
    _model(torch.ones(2))
_model(torch.ones(2))
print(_model._forward_hooks, _model._forward_hooks_with_kwargs, _model._forward_hooks_always_called)

# nn.Linear: a hook that takes itself away
calls = []
_model = nn.Linear(2, 2)
_handle = _model.register_forward_hook(lambda m, a, out: calls.append("once") or _handle.remove())
_model.register_forward_hook(lambda m, a, out: calls.append("always"))
_model(torch.ones(2))
_model(torch.ones(2))

# nn.ReLU: full backward hooks
calls = []
_model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
for _i, _layer in enumerate(_model):
    _layer.register_full_backward_hook(
        lambda m, i, o, n=_i: calls.append((n, [g.shape for g in i], [g.shape for g in o]))
    )
    _layer.register_full_backward_pre_hook(lambda m, o, n=_i: calls.append((n, o[0].tolist())))
x = torch.ones(4, 2, requires_grad=True)
y = _model(x)
print(y, y.grad_fn.next_functions)
y.sum().backward()

# Tensor.backward: full backward hooks that change gradients
_model = nn.Linear(2, 2)
_model.register_full_backward_hook(lambda m, i, o: (i[0] * 10,))
_model.register_full_backward_hook(lambda m, i, o: (i[0] + 1,))
_model.register_full_backward_pre_hook(lambda m, o: (o[0] * 2,))
x = torch.ones(2, requires_grad=True)
_model(x).sum().backward()
print(_model.weight.grad, _model.bias.grad)

# Tensor.register_hook: full backward hooks in order
calls = []
_model = nn.Linear(2, 2)
_model.register_full_backward_hook(lambda m, i, o: calls.append("1"))
_model.register_full_backward_hook(lambda m, i, o: calls.append("0"), prepend=True)
_model.register_full_backward_pre_hook(lambda m, o: calls.append("pre 1"))
_model.register_full_backward_pre_hook(lambda m, o: calls.append("pre 0"), prepend=True)
_model.weight.register_hook(lambda g: calls.append("weight"))
x = torch.ones(2, requires_grad=True)
x.register_hook(lambda g: calls.append("x"))
y = _model(x)
y.register_hook(lambda g: calls.append("y"))
y.sum().backward()

# Tensor.backward: a full backward hook where no input requires a gradient
calls = []
_model = nn.Linear(2, 2)
_model.register_full_backward_hook(lambda m, i, o: calls.append((i, o[0].tolist())))
_model(torch.ones(2)).sum().backward()

# Tensor.backward: a full backward hook where no input requires a gradient, that returns one
_model = nn.Linear(2, 2)
_model.register_full_backward_hook(lambda m, i, o: (torch.ones(2),))
_model(torch.ones(2)).sum().backward()


# Tensor.backward: a full backward hook of a module with several inputs and outputs
class Both(nn.Module):
    def forward(self, a, number, b):
        return a * number, "text", b * a, b.detach()


calls = []
_model = Both()
_model.register_full_backward_hook(
    lambda m, i, o: calls.append(
        ([g if g is None else g.tolist() for g in i], [g if g is None else g.tolist() for g in o])
    )
)
a = torch.ones(2, requires_grad=True)
b = torch.ones(2, requires_grad=True)
c, text, d, e = _model(a, 3, b)
print(c, text, d, e, e.requires_grad)
d.sum().backward()

# Tensor.backward: a full backward hook of the wrong length
_model = nn.Linear(2, 2)
_model.register_full_backward_hook(lambda m, i, o: (i[0], i[0]))
_model(torch.ones(2, requires_grad=True)).sum().backward()

# Tensor.backward: a full backward pre-hook of the wrong length
_model = nn.Linear(2, 2)
_model.register_full_backward_pre_hook(lambda m, o: (o[0], o[0]))
_model(torch.ones(2, requires_grad=True)).sum().backward()


# Tensor.backward: a full backward hook and a result that is no tensor
class Table(nn.Module):
    def forward(self, x):
        return {"x": x * 2}


calls = []
_model = Table()
_model.register_full_backward_hook(lambda m, i, o: calls.append("called"))
x = torch.ones(2, requires_grad=True)
_model(x)["x"].sum().backward()


# Tensor.mul_: a full backward hook and inputs that are written
class Write(nn.Module):
    def forward(self, x):
        return x.mul_(2)


_model = Write()
_model.register_full_backward_hook(lambda m, i, o: None)
_model(torch.ones(2, requires_grad=True) * 1)

# Tensor.mul_: a full backward hook and an output that is written
_model = nn.Linear(2, 2)
_model.register_full_backward_hook(lambda m, i, o: None)
_model(torch.ones(2, requires_grad=True)).mul_(2)

# torch.no_grad: a full backward hook under no_grad
calls = []
_model = nn.Linear(2, 2)
_model.register_full_backward_hook(lambda m, i, o: calls.append("called"))
with torch.no_grad():
    y = _model(torch.ones(2, requires_grad=True))
print(y.grad_fn)

# Tensor.backward: a full backward hook under create_graph
calls = []
_model = nn.Linear(2, 2)
_model.register_full_backward_hook(lambda m, i, o: calls.append(i[0].requires_grad))
x = torch.ones(2, requires_grad=True)
(first,) = torch.autograd.grad((_model(x) ** 2).sum(), x, create_graph=True)
first.sum().backward()


# Tensor.backward: a full backward hook and keyword arguments
class Scale(nn.Module):
    def forward(self, x, factor):
        return x * factor


calls = []
_model = Scale()
_model.register_full_backward_hook(lambda m, i, o: calls.append(len(i)))
x = torch.ones(2, requires_grad=True)
w = torch.ones(2, requires_grad=True)
_model(x, factor=w).sum().backward()

# nn.Linear: backward hooks of both kinds
_model = nn.Linear(2, 2)
_model.register_full_backward_hook(lambda m, i, o: None)
_model.register_backward_hook(lambda m, i, o: None)

# nn.Linear: backward hooks of both kinds, the other way round
_model = nn.Linear(2, 2)
_model.register_backward_hook(lambda m, i, o: None)
_model.register_full_backward_hook(lambda m, i, o: None)

# nn.ReLU: a backward hook of the old kind
calls = []
_model = nn.ReLU()
_model.register_backward_hook(lambda m, i, o: calls.append((type(m), i[0].tolist())))
x = torch.ones(2, requires_grad=True)
_model(x * 1).sum().backward()

# nn.ReLU: a backward hook of the old kind, for several nodes
calls = []
_model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
_model.register_backward_hook(lambda m, i, o: calls.append(len(i)))
_model(torch.ones(2, requires_grad=True)).sum().backward()


# Tensor.__init__: backward hooks of the old kind that miss something
class Any(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


x = torch.ones(2, requires_grad=True)
for _function, _args in (
    (lambda x: {"a": x * 2}, (x,)),
    (lambda x: [x * 2], (x,)),
    (lambda x: (x * 2, x * 3), (x,)),
    (lambda x, y: x * y, (x, 3)),
    (lambda x: x.detach(), (x,)),
    (lambda x: x * 2, (x * 1,)),
):
    _model = Any(_function)
    _model.register_backward_hook(lambda m, i, o: None)
    _model(*_args)
Any = 0

# nn.ReLU: global forward hooks
calls = []
_model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
_model.register_forward_pre_hook(lambda m, a: calls.append("own pre"))
_model.register_forward_hook(lambda m, a, out: calls.append("own"))
_module = torch.nn.modules.module
_handles = [
    _module.register_module_forward_pre_hook(lambda m, a: calls.append(("pre", type(m).__name__))),
    _module.register_module_forward_hook(lambda m, a, out: calls.append(type(m).__name__)),
    _module.register_module_forward_hook(
        lambda m, a, k, out: calls.append(("kwargs", k)), with_kwargs=True, always_call=True
    ),
]
_model(torch.ones(2))
for _handle in _handles:
    _handle.remove()
calls.append("removed")
_model(torch.ones(2))
_module = 0


# nn.modules.module.register_module_forward_hook: global forward hooks that are always called
class Fail(nn.Module):
    def forward(self, x):
        raise KeyError("forward")


calls = []
_register = torch.nn.modules.module.register_module_forward_hook
with _register(lambda m, a, out: calls.append(("always", out)), always_call=True):
    with _register(lambda m, a, out: {}[1], always_call=True):
        Fail()(torch.ones(2))

# Tensor.backward: global full backward hooks
calls = []
_model = nn.Linear(2, 2)
_model.register_full_backward_hook(lambda m, i, o: calls.append("own"))
_model.register_full_backward_pre_hook(lambda m, o: calls.append("own pre"))
_module = torch.nn.modules.module
with _module.register_module_full_backward_hook(lambda m, i, o: calls.append("global")):
    with _module.register_module_full_backward_pre_hook(lambda m, o: calls.append("global pre")):
        _model(torch.ones(2, requires_grad=True)).sum().backward()
_model(torch.ones(2, requires_grad=True)).sum().backward()
_module.register_module_backward_hook(lambda m, i, o: None)

# nn.BatchNorm1d: global registration hooks
calls = []
_module = torch.nn.modules.module
_handles = [
    _module.register_module_buffer_registration_hook(lambda m, n, b: calls.append(("buffer", n))),
    _module.register_module_module_registration_hook(lambda m, n, b: calls.append(("module", n))),
    _module.register_module_parameter_registration_hook(
        lambda m, n, p: calls.append(("parameter", n, p is None))
    ),
]
_model = nn.Sequential(nn.Linear(2, 2, bias=False), nn.BatchNorm1d(2))
_model.extra = nn.ReLU()
_model.extra = None
_model.register_buffer("b", torch.ones(2))
_model.w = nn.Parameter(torch.ones(2))
for _handle in _handles:
    _handle.remove()
_model.v = nn.Parameter(torch.ones(2))
with _module.register_module_parameter_registration_hook(lambda m, n, p: nn.Parameter(p * 5)):
    _model.u = nn.Parameter(torch.ones(2))
print(_model.u)
_module = 0

# state_dict hooks
calls = []
_model = nn.Sequential(nn.Linear(2, 2))
_model.register_state_dict_pre_hook(lambda m, prefix, keep: calls.append(("pre", prefix, keep)))
_model[0].register_state_dict_pre_hook(lambda m, prefix, keep: calls.append(("pre", prefix)))


def add(module, state, prefix, metadata):
    calls.append(("post", prefix, dict(metadata), sorted(state)))
    state[prefix + "extra"] = 1


_model.register_state_dict_post_hook(add)
_model[0].register_state_dict_post_hook(add)
print(sorted(_model.state_dict()))
_model._register_state_dict_hook(lambda m, s, p, d: {"replaced": 1})
print(_model.state_dict())
_model._register_state_dict_hook(add)

# nn.Linear: a state_dict hook that returns something
_model = nn.Linear(2, 2)
_model.register_state_dict_post_hook(lambda m, s, p, d: s)
_model.state_dict()

# load_state_dict hooks
calls = []
_model = nn.Sequential(nn.Linear(2, 2))


def before(module, state, prefix, metadata, strict, missing, unexpected, errors):
    calls.append((type(module).__name__, prefix, strict, sorted(state)))
    state.pop("0.old", None)


_model.register_load_state_dict_pre_hook(before)
_model[0].register_load_state_dict_pre_hook(before)
_model._register_load_state_dict_pre_hook(lambda *args: calls.append(len(args)))
_model.register_load_state_dict_post_hook(
    lambda m, keys: calls.append((list(keys.missing_keys), list(keys.unexpected_keys)))
)
print(_model.load_state_dict({**_model.state_dict(), "0.old": torch.ones(1)}))


def forgive(module, keys):
    keys.missing_keys.clear()
    keys.unexpected_keys.clear()


_model.register_load_state_dict_post_hook(forgive)
print(_model.load_state_dict({"nothing": torch.ones(1)}))
_model.register_load_state_dict_post_hook(lambda m, keys: keys)
_model.load_state_dict({})

# nn.Linear: hooks of a module that is copied and pickled
import copy
import pickle

calls = []


def hook(module, args, out):
    calls.append(id(module) == id(_model))


_model = nn.Linear(2, 2)
_model.register_forward_hook(hook)
_copy = copy.deepcopy(_model)
_copy(torch.ones(2))
_model(torch.ones(2))
print(len(_copy._forward_hooks), len(pickle.loads(pickle.dumps(nn.Linear(2, 2)))._forward_hooks))

# Tensor.register_hook: hooks of a tensor that is pickled
import pickle

x = torch.ones(2, requires_grad=True)
x.register_hook(abs)
print(pickle.loads(pickle.dumps(x)))

# torch.utils.hooks.unserializable_hook: hooks of a tensor that may be lost when it is pickled
import pickle

x = torch.ones(2, requires_grad=True)
x.register_hook(torch.utils.hooks.unserializable_hook(lambda grad: None))
print(pickle.loads(pickle.dumps(x)), len(x._backward_hooks), torch.ones(2)._backward_hooks)

# nn.Module: a handle that is pickled
import pickle
from collections import OrderedDict

from torch.utils.hooks import RemovableHandle

_hooks = OrderedDict()
_extra = OrderedDict()
_handle = RemovableHandle(_hooks, extra_dict=_extra)
_hooks[_handle.id] = _extra[_handle.id] = 1
_other, _again = pickle.loads(pickle.dumps((_hooks, _handle)))
print(_again.id == _handle.id, len(_other))
_again.remove()
print(len(_other), len(_hooks), len(_handle.extra_dict_ref))
_handle.remove()
_handle.remove()
print(len(_hooks), len(_extra))
_dead = pickle.loads(pickle.dumps(RemovableHandle(OrderedDict())))
_dead.remove()

# Tensor.register_hook: a handle that outlives its hooks
x = torch.ones(2, requires_grad=True)
_handle = (x * 2).register_hook(print)
_handle.remove()
print(type(_handle))

# torch.utils.hooks.RemovableHandle: ids of handles count up
x = torch.ones(2, requires_grad=True)
_first = x.register_hook(print)
_second = nn.ReLU().register_forward_hook(print)
print(_second.id - _first.id, torch.utils.hooks.RemovableHandle.next_id - _second.id)

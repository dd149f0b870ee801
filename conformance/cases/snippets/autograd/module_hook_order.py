# nn.modules.module.register_module_forward_pre_hook: module hooks: prepend and order among kinds
seen = []
m = nn.Linear(1, 1)
m.register_forward_pre_hook(lambda m, i: seen.append("pre1"))
m.register_forward_pre_hook(lambda m, i: seen.append("pre2"), prepend=True)
m.register_forward_hook(lambda m, i, o: seen.append("fwd1"))
m.register_forward_hook(lambda m, i, o: seen.append("fwd2"), prepend=True)
m.register_full_backward_hook(lambda m, gi, go: seen.append("bwd1"))
m.register_full_backward_hook(lambda m, gi, go: seen.append("bwd2"), prepend=True)
m.register_full_backward_pre_hook(lambda m, go: seen.append("bpre1"))
m.register_full_backward_pre_hook(lambda m, go: seen.append("bpre2"), prepend=True)
h = nn.modules.module.register_module_forward_pre_hook(lambda m, i: seen.append("gpre"))
h2 = nn.modules.module.register_module_forward_hook(lambda m, i, o: seen.append("gfwd"))
h3 = nn.modules.module.register_module_full_backward_hook(lambda m, gi, go: seen.append("gbwd"))
h4 = nn.modules.module.register_module_full_backward_pre_hook(lambda m, go: seen.append("gbpre"))
m(torch.ones(1, 1, requires_grad=True)).sum().backward()
for h in (h, h2, h3, h4):
    h.remove()
print(seen)
del h, h2, h3, h4

# nn.Module: module hooks: with_kwargs that change arguments and results
seen = []


class M(nn.Module):
    def forward(self, x, *, k=1, flag=False):
        seen.append((k, flag))
        return x * k


m = M()
h = m.register_forward_pre_hook(lambda m, a, kw: ((a[0] * 2,), {**kw, "k": 5}), with_kwargs=True)
g = m.register_forward_hook(
    lambda m, a, kw, o: (seen.append((a[0].tolist(), sorted(kw.items()))), o + 1)[1],
    with_kwargs=True,
)
y = m(torch.ones(1), k=2, flag=True)
h.remove()
g.remove()
for bad in (
    lambda m, a, kw: 3,
    lambda m, a, kw: (a,),
    lambda m, a, kw: (a, 3),
    lambda m, a, kw: None,
):
    h = m.register_forward_pre_hook(bad, with_kwargs=True)
    try:
        print(m(torch.ones(1), k=2))
    except Exception as e:
        print(type(e).__name__, str(e)[:80])
    h.remove()
del h, g

# nn.Identity: module hooks: pre hooks that return one thing, a tuple, a list
m = nn.Identity()
for ret in (torch.ones(1) * 3, (torch.ones(1) * 4,), [torch.ones(1) * 5], None, 7):
    h = m.register_forward_pre_hook(lambda m, i: ret)
    try:
        print(m(torch.ones(1)))
    except Exception as e:
        print(type(e).__name__, e)
    h.remove()
del h

# nn.Module: module hooks: always_call with errors in forward and in hooks
seen = []


class M(nn.Module):
    def forward(self, x):
        if x.sum() > 0:
            raise ValueError("forward")
        return x


m = M()
m.register_forward_hook(lambda m, i, o: seen.append(("always", o)), always_call=True)
m.register_forward_hook(lambda m, i, o: seen.append(("never", o)))


def bad(m, i, o):
    seen.append("bad")
    raise RuntimeError("hook")


h = m.register_forward_hook(bad, always_call=True)
import warnings

for x in (torch.ones(1), torch.zeros(1)):
    with warnings.catch_warnings(record=True) as w:
        warnings.simplefilter("always")
        try:
            m(x)
        except Exception as e:
            print(type(e).__name__, e)
        print([str(x.message) for x in w])
print(seen)
del h, w

# Tensor.backward: module hooks: full backward hook that returns gradients of another kind
m = nn.Linear(2, 2)
x = torch.ones(1, 2, requires_grad=True)
for ret in (
    lambda gi: (gi[0] * 2,),
    lambda gi: gi[0] * 3,
    lambda gi: (None,),
    lambda gi: (gi[0], gi[0]),
    lambda gi: 3,
    lambda gi: [gi[0]],
):
    h = m.register_full_backward_hook(lambda m, gi, go: ret(gi))
    x.grad = None
    try:
        m(x).sum().backward()
        print(x.grad)
    except Exception as e:
        print(type(e).__name__, str(e)[:150])
    h.remove()
del h

# Tensor.backward: module hooks: backward pre hook that returns gradients
m = nn.Linear(2, 2)
x = torch.ones(1, 2, requires_grad=True)
for ret in (
    lambda go: (go[0] * 2,),
    lambda go: go[0] * 3,
    lambda go: None,
    lambda go: (go[0], go[0]),
):
    h = m.register_full_backward_pre_hook(lambda m, go: ret(go))
    x.grad = None
    try:
        m(x).sum().backward()
        print(x.grad)
    except Exception as e:
        print(type(e).__name__, str(e)[:150])
    h.remove()
del h

# Tensor.__init__: module hooks: full backward hooks and outputs that are lists, dicts and no tensors
seen = []


class M(nn.Module):
    def __init__(self, out):
        super().__init__()
        self.out = out

    def forward(self, x):
        y = x * 2
        return {"t": (y, y + 1), "l": [y], "d": {"a": y}, "n": None, "i": (y, 3)}[self.out]


for out in "tldni":
    m = M(out)
    m.register_full_backward_hook(lambda m, gi, go: seen.append((m.out, len(gi), len(go))))
    try:
        r = m(torch.ones(1, requires_grad=True))
        t = r[0] if isinstance(r, (tuple, list)) else r["a"] if isinstance(r, dict) else None
        if t is not None:
            print(type(r).__name__, t.grad_fn.name())
            t.sum().backward()
    except Exception as e:
        print(out, type(e).__name__, str(e)[:120])
print(seen)

# nn.ReLU: module hooks: counts of calls in nested and shared modules
seen = []
lin = nn.Linear(2, 2)
m = nn.Sequential(lin, nn.ReLU(), lin)
for name, mod in m.named_modules():
    mod.register_forward_hook(lambda mod, i, o, name=name: seen.append(("f", name)))
    mod.register_full_backward_hook(lambda mod, gi, go, name=name: seen.append(("b", name)))
m(torch.ones(1, 2, requires_grad=True)).sum().backward()
print(seen)

# nn.ReLU: module hooks: in-place modules after a full backward hook
m = nn.Sequential(nn.Linear(2, 2), nn.ReLU(inplace=True))
m[0].register_full_backward_hook(lambda m, gi, go: None)
try:
    m(torch.ones(1, 2)).sum().backward()
    print("ok")
except RuntimeError as e:
    print(e)

# nn.Sequential: module hooks: state_dict pre and post, load pre and post
seen = []
m = nn.Sequential(nn.Linear(1, 1))
m.register_state_dict_pre_hook(lambda mod, prefix, keep: seen.append(("pre", prefix, keep)))
m._register_state_dict_hook(lambda mod, sd, prefix, meta: seen.append(("post", sorted(sd), prefix)))
m.register_state_dict_post_hook(lambda mod, sd, prefix, meta: seen.append("post2"))
m._register_load_state_dict_pre_hook(
    lambda sd, prefix, meta, strict, missing, unexpected, errors: seen.append(
        ("loadpre", prefix, strict)
    )
)
m.register_load_state_dict_pre_hook(
    lambda mod, sd, prefix, meta, strict, missing, unexpected, errors: seen.append(
        ("loadpre2", type(mod).__name__)
    )
)
m.register_load_state_dict_post_hook(
    lambda mod, keys: seen.append(("loadpost", keys.missing_keys, keys.unexpected_keys))
)
sd = m.state_dict(keep_vars=True)
m.load_state_dict(sd)
m.load_state_dict({}, strict=False)
print(seen)

# nn.BatchNorm1d: module hooks: global registration hooks change what is registered
from torch.nn.modules.module import (
    register_module_parameter_registration_hook as rp,
    register_module_module_registration_hook as rm,
    register_module_buffer_registration_hook as rb,
)

seen = []
h = rp(lambda mod, name, p: seen.append(("p", name)))
h2 = rm(lambda mod, name, sub: seen.append(("m", name)))
h3 = rb(lambda mod, name, b: (seen.append(("b", name)), torch.zeros(1))[1])
m = nn.Sequential(nn.BatchNorm1d(1))
for h in (h, h2, h3):
    h.remove()
print(seen, m[0].running_var)
del h, h2, h3

# nn.Linear: module hooks: the handle and the dictionaries
m = nn.Linear(1, 1)
h = m.register_forward_hook(lambda m, i, o: None, always_call=True, with_kwargs=False)
print(len(m._forward_hooks), len(m._forward_hooks_always_called), len(m._forward_hooks_with_kwargs))
h.remove()
print(len(m._forward_hooks), len(m._forward_hooks_always_called))
g = m.register_forward_hook(lambda m, a, k, o: None, with_kwargs=True)
print(len(m._forward_hooks_with_kwargs))
g.remove()
print(len(m._forward_hooks_with_kwargs))
del h, g

# Tensor.__setstate__: hooks of a module that is there no longer
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

# torch.matmul: results of matrix products are kept
import functools
from torch.utils.checkpoint import (
    checkpoint,
    create_selective_checkpoint_contexts,
    CheckpointPolicy,
)

seen = []


def policy(ctx, op, *args, **kwargs):
    seen.append(
        (str(op), ctx.is_recompute, type(ctx.op_output).__name__, len(args), sorted(kwargs))
    )
    return (
        CheckpointPolicy.MUST_SAVE
        if op == torch.ops.aten.mm.default
        else CheckpointPolicy.PREFER_RECOMPUTE
    )


def fn(x, y):
    return torch.sigmoid(torch.matmul(torch.matmul(x, y), y)) * y


x = torch.rand(4, 4, requires_grad=True)
y = torch.rand(4, 4, requires_grad=True)
out = checkpoint(
    fn,
    x,
    y,
    use_reentrant=False,
    context_fn=functools.partial(create_selective_checkpoint_contexts, policy),
)
out.sum().backward()
print(seen)

# torch.ops.aten.sigmoid.default: a list of operators
import functools
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

ops = [torch.ops.aten.mm.default, torch.ops.aten.sigmoid.default]
x = torch.rand(4, 4, requires_grad=True)
y = torch.rand(4, 4, requires_grad=True)
out = checkpoint(
    lambda x, y: torch.sigmoid(x @ y) @ y,
    x,
    y,
    use_reentrant=False,
    context_fn=functools.partial(create_selective_checkpoint_contexts, ops),
)
g = [g.clone() for g in torch.autograd.grad(out.sum(), [x, y])]

# torch.ops.aten.mm.default: backward an extra time
import functools
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

ops = [torch.ops.aten.mm.default]
x = torch.rand(4, 4, requires_grad=True)
out = checkpoint(
    lambda x: (x @ x).exp(),
    x,
    use_reentrant=False,
    context_fn=functools.partial(create_selective_checkpoint_contexts, ops),
)
out.sum().backward(retain_graph=True)
out.sum().backward()

# torch.ops.aten.mm.default: what is kept is written
import functools
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

ops = [torch.ops.aten.mm.default]


def f(x):
    y = x @ x
    z = y.sin()
    y.add_(1)
    return z * y


x = torch.rand(4, 4, requires_grad=True)
for allowed in (True, False):
    context = functools.partial(
        create_selective_checkpoint_contexts, ops, allow_cache_entry_mutation=allowed
    )
    out = checkpoint(f, x, use_reentrant=False, context_fn=context)
    try:
        out.sum().backward()
    except RuntimeError as e:
        print(e)

# torch.ops.aten.mm: a packet is no operator
from torch.utils.checkpoint import create_selective_checkpoint_contexts

for what in ([torch.ops.aten.mm], [3], 3):
    try:
        create_selective_checkpoint_contexts(what)
    except (ValueError, TypeError) as e:
        print(type(e).__name__, e)

# Tensor.sin: a policy that says yes or no
import functools
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

seen = []


def policy(ctx, op, *args, **kwargs):
    seen.append(str(op))
    return "exp" in str(op)


x = torch.rand(4, requires_grad=True)
out = checkpoint(
    lambda x: x.exp().sin() + 2,
    x,
    use_reentrant=False,
    context_fn=functools.partial(create_selective_checkpoint_contexts, policy),
)
out.sum().backward()
print(seen)

# nn.Softmax: everything is kept
import functools
from torch.utils.checkpoint import (
    checkpoint,
    create_selective_checkpoint_contexts,
    CheckpointPolicy,
)

m = nn.Sequential(nn.Linear(4, 8), nn.LayerNorm(8), nn.ReLU(), nn.Linear(8, 2), nn.Softmax(-1))
x = torch.rand(3, 4, requires_grad=True)
policy = lambda ctx, op, *args, **kwargs: CheckpointPolicy.PREFER_SAVE
out = checkpoint(
    m,
    x,
    use_reentrant=False,
    context_fn=functools.partial(create_selective_checkpoint_contexts, policy),
)
out[:, 0].sum().backward()

# nn.GELU: which operators of a network are seen
import functools
from torch.utils.checkpoint import (
    checkpoint,
    create_selective_checkpoint_contexts,
    CheckpointPolicy,
)

seen = []


def policy(ctx, op, *args, **kwargs):
    seen.append(str(op))
    return CheckpointPolicy.PREFER_RECOMPUTE


m = nn.Sequential(
    nn.Linear(4, 8), nn.LayerNorm(8), nn.ReLU(), nn.GELU(), nn.Linear(8, 2), nn.Softmax(-1)
)
x = torch.rand(3, 4, requires_grad=True)
out = checkpoint(
    m,
    x,
    use_reentrant=False,
    context_fn=functools.partial(create_selective_checkpoint_contexts, policy),
)
out[:, 0].sum().backward()
print(seen)

# torch.ops.aten.convolution.default: convolution, pooling, norm
import functools
from torch.utils.checkpoint import (
    checkpoint,
    create_selective_checkpoint_contexts,
    CheckpointPolicy,
)

ops = [
    torch.ops.aten.convolution.default,
    torch.ops.aten.native_batch_norm.default,
    torch.ops.aten.max_pool2d_with_indices.default,
]
m = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten())
x = torch.rand(3, 1, 6, 6, requires_grad=True)
out = checkpoint(
    m,
    x,
    use_reentrant=False,
    context_fn=functools.partial(create_selective_checkpoint_contexts, ops),
)
(out**2).sum().backward()

# torch.var_mean: operators with several results, one of them no gradient
import functools
from torch.utils.checkpoint import (
    checkpoint,
    create_selective_checkpoint_contexts,
    CheckpointPolicy,
)

policy = lambda ctx, op, *args, **kwargs: CheckpointPolicy.MUST_SAVE


def f(x):
    v, i = x.sort(dim=0)
    m, j = v.max(dim=1)
    a, b = torch.var_mean(x, 0)
    return v.sum() + m.exp().sum() + (a * b).sum() + torch.stack(x.unbind(0)).prod()


x = torch.rand(3, 4, requires_grad=True)
out = checkpoint(
    f,
    x,
    use_reentrant=False,
    context_fn=functools.partial(create_selective_checkpoint_contexts, policy),
)
out.backward()

# torch.no_grad: without gradients
import functools
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

seen = []


def policy(ctx, op, *args, **kwargs):
    seen.append(str(op))
    return True


x = torch.rand(4, requires_grad=True)
with torch.no_grad():
    out = checkpoint(
        lambda x: x.exp(),
        x,
        use_reentrant=False,
        context_fn=functools.partial(create_selective_checkpoint_contexts, policy),
    )
print(seen)

# torch.ops.aten.exp.default: a recomputation that goes another way
import functools
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

calls = []


def f(x):
    calls.append(1)
    return x.exp().sin() if len(calls) < 2 else x.cos().sin()


x = torch.rand(4, requires_grad=True)
out = checkpoint(
    f,
    x,
    use_reentrant=False,
    context_fn=functools.partial(
        create_selective_checkpoint_contexts, [torch.ops.aten.exp.default]
    ),
)
out.sum().backward()

# torch.ops.aten.mm: operators as objects
op = torch.ops.aten.mm.default
print(
    repr(op),
    str(op),
    op.name(),
    op.__name__,
    str(op.overloadpacket),
    repr(torch.ops.aten.mm),
    op.namespace,
    op._schema,
    op._overloadname,
    op._opname,
    op.__qualname__,
)
print(torch.ops.aten.mm.default is torch.ops.aten.mm.default, torch.ops.aten.mm._qualified_op_name)
print(
    repr(torch.ops.aten.add.Tensor),
    torch.ops.aten.add.Tensor.name(),
    torch.ops.aten.add.Tensor._schema,
)
a = torch.ops.aten.mm(torch.ones(2, 2), torch.ones(2, 2))
b = torch.ops.aten.add.Tensor(torch.ones(2), torch.ones(2), alpha=2)
c = torch.ops.aten.sum.dim_IntList(torch.ones(2, 3), [1])
d = torch.ops.aten.mul(torch.ones(2), 2)
e = torch.ops.aten.view.default(torch.ones(2, 3), [6])
for name in ("nosuch",):
    try:
        getattr(torch.ops.aten, name)
    except AttributeError as error:
        print(error)
try:
    torch.ops.aten.mm.foo
except AttributeError as error:
    print(error)
try:
    torch.ops.nosuch.f
except AttributeError as error:
    print(error)

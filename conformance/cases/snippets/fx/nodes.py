# Node arguments, users and input nodes
g = torch.fx.symbolic_trace(lambda x, y: torch.add(x, y, alpha=2) * x)
for node in g.graph.nodes:
    print(
        node,
        node.op,
        node.name,
        getattr(node.target, "__name__", node.target),
        node.args,
        node.kwargs,
        node.users,
    )
    print(node.all_input_nodes, node._input_nodes, node.next, node.prev, node.type, node.meta)

# Node.args and kwargs are set
g = torch.fx.symbolic_trace(lambda x, y: torch.add(x, y, alpha=2) * x)
x, y, add, mul, out = g.graph.nodes
add.args = (y, y)
print(x.users, y.users)
add.kwargs = {"alpha": x}
print(x.users, y.users, add.kwargs)
mul.update_arg(0, y)
mul.update_kwarg("extra", add)
print(mul.args, mul.kwargs, add.users)
mul.insert_arg(1, 7)
print(mul.args)
print(g.graph)

# Node.insert_arg beyond the arguments
g = torch.fx.symbolic_trace(lambda x: torch.relu(x))
list(g.graph.nodes)[1].insert_arg(3, 1)

# Node.replace_all_uses_with
g = torch.fx.symbolic_trace(lambda x: (torch.relu(x) + 1, torch.relu(x)))
x, a, b, c, out = g.graph.nodes
print(a.replace_all_uses_with(x), a.users, x.users, out.args)
a.meta["tag"] = 1
print(c.replace_all_uses_with(a, lambda user: user.op == "output", propagate_meta=False))
print(g.graph)

# Node.replace_all_uses_with hands meta on
g = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
x, a, b, out = g.graph.nodes
b.meta["tag"] = 1
b.replace_all_uses_with(a, propagate_meta=True)
print(a.meta, g.graph)

# Node.replace_input_with
g = torch.fx.symbolic_trace(lambda x, y: torch.cat([x, y, x], dim=0))
x, y, cat, out = g.graph.nodes
cat.replace_input_with(x, y)
print(cat.args, x.users, y.users)


# Node.format_node of each kind
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)
        self.p = nn.Parameter(torch.ones(2))

    def forward(self, x: torch.Tensor, y: int = 2):
        return self.a(x).add(y) @ self.p


g = torch.fx.symbolic_trace(Net())
for node in g.graph.nodes:
    print(node.format_node())
    print(repr(node))
names, types = [], [None]
for node in g.graph.nodes:
    print(node.format_node(names, types))
print(names, types)

# Node.append, prepend and the order
g = torch.fx.symbolic_trace(lambda x: (torch.relu(x), torch.neg(x), torch.sin(x)))
x, a, b, c, out = g.graph.nodes
a.prepend(c)
print(g.graph)
c.append(b)
print(g.graph, b < a, a.next, b.prev)

# Node.append of itself
g = torch.fx.symbolic_trace(lambda x: torch.relu(x))
node = list(g.graph.nodes)[1]
node.append(node)
print(g.graph)

# Node.append of a node of another graph
a = torch.fx.symbolic_trace(lambda x: torch.relu(x))
b = torch.fx.symbolic_trace(lambda x: torch.relu(x))
list(a.graph.nodes)[1].append(list(b.graph.nodes)[1])


# Node.is_impure
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 2), nn.BatchNorm1d(2)

    def forward(self, x):
        x.add_(1)
        torch.add(x, 1, out=x)
        torch._assert(x, "no")
        return torch.dropout(torch.rand(2) + self.b(self.a(x)), 0.5, True).relu_()


g = torch.fx.symbolic_trace(Net())
print([(n.name, n.is_impure()) for n in g.graph.nodes])


# Node.normalized_arguments
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 1, 1)

    def forward(self, x):
        return F.relu(self.conv(x), True) + torch.sum(x, dim=0, keepdim=True)


g = torch.fx.symbolic_trace(Net())
for node in g.graph.nodes:
    if node.op == "call_module":
        print(node.normalized_arguments(g))
        print(node.normalized_arguments(g, normalize_to_only_use_kwargs=True))
    elif node.op == "call_function":
        print(node.name, node.normalized_arguments(g, normalize_to_only_use_kwargs=True))
        print(
            node.normalized_arguments(
                g,
                arg_types=(torch.Tensor,),
                kwarg_types={"dim": int, "keepdim": bool},
                normalize_to_only_use_kwargs=True,
            )
        )

# Node.name is set
g = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
node = list(g.graph.nodes)[1]
node.name = "mine"
print(g.graph)
node._rename("add")
print(g.graph, node.name)
g.recompile()
print(g.code)

# Node.target is set
import operator

g = torch.fx.symbolic_trace(lambda x, y: x + y)
node = list(g.graph.nodes)[2]
node.target = operator.mul
g.recompile()
print(g.code, g(3, 4))

# Node.stack_trace and meta
g = torch.fx.symbolic_trace(lambda x: torch.relu(x))
node = list(g.graph.nodes)[1]
print(node.stack_trace)
node.stack_trace = "somewhere"
print(node.meta, node.stack_trace)
node.meta["val"] = torch.ones(2, 3)
print(node.format_node())

# Node arguments are immutable
g = torch.fx.symbolic_trace(lambda x: torch.cat([x, x], dim=0))
node = list(g.graph.nodes)[1]
print(type(node.args[0]).__name__, type(node.kwargs).__name__, node.args[0])
node.args[0].append(1)

# Node keywords are immutable
g = torch.fx.symbolic_trace(lambda x: torch.cat([x, x], dim=0))
node = list(g.graph.nodes)[1]
node.kwargs["dim"] = 1

# Node arguments of tensors and modules
graph = torch.fx.Graph()
node = graph.call_function(torch.relu, (torch.ones(2),))
print(node.args, graph)

# Node.map_arg and map_aggregate
from torch.fx.node import map_aggregate, map_arg

g = torch.fx.symbolic_trace(lambda x, y: torch.cat([x, y], dim=0))
node = list(g.graph.nodes)[2]
seen = []
print(map_arg(node.args, lambda n: seen.append(n) or n.name), seen)
print(
    map_aggregate(
        {"a": [1, (2, slice(3, None))]}, lambda x: x and x + 1 if isinstance(x, int) else x
    )
)
print(torch.fx.node.has_side_effect(len) is len)

# immutable_collections
from torch.fx.immutable_collections import immutable_dict, immutable_list

a, b = immutable_list([1, [2]]), immutable_dict({"a": 1})
print(a, b, hash(a), hash(b), a == [1, [2]], b == {"a": 1}, type(a + [1]), repr(a))
for call in (
    lambda: a.append(1),
    lambda: a.sort(),
    lambda: a.__setitem__(0, 1),
    lambda: b.update({}),
    lambda: b.pop("a"),
    lambda: b.__delitem__("a"),
):
    try:
        call()
    except (NotImplementedError, TypeError) as e:
        print(type(e).__name__, e)
leaves, spec = torch.utils._pytree.tree_flatten(a)
print(leaves, torch.utils._pytree.tree_unflatten(leaves, spec), spec)
import pickle

print(type(pickle.loads(pickle.dumps(a))).__name__, pickle.loads(pickle.dumps(b)))

# _get_qualified_name of functions that torch writes in Python, here and there
from torch.fx.node import _get_qualified_name

for function in (
    torch.broadcast_shapes,
    torch.can_cast,
    torch.from_dlpack,
    torch.get_default_dtype,
    torch.load,
    torch.lobpcg,
    torch.manual_seed,
    torch.pca_lowrank,
    torch.promote_types,
    torch.save,
    torch.set_printoptions,
    torch.svd_lowrank,
):
    print(_get_qualified_name(function))

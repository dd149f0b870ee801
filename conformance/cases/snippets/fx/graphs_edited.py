# Graph.create_node with names, arguments and types
graph = torch.fx.Graph()
x = graph.create_node("placeholder", "x", type_expr=torch.Tensor)
y = graph.create_node("placeholder", "y", args=(2,), name="given")
z = graph.create_node("call_function", torch.add, (x, y), {"alpha": 2}, name="x")
graph.create_node("output", "output", (z,))
graph.lint()
print(graph)
print(graph.python_code("self").src)
print(list(graph.nodes), len(graph.nodes), z.name, z.args, z.kwargs)

# Graph.placeholder, call_function, call_method, call_module, get_attr and output
module = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
graph = torch.fx.Graph()
x = graph.placeholder("x", default_value=None)
y = graph.get_attr("0.weight")
z = graph.call_module("1", (x,))
z = graph.call_function(torch.matmul, args=(z, y))
z = graph.call_method("add", (z, 1))
graph.output((z, {"a": x}))
g = torch.fx.GraphModule(module, graph)
print(g.code, g.graph, list(g.named_modules()))
out = g(torch.ones(1, 2))

# Graph.call_module of what is not there warns
graph = torch.fx.Graph(nn.Sequential())
graph.call_module("missing")

# Graph.get_attr of what is not there warns
graph = torch.fx.Graph(nn.Sequential())
graph.owning_module = nn.Sequential()
graph.get_attr("missing")

# Graph.inserting_before and inserting_after
g = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
first = next(iter(g.graph.nodes))
relu = [n for n in g.graph.nodes if n.target is torch.relu][0]
with g.graph.inserting_before(relu):
    neg = g.graph.call_function(torch.neg, (first,))
with g.graph.inserting_after(relu):
    sin = g.graph.call_function(torch.sin, (relu,))
relu.args = (neg,)
with g.graph.inserting_before():
    extra = g.graph.placeholder("extra")
print(g.graph)
g.recompile()
print(g.code)
g.graph.lint()

# Graph.erase_node of a node that is used
g = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
relu = [n for n in g.graph.nodes if n.target is torch.relu][0]
g.graph.erase_node(relu)

# Graph.erase_node twice warns
g = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
add = [n for n in g.graph.nodes if n.op == "call_function"][-1]
add.replace_all_uses_with(add.args[0])
g.graph.erase_node(add)
g.graph.erase_node(add)
print(g.graph)


# Graph.eliminate_dead_code
def f(x):
    a = torch.sin(x)
    b = torch.cos(a)
    x.add_(1)
    torch.neg(b)
    torch.rand(2)
    return a


g = torch.fx.symbolic_trace(f)
print(g.graph)
print(g.graph.eliminate_dead_code(), g.graph)
print(g.graph.eliminate_dead_code())
g.recompile()
print(g.code)

# Graph.eliminate_dead_code with an opinion of what is pure
g = torch.fx.symbolic_trace(lambda x: (torch.sin(x), torch.neg(x))[1])
print(g.graph.eliminate_dead_code(is_impure_node=lambda node: node.target is torch.sin), g.graph)


# Graph.find_nodes
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(2, 2), nn.Linear(2, 2)

    def forward(self, x):
        return torch.relu(self.b(torch.relu(self.a(self.b(x))))) + 1


g = torch.fx.symbolic_trace(Net())
print(g.graph.find_nodes(op="call_module"), g.graph.find_nodes(op="call_module", target="b"))
print(g.graph.find_nodes(op="call_function", target=torch.relu, sort=False))
print(
    g.graph.find_nodes(op="placeholder"),
    g.graph.output_node(),
    g.graph.find_nodes(op="call_method"),
)

# Graph.node_copy and graph_copy
g = torch.fx.symbolic_trace(lambda x, y: torch.relu(x) + y)
new = torch.fx.Graph()
known = {}
out = new.graph_copy(g.graph, known)
print(new, out, known)
other = torch.fx.Graph()
for node in g.graph.nodes:
    known[node] = other.node_copy(node, lambda n: known[n])
print(other)
print(torch.fx.GraphModule({}, other).code)

# Graph.lint of a node before its argument
g = torch.fx.symbolic_trace(lambda x: torch.relu(torch.sin(x)))
nodes = list(g.graph.nodes)
nodes[1].append(nodes[0])
nodes[2].append(nodes[1])
g.graph.lint()

# Graph.lint of a node of another graph
a = torch.fx.symbolic_trace(lambda x: torch.relu(x))
b = torch.fx.symbolic_trace(lambda x: torch.relu(x))
node = list(a.graph.nodes)[1]
node.args = (list(b.graph.nodes)[0],)
a.graph.lint()

# Graph.lint of a module that is not there
g = torch.fx.symbolic_trace(nn.Sequential(nn.ReLU()))
for node in g.graph.nodes:
    if node.op == "call_module":
        node.target = "5"
g.graph.lint()


# Graph.python_code with its globals
def f(x: torch.Tensor, n: int = 3) -> torch.Tensor:
    return torch.clamp(F.relu(x).to(torch.float64), min=0.0, max=float("inf")) * n


code = torch.fx.symbolic_trace(f).graph.python_code("self")
print(code.src, sorted(code.globals), code._lineno_map)
del code
print(torch.fx.symbolic_trace(f).graph.python_code("me", verbose=True).src)

# Graph.on_generate_code
g = torch.fx.symbolic_trace(lambda x: torch.relu(x))


def transform(body):
    return ["# generated\n", *body]


with g.graph.on_generate_code(lambda current: transform):
    g.recompile()
    print(g.code)
g.recompile()
print(g.code)


# Graph.set_codegen
class Listed(torch.fx.CodeGen):
    def gen_fn_def(self, free_vars, maybe_return_annotation):
        return f"def forward(self, args_list: list){maybe_return_annotation}:\n    {', '.join(free_vars)} = args_list"

    def additional_globals(self):
        return [("list", list)]

    def process_inputs(self, *inputs):
        assert len(inputs) == 1
        return inputs[0]


g = torch.fx.symbolic_trace(lambda x, y: x + y)
g.graph.set_codegen(Listed())
g.recompile()
print(g.code, g([1, 2]))
print(g.graph.process_inputs([3, 4]), torch.fx.Interpreter(g).run([3, 4]))

# Graph deep copies, and owns
import copy

g = torch.fx.symbolic_trace(lambda x: torch.relu(x))
for node in g.graph.nodes:
    node.meta["mark"] = node.name
other = copy.deepcopy(g.graph)
print(other, [n.meta for n in other.nodes], other.owning_module is None, g.graph.owning_module is g)

# Graph.process_outputs and the order of nodes
g = torch.fx.symbolic_trace(lambda x: (torch.relu(x), x + 1))
print([n.name for n in reversed(g.graph.nodes)], g.graph.process_outputs(3))
a, b = [n for n in g.graph.nodes if n.op == "call_function"]
b.append(a)
print(a < b, a > b, a <= a, g.graph)
a.append(b)
print(a < b)

# Graph.print_tabular
import contextlib
import io

g = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
with contextlib.redirect_stdout(io.StringIO()) as text:
    g.graph.print_tabular()
print(text.getvalue())

# Graph.output twice, and names that Python keeps
graph = torch.fx.Graph()
x = graph.placeholder("lambda")
y = graph.placeholder("self")
z = graph.placeholder("torch")
w = graph.call_function(torch.add, (x, y))
w2 = graph.call_function(torch.add, (w, z), name="add")
w3 = graph.call_function(torch.add, (w, z), name="1-odd name")
graph.output([w3, slice(None, 2), range(3), None, torch.float32, torch.Size([2]), 1j, "text"])
print(graph, torch.fx.GraphModule({}, graph).code)

# Graph with tuples, dicts and slices among its arguments
g = torch.fx.symbolic_trace(
    lambda x: torch.cat([x[..., :2], x[:, None, 0], {"a": x}["a"]], dim=x.dim() - 1)
)
print(g.graph, g.code)

# Graph.inserting_before a node of another graph
a = torch.fx.symbolic_trace(lambda x: torch.relu(x))
b = torch.fx.symbolic_trace(lambda x: torch.relu(x))
with a.graph.inserting_before(next(iter(b.graph.nodes))):
    pass

# Graph.create_node of an unknown kind
torch.fx.Graph().create_node("call_something", "x")

# Graph.create_node with a list of arguments
torch.fx.Graph().create_node("call_function", torch.add, [1, 2])

# Graph.output_node without an output
print(torch.fx.Graph().output_node())


# Graph: the code of its hash and nested functions
def f(x):
    def inner(y):
        return torch.sigmoid(y)

    return inner(inner(x))


g = torch.fx.symbolic_trace(f)
print(g.code)
print(len(list(g.graph.nodes)), [n.name for n in g.graph.nodes])

# a function
def program(x, y=2):
    return torch.relu(x) * y + x.shape[0], F.relu(x), F.gelu(x), torch.cat([x, x]), x.view(-1), x.T


g = torch.fx.symbolic_trace(program)
print(g.graph, g.code, g)
a = g(torch.arange(-2.0, 3.0)[None])


# a module
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.rest = nn.Sequential(nn.ReLU(), nn.Linear(4, 2))
        self.scale = nn.Parameter(torch.ones(2))
        self.register_buffer("offset", torch.zeros(2))

    def forward(self, x, y: int = 3, *, z=None):
        a, b = self.rest(self.first(x)).chunk(2)
        return {"a": a * self.scale + self.offset, "b": [b, y]}


g = torch.fx.symbolic_trace(Net())
print(g.graph, g.code, g)
out = g(torch.ones(2, 3))
out["a"].sum().backward()

# a module of torch.nn traced through
print(torch.fx.Tracer().trace(nn.Linear(2, 2)))

# a condition on a value
torch.fx.symbolic_trace(lambda x: 1 if x else 2)

# a loop over a value
torch.fx.symbolic_trace(lambda x: list(x))

# a pattern is replaced
g = torch.fx.symbolic_trace(lambda x: torch.relu(torch.relu(x) + x) + 3)
found = torch.fx.replace_pattern(
    g, lambda x, y: torch.relu(x) + y, lambda x, y: torch.sigmoid(x * y)
)
print(len(found), g.code)
a = g(torch.ones(2))
del found

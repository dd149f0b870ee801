# a function
def program(x, y=2):
    return torch.relu(x) * y + x.shape[0]


g = torch.fx.symbolic_trace(program)
print(g.graph, g.code, g)
a = g(torch.arange(-2.0, 3.0))

# a graph through layers, twice
a = torch.nested.nested_tensor([torch.ones(2, 4), torch.ones(3, 4)], layout=torch.jagged)
net = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 2))
out = net(a)
print(out)
out.values().pow(2).mean().backward()
grads = [p.grad for p in net.parameters()]
del a, net, out

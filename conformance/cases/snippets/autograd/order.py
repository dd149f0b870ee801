# torch.stack: order: leaves of one node, from one to twenty
order = []
for count in range(1, 21):
    leaves = [torch.ones(2, requires_grad=True) for _ in range(count)]
    for i, leaf in enumerate(leaves):
        leaf.register_hook(lambda grad, i=i: order.append(i))
    torch.stack(leaves).sum().backward()
    print(count, order)
    order.clear()

# torch.stack: order: leaves beside nodes that become ready with them
order = []
for pattern in ("cdey", "ycde", "cydze", "cdyezf", "yczdwefg", "cdcye", "cydeydz", "ccddyyeezz"):
    leaf = {each: torch.ones(2, requires_grad=True) for each in "abcdefg"}
    for each, x in leaf.items():
        x.register_hook(lambda grad, each=each: order.append(each))
    inner = {"y": leaf["a"] * 2, "z": leaf["a"] * leaf["b"], "w": torch.stack([*leaf.values()])[0]}
    torch.stack([{**leaf, **inner}[each] for each in pattern]).sum().backward()
    print(pattern, "".join(order))
    order.clear()

# Tensor.register_hook: order: post accumulate grad hooks, hooks of leaves and hooks of nodes together
order = []
leaves = [torch.ones(2, requires_grad=True) for _ in range(7)]
for i, leaf in enumerate(leaves):
    leaf.register_hook(lambda grad, i=i: order.append(f"hook {i}"))
    leaf.register_post_accumulate_grad_hook(lambda x, i=i: order.append(f"after {i}"))
y = leaves[0] * leaves[6]
y.register_hook(lambda grad: order.append("y"))
z = torch.cat([*leaves[:3], y, *leaves[2:]])
z.grad_fn.register_hook(lambda into, out_of: order.append("cat"))
(z.sum() + y.sum()).backward()
print(order)

# torch.stack: order: leaves wait for other nodes when several become ready
order = []
leaves = [torch.ones(2, requires_grad=True) for _ in range(8)]
for i, leaf in enumerate(leaves):
    leaf.register_hook(lambda grad, i=i: order.append(i))
others = [leaves[0] * k for k in range(5)]
early = torch.stack([leaves[7], *leaves[1:7]])
late = torch.stack([*leaves[3:], leaves[1]])
(torch.stack(others).sum() + early.sum() + late.sum()).backward()
print(order)

# Tensor.register_hook: order: several roots, of which some are leaves
order = []
leaves = [torch.ones(2, requires_grad=True) for _ in range(6)]
for i, leaf in enumerate(leaves):
    leaf.register_hook(lambda grad, i=i: order.append(i))
y = leaves[0] * leaves[1]
roots = [leaves[2], leaves[3], y, leaves[4], leaves[2], leaves[5]]
torch.autograd.backward(roots, [torch.ones(2)] * 6)
print(order)

# torch.stack: order: the wanted leaves of autograd.grad, inputs= and create_graph
order = []
leaves = [torch.ones(2, requires_grad=True) for _ in range(8)]
for i, leaf in enumerate(leaves):
    leaf.register_hook(lambda grad, i=i: order.append(i))
y = torch.stack([*leaves, leaves[0] * leaves[1]]).sum()
for wanted in (leaves, leaves[::-1], leaves[1:6], leaves[2:7:2], leaves[5:1:-1]):
    torch.autograd.grad(y, wanted, retain_graph=True)
    order.append("inputs")
    y.backward(inputs=wanted, retain_graph=True)
    order.append("create_graph")
    torch.autograd.grad(y, wanted, create_graph=True)
    print(order)
    order.clear()

# Tensor.register_hook: order: a backward in a hook of a leaf moves the leaves that wait
order = []


def watched(count, name):
    leaves = [torch.ones(2, requires_grad=True) for _ in range(count)]
    for i, leaf in enumerate(leaves):
        leaf.register_hook(lambda grad, i=i: order.append(f"{name}{i}"))
    return leaves


for count in (3, 4, 6, 9):
    for inside in (1, 2, 3, 5):
        leaves = watched(count, "")
        inner = watched(inside, "inner ")
        within = torch.stack([*inner, inner[0] * 2]).sum()
        leaves[1].register_hook(lambda grad, y=within: y.backward())
        torch.stack(leaves).sum().backward()
        print(count, inside, order)
        order.clear()

# torch.autograd.backward: order: a backward in a Function, and one of several roots that fails in a hook
order = []


def watched(count, name):
    leaves = [torch.ones(2, requires_grad=True) for _ in range(count)]
    for i, leaf in enumerate(leaves):
        leaf.register_hook(lambda grad, i=i: order.append(f"{name}{i}"))
    return leaves


def refuse(grad):
    raise ValueError("not this one")


class Inside(torch.autograd.Function):
    @staticmethod
    def forward(ctx, fails, *xs):
        ctx.fails, ctx.count = fails, len(xs)
        return torch.stack([x.detach() for x in xs]).sum(0)

    @staticmethod
    def backward(ctx, grad):
        with torch.enable_grad():
            inner = watched(4, "inner ")
            y = torch.stack([*inner, inner[1] * 2]).sum()
        if ctx.fails:
            inner[1].register_hook(refuse)
        try:
            torch.autograd.backward([y, inner[0], inner[3]], [None, grad, grad])
        except ValueError as error:
            order.append(str(error))
        return (None, *[grad] * ctx.count)


for fails in (False, True):
    leaves = watched(7, "")
    y = Inside.apply(fails, *leaves[:5])
    torch.stack([leaves[6], y, leaves[5], leaves[0], leaves[1] * 2]).sum().backward()
    print(order)
    order.clear()

# Tensor.register_hook: order: a hook of a leaf that fails leaves those behind it without gradient
leaves = [torch.ones(2, requires_grad=True) for _ in range(6)]


def refuse(grad):
    raise ValueError("not this one")


leaves[5].register_hook(refuse)
try:
    torch.stack(leaves).sum().backward()
except ValueError as error:
    print(error)
print([leaf.grad is not None for leaf in leaves])

# nn.LSTM: order: the layer of an LSTM gives no gradient to a state that requires none
layer = torch.nn.LSTM(3, 4)
order = []
for name, parameter in layer.named_parameters():
    parameter.register_hook(lambda grad, name=name: order.append(name))
result = layer(torch.ones(5, 2, 3))[0].sum()
node = result.grad_fn
while "Rnn" not in node.name():
    node = node.next_functions[0][0]
node.register_hook(lambda into, out_of: order.append([grad is None for grad in into]))
result.backward()
print(order)

# neither in forward mode, where its primal has a node
forward = torch.autograd.forward_ad
a = torch.ones(2, 3, requires_grad=True)
with torch.no_grad():
    b = a.t()
with forward.dual_level():
    c = forward.unpack_dual(forward.make_dual(b, torch.ones_like(b)).t() @ b).tangent
c.sum().backward()


# numbers beside tangents, and tensors made in inference mode
forward = torch.autograd.forward_ad
a = torch.tensor([1.75, -2.75], requires_grad=True)
with torch.inference_mode():
    b = torch.ones(2)
with forward.dual_level():
    c = forward.unpack_dual(forward.make_dual(a, torch.ones(2)) * 2).tangent
    d = forward.unpack_dual(forward.make_dual(a, torch.ones(2)).clone().mul_(2)).tangent
    e = forward.unpack_dual(forward.make_dual(b, torch.ones(2)).sin()).tangent
    f = forward.unpack_dual(forward.make_dual(torch.ones(2), b).sin()).tangent


# a number beside numbers of examples, and dimensions that are where they should be
a = torch.ones(3, requires_grad=True)
b = torch.ones(2, 3, requires_grad=True)
c = torch.vmap(lambda x: x * 2)(a)
d = torch.vmap(lambda x: x / 2.5)(a)
e = torch.vmap(lambda x: x.clone().mul_(2))(a)
f = torch.vmap(lambda x: x * 2)(b)
g = torch.vmap(torch.sin, in_dims=-1, out_dims=-1)(b)
h = torch.vmap(lambda x: x * 2, in_dims=-1, out_dims=-1)(b)
i = torch.vmap(lambda x: x.sum())(a)
(j,) = torch.autograd.grad(i, a, torch.ones(3), create_graph=True)

# tangents of complex functions are read as their values are, and vectors are transposed
a = torch.tensor([-0.75 - 2j, 1 + 1j], requires_grad=True)
b = torch.func.jvp(torch.tanh, (a,), (torch.ones_like(a),))[1]
c = torch.func.jvp(lambda x: x * x, (a,), (torch.ones_like(a),))[1]
d = torch.ones(2, 3, requires_grad=True)
e = torch.vmap(lambda x: x.t() * 1)(d)
f = torch.vmap(lambda x: x.t() * 1)(d[0])

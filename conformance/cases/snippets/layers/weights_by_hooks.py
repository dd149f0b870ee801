# nn.utils.remove_weight_norm: a weight in two parts
m = nn.utils.weight_norm(nn.Linear(4, 3))
x = torch.randn(2, 4)
y = m(x)
y.sum().backward()
print(m, sorted(m.state_dict()), m.weight_g.grad, m.weight_v.grad)
nn.utils.remove_weight_norm(m)
print(m.weight, sorted(m.state_dict()), m._forward_pre_hooks)

# nn.utils.weight_norm: a weight in two parts, along other dimensions
m = nn.utils.weight_norm(nn.Conv2d(2, 3, 2), dim=1)
other = nn.utils.weight_norm(nn.Linear(4, 3), dim=None)
last = nn.utils.weight_norm(nn.Linear(4, 3), dim=1)
a, b, c = m(torch.randn(1, 2, 3, 3)), other(torch.randn(2, 4)), last(torch.randn(2, 4))
(a.sum() + b.sum() + c.sum()).backward()
print([p.grad for p in m.parameters()], other.weight_g.grad, last.weight_g.grad)

# torch._weight_norm_interface: the functions that part a weight
v, g = torch.randn(3, 4, requires_grad=True), torch.randn(3, 1, requires_grad=True)
w = torch._weight_norm(v, g, 0)
a, b = torch._weight_norm_interface(v, g, 0)
n = torch.norm_except_dim(v, 2, 1)
(w * a).sum().backward()

# torch._weight_norm: a weight in two parts, derived twice
v, g = torch.randn(3, 4, requires_grad=True), torch.randn(3, 1, requires_grad=True)
w = torch._weight_norm(v, g, 0)
x, y = torch.autograd.grad((w * w * w).sum(), (v, g), create_graph=True)
(x.sum() + y.sum()).backward()

# nn.utils.weight_norm: a weight in two parts twice
nn.utils.weight_norm(nn.utils.weight_norm(nn.Linear(2, 2)))

# nn.utils.remove_weight_norm: a weight that is not in two parts
nn.utils.remove_weight_norm(nn.Linear(2, 2))

# nn.utils.weight_norm: parts of a lazy weight
nn.utils.weight_norm(nn.LazyLinear(3))

# nn.utils.remove_spectral_norm: a weight divided by its norm
torch.manual_seed(2)
m = nn.utils.spectral_norm(nn.Linear(4, 3), n_power_iterations=2)
x = torch.randn(2, 4)
a = m(x)
b = m.eval()(x)
a.sum().backward()
print(m, sorted(m.state_dict()), m.state_dict()._metadata, m.weight_orig.grad)
nn.utils.remove_spectral_norm(m)
print(m.weight, sorted(m.state_dict()))

# nn.utils.spectral_norm: a transposed convolution divided by its norm
m = nn.utils.spectral_norm(nn.ConvTranspose2d(2, 3, 2))
y = m(torch.randn(1, 2, 3, 3))
y.sum().backward()
print(m.weight_u.shape, m.weight_v.shape)

# nn.utils.spectral_norm: a weight divided by its norm is saved and loaded
m, other = nn.utils.spectral_norm(nn.Linear(3, 2)), nn.utils.spectral_norm(nn.Linear(3, 2))
print(other.load_state_dict(m.state_dict()))
x = torch.randn(1, 3)
a, b = m.eval()(x), other.eval()(x)

# nn.utils.spectral_norm: a weight divided twice
nn.utils.spectral_norm(nn.utils.spectral_norm(nn.Linear(2, 2)))

# nn.utils.remove_spectral_norm: a weight that is not divided
nn.utils.remove_spectral_norm(nn.Linear(2, 2))

# nn.utils.spectral_norm: no power iterations
nn.utils.spectral_norm(nn.Linear(2, 2), n_power_iterations=0)

# nn.utils.fuse_conv_bn_eval: a convolution with the normalisation behind it
c, n = nn.Conv2d(2, 3, 2, bias=False).eval(), nn.BatchNorm2d(3).eval()
n.running_mean.normal_(), n.running_var.uniform_(1, 2)
f = nn.utils.fuse_conv_bn_eval(c, n)
y = f(torch.randn(1, 2, 3, 3))
print(f, f.bias.requires_grad)

# nn.utils.fuse_linear_bn_eval: a Linear with the normalisation behind it
c, n = nn.Linear(2, 3).eval(), nn.BatchNorm1d(3).eval()
n.running_mean.normal_(), n.running_var.uniform_(1, 2)
f = nn.utils.fuse_linear_bn_eval(c, n)
y = f(torch.randn(4, 2))
t = nn.utils.fuse_conv_bn_eval(nn.ConvTranspose1d(2, 3, 2).eval(), n, transpose=True)
print(f, t.weight, t.bias)

# nn.utils.fuse_conv_bn_eval: a normalisation in training is no part of another layer
nn.utils.fuse_conv_bn_eval(nn.Conv2d(2, 3, 2), nn.BatchNorm2d(3))

# nn.utils.fuse_linear_bn_eval: a Linear and a normalisation of other features
nn.utils.fuse_linear_bn_eval(nn.Linear(2, 3).eval(), nn.BatchNorm1d(4).eval())

# nn.utils.convert_conv2d_weight_memory_format: convolutions in another order of memory
m = nn.Sequential(nn.Conv2d(2, 3, 2), nn.Sequential(nn.ConvTranspose2d(3, 2, 2)), nn.Linear(2, 2))
nn.utils.convert_conv2d_weight_memory_format(m, torch.channels_last)
print([p.stride() for p in m.parameters()])
m = nn.Conv3d(2, 3, 2)
print(nn.utils.convert_conv3d_weight_memory_format(m, torch.channels_last_3d).weight.stride())

# nn.utils.skip_init: a module that is not drawn
torch.manual_seed(0)
m = nn.utils.skip_init(nn.Linear, 3, 2, bias=False, dtype=torch.float64)
a = torch.rand(2)
print(m, m.weight.dtype, m.weight.shape)

# nn.utils.skip_init: a module that cannot be left undrawn
nn.utils.skip_init(nn.ReLU)

# nn.utils.skip_init: what is no module is not left undrawn
nn.utils.skip_init(int)

# nn.utils.stateless.functional_call: the old names of functions
import warnings

with warnings.catch_warnings(record=True) as seen:
    warnings.simplefilter("always")
    w = nn.init.xavier_uniform(torch.empty(3, 4))
    p = torch.ones(2, requires_grad=True)
    p.grad = torch.ones(2) * 3
    n = nn.utils.clip_grad_norm([p], 1.0)
    y = nn.utils.stateless.functional_call(nn.Linear(1, 1), {"bias": torch.ones(1)}, torch.zeros(1))
print([(each.category.__name__, str(each.message)) for each in seen], p.grad)

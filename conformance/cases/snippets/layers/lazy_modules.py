# nn.LazyLinear: a lazy layer before and after its first input
m = nn.LazyLinear(3)
print(m, m.weight, list(m.parameters()), m.state_dict())
x = torch.randn(2, 4, requires_grad=True)
y = m(x)
y.sum().backward()
print(m, type(m), m.weight.grad)

# nn.LazyConv1d: lazy layers of all kinds
layers = [
    nn.LazyConv1d(4, 3),
    nn.LazyConv2d(4, 3, groups=2, bias=False),
    nn.LazyConv3d(2, (1, 2, 3)),
]
layers += [nn.LazyConvTranspose1d(4, 3), nn.LazyConvTranspose2d(4, 2, 2, output_padding=1)]
layers += [nn.LazyConvTranspose3d(3, 2), nn.LazyBatchNorm1d(), nn.LazyBatchNorm2d(affine=False)]
layers += [nn.LazyBatchNorm3d(momentum=None), nn.LazyInstanceNorm1d(affine=True)]
layers += [nn.LazyInstanceNorm2d(track_running_stats=True), nn.LazyInstanceNorm3d()]
print(layers)
ranks = [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3]
outs = [m(torch.randn(2, 2, *[5, 4, 3][:n])) for m, n in zip(layers, ranks)]
print(layers, [sorted(m.state_dict()) for m in layers])

# nn.LazyBatchNorm2d: a lazy network is drawn as it runs
torch.manual_seed(1)
m = nn.Sequential(
    nn.LazyConv2d(3, 2), nn.LazyBatchNorm2d(), nn.ReLU(), nn.Flatten(), nn.LazyLinear(2)
)
y = m(torch.randn(2, 1, 4, 4))
y.sum().backward()
print(m)

# nn.LazyLinear: a lazy layer takes what it loads
m, other = nn.LazyLinear(3), nn.Linear(2, 3)
print(m.load_state_dict(other.state_dict()), m, type(m.weight))
y = m(torch.ones(1, 2))

# nn.LazyLinear: a lazy layer cast before its first input
m = nn.LazyLinear(3, bias=False).double()
y = m(torch.ones(1, 2, dtype=torch.float64))

# nn.LazyLinear: a copy of a lazy layer is as lazy
import copy

m = copy.deepcopy(nn.LazyLinear(3).half())
print(m, m.weight, m.weight.dtype, m.has_uninitialized_params())

# nn.LazyBatchNorm1d: lazy buffers have no copies
import copy

copy.deepcopy(nn.LazyBatchNorm1d())

# nn.LazyLinear: an ordinary layer does not load a lazy one
nn.Linear(2, 3).load_state_dict(nn.LazyLinear(3).state_dict())

# nn.LazyLinear: a lazy layer has no shape
nn.LazyLinear(3).weight.shape

# nn.LazyLinear: a lazy layer has no numbers
nn.LazyLinear(3).weight + 1

# nn.LazyLinear: a lazy layer counts nothing
nn.LazyLinear(3).weight.numel()

# nn.LazyConv2d: a lazy convolution of the wrong rank
nn.LazyConv2d(4, 3)(torch.zeros(5, 5))

# nn.LazyConv2d: a lazy convolution of channels that do not part
nn.LazyConv2d(4, 3, groups=2)(torch.zeros(1, 3, 5, 5))

# nn.LazyBatchNorm2d: a lazy normalisation of the wrong rank
nn.LazyBatchNorm2d()(torch.zeros(2, 3))


# nn.parameter.is_lazy: a lazy module of one's own
class Scaled(nn.modules.lazy.LazyModuleMixin, nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.UninitializedParameter()
        self.register_buffer("shift", nn.UninitializedBuffer(dtype=torch.float64))

    def initialize_parameters(self, x):
        with torch.no_grad():
            self.scale.materialize(x.shape[-1:])
            self.shift.materialize((1,))
            self.scale.fill_(2)
            self.shift.zero_()

    def forward(self, x):
        return x * self.scale + self.shift


m = Scaled()
print(m, m.has_uninitialized_params(), nn.parameter.is_lazy(m.scale))
y = m(torch.ones(2, 3))
print(m.scale, m.shift, type(m))


# nn.UninitializedParameter: a lazy module that stays uninitialised
class Forgetful(nn.modules.lazy.LazyModuleMixin, nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.UninitializedParameter()

    def initialize_parameters(self, x):
        pass


Forgetful()(1)


# nn.modules.lazy.LazyModuleMixin: a lazy module that does not say how
class Careless(nn.modules.lazy.LazyModuleMixin, nn.Module):
    pass


Careless()(1)

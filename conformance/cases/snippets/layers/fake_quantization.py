# torch._fake_quantize_learnable_per_tensor_affine: gradients of numbers, scale and zero point
torch.manual_seed(0)
x = torch.randn(3, 4, requires_grad=True)
s = torch.tensor([0.1], requires_grad=True)
z = torch.tensor([2.3], requires_grad=True)
y = torch._fake_quantize_learnable_per_tensor_affine(x, s, z, -5, 9, 0.7)
y.backward(torch.randn(3, 4))
w = torch._fake_quantize_learnable_per_tensor_affine(x.t(), s, z, -5, 9)
grads = torch.autograd.grad(w.sum(), (x, s, z), create_graph=True)
grads[1].backward()

# torch._fake_quantize_learnable_per_channel_affine: gradients of each channel
torch.manual_seed(1)
x = torch.randn(3, 4, 2, requires_grad=True)
s = torch.tensor([0.1, 0.2, 0.3], requires_grad=True)
z = torch.tensor([2.3, -1.0, 30.0], requires_grad=True)
y = torch._fake_quantize_learnable_per_channel_affine(x, s, z, 0, -5, 9, 0.7)
y.backward(torch.randn(3, 4, 2))
w = torch._fake_quantize_learnable_per_channel_affine(x.transpose(0, 1), s, z, 1, -5, 9)
grads = torch.autograd.grad(w.sum(), (x, s, z))

# torch._fake_quantize_learnable_per_tensor_affine: what it refuses, forward and backward
x = torch.randn(3, requires_grad=True)
s, z = torch.tensor([0.1], requires_grad=True), torch.tensor([2.3])
texts = []
for args in (
    (x.double(), s, z, -5, 9),
    (x, s, z, 1, 9),
    (x, s, z, 9, -9),
    (x, s[0], z, -5, 9),
    (x, s, z[:0], -5, 9),
    (x, torch.cat([s, s]), z, -5, 9),
    (x, s, z.int(), -5, 9),
    (x.int(), s, z, -5, 9),
):
    try:
        torch._fake_quantize_learnable_per_tensor_affine(*args).sum().backward()
    except Exception as error:
        texts.append((type(error), str(error)))
print(texts)

# torch.fused_moving_avg_obs_fake_quant: averages, grids and gradients of tensors and of channels
torch.manual_seed(2)
one, found = torch.tensor([1]), []
for rows in (False, True):
    for symmetric in (False, True):
        for ends in ((0, 255), (-128, 127), (0, 15)):
            low, high = (torch.tensor([] if rows else v) for v in (float("inf"), -float("inf")))
            state = (low, high, torch.ones(1), torch.zeros(1, dtype=torch.int))
            for i in range(3):
                x = (torch.randn(3, 2, 2) * (i + 1)).requires_grad_()
                y = torch.fused_moving_avg_obs_fake_quant(
                    x, one, one, *state, 0.3, *ends, 0, rows, symmetric
                )
                (grad,) = torch.autograd.grad(y.sum(), x)
                found.append(
                    (y.detach(), grad, *[t.clone() for t in state], [t._version for t in state])
                )

# torch.fused_moving_avg_obs_fake_quant: switched off, tiny ranges, NaN, what it refuses
one, zero = torch.tensor([1]), torch.tensor([0])
x, found = torch.tensor([[-1.0, 2.0, 0.3]]), []
for given, on, rounding, ends in (
    (x, zero, one, (0, 255)),
    (x, one, zero, (0, 255)),
    (x * 1e-6, one, one, (0, 255)),
    (x * 0, one, one, (0, 255)),
    (x / 0, one, one, (0, 255)),
    (x * float("nan"), one, one, (0, 255)),
    (x[:0], one, one, (0, 255)),
    (x.double(), one, one, (0, 255)),
    (x[0, 0], one, one, (0, 255)),
    (x, one, one, (9, 0)),
    (x, torch.tensor([1, 1]), one, (0, 255)),
):
    state = (torch.tensor(-0.5), torch.tensor(0.25), torch.ones(1), torch.zeros(1, dtype=torch.int))
    try:
        found.append(
            torch.fused_moving_avg_obs_fake_quant(given, on, rounding, *state, 0.5, *ends, 0)
        )
    except Exception as error:
        found.append((type(error), str(error)))
    found.append(state)

# torch._choose_qparams_per_tensor: the grid of one tensor
found = [
    torch._choose_qparams_per_tensor(torch.tensor(t), r)
    for t in ([-1.0, 3.0], [2.0], [-3.0], [0.0], [1e-8, -1.0])
    for r in (False, True)
]
print(found)
torch._choose_qparams_per_tensor(torch.tensor([]))

# torch.ao.quantization.FakeQuantize: makers, switches, states and gradients
import torch.ao.quantization as quantization

torch.manual_seed(3)
found = []
for name in (
    "default_fake_quant",
    "default_weight_fake_quant",
    "default_per_channel_weight_fake_quant",
    "default_fused_act_fake_quant",
    "default_fused_per_channel_wt_fake_quant",
    "default_embedding_fake_quant",
    "default_dynamic_fake_quant",
    "default_symmetric_fixed_qparams_fake_quant",
):
    m = getattr(quantization, name)()
    for i in range(3):
        x = (torch.randn(2, 3) * (i + 1)).requires_grad_()
        y = m(x)
        y.sum().backward()
        found.append((y, x.grad))
    m.apply(quantization.disable_observer)
    found.append(m(x * 3))
    m.apply(quantization.disable_fake_quant)
    found.append(m(x))
    print(name, m, list(m.state_dict()))

# torch.ao.quantization.FakeQuantize: channels in a state that is loaded
import torch.ao.quantization as quantization

torch.manual_seed(4)
a, b = (
    quantization.default_per_channel_weight_fake_quant(),
    quantization.default_per_channel_weight_fake_quant(),
)
x = torch.randn(3, 2)
a(x)
loaded = b.load_state_dict(a.state_dict())
b.disable_observer()
print(loaded, b, torch.equal(a(x), b(x)))

# torch.ao.quantization.FakeQuantize: what it refuses
import torch.ao.quantization as quantization

texts = []
for make in (
    lambda: quantization.FakeQuantize(quant_min=5, quant_max=3),
    lambda: quantization.FakeQuantize(quant_min=-5, quant_max=3),
    lambda: quantization.FakeQuantize(quant_min=0, quant_max=300),
    lambda: quantization.FixedQParamsFakeQuantize(quantization.default_observer),
    lambda: quantization.FusedMovingAvgObsFakeQuantize(quantization.MinMaxObserver),
    lambda: quantization.FakeQuantizeBase(),
):
    try:
        make()
    except Exception as error:
        texts.append((type(error), str(error)))
print(texts)

# torch.ao.quantization._learnable_fake_quantize: a grid that an optimizer learns
from torch.ao.quantization import MovingAverageMinMaxObserver
from torch.ao.quantization._learnable_fake_quantize import _LearnableFakeQuantize

torch.manual_seed(5)
m = _LearnableFakeQuantize(
    MovingAverageMinMaxObserver, quant_min=0, quant_max=15, use_grad_scaling=True
)
m(torch.randn(4, 4))
m.enable_param_learning()
optimizer = torch.optim.SGD(m.parameters(), 0.1)
for _ in range(3):
    x = torch.randn(4, 4) * 2
    optimizer.zero_grad()
    (m(x) - x).pow(2).sum().backward()
    optimizer.step()
m.observe_quant_params()
print(m.calculate_qparams(), list(m.state_dict()), m.bitwidth)

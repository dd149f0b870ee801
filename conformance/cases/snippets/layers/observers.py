# torch.ao.quantization.MinMaxObserver: scale and zero point of each dtype and scheme
from torch.ao.quantization import MinMaxObserver

torch.manual_seed(0)
xs = [torch.randn(2, 3) * (i + 1) + 0.3 for i in range(3)]
found = []
for dtype in (torch.quint8, torch.qint8, torch.qint32, torch.quint4x2, torch.uint16, torch.int16):
    for scheme in (torch.per_tensor_affine, torch.per_tensor_symmetric):
        m = MinMaxObserver(dtype=dtype, qscheme=scheme)
        for x in xs:
            m(x)
        found.append((m.quant_min, m.quant_max, *m.calculate_qparams()))
print(m, m.state_dict(), found)

# torch.ao.quantization.MinMaxObserver: ranges that the user gives, and those that it refuses
from torch.ao.quantization import MinMaxObserver

m = MinMaxObserver(quant_min=-3, quant_max=17, dtype=torch.qint8)
before = m.calculate_qparams()
m(torch.tensor([1.0, 2.0]))
after = m.calculate_qparams()
texts = []
for given in (
    dict(quant_min=1, quant_max=3),
    dict(quant_min=-400, quant_max=400),
    dict(qscheme=torch.per_channel_affine),
    dict(reduce_range=True, qscheme=torch.per_tensor_symmetric, dtype=torch.quint8),
    dict(dtype=torch.float16),
):
    try:
        MinMaxObserver(**{"dtype": torch.qint8, **given})
    except Exception as error:
        texts.append((type(error), str(error)))
print(texts)

# torch.ao.quantization.MovingAverageMinMaxObserver: averages over calls, and a state that is loaded
from torch.ao.quantization import MovingAverageMinMaxObserver

torch.manual_seed(1)
m = MovingAverageMinMaxObserver(averaging_constant=0.3)
for i in range(3):
    y = m(torch.randn(2, 3, requires_grad=True))
n = MovingAverageMinMaxObserver()
loaded = n.load_state_dict(m.state_dict())
print(m, n, loaded, y.requires_grad, m.calculate_qparams())
m.reset_min_max_vals()
print(m, m(torch.zeros(0, 2)))

# torch.ao.quantization.PerChannelMinMaxObserver: channels of each dimension, schemes, old states
from collections import OrderedDict

from torch.ao.quantization import MovingAveragePerChannelMinMaxObserver, PerChannelMinMaxObserver

torch.manual_seed(2)
xs = [torch.randn(2, 3, 2) + i for i in range(2)]
found = []
for observer in (PerChannelMinMaxObserver, MovingAveragePerChannelMinMaxObserver):
    for axis in (0, 1, -1):
        for scheme in (
            torch.per_channel_affine,
            torch.per_channel_symmetric,
            torch.per_channel_affine_float_qparams,
        ):
            m = observer(ch_axis=axis, qscheme=scheme)
            for x in xs:
                m(x)
            found.append((m.min_val, m.max_val, *m.calculate_qparams()))
old = OrderedDict(
    eps=torch.tensor([1.0]), min_val=torch.tensor([1.0, 2.0]), max_val=torch.tensor([2.0, 3.0])
)
n = PerChannelMinMaxObserver()
n.load_state_dict(old)
print(m, n, found)

# torch.ao.quantization.HistogramObserver: the range of the least error, bins that widen
from torch.ao.quantization import HistogramObserver

torch.manual_seed(3)
m = HistogramObserver(bins=64)
found = []
for x in (torch.randn(200), torch.randn(200) * 3, torch.randn(50) * 0.1, torch.full((3,), 2.0)):
    m(x)
    found.append((m.histogram.clone(), *m.calculate_qparams()))
n = HistogramObserver(bins=64)
n.load_state_dict(m.state_dict())
print(m, n, list(m.state_dict()))

# torch.ao.quantization.HistogramObserver: all equal at first, infinite numbers, nothing seen
from torch.ao.quantization import HistogramObserver

m = HistogramObserver(bins=16, dtype=torch.qint8, qscheme=torch.per_tensor_symmetric)
nothing = m.calculate_qparams()
m(torch.full((5,), 2.0))
m(torch.tensor([1.0, float("inf"), 5.0]))
m(torch.tensor([float("-inf")]))
print(m, m.histogram, m.calculate_qparams())

# torch.ao.quantization.PlaceholderObserver: observers that compute nothing
from torch.ao.quantization import (
    FixedQParamsObserver,
    NoopObserver,
    PlaceholderObserver,
    RecordingObserver,
    ReuseInputObserver,
)

x = torch.ones(1, 2)
recorder = RecordingObserver()
recorder(x)
fixed = FixedQParamsObserver(0.5, 3)
texts = []
for m in (PlaceholderObserver(dtype=torch.float16), NoopObserver(), recorder, ReuseInputObserver()):
    m(x)
    try:
        m.calculate_qparams()
    except Exception as error:
        texts.append((repr(m), m.dtype, str(error)))
print(texts, recorder.get_tensor_value(), fixed, fixed.calculate_qparams(), fixed.state_dict())

# torch.ao.quantization.observer: makers with arguments, and those that are computed
from torch.ao.quantization import observer

a = observer.MinMaxObserver.with_args(quant_min=0).with_args(quant_max=3)
b = observer.MinMaxObserver.with_callable_args(quant_min=lambda: 0).with_callable_args(
    quant_max=lambda: 5
)
made = a(dtype=torch.qint8), b()
print(a().quant_max, b().quant_max, b(quant_max=7).quant_max, b.p.func is observer.MinMaxObserver)
names = [n for n in observer.__all__ if n.startswith(("default", "weight", "per_channel"))]
print([(n, repr(getattr(observer, n)).replace("minitorch", "torch")) for n in names])

# torch.ao.quantization.get_observer_state_dict: the state of a model's observers
import torch.ao.quantization as quantization

model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
model[0].activation_post_process = quantization.MinMaxObserver()
model[0].activation_post_process(torch.tensor([1.0, 3.0]))
state = quantization.get_observer_state_dict(model)
model[0].activation_post_process.reset_min_max_vals()
quantization.load_observer_state_dict(model, state)
print(list(state), model)

# torch.ao.quantization.utils: kinds of configurations, dtypes and ranges
from torch.ao.quantization import QuantType, utils

x = torch.tensor([[1.0, -2.0], [3.0, 0.5]])
low, high = torch.aminmax(x, dim=1)
eps = torch.tensor([1e-6])
found = [
    utils.determine_qparams(low, high, 0, 255, torch.quint8, eps, False, scheme)
    for scheme in (torch.per_channel_affine, torch.per_channel_symmetric)
]
print(found, utils.calculate_qmin_qmax(0, 100, True, torch.qint8, True), QuantType.QAT)
print([utils.to_underlying_dtype(d) for d in (torch.quint8, torch.quint4x2, torch.int16)])
print(utils.get_fqn_to_example_inputs(nn.Sequential(nn.Linear(2, 1)), (x,)))
utils.to_underlying_dtype(torch.float32)

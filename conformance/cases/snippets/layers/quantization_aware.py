# torch.ao.quantization.prepare_qat: a model with fused layers, trained, held and loaded again
import torch.ao.nn.intrinsic.qat as nniqat
import torch.ao.quantization as quantization


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.quant, self.dequant = quantization.QuantStub(), quantization.DeQuantStub()
        self.conv, self.bn, self.relu = nn.Conv2d(1, 2, 3, padding=1), nn.BatchNorm2d(2), nn.ReLU()
        self.sum = nn.quantized.FloatFunctional()
        self.fc, self.act, self.last = nn.Linear(8, 4), nn.ReLU(), nn.Linear(4, 2)
        self.sigmoid = nn.Sigmoid()

    def forward(self, x):
        x = self.relu(self.bn(self.conv(self.quant(x))))
        x = F.adaptive_avg_pool2d(self.sum.add(x, x), 2).flatten(1)
        return self.dequant(self.sigmoid(self.last(self.act(self.fc(x)))))


torch.manual_seed(0)
net = Net()
net.qconfig = quantization.get_default_qat_qconfig("fbgemm")
fused = quantization.fuse_modules_qat(net, [["conv", "bn", "relu"], ["fc", "act"]])
model = quantization.prepare_qat(fused)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, losses = torch.randn(8, 1, 4, 4), []
for step in range(4):
    optimizer.zero_grad()
    loss = (model(x) - 0.3).pow(2).sum()
    loss.backward()
    optimizer.step()
    losses.append(loss.detach())
    if step == 1:
        model.apply(quantization.disable_observer)
        model.apply(nniqat.freeze_bn_stats)
again = quantization.prepare_qat(
    quantization.fuse_modules_qat(net, [["conv", "bn", "relu"], ["fc", "act"]])
)
loaded = again.load_state_dict(model.state_dict())
equal = torch.equal(again.eval()(x), model.eval()(x))
print(type(model.conv), type(model.fc), type(model.last), equal, loaded, list(model.state_dict()))

# torch.ao.quantization.prepare: observers of a model in evaluation, and the ranges that they find
import torch.ao.quantization as quantization

torch.manual_seed(1)
model = nn.Sequential(
    quantization.QuantStub(),
    nn.Linear(3, 4),
    nn.ReLU(),
    nn.Linear(4, 2),
    quantization.DeQuantStub(),
)
model.eval()
model.qconfig = quantization.get_default_qconfig("qnnpack")
model[3].qconfig = None
fused = quantization.fuse_modules(model, ["1", "2"])
prepared = quantization.prepare(fused)
for _ in range(3):
    y = prepared(torch.randn(5, 3))
found = [
    m.calculate_qparams() for m in prepared.modules() if isinstance(m, quantization.ObserverBase)
]
print(fused, len(found), [len(m._forward_hooks) for m in prepared])

# torch.ao.nn.intrinsic.qat.ConvBn2d: gradients both ways, evaluation, and the plain layer of it
import torch.ao.nn.intrinsic.qat as nniqat
from torch.ao.quantization import get_default_qat_qconfig

torch.manual_seed(2)
found = []
for kind in (nniqat.ConvBn2d, nniqat.ConvBnReLU2d, nniqat.ConvReLU2d):
    for slow in (False, True):
        m = kind(2, 3, 2, bias=True, qconfig=get_default_qat_qconfig())
        m._enable_slow_path_for_better_numerical_stability = slow
        x = torch.randn(2, 2, 3, 3, requires_grad=True)
        y = m(x)
        (y * torch.linspace(-1, 1, y.numel()).reshape(y.shape)).sum().backward()
        found.append((y.detach(), m.weight.grad))
        m.eval()
        found.append((m(x).detach(), m.to_float()(x).detach()))
        print(m, m.to_float(), list(m.state_dict()))

# torch.ao.nn.qat.Linear: made, taken from a plain layer, and what it refuses
import torch.ao.nn.qat as nnqat
from torch.ao.quantization import default_embedding_qat_qconfig, default_qat_qconfig

torch.manual_seed(3)
plain = nn.Linear(3, 2)
plain.qconfig = default_qat_qconfig
m = nnqat.Linear.from_float(plain)
x = torch.randn(4, 3)
y = m(x)
y.sum().backward()
table = nnqat.Embedding(4, 2, qconfig=default_embedding_qat_qconfig)
z = table(torch.tensor([0, 3, 3]))
z.sum().backward()
texts = []
for make in (
    lambda: nnqat.Linear(3, 2),
    lambda: nnqat.Linear.from_float(nn.ReLU()),
    lambda: nnqat.Linear.from_float(nn.Linear(1, 1)),
    lambda: nnqat.Embedding(4, 2, qconfig=default_qat_qconfig),
    lambda: nnqat.Conv2d.from_float(plain),
):
    try:
        make()
    except Exception as error:
        texts.append((type(error), str(error)))
print(m, m.to_float(), table, texts)

# torch.ao.quantization.get_default_qconfig: every configuration as text, and equality
import torch.ao.quantization as quantization
from torch.ao.quantization import qconfig

for name in qconfig.__all__:
    if name.startswith(("default", "float", "per_channel")):
        print(name, repr(getattr(qconfig, name)).replace("minitorch", "torch"))
for backend in ("fbgemm", "x86", "qnnpack", "onednn"):
    for version in (0, 1):
        print(
            repr(quantization.get_default_qat_qconfig(backend, version)).replace(
                "minitorch", "torch"
            )
        )
print(
    qconfig.qconfig_equals(
        quantization.get_default_qconfig("x86"), quantization.get_default_qconfig("fbgemm")
    )
)
quantization.get_default_qconfig("other")

# torch.ao.quantization.QConfigMapping: set, shown, and taken from a dict
import torch.ao.quantization as quantization

one = quantization.default_reuse_input_qconfig
mapping = (
    quantization.QConfigMapping()
    .set_global(one)
    .set_object_type("add", one)
    .set_module_name("a.b", None)
)
mapping.set_module_name_regex("c.*", None).set_module_name_object_type_order("d", "mul", 1, one)
again = quantization.QConfigMapping.from_dict(mapping.to_dict())
print(repr(again).replace("minitorch", "torch"), repr(mapping) == repr(again))
print(
    len(quantization.get_default_qconfig_mapping().object_type_qconfigs),
    len(quantization.get_default_qat_qconfig_mapping("qnnpack").to_dict()["object_type"]),
)

# torch.ao.quantization.fuse_modules: rows in training, single layers in evaluation, refusals
import torch.ao.quantization as quantization

torch.manual_seed(4)
x, texts = torch.randn(2, 2, 4, 4), []
model = nn.Sequential(
    nn.Conv2d(2, 3, 2), nn.BatchNorm2d(3), nn.ReLU(), nn.ConvTranspose2d(3, 2, 2), nn.BatchNorm2d(2)
)
rows = quantization.fuse_modules_qat(model, ["0", "1", "2"])
model(x)
model.eval()
single = quantization.fuse_modules(model, [["0", "1", "2"], ["3", "4"]])
y, z = model(x), single(x)
for make in (
    lambda: quantization.fuse_modules(model, ["0", "2", "1"]),
    lambda: quantization.fuse_conv_bn(True, nn.Conv2d(1, 2, 1), nn.BatchNorm2d(3)),
    lambda: quantization.fuse_conv_bn(True, nn.Conv2d(1, 2, 1), nn.BatchNorm2d(2, affine=False)),
    lambda: quantization.fuse_conv_bn(False, nn.Conv2d(1, 2, 1).eval(), nn.BatchNorm2d(2)),
    lambda: quantization.fuse_convtranspose_bn(
        True, nn.ConvTranspose2d(1, 2, 1), nn.BatchNorm2d(2)
    ),
):
    try:
        make()
    except Exception as error:
        texts.append((type(error), str(error).replace("minitorch", "torch")))
print(rows, single, texts)

# torch.ao.quantization.add_quant_dequant: wrappers, hooks that stay, and what prepare_qat refuses
import torch.ao.quantization as quantization

torch.manual_seed(5)
model = nn.Sequential(nn.Linear(2, 2), nn.Sequential(nn.ReLU(), nn.Linear(2, 2)))
model[0].qconfig = model[1][1].qconfig = quantization.default_qconfig
print(quantization.add_quant_dequant(model))
calls = []
model = nn.Sequential(nn.Linear(2, 2))
model.qconfig = quantization.default_qat_qconfig
model[0].register_forward_hook(lambda *given: calls.append("after"))
model[0].register_forward_pre_hook(lambda *given: calls.append("before"))
y = quantization.prepare_qat(model)(torch.ones(1, 2))
print(calls)
quantization.prepare_qat(model.eval())

# torch.ao.nn.quantizable.LSTM: prepared layers compute what plain ones do, both ways and in training
import torch.ao.quantization as quantization

torch.manual_seed(6)
found = []
for options in (dict(), dict(num_layers=2, bidirectional=True, batch_first=True), dict(bias=False)):
    model = nn.Sequential(nn.LSTM(3, 2, **options)).eval()
    model.qconfig = quantization.default_qconfig
    prepared = quantization.prepare(model)
    x = torch.randn(4, 2, 3)
    y, (h, c) = prepared(x)
    state = (torch.randn_like(h), torch.randn_like(c))
    z = prepared[0](x, state)[0]
    found.append(
        (y.detach(), z.detach(), h.detach(), torch.allclose(z, model[0](x, state)[0], atol=1e-5))
    )
model = nn.Sequential(nn.LSTM(3, 2))
model.qconfig = quantization.get_default_qat_qconfig("qnnpack")
trained = quantization.prepare_qat(model)
out = trained(x)[0]
out.pow(2).sum().backward()
print(trained, list(trained.state_dict())[:8], prepared)

# torch.ao.nn.quantizable.MultiheadAttention: masks, keys of other sizes, what it refuses
import torch.ao.quantization as quantization

torch.manual_seed(7)
found, texts = [], []
for options in (
    dict(),
    dict(kdim=3, vdim=5, add_bias_kv=True),
    dict(add_zero_attn=True, bias=False),
):
    model = nn.Sequential(nn.MultiheadAttention(4, 2, **options)).eval()
    model.qconfig = quantization.default_qconfig
    layer = quantization.prepare(model)[0]
    q, k, v = torch.randn(3, 2, 4), torch.randn(3, 2, layer.kdim), torch.randn(3, 2, layer.vdim)
    mask = torch.tensor([[False, True, False]] * 3)
    padded = torch.tensor([[True, False, False], [False, False, False]])
    out, weights = layer(
        q, k, v, key_padding_mask=padded, attn_mask=mask, average_attn_weights=False
    )
    found.append((out.detach(), weights.detach(), layer(q, k, v, need_weights=False)[1]))
    for given in (
        dict(is_causal=True),
        dict(attn_mask=mask.int()),
        dict(attn_mask=mask[:1]),
        dict(key_padding_mask=padded[:1]),
    ):
        try:
            layer(q, k, v, **given)
        except Exception as error:
            texts.append((type(error), str(error)))
print(layer, texts)

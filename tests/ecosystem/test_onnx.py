"""onnx: models that torch.onnx.export writes, computed by the package's reference."""

import pytest

import minitorch as torch
from minitorch import nn
from minitorch.nn import functional as F
from minitorch.utils._pytree import tree_leaves

onnx = pytest.importorskip("onnx", reason="onnx is not installed")


class Of(nn.Module):
    """A function as a module, with the modules that it takes first."""

    def __init__(self, function, *modules):
        super().__init__()
        self.function = function
        self.inside = nn.ModuleList(modules)

    def forward(self, *inputs):
        return self.function(*self.inside, *inputs)


def exported(module, *inputs, **options):
    """The model of a module, which computes what the module does."""
    program = torch.onnx.export(module.eval(), inputs, **options)
    found = program.call_reference(*inputs)
    wanted = [each.detach() for each in tree_leaves(module(*inputs))]
    torch.testing.assert_close(list(found), wanted)
    return program


LAYERS = [
    nn.Conv2d(4, 6, 3, stride=2, padding=1, groups=2),
    nn.Conv2d(4, 2, 3, padding=1, padding_mode="reflect"),
    nn.ConvTranspose2d(4, 3, 3, stride=2, output_padding=1),
    nn.BatchNorm2d(4),
    nn.GroupNorm(2, 4),
    nn.InstanceNorm2d(4, affine=True),
    nn.LayerNorm(8),
    nn.LayerNorm((8, 8), elementwise_affine=False),
    nn.RMSNorm(8),
    nn.MaxPool2d(3, 2, 1),
    nn.AvgPool2d(3, 2, 1, count_include_pad=False),
    nn.AdaptiveAvgPool2d(1),
    nn.AdaptiveMaxPool2d((4, 2)),
    nn.Softmax(-1),
    nn.LogSoftmax(1),
    nn.Flatten(),
    nn.Dropout(),
    nn.Linear(8, 3),
    nn.Upsample(scale_factor=2),
    nn.Upsample(scale_factor=2, mode="bilinear"),
    nn.PixelShuffle(2),
    nn.ConstantPad2d(1, 2.5),
]
ACTIVATIONS = [
    nn.ReLU(inplace=True), nn.ReLU6(), nn.GELU(), nn.GELU("tanh"), nn.SiLU(), nn.ELU(), nn.SELU(),
    nn.CELU(), nn.LeakyReLU(0.2), nn.PReLU(), nn.Sigmoid(), nn.Tanh(), nn.Hardswish(),
    nn.Hardsigmoid(), nn.Softplus(), nn.Softsign(), nn.Mish(), nn.LogSigmoid(), nn.GLU(),
    nn.Hardshrink(), nn.Softshrink(), nn.Threshold(0.1, 2),
]  # fmt: skip


@pytest.mark.parametrize("layer", LAYERS, ids=str)
def test_export_writes_layers(layer):
    exported(layer, torch.randn(2, 4, 8, 8))


@pytest.mark.parametrize("activation", ACTIVATIONS, ids=str)
def test_export_writes_activations(activation):
    exported(Of(lambda layer, x: layer(x * 2), activation), torch.randn(2, 3, 4))


@pytest.mark.parametrize(
    "layer",
    [
        nn.LSTM(8, 3, 2, bidirectional=True),
        nn.GRU(8, 3),
        nn.RNN(8, 3),
        nn.TransformerEncoderLayer(8, 2, 16, norm_first=True),
        nn.Conv1d(2, 4, 3),
        nn.MaxPool1d(2),
    ],
    ids=str,
)
def test_export_writes_layers_of_sequences(layer):
    exported(layer, torch.randn(3, 2, 8))


@pytest.mark.parametrize(
    "function",
    [
        lambda x: (2 - x, x / 3, x * 2.5, x**2, -x, x.add(x, alpha=3), torch.rsub(x, x, alpha=2)),
        lambda x: (x.sum(), x.float().mean(1, keepdim=True), x.max(1), x.argmax(), x.cumsum(1)),
        lambda x: (x.float().var(1), x.float().std(), x.float().norm(), x.prod(1), x.amin((0, 1))),
        lambda x: (x[0], x[:, 1:4:2], x[..., None], x[:, -1], x.flip(1), x.repeat(2, 1)),
        lambda x: (x.chunk(2, 1), x.split([1, 5], -1), x.unbind(-1), torch.stack([x, x], -1)),
        lambda x: (torch.cat([x, x.float()]), x.view(-1), x.T, x[:, None].expand(-1, 3, -1)),
        lambda x: (x == 1, x != 1, (x > 0) & ~(x < 2), x.bool(), x.clamp(-1, 2), x.topk(2)),
        lambda x: x.float() @ x.float().T + x.masked_fill(x > 0, 7)[0, 0],
        lambda x: x + torch.arange(6) + torch.zeros_like(x),
        lambda x: (x.fmod(4), (x > 0).any(), x.bool().all(1), x.tril(), x.triu(1), x.roll(1, 0)),
        lambda x: (x.sort(1), x.argsort(0, descending=True), x[torch.tensor([1, 0])]),
        lambda x: x.scatter(1, torch.tensor([[0], [3]]), 2),
        lambda x: (x * 2).masked_fill_(x > 0, 1).clamp_(-1, 5).transpose_(0, 1),
    ],
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
def test_export_writes_operators_with_torchs_dtypes(function, dtype):
    exported(Of(function), (torch.arange(12.0).reshape(2, 6) * 5 % 7 - 3).to(dtype))


def test_export_writes_attention_and_embeddings():
    exported(Of(lambda q: F.scaled_dot_product_attention(q, q, q)), torch.randn(2, 2, 3, 4))
    causal = Of(lambda q: F.scaled_dot_product_attention(q, q, q, is_causal=True))
    exported(causal, torch.randn(2, 2, 3, 4))
    exported(nn.Embedding(5, 3), torch.tensor([[1, 2], [0, 4]]))


def test_exported_models_name_inputs_outputs_and_parameters(tmp_path):
    path = tmp_path / "net.onnx"
    program = exported(nn.Linear(3, 2), torch.ones(1, 3), f=path)
    assert [each.name for each in program.model_proto.graph.input] == ["input"]
    graph = onnx.load(path).graph
    assert {each.name for each in graph.initializer} == {"weight", "bias"}
    names = {"input_names": ["a"], "output_names": ["b"], "opset_version": 18}
    assert (
        torch.onnx.export(nn.Linear(3, 2), (torch.ones(1, 3),), path, dynamo=False, **names) is None
    )
    model = onnx.load(path)
    assert (model.graph.input[0].name, model.graph.output[0].name) == ("a", "b")
    assert model.opset_import[0].version == 18


def test_a_tensor_that_is_given_twice_is_two_inputs_of_the_model():
    x, y = torch.randn(2, 3), torch.randn(2, 3)
    program = torch.onnx.export(Of(lambda a, b: a - 2 * b), (x, x))
    torch.testing.assert_close(program.call_reference(x, y)[0], x - 2 * y)
    exported(nn.MultiheadAttention(4, 2), *[torch.randn(3, 2, 4)] * 3)


def test_exported_containers_are_their_tensors_in_order():
    program = exported(Of(lambda x: {"a": x, "b": [x + 1, x]}), torch.ones(2))
    assert [each.name for each in program.model_proto.graph.output] == [
        "output_0",
        "output_1",
        "output_2",
    ]


def test_is_in_onnx_export_is_true_while_the_module_runs():
    seen = []
    torch.onnx.export(Of(lambda x: seen.append(torch.onnx.is_in_onnx_export()) or x), torch.ones(1))
    assert set(seen) == {True}
    assert not torch.onnx.is_in_onnx_export()


def test_export_verifies_the_model_if_asked_to():
    torch.onnx.export(nn.Linear(3, 2), (torch.ones(1, 3),), verify=True)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: (x.isnan(), x.atan(), torch.lerp(x, -x, 0.25), F.mse_loss(x, -x)),
        lambda x: F.scaled_dot_product_attention(x[None], x[None], x[None]),
        lambda x: F.mse_loss(x, -x, reduction="none"),
    ],
)
def test_export_writes_operators_of_floating_numbers(function):
    exported(Of(function), torch.tensor([[1.0, -2.0, 0.5], [float("nan"), 0.0, 3.0]])[:1])


def write_view(x):
    y = x * 2
    y[0] = 0
    return y


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: x * x.sum().item(), "reads what a tensor holds"),
        (lambda x: x if x.sum() > 0 else -x, "reads what a tensor holds"),
        (lambda x: torch.from_numpy(x.numpy() * 2), "does not record"),
        (lambda x: x + torch.tensor(x.tolist()), "does not record"),
        (lambda x: (x * 2).put_(torch.tensor([0]), torch.ones(1)), "put_"),
        (lambda x: x.add_(1), r"aten::add_\.Tensor writes into a tensor that no operator made"),
        (write_view, "memory that another tensor has"),
        (lambda x: F.dropout(x), "draws random numbers"),
        (lambda x: x + torch.rand(3), "draws random numbers"),
        (lambda x: x.diagonal(), "no counterpart in ONNX for aten::diagonal"),
        (lambda x: x.norm(3), "cannot be written in ONNX: the order is 3"),
        (lambda x: 3, "modules that return tensors"),
    ],
)
def test_export_refuses_what_the_model_would_not_hold(function, message):
    with pytest.raises(NotImplementedError, match=message):
        torch.onnx.export(Of(function), torch.ones(2, 3))


def test_export_refuses_batch_norm_in_training():
    with pytest.raises(NotImplementedError, match=r"torch\.onnx\.export: aten::add_"):
        torch.onnx.export(nn.BatchNorm1d(3), torch.ones(2, 3))


def test_graphs_of_onnx_files_are_written_for_tensorboard(tmp_path, capsys):
    pytest.importorskip("tensorboard", reason="tensorboard is not installed")
    from minitorch.utils.tensorboard._onnx_graph import load_onnx_graph

    path = tmp_path / "net.onnx"
    torch.onnx.export(nn.Softmax(-1), torch.ones(1, 3), path)
    variables, (softmax, last) = (lambda nodes: (nodes[:2], nodes[2:]))(load_onnx_graph(path).node)
    assert [(each.name, each.op) for each in variables] == [
        ("input", "Variable"),
        ("output", "Variable"),
    ]
    assert (softmax.op, list(softmax.input), last.op) == ("Softmax", ["input"], "Identity")
    assert b"axis" in softmax.attr["parameters"].s
    assert capsys.readouterr().out.split() == ["input", "output", "softmax", "output"]


def test_saved_programs_can_keep_parameters_beside_the_model(tmp_path):
    program = torch.onnx.export(nn.Linear(3, 2), torch.ones(1, 3))
    program.save(tmp_path / "net.onnx", external_data=True)
    assert onnx.load(tmp_path / "net.onnx") is not None
    for refused in (program, program.optimize, program.initialize_inference_session):
        with pytest.raises(NotImplementedError, match=r"ONNXProgram\."):
            refused()

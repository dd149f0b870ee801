"""prepare, prepare_qat, convert: observers put into models, layers exchanged."""

import io
import subprocess
import sys
import warnings

import pytest

import minitorch as torch
from minitorch import nn
from minitorch.ao import quantization
from minitorch.ao.nn import intrinsic as nni
from minitorch.ao.nn.intrinsic import qat as nniqat

pytestmark = pytest.mark.filterwarnings("ignore")


def small_net() -> nn.Module:
    return nn.Sequential(
        quantization.QuantStub(),
        nn.Conv2d(1, 2, 3),
        nn.BatchNorm2d(2),
        nn.ReLU(),
        nn.Flatten(),
        nn.Linear(8, 2),
        quantization.DeQuantStub(),
    )


def prepared_net() -> nn.Module:
    torch.manual_seed(0)
    model = quantization.fuse_modules_qat(small_net(), ["1", "2", "3"])
    model.qconfig = quantization.get_default_qat_qconfig("fbgemm")
    return quantization.prepare_qat(model)


def test_prepare_qat_exchanges_layers_and_the_model_learns():
    model = prepared_net()
    assert type(model[1]) is nniqat.ConvBnReLU2d
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, losses = torch.randn(4, 1, 4, 4), []
    for _ in range(5):
        optimizer.zero_grad()
        loss = (model(x) - 1).pow(2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < losses[0]


def test_prepare_qat_keeps_the_first_model_unless_inplace():
    model = small_net()
    model.qconfig = quantization.default_qat_qconfig
    assert quantization.prepare_qat(model) is not model
    assert quantization.prepare_qat(model, inplace=True) is model


def test_prepare_qat_refuses_models_in_evaluation():
    with pytest.raises(AssertionError, match="only works on models in training mode"):
        quantization.prepare_qat(small_net().eval())


def test_prepare_lets_observers_see_the_outputs_of_layers():
    model = nn.Sequential(nn.Linear(2, 3), nn.Dropout(), nn.Sequential(nn.Linear(3, 1))).eval()
    model.qconfig = quantization.default_qconfig
    prepared = quantization.prepare(model)
    y = prepared(torch.ones(1, 2))
    assert prepared[2][0].activation_post_process.max_val.item() == y.item()
    assert not hasattr(prepared[1], "activation_post_process")
    assert not hasattr(model[0], "activation_post_process")


def test_prepare_warns_of_models_without_a_QConfig():
    with pytest.warns(UserWarning, match="None of the submodule got qconfig applied"):
        quantization.prepare(nn.Sequential(nn.Linear(2, 2)))


def test_prepare_is_deprecated_as_in_torch():
    model = nn.Sequential(nn.ReLU())
    model.qconfig = quantization.default_qconfig
    with pytest.warns(DeprecationWarning, match="is deprecated and will be removed in 2.10"):
        quantization.prepare(model)


def test_convert_refuses_layers_of_integers_by_their_names():
    model = prepared_net().eval()
    with pytest.raises(NotImplementedError, match=r"torch\.ao\.quantization\.convert is not impl"):
        quantization.convert(model)
    with pytest.raises(NotImplementedError, match=r"nn\.quantized\.dynamic\.modules\.linear"):
        quantization.quantize_dynamic(nn.Sequential(nn.Linear(2, 2)))


def test_convert_takes_layers_of_the_users_own():
    class Doubled(nn.Module):
        @classmethod
        def from_float(cls, mod):
            return cls()

        def forward(self, x):
            return x * 2

    model = nn.Sequential(nn.ReLU())
    model.qconfig = quantization.default_qconfig
    quantization.propagate_qconfig_(model)
    converted = quantization.convert(model, {nn.ReLU: Doubled})
    assert converted(torch.ones(1)).item() == 2
    assert not hasattr(converted, "qconfig")


def test_fuse_modules_computes_the_same_in_evaluation():
    torch.manual_seed(1)
    model = small_net()
    x = torch.randn(3, 1, 4, 4)
    model(x)
    model.eval()
    fused = quantization.fuse_modules(model, [["1", "2", "3"]])
    assert type(fused[1]) is nni.ConvReLU2d
    assert type(fused[2]) is nn.Identity
    assert torch.allclose(fused(x), model(x), atol=1e-5)


def test_a_ConvBn2d_of_training_becomes_one_convolution():
    torch.manual_seed(2)
    layer = nniqat.ConvBn2d(1, 2, 2, bias=True, qconfig=quantization.default_weight_only_qconfig)
    layer(torch.randn(4, 1, 3, 3))
    layer.eval()
    layer.apply(quantization.disable_fake_quant)
    x = torch.randn(2, 1, 3, 3)
    assert torch.allclose(layer.to_float()(x), layer(x), atol=1e-5)


def test_a_ConvBn2d_can_run_its_plain_convolution_for_statistics():
    torch.manual_seed(3)
    layer = nniqat.ConvBn2d(1, 2, 2, qconfig=quantization.default_weight_only_qconfig)
    layer.apply(quantization.disable_fake_quant)
    x = torch.randn(4, 1, 3, 3)
    plain = layer(x)
    layer._enable_slow_path_for_better_numerical_stability = True
    assert torch.allclose(layer(x), plain, atol=1e-4)


def test_old_states_name_the_parameters_of_a_batch_norm_gamma_and_beta():
    layer = nniqat.ConvBn2d(1, 2, 2, qconfig=quantization.default_qat_qconfig)
    state = layer.state_dict()
    old = {
        name.replace("bn.weight", "gamma").replace("bn.bias", "beta"): x
        for name, x in state.items()
    }
    old["gamma"] = torch.tensor([5.0, 6.0])
    layer.load_state_dict(old)
    assert layer.bn.weight.tolist() == [5, 6]


def test_held_statistics_stay_held_when_the_model_trains():
    model = prepared_net()
    model.apply(nniqat.freeze_bn_stats)
    before = model[1].bn.running_mean.clone()
    model.train()
    model(torch.randn(4, 1, 4, 4))
    assert torch.equal(model[1].bn.running_mean, before)
    assert not model[1].bn.training


def test_FloatFunctional_shows_its_results_to_an_observer():
    f = nn.quantized.FloatFunctional()
    f.activation_post_process = quantization.MinMaxObserver()
    assert f.add_relu(torch.tensor([-3.0, 1.0]), torch.tensor([1.0, 1.0])).tolist() == [0, 2]
    assert f.activation_post_process.max_val.item() == 2
    with pytest.raises(RuntimeError, match="not intended to use the 'forward'"):
        f(1)


def test_QConfig_takes_classes_and_no_observers():
    with pytest.raises(ValueError, match="received observer instance"):
        quantization.QConfig(quantization.MinMaxObserver(), quantization.MinMaxObserver)
    with pytest.warns(FutureWarning, match="QConfigDynamic"):
        quantization.QConfigDynamic()


def test_qconfig_equals_compares_makers_by_what_they_make():
    a, b = (quantization.get_default_qat_qconfig(name) for name in ("x86", "fbgemm"))
    assert a != b
    assert quantization.qconfig_equals(a, b)
    assert not quantization.qconfig_equals(a, quantization.get_default_qat_qconfig("qnnpack"))


def test_a_QConfigMapping_survives_its_dict():
    mapping = quantization.get_default_qat_qconfig_mapping()
    again = quantization.QConfigMapping.from_dict(mapping.to_dict())
    assert repr(again) == repr(mapping)


def test_torch_quantization_is_the_old_name():
    from minitorch import quantization as old

    assert old.prepare_qat is quantization.prepare_qat
    assert torch.nn.intrinsic.qat.ConvBn2d is nniqat.ConvBn2d


def test_nothing_of_it_is_imported_with_the_package():
    code = "import sys, minitorch; print([n for n in sys.modules if n.startswith('minitorch.ao')])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_a_name_of_an_engine_can_be_set():
    engines = torch.backends.quantized
    with warnings.catch_warnings():
        engines.engine = "fbgemm"
    assert engines.engine == "fbgemm"
    engines.engine = "x86"
    with pytest.raises(RuntimeError, match="other is not a valid value for quantized engine"):
        engines.engine = "other"


def test_prepare_makes_an_LSTM_of_observed_layers_that_computes_the_same():
    torch.manual_seed(4)
    model = nn.Sequential(nn.LSTM(3, 2, num_layers=2, bidirectional=True)).eval()
    model.qconfig = quantization.default_qconfig
    prepared = quantization.prepare(model)
    x = torch.randn(4, 2, 3)
    (y, (h, c)), (z, (i, d)) = prepared(x), model(x)
    for mine, plain in ((y, z), (h, i), (c, d)):
        assert torch.allclose(mine, plain, atol=1e-6)
    assert "QuantizableLSTM" in repr(prepared)


def test_an_LSTMCell_can_have_layers_for_each_gate():
    torch.manual_seed(5)
    plain = nn.LSTMCell(3, 2)
    plain.qconfig = quantization.default_qconfig
    split = nn.quantizable.LSTMCell.from_float(plain, split_gates=True)
    x = torch.randn(4, 3)
    for mine, other in zip(split(x), plain(x), strict=True):
        assert torch.allclose(mine, other, atol=1e-6)
    assert list(split.igates) == ["input", "forget", "cell", "output"]


def test_prepare_makes_attention_of_observed_layers_that_computes_the_same():
    torch.manual_seed(6)
    model = nn.Sequential(nn.MultiheadAttention(4, 2, add_bias_kv=True)).eval()
    model.qconfig = quantization.default_qconfig
    layer = quantization.prepare(model)[0]
    q = torch.randn(3, 2, 4)
    mask = torch.tensor([[True, False, False], [False, False, False]])
    found = layer(q, q, q, key_padding_mask=mask)
    for mine, plain in zip(found, model[0](q, q, q, key_padding_mask=mask), strict=True):
        assert torch.allclose(mine, plain, atol=1e-6)
    with pytest.raises(AssertionError, match="causal mask not supported"):
        layer(q, q, q, is_causal=True)
    with pytest.raises(NotImplementedError, match="convert is not implemented"):
        quantization.convert(nn.Sequential(layer))


@pytest.mark.parametrize(
    "module",
    [
        *("ao.nn.qat.dynamic", "ao.nn.quantizable", "ao.nn.quantized", "ao.nn.intrinsic.qat"),
        *("ao.quantization.stubs", "nn.quantizable", "quantization"),
    ],
)
def test_each_part_can_be_the_first_that_is_imported(module):
    code = f"import minitorch.{module} as part; print(len(dir(part)) > 3)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "True"


def test_a_prepared_model_is_saved_by_its_state_alone():
    model, file = prepared_net(), io.BytesIO()
    with pytest.raises(AttributeError, match="local object"):  # its QConfig has functions inside
        torch.save(model, io.BytesIO())
    torch.save(model.state_dict(), file)
    file.seek(0)
    assert list(torch.load(file)) == list(model.state_dict())

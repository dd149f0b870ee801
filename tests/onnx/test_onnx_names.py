"""torch.onnx: what packages register when they are imported, and refusals of the exporter."""

import sys

import pytest

import minitorch as mt
from minitorch.onnx import symbolic_helper, utils


@symbolic_helper.parse_args("v", "i")
def double(g, x, n):
    return g.op("Mul", x, n)


@symbolic_helper.quantized_args(True)
def single(g, x):
    return x


def test_functions_for_the_exporter_are_kept_and_forgotten():
    mt.onnx.register_custom_op_symbolic("mylib::double", double, 11)
    assert utils._symbolic_functions["mylib::double"] == {11: double}
    mt.onnx.unregister_custom_op_symbolic("mylib::double", 11)
    with pytest.warns(UserWarning, match="No custom function registered for 'mylib::double'"):
        mt.onnx.unregister_custom_op_symbolic("mylib::double", 11)


@pytest.mark.parametrize("function", [double, single])
def test_such_a_function_refuses_to_be_called(function):
    with pytest.raises(NotImplementedError, match=r"called by torch\.onnx\.export"):
        function(None, None)


def test_names_that_are_none_are_refused():
    with pytest.raises(RuntimeError, match="must match the format domain::name"):
        mt.onnx.register_custom_op_symbolic("double", double, 11)
    with pytest.raises(ValueError, match="onnx domain cannot be modified"):
        mt.onnx.register_custom_op_symbolic("onnx::Add", double, 11)


def test_a_module_is_put_into_the_mode_of_an_export_and_back():
    layer = mt.nn.Dropout()
    with utils.select_model_mode_for_export(layer, mt.onnx.TrainingMode.EVAL):
        assert not layer.training
    assert layer.training
    wrong = utils.select_model_mode_for_export(layer, 1)
    with pytest.raises(TypeError, match=r"should be a torch\.onnx\.TrainingMode enum"), wrong:
        pass


def test_export_without_the_package_onnx_raises_torchs_errors(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "onnx", None)
    assert not mt.onnx.is_in_onnx_export()
    with pytest.raises(ModuleNotFoundError, match="onnx"):
        mt.onnx.export(mt.nn.ReLU(), mt.ones(1))
    with pytest.raises(mt.onnx.OnnxExporterError, match="Module onnx is not installed!"):
        mt.onnx.export(mt.nn.ReLU(), mt.ones(1), tmp_path / "x.onnx", dynamo=False)


@pytest.mark.parametrize(
    "wanted", [{"dynamic_axes": {"x": {0: "batch"}}}, {"dynamic_shapes": {}, "report": True}]
)
def test_export_refuses_arguments_that_it_cannot_follow(wanted):
    with pytest.raises(NotImplementedError, match=r"torch\.onnx\.export: .* cannot follow"):
        mt.onnx.export(mt.nn.ReLU(), mt.ones(1), **wanted)

"""TensorBoard: event files that SummaryWriter writes, as the package reads them."""

import struct

import numpy as np
import pytest

import minitorch as torch

pytest.importorskip("tensorboard", reason="tensorboard is not installed")

from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.graph_pb2 import GraphDef
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.types_pb2 import DataType
from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData

from minitorch.utils.tensorboard import FileWriter, SummaryWriter, summary
from minitorch.utils.tensorboard._convert_np import make_np
from minitorch.utils.tensorboard._pytorch_graph import graph
from minitorch.utils.tensorboard._utils import _prepare_video, convert_to_HWC, make_grid


def events_in(folder):
    """The events of a folder's files, but for the first, which says the format."""
    for path in sorted(folder.glob("*tfevents*")):
        events = [Event.FromString(raw) for raw in RawEventFileLoader(str(path)).Load()]
        assert events[0].file_version == "brain.Event:2"
        yield from events[1:]


def values_in(folder):
    return [value for event in events_in(folder) for value in event.summary.value]


def write(folder, method, *arguments, **options):
    """The values that one call writes."""
    with SummaryWriter(folder) as writer:
        getattr(writer, method)(*arguments, **options)
    return values_in(folder)


@pytest.mark.parametrize("number", [2.5, np.float32(2.5), torch.tensor([[2.5]]).bfloat16()])
def test_scalars_are_numbers_with_tag_step_and_time(tmp_path, number):
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("loss", number, torch.tensor(3), walltime=7.0)
        writer.add_scalar("new", number, new_style=True)
        writer.add_scalar("double", number, new_style=True, double_precision=True)
    first, *_ = events = list(events_in(tmp_path))
    assert (first.step, first.wall_time) == (3, 7.0)
    old, new, double = [event.summary.value[0] for event in events]
    assert (old.tag, old.simple_value) == ("loss", 2.5)
    assert (list(new.tensor.float_val), new.metadata.plugin_data.plugin_name) == ([2.5], "scalars")
    assert list(double.tensor.double_val) == [2.5]


def test_scalars_of_several_elements_are_refused(tmp_path):
    message = "Tensor should contain one element .0 dimensions.. {13}Was given size: 2 and 1 dim"
    with pytest.raises(AssertionError, match=message):
        write(tmp_path, "add_scalar", "t", torch.ones(2))
    with pytest.raises(NotImplementedError, match="numpy array or torch tensor are expected"):
        write(tmp_path, "add_scalar", "t", [1])


def test_scalars_together_have_folders_of_their_own(tmp_path):
    write(tmp_path, "add_scalars", "a/b", {"x": 1, "y": torch.tensor(2.0)}, 4)
    for name, number in (("x", 1), ("y", 2)):
        (value,) = values_in(tmp_path / f"a_b_{name}")
        assert (value.tag, value.simple_value) == ("a/b", number)


@pytest.mark.parametrize(
    ("dtype", "kind", "field"),
    [
        (torch.float32, "DT_FLOAT", "float_val"),
        (torch.float64, "DT_DOUBLE", "double_val"),
        (torch.uint8, "DT_UINT8", "uint32_val"),
        (torch.int16, "DT_INT16", "int_val"),
        (torch.int64, "DT_INT64", "int64_val"),
        (torch.bool, "DT_BOOL", "bool_val"),
    ],
)
def test_tensors_have_shape_dtype_and_elements(tmp_path, dtype, kind, field):
    tensor = torch.tensor([[0, 1], [2, 3]]).to(dtype)
    (value,) = write(tmp_path, "add_tensor", "t", tensor)
    assert [dim.size for dim in value.tensor.tensor_shape.dim] == [2, 2]
    assert value.tensor.dtype == DataType.Value(kind)
    assert list(getattr(value.tensor, field)) == tensor.flatten().tolist()


def test_halves_and_complex_tensors_are_written_as_torch_has_them(tmp_path):
    (value,) = write(tmp_path / "h", "add_tensor", "t", torch.tensor([1.5]).bfloat16())
    assert list(value.tensor.half_val) == [struct.unpack("i", struct.pack("f", 1.5))[0]]
    (value,) = write(tmp_path / "c", "add_tensor", "t", torch.tensor([1 + 2j]))
    assert list(value.tensor.scomplex_val) == [1.0, 2.0]
    with pytest.raises(ValueError, match=r"t has unsupported tensor dtype torch\.uint16"):
        write(tmp_path / "u", "add_tensor", "t", torch.ones(1, dtype=torch.uint16))


def test_histograms_leave_empty_buckets_out(tmp_path):
    (value,) = write(tmp_path, "add_histogram", "h", torch.tensor([1, 1, 3]), bins=range(8))
    found = value.histo
    assert (found.min, found.max, found.num, found.sum, found.sum_squares) == (1, 3, 3, 5, 11)
    assert list(found.bucket_limit) == [1, 2, 3, 4]
    assert list(found.bucket) == [0, 2, 0, 1]


def test_histograms_join_buckets_beyond_the_most():
    found = summary.make_histogram(np.arange(10.0), 10, max_bins=4)
    assert list(found.bucket) == [0, 2, 2, 2, 2, 2]
    assert len(found.bucket_limit) == 6
    with pytest.raises(ValueError, match="has no element"):
        summary.make_histogram(np.ones(0), 10)


def test_raw_histograms_want_a_limit_for_each_count(tmp_path):
    (value,) = write(tmp_path, "add_histogram_raw", "r", 0, 2, 3, 4, 6, [1, 2], [2, 1])
    assert list(value.histo.bucket) == [2, 1]
    with pytest.raises(ValueError, match="see the document"):
        write(tmp_path, "add_histogram_raw", "r", 0, 2, 3, 4, 6, [1, 2], [2])


def pixels(value):
    from io import BytesIO

    from PIL import Image

    return np.asarray(Image.open(BytesIO(value.image.encoded_image_string)))


def test_images_are_png_of_bytes_clipped(tmp_path):
    pytest.importorskip("PIL", reason="pillow is not installed")
    tensor = torch.tensor([[-0.5, 0.5], [1.0, 2.0]])
    (value,) = write(tmp_path / "hw", "add_image", "i", tensor, dataformats="HW")
    assert (value.image.height, value.image.width, value.image.colorspace) == (2, 2, 3)
    assert pixels(value)[..., 0].tolist() == [[0, 127], [255, 255]]
    (value,) = write(tmp_path / "n", "add_images", "i", torch.ones(9, 1, 2, 3, dtype=torch.uint8))
    assert (value.image.height, value.image.width) == (4, 24)
    boxes = torch.tensor([[2, 2, 20, 20]])
    image = torch.zeros(3, 30, 30)
    (value,) = write(tmp_path / "b", "add_image_with_boxes", "i", image, boxes, labels="a")
    assert pixels(value)[2, 2].tolist() == [255, 0, 0]


def test_image_formats_that_do_not_fit_are_refused():
    with pytest.raises(AssertionError, match="can not use the same dimension shorthand twice"):
        convert_to_HWC(np.ones((2, 2)), "HH")
    with pytest.raises(AssertionError, match="size of input tensor and input format are differ"):
        convert_to_HWC(np.ones((2, 2)), "CHW")
    with pytest.raises(AssertionError, match="4D numpy array with 3 channels"):
        make_grid(np.ones((2, 2, 2, 2)))


def test_figures_become_images(tmp_path):
    matplotlib = pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure = pyplot.figure(figsize=(2, 1), dpi=50)
    (value,) = write(tmp_path, "add_figure", "f", figure)
    assert (value.image.height, value.image.width) == (50, 100)
    assert not pyplot.get_fignums()


def test_videos_stand_in_a_grid_of_a_power_of_two():
    assert _prepare_video(np.ones((3, 2, 1, 4, 5), np.uint8)).shape == (2, 4, 20, 1)
    assert _prepare_video(np.ones((4, 2, 1, 4, 5))).shape == (2, 8, 10, 1)


def test_sounds_are_wave_files_of_one_channel(tmp_path, capsys):
    sound = torch.tensor([[0.0, 1.0, -2.0]])
    (value,) = write(tmp_path, "add_audio", "s", sound, sample_rate=8000)
    assert (value.audio.length_frames, value.audio.content_type) == (3, "audio/wav")
    assert struct.unpack("<3h", value.audio.encoded_audio_string[-6:]) == (0, 32767, -32767)
    assert "out of range, auto clipped" in capsys.readouterr().out
    with pytest.raises(AssertionError, match="should be 1 dimensional"):
        write(tmp_path, "add_audio", "s", torch.zeros(2, 3))


def test_texts_and_layouts_name_their_plugins(tmp_path):
    (value,) = write(tmp_path / "t", "add_text", "t", "a *b*")
    assert value.tag == "t/text_summary"
    assert list(value.tensor.string_val) == [b"a *b*"]
    layout = {"one": {"a": ["Multiline", ["x"]], "b": ["Margin", ["x", "y", "z"]]}}
    (value,) = write(tmp_path / "l", "add_custom_scalars", layout)
    assert value.metadata.plugin_data.plugin_name == "custom_scalars"
    with pytest.raises(AssertionError, match="Expected 3 tags, got 1"):
        write(tmp_path / "l", "add_custom_scalars_marginchart", ["x"])


def test_pr_curves_count_at_each_threshold(tmp_path):
    labels, predictions = torch.tensor([0, 1, 1]), torch.tensor([0.1, 0.6, 1.0])
    (value,) = write(tmp_path, "add_pr_curve", "p", labels, predictions, num_thresholds=3)
    true, false, *_ = np.reshape(value.tensor.float_val, (6, 3)).tolist()
    assert (true, false) == ([2, 2, 1], [1, 0, 0])


def test_meshes_have_a_value_for_each_tensor(tmp_path):
    points = torch.ones(1, 4, 3)
    values = write(tmp_path, "add_mesh", "m", points, colors=points.int(), config_dict={"a": 1})
    assert [value.tag for value in values] == ["m_VERTEX", "m_COLOR"]
    assert TensorProto.FromString(values[0].tensor.SerializeToString()).float_val[0] == 1.0


def test_hyper_parameters_have_a_folder_of_their_own(tmp_path):
    given = {"lr": 0.5, "name": "a", "t": torch.tensor([2.0]), "none": None}
    with SummaryWriter(tmp_path) as writer:
        writer.add_hparams(given, {"loss": 1.0}, {"name": ["a", "b"]}, run_name="run")
    experiment, start, _, loss = values_in(tmp_path / "run")
    info = HParamsPluginData.FromString(experiment.metadata.plugin_data.content).experiment
    assert [each.name for each in info.hparam_infos] == ["lr", "name", "t"]
    held = HParamsPluginData.FromString(start.metadata.plugin_data.content).session_start_info
    assert (held.hparams["lr"].number_value, held.hparams["name"].string_value) == (0.5, "a")
    assert (loss.tag, loss.simple_value) == ("loss", 1.0)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (({"a": [1]}, {}), ValueError),
        (([], {}), TypeError),
        (({"a": 1}, {}, {"b": [1]}), TypeError),
        (({"a": 1}, {}, {"a": ["x"]}), TypeError),
    ],
)
def test_hyper_parameters_of_wrong_types_are_refused(tmp_path, arguments, error):
    with pytest.raises(error, match=r"value should be one of|should be a"):
        summary.hparams(*arguments)
    with SummaryWriter(tmp_path) as writer, pytest.raises(error):
        writer.add_hparams(*arguments)


def test_embeddings_are_files_that_the_projector_reads(tmp_path, capsys):
    with SummaryWriter(tmp_path) as writer:
        points = torch.arange(4.0).reshape(2, 2)
        images = torch.rand(2, 3, 4, 5)
        writer.add_embedding(points, ["a", "b"], images, global_step=2, tag="x/y")
        writer.add_embedding(points, ["a", "b"], global_step=2, tag="x/y")
        with pytest.raises(AssertionError, match="#labels should equal"):
            writer.add_embedding(points, ["a"], tag="z")
    folder = tmp_path / "00002" / "x%2fy"
    assert (folder / "tensors.tsv").read_text() == "0.0\t1.0\n2.0\t3.0\n"
    assert (folder / "metadata.tsv").read_text() == "a\nb\n"
    assert (folder / "sprite.png").exists()
    assert 'tensor_name: "x/y:00002"' in (tmp_path / "projector_config.pbtxt").read_text()
    assert "Embedding dir exists" in capsys.readouterr().out


def test_a_closed_writer_opens_a_new_file(tmp_path):
    writer = SummaryWriter(tmp_path, filename_suffix=".one")
    writer.close()
    assert writer.all_writers is None
    writer.filename_suffix = ".two"
    writer.add_scalar("x", 1)
    writer.close()
    assert [path.suffix for path in sorted(tmp_path.iterdir())] == [".one", ".two"]


def test_a_purged_step_starts_a_session(tmp_path):
    SummaryWriter(tmp_path, purge_step=5).close()
    first, second = events_in(tmp_path)
    assert (first.step, second.step, second.session_log.status) == (5, 5, 1)


def test_file_writers_take_steps_as_whole_numbers(tmp_path):
    writer = FileWriter(tmp_path)
    writer.add_summary(summary.scalar("x", 1), 2.7, walltime=1)
    writer.close()
    (event,) = events_in(tmp_path)
    assert (event.step, event.wall_time) == (2, 1)
    assert writer.get_logdir() == str(tmp_path)


def test_make_np_of_meta_tensors_is_a_random_number():
    assert make_np(torch.ones(3, device="meta")).shape == (1,)
    assert make_np(torch.ones(1).bfloat16()).dtype == np.float16


traces = pytest.mark.filterwarnings("ignore:`torch.jit.trace(_method)?` is deprecated")


class Net(torch.nn.Module):
    """Two layers, one of them inside a container, and a constant."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU())
        self.shift = torch.ones(2)

    def forward(self, x, unused=None):
        torch.sin(x)  # leads nowhere
        y = self.layers(x)
        return y + self.shift, y.max(0)[1]


def nodes_of(model, *inputs, **options):
    made, run = graph(model, inputs, **options)
    assert run.step_stats.dev_stats[0].device == "/device:CPU:0"
    return {node.name: node for node in made.node}


@traces
def test_graphs_name_scopes_operators_and_what_these_take():
    nodes = nodes_of(Net(), torch.ones(4, 3))
    layer = "Net/Sequential[layers]/Linear[0]"
    added = nodes[f"{layer}/addmm"]
    assert (added.op, list(added.input)) == (
        "aten::addmm",
        [f"{layer}/bias/bias", "input/x", f"{layer}/t"],
    )
    (shape,) = added.attr["_output_shapes"].list.shape
    assert [dim.size for dim in shape.dim] == [4, 2]
    assert nodes[f"{layer}/weight/weight"].op == "prim::GetAttr"
    assert list(nodes["Net/Sequential[layers]/ReLU[1]/relu"].input) == [f"{layer}/addmm"]


@traces
def test_graphs_have_inputs_outputs_and_settings_of_operators():
    nodes = nodes_of(Net(), torch.ones(4, 3), torch.ones(1))
    assert list(nodes)[:2] == ["input/x", "output/output.1"]  # the other is not used
    assert list(nodes["output/output.1"].input) == ["Net/tuple"]
    assert list(nodes["Net/tuple"].input) == ["Net/add", "Net/max:1"]
    assert "dim : 0" in nodes["Net/max"].attr["attr"].s.decode()
    assert nodes["Net/Constant"].op == "prim::Constant"
    assert "Net/sin" not in nodes


@traces
def test_graphs_run_the_module_in_evaluation_and_leave_it_as_it_was():
    model = torch.nn.Sequential(torch.nn.Dropout(), torch.nn.Linear(3, 2))
    assert not any("drop" in name for name in nodes_of(model, torch.ones(4, 3)))
    assert model.training
    with pytest.raises(RuntimeError, match="shapes cannot be multiplied"):
        nodes_of(model, torch.ones(4, 5))
    assert model.training
    assert not model._forward_hooks


@traces
def test_add_graph_writes_the_graph_and_its_run(tmp_path, capsys):
    with SummaryWriter(tmp_path) as writer:
        writer.add_graph(Net(), torch.ones(4, 3), verbose=True)
    first, second = events_in(tmp_path)
    names = [node.name for node in GraphDef.FromString(first.graph_def).node]
    assert "Net/add" in names
    assert second.tagged_run_metadata.tag == "step1"
    assert "Net/add : aten::add(" in capsys.readouterr().out


class Returns(torch.nn.Module):
    def __init__(self, result):
        super().__init__()
        self.result = result

    def forward(self, x):
        return self.result(x)


@traces
@pytest.mark.parametrize(
    ("result", "message"),
    [
        (lambda x: None, "The traced function didn't return any values"),
        (lambda x: (x, 3), "Only tensors, lists, tuples of tensors"),
        (lambda x: {"x": x}, "Encountering a dict at the output of the tracer"),
    ],
)
def test_graphs_of_other_results_than_tensors_are_refused(result, message, capsys):
    with pytest.raises(RuntimeError, match=message):
        nodes_of(Returns(result), torch.ones(2))
    assert capsys.readouterr().out.endswith("Error occurs, No graph saved\n")


@traces
def test_graphs_of_dicts_and_of_inputs_inside_lists():
    nodes = nodes_of(Returns(lambda x: {"x": x + 1}), torch.ones(2), use_strict_trace=False)
    assert nodes["Returns/dict"].op == "prim::DictConstruct"
    nodes = nodes_of(Returns(lambda x: x[0] + x[1]), [torch.ones(2), torch.ones(2)])
    assert list(nodes["Returns/add"].input) == ["input/x.1", "input/x.2"]
    with pytest.raises(RuntimeError, match=r"Type 'Tuple\[Tensor, int\]' cannot be traced"):
        nodes_of(Returns(lambda x: x), torch.ones(2), 3)

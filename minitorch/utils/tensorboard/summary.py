"""The messages of TensorBoard's event files: each function makes a `Summary`."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Sequence
from typing import Any

import numpy
from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.plugins.custom_scalar import layout_pb2
from tensorboard.plugins.pr_curve.plugin_data_pb2 import PrCurvePluginData
from tensorboard.plugins.text.plugin_data_pb2 import TextPluginData

from minitorch import as_tensor, view_as_real
from minitorch.core.numbers import dtype as dtypes
from minitorch.utils.tensorboard._convert_np import make_np
from minitorch.utils.tensorboard._summary_hparams import hparams
from minitorch.utils.tensorboard._utils import _prepare_video, convert_to_HWC

__all__ = [
    "half_to_int",
    "int_to_half",
    "hparams",
    "scalar",
    "histogram_raw",
    "histogram",
    "make_histogram",
    "image",
    "image_boxes",
    "draw_boxes",
    "make_image",
    "video",
    "make_video",
    "audio",
    "custom_scalars",
    "text",
    "tensor_proto",
    "pr_curve_raw",
    "pr_curve",
    "compute_curve",
    "mesh",
]


def _summary(tag: str, **value: Any) -> Summary:
    """A summary of one value."""
    return Summary(value=[Summary.Value(tag=tag, **value)])


def _metadata(plugin_name: str, content: bytes | None = None) -> SummaryMetadata:
    """The metadata with the plugin of TensorBoard that shows a value."""
    plugin_data = SummaryMetadata.PluginData(plugin_name=plugin_name, content=content)
    return SummaryMetadata(plugin_data=plugin_data)


def _shape(sizes: Sequence[int]) -> TensorShapeProto:
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=each) for each in sizes])


# --- numbers and tensors ---


def half_to_int(f: float) -> int:
    """The bits of a number as float32, read as an int: how a half stands in `half_val`."""
    return struct.unpack("i", struct.pack("f", f))[0]


def int_to_half(i: int) -> float:
    """The number whose bits as float32 `half_to_int` gave."""
    return struct.unpack("f", struct.pack("i", i))[0]


def _elements(tensor: Any) -> list[Any]:
    return tensor.flatten().tolist()


def _halves(tensor: Any) -> list[int]:
    return [half_to_int(each) for each in _elements(tensor)]


def _pairs(tensor: Any) -> list[float]:
    return view_as_real(tensor).flatten().tolist()


# The type of a tensor's elements in a message, the field that holds them, and how they get there.
# float16 and int8 are as torch has them; complex32 is refused there, too: no message has its type.
_TENSOR_TYPE_MAP = {
    dtypes.float16: ("DT_HALF", "half_val", _halves),
    dtypes.bfloat16: ("DT_BFLOAT16", "half_val", _halves),
    dtypes.float32: ("DT_FLOAT", "float_val", _elements),
    dtypes.float64: ("DT_DOUBLE", "double_val", _elements),
    dtypes.int8: ("DT_INT8", "int_val", _elements),
    dtypes.uint8: ("DT_UINT8", "uint32_val", _elements),
    dtypes.int16: ("DT_INT16", "int_val", _elements),
    dtypes.int32: ("DT_INT32", "int_val", _elements),
    dtypes.int64: ("DT_INT64", "int64_val", _elements),
    dtypes.complex32: ("DT_COMPLEX32", "scomplex_val", _pairs),
    dtypes.complex64: ("DT_COMPLEX64", "scomplex_val", _pairs),
    dtypes.complex128: ("DT_COMPLEX128", "dcomplex_val", _pairs),
    dtypes.bool: ("DT_BOOL", "bool_val", _elements),
}


def scalar(
    name: str,
    tensor: Any,
    collections: Any = None,
    new_style: bool = False,
    double_precision: bool = False,
) -> Summary:
    """A summary of one number.

    Args:
        name: its tag
        tensor: a number, or an array or a tensor of one element
        collections: nothing
        new_style: whether it is written as a tensor
        double_precision: whether that tensor is of float64

    Raises: AssertionError for several elements.
    """
    array = make_np(tensor).squeeze()
    if array.ndim != 0:
        raise AssertionError(
            f"Tensor should contain one element (0 dimensions).{' ' * 13}"
            f"Was given size: {array.size} and {array.ndim} dimensions."
        )
    number = float(array)
    if not new_style:
        return _summary(name, simple_value=number)
    if double_precision:
        proto = TensorProto(double_val=[number], dtype="DT_DOUBLE")
    else:
        proto = TensorProto(float_val=[number], dtype="DT_FLOAT")
    return _summary(name, tensor=proto, metadata=_metadata("scalars"))


def tensor_proto(tag: str, tensor: Any) -> Summary:
    """A summary of a whole tensor.

    Raises: ValueError for one of 2 GiB, and for a dtype that messages do not have.
    """
    if tensor.numel() * tensor.itemsize >= 1 << 31:
        raise ValueError("tensor is bigger than protocol buffer's hard limit of 2GB in size")
    if tensor.dtype not in _TENSOR_TYPE_MAP:
        raise ValueError(f"{tag} has unsupported tensor dtype {tensor.dtype}")
    dtype, field, elements = _TENSOR_TYPE_MAP[tensor.dtype]
    values = {field: elements(tensor)}
    proto = TensorProto(dtype=dtype, tensor_shape=_shape(tensor.shape), **values)
    return _summary(tag, metadata=_metadata("tensor"), tensor=proto)


# --- histograms ---


def histogram_raw(
    name: str,
    min: float,
    max: float,
    num: int,
    sum: float,
    sum_squares: float,
    bucket_limits: Sequence[float],
    bucket_counts: Sequence[float],
) -> Summary:
    """A summary of a histogram that was counted elsewhere.

    Args:
        name: its tag
        min, max, num, sum, sum_squares: of the values
        bucket_limits: the upper limit of each bucket
        bucket_counts: how many values each holds
    """
    counted = HistogramProto(
        min=min,
        max=max,
        num=num,
        sum=sum,
        sum_squares=sum_squares,
        bucket_limit=bucket_limits,
        bucket=bucket_counts,
    )
    return _summary(name, histo=counted)


def histogram(name: str, values: Any, bins: Any, max_bins: int | None = None) -> Summary:
    """A summary of how values are spread; see `make_histogram` for the arguments and errors."""
    values = make_np(values)
    return _summary(name, histo=make_histogram(values.astype(float), bins, max_bins))


def make_histogram(values: numpy.ndarray, bins: Any, max_bins: int | None = None) -> HistogramProto:
    """The histogram of values, without the empty buckets at both ends.

    Args:
        values: the values, of any shape
        bins: the limits of the buckets, or how many there are, or how NumPy is to choose them
        max_bins: if there are more buckets than that, neighbours are joined

    Raises: ValueError without values, and with bins that hold none.
    """
    if values.size == 0:
        raise ValueError("The input has no element.")
    values = values.reshape(-1)
    counts, limits = numpy.histogram(values, bins=bins)
    if max_bins is not None and len(counts) > max_bins:
        counts, limits = _joined(counts, limits, len(counts) // max_bins)
    # The first bucket that is not empty, and the one after the last.
    filled = numpy.cumsum(counts > 0)
    first, last = numpy.searchsorted(filled, [0, filled[-1] - 1], side="right")
    first, end = int(first), int(last) + 1
    # Messages have upper limits alone: an empty bucket below gives the lowest one.
    counts = counts[first - 1 : end] if first else numpy.concatenate([[0], counts[:end]])
    limits = limits[first : end + 1]
    if counts.size == 0 or limits.size == 0:
        raise ValueError("The histogram is empty, please file a bug report.")
    return HistogramProto(
        min=values.min(),
        max=values.max(),
        num=len(values),
        sum=values.sum(),
        sum_squares=values.dot(values),
        bucket_limit=limits.tolist(),
        bucket=counts.tolist(),
    )


def _joined(
    counts: numpy.ndarray, limits: numpy.ndarray, several: int
) -> tuple[numpy.ndarray, numpy.ndarray]:
    """A histogram with `several` buckets in one; the last may hold fewer of them."""
    rest = len(counts) % several
    if rest:
        counts = numpy.concatenate([counts, numpy.zeros(several - rest, counts.dtype)])
    counts = counts.reshape(-1, several).sum(axis=-1)
    return counts, numpy.append(limits[:-1:several], limits[-1])


# --- pictures, films and sounds ---


def image(tag: str, tensor: Any, rescale: float = 1, dataformats: str = "NCHW") -> Summary:
    """A summary of a picture, or of several as a grid.

    Args:
        tag: its tag
        tensor: an array or a tensor, uint8 from 0 to 255 or others from 0 to 1; what is beyond
            is clipped
        rescale: by how much it becomes larger
        dataformats: what its dimensions are: NCHW, CHW, HWC, HW and the like

    Raises: AssertionError for letters that do not fit the dimensions.
    """
    picture = convert_to_HWC(make_np(tensor), dataformats)
    return _summary(tag, image=make_image(_as_bytes(picture), rescale=rescale))


def image_boxes(
    tag: str,
    tensor_image: Any,
    tensor_boxes: Any,
    rescale: float = 1,
    dataformats: str = "CHW",
    labels: Any = None,
) -> Summary:
    """A summary of a picture with boxes drawn into it; see `image` and `draw_boxes`."""
    picture = convert_to_HWC(make_np(tensor_image), dataformats)
    boxes = make_np(tensor_boxes)
    made = make_image(_as_bytes(picture), rescale=rescale, rois=boxes, labels=labels)
    return _summary(tag, image=made)


def _calc_scale_factor(tensor: Any) -> int:
    """The factor that turns values into bytes: 1 for bytes, 255 for values from 0 to 1."""
    array = tensor if isinstance(tensor, numpy.ndarray) else tensor.numpy()
    return 1 if array.dtype == numpy.uint8 else 255


def _as_bytes(array: numpy.ndarray) -> numpy.ndarray:
    factor = _calc_scale_factor(array)
    scaled = array.astype(numpy.float32) * factor
    return scaled.clip(0, 255).astype(numpy.uint8)


def draw_boxes(disp_image: Any, boxes: numpy.ndarray, labels: Any = None) -> Any:
    """A picture of PIL with red boxes drawn into it.

    Args:
        disp_image: the picture, which is changed
        boxes: for each box left, top, right and bottom, in pixels
        labels: what is written into each
    """
    for number, (left, top, right, bottom) in enumerate(boxes[:, :4]):
        label = None if labels is None else labels[number]
        disp_image = _draw_single_box(disp_image, left, top, right, bottom, label, color="Red")
    return disp_image


def _draw_single_box(
    image: Any,
    xmin: float,
    ymin: float,
    xmax: float,
    ymax: float,
    display_str: str | None,
    color: str = "black",
    color_text: str = "black",
    thickness: int = 2,
) -> Any:
    """A picture of PIL with one box, and its label inside at the lower left."""
    from PIL import ImageDraw, ImageFont  # start-up: 30 ms, and only boxes need it

    font = ImageFont.load_default()
    draw = ImageDraw.Draw(image)
    around = [(xmin, ymin), (xmin, ymax), (xmax, ymax), (xmax, ymin), (xmin, ymin)]
    draw.line(around, width=thickness, fill=color)
    if display_str:
        left, top, right, bottom = font.getbbox(display_str)
        width, height = right - left, bottom - top
        margin = numpy.ceil(0.05 * height)
        ground = [(xmin, ymax - height - 2 * margin), (xmin + width, ymax)]
        draw.rectangle(ground, fill=color)
        at = (xmin + margin, ymax - height - margin)
        draw.text(at, display_str, fill=color_text, font=font)
    return image


def make_image(
    tensor: numpy.ndarray, rescale: float = 1, rois: Any = None, labels: Any = None
) -> Summary.Image:
    """The message of a picture, as PNG.

    Args:
        tensor: bytes of shape (H, W, C)
        rescale: by how much it becomes larger; the message has the size before
        rois, labels: boxes and their labels, as in `draw_boxes`
    """
    from PIL import Image  # start-up: 30 ms, and only pictures need it

    height, width, channels = tensor.shape
    drawn = Image.fromarray(tensor)
    if rois is not None:
        drawn = draw_boxes(drawn, rois, labels=labels)
    size = (int(width * rescale), int(height * rescale))
    with io.BytesIO() as buffer:
        drawn.resize(size, Image.Resampling.LANCZOS).save(buffer, format="PNG")
        encoded = buffer.getvalue()
    return Summary.Image(
        height=height, width=width, colorspace=channels, encoded_image_string=encoded
    )


def video(tag: str, tensor: Any, fps: float = 4) -> Summary:
    """A summary of films of shape (N, T, C, H, W), beside one another, as GIF.

    Args:
        tag: its tag
        tensor: an array or a tensor, uint8 from 0 to 255 or others from 0 to 1
        fps: how many pictures a second

    Without the package `moviepy` it prints so, and the value is empty.
    """
    frames = _as_bytes(_prepare_video(make_np(tensor)))
    return _summary(tag, image=make_video(frames, fps))


def make_video(tensor: numpy.ndarray, fps: float) -> Summary.Image | None:
    """The message of a film, as GIF; None, and a line printed, without `moviepy.editor`."""
    try:
        import moviepy  # noqa: F401 - start-up: only films need it
    except ImportError:
        print("add_video needs package moviepy")
        return None
    try:
        from moviepy import editor
    except ImportError:
        print(
            "moviepy is installed, but can't import moviepy.editor.",
            "Some packages could be missing [imageio, requests]",
        )
        return None
    import tempfile  # start-up: only films need it

    _, height, width, channels = tensor.shape
    clip = editor.ImageSequenceClip(list(tensor), fps=fps)
    with tempfile.NamedTemporaryFile(suffix=".gif") as file:
        _write_silently(clip, file.name)
        encoded = file.read()
    return Summary.Image(
        height=height, width=width, colorspace=channels, encoded_image_string=encoded
    )


def _write_silently(clip: Any, name: str) -> None:
    """Writes a film without bars of progress: versions of moviepy name that differently."""
    for silent in ({"logger": None}, {"progress_bar": False}):
        try:
            clip.write_gif(name, verbose=False, **silent)
            return
        except TypeError:
            pass
    clip.write_gif(name, verbose=False)


def audio(tag: str, tensor: Any, sample_rate: int = 44100) -> Summary:
    """A summary of a sound, as WAV of 16 bits.

    Args:
        tag: its tag
        tensor: amplitudes from -1 to 1, of one channel; what is beyond is clipped, with a line
        sample_rate: how many a second

    Raises: AssertionError for several channels.
    """
    import wave  # start-up: only sounds need it

    array = make_np(tensor).squeeze()
    if abs(array).max() > 1:
        print("warning: audio amplitude out of range, auto clipped.")
        array = array.clip(-1, 1)
    if array.ndim != 1:
        raise AssertionError("input tensor should be 1 dimensional.")
    array = (array * numpy.iinfo(numpy.int16).max).astype("<i2")
    with io.BytesIO() as buffer:
        with wave.open(buffer, "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(sample_rate)
            file.writeframes(array.data)
        encoded = buffer.getvalue()
    sound = Summary.Audio(
        sample_rate=sample_rate,
        num_channels=1,
        length_frames=array.shape[-1],
        encoded_audio_string=encoded,
        content_type="audio/wav",
    )
    return _summary(tag, audio=sound)


# --- texts, charts and meshes ---


def text(tag: str, text: str) -> Summary:
    """A summary of a text, in Markdown."""
    proto = TensorProto(dtype="DT_STRING", string_val=[text.encode()], tensor_shape=_shape([1]))
    metadata = _metadata("text", TextPluginData(version=0).SerializeToString())
    return _summary(tag + "/text_summary", metadata=metadata, tensor=proto)


def custom_scalars(layout: dict[str, Any]) -> Summary:
    """A summary that says which scalars are charted together.

    Args:
        layout: for each category, for each of its charts, a list of its kind and tags:
            ["Margin", [value, lower, upper]], or ["Multiline", tags]

    Raises: AssertionError for a margin without three tags.
    """
    categories = [
        layout_pb2.Category(title=name, chart=[_chart(*each) for each in charts.items()])
        for name, charts in layout.items()
    ]
    encoded = layout_pb2.Layout(category=categories).SerializeToString()
    proto = TensorProto(dtype="DT_STRING", string_val=[encoded], tensor_shape=TensorShapeProto())
    metadata = _metadata("custom_scalars")
    return _summary("custom_scalars__config__", tensor=proto, metadata=metadata)


def _chart(title: str, description: Sequence[Any]) -> layout_pb2.Chart:
    kind, tags = description[0], description[1]
    if kind != "Margin":
        return layout_pb2.Chart(title=title, multiline=layout_pb2.MultilineChartContent(tag=tags))
    if len(tags) != 3:
        raise AssertionError("len(tags) != 3")
    series = layout_pb2.MarginChartContent.Series(value=tags[0], lower=tags[1], upper=tags[2])
    return layout_pb2.Chart(title=title, margin=layout_pb2.MarginChartContent(series=[series]))


# More thresholds than these are too many for the plugin's message.
_MOST_THRESHOLDS = 127


def pr_curve_raw(
    tag: str,
    tp: Any,
    fp: Any,
    tn: Any,
    fn: Any,
    precision: Any,
    recall: Any,
    num_thresholds: int = 127,
    weights: Any = None,
) -> Summary:
    """A summary of precision against recall that was counted elsewhere.

    Args:
        tag: its tag
        tp, fp, tn, fn: true and false positives and negatives, at each threshold
        precision, recall: at each threshold
        num_thresholds: how many there are, 127 at most
        weights: nothing
    """
    data = numpy.stack((tp, fp, tn, fn, precision, recall))
    return _pr_curve_of(tag, data, min(num_thresholds, _MOST_THRESHOLDS))


def pr_curve(
    tag: str, labels: Any, predictions: Any, num_thresholds: int = 127, weights: Any = None
) -> Summary:
    """A summary of precision against recall; see `compute_curve` for the arguments."""
    thresholds = min(num_thresholds, _MOST_THRESHOLDS)
    data = compute_curve(labels, predictions, num_thresholds=thresholds, weights=weights)
    return _pr_curve_of(tag, data, thresholds)


def _pr_curve_of(tag: str, data: numpy.ndarray, thresholds: int) -> Summary:
    content = PrCurvePluginData(version=0, num_thresholds=thresholds).SerializeToString()
    proto = TensorProto(
        dtype="DT_FLOAT", float_val=data.reshape(-1).tolist(), tensor_shape=_shape(data.shape[:2])
    )
    return _summary(tag, metadata=_metadata("pr_curves", content), tensor=proto)


def compute_curve(
    labels: numpy.ndarray,
    predictions: numpy.ndarray,
    num_thresholds: Any = None,
    weights: Any = None,
) -> numpy.ndarray:
    """True and false positives and negatives, precision and recall, at each threshold, stacked.

    Args:
        labels: an array of the true labels, 0 or 1
        predictions: how probable that seemed, from 0 to 1
        num_thresholds: how many there are, from 0 to 1
        weights: what each counts; 1 if None
    """
    least = 1e-7  # so that nothing is divided by zero
    weights = 1.0 if weights is None else weights
    buckets = numpy.int32(numpy.floor(predictions * (num_thresholds - 1)))
    positive = labels.astype(numpy.float64)

    def at_least(counted: Any) -> numpy.ndarray:
        """The sum of the values in each bucket or above."""
        limits = (0, num_thresholds - 1)
        found, _ = numpy.histogram(buckets, bins=num_thresholds, range=limits, weights=counted)
        return numpy.cumsum(found[::-1])[::-1]

    tp = at_least(positive * weights)
    fp = at_least((1.0 - positive) * weights)
    tn = fp[0] - fp
    fn = tp[0] - tp
    precision = tp / numpy.maximum(least, tp + fp)
    recall = tp / numpy.maximum(least, tp + fn)
    return numpy.stack((tp, fp, tn, fn, precision, recall))


def mesh(
    tag: str,
    vertices: Any,
    colors: Any,
    faces: Any,
    config_dict: Any,
    display_name: str | None = None,
    description: str | None = None,
) -> Summary:
    """A summary of points in space and the triangles between them: a value for each tensor.

    Args:
        tag: its tag
        vertices: where points are, of shape (N, points, 3)
        colors: theirs, of shape (N, points, 3), or None
        faces: the numbers of each triangle's points, of shape (N, triangles, 3), or None
        config_dict: settings of three.js, or None
        display_name, description: what is shown above it, the latter in Markdown
    """
    from tensorboard.plugins.mesh import metadata  # start-up: only meshes need it
    from tensorboard.plugins.mesh.plugin_data_pb2 import MeshPluginData

    kinds = (MeshPluginData.VERTEX, MeshPluginData.FACE, MeshPluginData.COLOR)
    given = [
        pair for pair in zip((vertices, faces, colors), kinds, strict=True) if pair[0] is not None
    ]
    components = metadata.get_components_bitmask([kind for _, kind in given])
    config = _get_json_config(config_dict)
    return Summary(
        value=[
            _get_tensor_summary(tag, display_name, description, tensor, kind, components, config)
            for tensor, kind in given
        ]
    )


def _get_tensor_summary(
    name: str,
    display_name: str | None,
    description: str | None,
    tensor: Any,
    content_type: int,
    components: int,
    json_config: str,
) -> Summary.Value:
    """The value of one tensor of a mesh.

    Args:
        tensor: of three dimensions
        content_type: whether it holds points, triangles or colours
        components: which of these the mesh has, a bit each
        json_config: settings of three.js
        name, display_name, description: those of the mesh
    """
    from tensorboard.plugins.mesh import metadata  # start-up: only meshes need it

    tensor = as_tensor(tensor)
    described = metadata.create_summary_metadata(
        name,
        display_name,
        content_type,
        components,
        tensor.shape,
        description,
        json_config=json_config,
    )
    sizes = [tensor.shape[0], tensor.shape[1], tensor.shape[2]]
    proto = TensorProto(
        dtype="DT_FLOAT", float_val=tensor.reshape(-1).tolist(), tensor_shape=_shape(sizes)
    )
    tag = metadata.get_instance_name(name, content_type)
    return Summary.Value(tag=tag, tensor=proto, metadata=described)


def _get_json_config(config_dict: Any) -> str:
    """Settings as JSON, {} for None."""
    return "{}" if config_dict is None else json.dumps(config_dict, sort_keys=True)

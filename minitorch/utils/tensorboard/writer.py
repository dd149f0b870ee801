"""SummaryWriter, which writes what TensorBoard shows to event files."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any

from tensorboard.compat import tf
from tensorboard.compat.proto.event_pb2 import Event, SessionLog, TaggedRunMetadata
from tensorboard.plugins.projector.projector_config_pb2 import ProjectorConfig
from tensorboard.summary.writer.event_file_writer import EventFileWriter

from minitorch.utils.tensorboard._convert_np import make_np
from minitorch.utils.tensorboard._embedding import (
    get_embedding_info,
    make_mat,
    make_sprite,
    make_tsv,
    write_pbtxt,
)
from minitorch.utils.tensorboard._onnx_graph import load_onnx_graph
from minitorch.utils.tensorboard._pytorch_graph import graph
from minitorch.utils.tensorboard._utils import figure_to_image
from minitorch.utils.tensorboard.summary import (
    audio,
    custom_scalars,
    histogram,
    histogram_raw,
    hparams,
    image,
    image_boxes,
    mesh,
    pr_curve,
    pr_curve_raw,
    scalar,
    tensor_proto,
    text,
    video,
)

__all__ = ["FileWriter", "SummaryWriter"]


class FileWriter:
    """Writes messages to an event file in a folder, from a thread of its own.

    Args:
        log_dir: the folder, which is made
        max_queue: how many messages wait before a call waits for the file
        flush_secs: after how many seconds they are written at the latest
        filename_suffix: what the file's name ends with

    As torch.utils.tensorboard.writer.FileWriter.
    """

    __module__ = "torch.utils.tensorboard.writer"

    def __init__(
        self, log_dir: Any, max_queue: int = 10, flush_secs: float = 120, filename_suffix: str = ""
    ) -> None:
        self.event_writer = EventFileWriter(str(log_dir), max_queue, flush_secs, filename_suffix)

    def get_logdir(self) -> str:
        """The folder."""
        return self.event_writer.get_logdir()

    def add_event(self, event: Event, step: Any = None, walltime: float | None = None) -> None:
        """Writes an event, with the time of now unless `walltime` says another, in seconds."""
        event.wall_time = time.time() if walltime is None else walltime
        if step is not None:
            event.step = int(step)  # of NumPy's numbers, which messages may refuse
        self.event_writer.add_event(event)

    def add_summary(
        self, summary: Any, global_step: Any = None, walltime: float | None = None
    ) -> None:
        """Writes an event that holds a summary."""
        self.add_event(Event(summary=summary), global_step, walltime)

    def add_graph(self, graph_profile: Sequence[Any], walltime: float | None = None) -> None:
        """Writes a graph and, as a second event, how its run went: a pair of messages."""
        self.add_onnx_graph(graph_profile[0], walltime)
        encoded = graph_profile[1].SerializeToString()
        run = TaggedRunMetadata(tag="step1", run_metadata=encoded)
        self.add_event(Event(tagged_run_metadata=run), None, walltime)

    def add_onnx_graph(self, graph: Any, walltime: float | None = None) -> None:
        """Writes a graph."""
        self.add_event(Event(graph_def=graph.SerializeToString()), None, walltime)

    def flush(self) -> None:
        """Writes what waits."""
        self.event_writer.flush()

    def close(self) -> None:
        """Writes what waits, and closes the file."""
        self.event_writer.close()

    def reopen(self) -> None:
        """Goes on with a new file in the same folder, after `close`."""
        self.event_writer.reopen()


def _default_bins() -> list[float]:
    """TensorFlow's limits of buckets: 1e-12 to 1e20 in steps of a tenth, both signs, and 0."""
    limits = []
    limit = 1e-12
    while limit < 1e20:
        limits.append(limit)
        limit *= 1.1
    return [-each for each in reversed(limits)] + [0] + limits


class SummaryWriter:
    """Writes what TensorBoard shows to event files in a folder, from a thread of its own.

    Args:
        log_dir: the folder; if None, runs/ with date, time and the machine's name
        comment: what that folder's name ends with
        purge_step: from which step on TensorBoard hides what earlier files in the folder hold
        max_queue: how many messages wait before a call waits for the file
        flush_secs: after how many seconds they are written at the latest
        filename_suffix: what the files' names end with

    Every method takes `global_step`, the step that a value belongs to, and most `walltime`, the
    seconds that stand for the time of now. `with` closes the files.

    As torch.utils.tensorboard.SummaryWriter.
    """

    __module__ = "torch.utils.tensorboard.writer"

    def __init__(
        self,
        log_dir: Any = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        filename_suffix: str = "",
    ) -> None:
        if not log_dir:
            import socket  # start-up: only this name needs it

            now = time.strftime("%b%d_%H-%M-%S")
            log_dir = os.path.join("runs", now + "_" + socket.gethostname() + comment)
        self.log_dir = log_dir
        self.purge_step = purge_step
        self.max_queue = max_queue
        self.flush_secs = flush_secs
        self.filename_suffix = filename_suffix
        self.file_writer: Any = None
        self.all_writers: dict[str, FileWriter] | None = None  # by folder; None once closed
        self._get_file_writer()
        self.default_bins = _default_bins()

    def _get_file_writer(self) -> FileWriter:
        """The writer of the folder itself, opened again after `close`."""
        if self.all_writers is None or self.file_writer is None:
            self.file_writer = self._new_writer(self.log_dir)
            self.all_writers = {self.file_writer.get_logdir(): self.file_writer}
            if self.purge_step is not None:
                step, self.purge_step = self.purge_step, None
                started = SessionLog(status=SessionLog.START)
                self.file_writer.add_event(Event(step=step, file_version="brain.Event:2"))
                self.file_writer.add_event(Event(step=step, session_log=started))
        return self.file_writer

    def _new_writer(self, folder: Any) -> FileWriter:
        return FileWriter(folder, self.max_queue, self.flush_secs, self.filename_suffix)

    def _add(self, summary: Any, global_step: Any = None, walltime: float | None = None) -> None:
        self._get_file_writer().add_summary(summary, global_step, walltime)

    def get_logdir(self) -> Any:
        """The folder."""
        return self.log_dir

    def add_hparams(
        self,
        hparam_dict: Any,
        metric_dict: Any,
        hparam_domain_discrete: Any = None,
        run_name: str | None = None,
        global_step: Any = None,
    ) -> None:
        """Writes hyper-parameters and the results that they gave, in a folder inside the folder.

        Args:
            hparam_dict: their values: numbers, strs, tensors of one element; None is left out
            metric_dict: the results by tag, numbers
            hparam_domain_discrete: all values that one can have, in a list
            run_name: the folder's name; the time of now if None

        Raises: TypeError for what is no dict; others as `summary.hparams`.
        """
        if type(hparam_dict) is not dict or type(metric_dict) is not dict:
            raise TypeError("hparam_dict and metric_dict should be dictionary.")
        made = hparams(hparam_dict, metric_dict, hparam_domain_discrete)
        folder = os.path.join(self._get_file_writer().get_logdir(), run_name or str(time.time()))
        with SummaryWriter(log_dir=folder) as inside:
            for each in made:
                inside._add(each, global_step)
            for tag, value in metric_dict.items():
                inside.add_scalar(tag, value, global_step)

    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: Any = None,
        walltime: float | None = None,
        new_style: bool = False,
        double_precision: bool = False,
    ) -> None:
        """Writes a number, or a tensor of one element; in the new style, as a tensor."""
        made = scalar(tag, scalar_value, new_style=new_style, double_precision=double_precision)
        self._add(made, global_step, walltime)

    def add_scalars(
        self,
        main_tag: str,
        tag_scalar_dict: dict[str, Any],
        global_step: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Writes numbers that are charted together, each in a folder inside the folder."""
        walltime = time.time() if walltime is None else walltime
        folder = self._get_file_writer().get_logdir()
        for tag, value in tag_scalar_dict.items():
            inside = folder + "/" + main_tag.replace("/", "_") + "_" + tag
            if self.all_writers is None:
                raise AssertionError("self.all_writers is None")
            if inside not in self.all_writers:
                self.all_writers[inside] = self._new_writer(inside)
            self.all_writers[inside].add_summary(scalar(main_tag, value), global_step, walltime)

    def add_tensor(
        self, tag: str, tensor: Any, global_step: Any = None, walltime: float | None = None
    ) -> None:
        """Writes a whole tensor. ValueError for 2 GiB, and for some dtypes."""
        self._add(tensor_proto(tag, tensor), global_step, walltime)

    def add_histogram(
        self,
        tag: str,
        values: Any,
        global_step: Any = None,
        bins: Any = "tensorflow",
        walltime: float | None = None,
        max_bins: int | None = None,
    ) -> None:
        """Writes how values are spread.

        Args:
            values: a tensor or an array
            bins: the limits of buckets, how many, or how numpy.histogram is to choose them;
                "tensorflow" for those of TensorFlow
            max_bins: neighbours are joined if there are more

        Raises: ValueError without values, and with bins that hold none.
        """
        if isinstance(bins, str) and bins == "tensorflow":
            bins = self.default_bins
        self._add(histogram(tag, values, bins, max_bins=max_bins), global_step, walltime)

    def add_histogram_raw(
        self,
        tag: str,
        min: float,
        max: float,
        num: int,
        sum: float,
        sum_squares: float,
        bucket_limits: Sequence[float],
        bucket_counts: Sequence[float],
        global_step: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Writes a histogram that was counted elsewhere.

        Args:
            min, max, num, sum, sum_squares: of the values
            bucket_limits: the upper limit of each bucket
            bucket_counts: how many values each holds

        Raises: ValueError for limits and counts of different lengths.
        """
        if len(bucket_limits) != len(bucket_counts):
            raise ValueError("len(bucket_limits) != len(bucket_counts), see the document.")
        made = histogram_raw(tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts)
        self._add(made, global_step, walltime)

    def add_image(
        self,
        tag: str,
        img_tensor: Any,
        global_step: Any = None,
        walltime: float | None = None,
        dataformats: str = "CHW",
    ) -> None:
        """Writes a picture: uint8 from 0 to 255, or others from 0 to 1, with dimensions as said."""
        self._add(image(tag, img_tensor, dataformats=dataformats), global_step, walltime)

    def add_images(
        self,
        tag: str,
        img_tensor: Any,
        global_step: Any = None,
        walltime: float | None = None,
        dataformats: str = "NCHW",
    ) -> None:
        """Writes several pictures of one size as a grid, eight in a row."""
        self._add(image(tag, img_tensor, dataformats=dataformats), global_step, walltime)

    def add_image_with_boxes(
        self,
        tag: str,
        img_tensor: Any,
        box_tensor: Any,
        global_step: Any = None,
        walltime: float | None = None,
        rescale: float = 1,
        dataformats: str = "CHW",
        labels: Any = None,
    ) -> None:
        """Writes a picture with boxes drawn into it.

        Args:
            img_tensor, dataformats: as in `add_image`
            box_tensor: for each box left, top, right and bottom, in pixels
            rescale: by how much the picture becomes larger
            labels: what is written into each box; nothing if they are not as many as boxes
        """
        if isinstance(labels, str):
            labels = [labels]
        if labels is not None and len(labels) != box_tensor.shape[0]:
            labels = None
        made = image_boxes(
            tag, img_tensor, box_tensor, rescale=rescale, dataformats=dataformats, labels=labels
        )
        self._add(made, global_step, walltime)

    def add_figure(
        self,
        tag: str,
        figure: Any,
        global_step: int | None = None,
        close: bool = True,
        walltime: float | None = None,
    ) -> None:
        """Writes a figure of matplotlib, or a list of them as a grid, and may close it."""
        dataformats = "NCHW" if isinstance(figure, list) else "CHW"
        pixels = figure_to_image(figure, close)
        self.add_image(tag, pixels, global_step, walltime, dataformats=dataformats)

    def add_video(
        self,
        tag: str,
        vid_tensor: Any,
        global_step: Any = None,
        fps: float = 4,
        walltime: float | None = None,
    ) -> None:
        """Writes films of shape (N, T, C, H, W), over the package `moviepy`."""
        self._add(video(tag, vid_tensor, fps), global_step, walltime)

    def add_audio(
        self,
        tag: str,
        snd_tensor: Any,
        global_step: Any = None,
        sample_rate: int = 44100,
        walltime: float | None = None,
    ) -> None:
        """Writes a sound of one channel: amplitudes from -1 to 1, `sample_rate` a second."""
        self._add(audio(tag, snd_tensor, sample_rate=sample_rate), global_step, walltime)

    def add_text(
        self, tag: str, text_string: str, global_step: Any = None, walltime: float | None = None
    ) -> None:
        """Writes a text, in Markdown."""
        self._add(text(tag, text_string), global_step, walltime)

    def add_onnx_graph(self, prototxt: Any) -> None:
        """Writes the graph of an ONNX file, over the package `onnx`."""
        self._get_file_writer().add_onnx_graph(load_onnx_graph(prototxt))

    def add_graph(
        self,
        model: Any,
        input_to_model: Any = None,
        verbose: bool = False,
        use_strict_trace: bool = True,
    ) -> None:
        """Writes the graph of a module; see `_pytorch_graph.graph`."""
        made = graph(model, input_to_model, verbose, use_strict_trace)
        self._get_file_writer().add_graph(made)

    @staticmethod
    def _encode(rawstr: str) -> str:
        """A tag as the name of a folder."""
        for each in "%/\\":
            rawstr = rawstr.replace(each, f"%{ord(each):02x}")
        return rawstr

    def add_embedding(
        self,
        mat: Any,
        metadata: Any = None,
        label_img: Any = None,
        global_step: Any = None,
        tag: str = "default",
        metadata_header: Any = None,
    ) -> None:
        """Writes points for the projector, in a folder inside the folder.

        Args:
            mat: a point in each row
            metadata: their labels; with a header, lists of values
            label_img: their pictures, a tensor of shape (N, C, H, W)
            tag: the points' name
            metadata_header: names of the columns

        Raises: AssertionError for another number of labels or pictures than points, or for points
            that are no matrix; NotADirectoryError if a file stands in the folder's place.
        """
        mat = make_np(mat)
        global_step = 0 if global_step is None else global_step
        root = self._get_file_writer().get_logdir()
        # Not os.path.join: the projector's settings name it, with the same separator everywhere.
        subdir = f"{str(global_step).zfill(5)}/{self._encode(tag)}"
        folder = os.path.join(root, subdir)
        _make_folder(folder)
        if metadata is not None:
            if mat.shape[0] != len(metadata):
                raise AssertionError("#labels should equal with #data points")
            make_tsv(metadata, folder, metadata_header=metadata_header)
        if label_img is not None:
            if mat.shape[0] != label_img.shape[0]:
                raise AssertionError("#images should equal with #data points")
            make_sprite(label_img, folder)
        if mat.ndim != 2:
            raise AssertionError("mat should be 2D, where mat.size(0) is the number of data points")
        make_mat(mat, folder)

        from google.protobuf import text_format  # start-up: only this needs it

        if not hasattr(self, "_projector_config"):
            self._projector_config = ProjectorConfig()
        info = get_embedding_info(metadata, label_img, subdir, global_step, tag)
        self._projector_config.embeddings.extend([info])
        write_pbtxt(root, text_format.MessageToString(self._projector_config))

    def add_pr_curve(
        self,
        tag: str,
        labels: Any,
        predictions: Any,
        global_step: Any = None,
        num_thresholds: int = 127,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Writes precision against recall.

        Args:
            labels: what is true, 0 or 1
            predictions: how probable that seemed, from 0 to 1
            num_thresholds: how many there are from 0 to 1, 127 at most
            weights: what each counts; 1 if None
        """
        made = pr_curve(tag, make_np(labels), make_np(predictions), num_thresholds, weights)
        self._add(made, global_step, walltime)

    def add_pr_curve_raw(
        self,
        tag: str,
        true_positive_counts: Any,
        false_positive_counts: Any,
        true_negative_counts: Any,
        false_negative_counts: Any,
        precision: Any,
        recall: Any,
        global_step: Any = None,
        num_thresholds: int = 127,
        weights: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Writes precision against recall that was counted elsewhere, at each threshold."""
        made = pr_curve_raw(
            tag,
            true_positive_counts,
            false_positive_counts,
            true_negative_counts,
            false_negative_counts,
            precision,
            recall,
            num_thresholds,
            weights,
        )
        self._add(made, global_step, walltime)

    def add_custom_scalars_multilinechart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """Says that scalars are charted together."""
        self._add(custom_scalars({category: {title: ["Multiline", tags]}}))

    def add_custom_scalars_marginchart(
        self, tags: Sequence[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """Says that scalars are charted as a value with its lower and its upper limit."""
        if len(tags) != 3:
            raise AssertionError(f"Expected 3 tags, got {len(tags)}.")
        self._add(custom_scalars({category: {title: ["Margin", tags]}}))

    def add_custom_scalars(self, layout: dict[str, Any]) -> None:
        """Says which scalars are charted together; see `summary.custom_scalars`."""
        self._add(custom_scalars(layout))

    def add_mesh(
        self,
        tag: str,
        vertices: Any,
        colors: Any = None,
        faces: Any = None,
        config_dict: Any = None,
        global_step: Any = None,
        walltime: float | None = None,
    ) -> None:
        """Writes points in space, their colours and triangles; see `summary.mesh`."""
        self._add(mesh(tag, vertices, colors, faces, config_dict), global_step, walltime)

    def flush(self) -> None:
        """Writes what waits."""
        for each in (self.all_writers or {}).values():
            each.flush()

    def close(self) -> None:
        """Writes what waits, and closes the files; a later call opens new ones."""
        for each in (self.all_writers or {}).values():
            each.flush()
            each.close()
        self.file_writer = self.all_writers = None

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _make_folder(path: str) -> None:
    """Makes a folder for points, or says that it is there; it may be on another machine."""
    files = tf.io.gfile
    if not files.exists(path):
        files.makedirs(path)
    elif files.isdir(path):
        print("warning: Embedding dir exists, did you set global_step for add_embedding()?")
    else:
        raise NotADirectoryError(f"Path: `{path}` exists, but is a file. Cannot proceed.")

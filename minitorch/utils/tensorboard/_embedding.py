"""The files of TensorBoard's projector: points, their labels and pictures, and what names them."""

from __future__ import annotations

import math
from io import BytesIO
from typing import Any

import numpy
from tensorboard.compat import tf
from tensorboard.plugins.projector.projector_config_pb2 import EmbeddingInfo

from minitorch.utils.tensorboard._convert_np import make_np
from minitorch.utils.tensorboard._utils import make_grid

# tensorboard has the function where it stands in for TensorFlow, TensorFlow has it elsewhere.
_HAS_GFILE_JOIN = hasattr(tf.io.gfile, "join")


def _gfile_join(a: str, b: str) -> str:
    """The path of `b` in folder `a`, which may be on another machine."""
    if _HAS_GFILE_JOIN:
        return tf.io.gfile.join(a, b)
    return tf.io.gfile.get_filesystem(a).join(a, b)


def _write(folder: str, name: str, content: bytes) -> None:
    with tf.io.gfile.GFile(_gfile_join(folder, name), "wb") as file:
        file.write(content)


def make_tsv(metadata: Any, save_path: str, metadata_header: Any = None) -> None:
    """Writes the labels of points to metadata.tsv, one a line.

    Args:
        metadata: the labels; with a header, a list of values for each point
        save_path: the folder
        metadata_header: names of the columns

    Raises: AssertionError if header and first label differ in length.
    """
    if metadata_header:
        if len(metadata_header) != len(metadata[0]):
            raise AssertionError("len of header must be equal to the number of columns in metadata")
        lines = ["\t".join(map(str, row)) for row in [metadata_header] + metadata]
    else:
        lines = list(map(str, metadata))
    _write(save_path, "metadata.tsv", tf.compat.as_bytes("\n".join(lines) + "\n"))


def make_sprite(label_img: Any, save_path: str) -> None:
    """Writes the pictures of points, a tensor of shape (N, 1 or 3, H, W), to sprite.png.

    They stand in a square, as TensorBoard cuts them out: the last rows may be black.
    """
    from PIL import Image  # start-up: 30 ms, and only pictures need it

    grid = make_grid(make_np(label_img), ncols=math.ceil(label_img.size(0) ** 0.5))
    side = grid.shape[2]
    square = numpy.zeros((side, side, 3))
    square[: grid.shape[1]] = grid.transpose(1, 2, 0)
    with BytesIO() as buffer:
        Image.fromarray(numpy.uint8((square * 255).clip(0, 255))).save(buffer, format="PNG")
        _write(save_path, "sprite.png", buffer.getvalue())


def get_embedding_info(
    metadata: Any, label_img: Any, subdir: str, global_step: Any, tag: str
) -> EmbeddingInfo:
    """The entry of some points in the projector's settings: where their files are."""
    info = EmbeddingInfo()
    info.tensor_name = f"{tag}:{str(global_step).zfill(5)}"
    info.tensor_path = _gfile_join(subdir, "tensors.tsv")
    if metadata is not None:
        info.metadata_path = _gfile_join(subdir, "metadata.tsv")
    if label_img is not None:
        info.sprite.image_path = _gfile_join(subdir, "sprite.png")
        info.sprite.single_image_dim.extend([label_img.size(3), label_img.size(2)])
    return info


def write_pbtxt(save_path: str, contents: str) -> None:
    """Writes the projector's settings to projector_config.pbtxt."""
    _write(save_path, "projector_config.pbtxt", tf.compat.as_bytes(contents))


def make_mat(matlist: Any, save_path: str) -> None:
    """Writes points, the rows of an array, to tensors.tsv, one a line."""
    lines = ["\t".join(str(each.item()) for each in row) + "\n" for row in matlist]
    _write(save_path, "tensors.tsv", tf.compat.as_bytes("".join(lines)))

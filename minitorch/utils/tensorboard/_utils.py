"""Pictures as arrays: figures, grids, and the order of dimensions."""

from __future__ import annotations

from typing import Any

import numpy


def figure_to_image(figures: Any, close: bool = True) -> numpy.ndarray:
    """The pixels of a figure of matplotlib, uint8 of shape (3, H, W).

    Args:
        figures: a figure, or a list of them, which gives shape (N, 3, H, W)
        close: whether pyplot is to forget the figures

    As torch.utils.tensorboard._utils.figure_to_image.
    """
    from matplotlib import pyplot  # start-up: 300 ms, and only figures need it
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    def pixels(figure: Any) -> numpy.ndarray:
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        width, height = figure.canvas.get_width_height()
        rgba = numpy.frombuffer(canvas.buffer_rgba(), dtype=numpy.uint8)
        rgba = rgba.reshape(height, width, 4)
        if close:
            pyplot.close(figure)
        return numpy.moveaxis(rgba[:, :, :3], 2, 0)

    if isinstance(figures, list):
        return numpy.stack([pixels(each) for each in figures])
    return pixels(figures)


def _prepare_video(V: numpy.ndarray) -> numpy.ndarray:
    """The films of a batch, (B, T, C, H, W), in a grid: (T, rows * H, columns * W, C).

    Black films fill the batch up to a power of two. Bytes become float32 from 0 to 1.
    """
    count, time, channels, height, width = V.shape
    if V.dtype == numpy.uint8:
        V = numpy.float32(V) / 255.0
    if count == 0 or count & (count - 1):
        missing = (1 << count.bit_length()) - count
        V = numpy.concatenate((V, numpy.zeros((missing, time, channels, height, width))))
    rows = 2 ** ((count.bit_length() - 1) // 2)
    columns = len(V) // rows
    V = V.reshape(rows, columns, time, channels, height, width).transpose(2, 0, 4, 1, 5, 3)
    return V.reshape(time, rows * height, columns * width, channels)


def make_grid(I: numpy.ndarray, ncols: int = 8) -> numpy.ndarray:  # noqa: E741 - torch's name
    """The pictures of a batch, (N, 1 or 3, H, W), in a grid: (3, rows * H, columns * W).

    Args:
        I: the pictures; grey ones have the same value in all three colours
        ncols: how many stand in a row, if there are so many

    Raises: AssertionError for what is no array, or of another shape.

    As torch.utils.tensorboard._utils.make_grid.
    """
    if not isinstance(I, numpy.ndarray):
        raise AssertionError("plugin error, should pass numpy array here")
    if I.shape[1] == 1:
        I = numpy.concatenate([I] * 3, 1)  # noqa: E741
    if I.ndim != 4 or I.shape[1] != 3:
        raise AssertionError("Input should be a 4D numpy array with 3 channels")
    count, _, height, width = I.shape
    columns = min(count, ncols)
    rows = int(numpy.ceil(float(count) / columns))
    canvas = numpy.zeros((3, height * rows, width * columns), dtype=I.dtype)
    for number, picture in enumerate(I):
        top, left = number // columns * height, number % columns * width
        canvas[:, top : top + height, left : left + width] = picture
    return canvas


def convert_to_HWC(tensor: numpy.ndarray, input_format: str) -> numpy.ndarray:
    """A picture with height, width and channels in this order; of a batch, all pictures as a grid.

    Args:
        tensor: an array of two, three or four dimensions
        input_format: the letter of each, of N, C, H and W, in any order and case

    Raises: AssertionError for a letter that is there twice, or another number of letters than
        dimensions.

    As torch.utils.tensorboard._utils.convert_to_HWC.
    """
    # The spaces are those of torch's texts, which are broken over two lines.
    if len(set(input_format)) != len(input_format):
        raise AssertionError(
            "You can not use the same dimension shorthand twice."
            f"{' ' * 13}input_format: {input_format}"
        )
    if len(tensor.shape) != len(input_format):
        raise AssertionError(
            "size of input tensor and input format are different."
            f"{' ' * 9}tensor shape: {tensor.shape}, input_format: {input_format}"
        )
    letters = input_format.upper()
    wanted = {4: "NCHW", 3: "HWC", 2: "HW"}.get(len(letters))
    if wanted is None:
        return None  # type: ignore[return-value]  # as torch: the caller fails at its next step
    found = tensor.transpose([letters.find(each) for each in wanted])
    if wanted == "NCHW":
        return make_grid(found).transpose(1, 2, 0)
    if wanted == "HW":
        return numpy.stack([found] * 3, 2)
    return numpy.concatenate([found] * 3, 2) if found.shape[2] == 1 else found

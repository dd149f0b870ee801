"""Functions of torch.nn.functional for whole images: other sizes, other places, patches."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from numbers import Integral
from typing import Any

from minitorch.aten.layers.upsampling import MODES
from minitorch.core.base.fields import TensorBase
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.codegen.shells import refuse_handed
from minitorch.core.declare.wording.plain_numbers import as_sizes
from minitorch.core.declare.wording.signatures import FITS, mismatch, signatures_at
from minitorch.nn import functional as F

# ---- another size


def _per_axis(input: Any, value: Any, word: str) -> list[Any]:
    """A number, or one for each axis. ValueError where there are fewer or more."""
    shape = list(input.shape[2:])
    if not isinstance(value, (list, tuple)):
        return [value] * (input.dim() - 2)
    if len(value) == input.dim() - 2:
        return list(value)
    start = f"input with spatial dimensions of {shape} and "
    if word == "size":
        raise ValueError(
            "Input and output must have the same number of spatial dimensions, but got "
            f"{start}output size of {value}. Please provide input tensor in (N, C, d1, d2, ...,dK) "
            "format and output size in (o1, o2, ...,oK) format."
        )
    raise ValueError(
        f"Input and scale_factor must have the same number of spatial dimensions, but got {start}"
        f"scale_factor of shape {value}. Please provide input tensor in (N, C, d1, d2, ...,dK) "
        "format and scale_factor in (s1, s2, ...,sK) format."
    )


def is_integer(value: Any) -> bool:
    """Whether it counts as one among sizes."""
    if type(value) is int:
        return True
    if isinstance(value, TensorBase):
        return not value.is_floating_point()
    return isinstance(value, Integral)


def interpolate(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Any:
    """`input` at another size.

    Args:
        input: (N, C, *image) with one to three spatial axes; floating, or uint8 for some modes.
        size, scale_factor: of the result, and how many times as large it is: one of them, a number
            or one for each axis.
        mode: 'nearest', 'nearest-exact', 'linear', 'bilinear', 'trilinear', 'bicubic', 'lanczos',
            or 'area' for means.
        align_corners: the centers of corner pixels stay where they are, not their corners; None for
            False.
        recompute_scale_factor: use the quotient of sizes, not the factor that was given.
        antialias: a new pixel takes all that lies in it together.

    Returns:
        (N, C, *size), of the dtype of `input`.

    Raises:
        ValueError: unless one of `size` and `scale_factor` is given, for options that do not go
            with `mode`, and for more or fewer sizes than axes.
        TypeError: for sizes that are no integers.
        NotImplementedError: for a `mode` that is unknown or is not for this number of axes, and for
            dtypes.
        RuntimeError: for a size of 0.

    As torch.nn.functional.interpolate (ATen/native/UpSample.h).
    """
    rank = input.dim()
    align_corners = _checked_corners(mode, align_corners)
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    given = size if isinstance(size, (list, tuple)) else None
    factors = None
    if size is not None:
        size = _requested_size(input, size)
        if recompute_scale_factor:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    elif scale_factor is not None:
        factors = _per_axis(input, scale_factor, "scale_factor")
    else:
        raise ValueError("either size or scale_factor should be defined")
    if factors is not None and (recompute_scale_factor or mode == "area"):
        size = [int(input.size(i + 2) * factor) for i, factor in enumerate(factors)]
        factors = None
    _check_antialias(mode, rank, align_corners, antialias)
    if mode == "area" and rank in (3, 4, 5):
        return getattr(F, f"adaptive_avg_pool{rank - 2}d")(input, size)
    found = MODES.get(mode + "_aa" * bool(antialias), {}) if isinstance(mode, str) else {}
    if rank in found:
        name = found[rank][0]
        corners = () if mode.startswith("nearest") else (align_corners,)
        kinds = {int} if factors is None else {int, float}
        if not kinds.issuperset(map(type, size if factors is None else factors)) or (
            corners and type(align_corners) is not bool
        ):
            shown = size if given is None or size is None else given
            _refuse_upsampling(name, input, shown, *corners, factors)
            size = None if size is None else [int(n) for n in size]
        factors = None if factors is None else [float(n) for n in factors]
        return getattr(OPS, f"{name}_vec")(input, size, *corners, factors)
    if mode in ("linear", "bilinear", "trilinear") and rank in (3, 4, 5):
        (needed,) = found
        raise NotImplementedError(f"Got {rank}D input, but {mode} mode needs {needed}D input")
    raise NotImplementedError(
        f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {rank}D) for the modes: "
        "nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact "
        f"(got {mode})"
    )


def _checked_corners(mode: Any, align_corners: bool | None) -> bool | None:
    """`align_corners`, False where it is left out; None for modes that do not have it."""
    if mode not in ("nearest", "area", "nearest-exact"):
        return False if align_corners is None else align_corners
    if align_corners is not None:
        raise ValueError(
            "align_corners option can only be set with the "
            "interpolating modes: linear | bilinear | bicubic | trilinear"
        )
    return None


def _requested_size(input: Any, size: Any) -> list[Any]:
    """One size for each spatial axis, as ints where these are whole numbers of another type."""
    listed = isinstance(size, (list, tuple))
    size = _per_axis(input, size, "size")
    if listed and not all(map(is_integer, size)):
        raise TypeError(
            "expected size to be one of int or Tuple[int] or Tuple[int, int] or "
            f"Tuple[int, int, int], but got size with types {[type(n) for n in size]}"
        )
    if any([type(n) is not int for n in size]):
        size = [int(n) if isinstance(n, Integral) and type(n) is not bool else n for n in size]
    if not {int}.issuperset(map(type, size)) and all(map(FITS["int"], size)):
        size = [*as_sizes(size)]
    return size


def _check_antialias(mode: Any, rank: int, align_corners: Any, antialias: bool) -> None:
    """Raises ValueError unless `antialias` goes with the mode."""
    if antialias and not (mode in ("bilinear", "bicubic", "lanczos") and rank == 4):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires "
            "a 4-D tensor as input"
        )
    if mode == "lanczos" and rank == 4 and align_corners:
        raise ValueError("Lanczos mode does not support align_corners=True")
    if mode == "lanczos" and rank == 4 and not antialias:
        raise ValueError("Lanczos mode requires antialias=True")


def _deprecated(name: str) -> None:
    warnings.warn(
        f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.",
        stacklevel=3,
    )


def _refuse_upsampling(name: str, *args: Any) -> None:
    """Refuses what the parser of an upsampling does; that of `_upsample_nearest_exact1d` and of
    others below an underscore has the signatures of the one without."""
    known = name.strip("_").replace("_exact", "").removesuffix("_aa").replace("lanczos", "bicubic")
    refused = mismatch(name, signatures_at(f"_nn.{known}") or (), args, {})
    if refused is not None:
        raise refused


def upsample(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
) -> Any:
    """The old name of interpolate.

    Args:
        input, size, scale_factor, mode, align_corners: as for `interpolate`.

    Returns:
        As `interpolate`, and warns that it is deprecated.

    As torch.nn.functional.upsample.
    """
    _deprecated("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """The old name of interpolate for the nearest pixel.

    Args:
        input, size, scale_factor: as for `interpolate`.

    Returns:
        As `interpolate`, and warns that it is deprecated.

    As torch.nn.functional.upsample_nearest.
    """
    _deprecated("upsample_nearest")
    return interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """The old name of interpolate with mode='bilinear' and align_corners=True.

    Args:
        input: (N, C, H, W).
        size, scale_factor: as for `interpolate`.

    Returns:
        As `interpolate`, and warns that it is deprecated.

    Raises:
        NotImplementedError: for another number of dimensions.

    As torch.nn.functional.upsample_bilinear.
    """
    _deprecated("upsample_bilinear")
    return interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


# ---- windows as columns


def _pair(value: Any) -> Any:
    """`value` for the height and for the width."""
    return tuple(value) if isinstance(value, Iterable) else (value, value)


def unfold(
    input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1
) -> Any:
    """The windows of (N, C, H, W) as the columns of (N, C * kernel, windows).

    Args:
        input: floating, complex or bool, (N, C, H, W) or (C, H, W).
        kernel_size: of a window, one number or two.
        dilation: the step from one pixel of a window to the next, one number or two.
        padding: zeros on each side of the image, one number or two.
        stride: the step from one window to the next, one number or two.

    Returns:
        (N, C * kernel, windows) or (C * kernel, windows), of the dtype of `input`.

    Raises:
        IndexError: for fewer than three dimensions.
        RuntimeError: if no window fits, or a step is not positive.
        NotImplementedError: for integers.

    As torch.nn.functional.unfold (ATen/native/Im2Col.cpp).
    """
    return OPS.im2col(input, _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))


def fold(
    input: Any,
    output_size: Any,
    kernel_size: Any,
    dilation: Any = 1,
    padding: Any = 0,
    stride: Any = 1,
) -> Any:
    """The columns of (N, C * kernel, windows) added up to images: unfold the other way round.

    Args:
        input: floating or complex, (N, C * kernel, windows) or (C * kernel, windows).
        output_size: (H, W) of the images, one number or two.
        kernel_size: of a window, one number or two.
        dilation: the step from one pixel of a window to the next, one number or two.
        padding: zeros on each side of the image, one number or two.
        stride: the step from one window to the next, one number or two.

    Returns:
        (N, C, H, W) or (C, H, W), of the dtype of `input`.

    Raises:
        RuntimeError: unless the input has as many rows and columns as these windows, or for another
            number of dimensions.
        NotImplementedError: for integers.

    As torch.nn.functional.fold (ATen/native/Col2Im.cpp).
    """
    geometry = (_pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))
    return OPS.col2im(input, _pair(output_size), *geometry)


# ---- other places

_MODES = {"bilinear": 0, "nearest": 1, "bicubic": 2}
_PADDINGS = {"zeros": 0, "border": 1, "reflection": 2}


def _corners_stay(align_corners: bool | None) -> bool:
    if align_corners is None:
        warnings.warn(
            "Default grid_sample and affine_grid behavior has changed to align_corners=False since "
            "1.3.0. Please specify align_corners=True if the old behavior is desired. See the "
            "documentation of grid_sample for details.",
            stacklevel=3,
        )
        return False
    return align_corners


def grid_sample(
    input: Any,
    grid: Any,
    mode: str = "bilinear",
    padding_mode: str = "zeros",
    align_corners: bool | None = None,
) -> Any:
    """`input` at the places of `grid`. Jaderberg et al., https://arxiv.org/abs/1506.02025.

    Args:
        input: floating, (N, C, H, W) or (N, C, D, H, W).
        grid: (N, *out, axes) of places (x, y) or (x, y, z), from -1 to 1 over the image; of the
            dtype of `input`.
        mode: 'bilinear', 'nearest' or, for two axes, 'bicubic'.
        padding_mode: what lies outside: 'zeros', the 'border' or the image's 'reflection'.
        align_corners: -1 and 1 are the centers of the corner pixels, not their outer edges. None is
            False, with a warning.

    Returns:
        (N, C, *out), of the dtype of `input`.

    Raises:
        ValueError: for another `mode` or `padding_mode`.
        RuntimeError: for a grid of another batch, dtype or number of axes, and for 'bicubic'
            volumes.
        NotImplementedError: for integers.

    As torch.nn.functional.grid_sample (ATen/native/GridSampler.cpp).
    """
    if mode not in tuple(_MODES):
        raise ValueError(
            "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', "
            f"but got: '{mode}'"
        )
    if padding_mode not in tuple(_PADDINGS):
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or "
            f"'reflection', but got: '{padding_mode}'"
        )
    corners = _corners_stay(align_corners)
    if type(corners) is not bool:
        refuse_handed("torch.grid_sampler", input, grid, 0, 0, corners)
    return OPS.grid_sampler(input, grid, _MODES[mode], _PADDINGS[padding_mode], corners)


def affine_grid(theta: Any, size: Any, align_corners: bool | None = None) -> Any:
    """The grid of an affine map for grid_sample: (N, 2, 3) -> (N, H, W, 2), or of volumes.

    Args:
        theta: matrices, floating, (N, 2, 3) for images or (N, 3, 4) for volumes.
        size: of the images that grid_sample is to give, (N, C, H, W) or (N, C, D, H, W).
        align_corners: as for `grid_sample`.

    Returns:
        (N, H, W, 2) or (N, D, H, W, 3), of the dtype of `theta`.

    Raises:
        ValueError: for integers, matrices of another shape, and sizes that are not positive.
        NotImplementedError: for a `size` of other than four or five numbers.
        RuntimeError: for batches of two sizes.

    As torch.nn.functional.affine_grid (ATen/native/AffineGridGenerator.cpp).
    """
    corners = _corners_stay(align_corners)
    if not theta.is_floating_point():
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    if len(size) not in (4, 5):
        raise NotImplementedError(
            "affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, "
            f"respectively. Got size {size}."
        )
    count = len(size) - 2
    if theta.dim() != 3 or tuple(theta.shape[-2:]) != (count, count + 1):
        raise ValueError(
            f"Expected a batch of {count}D affine matrices of shape Nx{count}x{count + 1} for size "
            f"{size}. Got {theta.shape}."
        )
    if corners and min(size[-count:]) == 1:
        warnings.warn(
            "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when "
            "align_corners=True. This is not an intended use case of affine_grid. See the "
            "documentation of affine_grid for details.",
            stacklevel=2,
        )
    elif min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    return OPS.affine_grid_generator(theta, size, corners)

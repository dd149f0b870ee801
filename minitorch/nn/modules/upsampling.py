"""Images at another size as modules. As torch.nn.Upsample and its kin."""

from __future__ import annotations

from typing import Any

from minitorch.nn import functional as F
from minitorch.nn.modules.module import Module

__all__ = ["Upsample", "UpsamplingBilinear2d", "UpsamplingNearest2d"]


class Upsample(Module):
    """A batch of images, (N, C, *image), at another size.

    Args:
        size: the size of the output's images; an int for all dimensions, or one for each.
        scale_factor: that size over the input's, in the place of `size`; likewise.
        mode: 'nearest', 'nearest-exact' or 'area' for one to three dimensions of images, 'linear'
            for one, 'bilinear' or 'bicubic' for two, 'trilinear' for three.
        align_corners: whether the centres of the corners' pixels stay where they are, instead of
            the images' borders; None for not. Of the linear and cubic modes alone.
        recompute_scale_factor: whether the scale is computed anew from the sizes, which are
            rounded; None for not.

    Shape:
        Input: (N, C, L), (N, C, H, W) or (N, C, D, H, W).
        Output: (N, C, *size), or each size floor(size * scale_factor).

    Raises:
        ValueError: at the call, unless one of `size` and `scale_factor` is given, for
            `align_corners` in another mode, or `recompute_scale_factor` with a `size`.
        NotImplementedError: at the call, for a mode that is unknown or does not suit the rank.

    As torch.nn.Upsample.
    """

    __constants__ = [
        "size",
        "scale_factor",
        "mode",
        "align_corners",
        "name",
        "recompute_scale_factor",
    ]

    def __init__(
        self,
        size: Any = None,
        scale_factor: Any = None,
        mode: str = "nearest",
        align_corners: bool | None = None,
        recompute_scale_factor: bool | None = None,
    ) -> None:
        super().__init__()
        self.name = type(self).__name__
        self.size = size
        if isinstance(scale_factor, tuple):
            self.scale_factor: Any = tuple([float(factor) for factor in scale_factor])
        else:
            self.scale_factor = float(scale_factor) if scale_factor else None
        self.mode = mode
        self.align_corners = align_corners
        self.recompute_scale_factor = recompute_scale_factor

    def forward(self, input: Any) -> Any:
        return F.interpolate(
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            recompute_scale_factor=self.recompute_scale_factor,
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        state.setdefault("recompute_scale_factor", True)
        super().__setstate__(state)

    def extra_repr(self) -> str:
        name = "size" if self.scale_factor is None else "scale_factor"
        return f"{name}={getattr(self, name)!r}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Images at another size, by the nearest pixel.

    Args:
        size: the size of the output's images; an int for both dimensions, or (height, width).
        scale_factor: that size over the input's, in the place of `size`; likewise.

    Shape:
        Input: (N, C, H, W). Output: (N, C, *size), or each size floor(size * scale_factor).

    Raises:
        ValueError: at the call, unless one of `size` and `scale_factor` is given.

    As torch.nn.UpsamplingNearest2d.
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Images at another size, linear between pixels, whose corners stay where they are.

    Args:
        size: the size of the output's images; an int for both dimensions, or (height, width).
        scale_factor: that size over the input's, in the place of `size`; likewise.

    Shape:
        Input: (N, C, H, W). Output: (N, C, *size), or each size floor(size * scale_factor).

    Raises:
        ValueError: at the call, unless one of `size` and `scale_factor` is given.
        NotImplementedError: at the call, for an input of another rank.

    As torch.nn.UpsamplingBilinear2d.
    """

    def __init__(self, size: Any = None, scale_factor: Any = None) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)

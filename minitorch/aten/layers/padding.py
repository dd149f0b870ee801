"""Padding: with a constant, with the reflected image, with its border, or around in a circle."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy

from minitorch.aten.creation.copies import strides_in
from minitorch.aten.in_formulas import options_of, zeros
from minitorch.aten.layers.convolution import channels_last, laid_out_as
from minitorch.core.arrays import layout, on_numpy
from minitorch.core.base.fields import tensor
from minitorch.core.base.formulas import OPS
from minitorch.core.declare.codegen.shells import over, refuse_handed
from minitorch.core.declare.families import composite, operator
from minitorch.core.declare.general.recording import are_plain
from minitorch.core.declare.row import LINEAR, linear_in_gradient
from minitorch.core.declare.vmap import KEEPS_DIMS
from minitorch.core.declare.wording.plain_numbers import as_sizes
from minitorch.core.graph.views import note_write
from minitorch.core.numbers.dispatch import BOOL, COMPLEX, FLOATING, HALVES, USUAL
from minitorch.core.numbers.scalars import fitted_in

# ---- a constant


class Padding(NamedTuple):
    """How an array is padded: its new shape, where the old one goes in it, what of that goes there;
    whether that is shorter than nothing, and whether there is anything to fill."""

    shape: tuple[int, ...]
    there: tuple[Any, ...]
    here: tuple[Any, ...]
    impossible: bool
    grows: bool


@lru_cache(1024)
def padding_of(old: tuple[int, ...], pad: tuple[int, ...]) -> Padding:
    """The padding of an array of a shape."""
    rank = len(old)
    shape, there, here = list(old), [slice(None)] * rank, [slice(None)] * rank
    for i in range(len(pad) // 2):
        dim, before, after = rank - 1 - i, pad[2 * i], pad[2 * i + 1]
        size = shape[dim] = old[dim] + before + after
        there[dim] = slice(max(before, 0), size - max(after, 0))
        here[dim] = slice(max(-before, 0), old[dim] - max(-after, 0))
    impossible = any([part.start > part.stop for part in here if part.start is not None])
    grows = any([n > 0 for n in pad])
    return Padding(tuple(shape), tuple(there), tuple(here), impossible, grows)


def constant_pad_forward(xp: Any, self: Any, pad: Any, value: Any) -> Any:
    if len(pad) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(pad)}")
    if len(pad) > 2 * self.ndim:
        raise RuntimeError(
            "Length of pad should be no more than twice the number of dimensions of the input. Pad "
            f"length is {len(pad)}while the input has {self.ndim}dimensions."
        )
    shape, there, here, impossible, grows = padding_of(self.shape, tuple(pad))
    if impossible:
        raise RuntimeError("narrow(): length must be non-negative.")
    if grows and self.flags.c_contiguous:
        out = xp.empty(shape, self.dtype)
    else:
        strides = layout.contiguous_strides(shape)
        if not grows:
            part = (self if self.size else layout.with_default_strides(xp, self))[here]
            strides = strides_in(part if part.size else layout.with_zero_strides(xp, part), None)
        elif channels_last(self):
            strides = layout.channels_last_strides(shape)
        out = xp.empty_strided(shape, strides, self.dtype)
    if grows:
        out.fill(fitted_in(value, self))
    out[there] = self[here]
    return out


constant_pad_nd = operator(
    "constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor",
    node="ConstantPadNdBackward0",
    forward=constant_pad_forward,
    self=lambda F, grad, pad: F.constant_pad_nd(grad, [-n for n in pad], 0),
    result=lambda F, self_t, pad: F.constant_pad_nd(self_t, pad, 0),
    on=("function",),
    vmap=KEEPS_DIMS,
)

# ---- from the image itself


def _sources(xp: Any, size: int, before: int, after: int, mode: str) -> Any:
    """For each position of the padded axis, the position of the image that it repeats."""
    places = xp.arange(-before, size + after)
    if mode == "replicate":
        return xp.minimum(xp.maximum(places, 0), size - 1)
    places = xp.abs(places)
    return xp.minimum(places, 2 * (size - 1) - places)


_FEW = 4096  # elements of images, of which sources are kept
_kept_sources = lru_cache(256)(_sources)


def _axes(rank: int, padding: tuple[int, ...]) -> list[tuple[int, int, int]]:
    """(axis, before, after) of each padded axis."""
    return [(rank - 1 - i, padding[2 * i], padding[2 * i + 1]) for i in range(len(padding) // 2)]


def pad_array(xp: Any, x: Any, padding: tuple[int, ...], mode: str) -> Any:
    """`x` padded by 'reflect' or 'replicate'; padding is (before, after), the last axis first.

    As ATen/native/cpu/PaddingKernel.cpp.
    """
    sources = _kept_sources if xp is on_numpy and x.size < _FEW else _sources
    for axis, before, after in _axes(x.ndim, padding):
        x = x.take(sources(xp, x.shape[axis], before, after, mode), axis)
    return x if x.flags.c_contiguous else xp.ascontiguousarray(x)


def pad_array_backward(
    xp: Any, grad: Any, shape: tuple[int, ...], padding: tuple[int, ...], mode: str
) -> Any:
    """Its gradient, for an input of `shape`: what each pixel was repeated to, added up."""
    for axis, before, after in reversed(_axes(len(shape), padding)):
        out = xp.zeros((*grad.shape[:axis], shape[axis], *grad.shape[axis + 1 :]), grad.dtype)
        lead = (slice(None),) * axis
        for place, source in _runs(_sources(numpy, shape[axis], before, after, mode).tolist()):
            part = out[(*lead, source)]
            xp.add(part, grad[(*lead, place)], out=part)
        grad = out
    return grad


def _runs(sources: list[int]) -> list[tuple[slice, slice]]:
    """(places of a padded axis, the positions that they repeat) of neighbours all of which repeat
    other positions, in order."""
    found, start, count = [], 0, len(sources)
    while start < count:
        first, end = sources[start], start + 1
        step = sources[end] - first if end < count else 1
        if abs(step) == 1:
            while end < count and sources[end] - sources[end - 1] == step:
                end += 1
        last = first + (end - start) * step if end - start > 1 else first + 1
        step = step if end - start > 1 else 1
        found.append((slice(start, end), slice(first, None if last < 0 else last, step)))
        start = end
    return found


_KINDS = {"reflect": ("reflection", "Reflection"), "replicate": ("replication", "Replication")}


def check_image(x: Any, count: int) -> None:
    """RuntimeError where `x` has a dimension of length 0, that of a batch aside."""
    if 0 in x.shape[x.ndim - count - 1 :]:
        raise RuntimeError(
            f"Expected {count + 1}D or {count + 2}D (batch mode) tensor with possibly 0 batch size "
            f"and other non-zero dimensions for input, but got: {list(x.shape)}"
        )


def check_padded(name: str, x: Any, shape: list[int], count: int) -> None:
    """RuntimeError for an image of which nothing is left: of one dimension, or of all of them."""
    found = shape[-count:]
    if max(found) < 1:
        axes = "DHW"[3 - count :]
        sizes = [f"{axis}: {n}" for axis, n in zip(axes, x.shape[-count:], strict=True)]
        given = ", ".join(sizes)
        calculated = " ".join([f"{axis}: {n}" for axis, n in zip(axes, found, strict=True)])
        if count == 3:
            given = f"{sizes[0]} {sizes[1]}, {sizes[2]}"
        elif name == "replication_pad2d":
            given += " "
        raise RuntimeError(f"input ({given}) is too small. Calculated output {calculated}")
    if min(found) < 0 and name == "reflection_pad2d":  # which resizes its result
        raise RuntimeError("numel: integer multiplication overflow")
    if min(found) < 0:
        least = next(n for n in found if n < 0)
        raise RuntimeError(f"Trying to create tensor with negative dimension {least}: {shape}")


def check_reflection(x: Any, padding: Any) -> None:
    """RuntimeError where a reflection would need more pixels than there are."""
    for i in range(len(padding) // 2):
        dim, pair = x.ndim - 1 - i, tuple(padding[2 * i : 2 * i + 2])
        if max(pair) >= x.shape[dim]:
            raise RuntimeError(
                f"Argument #{4 + 2 * i}: Padding size should be less than the corresponding input "
                f"dimension, but got: padding ({pair[0]}, {pair[1]}) at dimension {dim} of input "
                f"{list(x.shape)}"
            )


def _declare(mode: str, count: int) -> None:
    """The row of one mode for `count` spatial dimensions, and that of its gradient."""
    stem, title = _KINDS[mode]
    name, node = f"{stem}_pad{count}d", f"{title}Pad{count}DBackward"

    def forward(xp: Any, self: Any, padding: Any) -> Any:
        check_image(self, count)
        if mode == "reflect":
            check_reflection(self, padding)
        shape = padding_of(self.shape, tuple(padding)).shape
        if min(shape) < 1:
            check_padded(name, self, list(shape), count)
        return laid_out_as(xp, pad_array(xp, self, tuple(padding), mode), self)

    def backward(xp: Any, grad_output: Any, self: Any, padding: Any) -> Any:
        out = pad_array_backward(xp, grad_output, self.shape, tuple(padding), mode)
        return laid_out_as(xp, out, self)

    operator(
        f"{name}(Tensor self, SymInt[{2 * count}] padding) -> Tensor",
        node=f"{node}0",
        forward=forward,
        kernel=name,
        knows=USUAL - BOOL,
        spares=(),
        self=lambda F, grad, self, padding: getattr(F, f"{name}_backward")(grad, self, padding),
        result=LINEAR,
        on=("F",),
    )
    operator(
        f"{name}_backward(Tensor grad_output, Tensor self, SymInt[{2 * count}] padding) -> Tensor",
        node=f"{node}Backward0",
        forward=backward,
        kernel=f"{name}_backward",
        knows=FLOATING | HALVES | COMPLEX,
        grad_output=lambda F, grad, padding: getattr(F, name)(grad, padding),
        result=linear_in_gradient,
        self=lambda F, grad, self_info: zeros(F, grad, self_info),
        on=("F",),
    )


for _mode in _KINDS:
    for _count in (1, 2, 3):
        _declare(_mode, _count)


@composite("_pad_circular", on=())
def circular(input: Any, pad: Any) -> Any:
    """The image continued with itself, written slice by slice as in ATen/native/PadNd.cpp."""
    shape, there, here = padding_of(input._array.shape, tuple(pad))[:3]
    for i in range(len(pad) // 2):
        size = input.size(-1 - i)
        if max(pad[2 * i : 2 * i + 2]) > size:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if size + pad[2 * i] + pad[2 * i + 1] < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")
    if min(pad) >= 0 and are_plain(input):
        return _circular_array(input._array, pad, shape, tuple(there), tuple(here))
    out = OPS.new_empty(input, shape, **options_of(input))
    inside, image = out, input
    for i in range(len(pad) // 2):
        dim = len(shape) - 1 - i
        inside = OPS.slice(inside, dim, there[dim].start, there[dim].stop)
        image = OPS.slice(image, dim, here[dim].start, here[dim].stop)
    inside.copy_(image)
    for i in range(len(pad) // 2):
        dim, before, after = len(shape) - 1 - i, pad[2 * i], pad[2 * i + 1]
        if before > 0:
            stop = shape[dim] - max(after, 0)
            OPS.slice(out, dim, 0, before).copy_(OPS.slice(out, dim, stop - before, stop))
        if after > 0:
            start = max(before, 0)
            end = OPS.slice(out, dim, shape[dim] - after, shape[dim])
            end.copy_(OPS.slice(out, dim, start, start + after))
    return out


def _circular_array(x: Any, pad: Any, shape: Any, there: Any, here: Any) -> Any:
    """`circular` of a plain array: 11 us, not 52; its version counts the writes."""
    out = numpy.empty(shape, x.dtype)
    out[there] = x[here]
    writes = 1
    for i in range(len(pad) // 2):
        before, after = pad[2 * i], pad[2 * i + 1]
        lines = numpy.moveaxis(out, len(shape) - 1 - i, 0)
        if before > 0:
            stop = len(lines) - max(after, 0)
            lines[:before] = lines[stop - before : stop]
        if after > 0:
            start = max(before, 0)
            lines[len(lines) - after :] = lines[start : start + after]
        writes += (before > 0) + (after > 0)
    result = tensor(out)
    for _ in range(writes):
        note_write(result, None)
    return result


@composite("pad_of_functional", on=())
@over(lambda input, pad, mode="constant", value=None: ("_nn.pad", input, pad, mode, value))
def pad(input: Any, pad: Any, mode: str = "constant", value: float | None = None) -> Any:
    """`input` with its last dimensions padded.

    Args:
        input: of any shape with 'constant'; else (N, C, *image) or (C, *image) of the one to three
            axes that are padded.
        pad: how much to add before and after, the last dimension first; negative cuts off.
        mode: 'constant', 'reflect', 'replicate' or 'circular'.
        value: the constant; 0 if None.

    Returns:
        Of the dtype of `input`.

    Raises:
        RuntimeError: for an odd number of paddings or too many, those that are too large for the
            mode, and a `value` that it does not take.
        NotImplementedError: for another mode, or a number of dimensions that it does not know.

    As ATen/native/PadNd.cpp.
    """
    plain = value is None or type(value) is float or type(value) is int
    ints = type(pad) in (tuple, list) and {int}.issuperset(map(type, pad))
    if not (plain and ints):
        refuse_handed("_nn.pad", input, pad, mode, value)
    if not ints:
        pad = as_sizes(pad)
    rank = input.dim()
    if mode not in ("constant", "reflect", "replicate", "circular"):
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) > 2 * rank:
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got "
            f"padding length {len(pad)} and input of dimension {rank}"
        )
    pad = tuple(pad)
    if mode == "constant":
        return constant_pad_nd(input, pad, 0.0 if value is None else float(value))
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    count = len(pad) // 2
    if count not in (1, 2, 3) or rank not in (count + 1, count + 2):
        raise NotImplementedError(
            f"Padding size {len(pad)} is not supported for {rank}D input tensor.\n"
            "Supported combinations for non-constant padding:\n"
            "  - 2D or 3D input: padding size = 2 (pads last dimension)\n"
            "  - 3D or 4D input: padding size = 4 (pads last 2 dimensions)\n"
            "  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
        )
    if mode == "circular":
        return OPS._pad_circular(input, pad)
    return getattr(OPS, f"{_KINDS[mode][0]}_pad{count}d")(input, pad)


pad.__name__ = "pad"  # as programs see it

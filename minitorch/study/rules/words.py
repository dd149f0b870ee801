"""The words of gradient rules beside torch's own functions: sums, shares, windows, classes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

Shape = Sequence[int]


class Words:
    """The words that formulas use beside torch's own functions."""

    def __init__(self, library: Any, values: Mapping[str, Any]) -> None:
        self._library, self._values = library, values

    def sum_to(self, x: Any, shape: Shape) -> Any:
        """`x` summed over the dimensions along which an input of `shape` was repeated to fit."""
        more = x.ndim - len(shape)
        widened = [i for i, n in enumerate(shape, more) if n == 1 and x.shape[i] != 1]
        dims = [*range(more), *widened]
        return (x.sum(dims, keepdim=True) if dims else x).reshape(shape)

    def keep_dim(self, x: Any, shape: Shape, dim: Any, keepdim: bool) -> Any:
        """`x`, made from a tensor of `shape` by a reduction over `dim`, with these dimensions put
        back, of size 1."""
        if keepdim or not len(shape):
            return x
        for each in sorted(dims_of(dim, len(shape))):
            x = x.unsqueeze(each)
        return x

    def spread(self, x: Any, shape: Shape, dim: Any = None, keepdim: bool = False) -> Any:
        """`x`, made by a reduction over `dim`, repeated for each element that went into it."""
        return self.keep_dim(x, shape, dim, keepdim).expand(shape)

    def count(self, shape: Shape, dim: Any = None) -> int:
        """The number of elements that a reduction over `dim` takes together."""
        return math.prod([shape[each] for each in dims_of(dim, len(shape))])

    def same(self, x: Any, y: Any) -> Any:
        """Whether elements are equal, NaN being equal to NaN."""
        return (x == y) | ((x != x) & (y != y))

    def others(self, x: Any, dim: Any = None) -> Any:
        """For each element the product of all the others along `dim`."""
        if dim is None or not x.ndim:
            return self.others(x.reshape(-1), 0).reshape(x.shape)
        sides = []
        for each in (x, x.flip(dim)):
            shifted = each.roll(1, dim)
            shifted.narrow(dim, 0, min(1, x.shape[dim])).fill_(1)
            sides.append(shifted.cumprod(dim))
        return sides[0] * sides[1].flip(dim)

    def zeros(self, shape: Shape) -> Any:
        """Zeros of this shape, of the gradient's dtype."""
        values = self._values
        like = values["grad"] if "grad" in values else values["self"]
        return like.new_zeros(tuple(shape))

    def negative(self, numbers: Shape) -> list[int]:
        """The numbers with the other sign."""
        return [-each for each in numbers]

    def split_like(self, x: Any, tensors: Sequence[Any], dim: int) -> list[Any]:
        """`x` cut along `dim` into pieces of the shapes of `tensors`."""
        pieces, start = [], 0
        for each in tensors:
            size = each.shape[dim] if each.ndim == x.ndim else 0
            pieces.append(x.narrow(dim, start, size).reshape(each.shape))
            start += size
        return pieces

    def add_copies(self, x: Any, shape: Shape, repeats: Shape | None = None) -> Any:
        """The sum of all copies of a tensor of `shape`, made by expansion or by repetition."""
        if repeats is None:
            return self.sum_to(x, shape)
        more = len(repeats) - len(shape)
        x = x.reshape([n for pair in zip(repeats, [1] * more + [*shape]) for n in pair])
        return (x.sum(list(range(0, 2 * len(repeats), 2))) if len(repeats) else x).reshape(shape)

    def sums_from(self, x: Any, dim: int) -> Any:
        """For each element the sum of it and of all that come after it along `dim`."""
        return x.flip(dim).cumsum(dim).flip(dim) if x.ndim else x

    def pick(self, x: Any, indices: Sequence[Any]) -> Any:
        """The elements that `indices` choose; a dimension with None is taken whole."""
        return x[_subscript(indices)]

    def put_back(self, x: Any, indices: Sequence[Any], shape: Shape) -> Any:
        """Zeros of this shape, with `x` added where `indices` choose."""
        whole = self.zeros(shape).flatten()
        places = self._library.arange(len(whole)).reshape(tuple(shape))
        places = self.pick(places.to(x.device), indices).flatten()
        return whole.index_add(0, places, x.flatten()).reshape(tuple(shape))

    def cleared(self, x: Any, indices: Sequence[Any]) -> Any:
        """`x` with 0 where `indices` choose."""
        x = x.clone()
        x[_subscript(indices)] = 0
        return x

    def inverse_order(self, dims: Shape) -> list[int]:
        """The permutation that undoes `dims`."""
        places = [each % len(dims) for each in dims]
        return [places.index(i) for i in range(len(places))]

    def share(self, grad: Any, reduction: int, count: Any) -> Any:
        """The gradient of one element of a loss: `grad`, divided by `count` if it is their mean."""
        return grad / count if reduction == 1 else grad

    def reduced(self, x: Any, reduction: int, count: Any = None) -> Any:
        """The losses as they are, their mean or their sum."""
        if reduction == 0:
            return x
        return x.sum() if reduction == 2 else x.sum() / (x.numel() if count is None else count)

    def one_hot(self, target: Any, shape: Shape, ignored: int) -> Any:
        """1 at the class that `target` names, 0 elsewhere and for targets that are ignored."""
        dim = self.class_dim(shape)
        taken = (target != ignored).unsqueeze(dim)
        place = target.unsqueeze(dim) * taken
        return self.zeros(shape).scatter(dim, place, taken.to(self.zeros(()).dtype))

    def to_classes(self, x: Any, shape: Shape) -> Any:
        """`x`, a value for each target, for all classes alike; one value for all stays as it is."""
        return x.unsqueeze(self.class_dim(shape)) if x.ndim == len(shape) - 1 else x

    def class_dim(self, shape: Shape) -> int:
        """The dimension of the classes: the second, or the first if there is no batch."""
        return min(1, len(shape) - 1)

    def per_channel(self, x: Any, shape: Shape) -> Any:
        """`x`, a value for each channel, with dimensions of size 1 for all others of `shape`."""
        return x.reshape([-1 if i == self.class_dim(shape) else 1 for i in range(len(shape))])

    def channel_sum(self, x: Any) -> Any:
        """The sums over all dimensions but that of the channels."""
        return x.sum([i for i in range(x.ndim) if i != 1])

    def channel_mean(self, x: Any) -> Any:
        """The means over all dimensions but that of the channels, which are put back."""
        return x.mean([i for i in range(x.ndim) if i != 1], keepdim=True)

    def last_mean(self, x: Any, shape: Shape) -> Any:
        """The means over the last dimensions, as many as `shape` has, which are put back."""
        return x.mean(list(range(-len(shape), 0)), keepdim=True)

    def masked(self, scores: Any, mask: Any, is_causal: bool) -> Any:
        """Scores of attention with `mask` added; −∞ where a query would see later keys."""
        if is_causal:
            later = scores.new_ones(scores.shape[-2:]).triu(1) == 1
            scores = self._library.where(later, -math.inf, scores)
        return scores if mask is None else scores + mask

    def conv_input(self, grad: Any, weight: Any, shape: Shape, *options: Any) -> Any:
        """Each element of `grad` times the kernel, added up at the places of the input (of this
        `shape`) that the kernel lay over: the transposed convolution."""
        stride, padding, dilation, transposed, _, groups = options
        none, sizes = (0,) * len(stride), shape[2:]
        run = self._library.convolution
        if transposed:
            x = run(grad, weight, None, stride, padding, dilation, False, none, groups)
        else:
            x = run(grad, weight, None, stride, none, dilation, True, none, groups)
            x = _window(x, padding, sizes)
        return _window(x, none, sizes)

    def conv_weight(self, grad: Any, input: Any, shape: Shape, *options: Any) -> Any:
        """For each element of the kernel (of this `shape`) the products of `grad` and the inputs
        that it met, summed over all places and the batch."""
        stride, padding, dilation, transposed, _, groups = options
        small, large = (input, grad) if transposed else (grad, input)
        batch, channels = large.shape[0], large.shape[1] // groups
        parts = large.reshape(batch, groups, channels, *large.shape[2:])
        parts = parts.permute(2, 1, 0, *range(3, parts.ndim))
        large = parts.reshape(channels, groups * batch, *large.shape[2:])
        none = (0,) * len(stride)
        kernel = small.transpose(0, 1)
        run = self._library.convolution
        x = run(large, kernel, None, dilation, padding, stride, False, none, groups)
        return _window(x.transpose(0, 1), none, shape[2:])

    def pool_input(self, grad: Any, shape: Shape, *options: Any) -> Any:
        """`grad` of each window of an average divided by its size and added to all its elements."""
        _, _, _, _, count_include_pad, divisor = options
        kernel, stride, padding = [_pair(each) for each in options[:3]]
        stride = stride or kernel
        outer = [n + 2 * p for n, p in zip(shape[-2:], padding)]
        inside = grad.new_ones([1, 1, *shape[-2:]])
        pads = [padding[1], padding[1], padding[0], padding[0]]
        inside = self._library.constant_pad_nd(inside, pads, 1 if count_include_pad else 0)
        reach = [(n - 1) * s + k for n, s, k in zip(grad.shape[-2:], stride, kernel)]
        beyond = [max(n - m, 0) for n, m in zip(reach, outer)]
        inside = self._library.constant_pad_nd(inside, [0, beyond[1], 0, beyond[0]], 0)
        one = grad.new_ones([1, 1, *kernel])
        run, none, unit = self._library.convolution, (0, 0), (1, 1)
        size = divisor or run(inside, one, None, stride, none, unit, False, none, 1)
        size = size if divisor else _window(size, none, grad.shape[-2:])
        flat = grad.reshape(-1, 1, *grad.shape[-2:]) / size
        back = run(flat, one, None, stride, none, unit, True, none, 1)
        return _window(back, padding, shape[-2:]).reshape(shape)

    def slope_of_norm(self, x: Any, norm: Any, p: float, dim: Any = None) -> Any:
        """The local gradient of a p-norm: x / norm for p = 2, the sign for p = 1, for p = inf the
        sign of the largest elements, shared among equals; 0 where the norm is 0."""
        if p == 0:
            return x * 0
        if abs(p) == math.inf:
            largest = self.same(x.abs(), norm)
            return x.sign() * largest / largest.sum(dims_of(dim, x.ndim), keepdim=True)
        powers = x.sign() * x.abs() ** (p - 1)
        if p < 1:
            powers = self._library.where(x == 0, 0, powers)
        return powers if p == 1 else self._library.where(norm == 0, 0, powers / norm ** (p - 1))


WORDS = {name: each.__doc__ for name, each in vars(Words).items() if not name.startswith("_")}


def dims_of(dim: Any, rank: int) -> list[int]:
    """The dimensions of a reduction, from 0; all of them for None and for an empty list."""
    dims = [] if dim is None else [dim] if isinstance(dim, int) else list(dim)
    return [each % rank for each in dims] if dims and rank else list(range(rank))


def _subscript(indices: Sequence[Any]) -> tuple[Any, ...]:
    """The subscript for `indices`, in which None stands for a whole dimension."""
    return tuple([slice(None) if each is None else each for each in indices])


def _pair(numbers: Any) -> tuple[int, ...]:
    """A number for each of two dimensions, from one or two; nothing from nothing."""
    numbers = (numbers,) if isinstance(numbers, int) else tuple(numbers)
    return numbers * 2 if len(numbers) == 1 else numbers


def _window(x: Any, start: Shape, sizes: Shape) -> Any:
    """The part of the last dimensions of `x` that begins at `start`; zeros beyond its end."""
    for dim, (first, size) in enumerate(zip(start, sizes), x.ndim - len(sizes)):
        x = x.narrow(dim, first, min(size, x.shape[dim] - first))
        if x.shape[dim] < size:
            whole = x.new_zeros([*x.shape[:dim], size, *x.shape[dim + 1 :]])
            whole.narrow(dim, 0, x.shape[dim]).copy_(x)
            x = whole
    return x

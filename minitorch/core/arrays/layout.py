"""Strides and memory formats: where torch puts the elements of a result.

Shapes are tuples; strides are tuples of elements, not bytes, unless a name says otherwise.
"""

from __future__ import annotations

from functools import lru_cache
from math import prod
from typing import Any

Shape = tuple[int, ...]


def strides_of(x: Any) -> Shape:
    """The strides of an array in elements. NumPy leaves a fresh empty array strides of 0."""
    itemsize = x.itemsize
    if x.size == 0:
        if not any(x.strides):
            return contiguous_strides(x.shape)
        return tuple([max(stride, 0) // itemsize for stride in x.strides])
    return _steps(x.strides, itemsize)


@lru_cache(4096)
def _steps(strides: Shape, itemsize: int) -> Shape:
    """Strides in bytes as those in elements."""
    return tuple([stride // itemsize for stride in strides])


def memory_of(owner: Any, dtype: Any = None) -> Any:
    """The memory of an array that owns it, as a vector; the axes of the array may have any order.

    dtype: the dtype in which whole elements are read instead.
    """
    if not owner.flags.c_contiguous:
        owner = owner.transpose(sorted(range(owner.ndim), key=lambda i: -owner.strides[i]))
    memory = owner.reshape(-1)
    if dtype is None or dtype == memory.dtype:
        return memory
    return memory.view("u1")[: memory.nbytes // dtype.itemsize * dtype.itemsize].view(dtype)


def reach_of(shape: Any, strides: Any) -> int:
    """How many elements of memory, from the first on, this shape and these strides touch."""
    if 0 in shape:
        return 0
    return sum([(n - 1) * step for n, step in zip(shape, strides, strict=True)]) + 1


class NoStrides(tuple[int, ...]):
    """Zeros in the place of the strides of an array that has none; users see ()."""


class _Elements(dict[Any, Shape]):
    """(strides in bytes, itemsize) -> strides in elements, remembered: a quarter of the time."""

    def __missing__(self, key: Any) -> Shape:
        if len(self) >= 4096:
            self.clear()
        strides, itemsize = key or ((), 1)
        found = self[key] = tuple([max(stride, 0) // itemsize for stride in strides])
        return found


STRIDES = _Elements()  # what nodes save of strides -> the strides; () -> () for what was not saved


class _Plain(dict[Any, bool]):
    """(shape, strides in bytes, itemsize) -> whether they are those of a fresh row-major block."""

    def __missing__(self, key: Any) -> bool:
        if len(self) >= 4096:
            self.clear()
        shape, strides, itemsize = key
        if 0 in shape and (1 in shape or not any(strides)):
            found = 1 not in shape  # as NumPy leaves an empty array; a 1 beside a 0 is irregular
        else:
            found = STRIDES[strides, itemsize] == contiguous_strides(shape)
        self[key] = found
        return found


_PLAIN = _Plain()


def is_plain(x: Any) -> bool:
    """Whether a C-contiguous array also has row-major strides along dimensions of size 1 or 0.

    NumPy ignores these strides when it makes views; torch passes them on.
    """
    shape = x.shape
    return (1 not in shape and 0 not in shape) or _PLAIN[shape, x.strides, x.itemsize]


def lies_by_rows(shape: Any, strides: Any) -> bool:
    """Whether the elements lie in row-major order, with gaps or repeated ones between them or not.

    strides: in bytes, or in elements.
    """
    before = None
    for n, stride in zip(shape, strides):
        if n > 1 and stride:
            if before is not None and stride > before:
                return False
            before = stride
    return True


def same_strides(a: Any, b: Any) -> bool:
    """Whether two arrays have the same strides in elements.

    Contiguous arrays may differ along dimensions of size 1: NumPy forgets such strides in a copy,
    torch keeps them.
    """
    return STRIDES[a.strides, a.itemsize] == STRIDES[b.strides, b.itemsize]


def with_default_strides(xp: Any, x: Any) -> Any:
    """An empty array with the strides torch gives it, for views of it to start from."""
    if any(x.strides):
        return x
    return xp.strided(x, x.shape, [s * x.itemsize for s in contiguous_strides(x.shape)])


def with_zero_strides(xp: Any, x: Any) -> Any:
    """An empty view, or several, whose strides of 0 are not taken for those of a fresh array."""
    if type(x) in (list, tuple):
        return [with_zero_strides(xp, each) for each in x]
    return x if any(x.strides) else xp.strided(x, x.shape, repeated(x.strides))


def repeated(strides: Any) -> Any:
    """The strides in bytes of an empty array that repeats: a step backwards counts as 0 elements.

    Strides that are all 0 are how NumPy leaves a fresh empty array.
    """
    return strides if any(strides) else [-1] * len(strides)


def in_torch_layout(xp: Any, x: Any, inputs: Any) -> Any:
    """The result `x` of an element-wise kernel where torch's iterator would put it."""
    for each in (x, *inputs):
        shape = each.shape
        if not each.flags.c_contiguous or ((1 in shape or 0 in shape) and not is_plain(each)):
            break
    else:
        return x
    strides = elementwise_strides(x.shape, forms_of(inputs))
    if strides_of(x) == strides:
        return x
    out = xp.empty_strided(x.shape, strides, x.dtype)
    out[...] = x
    return out


def forms_of(inputs: Any) -> list[tuple[Shape, Shape]]:
    """Shapes and strides; what is read through a bit (lazy.py) is copied first."""
    return [
        (x.shape, preserved_strides(x.shape, strides_of(x)) if hasattr(x, "raw") else strides_of(x))
        for x in inputs
    ]


class _Fresh(dict[Any, Any]):
    """shape -> the strides of a fresh row-major block."""

    def __missing__(self, shape: Any) -> Any:
        if len(self) >= 4096:
            self.clear()
        strides, step = [], 1
        for size in reversed(shape):
            strides.append(step)
            step *= max(size, 1)
        found = self[shape] = tuple(reversed(strides))
        return found


_FRESH = _Fresh()


def contiguous_strides(shape: Shape) -> Shape:
    """The strides of a fresh row-major block; dimensions of size 0 count as 1."""
    return _FRESH[tuple(shape)]  # 0.4 us less than to multiply


class _Memory(dict[Any, tuple[int, bool]]):
    """(shape, strides) -> how many elements of memory they touch, and whether they are those of a
    fresh row-major block that has elements."""

    def __missing__(self, key: Any) -> tuple[int, bool]:
        if len(self) >= 4096:
            self.clear()
        shape, strides = key
        fresh = all(shape) and strides == contiguous_strides(shape)
        found = self[key] = reach_of(shape, strides), fresh
        return found


MEMORY = _Memory()


def channels_last_strides(shape: Shape) -> Shape:
    """The strides of a fresh (N, C, spatial...) block whose channels lie next to each other."""
    order = (0, *range(2, len(shape)), 1)
    return dense_strides(shape, order)


def dense_strides(shape: Shape, order: tuple[int, ...], least: int = 1) -> Shape:
    """The strides of a dense block whose dimensions, from slowest to fastest, come in `order`.

    least: the size that dimensions count at least; 1, so that those of size 0 count as 1.
    """
    strides, step = [0] * len(shape), 1
    for dim in reversed(order):
        strides[dim] = step
        step *= max(shape[dim], least)
    return tuple(strides)


def is_contiguous(shape: Shape, strides: Shape) -> bool:
    """Whether the elements lie in row-major order without gaps."""
    step = 1
    for size, stride in zip(reversed(shape), reversed(strides), strict=True):
        if size != 1:
            if stride != step and prod(shape):
                return False
            step *= size
    return True


def is_channels_last(shape: Shape, strides: Shape) -> bool:
    """Whether 4-d or 5-d strides mean channels last, by the rule of c10/core/MemoryFormat.h."""
    if len(shape) not in (4, 5):
        return False
    least = 0
    if strides[1] == 0:
        return False
    for dim in (1, *range(len(shape) - 1, 1, -1), 0):
        if shape[dim] == 0 or strides[dim] < least:
            return False
        if dim == 0 and least == strides[1]:
            return False
        least = strides[dim] * max(shape[dim], 1) if shape[dim] > 1 else strides[dim]
    return True


def is_channels_last_contiguous(shape: Shape, strides: Shape) -> bool:
    """Whether the elements lie in channels-last order without gaps."""
    if len(shape) not in (4, 5):
        return False
    step = 1
    for dim in (1, *range(len(shape) - 1, 1, -1), 0):
        if shape[dim] != 1:
            if strides[dim] != step:
                return False
            step *= shape[dim]
    return True


def is_dense(shape: Shape, strides: Shape) -> bool:
    """Whether the elements fill their memory without gaps or overlaps, in any order."""
    if 0 in shape:
        return True
    step = 1
    for stride, size in sorted(
        (stride, size) for stride, size in zip(strides, shape, strict=True) if size > 1
    ):
        if stride != step:
            return False
        step *= size
    return True


def broadcast(*shapes: Shape) -> Shape:
    """The shape that `shapes` broadcast to. RuntimeError with torch's text if they do not."""
    try:
        return _COMMON[shapes]
    except TypeError:  # lists
        return _broadcast(*shapes)


class _Common(dict[Any, Shape]):
    """Shapes -> the one that they broadcast to."""

    def __missing__(self, shapes: Any) -> Shape:
        if len(self) >= 4096:
            self.clear()
        found = self[shapes] = _broadcast(*shapes)
        return found


_COMMON = _Common()


def _broadcast(*shapes: Shape) -> Shape:
    out = shapes[0]
    for shape in shapes[1:]:
        if shape == out:
            continue
        rank = max(len(out), len(shape))
        a = (1,) * (rank - len(out)) + tuple(out)
        b = (1,) * (rank - len(shape)) + tuple(shape)
        for dim in range(rank - 1, -1, -1):
            if a[dim] != b[dim] and a[dim] != 1 and b[dim] != 1:
                raise RuntimeError(
                    f"The size of tensor a ({a[dim]}) must match the size of tensor b ({b[dim]}) "
                    f"at non-singleton dimension {dim}"
                )
        out = tuple([y if x == 1 else x for x, y in zip(a, b, strict=True)])
    return tuple(out)


def expanded_strides(shape: Shape, strides: Shape, to: Shape) -> Shape:
    """The strides of a tensor seen as the larger shape `to`: 0 where it repeats."""
    lead = len(to) - len(shape)
    return (0,) * lead + tuple(
        [
            0 if size == 1 and to[dim + lead] != 1 else stride
            for dim, (size, stride) in enumerate(zip(shape, strides, strict=True))
        ]
    )


def elementwise_strides(shape: Shape, inputs: list[tuple[Shape, Shape]]) -> Shape:
    """The strides of an element-wise result of `shape`, from the (shape, strides) of its inputs.

    As TensorIterator chooses them: the inputs' strides if all agree; else dense ones, in the order
    of dimensions of the first input that determines it.
    """
    try:
        return _elementwise_strides(shape, tuple(inputs))
    except TypeError:  # there are lists among them
        return _elementwise_strides.__wrapped__(shape, inputs)


@lru_cache(4096)
def _elementwise_strides(shape: Shape, inputs: Any) -> Shape:
    if all(each[0] == shape for each in inputs):
        if all(is_contiguous(*each) for each in inputs):
            return contiguous_strides(shape)
        if all(is_channels_last_contiguous(*each) for each in inputs):
            return channels_last_strides(shape)
        first = inputs[0][1]
        if all(each[1] == first for each in inputs) and is_dense(shape, first):
            return first
    order = slowest_first(shape, inputs)
    if order == tuple(range(len(shape))):
        return contiguous_strides(shape)
    return dense_strides(shape, order, least=0)


def slowest_first(shape: Shape, inputs: list[tuple[Shape, Shape]]) -> tuple[int, ...]:
    """The order in which TensorIterator goes through the dimensions of `shape`."""
    operands = [expanded_strides(*each, shape) for each in inputs]
    return tuple(reversed(_fastest_first(shape, operands)))


_is_dense = lru_cache(4096)(is_dense)


def preserved_strides(shape: Shape, strides: Shape) -> Shape:
    """The strides of empty_like: `strides` if they are dense, else those of a copy."""
    if _is_dense(shape, strides):
        return strides
    return elementwise_strides(shape, [(shape, strides)])


def _fastest_first(shape: Shape, operands: list[Shape]) -> list[int]:
    """The dimensions sorted by stride, smallest first, by insertion as TensorIterator does it."""
    order = list(reversed(range(len(shape))))
    for i in range(1, len(order)):
        here = i
        for there in range(i - 1, -1, -1):
            verdict = _compare(order[there], order[here], shape, operands)
            if verdict > 0:
                order[there], order[here] = order[here], order[there]
                here = there
            elif verdict < 0:
                break
    return order


def _compare(dim0: int, dim1: int, shape: Shape, operands: list[Shape]) -> int:
    for strides in operands:
        a, b = strides[dim0], strides[dim1]
        if a == 0 or b == 0:
            continue
        if a != b:
            return -1 if a < b else 1
        if shape[dim0] > shape[dim1]:
            return 1
    return 0


def infer_size(shape: Any, numel: int) -> Shape:
    """`shape` with its one -1 replaced to hold `numel` elements. RuntimeError if nothing fits."""
    shape = tuple(shape)
    known, unknown = 1, None
    for dim, size in enumerate(shape):
        if size == -1:
            if unknown is not None:
                raise RuntimeError("only one dimension can be inferred")
            unknown = dim
        elif size < 0:
            raise RuntimeError(
                f"invalid shape dimension {size} at index {dim} of shape {list(shape)}"
            )
        else:
            known *= size
    if unknown is None:
        if known == numel:
            return shape
    elif known > 0 and numel % known == 0:
        return (*shape[:unknown], numel // known, *shape[unknown + 1 :])
    elif known == 0 and numel == 0:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified "
            "dimension size -1 can be any value and is ambiguous"
        )
    raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")


def view_strides(shape: Shape, strides: Shape, new: Shape) -> Shape | None:
    """The strides with which the same memory reads as the shape `new`; None if no strides do.

    As computeStride of ATen/TensorUtils.cpp: runs of dimensions that lie in one block may be split
    and merged, nothing else.
    """
    numel = prod(shape)
    if numel == 0:
        return tuple(strides) if tuple(shape) == tuple(new) else contiguous_strides(new)
    out = [0] * len(new)
    at = len(new) - 1
    if not shape:
        return (1,) * len(new)
    base, inside, seen = strides[-1], 1, 1
    for dim in range(len(shape) - 1, -1, -1):
        inside *= shape[dim]
        if dim == 0 or (shape[dim - 1] != 1 and strides[dim - 1] != inside * base):
            while at >= 0 and (seen < inside or new[at] == 1):
                out[at] = seen * base
                seen *= new[at]
                at -= 1
            if seen != inside:
                return None
            if dim > 0:
                base, inside, seen = strides[dim - 1], 1, 1
    return tuple(out) if at == -1 else None

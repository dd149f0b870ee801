"""Permutations, trials by a chance each, and draws by weight on CUDA: those of torch for a seed.

As ATen/native/cuda/Randperm.cu, DistributionBernoulli.cu and MultinomialKernel.cu.
"""

from __future__ import annotations

import functools
import math
from typing import Any

import cupy
import numpy

from minitorch.core.arrays import layout, on_cupy_random
from minitorch.core.arrays.on_cupy_faults import WORD

# Keys that are equal in the bits that were sorted by: their numbers are shuffled, by one thread.
_ISLANDS = """
typedef KEY K;
extern "C" __global__ void islands(
    const K* keys, long long* places, long long size, Long mask, Long seed, Long counter
) {
    long long at = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (at >= size - 1 || (keys[at] & mask) != (keys[at + 1] & mask)) return;
    if (at && (keys[at] & mask) == (keys[at - 1] & mask)) return;
    long long count = 0;
    do count++; while (at + count < size && (keys[at + count] & mask) == (keys[at] & mask));
    Word w[4];
    for (long long i = count - 1, drawn = 0; i > 0; i--, drawn++) {
        if (drawn % 4 == 0) philox(seed, at, counter + drawn / 4, w);
        long long other = w[drawn % 4] % Word(i + 1), held = places[at + i];
        places[at + i] = places[at + other];
        places[at + other] = held;
    }
}
"""
# A thread has four elements next to each other, and one call for them.
_TRIALS = """
typedef NUMBER T;
typedef CHANCE C;
extern "C" __global__ void trials(
    T* out, const C* chances, long long size, Long seed, Long counter, long long* fault
) {
    Long thread = blockIdx.x * Long(blockDim.x) + threadIdx.x;
    Word w[4];
    philox(seed, thread, counter, w);
    for (int i = 0; i < 4; i++) {
        long long at = thread * 4 + i;
        if (at >= size) return;
        double chance = double(chances[at]);
        if (!(chance >= 0 && chance <= 1)) *fault = 1;
        out[at] = T(float(single(w[i]) <= chance));
    }
}
"""
_CHOICES = """
typedef NUMBER T;
extern "C" __global__ void choices(
    const T* weights, const T* sums, long long* out, long long rows, int categories, int count,
    Long seed, Long counter, long long* fault
) {
    Long thread = blockIdx.y * Long(gridDim.x) * blockDim.x + blockIdx.x * blockDim.x + threadIdx.x;
    Word w[4];
    for (long long row = blockIdx.y; row < rows; row += gridDim.y) {
        int sample = blockIdx.x * blockDim.x + threadIdx.x;
        if (sample >= count) continue;
        philox(seed, thread, counter++, w);
        const T *sum = sums + row * categories, *weight = weights + row * categories;
        if (!(sum[categories - 1] > T(0))) *fault = 1;
        T drawn = T(single(w[0]));
        int start = 0, end = categories;
        while (end > start) {
            int middle = start + (end - start) / 2;
            if (sum[middle] < drawn) start = middle + 1;
            else end = middle;
        }
        if (start == categories) start = categories - 1;
        while (start && weight[start] == T(0)) start--;
        out[row * count + sample] = start;
    }
}
"""
_weighed = cupy.ElementwiseKernel(
    "T weight, uint64 fault",
    "T same",
    "if (!(weight >= 0) || isinf(weight)) *reinterpret_cast<long long*>(fault) = 1; same = weight;",
    "minitorch_weighed",
)
_OF_BLOCK = {"islands": 512, "trials": 512, "choices": 128}


def permutation(machine: Any, x: Any) -> None:
    """Fills a vector with the numbers 0 to n - 1, sorted by keys that are drawn."""
    size = x.size
    bits = math.ceil(math.log2(size - (6 * float(size) ** 2 + 1) / (12 * math.log(0.9))))
    keys = cupy.ndarray((size,), numpy.int32 if bits <= 32 else numpy.int64)
    low, high = -(1 << (8 * keys.itemsize - 1)), (1 << (8 * keys.itemsize - 1)) - 1
    on_cupy_random.draw(machine, keys, "random_range", low, high)
    mask = (1 << bits) - 1
    # Where all bits count, they sort as numbers with a sign.
    sorted_by = keys if bits == 8 * keys.itemsize else keys & keys.dtype.type(mask)
    places = cupy.argsort(sorted_by)  # which keeps the order of equal ones
    state = _state(machine, size)
    key = "int" if keys.itemsize == 4 else "long long"
    text = _ISLANDS.replace("KEY", key)
    given = (keys[places], places, size, numpy.uint64(mask), *state)
    _launch("islands", text, x.dtype, -(-size // 512), given)
    x[...] = places


def bernoulli_each(machine: Any, x: Any, chances: Any) -> bool:
    """Fills `x` with ones by a chance each; False, and nothing is drawn, without a kernel for it.

    Elements count in the order of memory if the chances lie as `x` does. A chance outside of [0, 1]
    is told when the host next waits.
    """
    names = on_cupy_random.NUMBERS
    if chances.dtype.kind not in "fV" or {x.dtype.name, chances.dtype.name} - names.keys():
        return False
    given = cupy.broadcast_to(chances, x.shape)
    axes = list(range(x.ndim))
    strides = layout.strides_of(x)
    if layout.strides_of(given) == strides:
        axes.sort(key=lambda axis: (-strides[axis], axis))
    turned = x.transpose(axes)
    block = turned if turned.flags.c_contiguous else cupy.ndarray(turned.shape, x.dtype)
    given = cupy.ascontiguousarray(given.transpose(axes))
    text = _TRIALS.replace("CHANCE", names[chances.dtype.name])
    arguments = (block, given, x.size, *_state(machine, 10), WORD)
    halves = 2 in (x.itemsize, chances.itemsize)
    _launch("trials", text, x.dtype, -(-x.size // 2048), arguments, halves)
    if block is not turned:
        turned[...] = block
    return True


def multinomial(machine: Any, weights: Any, count: int, replacement: bool) -> Any:
    """Indices drawn by weight from each row.

    Without replacement, or of one draw, the host has looked at the weights; else what is wrong with
    them is told when it next waits.
    """
    wide = weights.astype(numpy.float32) if weights.itemsize == 2 else weights
    if not replacement or count == 1:
        draws = cupy.empty_like(weights)
        on_cupy_random.draw(machine, draws, "exponential", 1.0)
        found = (wide / draws.astype(wide.dtype)).astype(weights.dtype).astype(wide.dtype)
        if count == 1:
            return cupy.argmax(found, -1)[..., None]
        return cupy.ascontiguousarray(cupy.argsort(-found, -1)[..., :count])
    rows = _weighed(wide.reshape(-1, weights.shape[-1]), WORD)
    shares = cupy.ascontiguousarray((rows / rows.sum(1, keepdims=True)).astype(weights.dtype))
    sums = cupy.cumsum(shares.astype(wide.dtype), 1).astype(weights.dtype)
    out = cupy.ndarray((len(rows), count), numpy.int64)
    below = min(len(rows), 65535)
    state = _state(machine, ((len(rows) - 1) // below + 1) * 4)
    sizes = (len(rows), numpy.int32(rows.shape[1]), numpy.int32(count))
    grid = ((count - 1) // 128 + 1, below)
    _launch("choices", _CHOICES, weights.dtype, grid, (shares, sums, out, *sizes, *state, WORD))
    return out.reshape(*weights.shape[:-1], count)


def _state(machine: Any, steps: int) -> tuple[Any, Any]:
    """The seed, and the counter that a kernel begins with whose threads draw so many words."""
    return numpy.uint64(machine.initial_seed), numpy.uint64(machine.take(steps) // 4)


def _launch(
    name: str, text: str, dtype: Any, grid: Any, arguments: Any, halves: bool = False
) -> None:
    function = _kernel(name, text, dtype, halves)
    function(grid if type(grid) is tuple else (grid,), (_OF_BLOCK[name],), arguments)


@functools.cache
def _kernel(name: str, text: str, dtype: Any, halves: bool) -> Any:
    return on_cupy_random.compiled(text, name, dtype, halves)

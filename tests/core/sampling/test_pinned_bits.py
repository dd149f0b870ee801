"""Every distribution against PyTorch 2.13.0, bit for bit: values and generator state in a hash."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

from minitorch.core import sampling
from minitorch.core.sampling import MersenneTwister

SIZES = (0, 1, 7, 15, 16, 17, 40, 1000, 20011)


def digest(*arrays: np.ndarray) -> str:
    total = hashlib.sha256()
    for array in arrays:
        total.update(np.ascontiguousarray(array).tobytes())
    return total.hexdigest()[:12]


def numpy_dtype(name: str) -> np.dtype:
    if name == "bfloat16":
        return np.dtype(pytest.importorskip("ml_dtypes").bfloat16)
    return np.dtype(name)


# Distribution, arguments, dtype, seed; then the hash over one draw of each of the sizes, over a
# transposed, a permuted and a sliced array, and over the state at the end.
PINNED = [
    ("uniform", (), "float16", 0, "eea05cd838d6"),
    ("uniform", (), "bfloat16", -1, "90f9ece7e9bd"),
    ("uniform", (), "float32", 1234, "9028f61fa5ec"),
    ("uniform", (), "float64", 1099511627783, "666e9f5ec9b7"),
    ("uniform", (), "complex64", 0, "5b5172edd6ab"),
    ("uniform", (), "complex128", -1, "4b2b9599dfa6"),
    ("uniform", (-0.3, 0.7), "float16", 1234, "cd9b8e8c5b2b"),
    ("uniform", (-0.3, 0.7), "bfloat16", 1099511627783, "c5c97a1adc70"),
    ("uniform", (-0.3, 0.7), "float32", 0, "f05fa7fe6ca6"),
    ("uniform", (-0.3, 0.7), "float64", -1, "040e63f10ea7"),
    ("uniform", (-0.3, 0.7), "complex64", 1234, "ba16fe9ba15e"),
    ("normal", (), "float16", 1099511627783, "f603a8e3c99d"),
    ("normal", (), "bfloat16", 0, "f97bcc10cdb5"),
    ("normal", (), "float32", -1, "9cf8adc2d9fa"),
    ("normal", (), "float64", 1234, "f1df3e078e02"),
    ("normal", (), "complex64", 1099511627783, "d763b3a74b76"),
    ("normal", (), "complex128", 0, "6fb5dd5241dc"),
    ("normal", (1.5, 0.25), "float16", -1, "6ae41ac27a18"),
    ("normal", (1.5, 0.25), "bfloat16", 1234, "d96dc652e616"),
    ("normal", (1.5, 0.25), "float32", 1099511627783, "48b7ba0a5f68"),
    ("normal", (1.5, 0.25), "float64", 0, "288a85599eea"),
    ("normal", (1.5, 0.25), "complex128", -1, "a76eca7c9f70"),
    ("log_normal", (), "float16", 1234, "fd528c038664"),
    ("log_normal", (), "bfloat16", 1099511627783, "144e74102ee0"),
    ("log_normal", (), "float32", 0, "b931953f656f"),
    ("log_normal", (), "float64", -1, "7db1a4d795a5"),
    ("log_normal", (0.5, 0.25), "float32", 1234, "b5b0587a7c1e"),
    ("log_normal", (0.5, 0.25), "float64", 1099511627783, "a03755c2bcbb"),
    ("exponential", (), "float16", 0, "51f185679276"),
    ("exponential", (), "bfloat16", -1, "e6b0a79a0f77"),
    ("exponential", (), "float32", 1234, "84d0ff4d788d"),
    ("exponential", (), "float64", 1099511627783, "2c076321cb26"),
    ("exponential", (2.5,), "float32", 0, "bc58434dcbc1"),
    ("exponential", (2.5,), "float64", -1, "89afd3600445"),
    ("geometric", (0.25,), "float16", 1234, "40d41372ba4b"),
    ("geometric", (0.25,), "bfloat16", 1099511627783, "be250ba3b142"),
    ("geometric", (0.25,), "float32", 0, "94e6d5cee62c"),
    ("geometric", (0.25,), "float64", -1, "72570c47174b"),
    ("geometric", (0.25,), "int64", 1234, "5c4eaf1d15c9"),
    ("geometric", (0.25,), "uint8", 1099511627783, "96b9ae4c3474"),
    ("cauchy", (0.5, 2.0), "float16", 0, "a0be13ffdffc"),
    ("cauchy", (0.5, 2.0), "bfloat16", -1, "b18c201631c6"),
    ("cauchy", (0.5, 2.0), "float32", 1234, "7bc47e15ece8"),
    ("cauchy", (0.5, 2.0), "float64", 1099511627783, "f695a2a0879f"),
    ("bernoulli", (0.3,), "float16", 0, "b6dfa5e372aa"),
    ("bernoulli", (0.3,), "bfloat16", -1, "110af71b8585"),
    ("bernoulli", (0.3,), "float32", 1234, "18893a93a732"),
    ("bernoulli", (0.3,), "float64", 1099511627783, "69819052aba8"),
    ("bernoulli", (0.3,), "bool", 0, "3c5e62add38a"),
    ("bernoulli", (0.3,), "int32", -1, "9cbad1d25eb7"),
    ("random_full", (), "float16", 1234, "d425b54fef5a"),
    ("random_full", (), "bfloat16", 1099511627783, "bb271c87e1a7"),
    ("random_full", (), "float32", 0, "b05c73a79626"),
    ("random_full", (), "float64", -1, "021cd79f25fd"),
    ("random_full", (), "bool", 1234, "335860a9feb6"),
    ("random_full", (), "uint8", 1099511627783, "48473ff587ef"),
    ("random_full", (), "int8", 0, "da4f894cce72"),
    ("random_full", (), "int16", -1, "73f84c24455d"),
    ("random_full", (), "int32", 1234, "551b0cb5ef75"),
    ("random_full", (), "int64", 1099511627783, "96be66d72058"),
    ("random_range", (0, 10), "float16", 0, "8f9a74145906"),
    ("random_range", (0, 10), "bfloat16", -1, "64b8274f93a1"),
    ("random_range", (0, 10), "float32", 1234, "d67004320dc0"),
    ("random_range", (0, 10), "float64", 1099511627783, "3ae7a2eadecc"),
    ("random_range", (0, 10), "uint8", 0, "72ef1b8d393c"),
    ("random_range", (0, 10), "int64", -1, "8c04502e0a07"),
    ("random_range", (0, 10), "uint64", 1234, "65aa31c5c2be"),
    ("random_range", (-5, 100), "float32", 1099511627783, "d46ac403d6c3"),
    ("random_range", (-5, 100), "int8", 0, "e0945e31ba19"),
    ("random_range", (-5, 100), "int64", -1, "7be5c422cd1c"),
    ("random_range", (0, 268435456), "int64", 1234, "62548c99cf04"),
    ("random_range", (0, 268435456), "float64", 1099511627783, "97308a794fa1"),
    ("random_range", (-1099511627776, 2199023255552), "int64", 0, "0db9808ce0e0"),
    ("random_range", (-1099511627776, 2199023255552), "float64", -1, "9910be29c950"),
    ("random_range", (-9223372036854775808, None), "int64", 1234, "9e985d3c2a68"),
    ("random_range", (-9223372036854775808, None), "float64", 1099511627783, "5659eaec4495"),
    ("random_range", (3, None), "uint16", 0, "3a87780b8909"),
    ("random_range", (3, None), "int32", -1, "d241f1967e25"),
    ("random_range", (3, None), "float16", 1234, "2ad064c94c47"),
]


@pytest.mark.parametrize(("name", "arguments", "dtype", "seed", "expected"), PINNED)
def test_values_and_state_have_the_bits_of_torch(name, arguments, dtype, seed, expected):
    generator = MersenneTwister(seed)
    outs = []
    for out in outs_of_every_layout(numpy_dtype(dtype)):
        getattr(sampling, name)(generator, out, *arguments)
        outs.append(out)
    assert digest(*outs, generator.state()) == expected


def outs_of_every_layout(dtype: np.dtype) -> list[np.ndarray]:
    return [
        *(np.zeros(size, dtype) for size in SIZES),
        np.zeros((), dtype),
        np.zeros((5, 4), dtype).T,
        np.zeros((8, 6, 4), dtype).transpose(1, 2, 0),
        np.zeros((9, 17), dtype)[::2, 1:],
    ]

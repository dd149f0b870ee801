"""The generator of CUDA devices: a seed, and how far each thread has gone on from it.

A kernel's threads draw from Philox4x32-10 by counting (Salmon and others, Parallel random numbers:
as easy as 1, 2, 3); nothing is kept between kernels but where the next one begins. As
ATen/cuda/CUDAGeneratorImpl.cpp. The kernels are in core/arrays/on_cupy_random.py.
"""

from __future__ import annotations

import numpy

from minitorch.core.sampling.mersenne_twister import DEFAULT_SEED, MersenneTwister

# Whether CUDA generators are this one; MersenneTwister's numbers are those of torch on the CPU,
# with which conformance compares CuPy on memory of the host (conformance/oracle/device.py).
IN_USE = [True]
_GOLDEN = 0x9E3779B97F4A7C15  # far apart for offsets next to each other


class Philox:
    """A seed, and the offset in the sequence of each thread, a multiple of 4."""

    def __init__(self, seed: int = DEFAULT_SEED, offset: int = 0) -> None:
        self.initial_seed = seed % 2**64
        self.offset = offset

    def take(self, steps: int) -> int:
        """The offset at which a kernel begins whose threads draw at most `steps` words each."""
        begin = self.offset
        self.offset = (begin + (steps + 3) // 4 * 4) % 2**64
        return begin

    def host(self) -> MersenneTwister:
        """A generator of the host for distributions without a kernel; it draws other numbers than
        torch."""
        return MersenneTwister((self.initial_seed + (self.take(4) + 1) * _GOLDEN) % 2**64)

    def state(self) -> numpy.ndarray:
        """Seed and offset, in 16 bytes."""
        return numpy.array([self.initial_seed, self.offset], "<u8").view(numpy.uint8)

    def set_state(self, state: numpy.ndarray) -> None:
        """Continues from a state, or from the start of a seed that is given alone.

        RuntimeError with torch's text for a state of another size.
        """
        if state.size not in (8, 16):
            raise RuntimeError("RNG state is wrong size")
        words = numpy.ascontiguousarray(state).view("<u8")
        self.initial_seed = int(words[0])
        self.set_offset(int(words[1]) if words.size == 2 else 0)

    def set_offset(self, offset: int) -> None:
        """Sets the offset. RuntimeError with torch's text if it is no multiple of 4."""
        if offset % 4:
            raise RuntimeError("offset must be a multiple of 4")
        self.offset = offset

"""The generator of random words behind every CPU draw: MT19937, with the state torch shows.

NumPy's MT19937 bit generator is the same machine, so it makes the words of a program that draws
many: 2.6 ns each. But numpy.random takes 12 ms and 6 MiB to import, so the first are made here: 15
us for a block of 624. How many words of the current block have been handed out is counted; a small
draw is then a slice of the block (0.1 us where a call into NumPy's generator costs 0.4 to 4 us).
"""

from __future__ import annotations

import sys
import threading
from functools import lru_cache
from typing import Any

import numpy as np

BLOCK = 624
FEW = 64  # so many blocks of a generator, 1 ms, are made without numpy.random
DEFAULT_SEED = 67280421310721
STATE_BYTES = 5056

# So many blocks at a time stay in the processor's cache: 3.3 ns a word, 2.6 in NumPy.
_AT_ONCE = 8

_STATE = np.dtype(
    {
        "names": [
            "seed",
            "left",
            "seeded",
            "next",
            "key",
            "normal",
            "has_normal",
            "float_normal",
            "has_float_normal",
        ],
        "formats": ["<u8", "<i4", "<i4", "<u8", ("<u8", BLOCK), "<f8", "<i4", "<f4", "u1"],
        "offsets": [0, 8, 12, 16, 24, 5024, 5040, 5048, 5052],
        "itemsize": STATE_BYTES,
    }
)


class MersenneTwister:
    """A source of 32-bit random words, seeded, saved and restored as torch's CPU generator.

    Args:
        seed: the first seed; torch's constant 67280421310721 when not given.

    As ATen/CPUGeneratorImpl.cpp; M. Matsumoto and T. Nishimura, "Mersenne Twister", 1998.
    """

    __slots__ = (
        "_block",
        "_engine",
        "_few",
        "_float_normal",
        "_fresh",
        "_key",
        "_lock",
        "_position",
        "cached_normal",
        "initial_seed",
    )

    initial_seed: int
    cached_normal: float | None

    def __init__(self, seed: int = DEFAULT_SEED) -> None:
        self._engine: Any = None  # NumPy's generator, once there is need for it
        self._key: np.ndarray | None  # the state; None once it is the engine's
        self._few = FEW
        self._lock = threading.Lock()
        self.seed(seed)

    def seed(self, seed: int) -> None:
        """Starts over from `seed`, of which the low 32 bits decide the words.

        Args:
            seed: from -2**63 to 2**64 - 1; a negative one counts from 2**64 downwards.
        """
        with self._lock:
            self._key = _seeded(seed & 0xFFFFFFFF)
            self.initial_seed = seed % 2**64
            self.cached_normal = None
            self._float_normal = (0.0, 0)
            self._block = np.empty(0, np.uint32)
            self._position = BLOCK
            self._fresh = True

    def words(self, count: int) -> np.ndarray:
        """The next `count` words: a 1-d uint32 array that the caller must not write into."""
        with self._lock:
            start = self._position
            stop = start + count
            if stop <= BLOCK:
                self._position = stop
                return self._block[start:stop]
            return self._words_across_blocks(count)

    def unit_double(self) -> float:
        """One double from [0, 1): the low 53 bits of two words, the first of them the high half."""
        high, low = self.words(2).tolist()
        return float((high & 0x1FFFFF) << 32 | low) * 2.0**-53

    def state(self) -> np.ndarray:
        """The whole state: a new uint8 array of 5056 bytes, laid out as `get_rng_state` gives."""
        record = np.zeros((), _STATE)
        with self._lock:
            record["seed"] = self.initial_seed
            record["left"] = 1 if self._fresh else BLOCK + 1 - self._position
            record["seeded"] = 1
            record["next"] = 0 if self._fresh else self._position
            record["key"] = self._engine.state["state"]["key"] if self._key is None else self._key
            if self.cached_normal is not None:
                record["normal"] = self.cached_normal
                record["has_normal"] = 1
            record["float_normal"], record["has_float_normal"] = self._float_normal
        return np.frombuffer(record.tobytes(), np.uint8).copy()

    def set_state(self, state: np.ndarray) -> None:
        """Goes on from `state`, a uint8 array as `state()` gives it.

        Raises:
            TypeError: if it holds something else than bytes.
            RuntimeError: if it is not contiguous, has another size, or holds no valid state.
        """
        if state.dtype != np.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if not state.flags.c_contiguous:
            raise RuntimeError("RNG state must be contiguous")
        if state.size != STATE_BYTES:
            raise RuntimeError(
                f"Expected a CPUGeneratorImplState of size {STATE_BYTES} "
                f"but found the input RNG state size to be {state.size}"
            )
        record = np.frombuffer(state.tobytes(), _STATE)[0]
        left, following = int(record["left"]), int(record["next"])
        if not (record["seeded"] and 0 < left <= BLOCK and following <= BLOCK):
            raise RuntimeError("Invalid mt19937 state")
        with self._lock:
            self.initial_seed = int(record["seed"])
            self.cached_normal = float(record["normal"]) if record["has_normal"] else None
            self._float_normal = (float(record["float_normal"]), int(record["has_float_normal"]))
            self._fresh = left == 1 and following == 0
            self._position = BLOCK if left == 1 else following
            self._block = np.empty(0, np.uint32)
            # One word left to count means that the block is used up; else its words are made again.
            self._key = record["key"].astype(np.uint32)
            if left != 1:
                self._block = _words_of(self._key)

    def clone(self) -> MersenneTwister:
        """A second generator that goes on from the same state."""
        twin = MersenneTwister()
        twin.set_state(self.state())
        return twin

    def _words_across_blocks(self, count: int) -> np.ndarray:
        words = np.empty(count, np.uint32)
        done = BLOCK - self._position
        if done:
            words[:done] = self._block[self._position :]
        while done < count:
            blocks = min(_AT_ONCE, -((done - count) // BLOCK))
            fresh = self._blocks(blocks)
            taken = min(fresh.size, count - done)
            words[done : done + taken] = fresh[:taken]
            done += taken
        self._block = fresh[-BLOCK:]
        self._position = BLOCK + taken - fresh.size
        self._fresh = False
        return words

    def _blocks(self, count: int) -> np.ndarray:
        """The words of the next `count` blocks."""
        if self._key is not None:
            if count <= self._few and "numpy.random" not in sys.modules:
                self._few -= count
                blocks = []
                for _ in range(count):
                    self._key = _following(self._key)
                    blocks.append(_words_of(self._key))
                return np.concatenate(blocks)
            if self._engine is None:
                from numpy.random import MT19937

                self._engine = MT19937(0)
            state = {"key": self._key, "pos": BLOCK}
            self._engine.state = {"bit_generator": "MT19937", "state": state}
            self._key = None
        return self._engine.random_raw(count * BLOCK).astype(np.uint32)


@lru_cache(maxsize=8)  # 0.2 ms; programs start over from the same few seeds
def _seeded(seed: int) -> np.ndarray:
    """The state that a seed of 32 bits begins with: init_genrand of the reference.

    It is shared: it must not be written into.
    """
    key = [seed]
    for i in range(1, BLOCK):
        seed = (1812433253 * (seed ^ seed >> 30) + i) & 0xFFFFFFFF
        key.append(seed)
    state = np.array(key, np.uint32)
    state.flags.writeable = False
    return state


def _following(key: np.ndarray) -> np.ndarray:
    """The state after `key`: each word is mixed of two neighbours and of the one 397 on, which is
    new itself from word 227 on."""
    both = key & 0x80000000
    both[:-1] |= key[1:] & 0x7FFFFFFF
    mixed = both >> 1 ^ (both & 1) * np.uint32(0x9908B0DF)
    new = np.empty_like(key)
    np.bitwise_xor(mixed[:227], key[397:], out=new[:227])
    np.bitwise_xor(mixed[227:454], new[:227], out=new[227:454])
    np.bitwise_xor(mixed[454:623], new[227:396], out=new[454:623])
    last = int(key[623]) & 0x80000000 | int(new[0]) & 0x7FFFFFFF
    new[623] = int(new[396]) ^ last >> 1 ^ (last & 1) * 0x9908B0DF
    return new


def _words_of(key: np.ndarray) -> np.ndarray:
    """The words that a state stands for: tempered."""
    words = key ^ key >> 11
    words ^= words << 7 & 0x9D2C5680
    words ^= words << 15 & 0xEFC60000
    words ^= words >> 18
    return words

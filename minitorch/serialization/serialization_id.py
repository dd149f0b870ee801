"""The identity of an archive: 40 digits that follow from the names and checksums of its records.

As PyTorchStreamWriter::writeSerializationId of caffe2/serialize/inline_container.cc: hashes of
names, in the order in which C++'s set of strings has them, and checksums in the order of records.
"""

from __future__ import annotations

from collections.abc import Iterable

_MASK = 2**64 - 1
_FACTOR = 0xC6A4A7935BD1E995
_SEED = 0xC70F6907
# How many buckets libstdc++'s hash table has, as it grows.
_BUCKETS = (
    *(1, 13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10273, 20753, 42043, 85229, 172933, 351061),
    *(712697, 1447153, 2938679),
)


def serialization_id(names: Iterable[str], checksums: Iterable[int]) -> str:
    """The identity of an archive of records, in the order in which they were written."""
    of_names = of_content = 0
    for each in _in_the_order_of_a_set([_hash(name.encode()) for name in names]):
        of_names = _combined(of_names, each)
    for each in checksums:
        of_content = _combined(of_content, each)
    return f"{of_names:020d}{of_content:020d}"


def _combined(seed: int, value: int) -> int:
    return seed ^ ((value + 0x9E3779B9 + (seed << 6) + (seed >> 2)) & _MASK)


def _hash(data: bytes) -> int:
    """MurmurHash64A, as std::hash of a string in libstdc++."""
    found = _SEED ^ (len(data) * _FACTOR & _MASK)
    whole = len(data) - len(data) % 8
    for start in range(0, whole, 8):
        word = int.from_bytes(data[start : start + 8], "little") * _FACTOR & _MASK
        found = (found ^ ((word ^ word >> 47) * _FACTOR & _MASK)) * _FACTOR & _MASK
    if len(data) > whole:
        found = (found ^ int.from_bytes(data[whole:], "little")) * _FACTOR & _MASK
    found = (found ^ found >> 47) * _FACTOR & _MASK
    return found ^ found >> 47


def _in_the_order_of_a_set(hashes: list[int]) -> list[int]:
    """Hashes as std::unordered_set of libstdc++ has them after they were put in one by one: the
    bucket that was used last is the first, and in each bucket the last comes first."""
    count, buckets = 1, dict[int, list[int]]()
    for number, each in enumerate(hashes, 1):
        if number > count:
            count = next(size for size in _BUCKETS if size > count)
            moved, buckets = _ordered(buckets), {}
            for other in moved:
                buckets.setdefault(other % count, []).append(other)
        buckets.setdefault(each % count, []).append(each)
    return _ordered(buckets)


def _ordered(buckets: dict[int, list[int]]) -> list[int]:
    return [each for bucket in reversed(buckets.values()) for each in reversed(bucket)]

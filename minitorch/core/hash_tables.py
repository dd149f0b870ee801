"""The order of strings in the hash tables of libstdc++, in which torch gathers names.

Error texts list keywords in this order, and the identity of an archive follows from it.
"""

from __future__ import annotations

from collections.abc import Iterable

_WORD = 2**64 - 1
_FACTOR, _SEED = 0xC6A4A7935BD1E995, 0xC70F6907
# The numbers of buckets that libstdc++'s hash tables have, as they grow.
_BUCKETS = (
    *(1, 13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10273, 20753, 42043, 85229, 172933, 351061),
    *(712697, 1447153, 2938679),
)


def hash_of(text: str) -> int:
    """The hash of a string by std::hash: Appleby's MurmurHash64A of its bytes in UTF-8."""
    data = text.encode()
    value = _SEED ^ len(data) * _FACTOR & _WORD
    for start in range(0, len(data), 8):
        word = int.from_bytes(data[start : start + 8], "little")
        if start + 8 <= len(data):
            word = word * _FACTOR & _WORD
            word = (word ^ word >> 47) * _FACTOR & _WORD
        value = (value ^ word) * _FACTOR & _WORD
    value = (value ^ value >> 47) * _FACTOR & _WORD
    return value ^ value >> 47


def in_table(names: Iterable[str]) -> dict[str, int]:
    """Different strings with their hashes, in the order of a std::unordered_set of them.

    They are put in one by one: the bucket that was used last is the first, and in each bucket the
    last string comes first.
    """
    hashes = {name: hash_of(name) for name in names}
    size, buckets = 1, dict[int, list[str]]()
    for number, name in enumerate(hashes, 1):
        if number > size:
            size = next(each for each in _BUCKETS if each > size)
            moved, buckets = _listed(buckets), {}
            for other in moved:
                buckets.setdefault(hashes[other] % size, []).append(other)
        buckets.setdefault(hashes[name] % size, []).append(name)
    return {name: hashes[name] for name in _listed(buckets)}


def _listed(buckets: dict[int, list[str]]) -> list[str]:
    return [each for bucket in reversed(buckets.values()) for each in reversed(bucket)]

"""The identity of an archive: 40 digits that follow from the names and checksums of its records.

As PyTorchStreamWriter::writeSerializationId of caffe2/serialize/inline_container.cc: hashes of
names, in the order in which C++'s set of strings has them, and checksums in the order of records.
"""

from __future__ import annotations

from collections.abc import Iterable

from minitorch.core.hash_tables import in_table

_WORD = 2**64 - 1


def serialization_id(names: Iterable[str], checksums: Iterable[int]) -> str:
    """The identity of an archive of records, in the order in which they were written."""
    of_names = of_content = 0
    for each in in_table(names).values():
        of_names = _combined(of_names, each)
    for each in checksums:
        of_content = _combined(of_content, each)
    return f"{of_names:020d}{of_content:020d}"


def _combined(seed: int, value: int) -> int:
    return seed ^ ((value + 0x9E3779B9 + (seed << 6) + (seed >> 2)) & _WORD)

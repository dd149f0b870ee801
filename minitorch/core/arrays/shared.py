"""Memory that several processes share: a file, or a nameless one, that each of them maps.

An array over such memory has a `Shared` as its base. A file that this process has mapped already is
not mapped again: tensors that are sent to another process and back use the same memory as before.
"""

from __future__ import annotations

import mmap
import os
from typing import Any
from weakref import WeakValueDictionary

import numpy

_mapped: WeakValueDictionary[tuple[int, int, int], Any] = WeakValueDictionary()


class Shared(mmap.mmap):
    """A mapped file.

    fd: its descriptor, which is passed to other processes; closed with the mapping. filename: its
    name, if it was opened by one.
    """

    fd: int = -1
    filename: str | None = None

    def __del__(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


def mapped(fd: int, nbytes: int, filename: str | None = None) -> Any:
    """The bytes of a file as an array; the descriptor is closed when the array is freed."""
    status = os.fstat(fd)
    key = status.st_dev, status.st_ino, nbytes
    known = _mapped.get(key)
    if known is not None:
        os.close(fd)
        return known
    memory = Shared(fd, nbytes)
    memory.fd, memory.filename = fd, filename
    array = _mapped[key] = numpy.ndarray((nbytes,), numpy.uint8, memory)
    return array


def new(nbytes: int) -> Any:
    """So many bytes of 0 that other processes can see, as an array."""
    if not nbytes:  # which no file can be mapped for
        return numpy.ndarray((0,), numpy.uint8, Shared(-1, 1))
    if hasattr(os, "memfd_create"):
        fd = os.memfd_create("torch")
    else:  # not on Linux
        import tempfile  # start-up: 5 ms

        fd, name = tempfile.mkstemp(prefix="torch_")
        os.unlink(name)
    os.ftruncate(fd, nbytes)
    return mapped(fd, nbytes)


def memory_of(owner: Any) -> Shared | None:
    """The mapped file behind an array that owns the memory of a tensor; None if there is none."""
    base = getattr(owner, "base", None)
    return base if type(base) is Shared else None


def from_file(filename: str, shared: bool, nbytes: int) -> Any:
    """The first bytes of a file as an array; what is written reaches the file if it is `shared`.

    RuntimeError with torch's texts for files that cannot be opened or are too small.
    """
    mode = "read-write" if shared else "read-only"
    try:
        fd = os.open(filename, os.O_RDWR | os.O_CREAT if shared else os.O_RDONLY, 0o600)
    except OSError as error:
        raise RuntimeError(
            f"unable to open file <{filename}> in {mode} mode: {error.strerror} ({error.errno})"
        ) from None
    try:
        length = os.fstat(fd).st_size
        if nbytes < 0:
            raise RuntimeError(
                f"unable to mmap {nbytes} bytes from file <{filename}>: Cannot allocate memory (12)"
            )
        if length < nbytes:
            if not shared:
                raise RuntimeError(
                    f"file <{filename}> size <{length}> is smaller than the required mapping size "
                    f"<{nbytes}>"
                )
            os.ftruncate(fd, nbytes)
        if not nbytes:
            return numpy.empty(0, numpy.uint8)
        if shared:
            return mapped(os.dup(fd), nbytes, filename)
        private = Shared(fd, nbytes, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE)
        private.filename = filename
        return numpy.ndarray((nbytes,), numpy.uint8, private)
    finally:
        os.close(fd)

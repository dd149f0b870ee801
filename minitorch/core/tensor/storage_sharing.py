"""Storages in shared memory, and references that do not keep a storage alive.

Processes pass memory as a descriptor of a file without a name. The private names are torch's:
`torch.multiprocessing.reductions` and other packages call them.
"""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterator
from typing import Any

from minitorch.core.arrays import shared
from minitorch.core.arrays.missing import is_numberless
from minitorch.core.tensor import moving
from minitorch.core.tensor.storage_rare import check_file
from minitorch.core.tensor.storage_sources import borrowed_file


class _StorageBase:
    """The methods of storages that share memory with other processes."""

    __module__ = "torch.storage"
    _owner: Any

    def is_shared(self) -> bool:
        """Whether other processes can see the memory: it was shared, or is on a CUDA device."""
        return bool(self.is_cuda) or shared.memory_of(self._owner) is not None  # type: ignore[attr-defined]

    def share_memory_(self) -> Any:
        """Moves the memory, with all tensors over it, to where other processes can see it."""
        if is_numberless(self._owner):
            raise RuntimeError("_share_fd_: only available on CPU")
        if not self.is_shared():
            self._move(shared.new(self._owner.nbytes))  # type: ignore[attr-defined]
        return self

    def _share_memory_(self, *args: Any, **kwargs: Any) -> Any:
        return self.share_memory_()

    @property
    def filename(self) -> str | None:
        """The file that the memory is mapped from; None if there is none with a name."""
        memory = shared.memory_of(self._owner)
        return None if memory is None else memory.filename

    @classmethod
    def _new_shared(cls, size: int, *, device: Any = "cpu") -> Any:
        """A storage of so many bytes that other processes can see."""
        return cls(shared.new(size))  # type: ignore[call-arg]

    @classmethod
    def from_file(cls, *args: Any, **named: Any) -> Any:
        """A storage over the first bytes of a file; writes reach the file if `shared`.

        RuntimeError for files that cannot be opened or, unless shared, are too small.
        As torch.UntypedStorage.from_file(filename, shared=False, nbytes=0).
        """
        check_file("nbytes", *args, **named)
        given = {"shared": False, "nbytes": 0, **dict(zip(("filename", "shared", "nbytes"), args))}
        given.update(named)
        made = borrowed_file(given["filename"], bool(given["shared"]), given["nbytes"])
        return cls(made)  # type: ignore[call-arg]

    # ---- descriptors

    def _share_fd_cpu_(self) -> tuple[int, int]:
        """The file descriptor of the memory, which the storage still owns, and its bytes."""
        if is_numberless(self._owner):
            raise RuntimeError("_share_fd_: only available on CPU")
        if not self._owner.nbytes:
            return -1, 0
        memory = shared.memory_of(self._owner)
        if memory is None or memory.fd < 0:  # a private mapping of a file, which others cannot see
            self._move(shared.new(self._owner.nbytes))  # type: ignore[attr-defined]
            memory = shared.memory_of(self._owner)
        assert memory is not None
        return memory.fd, int(self._owner.nbytes)

    def _get_shared_fd(self) -> int:
        """The descriptor of the memory. RuntimeError if it is not shared."""
        memory = shared.memory_of(self._owner)
        if memory is None or memory.fd < 0:
            raise RuntimeError("couldn't retrieve a shared file descriptor")
        return memory.fd

    @classmethod
    def _new_shared_fd_cpu(cls, fd: int, size: int) -> Any:
        """A storage over the memory of a file descriptor, which the caller still owns."""
        import os

        return cls(shared.mapped(os.dup(fd), size))  # type: ignore[call-arg]

    @classmethod
    def _new_using_fd_cpu(cls, size: int) -> Any:
        """A storage of so many bytes that other processes can see."""
        return cls(shared.new(size))  # type: ignore[call-arg]

    # ---- references that do not keep the memory

    @property
    def _cdata(self) -> int:
        """A number that is unique to the memory."""
        return number_of(self._owner)

    def _weak_ref(self) -> int:
        """A reference that does not keep the memory: its number."""
        return number_of(self._owner)

    @staticmethod
    def _free_weak_ref(reference: int) -> None:
        """Does nothing: a reference need not be freed."""

    @staticmethod
    def _expired(reference: int) -> bool:
        """Whether the memory of a reference is gone."""
        return _owner_of(reference) is None

    @classmethod
    def _new_with_weak_ptr(cls, reference: int) -> Any:
        """The storage of a reference; None if its memory is gone."""
        owner = _owner_of(reference)
        return None if owner is None else cls(owner)  # type: ignore[call-arg]

    def _shared_incref(self) -> None:
        """Does nothing: no memory is a file with a name, whose users would be counted."""

    def _shared_decref(self) -> Any:
        """Does nothing, as `_shared_incref`."""
        return self

    def _use_count(self) -> int:
        """How many tensors and storages read the memory."""
        return len(list(moving.holders(self._owner, type(self))))


_numbers: dict[int, int] = {}  # id of the array that owns the memory -> the memory's number
_owners: dict[int, weakref.ref[Any]] = {}
_count: Iterator[int] = itertools.count(1)


def number_of(owner: Any) -> int:
    """The number of the memory that an array owns, also after the memory has moved."""
    number = _numbers.get(id(owner))
    if number is None:
        number = 64 * next(_count)  # aligned like addresses
        _note(owner, number)
    return number


def renumber(owner: Any, fresh: Any) -> None:
    """Keeps the number of memory that moved to another array."""
    number = _numbers.pop(id(owner), None)
    if number is not None:
        _note(fresh, number)


def _note(owner: Any, number: int) -> None:
    identity = id(owner)

    def forget(_: Any) -> None:
        _numbers.pop(identity, None)
        if _owners.get(number) is reference:
            del _owners[number]

    reference = weakref.ref(owner, forget)
    _numbers[identity], _owners[number] = number, reference


def _owner_of(number: int) -> Any:
    reference = _owners.get(number)
    return None if reference is None else reference()

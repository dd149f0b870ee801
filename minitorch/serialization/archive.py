"""The zip archives that files are: records in one folder, their data aligned to 64 bytes."""

from __future__ import annotations

import struct
import sys
import zipfile
import zlib
from pathlib import PurePath
from typing import Any

import numpy

from minitorch.serialization.serialization_id import serialization_id

ALIGNMENT = 64
LEAST = 22  # bytes of an archive without records
SCRIPT = "script"  # the record that marks a file of torch.jit.save
_MOMENT = (1980, 1, 1, 0, 0, 0)  # zip knows none before


def is_archive(file: Any) -> bool:
    """Whether a file begins as a zip archive does."""
    start = file.tell()
    begins = file.read(4) == b"PK\x03\x04"
    file.seek(start)
    return begins


class Archive:
    """An archive that is read.

    file: open, at the beginning of the archive.
    """

    def __init__(self, file: Any) -> None:
        self.file = file
        try:
            self.zip = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise failed("reading zip archive: failed finding central directory") from error
        names = self.zip.namelist()
        if not names:
            raise RuntimeError("archive does not contain any files")
        self.folder, slash, _ = names[0].partition("/")
        if not slash:
            raise RuntimeError(f"file in archive is not in a subdirectory: {names[0]}")
        self.records = {
            info.filename.removeprefix(self.folder + "/"): info for info in self.zip.infolist()
        }
        if "version" not in self.records and ".data/version" not in self.records:
            raise RuntimeError(
                'Expected hasRecord("version") to be true, but got false.  (Could this error '
                "message be improved?  If so, please report an enhancement request to PyTorch.)"
            )

    def __contains__(self, name: str) -> bool:
        return name in self.records

    def place(self, name: str) -> tuple[int, int]:
        """The offset of a record's data in the file, and its number of bytes there."""
        info = self.records.get(name)
        if info is None:
            raise failed(f"locating file {name}: file not found")
        self.file.seek(info.header_offset)
        header = self.file.read(30)
        if len(header) < 30 or header[:4] != b"PK\x03\x04":
            raise unreadable(name)
        lengths = struct.unpack("<HH", header[26:30])
        return info.header_offset + 30 + sum(lengths), info.compress_size

    def record(self, name: str) -> Any:
        """The bytes of a record, as an array that owns them. Checksums are not compared."""
        start, size = self.place(name)
        info = self.records[name]
        self.file.seek(start)
        if info.compress_type == zipfile.ZIP_STORED and info.file_size == size:
            end = self.file.seek(0, 2)
            if start + size > end:
                raise unreadable(name)
            self.file.seek(start)
            out = numpy.empty(size, "u1")
            read = getattr(self.file, "readinto", None)
            if read is None:
                out[:] = numpy.frombuffer(self.file.read(size), "u1")
            elif read(out.data if size else bytearray()) != size:
                raise unreadable(name)
            return out
        if info.compress_type != zipfile.ZIP_DEFLATED:
            raise unreadable(name)
        try:  # compressed data can grow at most a thousandfold
            data = zlib.decompressobj(-15).decompress(self.file.read(size), info.file_size + 1)
        except zlib.error as error:
            raise unreadable(name) from error
        if len(data) != info.file_size:
            raise unreadable(name)
        return numpy.frombuffer(bytearray(data), "u1")


def failed(what: str) -> RuntimeError:
    """The error for an archive that is not as it should be."""
    return RuntimeError(
        f"PytorchStreamReader failed {what}. This is an internal miniz error. If you are seeing "
        "this error, there is a high likelihood that your checkpoint file is corrupted. This can "
        "happen if the checkpoint was not saved properly, was transferred incorrectly, or the file "
        "was modified after saving."
    )


def unreadable(name: str) -> RuntimeError:
    """The error for a record that cannot be read."""
    return failed(f"reading file {name}: file read failed")


class Writer:
    """An archive that is written to a path or a file object."""

    def __init__(self, target: Any) -> None:
        self.zip = zipfile.ZipFile(target, "w", zipfile.ZIP_STORED)
        self.folder = "archive"
        if isinstance(target, str):
            self.folder = PurePath(target).stem or "archive"

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, kind: Any, *exception: object) -> None:
        if kind is None:
            self.write("version", b"3\n")
            records = [
                (each.filename[len(self.folder) + 1 :], each.CRC) for each in self.zip.filelist
            ]
            identity = serialization_id(*zip(*records, strict=True))
            self.write(".data/serialization_id", identity.encode())
        self.zip.close()

    def write(self, name: str, data: Any) -> None:
        """Writes a record; its data begins at a multiple of 64 bytes."""
        info = zipfile.ZipInfo(f"{self.folder}/{name}", _MOMENT)
        fixed = self.zip.fp.tell() + 30 + len(info.filename.encode()) + 4
        padding = -fixed % ALIGNMENT
        info.extra = b"FB" + struct.pack("<H", padding) + b"Z" * padding
        info.file_size = len(data)
        self.zip.writestr(info, data)

    def write_about(self) -> None:
        """Writes how the records are to be read."""
        self.write(".format_version", b"1")
        self.write(".storage_alignment", str(ALIGNMENT).encode())
        self.write("byteorder", sys.byteorder.encode())

"""torch.jit._serialization: files of scripts. torch's own hold compiled code, and are refused."""

from __future__ import annotations

import os
from typing import Any, NoReturn

from minitorch.jit._files import from_bytes
from minitorch.jit._script import deprecated
from minitorch.serialization.archive import LEAST, failed


def save(m: Any, f: Any, _extra_files: dict[str, Any] | None = None) -> None:
    """Writes a script to a file, which torch.jit.load reads in a program that has its classes.

    Args:
        m: a ScriptModule or ScriptFunction.
        f: a path, or an object with `write`.
        _extra_files: the contents of further files by name.

    Raises:
        AttributeError: for what is no script.
        NotImplementedError: for a function without a name.

    As torch.jit.save, with names in place of code: torch does not read such a file.
    """
    deprecated("save", "switch to `torch.export`")
    if isinstance(f, (str, os.PathLike)):
        m.save(f, _extra_files=_extra_files)
    else:
        f.write(m.save_to_buffer(_extra_files=_extra_files))


def load(
    f: Any,
    map_location: Any = None,
    _extra_files: dict[str, Any] | None = None,
    _restore_shapes: bool = False,
) -> Any:
    """The script of a file that `save` wrote.

    Args:
        f: a path, or an object with `read`.
        map_location: where its tensors go, a device.
        _extra_files: its keys name further files, whose contents become their values.

    Raises:
        ValueError: if there is no such file.
        NotImplementedError: for a file of torch's, which holds compiled code.
        RuntimeError: if the file names a class or function that this program does not have.

    As torch.jit.load.
    """
    deprecated("load", "switch to `torch.export`")
    extra_files = {} if _extra_files is None else _extra_files
    if not isinstance(f, (str, os.PathLike)):
        content = f.read()
        if len(content) < LEAST:
            raise RuntimeError("istream reader failed: getting the current position.")
        return from_bytes(content, map_location, extra_files)
    if not os.path.exists(f):
        raise ValueError(f"The provided filename {f} does not exist")
    if os.path.isdir(f):
        raise ValueError(f"The provided filename {f} is a directory")
    with open(f, "rb") as file:
        content = file.read()
    if len(content) < LEAST:
        raise failed("reading zip archive: not a ZIP archive")
    return from_bytes(content, map_location, extra_files)


def jit_module_from_flatbuffer(f: Any) -> NoReturn:
    """Refuses: files of scripts hold compiled code."""
    raise NotImplementedError(
        "torch.jit.jit_module_from_flatbuffer: files of scripts hold compiled code"
    )


def save_jit_module_to_flatbuffer(m: Any, f: Any, _extra_files: Any = None) -> NoReturn:
    """Refuses: torch.save keeps a state_dict."""
    raise NotImplementedError(
        "torch.jit.save_jit_module_to_flatbuffer: there are no scripts; torch.save keeps a "
        "state_dict"
    )

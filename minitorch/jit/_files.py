"""Files of scripts: the numbers and attributes of modules, and the names of their classes.

torch keeps the code of a script as well. Nothing is compiled here, so that a file names the classes
and functions of a program, and only a program that has them can load it. Loading runs nothing else:
what a file names is either one of torch's own modules, or a class of modules, or a function, that
the program has imported already.
"""

from __future__ import annotations

import inspect
import io
import sys
import zipfile
from collections.abc import Iterable
from importlib import import_module
from typing import Any

from minitorch import serialization
from minitorch.jit._modules import RecursiveScriptModule, ScriptFunction, ScriptModule, as_script
from minitorch.nn.modules.module import Module
from minitorch.serialization.archive import SCRIPT, Archive, failed
from minitorch.serialization.reading import load_script_records

_FORMAT = "minitorch.jit 1"
# Classes of Python whose objects hold numbers alone.
_PLAIN = {f"builtins.{each.__name__}": each for each in (bytes, range, slice)}


def as_bytes(script: Any, extra_files: dict[str, Any] | None) -> bytes:
    """The file of a script, with further files in it.

    NotImplementedError for a function without a name.
    """
    extra = {
        name: (each.encode() if isinstance(each, str) else bytes(each)).decode("latin-1")
        for name, each in (extra_files or {}).items()
    }
    kept = _name_of(script) if isinstance(script, ScriptFunction) else _module_of(script)
    file = io.BytesIO()
    serialization.save({"format": _FORMAT, "script": kept, "extra": extra}, file)
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr(f"archive/{SCRIPT}", _FORMAT)
    return file.getvalue()


def _module_of(script: ScriptModule) -> Module:
    return script._wrapped if isinstance(script, RecursiveScriptModule) else script


def _name_of(script: ScriptFunction) -> str:
    function = script._function
    name = f"{function.__module__}:{function.__qualname__}"
    if "<" in name:
        raise NotImplementedError(
            f"torch.jit.save of {name.partition(':')[2]}: a file names the function, which has no "
            "name that a program could load it by"
        )
    return name


def from_bytes(content: bytes, map_location: Any, extra_files: dict[str, Any]) -> Any:
    """The script of a file; what `extra_files` names is put into it.

    Raises:
        NotImplementedError: for a file of torch's, which holds compiled code.
        RuntimeError: for a file that names what this program does not have.
    """
    archive = Archive(io.BytesIO(content))
    if "constants.pkl" in archive:
        raise NotImplementedError("torch.jit.load of a file that holds compiled code")
    if SCRIPT not in archive:
        raise failed("locating file constants.pkl: file not found")
    names = serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(content))
    known = [(_named(name), name) for name in names]
    with serialization.safe_globals(known):
        kept = load_script_records(io.BytesIO(content), map_location)
    if not isinstance(kept, dict) or kept.get("format") != _FORMAT:
        raise RuntimeError("torch.jit.load: this is no file that torch.jit.save wrote")
    for name in extra_files.keys() & kept["extra"].keys():
        extra_files[name] = kept["extra"][name].encode("latin-1")
    script = kept["script"]
    return _function_of(script) if isinstance(script, str) else as_script(script)


def _found(module: str, names: Iterable[str]) -> Any:
    """The object under a dotted name in a loaded module; None if there is none."""
    found = sys.modules.get(module)
    for name in names:
        found = getattr(found, name, None)
    return found


def _named(name: str) -> Any:
    """The object that a file names: a class of modules, or an operator among torch's functions."""
    parts = name.split(".")
    if name in _PLAIN:
        return _PLAIN[name]
    if parts[0] == "torch":
        parts[0] = "minitorch"
        native = import_module("minitorch._C")
        operators = {"torch": native._VariableFunctions, "torch._C._nn": native._nn}
        home, _, short = name.rpartition(".")
        found = getattr(operators.get(home), short, None)
        if callable(found) and not isinstance(found, type):
            return found
    for i in range(len(parts) - 1, 0, -1):
        found = _found(".".join(parts[:i]), parts[i:])
        if isinstance(found, type) and issubclass(found, Module):
            return found
        if name.startswith("torch.nn.functional.") and inspect.isfunction(found):
            return found
    raise RuntimeError(
        f"torch.jit.load: the file names {name}, and this program has no class of modules of that "
        "name; minitorch's files of scripts hold no code"
    )


def _function_of(name: str) -> ScriptFunction:
    module, _, path = name.partition(":")
    found = _found(module, path.split("."))
    if isinstance(found, ScriptFunction):
        return found
    if not callable(found):
        raise RuntimeError(
            f"torch.jit.load: the file names the function {path} of {module}, which this program "
            "does not have; minitorch's files of scripts hold no code"
        )
    return ScriptFunction(found, path.rpartition(".")[2])

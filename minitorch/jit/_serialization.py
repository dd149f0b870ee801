"""torch.jit._serialization: files of scripts, which hold compiled code, are not read or written."""

from __future__ import annotations

from typing import Any, NoReturn


def save(m: Any, f: Any, _extra_files: Any = None) -> NoReturn:
    """Refuses: torch.save keeps a state_dict."""
    raise NotImplementedError("torch.jit.save: there are no scripts; torch.save keeps a state_dict")


def load(
    f: Any, map_location: Any = None, _extra_files: Any = None, _restore_shapes: bool = False
) -> NoReturn:
    """Refuses: files of scripts hold compiled code."""
    raise NotImplementedError("torch.jit.load: files of scripts hold compiled code")


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

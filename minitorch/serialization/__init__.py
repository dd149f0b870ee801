"""Saving and loading in torch's files. As https://docs.pytorch.org/docs/stable/notes/serialization.html."""

from minitorch.serialization.checks import (
    check_module_version_greater_or_equal,
    mkdtemp,
    normalize_storage_type,
    storage_to_tensor_type,
    validate_cuda_device,
    validate_hpu_device,
)
from minitorch.serialization.places import (
    default_restore_location,
    location_tag,
    register_package,
)
from minitorch.serialization.reading import get_unsafe_globals_in_checkpoint, load
from minitorch.serialization.settings import (
    LoadEndianness,
    SourceChangeWarning,
    add_safe_globals,
    clear_safe_globals,
    get_crc32_options,
    get_default_load_endianness,
    get_default_mmap_options,
    get_safe_globals,
    safe_globals,
    set_crc32_options,
    set_default_load_endianness,
    set_default_mmap_options,
    skip_data,
)
from minitorch.serialization.storages import StorageType
from minitorch.serialization.storages import get_layout as _get_layout
from minitorch.serialization.writing import save

__all__ = [
    "LoadEndianness",
    "SourceChangeWarning",
    "StorageType",
    "add_safe_globals",
    "check_module_version_greater_or_equal",
    "clear_safe_globals",
    "default_restore_location",
    "get_crc32_options",
    "get_default_load_endianness",
    "get_default_mmap_options",
    "get_safe_globals",
    "get_unsafe_globals_in_checkpoint",
    "load",
    "location_tag",
    "mkdtemp",
    "normalize_storage_type",
    "register_package",
    "safe_globals",
    "save",
    "set_crc32_options",
    "set_default_load_endianness",
    "set_default_mmap_options",
    "skip_data",
    "storage_to_tensor_type",
    "validate_cuda_device",
    "validate_hpu_device",
]

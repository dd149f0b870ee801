"""The places of storages when they are saved, and when they are loaded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch.core.arrays import cuda
from minitorch.core.numbers.device import device as device_class
from minitorch.core.tensor.storage import UntypedStorage
from minitorch.serialization.checks import validate_cuda_device

_packages: list[tuple[int, Callable[..., Any], Callable[..., Any]]] = []


def register_package(
    priority: int,
    tagger: Callable[[Any], str | None],
    deserializer: Callable[[Any, str], Any],
) -> None:
    """Registers how storages of a further place are tagged and restored; low priorities first.

    tagger: of a storage, its tag or None.
    deserializer: of a storage and a tag, the storage at its place or None.
    """
    _packages.append((priority, tagger, deserializer))
    _packages.sort(key=lambda package: package[0])


def location_tag(storage: Any) -> str:
    """The tag that says in a file where a storage is: 'cpu', 'cuda:0'."""
    for _, tagger, _ in _packages:
        tag = tagger(storage)
        if tag:
            return tag
    return str(storage.device)


def default_restore_location(storage: Any, location: str) -> Any:
    """A loaded storage, brought to where its tag says."""
    for _, _, deserializer in _packages:
        result = deserializer(storage, location)
        if result is not None:
            return result
    if location == "cpu":
        return storage
    if location.startswith("cuda"):
        return _on_cuda(storage, location)
    if location == "meta":
        return UntypedStorage(storage.nbytes(), device="meta")
    raise RuntimeError(
        f"don't know how to restore data location of torch.storage.UntypedStorage (tagged with "
        f"{location})"
    )


def _on_cuda(storage: Any, location: str) -> Any:
    validate_cuda_device(location)
    return UntypedStorage(cuda().asarray(storage._owner))


def restoring(map_location: Any) -> Callable[[Any, str], Any]:
    """The function of a storage and its tag that `load` takes for its `map_location`."""
    if map_location is None:
        return default_restore_location
    if isinstance(map_location, dict):
        return lambda storage, location: default_restore_location(
            storage, map_location.get(location, location)
        )
    if isinstance(map_location, (str, bytes, device_class)):
        place = map_location.decode() if isinstance(map_location, bytes) else str(map_location)
        return lambda storage, location: default_restore_location(storage, place)

    def restore(storage: Any, location: str) -> Any:
        result = map_location(storage, location)
        return default_restore_location(storage, location) if result is None else result

    return restore

"""The names of torch's data pipes, which are not implemented, and DataChunk."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__path__: list[str] = []  # a package in torch, of whose modules there are outlines


class _DataPipe:
    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if cls.__module__ != __name__:
            raise NotImplementedError(f"torch.utils.data.{cls.__bases__[0].__name__}")
        cls.__module__ = "torch.utils.data"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(f"torch.utils.data.{type(self).__name__}")


class IterDataPipe(_DataPipe):
    """An iterable data pipe."""


class DFIterDataPipe(IterDataPipe):
    """An iterable data pipe of data frames."""


class MapDataPipe(_DataPipe):
    """A data pipe of items by their keys."""


class functional_datapipe(_DataPipe):
    """The decorator that makes a data pipe a method of others."""

    def __init__(self, name: str, enable_df_api_tracing: bool = False) -> None:
        super().__init__()


class non_deterministic(_DataPipe):
    """The decorator of data pipes whose order is not always the same."""

    def __init__(self, arg: Any) -> None:
        super().__init__()


class guaranteed_datapipes_determinism(_DataPipe):
    """The block in which data pipes must be deterministic."""

    def __init__(self) -> None:
        super().__init__()


class runtime_validation_disabled(_DataPipe):
    """The block in which data pipes do not check types."""

    def __init__(self) -> None:
        super().__init__()


def argument_validation(f: Any) -> Any:
    """The decorator of data pipes that check their arguments."""
    raise NotImplementedError("torch.utils.data.argument_validation")


def runtime_validation(f: Any) -> Any:
    """The decorator of data pipes that check what they give."""
    raise NotImplementedError("torch.utils.data.runtime_validation")


class DataChunk(list[Any]):
    """A list of items that were batched."""

    __module__ = "torch.utils.data.datapipes.datapipe"

    def __init__(self, items: Any) -> None:
        items = list(items)
        super().__init__(items)
        self.items = items

    def as_str(self, indent: str = "") -> str:
        """The items in brackets."""
        return f"{indent}[{', '.join(map(str, self))}]"

    def raw_iterator(self) -> Iterator[Any]:
        """The items as they were given."""
        yield from self.items

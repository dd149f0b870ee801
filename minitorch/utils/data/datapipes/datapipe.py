"""The classes from which data pipes derive: iterables and mappings that are chained by methods.

A class becomes a method of all pipes by `functional_datapipe`. Torch's own pipes (`map`, `batch`,
`shuffle`, ...) are not implemented: their methods refuse with their names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, ClassVar, TypeVar

from minitorch.utils.data.datapipes._hook_iterator import _SnapshotState, watch_iterators
from minitorch.utils.data.dataset import Dataset, IterableDataset

__all__ = ["DFIterDataPipe", "DataChunk", "IterDataPipe", "MapDataPipe"]

T = TypeVar("T")

# The methods of iterable pipes that are torch's own, and those that mappings have as well.
_OWN_OF_MAPPINGS = frozenset({"batch", "concat", "map", "shuffle", "zip"})
_OWN = _OWN_OF_MAPPINGS | {
    *("collate", "demux", "filter", "fork", "groupby", "list_files", "mux", "open_files"),
    *("read_from_stream", "routed_decode", "sharding_filter", "trace_as_dataframe", "unbatch"),
}


class _Registry:
    """Functions that stand for methods of pipes, and hooks that change how these are shown."""

    functions: ClassVar[dict[str, Callable[..., Any]]]
    _own_methods: ClassVar[frozenset[str]]
    reduce_ex_hook: ClassVar[Callable[..., Any] | None] = None
    getstate_hook: ClassVar[Callable[..., Any] | None] = None
    str_hook: ClassVar[Callable[..., Any] | None] = None
    repr_hook: ClassVar[Callable[..., Any] | None] = None

    def __getattr__(self, name: str) -> Any:
        kind = type(self)
        if name in kind.functions:
            found = partial(kind.functions[name], self)
            found.__doc__ = kind.functions[name].__doc__
            return found
        if name in kind._own_methods:
            base = "IterDataPipe" if issubclass(kind, IterableDataset) else "MapDataPipe"
            raise NotImplementedError(f"torch.utils.data.{base}.{name}")
        raise AttributeError(f"'{kind.__name__}' object has no attribute '{name}")

    @classmethod
    def register_function(cls, function_name: str, function: Callable[..., Any]) -> None:
        """Makes a function, which takes a pipe first, a method of all pipes."""
        cls.functions[function_name] = function

    @classmethod
    def register_datapipe_as_function(
        cls, function_name: str, cls_to_register: Any, enable_df_api_tracing: bool = False
    ) -> None:
        """Makes a class of pipes, which takes a pipe first, a method of all pipes.

        Raises:
            Exception: a method has this name already.
        """
        if function_name in cls.functions:
            raise Exception(
                f"Unable to add DataPipe function name {function_name} as it is already taken"
            )
        if enable_df_api_tracing:
            raise NotImplementedError("torch.utils.data.functional_datapipe of data frames")

        def class_function(kind: Any, source: Any, *args: Any, **kwargs: Any) -> Any:
            return kind(source, *args, **kwargs)

        function = partial(class_function, cls_to_register)
        function.__doc__ = cls_to_register.__doc__
        cls.functions[function_name] = function

    def __getstate__(self) -> Any:
        hook = type(self).getstate_hook
        return self.__dict__ if hook is None else hook(self.__dict__)

    def __reduce_ex__(self, protocol: Any) -> Any:
        hook = type(self).reduce_ex_hook
        if hook is not None:
            try:
                return hook(self)
            except NotImplementedError:
                pass
        return super().__reduce_ex__(protocol)

    @classmethod
    def set_getstate_hook(cls, hook_fn: Callable[..., Any] | None) -> None:
        """Lets a function change the state that is pickled. One at a time."""
        if cls.getstate_hook is not None and hook_fn is not None:
            raise RuntimeError("Attempt to override existing getstate_hook")
        cls.getstate_hook = hook_fn

    @classmethod
    def set_reduce_ex_hook(cls, hook_fn: Callable[..., Any] | None) -> None:
        """Lets a function reduce pipes for pickling. One at a time."""
        if cls.reduce_ex_hook is not None and hook_fn is not None:
            raise RuntimeError("Attempt to override existing reduce_ex_hook")
        cls.reduce_ex_hook = hook_fn

    def __repr__(self) -> str:
        hook = type(self).repr_hook
        return type(self).__qualname__ if hook is None else hook(self)

    def __str__(self) -> str:
        hook = type(self).str_hook
        return type(self).__qualname__ if hook is None else hook(self)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *type(self).functions]


class IterDataPipe(_Registry, IterableDataset[T]):
    """A data pipe that gives items one after another: subclasses define `__iter__`.

    Only the newest iterator over a pipe is valid; a step of an older one raises a RuntimeError.

    As https://docs.pytorch.org/docs/stable/data.html#torch.utils.data.IterableDataset.
    """

    __module__ = "torch.utils.data.datapipes.datapipe"
    functions: ClassVar[dict[str, Callable[..., Any]]] = {}
    _own_methods = _OWN
    _valid_iterator_id: int | None = None
    _number_of_samples_yielded: int = 0
    _snapshot_state = _SnapshotState.NotStarted
    _fast_forward_iterator: Iterator[Any] | None = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        watch_iterators(cls)

    def __iter__(self) -> Iterator[T]:
        return self  # type: ignore[return-value]  # for pipes that define __next__

    def reset(self) -> None:
        """Prepares the pipe for another pass; subclasses may define it."""


watch_iterators(IterDataPipe)


class DFIterDataPipe(IterDataPipe[T]):
    """A data pipe of data frames.

    As torch.utils.data.DFIterDataPipe.
    """

    __module__ = "torch.utils.data.datapipes.datapipe"

    def _is_dfpipe(self) -> bool:
        return True


class MapDataPipe(_Registry, Dataset[T]):
    """A data pipe of items by their keys: subclasses define `__getitem__` and mostly `__len__`.

    As torch.utils.data.MapDataPipe.
    """

    __module__ = "torch.utils.data.datapipes.datapipe"
    functions: ClassVar[dict[str, Callable[..., Any]]] = {}
    _own_methods = _OWN_OF_MAPPINGS


class DataChunk(list[Any]):
    """A list of items that were batched.

    Args:
        items: what is kept, as `items`, too.

    As torch.utils.data.DataChunk.
    """

    __module__ = "torch.utils.data.datapipes.datapipe"

    def __init__(self, items: Any) -> None:
        items = list(items)
        super().__init__(items)
        self.items = items

    def as_str(self, indent: str = "") -> str:
        """The items in brackets."""
        return f"{indent}[{', '.join(map(str, self))}]"

    def __iter__(self) -> Iterator[Any]:
        yield from super().__iter__()

    def raw_iterator(self) -> Iterator[Any]:
        """The items as they were given."""
        yield from self.items

"""Decorators of data pipes: functional names, and pipes whose order is not always the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minitorch.utils.data.datapipes.datapipe import IterDataPipe, MapDataPipe

_DETERMINISM = [False]  # whether pipes must give their items in one order; blocks set it


class functional_datapipe:
    """The decorator that makes a class of pipes a method, of this name, of all pipes.

    Args:
        name: of the method.
        enable_df_api_tracing: whether data frames trace it; handed on.

    As torch.utils.data.functional_datapipe.
    """

    name: str

    def __init__(self, name: str, enable_df_api_tracing: bool = False) -> None:
        self.name = name
        self.enable_df_api_tracing = enable_df_api_tracing

    def __call__(self, cls: Any) -> Any:
        if issubclass(cls, IterDataPipe):
            cls.register_datapipe_as_function(
                self.name, cls, enable_df_api_tracing=self.enable_df_api_tracing
            )
        elif issubclass(cls, MapDataPipe):
            cls.register_datapipe_as_function(self.name, cls)
        return cls


class guaranteed_datapipes_determinism:
    """The block in which pipes that are not deterministic cannot be made.

    As torch.utils.data.guaranteed_datapipes_determinism.
    """

    prev: bool

    def __init__(self) -> None:
        self.prev = _DETERMINISM[0]
        _DETERMINISM[0] = True

    def __enter__(self) -> None:
        pass

    def __exit__(self, *args: object) -> None:
        _DETERMINISM[0] = self.prev


class non_deterministic:
    """The decorator of pipes whose order is not always the same, or is not for some arguments.

    Args:
        arg: the class, or a function of the arguments that says whether they make it so.

    Raises:
        TypeError: for a class that is no IterDataPipe.

    As torch.utils.data.non_deterministic.
    """

    cls: type[IterDataPipe[Any]] | None = None

    def __init__(self, arg: Any) -> None:
        if isinstance(arg, type):
            if not issubclass(arg, IterDataPipe):
                raise TypeError(
                    "Only `IterDataPipe` can be decorated with `non_deterministic`"
                    f", but {arg.__name__} is found"
                )
            self.cls = arg
        elif isinstance(arg, Callable):  # type: ignore[arg-type]
            self.deterministic_fn = arg
        else:
            raise TypeError(f"{arg} can not be decorated by non_deterministic")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self.cls is not None:
            if _DETERMINISM[0]:
                raise TypeError(
                    f"{self.cls.__name__} is non-deterministic, but you set "
                    "'guaranteed_datapipes_determinism'. You can turn off determinism for this "
                    "DataPipe if that is acceptable for your application"
                )
            return self.cls(*args, **kwargs)
        if not (isinstance(args[0], type) and issubclass(args[0], IterDataPipe)):
            raise TypeError(f"Only `IterDataPipe` can be decorated, but {args[0]} is found")
        self.cls = args[0]
        return self.deterministic_wrapper_fn

    def deterministic_wrapper_fn(self, *args: Any, **kwargs: Any) -> IterDataPipe[Any]:
        """A pipe of these arguments, if the function calls them deterministic or need not."""
        unordered = self.deterministic_fn(*args, **kwargs)
        if not isinstance(unordered, bool):
            raise TypeError(
                "deterministic_fn of `non_deterministic` decorator is required to return a "
                f"boolean value, but {type(unordered)} is found"
            )
        assert self.cls is not None
        if _DETERMINISM[0] and unordered:
            raise TypeError(
                f"{self.cls.__name__} is non-deterministic with the inputs, but you set "
                "'guaranteed_datapipes_determinism'. You can turn off determinism for this "
                "DataPipe if that is acceptable for your application"
            )
        return self.cls(*args, **kwargs)


def argument_validation(f: Any) -> Any:
    """The decorator of functions that check the types of the pipes that they take.

    Args:
        f: the function.

    Raises:
        NotImplementedError: always.

    As torch.utils.data.argument_validation.
    """
    raise NotImplementedError("torch.utils.data.argument_validation")


def runtime_validation(f: Any) -> Any:
    """The decorator of pipes that check the types of their items.

    Args:
        f: the function.

    Raises:
        NotImplementedError: always.

    As torch.utils.data.runtime_validation.
    """
    raise NotImplementedError("torch.utils.data.runtime_validation")


class runtime_validation_disabled:
    """The block in which pipes do not check types.

    Raises:
        NotImplementedError: always.

    As torch.utils.data.runtime_validation_disabled.
    """

    def __init__(self) -> None:
        raise NotImplementedError("torch.utils.data.runtime_validation_disabled")

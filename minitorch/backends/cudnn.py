"""torch.backends.cudnn: not used. Its switches can be set, and nothing depends on them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module

__path__: list[str] = []  # a package in torch, of whose modules there are outlines

enabled = True
benchmark = False
benchmark_limit = 10
deterministic = False
allow_tf32 = True


def is_available() -> bool:
    """Whether cuDNN is used: no."""
    return False


def version() -> int | None:
    """The version of cuDNN: None, there is none."""
    return None


@contextmanager
def flags(**values: bool) -> Iterator[None]:
    """Sets switches for the duration of a `with` block."""
    names = globals()
    for name in values:
        if name not in ("enabled", "benchmark", "benchmark_limit", "deterministic", "allow_tf32"):
            raise TypeError(f"flags() got an unexpected keyword argument '{name}'")
    before = {name: names[name] for name in values}
    names.update(values)
    try:
        yield
    finally:
        names.update(before)


def __getattr__(name: str) -> object:
    if name == "rnn":
        return import_module("minitorch.backends.cudnn.rnn")
    raise AttributeError(f"module 'torch.backends.cudnn' has no attribute '{name}'")

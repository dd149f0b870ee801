"""Surroundings: what a program may have switched on around its calls, in both libraries alike.

A verdict is on calls that stand alone. `--within NAME` asks for it again, with all cases inside of
a mode, or after a default was changed: what is clean outside need not be clean there.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any


@contextmanager
def _default_dtype(torch: Any, name: str) -> Iterator[None]:
    before = torch.get_default_dtype()
    torch.set_default_dtype(getattr(torch, name))
    try:
        yield
    finally:
        torch.set_default_dtype(before)


@contextmanager
def _deterministic(torch: Any) -> Iterator[None]:
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(False)


def _passing_functions(torch: Any) -> Any:
    """A mode that sees all calls of functions, and lets them pass."""

    class Passing(torch.overrides.TorchFunctionMode):  # type: ignore[misc,name-defined]
        def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None):  # type: ignore[no-untyped-def]
            return func(*args, **(kwargs or {}))

    return Passing()


def _passing_operators(torch: Any) -> Any:
    """A mode that sees all operators, and lets them pass."""

    class Passing(torch.utils._python_dispatch.TorchDispatchMode):  # type: ignore[misc,name-defined]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None):  # type: ignore[no-untyped-def]
            return func(*args, **(kwargs or {}))

    return Passing()


SURROUNDINGS: dict[str, Callable[[Any], AbstractContextManager[Any]]] = {
    "float64": lambda torch: _default_dtype(torch, "float64"),
    "bfloat16": lambda torch: _default_dtype(torch, "bfloat16"),
    "device": lambda torch: torch.device("cpu"),
    "no-grad": lambda torch: torch.no_grad(),
    "inference": lambda torch: torch.inference_mode(),
    "functions": _passing_functions,
    "operators": _passing_operators,
    "level": lambda torch: torch.autograd.forward_ad.dual_level(),
    "saved": lambda torch: torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x),
    "mutation": lambda torch: torch.autograd.graph.allow_mutation_on_saved_tensors(),
    "anomaly": lambda torch: torch.autograd.set_detect_anomaly(True),
    "deterministic": _deterministic,
    "autocast": lambda torch: torch.autocast("cpu"),
}


@contextmanager
def surrounded(name: str, *libraries: Any) -> Iterator[None]:
    """While it lasts, the libraries are in the surroundings of a name; none if it is empty.

    libraries: modules with torch's interface; each is entered in turn.
    """
    if not name or not libraries:
        yield
        return
    with SURROUNDINGS[name](libraries[0]), surrounded(name, *libraries[1:]):
        yield

"""torch._dynamo.config: switches of the compiler, kept for who reads them; nothing is compiled."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

verbose = suppress_errors = disable = capture_scalar_outputs = False
capture_dynamic_output_shape_ops = automatic_dynamic_shapes_mark_as = False
assume_static_by_default = automatic_dynamic_shapes = True
cache_size_limit = recompile_limit = 8
accumulated_cache_size_limit = accumulated_recompile_limit = 256
dynamic_shapes = specialize_int = inline_inbuilt_nn_modules = guard_nn_modules = True
optimize_ddp: Any = True
allow_unspec_int_on_nn_module = False
log_level: Any = None


@contextmanager
def _patched(changes: dict[str, Any]) -> Iterator[None]:
    before = {name: globals()[name] for name in changes}
    globals().update(changes)
    try:
        yield
    finally:
        globals().update(before)


def patch(arg1: Any = None, arg2: Any = None, **kwargs: Any) -> Any:
    """A context, and a decorator, in which switches are set: by name, as a pair or as a dict."""
    changes = {arg1: arg2} if isinstance(arg1, str) else {**(arg1 or {}), **kwargs}
    unknown = [name for name in changes if name not in globals()]
    if unknown:
        raise AttributeError(f"torch._dynamo.config.{unknown[0]} does not exist")
    return _patched(changes)

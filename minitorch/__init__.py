"""minitorch: PyTorch's eager tensors, autograd, nn and optim in pure Python over NumPy and CuPy.

`import minitorch as torch` and use it; the names here are torch's.
"""

from __future__ import annotations

from typing import Any as _Any

from minitorch.core.base.collector import uncollected as _uncollected

with _uncollected():
    from minitorch.core.declare.codegen import runtime as _runtime
    from minitorch.core.warning_filters import silence as _silence

    _silence()
    _runtime.fill_globals()

    from minitorch import aten as _aten  # once the runtime is there
    from minitorch.aten.creation.default_device import set_default_device
    from minitorch.core.declare.protocols import noticing as _noticing
    from minitorch.core.declare.protocols import torch_function as _overriding
    from minitorch.core.declare.registry import FUNCTIONS as _FUNCTIONS
    from minitorch.core.declare.registry import load_families as _load_families
    from minitorch.core.numbers.device import (
        channels_last,
        channels_last_3d,
        contiguous_format,
        device,
        layout,
        memory_format,
        preserve_format,
        strided,
    )
    from minitorch.core.numbers.dtype import (
        bfloat16,
        bool,
        cdouble,
        cfloat,
        complex64,
        complex128,
        double,
        dtype,
        float,
        float16,
        float32,
        float64,
        half,
        int,
        int8,
        int16,
        int32,
        int64,
        long,
        set_default_dtype,
        short,
        uint8,
        uint16,
        uint32,
        uint64,
    )
    from minitorch.core.numbers.limits import finfo, iinfo
    from minitorch.core.numbers.size import Size
    from minitorch.core.tensor.generator import Generator, default_generator
    from minitorch.core.tensor.tensor import Tensor

    globals().update(_FUNCTIONS)

    from minitorch import autograd, random
    from minitorch._public.namespace import *  # noqa: F403
    from minitorch.autograd.grad_mode import (
        enable_grad,
        inference_mode,
        is_grad_enabled,
        is_inference_mode_enabled,
        no_grad,
        set_grad_enabled,
    )
    from minitorch.random import (
        get_rng_state,
        initial_seed,
        manual_seed,
        seed,
        set_rng_state,
    )

    _noticing.start(_overriding.notice)


# What this module is written with; `installed_as_torch` is for programs, but no name of torch's.
_HELPERS = frozenset(
    "_FUNCTIONS _HELPERS __dir__ _aten _load_families _noticing _overriding _runtime _silence "
    "_uncollected annotations installed_as_torch".split()
)


def __dir__() -> list[str]:
    from minitorch._public.namespace import names  # at the top it would be a name of torch's
    from minitorch._public.origins import OWN  # start-up: 0.2 ms

    _load_families()
    return sorted({*globals(), *_FUNCTIONS, *names()} - OWN - _HELPERS)


def __getattr__(name: str) -> _Any:
    if name == "__all__":  # of `from torch import *`
        from minitorch._public.starred import names  # start-up: 0.1 ms

        return names()
    function = _aten.function_named(name)
    if function is not None:
        return globals().setdefault(name, function)
    from minitorch._public import namespace  # at the top it would be a name of torch's

    if name in namespace.DEPRECATED:  # with a warning each time
        return namespace.deprecated(name)
    return globals().setdefault(name, namespace.missing(name))  # to look it up takes 3 us

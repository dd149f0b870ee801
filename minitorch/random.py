"""torch.random: seeds and states of the default generator."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from minitorch.core.numbers import device as devices
from minitorch.core.tensor.generator import Generator, default_generator, seed_cuda

__all__ = [
    "fork_rng",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
    "thread_safe_generator",
]

_MANY_DEVICES = (
    "{type} reports that you have {count} available devices, and you have used {caller} without "
    "explicitly specifying which devices are being used. The generators of all of them are saved "
    "and restored; name those you use in {keyword}=, or give {keyword}=range({count}) to mean all."
)


def manual_seed(seed: Any) -> Generator:
    """Seeds the default generators of all devices, and returns that of the CPU.

    seed: anything `int` takes, from -2**63 to 2**64 - 1 (else ValueError).
    """
    seed = int(seed)
    default_generator.manual_seed(seed)
    seed_cuda(seed)
    return default_generator


def seed() -> int:
    """Seeds the default generators of all devices from the operating system; the seed."""
    seed = default_generator.seed()
    seed_cuda(seed)
    return seed


def initial_seed() -> int:
    """The seed of the default generator."""
    return default_generator.initial_seed()


def get_rng_state() -> Any:
    """The state of the default generator: a uint8 Tensor of 5056 bytes."""
    return default_generator.get_state()


def set_rng_state(new_state: Any) -> None:
    """Lets the default generator go on from `new_state`, as `get_rng_state` gave it."""
    default_generator.set_state(new_state)


def thread_safe_generator() -> Generator | None:
    """The generator of the running DataLoader worker thread; None outside of one."""
    return None


@contextmanager
def fork_rng(
    devices: Iterable[Any] | None = None,
    enabled: bool = True,
    _caller: str = "fork_rng",
    _devices_kw: str = "devices",
    device_type: str | None = None,
) -> Iterator[None]:
    """Gives the random states back, when the block ends, the values they had at its beginning.

    devices: the CUDA devices whose generators are included; all of them by default.
    enabled: False leaves everything as it is.
    As https://docs.pytorch.org/docs/stable/random.html.
    """
    device_type = _device_type(device_type or "cuda")
    if device_type == "meta" or not enabled:
        yield
        return
    module = _device_module(device_type)
    if devices is None:
        count = module.device_count()
        if count > 1:
            warnings.warn(
                _MANY_DEVICES.format(
                    type=device_type.upper(), count=count, caller=_caller, keyword=_devices_kw
                ),
                stacklevel=2,
            )
        devices = range(count)
    chosen = list(devices)
    state = get_rng_state()
    states = [module.get_rng_state(each) for each in chosen]
    try:
        yield
    finally:
        set_rng_state(state)
        for each, saved in zip(chosen, states, strict=True):
            module.set_rng_state(saved, each)


def _device_type(name: str) -> str:
    return devices.device(name).type


def _device_module(device_type: str) -> Any:
    if device_type not in ("cpu", "cuda"):
        raise RuntimeError(
            f"torch has no module of `{device_type}`, you should register a module by "
            "`torch._register_device_module`."
        )
    return import_module(f"minitorch.{device_type}")

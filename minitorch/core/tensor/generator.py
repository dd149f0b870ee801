"""Generator: a source of random numbers with a seed and a state, and the one used by default."""

from __future__ import annotations

import os
import threading
from typing import Any

from minitorch.core import arrays
from minitorch.core.base.fields import TensorBase, plain
from minitorch.core.numbers import device as devices
from minitorch.core.numbers.closed import Closed, FullyNamed, c_name
from minitorch.core.sampling.mersenne_twister import DEFAULT_SEED, MersenneTwister
from minitorch.core.sampling.philox import IN_USE, Philox

_making = threading.Lock()


class Generator(metaclass=FullyNamed):
    """A source of random numbers for tensors on `device`: seeded, saved and restored.

    As torch.Generator. The numbers are torch's own on the CPU (MT19937). On CUDA (Philox) they are
    too, except for `multinomial`, `randperm`, `poisson` and others without a kernel here.
    """

    __module__ = "torch._C"
    __slots__ = ("__weakref__", "_device", "_philox", "_seed", "_twister")
    __getattr__ = Closed.__getattr__

    def __init__(self, device: Any = None) -> None:
        if device is None:
            device = "cpu"  # torch.set_default_device does not change it
        elif not isinstance(device, (str, int, devices.device)) or isinstance(device, bool):
            raise TypeError(
                "Generator(): argument 'device' (position 1) must be torch.device, not "
                f"{c_name(type(device))}"
            )
        place = devices.device(device)
        if place.type not in ("cpu", "cuda"):
            raise RuntimeError(f"{place.type.upper()} device type not an accelerator.")
        if place.type == "cuda":
            try:
                place = devices.located("cuda", _cuda_index(place))
            except AssertionError:
                raise RuntimeError(devices.without_cuda("get CUDA generator")) from None
        self._device = place
        self._seed: int | None = DEFAULT_SEED
        self._twister: MersenneTwister | None = None
        self._philox: Philox | None = None

    @property
    def philox(self) -> Philox | None:
        """The Philox state of a CUDA generator, if its numbers are drawn on the device."""
        undrawn = self._philox is None and self._twister is None
        on_device = undrawn and self._device.type == "cuda" and IN_USE[0]
        if on_device and arrays.cuda().fused is not None:
            self._philox = Philox(self.initial_seed())
        return self._philox

    @property
    def twister(self) -> MersenneTwister:
        """The Mersenne Twister, made when the first number is drawn: seeding takes 0.15 ms."""
        if self._twister is not None:
            return self._twister
        if self.philox is not None:
            return self.philox.host()
        with _making:
            if self._twister is None:
                self._twister = MersenneTwister(self.initial_seed())
        return self._twister

    @property
    def device(self) -> Any:
        """The device whose tensors it fills."""
        return self._device

    def manual_seed(self, seed: int, /) -> Generator:
        """Starts over from `seed`, and returns the generator.

        seed: from -2**63 to 2**64 - 1; a negative one counts from 2**64 downwards.
        """
        if type(seed) is bool or not hasattr(seed, "__index__"):
            raise RuntimeError(f"manual_seed expected a long, but got {type(seed).__name__}")
        seed = int(seed)
        if not -(2**63) <= seed < 2**64:
            raise ValueError("Overflow when unpacking long long")
        if self._twister is None:
            self._seed = seed % 2**64
            self._philox = None
        else:
            self._twister.seed(seed)
        return self

    def seed(self) -> int:
        """Starts over from a seed taken from the operating system, and returns the seed."""
        seed = int.from_bytes(os.urandom(8), "little")
        self.manual_seed(seed)
        return seed

    def initial_seed(self) -> int:
        """The seed it started from."""
        if self._twister is not None:
            return self._twister.initial_seed
        if self._philox is not None:
            return self._philox.initial_seed
        if self._seed is None:
            self._seed = int.from_bytes(os.urandom(8), "little")
        return self._seed

    def get_state(self) -> Any:
        """The whole state, as a uint8 Tensor of 5056 bytes; of 16 bytes on CUDA."""
        return plain((self.philox or self.twister).state())

    def set_state(self, new_state: Any, /) -> Generator:
        """Goes on from `new_state`, a result of `get_state`, and returns the generator."""
        if not isinstance(new_state, TensorBase):
            raise TypeError(f"expected a torch.ByteTensor, but got {c_name(type(new_state))}")
        (self.philox or self.twister).set_state(new_state._array)
        return self

    def clone_state(self) -> Generator:
        """A second generator that goes on from the same state."""
        return Generator(self._device).set_state(self.get_state())

    def get_offset(self) -> int:
        """The position of a CUDA generator in its stream; a CPU generator has none."""
        if self.philox is None:
            raise RuntimeError("CPU Generator does not use offset")
        return self.philox.offset

    def set_offset(self, offset: int, /) -> Generator:
        """Sets the position of a CUDA generator in its stream; a CPU generator has none."""
        if self.philox is None:
            raise RuntimeError("CPU Generator does not use offset")
        self.philox.set_offset(offset)
        return self

    def graphsafe_get_state(self) -> Generator:
        """The state for CUDA graphs."""
        raise NotImplementedError("graphsafe_get_state is not supported in this Generator")

    def graphsafe_set_state(self, state: Generator, /) -> Generator:
        """Sets the state for CUDA graphs."""
        raise NotImplementedError("graphsafe_set_state is not supported in this Generator")

    def __reduce__(self) -> tuple[Any, tuple[Any], tuple[int, int | None, Any]]:
        offset = None if self.philox is None else self.philox.offset
        return generator_on, (self._device,), (self.initial_seed(), offset, self.get_state())

    def __setstate__(self, state: tuple[int, int | None, Any], /) -> None:
        seed, offset, numbers = state
        self.manual_seed(seed)
        if offset is not None:
            self.set_offset(offset)
        self.set_state(numbers)

    def __repr__(self) -> str:
        return f"<torch._C.Generator object at {id(self):#x}>"


def generator_on(device: Any) -> Generator:
    """A new generator, for pickles and copies that name no class of torch's."""
    return Generator(device)


def _unseeded() -> Generator:
    generator = Generator()
    generator._seed = None  # the operating system gives it a seed at the first use
    return generator


default_generator = _unseeded()
_cuda_generators: dict[int, Generator] = {}
_cuda_seed: int | None = None  # for devices whose generator is not made yet


def _cuda_index(device: Any) -> int:
    """The number of a CUDA device. AssertionError with torch's text if there is none."""
    xp = arrays.cuda()
    return xp.device_index if device.index is None else device.index


def default_for(device: Any) -> Generator:
    """The generator for tensors on `device` if none is given."""
    if device.type == "cpu":
        return default_generator
    index = _cuda_index(device)
    generator = _cuda_generators.get(index)
    if generator is None:
        generator = Generator(devices.located("cuda", index))
        generator._seed = _cuda_seed
        generator = _cuda_generators.setdefault(index, generator)
    return generator


def seed_cuda(seed: int, index: int | None = None) -> None:
    """Seeds all CUDA generators, present and future ones, or the generator of one device.

    As in torch, this may be called on machines without CUDA: it takes effect once a device exists.
    """
    global _cuda_seed
    if index is not None:
        default_for(devices.located("cuda", index)).manual_seed(seed)
        return
    _cuda_seed = seed % 2**64
    for generator in _cuda_generators.values():
        generator.manual_seed(seed)


def source(generator: Any, device_type: str = "cpu") -> MersenneTwister:
    """The source that draws on the host for `generator`, or for the default one if it is None.

    RuntimeError if the generator is for another device.
    """
    if generator is None and device_type == "cpu":
        return default_generator.twister
    return checked(generator, device_type).twister


def machine_of(generator: Any, device_type: str) -> MersenneTwister | Philox:
    """The source that draws on a device for `generator`: see `source`."""
    found = checked(generator, device_type)
    return found.philox or found.twister


def checked(generator: Any, device_type: str) -> Generator:
    """`generator`, or the default one for None. RuntimeError if it is for another device."""
    if generator is None:
        return default_for(devices.located(device_type, None))
    if generator._device.type != device_type:
        raise RuntimeError(
            f"Expected a '{device_type}' device type for generator but found "
            f"'{generator._device.type}'"
        )
    found: Generator = generator
    return found

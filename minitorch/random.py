"""torch.random: the default generator, seeds and states."""

from __future__ import annotations

from typing import Any

from minitorch.core.sampling import MersenneTwister


class Generator(MersenneTwister):
    """A source of random numbers for CPU tensors."""

    __module__ = "torch._C"


default_generator = Generator()


def manual_seed(seed: Any) -> Generator:
    """Seeds the default generator, and returns it."""
    default_generator.seed(int(seed))
    return default_generator


def seed() -> int:
    """Seeds the default generator with a fresh random number, and returns that."""
    raise NotImplementedError("torch.seed")


def initial_seed() -> int:
    """The seed of the default generator."""
    return default_generator.initial_seed()


def get_rng_state() -> Any:
    """The state of the default generator."""
    raise NotImplementedError("torch.get_rng_state")


def set_rng_state(new_state: Any) -> None:
    """Sets the state of the default generator."""
    raise NotImplementedError("torch.set_rng_state")

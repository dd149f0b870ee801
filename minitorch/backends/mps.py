"""torch.backends.mps: Apple's GPUs, which are not used."""


def is_available() -> bool:
    """Whether there is such a device that can be used: no."""
    return False


def is_built() -> bool:
    """Whether such devices are known here: no."""
    return False

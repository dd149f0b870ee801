"""torch.distributed: there is one process, and nothing to talk to others with."""


def is_available() -> bool:
    """Whether processes can work together: no."""
    return False


def is_initialized() -> bool:
    """Whether a group of processes was set up: no."""
    return False


def is_torchelastic_launched() -> bool:
    """Whether torchrun started this process: no."""
    return False

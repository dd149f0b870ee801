"""torch.backends.mps: Apple's GPUs, which are not used."""

__all__ = (
    "get_core_count get_name is_available is_built is_macos13_or_newer is_macos_or_newer"
).split()


def is_available() -> bool:
    """Whether there is such a device that can be used: no."""
    return False


def is_built() -> bool:
    """Whether such devices are known here: no."""
    return False


def is_macos_or_newer(major: int, minor: int) -> bool:
    """Whether the system is macOS of that version. RuntimeError: nothing here can tell."""
    raise RuntimeError("Cannot execute isOnMacOSorNewer() without MPS backend.")


def is_macos13_or_newer(minor: int = 0) -> bool:
    """Whether the system is macOS 13. RuntimeError: nothing here can tell."""
    return is_macos_or_newer(13, minor)

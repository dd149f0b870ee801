"""torch.distributed.rpc: calls on other machines; only the names are here."""

from minitorch._public import outlines


def is_available() -> bool:
    """Whether there are calls on other machines: no."""
    return False


__getattr__, __dir__ = outlines.rest_of("torch.distributed.rpc")

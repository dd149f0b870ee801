"""torch.distributed.autograd: gradients over calls on other machines; only names are here."""

from minitorch._public import outlines


def is_available() -> bool:
    """Whether there are gradients over calls on other machines: no."""
    return False


__getattr__, __dir__ = outlines.rest_of("torch.distributed.autograd")

"""How the classes of torch.distributions are named."""

_OWN, _PUBLIC = "minitorch.", "torch."


def publish(cls: type) -> None:
    """Gives a class of this library the name of its module in torch."""
    if cls.__module__.startswith(_OWN):
        cls.__module__ = _PUBLIC + cls.__module__.removeprefix(_OWN)

"""The names of the classes of torch.distributions in pickles."""

_OWN, _PUBLIC = "minitorch.", "torch."


def publish(cls: type) -> None:
    """Gives a class of this library the name of its module in torch."""
    if cls.__module__.startswith(_OWN):
        cls.__module__ = _PUBLIC + cls.__module__.removeprefix(_OWN)

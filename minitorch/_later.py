"""Names that a module of torch has and minitorch's imports only when they are asked for."""

from typing import Any


def missing(module: str, name: str) -> Any:
    """A name that `module` does not define itself: from the table of private names, or an outline.

    AttributeError in one sentence for what this library does not have (or not yet), so that hasattr
    and the import machinery work.
    """
    from minitorch.private_names import find, names  # start-up: 14 ms

    if name in names(module):
        return find(module, name)
    raise AttributeError(f"{module}.{name} is not implemented by minitorch")

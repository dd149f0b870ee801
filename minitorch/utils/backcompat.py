"""torch.utils.backcompat: two warnings of code that an old version of torch ran differently.

They can be switched on; torch has given neither for years.
"""

from __future__ import annotations


class Warning:
    """A warning that can be switched on."""

    def __init__(self, name: str) -> None:
        self._name, self._enabled = name, False

    @property
    def enabled(self) -> bool:
        """Whether the warning is given."""
        return self._enabled

    @enabled.setter
    def enabled(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise RuntimeError(
                f"set_backcompat_{self._name}_warn expects a bool, but got {type(value).__name__}"
            )
        self._enabled = value


broadcast_warning = Warning("broadcast")
keepdim_warning = Warning("keepdim")

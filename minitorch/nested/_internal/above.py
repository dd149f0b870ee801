"""What nested tensors call of the modules above them, which put it here when they are loaded."""

from types import SimpleNamespace

above = SimpleNamespace()

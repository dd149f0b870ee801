"""The metadata of the package torch for importlib.metadata while minitorch stands for it."""

from __future__ import annotations

from importlib.metadata import Distribution
from pathlib import Path
from typing import Any

from minitorch.version import __version__

# What pyproject.toml names: this torch needs no other packages.
REQUIRES = ("ml_dtypes", "numpy>=2.3", "scipy")


class TorchDistribution(Distribution):
    """The package torch, of the version that minitorch is the like of."""

    def read_text(self, filename: str) -> str | None:
        """A file of the package's metadata; None for those that it does not have."""
        if filename == "METADATA":
            lines = ["Metadata-Version: 2.1", "Name: torch", f"Version: {__version__}"]
            lines += ["Summary: minitorch in the place of torch", "Requires-Python: >=3.11"]
            lines += [f"Requires-Dist: {each}" for each in REQUIRES]
            return "\n".join(lines) + "\n"
        return "torch\n" if filename == "top_level.txt" else None

    def locate_file(self, path: Any) -> Any:
        """The path that a file of the package would have."""
        return Path(__file__).parents[2] / path

"""Which namespace (`xp`) computes on arrays of a type.

The table is here, and filled in `__init__.py`, for modules that the namespaces themselves load.
"""

from __future__ import annotations

from typing import Any

# array type -> namespace
NAMESPACES: dict[type, Any] = {}

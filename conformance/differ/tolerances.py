"""Tolerances for numbers, and their reasons. Everything not listed here is compared exactly."""

import numpy

# Relative, absolute: torch.testing.assert_close's own defaults, which torch's tests hold one device
# to against another. Double precision's are narrower, for assert_close's 1e-7 would hide constants
# that torch rounds to float32, 3e-8 away; integers and bools have none.
DEFAULTS = {
    "float16": (1e-3, 1e-5),
    "bfloat16": (1.6e-2, 1e-5),
    "float32": (1.3e-6, 1e-5),
    "float64": (1e-10, 1e-12),
    "complex32": (1e-3, 1e-5),
    "complex64": (1.3e-6, 1e-5),
    "complex128": (1e-10, 1e-12),
}

# Two roundings at the end of a sum in another order, or of an exp from another libm.
ULPS = 4


def spacing(size: numpy.ndarray, dtype: str) -> numpy.ndarray:
    """Returns how far it is from each of these magnitudes to the next number of a dtype.

    NumPy has no bfloat16: its numbers stand in float32, which has 16 bits more behind the point.
    """
    return numpy.spacing(size) * (2.0**16 if dtype == "bfloat16" else 1)


def tolerance(dtype: str) -> tuple[float, float]:
    """Returns the relative and absolute tolerance for the numbers of a dtype."""
    return DEFAULTS.get(dtype, (0.0, 0.0))

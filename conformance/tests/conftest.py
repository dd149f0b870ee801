"""Pins the conditions of the suite's own tests: before any of them loads torch or NumPy."""

import conformance  # noqa: F401  importing it does that

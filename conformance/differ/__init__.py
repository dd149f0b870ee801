"""Compares two outcomes and grades each difference."""

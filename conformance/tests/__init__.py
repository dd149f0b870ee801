"""Tests of the suite itself; they need real torch."""

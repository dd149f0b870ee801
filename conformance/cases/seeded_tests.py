"""A plugin of pytest: every test starts from the same random numbers.

Tests of packages draw numbers without a seed, and hold what they compute to a bound that a few
draws miss: an inverse of zuko's misses it in 15 of 400 draws with torch. With a seed for each test,
torch and minitorch draw alike, and a test comes to the same in every run.

packages.py copies this file beside the tests, as their environment has no other module of ours.
"""

import random
import sys


def pytest_runtest_setup() -> None:
    """Seeds the generators of Python, and of the libraries that are imported by now."""
    random.seed(0)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(0)
    if torch := sys.modules.get("torch"):
        torch.manual_seed(0)

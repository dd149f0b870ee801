"""A program that imports torch finds the same sub-modules of the standard library."""

import json
import subprocess
import sys

from minitorch._public.standard_modules import SUBMODULES

# The packages are imported first: what they bring along themselves needs no table.
LEFT = """
import collections, concurrent.futures, email, http, importlib, json, multiprocessing, sys
import unittest, urllib

before = set(sys.modules)
import torch

new = set(sys.modules) - before | {"concurrent.futures"}
print(json.dumps([
    name for name in new if "." in name and name.partition(".")[0] in sys.stdlib_module_names
]))
"""
PLAIN = """
import json, sys, {package}

print(hasattr({package}, {name!r}))
"""


def output(source: str) -> str:
    """Runs a program and returns its output."""
    line = [sys.executable, "-W", "ignore", "-c", source]
    return subprocess.run(line, capture_output=True, text=True, check=True).stdout


def test_the_table_has_all_public_modules_that_torch_leaves_imported():
    """As far as their package does not import them itself."""
    left = {tuple(name.rsplit(".", 1)) for name in json.loads(output(LEFT))}
    public = {(package, name) for package, name in left if not name.startswith("_")}
    missing = {
        (package, name) for package, name in public if name not in SUBMODULES.get(package, ())
    }
    for package, name in missing:
        assert output(PLAIN.format(package=package, name=name)) == "True\n", (package, name)

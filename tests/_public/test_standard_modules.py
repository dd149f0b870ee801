"""Sub-modules of the standard library that a program finds because it imports torch."""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import minitorch
from minitorch._public.standard_modules import SUBMODULES, hide_all, show_submodules

ROOT = Path(minitorch.__file__).parents[1]
EACH = [(package, name) for package, names in SUBMODULES.items() for name in names]


def printed(source: str, folder: Path) -> str:
    """Runs a program where minitorch is found as torch, and returns its output."""
    line = [sys.executable, "-m", "minitorch", "-c", source]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        line, cwd=folder, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stderr == ""
    return done.stdout


@pytest.mark.parametrize("order", ["import torch, {0}", "import {0}, torch"])
def test_sub_modules_are_attributes_before_anybody_imports_them(order, tmp_path):
    lines = [order.format(", ".join(SUBMODULES))]
    lines += [f"print({package}.{name}.__name__)" for package, name in EACH]
    expected = [f"{package}.{name}" for package, name in EACH]
    assert printed("\n".join(lines), tmp_path).split() == expected


def test_import_torch_imports_none_of_the_slow_ones(tmp_path):
    slow = ["multiprocessing.connection", "unittest.mock", "urllib.request", "concurrent.futures"]
    source = f"import torch, urllib, sys; print([x for x in {slow} if x in sys.modules])"
    assert printed(source, tmp_path) == "[]\n"


def test_other_names_of_such_a_package_are_missing_in_pythons_words(tmp_path):
    source = (
        "import multiprocessing, unittest, torch\n"
        "print(unittest.IsolatedAsyncioTestCase.__name__)\n"  # of a __getattr__ of its own
        "try:\n    multiprocessing.conection\n"
        "except AttributeError as error:\n    print(error, error.name, error.obj.__name__)\n"
        "try:\n    from multiprocessing import nothing\n"
        "except ImportError as error:\n    print(str(error).partition(' (')[0])\n"
    )
    assert printed(source, tmp_path).splitlines() == [
        "IsolatedAsyncioTestCase",
        "module 'multiprocessing' has no attribute 'conection' conection multiprocessing",
        "cannot import name 'nothing' from 'multiprocessing'",
    ]


def test_a_package_is_as_before_behind_the_block():
    package = import_module("concurrent.futures")
    before = vars(package).get("__getattr__")
    with minitorch.installed_as_torch():
        assert vars(package)["__getattr__"] is not before
    assert vars(package).get("__getattr__") is before


def test_a_package_is_shown_once_and_hidden_once():
    package = import_module("concurrent.futures")
    before = vars(package).get("__getattr__")
    show_submodules(package)
    show_submodules(package)
    hide_all()
    assert vars(package).get("__getattr__") is before

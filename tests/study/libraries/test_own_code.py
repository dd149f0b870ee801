"""The owner of code that runs: by its file, and by its module where that is known."""

import os
import subprocess

import minitorch
from minitorch.study.libraries.own_code import is_own


def test_code_of_libraries_is_not_the_readers() -> None:
    assert is_own("train.py", "__main__")
    assert is_own("<stdin>")
    assert not is_own(minitorch.__file__, "minitorch.nn")
    assert not is_own(subprocess.__file__, "subprocess")
    assert not is_own("<frozen importlib._bootstrap>")


def test_the_package_itself_is_known_by_its_folder_too() -> None:
    folder = os.path.dirname(minitorch.__file__)
    assert not is_own(os.path.join(folder, "study", "__main__.py"), "__main__")
    assert not is_own("<minitorch add>")


def test_cells_of_notebooks_are_the_readers() -> None:
    inside = os.path.join(os.path.dirname(subprocess.__file__), "ipykernel_12", "3.py")
    assert is_own(inside, "__main__")

"""Short scripts over other packages print the text recorded with torch 2.13.0.

Each is scripts/NAME.py, and scripts/NAME.txt what `python NAME.py` printed with torch. Numbers are
rounded by the scripts, such that another order of additions changes no digit.
"""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = sorted((Path(__file__).parent / "scripts").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_prints_what_it_prints_with_torch(script):
    package = script.stem.partition("_")[2]
    pytest.importorskip(package, reason=f"{package} is not installed")
    command = [sys.executable, "-W", "ignore", "-m", "minitorch", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == script.with_suffix(".txt").read_text().splitlines()

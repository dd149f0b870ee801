"""python -m conformance.oracle.run_double [--double] [--moved SEED] script.py: see double.py."""

import argparse
import runpy
import sys
from pathlib import Path

from conformance.oracle.double import in_double, moved


def main() -> None:
    """Runs a script with torch in double, at a neighbour, or both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--double", action="store_true", help="compute in float64")
    parser.add_argument("--moved", type=int, metavar="SEED", help="with a neighbour's numbers")
    parser.add_argument("script")
    given = parser.parse_args()
    sys.argv = [given.script]
    sys.path[0] = str(Path(given.script).parent)
    with in_double(given.moved) if given.double else moved(given.moved):
        runpy.run_path(given.script, run_name="__main__")


if __name__ == "__main__":
    main()

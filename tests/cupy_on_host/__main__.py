"""python -m tests.cupy_on_host FOLDER COMMAND...: runs a command with CuPy on memory of the host.

It is built into the folder first where it is not there yet.
"""

import os
import sys
from pathlib import Path

from tests.cupy_on_host.build import build, environment

if __name__ == "__main__":
    folder = Path(sys.argv[1]).absolute()
    if not (folder / "ready").exists():
        build(folder)
    if command := sys.argv[2:]:
        os.execvpe(command[0], command, environment(folder))

"""Runs a script as several ranks, and prints what each of them printed.

    python -m conformance.cases.ranks NUMBER COMMAND... FILE

Each process finds RANK, WORLD_SIZE and MEETING, a file by which they meet, in its environment. The
exit status is that of the first rank that failed, and its error the last line of stderr.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

SECONDS = 100


def main(number: int, line: list[str]) -> int:
    """Starts the ranks, waits for them, and prints; the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        ranks = []
        for rank in range(number):
            told = {"RANK": str(rank), "WORLD_SIZE": str(number), "MEETING": f"{folder}/meeting"}
            ranks.append(_started(line, Path(folder) / str(rank), os.environ | told))
        try:
            codes = [each.wait(SECONDS) for each in ranks]
        finally:
            for each in ranks:
                each.kill()
        for rank, code in enumerate(codes):
            home = Path(folder) / str(rank)
            for text in (home / "out").read_text().splitlines():
                print(f"{rank}: {text}")
            if code:
                print((home / "err").read_text(), file=sys.stderr)
                return code
    return 0


def _started(line: list[str], home: Path, environment: dict[str, str]) -> "subprocess.Popen[bytes]":
    """Starts one rank, which writes into files: a full pipe would stop it."""
    home.mkdir()
    with (home / "out").open("wb") as out, (home / "err").open("wb") as err:
        return subprocess.Popen(line, stdout=out, stderr=err, env=environment)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))

"""python docs/_site/archives.py FOLDER: the archives of a release, built twice and compared.

They carry the time of the last commit, so that a commit always gives the same bytes.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def build(folder: Path, time: str) -> dict[str, bytes]:
    """Builds wheel and source distribution into a folder; returns them by file name."""
    command = [sys.executable, "-m", "build", "--no-isolation", "--sdist", "--wheel"]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": time}
    subprocess.run([*command, "--outdir", folder, ROOT], check=True, env=environment)
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def main(folder: Path) -> int:
    """Writes the archives into a folder. Returns 1 if two builds differ, or twine refuses them."""
    command = ["git", "-C", str(ROOT), "log", "-1", "--format=%ct"]
    time = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        archives = build(Path(first), time)
        if archives != build(Path(second), time):
            print("two builds of this commit differ", file=sys.stderr)
            return 1
    folder.mkdir(exist_ok=True)
    for name, content in archives.items():
        (folder / name).write_bytes(content)
    paths = [folder / name for name in archives]
    return subprocess.run([sys.executable, "-m", "twine", "check", "--strict", *paths]).returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

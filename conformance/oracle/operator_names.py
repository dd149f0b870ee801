"""Writes minitorch/_public/operator_names.txt: the operators of torch.ops.aten, by overload.

python -m conformance.oracle.operator_names      for the torch that is installed
"""

import sys
from collections import defaultdict
from pathlib import Path

import torch

FILE = Path(__file__).resolve().parents[2] / "minitorch" / "_public" / "operator_names.txt"


def main() -> None:
    """Writes the table: a line for each name, with its overloads; a bare name has the default."""
    known = defaultdict(set)
    for full in torch._C._dispatch_get_all_op_names():
        library, _, name = full.partition("::")
        if library == "aten":
            base, _, overload = name.partition(".")
            known[base].add(overload or "default")
    lines = [" ".join([name, *sorted(known[name] - {"default"})]) for name in sorted(known)]
    for i, name in enumerate(sorted(known)):
        if "default" not in known[name]:
            lines[i] = f"{name} - {' '.join(sorted(known[name]))}"
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(len(lines), "names", FILE.stat().st_size, "bytes", file=sys.stderr)


if __name__ == "__main__":
    main()

"""Writes minitorch/_public/operator_schemas.txt: the operators of torch.ops.aten, by overload.

python -m conformance.oracle.operator_schemas      for the torch that is installed
"""

import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import torch

FILE = Path(__file__).resolve().parents[2] / "minitorch" / "_public" / "operator_schemas.txt"
# A line that bears no tags has this one alone.
USUAL = "pt2_compliant_tag"


def _line(operator: Any) -> str:
    """The schema of an operator without its library, and its tags."""
    tags = " ".join([tag.name for tag in operator.tags])
    text = str(operator._schema).removeprefix("aten::")
    return text if tags == USUAL else f"{text}  # {tags}"


def main() -> None:
    """Writes the table: a line for each operator, those of a name side by side."""
    known = defaultdict(set)
    for full in torch._C._dispatch_get_all_op_names():
        library, _, name = full.partition("::")
        if library == "aten":
            base, _, overload = name.partition(".")
            known[base].add(overload)
    lines = [
        _line(getattr(getattr(torch.ops.aten, name), overload or "default"))
        for name in sorted(known)
        for overload in sorted(known[name])
    ]
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(len(lines), "operators", FILE.stat().st_size, "bytes", file=sys.stderr)


if __name__ == "__main__":
    main()

"""Writes the schemas of torch.ops: those of aten that the dispatcher has, and all others.

They are minitorch/_public/operator_schemas.txt and other_operators.txt, a line for each overload.

python -m conformance.oracle.operator_schemas      for the torch that is installed
"""

import sys
from pathlib import Path
from typing import Any

import torch

FOLDER = Path(__file__).resolve().parents[2] / "minitorch" / "_public"
# A line that bears no tags has this one alone.
USUAL = "pt2_compliant_tag"


def _line(operator: Any) -> str:
    """The schema of an operator without its library, and its tags."""
    tags = " ".join([tag.name for tag in operator.tags])
    text = str(operator._schema).removeprefix("aten::")
    return text if tags == USUAL else f"{text}  # {tags}"


def _of_aten(dispatched: set[str]) -> list[str]:
    """Lines of the operators of ATen that the dispatcher has, overloads in torch's order."""
    names = sorted({full[6:].partition(".")[0] for full in dispatched if full.startswith("aten::")})
    return [
        _line(getattr(packet, overload))
        for packet in (getattr(torch.ops.aten, name) for name in names)
        for overload in packet.overloads()
        if getattr(packet, overload).name() in dispatched
    ]


def _of_others(dispatched: set[str]) -> list[str]:
    """Lines of all other operators with their libraries and tags, overloads in torch's order."""
    names = sorted({schema.name for schema in torch._C._jit_get_all_schemas()})
    lines = []
    for library, _, name in (full.partition("::") for full in names):
        packet = getattr(getattr(torch.ops, library), name, None)  # prim::name is a text
        for overload in packet.overloads() if hasattr(packet, "overloads") else ():
            operator = getattr(packet, overload)
            if library != "aten" or operator.name() not in dispatched:
                tags = "".join(f" {tag.name}" for tag in operator.tags)
                lines.append(f"{operator._schema}" + (f"  #{tags}" if tags else ""))
    return lines


def main() -> None:
    """Writes both tables."""
    dispatched = set(torch._C._dispatch_get_all_op_names())
    for name, lines_of in ("operator_schemas", _of_aten), ("other_operators", _of_others):
        lines = lines_of(dispatched)
        file = FOLDER / f"{name}.txt"
        file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(file.name, len(lines), "operators", file.stat().st_size, "bytes", file=sys.stderr)


if __name__ == "__main__":
    main()

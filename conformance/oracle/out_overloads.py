"""Writes minitorch/_public/out_overloads.txt: ATen's overloads that write into out=.

python -m conformance.oracle.out_overloads      for the torch that is installed

A line is a schema without what it returns. `~` stands before those that torch makes of others:
modes below autograd see the others. Of the overloads that torch generates, only those stand here
that a function of torch calls, as torch.view_copy(x, shape, out=y) does.
"""

import re
import sys
from pathlib import Path

import torch

from minitorch.core.declare.wording.signatures import signatures_at

FILE = Path(__file__).resolve().parents[2] / "minitorch" / "_public" / "out_overloads.txt"
CALLED = {"diag_embed"}  # by torch.diag


def _is_generated(schema: torch.FunctionSchema) -> bool:
    """Whether torch generates an overload."""
    if not any(each.is_out for each in schema.arguments) or not schema.name.startswith("aten::"):
        return False
    packet = getattr(torch.ops.aten, schema.name.removeprefix("aten::"))
    return torch.Tag.generated in getattr(packet, schema.overload_name or "default").tags


def _takes_out(name: str) -> bool:
    """Whether torch's parser knows the function of that name with out=."""
    texts = signatures_at(f"torch.{name}") or ()
    return any("Tensor out" in text or "tuple of Tensors out" in text for text in texts)


def main() -> None:
    """Writes the table, in the order of the names."""
    lines, native = {}, set()
    for schema in sorted(torch._C._jit_get_all_schemas(), key=_is_generated):
        library, _, name = schema.name.partition("::")
        if library != "aten" or not any(each.is_out for each in schema.arguments):
            continue
        overload = schema.overload_name
        generated = _is_generated(schema)
        if generated and (name in native or not (_takes_out(name) or name in CALLED)):
            continue
        if not generated:
            native.add(name)
        full = f"{schema.name}.{overload}" if overload else schema.name
        made = torch._C._dispatch_has_kernel_for_dispatch_key(full, "CompositeImplicitAutograd")
        text = str(schema).removeprefix("aten::").partition(" -> ")[0]
        text = re.sub(r", (?=[^\[\]]*\])", ",", text)  # lists without spaces
        lines[name, overload] = f"~{text}" if made else text
    FILE.write_text("\n".join([lines[key] for key in sorted(lines)]) + "\n", encoding="utf-8")
    print(len(lines), "overloads", FILE.stat().st_size, "bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
